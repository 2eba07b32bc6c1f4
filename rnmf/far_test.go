package rnmf

import (
	"fmt"
	"math"
	"testing"
)

// Scales at the end of what is accepted, and residuals at the other: nothing
// overflows, in Rho or in the kernels, and the two agree where squares are in range.
func TestFarScales(t *testing.T) {
	residuals := []float64{0, 1e-160, 1e-75, 1e-10, 1, 1e10, 1e75, 1e100}
	for _, scale := range []float64{1e-75, 1e-20, 1, 1e75, 1e100} {
		for _, l := range []Loss{L1{Eps: scale}, Huber{Cut: scale}, Hypersurface{Scale: scale}, Correntropy{Scale: scale},
			Cauchy{Scale: scale}, Manhattan{Mu: scale}, LogShrink{Gamma: 1, Scale: scale}, Truncated{Loss: Cauchy{Scale: scale}, Cut: scale}} {
			omega, value := make([]float64, len(residuals)), make([]float64, len(residuals))
			weightsAndValues(l, omega, value, residuals)
			for i, e := range residuals {
				v, w := l.Rho(e * e)
				for _, x := range []float64{v, w, omega[i], value[i]} {
					if !(x >= 0) || math.IsInf(x, 0) {
						t.Errorf("%s at %g: Rho %g, %g; Weigh %g, %g", lossName(l), e, v, w, value[i], omega[i])
						break
					}
				}
				if e*e > 1e-290 && e/scale < 1e150 && !(nearly(v, value[i], 1e-9) && nearly(w, omega[i], 1e-9)) {
					t.Errorf("%s at %g: Rho %g, %g; Weigh %g, %g", lossName(l), e, v, w, value[i], omega[i])
				}
			}
			for _, unit := range []float64{1e-100, 1, 1e100} {
				for _, solver := range []Solver{HALS{}, MU{}, OGM{}, FGD{}, Additive{}} {
					name := fmt.Sprintf("%s %T, data of %g", lossName(l), solver, unit)
					for _, loss := range []Loss{l, ByColumn{l}} {
						sound(t, name, mustFit(t, Model{Rank: 2, Loss: loss, Solver: solver, MaxIter: 3, Tol: -1}, scaled(uniform(5, 6, 1), unit)))
					}
				}
			}
		}
	}
}
