package panel

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/datasets/sparse"
	"github.com/robustnmf/robustnmf/internal/npy"
	"github.com/robustnmf/robustnmf/rnmf"
)

// npyFile is a file as numpy.save writes it.
func npyFile(descr string, fortran bool, rows, columns int, values ...float64) []byte {
	order := "False"
	if fortran {
		order = "True"
	}
	head := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': (%d, %d), }", descr, order, rows, columns)
	for (10+len(head)+1)%64 != 0 {
		head += " "
	}
	b := append([]byte(npy.Magic), 1, 0)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(head)+1))
	b = append(append(b, head...), '\n')
	for _, v := range values {
		if descr == "<f4" {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
		} else {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
	}
	return b
}

// What Write has written, and what NumPy writes, comes back, on a page, in two panels at a time.
func TestDiskSource(t *testing.T) {
	x := mat.NewDense(2, 5, []float64{1, 2, 3, 4, 5, 0.5, 0, 0.25, 7, 9})
	for _, single := range []bool{false, true} {
		dir := t.TempDir()
		if err := Write(dir, All(FromDense(x, 3)), 2, single); err != nil {
			t.Fatal(err)
		}
		f, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if f.heads[0].offset != page {
			t.Errorf("the numbers begin at %d", f.heads[0].offset)
		}
		var before Panel
		for p := range f.Panels() {
			got, err := f.Load(p)
			if err != nil {
				t.Fatal(err)
			}
			from, to := f.Columns(p)
			if !mat.Equal(got.Dense, x.Slice(0, 2, from, to)) {
				t.Errorf("panel %d is %v", p, mat.Formatted(got.Dense))
			}
			if from, to := max(0, from-2), from; p > 0 && !mat.Equal(before.Dense, x.Slice(0, 2, from, to)) {
				t.Errorf("panel %d was overwritten at once", p-1)
			}
			before = got
		}
		if err := Write(dir, All(FromDense(x, 0)), 2, false); !errors.Is(err, fs.ErrExist) {
			t.Errorf("written twice: %v", err)
		}
	}
	dir := t.TempDir()
	for name, b := range map[string][]byte{
		"a.npy": npyFile("<f8", false, 2, 2, 1, 2, 0.5, 0),
		"b.npy": npyFile("<f4", true, 2, 3, 3, 0.25, 4, 7, 5, 9),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []float64
	for s, err := range All(f) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, s...)
	}
	if !mat.Equal(mat.NewDense(5, 2, got).T(), x) {
		t.Errorf("NumPy's files came back as %v", got)
	}
	if err := os.WriteFile(filepath.Join(dir, "c.npy"), npyFile("<f8", false, 3, 1, 1, 2, 3), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); !errors.Is(err, rnmf.ErrShape) || !strings.Contains(err.Error(), "c.npy") {
		t.Errorf("another height: %v", err)
	}
	if _, err := Open(t.TempDir()); !errors.Is(err, rnmf.ErrEmpty) {
		t.Errorf("no panels: %v", err)
	}
}

