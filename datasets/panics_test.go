package datasets

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets/sparse"
)

// Whatever arguments a function or method of this package is called with, it returns an error where it
// can: all combinations of values that are empty, nil, negative, NaN, too large, or do not fit together. Those
// that are documented to panic do so like the access to an element of a matrix.
func TestNoPanics(t *testing.T) {
	t.Chdir(t.TempDir()) // where files are written
	documented := map[string]bool{"Laurberg": true, "Set.Scaled": true, "Set.Image": true, "IDXArray.At": true}
	nan, ok := math.NaN(), mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})
	var nilDense *mat.Dense
	matrices := []*sparse.Matrix{{}, {Rows: 2, Cols: 2}, {Rows: -1, Cols: 2, Start: []int{0, 0, 0}}, {Rows: 1, Cols: 1, Start: []int{0, 1}, Row: []int32{0}, Value: []float64{3}}}
	pool := []any{t.Context(), 0, -1, 1, math.MaxInt, uint64(3), 0.0, nan, 0.5, "", "x", "/nonexistent", t.TempDir(), []int(nil), []int{-1}, []int{0, 5}, []int{1}, []string(nil), []string{"a"},
		nilDense, &mat.Dense{}, ok, mat.Transpose{}, mat.Transpose{Matrix: nilDense}, (*mat.VecDense)(nil), mat.NewVecDense(2, nil), mat.Transpose{Matrix: matrices[1]},
		&bytes.Buffer{}, bytes.NewReader([]byte("a,b\n1,2\n")), int64(0), int64(-1), int64(8), int64(math.MaxInt64), true,
		CSVLayout{}, CSVLayout{Label: "-1", Columns: true}, CSVLayout{Height: -1, Width: -1}, MATLayout{}, MATLayout{Height: -1, Width: 1}, NPYLayout{}, NPYLayout{Height: -1}, HDF5Layout{}, ImageLayout{Height: -1, Width: 3}, OpenOptions{},
		MATVar{}, MATVar{Name: "x"}, MATVar{Name: "x", M: &mat.Dense{}}, MATVar{Name: "x", M: nilDense}, MATVar{Name: "x", M: matrices[1]}, MATVar{Name: "x", Text: []string{}}, MATVar{Name: "x", Text: []string{"\x00"}},
		Log1p{}, SampleSums{To: nan}, ScaleFeatures{By: 99}, SplitSigns{}, MostVariable{Count: -1}, FillMissing{}, Gaussian{Sigma: nan}, Gaussian{Sigma: 1}, Laplace{Scale: -1}, SaltPepper{Share: 2}, Block{Size: -1, Height: 1, Width: 2},
		Block{Size: 1, Height: 1, Width: 2}, Removal{Share: nan}, OutlierSamples{Share: 0.5, Kind: 99}, OutlierSamples{Share: 1}, &Preparation{}, &Preparation{Rows: 2}, &Preparation{Rows: -1, Height: 3}, Prepared{}, &IDXArray{}, &PublicSet{}}
	arrays := []*MATArray{nil, {}, {Cells: []*MATArray{}}, {Dims: []int{1}, Data: []float64{1}}, {Dims: []int{2, 2}, Data: []float64{1}}, {Cells: []*MATArray{nil}}, {Dims: []int{1, 1}, Cells: []*MATArray{nil}},
		{Dims: []int{2, 2}, Cells: []*MATArray{{}}}, {Dims: []int{1, 1}, Cells: []*MATArray{{Dims: []int{1}, Data: []float64{1}}}}, {Dims: []int{2, 2}, Sparse: &sparse.Matrix{Rows: 2, Cols: 2}}, {Text: []string{"\xff"}}, {Dims: []int{1, 1}, Data: []float64{1}}}
	for _, a := range arrays {
		if a != nil {
			a.Name = "X"
			pool = append(pool, a)
		}
		pool = append(pool, &MATFile{Vars: []*MATArray{a}})
		if a != nil {
			y := *a
			y.Name = "Y"
			pool = append(pool, &MATFile{Vars: []*MATArray{{Name: "X", Dims: []int{2, 1}, Data: []float64{1, 2}}, &y}})
		}
	}
	for _, s := range matrices {
		pool = append(pool, s, &Set{Sparse: s})
	}
	for _, s := range []*Set{{}, {X: &mat.Dense{}}, {X: nilDense}, {X: ok}, {X: ok, Labels: []int{0}}, {X: ok, Labels: []int{9, 9, 9}}, {X: ok, Labels: []int{}}, {X: ok, Height: -1, Width: -2}, {X: ok, Sparse: &sparse.Matrix{}}, {X: ok, Samples: []string{"a"}},
		{X: mat.NewDense(1, 2, []float64{math.Inf(1), nan}), Height: 1, Width: 1, Max: nan}, {X: ok, Labels: []int{0, 1, 0}, Classes: []string{"a", "b"}, Height: 2, Width: 1}} {
		pool = append(pool, s)
	}
	functions := map[string][]reflect.Value{}
	for name, f := range map[string]any{"FlipLabels": FlipLabels, "Laurberg": Laurberg, "LinePoints": LinePoints, "Prepare": Prepare, "ReadNames": ReadNames, "WriteCSV": WriteCSV, "WriteMAT": WriteMAT, "WriteMTX": WriteMTX, "WriteNPY": WriteNPY, "WriteNPZ": WriteNPZ,
		"WriteNamedCSV": WriteNamedCSV, "ReadIDX": ReadIDX, "ReadMAT": ReadMAT, "ReadMAT73": ReadMAT73, "Open": Open, "OpenARFF": OpenARFF, "OpenCSV": OpenCSV, "OpenHDF5": OpenHDF5, "OpenImages": OpenImages, "OpenMAT": OpenMAT, "OpenMTX": OpenMTX, "OpenNPY": OpenNPY,
		"ReadARFF": ReadARFF, "ReadCSV": ReadCSV, "ReadHDF5": ReadHDF5, "ReadIDXSet": ReadIDXSet, "ReadNPY": ReadNPY, "ReadNPZ": ReadNPZ, "ReadPendigits": ReadPendigits, "ReadSemeion": ReadSemeion, "ReadTar": ReadTar, "ReadWine": ReadWine, "ReadZip": ReadZip,
		"ReadHDF5Sparse": ReadHDF5Sparse, "ReadMTX": ReadMTX, "ReadNPZSparse": ReadNPZSparse} {
		functions[name] = []reflect.Value{reflect.ValueOf(f)}
	}
	var values []reflect.Value
	for _, v := range pool {
		r := reflect.ValueOf(v)
		values = append(values, r)
		if _, kind, ok := strings.Cut(r.Type().String(), "datasets."); ok {
			for m := range r.NumMethod() {
				name := kind + "." + r.Type().Method(m).Name
				functions[name] = append(functions[name], r.Method(m))
			}
		}
	}
	delete(functions, "PublicSet.Download")
	tries := 0
	try := func(name string, f reflect.Value, in []reflect.Value) {
		defer func() {
			if p := recover(); p != nil && !documented[name] {
				t.Errorf("%s of %.200s: %v", name, fmt.Sprint(in), p)
			}
		}()
		for _, v := range in {
			if r, ok := v.Interface().(*bytes.Reader); ok {
				r.Seek(0, io.SeekStart)
			}
		}
		tries++
		f.Call(in)
	}
	for name, of := range functions {
		for _, f := range of {
			var call func(in []reflect.Value)
			call = func(in []reflect.Value) {
				if len(in) == f.Type().NumIn() {
					try(name, f, in)
					return
				}
				want := f.Type().In(len(in))
				if f.Type().IsVariadic() && len(in) == f.Type().NumIn()-1 {
					want = want.Elem()
				}
				for _, v := range values {
					if v.Type().AssignableTo(want) {
						call(append(in[:len(in):len(in)], v))
					}
				}
			}
			call(nil)
		}
	}
	t.Logf("%d calls of %d functions", tries, len(functions))
}
