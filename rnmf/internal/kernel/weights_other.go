//go:build !amd64

package kernel

func weighSIMD(l loss, omega, value, e []float64, a, b, limit, cut2 float64) {
	weighPortable(l, omega, value, e, a, b, limit, cut2)
}
