package choose

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
)

// The mean deviance of counts that were held out is about 1 where a model predicts their means, and
// more where its rank is too low; of least squares it is the mean square.
func TestHeldOutDeviance(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const m, n, r = 40, 50, 3
	random := func(_, _ int, _ float64) float64 { return 0.2 + 2*rng.ExpFloat64() }
	w, h := mat.NewDense(m, r, nil), mat.NewDense(r, n, nil)
	w.Apply(random, w)
	h.Apply(random, h)
	var x mat.Dense
	x.Mul(w, h)
	x.Apply(func(_, _ int, mean float64) float64 {
		count, product := 0.0, rng.Float64()
		for ; product > math.Exp(-mean); product *= rng.Float64() {
			count++
		}
		return count
	}, &x)
	mean := func(model rnmf.Model) float64 {
		e, err := HeldOut{}.Of(context.Background(), NewFitFunc(model), &x)
		if err != nil {
			t.Fatal(err)
		}
		d, _ := MeanError(e.Deviance)
		return d
	}
	right, low := mean(rnmf.PoissonNMF(r)), mean(rnmf.PoissonNMF(1))
	if right < 0.9 || right > 1.5 || low < 1.3*right {
		t.Errorf("the mean deviance is %.3g at the true rank and %.3g at 1", right, low)
	}
	if squares, variance := mean(rnmf.NMF(r)), mat.Sum(&x)/m/n; squares < 0.7*variance || squares > 2*variance {
		t.Errorf("the mean square is %.3g, the mean count %.3g", squares, variance)
	}
}

// Counts that are constant in each feature are their means: a model is as good, or worse by a number.
func TestHeldOutOfConstantCounts(t *testing.T) {
	x := mat.NewDense(8, 12, nil)
	x.Apply(func(i, _ int, _ float64) float64 { return float64(1 + i%3) }, x)
	for _, scale := range []float64{1, 1e-200, 1e90} {
		var y mat.Dense
		y.Scale(scale, x)
		for _, model := range []rnmf.Model{rnmf.PoissonNMF(1), rnmf.RobustPoissonNMF(2)} {
			e, err := HeldOut{}.Of(t.Context(), NewFitFunc(model), &y)
			if err != nil {
				t.Fatal(err)
			}
			for f, v := range e.OfMeans {
				if !(v > 0 && v < 1e18) {
					t.Errorf("times %g, %T: %g of the means in fold %d", scale, model.Loss, v, f)
				}
			}
			if c, err := (RankSearch{X: &y, Model: model, Ranks: []int{1, 2}}).Run(t.Context()); err != nil {
				t.Errorf("times %g, %T: %v, %v", scale, model.Loss, c, err)
			}
		}
	}
}
