package rnmf

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/kernel"
)

// A block is a part of a class of the graph's colouring.
type block struct {
	columns []int
	first   int // where it begins in arrays of one block after the other
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

// overGraph is coordinate descent over all of V: with N = UX, which is taken once,
//
//	v_kj ← max(0, (n_kj − w_j Σ_{l≠k} g_kl v_lj + λ Σ_l G_jl v_kl) / (w_j g_kk + d_kj + λ d_j)),
//
// the exact minimiser in each coordinate, so q falls in each step and limits are stationary. A
// class of columns without edges inside is swept at once, with the kernel of the plain sweep, and
// shared among processors; a sweep over all classes costs O(nr² + r·edges), little against UX.
//
// Where the graph outweighs the data, changes spread slowly from neighbour to neighbour, and groups
// of columns move together: see gridLevel.correct.
func (s HALS) overGraph(q *Quadratic, v *mat.Dense) {
	p := q.GramForm(v)
	sweeps := s.Sweeps
	if sweeps == 0 {
		// More than without a graph, as they are cheaper than UX.
		sweeps = 10 + p.m/(2*p.r)
	}
	t := newGridLevel(p, v)
	grouped := s.Sweeps == 0 && p.stiff()
	var before float64
	for sweep := range sweeps {
		now := t.sweep()
		if p.pool.Stop() {
			break
		}
		if sweep == 0 {
			before = now
		}
		if s.Sweeps == 0 && now <= enough(p.r, p.m)*before {
			break
		}
		if grouped {
			t.correct()
		}
	}
	p.eachChunk(func(from, to int) {
		for k := range p.r {
			row := v.RawRowView(k)
			for j := from; j < to; j++ {
				row[j] = t.v[j*p.r+k]
			}
		}
	})
}

// enough is the squared change, as a share of that of the first sweep, at which sweeps end: 0.01 as
// without a graph, and less where r is small against m, as a sweep costs r/m of UX and changes take
// several to spread. Eleven starts with 10 components, on COIL-20 and on faces, took 71 rounds to
// where 0.01 took 81, and 0.001, with more sweeps in each, 74.
func enough(r, m int) float64 {
	return 0.01 * min(1, max(0.2, 32*float64(r)/float64(m)))
}

// stiff reports whether the graph outweighs the data for most columns.
func (p *GramForm) stiff() bool {
	var data, graph float64
	for k := range p.r {
		data += p.G[k*p.r+k] / float64(p.r)
	}
	data *= total(p.W)
	for _, d := range p.graph.graph.degree {
		graph += p.graph.lambda * d
	}
	return graph > data
}

// A gridLevel is the problem of a half-step over a graph,
//
//	Σ_j w_j v_jᵀGv_j − 2 Σ N∘V + Σ D∘V² + λ tr(VLVᵀ),
//
// for sweeps: over the samples, or over groups of them.
type gridLevel struct {
	*GramForm
	graph *Graph
	lists [][]block
	v     []float64 // the columns of V, one by one
	extra []float64 // those of D, nil for none
	w     []float64

	// Block by block, r×b each: V, N, and the diagonal without the data's.
	vs, ns, ds, ws []float64
	moved          []float64
	residuals      []float64
	sizes, below   []float64 // magnitudes of the terms of residuals, and of those of N

	coarser *gridLevel
	low     []float64 // of a group: the V it starts a correction from
}

const blockWidth = 36

func newGridLevel(p *GramForm, v *mat.Dense) *gridLevel {
	n := p.n
	t := &gridLevel{GramForm: p, graph: p.graph.graph, w: p.W}
	t.make(n)
	if p.d != nil {
		t.extra = make([]float64, p.r*n)
	}
	p.eachChunk(func(from, to int) {
		for k := range p.r {
			row := v.RawRowView(k)
			for j := from; j < to; j++ {
				t.v[j*p.r+k] = row[j]
				if p.d != nil {
					t.extra[j*p.r+k] = p.d.At(k, j)
				}
			}
		}
	})
	t.pack(func(k, j int) float64 { return p.N[k*n+j] })
	return t
}

// make makes the arrays for n columns.
func (t *gridLevel) make(n int) {
	t.lists = t.graph.blocks(blockWidth)
	rn := t.r * n
	space := make([]float64, 4*rn+2*n)
	t.v, t.vs, t.ns, t.ds = space[:rn], space[rn:2*rn], space[2*rn:3*rn], space[3*rn:4*rn]
	t.ws, t.moved = space[4*rn:][:n], space[4*rn+n:]
}

// eachBlock calls f for each block of a list.
func (t *gridLevel) eachBlock(list []block, f func(space *Tile, at int, b block)) {
	count := 0
	for _, b := range list {
		count += len(b.columns)
	}
	// Steps of a sweep depend on each other, and neighbours are scattered in memory: a multiply-add
	// takes several times as long as in a product.
	t.pool.share(len(list), 4*t.r*(t.r+16)*count, func(space *Tile, i int) { f(space, list[i].first*t.r, list[i]) })
}

// pack lays V, the diagonal and the linear term out by blocks.
func (t *gridLevel) pack(linear func(k, j int) float64) {
	for _, list := range t.lists {
		t.eachBlock(list, func(_ *Tile, at int, bl block) {
			b := len(bl.columns)
			for c, j := range bl.columns {
				t.ws[bl.first+c] = t.w[j]
				for k := range t.r {
					i := at + k*b + c
					t.vs[i], t.ns[i] = t.v[j*t.r+k], linear(k, j)
					t.ds[i] = t.GramForm.graph.lambda * t.graph.degree[j]
					if t.extra != nil {
						t.ds[i] += t.extra[j*t.r+k]
					}
				}
			}
		})
	}
}

// addNeighbors adds λ(VG) to a block of r×b.
func (t *gridLevel) addNeighbors(dst, sum []float64, bl block) {
	b := len(bl.columns)
	for c, j := range bl.columns {
		clear(sum)
		to, weight := t.graph.Neighbors(j)
		for a, l := range to {
			floats.AddScaled(sum, weight[a], t.v[l*t.r:][:t.r])
		}
		for k, x := range sum {
			dst[k*b+c] += t.GramForm.graph.lambda * x
		}
	}
}

// sweep goes over all columns once and returns by how much they changed, squared.
func (t *gridLevel) sweep() float64 {
	r := t.r
	for _, list := range t.lists {
		t.eachBlock(list, func(tile *Tile, at int, bl block) {
			b := len(bl.columns)
			space := tile.Space(r*b + r)
			num := space[:r*b]
			copy(num, t.ns[at:])
			t.addNeighbors(num, space[r*b:], bl)
			vb := t.vs[at:][:r*b]
			kernel.GramSweepWeighted(t.moved[bl.first:][:b], vb, num, t.G, t.ws[bl.first:], t.ds[at:], r, b)
			for c, j := range bl.columns {
				for k := range r {
					t.v[j*r+k] = vb[k*b+c]
				}
			}
		})
	}
	return total(t.moved)
}
