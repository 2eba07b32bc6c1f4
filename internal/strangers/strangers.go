// Package strangers is a module of somebody else: a loss, a penalty that joins samples, a start and a
// solver, written with what package rnmf exports, as its documentation tells. It lies in a module of its
// own, so that nothing internal can be imported, and delegates to no part of rnmf.
package strangers

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
)

// Squares is the squared error.
type Squares struct{}

// Rho returns s and 1.
func (Squares) Rho(s float64) (value, slope float64) { return s, 1 }

// Squared says that all weights are 1, so that a half-step takes the path by Gram matrices.
func (Squares) Squared() bool { return true }

// Pseudo is the pseudo-Huber loss 2c²(√(1 + s/c²) − 1).
type Pseudo struct{ Cut float64 }

// Rho returns the formula above and 1/√(1 + s/c²).
func (l Pseudo) Rho(s float64) (value, slope float64) {
	root := math.Sqrt(1 + s/(l.Cut*l.Cut))
	return 2 * s / (1 + root), 1 / root
}

// Cells is a loss of samples that sums losses of entries, Σ_j √(ε² + Σ_i ρ(e_ij²)).
type Cells struct{ Cut, Eps float64 }

// Rho is that of a sample with one entry.
func (l Cells) Rho(s float64) (value, slope float64) {
	p, slope := Pseudo{l.Cut}.Rho(s)
	root := math.Sqrt(l.Eps*l.Eps + p)
	return root, slope / (2 * root)
}

// OfCells returns ρ and ε.
func (l Cells) OfCells() (rho rnmf.Loss, eps float64) { return Pseudo{l.Cut}, l.Eps }

// Chain is the penalty λ Σ_j ‖h_j − h_{j+1}‖² of samples that follow each other in time.
type Chain struct{ Lambda float64 }

// Value returns it.
func (p Chain) Value(h *mat.Dense) (sum float64) {
	r, n := h.Dims()
	for k := range r {
		row := h.RawRowView(k)
		for j := 1; j < n; j++ {
			d := row[j] - row[j-1]
			sum += d * d
		}
	}
	return p.Lambda * sum
}

// Majorize couples each sample with the next.
func (p Chain) Majorize(q *rnmf.Quadratic, h *mat.Dense) {
	_, n := h.Dims()
	edges := make([]rnmf.Edge, n-1)
	for j := range edges {
		edges[j] = rnmf.Edge{I: j, J: j + 1, Weight: 1}
	}
	if g, err := rnmf.NewGraph(n, edges); err == nil { // which there is for n ≥ 1
		q.Couple(g, p.Lambda, h)
	}
}

// Check makes it a SamplePenalty.
func (p Chain) Check(_, n int) error {
	if n < 2 || !(p.Lambda >= 0) {
		return fmt.Errorf("%w: a chain of %d samples with λ = %g", rnmf.ErrParameter, n, p.Lambda)
	}
	return nil
}

// Samples starts at samples that are drawn at random, as W, and equal coefficients.
type Samples struct{}

// Start returns the factors.
func (Samples) Start(_ context.Context, x *mat.Dense, rank int, rng *rand.Rand) (w, h *mat.Dense, err error) {
	m, n := x.Dims()
	w, h = mat.NewDense(m, rank, nil), mat.NewDense(rank, n, nil)
	for k := range rank {
		j := rng.IntN(n)
		for i := range m {
			w.Set(i, k, math.Max(x.At(i, j), 0)+1e-3*rng.Float64())
		}
	}
	h.Apply(func(int, int, float64) float64 { return 1 / float64(rank) }, h)
	return w, h, nil
}

// HALS is hierarchical alternating least squares: the steps of rnmf.HALS in plain Go.
type HALS struct {
	Once bool // one exact sweep where there are weights
}

// Extrapolates returns true.
func (HALS) Extrapolates() bool { return true }

// SignedU returns true.
func (HALS) SignedU() bool { return true }

// AfterTuning returns a HALS that is careful with weights that have just changed.
func (HALS) AfterTuning() rnmf.Solver { return HALS{Once: true} }

// Improve lowers q. Columns that a graph joins come in classes, which are independent.
func (s HALS) Improve(q *rnmf.Quadratic, v *mat.Dense) {
	m, _, r := q.Dims()
	sweeps := 1 + m/(2*r)
	g := q.Gram()
	switch coupled, _ := q.Coupling(); {
	case !q.Weighted():
		q.Tiles(v, func(t *rnmf.Tile) { unweighted(t, g, sweeps) })
	case s.Once || coupled != nil:
		q.Tiles(v, func(t *rnmf.Tile) { exact(t, q.U) })
	default:
		share := shares(q.U)
		q.Tiles(v, func(t *rnmf.Tile) { scaled(t, g, share, sweeps) })
	}
}

