package rnmf

import "gonum.org/v1/gonum/mat"

// A Solver lowers a Quadratic: Improve replaces v (r×n, non-negative) by a better, non-negative v.
// It need not find the minimum: the objective never rises as long as q does not.
//
// A Solver may have more methods, which say what it can do:
//
//   - Extrapolates() bool: whether its factors are extrapolated between rounds, which saves many of
//     them (default: not; those of a Constrained one never are).
//   - SignedU() bool: whether U may have negative entries, as the W of semi-NMF has.
//   - AfterTuning() Solver returns the one that takes its place in rounds in which the scale of the loss
//     has just been estimated.
//   - Refill(q *Quadratic, v *mat.Dense) is called after Improve of H if there are no penalties and the
//     half-step of W follows, for a solver that gives lost components back: see Orthogonal of package
//     papers.
//   - those of Constrained, if it keeps its factor in another set than V ≥ 0.
//   - Takes(f Family) bool: whether it lowers the deviances of a family too (default: Gaussian alone).
//     Under Poisson the Gradient and Curvature of a Tile are those of deviances, at any V.
//   - Check() error finds bad parameters before a fit.
//   - Unwrap() Solver returns the solver that it wraps, whose methods then count, but for AfterTuning,
//     Refill and Takes: what wraps it may have its own.
type Solver interface {
	Improve(q *Quadratic, v *mat.Dense)
}

// A Constrained solver keeps its factor in another set than V ≥ 0, as NormalEquations does.
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

// extrapolates reports whether a solver's factors are to be extrapolated, which would leave the set of a
// Constrained one.
func extrapolates(s Solver) bool {
	e, ok := capability[interface{ Extrapolates() bool }](s)
	return ok && e.Extrapolates() && constraint(s) == nil
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
