package rnmf

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"
)

// A fit is the state of a running factorisation. Both factors have r rows, so that both half-steps
// are the same code.
type fit struct {
	model            Model      // with defaults in place of zeros
	survey                      // of X
	wt, h            *mat.Dense // r×m, r×n
	solverW, solverH Solver
	onlyH            bool // W stays as it is
	pool             *workspace

	loss      Loss       // at the scale of the round
	rho       Loss       // its ρ, without ByColumn
	columns   bool       // loss is ByColumn: ρ is taken of norms of columns
	tuning    Tuning     // estimates the scale; nil if that is given or final
	interim   bool       // the loss is an Interim
	residuals *Residuals // from which the next scale is estimated; nil if none is
	retuned   bool       // the scale was estimated for this round
	tuneAt    int        // once the scale rests: the round of the next estimate

	// The H half-step of the next round, on a copy of H.
	next        *mat.Dense
	ahead       bool      // next is up to date
	cross, gram []float64 // WᵀX and WᵀW from that half-step; nil if unknown

	trace   Trace
	reason  Reason
	wrong   error         // in a loss or penalty, found on the way: it ends the fit
	reached float64       // the objective of the factors once run is over
	spent   time.Duration // in the algorithm
	due     time.Duration // in what was done ahead; part of spent once it is used
}

// run does rounds until there is a reason to stop. It calls seen after each; the fit also ends,
// without a reason, when seen returns false.
//
// The objective of a round needs the residuals of its factors, with which the H half-step of the
// next round begins. So that half-step is done ahead, on a copy of H: the objective is nearly free.
func (f *fit) run(seen func() bool) {
	f.next = mat.DenseCopyOf(f.h)
	if !f.begin() {
		f.reason = Cancelled
		return
	}
	if !seen() {
		return
	}
	first := f.trace[0].Objective
	best := kept{objective: first} // at this scale
	var last kept                  // the last one whose objective is known
	var push momentum
	since := 0 // rounds since the last one whose objective is known
	for round := 1; f.reason == 0; round++ {
		if since == 0 {
			last.keep(f.wt, f.h, f.trace[len(f.trace)-1].Objective)
		}
		since++
		scale := f.loss
		// Factors that are worse than others at the last scale set no new scale.
		retuned := round > 1 && f.residuals != nil && best.wt == nil
		if retuned {
			f.tune(round)
			if last.objective = f.lookAhead(); !f.pool.Stop() {
				best = kept{objective: last.objective}
			}
		}
		steady := !retuned && !f.tunesIn(round+1) // the scale is the same before and after
		more := round < f.model.MaxIter
		extrapolates := (steady || f.tuneAt > 0) && f.extrapolates()
		traced := since >= f.model.TraceEvery || !more || !steady || extrapolates

		f.updateH()
		cross, gram := f.cross, f.gram
		if !extrapolates {
			push.reset()
			f.updateW()
		} else {
			push.extrapolate(0, f.h)
			f.updateW()
			push.extrapolate(1, f.wt)
		}
		objective := math.NaN()
		switch {
		case !f.valid():
			traced = true
		case !traced:
			f.prepareH(nil)
		case extrapolates:
			objective = f.evaluate(round, true)
			// An extrapolation that gains next to nothing went too far, and must not end the fit.
			least := max(f.model.Tol, 1e-9) * math.Abs(last.objective)
			if !push.tried || objective <= last.objective-least || f.pool.Stop() {
				push.accept()
				break
			}
			// Repeat the round without extrapolation. Its H half-step is already there.
			push.reject()
			f.countAhead()
			f.ahead = false
			f.h.Copy(push.plain[0])
			f.wt.Copy(last.wt)
			f.cross, f.gram = cross, gram
			f.updateW()
			objective = f.evaluate(round, more)
		default:
			objective = f.evaluate(round, more)
		}

		if f.pool.Stop() {
			f.wt, f.h = last.wt, last.h
			f.setLoss(scale)
			f.reason = Cancelled
			break
		}
		if !traced {
			continue
		}
		f.reason = f.stop(&last, first, objective, round, since)
		if f.reason == Converged && best.wt == nil && !f.scaleHolds() {
			if f.reason = 0; !more {
				f.reason = MaxIter
			}
		}
		since = 0
		if f.reason == Diverged {
			f.wt, f.h = last.wt, last.h
		} else {
			f.record(round, objective)
			if !seen() {
				return
			}
		}
		// A solver that does not descend (RRA as printed) must not lose the best factors.
		switch {
		case f.reason != Diverged && objective <= best.objective+1e-9*math.Abs(best.objective):
			best = kept{objective: min(objective, best.objective)}
		case best.wt == nil:
			best.keep(last.wt, last.h, best.objective)
		}
	}
	f.reached = f.trace[len(f.trace)-1].Objective
	if best.wt != nil {
		f.wt, f.h, f.reached = best.wt, best.h, best.objective
	}
}

