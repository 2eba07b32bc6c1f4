package rnmf

import (
	"cmp"
	"context"
	"fmt"
	"iter"

	"gonum.org/v1/gonum/mat"
)

// A Model says what to minimise,
//
//	Σ Mask∘ρ((X − WH)²) + Σ OnW(Wᵀ) + Σ OnH(H)   over W, H ≥ 0,
//
// where the first sum is Σ_j ρ(Σ_i Mask_ij (X − WH)²_ij) for a loss ByColumn, and how. Only Rank
// must be set; each other zero value is a sound choice. A Model is a plain value and can be copied,
// changed and used for many fits at once. So are the losses, solvers and penalties of this package.
type Model struct {
	// Rank is the number r of components, from 1 to min(m, n).
	Rank int
	// Loss is ρ; nil is Frobenius.
	Loss Loss
	// OnW and OnH are penalties on Wᵀ and on H.
	OnW, OnH []Penalty
	// Solver improves each factor in turn; nil is HALS.
	Solver Solver
	// SolverW and SolverH take its place for one factor; nil is Solver.
	SolverW, SolverH Solver
	// Mask (m×n, entries ≥ 0) weighs the entries of X. Where it is 0, the entry is missing, and X
	// may hold anything there, NaN as well. The Result keeps it for Outliers, without a copy.
	Mask mat.Matrix
	// Init makes the first W and H; nil is Random.
	Init Init
	// Seed of all that is random. The same seed gives the same bits.
	Seed uint64
	// MaxIter bounds the rounds (H, then W); 0 is 500.
	MaxIter int
	// Tol ends the fit when a round lowers the objective, at the scale of the round, by less than
	// this share of it (L2,1 paper, (58), with the sign corrected). 0 is 1e-5; negative never ends
	// it. Where gross entries make up most of a robust objective, it is a share of the loss that
	// residuals of ten times the median entry of X would have. No fit ends by Tol while its loss is
	// an Interim: in the first stage of TwoStage, or while the Mu of Manhattan falls.
	Tol float64
	// TuneFor is the number of rounds in which a Tuner estimates its scale; 0 is all. After them
	// the scale stays, and the objective never rises. An Interim loss is tuned until it is final.
	TuneFor int
	// Signed accepts negative entries in X, as additive noise makes them.
	Signed bool
	// TraceKKT computes the KKT residual in each round. It costs about as much as a multiplicative
	// update and is not counted in the seconds.
	TraceKKT bool
	// TraceEvery is the number of rounds from one objective (for the trace, Steps and Tol) to the
	// next; 0 is 1. The objective is also computed in the last round, in those around an estimate
	// of the scale, and in all with a solver that extrapolates, which needs it. A cancelled fit
	// returns the last round whose objective is known. Under Cauchy this saves a logarithm for each
	// entry of X, a quarter of a multiplicative round; elsewhere about a twentieth.
	TraceEvery int
}

// The defaults of MaxIter and Tol.
const (
	defaultMaxIter = 500
	defaultTol     = 1e-5
)

// A Reason says why a fit stopped.
type Reason int

// The reasons. Only Cancelled comes with an error.
const (
	Converged Reason = iota + 1 // a round lowered the objective by less than Tol
	MaxIter                     // the rounds ran out
	Stalled                     // a round changed nothing at all
	Diverged                    // the objective rose tenfold, or was no number: the best factors are returned
	Cancelled                   // the context ended
	Collapsed                   // all components became 0 though X is not: the penalties are too heavy, see PenaltyUnits
)

func (r Reason) String() string {
	switch r {
	case 0:
		return "running" // in a Result taken from a Step
	case Converged:
		return "converged"
	case MaxIter:
		return "maximum of iterations"
	case Stalled:
		return "stalled"
	case Diverged:
		return "diverged"
	case Cancelled:
		return "cancelled"
	case Collapsed:
		return "collapsed"
	}
	return fmt.Sprintf("Reason(%d)", int(r))
}

// A Step is what the loop over Steps sees after each round.
type Step struct {
	Point
	fit *fit
}

// W returns a copy of the current basis (m×r).
func (s Step) W() *mat.Dense { return mat.DenseCopyOf(s.fit.wt.T()) }

// H returns a copy of the current coefficients (r×n).
func (s Step) H() *mat.Dense { return mat.DenseCopyOf(s.fit.h) }

// Result returns the state of the fit as a Result, to look at or to keep when the loop is left.
func (s Step) Result() *Result {
	if s.fit == nil {
		return nil // a fit that ended before it had a step
	}
	return s.fit.result()
}

// Steps runs the fit and yields after each round, the start as round 0 first: progress, a picture,
// a stopping rule of your own are the body of the loop. It ends as Fit does. Bad input gives one
// error and no step; when ctx ends, its error comes last, with the step that was reached, if there
// is one. (To watch types without Steps see WithTrace.)
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
			yield(Step{}, ctx.Err())
		default:
			yield(Step{f.trace[len(f.trace)-1], f}, ctx.Err())
		}
	}
}

// Fit factorises x (m×n, a column is a sample). Not converging is a reason in the Result, not an
// error. If ctx ends, Fit soon returns ctx.Err() and the factors of the last complete round,
// without their KKT residual; nil if ctx ended before the first objective.
func (m Model) Fit(ctx context.Context, x mat.Matrix) (*Result, error) {
	f, err := m.start(ctx, x, false)
	if err != nil {
		return nil, err
	}
	f.pool.Open()
	defer f.pool.Close()
	f.watched(ctx)
	return f.outcome(), f.err(ctx)
}

// solvers returns those of W and of H.
func (m Model) solvers() (ofW, ofH Solver) {
	return cmp.Or[Solver](m.SolverW, m.Solver, HALS{}), cmp.Or[Solver](m.SolverH, m.Solver, HALS{})
}
