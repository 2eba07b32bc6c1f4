package rnmf

import (
	"math"

	"github.com/robustnmf/robustnmf/rnmf/internal/drive"
	"github.com/robustnmf/robustnmf/rnmf/internal/work"
	"gonum.org/v1/gonum/mat"
)

// report is the objective of the factors at hand, and the answers to what the driver may ask about them.
func (f *fit) report(objective float64) drive.Seen {
	return drive.Seen{
		Objective: objective,
		Estimate:  f.estimate,
		Same:      func() bool { return mat.Equal(f.last.wt, f.wt) && mat.Equal(f.last.h, f.h) },
		Minimal:   func() bool { return f.kkt() < 1e-6 && !f.pool.Stop() },
		Still:     func() bool { return f.kkt() <= 1e-3 && !f.pool.Stop() },
		Collapsed: f.collapsed,
		Sizes: drive.Sizes{Penalties: f.penalties, Usual: f.usualLoss,
			Rounding: []func() float64{f.roundingAtMost, f.rounding, f.roundingThere}},
	}
}

// usualLoss is the loss if all residuals are ten times the median entry of X.
func (f *fit) usualLoss() float64 {
	if isSquared(f.rho) || f.largest == 0 {
		return math.Inf(1)
	}
	m, n := f.x.Dims()
	terms, s := float64(m)*float64(n), 100*f.model.Family.size(f.medianMagnitude(f.pool.Stop))
	if f.byColumn {
		terms, s = float64(n), s*float64(m)*f.heaviest
	} else {
		terms *= f.heaviest
	}
	value, _ := f.rho.Rho(s)
	if f.floor > 0 {
		return float64(n) * math.Sqrt(f.floor+terms/float64(n)*value)
	}
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
		if f.byColumn {
			above, _ := f.rho.Rho(s * f.weightOf(j))
			sum += above - at
			continue
		}
		above, _ := f.rho.Rho(s)
		sum += f.rises(0, f.weightOf(j)*m*(above-at))
	}
	return sum + f.penaltyRounding()
}

// rises returns by how much the objective rises where the loss of the entries of a sample rises from p
// by d.
func (f *fit) rises(p, d float64) float64 {
	if f.floor > 0 {
		return math.Sqrt(f.floor+p+d) - math.Sqrt(f.floor+p)
	}
	return d
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
	if f.byColumn {
		terms, m = n, 1
	}
	at, _ := f.rho.Rho(0)
	above, _ := f.rho.Rho(1e-28 * f.lengths / terms)
	return n*f.rises(0, 2*m*terms*(above-at)/n) + f.penaltyRounding()
}

// roundingThere is rounding at the present residuals. That of a gross sample is large, and so is
// its rounding error, but a loss that levels off hardly changes by it.
func (f *fit) roundingThere() float64 {
	if f.floor > 0 {
		sum, m := f.penaltyRounding(), float64(len(f.norms[1]))
		at, _ := f.rho.Rho(0)
		squares, sums := f.roundingSquares(), f.cellSums()
		for j, p := range sums {
			above, _ := f.rho.Rho(squares[j])
			sum += f.rises(p, f.weightOf(j)*m*(above-at))
		}
		return sum
	}
	if !f.byColumn {
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
	if f.model.Family != Gaussian {
		for j, sum := range f.norms[0] {
			squares[j] = 1e-28 * sum
		}
		return squares
	}
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
