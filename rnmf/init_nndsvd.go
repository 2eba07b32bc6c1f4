package rnmf

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/eigen"
	"github.com/robustnmf/robustnmf/rnmf/internal/kmeans"
)

// NNDSVD starts from the singular vectors of X (Boutsidis and Gallopoulos 2008): no randomness, and
// often fewer rounds. About half of its entries are 0, which stay so under multiplicative updates;
// NNDSVDa and NNDSVDar fill them. They are called nndsvd, nndsvda and nndsvdar by scikit-learn.
type NNDSVD struct{}

// Start returns the factors.
func (NNDSVD) Start(ctx context.Context, x *mat.Dense, rank int, _ *rand.Rand) (w, h *mat.Dense, err error) {
	return nndsvd(ctx, x, rank)
}

// NNDSVDa is NNDSVD with the mean of X in place of the zeros.
type NNDSVDa struct{}

// Start returns the factors.
func (NNDSVDa) Start(ctx context.Context, x *mat.Dense, rank int, _ *rand.Rand) (w, h *mat.Dense, err error) {
	return filled(ctx, x, rank, func(mean float64) float64 { return mean })
}

// NNDSVDar is NNDSVD with random numbers up to a hundredth of the mean of X in place of the zeros.
type NNDSVDar struct{}

// Start returns the factors.
func (NNDSVDar) Start(ctx context.Context, x *mat.Dense, rank int, rng *rand.Rand) (w, h *mat.Dense, err error) {
	return filled(ctx, x, rank, func(mean float64) float64 { return mean / 100 * (1 - rng.Float64()) })
}

// filled is nndsvd with numbers in place of its zeros, which fill makes of the mean of x.
func filled(ctx context.Context, x *mat.Dense, rank int, fill func(mean float64) float64) (w, h *mat.Dense, err error) {
	if w, h, err = nndsvd(ctx, x, rank); err != nil {
		return nil, nil, err
	}
	mean := matrixMean(x)
	for _, f := range []*mat.Dense{w, h} {
		a := fillValue(mean, f)
		f.Apply(func(_, _ int, v float64) float64 {
			if v == 0 {
				return fill(a)
			}
			return v
		}, f)
	}
	return w, h, nil
}

// nndsvd returns the start of Boutsidis and Gallopoulos (2008) for non-negative x. The leading
// singular vectors are non-negative; of each further triplet, with p⁺ = max(p, 0) and p⁻ = max(−p,
// 0),
//
//	σuvᵀ = σ(u⁺v⁺ᵀ + u⁻v⁻ᵀ) − σ(u⁺v⁻ᵀ + u⁻v⁺ᵀ),
//
// it takes the larger of the two non-negative terms, say σ‖u⁺‖‖v⁺‖ ûv̂ᵀ with unit vectors û and v̂,
// and splits its size evenly between w and h. The triplets (eigen.SVD) need no seed.
//
// About half of the entries are 0, and all of those of components beyond the rank of x. Under
// multiplicative updates a 0 stays 0, and a component that is 0 in w and h stays so with every
// solver: fill them. HALS needs no filling up to the rank of x.
func nndsvd(ctx context.Context, x *mat.Dense, r int) (w, h *mat.Dense, err error) {
	m, n := x.Dims()
	w, h = mat.NewDense(m, r, nil), mat.NewDense(r, n, nil)
	ut, s, vt, ok := eigen.SVD(x, min(r, m, n), func() bool { return ctx.Err() != nil })
	if !ok {
		return nil, nil, ctx.Err()
	}
	for k, sigma := range s {
		if sigma == 0 {
			break
		}
		u, v := ut.RawRowView(k), vt.RawRowView(k)
		if k == 0 {
			for _, p := range [][]float64{u, v} {
				for i, x := range p {
					p[i] = math.Abs(x)
				}
			}
		}
		uPlus, uMinus := parts(u)
		vPlus, vMinus := parts(v)
		nu, nv := floats.Norm(uPlus, 2), floats.Norm(vPlus, 2)
		mu, mv := floats.Norm(uMinus, 2), floats.Norm(vMinus, 2)
		if nu*nv < mu*mv {
			uPlus, vPlus, nu, nv = uMinus, vMinus, mu, mv
		}
		if nu*nv == 0 {
			continue
		}
		size := math.Sqrt(sigma * nu * nv)
		floats.Scale(size/nu, uPlus)
		floats.Scale(size/nv, vPlus)
		w.SetCol(k, uPlus)
		h.SetRow(k, vPlus)
	}
	return w, h, nil
}

// parts returns p⁺ and p⁻; entries that are 0 up to rounding are 0 in both.
func parts(v []float64) (plus, minus []float64) {
	plus, minus = make([]float64, len(v)), make([]float64, len(v))
	least := 1e-12 * floats.Norm(v, math.Inf(1))
	for i, x := range v {
		switch {
		case x > least:
			plus[i] = x
		case x < -least:
			minus[i] = -x
		}
	}
	return plus, minus
}

// fillValue is v, but at most a hundred times the largest entry of the factor a unless that is 0.
// For v has the unit of x, and a the root of it: for x near 1e70 the start WH would be near 1e105.
func fillValue(v float64, a *mat.Dense) float64 {
	if largest := mat.Max(a); largest > 0 {
		return min(v, 100*largest)
	}
	return v
}

// matrixMean is the mean entry of x, or 1 if that is 0, which would fill nothing.
func matrixMean(x *mat.Dense) float64 {
	m, n := x.Dims()
	if mean := mat.Sum(x) / float64(m) / float64(n); mean > 0 {
		return mean
	}
	return 1
}

// kmeansStart is the start of section 5.4 of the L2,1 paper. k-means (10 runs) on the scores of x
// in its r principal directions gives labels, and
//
//	G = G′ + shift,  F = centroids of the clusters in the original space,
//
// with G′ the 0/1 indicator of the clusters; the paper's shift is 0.3. Here F is w and Gᵀ is h. It
// takes 1 ≤ r ≤ n; directions beyond min(m, n) do not exist, and k-means does without them.
func kmeansStart(ctx context.Context, x *mat.Dense, r int, shift float64, seed uint64) (w, h *mat.Dense, labels []int, err error) {
	m, n := x.Dims()
	if r < 1 || r > n {
		return nil, nil, nil, fmt.Errorf("%w: %d clusters of %d samples", ErrRank, r, n)
	}
	if !(shift >= 0 && shift <= maxEntry) {
		return nil, nil, nil, errParameter("Shift", shift, "a number from 0 up")
	}
	if _, err := dataMatrix("X", x); err != nil {
		return nil, nil, nil, err
	}
	stop := func() bool { return ctx.Err() != nil }
	p := eigen.PCA(x, min(r, m, n), stop)
	if p == nil {
		return nil, nil, nil, ctx.Err()
	}
	// A score is up to √m times as large as an entry. The unit does not matter here.
	if max(mat.Max(p.Scores), -mat.Min(p.Scores)) > maxEntry {
		p.Scores.Scale(0x1p-40, p.Scores)
	}
	c := kmeans.Fit(p.Scores, kmeans.Options{K: r, Seed: seed}, stop)
	if c == nil {
		return nil, nil, nil, ctx.Err()
	}
	w = kmeans.Means(x, c.Labels, r)
	h = mat.NewDense(r, n, nil)
	for k := range r {
		row := h.RawRowView(k)
		for j, l := range c.Labels {
			row[j] = shift
			if l == k {
				row[j]++
			}
		}
	}
	return w, h, c.Labels, nil
}
