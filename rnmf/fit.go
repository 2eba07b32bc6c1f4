package rnmf

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/drive"
	"github.com/robustnmf/robustnmf/rnmf/internal/histogram"
)

// A fit is the backend of drive.Driver in memory: the data, the factors, and what is done with them. Both
// factors have r rows, so that both half-steps are the same code.
//
// The objective of some factors needs their residuals, with which the H half-step of the next round begins.
// So one pass over the data does both: while the factors at hand are judged, nextH is already there.
type fit struct {
	model            Model      // with defaults in place of zeros
	dataSummary                 // X itself (x), its mask, and what is known of them
	wt, h            *mat.Dense // r×m, r×n
	solverW, solverH Solver
	onlyH            bool       // W stays as it is
	pool             *workspace // goroutines, and memory that half-steps reuse

	drive drive.Driver // decides what is done next

	loss      Loss             // at the scale of the round
	rho       Loss             // its ρ, without ByColumn
	byColumn  bool             // ρ is taken of norms of columns
	floor     float64          // ε² > 0 if loss is a CellCase
	tuning    Tuning           // estimates the scale; nil if that is given
	residuals *Residuals       // from which the next scale is estimated
	counts    histogram.Counts // memory for these
	estimated *drive.Estimate  // from these, nil until it is asked for
	retuned   bool             // the scale was estimated for this round
	recorded  Loss             // that of the last point of the trace

	nextH   *mat.Dense    // the H of the next round
	sawNext observed      // what its half-step saw; nothing where that is still to be done
	saw     observed      // what the half-step of the present H saw
	plain   [2]*mat.Dense // H and Wᵀ of the round before it was extrapolated
	last    kept          // the last factors whose objective is known
	best    kept          // better ones at this scale, if there are any

	trace   Trace
	reason  Reason
	wrong   error         // in a loss or penalty, found on the way: it ends the fit
	reached float64       // the objective of the factors once run is over
	spent   time.Duration // in the algorithm
	due     time.Duration // in what was done for nextH; part of spent once that is used
}

// run does rounds until there is a reason to stop. It calls after for each point of the trace; the fit also
// ends, without a reason, when after returns false.
//
// Each time around, the factors at hand are looked at, for their objective and for the H of the next round,
// and judged. Then halfSteps makes the next factors at hand, from these or, where an extrapolation went too
// far, from the last that were kept.
func (f *fit) run(after func() bool) {
	f.nextH = mat.DenseCopyOf(f.h)
	news := false // there is a point that after has not got: it waits where the scale is to be checked
	for f.reason == 0 {
		plan := f.drive.Next()
		objective := f.look(plan)
		if f.cancelled() {
			break
		}
		known := len(f.trace)
		verdict := f.judge(plan, objective)
		f.keep(verdict)
		if news = news || len(f.trace) > known; news && f.drive.Phase != drive.Checking {
			if news = false; !after() {
				return
			}
		}
		if verdict.Tune {
			f.drive.Tune(f.estimate())
		}
		if verdict.Advance {
			f.halfSteps(plan)
		}
	}
	if len(f.trace) > 0 {
		f.reached = f.trace[len(f.trace)-1].Objective
	}
	if f.best.wt != nil {
		f.wt, f.h, f.reached = f.best.wt, f.best.h, f.best.objective
	}
}

// look does what a plan says about the factors at hand, and returns their objective: NaN if it is not
// wanted, or if a solver has left NaN or negative entries, which the driver does not accept.
func (f *fit) look(p drive.Plan) (objective float64) {
	switch {
	case p.Redo || p.Judge && !f.valid():
		return math.NaN()
	case p.Measure && len(f.trace) == 0 && f.little():
		f.toTheEnd(func() { objective = f.measure() })
	case p.Measure:
		objective = f.measure()
	case p.Step:
		f.retuned = p.Retuned
		objective = f.prepareNextH(p.Judge)
	default:
		objective = f.objective()
	}
	if f.pool.Stop() && len(f.trace) == 0 && f.little() && p.Judge {
		f.toTheEnd(func() { objective = f.objective() }) // so that there is something to return
	}
	return objective
}

// judge lets the driver judge the factors at hand.
func (f *fit) judge(p drive.Plan, objective float64) drive.Verdict {
	v := f.drive.Take(f.report(objective))
	f.reason = Reason(f.drive.Reason)
	if v.Record {
		f.record(p.Round, objective)
	} else if f.reason == Diverged && len(f.trace) == 0 {
		f.reason, f.wrong = Cancelled, f.wantNumber(objective)
	}
	return v
}

// keep does with the factors at hand and those before what a verdict says.
func (f *fit) keep(v drive.Verdict) {
	switch {
	case v.Restore:
		f.restore()
	case v.PutAside:
		f.best.keep(f.last.wt, f.last.h, f.drive.Best)
	case v.Improved:
		f.best = kept{}
	}
	if v.Keep {
		f.last.keep(f.wt, f.h, f.drive.Last)
	}
}

// halfSteps goes on to the next round: to the H that is ready, then to a new W, both extrapolated if
// that is the plan. Factors that were extrapolated too far get another W, and the H of the half-step.
func (f *fit) halfSteps(p drive.Plan) {
	f.countDue()
	if p.Redo {
		f.h.Copy(f.plain[0])
		f.wt.Copy(f.last.wt)
	} else {
		f.h, f.nextH, f.saw = f.nextH, f.h, f.sawNext
	}
	f.sawNext = observed{}
	if p.Keep {
		f.extrapolate(0, f.h, p.Beta)
	}
	f.updateW()
	if p.Keep {
		f.extrapolate(1, f.wt, p.Beta)
	}
}

