package panel

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/internal/drive"
	"github.com/robustnmf/robustnmf/rnmf/internal/histogram"
	"github.com/robustnmf/robustnmf/rnmf/internal/work"
)

// A Driver leads a fit over panels, wherever these are: Next says what every panel has to do, Take
// gets the merged statistics and does the W half-step. It sees no data. Its binary form and the
// coefficients of the panels are all that a fit needs to go on in another process with the same
// bits.
//
// The coefficients of a panel have a generation. A round reads the generation that Generation
// returns, and may write others of a new generation; coefficients older than Kept are not needed any
// more. A round names its fit, and so do coefficients and statistics: those of another fit, generation
// or panel are an error.
type Driver struct {
	fit     string // its name: see stamp
	batch   Batch  // without Init and State
	summary DataSummary
	m, n    int

	lead       drive.Driver // decides what is done next
	w          *mat.Dense   // to be evaluated
	plain      *packed      // before extrapolation, nil if unknown
	last       *packed      // the last one that was accepted, nil before the first and where no step can go too far
	rounds     int          // that have been done, whether their factors were kept or not
	generation int          // that the next round reads
	kept       int          // that last goes with
	sums       *Statistics  // that w comes from, under losses of entries
	sumsX      []float64    // of the bound in sums
	x          []float64    // of that in the next
	sweeps     int
	moves      moves // of the H half-step before w
	moved      bool  // the last round has changed W or H

	loss     rnmf.Loss // at the scale of the round
	recorded rnmf.Loss // that of the last point of the trace
	tuning   rnmf.Tuning
	wrong    error               // in the loss that tuning has returned
	readings []*histogram.Counts // all that tuning was given
	trace    rnmf.Trace
}

// NewDriver begins a fit to panels that lie elsewhere: s is the DataSummary of all of them, merged, and
// m the number of rows. The errors are those of Batch.Fit. State has no meaning here; if Init is
// rnmf.WarmStart, only its W is used.
func NewDriver(b Batch, s *DataSummary, m int) (*Driver, error) {
	if s == nil || s.columns == 0 {
		return nil, fmt.Errorf("%w: a summary of no columns", rnmf.ErrEmpty)
	}
	n := int(s.columns)
	if err := checkModel(b, m, n); err != nil {
		return nil, err
	}
	if f, given := b.Model.Init.(rnmf.WarmStart); given {
		w, err := givenFactor("W", f.W, m, b.Model.Rank)
		if err != nil {
			return nil, err
		}
		return newDriver(b, s, m, n, w)
	}
	w := startW(m, b.Model.Rank, s.amplitude(m, b.Model.Rank, b.Missing), b.Model.Seed)
	return newDriver(b, s, m, n, w)
}

// Start returns random coefficients of generation 0 for columns from to to of X, those with which
// Batch.Fit begins.
func (d *Driver) Start(from, to int) *Coefficients {
	r := d.batch.Model.Rank
	return &Coefficients{of: stamp{fit: d.fit, from: from}, H: startH(r, from, to, d.summary.amplitude(d.m, r, d.batch.Missing), d.batch.Model.Seed)}
}

// newDriver begins a fit.
func newDriver(b Batch, s *DataSummary, m, n int, w *mat.Dense) (*Driver, error) {
	if err := checkModel(b, m, n); err != nil {
		return nil, err
	}
	b.Model.MaxIter = cmp.Or(b.Model.MaxIter, 500)
	b.Model.Tol = cmp.Or(b.Model.Tol, 1e-5)
	b.Model.Init, b.Model.Watch = nil, nil
	d := &Driver{fit: rand.Text(), batch: b, summary: *s, m: m, n: n, w: w, loss: cmp.Or[rnmf.Loss](b.Model.Loss, rnmf.Frobenius{}),
		kept: -1, x: scalesOf(nil, b.Model.Rank)}
	d.sweeps = min(8, d.mostSweeps())
	if b.Model.Family != rnmf.Gaussian {
		d.sweeps = countSweeps
	}
	if f := d.hals().Sweeps; f > 0 {
		d.sweeps = f
	}
	d.recorded = d.loss
	d.beginTuning()
	d.lead = drive.New(d.options(), b.Model.TuneFor, d.tuning != nil)
	return d, nil
}

