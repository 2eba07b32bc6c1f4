//go:build !amd64

package kernel

func subProductAVX2(e, u, v []float64, m, r, b int) { subProduct(e, u, v, m, r, b) }

func addCrossAVX2(n, u, z []float64, m, r, b int) { addCross(n, u, z, m, r, b) }

func gramAVX2(g, u, d []float64, m, r int) { gram(g, u, d, m, r) }

func weightedAVX2(num, den, e, omega, u, p, delta []float64, m, b int) {
	weighted(num, den, e, omega, u, p, delta, m, b)
}

func subOuterAVX2(e, p, delta []float64, m, b int) { subOuter(e, p, delta, m, b) }
