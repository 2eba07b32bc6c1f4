package rnmf

import (
	"iter"
	"math"

	"github.com/robustnmf/robustnmf/rnmf/internal/histogram"
)

// Residuals is the distribution of the squared residuals of a fit, from which a Tuning takes a
// scale: those of the entries of X that are not 0 or, under ByColumn, of columns. It is a histogram
// whose bins are 0.4 % wide, filled by one pass over the data, so that a median or an M-estimator
// needs no list of m×n residuals. Quantiles are within 0.2 % of |e|.
type Residuals struct {
	// Exact is κ, the share of the residuals that a fit can make 0: its r(m + n − r) free parameters
	// over the entries of X that are known. It is 0 under ByColumn.
	Exact float64
	// Known is a median magnitude that is known: no scale is below. It is 0.6745, with which Sigma is 1,
	// for Poisson deviances of entries, as counts do not vary less; elsewhere 0.
	Known float64

	n    int
	mean float64
	data float64         // the median magnitude of the data, as a residual; 0 if unknown
	bins []histogram.Bin // those that are not empty
}

const (
	octaves   = 96 // of squares: 14 decimal digits of |e|
	aboveData = 16 // octaves above the largest square in the data
)

// NewResiduals returns the distribution of the given squared residuals.
func NewResiduals(s ...float64) *Residuals {
	largest, sum := 0.0, 0.0
	for _, v := range s {
		largest = max(largest, v)
	}
	for _, v := range s {
		sum += v / float64(len(s))
	}
	var counts histogram.Counts
	for _, v := range s {
		counts.Add(v)
	}
	return newResiduals(&counts, largest, sum)
}

// NewResidualsFromCounts returns the distribution of squared residuals of which the numbers near some values are
// known, as All yields them: where data lie in several places, their histograms add up. mean is the mean
// square, largest a square that residuals are hardly above, and data the median magnitude of the data
// as a residual, 0 if unknown.
func NewResidualsFromCounts(counts iter.Seq2[float64, int], mean, largest, data float64) *Residuals {
	var all histogram.Counts
	for s, n := range counts {
		all.AddCount(s, uint64(max(n, 0)))
	}
	r := newResiduals(&all, largest, mean)
	r.data = data
	return r
}

// countSquares counts the squares of the residuals e, except for entries that a mask hides or that
// are 0 in x; it returns their sum and number. A 0 lies on the bound W, H ≥ 0, and is fitted nearly
// exactly: where half of the data are 0, as the background of images, the median residual would say
// nothing about the rest. If x is nil zeros count as well.
func countSquares(counts *histogram.Counts, e, x, mask []float64) (sum, count float64) {
	for i, v := range e {
		if (x == nil || x[i] != 0) && (mask == nil || mask[i] > 0) {
			counts.Add(v * v)
			sum += v * v
			count++
		}
	}
	return sum, count
}

// newResiduals returns the distribution of squares that were counted, with their mean. Squares far
// below largest count as 0, as they are rounding errors, and those far above it as one.
func newResiduals(counts *histogram.Counts, largest, mean float64) *Residuals {
	top := math.Float64bits(max(largest, tiny*tiny))>>52 + aboveData
	top = min(max(top, octaves+1), 0x7fe) // so that 0 is below the least
	least := math.Float64frombits((top - octaves) << 52)
	none, most := histogram.Bin{}, histogram.Of(math.Nextafter(math.Float64frombits(top<<52), 0))
	r, between := &Residuals{mean: mean}, 0
	for b := range counts.Bins() {
		r.n += int(b.Count)
		switch {
		case b.Low < least:
			none.Count += b.Count
		case b.Low >= most.Low:
			most.Count += b.Count
		default:
			between++
		}
	}
	r.bins = make([]histogram.Bin, 0, between+2)
	if none.Count > 0 {
		r.bins = append(r.bins, none)
	}
	for b := range counts.Bins() {
		if b.Low >= least && b.Low < most.Low {
			r.bins = append(r.bins, b)
		}
	}
	if most.Count > 0 {
		r.bins = append(r.bins, most)
	}
	return r
}

// N returns the number of residuals.
func (r *Residuals) N() int { return r.n }

// Mean returns the mean square.
func (r *Residuals) Mean() float64 { return r.mean }

// Quantile returns the square below which a share p of all lie, 0 ≤ p ≤ 1; 0 if there are none.
func (r *Residuals) Quantile(p float64) float64 {
	rank, end := p*float64(r.n), 0.0
	for _, b := range r.bins {
		if c := float64(b.Count); rank <= c {
			return b.Low + (b.High-b.Low)*rank/c
		}
		rank -= float64(b.Count)
		end = b.High
	}
	return end
}

// All yields the middle of each bin that is not empty, ascending, and the number of squares in it.
func (r *Residuals) All() iter.Seq2[float64, int] {
	return func(yield func(float64, int) bool) {
		for _, b := range r.bins {
			if !yield(b.Middle(), int(b.Count)) {
				return
			}
		}
	}
}

// Median returns the median of |e|, not below Floor.
func (r *Residuals) Median() float64 { return r.magnitude(0.5) }

// madToSigma is 1/Φ⁻¹(¾), the standard deviation of normal residuals over their median magnitude.
const madToSigma = 1.4826022185056018

// Sigma returns σ̂, which estimates the standard deviation of normal residuals where some are outliers:
// 1.4826 times the median of |e| or, if that is more, the lower quartile of those that are not fitted
// exactly, κ + ¼(1 − κ) of all, where κ is Exact; not below Floor. It is the median where κ ≤ ⅓, as in
// most data. Near κ = ½ the median tends to 0, and what a loss then shuts out has no bound.
func (r *Residuals) Sigma() float64 { return min(madToSigma*r.spread(), mostScale) }

func (r *Residuals) spread() float64 { return r.magnitude(max(0.5, 0.25+0.75*min(r.Exact, 0.9))) }

func (r *Residuals) magnitude(p float64) float64 {
	return min(max(math.Sqrt(r.Quantile(p)), r.Floor()), mostScale)
}

// Floor keeps a scale away from 0 where the fit is (nearly) exact: 1e-6 of the root mean square
// residual or, as gross entries raise that, of ten median entries of the data if that is less; at
// least 1e-75. Counts do not vary less than Poisson's: under Poisson it is 0.6745, with which Sigma is 1.
func (r *Residuals) Floor() float64 {
	size := math.Sqrt(r.Mean())
	if r.data > 0 {
		size = min(size, 10*r.data)
	}
	return min(max(1e-6*size, r.Known, leastScale), mostScale)
}
