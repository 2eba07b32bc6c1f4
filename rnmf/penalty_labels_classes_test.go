package rnmf

import (
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// A class out of range is an error of all that take labels, before anything of its size
// is made.
func TestClassesOutOfRange(t *testing.T) {
	x := uniform(6, 8, 1)
	for _, class := range []int{math.MaxInt, 1 << 33, 1 << 24, 8, -2, math.MinInt} {
		labels := Labels{Class: []int{0, 1, -1, 1, 0, class, 0, 1}}
		for name, fit := range map[string]func() error{
			"SSNMF":   func() error { _, err := SSNMF{Model: NMF(2), Labels: labels}.Fit(t.Context(), x); return err },
			"CNMF":    func() error { _, err := CNMF{Model: NMF(2), Labels: labels}.Fit(t.Context(), x); return err },
			"RSSNMF":  func() error { _, err := RSSNMF(2, 1, labels).Fit(t.Context(), x); return err },
			"ByLabel": func() error { _, err := Model{Rank: 2, Init: ByLabel{Labels: labels}}.Fit(t.Context(), x); return err },
			"Check":   func() error { return labels.Check(2, 8) },
			"names": func() error {
				l := labels
				l.Names = []string{"a", "b"}
				_, err := SSNMF{Model: NMF(2), Labels: l}.Fit(t.Context(), x)
				return err
			},
		} {
			if err := fit(); !errors.Is(err, ErrLabels) {
				t.Errorf("%s, class %d: %v", name, class, err)
			}
		}
	}
	bad := Labels{Class: make([]int, 8)}.Against(mustFit(t, NMF(2), x), math.NaN())
	if _, err := RSSNMF(2, 1, bad).Fit(t.Context(), x); !errors.Is(err, ErrParameter) {
		t.Errorf("a weight of NaN: %v", err)
	}
}

// A pointer that is nil is no matrix, of whatever type it is.
func TestNilMatrices(t *testing.T) {
	x := uniform(6, 8, 1)
	r := mustFit(t, NMF(2), x)
	for _, a := range []mat.Matrix{nil, (*mat.Dense)(nil), (*mat.SymDense)(nil), (*mat.VecDense)(nil), (*Graph)(nil)} {
		for name, f := range map[string]func() error{
			"X":         func() error { _, err := NMF(2).Fit(t.Context(), a); return err },
			"Transform": func() error { _, err := r.Transform(t.Context(), a, nil); return err },
			"Outliers":  func() error { _, err := r.Outliers(a, nil); return err },
			"SSNMF": func() error {
				_, err := SSNMF{Model: NMF(2), Labels: Labels{Class: make([]int, 8)}}.Fit(t.Context(), a)
				return err
			},
			"Mask": func() error {
				if a == nil {
					return ErrEmpty // there is no mask
				}
				_, err := Model{Rank: 2, Mask: a}.Fit(t.Context(), x)
				return err
			},
		} {
			if err := f(); !errors.Is(err, ErrEmpty) {
				t.Errorf("%s, %T: %v", name, a, err)
			}
		}
	}
}
