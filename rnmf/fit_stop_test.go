package rnmf

import (
	"testing"
)

// The bound at hand is one, under every loss and mask, with gross entries too.
func TestRoundingAtMost(t *testing.T) {
	x, _ := gross(0.05, 1e6, false)
	for maskName, in := range masks(x, 2) {
		for _, loss := range append(fixedLosses, tunedLosses...) {
			m := Model{Rank: 3, Loss: loss}
			if in[1] != nil {
				m.Mask = in[1]
			}
			f, err := m.start(t.Context(), in[0], false)
			if err != nil {
				t.Fatal(err)
			}
			f.pool.Open()
			if f.tuning != nil {
				f.measure()
				f.tune()
			}
			f.wt.Scale(1e7, f.wt) // WH as large as the gross entries
			if most, exact := f.roundingAtMost(), f.rounding(); !(most >= exact) {
				t.Errorf("%s, mask %s: %g, bound %g", lossName(loss), maskName, exact, most)
			}
			f.pool.Close()
		}
	}
}
