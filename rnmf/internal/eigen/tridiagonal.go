package rnmf

import (
	"github.com/robustnmf/robustnmf/rnmf/internal/work"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack"
	lapackgo "gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/mat"
)

// A tridiagonalisation is A = QTQᵀ, by Householder's reflectors, in pieces between
// which it can be stopped: what LAPACK's Dsytrd and Dormqr do at once takes minutes for
// thousands of rows.
type tridiagonalisation struct {
	tridiagonal
	n   int
	a   [][]float64 // rows up to the diagonal; below it the reflectors of Q
	tau []float64
}

// A symmetric matrix as its rows: it writes the entries 0..i of row i into zeros.
type rowsOf func(row []float64, i int)

func rowsOfSym(sym *mat.SymDense) rowsOf {
	return func(row []float64, i int) {
		for j := range row {
			row[j] = sym.At(i, j)
		}
	}
}

// tridiagonalise takes an n×n matrix. It returns nil if it is stopped.
func tridiagonalise(n int, rows rowsOf, stop func() bool) *tridiagonalisation {
	t := &tridiagonalisation{tridiagonal{make([]float64, n), make([]float64, n-1)}, n, make([][]float64, n), make([]float64, n-1)}
	if !work.Pieces(n, 8*n, stop, func(from, to int) {
		for i := from; i < to; i++ {
			t.a[i] = make([]float64, i+1)
			rows(t.a[i], i)
		}
	}) {
		return nil
	}
	var impl lapackgo.Implementation
	for k := range n - 1 {
		rest := n - 1 - k
		row := func(l int) []float64 { return t.a[k+1+l][k+1:] } // of what is left
		v, w := make([]float64, rest), make([]float64, rest)
		for l := range v {
			v[l] = t.a[k+1+l][k]
		}
		// (I − τvvᵀ) takes column k to β in its first place.
		t.d[k] = t.a[k][k]
		t.e[k], t.tau[k] = impl.Dlarfg(rest, v[0], v[1:], 1)
		v[0] = 1
		for l, x := range v {
			t.a[k+1+l][k] = x
		}
		if t.tau[k] == 0 {
			continue
		}
		// A ← A − vwᵀ − wvᵀ, w = τAv − ½τ²(vᵀAv)v.
		if !work.Pieces(rest, 2*rest, stop, func(from, to int) {
			for l := from; l < to; l++ {
				r := row(l)
				w[l] += t.tau[k] * floats.Dot(r, v[:l+1])
				floats.AddScaled(w[:l], t.tau[k]*v[l], r[:l])
			}
		}) {
			return nil
		}
		floats.AddScaled(w, -t.tau[k]/2*floats.Dot(w, v), v)
		if !work.Pieces(rest, 2*rest, stop, func(from, to int) {
			for l := from; l < to; l++ {
				r := row(l)
				floats.AddScaled(r, -v[l], w[:l+1])
				floats.AddScaled(r, -w[l], v[:l+1])
			}
		}) {
			return nil
		}
	}
	t.d[n-1] = t.a[n-1][n-1]
	return t
}

// pieceWidth is how many reflectors of so many multiply-adds each make a piece of some
// tens of milliseconds.
func pieceWidth(each int) int { return min(max(30_000_000/max(each, 1), 1), 32) }

// back turns eigenvectors of T, the rows of z, into those of A, zQᵀ. It reports
// whether it got through.
func (t *tridiagonalisation) back(z *mat.Dense, stop func() bool) bool {
	count, _ := z.Dims()
	n, width := t.n, pieceWidth(count*t.n)
	var impl lapackgo.Implementation
	triangle, work, v := make([]float64, width*width), make([]float64, count*width), make([]float64, n*width)
	for last := t.n - 1; last > 0; last -= width {
		if stop() {
			return false
		}
		i := max(last-width, 0)
		rows, k := n-1-i, last-i
		for l := range rows {
			copy(v[l*width:][:min(k, l+1)], t.a[i+1+l][i:])
		}
		impl.Dlarft(lapack.Forward, lapack.ColumnWise, rows, k, v, width, t.tau[i:], triangle, width)
		impl.Dlarfb(blas.Right, blas.Trans, lapack.Forward, lapack.ColumnWise, count, rows, k, v, width, triangle, width,
			z.RawMatrix().Data[i+1:], n, work, width)
	}
	return true
}