func (d *Driver) beginTuning() {
	if t, ok := cmp.Or[rnmf.Loss](d.batch.Model.Loss, rnmf.Frobenius{}).(rnmf.Tuner); ok {
		d.tuning = t.Tuning()
	}
}

func (d *Driver) options() drive.Options {
	return drive.Options{MaxIter: d.batch.Model.MaxIter, Tol: d.batch.Model.Tol, Extrapolates: !d.hals().NoExtrapolation, Descends: true}
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
	if d.lead.Reason == drive.MaxIter && len(d.trace) <= d.batch.Model.MaxIter {
		// The last round is done again, this time with its half-steps.
		d.lead.Reason, d.lead.Phase, d.trace = 0, drive.Stepping, d.trace[:len(d.trace)-1]
		return d.replay() // without the last check of the scale, which is done again
	}
	return nil
}

// belongs checks that a driver that was stored has led the fit b of X (m×n), and takes the number of
// rounds from b.
func (d *Driver) belongs(b Batch, m, n int) error {
	fresh, err := newDriver(b, new(DataSummary), m, n, d.w)
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
	d.batch.Model.MaxIter, d.lead.MaxIter = most, most
	return nil
}

// Stop ends the fit with the factors of the last complete round, and reports whether there is one.
// Where no step can go too far, under Frobenius and losses of columns with rnmf.HALS.NoExtrapolation, the
// factors before the last half-steps are not kept: then those of the Result are better than its
// Objective says, by the half-steps of one round.
func (d *Driver) Stop() bool {
	complete := len(d.trace) > 0
	if complete && d.lead.Reason == 0 {
		d.restore()
		d.lead.Reason, d.lead.Phase = drive.Cancelled, drive.Ended
	}
	return complete
}

// CheckPanel compares the checksum of panel p with the one in the DataSummary with which the fit began. The
// error is rnmf.ErrParameter.
func (d *Driver) CheckPanel(p int, x Panel) error {
	if n := len(d.summary.sums); p < 0 || p >= n {
		return fmt.Errorf("%w: panel %d, but the fit began with %d panels", rnmf.ErrParameter, p, n)
	}
	if err := x.fits(); err != nil {
		return err
	}
	if sum, was := x.Checksum(), d.summary.sums[p]; sum != was {
		return fmt.Errorf("%w: it has other numbers than when the fit began (checksum %08x, was %08x); give the data of that fit, or another State", rnmf.ErrParameter, sum, was)
	}
	return nil
}

// CheckCoefficients returns rnmf.ErrParameter unless the coefficients are those of this fit, of the
// generation that Generation returns, and of the panel that begins with column from.
func (d *Driver) CheckCoefficients(c *Coefficients, from int) error {
	if c == nil {
		return fmt.Errorf("%w: the coefficients of the panel that begins with column %d are nil", rnmf.ErrParameter, from)
	}
	return c.of.is(stamp{d.fit, d.generation, from}, "coefficients")
}

// Generation returns the generation of the coefficients that the next round reads; that of the
// start is 0.
func (d *Driver) Generation() int { return d.generation }

// Kept returns the oldest generation that is still needed.
func (d *Driver) Kept() int { return max(min(d.kept, d.generation), 0) }

// Reason says why the fit ended, 0 while it has not.
func (d *Driver) Reason() rnmf.Reason { return rnmf.Reason(d.lead.Reason) }

// Trace returns what has been recorded so far.
func (d *Driver) Trace() rnmf.Trace { return append(rnmf.Trace(nil), d.trace...) }

