//go:build !amd64

package kernel

func devianceSIMD(e, x, y []float64) { deviancePortable(e, x, y) }

func scoreSIMD(score, curve, x, y, omega []float64) { scorePortable(score, curve, x, y, omega) }

func bendsSIMD(bend, least, x, y, p, omega []float64, m, b int) {
	bendsPortable(bend, least, x, y, p, omega, m, b)
}
