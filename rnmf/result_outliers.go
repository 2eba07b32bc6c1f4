package rnmf

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Outliers is the report of a fit on what did not follow WH.
type Outliers struct {
	// Weights (m×n) is the weight that the loss gives each entry over the median weight, but at
	// most 1: an entry with 1 is as trusted as most, one with 0 is ignored. Missing entries have 1,
	// or the weight of their sample.
	Weights *mat.Dense
	// Samples (n, 0 to 1) is the same for whole columns: its weight under ByColumn, or the mean of
	// its entries.
	Samples []float64
	// S (m×n) is the outliers, (1 − ρ′(s)/ρ′(0))·(X − WH), which the additive form subtracts.
	S *mat.Dense
}

// Outliers weighs x (m×n), the data of the fit. mask (m×n) is as Model.Mask; nil is that of the fit,
// which is not saved: for a loaded Result it says that all entries are known numbers.
func (r *Result) Outliers(x, mask mat.Matrix) (*Outliers, error) {
	if err := errors.Join(r.check(), wantMatrix("X", x)); err != nil {
		return nil, err
	}
	m, _ := r.W.Dims()
	_, n := r.H.Dims()
	known, err := r.mask, wantDims("X", x, m, n)
	if err != nil {
		return nil, fmt.Errorf("%w (for samples that the fit has not seen use choose.OutliersOf)", err)
	}
	if mask != nil {
		known, err = checkMask(mask, m, n)
	}
	if err := cmp.Or(err, checkEntries("X", asDense(x), known, true)); err != nil {
		return nil, err
	}
	var e mat.Dense
	e.Mul(r.W, r.H)
	weights := mat.NewDense(m, n, nil)
	observed := func(i, j int) bool { return known == nil || known.At(i, j) > 0 }
	e.Apply(func(i, j int, y float64) float64 {
		if observed(i, j) {
			return x.At(i, j) - y
		}
		return 0
	}, &e)
	loss, byColumn := unpack(r.Loss)
	o := &Outliers{Weights: weights, Samples: make([]float64, n), S: mat.NewDense(m, n, nil)}
	var all []float64 // slopes, to relate to their median
	if byColumn {
		for j := range n {
			var s float64
			for i := range m {
				w := 1.0
				if known != nil {
					w = known.At(i, j)
				}
				s += w * e.At(i, j) * e.At(i, j)
			}
			o.Samples[j] = finiteSlope(loss, s)
			for i := range m {
				weights.Set(i, j, o.Samples[j])
			}
		}
		all = slices.Clone(o.Samples)
	} else {
		for i := range m {
			for j, v := range e.RawRowView(i) {
				w := finiteSlope(loss, v*v)
				weights.Set(i, j, w)
				if observed(i, j) {
					all = append(all, w)
				}
			}
		}
	}
	slices.Sort(all)
	unit := all[len(all)/2]
	if unit == 0 { // more than half is ignored
		unit = all[len(all)-1]
	}
	most := finiteSlope(loss, 0)
	for i := range m {
		for j, w := range weights.RawRowView(i) {
			if most > 0 {
				o.S.Set(i, j, (1-min(w/most, 1))*e.At(i, j))
			}
			switch {
			case !observed(i, j) && !byColumn:
				w = 1
			case unit > 0:
				w = min(w/unit, 1)
			}
			if weights.Set(i, j, w); byColumn {
				o.Samples[j] = w
			} else {
				o.Samples[j] += w / float64(m)
			}
		}
	}
	return o, nil
}

// finiteSlope returns ρ′(s), or 0 where a loss has no number for it, as where squares overflow in one of
// a stranger.
func finiteSlope(l Loss, s float64) float64 {
	if _, w := l.Rho(s); w >= 0 && w <= math.MaxFloat64 {
		return w
	}
	return 0
}

// Flags marks with 1 the entries (m×n) whose weight is below a share of the median weight, with 0
// the others.
func (o *Outliers) Flags(below float64) *mat.Dense {
	var f mat.Dense
	f.Apply(func(_, _ int, w float64) float64 {
		if w < below {
			return 1
		}
		return 0
	}, o.Weights)
	return &f
}

// FlagSamples marks the samples whose weight is below the given share of the median weight.
func (o *Outliers) FlagSamples(below float64) []bool {
	f := make([]bool, len(o.Samples))
	for j, w := range o.Samples {
		f[j] = w < below
	}
	return f
}
