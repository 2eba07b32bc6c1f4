package panel

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/internal/drive"
	"github.com/robustnmf/robustnmf/rnmf/internal/histogram"
)

// A Minibatch fits a Model to X with a W half-step after each panel, not after all of them. The
// statistics that the panel gave in the pass before are replaced by its new ones, so W lowers a
// bound to which all panels contribute (incremental majorisation: Mairal 2015); in the first pass
// older statistics also fade. The first pass does about as much as ten rounds of a Batch. Under losses of
// entries the steps of W may be too long; once a pass has raised the objective, they are those of a bound
// that all panels are below, and never raise it (see majorant), but are shorter. A Minibatch keeps a
// matrix of the size of W for each panel, or two once it goes by that bound, with State in files, and does
// not extrapolate: for the last digits go on with a Batch from its factors. Samples of one panel should
// be like those of the others: shuffle X if it is sorted.
type Minibatch struct {
	// Model and Missing are those of Batch, with a pass over X in place of a round: MaxIter is the number
	// of passes (0 is 20), and TuneFor and Tol mean for passes what they mean for rounds. A loss that is
	// tuned in stages (rnmf.MMEstimator, papers.SmoothL1) is rnmf.ErrParameter.
	Model   rnmf.Model
	Missing bool
	// State is that of Batch; a folder is for the one or the other. It also holds what each panel
	// told of W. A fit that was killed goes on with the pass that it was in.
	State string
}

// Fit factorises X. Point k of the trace is what pass k+1 saw on its way: the objective that each panel
// had under the W that it met, before its own half-step, summed over panels. That costs nothing, but is
// higher than the objective of a fit that ends after k passes, because H is that of the pass before:
// several times as high after the first pass, and hardly in later ones. A last point has the exact
// objective of the Result, whose H is renewed.
//
// Errors are those of Batch.Fit. If ctx ends, Fit soon returns ctx.Err() and what it has, with the
// objective that the last pass saw, or nil if no pass is complete.
func (b Minibatch) Fit(ctx context.Context, x Source) (*Result, error) {
	if b.Model.Family != rnmf.Gaussian {
		return nil, errFamily("Minibatch", b.Model.Family)
	}
	batch := Batch(b)
	batch.Model.MaxIter = cmp.Or(b.Model.MaxIter, 20)
	f := &minibatch{watch: b.Model.Watch, Driver: new(Driver), stepper: newStepper(ctx), rng: rand.New(rand.NewPCG(b.Model.Seed, 0x70_61_6e_65_6c))}
	var unlock func()
	var err error
	if f.x, f.store, unlock, err = batch.begin(ctx, x, f); err != nil {
		return nil, err
	}
	defer unlock()
	if f.weights == nil {
		f.weights = make([]float64, x.Panels())
	}
	for range f.trace {
		f.rng.Perm(len(f.weights)) // the order of a pass that is behind
	}
	f.pool.Open()
	defer f.pool.Close()
	return f.fit(ctx)
}

