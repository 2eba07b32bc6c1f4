package baseline

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/internal/input"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/internal/eigen"
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
// Directions without variance complete the basis and have variance 0. Those whose
// variance is below some 10⁻¹⁴ of the largest may be no more than rough, unless that
// comes of single gross entries, and below 10⁻²² all are. It returns ctx.Err() soon
// after ctx ends.
func PCA(ctx context.Context, x mat.Matrix, r int) (*Principal, error) {
	d, err := input.Matrix("X", x)
	if err != nil {
		return nil, err
	}
	m, n := d.Dims()
	if r < 1 || r > min(m, n) {
		return nil, fmt.Errorf("%w: %d components of %d×%d data, want 1 to %d", rnmf.ErrRank, r, m, n, min(m, n))
	}
	p := eigen.PCA(d, r, func() bool { return ctx.Err() != nil })
	if p == nil {
		return nil, ctx.Err()
	}
	return (*Principal)(p), nil
}

// Project returns the scores (r×n) of the columns of x (m×n), which may be new data.
func (p *Principal) Project(x mat.Matrix) (*mat.Dense, error) {
	d, err := input.Matrix("X", x)
	if err != nil {
		return nil, err
	}
	_, n := d.Dims()
	if err := input.Dims("X", d, len(p.Mean), n); err != nil {
		return nil, err
	}
	c := mat.DenseCopyOf(d)
	for i, mean := range p.Mean {
		floats.AddConst(-mean, c.RawRowView(i))
	}
	var out mat.Dense
	out.Mul(p.Components.T(), c)
	return &out, nil
}

// Reconstruct returns the samples (m×n) that have the given scores (r×n).
func (p *Principal) Reconstruct(scores mat.Matrix) (*mat.Dense, error) {
	s, err := input.UpTo(rnmf.MaxFactor, "scores", scores) // as these are up to √m times as large as an entry of X
	if err != nil {
		return nil, err
	}
	_, r := p.Components.Dims()
	_, n := s.Dims()
	if err := input.Dims("scores", s, r, n); err != nil {
		return nil, err
	}
	var out mat.Dense
	out.Mul(p.Components, s)
	for i, mean := range p.Mean {
		floats.AddConst(mean, out.RawRowView(i))
	}
	return &out, nil
}
