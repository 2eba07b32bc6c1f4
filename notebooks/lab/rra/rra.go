// Package rra has what the experiments of the RRA paper (Liao and Zhang) need, and
// the stored results of long runs, for notebook 05.
package rra

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/papers"
)

// A Rival is a solver under the name that tables and figures give it.
type Rival struct {
	Name   string
	Solver rnmf.Solver
}

// Names of three algorithms that take (15) with the inverse (17).
const (
	// Algorithm1 is the paper's, in its own order: u and v of one component after the
	// other. It is no rnmf.Solver, as it changes both factors at once: see printed.RRA.
	Algorithm1 = "RRA, Algorithm 1"
	// VThenU takes all of V, and then all of U, as all solvers of rnmf do. The paper does
	// not have it, and it ends elsewhere.
	VThenU = "RRA, V then U"
	// Safe is VThenU with an upper bound in the place of what (17) leaves out, and steps
	// that cannot rise.
	Safe = "RRA, safe"
)

// Rivals returns the solvers of the paper and ours. Algorithm1 is not among them.
func Rivals() []Rival {
	return []Rival{
		{"MUR", rnmf.MU{}},
		{"NeNMF", papers.OGM{Printed: true}},
		{VThenU, papers.RRA{Printed: true}},
		{Safe, papers.RRA{}},
		{"coordinate descent", rnmf.HALS{}},
	}
}

// A Rule ends a fit, given its trace.
type Rule func(t rnmf.Trace) bool

// Settled is the stopping rule (18) of the paper: a round changes the objective by
// at most eps times what the first did.
func Settled(eps float64) Rule {
	return func(t rnmf.Trace) bool {
		n := len(t)
		return n > 2 && math.Abs(t[n-1].Objective-t[n-2].Objective) <= eps*math.Abs(t[1].Objective-t[0].Objective)
	}
}

// Reached ends a fit at an objective, or after so many seconds.
func Reached(objective, seconds float64) Rule {
	return func(t rnmf.Trace) bool {
		last := t[len(t)-1]
		return last.Objective <= objective || last.Seconds > seconds
	}
}

// Run goes on until the rule holds or m.MaxIter, and returns the factors of that
// round.
func Run(ctx context.Context, m rnmf.Model, x mat.Matrix, stop Rule) (*rnmf.Result, error) {
	m.Tol = -1
	var t rnmf.Trace
	var last rnmf.Step
	for step, err := range m.Steps(ctx, x) {
		if err != nil {
			return nil, err
		}
		last = step
		if t = append(t, step.Point); stop(t) {
			break
		}
	}
	return last.Result(), nil
}

// SecondsTo returns when a trace was first at an objective or below, NaN if never.
func SecondsTo(t rnmf.Trace, objective float64) float64 {
	for _, p := range t {
		if p.Objective <= objective {
			return p.Seconds
		}
	}
	return math.NaN()
}

// Lowest returns the lowest objective of a trace.
func Lowest(t rnmf.Trace) float64 {
	low := math.Inf(1)
	for _, p := range t {
		low = min(low, p.Objective)
	}
	return low
}
