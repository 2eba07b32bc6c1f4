package drive

import (
	"math"
	"testing"
)

// A Driver leads a fit through an estimate of its scale, a rejected extrapolation, the check of the scale
// that it ends with, and to its end; it does so too if its state is copied between any two calls.
func TestDriver(t *testing.T) {
	sizes := Sizes{Penalties: func() float64 { return 0 }, Usual: func() float64 { return math.Inf(1) }, Rounding: []func() float64{func() float64 { return 0 }}}
	no := func() bool { return false }
	d := New(Options{MaxIter: 9, Tol: 0.01, Extrapolates: true}, 0, true)
	for i, c := range []struct {
		phase     Phase
		objective float64
		alike     bool
		plan      Plan
		verdict   Verdict
	}{
		{Measuring, math.NaN(), true, Plan{Measure: true}, Verdict{Tune: true}},
		// The estimates are alike, so the scale rests, and factors are extrapolated across estimates.
		{Stepping, 10, true, Plan{Judge: true, Step: true, Retuned: true, Keep: true}, Verdict{Record: true, Keep: true, Advance: true}},
		{Stepping, 5, true, Plan{Round: 1, Judge: true, Step: true, Keep: true, Beta: firstBeta}, Verdict{Record: true, Keep: true, Advance: true}},
		{Stepping, 6, true, Plan{Round: 2, Judge: true, Measure: true}, Verdict{}},
		{Redoing, math.NaN(), true, Plan{Redo: true, Round: 2}, Verdict{Advance: true}},
		{Stepping, 4, true, Plan{Round: 2, Judge: true, Measure: true}, Verdict{Record: true, Keep: true, Tune: true}},
		{Renewing, 4.5, true, Plan{Round: 2, Judge: true, Step: true, Retuned: true, Keep: true}, Verdict{Advance: true}},
		// A round that changes next to nothing asks for a look at the scale, which has moved.
		{Stepping, 4.49, true, Plan{Round: 3, Judge: true, Step: true, Keep: true, Beta: firstBeta / shrinkBeta}, Verdict{Record: true}},
		{Checking, math.NaN(), false, Plan{Round: 3, Measure: true}, Verdict{Keep: true, Tune: true}},
		{Renewing, 4, true, Plan{Round: 3, Judge: true, Step: true, Retuned: true, Keep: true, Beta: firstBeta / shrinkBeta}, Verdict{Advance: true}},
		// No number is gone back from once, and then ends the fit.
		{Stepping, math.NaN(), true, Plan{Round: 4, Judge: true, Step: true, Keep: true, Beta: growBeta * (firstBeta / shrinkBeta)}, Verdict{}},
		{Redoing, math.NaN(), true, Plan{Redo: true, Round: 4}, Verdict{Advance: true}},
		{Stepping, math.NaN(), true, Plan{Round: 4, Judge: true, Step: true, Keep: true}, Verdict{Restore: true}},
	} {
		estimate := func() Estimate {
			return Estimate{Alike: func(float64) bool { return c.alike }, Use: func() bool { return true }}
		}
		if d.Phase != c.phase {
			t.Fatalf("%d: phase %d, want %d", i, d.Phase, c.phase)
		}
		plan := d.Next()
		e := d
		v := e.Take(Seen{Objective: c.objective, Estimate: estimate, Same: no, Minimal: no, Collapsed: no, Sizes: sizes})
		if v.Tune {
			e.Tune(estimate())
		}
		if plan != c.plan || v != c.verdict {
			t.Errorf("%d: plan %+v and verdict %+v, want %+v and %+v", i, plan, v, c.plan, c.verdict)
		}
		d = e
	}
	if d.Reason != Diverged || d.Phase != Ended {
		t.Errorf("the end is %d in phase %d", d.Reason, d.Phase)
	}
}