func (f *minibatch) fit(ctx context.Context) (*Result, error) {
	d := f.Driver
	begin := time.Now()
	if n := len(d.trace); n > 0 {
		begin = begin.Add(-time.Duration(d.trace[n-1].Seconds * float64(time.Second)))
	}
	// kept records a point, lets next decide how to go on, and stores the state.
	kept := func(objective float64, generation int, next func()) error {
		d.record(objective, time.Since(begin).Seconds())
		d.generation = generation
		if next(); d.wrong != nil {
			return d.wrong
		}
		f.before = nil
		if err := f.checkpoint(f); err != nil {
			return err
		}
		if f.watch != nil {
			f.watch(d.trace[len(d.trace)-1])
		}
		return nil
	}
	if d.lead.Phase == drive.Measuring {
		t, err := f.round(ctx, f.x, d, f.store)
		if err != nil {
			return nil, cmp.Or(ctx.Err(), err)
		}
		if d.lead.Tune(d.estimate(t.residuals)); d.wrong != nil {
			return nil, d.wrong
		}
		if d.lead.Scale.Preliminary {
			return nil, fmt.Errorf("%w: a Minibatch does not take %T, whose scale comes in stages", rnmf.ErrParameter, d.batch.Model.Loss)
		}
		d.lead.Phase = drive.Stepping
	}
	for d.lead.Reason == 0 {
		objective, measured, err := f.pass(ctx)
		if ctx.Err() != nil {
			return f.cancelled(), ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		next := f.next(ofPass)
		d.kept = next
		if err := kept(objective, next, func() { f.judge(measured) }); err != nil {
			return nil, err
		}
	}
	if !f.exact {
		// H of the last W, and the objective of both.
		objective, err := f.refresh(ctx)
		if ctx.Err() != nil {
			return f.cancelled(), ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		f.exact = true
		if err := kept(objective, f.next(ofRefresh), func() {}); err != nil {
			return nil, err
		}
	}
	return finish(d.Result(), f.store, f.x, d.generation)
}

// judge decides, after the point of a pass, how to go on: with a new scale from the residuals of the
// pass, with a look at these to see whether the scale of a fit that has converged is a fixed point of
// its rule, or not at all.
func (f *minibatch) judge(measured *histogram.Counts) {
	lead, n := &f.lead, len(f.trace)
	now := f.trace[n-1].Objective
	settled := n > 1 && lead.Phase != drive.Renewing &&
		drive.Change{From: f.trace[max(n-2, 0)].Objective, To: now, Tol: f.batch.Model.Tol, Sizes: f.sizes()}.Settled()
	sameScale := lead.Phase != drive.Renewing
	lead.Phase, lead.Round = drive.Stepping, n-1
	if rose := n > 1 && !(now <= f.trace[n-2].Objective*(1+roundingShare)); rose && sameScale && !settled && f.all.entries && !f.careful {
		f.beCareful()
	} else if math.IsNaN(now - now) {
		lead.Reason = drive.Diverged
		return
	}
	fixed := !lead.Scale.ChecksAtEnd()
	var e drive.Estimate
	if measured != nil {
		e = f.estimate(measured)
		fixed = fixed || e.Alike(drive.FixedShare)
	}
	switch {
	case settled && fixed:
		lead.Reason = drive.Converged
		return
	case measured != nil:
		lead.Phase = drive.Renewing
		lead.Tune(e)
	case settled:
		lead.Phase = drive.Checking
	}
	if n >= f.batch.Model.MaxIter {
		lead.Reason = drive.MaxIter
	}
}

// minibatch is the state of such a fit. Coefficients have a generation for each pass, and one for the
// Result.
type minibatch struct {
	*Driver
	store
	*stepper
	x       Source
	watch   func(rnmf.Point) // nil if nobody watches
	before  *mat.Dense       // W before the pass
	weights []float64        // of what each panel told, in the sum
	all     *Statistics      // the sum
	rng     *rand.Rand
	exact   bool // the trace ends with the objective of the Result
	careful bool // W takes steps that lower a bound: see majorant
}

func (f *minibatch) begin(d *Driver) { f.Driver = d }
func (f *minibatch) driver() *Driver { return f.Driver }

// The coefficients of pass k are generation 2k, and 2k+1 those that are refreshed for a Result: a fit
// that goes on later does so from generation 2k, and writes 2k+2.
const (
	ofRefresh = 1
	ofPass    = 2
)

// next is the generation that is written.
func (f *minibatch) next(by int) int { return f.generation + by }

// cancelled returns what there is when ctx has ended, nil before the first pass is complete.
func (f *minibatch) cancelled() *Result {
	if len(f.trace) == 0 {
		return nil
	}
	if f.before != nil {
		f.Driver.w = f.before
	}
	f.Driver.loss = f.recorded
	f.lead.Reason = drive.Cancelled
	r, err := finish(f.Result(), f.store, f.x, f.generation)
	if err != nil {
		return nil
	}
	return r
}

// Resume prepares a state that was stored to lead the fit b of X (m×n) on.
func (f *minibatch) Resume(b Batch, m, n int) error {
	if err := f.belongs(b, m, n); err != nil {
		return err
	}
	passes := len(f.trace)
	if f.exact {
		passes--
	}
	if f.lead.Reason == drive.MaxIter && passes < f.batch.Model.MaxIter {
		f.lead.Reason, f.exact, f.trace, f.generation = 0, false, f.trace[:passes], f.kept
	}
	return nil
}

// MarshalBinary returns the state in a versioned form with a checksum.
func (f *minibatch) MarshalBinary() ([]byte, error) {
	d, err := f.Driver.MarshalBinary()
	if err != nil {
		return nil, err
	}
	e := new(encoder)
	e.bytes(d)
	e.floats(f.weights)
	e.bool(f.exact)
	e.bool(f.careful)
	return e.seal(kindMinibatch), nil
}

// UnmarshalBinary reads what MarshalBinary has written. The error is rnmf.ErrFormat.
func (f *minibatch) UnmarshalBinary(b []byte) error {
	in, err := open(b, kindMinibatch)
	if err != nil {
		return err
	}
	d := in.bytes()
	f.weights, f.exact, f.careful = in.floats(), in.bool(), in.bool()
	if err := in.end(); err != nil {
		return err
	}
	return f.Driver.UnmarshalBinary(d)
}

// measures reports whether the residuals of a pass are wanted for the scale of the next.
func (f *minibatch) measures() bool {
	return f.lead.Phase == drive.Checking || f.lead.Scale.Due(len(f.trace)+1)
}

// sweepsOfPart is the number of sweeps in each half-step: more are wasted on factors that the next
// panel changes.
const sweepsOfPart = 5

// fading is the number of samples for each component after which, in the first pass, what a panel
// has told of W counts e times less: its coefficients come from a W that is still near the start.
// From the second pass on nothing fades, and each panel soon has its full weight. On images of MNIST
// 10 was better than 25 and 60, and all were better than no fading at all.
const fading = 10

// pass takes all panels once, in random order. It returns the objectives that these had, and their
// residuals if these set a scale.
func (f *minibatch) pass(ctx context.Context) (objective float64, measured *histogram.Counts, err error) {
	order := f.rng.Perm(len(f.weights))
	// Sums of differences gather rounding errors: begin each pass with a sum of its own.
	f.all, f.before = nil, f.Driver.w
	for p, weight := range f.weights {
		if weight == 0 {
			continue
		}
		c, err := f.get(f.generation, p)
		if err != nil {
			return 0, nil, err
		}
		if c.part == nil {
			return 0, nil, fmt.Errorf("%w: the coefficients of panel %d do not tell of W", rnmf.ErrFormat, p)
		}
		f.add(c.part, weight)
	}
	sweeps, first := cmp.Or(f.hals().Sweeps, sweepsOfPart), len(f.trace) == 0
	round := &Round{fit: f.Driver.fit, reads: f.generation, writes: f.next(ofPass), loss: f.Driver.loss, missing: f.batch.Missing, step: true, sweeps: sweeps, measures: f.measures(), x: f.Driver.x}
	if f.careful && f.all != nil {
		round.x = scalesOf(f.all.gram, f.all.r)
	}
	if round.measures {
		measured = new(histogram.Counts)
	}
	err = inOrder(ctx, f.x, order, func(p int, panel Panel) error {
		c, err := f.get(f.generation, p)
		if err != nil {
			return err
		}
		round.w = f.Driver.w
		f.stepper.set(round)
		next, t, err := f.do(ctx, panel, c)
		if err != nil {
			return fmt.Errorf("panel %d: %w", p, err)
		}
		objective += t.objective
		if measured != nil {
			measured.Merge(t.residuals)
		}
		if f.careful {
			t = majorant(t, round.w, round.x)
		} else {
			t = surrogate(t, round.w)
		}
		next.part = t
		if err := f.put(p, next); err != nil {
			return err
		}
		if first && f.all != nil {
			keep := math.Exp(-float64(t.samples) / float64(fading*t.r))
			f.all.scale(keep)
			for i := range f.weights {
				f.weights[i] *= keep
			}
		}
		if c.part != nil && f.weights[p] != 0 {
			f.add(c.part, -f.weights[p])
		}
		c.part = nil // in memory it would stay as long as the pass
		f.weights[p] = 1
		f.add(t, 1)
		switch {
		case !f.careful:
			f.Driver.w = improveBasis(make([]float64, len(t.cross)), f.Driver.w, f.all, sweeps, f.pool)
		case !slices.Contains(f.weights, 0):
			f.Driver.w = lowerMajorant(f.Driver.w, f.all)
		}
		return nil
	})
	return objective, measured, err
}

// add adds a panel's statistics to the sum, or takes them away.
func (f *minibatch) add(t *Statistics, sign float64) {
	if f.all == nil {
		f.all = t.empty()
	}
	f.all.addScaled(t, sign)
}

// empty returns statistics of the same kind, of no samples.
func (s *Statistics) empty() *Statistics {
	return &Statistics{m: s.m, r: s.r, entries: s.entries, linear: s.linear,
		cross: make([]float64, len(s.cross)), gram: make([]float64, len(s.gram)), gamma: make([]float64, len(s.gamma)), bound: make([]float64, len(s.bound))}
}

// addScaled adds the sums of a panel that the W half-step needs.
func (s *Statistics) addScaled(t *Statistics, by float64) {
	s.samples = uint64(int64(s.samples) + int64(math.Copysign(1, by))*int64(t.samples))
	for i, v := range t.cross {
		s.cross[i] += by * v
	}
	for i, v := range t.gram {
		s.gram[i] += by * v
	}
	for i, v := range t.gamma {
		s.gamma[i] = max(0, s.gamma[i]+by*v) // rounding must not make it negative
	}
	for i, v := range t.bound {
		s.bound[i] = max(0, s.bound[i]+by*v)
	}
}

// surrogate turns statistics into those that keep their meaning when W changes, and keeps those alone
// that the W half-step needs. Under losses of columns they are that already. P of a loss of entries is a
// gradient at W, so what is kept is the linear term of the bound that the half-step of a Batch
// lowers, P + ¾γ/tr(HHᵀ)·WHHᵀ, and γ and HHᵀ, of which its curvature is made. Sums over panels
// replace Σ_p γ_p H_pH_pᵀ/tr(H_pH_pᵀ) by the product of the sums, which is the same where panels are alike.
//
// This is a good step in most fits, and no bound in some: see majorant.
func surrogate(t *Statistics, w *mat.Dense) *Statistics {
	s := &Statistics{m: t.m, r: t.r, samples: t.samples, entries: t.entries, linear: t.entries, cross: t.cross, gram: t.gram, gamma: t.gamma}
	if !t.entries {
		return s
	}
	trace := traceOf(t.gram, t.r)
	if trace == 0 {
		return s
	}
	for i := range t.m {
		row, wi := s.cross[i*t.r:][:t.r], w.RawRowView(i)
		gamma := share34 * t.gamma[i] / trace
		for k := range row {
			for l, v := range wi {
				row[k] += gamma * v * t.gram[l*t.r+k]
			}
		}
	}
	return s
}

// majorant turns statistics of a loss of entries at w into a bound of the panel's loss at any W. With H
// of the panel fixed and ω its weights at W_p, that loss is, as ρ is concave,
//
//	f_p(W) ≤ f_p(W_p) − 2⟨P, W − W_p⟩ + Σ_i (w_i − w_pi)ᵀM_i(w_i − w_pi),   M_i = Σ_j ω_ij h_jh_jᵀ,
//
// and δᵀM_iδ ≤ Σ_k D_ik δ_k² with D_ik = (M_i x)_k/x_k for any positive x (see safeBasis). So
//
//	q_p(W) = f_p(W_p) − 2⟨P, W − W_p⟩ + Σ D∘(W − W_p)²
//
// lies above f_p everywhere and touches it at W_p. What is kept is the linear term P + D∘W_p, and D.
//
// The surrogate is no such bound: where most of the weight of a row lies on samples that are unlike the
// others, M_i is large in a direction in which ¾γ/tr(HHᵀ)·HHᵀ has next to nothing. A Batch sees by the
// objective that a step was too long, and goes back; a Minibatch never has the objective of all panels at
// one W. Of 140 fits of 400 passes by surrogates alone, under seven losses at a fixed scale, 107 ended
// above the least objective that they had had, under L1 and Huber up to 1e150 times as high; with majorants
// none did, and the median of their objectives was 1.00 to 1.18 times that of a Batch, by the loss.
//
// With q_p in place of surrogates Q = Σ_p q_p never rises. When panel p comes, its H half-step leaves
// f_p(W, H_p) where it is or lowers it, and the new q_p touches that at the present W, where the old q_p
// was not below; then W goes to the minimum of Q. As f ≤ Q, the objective of all panels stays below the one
// at which these passes began. (At a fixed scale: a new one gives every panel another f_p.)
func majorant(t *Statistics, w *mat.Dense, x []float64) *Statistics {
	s := &Statistics{m: t.m, r: t.r, samples: t.samples, entries: t.entries, linear: true, cross: t.cross, gram: t.gram, gamma: t.gamma, bound: t.bound}
	for i := range t.m {
		for k, v := range w.RawRowView(i) {
			s.bound[i*t.r+k] /= x[k]
			s.cross[i*t.r+k] += s.bound[i*t.r+k] * v
		}
	}
	return s
}

// lowerMajorant returns the W at which the sum of the majorants is least, which is separable. Entries
// without curvature stay.
func lowerMajorant(w *mat.Dense, t *Statistics) *mat.Dense {
	out := mat.DenseCopyOf(w)
	for i := range t.m {
		for k, v := range out.RawRowView(i) {
			n, d := t.cross[i*t.r+k], t.bound[i*t.r+k]
			out.Set(i, k, rnmf.Minimiser(v, n-d*v, d))
		}
	}
	return out
}

// roundingShare is by which share of it rounding errors raise the objective of a pass at most.
const roundingShare = 1e-9

// beCareful begins to lower a bound, from the factors before the pass that raised the objective. Until all
// panels have told theirs W rests.
func (f *minibatch) beCareful() {
	f.careful = true
	f.Driver.w = f.before
	f.generation -= ofPass
	f.kept = f.generation
	clear(f.weights)
}

// refresh does an H half-step of all panels and returns the objective of what comes out.
func (f *minibatch) refresh(ctx context.Context) (objective float64, err error) {
	round := &Round{fit: f.Driver.fit, reads: f.generation, writes: f.next(ofRefresh), w: f.Driver.w, loss: f.Driver.loss, missing: f.batch.Missing, alone: true, sweeps: f.mostSweeps(), x: f.Driver.x}
	for _, round.step = range []bool{true, false} {
		f.set(round)
		objective = 0
		if err := eachPanel(ctx, f.x, func(p int, panel Panel) error {
			c, err := f.get(round.reads, p)
			if err != nil {
				return err
			}
			next, t, err := f.do(ctx, panel, c)
			if err != nil {
				return fmt.Errorf("panel %d: %w", p, err)
			}
			objective += t.objective
			if next == c {
				return nil
			}
			return f.put(p, next)
		}); err != nil {
			return 0, err
		}
		round.reads = round.writes
	}
	return objective, nil
}
