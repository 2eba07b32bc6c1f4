package rnmf

import (
	"iter"
	"math"
)

// Residuals is the distribution of the squared residuals of a fit, from which a Tuning takes a
// scale: those of the entries of X that are not 0 or, under ByColumn, of columns. It is a histogram
// whose bins are 0.4 % wide, filled by one pass over the data, so that a median or an M-estimator
// needs no list of m×n residuals. Quantiles are within 0.2 % of |e|.
type Residuals struct {
	// Exact is κ, the share of the residuals that a fit can make 0: its r(m + n − r) free parameters
	// over the entries of X that are known. It is 0 under ByColumn.
	Exact float64

	n    int
	mean float64
	data float64  // the median magnitude of the data, as a residual; 0 if unknown
	base uint64   // bits of the lower end of bin 1
	bins []uint32 // bin 0 is all that is smaller
	low  int      // the bins that are not empty: low ≤ i < high
	high int
}

// Non-negative floats are ordered like their bits, so their first bits number the bins.
const (
	binShift  = 52 - 8
	octaves   = 96 // of squares: 14 decimal digits of |e|
	binCount  = octaves<<8 + 1
	aboveData = 16 // octaves above the largest square in the data
)

// ResidualsOf returns the distribution of the given squared residuals.
func ResidualsOf(s ...float64) *Residuals {
	largest, sum := 0.0, 0.0
	for _, v := range s {
		largest = max(largest, v)
	}
	for _, v := range s {
		sum += v / float64(len(s))
	}
	r := newResiduals(largest)
	for _, v := range s {
		r.add(v)
	}
	r.close(sum)
	return r
}

// newResiduals makes bins for squares up to some octaves above largest.
func newResiduals(largest float64) *Residuals {
	top := math.Float64bits(max(largest, tiny*tiny))>>52 + aboveData
	top = min(max(top, octaves+1), 0x7fe) // so that 0 is below bin 1
	return &Residuals{base: (top - octaves) << 52, bins: make([]uint32, binCount)}
}

// add counts one square.
func (r *Residuals) add(s float64) { r.bins[r.bin(s)]++ }

func (r *Residuals) bin(s float64) int {
	b := math.Float64bits(s)
	if b < r.base {
		return 0
	}
	return min(int((b-r.base)>>binShift)+1, binCount-1)
}

// addAll counts the squares of the residuals e, except for entries that a mask hides or that are 0
// in x; it returns their sum and number. A 0 lies on the bound W, H ≥ 0, and is fitted nearly
// exactly: where half of the data are 0, as the background of images, the median residual would say
// nothing about the rest. If x is nil zeros count as well.
func (r *Residuals) addAll(e, x, mask []float64) (sum, count float64) {
	for i, v := range e {
		if (x == nil || x[i] != 0) && (mask == nil || mask[i] > 0) {
			r.add(v * v)
			sum += v * v
			count++
		}
	}
	return sum, count
}

// merge adds the counts of another distribution with the same bins.
func (r *Residuals) merge(o *Residuals) {
	for i, c := range o.bins {
		r.bins[i] += c
	}
}

// close completes a distribution, of which the mean is known.
func (r *Residuals) close(mean float64) {
	r.mean = mean
	r.low = binCount
	for i, c := range r.bins {
		if c > 0 {
			r.low, r.high, r.n = min(r.low, i), i+1, r.n+int(c)
		}
	}
}

// edge is the lower end of a bin.
func (r *Residuals) edge(bin int) float64 {
	if bin <= 0 {
		return 0
	}
	return math.Float64frombits(r.base + uint64(bin-1)<<binShift)
}

// N returns the number of residuals.
func (r *Residuals) N() int { return r.n }

// Mean returns the mean square.
func (r *Residuals) Mean() float64 { return r.mean }

// Quantile returns the square below which a share p of all lie, 0 ≤ p ≤ 1; 0 if there are none.
func (r *Residuals) Quantile(p float64) float64 {
	rank := p * float64(r.n)
	for i := r.low; i < r.high; i++ {
		c := float64(r.bins[i])
		if rank <= c && c > 0 {
			a, b := r.edge(i), r.edge(i+1)
			if i == 0 {
				return 0 // far below rounding errors
			}
			return a + (b-a)*rank/c
		}
		rank -= c
	}
	return r.edge(r.high)
}

// All yields the middle of each bin that is not empty, ascending, and the number of squares in it.
func (r *Residuals) All() iter.Seq2[float64, int] {
	return func(yield func(float64, int) bool) {
		for i := r.low; i < r.high; i++ {
			if c := r.bins[i]; c > 0 {
				s := 0.0
				if i > 0 {
					s = 0.5*r.edge(i) + 0.5*r.edge(i+1)
				}
				if !yield(s, int(c)) {
					return
				}
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
// least 1e-75.
func (r *Residuals) Floor() float64 {
	size := math.Sqrt(r.Mean())
	if r.data > 0 {
		size = min(size, 10*r.data)
	}
	return min(max(1e-6*size, leastScale), mostScale)
}
