package papers

import (
	"context"
	"github.com/robustnmf/robustnmf/rnmf"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// RRA is rank-one residue approximation (Liao and Zhang, Algorithm 1): one row v of V after the
// other, all its entries at once. With g = ‖u_k‖² and b = u_kᵀR_k, where R_k is the residual
// without component k, (11) is gv'v − 2b'v + λv'Lv, and
//
//	v ← max(0, A b),   A ≈ (gI + λL)⁻¹   (15).
//
// A comes from the p largest eigenvalues of L ≈ Θ diag(σ) Θᵀ (17),
//
//	A = I/a + Θ diag(1/(g + λσ) − 1/a) Θᵀ,   a = g.
//
// b comes from UX and UUᵀ instead of from a residual matrix. Algorithm 1 changes u_k and v_k in
// turn, here one factor follows the other; without a graph (15) is a sweep of HALS, for W too.
//
// As printed it does not hold what Proposition 1 says. The minimiser of (11) is not the
// unconstrained one, cut off at 0, as gI + λL is not diagonal. Even at a minimum of the objective,
// and with the exact inverse, (15) leads uphill. And the directions that (17) leaves out get the
// curvature g, which is less than theirs: with large λ the objective grows without bound. So there
// are two changes, unless Printed is set:
//
//   - Directions left out get a σ that none of theirs exceeds, a = g + λσ, an upper bound, and the
//     step is taken from where v is: p = max(0, v − A∇) − v with ∇ = (gI + λL)v − b, half the
//     gradient.
//   - Along p the minimum up to v + p is taken, so that q never rises. p may be short or lead
//     uphill far from the minimum, so a step to the minimum of the diagonal bound of Laplacian
//     follows, which is 0 only where the KKT conditions hold.
//
// The default solver, HALS, needs no eigenvectors and is faster.
type RRA struct {
	// Energy is the share of the sum of all eigenvalues of L that Θ has, up to 1; 0 is the paper's
	// 0.95. At 1 the inverse is exact. The eigenvalues of the graph of nearest neighbours are
	// spread widely: 0.95 keeps most of them.
	Energy float64
	// Printed takes (15) with (17) as printed. The objective may rise; a fit returns its best round.
	Printed bool
}

// Check finds a bad parameter.
func (s RRA) Check() error {
	if !(s.Energy >= 0 && s.Energy <= 1) {
		return errParameter("RRA.Energy", s.Energy, "0 to 1")
	}
	return nil
}

// Prepare finds the eigenvectors, which are kept with the graph, and returns their number. Without
// it the first half-step finds them. The paper does not count the time, which is long for thousands
// of samples in one connected part. Prepare ends with ctx.Err() soon after ctx does.
func (s RRA) Prepare(ctx context.Context, g *rnmf.Graph) (kept int, err error) {
	if err := s.Check(); err != nil {
		return 0, err
	}
	if g == nil {
		return 0, errParameter("the graph of RRA.Prepare", g, "a graph")
	}
	found := spectrumOf(g, s.energy(), func() bool { return ctx.Err() != nil })
	if found == nil {
		return 0, ctx.Err()
	}
	return len(found.sigma), nil
}

func (s RRA) energy() float64 {
	if s.Energy == 0 {
		return 0.95
	}
	return s.Energy
}

// Improve takes each row to (15).
func (s RRA) Improve(q *rnmf.Quadratic, v *mat.Dense) {
	p := q.GramForm(v)
	_, n, r := p.Dims()
	step := &rraStep{GramForm: p, RRA: s, b: make([]float64, n), a: make([]float64, n), gradient: make([]float64, n), out: make([]float64, n), l: make([]float64, n)}
	if step.graph, step.lambda = p.Coupling(); step.graph != nil {
		step.spectrum = spectrumOf(step.graph, s.energy(), p.Stopped)
		if step.spectrum == nil {
			return
		}
		step.shares = make([]float64, len(step.sigma))
	}
	for k := range r {
		if p.Stopped() {
			return
		}
		step.row(k, v)
	}
}

// An rraStep is a half-step of RRA.
type rraStep struct {
	*rnmf.GramForm
	RRA
	*spectrum
	graph    *rnmf.Graph
	lambda   float64
	a        []float64 // g_kk w + d, the curvature without the graph
	b        []float64
	gradient []float64
	out, l   []float64
	shares   []float64
}

// row improves component k.
func (s *rraStep) row(k int, v *mat.Dense) {
	_, n, r := s.Dims()
	vk, dk := v.RawRowView(k), s.D(k)
	gk := s.G[k*r:][:r]
	// b = N − wΣ_{l≠k} g_kl v_l, and the largest curvature without the graph.
	clear(s.out)
	s.eachPart(func(from, to int) {
		for l, g := range gk {
			if l != k && g != 0 {
				blas64.Axpy(g, vector(v.RawRowView(l)[from:to]), vector(s.out[from:to]))
			}
		}
	})
	var g float64
	for j, x := range s.N[k*n:][:n] {
		s.b[j] = x - s.W[j]*s.out[j]
		s.a[j] = s.W[j] * gk[k]
		if dk != nil {
			s.a[j] += dk[j]
		}
		g = max(g, s.a[j])
	}
	if !(1/g < rnmf.MaxFactor) {
		return // such a component does not take part
	}
	if s.spectrum == nil {
		for j, b := range s.b {
			vk[j] = rnmf.Minimiser(0, b, s.a[j])
		}
		return
	}
	if s.Printed {
		// Where weights or D differ along the row, the largest curvature bounds all.
		for j, b := range s.b {
			s.b[j] = b + (g-s.a[j])*vk[j]
		}
		s.inverse(s.out, s.b, g, g)
		for j, x := range s.out {
			vk[j] = min(max(0, x), rnmf.MaxFactor)
		}
		return
	}
	s.slope(vk)
	// Where the data hardly determine a component, rounding errors of λLv, divided by g, would move
	// it far along the constant vector. A larger g bounds q as well.
	g = max(g, 0x1p-48*s.lambda*s.largestDegree())
	s.inverse(s.out, s.gradient, g, g+s.lambda*s.rest)
	for j, x := range vk {
		s.out[j] = max(0, x-s.out[j]) - x
	}
	if t := s.along(s.out); t > 0 {
		for j, d := range s.out {
			if x := vk[j] + t*d; x < rnmf.MaxFactor {
				vk[j] = max(0, x)
			}
		}
		s.slope(vk)
	}
	for j, x := range vk {
		vk[j] = rnmf.Minimiser(x, -s.gradient[j], s.a[j]+2*s.lambda*s.graph.Degree(j))
	}
}

// slope writes half the gradient at x.
func (s *rraStep) slope(x []float64) {
	s.curvature(s.gradient, x)
	for j, b := range s.b {
		s.gradient[j] -= b
	}
}

// curvature writes (diag(a) + λL)x.
func (s *rraStep) curvature(dst, x []float64) {
	mulLaplacian(s.graph, dst, x)
	for j, v := range x {
		dst[j] = s.lambda*dst[j] + s.a[j]*v
	}
}

// along returns the t from 0 to 1 with the smallest q(v + tp).
func (s *rraStep) along(p []float64) float64 {
	s.curvature(s.l, p)
	slope := -blas64.Dot(vector(s.gradient), vector(p))
	bend := blas64.Dot(vector(s.l), vector(p))
	if !(slope > 0) || math.IsInf(slope, 0) {
		return 0
	}
	if bend <= slope {
		return 1
	}
	return slope / bend
}

// inverse writes x/a + Θ diag(1/(g + λσ) − 1/a) Θᵀx.
func (s *rraStep) inverse(dst, x []float64, g, a float64) {
	n := len(x)
	s.Each((len(s.sigma)+63)/64, n*len(s.sigma), func(i int) {
		for c := i * 64; c < min(i*64+64, len(s.sigma)); c++ {
			s.shares[c] = (1/(g+s.lambda*s.sigma[c]) - 1/a) * blas64.Dot(vector(s.theta[c*n:][:n]), vector(x))
		}
	})
	s.eachPart(func(from, to int) {
		for j := from; j < to; j++ {
			dst[j] = x[j] / a
		}
		if len(s.sigma) > 0 {
			blas64.Gemv(blas.Trans, 1, blas64.General{Rows: len(s.sigma), Cols: to - from, Stride: n, Data: s.theta[from:]},
				vector(s.shares), 1, vector(dst[from:to]))
		}
	})
}

// part is how many entries of a row a goroutine takes at once.
const part = 144

// eachPart calls f for parts of a row.
func (s *rraStep) eachPart(f func(from, to int)) {
	_, n, r := s.Dims()
	s.Each((n+part-1)/part, n*r, func(i int) { f(i*part, min(i*part+part, n)) })
}

// largestDegree is that of the graph.
func (s *rraStep) largestDegree() (most float64) {
	_, n, _ := s.Dims()
	for j := range n {
		most = max(most, s.graph.Degree(j))
	}
	return most
}

// mulLaplacian writes Lx.
func mulLaplacian(g *rnmf.Graph, dst, x []float64) {
	for i := range dst {
		var sum float64
		to, weight := g.Neighbors(i)
		for k, j := range to {
			sum += weight[k] * x[j]
		}
		dst[i] = g.Degree(i)*x[i] - sum
	}
}

func vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }
