package papers

import (
	"github.com/robustnmf/robustnmf/rnmf"
	"math"

	"gonum.org/v1/gonum/mat"
)

// LogShrink is the squared error after minimising over outliers with a log penalty,
//
//	ρ(e²) = min over x ≥ 0 of (e − x)² + γσ² log(1 + x/σ).
//
// ByColumn{LogShrink{…}} is RLS-NMF's min over S of ‖X − WH − S‖² + γ‖S‖_{2,log} (RLS-NMF paper,
// (35), where σ is 1); of entries it is the same with Σ log(1 + |s|). Solved in the Additive form
// the two alternate, and Outliers gives S. With the L2,1 norm and the L1 norm in place of the log
// one gets ByColumn{Huber{Cut: γ/2}} and Huber{Cut: γ/2}.
//
// With x(e) the minimiser (see Shrink) the slope is ρ′ = 1 − x/e. x/e is 0 up to a threshold, where
// x may jump up, and never falls beyond it, as x ≤ e and x′ ≥ 1 there. So ρ′ never rises, and ρ is
// concave. Beyond the threshold, which is γσ/2 for γ ≤ 2 and between (√(2γ) − 1)σ and γσ/2 for
// more, the weight falls like 1/e², as Cauchy's does.
//
// Columns scaled to length 1 have residuals below 1: with σ = 1 and γ ≥ 2 RLS-NMF is LS-NMF.
type LogShrink struct {
	// Gamma is γ, positive.
	Gamma float64
	// Scale is σ: 1 as in the paper. With 0 it is estimated as the median of e, so that
	// γ means the same on all data: with 6 outliers begin at 2.6 times the median.
	Scale float64
}

// Rho returns the minimum above and 1 − x/e.
func (l LogShrink) Rho(s float64) (value, slope float64) {
	e := math.Sqrt(s) / l.Scale
	x, rest := logShrink(e, l.Gamma/2)
	if x == 0 {
		return s, 1
	}
	return l.Scale * l.Scale * (rest*rest + l.Gamma*math.Log1p(x)), rest / e
}

// Tuning sets Scale to the median of |e|.
func (l LogShrink) Tuning() rnmf.Tuning {
	if l.Scale > 0 {
		return nil
	}
	return func(s *rnmf.Residuals) (rnmf.Loss, bool) {
		l.Scale = s.Median()
		return l, false
	}
}

// ScaleNow returns Scale.
func (l LogShrink) ScaleNow() float64 { return l.Scale }

// Check finds a bad parameter.
func (l LogShrink) Check() error {
	if !(l.Gamma >= leastScale && l.Gamma <= maxEntry) {
		return errParameter("LogShrink.Gamma", l.Gamma, "a positive number")
	}
	return checkScale("LogShrink.Scale", l.Scale)
}

// Shrink is the shrinkage operator for columns (RLS-NMF paper, Theorem 2, with τ = γ/2): the
// minimiser S (m×n, as Y) of
//
//	½‖Y − S‖² + τσ² Σ_j log(1 + ‖s_j‖/σ).
//
// Each column keeps its direction; in units of σ its length e becomes the minimiser of
// f(x) = ½(x − e)² + τ log(1 + x),
//
//	ξ = (e − 1)/2 + √((1 + e)²/4 − τ)   if f(ξ) ≤ f(0),   or else 0   (38).
//
// For τ ≤ 1 f is convex, and x leaves 0 at e = τ without a jump. For τ > 1 it jumps, at an e
// between 2√τ − 1 and τ; there 0 and ξ are equally good, and ξ is taken. From long columns it takes
// less than soft thresholding, τ/(1 + x) instead of τ. Scale must be given.
func (l LogShrink) Shrink(y mat.Matrix) (*mat.Dense, error) {
	d, err := matrix("Y", y)
	if err != nil {
		return nil, err
	}
	if err := checkEntries("Y", d, true); err != nil {
		return nil, err
	}
	if err := l.Check(); err != nil && l.Gamma != 0 { // with 0 nothing is taken
		return nil, err
	}
	if !(l.Scale > 0) {
		return nil, errParameter("LogShrink.Scale", l.Scale, "1, or another positive number")
	}
	w := mat.DenseCopyOf(d)
	lengths := columnLengths(d)
	for j, e := range lengths {
		x, rest := logShrink(e/l.Scale, l.Gamma/2)
		lengths[j] = 0
		if x > 0 {
			lengths[j] = 1 - rest*l.Scale/e
		}
	}
	w.Apply(func(_, j int, v float64) float64 { return v * lengths[j] }, w)
	return w, nil
}

func columnLengths(d *mat.Dense) []float64 {
	_, n := d.Dims()
	s := make([]float64, n)
	for j := range s {
		s[j] = mat.Norm(d.ColView(j), 2)
	}
	return s
}

// logShrink returns the minimiser x of f for a length e, and e − x.
func logShrink(e, tau float64) (x, rest float64) {
	if tau <= 1 && e <= tau {
		return 0, e
	}
	// ξ is the larger zero of (1 + x)f′ = x² + (1 − e)x + τ − e. The square of e may overflow.
	half := (1 + e) / 2
	share := tau / half / half
	if share > 1 {
		return 0, e // f rises everywhere
	}
	root := half * math.Sqrt(1-share)
	rest = tau / (half + root)
	if e < 1 {
		x = (e - tau) / ((1-e)/2 + root) // e − rest would cancel
	} else {
		x = (e-1)/2 + root
	}
	// f(ξ) > f(0), with ½e² taken off both.
	if !(x > 0) || tau > 1 && tau*math.Log1p(x) > x*(e-x/2) {
		return 0, e
	}
	return x, rest
}
