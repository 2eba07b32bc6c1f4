package rnmf

import (
	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/kernel"
)

// A whole is a Quadratic where Ω is diag(w) alone as one problem in all of V, for solvers that go
// over the graph more often than over the data,
//
//	q(V) = Σ_j w_j v_jᵀGv_j − 2 Σ N∘V + Σ D∘V² + λ tr(VLVᵀ) + constant.
type whole struct {
	*Quadratic
	g []float64 // UUᵀ, r×r
	n []float64 // UX·diag(w) + C, r×n
	w []float64 // n
}

// whole goes over the data once, and does not change v. If q is Weighted it is of its additive
// form.
func (q *Quadratic) whole(v *mat.Dense) *whole {
	if q.Weighted() {
		return q.Additive().whole(v)
	}
	u, g := q.gram()
	p := &whole{Quadratic: q, g: g, n: make([]float64, q.r*q.n), w: make([]float64, q.n)}
	q.inOrder(v, needCross|needWeights, func(t *Tile) {
		r, b := t.R, t.B
		n := t.cross(u, g)
		copy(p.w[t.First:], t.Col)
		for k := range r {
			to := p.n[k*q.n+t.First:][:b]
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

// chunk is how many columns a goroutine takes at once in the passes of a whole.
const chunk = 144

// each shares work among the goroutines.
func (p *whole) each(count, work int, f func(t *Tile, i int)) { p.pool.share(count, work, f) }

// eachChunk calls f for parts of the columns.
func (p *whole) eachChunk(f func(from, to int)) {
	n := p.Quadratic.n
	p.each((n+chunk-1)/chunk, n*p.r, func(_ *Tile, i int) { f(i*chunk, min(i*chunk+chunk, n)) })
}

// eachRow calls f for each component.
func (p *whole) eachRow(f func(k int)) {
	p.each(p.r, p.r*p.r*p.Quadratic.n, func(_ *Tile, k int) { f(k) })
}

// gradient writes half of q's gradient without N, x ↦ Gx·diag(w) + D∘x + λxL, for x of r×n.
func (p *whole) gradient(dst, x []float64) {
	n := p.Quadratic.n
	p.eachRow(func(k int) {
		out := dst[k*n:][:n]
		clear(out)
		kernel.AddCross(out, p.g[k*p.r:][:p.r], x, p.r, 1, n)
		kernel.Mul(out, p.w)
		p.addCoupling(out, x[k*n:][:n], k)
	})
}

// addCoupling adds D∘x + λxL for a row x of component k.
func (p *whole) addCoupling(out, x []float64, k int) {
	if p.d != nil {
		for j, d := range p.d.RawRowView(k) {
			out[j] += d * x[j]
		}
	}
	if g, lambda := p.graph.Graph, p.graph.Lambda; g != nil {
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
