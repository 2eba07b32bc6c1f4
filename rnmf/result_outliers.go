package rnmf

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
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

// String counts what has less than half of the median weight, and tells the least samples.
func (o *Outliers) String() string {
	weights, order := slices.Clone(o.Samples), make([]int, len(o.Samples))
	floats.ArgsortStable(weights, order)
	low, _ := slices.BinarySearch(weights, 0.5)
	text := fmt.Sprintf("%d of %d samples and %g entries have less than half of the median weight; the least:", low, len(order), mat.Sum(o.Flags(0.5)))
	for k, j := range order[:min(5, len(order))] {
		text += fmt.Sprintf(" %d (%.2g)", j, weights[k])
	}
	return text
}

// Outliers weighs x (m×n), the data of the fit. mask (m×n) is as Model.Mask; nil is that of the fit,
// which is not saved: for a loaded Result it says that all entries are known numbers.
func (r *Result) Outliers(x, mask mat.Matrix) (*Outliers, error) {
	known, err := r.known(x, mask)
	if err != nil {
		return nil, err
	}
	e := r.WH()
	m, n := e.Dims()
	observed := func(i, j int) bool { return known == nil || known.At(i, j) > 0 }
	e.Apply(func(i, j int, y float64) float64 {
		if observed(i, j) {
			return x.At(i, j) - y
		}
		return 0
	}, e)
	loss, byColumn := unpack(r.Loss)
	o := &Outliers{Weights: mat.NewDense(m, n, nil), Samples: make([]float64, n), S: mat.NewDense(m, n, nil)}
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
			o.Weights.SetCol(j, slices.Repeat([]float64{o.Samples[j]}, m))
		}
		all = slices.Clone(o.Samples)
	} else {
		for i := range m {
			for j, v := range e.RawRowView(i) {
				w := finiteSlope(loss, v*v)
				o.Weights.Set(i, j, w)
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
		for j, w := range o.Weights.RawRowView(i) {
			if most > 0 {
				o.S.Set(i, j, (1-min(w/most, 1))*e.At(i, j))
			}
			switch {
			case !observed(i, j) && !byColumn:
				w = 1
			case unit > 0:
				w = min(w/unit, 1)
			}
			if o.Weights.Set(i, j, w); byColumn {
				o.Samples[j] = w
			} else {
				o.Samples[j] += w / float64(m)
			}
		}
	}
	return o, nil
}

// known checks x and mask, and returns the mask that counts, nil where all is known.
func (r *Result) known(x, mask mat.Matrix) (*mat.Dense, error) {
	if err := errors.Join(r.check(), wantMatrix("X", x)); err != nil {
		return nil, err
	}
	m, _ := r.W.Dims()
	_, n := r.H.Dims()
	known, err := r.mask, wantDims("X", x, m, n)
	if err != nil {
		return nil, fmt.Errorf("%w (samples that the fit has not seen: choose.OutliersOf)", err)
	}
	if mask != nil {
		known, err = checkMask(mask, m, n)
	}
	return known, cmp.Or(err, checkEntries("X", asDense(x), known, true))
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
