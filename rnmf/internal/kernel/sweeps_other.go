//go:build !amd64

package kernel

func weightedSIMD(num, den, e, omega, u, p, delta []float64, m, b int) {}

func weightedPairSIMD(sums, e, omega, u, p, delta []float64, m, b int) {}

func subOuterSIMD(e, p, delta []float64, m, b int) {}
