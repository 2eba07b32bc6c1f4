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
	// Samples (n, 0 to 1) is the same for whole columns: their weights under ByColumn and CellCase, or
	// the means of their entries.
	Samples []float64
	// Sizes (n, 0 or more) is the root mean square of E of each sample over its known entries, relative
	// to that of the median sample (to the largest, where that is 0). Weights depend on the loss; sizes
	// of different losses can be compared.
	Sizes []float64
	// S (m×n) is the outliers, (1 − ρ′(s)/ρ′(0))·(X − WH), which the additive form subtracts; under
	// CellCase ρ is the loss of entries.
	S *mat.Dense
	// E (m×n) is the residuals X − WH, or the signed roots of deviances unless the Family is Gaussian:
	// nearly standard normal where Poisson counts are right. Missing entries have 0.
	E *mat.Dense
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
	wh := r.WH()
	e := mat.DenseCopyOf(wh)
	m, n := e.Dims()
	observed := func(i, j int) bool { return known == nil || known.At(i, j) > 0 }
	e.Apply(func(i, j int, y float64) float64 {
		if observed(i, j) {
			return r.Family.residual(x.At(i, j), y)
		}
		return 0
	}, e)
	loss, byColumn := unpack(r.Loss)
	_, eps, cells := cellsOf(r.Loss)
	cells = cells && !byColumn
	o := &Outliers{Weights: mat.NewDense(m, n, nil), Samples: make([]float64, n), Sizes: make([]float64, n), S: mat.NewDense(m, n, nil), E: e}
	judged := func(i, j int, v float64) float64 {
		if !observed(i, j) {
			return 0
		}
		return r.Family.Judged(x.At(i, j), v*v)
	}
	sums := make([]float64, n) // of squares under ByColumn, of losses of entries under CellCase
	if byColumn || cells {
		for j := range sums {
			for i := range m {
				w, s := 1.0, e.At(i, j)*e.At(i, j)
				if known != nil {
					w = known.At(i, j)
				}
				if cells {
					at := judged(i, j, e.At(i, j))
					value, slope := loss.Rho(at)
					if s > at {
						value += slope * (s - at)
					}
					s = value
				}
				sums[j] += w * s
			}
		}
	}
	for j := range o.Sizes {
		count := 0
		for i := range m {
			if observed(i, j) {
				count++
			}
		}
		o.Sizes[j] = mat.Norm(e.ColView(j), 2) / math.Sqrt(float64(max(count, 1)))
	}
	if size := middle(o.Sizes); size > 0 {
		for j := range o.Sizes {
			o.Sizes[j] = min(o.Sizes[j]/size, math.MaxFloat64)
		}
	}
	var all []float64 // weights, to relate to their median
	most := finiteSlope(loss, 0)
	for j, s := range sums {
		ofSample := 1.0
		switch {
		case cells:
			ofSample = sampleWeight(eps*eps, s)
			o.Samples[j] = ofSample
		case byColumn:
			ofSample = finiteSlope(loss, s)
			o.Samples[j] = ofSample
			all = append(all, ofSample)
		}
		for i := range m {
			v, slope := e.At(i, j), ofSample
			if !byColumn {
				slope = finiteSlope(loss, judged(i, j, v))
			}
			if most > 0 && observed(i, j) {
				if r.Family != Gaussian {
					v = x.At(i, j) - wh.At(i, j)
				}
				o.S.Set(i, j, (1-min(slope/most, 1))*v)
			}
			if cells {
				slope *= ofSample
			}
			o.Weights.Set(i, j, slope)
			if !byColumn && observed(i, j) {
				all = append(all, slope)
			}
		}
	}
	unit := middle(all)
	o.Weights.Apply(func(i, j int, w float64) float64 {
		if !observed(i, j) && !byColumn {
			return 1
		}
		return relativeTo(unit, w)
	}, o.Weights)
	if byColumn || cells {
		unit = middle(o.Samples)
	}
	for j := range o.Samples {
		if byColumn || cells {
			o.Samples[j] = relativeTo(unit, o.Samples[j])
			continue
		}
		for i := range m {
			o.Samples[j] = min(o.Samples[j]+o.Weights.At(i, j)/float64(m), 1) // a sum of rounded parts
		}
	}
	return o, nil
}

// middle returns the median weight, or the largest where more than half are 0.
func middle(weights []float64) float64 {
	sorted := slices.Sorted(slices.Values(weights))
	return cmp.Or(sorted[len(sorted)/2], sorted[len(sorted)-1])
}

// relativeTo returns w over a unit, at most 1.
func relativeTo(unit, w float64) float64 {
	if unit > 0 {
		return min(w/unit, 1)
	}
	return w
}

// known checks x and mask, and returns the mask that counts, nil where all is known.
func (r *Result) known(x, mask mat.Matrix) (*mat.Dense, error) {
	if err := errors.Join(r.check(), wantMatrix("X", x)); err != nil {
		return nil, err
	}
	m, _ := r.W.Dims()
	_, n := r.H.Dims()
	known, err := r.Mask, wantDims("X", x, m, n)
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

// FlagSamples marks the samples whose residuals are more than so many times as large as those of the
// median sample, by Sizes: a number such as 3 means the same under every loss, which a share of a weight
// does not.
func (o *Outliers) FlagSamples(times float64) []bool {
	f := make([]bool, len(o.Sizes))
	for j, size := range o.Sizes {
		f[j] = size > times
	}
	return f
}
