package panel

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/internal/watch"
)

// A Minibatch fits a Model to X with a W half-step after each panel, not after all of them. The
// statistics that the panel gave in the pass before are replaced by its new ones, so W lowers a
// bound to which all panels contribute (incremental majorisation: Mairal 2015); in the first pass
// older statistics also fade. The first pass does about as much as ten rounds of a Batch. A
// Minibatch keeps a matrix of the size of W for each panel, and does not extrapolate: for the last
// digits go on with a Batch from its factors. Samples of one panel should be like those of the
// others: shuffle X if it is sorted.
type Minibatch struct {
	// Model and Missing are those of Batch, except that MaxIter is the number of passes over X (0
	// is 20), and that a scale is estimated in the first TuneFor passes (0 is 3). A loss that is
	// tuned in stages (rnmf.TwoStage, rnmf.Manhattan) is rnmf.ErrParameter.
	Model   rnmf.Model
	Missing bool
}

// Fit factorises X. A Point of the trace is a pass, and its objective is the sum of those that the
// panels had when they were visited; the objective of the Result is exact. Errors are those of
// Batch.Fit. If ctx ends, Fit soon returns ctx.Err() and its present factors, with the objective of
// the last pass, or nil if no pass is complete.
func (b Minibatch) Fit(ctx context.Context, x Source) (*Result, error) {
	batch := Batch{Model: b.Model, Missing: b.Missing}
	batch.Model.MaxIter = cmp.Or(b.Model.MaxIter, 20)
	d, s, err := batch.begin(ctx, x)
	if err != nil {
		return nil, err
	}
	d.batch.Model.TuneFor = cmp.Or(b.Model.TuneFor, 3)
	f := &minibatch{Driver: d, store: s, stepper: newStepper(ctx), x: x, parts: make([]*Statistics, x.Panels()), weights: make([]float64, x.Panels()),
		rng: rand.New(rand.NewPCG(b.Model.Seed, 0x70_61_6e_65_6c))}
	f.pool.Open()
	defer f.pool.Close()
	seen, _ := ctx.Value(watch.Key{}).(func(rnmf.Point))
	begin := time.Now()
	if d.phase == measuring {
		t, err := f.round(ctx, x, d, s)
		if err != nil {
			return nil, errors.Join(ctx.Err(), err)
		}
		d.tune(t.residuals)
		if d.interim {
			return nil, fmt.Errorf("%w: a Minibatch does not take %T, whose scale comes in stages", rnmf.ErrParameter, b.Model.Loss)
		}
		d.phase = stepping
	}
	for d.reason == 0 {
		objective, err := f.pass(ctx)
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			return nil, err
		}
		switch n := len(d.trace); {
		case math.IsNaN(objective) || math.IsInf(objective, 0):
			d.reason = rnmf.Diverged
		case n > 1 && !d.changed && math.Abs(d.trace[n-1].Objective-objective) <= d.batch.Model.Tol*objective+d.rounding():
			d.reason = rnmf.Converged
		case n+1 >= d.batch.Model.MaxIter:
			d.reason = rnmf.MaxIter
		}
		d.changed = f.retuned
		d.record(objective, time.Since(begin).Seconds())
		if seen != nil {
			seen(d.trace[len(d.trace)-1])
		}
	}
	// H of the last W, and the objective of both.
	if err := cmp.Or(ctx.Err(), f.refresh(ctx)); ctx.Err() != nil {
		if len(d.trace) == 0 {
			return nil, ctx.Err()
		}
		d.reason = rnmf.Cancelled
		r, _ := finish(d.Result(), s, x, 0)
		return r, ctx.Err()
	} else if err != nil {
		return nil, err
	}
	r, err := finish(d.Result(), s, x, 0)
	if err == nil {
		r.Objective = f.exact
	}
	return r, err
}

// minibatch is the state of such a fit. The coefficients stay at generation 0.
type minibatch struct {
	*Driver
	store
	*stepper
	x       Source
	parts   []*Statistics // of each panel, nil before it came by
	weights []float64     // of each in the sum
	all     *Statistics   // their sum
	rng     *rand.Rand
	retuned bool
	exact   float64
}

