package rnmf_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest/parts"
	. "github.com/robustnmf/robustnmf/rnmf/papers"
)

// brakeless makes the objective rise, and later explode.
type brakeless struct{ by float64 }

func (b brakeless) Improve(q *Quadratic, v *mat.Dense) {
	HALS{}.Improve(q, v)
	q.Tiles(v, func(t *Tile) {
		for i := range t.V {
			t.V[i] *= b.by
		}
	})
}

// constantly sets all entries to a number.
type constantly struct{ to float64 }

func (c constantly) Improve(q *Quadratic, v *mat.Dense) {
	q.Tiles(v, func(t *Tile) {
		for i := range t.V {
			t.V[i] = c.to
		}
	})
}

// A loss with a slope that is negative or no number is no reason to panic.
func TestBadSlopes(t *testing.T) {
	x, _ := Planted(9, 12, 3, 0.1, 0, 1)
	for _, slope := range []float64{-1, math.NaN(), math.Inf(1), 0} {
		for _, s := range append([]Solver{Additive{Solver: MU{}}, Additive{Solver: OGM{}}, Additive{Solver: Orthogonal{}}}, AllSolvers...) {
			m := Model{Rank: 3, Loss: badSlope{slope}, Solver: s, MaxIter: 4}
			if Constraint(s) != nil {
				m.Solver, m.SolverH = nil, s
			}
			r, err := m.Fit(t.Context(), x)
			if err != nil {
				continue
			}
			name := fmt.Sprintf("slope %g, %T", slope, s)
			Sound(t, name, r)
			o, err := r.Outliers(x, nil)
			if err != nil {
				t.Fatal(name, err)
			}
			for what, sum := range map[string]float64{"weights": mat.Sum(o.Weights), "S": mat.Sum(o.S), "samples": floats.Sum(o.Samples)} {
				if math.IsNaN(sum) || math.IsInf(sum, 0) {
					t.Errorf("%s: the sum of %s is %g", name, what, sum)
				}
			}
		}
	}
}

type badSlope struct{ slope float64 }

func (b badSlope) Rho(s float64) (value, slope float64) { return s, b.slope }

// A loss of a stranger that gives no residual a weight, no number, or is not concave is an error of
// the fit, not a model of nothing.
func TestWrongLoss(t *testing.T) {
	x, _ := Planted(9, 12, 3, 0.1, 0, 1)
	for name, slope := range map[string]func(s float64) float64{
		"scale 0": func(s float64) float64 { return 0 / (0 + s) },
		"none":    func(float64) float64 { return 0 },
		"NaN":     func(float64) float64 { return math.NaN() },
		"convex":  func(s float64) float64 { return 1 + 2*s },
		"below 0": func(float64) float64 { return -1 },
	} {
		for _, l := range []Loss{slopeOf(slope), ByColumn{slopeOf(slope)}} {
			if _, err := (Model{Rank: 3, Loss: l}).Fit(t.Context(), x); !errors.Is(err, ErrParameter) || !strings.Contains(err.Error(), "CheckLoss") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	MustFit(t, Model{Rank: 3, Loss: slopeOf(func(s float64) float64 { return 0.5 / math.Sqrt(s) })}, x)
}

type slopeOf func(s float64) float64

func (f slopeOf) Rho(s float64) (value, slope float64) { return s * f(s), f(s) }

// A solver that does not descend loses nothing.
func TestBadSolvers(t *testing.T) {
	x, _ := Planted(9, 12, 3, 0.1, 0, 1)
	for _, by := range []float64{1.2, 10, 1e30, math.Inf(1), math.NaN()} {
		m := Model{Rank: 3, Solver: brakeless{by}, MaxIter: 6, Tol: -1}
		r := MustFit(t, m, x)
		if !Sound(t, "brakeless", r) || by > 2 && r.Reason != Diverged || by < 2 && r.Reason != MaxIter {
			t.Errorf("by %g: %v", by, r.Reason)
		}
		for _, p := range r.Trace {
			if r.Objective > p.Objective*(1+1e-9) {
				t.Errorf("by %g: the result's objective %g, round %d had %g", by, r.Objective, p.Round, p.Objective)
			}
		}
	}
	// Also where the scale is estimated, so that objectives of two rounds cannot be
	// compared: no round is worse, at its own scale, than what it began with, nor does
	// the scale follow what is worse.
	for _, loss := range TunedLosses {
		for _, s := range []Solver{constantly{1}, constantly{-1}, constantly{math.NaN()}, brakeless{3}} {
			start := MustFit(t, Model{Rank: 3, Loss: loss, Solver: Lazy{}, Tol: -1, MaxIter: 1}, x)
			r := MustFit(t, Model{Rank: 3, Loss: loss, Solver: s, Tol: -1, MaxIter: 12}, x)
			name := fmt.Sprintf("%s, %T%+v: %v", LossName(loss), s, s, r.Reason)
			if !Sound(t, name, r) {
				continue
			}
			before, after := mat.Norm(NaiveResidual(x, start.W, start.H), 2), mat.Norm(NaiveResidual(x, r.W, r.H), 2)
			if after > before*(1+1e-9) {
				t.Errorf("%s: the residual was %g and is %g", name, before, after)
			}
		}
	}
	if r := MustFit(t, Model{Rank: 3, Solver: Lazy{}}, x); r.Reason != Stalled || len(r.Trace) != 2 {
		t.Errorf("lazy: %v after %d", r.Reason, len(r.Trace)-1)
	}
	for r := Reason(0); r <= Cancelled+1; r++ {
		if r.String() == "" {
			t.Error(int(r))
		}
	}
}
