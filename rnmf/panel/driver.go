package panel

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/internal/dense"
	"github.com/robustnmf/robustnmf/rnmf/internal/input"
	"github.com/robustnmf/robustnmf/rnmf/internal/work"
)

// A Driver leads a fit over panels, wherever these are: Next says what every panel has to do, Take
// gets the merged statistics and does the W half-step. It sees no data. Its binary form and the
// coefficients of the panels are all that a fit needs to go on in another process with the same
// bits.
//
// The coefficients of a panel have a generation. A round reads the generation that Generation
// returns and, if it Writes, makes the next one; coefficients older than Kept are not needed any
// more.
type Driver struct {
	batch  Batch // without Init and State
	survey Survey
	m, n   int

	phase      phase
	w          *mat.Dense // to be evaluated
	plain      *packed    // before extrapolation, nil if unknown
	last       *packed    // the last one that was accepted, nil before the first and where no step can go too far
	objective  float64    // of that
	generation int        // that the next round reads
	kept       int        // that last goes with
	push       momentum
	safe       bool        // w is the safe step
	sums       *Statistics // that w comes from, under losses of entries
	sumsX      []float64   // of the bound in sums
	x          []float64   // of that in the next
	sweeps     int

	loss    rnmf.Loss // at the scale of the round
	changed bool      // since the last objective
	tuning  rnmf.Tuning
	wrong   error // in the loss that tuning has returned
	interim bool
	seen    []*histogram // all residuals that tuning was given
	trace   rnmf.Trace
	reason  rnmf.Reason
}

// phase is what a driver waits for.
type phase int

const (
	measuring phase = iota // residuals at the start
	stepping               // a round
	redoing                // the statistics of the H before it was extrapolated
	ended
)

// momentum is that of rnmf.HALS: β of the extrapolation of both factors.
type momentum struct {
	beta, bound, last float64
	known             bool // there is a factor to extrapolate from
	tried             bool // the factors to be evaluated are extrapolated
}

// accepted is the momentum once the factors have been accepted.
func (p momentum) accepted() momentum {
	if p.beta == 0 {
		p.beta, p.bound, p.last = 0.5, 1, 0.5
	}
	if p.tried {
		p.last = p.beta
		p.bound = min(1, 1.01*p.bound)
		p.beta = min(p.bound, 1.05*p.beta)
	}
	p.tried = false
	return p
}

func (p *momentum) reject() {
	p.bound = p.last
	p.beta /= 1.5
	p.tried, p.known = false, false
}

// NewDriver begins a fit to panels that lie elsewhere: s is the Survey of all of them, merged, and
// m the number of rows. The errors are those of Batch.Fit. State has no meaning here; if Init is
// Factors, only its W is used.
func NewDriver(b Batch, s *Survey, m int) (*Driver, error) {
	n := int(s.columns)
	if err := checkModel(b, m, n); err != nil {
		return nil, err
	}
	w := startW(m, b.Model.Rank, s.amplitude(m, b.Model.Rank, b.Missing), b.Model.Seed)
	if f, given := b.Model.Init.(rnmf.Factors); given {
		if dense.IsNil(f.W) {
			return nil, fmt.Errorf("%w: the start lacks W", rnmf.ErrShape)
		}
		if err := input.Dims("W", f.W, m, b.Model.Rank); err != nil {
			return nil, err
		}
		w = mat.DenseCopyOf(f.W)
		if err := checkFactor("W", w); err != nil {
			return nil, err
		}
	}
	return newDriver(b, s, m, n, w)
}

// Start returns random coefficients of generation 0 for columns from to to of X, those with which
// Batch.Fit begins.
func (d *Driver) Start(from, to int) *Coefficients {
	r := d.batch.Model.Rank
	return &Coefficients{H: startH(r, from, to, d.survey.amplitude(d.m, r, d.batch.Missing), d.batch.Model.Seed)}
}