// unweighted sweeps with UX and UUᵀ.
func unweighted(t *rnmf.Tile, g []float64, sweeps int) {
	n := t.Cross()
	for i := range n {
		n[i] *= t.Col[i%t.B]
		if t.C != nil {
			n[i] += t.C[i]
		}
	}
	sweep(t, n, g, t.Col, sweeps)
}

// sweep lowers Σ_j γ_j v_jᵀGv_j + Σ D∘V² − 2 Σ N∘V by coordinates, until a sweep changes V by less than a
// tenth of what the first did.
func sweep(t *rnmf.Tile, n, g, gamma []float64, sweeps int) {
	r, b := t.R, t.B
	gv := make([]float64, b)
	var first float64
	for s := range sweeps {
		var moved float64
		for k := range r {
			clear(gv)
			rnmf.AddProduct(gv, g[k*r:][:r], t.V, 1, r, b)
			for j, old := range t.V[k*b:][:b] {
				i := k*b + j
				down, bend := n[i]-gamma[j]*gv[j], gamma[j]*g[k*r+k]
				if t.D != nil {
					down -= t.D[i] * old
					bend += t.D[i]
				}
				x := rnmf.Minimiser(old, down, bend)
				t.V[i] = x
				moved += (x - old) * (x - old)
			}
		}
		if s == 0 {
			first = moved
		}
		if moved <= 0.01*first {
			return
		}
	}
}

// shares returns what each row of X has of ¾ of the trace of UUᵀ, as a part of it.
func shares(u *mat.Dense) []float64 {
	r, m := u.Dims()
	share := make([]float64, m)
	var trace float64
	for k := range r {
		for i, x := range u.RawRowView(k) {
			share[i] += x * x
			trace += x * x
		}
	}
	for i := range share {
		if trace > 0 {
			share[i] *= 0.75 / trace
		}
	}
	return share
}

// scaled sweeps with γUUᵀ in place of the Gram matrix with weights, which costs too much for each column,
// and goes along the change to the minimum with the weights.
func scaled(t *rnmf.Tile, g, share []float64, sweeps int) {
	r, b := t.R, t.B
	e, omega := t.E(), t.Omega()
	gamma, down, n := make([]float64, b), make([]float64, r*b), make([]float64, r*b)
	rnmf.AddProduct(gamma, share, omega, 1, t.M, b)
	for i, w := range omega {
		e[i] *= w
	}
	t.AddCross(down, e)
	t.AddGram(n, t.V)
	for i := range down {
		if t.C != nil {
			down[i] += t.C[i]
		}
		n[i] = gamma[i%b]*n[i] + down[i]
		if t.D != nil {
			down[i] -= t.D[i] * t.V[i]
		}
	}
	old := append([]float64(nil), t.V...)
	sweep(t, n, g, gamma, sweeps)

	delta := make([]float64, r*b)
	gain, bend := make([]float64, b), make([]float64, b)
	for i, v := range t.V {
		delta[i] = v - old[i]
		gain[i%b] += delta[i] * down[i]
		if t.D != nil {
			bend[i%b] += t.D[i] * delta[i] * delta[i]
		}
	}
	clear(e)
	t.SubProduct(e, delta)
	for i, w := range omega {
		bend[i%b] += w * e[i] * e[i]
	}
	for i := range t.V {
		if j := i % b; math.Max(gain[j], 0) < bend[j] {
			t.V[i] = math.Max(0, old[i]+math.Max(gain[j], 0)/bend[j]*delta[i])
		}
	}
}

// exact sweeps once with the weights, and keeps the residual up to date.
func exact(t *rnmf.Tile, u *mat.Dense) {
	b := t.B
	e, omega := t.E(), t.Omega()
	num, den := make([]float64, b), make([]float64, b)
	for k := range t.R {
		clear(num)
		clear(den)
		row := u.RawRowView(k)
		for i, a := range row {
			for j := range b {
				w := omega[i*b+j] * a
				num[j] += w * e[i*b+j]
				den[j] += w * a
			}
		}
		t.UpdateComponent(k, num, den, num)
		for i, a := range row {
			for j, d := range num {
				e[i*b+j] -= a * d
			}
		}
	}
}
