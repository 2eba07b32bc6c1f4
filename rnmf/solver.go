package rnmf

import "gonum.org/v1/gonum/mat"

// A Solver lowers a Quadratic: Improve replaces v (r×n, non-negative) by a
// better, non-negative v. It need not find the minimum: the objective never
// rises as long as q does not.
type Solver interface {
	Improve(q *Quadratic, v *mat.Dense)
}

// Additive solves with the outliers subtracted from the data instead of with
// weights: see Quadratic.Additive. HALS and multiplicative updates then need
// only products with U and UUᵀ. It works for every loss, and is slow where the
// weights differ by orders of magnitude (L1 with a small Eps). RNMF-L1 and
// RLS-NMF alternate in this form.
type Additive struct {
	Solver Solver // nil: HALS{}
}

var _ Solver = Additive{}

func (a Additive) check() error { return checkOne(a.Solver) }

// Improve runs the solver below on q.Additive().
func (a Additive) Improve(q *Quadratic, v *mat.Dense) {
	s := a.Solver
	if s == nil {
		s = HALS{}
	}
	b := q.Additive()
	s.Improve(b, v)
	q.entered = b.entered
}

// step returns max(0, v + n/d), the minimiser of d·x² − 2(n + d·v)x over x ≥ 0.
// With d = 0 the bound is flat or linear there: flat leaves v as it is, a
// decreasing one cannot happen (a penalty that pulls has curvature), and an
// increasing one has its minimum at 0.
func step(v, n, d float64) float64 {
	if d > 0 {
		if x := v + n/d; x > 0 && x < maxFactor {
			return x
		} else if x <= 0 {
			return 0
		}
		return v // n/d overflowed: d is rounding
	}
	if n < 0 {
		return 0
	}
	return v
}
