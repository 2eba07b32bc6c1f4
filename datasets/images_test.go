package datasets

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
	"gonum.org/v1/gonum/mat"
)

// pgm is a PGM file of 2×3 pixels, the first of which has the given value.
func pgm(v byte) []byte { return append([]byte("P5\n3 2\n255\n"), v, 20, 30, 40, 50, 60) }

// encoded returns an image in a format.
func encoded(name string, img image.Image) []byte {
	var out bytes.Buffer
	var err error
	switch filepath.Ext(name) {
	case ".png":
		err = png.Encode(&out, img)
	case ".jpg":
		err = jpeg.Encode(&out, img, &jpeg.Options{Quality: 100})
	case ".gif":
		err = gif.Encode(&out, img, nil)
	case ".bmp":
		err = bmp.Encode(&out, img)
	case ".tif":
		err = tiff.Encode(&out, img, &tiff.Options{Compression: tiff.Deflate})
	}
	if err != nil {
		panic(err)
	}
	return out.Bytes()
}

// faces is a tree of small images, with things that are to be passed over.
func faces() fstest.MapFS {
	return fstest.MapFS{
		"README":            {Data: []byte("no image")},
		"root/s10/1.pgm":    {Data: pgm(101)},
		"root/s2/10.pgm":    {Data: pgm(30)},
		"root/s2/9.PGM":     {Data: pgm(29)},
		"root/s2/._9.pgm":   {Data: []byte("of macOS")},
		"root/s2/Thumbs.db": {Data: []byte("of Windows")},
		"root/s1/link.pgm":  {Data: pgm(0), Mode: fs.ModeSymlink},
		"root/s1/a.pgm":     {Data: []byte("P2\n# a comment\n3 2 # another\n100\n100 20 30 40 50\n60")},
		"root/s1/dir.pgm/x": {Data: []byte("a folder with the name of an image")},
	}
}

func tarFile(files fstest.MapFS) []byte {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for name, f := range files { // in random order
		h := &tar.Header{Name: "./" + name, Mode: 0o644, Size: int64(len(f.Data)), Typeflag: tar.TypeReg}
		if f.Mode&fs.ModeSymlink != 0 {
			h.Typeflag, h.Linkname, h.Size = tar.TypeSymlink, "/etc/passwd", 0
		}
		w.WriteHeader(h)
		if h.Size > 0 {
			w.Write(f.Data)
		}
	}
	w.Close()
	return out.Bytes()
}

func zipFile(files fstest.MapFS) []byte {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for name, f := range files {
		h := &zip.FileHeader{Name: name, Method: zip.Deflate}
		h.SetMode(f.Mode)
		in, err := w.CreateHeader(h)
		if err != nil {
			panic(err)
		}
		in.Write(f.Data)
	}
	w.Close()
	return out.Bytes()
}