// newDriver begins a fit.
func newDriver(b Batch, s *Survey, m, n int, w *mat.Dense) (*Driver, error) {
	if err := checkModel(b, m, n); err != nil {
		return nil, err
	}
	b.Model.MaxIter = cmp.Or(b.Model.MaxIter, 500)
	b.Model.Tol = cmp.Or(b.Model.Tol, 1e-5)
	b.Model.TuneFor = cmp.Or(b.Model.TuneFor, 10)
	b.Model.Init = nil
	d := &Driver{batch: b, survey: *s, m: m, n: n, w: w, phase: stepping, loss: cmp.Or[rnmf.Loss](b.Model.Loss, rnmf.Frobenius{}),
		kept: -1, x: scalesOf(nil, b.Model.Rank)}
	d.sweeps = min(8, d.mostSweeps())
	if f := d.hals().Sweeps; f > 0 {
		d.sweeps = f
	}
	d.beginTuning()
	if d.tuning != nil {
		d.phase = measuring
	}
	return d, nil
}

func (d *Driver) beginTuning() {
	if t, ok := cmp.Or[rnmf.Loss](d.batch.Model.Loss, rnmf.Frobenius{}).(rnmf.Tuner); ok {
		d.tuning = t.Tuning()
	}
}

func (d *Driver) hals() rnmf.HALS {
	h, _ := d.batch.Model.Solver.(rnmf.HALS)
	return h
}

// mostSweeps is how many sweeps cost half of the product WᵀX that they live on.
func (d *Driver) mostSweeps() int { return 1 + d.m/(2*d.batch.Model.Rank) }

// Resume prepares a driver that was stored to lead the fit b of X (m×n) on. One that had run out of
// rounds goes on if b has more. The error is rnmf.ErrParameter if it has led another fit.
func (d *Driver) Resume(b Batch, m, n int) error {
	if err := d.belongs(b, m, n); err != nil {
		return err
	}
	if d.reason == rnmf.MaxIter && len(d.trace) <= d.batch.Model.MaxIter {
		// The last round is done again, this time with its half-steps.
		d.reason, d.phase, d.trace = 0, stepping, d.trace[:len(d.trace)-1]
	}
	return nil
}

// belongs checks that a driver that was stored has led the fit b of X (m×n), and takes the number of
// rounds from b.
func (d *Driver) belongs(b Batch, m, n int) error {
	fresh, err := newDriver(b, new(Survey), m, n, d.w)
	if err != nil {
		return err
	}
	now, was := new(encoder), new(encoder)
	most, old := fresh.batch.Model.MaxIter, d.batch
	fresh.batch.Model.MaxIter, old.Model.MaxIter = 0, 0
	if err := errors.Join(now.batch(fresh.batch), was.batch(old)); err != nil {
		return err
	}
	if d.m != m || d.n != n || !bytes.Equal(now.b, was.b) {
		return fmt.Errorf("%w: the state of another fit: rank %d of X of %d×%d with %T, Tol %g, seed %d, or other options", rnmf.ErrParameter,
			old.Model.Rank, d.m, d.n, old.Model.Loss, old.Model.Tol, old.Model.Seed)
	}
	d.batch.Model.MaxIter = most
	return nil
}

// Stop ends the fit with the factors of the last complete round, and reports whether there is one.
// Where no step can go too far, under Frobenius and losses of columns with rnmf.HALS.Plain, the
// factors before the last half-steps are not kept: then those of the Result are better than its
// Objective says, by the half-steps of one round.
func (d *Driver) Stop() bool {
	complete := len(d.trace) > 0
	if complete && d.reason == 0 {
		d.end(rnmf.Cancelled)
	}
	return complete
}

// Generation returns the generation of the coefficients that the next round reads; that of the
// start is 0.
func (d *Driver) Generation() int { return d.generation }

// Kept returns the oldest generation that is still needed.
func (d *Driver) Kept() int { return max(min(d.kept, d.generation), 0) }

