package rnmf

import (
	"context"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/dense"
	"github.com/robustnmf/robustnmf/rnmf/internal/kernel"
	"github.com/robustnmf/robustnmf/rnmf/internal/work"
)

// The passes of a Contiguous over all images, in parallel. They end early with their context.

// An image is what a pass sees of one; its pixels are in raster order.
type image struct {
	j    int
	x, e []float64 // column j of X and of X − WH, 0 where an entry is missing
	mask []float64 // its weights; nil if all are 1
	room []float64 // scratch of the same size
}

// weight is that of the mask.
func (a *image) weight(i int) float64 {
	if a.mask == nil {
		return 1
	}
	return a.mask[i]
}

// images is how many of them a goroutine takes at once.
const images = 8

// eachImage calls do for each image, unless ctx ends.
func (f *contiguousFit) eachImage(ctx context.Context, do func(t *Tile, a *image)) error {
	m, n := f.x.Dims()
	_, r := f.last.W.Dims()
	w := mat.DenseCopyOf(f.last.W.T()).RawMatrix().Data
	f.pool.share((n+images-1)/images, m*n*(r+16), func(t *Tile, i int) {
		from := i * images
		b := min(images, n-from)
		space := t.Space((3*b+1)*m + r*b)
		part := func(size int) []float64 {
			p := space[:size]
			space = space[size:]
			return p
		}
		x, e, room, h := part(b*m), part(b*m), part(m), part(r*b)
		dense.LoadColumns(x, f.x, from)
		var mask []float64
		if f.mask != nil {
			mask = part(b * m)
			dense.LoadColumns(mask, f.mask, from)
		}
		for i, v := range mask {
			if v == 0 {
				x[i] = 0 // it may be NaN
			}
		}
		copy(e, x)
		for k := range r {
			for j, v := range f.last.H.RawRowView(k)[from:][:b] {
				h[j*r+k] = -v
			}
		}
		kernel.AddCross(e, h, w, r, b, m)
		for i, v := range mask {
			if v == 0 {
				e[i] = 0
			}
		}
		for j := range b {
			a := image{j: from + j, x: x[j*m:][:m], e: e[j*m:][:m], room: room}
			if mask != nil {
				a.mask = mask[j*m:][:m]
			}
			do(t, &a)
		}
	})
	return ctx.Err()
}

// estimate finds the cut-off, by the entries that are not 0: see Residuals.
func (f *contiguousFit) estimate(ctx context.Context) error {
	m, n := f.x.Dims()
	largest := make([]float64, m)
	f.pool.share(m, m*n, func(_ *Tile, i int) {
		for j, v := range f.x.RawRowView(i) {
			if f.weight(i, j) > 0 {
				largest[i] = max(largest[i], math.Abs(v))
			}
		}
	})
	top := slices.Max(largest)
	usual := medianMagnitude(f.x, f.mask, top, f.pool.Stop)
	top = min(top, grossData*usual)
	sums, counts := make([]float64, n), make([]float64, n)
	err := f.eachImage(ctx, func(t *Tile, a *image) {
		if t.seen == nil {
			t.seen = newResiduals(top * top)
		}
		sums[a.j], counts[a.j] = t.seen.addAll(a.e, a.x, a.mask)
	})
	if err != nil {
		return err
	}
	all := newResiduals(top * top)
	for _, t := range f.pool.tiles {
		if t.seen != nil {
			all.merge(t.seen)
		}
	}
	all.close(total(sums) / max(total(counts), 1))
	all.data = usual
	f.cut = max(2.5/3*NormalThreeSigma.Cut(all), 1e-12*top, leastScale)
	return nil
}

// label lowers the sum over z, and computes its parts. If ctx ends it changes nothing.
func (f *contiguousFit) label(ctx context.Context) error {
	begin := time.Now()
	m, n := f.x.Dims()
	z := noLabels(m, n)
	prices, squares := make([]float64, n), make([]float64, n)
	err := f.eachImage(ctx, func(_ *Tile, a *image) {
		z, cost := z[a.j], a.room
		copy(z, f.z[a.j])
		for i, v := range a.e {
			cost[i] = a.weight(i) * (f.cut*f.cut - v*v)
		}
		f.field.Lower(z, cost)
		for i, v := range a.e {
			w := a.weight(i)
			cost[i] = w * f.cut * f.cut
			if !z[i] {
				squares[a.j] += w * v * v
			}
		}
		prices[a.j] = f.field.Energy(z, cost)
	})
	if err != nil {
		return err
	}
	f.accept(z)
	f.price, f.squares = total(prices), total(squares)
	f.seconds += time.Since(begin).Seconds()
	return nil
}

// good is the mask of what is no outlier, nil if that is nothing.
func (f *contiguousFit) good() *mat.Dense {
	m, n := f.x.Dims()
	mask := mat.NewDense(m, n, nil)
	some := make([]bool, m)
	f.pool.share(m, m*n, func(_ *Tile, i int) {
		to := mask.RawRowView(i)
		for j, z := range f.support.RawRowView(i) {
			if z == 0 {
				to[j] = f.weight(i, j)
				some[i] = some[i] || to[j] > 0
			}
		}
	})
	if !slices.Contains(some, true) {
		return nil
	}
	return mask
}

// accept makes z the support.
func (f *contiguousFit) accept(z [][]bool) {
	f.z = z
	p := newWorkspace(work.Never) // never cancelled, as the support must be complete
	p.Open()
	defer p.Close()
	m, n := f.x.Dims()
	const rows = 64 // a cache line of labels
	p.share((m+rows-1)/rows, m*n, func(_ *Tile, k int) {
		for i := k * rows; i < min((k+1)*rows, m); i++ {
			to := f.support.RawRowView(i)
			for j, z := range z {
				to[j] = 0
				if z[i] {
					to[j] = 1
				}
			}
		}
	})
}

// weight is that of the mask.
func (f *contiguousFit) weight(i, j int) float64 {
	if f.mask == nil {
		return 1
	}
	return f.mask.At(i, j)
}

// noLabels is z = 0 for n images of m pixels.
func noLabels(m, n int) [][]bool {
	z := make([][]bool, n)
	for j := range z {
		z[j] = make([]bool, m)
	}
	return z
}
