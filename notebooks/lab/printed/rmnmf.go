package printed

import (
	"cmp"
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/papers"
)

// RMNMF is robust manifold NMF (Huang, Nie, Huang and Ding 2014) by an augmented Lagrangian,
// as its paper solves it. With X ≈ FGᵀ, the splittings E = X − FGᵀ and Z = G, and μ growing,
//
//	min ‖E‖_{2,1} + λ tr(ZᵀLG),   GᵀG = I,   Z ≥ 0
//	F = (X − E + Λ/μ) G
//	G = PQᵀ of the singular vectors of Z + Σ/μ − λLZ/μ + (X − E + Λ/μ)ᵀF
//	Z = max(0, G − Σ/μ − λLG/μ)
//	e_j = max(0, 1 − 1/(μ‖a_j‖)) a_j,   A = X − FGᵀ + Λ/μ
//	Λ ← Λ + μ(X − FGᵀ − E),   Σ ← Σ + μ(Z − G),   μ ← min(ρμ, 10⁶)
//
// F is W, of any sign, and H is Zᵀ, which is orthogonal in the limit only. The objective,
// Σ_j ‖x_j − Fz_j‖ + λ tr(ZᵀLZ), neither falls in each round nor is it that of a feasible
// point. papers.RMNMF has the same objective, and each of its rounds is feasible and descends.
type RMNMF struct {
	Start  // a nil Init is papers.ONMFInit{}
	Graph  *rnmf.Graph
	Lambda float64
	Mu     float64 // the first μ; 0: 0.01
	Growth float64 // ρ; 0: 1.05
}

// Fit factorises x.
func (s RMNMF) Fit(ctx context.Context, x mat.Matrix) (*rnmf.Result, error) {
	if s.Init == nil {
		s.Init = papers.ONMFInit{}
	}
	f, err := s.begin(ctx, x)
	if err != nil {
		return nil, err
	}
	m, n := f.x.Dims()
	mu, growth := s.Mu, s.Growth
	if mu == 0 {
		mu = 0.01
	}
	if growth == 0 {
		growth = 1.05
	}
	if err := cmp.Or(graph(s.Graph, n), weight("RMNMF.Lambda", s.Lambda), weight("RMNMF.Mu", mu), weight("RMNMF.Growth", growth)); err != nil {
		return nil, err
	}
	g := mat.DenseCopyOf(f.h.T())
	for k := range s.Rank {
		if norm := mat.Norm(g.ColView(k), 2); norm > 0 {
			for j := range n {
				g.Set(j, k, g.At(j, k)/norm)
			}
		}
	}
	z := mat.DenseCopyOf(g)
	lap := Laplacian(s.Graph)
	e, lam, sigma := mat.NewDense(m, n, nil), mat.NewDense(m, n, nil), mat.NewDense(n, s.Rank, nil)
	publish := func() { f.h.Copy(z.T()) }
	f.w.Copy(product(f.x, g))
	publish()
	return s.run(ctx, f, func() float64 {
		var sum float64
		rest := f.residual()
		for j := range n {
			sum += mat.Norm(rest.ColView(j), 2)
		}
		return sum + s.Lambda*s.Graph.Roughness(f.h)
	}, func() error {
		y := mat.DenseCopyOf(f.x)
		y.Apply(func(i, j int, v float64) float64 { return v - e.At(i, j) + lam.At(i, j)/mu }, y)
		f.w.Copy(product(y, g))
		pull, lz := product(y.T(), f.w), product(lap, z)
		pull.Apply(func(j, k int, v float64) float64 {
			return v + z.At(j, k) + (sigma.At(j, k)-s.Lambda*lz.At(j, k))/mu
		}, pull)
		var svd mat.SVD
		if !svd.Factorize(pull, mat.SVDThin) {
			return errors.New("printed: RMNMF: no singular vectors")
		}
		var p, q mat.Dense
		svd.UTo(&p)
		svd.VTo(&q)
		g.Mul(&p, q.T())
		lg := product(lap, g)
		z.Apply(func(j, k int, _ float64) float64 {
			return max(0, g.At(j, k)-(sigma.At(j, k)+s.Lambda*lg.At(j, k))/mu)
		}, z)
		fg := product(f.w, g.T())
		for j := range n {
			var square float64
			for i := range m {
				a := f.x.At(i, j) - fg.At(i, j) + lam.At(i, j)/mu
				e.Set(i, j, a)
				square += a * a
			}
			shrunk := 0.
			if norm := math.Sqrt(square); norm*mu > 1 {
				shrunk = 1 - 1/(mu*norm)
			}
			for i := range m {
				e.Set(i, j, shrunk*e.At(i, j))
			}
		}
		lam.Apply(func(i, j int, v float64) float64 { return v + mu*(f.x.At(i, j)-fg.At(i, j)-e.At(i, j)) }, lam)
		sigma.Apply(func(j, k int, v float64) float64 { return v + mu*(z.At(j, k)-g.At(j, k)) }, sigma)
		mu = min(growth*mu, 1e6)
		publish()
		return nil
	})
}
