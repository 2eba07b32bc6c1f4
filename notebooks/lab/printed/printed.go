// Package printed has algorithms as their papers print them, where those of rnmf differ, and
// the solvers of some rivals: rows of the notebooks' tables and oracles, written in plain
// matrix products, without a promise of speed. Each is a type with Fit(ctx, x), whose
// result has the factors and the trace; X is m×n, a column is a sample, X ≈ WH.
//
//	RRA           Algorithm 1 of the RRA paper in its own order
//	LogNorm       LS-NMF and RLS-NMF, (13), (14), (46), (49) and (50)
//	Hypersurface  HCNMF by projected gradients with Armijo's rule (Hamza and Brady 2006)
//	Divergence    CNMF by divergence (Liu, Wu, Li, Cai and Huang 2012)
//	RSS           RSS-NMF by FGD with its four parameters, Algorithm 2
//	RMNMF         robust manifold NMF by an augmented Lagrangian (Huang et al. 2014)
package printed

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
)

// A Start is what all algorithms have in common.
type Start struct {
	Rank    int       // 1 to min(m, n)
	Init    rnmf.Init // nil: rnmf.Random{}
	Seed    uint64
	MaxIter int // rounds; 0: 500
	// Tol ends a run after a round that changes the objective by at most Tol times what the
	// first did, the rule (18) of the RRA paper; 0: never.
	Tol float64
	// Stop ends a run after the round with which it holds; nil: never.
	Stop func(rnmf.Trace) bool
}

// A state is the factors of a run, in the letters of this project.
type state struct {
	x, w, h *mat.Dense
}

// begin checks x and the settings, and draws the start, the one that a rnmf.Model of this seed has.
func (s *Start) begin(ctx context.Context, x mat.Matrix) (*state, error) {
	if d, ok := x.(*mat.Dense); x == nil || ok && d == nil {
		return nil, fmt.Errorf("%w: X is nil", rnmf.ErrEmpty)
	}
	m, n := x.Dims()
	if m == 0 || n == 0 {
		return nil, fmt.Errorf("%w: X is %d×%d", rnmf.ErrEmpty, m, n)
	}
	for i := range m {
		for j := range n {
			v := x.At(i, j)
			kind := rnmf.ErrNegative
			switch {
			case math.IsNaN(v) || math.IsInf(v, 0):
				kind = rnmf.ErrNotFinite
			case v > 1e100:
				kind = rnmf.ErrTooLarge
			case v >= 0:
				continue
			}
			return nil, &rnmf.EntryError{Matrix: "X", Row: i, Col: j, Value: v, Err: kind}
		}
	}
	if s.Rank < 1 || s.Rank > min(m, n) {
		return nil, fmt.Errorf("%w: %d, want 1 to %d for X of %d×%d", rnmf.ErrRank, s.Rank, min(m, n), m, n)
	}
	if s.MaxIter < 0 || !(s.Tol >= 0) {
		return nil, fmt.Errorf("%w: MaxIter is %d and Tol %g, want 0 or more", rnmf.ErrParameter, s.MaxIter, s.Tol)
	}
	if s.MaxIter == 0 {
		s.MaxIter = 500
	}
	if s.Init == nil {
		s.Init = rnmf.Random{}
	}
	d := mat.DenseCopyOf(x)
	w, h, err := s.Init.Start(ctx, d, s.Rank, rand.New(rand.NewPCG(s.Seed, 0x52_4e_4d_46)))
	if err != nil {
		return nil, err
	}
	return &state{d, w, h}, ctx.Err()
}

// run repeats a round, which changes f in place, until the rounds are over, the rule holds
// or ctx ends. A cancelled run returns the factors of its last whole round, and nil if
// there is none.
func (s *Start) run(ctx context.Context, f *state, objective func() float64, round func() error) (*rnmf.Result, error) {
	r := &rnmf.Result{W: f.w, H: f.h, KKT: -1, Reason: rnmf.MaxIter}
	var seconds float64
	add := func(i int) {
		r.Objective = objective()
		r.Trace = append(r.Trace, rnmf.Point{Round: i, Seconds: seconds, Objective: r.Objective, KKT: -1})
	}
	add(0)
	for i := 1; i <= s.MaxIter; i++ {
		if err := ctx.Err(); err != nil {
			if r.Reason = rnmf.Cancelled; i == 1 {
				return nil, err
			}
			return r, err
		}
		begin := time.Now()
		if err := round(); err != nil {
			return nil, err
		}
		seconds += time.Since(begin).Seconds()
		add(i)
		if t := r.Trace; s.Tol > 0 && i > 1 && math.Abs(t[i].Objective-t[i-1].Objective) <= s.Tol*math.Abs(t[1].Objective-t[0].Objective) {
			r.Reason = rnmf.Converged
			break
		}
		if s.Stop != nil && s.Stop(r.Trace) {
			r.Reason = rnmf.Converged
			break
		}
		if math.IsNaN(r.Objective) || math.IsInf(r.Objective, 0) {
			r.Reason = rnmf.Diverged
			break
		}
	}
	return r, nil
}

// residual is X − WH.
func (f *state) residual() *mat.Dense {
	var e mat.Dense
	e.Mul(f.w, f.h)
	e.Sub(f.x, &e)
	return &e
}

func product(a, b mat.Matrix) *mat.Dense {
	var c mat.Dense
	c.Mul(a, b)
	return &c
}

// times takes v to v ∘ numerator ⊘ denominator; 0/0 leaves an entry as it is.
func times(v, numerator, denominator *mat.Dense) {
	v.Apply(func(i, j int, a float64) float64 {
		if d := denominator.At(i, j); d > 0 {
			return a * numerator.At(i, j) / d
		}
		return a
	}, v)
}

// graph checks a graph of n samples.
func graph(g *rnmf.Graph, n int) error {
	if g == nil {
		return fmt.Errorf("%w: Graph is nil", rnmf.ErrParameter)
	}
	if nodes, _ := g.Dims(); nodes != n {
		return fmt.Errorf("%w: a graph of %d samples, X has %d", rnmf.ErrShape, nodes, n)
	}
	return nil
}

// weight checks a number that must not be negative.
func weight(name string, v float64) error {
	if !(v >= 0) || math.IsInf(v, 0) {
		return fmt.Errorf("%w: %s is %g, want 0 or more", rnmf.ErrParameter, name, v)
	}
	return nil
}
