package rnmf

import (
	"context"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// ONMFStart starts from the clusters that ONMF finds, a k-means by directions. With a graph in the
// model samples change their cluster less easily, so the start counts more.
type ONMFStart struct{}

// Start returns the factors.
func (ONMFStart) Start(ctx context.Context, x *mat.Dense, rank int, rng *rand.Rand) (w, h *mat.Dense, err error) {
	m := ONMF(rank)
	m.Seed, m.Signed, m.MaxIter = rng.Uint64(), true, 50
	r, err := m.Fit(WithTrace(ctx, nil), x) // its rounds are none of the fit that starts here
	if err != nil {
		return nil, nil, err
	}
	return r.W, r.H, nil
}
