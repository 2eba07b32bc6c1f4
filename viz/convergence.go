package viz

import (
	"fmt"

	"github.com/robustnmf/robustnmf/rnmf"
)

// A Curve is a named trace: one run of one model.
type Curve struct {
	Name  string // in the legend, which is left out if no curve has a name
	Trace rnmf.Trace
	Style int // as that of a Series
}

// ConvergenceOptions say what Convergence draws. The zero value draws the
// objective against the rounds on linear axes.
type ConvergenceOptions struct {
	Title         string
	Width, Height float64 // inches; 0: 6.5 × 4
	Seconds       bool    // against seconds of the algorithm instead of rounds
	LogX, LogY    bool    // points at or below zero are left out
	// Value takes the value to draw from a point; nil: the objective.
	// YLabel should name it.
	Value  func(rnmf.Point) float64
	YLabel string
}

// Convergence draws how runs went: a curve for each, with markers at a few of
// its points.
//
// It returns ErrEmpty if there is no curve, or one without a point that can be
// drawn, ErrOption for a style below 0, and ErrNotFinite for a value that is no
// finite number.
func Convergence(curves []Curve, opt ConvergenceOptions) (*Chart, error) {
	if len(curves) == 0 {
		return nil, fmt.Errorf("%w: no curves", ErrEmpty)
	}
	value := opt.Value
	if value == nil {
		value = func(p rnmf.Point) float64 { return p.Objective }
	}
	xlabel, ylabel := "round", opt.YLabel
	if opt.Seconds {
		xlabel = "seconds"
	}
	if ylabel == "" {
		ylabel = "objective"
		if opt.Value != nil {
			ylabel = ""
		}
	}
	series := make([]Series, len(curves))
	for i, c := range curves {
		s := Series{Name: c.Name, Style: c.Style}
		for k, p := range c.Trace {
			x, y := float64(p.Round), value(p)
			if opt.Seconds {
				x = p.Seconds
			}
			if !drawable(x) || !drawable(y) {
				return nil, fmt.Errorf("%w: point %d of curve %d (%q) is (%g, %g)", ErrNotFinite, k, i, c.Name, x, y)
			}
			s.X, s.Y = append(s.X, x), append(s.Y, y)
		}
		if len(s.Y) == 0 {
			return nil, fmt.Errorf("%w: curve %d (%q) has no points", ErrEmpty, i, c.Name)
		}
		series[i] = s
	}
	return Lines(series, LinesOptions{
		Title: opt.Title, XLabel: xlabel, YLabel: ylabel,
		Width: opt.Width, Height: opt.Height,
		LogX: opt.LogX, LogY: opt.LogY,
	})
}
