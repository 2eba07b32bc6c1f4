package rnmf

import (
	"math"

	"github.com/robustnmf/robustnmf/rnmf/internal/work"
	"gonum.org/v1/gonum/mat"
)

// stop returns the reason for which a fit ends after a round that reached an objective,
// or 0. last is the round before whose objective is known, some rounds ago; first is the
// objective of the start.
func (f *fit) stop(last *kept, first, objective float64, round, rounds int) (reason Reason) {
	switch {
	case math.IsNaN(objective) || math.IsInf(objective, 0) || f.explodes(objective, 10*(math.Abs(first)+math.Abs(last.objective))):
		return Diverged
	case mat.Equal(last.wt, f.wt) && mat.Equal(last.h, f.h):
		reason = Stalled
		if objective == 0 || f.kkt() < 1e-6 {
			reason = Converged // at a minimum nothing can change
		}
	case f.settled(last.objective, objective, rounds):
		reason = Converged
	case round >= f.model.MaxIter:
		reason = MaxIter
	}
	if reason != 0 && f.collapsed() {
		return Collapsed
	}
	return reason
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
	usual := f.usualLoss()
	if !(size > usual) || !(size-math.Abs(f.penalties()) > usual) {
		return true
	}
	if change > float64(rounds)*tol*usual+f.roundingThere() {
		return false
	}
	return 1e-15*size <= tol*usual || f.kkt() <= 1e-3 && !f.pool.Stop()
}

// usualLoss is the loss of residuals that are all ten usual entries long.
func (f *fit) usualLoss() float64 {
	if isFrobenius(f.rho) || f.largest == 0 {
		return math.Inf(1)
	}
	m, n := f.x.Dims()
	terms, s := float64(m)*float64(n), 100*f.medianMagnitude(f.pool.Stop)*f.medianMagnitude(f.pool.Stop)
	if f.columns {
		terms, s = float64(n), s*float64(m)*f.heaviest
	} else {
		terms *= f.heaviest
	}
	value, _ := f.rho.Rho(s)
	return terms * value
}

// collapsed tells whether WH is nothing beside X, by the sums of their entries, which
// for WH are known without it; large entries of X count as the median, since WH may
// well be nothing beside gross errors. With penalties on both factors W = H = 0 is a
// local minimum whatever X is, as the loss gains only by the product of W and H what
// the penalties lose by each. Multiplicative updates never arrive at 0; where a fit
// with Tol ends they are below this bound by far. Without penalties nothing pulls to
// 0, and a start of zeros is one's own.
func (f *fit) collapsed() bool {
	if len(f.model.OnW) == 0 && len(f.model.OnH) == 0 {
		return false
	}
	m, n := f.x.Dims()
	data := robustMean(f.x, work.Never) * float64(m) * float64(n)
	mass, _ := masses(f.wt, f.h)
	return data > 0 && mass <= 1e-7*data
}

// rounding returns by how much rounding errors in the residuals, and in penalties that
// are differences, may change the objective, so that an exact fit neither goes on for
// ever nor seems to diverge.
func (f *fit) rounding() float64 {
	m := float64(len(f.norms[1]))
	at, _ := f.rho.Rho(0)
	var sum float64
	for j, s := range f.roundingSquares() {
		if f.columns {
			above, _ := f.rho.Rho(s * f.weightOf(j))
			sum += above - at
			continue
		}
		above, _ := f.rho.Rho(s)
		sum += f.weightOf(j) * m * (above - at)
	}
	return sum + f.penaltyRounding()
}

// roundingAtMost is not less than rounding, and at hand: ρ is concave, so that by
// Jensen's inequality the mean of the columns stands for all. Twice that makes up for
// the digits that cancel in ρ(s) − ρ(0).
func (f *fit) roundingAtMost() float64 {
	m, n := float64(len(f.norms[1])), float64(len(f.norms[0]))
	if f.weights == 0 {
		for j, s := range f.norms[0] {
			f.lengths += f.weightOf(j) * s
			f.weights += f.weightOf(j)
		}
	}
	terms := f.weights
	if f.columns {
		terms, m = n, 1
	}
	at, _ := f.rho.Rho(0)
	above, _ := f.rho.Rho(1e-28 * f.lengths / terms)
	return 2*m*terms*(above-at) + f.penaltyRounding()
}

// roundingThere is rounding where the residuals are now. Those of a gross sample are
// large, and round as such, but in a loss that levels off that is next to nothing.
func (f *fit) roundingThere() float64 {
	if !f.columns {
		return f.rounding()
	}
	sum, squares := f.penaltyRounding(), f.squaredNorms()
	for j, s := range f.roundingSquares() {
		at, _ := f.rho.Rho(squares[j])
		length := math.Sqrt(squares[j]) + math.Sqrt(s*f.weightOf(j))
		above, _ := f.rho.Rho(length * length)
		sum += above - at
	}
	return sum
}

// roundingSquares returns the square of what rounding may change in each column of the
// residual: a share of WH, but not of what is gross in X and not in WH.
func (f *fit) roundingSquares() []float64 {
	squares := make([]float64, len(f.norms[0]))
	// Σ_k ‖w_k‖|h_kj| is not less than the length of a column of WH, and at most √r
	// times as much.
	for k := range f.model.Rank {
		length := mat.Norm(f.wt.RowView(k), 2)
		for j, v := range f.h.RawRowView(k) {
			squares[j] += length * math.Abs(v)
		}
	}
	for j, length := range squares {
		squares[j] = 1e-28 * min(f.norms[0][j], 4*length*length)
	}
	return squares
}

func (f *fit) penaltyRounding() float64 {
	var sum float64
	for _, p := range f.model.OnW {
		if p, ok := p.(interface{ Rounding(v *mat.Dense) float64 }); ok {
			sum += p.Rounding(f.wt)
		}
	}
	for _, p := range f.model.OnH {
		if p, ok := p.(interface{ Rounding(v *mat.Dense) float64 }); ok {
			sum += p.Rounding(f.h)
		}
	}
	return sum
}

// explodes tells whether an objective is above a limit by more than rounding errors.
func (f *fit) explodes(reached, limit float64) bool {
	return reached > limit && reached > limit+f.rounding()
}
