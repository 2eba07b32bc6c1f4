package kmeans

import (
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/testkit"
	"github.com/robustnmf/robustnmf/rnmf/internal/work"
)

// checkClustering checks that clusters are full, centroids their means, the
// inertia theirs, and each sample with its nearest centroid.
func checkClustering(t *testing.T, x *mat.Dense, k int, c *Clustering) {
	t.Helper()
	m, n := x.Dims()
	size := make([]float64, k)
	mean := mat.NewDense(m, k, nil)
	for j, l := range c.Labels {
		size[l]++
		for i := range m {
			mean.Set(i, l, mean.At(i, l)+x.At(i, j))
		}
	}
	for l, s := range size {
		if s == 0 {
			t.Fatalf("cluster %d is empty: %v", l, c.Labels)
		}
		for i := range m {
			mean.Set(i, l, mean.At(i, l)/s)
		}
	}
	if !mat.EqualApprox(mean, c.Centroids, 1e-12) {
		t.Fatal("centroids are not the means")
	}
	distance := func(j, l int) float64 {
		var d float64
		for i := range m {
			d += (x.At(i, j) - mean.At(i, l)) * (x.At(i, j) - mean.At(i, l))
		}
		return d
	}
	var inertia float64
	for j, l := range c.Labels {
		own := distance(j, l)
		inertia += own
		for other := range k {
			if distance(j, other) < own-1e-9 {
				t.Fatalf("sample %d of %d is nearer to %d than to its cluster %d", j, n, other, l)
			}
		}
	}
	if !testkit.Near(inertia, c.Inertia, 1e-12) {
		t.Fatalf("inertia %g, want %g", c.Inertia, inertia)
	}
}

func TestDegenerate(t *testing.T) {
	constant := mat.NewDense(2, 6, nil)
	for j := range 6 {
		constant.SetCol(j, []float64{0.1, 3})
	}
	twice := mat.NewDense(1, 8, []float64{1, 1, 1, 1, 7.7, 7.7, 7.7, 7.7})
	for _, c := range []struct {
		name    string
		x       *mat.Dense
		k       int
		inertia float64
	}{
		{"one sample", mat.NewDense(3, 1, []float64{1, 2, 3}), 1, 0},
		{"k = n", testkit.Uniform(3, 7, 1), 7, 0},
		{"k = n, many features", testkit.Uniform(300, 7, 1), 7, 0},
		{"constant, k = 1", constant, 1, 0},
		{"constant, k = 4", constant, 4, 0},
		{"constant, k = n", constant, 6, 0},
		{"zeros", mat.NewDense(4, 5, nil), 3, 0},
		{"duplicates, k = 2", twice, 2, 0},
		{"duplicates, k = 5", twice, 5, 0},
		{"huge", testkit.Scaled(testkit.Uniform(2, 9, 1), 1e100), 9, 0},
		{"k = 1", mat.NewDense(1, 4, []float64{0, 1, 2, 3}), 1, 5},
		{"an outlier", mat.NewDense(1, 5, []float64{0, 1, 10, 11, 1e9}), 3, 1},
	} {
		got := Fit(c.x, Options{K: c.k}, work.Never)
		checkClustering(t, c.x, c.k, got)
		if !testkit.Near(got.Inertia, c.inertia, 1e-14) || got.Rounds > 10 {
			t.Errorf("%s: inertia %g, want %g, after %d rounds", c.name, got.Inertia, c.inertia, got.Rounds)
		}
	}
}

// Both ways to take inner products reach means of nearest samples, on shapes
// and duplicates of all kinds.
func TestProperties(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	ways := map[bool]int{}
	for range 150 {
		m, n := 1+rng.IntN(30), 1+rng.IntN(60)
		x := mat.NewDense(m, n, nil)
		levels := 1 + rng.IntN(5)
		for i := range m {
			for j := range n {
				x.Set(i, j, float64(rng.IntN(levels))+0.1)
			}
		}
		s := Options{K: 1 + rng.IntN(n), Restarts: 1 + rng.IntN(3), Seed: rng.Uint64()}
		ways[newSamples(x, s.K, s.Restarts, work.Never).gram != nil]++
		c := Fit(x, s, work.Never)
		if c.Rounds >= 300 {
			t.Errorf("%d×%d, %+v: no end", m, n, s)
		}
		checkClustering(t, x, s.K, c)
	}
	if ways[true] < 20 || ways[false] < 20 {
		t.Errorf("ways taken: %v", ways)
	}
}

// The Gram matrix is a shortcut, not another algorithm.
func TestWaysAgree(t *testing.T) {
	x := testkit.Uniform(50, 120, 6)
	for seed := range uint64(20) {
		var got [2][]int
		for i := range got {
			s := newSamples(x, 8, 1000, work.Never)
			if s.gram == nil {
				t.Fatal("no Gram matrix")
			}
			if i == 1 {
				s.gram = nil
			}
			run := lloyd{samples: s, k: 8, rng: rand.New(rand.NewPCG(seed, 0))}
			got[i], _ = run.fit(300, work.Never)
		}
		if !reflect.DeepEqual(got[0], got[1]) {
			t.Errorf("seed %d: %v with the Gram matrix, %v without", seed, got[0], got[1])
		}
	}
}

func TestSameSeedSameBits(t *testing.T) {
	for _, x := range []*mat.Dense{testkit.Uniform(400, 150, 7), testkit.Uniform(3, 2000, 7)} {
		s := Options{K: 6, Seed: 9}
		want := Fit(x, s, work.Never)
		before := runtime.GOMAXPROCS(1)
		got := Fit(x, s, work.Never)
		runtime.GOMAXPROCS(before)
		if !reflect.DeepEqual(got, want) {
			t.Error("other bits on one processor")
		}
	}
}

func TestStopsEarly(t *testing.T) {
	x := testkit.Uniform(5, 200, 8)
	last := math.Inf(1)
	for rounds := 1; rounds < 30; rounds++ {
		c := Fit(x, Options{K: 7, Restarts: 1, MaxIter: rounds}, work.Never)
		if c.Rounds > rounds || c.Inertia > last+1e-12 {
			t.Fatalf("round %d: inertia rose from %g to %g", rounds, last, c.Inertia)
		}
		last = c.Inertia
	}
}
