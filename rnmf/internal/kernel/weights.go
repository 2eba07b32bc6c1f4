package kernel

import "math"

// A Rho is a loss ρ of the squared residuals s_i = min(e_i², cut2), with weights
// ω_i = ρ′(s_i); beyond cut2 the weight is 0. cut2 = +Inf cuts nothing. Squares that
// overflow count as the largest number for which ρ is finite.
//
// Weights are accurate to 2 ulp and values to 4. Exp, log1p and reciprocal root are
// polynomials, and the same everywhere: those of package math are not.
type Rho struct {
	loss              loss
	a, b, limit, cut2 float64 // what the loops need of it
}

// huge is below the largest number by enough for sums of two.
const huge = math.MaxFloat64 / 8

func rho(l loss, a, b, limit, cut2 float64) Rho { return Rho{l, a, b, min(limit, cut2), cut2} }

// Square is ρ(s) = s.
func Square(cut2 float64) Rho { return rho(lossSquare, 0, 0, math.MaxFloat64, cut2) }

// L1 is ρ(s) = √(s + ε²), with weights of at most 1/(2·1e-150); values below
// 1e-150 are smaller still.
func L1(eps2, cut2 float64) Rho {
	const tiny2 = 1e-300
	return rho(lossL1, eps2, tiny2, huge, cut2)
}

// Huber is ρ(e²) = e² for |e| ≤ c, and 2c|e| − c² beyond.
func Huber(c, cut2 float64) Rho {
	const smallest = 0x1p-1022 // so that c/max(|e|, c) is a number
	return rho(lossHuber, max(c, smallest), min(1e154, math.Sqrt(cut2)), huge, cut2)
}

// Hypersurface is ρ(s) = √(1 + cs) − 1.
func Hypersurface(c, cut2 float64) Rho {
	return rho(lossHypersurface, c, 0.5*c, huge/max(c, 1), cut2)
}

// Cauchy is ρ(s) = ln(1 + s/g), without the factor 1/g in its weight 1/(g + s).
func Cauchy(g, cut2 float64) Rho { return rho(lossCauchy, g, 1/g, huge*min(g, 1), cut2) }

// Correntropy is ρ(s) = 1 − exp(−cs). Weights below 1e-307c are 0.
func Correntropy(c, cut2 float64) Rho {
	return rho(lossCorrentropy, -c, -c*math.Log2E, huge, min(cut2, 708/c))
}

type loss int

const (
	lossSquare loss = iota
	lossL1
	lossHuber
	lossHypersurface
	lossCauchy
	lossCorrentropy
	losses
)

// Weigh writes the weights and, if value is not nil, ρ(s_i). All slices are as long
// as e.
func (r Rho) Weigh(omega, value, e []float64) {
	omega = omega[:len(e)]
	if value != nil {
		value = value[:len(e)]
	}
	if useAVX2 {
		r.weighSIMD(omega, value, e)
	} else {
		r.weighPortable(omega, value, e)
	}
}