// Reason says why the fit ended, 0 while it has not.
func (d *Driver) Reason() rnmf.Reason { return d.reason }

// Trace returns what has been recorded so far.
func (d *Driver) Trace() rnmf.Trace { return append(rnmf.Trace(nil), d.trace...) }

// Next returns what the panels have to do, or nil once the fit has ended. It returns the same round
// until Take is called.
func (d *Driver) Next() *Round {
	r := &Round{w: d.w, loss: d.loss, missing: d.batch.Missing, x: d.x}
	switch d.phase {
	case ended:
		return nil
	case measuring:
		// Any loss of the same kind: the scale is not known yet.
		r.loss, r.measures = rnmf.L1{Eps: 1}, true
		if _, byColumn := d.loss.(rnmf.ByColumn); byColumn {
			r.loss = rnmf.ByColumn{Loss: rnmf.Frobenius{}}
		}
	case redoing:
		r.redo = true
	case stepping:
		r.step, r.sweeps = len(d.trace) < d.batch.Model.MaxIter, d.sweeps
		r.keep = d.extrapolates()
		r.measures = d.tunes()
		if next := d.push.accepted(); d.extrapolates() && next.known {
			r.beta = next.beta
		}
	}
	return r
}

// Writes reports whether the round makes a new generation of coefficients.
func (r *Round) Writes() bool { return r.step || r.redo }

// tunes reports whether the residuals of this round set the scale of the next.
func (d *Driver) tunes() bool {
	return d.tuning != nil && (len(d.seen) < d.batch.Model.TuneFor || d.interim)
}

// extrapolates reports whether the factors of this round are extrapolated: not while the scale may
// change.
func (d *Driver) extrapolates() bool { return !d.hals().Plain && !d.tunes() }

// Take gets the statistics of all panels for the round that Next returned, merged in the order of
// panels, and the seconds that it took. The driver keeps the statistics, or has W in their memory: do
// not use them again.
func (d *Driver) Take(ctx context.Context, t *Statistics, seconds float64) error {
	if d.phase == ended {
		return errors.New("panel: the fit has ended")
	}
	round := d.Next()
	if int(t.samples) != d.n || t.m != d.m || t.r != d.batch.Model.Rank || t.entries != round.ofEntries() {
		return fmt.Errorf("%w: statistics of %d samples for W of %d×%d, want %d samples and W of %d×%d", rnmf.ErrShape, t.samples, t.m, t.r, d.n, d.m, d.batch.Model.Rank)
	}
	if round.measures && t.residuals == nil || round.Writes() && (len(t.cross) == 0 || len(t.gram) == 0) {
		return fmt.Errorf("%w: statistics of another round", rnmf.ErrShape)
	}
	pool := work.New(func() bool { return false })
	pool.Open()
	defer pool.Close()
	switch d.phase {
	case measuring:
		d.tune(t.residuals)
		d.phase = stepping
	case redoing:
		d.update(t, 0, pool)
		d.generation++
		d.phase = stepping
	case stepping:
		d.evaluate(round, t, seconds, pool)
	}
	return cmp.Or(d.wrong, ctx.Err())
}