// sweepsOfPart is the number of sweeps in each half-step: more are wasted on factors that the next
// panel changes.
const sweepsOfPart = 5

// fading is the number of samples for each component after which, in the first pass, what a panel
// has told of W counts e times less: its coefficients come from a W that is still near the start.
// From the second pass on nothing fades, and each panel soon has its full weight. On images of MNIST
// 10 was better than 25 and 60, and all were better than no fading at all.
const fading = 10

// pass takes all panels once, in random order.
func (f *minibatch) pass(ctx context.Context) (objective float64, err error) {
	order := f.rng.Perm(len(f.parts))
	// Sums of differences gather rounding errors: begin each pass with a sum of its own.
	f.all = nil
	for p, t := range f.parts {
		if t != nil {
			f.add(t, f.weights[p])
		}
	}
	measured := new(histogram)
	sweeps, first := cmp.Or(f.hals().Sweeps, sweepsOfPart), len(f.trace) == 0
	round := &Round{loss: f.Driver.loss, missing: f.batch.Missing, step: true, sweeps: sweeps, measures: f.tunes(), x: f.Driver.x}
	err = eachPanel(ctx, shuffled{f.x, order}, func(i int, panel Panel) error {
		p := order[i]
		c, err := f.get(0, p)
		if err != nil {
			return err
		}
		round.w = f.Driver.w
		f.stepper.set(round)
		next, t, err := f.do(ctx, panel, c)
		if err != nil {
			return fmt.Errorf("panel %d: %w", p, err)
		}
		next.Plain = nil
		if err := f.put(0, p, next); err != nil {
			return err
		}
		objective += t.objective
		if t.residuals != nil {
			measured.merge(t.residuals)
		}
		t = surrogate(t, round.w)
		if first && f.all != nil {
			keep := math.Exp(-float64(t.samples) / float64(fading*t.r))
			f.all.scale(keep)
			for i := range f.weights {
				f.weights[i] *= keep
			}
		}
		if old := f.parts[p]; old != nil {
			f.add(old, -f.weights[p])
		}
		f.parts[p], f.weights[p] = t, 1
		f.add(t, 1)
		f.Driver.w = improveBasis(f.Driver.w, f.all, sweeps, f.pool)
		return nil
	})
	if f.retuned = err == nil && round.measures; f.retuned {
		f.tune(measured)
	}
	return objective, err
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
		cross: make([]float64, len(s.cross)), gram: make([]float64, len(s.gram)), gamma: make([]float64, len(s.gamma))}
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
}

// surrogate turns statistics into those that keep their meaning when W changes, and keeps those alone
// that the W half-step needs. Under losses of columns they are that already. P of a loss of entries is a
// gradient at W, so what is kept is the linear term of the bound that the half-step of a Batch
// lowers, P + ¾γ/tr(HHᵀ)·WHHᵀ, and γ and HHᵀ, of which its curvature is made. Sums over panels
// replace Σ_p γ_p H_pH_pᵀ/tr(H_pH_pᵀ) by the product of the sums, which is the same where panels are alike.
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

// refresh does an H half-step of all panels and finds the objective of what comes out.
func (f *minibatch) refresh(ctx context.Context) error {
	round := &Round{w: f.Driver.w, loss: f.Driver.loss, missing: f.batch.Missing, step: true, alone: true, sweeps: f.mostSweeps(), x: f.Driver.x}
	for _, round.step = range []bool{true, false} {
		f.set(round)
		f.exact = 0
		if err := eachPanel(ctx, f.x, func(p int, panel Panel) error {
			c, err := f.get(0, p)
			if err != nil {
				return err
			}
			next, t, err := f.do(ctx, panel, c)
			if err != nil {
				return fmt.Errorf("panel %d: %w", p, err)
			}
			next.Plain = nil
			f.exact += t.objective
			return f.put(0, p, next)
		}); err != nil {
			return err
		}
	}
	return nil
}

// shuffled is a source with its panels in another order.
type shuffled struct {
	Source
	order []int
}

func (s shuffled) Columns(p int) (from, to int) { return s.Source.Columns(s.order[p]) }
func (s shuffled) Load(p int) (Panel, error)    { return s.Source.Load(s.order[p]) }
