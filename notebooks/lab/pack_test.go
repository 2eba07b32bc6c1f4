package main

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image/png"
	"io"
	"reflect"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/viz"
)

// deflate compresses as zopfli does, less well.
func deflate(data []byte) ([]byte, error) {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, err := w.Write(data)
	err = errors.Join(err, w.Close())
	return b.Bytes(), err
}

// A packed picture is smaller and has the same pixels, and what stands around it in a notebook stays.
func TestPackPictures(t *testing.T) {
	figure, err := viz.Heatmap(mat.NewDense(2, 2, []float64{1, 2, 3, 4}), viz.HeatmapOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var stored bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.NoCompression}
	if err := enc.Encode(&stored, figure.Image()); err != nil {
		t.Fatal(err)
	}
	const before, after = `{"image/png": "`, `\n"}`
	packed, err := packPictures([]byte(before+base64.StdEncoding.EncodeToString(stored.Bytes())+after), deflate)
	if err != nil {
		t.Fatal(err)
	}
	code, ok := bytes.CutPrefix(packed, []byte(before))
	code, more := bytes.CutSuffix(code, []byte(after))
	picture, err := base64.StdEncoding.DecodeString(string(code))
	if !ok || !more || err != nil {
		t.Fatalf("%.40s: %v", packed, err)
	}
	if len(picture) > stored.Len()/2 {
		t.Errorf("%d of %d bytes", len(picture), stored.Len())
	}
	want, err := png.Decode(&stored)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := png.Decode(bytes.NewReader(picture)); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("other pixels, or %v", err)
	}
	if _, err := packPNG(picture[:len(picture)-20], deflate); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a PNG cut off: %v", err)
	}
}

// Each frame of a picture that moves is packed by itself, and keeps its number.
func TestPackFrames(t *testing.T) {
	var frames []viz.Figure
	for i := range 3 {
		f, err := viz.Heatmap(mat.NewDense(2, 2, []float64{1, 2, 3, float64(i)}), viz.HeatmapOptions{})
		if err != nil {
			t.Fatal(err)
		}
		frames = append(frames, f)
	}
	var moving bytes.Buffer
	if err := viz.WriteAnimation(&moving, frames, time.Second); err != nil {
		t.Fatal(err)
	}
	packed, err := packPNG(moving.Bytes(), func([]byte) ([]byte, error) { return []byte("new"), nil })
	if err != nil {
		t.Fatal(err)
	}
	var pixels []string
	for rest := packed[8:]; len(rest) > 0; {
		n := binary.BigEndian.Uint32(rest)
		kind, data, sum := string(rest[4:8]), rest[8:8+n], binary.BigEndian.Uint32(rest[8+n:])
		if crc32.ChecksumIEEE(rest[4:8+n]) != sum {
			t.Errorf("chunk %s has a wrong sum", kind)
		}
		if kind == "IDAT" || kind == "fdAT" {
			pixels = append(pixels, string(data))
		}
		rest = rest[12+n:]
	}
	if want := []string{"new", "\x00\x00\x00\x02new", "\x00\x00\x00\x04new"}; !reflect.DeepEqual(pixels, want) {
		t.Errorf("pixels are %q, want %q", pixels, want)
	}
}
