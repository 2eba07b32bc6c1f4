package drive

import "math"

// A Driver leads a fit. Next says what its backend, which has the data and the factors, does next; Take
// gets what the backend saw on the way, and says what becomes of the factors. Its fields are its whole
// state, which a backend may store and restore between any two calls.
//
// A round is the half-step of H and that of W. The objective of its factors needs their residuals, with
// which the H half-step of the next round begins. So the backend does both at once: it looks at the
// factors at hand and has the next H ready, and only if these factors are kept does it go on with that H,
// and with W. The objective costs next to nothing then.
type Driver struct {
	Options
	Scale Scale
	Push  Momentum
	Phase Phase

	Round   int  // of the factors at hand, 0 for the start
	Since   int  // rounds since the last objective, 0 if that of the factors at hand is known
	Wanted  bool // the objective of the factors at hand is wanted, whatever TraceEvery is
	Tuned   bool // the scale was estimated at the factors at hand
	Shorter bool // the last W half-step was made shorter
	Aside   bool // better factors than the last ones, at the same scale, are put aside

	First float64 // the objective of the start
	Last  float64 // that of the last factors that were kept, at the present scale
	Best  float64 // the least one at the present scale
	Now   float64 // that of the factors at hand, while their scale is checked

	Reason Reason
}

// Options are what a caller asks of a fit: see rnmf.Model.
type Options struct {
	MaxIter      int
	TraceEvery   int
	Tol          float64
	Extrapolates bool // the solvers let their factors be extrapolated
	Descends     bool // rounding errors alone raise the objective: no factors are put aside
}

// A Reason says why a fit ended; the numbers are those of rnmf.Reason.
type Reason int

// The reasons that a Driver gives. Only its caller cancels.
const (
	Converged Reason = iota + 1
	MaxIter
	Stalled
	Diverged
	Cancelled
	Collapsed
)

// A Phase is what a Driver waits for.
type Phase int

const (
	Measuring Phase = iota // the residuals of the start
	Stepping               // the objective of the factors at hand, and the half-steps of the next round
	Renewing               // the same after a new scale, at which the objective is to be known
	Checking               // the residuals of a fit that has converged
	Redoing                // the W half-step from the factors before they were extrapolated too far
	Ended
)

// A Plan is what a backend does next, before it calls Take.
type Plan struct {
	Round   int     // of the factors at hand, 0 for the start
	Judge   bool    // find the objective of the factors at hand; without it that may be left out
	Measure bool    // collect their residuals
	Step    bool    // do the H half-step of the next round
	Redo    bool    // go back to the last factors that were kept and the H of the half-step after them
	Retuned bool    // the loss has another scale than in the last round
	Keep    bool    // the next factors are extrapolated: keep them as they were before that
	Beta    float64 // how far, 0 if there is nothing to extrapolate from
}

// Seen is what a backend saw at the factors at hand. The functions are asked where the answer matters.
type Seen struct {
	Objective float64 // NaN if it was not wanted, or cannot be
	// Estimate lets the loss estimate its scale from the residuals of the plan.
	Estimate func() Estimate
	// Same reports whether the round has changed nothing at all.
	Same func() bool
	// Minimal reports whether factors that do not change are at a minimum.
	Minimal func() bool
	// Still reports whether the factors hardly move; nil if nobody knows.
	Still func() bool
	// Collapsed reports whether penalties have made all factors 0.
	Collapsed func() bool
	// CanShorten: the backend can make a W half-step shorter, so that it does not raise the objective.
	CanShorten bool
	Sizes
}

// An Estimate is that of a scale.
type Estimate struct {
	Settled     bool // it is the last one
	Preliminary bool // the next loss is a rnmf.Preliminary
	// Alike reports whether it differs from the present scale by at most a share.
	Alike func(share float64) bool
	// Use makes it the scale of the loss, and reports whether that is possible.
	Use func() bool
}

// A Verdict is what becomes of the factors at hand, in this order.
type Verdict struct {
	Record   bool // the objective belongs to the trace, as that of the round of the plan
	Restore  bool // go back to the last factors that were kept: the fit is over
	PutAside bool // the last factors that were kept are better: put them aside
	Improved bool // drop those that were put aside
	Keep     bool // keep these, to go back to
	Shorten  bool // replace W by that of a shorter step from the last one, which leaves H
	Tune     bool // estimate the scale from the residuals of the plan, for Driver.Tune
	Advance  bool // go on with the H of the half-step, then W, then their extrapolation
}

// New returns a driver that begins a fit. tuneFor is rnmf.Model.TuneFor, and tunes says that the loss
// estimates its scale.
func New(o Options, tuneFor int, tunes bool) Driver {
	d := Driver{Options: o, Phase: Stepping, Scale: Scale{For: tuneFor, On: tunes}}
	if tunes {
		d.Phase = Measuring
	}
	return d
}

// Known reports whether the objective of the factors at hand is known, once Take has been called.
func (d *Driver) Known() bool { return d.Since == 0 || d.Phase == Checking }

// Next returns the next plan; the same one until Take is called.
func (d *Driver) Next() Plan {
	p := Plan{Round: d.Round}
	switch d.Phase {
	case Measuring, Checking:
		p.Measure = true
		return p
	case Redoing:
		p.Redo = true
		return p
	case Ended:
		return p
	}
	steady := true
	if d.Phase == Renewing {
		p.Judge, p.Step, steady = true, true, false
	} else {
		more := d.Round < d.MaxIter
		known := d.Round > 0 && d.Since == 0
		p.Judge = !known && (d.Round == 0 || d.Wanted || !more || d.Since >= d.TraceEvery)
		p.Measure = p.Judge && more && d.Round > 0 && d.Scale.Due(d.Round+1)
		p.Step = more && !p.Measure
		steady = !d.Scale.Due(d.Round + 2)
	}
	p.Retuned = p.Step && d.Tuned
	if p.Keep = p.Step && d.Extrapolates && (steady || d.Scale.Rests()); p.Keep {
		next := d.Push.Accepted()
		p.Beta = next.Begin()
	}
	return p
}

