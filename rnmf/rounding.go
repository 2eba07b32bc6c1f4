package rnmf

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

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

// weightOf is the heaviest weight in a column of the mask.
func (f *fit) weightOf(j int) float64 {
	if f.heavy == nil {
		return 1
	}
	return f.heavy[j]
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
