package rnmf_test

import (
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
)

func TestRelativeError(t *testing.T) {
	relative := func(clean mat.Matrix, w, h *mat.Dense) (float64, error) {
		return (&Result{W: w, H: h}).RelativeError(clean)
	}
	for _, m := range []int{1, 63, 64, 65, 200} {
		x, w, h := Uniform(m, 7, 3), Uniform(m, 3, 4), Uniform(3, 7, 5)
		var e mat.Dense
		e.Mul(w, h)
		exact := mat.DenseCopyOf(&e)
		e.Sub(x, &e)
		got, err := relative(x, w, h)
		if want := mat.Norm(&e, 2) / mat.Norm(x, 2); err != nil || !Near(got, want, 1e-13) {
			t.Errorf("%g, %v, want %g", got, err, want)
		}
		if got, err = relative(exact, w, h); err != nil || got > 1e-15 {
			t.Errorf("exact factors: %g, %v", got, err)
		}
		view := Uniform(9, m, 6).Slice(1, 8, 0, m).T() // not dense
		if _, err = relative(view, w, h); err != nil {
			t.Error(err)
		}
	}
	// A factor may be larger than data may be.
	x, w, h := Uniform(4, 7, 3), Uniform(4, 3, 4), Uniform(3, 7, 5)
	want, err := relative(x, w, h)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := relative(x, Scaled(w, 1e120), Scaled(h, 1e-120)); err != nil || !Near(got, want, 1e-13) {
		t.Errorf("with W of 1e120: %g, %v, want %g", got, err, want)
	}
	zero := mat.NewDense(2, 3, nil)
	one := mat.NewDense(1, 3, []float64{1, 1, 1})
	if got, err := relative(zero, mat.NewDense(2, 1, nil), one); err != nil || got != 0 {
		t.Error(got, err)
	}
	if _, err := relative(zero, mat.NewDense(2, 1, []float64{0, 1}), one); !errors.Is(err, ErrEmpty) {
		t.Error(err)
	}
	if _, err := relative(zero, mat.NewDense(3, 1, nil), one); !errors.Is(err, ErrShape) {
		t.Error(err)
	}
	if _, err := relative(zero, nil, one); !errors.Is(err, ErrEmpty) {
		t.Error(err)
	}
	bad := mat.NewDense(2, 3, []float64{0, 0, 0, 0, math.NaN(), 0})
	var entry *EntryError
	if _, err := relative(bad, mat.NewDense(2, 1, nil), one); !errors.As(err, &entry) || entry.Row != 1 || entry.Col != 1 || entry.Matrix != "clean" {
		t.Error(err)
	}
	if _, err := relative(zero, mat.NewDense(2, 1, []float64{0, math.NaN()}), one); !errors.As(err, &entry) || entry.Matrix != "W" {
		t.Error(err)
	}
}
