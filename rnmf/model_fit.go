package rnmf

import (
	"context"
	"iter"

	"gonum.org/v1/gonum/mat"
)

// A Step is what the loop over Steps sees after each round.
type Step struct {
	Point
	fit *fit
}

// W returns a copy of the current basis (m×r), nil if the fit ended before it had a step.
func (s Step) W() *mat.Dense {
	if s.fit == nil {
		return nil
	}
	return mat.DenseCopyOf(s.fit.wt.T())
}

// H returns a copy of the current coefficients (r×n), nil if the fit ended before it had a step.
func (s Step) H() *mat.Dense {
	if s.fit == nil {
		return nil
	}
	return mat.DenseCopyOf(s.fit.h)
}

// Result returns the state of the fit as a Result, to look at or to keep when the loop is left. It is nil if the
// fit ended before it had a step.
func (s Step) Result() *Result {
	if s.fit == nil {
		return nil
	}
	return s.fit.result()
}

// Steps runs the fit and yields after each round, the start as round 0 first: progress, a picture,
// a stopping rule of your own are the body of the loop. It ends as Fit does. Bad input gives one
// error and no step; when ctx ends, its error comes last, with the step that was reached, if there
// is one. (To watch types without Steps see Model.Watch.)
func (m Model) Steps(ctx context.Context, x mat.Matrix) iter.Seq2[Step, error] {
	return func(yield func(Step, error) bool) {
		f, err := m.start(ctx, x, false)
		if err != nil {
			yield(Step{}, err)
			return
		}
		f.pool.Open()
		defer f.pool.Close()
		left := false
		f.run(func() bool {
			left = !yield(Step{f.trace[len(f.trace)-1], f}, nil)
			return !left
		})
		switch {
		case f.reason != Cancelled || left:
		case len(f.trace) == 0:
			yield(Step{}, f.err(ctx))
		default:
			yield(Step{f.trace[len(f.trace)-1], f}, f.err(ctx))
		}
	}
}

// Fit factorises x (m×n, a column is a sample). Not converging is a reason in the Result, not an
// error. If ctx ends, or a loss or penalty of your own goes wrong on the way, Fit soon returns the
// error and the factors of the last complete round, without their KKT residual, or nil before the
// first objective.
func (m Model) Fit(ctx context.Context, x mat.Matrix) (*Result, error) {
	f, err := m.start(ctx, x, false)
	if err != nil {
		return nil, err
	}
	f.pool.Open()
	defer f.pool.Close()
	f.run(func() bool {
		if m.Watch != nil {
			m.Watch(f.trace[len(f.trace)-1])
		}
		return true
	})
	return f.outcome(), f.err(ctx)
}

// A Fitter is a Model, or another type with such a fit, which may return more than a Result. One that has
// a Model among its fields also has the method of an EditableFitter.
type Fitter[R any] interface {
	Fit(ctx context.Context, x mat.Matrix) (R, error)
}

// An EditableFitter has a method that returns the same with another Model: edit changes a copy, and nil
// changes nothing. So programs can watch a fit (Model.Watch) or bound its rounds, of whatever type it is.
type EditableFitter[R any] interface {
	Fitter[R]
	With(edit func(m *Model)) Fitter[R]
}

// With returns the model as edit changes it.
func (m Model) With(edit func(m *Model)) Fitter[*Result] {
	if edit != nil {
		edit(&m)
	}
	return m
}

// Base returns r. Types that embed a Result have it too, so that code can take any of them.
func (r *Result) Base() *Result { return r }
