package rnmf

import (
	"cmp"
	"context"
	"math/rand/v2"

	"github.com/robustnmf/robustnmf/rnmf/internal/work"
	"gonum.org/v1/gonum/mat"
)

// LabelInit starts the components of classes with labels from these: W has the mean sample of each
// class, H its labels. From other starts components often end at classes that are not their own,
// and the label term cannot exchange them. All other entries come from Rest.
type LabelInit struct {
	Labels Labels
	Rest   Init // nil: Random
}

// Start returns the factors.
func (s LabelInit) Start(ctx context.Context, x *mat.Dense, rank int, rng *rand.Rand) (w, h *mat.Dense, err error) {
	m, n := x.Dims()
	if err := s.Labels.Check(rank, n); err != nil {
		return nil, nil, err
	}
	w, h, err = cmp.Or[Init](s.Rest, Random{}).Start(ctx, x, rank, rng)
	if err := cmp.Or(err, checkStart(w, h, m, rank, n, false, 1)); err != nil {
		return nil, nil, err
	}
	w, h = mat.DenseCopyOf(w), mat.DenseCopyOf(h) // Rest may keep its own
	sizes := s.Labels.sizes()
	sums := make([]float64, len(sizes))
	work.Pieces(m, 2*n, func() bool { return ctx.Err() != nil }, func(from, to int) {
		for i := from; i < to; i++ {
			clear(sums)
			row := x.RawRowView(i)
			for j, c := range s.Labels.Class {
				if c >= 0 {
					sums[c] += row[j]
				}
			}
			for k, size := range sizes {
				if size > 0 {
					w.Set(i, k, max(sums[k]/float64(size), 0))
				}
			}
		}
	})
	even := 1 / float64(max(len(sizes), 1))
	for k, size := range sizes {
		if size == 0 {
			continue
		}
		row := h.RawRowView(k)
		for j, c := range s.Labels.Class {
			switch {
			case c == k:
				row[j] = 1
			case c >= 0:
				row[j] = 0.1 * even // multiplicative updates never leave a 0
			default:
				row[j] = even
			}
		}
	}
	return w, h, ctx.Err()
}
