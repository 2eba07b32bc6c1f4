package datasets

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// What a set is written as is read again with all its names.
func TestSetRoundTrip(t *testing.T) {
	s := &Set{X: mat.NewDense(2, 3, []float64{1, 2, 3, 4.5, math.NaN(), -6}), Labels: []int{1, 0, 1}, Classes: []string{"apple", "pear"},
		Samples: []string{"a", "Ünï 😀", ""}, Features: []string{"f, g", "h"}}
	for name, c := range map[string]struct {
		write func(w *bytes.Buffer) error
		read  func(b []byte) (*Set, error)
	}{
		"CSV": {func(w *bytes.Buffer) error { return s.WriteCSV(w) }, func(b []byte) (*Set, error) {
			return ReadCSV(t.Context(), bytes.NewReader(b), CSVLayout{ID: "sample", Label: "class", Missing: []string{"NaN"}})
		}},
		"npz": {func(w *bytes.Buffer) error { return s.WriteNPZ(w) }, func(b []byte) (*Set, error) {
			return ReadNPZ(t.Context(), bytes.NewReader(b), int64(len(b)), NPYLayout{})
		}},
		"mat": {func(w *bytes.Buffer) error { return s.WriteMAT(w) }, func(b []byte) (*Set, error) {
			f, err := ReadMAT(t.Context(), bytes.NewReader(b))
			if err != nil {
				return nil, err
			}
			return f.Set(MATLayout{Samples: "sample_names", Features: "feature_names", Raster: true})
		}},
	} {
		var first, second bytes.Buffer
		if err := errors.Join(c.write(&first), c.write(&second)); err != nil {
			t.Fatal(name, err)
		}
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("%s: other bytes the second time", name)
		}
		got, err := c.read(first.Bytes())
		if err != nil {
			t.Fatal(name, err)
		}
		if !mat.EqualApprox(zeroed(got.X), zeroed(s.X), 0) || !slices.Equal(got.Features, s.Features) ||
			!slices.Equal(got.Samples, []string{"a", "Ünï 😀", "sample 2"}) || !slices.Equal(got.Labels, s.Labels) || !slices.Equal(got.Classes, s.Classes) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// zeroed has 99 for NaN.
func zeroed(x *mat.Dense) *mat.Dense {
	y := mat.DenseCopyOf(x)
	y.Apply(func(_, _ int, v float64) float64 {
		if math.IsNaN(v) {
			return 99
		}
		return v
	}, y)
	return y
}

func TestWriteVarsErrors(t *testing.T) {
	m := mat.NewDense(1, 1, nil)
	for name, c := range map[string]struct {
		err  error
		want error
	}{
		"twice":      {WriteNPZ(&bytes.Buffer{}, MATVar{Name: "a", M: m}, MATVar{Name: "a", M: m}), ErrParameter},
		"both":       {WriteMAT(&bytes.Buffer{}, MATVar{Name: "a", M: m, Text: []string{"b"}}), ErrParameter},
		"neither":    {WriteNPZ(&bytes.Buffer{}, MATVar{Name: "a"}), ErrSize},
		"a slash":    {WriteNPZ(&bytes.Buffer{}, MATVar{Name: "../a", M: m}), ErrParameter},
		"empty name": {WriteNPZ(&bytes.Buffer{}, MATVar{M: m}), ErrParameter},
		"a bad set":  {(&Set{}).WriteNPZ(&bytes.Buffer{}), ErrSize},
		"a bad one":  {(&Set{}).WriteMAT(&bytes.Buffer{}), ErrSize},
	} {
		if !errors.Is(c.err, c.want) {
			t.Errorf("%s: %v", name, c.err)
		}
	}
}