func TestReadImages(t *testing.T) {
	dir := t.TempDir()
	files := faces()
	for name, f := range files {
		p := filepath.Join(dir, "set", name)
		os.MkdirAll(filepath.Dir(p), 0o755)
		if f.Mode&fs.ModeSymlink != 0 {
			if err := os.Symlink("a.pgm", p); err != nil {
				t.Log(err)
			}
		} else if err := os.WriteFile(p, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, data := range map[string][]byte{"set.tar": tarFile(files), "set.tar.gz": gzipped(tarFile(files)),
		"set.tgz": gzipped(tarFile(files)), "set.ZIP": zipFile(files)} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	check := func(name string, s *Set, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		want := []float64{255, 29, 30, 101}
		if s.Height != 2 || s.Width != 3 || s.Max != 255 || !reflect.DeepEqual(s.X.RawRowView(0), want) || s.X.At(5, 3) != 60 {
			t.Errorf("%s: %v\n%v", name, s, mat.Formatted(s.X))
		}
		if !reflect.DeepEqual(s.Labels, []int{0, 1, 1, 2}) || !reflect.DeepEqual(s.Classes, []string{"s1", "s2", "s10"}) {
			t.Errorf("%s: labels %v of %v", name, s.Labels, s.Classes)
		}
	}
	s, err := ReadImages(t.Context(), files, ImageLayout{})
	check("fs", s, err)
	for _, name := range []string{"set", "set.tar", "set.tar.gz", "set.tgz"} {
		s, err := OpenImages(t.Context(), filepath.Join(dir, name), ImageLayout{})
		check(name, s, err)
		if err == nil && s.Name != "set" {
			t.Errorf("%s: name %q", name, s.Name)
		}
	}
	s, err = OpenImages(t.Context(), filepath.Join(dir, "set.ZIP"), ImageLayout{})
	check("zip", s, err)
	z := zipFile(files)
	in, err := zip.NewReader(bytes.NewReader(z), int64(len(z)))
	if err != nil {
		t.Fatal(err)
	}
	s, err = ReadImages(t.Context(), in, ImageLayout{})
	check("zip as fs", s, err)
	if _, err := OpenImages(t.Context(), filepath.Join(dir, "set", "README"), ImageLayout{}); !errors.Is(err, ErrUnsupported) {
		t.Error(err)
	}
	if _, err := OpenImages(t.Context(), filepath.Join(dir, "gone"), ImageLayout{}); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func TestReadImagesLayout(t *testing.T) {
	files := fstest.MapFS{"obj2__0.pgm": {Data: pgm(2)}, "obj10__0.pgm": {Data: pgm(10)}, "bad.pgm": {Data: []byte("P5")}}
	s, err := ReadImages(t.Context(), files, ImageLayout{Height: 1, Width: 3, Class: func(p string) (string, bool) {
		class, _, ok := strings.Cut(p, "__")
		return class, ok
	}})
	if err != nil {
		t.Fatal(err)
	}
	if s.Height != 1 || s.Width != 3 || s.X.At(0, 0) != 21 || s.X.At(0, 1) != 25 || s.X.At(2, 1) != 45 ||
		!reflect.DeepEqual(s.Classes, []string{"obj2", "obj10"}) {
		t.Errorf("%v %v\n%v", s, s.Classes, mat.Formatted(s.X))
	}
	delete(files, "bad.pgm")
	if s, err := ReadImages(t.Context(), files, ImageLayout{}); err != nil || s.Labels != nil || s.X.At(0, 1) != 10 {
		t.Errorf("without folders: %v, %v", s, err)
	}
}

func TestImageFormats(t *testing.T) {
	grey := image.NewGray(image.Rect(0, 0, 4, 3))
	for i := range grey.Pix {
		grey.Pix[i] = uint8(20 * i)
	}
	for _, name := range []string{"a.png", "a.jpg", "a.gif", "a.bmp", "a.tif"} {
		s, err := ReadImages(t.Context(), fstest.MapFS{name: {Data: encoded(name, grey)}}, ImageLayout{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i := range 12 {
			tol := map[string]float64{"a.jpg": 3}[name]
			if name == "a.gif" {
				tol = 20 // its palette has few greys
			}
			if got := s.X.At(i, 0); math.Abs(got-float64(20*i)) > tol {
				t.Errorf("%s: pixel %d is %v", name, i, got)
			}
		}
	}
	colours := image.NewNRGBA(image.Rect(0, 0, 4, 1))
	for i, c := range []color.NRGBA{{255, 0, 0, 255}, {77, 77, 77, 255}, {255, 255, 255, 0}, {0, 255, 0, 255}} {
		colours.SetNRGBA(i, 0, c)
	}
	frame := image.NewPaletted(image.Rect(1, 0, 3, 1), color.Palette{color.Gray{Y: 50}, color.Gray{Y: 150}})
	frame.Pix[1] = 1
	var canvas bytes.Buffer // a frame that is smaller than the picture
	if err := gif.EncodeAll(&canvas, &gif.GIF{Image: []*image.Paletted{frame}, Delay: []int{0}, Config: image.Config{Width: 4, Height: 2}}); err != nil {
		t.Fatal(err)
	}
	deep := image.NewGray16(image.Rect(0, 0, 1, 1))
	deep.SetGray16(0, 0, color.Gray16{Y: 1000})
	ppm := append([]byte("P6 4 1 255\n"), 255, 0, 0, 77, 77, 77, 0, 0, 0, 0, 255, 0)
	for name, c := range map[string]struct {
		data []byte
		want []float64
	}{
		"c.png": {encoded("c.png", colours), []float64{76.24, 77, 0, 149.68}},
		"c.ppm": {ppm, []float64{76.24, 77, 0, 149.68}},
		"f.gif": {canvas.Bytes(), []float64{0, 50, 150, 0, 0, 0, 0, 0}},
		"d.png": {encoded("d.png", deep), []float64{1000. / 257}},
		"d.pgm": {append([]byte("P5 2 1 1000\n"), 0, 10, 3, 232), []float64{2.55, 255}},
		"m.pgm": {[]byte("P5 2 1 2\n\x01\x02"), []float64{127.5, 255}},
	} {
		s, err := ReadImages(t.Context(), fstest.MapFS{name: {Data: c.data}}, ImageLayout{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i, w := range c.want {
			if math.Abs(s.X.At(i, 0)-w) > 0.01 {
				t.Errorf("%s: pixel %d is %v, want %v", name, i, s.X.At(i, 0), w)
			}
		}
	}
}

func TestPNMLineEnds(t *testing.T) {
	const n = 16
	smooth := make([]byte, n*n) // dark on the left, with pixels of 10
	for i := range smooth {
		smooth[i] = byte(6 + i%n)
		if i%n > 6 {
			smooth[i] = byte(100 + 10*(i%n))
		}
	}
	pair := bytes.Clone(smooth)
	copy(pair[5*n+3:], "\r\n") // 13 10 where the rows have 9 10
	head := []byte("P5\n16 16\n255\n")
	dos := func(b []byte) []byte { // as unix2dos does it: CR LF stays
		return bytes.ReplaceAll(bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r\n"))
	}
	for _, c := range []struct {
		name       string
		file, want []byte
	}{
		{"as it should be", append(head, pair...), pair},
		{"all changed", dos(append(head, smooth...)), smooth},
		{"all changed but one", dos(append(head, pair...)), pair},
		{"only the header", append(dos(head), pair...), pair},
		{"only CR", append([]byte("P5\r\n16 16\n255\r"), pair...), pair},
	} {
		s, err := ReadImages(t.Context(), fstest.MapFS{"a.pgm": {Data: c.file}}, ImageLayout{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for i, v := range c.want {
			if s.X.At(i, 0) != float64(v) {
				t.Errorf("%s: pixel %d is %v, not %d", c.name, i, s.X.At(i, 0), v)
				break
			}
		}
	}
	twice := bytes.Clone(pair)
	copy(twice[9*n+3:], "\r\n")
	for _, file := range [][]byte{dos(append(head, twice...)), []byte("P5\r\n"), []byte("P5\r\n16 16\r\n255\r\n"),
		[]byte("P5\r\n0 16\r\n255\r\n"), []byte("P5\r\n16 16\r\n255")} {
		if _, err := ReadImages(t.Context(), fstest.MapFS{"a.pgm": {Data: file}}, ImageLayout{}); !errors.Is(err, ErrFormat) {
			t.Errorf("%.20q: %v", file, err)
		}
	}
}

func TestReadImagesErrors(t *testing.T) {
	wide := append([]byte("P5\n2 3\n255\n"), 1, 2, 3, 4, 5, 6)
	huge := encoded("a.png", image.NewGray(image.Rect(0, 0, 1, 1)))
	copy(huge[16:], []byte{0, 1, 0, 0, 0, 1, 0, 0}) // width and height; the checksum is wrong then
	for _, c := range []struct {
		name, file string
		data       []byte
		want       error
	}{
		{"other size", "s/2.pgm", wide, ErrSize},
		{"cut off", "s/2.pgm", pgm(1)[:16], ErrFormat},
		{"cut off header", "s/2.pgm", pgm(1)[:8], ErrFormat},
		{"comment without end", "s/2.pgm", []byte("P5\n# for ever"), ErrFormat},
		{"comment in pixels without end", "s/2.pgm", []byte("P2\n3 2\n255\n1 2 3 4 5 #"), ErrFormat},
		{"P2 cut off", "s/2.pgm", []byte("P2\n3 2\n255\n1 2 3 4 5"), ErrFormat},
		{"promise", "s/2.pgm", []byte("P5\n4000 4000\n255\n123"), ErrFormat},
		{"huge PGM", "s/2.pgm", []byte("P5\n400000 400000\n255\n123"), ErrTooLarge},
		{"overflow", "s/2.pgm", []byte("P5\n9223372036854775807 9223372036854775807\n255\n123"), ErrTooLarge},
		{"no pixels", "s/2.pgm", []byte("P5\n0 0\n255\n"), ErrFormat},
		{"above the maximum", "s/2.pgm", []byte("P5\n3 2\n50\n123456"), ErrFormat},
		{"colours above the maximum", "s/2.ppm", []byte("P6\n1 1\n50\n123"), ErrFormat},
		{"no PGM", "s/2.pgm", []byte("P7\nWIDTH 1\n"), ErrFormat},
		{"empty", "s/2.png", nil, ErrFormat},
		{"damaged", "s/2.png", huge, ErrFormat},
		{"JPEG named PNG", "s/2.png", encoded("a.jpg", image.NewGray(image.Rect(0, 0, 3, 2))), ErrFormat},
		{"too many pixels", "s/2.pgm", fmt.Appendf(nil, "P5\n4097 4096\n255\n%16781312d", 1), ErrTooLarge},
	} {
		_, err := ReadImages(t.Context(), fstest.MapFS{"s/1.pgm": {Data: pgm(1)}, c.file: {Data: c.data}}, ImageLayout{})
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.file) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	if _, err := ReadImages(t.Context(), fstest.MapFS{"a/x.txt": {}}, ImageLayout{}); !errors.Is(err, ErrNoImages) {
		t.Error(err)
	}
	if _, err := ReadImages(t.Context(), fstest.MapFS{"x.pgm": {Data: pgm(1)}}, ImageLayout{Height: 4, Width: 4}); !errors.Is(err, ErrSize) {
		t.Error(err)
	}
	if _, err := readImages(t.Context(), faces(), ImageLayout{}, 23); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
	whole := gzipped(tarFile(faces()))
	if _, err := ReadTar(t.Context(), bytes.NewReader(whole[:len(whole)-9]), ImageLayout{}); !errors.Is(err, ErrFormat) {
		t.Errorf("archive cut off: %v", err)
	}
	if _, err := ReadTar(t.Context(), strings.NewReader(strings.Repeat("no archive", 99)), ImageLayout{}); !errors.Is(err, ErrFormat) {
		t.Errorf("no archive: %v", err)
	}
	z := zipFile(faces())
	if _, err := ReadZip(t.Context(), bytes.NewReader(z), int64(len(z)-1), ImageLayout{}); !errors.Is(err, ErrFormat) {
		t.Errorf("zip cut off: %v", err)
	}
}

// A picture that unpacks to more than a file may hold is no reason to unpack
// it.
func TestReadTarBomb(t *testing.T) {
	if testing.Short() {
		t.Skip("unpacks 64 MiB")
	}
	var out bytes.Buffer
	z, _ := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	w := tar.NewWriter(z)
	w.WriteHeader(&tar.Header{Name: "a.pgm", Size: 1 << 40, Typeflag: tar.TypeReg})
	zero := make([]byte, 1<<20)
	for range 65 {
		w.Write(zero)
	}
	z.Close()
	if _, err := ReadTar(t.Context(), &out, ImageLayout{}); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
}

func FuzzReadImages(f *testing.F) {
	small := image.NewGray(image.Rect(0, 0, 3, 2))
	names := []string{"a.pgm", "a.png", "a.jpg", "a.gif", "a.bmp", "a.tif", "a.webp"}
	for i, name := range names[1:6] {
		f.Add(uint8(i+1), encoded(name, small))
	}
	for _, name := range []string{"lossless", "lossy", "lossy alpha"} {
		data, err := os.ReadFile("testdata/others/photos/cats/" + name + ".webp")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(6), data)
	}
	f.Add(uint8(0), pgm(7))
	f.Add(uint8(0), []byte("P2\n# c\n3 2 # d\n100\n100 20 30 40 50\n60"))
	f.Add(uint8(0), append([]byte("P6 1 1 65535\n"), 1, 2, 3, 4, 5, 6))
	f.Fuzz(func(t *testing.T, kind uint8, data []byte) {
		name := names[int(kind)%len(names)]
		s, err := readImages(t.Context(), fstest.MapFS{name: {Data: data}}, ImageLayout{}, 1<<20)
		if err == nil {
			err = s.Check()
			if lo, hi := mat.Min(s.X), mat.Max(s.X); lo < 0 || hi > 255 {
				t.Errorf("values %v to %v", lo, hi)
			}
			if err != nil {
				t.Error(err)
			}
		}
	})
}

func FuzzReadArchive(f *testing.F) {
	f.Add(tarFile(faces()))
	f.Add(gzipped(tarFile(faces())))
	f.Add(zipFile(faces()))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, read := range []func() (*Set, error){
			func() (*Set, error) { return readTar(t.Context(), bytes.NewReader(data), ImageLayout{}, 1<<20) },
			func() (*Set, error) {
				return readZip(t.Context(), bytes.NewReader(data), int64(len(data)), ImageLayout{}, 1<<20)
			},
		} {
			if s, err := read(); err == nil {
				if err := s.Check(); err != nil {
					t.Error(err)
				}
			}
		}
	})
}

// Colours by channel: red above green above blue, each the value of the file, resized as
// grey is.
func TestReadImagesColor(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 2, 4))
	pal := image.NewPaletted(img.Rect, color.Palette{color.RGBA{10, 20, 30, 255}, color.RGBA{50, 60, 70, 255}})
	for y := range 4 {
		for x := range 2 {
			k := (x + y) % 2
			pal.SetColorIndex(x, y, uint8(k))
			img.Set(x, y, pal.Palette[k])
		}
	}
	fsys := fstest.MapFS{}
	for name, m := range map[string]image.Image{"a/1.png": img, "a/2.png": pal} {
		var b bytes.Buffer
		if err := png.Encode(&b, m); err != nil {
			t.Fatal(err)
		}
		fsys[name] = &fstest.MapFile{Data: b.Bytes()}
	}
	s, err := ReadImages(t.Context(), fsys, ImageLayout{Color: true})
	if err != nil {
		t.Fatal(err)
	}
	if s.Height != 12 || s.Width != 2 || s.FeatureName(8) != "green (0, 0)" || s.FeatureName(23) != "blue (3, 1)" {
		t.Errorf("%d×%d, %q", s.Height, s.Width, s.FeatureName(8))
	}
	for j := range 2 {
		for i, want := range map[int]float64{0: 10, 1: 50, 8: 20, 9: 60, 16: 30, 17: 70} {
			if got := s.X.At(i, j); got != want {
				t.Errorf("sample %d, %s: %g, want %g", j, s.FeatureName(i), got, want)
			}
		}
	}
	if s, err = ReadImages(t.Context(), fsys, ImageLayout{Color: true, Height: 2, Width: 1}); err != nil || s.Height != 6 || s.X.At(4, 0) != 50 {
		t.Errorf("%v, %v", s, err)
	}
	fsys = fstest.MapFS{"1.ppm": &fstest.MapFile{Data: []byte("P3 1 1 255 1 2 3")}}
	if _, err := ReadImages(t.Context(), fsys, ImageLayout{Color: true}); !errors.Is(err, ErrUnsupported) {
		t.Error(err)
	}
}
