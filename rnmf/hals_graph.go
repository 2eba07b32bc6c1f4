package rnmf

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/kernel"
)

// A block is a part of a class of the graph's colouring.
type block struct {
	columns []int
	first   int // where it begins in arrays that have the blocks one by one
}

// blocks divides the columns: no edge lies within a list of blocks.
func (g *Graph) blocks(width int) [][]block {
	var out [][]block
	first := 0
	for _, class := range g.colors() {
		var list []block
		for len(class) > 0 {
			b := min(width, len(class))
			list = append(list, block{class[:b], first})
			class, first = class[b:], first+b
		}
		out = append(out, list)
	}
	return out
}

// overGraph is coordinate descent over all of V: with N = UX, which is taken
// once,
//
//	v_kj ← max(0, (n_kj − w_j Σ_{l≠k} g_kl v_lj + λ Σ_l G_jl v_kl) / (w_j g_kk + d_kj + λ d_j)),
//
// the exact minimiser in each coordinate, so q falls in each step and limits are
// stationary. A class of columns without edges inside is swept at once, with the
// kernel of the plain sweep, and shared among processors; a sweep over all
// classes costs O(nr² + r·edges), little against UX.
func (s HALS) overGraph(q *Quadratic, v *mat.Dense) {
	p := q.whole(v)
	r, n := p.r, p.Quadratic.n
	sweeps := s.Sweeps
	if sweeps == 0 {
		// More than without a graph: with a large λ news travels slowly from
		// neighbour to neighbour.
		sweeps = 10 + p.m/(2*r)
	}
	g, lambda := p.tie.Graph, p.tie.Lambda
	classes := g.blocks(36)
	// Block by block, r×b each; and the columns of V one by one, to add up those
	// of neighbours.
	packed := make([]float64, 3*r*n+n)
	vs, ns, ds, ws := packed[:r*n], packed[r*n:][:r*n], packed[2*r*n:][:r*n], packed[3*r*n:]
	columns := make([]float64, r*n)
	for color, list := range classes {
		p.each(len(list), r*len(g.colors()[color]), func(_ *Tile, i int) {
			first, b := list[i].first, len(list[i].columns)
			for k := range r {
				at := first*r + k*b
				row := v.RawRowView(k)
				for c, j := range list[i].columns {
					vs[at+c], ns[at+c] = row[j], p.n[k*n+j]
					ds[at+c] = lambda * g.degree[j]
					if p.d != nil {
						ds[at+c] += p.d.At(k, j)
					}
					columns[j*r+k] = row[j]
				}
			}
			for c, j := range list[i].columns {
				ws[first+c] = p.w[j]
			}
		})
	}
	moved := make([]float64, n)
	var before float64
	for sweep := range sweeps {
		for color, list := range classes {
			p.each(len(list), r*r*len(g.colors()[color]), func(t *Tile, i int) {
				first, b := list[i].first, len(list[i].columns)
				space := t.Space(r*b + r)
				num, sum := space[:r*b], space[r*b:]
				copy(num, ns[first*r:])
				for c, j := range list[i].columns {
					clear(sum)
					to, weight := g.Neighbors(j)
					for a, l := range to {
						floats.AddScaled(sum, weight[a], columns[l*r:][:r])
					}
					for k, x := range sum {
						num[k*b+c] += lambda * x
					}
				}
				vb := vs[first*r:][:r*b]
				kernel.GramSweepWeighted(moved[first:][:b], vb, num, p.g, ws[first:], ds[first*r:], r, b)
				for c, j := range list[i].columns {
					for k := range r {
						columns[j*r+k] = vb[k*b+c]
					}
				}
			})
		}
		if p.pool.stop() {
			break
		}
		now := total(moved)
		if sweep == 0 {
			before = now
		}
		if s.Sweeps == 0 && now <= 0.01*before {
			break
		}
	}
	for k := range r {
		row := v.RawRowView(k)
		for j := range row {
			row[j] = columns[j*r+k]
		}
	}
}
