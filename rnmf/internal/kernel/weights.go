package kernel

import "math"

// The functions of this file write the weights ω_i = ρ′(s_i) of a loss ρ and, if
// value is not nil, ρ(s_i), for the squared residuals s_i = min(e_i², cut2);
// beyond cut2 the weight is 0. cut2 = +Inf cuts nothing. All slices are as long
// as e. Squares that overflow count as the largest number for which ρ is finite.
//
// The assembly is accurate to 2 ulp in weights and to 4 in values. Its exp,
// log1p and reciprocal root are polynomials, and the same everywhere: results
// depend on the level alone, not on the make of the processor.

// huge is below the largest number by enough for sums of two.
const huge = math.MaxFloat64 / 8

// Square is ρ(s) = s.
func Square(omega, value, e []float64, cut2 float64) {
	weigh(lossSquare, omega, value, e, 0, 0, math.MaxFloat64, cut2)
}

// L1 is ρ(s) = √(s + ε²), with weights of at most 1/(2·1e-150); values below
// 1e-150 are smaller still.
func L1(omega, value, e []float64, eps2, cut2 float64) {
	const tiny2 = 1e-300
	weigh(lossL1, omega, value, e, eps2, tiny2, huge, cut2)
}

// Huber is ρ(e²) = e² for |e| ≤ c, and 2c|e| − c² beyond.
func Huber(omega, value, e []float64, c, cut2 float64) {
	const smallest = 0x1p-1022 // so that c/max(|e|, c) is a number
	weigh(lossHuber, omega, value, e, max(c, smallest), min(1e154, math.Sqrt(cut2)), huge, cut2)
}

// Hypersurface is ρ(s) = √(1 + cs) − 1.
func Hypersurface(omega, value, e []float64, c, cut2 float64) {
	weigh(lossHypersurface, omega, value, e, c, 0.5*c, huge/max(c, 1), cut2)
}

// Cauchy is ρ(s) = ln(1 + s/g), without the factor 1/g in its weight 1/(g + s).
func Cauchy(omega, value, e []float64, g, cut2 float64) {
	weigh(lossCauchy, omega, value, e, g, 1/g, huge*min(g, 1), cut2)
}

// Correntropy is ρ(s) = 1 − exp(−cs). Weights below 1e-307c are 0.
func Correntropy(omega, value, e []float64, c, cut2 float64) {
	weigh(lossCorrentropy, omega, value, e, -c, -c*math.Log2E, huge, min(cut2, 708/c))
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

func weigh(l loss, omega, value, e []float64, a, b, limit, cut2 float64) {
	omega = omega[:len(e)]
	if value != nil {
		value = value[:len(e)]
	}
	limit = min(limit, cut2)
	if useAVX2 {
		weighSIMD(l, omega, value, e, a, b, limit, cut2)
	} else {
		weighPortable(l, omega, value, e, a, b, limit, cut2)
	}
}
