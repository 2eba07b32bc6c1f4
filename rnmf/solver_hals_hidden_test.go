package rnmf

import (
	"fmt"
	"testing"
)

// What the mask hides may be as large as it likes: here W₂H₂ is enormous in a column
// of which some rows see nothing. Steps that all entries together suggest are then far
// too long for those rows, and what is left of them must not lose the digits of W.
func TestHiddenGiants(t *testing.T) {
	for seed := range uint64(8) {
		x, _ := planted(7, 31, 3, 0.05, 0.1, seed)
		c := masks(x, seed)["missing"]
		c[1].Set(0, 5, 0)
		c[1].Set(3, 5, 0)
		for _, far := range []float64{1e6, 1e10, 1e14, 1e16} {
			h := uniform(3, 31, seed+2)
			h.Set(1, 5, far)
			for _, loss := range []Loss{Frobenius{}, Cauchy{Scale: 0.1}, ByColumn{Huber{Cut: 1e-6}}} {
				m := Model{Rank: 3, Loss: loss, Mask: c[1], Init: Factors{W: uniform(7, 3, seed+1), H: h}, MaxIter: 12, Tol: -1}
				checkDescent(t, fmt.Sprintf("seed %d, %g, %s", seed, far, lossName(loss)), m, c[0])
			}
		}
	}
}
