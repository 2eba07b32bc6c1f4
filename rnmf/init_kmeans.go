package rnmf

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// KMeansInit is the start of the L2,1 paper, section 5.4: PCA to r dimensions, k-means there, W the
// centroids of the clusters and H = G′ + Shift, with G′ the indicator of the clusters. With many
// clusters and the printed shift of 0.3 all other centroids together outweigh a sample's own;
// Scaled divides H by one number so that WH fits X best.
type KMeansInit struct {
	Shift  float64 // 0 is 0.3; negative is none, and multiplicative updates then keep the zeros
	Scaled bool
}

// Start returns the factors.
func (s KMeansInit) Start(ctx context.Context, x *mat.Dense, rank int, rng *rand.Rand) (w, h *mat.Dense, err error) {
	shift := cmp.Or(s.Shift, 0.3)
	if math.IsNaN(shift) || math.IsInf(shift, 0) {
		return nil, nil, errParameter("KMeansInit.Shift", shift, "a number")
	}
	w, h, _, err = kmeansStart(ctx, x, rank, max(shift, 0), rng.Uint64())
	if err != nil {
		return nil, nil, err
	}
	// A centroid of signed data can be negative.
	w.Apply(func(_, _ int, v float64) float64 { return max(v, 0) }, w)
	if s.Scaled {
		var wh mat.Dense
		wh.Mul(w, h)
		var xy, yy float64
		for i := range wh.RawMatrix().Rows {
			xy += floats.Dot(x.RawRowView(i), wh.RawRowView(i))
			yy += floats.Dot(wh.RawRowView(i), wh.RawRowView(i))
		}
		if xy > 0 && yy > 0 {
			h.Scale(xy/yy, h)
		}
	}
	return w, h, nil
}
