package rnmf

import (
	"encoding/gob"
	"math"

	"github.com/robustnmf/robustnmf/rnmf/internal/kernel"
)

// CauchyTail is least squares up to Cut and Cauchy's loss beyond, with c = Cut and γ = 0.4c:
//
//	ρ(s) = s for s ≤ c²,   c² + γ² ln(1 + (s − c²)/γ²) beyond.
//
// So what is within the noise counts fully, and a gross error next to nothing: its weight falls as γ²/s.
// With Cut 0, it is estimated as 2.5σ̂ (see Huber): 1.2 % of normal residuals are beyond. It is the loss of
// RobustPoissonNMF, as its weights do not favour small counts: see Poisson.
type CauchyTail struct{ Cut float64 }

const tailShare = 0.4 // γ/c

func init() { gob.Register(CauchyTail{}) }

// Rho returns the formula above and min(1, γ²/(γ² + s − c²)).
func (l CauchyTail) Rho(s float64) (value, slope float64) {
	c2, g := l.Cut*l.Cut, tailShare*l.Cut
	if s <= c2 {
		return s, 1
	}
	value, slope = Cauchy{Scale: g}.Rho(s - c2)
	return c2 + g*g*value, g * g * slope
}

// Weigh writes the same.
func (l CauchyTail) Weigh(omega, value, e []float64) {
	c2, g2 := l.Cut*l.Cut, tailShare*l.Cut*tailShare*l.Cut
	for i, x := range e {
		omega[i] = math.Sqrt(max(x*x-c2, 0))
	}
	kernel.Cauchy(g2, math.Inf(1)).Weigh(omega, value, omega)
	for i, x := range e {
		omega[i] *= g2
		if value != nil {
			value[i] = g2*value[i] + min(x*x, c2)
		}
	}
}

// Check finds a bad cut-off.
func (l CauchyTail) Check() error { return checkScale("CauchyTail.Cut", l.Cut) }

// ScaleNow returns Cut.
func (l CauchyTail) ScaleNow() float64 { return l.Cut }

// Tuning sets Cut to 2.5σ̂.
func (l CauchyTail) Tuning() Tuning {
	return tuningTo(l.Cut, 2.5*madToSigma, false, nil, func(c float64) Loss { return CauchyTail{c} })
}
