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
	W *mat.Dense // m×r basis, ≥ 0 but under LeastSquares
	H *mat.Dense // r×n coefficients, ≥ 0

	// Loss is the loss at its last scale, which is fixed in it.
	Loss      Loss
	Objective float64 // of W and H under Loss, penalties included
	// KKT is how far an exact step of each coordinate would still move the factors, relative to
	// their norm: 0 where the KKT conditions hold. It is -1 if the fit was cancelled.
	KKT    float64
	Trace  Trace
	Reason Reason

	// Solver (of H) and OnH are those of the model, for Transform.
	Solver Solver
	OnH    []Penalty

	mask *mat.Dense
}

// result is the state of the fit.
func (f *fit) result() *Result {
	r := f.stopped()
	f.toTheEnd(func() { r.Objective, r.KKT = f.objective(), f.kkt() })
	return r
}

// stopped is the state of the fit without what takes a pass over the data.
func (f *fit) stopped() *Result {
	return &Result{W: mat.DenseCopyOf(f.wt.T()), H: mat.DenseCopyOf(f.h), Loss: f.loss,
		Objective: f.reached, KKT: -1, Trace: append(Trace(nil), f.trace...), Reason: f.reason,
		Solver: cmp.Or(f.model.SolverH, f.model.Solver), OnH: slices.Clone(f.model.OnH), mask: f.mask}
}

// outcome is what a fit returns once run is over, nil if no objective is known.
func (f *fit) outcome() *Result {
	switch {
	case f.reason != Cancelled:
		return f.result()
	case len(f.trace) == 0:
		return nil
	}
	return f.stopped()
}

// String sums the result up in a line, without its matrices.
func (r *Result) String() string {
	if err := r.check(); err != nil {
		return err.Error()
	}
	m, k := r.W.Dims()
	return fmt.Sprintf("%d×%d, rank %d, %#v: %v, objective %.6g", m, r.H.RawMatrix().Cols, k, r.Loss, r.Reason, r.Objective)
}

// check finds a Result that no fit has made.
func (r *Result) check() error {
	if r.W == nil || r.H == nil {
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
		if p != 2 {
			length = floats.Norm(col, p)
		}
		row := h.RawRowView(j)
		if length == 0 {
			clear(row)
			continue
		}
		for i := range m {
			w.Set(i, j, w.At(i, j)/length)
		}
		for i := range row {
			row[i] *= length
		}
	}
	return w, h
}

// Clusters assigns each sample to the component that contributes most to it: the largest
// coefficient, with the columns of W at Euclidean length 1.
func (r *Result) Clusters() []int {
	_, h := r.Normalized(2)
	k, n := h.Dims()
	found := make([]int, n)
	for j := range n {
		for i := 1; i < k; i++ {
			if h.At(i, j) > h.At(found[j], j) {
				found[j] = i
			}
		}
	}
	return found
}

// Transform finds the coefficients (r×p) of p new samples (the columns of x, m×p) with W, the loss
// and its scale fixed. mask (m×p) is for x what Model.Mask is for the data of a fit; nil if nothing
// is missing. A sample without any entry gets 0; if no sample has one, that is ErrEmpty. It returns
// the best found so far and ctx.Err() when ctx ends.
func (r *Result) Transform(ctx context.Context, x, mask mat.Matrix) (*mat.Dense, error) {
	if err := errors.Join(r.check(), wantMatrix("X", x)); err != nil {
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
	model := Model{Rank: k, Mask: mask, SolverH: r.Solver, Tol: 1e-8, Signed: true}
	if mask != nil {
		if err := wantDims("Mask", mask, m, n); err != nil {
			return nil, err
		}
		mask = asDense(mask)
	}
	if mat.Min(r.W) < 0 {
		model.SolverW = LeastSquares{} // which leaves signs as they are
	}
	h := r.even(asDense(x), mask)
	for _, p := range r.OnH {
		if _, ofSamples := p.(SamplePenalty); !ofSamples {
			model.OnH = append(model.OnH, p)
		}
	}
	for _, model.Loss = range []Loss{relax(r.Loss), r.Loss} {
		model.Init = Factors{W: r.W, H: h}
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
			return h, ctx.Err()
		}
	}
	return h, nil
}

// even returns equal coefficients for each sample, so that WH and X have one sum over known
// entries.
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
	h := mat.NewDense(k, n, nil)
	for j, s := range all {
		v := 1.0
		switch {
		case known[j] > 0:
			v = min(s/known[j], maxEntry)
		case !some[j]:
			v = 0
		}
		for i := range k {
			h.Set(i, j, v)
		}
	}
	return h
}

// Relax returns l, which is convex.
func (l L1) Relax() Loss { return l }

// Relax returns the Relax of the inner loss, or Huber with a third of Cut if that loss is
// Frobenius.
func (l Truncated) Relax() Loss {
	if isFrobenius(l.Loss) {
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
	live := 0
	for _, v := range each {
		if v > 1e-9*all {
			live++
		}
	}
	return live
}
