package rnmf

import "cmp"

// MMEstimator is an MM-estimator (Yohai 1987). First, whose scale is so tight that many outliers are
// shut out, finds a fit and the size of its residuals. From there Then goes on at a fixed scale of
// that size, wide enough to use nearly all good entries. One loss cannot do both: a tight one
// rejects good entries and leaves the factors rough, a wide one fits the outliers if it begins far
// from the data. In the second stage the objective never rises.
//
// First ends when a round has lowered the median residual by less than 1 %, or when the median is a
// fiftieth of that of the start: in data without noise the scale would otherwise shrink faster than
// the fit improves, and shut out good entries.
//
// The default First cuts off at two standard deviations for five rounds, then at three. Where two
// fifths of the data are outliers the first median residual is nearly theirs, and three would let
// them in.
type MMEstimator struct {
	First Loss // nil: Truncated{Loss: Cauchy{}, Rule: NormalThreeSigma}, begun tighter
	Then  Loss // nil: Truncated{Loss: Frobenius{}, Rule: ThreeOrSixSigma}
}

// Rho is that of Then. A fit uses the tuned stages that Tuning returns.
func (l MMEstimator) Rho(s float64) (value, slope float64) {
	_, then := l.stages()
	return then.Rho(s)
}

// Weigh is that of Then.
func (l MMEstimator) Weigh(omega, value, e []float64) {
	_, then := l.stages()
	Weigh(then, omega, value, e)
}

// stages returns both, the defaults where they are nil.
func (l MMEstimator) stages() (first, then Loss) {
	return cmp.Or[Loss](l.First, Truncated{Loss: Cauchy{Printed: true}, Rule: NormalThreeSigma}),
		cmp.Or[Loss](l.Then, Truncated{Loss: Frobenius{}, Rule: ThreeOrSixSigma})
}

// Check finds a bad parameter.
func (l MMEstimator) Check() error {
	for _, stage := range []struct {
		name string
		loss Loss
	}{{"MMEstimator.First", l.First}, {"MMEstimator.Then", l.Then}} {
		if stage.loss != nil {
			if err := cmp.Or(checkInner(stage.name, stage.loss), checkLoss(stage.loss)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Tuning returns the tuned first stage, as a Preliminary, and at last the second, which is final.
func (l MMEstimator) Tuning() Tuning {
	first, then := l.stages()
	tuning, tight := tuningOf(first), 0 // tight: rounds left with the tighter cut-off
	if l.First == nil {
		tight = tightRounds
	}
	// tuned is a stage with the scale that these residuals have.
	tuned := func(stage Loss, tuning Tuning, s *Residuals) Loss {
		if tuning == nil {
			return stage
		}
		next, _ := tuning(s)
		return next
	}
	var start, median float64
	begun := false
	return func(s *Residuals) (Loss, bool) {
		before := median
		median = s.Median()
		low := 0.02 * start
		switch {
		case !begun:
			begun, start = true, median
		case tight == 0 && (median <= before && median > 0.99*before || median < low):
			if median < low {
				s = NewResiduals(low * low)
			}
			return tuned(then, tuningOf(then), s), true
		}
		next := tuned(first, tuning, s)
		if tight > 0 {
			tight--
			t := next.(Truncated)
			t.Cut = max(t.Cut*2/3, leastScale)
			next = t
		}
		return Preliminary{next}, false
	}
}

// tightRounds is how long the default cuts off at two deviations, not three.
const tightRounds = 5