// Tables and arrays become samples; what is wrong with one is named.
func TestSamples(t *testing.T) {
	collect := func(s Samples) (all []float64, err error) {
		for x, err := range s {
			if err != nil {
				return all, err
			}
			all = append(all, x...)
		}
		return all, nil
	}
	got, err := collect(CSV(strings.NewReader("a,b\n1, 2\r\n\"3\",4e0\n"), 1))
	if err != nil || fmt.Sprint(got) != "[1 2 3 4]" {
		t.Errorf("CSV: %v, %v", got, err)
	}
	got, err = collect(CSV(strings.NewReader("\ufeff1,2\r\n\r\n3,4\n \n\n"), 0))
	if err != nil || fmt.Sprint(got) != "[1 2 3 4]" {
		t.Errorf("CSV with a mark and empty lines: %v, %v", got, err)
	}
	got, err = collect(NPY(bytes.NewReader(npyFile("<f4", false, 2, 2, 1, 2, 3, 4))))
	if err != nil || fmt.Sprint(got) != "[1 2 3 4]" {
		t.Errorf("NPY: %v, %v", got, err)
	}
	s := &sparse.Matrix{Rows: 3, Cols: 2, Start: []int{0, 1, 2}, Row: []int32{2, 0}, Value: []float64{5, 6}}
	parts := []mat.Matrix{s, mat.NewDense(3, 1, []float64{1, 2, 3})}
	got, err = collect(Sets(func() (mat.Matrix, error) {
		if len(parts) == 0 {
			return nil, nil
		}
		p := parts[0]
		parts = parts[1:]
		return p, nil
	}))
	if err != nil || fmt.Sprint(got) != "[0 0 5 6 0 0 1 2 3]" {
		t.Errorf("sets: %v, %v", got, err)
	}
	for _, c := range []struct {
		name string
		s    Samples
		want error
		says string
	}{
		{"word", CSV(strings.NewReader("1,2\n1,x\n"), 0), rnmf.ErrFormat, "line 2, field 2"},
		{"name", CSV(strings.NewReader("1,1_2\n1,x\n"), 0), rnmf.ErrFormat, "line 1, field 2"},
		{"length", CSV(strings.NewReader("1,2\n1\n"), 0), rnmf.ErrShape, "sample 1"},
		{"negative", CSV(strings.NewReader("1,2\n1,-2\n"), 0), rnmf.ErrNegative, "X[1,1]"},
		{"NaN", CSV(strings.NewReader("1,2\n1,NaN\n"), 0), rnmf.ErrNotFinite, "X[1,1]"},
		{"none", CSV(strings.NewReader("a,b\n"), 1), rnmf.ErrEmpty, ""},
		{"short", NPY(bytes.NewReader(npyFile("<f8", false, 2, 2, 1, 2, 3))), rnmf.ErrFormat, "row 1"},
		{"integers", NPY(bytes.NewReader(npyFile("<i8", false, 1, 1, 1))), rnmf.ErrFormat, "<i8"},
		{"Fortran", NPY(bytes.NewReader(npyFile("<f8", true, 2, 2, 1, 2, 3, 4))), rnmf.ErrFormat, "ascontiguousarray"},
		{"no NPY", NPY(strings.NewReader("1,2\n3,4\n5,6\n")), rnmf.ErrFormat, "begins with"},
		{"no matrix", Sets(func() (mat.Matrix, error) { return (*mat.Dense)(nil), nil }), rnmf.ErrEmpty, "part 0 is a nil *mat.Dense"},
		{"no sparse matrix", Sets(func() (mat.Matrix, error) { return &sparse.Matrix{Rows: 3, Cols: 2}, nil }), datasets.ErrFormat, "part 0: "},
	} {
		dir := t.TempDir()
		err := Write(dir, c.s, 1, false)
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %v and %q", c.name, err, c.want, c.says)
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("%s: %v was left behind", c.name, left)
		}
	}
	dir := t.TempDir()
	if err := Write(dir, CSV(strings.NewReader("1,2\n3,4\n"), 0), math.MaxInt, false); err != nil {
		t.Fatal(err)
	}
	if f, err := Open(dir); err != nil || f.Panels() != 1 {
		t.Errorf("panels of any width: %v", err)
	}
	if err := Write(t.TempDir(), CSV(strings.NewReader("1e39\n"), 0), 1, true); !errors.Is(err, rnmf.ErrTooLarge) {
		t.Errorf("too large for float32: %v", err)
	}
}

// Files that are no panels are errors.
func FuzzPanelNPY(f *testing.F) {
	f.Add(npyFile("<f8", false, 1, 2, 1, 2))
	f.Add(npyFile("<f4", true, 2, 1, 1, 2))
	f.Add([]byte("\x93NUMPY\x02\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "a.npy"), b, 0o666); err != nil {
			t.Fatal(err)
		}
		x, err := Open(dir)
		if err != nil {
			if !errors.Is(err, rnmf.ErrFormat) {
				t.Errorf("%v", err)
			}
			return
		}
		if m, n := x.Dims(); m*n > len(b) {
			t.Errorf("%d×%d numbers in %d bytes", m, n, len(b))
		}
		if _, err := x.Load(0); err != nil {
			t.Errorf("%v", err)
		}
		_, _ = Batch{Model: rnmf.Model{Rank: 1, MaxIter: 1}}.Fit(context.Background(), x)
	})
}
