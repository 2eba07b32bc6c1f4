package datasets

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/image/tiff"
	"gonum.org/v1/gonum/mat"
)

// countdown is a context that ends when it has been asked so many times.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// Whenever its context ends, a reader of images ends with that as its error: before the
// first file, in the middle of unpacking, decoding or shrinking one, and before the set
// is made. It looks often, and reads no more once it has seen it.
func TestImagesEndWithContext(t *testing.T) {
	colours := image.NewRGBA(image.Rect(0, 0, 20, 18))
	rnd := rand.New(rand.NewPCG(4, 4))
	for i := range colours.Pix {
		colours.Pix[i] = uint8(rnd.Uint32()) | 3
	}
	files := fstest.MapFS{"a/notes.txt": {Data: bytes.Repeat([]byte("long "), 1<<15)}}
	for _, ext := range []string{".png", ".jpg", ".gif", ".bmp", ".tif"} {
		files["a/1"+ext] = &fstest.MapFile{Data: encoded("x"+ext, colours)}
	}
	files["b/1.pgm"] = &fstest.MapFile{Data: append([]byte("P5 20 18 255\n"), make([]byte, 360)...)}
	files["b/2.ppm"] = &fstest.MapFile{Data: append([]byte("P3 20 18 255\n"), bytes.Repeat([]byte("1 "), 1080)...)}
	dir := t.TempDir()
	for name, f := range files {
		p := filepath.Join(dir, "set", name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, f.Data, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	archives := map[string][]byte{"set.tar": tarFile(files), "set.tgz": gzipped(tarFile(files)), "set.zip": zipFile(files)}
	for name, data := range archives {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, l := range []ImageLayout{{}, {Height: 9, Width: 10}} {
		readers := map[string]func(ctx context.Context) (*Set, error){
			"a tree": func(ctx context.Context) (*Set, error) { return ReadImages(ctx, files, l) },
			"tar":    func(ctx context.Context) (*Set, error) { return ReadTar(ctx, bytes.NewReader(archives["set.tar"]), l) },
			"gzip":   func(ctx context.Context) (*Set, error) { return ReadTar(ctx, bytes.NewReader(archives["set.tgz"]), l) },
			"zip": func(ctx context.Context) (*Set, error) {
				return ReadZip(ctx, bytes.NewReader(archives["set.zip"]), int64(len(archives["set.zip"])), l)
			},
			"open tree": func(ctx context.Context) (*Set, error) { return OpenImages(ctx, filepath.Join(dir, "set"), l) },
			"open tar":  func(ctx context.Context) (*Set, error) { return OpenImages(ctx, filepath.Join(dir, "set.tar"), l) },
			"open zip":  func(ctx context.Context) (*Set, error) { return OpenImages(ctx, filepath.Join(dir, "set.zip"), l) },
		}
		for name, read := range readers {
			looks := &countdown{t.Context(), 1 << 30}
			want, err := read(looks)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			n := 1<<30 - looks.left
			if rows := 7 * 18; n < rows {
				t.Errorf("%s: looked at its context %d times", name, n)
			}
			for k := 0; k <= n; k++ {
				if testing.Short() && k > 20 && k < n-20 {
					k += 6
				}
				got, err := read(&countdown{t.Context(), k})
				switch {
				case err == nil && k >= n-2: // it was the last look
					if !mat.Equal(got.X, want.X) {
						t.Errorf("%s after %d of %d looks: other values", name, k, n)
					}
				case !errors.Is(err, context.Canceled) || errors.Is(err, ErrFormat) || got != nil:
					t.Fatalf("%s after %d of %d looks: %v", name, k, n, err)
				}
			}
		}
	}
	// What lies before the first image is long as well.
	many := tarOfZeros(t, 1<<26)
	from := &endsReader{r: bytes.NewReader(many), after: 1 << 12}
	ctx, cancel := context.WithCancel(t.Context())
	from.end = cancel
	if _, err := ReadTar(ctx, from, ImageLayout{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if from.read > from.after+1<<16 {
		t.Errorf("%d bytes were read, the context ended after %d of %d", from.read, from.after, len(many))
	}
}

// endsReader calls end after some bytes.
type endsReader struct {
	r           io.Reader
	read, after int
	end         func()
}

func (e *endsReader) Read(p []byte) (int, error) {
	n, err := e.r.Read(p)
	if e.read += n; e.read >= e.after {
		e.end()
	}
	return n, err
}

// tarOfZeros is a packed archive of a file that is no image.
func tarOfZeros(t *testing.T, size int64) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	if err := w.WriteHeader(&tar.Header{Name: "zeros", Size: size, Typeflag: tar.TypeReg}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(make([]byte, size)); err != nil {
		t.Fatal(err)
	}
	w.Close()
	return gzipped(b.Bytes())
}

// What is decoded of a small archive is bounded, whatever the format and wherever it
// lies; images that are as large as their files tell are not.
func TestImageWorkIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("packs images of 16 million pixels")
	}
	sheet := encodedAs(func(w io.Writer) error {
		return (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(w, image.NewPaletted(image.Rect(0, 0, 4096, 4096), color.Palette{color.White, color.Black}))
	})
	small := ImageLayout{Height: 8, Width: 8}
	files, taken := fstest.MapFS{}, 0
	for i := range 8 {
		files[fmt.Sprintf("%d.png", i)] = &fstest.MapFile{Data: sheet}
	}
	small.Class = func(string) (string, bool) { taken++; return "", true }
	z, x := zipFile(files), gzipped(tarFile(files))
	for name, read := range map[string]func() (*Set, error){
		"a tree": func() (*Set, error) { return ReadImages(t.Context(), files, small) },
		"tar":    func() (*Set, error) { return ReadTar(t.Context(), bytes.NewReader(x), small) },
		"zip":    func() (*Set, error) { return ReadZip(t.Context(), bytes.NewReader(z), int64(len(z)), small) },
	} {
		taken = 0
		if _, err := read(); !errors.Is(err, ErrTooLarge) || !strings.Contains(err.Error(), ".png") {
			t.Errorf("%s: %v", name, err)
		}
		if most := freePixels/maxImagePixels + 1; taken > most {
			t.Errorf("%s: %d images of the largest size were looked at, want at most %d", name, taken, most)
		}
	}
	// A few large ones, and many that have a byte for a few hundred pixels, are fine.
	c := newCollector(t.Context(), small, MaxValues)
	for range freePixels / maxImagePixels {
		if err := c.charge(maxImagePixels); err != nil {
			t.Error(err)
		}
	}
	if err := c.charge(1); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
	c = newCollector(t.Context(), small, MaxValues)
	for range 1000 {
		c.stored += maxImagePixels / pixelsPerByte
		if err := c.charge(maxImagePixels); err != nil {
			t.Fatal(err)
		}
	}
	// Scans of a JPEG, each of which may be of all pixels in a few bytes, count.
	data := encodedAs(func(w io.Writer) error { return jpeg.Encode(w, image.NewGray(image.Rect(0, 0, 64, 64)), nil) })
	if n, err := jpegPixels(data); n != 64*64 || err != nil {
		t.Errorf("%d pixels of a JPEG, %v", n, err)
	}
	if n, err := jpegPixels(append(data, bytes.Repeat([]byte("\xff\xda"), 8000)...)); n < 1000*64*64 || err != nil {
		t.Errorf("%d pixels of a JPEG of thousands of scans, %v", n, err)
	}
}

func encodedAs(encode func(io.Writer) error) []byte {
	var out bytes.Buffer
	if err := encode(&out); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// tiffFile is a TIFF file of tags, each with a count of 32-bit numbers and their place, or
// the number where it is one; and then zeros.
func tiffFile(tags [][3]uint32, zeros int) []byte {
	le := binary.LittleEndian
	out := le.AppendUint32([]byte("II*\x00"), 8)
	out = le.AppendUint16(out, uint16(len(tags)))
	for _, t := range tags {
		out = le.AppendUint16(le.AppendUint16(out, uint16(t[0])), 4)
		out = le.AppendUint32(le.AppendUint32(out, t[1]), t[2])
	}
	return append(out, make([]byte, 4+zeros)...)
}

// Shrinking while reading gives the bits of shrinking afterwards.
func TestReadImagesShrinks(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 5))
	for range 100 {
		h, w := 1+rnd.IntN(20), 1+rnd.IntN(20)
		img := image.NewRGBA(image.Rect(0, 0, w, h))
		for i := range img.Pix {
			img.Pix[i] = uint8(rnd.Uint32())
			if i%4 == 3 {
				img.Pix[i] = 255
			}
		}
		files := fstest.MapFS{"a.png": {Data: encoded("a.png", img)}, "b.png": {Data: encoded("b.png", image.NewGray(img.Rect))}}
		full, err := ReadImages(t.Context(), files, ImageLayout{})
		if err != nil {
			t.Fatal(err)
		}
		height, width := 1+rnd.IntN(h), 1+rnd.IntN(w)
		want, err := full.Shrink(height, width)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ReadImages(t.Context(), files, ImageLayout{Height: height, Width: width})
		if err != nil {
			t.Fatal(err)
		}
		if !mat.Equal(got.X, want.X) || got.Height != height || got.Width != width {
			t.Fatalf("%d×%d to %d×%d:\n%v\n%v", h, w, height, width, mat.Formatted(got.X), mat.Formatted(want.X))
		}
	}
}

// Of a TIFF file all numbers are checked that the decoder makes room for.
func TestTIFFNumbers(t *testing.T) {
	tags := func(change ...[3]uint32) []byte {
		all := [][3]uint32{{256, 1, 8}, {257, 1, 8}, {258, 1, 8}, {259, 1, 1}, {262, 1, 1}, {273, 1, 200}, {277, 1, 1}, {278, 1, 8}, {279, 1, 64}}
		for _, c := range change {
			at := 0
			for at < len(all) && all[at][0] < c[0] {
				at++
			}
			if at < len(all) && all[at][0] == c[0] {
				all[at] = c
			} else {
				all = append(all[:at], append([][3]uint32{c}, all[at:]...)...)
			}
		}
		return tiffFile(all, 300)
	}
	for _, c := range []struct {
		name string
		data []byte
		want error
	}{
		{"as it should be", tags(), nil},
		{"rows without end", tags([3]uint32{278, 1, 1<<32 - 1}), nil},
		{"no rows", tags([3]uint32{278, 1, 0}), nil},
		{"a large strip", tags([3]uint32{256, 1, 1 << 13}, [3]uint32{257, 1, 1 << 13}, [3]uint32{278, 1, 1 << 13}), ErrTooLarge},
		{"a large packed strip", tags([3]uint32{256, 1, 4096}, [3]uint32{257, 1, 4096}, [3]uint32{278, 1, 4096}, [3]uint32{259, 1, 8}), ErrTooLarge},
		{"large tiles", tags([3]uint32{322, 1, 1 << 15}, [3]uint32{323, 1, 1 << 15}), ErrTooLarge},
		{"wide tiles", tags([3]uint32{257, 1, 4096}, [3]uint32{322, 1, 1 << 20}, [3]uint32{323, 1, 8}), ErrTooLarge},
		{"many strips", tags([3]uint32{273, 1 << 20, 0}, [3]uint32{279, 1 << 20, 0}), ErrFormat}, // there are no such bytes
		{"strips beyond the file", tags([3]uint32{279, 1, 1 << 31}), ErrFormat},
		{"strips that share bytes", tags([3]uint32{278, 1, 1}, [3]uint32{273, 8, 210}, [3]uint32{279, 8, 210}), ErrFormat},
		{"tags beyond the file", append([]byte("II*\x00\xff\xff\xff\xff"), make([]byte, 50)...), ErrFormat},
		{"too many tags", append([]byte("II*\x00\x08\x00\x00\x00\xff\xff"), make([]byte, 50)...), ErrFormat},
		{"short", []byte("II*\x00"), ErrFormat},
	} {
		_, err := ReadImages(t.Context(), fstest.MapFS{"a.tif": {Data: c.data}}, ImageLayout{})
		if c.want == nil && err != nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	// What libraries write is read.
	img := image.NewGray(image.Rect(0, 0, 33, 17))
	for i := range img.Pix {
		img.Pix[i] = uint8(i)
	}
	for _, o := range []*tiff.Options{nil, {Compression: tiff.Deflate}, {Compression: tiff.Deflate, Predictor: true}} {
		data := encodedAs(func(w io.Writer) error { return tiff.Encode(w, img, o) })
		s, err := ReadImages(t.Context(), fstest.MapFS{"a.tif": {Data: data}}, ImageLayout{})
		if err != nil || s.X.At(100, 0) != 100 {
			t.Errorf("%+v: %v, %v", o, s, err)
		}
	}
}

// An archive with what is valid but not read says so.
func TestZipUnsupported(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	f, err := z.CreateRaw(&zip.FileHeader{Name: "a.pgm", Method: 12}) // bzip2
	if err != nil {
		t.Fatal(err)
	}
	f.Write([]byte("BZh"))
	z.Close()
	locked := zipFile(fstest.MapFS{"a.pgm": {Data: pgm(1)}})
	at := bytes.Index(locked, []byte("PK\x01\x02"))
	locked[6] |= 1
	locked[at+8] |= 1
	for name, data := range map[string][]byte{"bzip2": b.Bytes(), "encrypted": locked} {
		if _, err := ReadZip(t.Context(), bytes.NewReader(data), int64(len(data)), ImageLayout{}); !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "a.pgm") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
