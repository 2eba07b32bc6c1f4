package eigen

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/dense"
	"github.com/robustnmf/robustnmf/rnmf/internal/work"
)

// Principal is what PCA found: X ≈ Mean·1ᵀ + Components·Scores.
type Principal struct {
	Mean       []float64  // m, the mean sample
	Components *mat.Dense // m×r, orthonormal columns
	Scores     *mat.Dense // r×n, Componentsᵀ(X − Mean·1ᵀ)
	Variance   []float64  // r, of each row of Scores, divided by n−1; falling
	Total      float64    // variance of X, of which Σ Variance is explained
}

// PCA finds the r directions along which the columns of x vary most, the
// eigenvectors of
//
//	C = 1/(n−1) Σⱼ (xⱼ − x̄)(xⱼ − x̄)ᵀ,  1 ≤ r ≤ min(m, n).
//
// The largest entry of a component, the first of several, is positive.
// Directions without variance complete the basis and have variance 0.
//
// It returns nil if it is stopped, and does not check its input: package baseline does.
func PCA(x *mat.Dense, r int, stop func() bool) *Principal {
	m, n := x.Dims()
	p := &Principal{Mean: rowMeans(x), Variance: make([]float64, r)}
	if stop() {
		return nil
	}
	c, done := dense.Copy(x, stop)
	if !done || !work.Pieces(m, 4*n, stop, func(from, to int) {
		for i := from; i < to; i++ {
			floats.AddConst(-p.Mean[i], c.RawRowView(i))
		}
	}) {
		return nil
	}
	ut, _, _, done := SVD(c, r, stop)
	if !done {
		return nil
	}
	p.Components = mat.DenseCopyOf(ut.T())
	if p.Scores, done = dense.Mul(ut, c, stop); !done {
		return nil
	}
	per := float64(max(n-1, 1))
	for k := range p.Variance {
		norm := floats.Norm(p.Scores.RawRowView(k), 2)
		p.Variance[k] = norm * norm / per
	}
	norms := make([]float64, m)
	if !work.Pieces(m, 4*n, stop, func(from, to int) {
		for i := from; i < to; i++ {
			norms[i] = floats.Norm(c.RawRowView(i), 2)
		}
	}) {
		return nil
	}
	norm := floats.Norm(norms, 2)
	p.Total = norm * norm / per
	return p
}

// rowMeans is exact for a constant row, which so keeps no trace of variance.
func rowMeans(x *mat.Dense) []float64 {
	m, _ := x.Dims()
	means := make([]float64, m)
	for i := range means {
		row := x.RawRowView(i)
		var sum float64
		for _, v := range row {
			sum += v - row[0]
		}
		means[i] = row[0] + sum/float64(len(row))
	}
	return means
}
