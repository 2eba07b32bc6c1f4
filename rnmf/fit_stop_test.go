package rnmf_test

import (
	"testing"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest/parts"
	. "github.com/robustnmf/robustnmf/rnmf/papers"
)

// The bound at hand is one, under every loss and mask, with gross entries too.
func TestRoundingAtMost(t *testing.T) {
	x, _ := gross(0.05, 1e6, false)
	for maskName, in := range Masks(x, 2) {
		for _, loss := range append(FixedLosses, TunedLosses...) {
			m := Model{Rank: 3, Loss: loss}
			if in[1] != nil {
				m.Mask = in[1]
			}
			f, err := StartOf(t.Context(), m, in[0])
			if err != nil {
				t.Fatal(err)
			}
			// WH as large as the gross entries
			if most, exact := f.Rounding(1e7); !(most >= exact) {
				t.Errorf("%s, mask %s: %g, bound %g", LossName(loss), maskName, exact, most)
			}
		}
	}
}

// A loss that changes on its way gets to its end before Tol or TuneFor end anything:
// RobustNMF to its second stage, MahNMF's μ to a twentieth of the first.
func TestStagesReachTheirEnd(t *testing.T) {
	var work []func()
	take := OneIn(t, 4)
	for seed := range uint64(16) {
		m, rank := 10+int(seed%3)*5, 1+int(seed/3%3)
		if seed == 15 {
			m, rank = 15, 1 // where Tol 0.01 once ended the first stage
		}
		x, _ := Planted(m, 20, rank, 0.05*float64(seed%2), 0.1, seed)
		for _, limits := range []Model{{Tol: 1e-2}, {TuneFor: 10}, {Tol: 0.5, TuneFor: 1, TraceEvery: 3}} {
			if !take() {
				continue
			}
			limits.Rank, limits.Seed = rank, seed
			work = append(work, func() {
				model := limits
				model.Loss = MMEstimator{}
				if r := TryFit(t, model, x); r != nil {
					if end, ok := r.Loss.(Truncated); !ok || end.Loss != (Frobenius{}) {
						t.Errorf("seed %d, Tol %g, TuneFor %d: %v after %d rounds at %s", seed, model.Tol, model.TuneFor, r.Reason, len(r.Trace)-1, LossName(r.Loss))
					}
				}
			}, func() {
				model := limits
				model.Loss, model.Solver = SmoothL1{}, OGM{}
				if r := TryFit(t, model, x); r != nil {
					if first, last := r.Trace[0].Scale, ScaleNow(r.Loss); !Nearly(last, first/20, 1e-12) {
						t.Errorf("seed %d, Tol %g, TuneFor %d: %v after %d rounds, μ from %g to %g", seed, model.Tol, model.TuneFor, r.Reason, len(r.Trace)-1, first, last)
					}
				}
			})
		}
	}
	SideBySide(work)
}

// The Result of a Step has no Reason yet.
func TestReasonOfAStep(t *testing.T) {
	if Reason(0).String() != "running" {
		t.Errorf("the Result of a Step is %q", Reason(0))
	}
}
