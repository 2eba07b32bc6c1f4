package rnmf

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A Result is what a fit found.
type Result struct {
	W *mat.Dense // m×r basis, ≥ 0 but under NormalEquations
	H *mat.Dense // r×n coefficients, ≥ 0

	// Loss is the loss at its last scale, which is fixed in it.
	Loss      Loss
	Family    Family  // what Loss is taken of, as in the Model
	Objective float64 // of W and H under Loss, penalties included
	// KKT is how far an exact step of each coordinate would still move the factors, relative to
	// their norm: 0 where the KKT conditions hold. It is -1 if the fit was cancelled.
	KKT    float64
	Trace  Trace
	Reason Reason

	// Solver (of H) and OnH are those of the model, for Transform.
	Solver Solver
	OnH    []Penalty

	// Mask is that of the model, nil if all entries count. Save leaves it out.
	Mask *mat.Dense
}

// result is the state of the fit, with the objective and the KKT residual of its factors: these may be
// better ones than those of the last point of the trace.
func (f *fit) result() *Result {
	r := f.snapshot()
	f.toTheEnd(func() { r.Objective, r.KKT = f.objective(), f.kkt() })
	if f.wrong = cmp.Or(f.wrong, f.wantNumber(r.Objective)); f.wrong != nil {
		return f.snapshot()
	}
	return r
}

// snapshot is the state of the fit without what takes a pass over the data.
func (f *fit) snapshot() *Result {
	return &Result{W: mat.DenseCopyOf(f.wt.T()), H: mat.DenseCopyOf(f.h), Loss: f.loss, Family: f.model.Family,
		Objective: f.reached, KKT: -1, Trace: append(Trace(nil), f.trace...), Reason: f.reason,
		Solver: cmp.Or(f.model.SolverH, f.model.Solver), OnH: slices.Clone(f.model.OnH), Mask: f.mask}
}

// outcome is what a fit returns once run is over, nil if no objective is known.
func (f *fit) outcome() *Result {
	if f.reason != Cancelled {
		return f.result()
	} else if len(f.trace) == 0 {
		return nil
	}
	return f.snapshot()
}

// String sums the result up in a line, without its matrices.
func (r *Result) String() string {
	if err := r.check(); err != nil {
		return err.Error()
	}
	m, k := r.W.Dims()
	return fmt.Sprintf("%d×%d, rank %d, %#v: %v after %d rounds, objective %.6g", m, r.H.RawMatrix().Cols, k, r.Loss, r.Reason, r.Rounds(), r.Objective)
}

// Rounds is the number of rounds that the fit took.
func (r *Result) Rounds() int {
	if len(r.Trace) == 0 {
		return 0
	}
	return r.Trace[len(r.Trace)-1].Round
}

// WH returns the product of the factors, m×n: what the model makes of X.
func (r *Result) WH() *mat.Dense {
	var x mat.Dense
	x.Mul(r.W, r.H)
	return &x
}

// Filled returns x (m×n), the data of the fit, with the entries of WH where mask is 0. mask and
// errors are those of Outliers.
func (r *Result) Filled(x, mask mat.Matrix) (*mat.Dense, error) {
	known, err := r.known(x, mask)
	if err != nil {
		return nil, err
	}
	full := r.WH()
	full.Apply(func(i, j int, v float64) float64 {
		if known == nil || known.At(i, j) > 0 {
			v = x.At(i, j)
		}
		return v
	}, full)
	return full, nil
}

// check finds a Result that no fit has made.
func (r *Result) check() error {
	if r.W == nil || r.H == nil || r.W.IsEmpty() || r.H.IsEmpty() {
		return fmt.Errorf("%w: the result has no W or H", ErrEmpty)
	}
	_, k := r.W.Dims()
	_, n := r.H.Dims()
	return wantDims("H", r.H, k, n)
}

// Normalized returns copies of W, its columns scaled to length 1 in the norm p ≥ 1 (1: the
// magnitudes sum to 1; 2: Euclidean; math.Inf(1): the largest magnitude is 1), and of H, its rows
// scaled so that WH stays the same. A component that is 0 in W stays 0. It panics with an error
// that wraps ErrParameter if p is below 1 or NaN. A fit never scales, which would change penalties.
func (r *Result) Normalized(p float64) (w, h *mat.Dense) {
	if !(p >= 1) {
		panic(errParameter("p", p, "1 or more"))
	}
	w, h = mat.DenseCopyOf(r.W), mat.DenseCopyOf(r.H)
	m, k := w.Dims()
	for j := range k {
		col := mat.Col(nil, j, w)
		length := mat.Norm(w.ColView(j), 2)
		switch largest := floats.Norm(col, math.Inf(1)); {
		case p == 1 || math.IsInf(p, 1):
			length = floats.Norm(col, p)
		case p != 2 && largest > 0: // the powers of the entries themselves may be too large or small
			floats.Scale(1/largest, col)
			length = largest * floats.Norm(col, p)
		}
		for i := range m {
			if length > 0 {
				w.Set(i, j, w.At(i, j)/length)
			}
		}
		floats.Scale(length, h.RawRowView(j))
	}
	return w, h
}

// Clusters assigns each sample to the component that contributes most to it: the largest
// coefficient, with the columns of W at Euclidean length 1.
func (r *Result) Clusters() []int {
	_, h := r.Normalized(2)
	return argmax(h, func(int) bool { return true })
}

