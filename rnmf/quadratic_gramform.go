package rnmf

import (
	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/kernel"
)

// A GramForm is a Quadratic where Ω is diag(w) alone as one problem in all of V, for solvers that go
// over V more often than over the data,
//
//	q(V) = Σ_j w_j v_jᵀGv_j − 2 Σ N∘V + Σ D∘V² + λ tr(VLVᵀ) + constant.
//
// G and N are all that it takes of the data, so that a step costs nothing of the size of X.
type GramForm struct {
	G []float64 // U·diag(Row)·Uᵀ, r×r
	N []float64 // U·diag(Row)·X·diag(W) + C, r×n
	W []float64 // n weights of columns

	*Quadratic
}

// GramForm goes over the data once, and does not change v. If q is Weighted it is of its additive form.
// If the fit has been cancelled (Stopped) it is not complete.
func (q *Quadratic) GramForm(v *mat.Dense) *GramForm {
	if q.Weighted() {
		return q.Additive().GramForm(v)
	}
	p := &GramForm{Quadratic: q, G: q.Gram(), N: make([]float64, q.r*q.n), W: make([]float64, q.n)}
	q.inOrder(v, func(t *Tile) {
		r, b := t.R, t.B
		n := t.Cross()
		copy(p.W[t.First:], t.Col)
		for k := range r {
			to := p.N[k*q.n+t.First:][:b]
			copy(to, n[k*b:])
			kernel.Mul(to, t.Col)
			if t.C != nil {
				for j, c := range t.C[k*b:][:b] {
					to[j] += c
				}
			}
		}
	})
	return p
}

// D returns row k of D, nil where all of D is 0.
func (p *GramForm) D(k int) []float64 {
	if p.d == nil {
		return nil
	}
	return p.d.RawRowView(k)
}

// chunk is how many columns a goroutine takes at once in the passes of a GramForm.
const chunk = 144

// eachChunk calls f for parts of the columns.
func (p *GramForm) eachChunk(f func(from, to int)) {
	p.Each((p.n+chunk-1)/chunk, p.n*p.r, func(i int) { f(i*chunk, min(i*chunk+chunk, p.n)) })
}

// eachRow calls f for each component.
func (p *GramForm) eachRow(f func(k int)) { p.Each(p.r, p.r*p.r*p.n, f) }

// Gradient writes half of q's gradient without N, x ↦ Gx·diag(w) + D∘x + λxL, for x of r×n.
func (p *GramForm) Gradient(dst, x []float64) {
	n := p.n
	p.eachRow(func(k int) {
		out := dst[k*n:][:n]
		clear(out)
		kernel.AddCross(out, p.G[k*p.r:][:p.r], x, p.r, 1, n)
		kernel.Mul(out, p.W)
		p.addCoupling(out, x[k*n:][:n], k)
	})
}

// addCoupling adds D∘x + λxL for a row x of component k.
func (p *GramForm) addCoupling(out, x []float64, k int) {
	if p.d != nil {
		for j, d := range p.d.RawRowView(k) {
			out[j] += d * x[j]
		}
	}
	if g, lambda := p.graph.graph, p.graph.lambda; g != nil {
		for j, d := range g.degree {
			sum := d * x[j]
			to, weight := g.Neighbors(j)
			for a, l := range to {
				sum -= weight[a] * x[l]
			}
			out[j] += lambda * sum
		}
	}
}
