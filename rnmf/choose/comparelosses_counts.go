package choose

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/robustnmf/robustnmf/rnmf"
)

// Data are taken for counts if they are whole numbers whose Dispersion is at most countsUpTo.
const (
	countsUpTo = 1.5
	// enough is the deviance at which one of an entry is cut off, so that gross entries hide nothing:
	// 2.5 standard deviations.
	enough = 2.5 * 2.5
)

// wholeNumbers reports whether all known entries are 0, 1, 2 …, and some are more than 1.
func (s HeldOut) wholeNumbers(x mat.Matrix) bool {
	m, n := x.Dims()
	more := false
	for i := range m {
		for j := range n {
			if s.Mask != nil && s.Mask.At(i, j) == 0 {
				continue
			}
			v := x.At(i, j)
			if v < 0 || v != math.Trunc(v) || math.IsInf(v, 0) {
				return false
			}
			more = more || v > 1
		}
	}
	return more
}

// dispersion returns the sum of min(d, 6.25) over that of E d, where d is the deviance of an entry held
// out from its mean by RobustPoissonNMF and E d that of Poisson counts with these means.
func (s HeldOut) dispersion(ctx context.Context, x mat.Matrix, rank int) (float64, error) {
	model := rnmf.RobustPoissonNMF(rank)
	model.MaxIter = 30
	of, err := s.Of(ctx, NewFitFunc(model), x)
	if err != nil {
		return 0, err
	}
	var got, want float64
	m, _ := x.Dims()
	for i := range m {
		for j, e := range of.residual.RawRowView(i) {
			if !math.IsNaN(e) {
				v := x.At(i, j)
				y := max(0, v-e)
				got += min(rnmf.Poisson.Deviance(v, y), enough)
				want += expectedDeviance(y)
			}
		}
	}
	if want == 0 {
		return math.Inf(1), nil
	}
	return got / want, nil
}

// expectedDeviance is E d(x, y) for a Poisson count x of mean y, to 1e-3: 1 + 1/(6y) + 1/(6y²) from the
// series of Cordeiro (1983) where y is large, and the sum elsewhere.
func expectedDeviance(y float64) (sum float64) {
	switch {
	case y == 0:
		return 0
	case y > 10:
		return 1 + 1/(6*y) + 1/(6*y*y)
	}
	p := distuv.Poisson{Lambda: y}
	for x := 0.0; x < 12+4*y; x++ {
		sum += p.Prob(x) * rnmf.Poisson.Deviance(x, y)
	}
	return sum
}

// counts fills in Dispersion and Counts.
func (s HeldOut) counts(ctx context.Context, d *LossComparison, x mat.Matrix) error {
	if !s.wholeNumbers(x) {
		return nil
	}
	for _, rank := range d.Ranks {
		v, err := s.dispersion(ctx, x, rank)
		if err != nil {
			return err
		}
		if d.Dispersion == 0 || v < d.Dispersion {
			d.Dispersion = v
		}
	}
	d.Counts = d.Dispersion <= countsUpTo
	return nil
}

// aboutCounts is the line of a LossComparison about counts, "" if there is nothing to say.
func (d *LossComparison) aboutCounts() string {
	if !d.Counts {
		return ""
	}
	return fmt.Sprintf("\nThese look like counts: whole numbers that vary %.2f times as much as Poisson counts around what RobustPoissonNMF predicts. Take that, or PoissonNMF where nothing is wrong, in place of a loss of squares.", d.Dispersion)
}
