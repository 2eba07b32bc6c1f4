package rnmf_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/robustnmf/robustnmf/rnmf"
)

// Quantiles are those of the sorted values to the width of a bin, and the mean
// is exact.
func TestResiduals(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for n := 1; n < 120; n++ {
		s := make([]float64, n)
		top := math.Pow(10, 500*rng.Float64()-250)
		for i := range s {
			switch rng.IntN(6) {
			case 0: // zeros and ties
			case 1:
				s[i] = top
			default:
				s[i] = top * math.Pow(10, -20*rng.Float64())
			}
		}
		r := NewResiduals(s...)
		if r.N() != n {
			t.Fatal(n, r.N())
		}
		sorted := slices.Sorted(slices.Values(s))
		count := 0
		last := -1.0
		for v, c := range r.All() {
			for _, x := range sorted[count:][:c] {
				if math.Abs(v-x) > 0.004*x {
					t.Fatalf("n = %d: %g counted at %g", n, x, v)
				}
			}
			if v <= last {
				t.Fatalf("n = %d: %g after %g", n, v, last)
			}
			last = v
			count += c
		}
		for i, want := range sorted {
			p := (float64(i) + 0.5) / float64(n)
			if got := r.Quantile(p); math.Abs(got-want) > 0.004*want {
				t.Fatalf("n = %d: quantile %g is %g, want %g", n, p, got, want)
			}
		}
	}
	r := NewResiduals()
	if r.N() != 0 || r.Mean() != 0 || r.Quantile(0.5) != 0 {
		t.Error("of nothing:", r.N(), r.Mean(), r.Quantile(0.5))
	}
	// Within a bin the quantile is interpolated.
	s := make([]float64, 100001)
	for i := range s {
		s[i] = float64(i) / 1e5
	}
	if got := NewResiduals(s...).Quantile(0.5); math.Abs(got-0.5) > 1e-4 {
		t.Error("median", got)
	}
}
