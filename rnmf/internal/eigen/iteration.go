package eigen

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/dense"
)

// orthogonalIteration multiplies a block of b vectors until the r ≤ b largest Ritz
// vectors are eigenvectors up to rounding. The start is random and always the same. It
// returns nil if that takes too many rounds, or if it is stopped.
func orthogonalIteration(a Operator, r, b, rounds int, stop func() bool) *mat.Dense {
	p := a.Dim()
	rng := rand.New(rand.NewPCG(1, 2))
	q := mat.NewDense(b, p, nil)
	for i := range b {
		row := q.RawRowView(i)
		for j := range row {
			row[j] = rng.NormFloat64()
		}
	}
	for range rounds {
		for k := range b {
			if stop() {
				return nil
			}
			orthonormalise(q, k)
		}
		y, done := a.Apply(q, stop)
		if !done {
			return nil
		}
		small, done := project(y, q, stop)
		if !done {
			return nil
		}
		z := largestOf(small, b, tightGap, stop)
		if z == nil {
			return nil
		}
		ritz, done := dense.Mul(z.Vectors, q, stop)
		if !done {
			return nil
		}
		image, done := dense.Mul(z.Vectors, y, stop)
		if !done {
			return nil
		}
		// Ritz vector v with value θ = vᵀGv is an eigenvector if Gv = θv.
		largest := floats.Dot(ritz.RawRowView(0), image.RawRowView(0))
		done = true
		for k := 0; k < r && done; k++ {
			v, gv := ritz.RawRowView(k), image.RawRowView(k)
			theta := floats.Dot(v, gv)
			var residual float64
			for j, g := range gv {
				d := g - theta*v[j]
				residual += d * d
			}
			done = math.Sqrt(residual) <= 1e-12*largest
		}
		if done {
			return mat.DenseCopyOf(ritz.Slice(0, r, 0, p))
		}
		q.Copy(image)
	}
	return nil
}