// begin finds the scale and the objective of the start. If the fit is cancelled meanwhile it goes
// on only where that is little work, or returns false.
func (f *fit) begin() bool {
	scale := func() {
		if f.tuning != nil {
			f.measure()
			f.tune(0)
		}
	}
	if f.little() {
		f.toTheEnd(scale)
	} else {
		scale()
	}
	objective := f.lookAhead()
	if f.pool.Stop() {
		if !f.little() {
			return false
		}
		f.toTheEnd(func() { objective = f.objective() })
	}
	if f.wrong = cmp.Or(f.wrong, f.wantNumber(objective)); f.wrong != nil {
		return false
	}
	f.record(0, objective)
	return true
}

// wantNumber names what makes the objective no finite number.
func (f *fit) wantNumber(objective float64) error {
	if !math.IsNaN(objective - objective) { // ∞ − ∞ is NaN, too
		return nil
	}
	for p, v := range f.eachPenalty {
		if s := p.Value(v); math.IsNaN(s - s) {
			return errParameter(fmt.Sprintf("the Value of %T", p), s, "a finite number")
		}
	}
	return errParameter(fmt.Sprintf("the objective under %T", f.rho), objective, "a finite number")
}

// little reports whether a pass over the data takes some milliseconds at most.
func (f *fit) little() bool {
	m, n := f.x.Dims()
	return m*n*f.model.Rank <= 1<<24
}

// evaluate returns the objective of the current factors. On the way it measures the residuals for
// the next scale or does the next H half-step, unless the round is the last.
func (f *fit) evaluate(round int, more bool) float64 {
	switch {
	case f.pool.Stop():
		return math.NaN()
	case !more:
		return f.objective()
	case f.tunesIn(round + 1):
		return f.measure()
	}
	f.retuned = false
	return f.lookAhead()
}

// lookAhead does the next H half-step, and returns the objective of the current factors.
func (f *fit) lookAhead() float64 {
	loss := f.prepareH(f.h)
	if math.IsNaN(loss) && !f.pool.Stop() {
		return f.objective() // the solver has not computed it
	}
	return loss + f.penalties()
}

// prepareH does the H half-step of the next round on a copy of H. It returns the loss at from, or
// NaN.
func (f *fit) prepareH(from *mat.Dense) (loss float64) {
	if f.pool.Stop() {
		return math.NaN()
	}
	begin := time.Now()
	q := f.quadratic(false)
	q.seen.from = from
	f.next.Copy(f.h)
	f.improve(q, f.next, f.model.OnH, f.solverH)
	f.ahead, f.cross, f.gram = true, q.seen.cross, q.seen.gram
	f.due += time.Since(begin)
	return q.seen.loss
}

// updateH takes the H that prepareH has made, or makes it.
func (f *fit) updateH() {
	if !f.ahead {
		f.prepareH(f.h)
	}
	f.countAhead()
	f.h, f.next, f.ahead = f.next, f.h, false
}

// updateW does the W half-step.
func (f *fit) updateW() {
	if f.onlyH {
		return
	}
	begin := time.Now()
	f.improve(f.quadraticOfW(), f.wt, f.model.OnW, f.solverW)
	f.cross, f.gram = nil, nil
	f.spent += time.Since(begin)
}

// countAhead adds the time of what was done ahead to that of the algorithm.
func (f *fit) countAhead() {
	f.spent += f.due
	f.due = 0
}

