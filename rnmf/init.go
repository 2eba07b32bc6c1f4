package rnmf

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/robustnmf/robustnmf/internal/isnil"
	"gonum.org/v1/gonum/mat"
)

// An Init makes the factors that a fit starts from, w (m×r) and h (r×n), finite and non-negative.
// It must not change x, where missing entries hold the mean of the known ones of their row. Start
// returns an error soon after ctx ends.
type Init interface {
	Start(ctx context.Context, x *mat.Dense, rank int, rng *rand.Rand) (w, h *mat.Dense, err error)
}

// Random draws both factors uniformly from (0, a], with a such that the mean of WH is that of X
// once its positive entries are replaced by their median and its negative ones by 0. It is the
// default. Gross errors shift the mean of X itself by any amount, and from there a loss that levels
// off would begin between the data and the errors, and fit some of each.
type Random struct{}

// Start returns the factors.
func (Random) Start(ctx context.Context, x *mat.Dense, rank int, rng *rand.Rand) (w, h *mat.Dense, err error) {
	m, n := x.Dims()
	mean := robustMean(x, func() bool { return ctx.Err() != nil })
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	// Means of uniform factors are a/2, so the mean of WH is r·a²/4.
	a := 2 * math.Sqrt(mean/float64(rank))
	if a == 0 {
		a = 1 // all of X is 0; any start will do
	}
	fill := func(rows, cols int) *mat.Dense {
		d := make([]float64, rows*cols)
		for i := range d {
			d[i] = a * (1 - rng.Float64())
		}
		return mat.NewDense(rows, cols, d)
	}
	return fill(m, rank), fill(rank, n), nil
}

// WarmStart starts from copies of given factors: a warm start, or your own. Under multiplicative
// updates an entry that is 0 stays 0.
type WarmStart struct {
	W mat.Matrix // m×r
	H mat.Matrix // r×n
}

// Start returns copies of the factors.
func (f WarmStart) Start(_ context.Context, x *mat.Dense, rank int, _ *rand.Rand) (w, h *mat.Dense, err error) {
	m, n := x.Dims()
	if isnil.Matrix(f.W) || isnil.Matrix(f.H) {
		return nil, nil, fmt.Errorf("%w: the start lacks W or H", ErrShape)
	}
	if err := wantDims("W", f.W, m, rank); err != nil {
		return nil, nil, err
	}
	if err := wantDims("H", f.H, rank, n); err != nil {
		return nil, nil, err
	}
	return mat.DenseCopyOf(f.W), mat.DenseCopyOf(f.H), nil
}