// evaluate decides about the factors of a round, whose objective t brings.
func (d *Driver) evaluate(round *Round, t *Statistics, seconds float64, pool *work.Pool) {
	objective := t.objective
	if math.IsNaN(objective) || math.IsInf(objective, 0) {
		d.end(rnmf.Diverged)
		if len(d.trace) == 0 {
			d.wrong = fmt.Errorf("%w: the objective under %T is %g, want a finite number", rnmf.ErrParameter, d.loss, objective)
		}
		return
	}
	if len(d.trace) > 0 && !d.changed {
		least := max(d.batch.Model.Tol, 1e-9) * math.Abs(d.objective)
		switch {
		case d.push.tried && !(objective <= d.objective-least):
			// The extrapolation went too far, or gained next to nothing, which must not end the fit.
			d.push.reject()
			d.phase, d.w = redoing, d.last.dense()
			return
		case t.entries && !d.safe && objective > d.objective+1e-12*math.Abs(d.objective):
			d.safe = true
			d.w = safeBasis(d.last.dense(), d.w, d.sums, d.sumsX)
			d.plain = pack(d.w)
			return
		}
	}
	d.reason = d.stop(objective)
	d.record(objective, seconds)
	if d.reason != 0 {
		d.phase = ended
		return
	}
	d.changed, d.safe = false, false
	d.objective, d.kept = objective, d.generation
	d.push = d.push.accepted()
	if d.last = nil; t.entries || !d.hals().Plain {
		d.last = pack(d.w)
	}
	d.update(t, round.beta, pool)
	d.generation++
	if d.last == nil {
		d.kept = d.generation
	}
	d.nextSweeps(t.moved)
	if round.measures {
		d.tune(t.residuals)
	}
}

// update does the W half-step and extrapolates the result.
func (d *Driver) update(t *Statistics, beta float64, pool *work.Pool) {
	sweeps := d.hals().Sweeps
	d.sums = nil
	out := t.cross
	if t.entries { // the safe step needs it
		d.sums, d.sumsX, d.x = t, d.x, scalesOf(t.gram, t.r)
		out = make([]float64, len(t.cross))
	}
	d.w = improveBasis(out, d.w, t, sweeps, pool)
	if d.phase == redoing || !d.extrapolates() {
		d.plain = nil
		d.push.known, d.push.tried = false, false
		return
	}
	plain := pack(d.w)
	if beta > 0 && d.plain != nil {
		x := d.w.RawMatrix().Data
		for first, before := range d.plain.blocks() {
			now := x[first:][:len(before)]
			for i, y := range before {
				now[i] = max(0, now[i]+beta*(now[i]-y))
			}
		}
		d.push.tried = true
	}
	d.plain = plain
	d.push.known = true
}

// nextSweeps chooses the number of sweeps for the next round: as many as it took to change H by
// less than a tenth of what the first did, over all panels.
func (d *Driver) nextSweeps(moved []float64) {
	if d.hals().Sweeps > 0 || len(moved) == 0 {
		return
	}
	for k, change := range moved {
		if change <= enough*moved[0] {
			d.sweeps = max(k+1, 2)
			return
		}
	}
	d.sweeps = min(2*len(moved), d.mostSweeps())
}

// tune sets the scale of the loss from residuals.
func (d *Driver) tune(h *histogram) {
	d.seen = append(d.seen, h)
	d.tuneWith(h)
}

func (d *Driver) tuneWith(h *histogram) {
	next, settled := d.tuning(d.residuals(h))
	if settled {
		d.tuning = nil
	}
	var i rnmf.Interim
	if i, d.interim = next.(rnmf.Interim); d.interim {
		next = i.Loss
	}
	if d.wrong = checkLoss(next); d.wrong != nil {
		return
	}
	d.loss, d.changed = next, true
}

// grossData is how many times the median entry an entry may be to count for the size of residuals.
const grossData = 1e3

// residuals are those of a histogram, but for rounding errors, which a scale must not follow.
func (d *Driver) residuals(h *histogram) *rnmf.Residuals {
	size := min(d.survey.largest, grossData*d.survey.magnitudes.median())
	least := 1e-24 * size * size
	r := min(d.batch.Model.Rank, d.m, d.n)
	known := float64(d.m) * float64(d.n)
	if d.batch.Missing {
		known = float64(d.survey.entries)
	}
	exact := float64(r) * float64(d.m+d.n-r) / known
	if _, byColumn := d.loss.(rnmf.ByColumn); byColumn {
		least, exact = least*float64(d.m), 0
	}
	if s := h.residuals(); s.Mean() >= least && s.Mean() > 0 {
		s.Exact = exact
		return s
	}
	return rnmf.ResidualsOf(max(least, 1e-150))
}

