package drive

import "math"

// A Change is that of an objective in some rounds at one scale.
type Change struct {
	From, To float64
	Tol      float64 // times the number of rounds; negative if the fit does not end so
	Sizes
	// Still reports whether the factors hardly move, where an objective has too few digits to show a
	// change; nil if that cannot be known.
	Still func() bool
}

// Sizes are what an objective is compared with.
type Sizes struct {
	// Penalties are the part of the objective that is no loss.
	Penalties func() float64
	// Usual is the loss if all residuals are ten times the median entry of X. What a robust objective
	// has above that is the constant cost of gross entries.
	Usual func() float64
	// Rounding are bounds of what rounding errors may have changed, cheap ones first: so an exact fit
	// ends. The last one is at the present residuals.
	Rounding []func() float64
}

// Settled reports whether the objective has changed so little that the fit has converged: by at most
// Tol as a share of the objective or, where most of that is the constant cost of gross entries, of the
// usual loss. Where the objective has too few digits to show such a change, Still decides.
func (c Change) Settled() bool {
	if c.Tol < 0 {
		return false
	}
	change, size := math.Abs(c.From-c.To), math.Abs(c.From)
	if least := c.Tol * size; change > least {
		for _, rounding := range c.Rounding {
			if change > least+rounding() {
				return false
			}
		}
	}
	usual := c.Usual()
	if !(size > usual) || !(size-math.Abs(c.Penalties()) > usual) {
		return true
	}
	if change > c.Tol*usual+c.Rounding[len(c.Rounding)-1]() {
		return false
	}
	return c.Still == nil || 1e-15*size <= c.Tol*usual || c.Still()
}
