// Package dense has operations on large dense matrices in pieces of some
// milliseconds, between which they can be stopped.
package dense

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/kernel"
	"github.com/robustnmf/robustnmf/rnmf/internal/work"
)

// Mul returns ab, column by column of b, and whether it got through.
func Mul(a mat.Matrix, b *mat.Dense, stop func() bool) (*mat.Dense, bool) {
	rows, inner := a.Dims()
	_, cols := b.Dims()
	dst := mat.NewDense(rows, cols, nil)
	done := work.Pieces((cols+63)/64, 64*rows*inner, stop, func(from, to int) {
		from, to = 64*from, min(64*to, cols)
		dst.Slice(0, rows, from, to).(*mat.Dense).Mul(a, b.Slice(0, inner, from, to))
	})
	return dst, done
}

// Copy returns a copy of a, and whether it got through.
func Copy(a *mat.Dense, stop func() bool) (*mat.Dense, bool) {
	rows, cols := a.Dims()
	dst := mat.NewDense(rows, cols, nil)
	return dst, work.Pieces(rows, 8*cols, stop, func(from, to int) {
		for i := from; i < to; i++ {
			copy(dst.RawRowView(i), a.RawRowView(i))
		}
	})
}

// Transpose returns a copy of aᵀ, and whether it got through.
func Transpose(a *mat.Dense, stop func() bool) (*mat.Dense, bool) {
	rows, cols := a.Dims()
	dst := mat.NewDense(cols, rows, nil)
	to := dst.RawMatrix().Data
	return dst, work.Pieces((rows+7)/8, 8*16*cols, stop, func(from, until int) {
		// Eight rows at a time, so that a line of the cache is filled at once.
		for i := 8 * from; i < min(8*until, rows); i += 8 {
			for j := range cols {
				for l := i; l < min(i+8, rows); l++ {
					to[j*rows+l] = a.At(l, j)
				}
			}
		}
	})
}

// Gram returns aaᵀ, or aᵀa with blas.Trans, and whether it got through.
func Gram(a *mat.Dense, t blas.Transpose, stop func() bool) (*mat.Dense, bool) {
	rows, cols := a.Dims()
	p, inner, other := rows, cols, blas.Trans
	if t == blas.Trans {
		p, inner, other = cols, rows, blas.NoTrans
	}
	gram := mat.NewDense(p, p, nil)
	const depth = 64
	to := gram.RawMatrix().Data
	for k := 0; k < inner; k += depth {
		part := func(from, until int) blas64.General {
			if t == blas.Trans {
				return a.Slice(k, min(k+depth, rows), from, until).(*mat.Dense).RawMatrix()
			}
			return a.Slice(from, until, k, min(k+depth, cols)).(*mat.Dense).RawMatrix()
		}
		if !work.Pieces((p+63)/64, 64*depth*p, stop, func(from, until int) {
			from, until = 64*from, min(64*until, p)
			blas64.Gemm(t, other, 1, part(from, until), part(from, p), 1,
				blas64.General{Rows: until - from, Cols: p - from, Stride: p, Data: to[from*p+from:]})
		}) {
			return nil, false
		}
	}
	return gram, work.Pieces(p, 16*p, stop, func(from, until int) { // the lower triangle
		for i := from; i < until; i++ {
			for j := range i {
				to[i*p+j] = to[j*p+i]
			}
		}
	})
}

// LoadColumns fills to with columns of x, one after the other.
func LoadColumns(to []float64, x *mat.Dense, from int) {
	raw := x.RawMatrix()
	kernel.Load(to, raw.Data[from:], raw.Stride, true, 0, len(to)/raw.Rows, raw.Rows)
}

// PowerOfTwo returns a power of two of about the size of the largest entry: a unit in
// which squares neither overflow nor vanish, and dividing by it is exact.
func PowerOfTwo(largest float64) float64 {
	if largest == 0 {
		return 1
	}
	_, e := math.Frexp(largest)
	return math.Ldexp(1, min(max(e, -1000), 1000))
}
