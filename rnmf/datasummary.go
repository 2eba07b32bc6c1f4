package rnmf

import (
	"cmp"
	"context"
	"math"

	"github.com/robustnmf/robustnmf/rnmf/internal/histogram"
	"github.com/robustnmf/robustnmf/rnmf/internal/kernel"
	"github.com/robustnmf/robustnmf/rnmf/internal/work"
	"gonum.org/v1/gonum/mat"
)

// A dataSummary is X and its mask, and what a fit asks about them.
type dataSummary struct {
	x, mask *mat.Dense // mask nil if all entries count

	largest  float64      // magnitude in X
	median   float64      // magnitude in X, -1 before medianMagnitude is asked for it
	known    float64      // entries of X, those that the mask does not hide
	heaviest float64      // weight in the mask, or 1
	heavy    []float64    // the heaviest of each column, nil without a mask
	norms    [2][]float64 // squared norms of the columns and rows of X
	lengths  float64      // the sum of those of the columns, weighed
	weights  float64      // the sum of their weights, 0 before it is asked for
}

// newDataSummary checks X, and fills what the mask hides with means.
func newDataSummary(ctx context.Context, x *mat.Dense, mask mat.Matrix, signed bool) (s dataSummary, err error) {
	s = dataSummary{x: x, median: -1, heaviest: 1}
	stop := func() bool { return ctx.Err() != nil }
	rows, cols := x.Dims()
	s.known = float64(rows * cols)
	if mask != nil {
		s.mask, err = checkMask(mask, rows, cols)
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return s, err
		}
		s.heaviest = mat.Max(s.mask)
		s.heavy = make([]float64, cols)
		for i := range rows {
			for j, w := range s.mask.RawRowView(i) {
				s.heavy[j] = max(s.heavy[j], w)
				if w == 0 {
					s.known--
				}
			}
		}
	}
	if err := cmp.Or(checkEntries("X", x, s.mask, signed), ctx.Err()); err != nil {
		return s, err
	}
	if s.mask != nil {
		s.x = fillMissing(x, s.mask, stop) // 0·NaN would be NaN
	}
	s.norms, s.largest = lengths(s.x, stop)
	return s, ctx.Err()
}

// lengths returns the squared norms of the columns and rows of X, and its largest magnitude.
func lengths(x *mat.Dense, stop func() bool) (norms [2][]float64, largest float64) {
	m, n := x.Dims()
	norms = [2][]float64{make([]float64, n), make([]float64, m)}
	raw := x.RawMatrix()
	if !work.Pieces(m, 8*n, stop, func(from, to int) {
		for i := from; i < to; i++ {
			row := x.RawRowView(i)
			norms[1][i], _ = kernel.SumSquares(row, nil)
			for j, v := range row {
				if raw.Stride != n {
					norms[0][j] += v * v
				}
				largest = max(largest, math.Abs(v))
			}
		}
	}) {
		return norms, largest
	}
	if raw.Stride == n {
		kernel.SquaredNorms(norms[0], raw.Data, nil, m, n)
	}
	return norms, largest
}

// weightOf is the heaviest weight in a column of the mask.
func (s *dataSummary) weightOf(j int) float64 {
	if s.heavy == nil {
		return 1
	}
	return s.heavy[j]
}

// Gross errors may be of any size: in files of measurements the fill value for what is missing is
// 10²⁰ or 10³⁶. They must not set the scale of the correct entries, nor the precision of their fit.

// grossData is how many times the median entry an entry may be to count for the size of residuals.
const grossData = 1e3

// medianMagnitude returns about the median magnitude of the entries of X that are not 0.
func (s *dataSummary) medianMagnitude(stop func() bool) float64 {
	if s.median < 0 {
		s.median = medianMagnitude(s.x, s.mask, stop)
	}
	return s.median
}

// medianMagnitude returns about the median magnitude of the entries of x that are not 0 nor hidden
// by a mask, 0 if there are none.
func medianMagnitude(x, mask *mat.Dense, stop func() bool) float64 {
	m, n := x.Dims()
	const enough = 1 << 14
	for every := max(m*n/(4*enough), 1); ; every = 1 {
		if half, count := medianOf(x, mask, math.Abs, every, stop); count >= enough || every == 1 {
			return half
		}
	}
}

// medianOf returns the median of those f(v) that are positive, of one in every so many entries v of
// x except for those that a mask hides, and how many they are.
func medianOf(x, mask *mat.Dense, f func(float64) float64, every int, stop func() bool) (half float64, count int) {
	m, n := x.Dims()
	var seen histogram.Counts
	work.Pieces(m, 8*n/every, stop, func(from, to int) {
		for i := from; i < to; i++ {
			for j, row := i%every, x.RawRowView(i); j < n; j += every {
				if v := f(row[j]); v > 0 && (mask == nil || mask.RawRowView(i)[j] > 0) {
					seen.Add(v)
				}
			}
		}
	})
	_, positive := seen.Total()
	return seen.Median(), int(positive)
}

// robustMean is the mean of x with its positive entries replaced by their median, others by 0.
func robustMean(x *mat.Dense, stop func() bool) float64 {
	m, n := x.Dims()
	same := func(v float64) float64 { return v }
	half, count := medianOf(x, nil, same, 1, stop)
	return half * (float64(count) / float64(m) / float64(n))
}

// fillMissing returns a copy of x in which missing entries hold the mean of the
// known entries of their row, or of all if a row has none. It is not complete if stop
// ends it.
func fillMissing(x, mask *mat.Dense, stop func() bool) *mat.Dense {
	m, n := x.Dims()
	out := mat.NewDense(m, n, nil)
	var total, count float64
	var unknown []int // rows
	work.Pieces(m, 16*n, stop, func(from, to int) {
		for i := from; i < to; i++ {
			var sum, c float64
			row, known := out.RawRowView(i), mask.RawRowView(i)
			copy(row, x.RawRowView(i))
			for j, w := range known {
				if w > 0 {
					sum += row[j]
					c++
				}
			}
			total += sum
			count += c
			if c == 0 {
				unknown = append(unknown, i)
				continue
			}
			fillWhere(row, known, sum/c)
		}
	})
	for _, i := range unknown {
		fillWhere(out.RawRowView(i), mask.RawRowView(i), total/max(count, 1))
	}
	return out
}

// fillWhere replaces what has the weight 0.
func fillWhere(row, weights []float64, v float64) {
	for j, w := range weights {
		if w == 0 {
			row[j] = v
		}
	}
}
