package rnmf

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/testkit"
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
		w, h, _ := nndsvd(t.Context(), x, c.R)
		// sklearn takes entries below 1e-6 for 0.
		if !mat.EqualApprox(w, fromRows(c.W), 2e-6) || !mat.EqualApprox(h, fromRows(c.H), 2e-6) {
			t.Errorf("case %d: W\n%v\nH\n%v", i, mat.Formatted(w), mat.Formatted(h))
		}
		fillMean(x, w, h)
		if !mat.EqualApprox(w, fromRows(c.WA), 2e-6) || !mat.EqualApprox(h, fromRows(c.HA), 2e-6) {
			t.Errorf("case %d, filled: W\n%v\nH\n%v", i, mat.Formatted(w), mat.Formatted(h))
		}
		if !mat.Equal(x, fromRows(c.X)) {
			t.Error("the data have changed")
		}
	}
}

func TestNNDSVDRankOne(t *testing.T) {
	var x mat.Dense
	x.Mul(uniform(6, 1, 1), uniform(1, 5, 2))
	w, h, _ := nndsvd(t.Context(), &x, 8) // beyond the rank, and beyond min(m, n)
	var y mat.Dense
	y.Mul(w, h)
	if !mat.EqualApprox(&y, &x, 1e-12) {
		t.Errorf("%v, want %v", mat.Formatted(&y), mat.Formatted(&x))
	}
	for _, zero := range []*mat.Dense{mat.NewDense(3, 4, nil), &x} {
		w, h, _ := nndsvd(t.Context(), zero, 3)
		fillRandom(zero, w, h, rand.New(rand.NewPCG(1, 1)))
		if mat.Min(w) <= 0 || mat.Min(h) <= 0 {
			t.Error("zeros are left")
		}
		w2, h2, _ := nndsvd(t.Context(), zero, 3)
		fillRandom(zero, w2, h2, rand.New(rand.NewPCG(1, 1)))
		if !mat.Equal(w, w2) || !mat.Equal(h, h2) {
			t.Error("other bits from the same seed")
		}
	}
}

func TestKMeansStart(t *testing.T) {
	// Three groups of features, each lit up by its own samples.
	x := scaled(uniform(9, 30, 3), 0.1)
	var truth []int
	for j := range 30 {
		truth = append(truth, j%3)
		for i := range 3 {
			x.Set(3*(j%3)+i, j, 5+x.At(i, j))
		}
	}
	before := mat.DenseCopyOf(x)
	w, h, labels, err := kmeansStart(t.Context(), x, 3, 0.3, 1)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(x, before) {
		t.Error("the data have changed")
	}
	if a := matchedShare(truth, labels); a != 1 {
		t.Errorf("accuracy %g", a)
	}
	for j, l := range labels {
		for k := range 3 {
			want := 0.3
			if k == l {
				want = 1.3
			}
			if h.At(k, j) != want {
				t.Fatalf("H[%d,%d] = %g, want %g", k, j, h.At(k, j), want)
			}
		}
	}
	first := slices.Index(labels, 0)
	for i := range 9 {
		var sum float64
		for j := range 30 {
			if labels[j] == 0 {
				sum += x.At(i, j)
			}
		}
		if !near(w.At(i, 0), sum/10, 1e-14) {
			t.Errorf("W[%d,0] = %g, want the mean %g of the group of sample %d", i, w.At(i, 0), sum/10, first)
		}
	}
	_, _, again, _ := kmeansStart(t.Context(), x, 3, 0.3, 1)
	if !reflect.DeepEqual(labels, again) {
		t.Error("other labels from the same seed")
	}
}

func TestKMeansStartDegenerate(t *testing.T) {
	for _, c := range []struct{ m, n, r int }{{1, 1, 1}, {2, 6, 5}, {5, 4, 4}} {
		for _, x := range []*mat.Dense{uniform(c.m, c.n, 1), mat.NewDense(c.m, c.n, nil)} {
			if _, _, _, err := kmeansStart(t.Context(), x, c.r, 0.3, 0); err != nil {
				t.Errorf("%+v: %v", c, err)
			}
		}
	}
	if _, _, _, err := kmeansStart(t.Context(), uniform(5, 3, 1), 4, 0.3, 0); !errors.Is(err, ErrRank) {
		t.Error(err)
	}
	if _, _, _, err := kmeansStart(t.Context(), uniform(5, 3, 1), 2, -1, 0); !errors.Is(err, ErrParameter) {
		t.Error(err)
	}
}
