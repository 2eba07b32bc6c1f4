package datasets

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// A file that is given to the reader of another format is an error that says what it looks like.
func TestMistakenFormats(t *testing.T) {
	s := &Set{X: mat.NewDense(3, 60, nil)}
	write := func(f func(io.Writer) error) []byte {
		var b bytes.Buffer
		if err := f(&b); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	h5, err := os.ReadFile("testdata/hdf5/dense.h5ad")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]struct {
		data  []byte
		looks string
	}{
		"CSV":  {write(s.WriteCSV), `text, which begins with "sample`},
		"NPY":  {write(func(w io.Writer) error { return WriteNPY(w, s.X) }), "an array of NumPy"},
		"NPZ":  {write(s.WriteNPZ), "a zip archive"},
		"MAT":  {write(s.WriteMAT), "a MATLAB file"},
		"MTX":  {write(func(w io.Writer) error { return WriteMTX(w, s.X) }), "Matrix Market"},
		"HDF5": {h5, "HDF5"},
		"PNG":  {[]byte("\x89PNG\r\n\x1a\n" + strings.Repeat("\x00", 200)), "a PNG image"},
		"none": {nil, ""},
	}
	read := func(as string, data []byte) error {
		r := bytes.NewReader(data)
		var err error
		switch as {
		case "CSV":
			_, err = ReadCSV(t.Context(), r, CSVLayout{})
		case "NPY":
			_, err = ReadNPY(t.Context(), r, NPYLayout{})
		case "NPZ":
			_, err = ReadNPZ(t.Context(), r, r.Size(), NPYLayout{})
		case "MAT":
			_, err = ReadMAT(t.Context(), r)
		case "MTX":
			_, err = ReadMTX(t.Context(), r)
		case "HDF5":
			_, err = ReadHDF5(t.Context(), r, r.Size(), HDF5Layout{})
		case "IDX":
			_, err = ReadIDX(t.Context(), r)
		case "zip":
			_, err = ReadZip(t.Context(), r, r.Size(), ImageLayout{})
		}
		return err
	}
	for _, as := range []string{"CSV", "NPY", "NPZ", "MAT", "MTX", "HDF5", "IDX", "zip"} {
		for name, file := range files {
			err := read(as, file.data)
			switch {
			case name == as || as == "zip" && name == "NPZ" || as == "CSV" && (name == "MTX" || name == "CSV"):
			case err == nil || !ours(err):
				t.Errorf("%s as %s: %v", name, as, err)
			case as == "MAT" && name == "HDF5":
				if !errors.Is(err, ErrMAT73) {
					t.Errorf("%s as %s: %v", name, as, err)
				}
			case as == "IDX" && name != "none": // four bytes tell less
			case file.looks != "" && !strings.Contains(err.Error(), file.looks):
				t.Errorf("%s as %s does not say that it looks like %q: %v", name, as, file.looks, err)
			}
		}
	}
}

// Images whose pixels lie the other way round are read as they must be meant, and a note says so. A set that is
// made by hand so is an error that says it is transposed.
func TestTransposedImages(t *testing.T) {
	x := mat.NewDense(6, 4, nil) // as in a file: 4 images of 2×3 in columns
	for i := range 6 {
		for j := range 4 {
			x.Set(i, j, float64(10*i+j))
		}
	}
	size := mat.NewDense(1, 1, []float64{2})
	width := mat.NewDense(1, 1, []float64{3})
	matFile := func(vars ...MATVar) *MATFile {
		var b bytes.Buffer
		if err := WriteMAT(&b, vars...); err != nil {
			t.Fatal(err)
		}
		f, err := ReadMAT(t.Context(), &b)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	sets := map[string]func() (*Set, error){
		"MAT": func() (*Set, error) {
			return matFile(MATVar{Name: "X", M: x}).Set(MATLayout{Height: 2, Width: 3, Raster: true})
		},
		"MAT with im_height": func() (*Set, error) {
			return matFile(MATVar{Name: "X", M: x}, MATVar{Name: "im_height", M: size}, MATVar{Name: "im_width", M: width}).Set(MATLayout{Raster: true})
		},
		"NPY": func() (*Set, error) {
			var b bytes.Buffer
			if err := WriteNPY(&b, x); err != nil {
				return nil, err
			}
			return ReadNPY(t.Context(), &b, NPYLayout{Height: 2, Width: 3})
		},
	}
	for name, read := range sets {
		s, err := read()
		if err != nil || !mat.Equal(s.X, x) || s.Height != 2 || s.Width != 3 {
			t.Errorf("%s: %v, %v", name, s, err)
		} else if !strings.Contains(strings.Join(s.Notes, "\n"), "is a sample, as images of 2×3 have 6 pixels") {
			t.Errorf("%s: %q", name, s.Notes)
		}
	}
	// The usual way needs no note, nor does a size that fits neither.
	s, err := matFile(MATVar{Name: "X", M: x.T()}, MATVar{Name: "im_height", M: size}, MATVar{Name: "im_width", M: size}).Set(MATLayout{})
	if err != nil || !mat.Equal(s.X, x) && s.Height == 0 || s.Notes != nil && s.Height == 0 {
		t.Errorf("%v, %v", s, err)
	}
	by := &Set{X: mat.DenseCopyOf(x.T()), Height: 2, Width: 3}
	if err := by.Check(); !errors.Is(err, ErrSize) || !strings.Contains(err.Error(), "with 4 rows, and 6 columns: X is transposed") {
		t.Error(err)
	}
	// A variable that is not there: which field of the layout is to be set, and to what.
	_, err = matFile(MATVar{Name: "traindata", M: x}, MATVar{Name: "names", Text: []string{"a"}}).Set(MATLayout{})
	if !errors.Is(err, ErrNoVariable) || !strings.Contains(err.Error(), `MATLayout.X is "", which takes fea or X`) || !strings.Contains(err.Error(), "traindata (6×4 double), names (1×1 cell)") {
		t.Error(err)
	}
	_, err = matFile(MATVar{Name: "X", M: x}).Set(MATLayout{Samples: "who"})
	if !errors.Is(err, ErrNoVariable) || !strings.Contains(err.Error(), "MATLayout.Samples: ") {
		t.Error(err)
	}
}

// Two samples of one name are an error that names both lines, of a table in either direction; features of
// one name differ afterwards, and a note tells.
func TestRepeatedNames(t *testing.T) {
	read := func(text string, l CSVLayout) (*Set, error) { return ReadCSV(t.Context(), strings.NewReader(text), l) }
	_, err := read("id,x\na,1\n\nb,2\na,3\n", CSVLayout{ID: "id"})
	if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), `the lines 2 and 5 both have the name "a"`) {
		t.Error(err)
	}
	_, err = read("gene,c1,c2,c1\na,1,2,3\n", CSVLayout{ID: "gene", Columns: true})
	if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), `the columns 2 and 4 are both named "c1"`) {
		t.Error(err)
	}
	s, err := read("gene,c1,c2\nTP53,1,2\nMYC,3,4\nTP53,5,6\n", CSVLayout{ID: "gene", Columns: true})
	if err != nil || !slices.Equal(s.Features, []string{"TP53", "MYC", "TP53.1"}) || !strings.Contains(strings.Join(s.Notes, "\n"), `1 features have the name of another, as "TP53"`) {
		t.Errorf("%v, %v", s, err)
	}
	s, err = read("x,x,x.1,,\n1,2,3,4,5\n", CSVLayout{Header: WithHeader})
	if err != nil || !slices.Equal(s.Features, []string{"x", "x.2", "x.1", "", ""}) {
		t.Errorf("%q, %v", s.Features, err)
	}
}
