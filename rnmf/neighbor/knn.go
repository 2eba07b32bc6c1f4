// Package neighbor makes graphs of nearest neighbours: which samples (columns) are alike, and
// how much. The penalties of package rnmf that keep neighbours together take such graphs
// (rnmf.Laplacian, rnmf.GNMF).
package neighbor

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/internal/input"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/internal/dense"
	"github.com/robustnmf/robustnmf/rnmf/internal/kernel"
	"github.com/robustnmf/robustnmf/rnmf/internal/work"
)

// KNN makes graphs of the nearest neighbours of the columns of a matrix. The zero value is the
// graph of the RRA and RLS-NMF papers: 5 neighbours, weights of 1, an edge where at least one of
// two samples is a neighbour of the other (RRA paper, (3)).
type KNN struct {
	// K is the number of neighbours, 1 to n−1 for n samples; 0 is 5, or n−1 if that
	// is less.
	K int
	// Weights is what an edge weighs.
	Weights Weighting
	// Width is σ of HeatKernel; 0 takes the mean distance over the edges.
	Width float64
	// Mutual keeps an edge only where each sample is a neighbour of the other.
	Mutual bool
}

// A Weighting says how the weight of an edge between two samples is computed.
type Weighting int

// The weights of Cai et al. 2011, section 3.1.
const (
	ZeroOne    Weighting = iota // 1
	HeatKernel                  // exp(−‖x_i − x_j‖²/2σ²)
	Cosine                      // x_iᵀx_j / ‖x_i‖‖x_j‖; the neighbours are then those with the largest weights
)

// Graph finds the neighbours of the columns of x (m×n) exactly; of those at the same distance it
// takes the first. It takes the time of the product XᵀX, and memory for some rows of it. It returns
// ctx.Err() soon after ctx ends.
func (k KNN) Graph(ctx context.Context, x mat.Matrix) (*rnmf.Graph, error) {
	d, err := input.Matrix("X", x)
	if err != nil {
		return nil, err
	}
	_, n := d.Dims()
	if k.K == 0 {
		k.K = min(5, n-1)
	}
	if k.K < 0 || k.K > n-1 {
		return nil, input.Parameter("KNN.K", k.K, fmt.Sprintf("1 to %d for %d samples", n-1, n))
	}
	if k.Weights < ZeroOne || k.Weights > Cosine {
		return nil, input.Parameter("KNN.Weights", int(k.Weights), "ZeroOne, HeatKernel or Cosine")
	}
	if !(k.Width >= 0) || math.IsInf(k.Width, 0) {
		return nil, input.Parameter("KNN.Width", k.Width, "a positive number, or 0 for the mean distance")
	}
	stop := func() bool { return ctx.Err() != nil }
	v := newVectors(d, k.Weights == Cosine, stop)
	near := nearest(v, k.K, stop)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var edges []rnmf.Edge // with squared distances
	for i, list := range near {
		for _, c := range list {
			back := slices.ContainsFunc(near[c.j], func(c candidate) bool { return c.j == i })
			if !back && !k.Mutual || back && i < c.j {
				edges = append(edges, rnmf.Edge{I: i, J: c.j, Weight: c.s})
			}
		}
	}
	k.Width /= v.scale
	k.weigh(edges)
	return rnmf.NewGraph(n, edges)
}

// weigh replaces the squared distances of edges by weights.
func (k KNN) weigh(edges []rnmf.Edge) {
	width := k.Width
	if width == 0 {
		for _, e := range edges {
			width += math.Sqrt(e.Weight) / float64(len(edges))
		}
	}
	for i := range edges {
		switch s := edges[i].Weight; {
		case k.Weights == ZeroOne || s == 0:
			edges[i].Weight = 1
		case k.Weights == HeatKernel:
			edges[i].Weight = math.Exp(-s / (2 * width * width))
		default: // unit vectors, ‖a − b‖² = 2 − 2aᵀb
			edges[i].Weight = max(0, 1-s/2)
		}
	}
}

// vectors are the columns of a matrix, as rows.
type vectors struct {
	m, n  int
	rows  []float64 // n×m
	norms []float64 // squared
	unit  bool      // scaled to length 1; but 0 stays, at a distance of √2 from all
	scale float64   // all were divided by this, so that no square is lost
}

