package rnmf

import "math"

// A Weigher is a Loss that computes many slopes at once, omega_i = ρ′(e_i²),
// faster than by Rho, whose values the weights do not need.
type Weigher interface {
	Loss
	Weigh(omega, e []float64)
}

var (
	_ Weigher = L1{}
	_ Weigher = Huber{}
	_ Weigher = Hypersurface{}
	_ Weigher = Correntropy{}
	_ Weigher = Cauchy{}
	_ Weigher = Truncated{}
)

// weights writes the slopes of an entry-wise loss.
func weights(l Loss, omega, e []float64) {
	if w, ok := l.(Weigher); ok {
		w.Weigh(omega, e)
		return
	}
	for i, x := range e {
		_, omega[i] = l.Rho(x * x)
	}
}

// Weigh computes 1/(2√(e² + ε²)).
func (l L1) Weigh(omega, e []float64) {
	c := l.Eps * l.Eps
	for i, x := range e {
		omega[i] = 0.5 / max(math.Sqrt(x*x+c), tiny)
	}
}

// Weigh computes min(1, c/|e|).
func (l Huber) Weigh(omega, e []float64) {
	for i, x := range e {
		if a := math.Abs(x); a > l.Cut {
			omega[i] = l.Cut / a
		} else {
			omega[i] = 1
		}
	}
}

// Weigh computes 1/(2σ²√(1 + e²/σ²)).
func (l Hypersurface) Weigh(omega, e []float64) {
	c := 1 / (l.Scale * l.Scale)
	for i, x := range e {
		omega[i] = 0.5 * c / math.Sqrt(1+x*x*c)
	}
}

// Weigh computes exp(−e²/2σ²)/2σ².
func (l Correntropy) Weigh(omega, e []float64) {
	c := 0.5 / (l.Scale * l.Scale)
	for i, x := range e {
		omega[i] = c * math.Exp(-x*x*c)
	}
}

// Weigh computes 1/(γ² + e²).
func (l Cauchy) Weigh(omega, e []float64) {
	g := l.Scale * l.Scale
	for i, x := range e {
		omega[i] = 1 / (g + x*x)
	}
}

// Weigh computes the slopes of the loss below, and 0 beyond the cut-off.
func (l Truncated) Weigh(omega, e []float64) {
	weights(l.Loss, omega, e)
	c := l.Cut * l.Cut
	for i, x := range e {
		if x*x > c {
			omega[i] = 0
		}
	}
}
