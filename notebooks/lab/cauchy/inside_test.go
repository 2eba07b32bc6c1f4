package cauchy

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
)

// TestLook wants the first stage to be followed by the second, whose cut-off stays.
func TestLook(t *testing.T) {
	x, mask := mat.NewDense(12, 30, nil), mat.NewDense(12, 30, nil)
	x.Apply(func(i, j int, _ float64) float64 { return 1 + float64((i*7+j*3)%11)/20 + float64(i*j%5) }, x)
	for j := range 30 {
		x.Set(j%12, j, 20)
		mask.Set(j%12, j, 1)
	}
	m := rnmf.RobustNMF(3)
	m.MaxIter, m.Tol = 80, -1
	rounds, err := Look(t.Context(), m, x, mask)
	if err != nil || len(rounds) < 3 || rounds[0].Second || !rounds[len(rounds)-1].Second {
		t.Fatal(err, len(rounds))
	}
	for k, in := range rounds {
		if len(in.Covered) != 30 || len(in.Good) != 330 || in.Sigma <= 0 {
			t.Fatal(k, in)
		}
		if in.Second && in.Cut != rounds[len(rounds)-1].Cut {
			t.Errorf("before round %d of the second stage the cut-off is %g, at the end %g", k+1, in.Cut, rounds[len(rounds)-1].Cut)
		}
	}
	if got := Within([]float64{1, 2, 2, 3}, 2); got != 0.75 {
		t.Errorf("%g of the four are at most 2, want 0.75", got)
	}
}

// TestRelabel fills a hole and rubs out a lonely mark, as far as chains see them.
func TestRelabel(t *testing.T) {
	chain := func(a []float64, _ float64) []bool { // each pixel by itself
		z := make([]bool, len(a))
		for i := range a {
			z[i] = a[i] < 0
		}
		return z
	}
	gain := mat.NewDense(9, 1, []float64{-1, -1, -1, -1, 0.5, -1, -1, -1, -1})
	z := mat.NewDense(9, 1, []float64{1, 1, 1, 1, 0, 1, 1, 1, 1})
	Relabel(z, gain, 3, 3, 0.5, chain)
	if z.At(4, 0) != 1 {
		t.Error("the hole is still there")
	}
	gain.Scale(-1, gain)
	z.Zero()
	z.Set(4, 0, 1)
	Relabel(z, gain, 3, 3, 0.5, chain)
	if mat.Sum(z) != 0 {
		t.Error("the lonely mark is still there")
	}
}