// Transform finds the coefficients (r×p) of p new samples (the columns of x, m×p) with W, the loss
// and its scale fixed. Only W must be set, so (&Result{W: w}).Transform finds the coefficients for a
// basis of your own, by least squares. mask (m×p) is for x what Model.Mask is for the data of a fit; nil if nothing
// is missing. A sample without any entry gets 0; if no sample has one, that is ErrEmpty. It returns
// the best found so far and ctx.Err() when ctx ends.
func (r *Result) Transform(ctx context.Context, x, mask mat.Matrix) (*mat.Dense, error) {
	if r.W == nil {
		return nil, fmt.Errorf("%w: the result has no W", ErrEmpty)
	}
	if err := wantMatrix("X", x); err != nil {
		return nil, err
	}
	rows, k := r.W.Dims()
	m, n := x.Dims()
	if err := wantDims("X", x, rows, n); err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, fmt.Errorf("%w: no samples", ErrEmpty)
	}
	model := Model{Rank: k, Mask: mask, SolverH: r.Solver, Tol: 1e-8, Family: r.Family, Signed: r.Family == Gaussian}
	if mask != nil {
		if err := wantDims("Mask", mask, m, n); err != nil {
			return nil, err
		}
		mask = asDense(mask)
	}
	if mat.Min(r.W) < 0 {
		model.SolverW = NormalEquations{} // which leaves signs as they are
	}
	h := r.even(asDense(x), mask)
	model.OnH = slices.DeleteFunc(slices.Clone(r.OnH), func(p Penalty) bool {
		_, ofSamples := p.(SamplePenalty)
		return ofSamples
	})
	convex := relax(r.Loss)
	if r.Family != Gaussian {
		convex = Frobenius{} // no other loss of a deviance is convex
	}
	for _, model.Loss = range []Loss{convex, r.Loss} {
		if heaviest, most := r.largestStart(mask, n); checkProduct(r.W, h, heaviest) != nil { // where all is hidden
			h.Apply(func(_, _ int, v float64) float64 { return min(v, most) }, h)
		}
		model.Init = WarmStart{W: r.W, H: h}
		f, err := model.start(ctx, x, true)
		if err != nil && errors.Is(err, ctx.Err()) {
			return h, err
		} else if err != nil {
			return nil, err
		}
		func() {
			f.pool.Open()
			defer f.pool.Close() // also where a loss panics
			f.run(func() bool { return true })
		}()
		if h = f.h; f.reason == Cancelled {
			return h, f.err(ctx)
		}
	}
	return h, nil
}

// even returns equal coefficients for each sample, so that WH and X have one sum over known
// entries, or smaller ones where WH would be too large.
func (r *Result) even(x *mat.Dense, mask mat.Matrix) *mat.Dense {
	m, k := r.W.Dims()
	_, n := x.Dims()
	all, known, some := make([]float64, n), make([]float64, n), make([]bool, n)
	for i := range m {
		w := mat.Sum(r.W.RowView(i))
		for j, v := range x.RawRowView(i) {
			if mask == nil || mask.At(i, j) > 0 {
				all[j] += math.Abs(v)
				known[j] += w
				some[j] = true
			}
		}
	}
	_, most := r.largestStart(mask, n)
	h := mat.NewDense(k, n, nil)
	h.Apply(func(_, j int, _ float64) float64 {
		switch {
		case known[j] > 0:
			return min(all[j]/known[j], maxEntry, most)
		case some[j]:
			return min(1, most)
		}
		return 0
	}, h)
	return h
}

// largestStart returns the heaviest weight of a mask of n samples, and up to which coefficients WH is not too large.
func (r *Result) largestStart(mask mat.Matrix, n int) (heaviest, most float64) {
	heaviest = 1
	if mask != nil {
		heaviest = mat.Max(mask)
	}
	m, k := r.W.Dims()
	return heaviest, 0.5 * largestProduct(m, n, heaviest) / (float64(k) * max(mat.Max(r.W), -mat.Min(r.W)))
}

// Relax returns l, which is convex.
func (l L1) Relax() Loss { return l }

// Relax returns the Relax of the inner loss, or Huber with a third of Cut if that loss is
// Frobenius.
func (l Truncated) Relax() Loss {
	if isSquared(l.Loss) {
		return Huber{Cut: max(l.Cut/3, leastScale)}
	}
	return relax(l.Loss)
}

// Relax returns Frobenius, as the weight of a sample does not change which h fits it best.
func (l ByColumn) Relax() Loss { return Frobenius{} }

// relax returns a convex loss of about the same scale. From a poor start all residuals of a sample
// may lie where a loss that levels off has no slope left; a convex one has one everywhere.
func relax(l Loss) Loss {
	if r, ok := l.(interface{ Relax() Loss }); ok {
		return r.Relax()
	}
	if c := scaleNow(l); c > 0 {
		return Huber{Cut: min(max(c, leastScale), mostScale)}
	}
	return Frobenius{}
}

// masses returns the sum of all |w_ik| h_kj, and those of each component.
func masses(wt, h *mat.Dense) (all float64, each []float64) {
	r, _ := h.Dims()
	each = make([]float64, r)
	for k := range each {
		var w float64
		for _, v := range wt.RawRowView(k) {
			w += math.Abs(v)
		}
		each[k] = w * total(h.RawRowView(k))
		all += each[k]
	}
	return all, each
}

// Live returns the number of components that make up more than 1e-9 of WH. It is below the rank
// where penalties are too heavy, and 0 where the Reason is Collapsed.
func (r *Result) Live() int {
	all, each := masses(mat.DenseCopyOf(r.W.T()), r.H)
	return floats.Count(func(v float64) bool { return v > 1e-9*all }, each)
}
