package rnmf

import (
	"math"
	"testing"
)

// The slopes of Weigh are those of Rho.
func TestWeigh(t *testing.T) {
	var e []float64
	for i := range 1000 {
		e = append(e, math.Pow(10, float64(i)/50-12)*float64(1-2*(i%2)))
	}
	e = append(e, 0)
	for _, l := range []Weigher{L1{0.3}, L1{}, Huber{Cut: 0.2}, Hypersurface{Scale: 0.4}, Correntropy{Scale: 2}, Cauchy{Scale: 0.1},
		Truncated{Loss: Cauchy{Scale: 0.1}, Cut: 0.5}, Truncated{Loss: wrapped{Huber{Cut: 1}}, Cut: 3}} {
		omega := make([]float64, len(e))
		l.Weigh(omega, e)
		for i, x := range e {
			if _, want := l.Rho(x * x); math.Abs(omega[i]-want) > 1e-14*want {
				t.Errorf("%+v at %g: %g, want %g", l, x, omega[i], want)
			}
		}
	}
}

// wrapped hides all but Rho.
type wrapped struct{ Loss }