// valid reports whether both factors are numbers, and non-negative where they have to be.
func (f *fit) valid() bool {
	for _, v := range []struct {
		*mat.Dense
		signed bool
	}{{f.wt, leavesSigns(f.solverW)}, {f.h, false}} {
		for _, x := range v.RawMatrix().Data {
			if !(x >= 0) && !(v.signed && x < 0) {
				return false
			}
		}
	}
	return true
}

// improve lowers the quadratic of a half-step.
func (f *fit) improve(q *Quadratic, v *mat.Dense, penalties []Penalty, s Solver) {
	if f.majorize(q, v, penalties); f.wrong != nil {
		return
	}
	s.Improve(q, v)
	if constraint(s) == nil {
		q.minimiseUnused(v)
	}
}

// majorize adds the bounds of penalties to q, and finds the first that makes it no bound.
func (f *fit) majorize(q *Quadratic, v *mat.Dense, penalties []Penalty) {
	for _, p := range penalties {
		p.Majorize(q, v)
		f.wrong = cmp.Or(f.wrong, wantFrom(-math.MaxFloat64, q.c, p, "Linear"), wantFrom(0, q.d, p, "Diagonal"))
	}
}

// extrapolates reports whether the factors are extrapolated between rounds.
func (f *fit) extrapolates() bool { return extrapolates(f.solverW) && extrapolates(f.solverH) }

// kept are factors put aside, and their objective.
type kept struct {
	wt, h     *mat.Dense
	objective float64
}

func (k *kept) keep(wt, h *mat.Dense, objective float64) {
	if k.wt == nil {
		k.wt, k.h = mat.DenseCopyOf(wt), mat.DenseCopyOf(h)
	} else {
		k.wt.Copy(wt)
		k.h.Copy(h)
	}
	k.objective = objective
}

// toTheEnd runs work to its end even if the fit is cancelled.
func (f *fit) toTheEnd(work func()) {
	stop := f.pool.Stop
	f.pool.Stop = func() bool { return false }
	work()
	f.pool.Stop = stop
}

// record adds a round to the trace.
func (f *fit) record(round int, objective float64) {
	p := Point{Round: round, Seconds: f.spent.Seconds(), Objective: objective, Scale: scaleNow(f.loss), KKT: -1}
	if f.model.TraceKKT {
		if p.KKT = f.kkt(); f.pool.Stop() {
			p.KKT = -1
		}
	}
	f.trace = append(f.trace, p)
}

// quadratic sets up a half-step: of W on the transposed data, or of H.
func (f *fit) quadratic(ofW bool) *Quadratic {
	m, n := f.x.Dims()
	r := f.model.Rank
	q := &Quadratic{U: f.wt, m: m, n: n, r: r, data: data{x: f.x, mask: f.mask, norms: f.norms[0]}, loss: f.rho,
		retuned: f.retuned, pool: f.pool, seen: &observed{loss: math.NaN()}}
	q.follows = !ofW && !f.onlyH && len(f.model.OnW) == 0
	q.signedU = !ofW && leavesSigns(f.solverW)
	if f.columns {
		q.sample = columns
	}
	if ofW {
		q.U, q.m, q.n, q.trans, q.norms = f.h, n, m, true, f.norms[1]
		if f.columns {
			q.sample = rows
		}
	}
	q.layout = f.pool.layOut(q.U)
	return q
}

// quadraticOfW is the half-step of W, with the weights of the samples under ByColumn.
func (f *fit) quadraticOfW() *Quadratic {
	q := f.quadratic(true)
	q.weighRows(f.columnSquares)
	return q
}

// weighRows sets the weights of samples that are rows from the squared norms of their residuals.
func (q *Quadratic) weighRows(squares func() []float64) {
	if q.sample != rows || isFrobenius(q.loss) {
		return
	}
	q.row = squares()
	for j, s := range q.row {
		_, q.row[j] = q.loss.Rho(s)
	}
}

// err returns the error that ended a fit: what is wrong with a part, or that of its context.
func (f *fit) err(ctx context.Context) error {
	if f.wrong != nil {
		return f.wrong
	}
	if f.reason == Cancelled {
		return ctx.Err()
	}
	return nil
}
