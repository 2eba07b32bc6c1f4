//go:build !amd64

package kernel

func mulSIMD(x, y []float64)                            { mulPortable(x, y) }
func apartSIMD(e, x, y []float64)                       { apartPortable(e, x, y) }
func shiftSIMD(x, e, omega []float64, bound float64)    { shiftPortable(x, e, omega, bound) }
func ratioSIMD(v, num, den []float64)                   { ratioPortable(v, num, den) }
func stepSIMD(v, delta, num, den []float64)             { stepPortable(v, delta, num, den) }
func sumSIMD(s *eight, x, mask []float64)               { sumPortable(s, x, mask) }
func sumSquaresSIMD(s, count *eight, x, mask []float64) { sumSquaresPortable(s, count, x, mask) }
func squaredNormsSIMD(s, e, mask []float64, m, b int)   { squaredNormsPortable(s, e, mask, m, b) }
func gramSweepSIMD(f form, change, v, n, g, inv, w, d []float64, r, b int) {
	gramSweepPortable(f, change, v, n, g, inv, w, d, r, b)
}
