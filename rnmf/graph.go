package rnmf

import (
	"bytes"
	"cmp"
	"encoding/gob"
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"
)

// A Graph says which samples are similar: an undirected graph with weights G_ij ≥ 0 on its edges,
// stored sparsely, each edge in both of its rows. With the degrees d_j = Σ_i G_ij its Laplacian is
// L = diag(d) − G. It is a mat.Matrix that never changes; many fits can share it.
type Graph struct {
	n      int
	start  []int // row i is start[i] to start[i+1] of to and weight
	to     []int // ascending in a row
	weight []float64
	degree []float64

	once    sync.Once
	classes [][]int // of vertices without edges among them

	grouped  sync.Once
	grouping *grouping // for HALS; nil if none
}

// An Edge joins two samples. Edges of weight 0, and edges from a vertex to itself, which have no
// part in the Laplacian, are left out.
type Edge struct {
	I, J   int
	Weight float64
}

var _ mat.Symmetric = (*Graph)(nil)

// NewGraph makes a graph of n vertices. Each edge is given in one direction, or in both with one
// weight.
func NewGraph(n int, edges []Edge) (*Graph, error) {
	if n < 1 {
		return nil, fmt.Errorf("%w: a graph of %d vertices", ErrEmpty, n)
	}
	both := make([]Edge, 0, 2*len(edges))
	for k, e := range edges {
		if e.I < 0 || e.J < 0 || e.I >= n || e.J >= n {
			return nil, fmt.Errorf("%w: edge %d joins %d and %d, want 0 to %d", ErrShape, k, e.I, e.J, n-1)
		}
		if err := checkEdge(e); err != nil {
			return nil, err
		}
		if e.I != e.J && e.Weight > 0 {
			both = append(both, e, Edge{e.J, e.I, e.Weight})
		}
	}
	slices.SortFunc(both, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(a.I, b.I), cmp.Compare(a.J, b.J), cmp.Compare(a.Weight, b.Weight))
	})
	g := &Graph{n: n, start: make([]int, n+1), degree: make([]float64, n)}
	for k, e := range both {
		if k > 0 && both[k-1].I == e.I && both[k-1].J == e.J {
			if w := both[k-1].Weight; w != e.Weight {
				return nil, fmt.Errorf("%w: G[%d,%d] is given as %g and as %g, want one weight", ErrParameter, e.I, e.J, w, e.Weight)
			}
			continue
		}
		g.to = append(g.to, e.J)
		g.weight = append(g.weight, e.Weight)
		g.degree[e.I] += e.Weight
		g.start[e.I+1]++
	}
	for i := range n {
		g.start[i+1] += g.start[i]
	}
	return g, nil
}

// NewGraphFromMatrix makes a graph of a symmetric matrix with entries ≥ 0.
func NewGraphFromMatrix(a mat.Matrix) (*Graph, error) {
	if err := wantMatrix("G", a); err != nil {
		return nil, err
	}
	n, cols := a.Dims()
	if n != cols {
		return nil, fmt.Errorf("%w: a graph of %d×%d, want as many rows as columns", ErrShape, n, cols)
	}
	var edges []Edge
	for i := range n {
		for j := range n {
			e := Edge{i, j, a.At(i, j)}
			if err := checkEdge(e); err != nil {
				return nil, err
			}
			if back := a.At(j, i); i < j && back != e.Weight && !math.IsNaN(back) {
				return nil, fmt.Errorf("%w: G[%d,%d] is %g and G[%d,%d] is %g, want a symmetric matrix", ErrParameter, i, j, e.Weight, j, i, back)
			}
			if i < j && e.Weight != 0 {
				edges = append(edges, e)
			}
		}
	}
	return NewGraph(n, edges)
}

// savedGraph is what gob sees of a Graph.
type savedGraph struct {
	Start, To []int
	Weight    []float64
}

// GobEncode writes the graph.
func (g *Graph) GobEncode() ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(savedGraph{g.start, g.to, g.weight})
	return b.Bytes(), err
}

