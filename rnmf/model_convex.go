package rnmf

import (
	"cmp"
	"context"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/dense"
	"github.com/robustnmf/robustnmf/rnmf/internal/work"
)

// ConvexNMF keeps the basis in the cone of the samples, so that components look like data (Ding et
// al. 2010),
//
//	min over G, H ≥ 0 of ‖X − XGH‖²,   W = XG,
//
// for data of any sign with Model.Signed. G is n×r. (The paper writes X ≈ XWGᵀ: its W is G, its Gᵀ
// is H.)
//
// Given H and all other columns, column g_k of G solves non-negative least squares with the samples
// as dictionary,
//
//	min over g ≥ 0 of ‖b − Xg‖²,   b = (Xh_kᵀ − Σ_{l≠k} w_l ⟨h_l, h_k⟩) / ‖h_k‖²,
//
// Coordinate descent keeps b − Xg, of length m, up to date: a sweep over all of G costs two
// products of the size of X, without the n×n matrix XᵀX of the multiplicative update, and never
// raises the objective. With a Loss whose weights differ by entry it works on the additive form.
//
// The columns of G, and so the rows of H, differ much in size: use Result.Normalized before k-means
// on H.
//
// Model.Init gives H; G begins as Hᵀ with columns of sum 1, with Clusters their indicator, as in
// that paper.
type ConvexNMF struct {
	Model Model // without Mask, OnW and solvers
}

// ConvexNMFResult is a Result with G; its W is XG, which may be negative where X is.
type ConvexNMFResult struct {
	*Result
	G *mat.Dense // n×r
}

// Fit factorises x.
func (s ConvexNMF) Fit(ctx context.Context, x mat.Matrix) (*ConvexNMFResult, error) {
	if s.Model.Mask != nil || s.Model.OnW != nil || cmp.Or(s.Model.Solver, s.Model.SolverW, s.Model.SolverH) != nil {
		return nil, errParameter("ConvexNMF.Model", "a model with Mask, OnW or a solver", "none of them")
	}
	f, err := s.Model.start(ctx, x, false)
	if err != nil {
		return nil, err
	}
	span := newSpan(f.x, f.h, func() bool { return ctx.Err() != nil && !f.little() })
	if span == nil {
		return nil, ctx.Err()
	}
	span.signed = s.Model.Signed
	f.solverW = span
	f.wt = mat.DenseCopyOf(span.now)
	f.pool.Open()
	defer f.pool.Close()
	f.watched(ctx)
	r := f.outcome()
	if r == nil {
		return nil, f.err(ctx)
	}
	g := span.g
	if span.now == nil || !mat.Equal(f.wt, span.now) {
		g = span.before // of the last complete round
	}
	return &ConvexNMFResult{r, mat.DenseCopyOf(g.T())}, f.err(ctx)
}

// A span is the solver of W in ConvexNMF, with the G of its fit.
type span struct {
	xt        *mat.Dense // n×m, a row is a sample
	norms     []float64  // squared, of the samples
	g, before *mat.Dense // r×n, Gᵀ now and before the last half-step
	now       *mat.Dense // r×m, GᵀXᵀ; nil while g changes
	signed    bool       // X may have negative entries
}

// newSpan returns nil if it is stopped.
func newSpan(x, h *mat.Dense, stop func() bool) *span {
	norms, _ := lengths(x, stop)
	xt, done := dense.Transpose(x, stop)
	if !done {
		return nil
	}
	s := &span{xt: xt, g: mat.DenseCopyOf(h), norms: norms[0]}
	r, n := h.Dims()
	m, _ := x.Dims()
	s.now = mat.NewDense(r, m, nil)
	if !work.Pieces(r, m*n, stop, func(from, to int) {
		for k := from; k < to; k++ {
			row := s.g.RawRowView(k)
			if sum := total(row); sum > 0 {
				blas64.Scal(1/sum, vector(row))
			}
			s.combine(s.now.RawRowView(k), row)
		}
	}) {
		return nil
	}
	s.before = mat.DenseCopyOf(s.g)
	return s
}

// combine writes Xg.
func (s *span) combine(w, g []float64) {
	clear(w)
	for i, a := range g {
		if a != 0 {
			blas64.Axpy(a, vector(s.xt.RawRowView(i)), vector(w))
		}
	}
}

// Signed reports whether X, of which W consists, may have negative entries.
func (s *span) Signed() bool { return s.signed }

// Project leaves v as it is: W begins as XG.
func (*span) Project(*mat.Dense) {}

// Probe returns a copy.
func (s *span) Probe() Solver {
	return &span{xt: s.xt, norms: s.norms, g: mat.DenseCopyOf(s.g), before: mat.DenseCopyOf(s.before)}
}

// Improve does a sweep over G.
func (s *span) Improve(q *Quadratic, v *mat.Dense) {
	p := q.whole(v)
	if p.pool.Stop() {
		return
	}
	s.before.Copy(s.g)
	s.now = nil
	m, r := q.n, q.r
	e := make([]float64, m)
	for k := range r {
		if p.pool.Stop() {
			return
		}
		// Half the gradient by w_k is g_kk w_k − b: n and p.g both have the weight of the additive
		// form.
		gk := p.g[k*r:][:r]
		scale := gk[k] * p.w[0]
		if !(scale > 0 && 1/scale < maxFactor) {
			continue
		}
		w, g := v.RawRowView(k), s.g.RawRowView(k)
		copy(e, p.n[k*m:][:m])
		for l, a := range gk {
			blas64.Axpy(-a*p.w[0], vector(v.RawRowView(l)), vector(e))
		}
		blas64.Scal(1/scale, vector(e)) // b − w_k
		for i, d := range s.norms {
			xi := s.xt.RawRowView(i)
			to := step(g[i], blas64.Dot(vector(xi), vector(e)), d)
			if delta := to - g[i]; delta != 0 {
				blas64.Axpy(-delta, vector(xi), vector(e))
				g[i] = to
			}
		}
		s.combine(w, g) // from g, so that rounding errors do not add up
	}
	s.now = mat.DenseCopyOf(v)
}
