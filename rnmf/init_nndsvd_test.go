package rnmf_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/testkit"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
)

func TestNNDSVDScikitLearn(t *testing.T) {
	var g struct {
		Small []struct {
			X            [][]float64
			R            int
			W, H, WA, HA [][]float64
		}
	}
	testkit.Golden(t, "baseline/testdata/baselines.json", &g)
	fromRows := testkit.FromRows
	for i, c := range g.Small {
		x := fromRows(c.X)
		w, h, _ := NNDSVDOf(t.Context(), x, c.R)
		// sklearn takes entries below 1e-6 for 0.
		if !mat.EqualApprox(w, fromRows(c.W), 2e-6) || !mat.EqualApprox(h, fromRows(c.H), 2e-6) {
			t.Errorf("case %d: W\n%v\nH\n%v", i, mat.Formatted(w), mat.Formatted(h))
		}
		w, h, err := NNDSVDa{}.Start(t.Context(), x, c.R, nil)
		if err != nil || !mat.EqualApprox(w, fromRows(c.WA), 2e-6) || !mat.EqualApprox(h, fromRows(c.HA), 2e-6) {
			t.Errorf("case %d, filled: W\n%v\nH\n%v", i, mat.Formatted(w), mat.Formatted(h))
		}
		if !mat.Equal(x, fromRows(c.X)) {
			t.Error("the data have changed")
		}
	}
}

func TestNNDSVDRankOne(t *testing.T) {
	var x mat.Dense
	x.Mul(Uniform(6, 1, 1), Uniform(1, 5, 2))
	w, h, _ := NNDSVDOf(t.Context(), &x, 8) // beyond the rank, and beyond min(m, n)
	var y mat.Dense
	y.Mul(w, h)
	if !mat.EqualApprox(&y, &x, 1e-12) {
		t.Errorf("%v, want %v", mat.Formatted(&y), mat.Formatted(&x))
	}
	for _, zero := range []*mat.Dense{mat.NewDense(3, 4, nil), &x} {
		w, h, err := NNDSVDar{}.Start(t.Context(), zero, 3, rand.New(rand.NewPCG(1, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if mat.Min(w) <= 0 || mat.Min(h) <= 0 {
			t.Error("zeros are left")
		}
		w2, h2, err := NNDSVDar{}.Start(t.Context(), zero, 3, rand.New(rand.NewPCG(1, 1)))
		if err != nil || !mat.Equal(w, w2) || !mat.Equal(h, h2) {
			t.Error("other bits from the same seed")
		}
	}
}

// NNDSVDar fills with up to a hundredth of the mean of X, NNDSVDa with the mean.
func TestFills(t *testing.T) {
	x, _ := Planted(20, 30, 5, 0.1, 0, 1)
	mean := mat.Sum(x) / 600
	none, _, err := NNDSVD{}.Start(t.Context(), x, 5, nil)
	if err != nil {
		t.Fatal(err)
	}
	for fill, want := range map[Init][2]float64{NNDSVDa{}: {mean, mean}, NNDSVDar{}: {0, mean / 100}} {
		w, _, err := fill.Start(t.Context(), x, 5, rand.New(rand.NewPCG(1, 2)))
		if err != nil {
			t.Fatal(err)
		}
		var filled []float64
		for i, v := range w.RawMatrix().Data {
			if before := none.RawMatrix().Data[i]; before == 0 {
				filled = append(filled, v)
			} else if v != before {
				t.Errorf("%T: %g became %g", fill, before, v)
			}
		}
		slices.Sort(filled)
		low, high := filled[0], filled[len(filled)-1]
		if !(low >= want[0]*(1-1e-12)) || !(low > 0) || !(high <= want[1]*(1+1e-12)) || !(high > 0.9*want[1]) {
			t.Errorf("%T: %d entries from %g to %g, want %g to %g", fill, len(filled), low, high, want[0], want[1])
		}
	}
}
