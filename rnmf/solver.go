package rnmf

import (
	"cmp"

	"gonum.org/v1/gonum/mat"
)

// A Solver lowers a Quadratic: Improve replaces v (r×n, non-negative) by a better, non-negative v.
// It need not find the minimum: the objective never rises as long as q does not.
//
// A Solver may have more methods, which say what it can do:
//
//   - Extrapolates() bool: whether its factors are extrapolated between rounds, which saves many of
//     them (default: not).
//   - SignedU() bool: whether U may have negative entries, as the W of semi-NMF has.
//   - those of Constrained, if it keeps its factor in another set than V ≥ 0.
//   - Check() error finds bad parameters before a fit.
//   - Unwrap() Solver returns the solver that it wraps, whose methods then count.
type Solver interface {
	Improve(q *Quadratic, v *mat.Dense)
}

// A Constrained solver keeps its factor in another set than V ≥ 0, as Orthogonal does.
type Constrained interface {
	Solver
	// Signed reports whether V may have negative entries. That is for W alone.
	Signed() bool
	// Project puts a start into the set.
	Project(v *mat.Dense)
	// Probe returns a copy on which the fit tries a half-step, to see how far that still moves the
	// factor, without a trace in this one.
	Probe() Solver
}

// capability finds a method in a solver, or in what it wraps.
func capability[T any](s Solver) (c T, ok bool) {
	for s != nil {
		if c, ok = s.(T); ok {
			return c, true
		}
		w, wraps := s.(interface{ Unwrap() Solver })
		if !wraps {
			break
		}
		s = w.Unwrap()
	}
	return c, false
}

// extrapolates reports whether a solver's factors are to be extrapolated.
func extrapolates(s Solver) bool {
	e, ok := capability[interface{ Extrapolates() bool }](s)
	return ok && e.Extrapolates()
}

// constraint returns the constrained solver in s, or nil.
func constraint(s Solver) Constrained {
	c, _ := capability[Constrained](s)
	return c
}

// leavesSigns reports whether a solver may leave negative entries.
func leavesSigns(s Solver) bool {
	c := constraint(s)
	return c != nil && c.Signed()
}

// takesSignedU reports whether a solver accepts negative entries of U.
func takesSignedU(s Solver) bool {
	t, ok := capability[interface{ SignedU() bool }](s)
	return ok && t.SignedU()
}

// Additive solves with the outliers subtracted from the data instead of with weights: see
// Quadratic.Additive. HALS and multiplicative updates then need only products with U and UUᵀ. It
// works for every loss, and is slow where the weights differ by orders of magnitude (L1 with a
// small Eps). RNMF-L1 and RLS-NMF alternate in this form.
type Additive struct {
	Solver Solver // nil: HALS{}
}

// Check checks the solver below.
func (a Additive) Check() error { return checkPart(a.Solver) }

// Unwrap returns the solver below.
func (a Additive) Unwrap() Solver { return cmp.Or[Solver](a.Solver, HALS{}) }

// Improve runs the solver below on q.Additive().
func (a Additive) Improve(q *Quadratic, v *mat.Dense) {
	a.Unwrap().Improve(q.Additive(), v)
}
