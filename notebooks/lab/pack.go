package main

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"hash/crc32"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
)

// pack makes the pictures of executed notebooks smaller, and changes no pixel of them: program zopfli
// needs an eighth fewer bytes for the same data than Go's encoder, and some thousand times as long.
func pack(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("pack", flag.ContinueOnError)
	f.Usage = func() {
		fmt.Fprintln(f.Output(), "usage: go run ./notebooks/lab pack [notebooks]\nDefault are all of notebooks/*.ipynb.")
	}
	if err := f.Parse(args); err != nil {
		return err
	}
	names := f.Args()
	if len(names) == 0 {
		names, _ = filepath.Glob("notebooks/*.ipynb") // an error is one of the pattern
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		packed, err := packPictures(text, func(data []byte) ([]byte, error) { return zopfli(ctx, data) })
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		log.Printf("%s: %d of %d kB", name, len(packed)/1000, len(text)/1000)
		temporary := name + ".new" // so that the notebook is there, whole, whatever happens
		if err := os.WriteFile(temporary, packed, 0o644); err != nil {
			return errors.Join(err, os.Remove(temporary))
		}
		if err := os.Rename(temporary, name); err != nil {
			return err
		}
	}
	return nil
}

// zopfli returns data in the format of package zlib.
func zopfli(ctx context.Context, data []byte) ([]byte, error) {
	file, err := os.CreateTemp("", "pack")
	if err != nil {
		return nil, err
	}
	defer os.Remove(file.Name())
	_, err = file.Write(data)
	if err := errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	out, err := exec.CommandContext(ctx, "zopfli", "--zlib", "--i5", "-c", file.Name()).Output()
	if errors.Is(err, exec.ErrNotFound) {
		err = fmt.Errorf("%w: Debian has it in package zopfli", err)
	}
	return out, err
}

// Base64 of at least the signature and the first chunk of a PNG, as a notebook has it, with or without a
// line's end.
var pngInJSON = regexp.MustCompile(`iVBORw0KGgo[A-Za-z0-9+/]{32,}={0,2}`)

// packPictures returns the text of a notebook with each PNG in it made smaller by compress.
func packPictures(notebook []byte, compress func([]byte) ([]byte, error)) ([]byte, error) {
	var failed error
	packed := pngInJSON.ReplaceAllFunc(notebook, func(b []byte) []byte {
		picture, err := base64.StdEncoding.DecodeString(string(b))
		if err == nil {
			picture, err = packPNG(picture, compress)
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("the PNG %.40s…: %w", b, err))
			return b
		}
		return []byte(base64.StdEncoding.EncodeToString(picture))
	})
	return packed, failed
}

// packPNG compresses the pixels of a PNG anew: those of the chunks IDAT, which are one stream, and, where
// it moves, of each fdAT, which is a frame after its number.
func packPNG(b []byte, compress func([]byte) ([]byte, error)) ([]byte, error) {
	const signature, frame = 8, 4
	again := func(pixels []byte) ([]byte, error) {
		r, err := zlib.NewReader(bytes.NewReader(pixels))
		if err != nil {
			return nil, err
		}
		data, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		packed, err := compress(data)
		if err != nil || len(packed) >= len(pixels) {
			return pixels, err
		}
		return packed, nil
	}
	out := append([]byte(nil), b[:min(signature, len(b))]...)
	var pixels []byte // of the chunks IDAT up to here
	for rest := b[len(out):]; len(rest) > 0; {
		if len(rest) < 12 || int64(len(rest)) < 12+int64(binary.BigEndian.Uint32(rest)) {
			return nil, io.ErrUnexpectedEOF
		}
		n := int(binary.BigEndian.Uint32(rest))
		kind, data := string(rest[4:8]), rest[8:8+n]
		rest = rest[12+n:]
		var err error
		switch {
		case kind == "IDAT":
			pixels = append(pixels, data...)
			if len(rest) >= 8 && string(rest[4:8]) == "IDAT" {
				continue
			}
			data, err = again(pixels)
		case kind == "fdAT" && n > frame:
			number := data[:frame:frame]
			data, err = again(data[frame:])
			data = append(number, data...)
		}
		if err != nil {
			return nil, err
		}
		out = binary.BigEndian.AppendUint32(out, uint32(len(data)))
		out = append(out, kind...)
		out = append(out, data...)
		out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[len(out)-len(data)-4:]))
	}
	return out, nil
}
