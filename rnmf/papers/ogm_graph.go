package papers

import (
	"github.com/robustnmf/robustnmf/rnmf"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// overGraph is OGM on V as a whole, NeNMF with the graph term (Guan et al. 2012, section V; RRA
// paper (9) leaves the term out): half the gradient is
//
//	∇(V) = GV·diag(w) + D∘V + λVL − N,
//
// and L ⪯ 2diag(d) adds 2λd_j to the L of column j; with Printed the largest serves all. The rest is
// as for one column.
func (s OGM) overGraph(q *rnmf.Quadratic, v *mat.Dense) {
	p := q.GramForm(v)
	_, n, r := p.Dims()
	eachRow := func(f func(k int)) { p.Each(r, r*r*n, f) }
	space := make([]float64, 9*r*n)
	part := func(i int) []float64 { return space[i*r*n:][: r*n : r*n] }
	l, v0, g0, h, gh, h1, gh1, z, gz := part(0), part(1), part(2), part(3), part(4), part(5), part(6), part(7), part(8)
	for k := range r {
		copy(v0[k*n:], v.RawRowView(k))
	}
	p.Gradient(g0, v0)
	for i, x := range p.N {
		g0[i] -= x
	}
	s.lengths(l, p)
	copy(h, v0)
	copy(gh, g0)
	copy(z, v0)
	copy(gz, g0)
	sums := make([]float64, r)
	projected := func() float64 {
		eachRow(func(k int) {
			c := column{l: l[k*n:][:n], h: h[k*n:][:n], gh: gh[k*n:][:n]}
			sums[k] = c.projected()
		})
		return total(sums)
	}
	enough := s.Tol * s.Tol * projected()
	alpha := 1.0
	way := slices.Clone(v0)
	for range s.Steps {
		if p.Stopped() {
			return
		}
		eachRow(func(k int) {
			sums[k] = 0
			for i := k * n; i < k*n+n; i++ {
				h1[i] = max(0, rnmf.Minimiser(z[i], -gz[i], l[i])) // as in descend
				sums[k] += l[i] * (z[i] - h1[i]) * (h1[i] - h[i])
				way[i] = h1[i] - v0[i]
			}
		})
		if total(sums) > 0 && !s.Printed {
			alpha = 1
		}
		next := (1 + math.Sqrt(4*alpha*alpha+1)) / 2
		beta := (alpha - 1) / next
		alpha = next
		p.Gradient(gh1, way)
		eachRow(func(k int) {
			for i := k * n; i < k*n+n; i++ {
				gh1[i] += g0[i]
				z[i] = h1[i] + beta*(h1[i]-h[i])
				gz[i] = gh1[i] + beta*(gh1[i]-gh[i])
			}
		})
		h, h1, gh, gh1 = h1, h, gh1, gh
		if s.Tol > 0 && projected() <= enough {
			break
		}
	}
	var change float64 // of q
	for i, x := range h {
		change += (x - v0[i]) * (g0[i] + gh[i])
	}
	if change <= 0 {
		for k := range r {
			copy(v.RawRowView(k), h[k*n:])
		}
	}
}

// lengths writes the L of each coordinate.
func (s OGM) lengths(l []float64, p *rnmf.GramForm) {
	_, n, r := p.Dims()
	c := newColumn(r, make([]float64, columnSpace(r)))
	copy(c.m, p.G)
	c.bounds(s.Printed)
	graph, lambda := p.Coupling()
	for k, g := range c.l {
		row, d := l[k*n:][:n], p.D(k)
		for j, w := range p.W {
			row[j] = w*g + 2*lambda*graph.Degree(j)
			if d != nil {
				row[j] += d[j]
			}
		}
	}
	if s.Printed {
		top := slices.Max(l)
		for i := range l {
			l[i] = top
		}
	}
}
