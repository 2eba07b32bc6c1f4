package papers

import (
	"context"
	"github.com/robustnmf/robustnmf/rnmf"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"gonum.org/v1/gonum/mat"
)

// The passes of an OcclusionNMF over all images, in parallel. They end early with their context.

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

// parallel calls f for 0..n−1, on all processors. It ends early with ctx.
func parallel(ctx context.Context, n int, f func(i int)) error {
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				f(i)
			}
		}()
	}
	wait.Wait()
	return ctx.Err()
}

// eachImage calls do for each image, unless ctx ends.
func (f *occlusionFit) eachImage(ctx context.Context, do func(a *image)) error {
	m, n := f.x.Dims()
	_, r := f.last.W.Dims()
	w := mat.DenseCopyOf(f.last.W.T()).RawMatrix().Data
	return parallel(ctx, (n+images-1)/images, func(i int) {
		from := i * images
		b := min(images, n-from)
		x, mask := columnsOf(f.x, from, b), []float64(nil)
		if f.mask != nil {
			mask = columnsOf(f.mask, from, b)
		}
		for i, v := range mask {
			if v == 0 {
				x[i] = 0 // it may be NaN
			}
		}
		e, h := slices.Clone(x), make([]float64, b*r)
		for k := range r {
			for j, v := range f.last.H.RawRowView(k)[from:][:b] {
				h[j*r+k] = -v
			}
		}
		rnmf.AddProduct(e, h, w, b, r, m)
		for i, v := range mask {
			if v == 0 {
				e[i] = 0
			}
		}
		room := make([]float64, m)
		for j := range b {
			a := image{j: from + j, x: x[j*m:][:m], e: e[j*m:][:m], room: room}
			if mask != nil {
				a.mask = mask[j*m:][:m]
			}
			do(&a)
		}
	})
}

// columnsOf returns some columns, one after the other.
func columnsOf(x *mat.Dense, from, b int) []float64 {
	m, _ := x.Dims()
	out := make([]float64, b*m)
	for i := range m {
		for j, v := range x.RawRowView(i)[from:][:b] {
			out[j*m+i] = v
		}
	}
	return out
}

// estimate finds the cut-off, by the entries that are not 0: a 0 lies on the bound W, H ≥ 0, and is
// fitted nearly exactly. Gross errors may be of any size, and must not set the scale of the others: above
// a thousand times the usual entry all count the same.
func (f *occlusionFit) estimate(ctx context.Context) error {
	_, n := f.x.Dims()
	top := 1e3 * f.usual()
	squares := make([][]float64, n)
	if err := f.eachImage(ctx, func(a *image) {
		for i, v := range a.e {
			if a.x[i] != 0 && a.weight(i) > 0 {
				squares[a.j] = append(squares[a.j], min(v*v, top*top))
			}
		}
	}); err != nil {
		return err
	}
	all := rnmf.NewResiduals(slices.Concat(squares...)...)
	f.cut = max(2.5/3*rnmf.NormalThreeSigma.Cut(all), 1e-12*top, leastScale)
	return nil
}

// usual is about the median magnitude of the entries of X that are known and not 0, 0 if there are none.
func (f *occlusionFit) usual() float64 {
	const enough = 1 << 16
	m, n := f.x.Dims()
	var some []float64
	every := max(m*n/enough, 1)
	if every > 1 {
		every |= 1 // not always the same columns
	}
	for i := 0; i < m*n; i += every {
		if v := math.Abs(f.x.At(i/n, i%n)); v > 0 && f.weight(i/n, i%n) > 0 {
			some = append(some, v)
		}
	}
	if len(some) == 0 {
		return 0
	}
	slices.Sort(some)
	return some[len(some)/2]
}

// label lowers the sum over z, and computes its parts. If ctx ends it changes nothing.
func (f *occlusionFit) label(ctx context.Context) error {
	begin := time.Now()
	m, n := f.x.Dims()
	z := noLabels(m, n)
	prices, squares := make([]float64, n), make([]float64, n)
	err := f.eachImage(ctx, func(a *image) {
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
func (f *occlusionFit) good() *mat.Dense {
	m, n := f.x.Dims()
	mask, some := mat.NewDense(m, n, nil), false
	for i := range m {
		to := mask.RawRowView(i)
		for j, z := range f.support.RawRowView(i) {
			if z == 0 {
				to[j] = f.weight(i, j)
				some = some || to[j] > 0
			}
		}
	}
	if !some {
		return nil
	}
	return mask
}

// accept makes z the support.
func (f *occlusionFit) accept(z [][]bool) {
	f.z = z
	m, _ := f.x.Dims()
	for i := range m {
		to := f.support.RawRowView(i)
		for j, z := range z {
			to[j] = 0
			if z[i] {
				to[j] = 1
			}
		}
	}
}

// weight is that of the mask.
func (f *occlusionFit) weight(i, j int) float64 {
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
