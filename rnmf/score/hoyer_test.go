package score

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/internal/testkit"
)

func TestHoyer(t *testing.T) {
	for _, c := range []struct {
		v    []float64
		want float64
	}{
		{[]float64{3}, 0},
		{[]float64{0, 0, 0}, 0},
		{[]float64{2, -2, 2, 2}, 0},
		{[]float64{0, -7, 0}, 1},
		{[]float64{1, 1, 0, 0}, (2 - math.Sqrt2)},
		{[]float64{1e300, 1e300, 0, 0}, (2 - math.Sqrt2)},
		{[]float64{5e-324, 5e-324, 0, 0}, (2 - math.Sqrt2)},
	} {
		got, err := Hoyer(c.v)
		if err != nil || !testkit.Near(got, c.want, 1e-14) {
			t.Errorf("%v: %g, %v, want %g", c.v, got, err, c.want)
		}
	}
	if _, err := Hoyer(nil); !errors.Is(err, rnmf.ErrEmpty) {
		t.Error(err)
	}
	if _, err := Hoyer([]float64{0, math.Inf(1)}); !errors.Is(err, rnmf.ErrNotFinite) || !strings.Contains(err.Error(), "[1]") {
		t.Error(err)
	}
	a := mat.NewDense(2, 3, []float64{1, 0, 2, 1, 5, 0})
	got, err := HoyerColumns(a)
	if want := []float64{0, 1, 1}; err != nil || !slices.EqualFunc(got, want, func(a, b float64) bool { return testkit.Near(a, b, 1e-14) }) {
		t.Error(got, err)
	}
}
