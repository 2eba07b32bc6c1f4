package rnmf

import (
	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/kernel"
	"github.com/robustnmf/robustnmf/rnmf/internal/work"
)

// mulPieces is ab, column by column of b.
func mulPieces(a mat.Matrix, b *mat.Dense, stop func() bool) (*mat.Dense, bool) {
	rows, inner := a.Dims()
	_, cols := b.Dims()
	dst := mat.NewDense(rows, cols, nil)
	done := work.Pieces((cols+63)/64, 64*rows*inner, stop, func(from, to int) {
		from, to = 64*from, min(64*to, cols)
		dst.Slice(0, rows, from, to).(*mat.Dense).Mul(a, b.Slice(0, inner, from, to))
	})
	return dst, done
}

// copyPieces copies a, or its transpose.
func copyPieces(a *mat.Dense, transposed bool, stop func() bool) (*mat.Dense, bool) {
	rows, cols := a.Dims()
	if !transposed {
		dst := mat.NewDense(rows, cols, nil)
		return dst, work.Pieces(rows, 8*cols, stop, func(from, to int) {
			for i := from; i < to; i++ {
				copy(dst.RawRowView(i), a.RawRowView(i))
			}
		})
	}
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

// loadColumns fills to with columns of x, one after the other.
func loadColumns(to []float64, x *mat.Dense, from int) {
	raw := x.RawMatrix()
	kernel.Load(to, raw.Data[from:], raw.Stride, true, 0, len(to)/raw.Rows, raw.Rows)
}
