package panel

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// A matrix that was packed comes back with the same bits, also −0 and NaN, and without its zeros.
func TestPacked(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 7, 63, 64, 65, 300} {
		v := mat.NewDense(n, 3, nil)
		stored := 0
		for i := range n {
			for j := range 3 {
				if x := []float64{0, 0, 0, 1.5, math.Copysign(0, -1), math.NaN(), 1e-320}[rng.IntN(7)]; math.Float64bits(x) != 0 {
					v.Set(i, j, x)
					stored++
				}
			}
		}
		p := pack(v)
		got := p.dense()
		for i := range n {
			for j := range 3 {
				if math.Float64bits(got.At(i, j)) != math.Float64bits(v.At(i, j)) {
					t.Fatalf("%d rows: entry %d, %d is %g, want %g", n, i, j, got.At(i, j), v.At(i, j))
				}
			}
		}
		if len(p.values) != stored {
			t.Errorf("%d rows: %d entries are stored, want %d", n, len(p.values), stored)
		}
	}
	if pack(nil).dense() != nil {
		t.Error("nil does not stay nil")
	}
}
