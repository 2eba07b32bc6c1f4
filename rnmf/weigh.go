package rnmf

import (
	"math"

	"github.com/robustnmf/robustnmf/rnmf/internal/kernel"
)

// A Weigher is a Loss that computes many slopes at once, faster than by Rho:
// omega_i = ρ′(e_i²) and, where value is not nil, value_i = ρ(e_i²). All three
// slices have the same length. Both are those of Rho within 1e-14 of their size;
// only where e_i² is out of range, above 1e300 or below 1e-300, may they differ.
type Weigher interface {
	Loss
	Weigh(omega, value, e []float64)
}

var (
	_ Weigher = Frobenius{}
	_ Weigher = L1{}
	_ Weigher = Huber{}
	_ Weigher = Hypersurface{}
	_ Weigher = Correntropy{}
	_ Weigher = Cauchy{}
	_ Weigher = Truncated{}
)

// weights writes the slopes of an entry-wise loss.
func weights(l Loss, omega, e []float64) { weightsAndValues(l, omega, nil, e) }

// weightsAndValues writes the slopes of an entry-wise loss and, unless value is
// nil, the values.
func weightsAndValues(l Loss, omega, value, e []float64) {
	if w, ok := l.(Weigher); ok {
		w.Weigh(omega, value, e)
		return
	}
	for i, x := range e {
		y, w := l.Rho(x * x)
		omega[i] = w
		if value != nil {
			value[i] = y
		}
	}
}

// A cutter is a Weigher that can stop at a cut-off at no cost: what Truncated
// does to it.
type cutter interface {
	weigh(omega, value, e []float64, cut2 float64)
}

var uncut = math.Inf(1)

// Weigh writes 1 and e².
func (l Frobenius) Weigh(omega, value, e []float64) { l.weigh(omega, value, e, uncut) }

func (Frobenius) weigh(omega, value, e []float64, cut2 float64) {
	kernel.Square(omega, value, e, cut2)
}

// Weigh writes 1/(2√(e² + ε²)) and √(e² + ε²).
func (l L1) Weigh(omega, value, e []float64) { l.weigh(omega, value, e, uncut) }

func (l L1) weigh(omega, value, e []float64, cut2 float64) {
	kernel.L1(omega, value, e, l.Eps*l.Eps, cut2)
}

// Weigh writes min(1, c/|e|) and the formula of Huber.
func (l Huber) Weigh(omega, value, e []float64) { l.weigh(omega, value, e, uncut) }

func (l Huber) weigh(omega, value, e []float64, cut2 float64) {
	kernel.Huber(omega, value, e, l.Cut, cut2)
}

// Weigh writes 1/(2σ²√(1 + e²/σ²)) and √(1 + e²/σ²) − 1.
func (l Hypersurface) Weigh(omega, value, e []float64) { l.weigh(omega, value, e, uncut) }

func (l Hypersurface) weigh(omega, value, e []float64, cut2 float64) {
	kernel.Hypersurface(omega, value, e, 1/(l.Scale*l.Scale), cut2)
}

// Weigh writes exp(−e²/2σ²)/2σ² and 1 − exp(−e²/2σ²).
func (l Correntropy) Weigh(omega, value, e []float64) { l.weigh(omega, value, e, uncut) }

func (l Correntropy) weigh(omega, value, e []float64, cut2 float64) {
	kernel.Correntropy(omega, value, e, 0.5/(l.Scale*l.Scale), cut2)
}

// Weigh writes 1/(γ² + e²) and ln(1 + e²/γ²).
func (l Cauchy) Weigh(omega, value, e []float64) { l.weigh(omega, value, e, uncut) }

func (l Cauchy) weigh(omega, value, e []float64, cut2 float64) {
	kernel.Cauchy(omega, value, e, l.Scale*l.Scale, cut2)
}

// Weigh writes the slopes and the values of the loss below, and beyond the
// cut-off 0 and the value there.
func (l Truncated) Weigh(omega, value, e []float64) { l.weigh(omega, value, e, uncut) }

func (l Truncated) weigh(omega, value, e []float64, cut2 float64) {
	cut2 = min(cut2, l.Cut*l.Cut)
	if inner, ok := l.Loss.(cutter); ok {
		inner.weigh(omega, value, e, cut2)
		return
	}
	weightsAndValues(l.Loss, omega, value, e)
	most, _ := l.Loss.Rho(cut2)
	for i, x := range e {
		if x*x > cut2 {
			omega[i] = 0
			if value != nil {
				value[i] = most
			}
		}
	}
}