// Next returns what the panels have to do, or nil once the fit has ended. It returns the same round
// until Take is called.
func (d *Driver) Next() *Round {
	if d.lead.Phase == drive.Ended {
		return nil
	}
	p := d.lead.Next()
	r := &Round{fit: d.fit, reads: d.generation, writes: d.rounds + 1, w: d.w, loss: d.loss, family: d.batch.Model.Family, missing: d.batch.Missing, x: d.x, sweeps: d.sweeps,
		step: p.Step, redo: p.Redo, keep: p.Keep, beta: p.Beta, measures: p.Measure}
	if d.lead.Phase == drive.Measuring {
		// Any loss of the same kind: the scale is not known yet.
		r.loss = rnmf.L1{Eps: 1}
		if _, byColumn := unpack(d.loss); byColumn {
			r.loss = rnmf.ByColumn{Loss: rnmf.Frobenius{}}
		}
	}
	return r
}

// Take gets the statistics of all panels for the round that Next returned, merged in the order of
// panels, and the seconds that it took. The driver keeps the statistics, or has W in their memory: do
// not use them again.
func (d *Driver) Take(ctx context.Context, t *Statistics, seconds float64) error {
	if d.lead.Phase == drive.Ended {
		return errors.New("panel: the fit has ended")
	}
	if t == nil || t.samples == 0 {
		return fmt.Errorf("%w: statistics of no samples", rnmf.ErrEmpty)
	}
	if d.w == nil {
		return fmt.Errorf("%w: a driver that leads no fit", rnmf.ErrEmpty)
	}
	round := d.Next()
	if int(t.samples) != d.n || t.m != d.m || t.r != d.batch.Model.Rank || t.entries != round.ofEntries() {
		return fmt.Errorf("%w: statistics of %d samples for W of %d×%d, want %d samples and W of %d×%d", rnmf.ErrShape, t.samples, t.m, t.r, d.n, d.m, d.batch.Model.Rank)
	}
	if err := t.of.is(stamp{fit: d.fit, generation: round.writes}, "statistics"); err != nil {
		return err
	}
	if round.measures && t.residuals == nil || round.summed() && (len(t.cross) == 0 || len(t.gram)+len(t.sums) == 0) {
		return fmt.Errorf("%w: statistics of another round", rnmf.ErrShape)
	}
	pool := work.New(func() bool { return false })
	pool.Open()
	defer pool.Close()
	d.judge(round, t, seconds, pool)
	if d.lead.Phase != drive.Ended { // otherwise the last round wrote nothing, and is done again if the fit goes on
		d.rounds++
	}
	return cmp.Or(d.wrong, ctx.Err())
}

// judge does with the factors of a round, whose objective t brings, what the lead says.
func (d *Driver) judge(round *Round, t *Statistics, seconds float64, pool *work.Pool) {
	// Once, also where the driver first looks whether the scale is a fixed point: a Tuning has a state.
	estimate := sync.OnceValue(func() drive.Estimate { return d.estimate(t.residuals) })
	v := d.lead.Take(drive.Seen{Objective: t.objective, Estimate: estimate, CanShorten: t.entries,
		Same: func() bool { return !d.moved },
		// What HALS does not change is at a minimum over each entry; multiplicative updates keep zeros.
		Minimal: func() bool { return round.family == rnmf.Gaussian }, Collapsed: func() bool { return false },
		Sizes: d.sizes()})
	switch {
	case v.Record:
		d.record(t.objective, seconds)
	case d.lead.Reason == drive.Diverged && len(d.trace) == 0:
		d.wrong = fmt.Errorf("%w: the objective under %T is %g, want a finite number", rnmf.ErrParameter, d.loss, t.objective)
	case v.Restore:
		d.restore()
	case v.Shorten:
		d.w = safeBasis(d.last.dense(), d.w, d.sums, d.sumsX)
		d.plain, d.moved = pack(d.w), true
	case d.lead.Phase == drive.Redoing:
		d.w = d.last.dense()
	}
	if v.Keep {
		d.kept, d.last = d.generation, nil
		if round.ofEntries() || !d.hals().NoExtrapolation {
			d.last = pack(d.w)
		}
	}
	if v.Tune {
		d.lead.Tune(estimate())
	}
	if v.Advance {
		d.advance(round, t, pool)
	}
}

