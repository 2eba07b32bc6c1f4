package panel

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
)

// A Stream fits W to samples that come panel by panel and are not kept: partial fits. When a new
// panel comes, the statistics of all panels before it are multiplied by Keep, so that what was
// learnt from coefficients of an older W fades (Mairal et al. 2010, section 3.4.3; for robust
// losses Zhao and Tan 2017).
type Stream struct {
	// Model is that of Batch, with the scale of its loss given. Its Init is nil, or rnmf.WarmStart, of
	// which only W is used. After the first panel the scale may change, but not Rank, nor whether the weights
	// differ from entry to entry, as under losses of entries and with Missing.
	Model   rnmf.Model
	Missing bool
	// Keep is the share that is kept of what was learnt, 0 to 1; 0 is 0.99.
	Keep float64

	w    *mat.Dense
	sums *Statistics
}

// W returns a copy of the basis (m×r), nil before the first panel.
func (s *Stream) W() *mat.Dense {
	if s.w == nil {
		return nil
	}
	return mat.DenseCopyOf(s.w)
}

// PartialFit learns from a panel. It returns the coefficients (r×b) of the panel under the new W,
// and the loss of the panel with these. Errors are those of Batch.Fit; after an error the Stream is
// as it was before the call.
func (s *Stream) PartialFit(ctx context.Context, x Panel) (h *mat.Dense, objective float64, err error) {
	m, b := x.Dims()
	r := s.Model.Rank
	if m == 0 || b == 0 {
		return nil, 0, fmt.Errorf("%w: the panel is %d×%d", rnmf.ErrEmpty, m, b)
	}
	if !(s.Keep >= 0 && s.Keep <= 1) {
		return nil, 0, fmt.Errorf("%w: Keep is %g, want 0 to 1", rnmf.ErrParameter, s.Keep)
	}
	if s.Model.Family != rnmf.Gaussian {
		return nil, 0, errFamily("Stream", s.Model.Family)
	}
	if err := checkModel(Batch{Model: s.Model}, m, max(b, r)); err != nil {
		return nil, 0, err
	}
	if t, tunes := s.Model.Loss.(rnmf.Tuner); tunes && t.Tuning() != nil {
		return nil, 0, fmt.Errorf("%w: a Stream needs a given scale of the loss %T", rnmf.ErrParameter, s.Model.Loss)
	}
	if s.w != nil {
		if rows, columns := s.w.Dims(); rows != m || columns != r {
			return nil, 0, fmt.Errorf("%w: the panel is %d×%d and the rank %d, W is %d×%d", rnmf.ErrShape, m, b, r, rows, columns)
		}
	}
	seen, err := summarise(x, 0)
	if err != nil {
		return nil, 0, err
	}
	a := seen.amplitude(m, r, s.Missing)
	w := s.w
	if w == nil {
		w = startW(m, r, a, s.Model.Seed)
		if f, given := s.Model.Init.(rnmf.WarmStart); given {
			if w, err = givenFactor("W", f.W, m, r); err != nil {
				return nil, 0, err
			}
		}
	}
	loss := s.Model.Loss
	if loss == nil {
		loss = rnmf.Frobenius{}
	}
	st := newStepper(ctx)
	st.pool.Open()
	defer st.pool.Close()
	round := &Round{w: w, loss: loss, missing: s.Missing, step: true, alone: true, sweeps: 1 + m/(2*r), x: scalesOf(nil, r)}
	if s.sums != nil && s.sums.entries != round.ofEntries() {
		return nil, 0, fmt.Errorf("%w: Loss %T with Missing %t, whose sums do not go with those of the panels before: a loss of entries, or Missing, comes with the first panel or not at all", rnmf.ErrParameter, loss, s.Missing)
	}
	c := &Coefficients{H: startH(r, 0, b, a, s.Model.Seed)}
	if c, err = st.settle(ctx, round, x, c); err != nil {
		return nil, 0, err
	}
	round.alone = false
	st.set(round)
	_, t, err := st.do(ctx, x, c)
	if err != nil {
		return nil, 0, err
	}
	t = surrogate(t, w)
	if s.sums != nil {
		keep := s.Keep
		if keep == 0 {
			keep = 0.99
		}
		all := t.empty()
		all.addScaled(s.sums, keep)
		all.addScaled(t, 1)
		t = all
	}
	round.w, round.alone = improveBasis(make([]float64, len(t.cross)), w, t, sweepsOfPart, st.pool), true
	if c, err = st.settle(ctx, round, x, c); err != nil {
		return nil, 0, err
	}
	round.step = false
	st.set(round)
	_, last, err := st.do(ctx, x, c)
	if err != nil {
		return nil, 0, err
	}
	s.w, s.sums = round.w, t
	return c.H, last.objective, nil
}

