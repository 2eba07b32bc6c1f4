package input

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
)

// The first bad entry is named, with the errors and the limit of a fit.
func TestMatrix(t *testing.T) {
	with := func(v float64) *mat.Dense { return mat.NewDense(2, 3, []float64{1, 2, -3, 4, v, math.NaN()}) }
	for v, want := range map[float64]error{math.Inf(-1): rnmf.ErrNotFinite, 1.1e100: rnmf.ErrTooLarge, -1.1e100: rnmf.ErrTooLarge} {
		_, err := Matrix("A", with(v))
		var entry *rnmf.EntryError
		if !errors.Is(err, want) || !errors.As(err, &entry) || entry.Matrix != "A" || entry.Row != 1 || entry.Col != 1 || entry.Value != v {
			t.Errorf("%g: %v", v, err)
		}
		if _, fit := rnmf.NMF(1).Fit(context.Background(), mat.NewDense(1, 1, []float64{math.Abs(v)})); !errors.Is(fit, want) {
			t.Errorf("a fit of %g: %v", v, fit)
		}
	}
	most := mat.NewDense(1, 2, []float64{1e100, -1e100})
	if d, err := Matrix("A", most); d != most || err != nil {
		t.Errorf("%v, %v", d, err)
	}
	if d, err := Matrix("A", most.T()); err != nil || !mat.Equal(d, most.T()) {
		t.Errorf("%v, %v", d, err)
	}
	var none *mat.Dense
	for _, a := range []mat.Matrix{nil, none, &mat.Dense{}} {
		if _, err := Matrix("A", a); !errors.Is(err, rnmf.ErrEmpty) {
			t.Error(err)
		}
	}
}

func TestVectors(t *testing.T) {
	if err := Finite("v", []float64{0, math.Inf(1)}); !errors.Is(err, rnmf.ErrNotFinite) || !strings.HasSuffix(err.Error(), "v[1] = +Inf") {
		t.Error(err)
	}
	if err := Finite("v", []float64{-1, 1e300}); err != nil {
		t.Error(err)
	}
	if err := Dims("A", mat.NewDense(2, 3, nil), 3, 2); !errors.Is(err, rnmf.ErrShape) || err.Error() != "rnmf: shapes do not match: A is 2×3, want 3×2" {
		t.Error(err)
	}
	sorted, place, err := Labels("l", []int{7, 0, 7, 3})
	if err != nil || !slices.Equal(sorted, []int{0, 3, 7}) || len(place) != 3 || place[3] != 1 || place[7] != 2 {
		t.Error(sorted, place, err)
	}
	if _, _, err := Labels("l", []int{7, -2, -3}); !errors.Is(err, rnmf.ErrLabels) || err.Error() != "rnmf: wrong labels: l[1] = -2 is negative" {
		t.Error(err)
	}
	if err := Parameter("K", 9, "1 to 4"); !errors.Is(err, rnmf.ErrParameter) || err.Error() != "rnmf: parameter out of range: K is 9, want 1 to 4" {
		t.Error(err)
	}
}

// A pointer that is nil is no matrix, of whatever type it is.
func TestNil(t *testing.T) {
	for _, a := range []mat.Matrix{nil, (*mat.Dense)(nil), (*mat.SymDense)(nil), (*rnmf.Graph)(nil)} {
		if _, err := Matrix("X", a); !errors.Is(err, rnmf.ErrEmpty) {
			t.Errorf("%T: %v", a, err)
		}
	}
}
