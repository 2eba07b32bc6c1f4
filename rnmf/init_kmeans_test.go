package rnmf_test

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
)

func TestKMeansStart(t *testing.T) {
	// Three groups of features, each lit up by its own samples.
	x := Scaled(Uniform(9, 30, 3), 0.1)
	var truth []int
	for j := range 30 {
		truth = append(truth, j%3)
		for i := range 3 {
			x.Set(3*(j%3)+i, j, 5+x.At(i, j))
		}
	}
	before := mat.DenseCopyOf(x)
	w, h, labels, err := KMeansStart(t.Context(), x, 3, 0.3, 1)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(x, before) {
		t.Error("the data have changed")
	}
	if a := MatchedShare(truth, labels); a != 1 {
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
		if !Near(w.At(i, 0), sum/10, 1e-14) {
			t.Errorf("W[%d,0] = %g, want the mean %g of the group of sample %d", i, w.At(i, 0), sum/10, first)
		}
	}
	_, _, again, _ := KMeansStart(t.Context(), x, 3, 0.3, 1)
	if !reflect.DeepEqual(labels, again) {
		t.Error("other labels from the same seed")
	}
}

func TestKMeansStartDegenerate(t *testing.T) {
	for _, c := range []struct{ m, n, r int }{{1, 1, 1}, {2, 6, 5}, {5, 4, 4}} {
		for _, x := range []*mat.Dense{Uniform(c.m, c.n, 1), mat.NewDense(c.m, c.n, nil)} {
			if _, _, _, err := KMeansStart(t.Context(), x, c.r, 0.3, 0); err != nil {
				t.Errorf("%+v: %v", c, err)
			}
		}
	}
	if _, _, _, err := KMeansStart(t.Context(), Uniform(5, 3, 1), 4, 0.3, 0); !errors.Is(err, ErrRank) {
		t.Error(err)
	}
	if _, _, _, err := KMeansStart(t.Context(), Uniform(5, 3, 1), 2, -1, 0); !errors.Is(err, ErrParameter) {
		t.Error(err)
	}
}

// Data as large as they may be have scores that are larger; the clusters are those of
// the same data in another unit.
func TestClustersOfLargeData(t *testing.T) {
	x := Uniform(35, 73, 2)
	start := func(unit float64) *mat.Dense {
		scaled := mat.DenseCopyOf(x)
		scaled.Scale(unit, scaled)
		_, h, err := KMeansInit{}.Start(t.Context(), scaled, 5, rand.New(rand.NewPCG(1, 1)))
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	if !sameBits(start(1), start(0x1p332)) { // 8.7e99
		t.Error("other clusters")
	}
}
