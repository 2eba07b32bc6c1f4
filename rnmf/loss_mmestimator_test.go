package rnmf_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/papers"
)

// TestRobustRecovery takes 40 % gross errors out of a planted low-rank matrix,
// and none out of a clean one.
func TestRobustRecovery(t *testing.T) {
	if testing.Short() {
		t.Skip("2000 rounds")
	}
	for _, share := range []float64{0, 0.4} {
		x, _, _ := datasets.LowRank(200, 300, 5, 1)
		rng := rand.New(rand.NewPCG(1, 99))
		y, largest := mat.DenseCopyOf(x), mat.Max(x)
		y.Apply(func(_, _ int, v float64) float64 {
			if rng.Float64() < share {
				v += 5 * largest * rng.Float64()
			}
			return v
		}, y)
		m := rnmf.RobustNMF(5)
		m.MaxIter, m.Tol = 2000, -1
		r, err := m.Fit(context.Background(), y)
		if err != nil {
			t.Fatal(err)
		}
		if e, err := r.RelativeError(x); err != nil || e > 1e-3 {
			t.Errorf("%.0f %% errors: relative error %.2g, %v", 100*share, e, err)
		}
	}
}

// A tight begin keeps squares out that three standard deviations let in, from one
// start or another.
func TestRobustNMFBeginsTight(t *testing.T) {
	if testing.Short() {
		t.Skip("eight fits to 600 digits")
	}
	s, err := datasets.Digits().Sample(60, 1)
	if err != nil {
		t.Fatal(err)
	}
	s = s.Scaled()
	worst := func(loss rnmf.Loss) (worst float64) {
		for seed := range uint64(4) {
			x, _, err := datasets.Block{Size: 3, Value: 2.2, Height: 8, Width: 8}.Apply(s.X, seed+5)
			if err != nil {
				t.Fatal(err)
			}
			r, err := rnmf.Model{Rank: 10, Loss: loss, Seed: seed + 5, MaxIter: 60, Tol: -1}.Fit(context.Background(), x)
			if err != nil {
				t.Fatal(err)
			}
			e, err := r.RelativeError(s.X)
			if err != nil {
				t.Fatal(err)
			}
			worst = max(worst, e)
		}
		return worst
	}
	tight := worst(rnmf.MMEstimator{})
	wide := worst(rnmf.MMEstimator{First: rnmf.Truncated{Loss: rnmf.Cauchy{}, Rule: rnmf.NormalThreeSigma}})
	if tight > 0.53 || !(wide > 1.01*tight) {
		t.Errorf("relative error up to %.3f, and %.3f without the tight begin", tight, wide)
	}
}

// TestRandomWithstandsErrors: a few entries, however large, do not move the
// start.
func TestRandomWithstandsErrors(t *testing.T) {
	x, _, _ := datasets.LowRank(40, 50, 3, 1)
	y := mat.DenseCopyOf(x)
	for i := range 20 {
		y.Set(i, i, 1e6)
	}
	mean := func(x *mat.Dense) float64 {
		w, h, err := rnmf.Random{}.Start(t.Context(), x, 3, rand.New(rand.NewPCG(1, 2)))
		if err != nil {
			t.Fatal(err)
		}
		var wh mat.Dense
		wh.Mul(w, h)
		return mat.Sum(&wh)
	}
	if a, b := mean(x), mean(y); b > 1.1*a || b < 0.9*a {
		t.Errorf("the sum of WH goes from %g to %g", a, b)
	}
}

// A second stage that its own Tuning calls a Preliminary is final all the same, and the fit can end by Tol.
func TestPreliminaryThen(t *testing.T) {
	x := bitData(23, 31, 8, 0.05)
	r, err := rnmf.Model{Rank: 3, Loss: rnmf.MMEstimator{Then: papers.SmoothL1{}}, MaxIter: 2000}.Fit(t.Context(), x)
	if err != nil || r.Reason != rnmf.Converged {
		t.Errorf("%v, %v", r, err)
	}
}