// restore goes back to the factors of the last point of the trace, and its loss.
func (d *Driver) restore() {
	if !d.lead.Known() && d.last != nil {
		d.w, d.generation = d.last.dense(), d.kept
	}
	d.loss = d.recorded
}

// advance does the W half-step of a round; that of H is done.
func (d *Driver) advance(round *Round, t *Statistics, pool *work.Pool) {
	before := d.w
	d.update(t, round, pool)
	d.generation = round.writes
	if round.redo {
		d.moved = d.moves.step || !mat.Equal(d.w, before)
		return
	}
	d.moves, d.moved = t.moves, t.moves.extrapolated || !mat.Equal(d.w, before)
	if d.last == nil {
		d.kept = d.generation
	}
	d.nextSweeps(t.moved)
}

// update does the W half-step and extrapolates the result.
func (d *Driver) update(t *Statistics, round *Round, pool *work.Pool) {
	sweeps := d.hals().Sweeps
	d.sums = nil
	out := t.cross
	if t.entries { // the safe step needs it
		d.sums, d.sumsX, d.x = t, d.x, scalesOf(t.gram, t.r)
		out = make([]float64, len(t.cross))
	}
	if round.family != rnmf.Gaussian {
		d.w = improveBasisOfCounts(d.w, t)
	} else {
		d.w = improveBasis(out, d.w, t, sweeps, pool)
	}
	if !round.keep {
		d.plain = nil
		return
	}
	plain := pack(d.w)
	if round.beta > 0 && d.plain != nil {
		x := d.w.RawMatrix().Data
		for first, before := range d.plain.blocks() {
			now := x[first:][:len(before)]
			drive.Extrapolate(now, before, round.beta)
			round.keepPositive(now, before)
		}
	}
	d.plain = plain
}

