package rnmf_test

import (
	"errors"
	"io"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
	. "github.com/robustnmf/robustnmf/rnmf/papers"
)

// What is not there is an error wherever a matrix or a part is taken: nil in an interface, a transpose of
// nothing, a matrix without entries.
func TestNothingThere(t *testing.T) {
	x, ctx := Uniform(4, 5, 1), t.Context()
	r := MustFit(t, NMF(1), x)
	for name, a := range map[string]mat.Matrix{
		"a transpose of nothing": mat.Transpose{}, "a transpose of nil": mat.Transpose{Matrix: (*mat.Dense)(nil)},
		"nil in an interface": (*mat.Dense)(nil), "no entries": &mat.Dense{}, "no entries, transposed": (&mat.Dense{}).T(),
	} {
		start, masked := NMF(1), NMF(1)
		start.Init, masked.Mask = WarmStart{W: a, H: a}, a
		for call, f := range map[string]func() error{
			"Fit":                func() error { _, err := NMF(1).Fit(ctx, a); return err },
			"Mask":               func() error { _, err := masked.Fit(ctx, x); return err },
			"WarmStart":          func() error { _, err := start.Fit(ctx, x); return err },
			"NewGraphFromMatrix": func() error { _, err := NewGraphFromMatrix(a); return err },
			"Outliers":           func() error { _, err := r.Outliers(a, nil); return err },
			"Transform":          func() error { _, err := r.Transform(ctx, a, nil); return err },
			"RelativeError":      func() error { _, err := r.RelativeError(a); return err },
			"CNMF":               func() error { _, err := CNMF{Model: NMF(1)}.Fit(ctx, a); return err },
			"SSNMF": func() error {
				_, err := SSNMF{Model: masked, Labels: Labels{Class: []int{0, 0, 1, 1, 0}}}.Fit(ctx, x)
				return err
			},
			"ConvexNMF":    func() error { _, err := ConvexNMF{Model: NMF(1)}.Fit(ctx, a); return err },
			"OcclusionNMF": func() error { _, err := OcclusionNMF{Model: NMF(1), Height: 2, Width: 2}.Fit(ctx, a); return err },
			"PenaltyUnits": func() error { _, err := NewPenaltyUnits(a, 1); return err },
		} {
			if err := f(); !errors.Is(err, ErrEmpty) && !errors.Is(err, ErrShape) {
				t.Errorf("%s of %s: %v", call, name, err)
			}
		}
	}
	if err := (&Result{W: &mat.Dense{}, H: &mat.Dense{}}).Save(io.Discard); !errors.Is(err, ErrEmpty) {
		t.Errorf("Save without entries: %v", err)
	}
	m := NMF(1)
	m.Init = (*Random)(nil)
	if _, err := m.Fit(ctx, x); !errors.Is(err, ErrParameter) {
		t.Errorf("a nil start: %v", err)
	}
	few := Labels{Class: []int{0, 1, 0}}.Few(1, []int{5, -1, 2, 2, 0, 1})
	if c := few.Class; c[0] != Unlabelled || c[1] != 1 || c[2] != 0 {
		t.Errorf("Few with places of no sample: %v", c)
	}
}

// The weight of a sample is at most 1, whatever rounding makes of the mean of its entries.
func TestSampleWeights(t *testing.T) {
	for m := range 200 {
		x := Uniform(m+1, 3, 1)
		o, err := MustFit(t, Model{Rank: 1, Loss: Huber{Cut: 10}, MaxIter: 2}, x).Outliers(x, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range o.Samples {
			if w > 1 {
				t.Fatalf("a weight of 1 + %g for %d entries", w-1, m+1)
			}
		}
	}
}