// cancelled ends a fit that was cancelled, with the factors of the last point of the trace. Where little
// work is left to the first of these, it goes on to that.
func (f *fit) cancelled() bool {
	if !f.pool.Stop() || f.wrong == nil && len(f.trace) == 0 && f.little() {
		return false
	}
	f.reason = Cancelled
	if len(f.trace) > 0 {
		f.restore()
	}
	return true
}

// restore goes back to the last factors whose objective is known, and the loss under which it is.
func (f *fit) restore() {
	if !f.drive.Known() {
		f.wt, f.h, f.sawNext = f.last.wt, f.last.h, observed{}
	}
	f.setLoss(f.recorded)
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

// prepareNextH does the H half-step of the next round on a copy of H, and returns the objective of the
// factors at hand if it is wanted: both begin with the same residuals.
func (f *fit) prepareNextH(wanted bool) (objective float64) {
	if f.pool.Stop() {
		return math.NaN()
	}
	begin := time.Now()
	q := f.quadratic(false)
	if wanted {
		q.observed.lossAt = f.h
	}
	f.nextH.Copy(f.h)
	f.sawNext = f.improve(q, f.nextH, f.model.OnH, f.solverH)
	f.due += time.Since(begin)
	switch {
	case !wanted:
		return math.NaN()
	case math.IsNaN(f.sawNext.loss) && !f.pool.Stop():
		return f.objective() // the solver has not computed it
	}
	return f.sawNext.loss + f.penalties()
}

// updateW does the W half-step.
func (f *fit) updateW() {
	if f.onlyH {
		return
	}
	begin := time.Now()
	f.improve(f.quadraticOfW(f.saw), f.wt, f.model.OnW, f.solverW)
	f.spent += time.Since(begin)
}

// extrapolate extrapolates v, factor i, and keeps it as it was; β = 0 is for the first of some rounds.
func (f *fit) extrapolate(i int, v *mat.Dense, beta float64) {
	switch {
	case f.plain[i] == nil:
		f.plain[i] = mat.DenseCopyOf(v)
	case beta == 0:
		f.plain[i].Copy(v)
	default:
		x, plain := v.RawMatrix().Data, f.plain[i].RawMatrix().Data
		drive.Extrapolate(x, plain, beta)
		if f.model.Family != Gaussian {
			// Where all that makes up the mean of a count became 0, no step could make it positive, and
			// far below the count each step only doubles it. With a tenth in place of a half COIL-20
			// took more rounds than without extrapolation.
			for j, a := range plain {
				x[j] = max(x[j], 0.5*a)
			}
		}
	}
}

// countDue adds the time of what was done for the next round to that of the algorithm.
func (f *fit) countDue() {
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

// improve lowers the quadratic of a half-step, and returns what it saw.
func (f *fit) improve(q *Quadratic, v *mat.Dense, penalties []Penalty, s Solver) observed {
	if f.majorize(q, v, penalties); f.wrong == nil {
		f.lower(q, v, s)
		if constraint(s) == nil {
			q.minimiseUnused(v)
		}
	}
	return *q.observed
}

// lower lets a solver lower q.
func (f *fit) lower(q *Quadratic, v *mat.Dense, s Solver) {
	if c, ok := s.(interface{ AfterTuning() Solver }); ok && f.retuned {
		s = c.AfterTuning()
	}
	s.Improve(q, v)
	if c, ok := s.(interface {
		Refill(q *Quadratic, v *mat.Dense)
	}); ok && !q.trans && !f.onlyH && len(f.model.OnW)+len(f.model.OnH) == 0 && !f.pool.Stop() {
		c.Refill(q, v)
	}
}

// majorize adds the bounds of penalties to q, and finds the first that makes it no bound.
func (f *fit) majorize(q *Quadratic, v *mat.Dense, penalties []Penalty) {
	for _, p := range penalties {
		p.Majorize(q, v)
		f.wrong = cmp.Or(f.wrong, q.wantCoupling(p), wantFrom(-math.MaxFloat64, q.c, p, "Linear"), wantFrom(0, q.d, p, "Diagonal"))
	}
}

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
	f.trace, f.recorded = append(f.trace, p), f.loss
}

// quadratic sets up a half-step: of W on the transposed data, or of H.
func (f *fit) quadratic(ofW bool) *Quadratic {
	m, n := f.x.Dims()
	r := f.model.Rank
	q := &Quadratic{U: f.wt, m: m, n: n, r: r, data: data{x: f.x, mask: f.mask, norms: f.norms[0], family: f.model.Family}, loss: f.rho,
		floor: f.floor, pool: f.pool, gram: new(grams), observed: &observed{loss: math.NaN()}}
	if f.byColumn {
		q.sample = columns
	}
	if ofW {
		q.U, q.m, q.n, q.trans, q.norms = f.h, n, m, true, f.norms[1]
		if f.byColumn {
			q.sample = rows
		}
	}
	q.layout = f.pool.layOut(q.U)
	return q
}

// quadraticOfW is the half-step of W, with the weights of the samples under ByColumn and CellCase.
func (f *fit) quadraticOfW(saw observed) *Quadratic {
	q := f.quadratic(true)
	f.weighSamples(q, func() []float64 { return f.columnSquares(saw) })
	return q
}

// weighRows sets the weights of samples that are rows from the squared norms of their residuals.
func (q *Quadratic) weighRows(squares func() []float64) {
	if q.sample != rows || isSquared(q.loss) {
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