// nextSweeps chooses the number of sweeps for the next round: as many as it took to change H by
// less than a tenth of what the first did, over all panels.
func (d *Driver) nextSweeps(moved []float64) {
	if d.hals().Sweeps > 0 || len(moved) == 0 || d.batch.Model.Family != rnmf.Gaussian {
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

// estimate lets the loss estimate its scale from residuals.
func (d *Driver) estimate(h *histogram.Counts) drive.Estimate {
	s := d.residuals(h)
	next, settled := d.tuning(s)
	next, preliminary := unwrap(next)
	wrong := checkLoss(next)
	return drive.Estimate{Settled: settled, Preliminary: preliminary,
		Alike: func(share float64) bool {
			now, _ := unpack(d.loss)
			rho, _ := unpack(next)
			return wrong == nil && drive.Alike(now, rho, s.All(), share)
		},
		Use: func() bool {
			d.readings = append(d.readings, h)
			if d.wrong = wrong; wrong != nil {
				return false
			}
			d.loss = next
			return true
		}}
}

// replay brings tuning where it was after all that it was given.
func (d *Driver) replay() error {
	d.beginTuning()
	if len(d.readings) > 0 && d.tuning == nil {
		return fmt.Errorf("%w: a driver with more residuals than its loss asks for", rnmf.ErrFormat)
	}
	for _, h := range d.readings {
		d.tuning(d.residuals(h))
	}
	return nil
}

// unwrap returns the loss in an rnmf.Preliminary.
func unwrap(l rnmf.Loss) (loss rnmf.Loss, preliminary bool) {
	i, preliminary := l.(rnmf.Preliminary)
	if preliminary {
		l, _ = unwrap(i.Loss)
	}
	return l, preliminary
}

// grossData is how many times the median entry an entry may be to count for the size of residuals.
const grossData = 1e3

// residuals are those of a histogram, but for rounding errors, which a scale must not follow.
func (d *Driver) residuals(h *histogram.Counts) *rnmf.Residuals {
	median := d.summary.magnitudes.Median()
	size := min(d.summary.largest, grossData*median)
	largest, data := size*size, median
	if d.batch.Model.Family != rnmf.Gaussian {
		largest, data = size, math.Sqrt(median)
	}
	r := min(d.batch.Model.Rank, d.m, d.n)
	all := float64(d.m) * float64(d.n)
	if d.batch.Missing {
		all = float64(d.summary.entries)
	}
	exact := float64(r) * float64(d.m+d.n-r) / all
	_, byColumn := unpack(d.loss)
	if byColumn {
		largest, data, exact = largest*float64(d.m), data*math.Sqrt(float64(d.m)), 0
	}
	var known float64
	if !byColumn && d.batch.Model.Family != rnmf.Gaussian {
		known = 0.6744897501960817 // the median magnitude of normal deviates
	}
	var sum, count float64
	for b := range h.Bins() {
		sum += b.Middle() * float64(b.Count)
		count += float64(b.Count)
	}
	least := 1e-24 * largest
	if mean := sum / count; mean >= least && mean > 0 {
		s := rnmf.NewResidualsFromCounts(func(yield func(float64, int) bool) {
			for b := range h.Bins() {
				if !yield(b.Middle(), int(b.Count)) {
					return
				}
			}
		}, mean, largest, data)
		s.Exact, s.Known = exact, known
		return s
	}
	s := rnmf.NewResiduals(max(least, 1e-150))
	s.Known = known
	return s
}

// rho returns the loss without ByColumn, the number of terms of the objective, and the number of
// entries in each.
func (d *Driver) rho() (rho rnmf.Loss, terms, entries float64) {
	rho, byColumn := unpack(d.loss)
	switch {
	case byColumn:
		return rho, float64(d.n), float64(d.m)
	case d.batch.Missing:
		return rho, float64(d.summary.entries), 1
	}
	return rho, float64(d.m) * float64(d.n), 1
}

// sizes are what objectives are compared with.
func (d *Driver) sizes() drive.Sizes {
	return drive.Sizes{Penalties: func() float64 { return 0 }, Usual: d.usualLoss, Rounding: []func() float64{d.rounding}}
}

// usualLoss is the loss if all residuals are ten times the median entry of X.
func (d *Driver) usualLoss() float64 {
	rho, terms, entries := d.rho()
	if isSquared(rho) || d.summary.largest == 0 {
		return math.Inf(1)
	}
	median := d.summary.magnitudes.Median()
	s := 100 * median * entries
	if d.batch.Model.Family == rnmf.Gaussian {
		s *= median
	}
	value, _ := rho.Rho(s)
	return terms * value
}

// rounding is by how much rounding errors may change the objective, so that an exact fit ends.
func (d *Driver) rounding() float64 {
	rho, terms, _ := d.rho()
	at, _ := rho.Rho(0)
	above, _ := rho.Rho(1e-28 * d.summary.squares / terms)
	return 2 * terms * (above - at)
}

func (d *Driver) record(objective, seconds float64) {
	var scale float64
	if s, ok := d.loss.(interface{ ScaleNow() float64 }); ok {
		scale = s.ScaleNow()
	}
	d.trace = append(d.trace, rnmf.Point{Round: len(d.trace), Seconds: seconds, Objective: objective, Scale: scale, KKT: -1})
	d.recorded = d.loss
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
	r := &rnmf.Result{W: d.w, Loss: d.loss, Family: d.batch.Model.Family, KKT: -1, Trace: d.Trace(), Reason: d.Reason(), Solver: d.batch.Model.Solver}
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
	e.bytes([]byte(d.fit))
	s, err := d.summary.MarshalBinary()
	if err != nil {
		return nil, err
	}
	e.bytes(s)
	for _, v := range []int{d.m, d.n, d.rounds, d.generation, d.kept, d.sweeps} {
		e.int(v)
	}
	for _, v := range []*mat.Dense{d.w, d.plain.dense(), d.last.dense()} {
		e.matrix(v)
	}
	e.lead(d.lead)
	e.moves(d.moves)
	e.bool(d.moved)
	e.bool(d.sums != nil)
	if d.sums != nil {
		e.put(d.sums)
	}
	e.floats(d.sumsX)
	e.floats(d.x)
	if err := errors.Join(e.loss(d.loss), e.loss(d.recorded)); err != nil {
		return nil, err
	}
	e.int(len(d.readings))
	for _, h := range d.readings {
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
	r := Driver{batch: in.batch(), fit: string(in.bytes())}
	if s := in.bytes(); in.err == nil {
		if err := r.summary.UnmarshalBinary(s); err != nil {
			return err
		}
	}
	r.m, r.n, r.rounds, r.generation, r.kept, r.sweeps = in.int(), in.int(), in.int(), in.int(), in.int(), in.int()
	r.w, r.plain, r.last = in.matrix(), pack(in.matrix()), pack(in.matrix())
	r.lead = in.lead()
	r.moves, r.moved = in.moves(), in.bool()
	r.lead.Options, r.lead.Scale.For = r.options(), r.batch.Model.TuneFor
	if in.bool() {
		r.sums = in.statistics()
	}
	r.sumsX, r.x, r.loss, r.recorded = in.floats(), in.floats(), in.loss(), in.loss()
	for range min(in.int(), len(b)) {
		r.readings = append(r.readings, in.histogram())
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
	if p := r.lead.Phase; p < drive.Measuring || p > drive.Ended || r.lead.Round < 0 || r.lead.Since < 0 || (p == drive.Redoing || p == drive.Checking) && len(r.trace) == 0 {
		return fmt.Errorf("%w: a driver in phase %d of round %d after %d rounds", rnmf.ErrFormat, p, r.lead.Round, len(r.trace))
	}
	if err := r.replay(); err != nil {
		return err
	}
	*d = r
	return nil
}

// batch writes what decides about the bits of a fit.
func (e *encoder) batch(b Batch) error {
	if err := e.loss(cmp.Or[rnmf.Loss](b.Model.Loss, rnmf.Frobenius{})); err != nil {
		return err
	}
	h, _ := b.Model.Solver.(rnmf.HALS)
	e.int(int(b.Model.Family))
	e.int(b.Model.Rank)
	e.int(b.Model.MaxIter)
	e.int(b.Model.TuneFor)
	e.int(h.Sweeps)
	e.bool(h.NoExtrapolation)
	e.bool(b.Missing)
	e.uint(b.Model.Seed)
	e.float(b.Model.Tol)
	return nil
}

func (d *decoder) batch() Batch {
	b := Batch{Model: rnmf.Model{Loss: d.loss(), Family: rnmf.Family(d.int()), Rank: d.int(), MaxIter: d.int(), TuneFor: d.int()}}
	b.Model.Solver = rnmf.HALS{Sweeps: d.int(), NoExtrapolation: d.bool()}
	b.Missing, b.Model.Seed, b.Model.Tol = d.bool(), d.uint(), d.float()
	return b
}

// lead writes where a fit stands, without its options.
func (e *encoder) lead(d drive.Driver) {
	for _, v := range []int{int(d.Phase), int(d.Reason), d.Round, d.Since, d.Scale.At} {
		e.int(v)
	}
	for _, v := range []float64{d.First, d.Last, d.Best, d.Now, d.Push.Beta, d.Push.Bound, d.Push.Last} {
		e.float(v)
	}
	for _, v := range []bool{d.Wanted, d.Tuned, d.Shorter, d.Aside, d.Push.Known, d.Push.Tried, d.Scale.On, d.Scale.Preliminary} {
		e.bool(v)
	}
}

func (d *decoder) lead() (l drive.Driver) {
	l.Phase, l.Reason, l.Round, l.Since, l.Scale.At = drive.Phase(d.int()), drive.Reason(d.int()), d.int(), d.int(), d.int()
	l.First, l.Last, l.Best, l.Now = d.float(), d.float(), d.float(), d.float()
	l.Push.Beta, l.Push.Bound, l.Push.Last = d.float(), d.float(), d.float()
	l.Wanted, l.Tuned, l.Shorter, l.Aside = d.bool(), d.bool(), d.bool(), d.bool()
	l.Push.Known, l.Push.Tried, l.Scale.On, l.Scale.Preliminary = d.bool(), d.bool(), d.bool(), d.bool()
	return l
}
