package rnmf

import (
	"math"
	"testing"
)

// The slopes and values of Weigh are those of Rho.
func TestWeigh(t *testing.T) {
	var e []float64
	for i := range 1000 {
		e = append(e, math.Pow(10, float64(i)/50-12)*float64(1-2*(i%2)))
	}
	e = append(e, 0)
	near := func(got, want float64) bool { return math.Abs(got-want) <= 1e-14*want+1e-290 }
	for _, l := range []Loss{Frobenius{}, L1{0.3}, L1{}, Huber{Cut: 0.2}, Huber{}, Hypersurface{Scale: 0.4}, Correntropy{Scale: 2}, Cauchy{Scale: 0.1}, Manhattan{Mu: 0.2},
		Truncated{Loss: Cauchy{Scale: 0.1}, Cut: 0.5}, Truncated{Loss: L1{0.1}, Cut: 0.5}, Truncated{Loss: Frobenius{}, Cut: 2},
		Truncated{Loss: wrapped{Huber{Cut: 1}}, Cut: 3}, wrapped{Cauchy{Scale: 2}},
		Truncated{Loss: Truncated{Loss: Correntropy{Scale: 1}, Cut: 2}, Cut: 3}} {
		omega, value, alone := make([]float64, len(e)), make([]float64, len(e)), make([]float64, len(e))
		weightsAndValues(l, omega, value, e)
		weights(l, alone, e)
		for i, x := range e {
			y, w := l.Rho(x * x)
			if !near(omega[i], w) || !near(value[i], y) || !near(alone[i], w) {
				t.Errorf("%+v at %g: %g and %g (alone %g), want %g and %g", l, x, omega[i], value[i], alone[i], w, y)
			}
		}
	}
}

// wrapped hides all but Rho.
type wrapped struct{ Loss }
