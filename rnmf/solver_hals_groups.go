package rnmf

import "math"

// A grouping divides the vertices of a graph into groups of neighbours. The graph of the groups has
// the sums of the weights between them, so that its Laplacian is PᵀLP, with P (n×groups) the
// indicator.
type grouping struct {
	of    []int // the group of a vertex
	graph *Graph
}

// groups returns a grouping, nil for a graph without edges.
func (g *Graph) groups() *grouping {
	g.grouped.Do(func() {
		of := g.aggregate()
		count := 0
		for _, a := range of {
			count = max(count, a+1)
		}
		if count == g.n {
			return
		}
		sums := map[[2]int]float64{}
		for i := range g.n {
			to, weight := g.Neighbors(i)
			for k, j := range to {
				if a, b := of[i], of[j]; a < b {
					sums[[2]int{a, b}] += weight[k]
				}
			}
		}
		edges := make([]Edge, 0, len(sums))
		for e, w := range sums {
			edges = append(edges, Edge{e[0], e[1], w})
		}
		if graph, err := NewGraph(count, edges); err == nil { // the sums may be too large
			g.grouping = &grouping{of, graph}
		}
	})
	return g.grouping
}

// aggregate returns the number of the group of each vertex. Vertices found a group with their near
// neighbours if none of these has one yet; each of the rest joins the group of the nearest.
func (g *Graph) aggregate() []int {
	of := make([]int, g.n)
	for i := range of {
		of[i] = -1
	}
	// near calls f for the neighbours by edges of at least a quarter of the largest weight.
	near := func(i int, f func(j int, w float64)) {
		to, weight := g.Neighbors(i)
		most := 0.0
		for _, w := range weight {
			most = max(most, w)
		}
		for k, j := range to {
			if weight[k] >= most/4 {
				f(j, weight[k])
			}
		}
	}
	count := 0
	for i := range g.n {
		free := of[i] < 0
		near(i, func(j int, _ float64) { free = free && of[j] < 0 })
		if free {
			of[i] = count
			near(i, func(j int, _ float64) { of[j] = count })
			count++
		}
	}
	first := count
	for i := range g.n {
		if of[i] >= 0 {
			continue
		}
		best := 0.0
		near(i, func(j int, w float64) {
			if a := of[j]; a >= 0 && a < first && w > best {
				of[i], best = a, w
			}
		})
		if of[i] < 0 {
			of[i] = count
			near(i, func(j int, _ float64) {
				if of[j] < 0 {
					of[j] = count
				}
			})
			count++
		}
	}
	return of
}

// correct moves groups of columns together, V ← V + EPᵀ. With L = min V over each group and
// Y = L + E ≥ 0, no entry turns negative, and q in Y is the same problem over the graph of groups,
//
//	w_A = Σ w_j,  D_A = Σ D_j,  N_A = Σ_j (N − ∇)_j + (that of L),
//
// whose sweeps lower q too, and which is corrected in turn: constrained multigrid (Mandel 1984).
func (t *gridLevel) correct() {
	groups := t.graph.groups()
	if groups == nil {
		return
	}
	r, of := t.r, groups.of
	c := t.coarser
	if c == nil {
		c = &gridLevel{GramForm: t.GramForm, graph: groups.graph}
		t.coarser = c
		c.make(c.graph.n)
		c.w, c.low = make([]float64, c.graph.n), make([]float64, len(c.v))
		if t.extra != nil {
			c.extra = make([]float64, len(c.v))
		}
		for j, a := range of {
			c.w[a] += t.w[j]
			for k := range r {
				if t.extra != nil {
					c.extra[a*r+k] += t.extra[j*r+k]
				}
			}
		}
	}
	for i := range c.v {
		c.v[i] = MaxFactor
	}
	for j, a := range of {
		for k, x := range t.v[j*r:][:r] {
			c.v[a*r+k] = min(c.v[a*r+k], x)
		}
	}
	copy(c.low, c.v)
	// The part of q that is linear in E is Σ (N − ∇)_j over a group, and N_A is that at L.
	// Contributions of edges within a group cancel, but for rounding errors: with little curvature
	// left these would make a long step.
	sums, sizes := make([]float64, len(c.v)), make([]float64, len(c.v))
	for j, x := range t.slopes() {
		sums[of[j/r]*r+j%r] += x
		sizes[of[j/r]*r+j%r] += t.sizes[j]
		if t.below != nil {
			sizes[of[j/r]*r+j%r] += t.below[j]
		}
	}
	c.below = sizes
	for i, size := range sizes {
		if math.Abs(sums[i]) <= 1e-13*size {
			sums[i] = 0
		}
	}
	c.pack(func(_, _ int) float64 { return 0 })
	for i, x := range c.slopes() {
		sums[i] -= x
	}
	c.pack(func(k, a int) float64 { return sums[a*r+k] })
	c.sweep()
	c.correct()
	c.sweep()
	for _, list := range t.lists {
		t.eachBlock(list, func(_ *Tile, at int, bl block) {
			b := len(bl.columns)
			for i, j := range bl.columns {
				a := of[j]
				for k := range r {
					x := max(0, t.v[j*r+k]+(c.v[a*r+k]-c.low[a*r+k]))
					t.v[j*r+k], t.vs[at+k*b+i] = x, x
				}
			}
		})
	}
}

// slopes returns −½ of the gradient, column by column, and leaves the size of its terms in sizes.
func (t *gridLevel) slopes() []float64 {
	r := t.r
	if t.residuals == nil {
		t.residuals, t.sizes = make([]float64, len(t.v)), make([]float64, len(t.v))
	}
	square := t.layout.square(t.G)
	for _, list := range t.lists {
		t.eachBlock(list, func(tile *Tile, at int, bl block) {
			b := len(bl.columns)
			space := tile.Space(2*r*b + r)
			gv, num := space[:r*b], space[r*b:2*r*b]
			vb := t.vs[at:][:r*b]
			square.Add(gv, vb, b)
			t.addNeighbors(num, space[2*r*b:], bl)
			for c, j := range bl.columns {
				for k := range r {
					i := k*b + c
					own := t.ws[bl.first+c]*gv[i] + t.ds[at+i]*vb[i]
					t.residuals[j*r+k] = num[i] + t.ns[at+i] - own
					t.sizes[j*r+k] = num[i] + math.Abs(t.ns[at+i]) + own
				}
			}
		})
	}
	return t.residuals
}