// newVectors leaves some out if it is stopped.
func newVectors(x *mat.Dense, unit bool, stop func() bool) *vectors {
	m, n := x.Dims()
	s := &vectors{m: m, n: n, rows: make([]float64, m*n), norms: make([]float64, n), unit: unit, scale: 1}
	if largest := max(mat.Max(x), -mat.Min(x)); largest < 1e-100 && !unit {
		s.scale = dense.PowerOfTwo(largest)
	}
	work.Pieces((n+7)/8, 8*16*m, stop, func(from, to int) {
		from, to = 8*from, min(8*to, n)
		dense.LoadColumns(s.rows[from*m:to*m], x, from)
		for j := from; j < to; j++ {
			row := s.row(j)
			scale := s.scale
			if unit {
				scale = dense.PowerOfTwo(floats.Norm(row, math.Inf(1)))
			}
			if scale != 1 {
				floats.Scale(1/scale, row)
			}
			norm, _ := kernel.SumSquares(row, nil)
			if unit {
				length := math.Sqrt(norm)
				for i, a := range row {
					if length > 0 {
						row[i] = a / length
					}
				}
				norm = 1
			}
			s.norms[j] = norm
		}
	})
	return s
}

func (s *vectors) row(j int) []float64 { return s.rows[j*s.m:][:s.m] }

// distance returns ‖a − b‖² of two samples.
func (s *vectors) distance(i, j int) float64 {
	a, b := s.row(i), s.row(j)
	var sum, aa, bb float64
	for k, v := range a {
		d := v - b[k]
		sum += d * d
		aa = max(aa, math.Abs(v))
		bb = max(bb, math.Abs(b[k]))
	}
	if s.unit && (aa == 0 || bb == 0) {
		return 2
	}
	return sum
}

// A candidate is a sample and its squared distance.
type candidate struct {
	j int
	s float64
}

func nearer(a, b candidate) int { return cmp.Or(cmp.Compare(a.s, b.s), cmp.Compare(a.j, b.j)) }

// nearest returns the k nearest of each sample, in order. Products with blocks of
// samples give ‖a − b‖² = ‖a‖² + ‖b‖² − 2aᵀb up to rounding errors; what these
// could hide among the nearest is measured again by differences.
// If it is stopped some are left out.
func nearest(s *vectors, k int, stop func() bool) [][]candidate {
	const block = 96
	out := make([][]candidate, s.n)
	pool := work.New(stop)
	pool.Open()
	defer pool.Close()
	finders := make([]*finder, pool.Size())
	pool.Each((s.n+block-1)/block, func(worker, i int) {
		if finders[worker] == nil {
			finders[worker] = newFinder(s, min(block, s.n))
		}
		first := i * block
		finders[worker].find(out[first:min(first+block, s.n)], s, first, k, stop)
	})
	return out
}

// A finder finds the neighbours of a block of samples.
type finder struct {
	u        kernel.Cross
	tile, uz []float64
	squares  []float64 // the block's squared distances to all
	order    []float64
	best     []candidate
}

// tileWidth is how many samples a block is multiplied with at once.
const tileWidth = 36

// newFinder makes a finder for blocks of up to r samples.
func newFinder(s *vectors, r int) *finder {
	return &finder{tile: make([]float64, s.m*tileWidth), uz: make([]float64, r*tileWidth), squares: make([]float64, r*s.n)}
}

func (f *finder) find(out [][]candidate, s *vectors, first, k int, stop func() bool) {
	r, n := len(out), s.n
	f.u.Set(s.rows[first*s.m:][:r*s.m], nil, s.m, r)
	for j0 := 0; j0 < n; j0 += tileWidth {
		if stop() {
			return
		}
		b := min(tileWidth, n-j0)
		kernel.Load(f.tile, s.rows, s.m, true, j0, s.m, b)
		uz := f.uz[:r*b]
		clear(uz)
		f.u.Add(uz, f.tile, b)
		for i := range r {
			to, norms := f.squares[i*n+j0:][:b], s.norms[j0:][:b]
			for j, p := range uz[i*b:][:b] {
				to[j] = s.norms[first+i] + norms[j] - 2*p
			}
		}
	}
	for i := range r {
		out[i] = f.pick(s, f.squares[i*n:][:n], first+i, k)
	}
}

// pick returns the k nearest of i.
func (f *finder) pick(s *vectors, squares []float64, i, k int) []candidate {
	if k == 0 {
		return nil
	}
	// A sum of m terms is off by less than m units of rounding.
	unit := 4 * float64(s.m+4) * 0x1p-53
	own := s.norms[i]
	f.order = f.order[:0] // the k smallest so far, at most
	for j, d := range squares {
		d += unit * (own + s.norms[j])
		if len(f.order) == k && d >= f.order[k-1] || j == i {
			continue
		}
		at, _ := slices.BinarySearch(f.order, d)
		if len(f.order) == k {
			f.order = f.order[:k-1]
		}
		f.order = slices.Insert(f.order, at, d)
	}
	limit := f.order[k-1]
	f.best = f.best[:0]
	for j, d := range squares {
		if d-unit*(own+s.norms[j]) <= limit && j != i {
			f.best = append(f.best, candidate{j, s.distance(i, j)})
		}
	}
	slices.SortFunc(f.best, nearer)
	return slices.Clone(f.best[:k])
}
