package ising

import (
	"math"
	"math/rand/v2"
	"testing"
)

// naiveEnergy counts each pair of neighbours by their distance.
func naiveEnergy(f Field, z []bool, cost []float64) (sum float64) {
	for i := range z {
		if z[i] {
			sum += cost[i]
		}
		for k := range i {
			far := math.Abs(float64(i/f.Width-k/f.Width)) + math.Abs(float64(i%f.Width-k%f.Width))
			if far == 1 && z[i] != z[k] {
				sum += f.B
			}
		}
	}
	return sum
}

// labels are the bits of a number.
func labels(n, bits int) []bool {
	z := make([]bool, n)
	for i := range z {
		z[i] = bits>>i&1 == 1
	}
	return z
}

// No labels of a whole row or column, all tried, are better than those left; a
// single row ends at the very minimum; and of a small image most do.
func TestIsing(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	best, all := 0, 0
	for trial := range 200 {
		f := Field{1 + trial%3, 1 + rng.IntN(4), rng.Float64()}
		if trial%10 == 0 {
			f = Field{1, 10, rng.Float64()}
		}
		n := f.Height * f.Width
		cost, z := make([]float64, n), labels(n, rng.IntN(1<<n))
		for i := range cost {
			cost[i] = 2 * rng.NormFloat64()
		}
		before := naiveEnergy(f, z, cost)
		f.Lower(z, cost)
		after := naiveEnergy(f, z, cost)
		if got := f.Energy(z, cost); math.Abs(got-after) > 1e-12 {
			t.Fatalf("energy %g, want %g", got, after)
		}
		if after > before+1e-12 {
			t.Fatalf("%v: the energy rose from %g to %g", f, before, after)
		}
		least := math.Inf(1)
		for bits := range 1 << n {
			other := labels(n, bits)
			e := naiveEnergy(f, other, cost)
			least = min(least, e)
			if e < after-1e-12 && inOneLine(f, z, other) {
				t.Fatalf("%v: %v has %g, the line %v only %g", f, z, after, other, e)
			}
		}
		if f.Height == 1 && after > least+1e-12 {
			t.Fatalf("%v: a row at %g, not %g", f, after, least)
		}
		all++
		if after <= least+1e-12 {
			best++
		}
	}
	if best < all*9/10 {
		t.Errorf("%d of %d at the minimum", best, all)
	}
}

// inOneLine tells whether labels differ in one row or in one column only.
func inOneLine(f Field, a, b []bool) bool {
	var rows, cols = map[int]bool{}, map[int]bool{}
	for i := range a {
		if a[i] != b[i] {
			rows[i/f.Width], cols[i%f.Width] = true, true
		}
	}
	return len(rows) == 1 || len(cols) == 1
}
