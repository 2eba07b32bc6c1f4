package rnmf

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/kernel"
	"github.com/robustnmf/robustnmf/rnmf/internal/work"
)

// KNN makes graphs of the nearest neighbours of the columns of a matrix. The zero
// value is the graph of the RRA and RLS-NMF papers: 5 neighbours, weights of 1,
// an edge where one of two samples is a neighbour of the other (RRA (3)).
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

// A Weighting tells what the edge between two samples weighs.
type Weighting int

// The weights of Cai et al. 2011, section 3.1.
const (
	Binary     Weighting = iota // 1
	HeatKernel                  // exp(−‖x_i − x_j‖²/2σ²)
	Cosine                      // x_iᵀx_j / ‖x_i‖‖x_j‖, which also says who is near
)

// Graph finds the neighbours of the columns of x (m×n) exactly: of those at the
// same distance, the ones in front. Time is that of the product XᵀX, with memory
// for some of its rows only.
func (k KNN) Graph(x mat.Matrix) (*Graph, error) { return k.GraphContext(context.Background(), x) }

// GraphContext is Graph that returns ctx.Err() soon after ctx ends.
func (k KNN) GraphContext(ctx context.Context, x mat.Matrix) (*Graph, error) {
	if err := wantMatrix("X", x); err != nil {
		return nil, err
	}
	m, n := x.Dims()
	if m == 0 || n == 0 {
		return nil, fmt.Errorf("%w: X is %d×%d", ErrEmpty, m, n)
	}
	if k.K == 0 {
		k.K = min(5, n-1)
	}
	if k.K < 0 || k.K > n-1 {
		return nil, errParameter("KNN.K", k.K, fmt.Sprintf("1 to %d for %d samples", n-1, n))
	}
	if k.Weights < Binary || k.Weights > Cosine {
		return nil, errParameter("KNN.Weights", int(k.Weights), "Binary, HeatKernel or Cosine")
	}
	if !(k.Width >= 0) || math.IsInf(k.Width, 0) {
		return nil, errParameter("KNN.Width", k.Width, "a positive number, or 0 for the mean distance")
	}
	dense := asDense(x)
	if err := checkEntries("X", dense, nil, true); err != nil {
		return nil, err
	}
	v := newVectors(ctx, dense, k.Weights == Cosine)
	near := nearest(ctx, v, k.K)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var edges []Edge // with squared distances
	for i, list := range near {
		for _, c := range list {
			back := slices.ContainsFunc(near[c.j], func(c candidate) bool { return c.j == i })
			if !back && !k.Mutual || back && i < c.j {
				edges = append(edges, Edge{i, c.j, c.s})
			}
		}
	}
	k.Width /= v.scale
	k.weigh(edges)
	return NewGraph(n, edges)
}

// weigh replaces the squared distances of edges by weights.
func (k KNN) weigh(edges []Edge) {
	width := k.Width
	if width == 0 {
		for _, e := range edges {
			width += math.Sqrt(e.Weight) / float64(len(edges))
		}
	}
	for i := range edges {
		switch s := edges[i].Weight; {
		case k.Weights == Binary || s == 0:
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

// newVectors leaves some out if ctx ends.
func newVectors(ctx context.Context, x *mat.Dense, unit bool) *vectors {
	m, n := x.Dims()
	s := &vectors{m: m, n: n, rows: make([]float64, m*n), norms: make([]float64, n), unit: unit, scale: 1}
	if largest := max(mat.Max(x), -mat.Min(x)); largest < 1e-100 && !unit {
		s.scale = powerOfTwo(largest)
	}
	work.Pieces((n+7)/8, 8*16*m, func() bool { return ctx.Err() != nil }, func(from, to int) {
		from, to = 8*from, min(8*to, n)
		loadColumns(s.rows[from*m:to*m], x, from)
		for j := from; j < to; j++ {
			row := s.row(j)
			scale := s.scale
			if unit {
				scale = powerOfTwo(floats.Norm(row, math.Inf(1)))
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
func nearest(ctx context.Context, s *vectors, k int) [][]candidate {
	const block = 96
	out := make([][]candidate, s.n)
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), (s.n+block-1)/block) {
		wait.Add(1)
		go func() {
			defer wait.Done()
			var f finder
			for {
				first := int(next.Add(1)-1) * block
				if first >= s.n {
					return
				}
				f.find(ctx, out[first:min(first+block, s.n)], s, first, k)
			}
		}()
	}
	wait.Wait()
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

func (f *finder) find(ctx context.Context, out [][]candidate, s *vectors, first, k int) {
	r, n := len(out), s.n
	f.u.Set(s.rows[first*s.m:][:r*s.m], nil, s.m, r)
	f.squares = grow(f.squares, r*n)
	const width = 36
	f.tile, f.uz = grow(f.tile, s.m*width), grow(f.uz, r*width)
	for j0 := 0; j0 < n; j0 += width {
		if ctx.Err() != nil {
			return
		}
		b := min(width, n-j0)
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
