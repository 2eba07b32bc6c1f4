package printed

import (
	"cmp"
	"context"
	"fmt"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
)

// RRA is Algorithm 1 of the RRA paper in its own order. For k = 1 … r, with R = X − UVᵀ kept
// up to date,
//
//	R_k = R + u_k v_kᵀ                              (line 5)
//	u_k = max(0, R_k v_k) / ‖v_k‖²                   (line 6; (12) forgets the square)
//	v_k = max(0, A_k R_kᵀ u_k)                       (line 8, (15))
//	A_k = I/g − (β/g²) Θ (Σ⁻¹ + β/g)⁻¹ Θᵀ,  g = ‖u_k‖²  (17)
//	R   = R_k − u_k v_kᵀ                            (line 9)
//
// so that v_k is computed from the new u_k, and u_{k+1} from both. papers.RRA{Printed: true} takes all
// of V and then all of U, which is another algorithm and ends elsewhere. A component whose u_k or
// v_k is 0 takes no part any more. Neither order descends: see papers.RRA on why. U is W and V is Hᵀ.
// The objective is that of rnmf.GNMF, twice the paper's (5),
//
//	‖X − UVᵀ‖² + β tr(VᵀLV).
type RRA struct {
	Start
	Graph *rnmf.Graph
	Beta  float64 // β
	// Energy is the share that the kept eigenvalues have; 0: 0.95. At 1 (17) is exact.
	Energy float64
	// Squares takes the energy for Σσ². The paper prints Σσ_i² and calls σ_i² the i-th
	// singular value: the zero value has the sum of the singular values.
	Squares bool

	sigma []float64 // of Prepare
	theta mat.Matrix
}

// Prepare computes the eigenvectors of (17), for several fits with one graph.
func (s RRA) Prepare() (RRA, error) {
	if s.Graph == nil {
		return s, graph(nil, 0)
	}
	if s.Energy == 0 {
		s.Energy = 0.95
	}
	var err error
	s.sigma, s.theta, err = s.spectrum()
	return s, err
}

// Fit factorises x.
func (s RRA) Fit(ctx context.Context, x mat.Matrix) (*rnmf.Result, error) {
	f, err := s.begin(ctx, x)
	if err != nil {
		return nil, err
	}
	m, n := f.x.Dims()
	if s.Energy == 0 {
		s.Energy = 0.95
	}
	if err := cmp.Or(graph(s.Graph, n), weight("RRA.Beta", s.Beta), weight("RRA.Energy", s.Energy)); err != nil {
		return nil, err
	}
	if s.Energy > 1 {
		return nil, fmt.Errorf("%w: RRA.Energy is %g, want 0 (0.95) to 1", rnmf.ErrParameter, s.Energy)
	}
	if s.theta == nil {
		if s, err = s.Prepare(); err != nil {
			return nil, err
		}
	}
	sigma, theta := s.sigma, s.theta
	r := f.residual()
	u, v := make([]float64, m), make([]float64, n)
	var a, b mat.VecDense
	share := mat.NewVecDense(len(sigma), nil)
	return s.run(ctx, f, func() float64 {
		e := mat.Norm(f.residual(), 2)
		return e*e + s.Beta*s.Graph.Roughness(f.h)
	}, func() error {
		for k := range s.Rank {
			mat.Col(u, k, f.w)
			copy(v, f.h.RawRowView(k))
			uk, vk := mat.NewVecDense(m, u), mat.NewVecDense(n, v)
			square := floats.Dot(v, v)
			if square == 0 || floats.Dot(u, u) == 0 {
				continue
			}
			r.RankOne(r, 1, uk, vk)
			a.MulVec(r, vk)
			for i := range u {
				u[i] = max(0, a.AtVec(i)/square)
			}
			g := floats.Dot(u, u)
			if g > 0 {
				b.MulVec(r.T(), uk)
				for j := range v {
					v[j] = b.AtVec(j) / g
				}
				if len(sigma) > 0 {
					share.MulVec(theta.T(), &b)
					for i, s2 := range sigma {
						share.SetVec(i, share.AtVec(i)*s.Beta/(g*g)/(1/s2+s.Beta/g))
					}
					b.MulVec(theta, share)
					for j := range v {
						v[j] -= b.AtVec(j)
					}
				}
				for j := range v {
					v[j] = max(0, v[j])
				}
			} else {
				clear(v) // u_k is 0: the component is taken off
			}
			r.RankOne(r, -1, uk, vk)
			f.w.SetCol(k, u)
			f.h.SetRow(k, v)
		}
		return nil
	})
}

// Kept returns the number of eigenvectors that (17) has, and that of all above 0.
func (s RRA) Kept() (kept, all int, err error) {
	if s.Graph == nil {
		return 0, 0, graph(nil, 0)
	}
	if s.Energy == 0 {
		s.Energy = 0.95
	}
	sigma, _, err := s.spectrum()
	if err != nil {
		return 0, 0, err
	}
	s.Energy = 1
	full, _, err := s.spectrum()
	return len(sigma), len(full), err
}

// spectrum returns the largest eigenvalues of L, as few as have the share of the energy,
// and their eigenvectors, columns of Θ. Those of 0 change nothing in (17).
func (s RRA) spectrum() (sigma []float64, theta mat.Matrix, err error) {
	n, _ := s.Graph.Dims()
	var e mat.EigenSym
	if !e.Factorize(Laplacian(s.Graph), true) {
		return nil, nil, fmt.Errorf("printed: no eigenvectors of a Laplacian of %d samples", n)
	}
	values := e.Values(nil) // rising
	var vectors mat.Dense
	e.VectorsTo(&vectors)
	energy := func(v float64) float64 {
		if s.Squares {
			return v * v
		}
		return v
	}
	var total, sum float64
	for _, v := range values {
		total += energy(max(v, 0))
	}
	least := 1e-12 * max(values[n-1], 0)
	first := n
	for first > 0 && values[first-1] > least && (s.Energy == 1 || sum < s.Energy*total) {
		first--
		sum += energy(values[first])
		sigma = append(sigma, values[first])
	}
	if sigma == nil {
		return nil, nil, nil
	}
	kept := mat.NewDense(n, len(sigma), nil)
	for i := range sigma {
		kept.SetCol(i, mat.Col(nil, n-1-i, &vectors))
	}
	return sigma, kept, nil
}

// Laplacian returns L = diag(d) − G with all its zeros.
func Laplacian(g *rnmf.Graph) *mat.SymDense {
	n, _ := g.Dims()
	l := mat.NewSymDense(n, nil)
	for i := range n {
		l.SetSym(i, i, g.Degree(i)-g.At(i, i))
		to, weights := g.Neighbors(i)
		for k, j := range to {
			if j != i {
				l.SetSym(i, j, -weights[k])
			}
		}
	}
	return l
}