// Take gets what the backend saw as it did the Plan that Next returned.
func (d *Driver) Take(s Seen) (v Verdict) {
	p := d.Next()
	switch d.Phase {
	case Measuring:
		d.Phase, v.Tune = Stepping, true
	case Checking:
		d.check(s, &v)
	case Redoing:
		d.Phase, v.Advance = Stepping, true
	case Renewing:
		if d.Last, d.Best = s.Objective, s.Objective; !finite(s.Objective) {
			d.end(Diverged)
			v.Restore = true
			return v
		}
		d.advance(p, &v)
	case Stepping:
		if p.Judge {
			d.judge(p, s, &v)
		} else {
			d.advance(p, &v)
		}
	}
	return v
}

// judge decides about factors by their objective.
func (d *Driver) judge(p Plan, s Seen, v *Verdict) {
	switch {
	case d.Round == 0 && finite(s.Objective):
		d.First, d.Best = s.Objective, s.Objective
	case d.Round > 0 && !d.Push.Accepts(s.Objective, d.Last, d.Tol):
		d.Push, d.Phase = d.Push.Rejected(), Redoing
		return
	case d.Round > 0 && s.CanShorten && !d.Shorter && s.Objective > d.Last+1e-12*math.Abs(d.Last):
		d.Shorter, v.Shorten = true, true
		return
	}
	reason := d.stop(s)
	if reason == Diverged {
		d.end(reason)
		v.Restore = d.Round > 0
		return
	}
	v.Record = true
	d.compare(s.Objective, v)
	switch {
	case reason == Converged && !d.Aside && d.Scale.ChecksAtEnd():
		d.Phase, d.Now = Checking, s.Objective
	case reason != 0:
		d.end(reason)
	default:
		d.keep(s.Objective, v)
		switch {
		case p.Step:
			d.advance(p, v)
		case !d.Aside: // factors that are worse than others at this scale set no new one
			d.Phase, v.Tune = Renewing, true
		}
	}
}

// compare compares an objective with the best one. A solver that does not descend, as that of the RRA
// paper as printed, must not lose its best factors.
func (d *Driver) compare(objective float64, v *Verdict) {
	switch {
	case objective <= d.Best+1e-9*math.Abs(d.Best):
		d.Best = min(objective, d.Best)
		d.Aside, v.Improved = false, d.Aside
	case !d.Aside && !d.Descends:
		d.Aside, v.PutAside = true, true
	}
}

// keep accepts the factors at hand.
func (d *Driver) keep(objective float64, v *Verdict) {
	d.Last, d.Since, d.Shorter, v.Keep = objective, 0, false, true
	d.Push = d.Push.Accepted()
}

// advance goes on to the next round.
func (d *Driver) advance(p Plan, v *Verdict) {
	v.Advance = true
	if p.Keep {
		d.Push.Begin()
	} else {
		d.Push = Momentum{}
	}
	// Rounds around an estimate and those with an extrapolation are compared with the one before.
	d.Wanted = p.Keep || d.Phase == Renewing || d.Scale.Due(d.Round+2)
	d.Round, d.Since, d.Tuned, d.Phase = d.Round+1, d.Since+1, false, Stepping
}

// Tune takes the estimate that a verdict asks for.
func (d *Driver) Tune(e Estimate) {
	round := 0
	if d.Phase == Renewing {
		round = d.Round + 1
	}
	d.Scale.Estimated(round, e.Settled, e.Preliminary, func() bool { return e.Alike(RestShare) })
	d.Tuned = e.Use() && d.Scale.On
}

// check ends a fit that has converged if its scale is a fixed point of its rule, and lets it go on with
// the scale of that rule if not.
func (d *Driver) check(s Seen, v *Verdict) {
	switch {
	case s.Estimate().Alike(FixedShare):
		d.end(Converged)
	case d.Round >= d.MaxIter:
		d.end(MaxIter)
	default:
		d.keep(d.Now, v)
		d.Phase, v.Tune = Renewing, true
	}
}

// end ends the fit.
func (d *Driver) end(reason Reason) { d.Reason, d.Phase = reason, Ended }

// stop returns the reason to end the fit with the factors at hand, or 0.
func (d *Driver) stop(s Seen) (reason Reason) {
	switch {
	case !finite(s.Objective):
		return Diverged
	case d.Round == 0:
		return 0
	case d.explodes(s):
		return Diverged
	case s.Same():
		reason = Stalled
		if s.Objective == 0 || s.Minimal() {
			reason = Converged // at a minimum nothing can change
		}
	case d.settled(s):
		reason = Converged
	case d.Round >= d.MaxIter:
		reason = MaxIter
	}
	if reason != 0 && s.Collapsed() {
		return Collapsed
	}
	return reason
}

// explodes reports whether the objective rose tenfold, by more than rounding errors.
func (d *Driver) explodes(s Seen) bool {
	limit := 10 * (math.Abs(d.First) + math.Abs(d.Last))
	return s.Objective > limit && s.Objective > limit+s.Rounding[len(s.Rounding)-1]()
}

// settled reports whether the fit has converged since the last objective.
func (d *Driver) settled(s Seen) bool {
	if d.Scale.Preliminary {
		return false
	}
	return Change{From: d.Last, To: s.Objective, Tol: float64(d.Since) * d.Tol, Sizes: s.Sizes, Still: s.Still}.Settled()
}

// finite reports whether x is a number.
func finite(x float64) bool { return !math.IsNaN(x - x) }
