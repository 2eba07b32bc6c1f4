package rnmf

import (
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/kernel"
	"github.com/robustnmf/robustnmf/rnmf/internal/work"
)

// A workspace is the goroutines of a fit and the memory that its half-steps reuse.
type workspace struct {
	*work.Pool
	tiles  []*Tile // one for each worker, the caller's first
	memory struct {
		product                      kernel.Product
		cross, rows, squares, square kernel.Cross
	}
}

func newWorkspace(stop func() bool) *workspace {
	s := &workspace{Pool: work.New(stop)}
	for range s.Size() {
		s.tiles = append(s.tiles, new(Tile))
	}
	return s
}

// each calls f for 0..n−1 with the tile of the worker that does it.
func (s *workspace) each(n int, f func(t *Tile, i int)) {
	s.Each(n, func(worker, i int) { f(s.tiles[worker], i) })
}

// share is each for work of so many multiply-adds; the caller does it alone where that is little.
func (s *workspace) share(n, work int, f func(t *Tile, i int)) {
	s.Share(n, work, func(worker, i int) { f(s.tiles[worker], i) })
}

// sharing is Share for the kernels. What they make for a cancelled fit is incomplete and not used.
func (s *workspace) sharing(work int) kernel.Share {
	return func(n int, f func(i int)) { s.Share(n, work, func(_, i int) { f(i) }) }
}

// A layout is the fixed factor U (r×m) of one half-step as the kernels want it, in the memory of
// the workspace. Each part is made when it is first asked for.
type layout struct {
	*workspace
	u                                          *mat.Dense
	m, r                                       int
	hasProduct, hasCross, hasSquares, hasGramU sync.Once
}

func (s *workspace) layOut(u *mat.Dense) *layout {
	r, m := u.Dims()
	return &layout{workspace: s, u: u, m: m, r: r}
}

// product is U for residuals X − UᵀV. If a tile asks for it first, its goroutine makes it.
func (l *layout) product(share kernel.Share) *kernel.Product {
	l.hasProduct.Do(func() { l.memory.product.SetShared(l.u.RawMatrix().Data, l.m, l.r, share) })
	return &l.memory.product
}

// prepareProduct makes product before the tiles ask, on all processors.
func (l *layout) prepareProduct() { l.product(l.sharing(8 * l.m * l.r)) }

// crossBy is U for products with tiles. A caller that works on a tile passes kernel.InTurn: all
// goroutines are at work then.
func (l *layout) crossBy(share kernel.Share) *kernel.Cross {
	l.hasCross.Do(func() { l.memory.cross.SetShared(l.u.RawMatrix().Data, nil, l.m, l.r, share) })
	return &l.memory.cross
}

// rows is U·diag(w) for products with tiles, made anew each time.
func (l *layout) rows(w []float64, share kernel.Share) *kernel.Cross {
	l.memory.rows.SetShared(l.u.RawMatrix().Data, w, l.m, l.r, share)
	return &l.memory.rows
}

// squares is U∘U for products with tiles.
func (l *layout) squares() *kernel.Cross {
	l.hasSquares.Do(func() {
		u := make([]float64, l.r*l.m)
		for k := range l.r {
			copy(u[k*l.m:], l.u.RawRowView(k))
		}
		kernel.Mul(u, u)
		l.memory.squares.Set(u, nil, l.m, l.r)
	})
	return &l.memory.squares
}

// square is g, the Gram matrix of this half-step, for products with V.
func (l *layout) square(g []float64) *kernel.Cross {
	l.hasGramU.Do(func() { l.memory.square.Set(g, nil, l.r, l.r) })
	return &l.memory.square
}

// total sums in order, so that the number of goroutines does not matter.
func total(parts []float64) float64 {
	var sum float64
	for _, p := range parts {
		sum += p
	}
	return sum
}
