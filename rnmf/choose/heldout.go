package choose

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/robustnmf/robustnmf/internal/isnil"
	"github.com/robustnmf/robustnmf/rnmf"
)

// A FitFunc fits x from the start that a seed gives. Entries for which a mask is given and 0 may
// hold anything, and it must not use them.
type FitFunc func(ctx context.Context, x, mask mat.Matrix, seed uint64) (*rnmf.Result, error)

// NewFitFunc returns the FitFunc of a model, whose own Seed and Mask do not count.
func NewFitFunc(m rnmf.Model) FitFunc {
	return func(ctx context.Context, x, mask mat.Matrix, seed uint64) (*rnmf.Result, error) {
		m := m
		m.Seed, m.Mask = seed, mask
		return m.Fit(ctx, x)
	}
}

// result fits, and finds a result that is none.
func (f FitFunc) result(ctx context.Context, x, mask mat.Matrix, seed uint64) (*rnmf.Result, error) {
	r, err := f(ctx, x, mask, seed)
	if err == nil && (r == nil || r.W == nil || r.H == nil) {
		return nil, fmt.Errorf("%w: the FitFunc returned no error, but no result with W and H either", ErrParameter)
	}
	return r, err
}

// HeldOut measures how well a model predicts entries that it has not seen (Wold
// 1978; Owen and Perry 2009). The entries are divided evenly into folds by chance,
// and each fold is fitted from the others. A rank too high, or a penalty too weak,
// fits noise, which is of no use for what is held out.
//
// A graph made from all entries, or labels, carry information about those that are held out, so the
// error is then too small.
type HeldOut struct {
	Folds int        // 0 is 5; at least 2
	Seed  uint64     // of the folds and of the starts
	Mask  mat.Matrix // entries where it is 0 are missing; nil is all there
}

// Errors are the errors of the folds, relative to the data. Entries of more than a thousand times
// the median of those that are not 0 are left out: a few that nobody can predict would hide all
// others.
type Errors struct {
	// Absolute is Σ|x − wh| / Σ|x| over the entries of each fold: for data with gross
	// errors, which nobody can predict.
	Absolute []float64
	// Squared is √(Σ(x − wh)² / Σx²).
	Squared []float64
	// Deviance is the mean of the deviances d(x, wh), by the Family of the fit: squares unless that is
	// Poisson, where it is about 1 if a model predicts counts as well as can be.
	Deviance []float64
	// OfMeans, where the Family is not Gaussian and nil otherwise, is Σρ(d(x, wh)) over Σρ(d(x, y)), where y
	// is the mean of the feature over the entries that are shown and ρ is the loss of RobustPoissonNMF at
	// the scale of Poisson counts: of bursts, which nobody can predict, it makes little, and 1 is no
	// better than means. Means below half an event among all that is shown of a feature count as that, and
	// either sum as 1e-16·Σx at least: what is off by 1e-8 of itself is exact.
	OfMeans []float64

	residual *mat.Dense // x − wh, each entry when it was held out; NaN if missing or gross
}

// Score returns Absolute, or OfMeans of counts. Where most counts are 0, zeros have a smaller Absolute than
// the true means, as the median of a rare event is 0.
func (e *Errors) Score() []float64 {
	if e.OfMeans != nil {
		return e.OfMeans
	}
	return e.Absolute
}

// MeanError returns the mean and its standard error. The standard error is rough, as folds share
// their data, and 0 for a single value. The mean of no values is NaN.
func MeanError(v []float64) (mean, se float64) {
	mean, sd := stat.MeanStdDev(v, nil)
	if len(v) < 2 {
		return mean, 0
	}
	return mean, sd / math.Sqrt(float64(len(v)))
}

