package rnmf

import (
	"math"

	"github.com/robustnmf/robustnmf/rnmf/internal/work"
	"gonum.org/v1/gonum/mat"
)

// stop returns the reason to end the fit after a round, or 0. last is the last round whose
// objective is known, some rounds ago; first is the objective of the start.
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

// settled reports whether the objective has changed so little in some rounds that the fit has
// converged: by at most Tol for each round, as a share of the objective or, where most of that is
// the constant cost of gross entries, of usualLoss. Where the objective has too few digits to show
// such a change, the KKT residual decides.
func (f *fit) settled(start, reached float64, rounds int) bool {
	tol := f.model.Tol
	if tol < 0 || f.interim {
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

// usualLoss is the loss if all residuals are ten times the median entry of X.
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

// collapsed reports whether WH is negligible compared with X, by the sums of their entries.
// Positive entries of X count as their median, since gross errors may well dwarf WH. With penalties
// on both factors W = H = 0 is a local minimum whatever X is, as there the loss falls with the
// product of W and H, but the penalties grow with each. Multiplicative updates never arrive at 0,
// but are far below this bound where a fit ends by Tol. Without penalties nothing pulls the factors
// to 0, and a start of zeros is the caller's choice.
func (f *fit) collapsed() bool {
	if len(f.model.OnW) == 0 && len(f.model.OnH) == 0 {
		return false
	}
	m, n := f.x.Dims()
	data := robustMean(f.x, work.Never) * float64(m) * float64(n)
	mass, _ := masses(f.wt, f.h)
	return data > 0 && mass <= 1e-7*data
}

// rounding returns by how much rounding errors in the residuals, and in penalties that are
// differences, may change the objective, so that an exact fit ends, and does not seem to diverge.
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

// roundingAtMost is an upper bound of rounding that costs little: as ρ is concave, by Jensen's
// inequality the mean of the columns may stand in for each. The factor 2 covers rounding of
// ρ(s) − ρ(0).
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

// roundingThere is rounding at the present residuals. That of a gross sample is large, and so is
// its rounding error, but a loss that levels off hardly changes by it.
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

// roundingSquares returns the squared rounding error of each column of the residual: 1e-28 of
// ‖x_j‖², or of about ‖Wh_j‖² if that is less, as where X has gross entries that WH has not.
func (f *fit) roundingSquares() []float64 {
	squares := make([]float64, len(f.norms[0]))
	// Σ_k ‖w_k‖|h_kj| is not less than the length of a column of WH, and at most √r times as much.
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

func (f *fit) penaltyRounding() (sum float64) {
	for p, v := range f.eachPenalty {
		if p, ok := p.(interface{ Rounding(v *mat.Dense) float64 }); ok {
			sum += p.Rounding(v)
		}
	}
	return sum
}

// explodes reports whether an objective is above a limit by more than rounding errors.
func (f *fit) explodes(reached, limit float64) bool {
	return reached > limit && reached > limit+f.rounding()
}
