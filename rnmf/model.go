package rnmf

import (
	"fmt"

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
	// Family says what the loss is taken of: squared residuals (Gaussian, the default), or deviances of
	// counts (Poisson, SparsePoisson).
	Family Family
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
	// a Preliminary: in the first stage of MMEstimator, or while the Mu of papers.SmoothL1 falls.
	Tol float64
	// TuneFor says when a Tuner estimates its scale: 0 as Tuning says, until it is a fixed point of
	// its rule within 1 %; n > 0 in each of the first n rounds, after which the scale stays; -1 in
	// every round, as the papers do. A Preliminary loss is tuned in every round until it is final.
	TuneFor int
	// Watch, if it is set, gets the Point that Steps would yield, at the start and after each round, on
	// the goroutine of the fit, which waits: for types that have a Model among their fields and no
	// Steps of their own, and for fits in the depth of other code. A type that goes on with another
	// objective after its first fit, or with another fit, begins again with a round that is not after
	// the last one. Fits in parallel with the same function call it concurrently.
	Watch func(Point)
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

// The reasons. Only Cancelled comes with an error. Converged does not say that the point is stationary: under a
// redescending loss of a fixed scale the objective can rest for hundreds of rounds and then fall by per cents,
// and Result.KKT is far from 0 there. A scale of 0, which is estimated, is the better choice.
const (
	Converged Reason = iota + 1 // a round lowered the objective by less than Tol
	MaxIter                     // the rounds ran out
	Stalled                     // a round changed nothing at all
	Diverged                    // the objective rose tenfold, or was no number: the best factors are returned
	Cancelled                   // the context ended, or a part of your own went wrong
	Collapsed                   // all components became 0 though X is not: the penalties are too heavy, see papers.PenaltyUnits
)

func (r Reason) String() string {
	names := [...]string{"running", "converged", "maximum of iterations", "stalled", "diverged", "cancelled", "collapsed"}
	if r < 0 || int(r) >= len(names) {
		return fmt.Sprintf("Reason(%d)", int(r))
	}
	return names[r] // "running" in a Result taken from a Step
}
