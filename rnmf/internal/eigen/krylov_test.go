package eigen

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/work"
)

// Share finds the fewest of the largest, whatever they share, or nothing.
func TestShare(t *testing.T) {
	const n = 400
	found := 0
	for name, a := range laplacians(n) {
		all := All(a, work.Never)
		for _, share := range []float64{0.01, 0.04, 0.9} {
			enough := share * mat.Trace(a)
			p := Share(a, enough, work.Never)
			if p == nil {
				continue
			}
			found++
			checkPairs(t, name, a, p, all.Values, 1e-6)
			var sum float64
			for _, v := range p.Values {
				sum += v
			}
			k := len(p.Values)
			if sum < enough || sum-p.Values[k-1] >= enough {
				t.Errorf("%s: %d values have %g, want %g", name, k, sum, enough)
			}
			if p.Rest < all.Values[k]*(1-1e-9) {
				t.Errorf("%s: %g is left out, rest %g", name, all.Values[k], p.Rest)
			}
		}
	}
	if found < 7 {
		t.Errorf("found only %d", found)
	}
	if Share(laplacians(n)["ring"], 1, func() bool { return true }) != nil {
		t.Error("not stopped")
	}
}
