package rnmf

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

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

// Data as large as they may be have scores that are larger; the clusters are those of
// the same data in another unit.
func TestClustersOfLargeData(t *testing.T) {
	x := uniform(35, 73, 2)
	start := func(unit float64) *mat.Dense {
		scaled := mat.DenseCopyOf(x)
		scaled.Scale(unit, scaled)
		_, h, err := Clusters{}.Start(t.Context(), scaled, 5, rand.New(rand.NewPCG(1, 1)))
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	if !sameBits(start(1), start(0x1p332)) { // 8.7e99
		t.Error("other clusters")
	}
}
