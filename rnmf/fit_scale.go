package rnmf

import (
	"math"
	"time"

	"github.com/robustnmf/robustnmf/rnmf/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// A scale that is estimated in every round for ever keeps the fit from extrapolating and from
// ending. So an estimate has a beginning, in which it is renewed in each round; a rest, in which
// the fit extrapolates and the time from one estimate to the next grows by half; and a last check.
const (
	restShare  = 0.02 // a change that is small enough to rest
	restRound  = 8    // the last round of the beginning
	fixedShare = 0.01 // a change up to which a fit may end
)

// tunesIn reports whether the scale is estimated again in a round.
func (f *fit) tunesIn(round int) bool {
	switch most := f.model.TuneFor; {
	case f.tuning == nil:
		return false
	case most < 0 || f.interim:
		return true
	case most > 0:
		return round <= most
	}
	return round >= f.tuneAt
}

// scaleHolds estimates the scale of a fit that has converged once more, and reports whether it is
// still the same. If not, the residuals are there for the next round.
func (f *fit) scaleHolds() bool {
	if f.tuning == nil || f.model.TuneFor != 0 {
		return true
	}
	f.measure()
	next, _ := f.tuning(f.residuals)
	if rho, _ := unpack(next); !alike(f.rho, rho, f.residuals, fixedShare) && !f.pool.Stop() {
		return false
	}
	f.residuals = nil
	return true
}

// alike reports whether the scales of two losses differ by at most a share, judged by the weights
// that they give to the residuals, relative to that of a residual of 0.
func alike(a, b Loss, s *Residuals, share float64) bool {
	weight := func(l Loss, s float64) float64 {
		_, slope := l.Rho(s)
		_, most := l.Rho(0)
		return slope / most
	}
	ratio := (1 + share) * (1 + share)
	for v := range s.All() {
		if w := weight(b, v); !(w >= weight(a, v*ratio)-1e-9 && w <= weight(a, v/ratio)+1e-9) {
			return false
		}
	}
	return true
}

// measure collects the distribution of the current residuals for tune, and returns the objective.
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
	largest := size * size
	if byColumn {
		largest *= float64(m) * f.heaviest
	}
	losses, sums, counts := make([]float64, n), make([]float64, n), make([]float64, n)
	all := newResiduals(largest)
	f.eachResidual(func(t *Tile, i int) {
		if t.seen == nil {
			t.seen = newResiduals(largest)
		}
		if byColumn {
			s := make([]float64, t.B)
			kernel.SquaredNorms(s, t.E, t.mask, t.M, t.B)
			for _, v := range s {
				t.seen.add(v)
			}
			losses[i], sums[i], counts[i] = lossOfSquares(q.loss, s), total(s), float64(t.B)
			return
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
			sum, count := t.seen.addAll(t.E[k*t.B:][:t.B], x, mask)
			sums[i], counts[i] = sums[i]+sum, counts[i]+count
		}
		losses[i] = t.lossOfEntries()
	})
	for _, t := range f.pool.tiles {
		if t.seen != nil {
			all.merge(t.seen)
			t.seen = nil
		}
	}
	all.close(total(sums) / total(counts))
	all.data = f.medianMagnitude(f.pool.Stop)
	if byColumn {
		all.data *= math.Sqrt(float64(m) * f.heaviest)
	} else {
		r := min(f.model.Rank, m, n)
		all.Exact = float64(r*(m+n-r)) / f.known
	}
	// A scale must not follow rounding errors.
	least := 1e-24 * largest
	if !(all.mean >= least) { // also if it is NaN, as there are no residuals
		all = ResidualsOf(least)
	}
	f.residuals = all
	return total(losses) + f.penalties()
}

// tune lets the loss estimate its scale for a round from the residuals that measure has collected.
func (f *fit) tune(round int) {
	f.countAhead()
	if !f.pool.Stop() { // otherwise they are incomplete, and the fit is over
		next, settled := f.tuning(f.residuals)
		if settled {
			f.tuning = nil
		}
		next, f.interim = unwrap(next)
		if f.wrong = checkWeights(f.model.Loss, next); f.wrong != nil {
			return
		}
		if rho, _ := unpack(next); f.tuning != nil && !f.interim && f.model.TuneFor == 0 &&
			(f.tuneAt > 0 || round >= restRound || alike(f.rho, rho, f.residuals, restShare)) {
			f.tuneAt = max(round+3, round*3/2)
		}
		f.setLoss(next)
	}
	f.residuals, f.ahead, f.retuned = nil, false, f.tuning != nil
}

// setLoss sets the loss of the rounds to come.
func (f *fit) setLoss(l Loss) {
	f.loss = l
	f.rho, f.columns = unpack(l)
}
