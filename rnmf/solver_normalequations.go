package rnmf

import (
	"encoding/gob"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/kernel"
)

// NormalEquations, as Model.SolverW, lets the entries of W have any sign: semi-NMF (Ding, Li and
// Jordan 2010). The half-step of W is a problem of least squares,
//
//	W = X Ω Hᵀ (H Ω Hᵀ)⁻¹   ((9) of that paper, with weights),
//
// with an Ω for each row of X where weights differ in it. It is solved for the change of W with
// M + τI in place of M = HΩHᵀ, where τ is 10⁻¹² of M's mean diagonal: that bounds q, also where M
// is singular, and leaves alone what q does not depend on. Of this module's penalties Ridge alone suits W. H is
// improved by HALS, by MU, whose update then is their (10), or by papers.Additive of them.
type NormalEquations struct{}

func init() { gob.Register(NormalEquations{}) }

// Signed returns true.
func (NormalEquations) Signed() bool { return true }

// Project leaves v as it is.
func (NormalEquations) Project(*mat.Dense) {}

// Probe returns s, which has no state.
func (s NormalEquations) Probe() Solver { return s }

// Improve takes v to the minimiser of q without a sign.
func (NormalEquations) Improve(q *Quadratic, v *mat.Dense) { q.normalEquations(v) }

// normalEquations takes v to the minimiser of q without a sign.
func (q *Quadratic) normalEquations(v *mat.Dense) {
	r := q.r
	if !q.Weighted() && q.alike() {
		p := q.GramForm(v)
		if p.Stopped() {
			return
		}
		m := mat.NewSymDense(r, slices.Clone(p.G))
		m.ScaleSym(p.W[0], m)
		if q.d != nil {
			for k := range r {
				m.SetSym(k, k, m.At(k, k)+q.d.At(k, 0))
			}
		}
		change := mat.NewDense(r, q.n, p.N)
		var mv mat.Dense
		mv.Mul(m, v)
		change.Sub(change, &mv)
		if solveAbove(m, change) {
			bounded(v, change)
		}
		return
	}
	q.Tiles(v, func(t *Tile) {
		b := t.B
		n, g := make([]float64, r*b), make([]float64, r*r)
		e := t.E()
		kernel.Mul(e, t.Omega())
		t.AddCross(n, e)
		change := mat.NewDense(r, 1, nil)
		for j := range b {
			t.ColumnGram(g, j)
			m := mat.NewSymDense(r, g)
			for k := range r {
				x := n[k*b+j]
				if t.D != nil {
					m.SetSym(k, k, m.At(k, k)+t.D[k*b+j])
					x -= t.D[k*b+j] * t.V[k*b+j]
				}
				change.Set(k, 0, x)
			}
			if !solveAbove(m, change) {
				continue
			}
			for k := range r {
				if x := t.V[k*b+j] + change.At(k, 0); math.Abs(x) < MaxFactor {
					t.V[k*b+j] = x
				}
			}
		}
	})
}

// alike reports whether all columns of V have the same equations, where q is not Weighted: then all have
// one weight, as those of samples are in G.
func (q *Quadratic) alike() bool {
	if q.graph.graph != nil {
		return false
	}
	for k := 0; q.d != nil && k < q.r; k++ {
		if row := q.d.RawRowView(k); floats.Min(row) != floats.Max(row) {
			return false
		}
	}
	return true
}

// solveAbove replaces b by (M + τI)⁻¹b, and reports false where M is 0.
func solveAbove(m *mat.SymDense, b *mat.Dense) bool {
	r := m.SymmetricDim()
	tau := 1e-12 * mat.Trace(m) / float64(r)
	if !(tau > 0) || math.IsInf(tau, 0) || math.IsInf(1/tau, 0) {
		return false
	}
	var c mat.Cholesky
	for range 6 {
		for k := range r {
			m.SetSym(k, k, m.At(k, k)+tau)
		}
		if c.Factorize(m) {
			break
		}
		tau *= 100 // rounding errors of M
	}
	if c.IsEmpty() {
		return false
	}
	err := c.SolveTo(b, b)
	if _, bad := err.(mat.Condition); err != nil && !bad {
		return false
	}
	return true
}

// bounded adds change to v, where the sum is a number that can be squared.
func bounded(v, change *mat.Dense) {
	v.Apply(func(i, j int, x float64) float64 {
		if y := x + change.At(i, j); math.Abs(y) < MaxFactor {
			return y
		}
		return x
	}, v)
}
