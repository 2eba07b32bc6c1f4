package eigen

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/dense"
)

// A krylov is an orthonormal basis of the space of Q, AQ, A²Q, … for a block Q of
// random vectors, as many as an eigenvalue may have eigenvectors to be found.
type krylov struct {
	a       Operator
	n       int
	size    int
	basis   []float64 // rows of length n
	product []float64 // their products with A
	next    int       // the first whose product has not been added
	rng     *rand.Rand
}

const krylovBlock = 16

func newKrylov(a Operator) *krylov {
	return &krylov{a: a, n: a.Dim(), rng: rand.New(rand.NewPCG(1, 7))}
}

// extend adds count vectors, and reports whether it got through.
func (k *krylov) extend(count int, stop func() bool) bool {
	x := make([]float64, k.n)
	for want := min(k.size+count, k.n); k.size < want; {
		if stop() {
			return false
		}
		if k.size < krylovBlock || k.next == k.size { // or the space is invariant
			for i := range x {
				x[i] = k.rng.NormFloat64()
			}
		} else {
			copy(x, k.product[k.next*k.n:][:k.n])
			k.next++
		}
		if !k.add(x, stop) {
			return false
		}
	}
	return true
}

// add makes x orthogonal to the basis and appends it, unless nothing is left. It
// reports whether it got through.
func (k *krylov) add(x []float64, stop func() bool) bool {
	for range 3 {
		before := blas64.Nrm2(vector(x))
		if k.size > 0 {
			b := blas64.General{Rows: k.size, Cols: k.n, Stride: k.n, Data: k.basis}
			shares := make([]float64, k.size)
			blas64.Gemv(blas.NoTrans, 1, b, vector(x), 0, vector(shares))
			blas64.Gemv(blas.Trans, -1, b, vector(shares), 1, vector(x))
		}
		after := blas64.Nrm2(vector(x))
		if !(after > 1e-10*before) {
			return true
		}
		if blas64.Scal(1/after, vector(x)); after > 0.5*before {
			break
		}
	}
	image, done := k.a.Apply(mat.NewDense(1, k.n, x), stop)
	if !done {
		return false
	}
	k.basis, k.product = append(k.basis, x...), append(k.product, image.RawRowView(0)...)
	k.size++
	return true
}

// ritz returns the eigenvalues whose sum is at least enough, or nil if the space
// does not have them yet, to eight digits, or if it is stopped.
func (k *krylov) ritz(enough float64, stop func() bool) *Pairs {
	basis, product := mat.NewDense(k.size, k.n, k.basis), mat.NewDense(k.size, k.n, k.product)
	small, done := project(basis, product, stop)
	if !done {
		return nil
	}
	all := All(small, stop)
	if all == nil {
		return nil
	}
	p, sum := 0, 0.0
	for p < k.size && sum < enough {
		sum += all.Values[p]
		p++
	}
	if sum < enough || p == k.size {
		return nil
	}
	chosen := all.Vectors.Slice(0, p, 0, k.size)
	vectors, done := dense.Mul(chosen, basis, stop)
	if !done {
		return nil
	}
	rest, done := dense.Mul(chosen, product, stop)
	if !done {
		return nil
	}
	for c, v := range all.Values[:p] {
		blas64.Axpy(-v, vector(vectors.RawRowView(c)), vector(rest.RawRowView(c)))
		if blas64.Nrm2(vector(rest.RawRowView(c))) > 1e-8*all.Values[0] {
			return nil
		}
	}
	return &Pairs{Values: all.Values[:p], Vectors: vectors, Rest: max(all.Values[p-1], 0)}
}

func vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }
