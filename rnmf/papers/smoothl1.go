package papers

import (
	"github.com/robustnmf/robustnmf/rnmf"
	"math"
)

// SmoothL1 is the absolute value as MahNMF smooths it (Guan et al. 2012, after Nesterov 2005),
//
//	ρ(e²) = max over |y| ≤ 1 of (y e − ½μy²) = e²/2μ  for |e| ≤ μ,   |e| − μ/2  beyond,
//
// which lies below |e| by at most μ/2, so that its sum tends to the L1 norm as μ tends to 0. It is
// the Huber loss with cut-off μ, over 2μ.
//
// With Mu 0, μ starts as the median of |e| and falls by a tenth in each round, to a twentieth of
// that: a small μ has large weights, which bind the factors to the entries already fitted.
type SmoothL1 struct{ Mu float64 }

// Rho returns the formula above and 1/(2max(|e|, μ)).
func (l SmoothL1) Rho(s float64) (value, slope float64) {
	if s <= l.Mu*l.Mu {
		return 0.5 * s / l.Mu, 0.5 / l.Mu
	}
	e := math.Sqrt(s)
	return e - 0.5*l.Mu, 0.5 / e
}

// Check finds a bad parameter.
func (l SmoothL1) Check() error { return checkScale("SmoothL1.Mu", l.Mu) }

// Weigh writes 1/(2max(|e|, μ)) and the formula above.
func (l SmoothL1) Weigh(omega, value, e []float64) {
	rnmf.Huber{Cut: l.Mu}.Weigh(omega, value, e)
	c := 0.5 / l.Mu
	for i := range omega {
		omega[i] *= c
	}
	for i := range value {
		value[i] *= c
	}
}

// Tuning lowers Mu from round to round, and is settled at the last value.
func (l SmoothL1) Tuning() rnmf.Tuning {
	if l.Mu > 0 {
		return nil
	}
	var mu, last float64
	return func(s *rnmf.Residuals) (rnmf.Loss, bool) {
		if mu == 0 {
			mu = s.Median()
			last = max(0.05*mu, leastScale)
		} else {
			mu = max(0.9*mu, last)
		}
		if mu > last {
			return rnmf.Preliminary{Loss: SmoothL1{Mu: mu}}, false
		}
		return SmoothL1{Mu: mu}, true
	}
}

// ScaleNow returns Mu.
func (l SmoothL1) ScaleNow() float64 { return l.Mu }
