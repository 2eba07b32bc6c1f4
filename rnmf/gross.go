package rnmf

import (
	"math"

	"github.com/robustnmf/robustnmf/rnmf/internal/work"
	"gonum.org/v1/gonum/mat"
)

// What is grossly wrong may be so by any factor: a fill value for what is missing is
// 10²⁰ or 10³⁶ in files of measurements. It must not set the scale of what is right,
// nor the precision with which that is fitted.

// grossData is how many times the median entry an entry can be and still tell of the
// size of the residuals that count.
const grossData = 1e3

// usual returns about the median magnitude of the entries of X that are not 0.
func (f *fit) usual() float64 {
	if f.median < 0 {
		f.median = usual(f.x, f.mask, f.largest, f.pool.Stop)
	}
	return f.median
}

// usual returns about the median magnitude of the entries of x that are not 0 nor
// hidden by a mask, 0 if there are none; top is the largest.
func usual(x, mask *mat.Dense, top float64, stop func() bool) float64 {
	m, n := x.Dims()
	const enough = 1 << 14
	for every := max(m*n/(4*enough), 1); ; every = 1 {
		if half, count := middle(x, mask, math.Abs, every, top, stop); count >= enough || every == 1 {
			return half
		}
	}
}

// middle returns the median of those f(v) that are positive, of one in every so many
// entries v of x but for those that a mask hides, and how many they are; top is the
// largest. It is 0 if there are none.
func middle(x, mask *mat.Dense, f func(float64) float64, every int, top float64, stop func() bool) (half float64, count int) {
	m, n := x.Dims()
	for {
		seen := newResiduals(top)
		work.Pieces(m, 8*n/every, stop, func(from, to int) {
			for i := from; i < to; i++ {
				for j, row := i%every, x.RawRowView(i); j < n; j += every {
					if v := f(row[j]); v > 0 && (mask == nil || mask.RawRowView(i)[j] > 0) {
						seen.add(v)
					}
				}
			}
		})
		seen.close(math.NaN())
		half, count = seen.Quantile(0.5), seen.N()
		if half > 0 || count == 0 || seen.edge(1) >= top {
			return half, count
		}
		top = seen.edge(1) // the largest dwarfs most of the others
	}
}

// settled tells whether some rounds have changed the objective by so little that the
// fit has converged: by a share of it of Tol for each, or, where most of it is what
// gross entries cost whatever W and H are, of what it would be if all entries were off
// by ten usual ones. Where the digits of the objective do not reach that far, the KKT
// residual tells.
func (f *fit) settled(start, reached float64, rounds int) bool {
	tol := f.model.Tol
	if tol < 0 || f.underWay() {
		return false
	}
	change, size := math.Abs(start-reached), math.Abs(start)
	least := float64(rounds) * tol * size
	if change > least && (change > least+f.roundingAtMost() || change > least+f.rounding() || change > least+f.roundingThere()) {
		return false
	}
	room := f.room()
	if !(size > room) || !(size-math.Abs(f.penalties()) > room) {
		return true
	}
	if change > float64(rounds)*tol*room+f.roundingThere() {
		return false
	}
	return 1e-15*size <= tol*room || f.kkt() <= 1e-3 && !f.pool.Stop()
}

// room is the loss of residuals that are all ten usual entries long.
func (f *fit) room() float64 {
	if isFrobenius(f.rho) || f.largest == 0 {
		return math.Inf(1)
	}
	m, n := f.x.Dims()
	terms, s := float64(m)*float64(n), 100*f.usual()*f.usual()
	if f.columns {
		terms, s = float64(n), s*float64(m)*f.heaviest
	} else {
		terms *= f.heaviest
	}
	value, _ := f.rho.Rho(s)
	return terms * value
}
