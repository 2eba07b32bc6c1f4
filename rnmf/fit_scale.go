package rnmf

import (
	"math"
	"time"

	"github.com/robustnmf/robustnmf/rnmf/internal/drive"
	"github.com/robustnmf/robustnmf/rnmf/internal/histogram"
	"github.com/robustnmf/robustnmf/rnmf/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// measure collects the distribution of the current residuals for estimate, and returns the objective.
func (f *fit) measure() float64 {
	begin := time.Now()
	defer func() { f.due += time.Since(begin) }()
	m, n := f.x.Dims()
	q := f.quadratic(false)
	byColumn := q.sample == columns
	size := min(f.largest, grossData*f.medianMagnitude(f.pool.Stop))
	zeros := f.largest == 0 // X has nothing else to take a scale from
	if zeros {
		size = float64(f.model.Rank) * max(mat.Max(f.wt), -mat.Min(f.wt)) * mat.Max(f.h)
	}
	largest := f.model.Family.size(size)
	if byColumn {
		largest *= float64(m) * f.heaviest
	}
	losses, sums, counts := make([]float64, n), make([]float64, n), make([]float64, n)
	f.eachResidual(func(t *Tile, i int) {
		if t.counts == nil {
			t.counts = new(histogram.Counts)
		}
		if byColumn {
			s := make([]float64, t.B)
			kernel.SquaredNorms(s, t.e, t.mask, t.M, t.B)
			for _, v := range s {
				t.counts.Add(v)
			}
			losses[i], sums[i], counts[i] = lossOfSquares(q.loss, s), total(s), float64(t.B)
			return
		}
		losses[i] = t.lossOfEntries()
		e := t.e
		if q.family != Gaussian && !isSquared(q.loss) {
			e = t.capped
		}
		for k := range t.M {
			var mask []float64
			if t.mask != nil {
				mask = t.mask[k*t.B:][:t.B]
			}
			var x []float64
			if !zeros {
				x = f.x.RawRowView(k)[t.First:][:t.B]
			}
			sum, count := countSquares(t.counts, e[k*t.B:][:t.B], x, mask)
			sums[i], counts[i] = sums[i]+sum, counts[i]+count
		}
	})
	for _, t := range f.pool.tiles {
		if t.counts != nil {
			f.counts.Merge(t.counts)
			t.counts.Reset()
		}
	}
	all := newResiduals(&f.counts, largest, total(sums)/total(counts))
	f.counts.Reset()
	if all.data = f.medianMagnitude(f.pool.Stop); f.model.Family != Gaussian {
		all.data = math.Sqrt(all.data)
	}
	if byColumn {
		all.data *= math.Sqrt(float64(m) * f.heaviest)
	} else {
		r := min(f.model.Rank, m, n)
		all.Exact = float64(r*(m+n-r)) / f.known
	}
	// A scale must not follow rounding errors.
	least := 1e-24 * largest
	if !(all.mean >= least) { // also if it is NaN, as there are no residuals
		all = NewResiduals(least)
	}
	if f.model.Family != Gaussian && !byColumn {
		all.Known = 1 / madToSigma
	}
	f.residuals, f.estimated = all, nil
	return total(losses) + f.penalties()
}

// estimate is what the loss makes of the residuals that measure has collected. It is asked once for them,
// also where they are first looked at to see whether the scale is a fixed point: a Tuning has a state.
func (f *fit) estimate() drive.Estimate {
	if f.estimated == nil {
		e := f.tune()
		f.estimated = &e
	}
	return *f.estimated
}

// tune lets the loss estimate its scale.
func (f *fit) tune() drive.Estimate {
	next, settled := f.tuning(f.residuals)
	next, preliminary := unwrap(next)
	wrong := checkWeights(f.model.Loss, next)
	return drive.Estimate{Settled: settled, Preliminary: preliminary,
		Alike: func(share float64) bool {
			rho, _ := unpack(next)
			return wrong == nil && drive.Alike(f.rho, rho, f.residuals.All(), share)
		},
		Use: func() bool {
			if f.wrong = wrong; wrong != nil {
				return false
			}
			f.countDue()
			f.setLoss(next)
			f.sawNext = observed{}
			return true
		}}
}

// setLoss sets the loss of the rounds to come.
func (f *fit) setLoss(l Loss) {
	f.loss = l
	f.rho, f.byColumn = unpack(l)
	f.floor = floorOf(l)
}
