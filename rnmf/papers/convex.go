package papers

import (
	"cmp"
	"context"
	"fmt"
	"github.com/robustnmf/robustnmf/rnmf"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
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
// Model.Init gives H; G begins as Hᵀ with columns of sum 1, with KMeansInit their indicator, as in
// that paper.
type ConvexNMF struct {
	Model rnmf.Model // without Mask, OnW and solvers
}

// ConvexNMFResult is a Result with G; its W is XG, which may be negative where X is.
type ConvexNMFResult struct {
	*rnmf.Result
	G *mat.Dense // n×r
}

// With returns the same with another Model, as edit changes it.
func (s ConvexNMF) With(edit func(m *rnmf.Model)) rnmf.Fitter[*ConvexNMFResult] {
	if edit != nil {
		edit(&s.Model)
	}
	return s
}

// Fit factorises x.
func (s ConvexNMF) Fit(ctx context.Context, x mat.Matrix) (*ConvexNMFResult, error) {
	if s.Model.Mask != nil || s.Model.OnW != nil || cmp.Or(s.Model.Solver, s.Model.SolverW, s.Model.SolverH) != nil {
		return nil, errParameter("ConvexNMF.Model", "a model with Mask, OnW or a solver", "none of them")
	}
	if err := wantGaussian("ConvexNMF", s.Model); err != nil {
		return nil, err
	}
	solver := &convexSolver{signed: s.Model.Signed}
	model := s.Model
	model.SolverW, model.Init = solver, convexInit{solver, cmp.Or[rnmf.Init](s.Model.Init, rnmf.Random{})}
	model.Watch = func(p rnmf.Point) {
		solver.keep(p)
		if s.Model.Watch != nil {
			s.Model.Watch(p)
		}
	}
	r, err := model.Fit(ctx, x)
	if r == nil {
		return nil, err
	}
	return &ConvexNMFResult{r, mat.DenseCopyOf(solver.of(r.W).T())}, err
}

// A convexSolver is the solver of W in ConvexNMF, with the G of its fit.
type convexSolver struct {
	xt    *mat.Dense // n×m, a row is a sample
	norms []float64  // squared, of the samples
	convexFactors
	known     [4]convexFactors // at points of the trace to which a fit may go back, by role
	objective float64          // the lowest at this scale of the loss
	scale     float64
	signed    bool // X may have negative entries
}

// convexFactors are G of a fit, and its W.
type convexFactors struct {
	g   *mat.Dense // r×n, Gᵀ
	now *mat.Dense // r×m, GᵀXᵀ; nil while g changes
}

// The points of the trace to which a fit may go back. Where rounding errors decide, that of the lowest objective
// may be many rounds ago, or the one from which the present scale of the loss was estimated.
const (
	last = iota
	beforeLast
	lowest // at this scale
	beforeScale
)

// keep remembers the factors at a point of the trace.
func (s *convexSolver) keep(p rnmf.Point) {
	s.known[last], s.known[beforeLast] = s.known[beforeLast], s.known[last]
	s.known[last].copy(s.convexFactors)
	switch {
	case p.Scale != s.scale: // also at the start
		s.objective, s.scale = p.Objective, p.Scale
		s.known[beforeScale].copy(s.known[beforeLast])
	case p.Objective <= s.objective+1e-9*math.Abs(s.objective):
		s.objective = min(s.objective, p.Objective)
	default:
		return
	}
	s.known[lowest].copy(s.convexFactors)
}

func (f *convexFactors) copy(of convexFactors) {
	f.now = of.now
	f.g.Copy(of.g)
}

// of returns Gᵀ of the W with which a fit ended.
func (s *convexSolver) of(w *mat.Dense) *mat.Dense {
	g, nearest := s.known[last].g, math.Inf(1)
	for _, f := range append([]convexFactors{s.convexFactors}, s.known[:]...) {
		if f.now == nil {
			continue
		}
		var far mat.Dense
		far.Sub(w, f.now.T())
		if d := mat.Norm(&far, 2); d < nearest {
			g, nearest = f.g, d
		}
	}
	return g
}

// A convexInit starts a fit at the H of another start and W = XG.
type convexInit struct {
	solver *convexSolver
	of     rnmf.Init
}

// Start makes the solver ready for x.
func (s convexInit) Start(ctx context.Context, x *mat.Dense, rank int, rng *rand.Rand) (w, h *mat.Dense, err error) {
	_, h, err = s.of.Start(ctx, x, rank, rng)
	if err != nil {
		return nil, nil, err
	}
	if h == nil {
		return nil, nil, fmt.Errorf("%w: the start lacks W or H", rnmf.ErrShape)
	}
	m, n := x.Dims()
	if err := wantDims("H", h, rank, n); err != nil {
		return nil, nil, err
	}
	if err := checkUpTo(rnmf.MaxFactor, "H", h, false); err != nil {
		return nil, nil, err
	}
	p := s.solver
	p.xt, p.norms = mat.DenseCopyOf(x.T()), make([]float64, n)
	for j := range n {
		for _, v := range p.xt.RawRowView(j) {
			p.norms[j] += v * v
		}
	}
	p.g, p.now = mat.DenseCopyOf(h), mat.NewDense(rank, m, nil)
	for k := range rank {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		row := p.g.RawRowView(k)
		if sum := total(row); sum > 0 {
			blas64.Scal(1/sum, vector(row))
		}
		p.combine(p.now.RawRowView(k), row)
	}
	for i := range p.known {
		p.known[i] = convexFactors{mat.DenseCopyOf(p.g), p.now}
	}
	p.scale = math.NaN()
	if far := mat.Max(p.now) * mat.Max(h); far > maxEntry { // of huge data, where H is as large as W elsewhere
		h = mat.DenseCopyOf(h)
		h.Scale(maxEntry/far, h)
	}
	return mat.DenseCopyOf(p.now.T()), h, ctx.Err()
}

// combine writes Xg.
func (s *convexSolver) combine(w, g []float64) {
	clear(w)
	for i, a := range g {
		if a != 0 {
			blas64.Axpy(a, vector(s.xt.RawRowView(i)), vector(w))
		}
	}
}

// Signed reports whether X, of which W consists, may have negative entries.
func (s *convexSolver) Signed() bool { return s.signed }

// Project leaves v as it is: W begins as XG.
func (*convexSolver) Project(*mat.Dense) {}

// Probe returns a copy.
func (s *convexSolver) Probe() rnmf.Solver {
	return &convexSolver{xt: s.xt, norms: s.norms, convexFactors: convexFactors{g: mat.DenseCopyOf(s.g)}}
}

// Improve does a sweep over G.
func (s *convexSolver) Improve(q *rnmf.Quadratic, v *mat.Dense) {
	p := q.GramForm(v)
	if p.Stopped() {
		return
	}
	s.now = nil
	_, m, r := p.Dims()
	e := make([]float64, m)
	for k := range r {
		if p.Stopped() {
			return
		}
		// Half the gradient by w_k is g_kk w_k − b: N and W both have the weight of the additive
		// form.
		gk := p.G[k*r:][:r]
		scale := gk[k] * p.W[0]
		if !(scale > 0 && 1/scale < rnmf.MaxFactor) {
			continue
		}
		w, g := v.RawRowView(k), s.g.RawRowView(k)
		copy(e, p.N[k*m:][:m])
		for l, a := range gk {
			blas64.Axpy(-a*p.W[0], vector(v.RawRowView(l)), vector(e))
		}
		blas64.Scal(1/scale, vector(e)) // b − w_k
		for i, d := range s.norms {
			xi := s.xt.RawRowView(i)
			to := rnmf.Minimiser(g[i], blas64.Dot(vector(xi), vector(e)), d)
			if delta := to - g[i]; delta != 0 {
				blas64.Axpy(-delta, vector(xi), vector(e))
				g[i] = to
			}
		}
		s.combine(w, g) // from g, so that rounding errors do not add up
	}
	s.now = mat.DenseCopyOf(v)
}
