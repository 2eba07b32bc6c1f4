package datasets

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
	"gonum.org/v1/gonum/mat"
)

// These tests make up files of the sets that cannot be had here, with the names,
// numbers and most of the sizes of the real ones: black images with a white top row and a
// grey left column, which shows their orientation.

func fakePicture(t *testing.T, ext string, height, width int) []byte {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, width, height))
	for r := range height {
		for c := range width {
			switch {
			case r < height/4:
				img.SetGray(c, r, color.Gray{Y: 255})
			case c < width/4:
				img.SetGray(c, r, color.Gray{Y: 100})
			}
		}
	}
	var b bytes.Buffer
	var err error
	switch ext {
	case ".png":
		err = png.Encode(&b, img)
	case ".jpg":
		err = jpeg.Encode(&b, img, &jpeg.Options{Quality: 100})
	case ".bmp":
		err = bmp.Encode(&b, img)
	case ".tiff":
		err = tiff.Encode(&b, img, nil)
	case ".gif":
		err = gif.Encode(&b, img, nil)
	case ".pgm":
		fmt.Fprintf(&b, "P5\n%d %d\n255\n", width, height)
		b.Write(img.Pix)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func fakeZip(t *testing.T, names []string, body []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range names {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err != nil {
			t.Fatal(err)
		}
		w.Write(body)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// checkUpright fails unless sample 0 and the last one are images like fakePicture.
func checkUpright(t *testing.T, s *Set) {
	t.Helper()
	_, n := s.X.Dims()
	for _, j := range []int{0, n - 1} {
		at := func(r, c int) float64 { return s.X.At(r*s.Width+c, j) / s.Max * 255 }
		h, w := s.Height, s.Width
		if at(0, 0) < 250 || at(0, w-1) < 250 || abs(at(h-1, 0)-100) > 5 || at(h-1, w-1) > 5 {
			t.Errorf("corners of sample %d: %.0f %.0f %.0f %.0f", j, at(0, 0), at(0, w-1), at(h-1, 0), at(h-1, w-1))
		}
	}
}

func TestPublicSetsFromImages(t *testing.T) {
	list := func(classes, each int, format func(class, k int) string) (names []string) {
		for c := range classes {
			for k := range each {
				names = append(names, format(c, k))
			}
		}
		return names
	}
	for _, c := range []struct {
		s             *PublicSet
		file          string
		names         []string
		strays        []string
		height, width int // of the file
		toH, toW      int // of the set
		first, last   string
	}{
		{ORLOriginal, "att_faces.zip", list(40, 10, func(c, k int) string { return fmt.Sprintf("s%d/%d.pgm", c+1, k+1) }),
			[]string{"s10/target.pgm", "__MACOSX/s1/._1.pgm"}, 112, 92, 112, 92, "s1", "s40"},
		{ORL, "att_faces/", list(40, 10, func(c, k int) string { return fmt.Sprintf("s%d/%d.pgm", c+1, k+1) }),
			[]string{"s10/target.pgm"}, 112, 92, 32, 32, "s1", "s40"},
		{ExtendedYaleB, "CroppedYale.zip", list(38, 63, func(c, k int) string {
			return fmt.Sprintf("CroppedYale/yaleB%02d/yaleB%02d_P00A+%03dE-10.pgm", c+1, c+1, k)
		}), list(38, 1, func(c, _ int) string {
			return fmt.Sprintf("CroppedYale/yaleB%02d/yaleB%02d_P00_Ambient.pgm", c+1, c+1)
		}), 48, 42, 32, 32, "yaleB01", "yaleB38"},
		{COIL20, "coil-20-proc.zip", list(20, 72, func(c, k int) string { return fmt.Sprintf("coil-20-proc/obj%d__%d.png", c+1, k) }),
			nil, 64, 64, 32, 32, "1", "20"},
		{COIL100, "coil-100.zip", list(100, 72, func(c, k int) string { return fmt.Sprintf("coil-100/obj%d__%d.png", c+1, 5*k) }),
			nil, 32, 32, 32, 32, "1", "100"},
		{GeorgiaTech, "gt_db.zip", list(50, 15, func(c, k int) string { return fmt.Sprintf("gt_db/s%02d/%02d.jpg", c+1, k+1) }),
			[]string{"gt_db/s01/Thumbs.jpg"}, 96, 128, 48, 64, "s01", "s50"},
		{AR, "AR/", list(100, 26, func(c, k int) string { return fmt.Sprintf("%c-%03d-%02d.bmp", "mw"[c/50], c%50+1, k+1) }),
			nil, 55, 40, 55, 40, "m-001", "w-050"},
		{JAFFE, "jaffe/", append(list(9, 21, func(c, k int) string { return fmt.Sprintf("K%c.AN%d.%d.tiff", 'A'+c, k%3+1, 100*c+k) }),
			list(1, 24, func(_, k int) string { return fmt.Sprintf("YM.NE%d.%d.tiff", k%3+1, k) })...),
			[]string{"README.tiff"}, 64, 64, 32, 32, "KA", "YM"},
	} {
		t.Run(c.s.Name, func(t *testing.T) {
			if testing.Short() && len(c.names) > 300 {
				t.Skipf("%d images", len(c.names))
			}
			emptyCache(t)
			own := t.TempDir()
			t.Setenv(FolderEnv, own)
			body := fakePicture(t, path.Ext(c.names[0]), c.height, c.width)
			if c.s == ExtendedYaleB {
				c.names = append(c.names, "CroppedYale/yaleB01/yaleB01_P00A-110E+40.pgm") // 2414 = 38·63 + 20
				for k := range 19 {
					c.names = append(c.names, fmt.Sprintf("CroppedYale/yaleB02/yaleB02_P00A-%03dE+40.pgm", k))
				}
			}
			if dir, ok := strings.CutSuffix(c.file, "/"); ok {
				for _, name := range append(c.names, c.strays...) {
					file := filepath.Join(own, dir, filepath.FromSlash(name))
					os.MkdirAll(filepath.Dir(file), 0o755)
					if err := os.WriteFile(file, body, 0o644); err != nil {
						t.Fatal(err)
					}
				}
			} else if err := os.WriteFile(filepath.Join(own, c.file), fakeZip(t, append(c.names, c.strays...), body), 0o644); err != nil {
				t.Fatal(err)
			}
			s, err := c.s.Load(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if s.Height != c.toH || s.Width != c.toW || s.Classes[0] != c.first || s.Classes[len(s.Classes)-1] != c.last {
				t.Errorf("%v, classes %v", s, s.Classes)
			}
			checkUpright(t, s)
		})
	}
}

// A folder with the name of a set but no images is passed over.
func TestPublicSetsInItsFolder(t *testing.T) {
	emptyCache(t)
	own := t.TempDir()
	t.Setenv(FolderEnv, own)
	os.Mkdir(filepath.Join(own, "ORL"), 0o755)
	if _, err := ORL.Load(t.Context()); !errors.Is(err, ErrNotFound) {
		t.Errorf("empty folder: %v", err)
	}
	x, y := mat.NewDense(400, 1024, nil), mat.NewDense(400, 1, nil)
	for j := range 400 {
		y.Set(j, 0, float64(j/10+1))
		for r := range 32 {
			for c := range 32 {
				if r < 8 {
					x.Set(j, c*32+r, 255)
				} else if c < 8 {
					x.Set(j, c*32+r, 100)
				}
			}
		}
	}
	var b bytes.Buffer
	if err := WriteMAT(&b, MATVar{Name: "fea", M: x}, MATVar{Name: "gnd", M: y}); err != nil {
		t.Fatal(err)
	}
	os.WriteFile(filepath.Join(own, "ORL", "ORL_32x32.mat"), b.Bytes(), 0o644)
	s, err := ORL.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	checkUpright(t, s)
	if _, err := ORLOriginal.Load(t.Context()); !errors.Is(err, ErrNotFound) {
		t.Errorf("originals: %v", err)
	}
}

func TestUMIST(t *testing.T) {
	emptyCache(t)
	own := t.TempDir()
	t.Setenv(FolderEnv, own)
	var counts []int
	for range 19 {
		counts = append(counts, 28)
	}
	counts = append(counts, 575-19*28)
	os.WriteFile(filepath.Join(own, "umist_cropped.mat"), umistMAT(counts), 0o644)
	s, err := UMIST.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if s.Height != 112 || s.Width != 92 || s.Labels[28] != 1 || s.Labels[574] != 19 {
		t.Errorf("%v, labels %v", s, s.Labels)
	}
	checkUpright(t, s)
	os.WriteFile(filepath.Join(own, "umist_cropped.mat"), umistMAT(counts[:19]), 0o644)
	if _, err := UMIST.Load(t.Context()); !errors.Is(err, ErrContent) {
		t.Errorf("19 persons: %v", err)
	}
}

// umistMAT is a file like umist_cropped.mat: facedat, a cell of 112×92×n bytes.
func umistMAT(counts []int) []byte {
	le := binary.LittleEndian
	element := func(kind uint32, data []byte) []byte {
		b := le.AppendUint32(le.AppendUint32(nil, kind), uint32(len(data)))
		b = append(b, data...)
		return append(b, make([]byte, -len(data)&7)...)
	}
	words := func(w ...uint32) (b []byte) {
		for _, v := range w {
			b = le.AppendUint32(b, v)
		}
		return b
	}
	array := func(class uint32, name string, rest []byte, dims ...uint32) []byte {
		b := element(6, words(class, 0))
		b = append(b, element(5, words(dims...))...)
		b = append(b, element(1, []byte(name))...)
		return element(14, append(b, rest...))
	}
	var cells []byte
	for _, n := range counts {
		one := make([]byte, 112*92)
		for r := range 112 {
			for c := range 92 {
				if r < 28 {
					one[c*112+r] = 255
				} else if c < 23 {
					one[c*112+r] = 100
				}
			}
		}
		cells = append(cells, array(9, "", element(2, bytes.Repeat(one, n)), 112, 92, uint32(n))...)
	}
	head := append([]byte("MATLAB 5.0 MAT-file"), bytes.Repeat([]byte(" "), 105)...)
	return append(append(head, 0, 1, 'I', 'M'), array(1, "facedat", cells, 1, uint32(len(counts)))...)
}

func TestMNISTFiles(t *testing.T) {
	emptyCache(t)
	own := t.TempDir()
	t.Setenv(FolderEnv, own)
	write := func(images, labels string, zeros int) {
		const n = 10000
		b := binary.BigEndian.AppendUint32(nil, 0x803)
		for _, d := range []uint32{n, 28, 28} {
			b = binary.BigEndian.AppendUint32(b, d)
		}
		one := make([]byte, 28*28)
		for r := range 28 {
			for c := range 28 {
				if r < 7 {
					one[r*28+c] = 255
				} else if c < 7 {
					one[r*28+c] = 100
				}
			}
		}
		b = append(b, bytes.Repeat(one, n)...)
		l := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, 0x801), n)
		for j := range n {
			if j < zeros {
				l = append(l, 0)
			} else {
				l = append(l, byte(1+j%9))
			}
		}
		os.MkdirAll(filepath.Dir(filepath.Join(own, images)), 0o755)
		os.WriteFile(filepath.Join(own, images), b, 0o644)
		os.WriteFile(filepath.Join(own, labels), l, 0o644)
	}
	write("MNIST/raw/t10k-images-idx3-ubyte", "MNIST/raw/t10k-labels-idx1-ubyte", 980)
	s, err := MNISTTest.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if s.Name != "MNIST, test" || s.Max != 255 || len(s.Classes) != 10 {
		t.Errorf("%v", s)
	}
	checkUpright(t, s)
	write("MNIST/t10k-images.idx3-ubyte", "MNIST/t10k-labels.idx1-ubyte", 1000)
	if _, err := MNISTTest.Load(t.Context()); !errors.Is(err, ErrContent) {
		t.Errorf("Fashion-MNIST for MNIST: %v", err)
	}
}

// The matrices of faces and palms that are only to be asked for, made up: images upright, and
// values outside 0..255 set to these bounds in Palm alone.
func TestPublicSetsFromMatrices(t *testing.T) {
	for _, c := range []struct {
		s             *PublicSet
		file, x, y    string
		height, width int
		samples, each int
		raster        bool
	}{
		{AR10P, "warpAR10P.mat", "X", "Y", 60, 40, 130, 13, false},
		{JAFFE, "JAFFE_32x32.mat", "X", "Y", 32, 32, 213, 22, true},
		{Palm, "Palm_16x16.mat", "X", "Y", 16, 16, 2000, 20, false},
	} {
		t.Run(c.s.Name, func(t *testing.T) {
			emptyCache(t)
			own := t.TempDir()
			t.Setenv(FolderEnv, own)
			x, y := mat.NewDense(c.samples, c.height*c.width, nil), mat.NewDense(c.samples, 1, nil)
			for j := range c.samples {
				y.Set(j, 0, float64(j/c.each))
				for r := range c.height {
					for k := range c.width {
						at, v := k*c.height+r, 0.0
						if c.raster {
							at = r*c.width + k
						}
						switch {
						case r < c.height/4:
							v = 255
						case k < c.width/4:
							v = 100
						}
						x.Set(j, at, v)
					}
				}
			}
			write := func() {
				t.Helper()
				var b bytes.Buffer
				if err := WriteMAT(&b, MATVar{Name: c.x, M: x}, MATVar{Name: c.y, M: y}); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(own, c.file), b.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			write()
			s, err := c.s.Load(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if s.Height != c.height || s.Width != c.width || s.Max != 255 {
				t.Errorf("%v, Max %g", s, s.Max)
			}
			checkUpright(t, s)
			x.Set(3, 0, -11)
			x.Set(4, 1, 270)
			x.Set(5, 1, 271)
			write()
			s, err = c.s.Load(t.Context())
			switch {
			case err != nil:
				t.Error(err)
			case c.s == Palm && (mat.Min(s.X) != 0 || mat.Max(s.X) != 255 || !strings.Contains(strings.Join(s.Notes, "\n"), "1 values below 0 and 2 above 255")):
				t.Errorf("values %g..%g, notes %q", mat.Min(s.X), mat.Max(s.X), s.Notes)
			case c.s != Palm && mat.Min(s.X) != -11:
				t.Errorf("values %g..%g", mat.Min(s.X), mat.Max(s.X))
			}
		})
	}
}