// stop returns the reason to end the fit after a round, or 0.
func (d *Driver) stop(objective float64) rnmf.Reason {
	rounds := len(d.trace)
	switch {
	case rounds > 0 && !d.changed && d.settled(objective):
		return rnmf.Converged
	case rounds >= d.batch.Model.MaxIter:
		return rnmf.MaxIter
	}
	return 0
}

// settled reports whether the objective has changed by at most Tol, as rnmf.Model.Tol says.
func (d *Driver) settled(objective float64) bool {
	tol := d.batch.Model.Tol
	if tol < 0 || d.interim || d.tunes() {
		return false
	}
	change, size := math.Abs(d.objective-objective), math.Abs(d.objective)
	if change > tol*size+d.rounding() {
		return false
	}
	usual := d.usualLoss()
	return !(size > usual) || change <= tol*usual+d.rounding()
}

// rho returns the loss without ByColumn, the number of terms of the objective, and the number of
// entries in each.
func (d *Driver) rho() (rho rnmf.Loss, terms, entries float64) {
	if c, byColumn := d.loss.(rnmf.ByColumn); byColumn {
		return c.Loss, float64(d.n), float64(d.m)
	}
	if d.batch.Missing {
		return d.loss, float64(d.survey.entries), 1
	}
	return d.loss, float64(d.m) * float64(d.n), 1
}

// usualLoss is the loss if all residuals are ten times the median entry of X.
func (d *Driver) usualLoss() float64 {
	rho, terms, entries := d.rho()
	if _, squares := rho.(rnmf.Frobenius); squares || d.survey.largest == 0 {
		return math.Inf(1)
	}
	median := d.survey.magnitudes.median()
	value, _ := rho.Rho(100 * median * median * entries)
	return terms * value
}

// rounding is by how much rounding errors may change the objective, so that an exact fit ends.
func (d *Driver) rounding() float64 {
	rho, terms, _ := d.rho()
	at, _ := rho.Rho(0)
	above, _ := rho.Rho(1e-28 * d.survey.squares / terms)
	return 2 * terms * (above - at)
}

// end ends the fit with the last factors that were accepted.
func (d *Driver) end(reason rnmf.Reason) {
	d.reason, d.phase = reason, ended
	if d.last != nil {
		d.w, d.generation = d.last.dense(), d.kept
	}
}

func (d *Driver) record(objective, seconds float64) {
	var scale float64
	if s, ok := d.loss.(interface{ ScaleNow() float64 }); ok {
		scale = s.ScaleNow()
	}
	d.trace = append(d.trace, rnmf.Point{Round: len(d.trace), Seconds: seconds, Objective: objective, Scale: scale, KKT: -1})
}

// Result returns the present state of the fit without H, which is in the coefficients of
// Generation.
func (d *Driver) Result() *rnmf.Result {
	r := d.result()
	r.W = mat.DenseCopyOf(d.w)
	return r
}

// result is Result with the driver's own W, for a driver that nobody needs any more.
func (d *Driver) result() *rnmf.Result {
	r := &rnmf.Result{W: d.w, Loss: d.loss, KKT: -1, Trace: d.Trace(), Reason: d.reason, Solver: d.batch.Model.Solver}
	if len(d.trace) > 0 {
		r.Objective = d.trace[len(d.trace)-1].Objective
	}
	return r
}