// GobDecode reads what GobEncode wrote. g must be new.
func (g *Graph) GobDecode(data []byte) error {
	var s savedGraph
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&s); err != nil {
		return fmt.Errorf("%w: %w", ErrFormat, err)
	}
	var edges []Edge
	for i := range len(s.Start) - 1 {
		a, b := s.Start[i], s.Start[i+1]
		if a < 0 || b < a || b > min(len(s.To), len(s.Weight)) {
			return fmt.Errorf("%w: row %d of a graph", ErrFormat, i)
		}
		for k := a; k < b; k++ {
			edges = append(edges, Edge{i, s.To[k], s.Weight[k]})
		}
	}
	read, err := NewGraph(len(s.Start)-1, edges)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFormat, err)
	}
	g.n, g.start, g.to, g.weight, g.degree = read.n, read.start, read.to, read.weight, read.degree
	return nil
}

func checkEdge(e Edge) error {
	bad := func(err error) error {
		return &EntryError{Matrix: "G", Row: e.I, Col: e.J, Value: e.Weight, Err: err}
	}
	switch w := e.Weight; {
	case math.IsNaN(w) || math.IsInf(w, 0):
		return bad(ErrNotFinite)
	case w < 0:
		return bad(ErrNegative)
	case w > maxEntry:
		return bad(ErrTooLarge)
	}
	return nil
}

// Dims returns the number of vertices, twice.
func (g *Graph) Dims() (rows, cols int) { return g.n, g.n }

// SymmetricDim returns the number of vertices.
func (g *Graph) SymmetricDim() int { return g.n }

// T returns g.
func (g *Graph) T() mat.Matrix { return g }

// At returns G_ij.
func (g *Graph) At(i, j int) float64 {
	to, weight := g.Neighbors(i)
	if k, ok := slices.BinarySearch(to, j); ok {
		return weight[k]
	}
	return 0
}

// Edges returns the number of edges.
func (g *Graph) Edges() int { return len(g.to) / 2 }

// Neighbors returns the vertices that i has edges to, ascending, and their weights, which must not
// be changed.
func (g *Graph) Neighbors(i int) (to []int, weight []float64) {
	a, b := g.start[i], g.start[i+1]
	return g.to[a:b:b], g.weight[a:b:b]
}

// Degree returns d_i, the sum of the weights of the edges of i.
func (g *Graph) Degree(i int) float64 { return g.degree[i] }

// Mul writes VG (r×n); V is r×n and another matrix than dst.
func (g *Graph) Mul(dst, v *mat.Dense) {
	r, _ := v.Dims()
	for k := range r {
		g.mulRow(dst.RawRowView(k), v.RawRowView(k))
	}
}

// mulRow writes Gx.
func (g *Graph) mulRow(dst, x []float64) {
	for i := range dst {
		var sum float64
		to, weight := g.Neighbors(i)
		for k, j := range to {
			sum += weight[k] * x[j]
		}
		dst[i] = sum
	}
}

// Roughness returns tr(VLVᵀ) = Σ G_ij‖v_i − v_j‖² over the edges, each taken once: 0 where
// neighbours are the same. (4) of the RRA paper takes each twice, and is off by that factor.
func (g *Graph) Roughness(v *mat.Dense) float64 {
	var sum float64
	r, _ := v.Dims()
	for k := range r {
		row := v.RawRowView(k)
		for i, a := range row {
			to, weight := g.Neighbors(i)
			for l, j := range to {
				if j > i {
					break
				}
				d := a - row[j]
				sum += weight[l] * d * d
			}
		}
	}
	return sum
}

// colors divides the vertices into classes without edges inside them: given the other classes, the
// columns of a class do not depend on each other. It is greedy and begins with the vertices of most
// neighbours, so it needs at most one class more than a vertex has neighbours: about 8 for 5
// nearest neighbours.
func (g *Graph) colors() [][]int {
	g.once.Do(func() {
		order := make([]int, g.n)
		for i := range order {
			order[i] = i
		}
		neighbors := func(i int) int { return g.start[i+1] - g.start[i] }
		slices.SortStableFunc(order, func(a, b int) int { return neighbors(b) - neighbors(a) })
		color := make([]int, g.n) // 0 is none yet
		var taken []int           // by class: the last vertex with a neighbour in it, plus 1
		for _, i := range order {
			to, _ := g.Neighbors(i)
			for _, j := range to {
				if c := color[j]; c > 0 {
					taken[c-1] = i + 1
				}
			}
			c := 0
			for c < len(taken) && taken[c] == i+1 {
				c++
			}
			if c == len(taken) {
				taken = append(taken, 0)
			}
			color[i] = c + 1
		}
		g.classes = make([][]int, len(taken))
		for i, c := range color {
			g.classes[c-1] = append(g.classes[c-1], i)
		}
	})
	return g.classes
}
