package rnmf

import (
	"github.com/robustnmf/robustnmf/rnmf/internal/kernel"
	"github.com/robustnmf/robustnmf/rnmf/internal/work"
)

// A workspace is the goroutines of a fit and the memory that its half-steps use again:
// a tile for each worker, and the layout of the fixed factor.
type workspace struct {
	*work.Pool
	tiles  []*Tile // one for each worker, the caller's first
	layout layout
}

// A layout is the fixed factor of a half-step as the kernels want it.
type layout struct {
	product       kernel.Product
	cross, scaled kernel.Cross
	square        kernel.Cross // UUᵀ
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

// share is each for work of so many multiply-adds, alone where that is little.
func (s *workspace) share(n, work int, f func(t *Tile, i int)) {
	s.Share(n, work, func(worker, i int) { f(s.tiles[worker], i) })
}

// sharing is Share as the kernels want it. If the fit is cancelled, what they make is
// not complete, and nobody uses it.
func (s *workspace) sharing(work int) kernel.Share {
	return func(n int, f func(i int)) { s.Share(n, work, func(_, i int) { f(i) }) }
}
