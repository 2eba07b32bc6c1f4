package lesson

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
)

// Mul returns the product of some matrices, from left to right, so that a cell can spell an update
// as the formula does:
//
//	var mul, ratio = lesson.Mul, lesson.Ratio
//	w.MulElem(w, ratio(mul(x, d, h.T()), mul(w, h, d, h.T())))
//
// A diagonal matrix scales the rows or columns of its neighbour. Shapes that do not fit end the cell.
func Mul(first mat.Matrix, others ...mat.Matrix) *mat.Dense {
	defer explain()
	product := mat.DenseCopyOf(first)
	for i, next := range others {
		var p mat.Dense
		left, isDiagonal := first.(mat.Diagonal)
		switch d, ok := next.(mat.Diagonal); {
		case ok:
			fits(product, d)
			p.Apply(func(_, j int, v float64) float64 { return v * d.At(j, j) }, product)
		case i == 0 && isDiagonal:
			fits(left, next)
			p.Apply(func(i, _ int, v float64) float64 { return left.At(i, i) * v }, next)
		default:
			p.Mul(product, next)
		}
		product = &p
	}
	return product
}

func rowsOf(a mat.Matrix) int {
	m, _ := a.Dims()
	return m
}

// fits panics, as gonum does, if a·b has no meaning.
func fits(a, b mat.Matrix) {
	if _, n := a.Dims(); n != rowsOf(b) {
		panic(mat.ErrShape)
	}
}

// Times returns the product of two matrices entry by entry, as Ω∘X.
func Times(a, b mat.Matrix) *mat.Dense {
	defer explain()
	var p mat.Dense
	p.MulElem(a, b)
	return &p
}

// Minus returns a − b.
func Minus(a, b mat.Matrix) *mat.Dense {
	defer explain()
	var e mat.Dense
	e.Sub(a, b)
	return &e
}

// Plus returns a + c·b, for terms with a weight of their own.
func Plus(a mat.Matrix, c float64, b mat.Matrix) *mat.Dense {
	defer explain()
	var sum mat.Dense
	sum.Scale(c, b)
	sum.Add(a, &sum)
	return &sum
}

// Ratio divides entry by entry. 0/0, as of pixels that are black in all images, is 0.
func Ratio(up, down mat.Matrix) *mat.Dense {
	defer explain()
	fitsEntries(up, down)
	var q mat.Dense
	q.Apply(func(i, k int, v float64) float64 { return v / max(down.At(i, k), 1e-300) }, up)
	return &q
}

func fitsEntries(a, b mat.Matrix) {
	m, n := a.Dims()
	if p, q := b.Dims(); m != p || n != q {
		panic(mat.ErrShape)
	}
}

// Same says by how much the factors of an algorithm in a cell differ from those of a fit, and ends the
// cell if it is more than rounding: more than 10⁻¹¹ of their norm.
func Same(w, h *mat.Dense, r *rnmf.Result) {
	dw, dh := mat.Norm(Minus(w, r.W), 2)/mat.Norm(w, 2), mat.Norm(Minus(h, r.H), 2)/mat.Norm(h, 2)
	fmt.Printf("after %d rounds W differs from the package's by %.0e of its norm, H by %.0e\n", len(r.Trace)-1, dw, dh)
	if !(dw < 1e-11 && dh < 1e-11) {
		stop("lesson: the two algorithms differ")
	}
}
