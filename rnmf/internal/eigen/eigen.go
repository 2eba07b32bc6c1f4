// Package eigen finds eigenvectors of symmetric matrices without negative eigenvalues,
// Laplacians of graphs and Gram matrices, in pieces between which it can be stopped:
//
//   - All, by reduction to a tridiagonal matrix;
//   - Share, so many of the largest that their sum is a share of the trace, in a block
//     Krylov space that grows until it has them;
//   - Largest, a given number of them, by orthogonal iteration, and with it the leading
//     singular vectors (SVD) and the principal components (PCA) of data.
//
// There are two iterations because they end differently. Share cannot know in advance
// how many vectors it needs, so its basis only grows, and it stops at eight digits,
// which are enough for RRA. Largest knows, keeps 2r + 16 vectors, and goes on to
// rounding, as the Gram matrix has squared the singular values that SVD wants. One in
// place of the other would change the bits of results. What both do they share: the
// operator, the projection, and the decomposition of what is projected.
package eigen

import (
	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/dense"
	"github.com/robustnmf/robustnmf/rnmf/internal/work"
)

// An Operator is a symmetric n×n matrix A without negative eigenvalues.
type Operator interface {
	// Dim returns n.
	Dim() int
	// Apply returns xA for a block of vectors, the rows of x, and whether it got through.
	Apply(x *mat.Dense, stop func() bool) (*mat.Dense, bool)
	// Row writes the entries 0 to i of row i into zeros.
	Row(row []float64, i int)
}

// Symmetric is the Operator of a dense matrix, of which both triangles are there.
type Symmetric struct{ *mat.Dense }

// Dim returns n.
func (a Symmetric) Dim() int { return a.RawMatrix().Rows }

// Apply returns xA.
func (a Symmetric) Apply(x *mat.Dense, stop func() bool) (*mat.Dense, bool) {
	return dense.Mul(x, a.Dense, stop)
}

// Row copies a part of a row.
func (a Symmetric) Row(row []float64, i int) { copy(row, a.RawRowView(i)) }

// Pairs are eigenvalues, descending, and their eigenvectors, orthonormal rows.
type Pairs struct {
	Values  []float64
	Vectors *mat.Dense
	Rest    float64 // of Share: no eigenvalue left out is larger
}

// All returns all eigenvalues and eigenvectors, or nil if it is stopped.
func All(a Operator, stop func() bool) *Pairs { return largestOf(a, a.Dim(), fineGap, stop) }

// Share returns the fewest of the largest eigenvalues whose sum is at least enough, to
// eight digits. It returns nil if a Krylov space of n/4 vectors does not have them, or
// if it is stopped.
func Share(a Operator, enough float64, stop func() bool) *Pairs {
	for k := newKrylov(a); k.size < k.n/4; {
		if !k.extend(max(4*krylovBlock, k.size), stop) {
			return nil
		}
		if p := k.ritz(enough, stop); p != nil {
			return p
		}
	}
	return nil
}

// Largest returns the eigenvectors of the r largest eigenvalues as rows, the one of the
// largest first, or nil if it is stopped. Small matrices are decomposed whole, large ones
// only should orthogonal iteration take too long.
func Largest(a Operator, r int, stop func() bool) *mat.Dense {
	const small, rounds, spare = 400, 200, 16
	n, b := a.Dim(), 2*r+spare
	if n > small && 4*b <= n {
		if q := orthogonalIteration(a, r, b, rounds, stop); q != nil || stop() {
			return q
		}
	}
	if p := largestOf(a, r, tightGap, stop); p != nil {
		return p.Vectors
	}
	return nil
}

// project returns (abᵀ + baᵀ)/2, and whether it got through: the operator between the
// rows of a block, of which a is the image and b is the block, or the other way round.
func project(a, b *mat.Dense, stop func() bool) (Symmetric, bool) {
	k, n := a.Dims()
	t := mat.NewDense(k, k, nil)
	if !work.Pieces(k, k*n, stop, func(from, to int) {
		t.Slice(from, to, 0, k).(*mat.Dense).Mul(a.Slice(from, to, 0, n), b.T())
	}) {
		return Symmetric{}, false
	}
	for i := range k {
		for j := range i {
			v := (t.At(i, j) + t.At(j, i)) / 2
			t.Set(i, j, v)
			t.Set(j, i, v)
		}
	}
	return Symmetric{t}, true
}
