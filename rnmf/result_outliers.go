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

// Outliers is the report of a fit on what did not follow WH. A small weight is not yet an error: Sizes finds
// samples with gross errors, Samples what the fit did not trust.
type Outliers struct {
	// Weights (m×n) is the weight that the loss gives each entry over the median weight, but at
	// most 1: an entry with 1 is as trusted as most, one with 0 is ignored. Missing entries have 1,
	// or the weight of their sample. Under ByColumn and CellCase the weight of a sample is in those of
	// all its entries, good ones too: to list single wrong entries, sort by the size of S.
	Weights *mat.Dense
	// Samples (n, 0 to 1) is the same for whole columns: their weights under ByColumn and CellCase, or
	// the means of their entries.
	Samples []float64
	// Sizes (n, 0 or more) is the root mean square of E of each sample over its known entries, relative
	// to that of the median sample (to the largest, where that is 0). Weights depend on the loss; sizes
	// of different losses can be compared. Foreign samples need not be large: pictures of noise among
	// digits are not, and choose.OutlierSearch finds them by the direction of their residuals.
	Sizes []float64
	// S (m×n) is the outliers, (1 − ρ′(s)/ρ′(0))·(X − WH), which the additive form subtracts; under
	// CellCase ρ is the loss of entries.
	S *mat.Dense
	// E (m×n) is the residuals X − WH, or the signed roots of deviances unless the Family is Gaussian:
	// nearly standard normal where Poisson counts are right. Missing entries have 0.
	E *mat.Dense
}

// String counts what has less than half of the median weight, and tells the least samples. Clean data
// have such entries and samples, too: choose.OutlierSearch tells which samples to doubt.
func (o *Outliers) String() string {
	weights, order := slices.Clone(o.Samples), make([]int, len(o.Samples))
	floats.ArgsortStable(weights, order)
	low, _ := slices.BinarySearch(weights, 0.5)
	text := fmt.Sprintf("%d of %d samples and %g entries have less than half of the median weight; the least, counted from 0:", low, len(order), mat.Sum(o.Flags(0.5)))
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
	p := &outlierReport{Result: r, x: x, known: known, wh: r.WH()}
	p.loss, p.byColumn = unpack(r.Loss)
	_, p.eps, p.cells = cellsOf(r.Loss)
	p.cells = p.cells && !p.byColumn
	m, n := p.wh.Dims()
	p.o = &Outliers{Weights: mat.NewDense(m, n, nil), Samples: make([]float64, n), Sizes: make([]float64, n), S: mat.NewDense(m, n, nil), E: p.residuals()}
	p.size()
	p.relate(p.weigh(p.sums()))
	return p.o, nil
}

// An outlierReport is Outliers as they are made.
type outlierReport struct {
	*Result
	x         mat.Matrix
	known, wh *mat.Dense // known is nil where all entries are
	loss      Loss       // of entries, or under ByColumn of samples
	byColumn  bool
	cells     bool    // samples have weights beside those of entries
	eps       float64 // of CellCase
	o         *Outliers
}

func (r *outlierReport) observed(i, c int) bool { return r.known == nil || r.known.At(i, c) > 0 }

func (r *outlierReport) residuals() *mat.Dense {
	e := mat.DenseCopyOf(r.wh)
	e.Apply(func(i, c int, y float64) float64 {
		if r.observed(i, c) {
			return r.Family.residual(r.x.At(i, c), y)
		}
		return 0
	}, e)
	return e
}

// judged is the square of a residual at which a loss of entries takes its slope.
func (r *outlierReport) judged(i, c int, e float64) float64 {
	if !r.observed(i, c) {
		return 0
	}
	return r.Family.Judged(r.x.At(i, c), e*e)
}

// sums are what the weights of samples come from: the sums of squares under ByColumn, and of losses of
// entries under CellCase. Under losses of entries they are 0, and mean nothing.
func (r *outlierReport) sums() []float64 {
	m, n := r.wh.Dims()
	sums := make([]float64, n)
	if !r.byColumn && !r.cells {
		return sums
	}
	for c := range sums {
		for i := range m {
			e := r.o.E.At(i, c)
			w, s := 1.0, e*e
			if r.known != nil {
				w = r.known.At(i, c)
			}
			if r.cells {
				at := r.judged(i, c, e)
				value, slope := r.loss.Rho(at)
				if s > at {
					value += slope * (s - at)
				}
				s = value
			}
			sums[c] += w * s
		}
	}
	return sums
}

// size fills Sizes.
func (r *outlierReport) size() {
	m, _ := r.wh.Dims()
	sizes := r.o.Sizes
	for c := range sizes {
		count := 0
		for i := range m {
			if r.observed(i, c) {
				count++
			}
		}
		sizes[c] = mat.Norm(r.o.E.ColView(c), 2) / math.Sqrt(float64(max(count, 1)))
	}
	if unit := middle(sizes); unit > 0 {
		for c := range sizes {
			sizes[c] = min(sizes[c]/unit, math.MaxFloat64)
		}
	}
}

// weigh fills Weights and S, and Samples where samples have weights of their own. It returns the weights to
// whose median Weights are related.
func (r *outlierReport) weigh(sums []float64) (all []float64) {
	m, _ := r.wh.Dims()
	most := finiteSlope(r.loss, 0)
	for c, s := range sums {
		ofSample := 1.0
		switch {
		case r.cells:
			ofSample = sampleWeight(r.eps*r.eps, s)
			r.o.Samples[c] = ofSample
		case r.byColumn:
			ofSample = finiteSlope(r.loss, s)
			r.o.Samples[c] = ofSample
			all = append(all, ofSample)
		}
		for i := range m {
			v, slope := r.o.E.At(i, c), ofSample
			if !r.byColumn {
				slope = finiteSlope(r.loss, r.judged(i, c, v))
			}
			if most > 0 && r.observed(i, c) {
				if r.Family != Gaussian {
					v = r.x.At(i, c) - r.wh.At(i, c)
				}
				r.o.S.Set(i, c, (1-min(slope/most, 1))*v)
			}
			if r.cells {
				slope *= ofSample
			}
			r.o.Weights.Set(i, c, slope)
			if !r.byColumn && r.observed(i, c) {
				all = append(all, slope)
			}
		}
	}
	return all
}

// relate makes shares of the median of all weights, and of those of samples.
func (r *outlierReport) relate(all []float64) {
	o, unit := r.o, middle(all)
	o.Weights.Apply(func(i, c int, w float64) float64 {
		if !r.observed(i, c) && !r.byColumn {
			return 1
		}
		return relativeTo(unit, w)
	}, o.Weights)
	if r.byColumn || r.cells {
		unit = middle(o.Samples)
		for c, w := range o.Samples {
			o.Samples[c] = relativeTo(unit, w)
		}
		return
	}
	m, _ := o.Weights.Dims()
	for c := range o.Samples {
		for i := range m {
			o.Samples[c] = min(o.Samples[c]+o.Weights.At(i, c)/float64(m), 1) // a sum of rounded parts
		}
	}
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
	return known, cmp.Or(err, checkEntries("X", asDense(x), known, r.Family == Gaussian))
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
