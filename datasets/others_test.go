package datasets

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

// Files as other programs write them, made by the scripts in testdata/others: what is read with the
// layout that a user ends with, and what the error says on the way there.
func TestFilesOfOthers(t *testing.T) {
	const folder = "testdata/others/"
	csv := func(name string, l CSVLayout) (*Set, error) { return OpenCSV(t.Context(), folder+name, l) }
	npz := func(name string, l NPYLayout) (*Set, error) { return OpenNPY(t.Context(), folder+name, l) }
	h5 := func(name string, l HDF5Layout) (*Set, error) { return OpenHDF5(t.Context(), folder+name, l) }
	mat := func(name string, l MATLayout) (*Set, error) { return OpenMAT(t.Context(), folder+name, l) }
	images := func(name string, l ImageLayout) (*Set, error) { return OpenImages(t.Context(), folder+name, l) }
	missing := []string{""}
	for _, c := range []struct {
		name string
		read func() (*Set, error)
		want string // features, samples, classes and corners; or a part of the error
		err  error
	}{
		{"pandas", func() (*Set, error) { return csv("pandas.csv", CSVLayout{Label: "species", Missing: missing}) },
			"[Sepal length Sepal width] [flower 0 flower 1 flower 2 flower 3 flower 4 flower 5] [a b] 2.154 3.958", nil},
		{"pandas, a gap", func() (*Set, error) { return csv("pandas.csv", CSVLayout{Label: "species"}) }, `Missing to a list that has ""`, ErrFormat},
		{"Excel", func() (*Set, error) {
			return csv("excel.csv", CSVLayout{ID: "Name", Label: "species", DecimalComma: true, Missing: missing})
		}, "[Sepal length Sepal width] [flower 0 flower 1 flower 2 flower 3 flower 4 flower 5] [Nord Süd] 2.154 3.958", nil},
		{"Excel, all at once", func() (*Set, error) { return csv("excel.csv", CSVLayout{}) },
			`column 1 (Name): datasets: malformed file: "flower 0" is not a finite number: name a column of text as ID or Label, in Skip, or in Encode to make features of it; nor is "2,154" of column 2 (Sepal length), "2,131" of column 3 (Sepal width), "Süd" of column 4 (species)`, ErrFormat},
		{"Excel for Windows", func() (*Set, error) {
			return csv("excel1252.csv", CSVLayout{ID: "Name", Label: "species", DecimalComma: true})
		}, "charmap.Windows1252", ErrFormat},
		{"R", func() (*Set, error) { return csv("r.csv", CSVLayout{Label: "kind", Missing: []string{"NA"}}) }, "[height weight] [ann bob li] [a b] 1.5 80", nil},
		{"R, a gap", func() (*Set, error) { return csv("r.csv", CSVLayout{Label: "kind"}) }, `Missing to a list that has "NA"`, ErrFormat},
		{"R for Europe", func() (*Set, error) {
			return csv("r2.csv", CSVLayout{Label: "kind", DecimalComma: true, Missing: []string{"NA"}})
		}, "[height weight] [ann bob li] [a b] 1.5 80", nil},
		{"R, write.table", func() (*Set, error) { return csv("r.txt", CSVLayout{Label: "kind", Missing: []string{"NA"}}) }, "[height weight] [ann bob li] [a b] 1.5 80", nil},
		{"genes in rows", func() (*Set, error) { return csv("genes.tsv.gz", CSVLayout{ID: "gene", Columns: true}) }, "[ENSG0 ENSG1 ENSG2 ENSG3 ENSG4] [cell1 cell2 cell3] [] 3 3", nil},
		{"Octave's text", func() (*Set, error) { return csv("octave.txt", CSVLayout{Comment: "#"}) }, "[] [] [] 1 6", nil},
		{"Octave", func() (*Set, error) { return mat("octave.mat", MATLayout{Samples: "names"}) }, "[] [ann bob li] [] 1 6", nil},
		{"Octave, a struct", func() (*Set, error) { return mat("octave.mat", MATLayout{X: "st"}) }, "struct", ErrUnsupported},
		{"Octave's HDF5", func() (*Set, error) { return h5("octave.h5", HDF5Layout{X: "X/value", Columns: true}) }, "[] [] [] 1 6", nil},
		{"Octave's HDF5, the group", func() (*Set, error) { return h5("octave.h5", HDF5Layout{X: "X"}) }, "it has type, value", ErrUnsupported},
		{"a group of HDF5", func() (*Set, error) { return h5("spectra.h5", HDF5Layout{Samples: "ids", Features: "run1/wavelength"}) },
			"[0 1] [flower 0 flower 1 flower 2 flower 3 flower 4 flower 5] [] 2.154 3.958", nil},
		{"Weka", func() (*Set, error) {
			return OpenARFF(t.Context(), folder+"weka.arff", CSVLayout{Encode: []string{"outlook", "windy"}})
		}, "[outlook=overcast outlook=rainy outlook=sunny temperature humidity windy=FALSE windy=TRUE] [] [no yes] 0 0", nil},
		{"names of Python", func() (*Set, error) { return npz("objects.npz", NPYLayout{Features: "-"}) }, "[] [] [] 2.154 3.958", nil},
		{"photos of several sizes", func() (*Set, error) { return images("photos", ImageLayout{}) }, "set Height and Width", ErrSize},
		{"photos that are too small", func() (*Set, error) { return images("photos", ImageLayout{Height: 28, Width: 20}) }, "that no image is below", ErrSize},
		{"photos", func() (*Set, error) { return images("photos", ImageLayout{Height: 2, Width: 2}) },
			"[] [cats/IMG_7.JPG cats/alpha.png cats/lossless.webp cats/lossy alpha.webp cats/lossy.webp dogs/palette.gif dogs/sixteen.png] [cats dogs] 35.88 70", nil},
		{"scans of 16 bits", func() (*Set, error) { return images("scans", ImageLayout{}) }, "[] [lzw.tiff stack.tif] [] 0 229.6", nil},
		{"a TIFF of floats", func() (*Set, error) {
			return ReadImages(t.Context(), os.DirFS("testdata/others"), ImageLayout{Class: func(path string) (string, bool) { return "", path == "float.tif" }})
		}, "8 or 16 bits", ErrUnsupported},
	} {
		s, err := c.read()
		if c.err != nil {
			if !errors.Is(err, c.err) || !strings.Contains(fmt.Sprint(err), c.want) {
				t.Errorf("%s: %v, want %v with %q", c.name, err, c.err, c.want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		m, n := s.X.Dims()
		if got := fmt.Sprintf("%v %v %v %.4g %.4g", s.Features, s.Samples, s.Classes, s.X.At(0, 0), s.X.At(m-1, n-1)); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", c.name, got, c.want)
		}
		for _, v := range s.X.RawMatrix().Data {
			if s.isImage() && math.IsNaN(v) {
				t.Errorf("%s: NaN", c.name)
			}
		}
	}
}

// WebP without loss has the pixels that were drawn, those with loss nearly.
func TestWebP(t *testing.T) {
	for name, far := range map[string]float64{"lossless": 1e-9, "lossy": 8} {
		s, err := OpenImages(t.Context(), "testdata/others/photos/cats", ImageLayout{Color: true, Class: func(path string) (string, bool) { return "", path == name+".webp" }})
		if err != nil {
			t.Fatal(err)
		}
		var sum float64
		for i := range 90 * 25 {
			y, x := i/25, i%25
			sum += math.Abs(s.X.At(i, 0)-float64((y%30+x)*(2+y/30))) / (90 * 25)
		}
		if sum > far || s.Height != 90 || s.Width != 25 {
			t.Errorf("%s: %d×%d, %g from what was drawn", name, s.Height, s.Width, sum)
		}
	}
	for name, data := range map[string]string{
		"nothing": "", "cut off": "RIFF....WEBPVP8 ",
		"a large picture": "RIFF\x1e\x00\x00\x00WEBPVP8 \x0a\x00\x00\x00\x10\x00\x00\x9d\x01\x2a\xff\x3f\xff\x3f",
		"a large part":    "RIFF\x30\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x01\x00\x00VP8L\x05\x00\x00\x00\x2f\xff\xff\xff\x0f",
	} {
		want := ErrFormat
		if strings.HasPrefix(name, "a large") {
			want = ErrTooLarge
		}
		if _, err := ReadImages(t.Context(), fstest.MapFS{"a.webp": {Data: []byte(data)}}, ImageLayout{}); !errors.Is(err, want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A set of images tells what was passed over.
func TestImageNotes(t *testing.T) {
	s, err := OpenImages(t.Context(), "testdata/others/photos", ImageLayout{Height: 2, Width: 2})
	if err != nil || len(s.Notes) != 1 || s.Notes[0] != "passed over are pictures of kinds that are not read (1, as dogs/phone.heic)" {
		t.Errorf("%q, %v", s.Notes, err)
	}
	if s, err = ReadImages(t.Context(), fstest.MapFS{"a.pgm": {Data: pgm(1)}, "b.pbm": {Data: []byte("P1 1 1 1")}}, ImageLayout{}); err != nil || len(s.Notes) != 1 || !strings.Contains(s.Notes[0], "(1, as b.pbm)") {
		t.Errorf("%q, %v", s.Notes, err)
	}
	if s, err = OpenImages(t.Context(), "testdata/others/scans", ImageLayout{}); err != nil || len(s.Notes) != 1 || s.Notes[0] != "files of several pages give their first page alone (1, as stack.tif)" {
		t.Errorf("%q, %v", s.Notes, err)
	}
}