// MarshalBinary returns the state of the fit in a versioned form with a checksum.
func (d *Driver) MarshalBinary() ([]byte, error) {
	e := new(encoder)
	if err := e.batch(d.batch); err != nil {
		return nil, err
	}
	s, err := d.survey.MarshalBinary()
	if err != nil {
		return nil, err
	}
	e.bytes(s)
	for _, v := range []int{d.m, d.n, int(d.phase), d.generation, d.kept, d.sweeps, int(d.reason)} {
		e.int(v)
	}
	for _, v := range []*mat.Dense{d.w, d.plain.dense(), d.last.dense()} {
		e.matrix(v)
	}
	for _, v := range []float64{d.objective, d.push.beta, d.push.bound, d.push.last} {
		e.float(v)
	}
	for _, v := range []bool{d.push.known, d.push.tried, d.safe, d.changed, d.sums != nil} {
		e.bool(v)
	}
	if d.sums != nil {
		e.put(d.sums)
	}
	e.floats(d.sumsX)
	e.floats(d.x)
	e.int(len(d.seen))
	for _, h := range d.seen {
		e.histogram(h)
	}
	e.int(len(d.trace))
	for _, p := range d.trace {
		for _, v := range []float64{p.Seconds, p.Objective, p.Scale} {
			e.float(v)
		}
	}
	return e.seal(kindDriver), nil
}

// UnmarshalBinary reads what MarshalBinary has written. The error is rnmf.ErrFormat.
func (d *Driver) UnmarshalBinary(b []byte) error {
	in, err := open(b, kindDriver)
	if err != nil {
		return err
	}
	r := Driver{batch: in.batch()}
	if s := in.bytes(); in.err == nil {
		if err := r.survey.UnmarshalBinary(s); err != nil {
			return err
		}
	}
	r.m, r.n, r.phase, r.generation, r.kept, r.sweeps, r.reason = in.int(), in.int(), phase(in.int()), in.int(), in.int(), in.int(), rnmf.Reason(in.int())
	r.w, r.plain, r.last = in.matrix(), pack(in.matrix()), pack(in.matrix())
	r.objective = in.float()
	r.push = momentum{beta: in.float(), bound: in.float(), last: in.float(), known: in.bool(), tried: in.bool()}
	r.safe, r.changed = in.bool(), in.bool()
	changed := r.changed
	if in.bool() {
		r.sums = in.statistics()
	}
	r.sumsX, r.x = in.floats(), in.floats()
	for range min(in.int(), len(b)) {
		r.seen = append(r.seen, in.histogram())
		if in.err != nil {
			return in.err
		}
	}
	for range min(in.int(), len(b)) {
		r.trace = append(r.trace, rnmf.Point{Round: len(r.trace), Seconds: in.float(), Objective: in.float(), Scale: in.float(), KKT: -1})
		if in.err != nil {
			return in.err
		}
	}
	if err := in.end(); err != nil {
		return err
	}
	if r.w == nil || len(r.x) != r.batch.Model.Rank {
		return fmt.Errorf("%w: a driver without W, or of another rank", rnmf.ErrFormat)
	}
	r.loss = cmp.Or[rnmf.Loss](r.batch.Model.Loss, rnmf.Frobenius{})
	r.beginTuning()
	for _, h := range r.seen {
		if r.tuning == nil {
			return fmt.Errorf("%w: a driver with more residuals than its loss asks for", rnmf.ErrFormat)
		}
		r.tuneWith(h)
	}
	r.changed = changed
	*d = r
	return nil
}

// batch writes what decides about the bits of a fit.
func (e *encoder) batch(b Batch) error {
	if err := e.loss(cmp.Or[rnmf.Loss](b.Model.Loss, rnmf.Frobenius{})); err != nil {
		return err
	}
	h, _ := b.Model.Solver.(rnmf.HALS)
	e.int(b.Model.Rank)
	e.int(b.Model.MaxIter)
	e.int(b.Model.TuneFor)
	e.int(h.Sweeps)
	e.bool(h.Plain)
	e.bool(b.Missing)
	e.uint(b.Model.Seed)
	e.float(b.Model.Tol)
	return nil
}

func (d *decoder) batch() Batch {
	b := Batch{Model: rnmf.Model{Loss: d.loss(), Rank: d.int(), MaxIter: d.int(), TuneFor: d.int()}}
	b.Model.Solver = rnmf.HALS{Sweeps: d.int(), Plain: d.bool()}
	b.Missing, b.Model.Seed, b.Model.Tol = d.bool(), d.uint(), d.float()
	return b
}