// Of fits all folds.
func (s HeldOut) Of(ctx context.Context, fit FitFunc, x mat.Matrix) (*Errors, error) {
	if fit == nil {
		return nil, fmt.Errorf("%w: the FitFunc is nil", ErrParameter)
	}
	folds, err := s.split(x)
	if err != nil {
		return nil, err
	}
	count := s.folds()
	m, n := x.Dims()
	most := grossFrom(x, folds)
	errs := &Errors{residual: mat.NewDense(m, n, nil)}
	errs.residual.Apply(func(int, int, float64) float64 { return math.NaN() }, errs.residual)
	for f := range count {
		mask := mat.NewDense(m, n, nil)
		for i := range m {
			for j := range n {
				if of := folds[i*n+j]; of >= 0 && of != f {
					w := 1.0
					if s.Mask != nil {
						w = s.Mask.At(i, j)
					}
					mask.Set(i, j, w)
				}
			}
		}
		r, err := fit.result(ctx, x, mask, s.Seed+uint64(f))
		if err != nil {
			return nil, err
		}
		if rows, _ := r.W.Dims(); rows != m {
			return nil, fmt.Errorf("%w: the FitFunc returned W of %d rows, but X has %d", ErrParameter, rows, m)
		}
		if _, cols := r.H.Dims(); cols != n {
			return nil, fmt.Errorf("%w: the FitFunc returned H of %d columns, but X has %d", ErrParameter, cols, n)
		}
		var wh mat.Dense
		wh.Mul(r.W, r.H)
		var far, there []float64
		var deviance float64
		var counts, means, seen []float64 // roots of deviances of counts
		for i := range m {
			mean, least := 0.0, 0.0
			if r.Family != rnmf.Gaussian {
				mean, least = meanOf(x, mask, i)
			}
			for j, y := range wh.RawRowView(i) {
				if v := x.At(i, j); folds[i*n+j] == f && math.Abs(v) <= most {
					errs.residual.Set(i, j, v-y)
					far, there = append(far, v-y), append(there, v)
					d := r.Family.Deviance(v, y)
					deviance += d
					if r.Family != rnmf.Gaussian {
						counts, means, seen = append(counts, math.Sqrt(r.Family.Deviance(v, max(y, least)))), append(means, math.Sqrt(r.Family.Deviance(v, mean))), append(seen, v)
					}
				}
			}
		}
		if counts != nil {
			exact := math.SmallestNonzeroFloat64
			for _, v := range seen {
				exact += leastDeviance * v
			}
			errs.OfMeans = append(errs.OfMeans, max(exact, lossOfCounts(r.Family, counts, seen))/max(exact, lossOfCounts(r.Family, means, seen)))
		}
		// In units: squares of 1e-170 are 0. Each has its own, as a model may be far off.
		unit := normalise(far) / normalise(there)
		abs, square := sums(far)
		size, energy := sums(there)
		if size == 0 {
			return nil, fmt.Errorf("%w: all entries of fold %d are 0, so no error is relative to them", ErrParameter, f)
		}
		errs.Absolute = append(errs.Absolute, unit*(abs/size))
		errs.Squared = append(errs.Squared, unit*math.Sqrt(square/energy))
		errs.Deviance = append(errs.Deviance, deviance/float64(len(far)))
	}
	return errs, nil
}

// leastDeviance is the loss of a count over the count, as from errors of 1e-8: features that are constant have means
// without any.
const leastDeviance = 1e-16

// meanOf is the mean of what is shown of a feature, and half an event among all of it, which is the least mean
// that anybody can tell from 0.
func meanOf(x mat.Matrix, mask *mat.Dense, i int) (mean, least float64) {
	var sum, known float64
	for j, w := range mask.RawRowView(i) {
		if w > 0 {
			sum += x.At(i, j)
			known++
		}
	}
	return max(sum, 0.5) / max(1, known), 0.5 / max(1, known)
}

// lossOfCounts sums the loss of RobustPoissonNMF over counts x whose deviances have the roots e.
func lossOfCounts(family rnmf.Family, e, x []float64) (sum float64) {
	omega, value := make([]float64, len(e)), make([]float64, len(e))
	family.Weigh(rnmf.CauchyTail{Cut: 2.5}, omega, value, e, x)
	for _, v := range value {
		sum += v
	}
	return sum
}

// grossFrom is a thousand times the median magnitude of the entries of x that are in a
// fold and not 0.
func grossFrom(x mat.Matrix, folds []int) float64 {
	_, n := x.Dims()
	var sizes []float64
	for i, f := range folds {
		if v := math.Abs(x.At(i/n, i%n)); f >= 0 && v > 0 {
			sizes = append(sizes, v)
		}
	}
	if len(sizes) == 0 {
		return 0
	}
	slices.Sort(sizes)
	return 1000 * sizes[len(sizes)/2]
}

// sums returns Σ|v| and Σv².
func sums(v []float64) (abs, square float64) {
	for _, a := range v {
		abs += math.Abs(a)
		square += a * a
	}
	return abs, square
}

func (s HeldOut) folds() int {
	if s.Folds == 0 {
		return 5
	}
	return s.Folds
}

// split returns the fold of each entry, row by row, or −1.
func (s HeldOut) split(x mat.Matrix) ([]int, error) {
	if isnil.Matrix(x) {
		return nil, errNoX("X")
	}
	m, n := x.Dims()
	if err := wantMask(x, s.Mask, "HeldOut.Mask"); err != nil {
		return nil, err
	}
	if s.Mask != nil {
		for i := range m {
			for j := range n {
				if v := s.Mask.At(i, j); !(v >= 0) || math.IsInf(v, 1) {
					return nil, fmt.Errorf("%w: HeldOut.Mask[%d,%d] = %g, want a finite number of 0 or more", ErrParameter, i, j, v)
				}
			}
		}
	}
	folds := make([]int, m*n)
	var there []int
	for i := range folds {
		folds[i] = -1
		if s.Mask == nil || s.Mask.At(i/n, i%n) > 0 {
			there = append(there, i)
		}
	}
	count := s.folds()
	if count < 2 || count > len(there) {
		return nil, fmt.Errorf("%w: %d folds of %d known entries, want 2 folds or more with an entry in each", ErrParameter, count, len(there))
	}
	rng := rand.New(rand.NewPCG(s.Seed, 0x66_6f_6c_64))
	rng.Shuffle(len(there), func(a, b int) { there[a], there[b] = there[b], there[a] })
	for k, i := range there {
		folds[i] = k % count
	}
	return folds, nil
}
