package kernel

// The least mean that is divided by and the largest ratio x/y, so that no weight overflows; counts
// below leastCount are 0. A fit keeps y away from 0 where x is not, except in a bad start.
const (
	leastMean  = 1e-150
	mostRatio  = 1e150
	leastCount = 1e-300
)

// Deviance writes the signed roots of the Poisson deviances of counts x and means y,
//
//	e_i ← sign(x_i − y_i)·√d,   d = 2(x ln(x/y) − x + y),
//
// 2y where x = 0. All are at least 0. e may be x or y. The root is accurate to 1e-15 of itself, or
// to what rounding y has changed. A y below 1e-300x counts as that.
func Deviance(e, x, y []float64) {
	x, y = x[:len(e)], y[:len(e)]
	if useAVX2 {
		devianceSIMD(e, x, y)
	} else {
		deviancePortable(e, x, y)
	}
}

// Score writes, for counts x, means y and weights ω (nil: 1), minus the derivative of ωd/2 by y,
// and a curvature for Newton's step,
//
//	score_i ← ω_i(x_i/y_i − 1),   curve_i ← ω_i·min(1, x_i/y_i)/y_i.
//
// The second derivative is ωx/y². Where y < x it is too large: 1/y is the curvature whose step ends
// at y = x. Any slice may be one that is read.
func Score(score, curve, x, y, omega []float64) {
	curve, x, y = curve[:len(score)], x[:len(score)], y[:len(score)]
	if omega != nil {
		omega = omega[:len(score)]
	}
	if useAVX2 {
		scoreSIMD(score, curve, x, y, omega)
	} else {
		scorePortable(score, curve, x, y, omega)
	}
}

// Bends writes for each column of a tile, with counts x, means y, weights ω (nil: 1) and a direction
// p along which y may change, the second derivative of Σ ωd/2 and the least relative change of a mean
// that matters,
//
//	bend_j ← Σ_i ω_ij x_ij z_ij²,   least_j ← min(0, min over ω_ij x_ij > 0 of z_ij),   z = p/y.
func Bends(bend, least, x, y, p, omega []float64, m, b int) {
	bend, least, x, y, p = bend[:b], least[:b], x[:m*b], y[:m*b], p[:m*b]
	if omega != nil {
		omega = omega[:m*b]
	}
	switch {
	case m*b == 0:
		clear(bend)
		clear(least)
	case useAVX2:
		bendsSIMD(bend, least, x, y, p, omega, m, b)
	default:
		bendsPortable(bend, least, x, y, p, omega, m, b)
	}
}