// least is the share of the objective that a half-step has to lower it by, for another one.
const least = 1e-6

// settle does H half-steps of a panel until one lowers its objective by next to nothing.
func (s *stepper) settle(ctx context.Context, r *Round, x Panel, c *Coefficients) (*Coefficients, error) {
	s.set(r)
	before := math.Inf(1)
	for range 200 {
		next, t, err := s.do(ctx, x, c)
		if err != nil {
			return nil, err
		}
		if !math.IsInf(before, 1) && before-t.objective <= least*math.Abs(before) {
			return c, nil
		}
		before = t.objective
		c = next
	}
	return c, nil
}

// Transform finds the coefficients (r×b) of the samples in a panel, dense or sparse, with W, the
// family, the loss and its scale fixed, as a Result has them. For the samples of a whole Source call it on one panel after the other.
// With missing, the entries that a sparse panel does not store are missing. (rnmf.Result.Transform
// takes dense matrices, masks and penalties.) The error names the first coefficient that would be above
// rnmf.MaxFactor, as of a W that is far too small for the panel.
func Transform(ctx context.Context, w *mat.Dense, family rnmf.Family, loss rnmf.Loss, x Panel, missing bool) (*mat.Dense, error) {
	m, b := x.Dims()
	if w == nil || w.RawMatrix().Rows != m || b == 0 {
		return nil, fmt.Errorf("%w: the panel is %d×%d, but W does not have as many rows", rnmf.ErrShape, m, b)
	}
	if missing && x.Sparse == nil {
		return nil, fmt.Errorf("%w: missing is for sparse panels", rnmf.ErrParameter)
	}
	_, r := w.Dims()
	seen, err := summarise(x, 0)
	if err = errors.Join(err, checkFactor("W", w, false)); err != nil {
		return nil, err
	}
	if loss == nil {
		loss = rnmf.Frobenius{}
	}
	if t, tunes := loss.(rnmf.Tuner); tunes && t.Tuning() != nil {
		return nil, fmt.Errorf("%w: the loss %T has no scale; take the Loss of a Result, which has one", rnmf.ErrParameter, loss)
	}
	if err := errors.Join(checkLoss(loss), checkFamily(family, loss, missing)); err != nil {
		return nil, err
	}
	// Squares of a W that is very small would be 0: coefficients are found for one of another unit.
	unit := 1.0
	if largest := mat.Max(w); largest > 0 && largest < 1e-100 {
		_, exponent := math.Frexp(largest)
		unit = math.Ldexp(1, exponent)
		scaled := mat.DenseCopyOf(w)
		scaled.Apply(func(_, _ int, v float64) float64 { return v / unit }, w)
		w = scaled
	}
	st := newStepper(ctx)
	st.pool.Open()
	defer st.pool.Close()
	round := &Round{w: w, family: family, loss: loss, missing: missing, step: true, alone: true, sweeps: 1 + m/(2*r), x: scalesOf(nil, r)}
	if family != rnmf.Gaussian {
		round.sweeps = countSweeps
	}
	total := mat.Sum(w)
	mean := 1.0
	if total > 0 && seen.entries > 0 {
		mean = seen.magnitudes.Median() * float64(seen.positive()) / float64(seen.columns) / total
	}
	h := mat.NewDense(r, b, nil)
	h.Apply(func(_, _ int, _ float64) float64 { return mean }, h)
	c, err := st.settle(ctx, round, x, &Coefficients{H: h})
	if err != nil {
		return nil, err
	}
	c.H.Apply(func(_, _ int, v float64) float64 { return min(v/unit, math.MaxFloat64) }, c.H)
	if err := checkFactor("H", c.H, false); err != nil {
		return nil, err
	}
	return c.H, nil
}
