package datasets

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/internal/npy"
)

// The files of testdata/npy come from NumPy (npy.py next to them): the same
// matrix, 3 samples of 4 features with the value 10·sample + feature, in many
// types and orders.
func TestReadNPYOfNumPy(t *testing.T) {
	files, err := filepath.Glob("testdata/npy/matrix-*.npy")
	if err != nil || len(files) < 12 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, name := range files {
		for _, pack := range []func([]byte) []byte{bytes.Clone, gzipped} {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			columns := strings.Contains(name, "columns")
			s, err := ReadNPY(t.Context(), bytes.NewReader(pack(data)), NPYLayout{Columns: columns})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if m, n := s.X.Dims(); m != 4 || n != 3 {
				t.Errorf("%s: %d×%d", name, m, n)
				continue
			}
			for i := range 4 {
				for j := range 3 {
					if got := s.X.At(i, j); got != float64(10*j+i) {
						t.Errorf("%s: feature %d of sample %d is %v", name, i, j, got)
					}
				}
			}
		}
	}
}

func TestReadNPYImages(t *testing.T) {
	f, err := os.Open("testdata/npy/images.npy")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s, err := ReadNPY(t.Context(), f, NPYLayout{})
	if err != nil {
		t.Fatal(err)
	}
	if s.Height != 2 || s.Width != 3 || s.Max != 255 || s.X.At(4, 1) != 10 {
		t.Errorf("%v, max %v, %v", s, s.Max, mat.Formatted(s.X))
	}
}

func TestWriteNPY(t *testing.T) {
	m := mat.NewDense(2, 3, []float64{1, -0.1, 1e300, 5e-324, 0, 7})
	for _, x := range []mat.Matrix{m, m.T()} {
		var file bytes.Buffer
		if err := WriteNPY(&file, x); err != nil {
			t.Fatal(err)
		}
		if at := bytes.IndexByte(file.Bytes(), '\n') + 1; at%64 != 0 || file.Len() != at+48 {
			t.Errorf("data at %d of %d", at, file.Len())
		}
		s, err := ReadNPY(t.Context(), &file, NPYLayout{Columns: true})
		if err != nil || !mat.Equal(s.X, x) {
			t.Errorf("%v, %v", s, err)
		}
	}
	// NumPy wrote this file: ours is the same.
	want, err := os.ReadFile("testdata/npy/matrix-f8.npy")
	if err != nil {
		t.Fatal(err)
	}
	x := mat.NewDense(3, 4, nil)
	x.Apply(func(i, j int, _ float64) float64 { return float64(10*i + j) }, x)
	var file bytes.Buffer
	if err := WriteNPY(&file, x); err != nil || !bytes.Equal(file.Bytes(), want) {
		t.Errorf("%q, %v", file.Bytes(), err)
	}
	for _, err := range []error{WriteNPY(&file, nil), WriteCSV(&file, nil), WriteCSV(&file, m, "a")} {
		if !errors.Is(err, ErrSize) {
			t.Error(err)
		}
	}
	for _, write := range []func() error{func() error { return WriteNPY(fullDisk{}, m) }, func() error { return WriteCSV(fullDisk{}, m) }} {
		if err := write(); !errors.Is(err, errFull) {
			t.Error(err)
		}
	}
}

var errFull = errors.New("no space left")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestWriteCSV(t *testing.T) {
	m := mat.NewDense(2, 3, []float64{1, -0.1, 1e300, 5e-324, 0, 1.0 / 3})
	var file bytes.Buffer
	if err := WriteCSV(&file, m, "a", "b, c", "d"); err != nil {
		t.Fatal(err)
	}
	s, err := ReadCSV(t.Context(), &file, CSVLayout{})
	if err != nil || !mat.Equal(s.X.T(), m) {
		t.Errorf("%v, %v", s, err)
	}
}

// npyFile builds a file with a header of its own.
func npyFile(dict string, values string) []byte {
	return fmt.Appendf(nil, "%s\x01\x00%c%c%s%s", npy.Magic, byte(len(dict)), byte(len(dict)>>8), dict, values)
}

func TestReadNPYErrors(t *testing.T) {
	head := func(kind, order, shape string) string {
		return fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n", kind, order, shape)
	}
	for _, c := range []struct {
		name string
		file []byte
		want error
	}{
		{"empty", nil, ErrFormat},
		{"another kind of file", []byte("\x89PNG\r\n\x1a\n"), ErrFormat},
		{"a later version", []byte(npy.Magic + "\x09\x00\x00\x00"), ErrFormat},
		{"cut off in the header", npyFile(head("<f8", "False", "(1, 2)"), "")[:40], ErrFormat},
		{"cut off in the data", npyFile(head("<f8", "False", "(1, 2)"), "12345678"), ErrFormat},
		{"bytes after the data", npyFile(head("|u1", "False", "(1, 2)"), "123"), ErrFormat},
		{"no dictionary", npyFile("hello\n", ""), ErrFormat},
		{"no order", npyFile("{'descr': '<f8', 'shape': (1, 1), }\n", ""), ErrFormat},
		{"records", npyFile("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }\n", ""), ErrUnsupported},
		{"complex numbers", npyFile(head("<c16", "False", "(1, 1)"), ""), ErrUnsupported},
		{"objects", npyFile(head("|O", "False", "(1, 1)"), ""), ErrUnsupported},
		{"no index", npyFile(head("|u1", "False", "()"), "1"), ErrSize},
		{"four indices", npyFile(head("|u1", "False", "(1, 1, 1, 1)"), "1"), ErrSize},
		{"no samples", npyFile(head("|u1", "False", "(0, 4)"), ""), ErrSize},
		{"images without pixels", npyFile(head("|u1", "False", "(2, 0, 4)"), ""), ErrSize},
		{"too many values", npyFile(head("<f8", "False", "(1000000, 1000000)"), ""), ErrTooLarge},
		{"too many pixels", npyFile(head("<f8", "False", "(1, 4000000000, 4000000000)"), ""), ErrTooLarge},
		{"a size beyond all", npyFile(head("<f8", "False", "(1, 99999999999999999999)"), ""), ErrTooLarge},
		{"a long header", []byte(npy.Magic + "\x02\x00\xff\xff\xff\x7f"), ErrTooLarge},
		{"images in Fortran's order", npyFile(head("|u1", "True", "(1, 1, 1)"), "1"), ErrUnsupported},
	} {
		if s, err := ReadNPY(t.Context(), bytes.NewReader(c.file), NPYLayout{}); !errors.Is(err, c.want) || s != nil {
			t.Errorf("%s: %v, %v", c.name, s, err)
		}
	}
	if _, err := ReadNPY(t.Context(), bytes.NewReader(npyFile(head("|u1", "False", "(1, 2)"), "12")), NPYLayout{Height: 3, Width: 1}); !errors.Is(err, ErrSize) {
		t.Error("wrong size of image:", err)
	}
}

func FuzzReadNPY(f *testing.F) {
	files, _ := filepath.Glob("testdata/npy/*.npy")
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, false)
		f.Add(data, true)
	}
	f.Fuzz(func(t *testing.T, data []byte, columns bool) {
		s, err := ReadNPY(t.Context(), bytes.NewReader(data), NPYLayout{Columns: columns})
		if (err == nil) != (s != nil) {
			t.Fatal(s, err)
		}
		if s != nil && s.Check() != nil {
			t.Fatal(s.Check())
		}
	})
}
