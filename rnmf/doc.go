// Package rnmf factorises a non-negative matrix X ≈ WH so that gross errors in X do not spoil W and
// H: robust non-negative matrix factorisation.
//
// X is m×n and a column is a sample; W is m×r, the basis; H is r×n, the coefficients. A Model says
// what to minimise and fits it:
//
//	r, err := rnmf.CellCaseNMF(10).Fit(ctx, x)
//
// Where nobody knows what is wrong with the data, choose.Auto is the default: of three losses it takes the
// one that predicts hidden entries best. Where time counts take CellCaseNMF, one fit in place of four. Data
// that are sparse or larger than memory go to package panel, which has neither of the two.
//
// # One inequality
//
// Every loss here is a concave, increasing function ρ of a squared residual s. The residual is that
// of an entry or, under ByColumn, of a whole sample; under CellCase, for wrong entries and wrong
// samples, the inequality holds twice. A concave function lies below its tangent:
//
//	ρ(u) ≤ ρ(s) + ρ′(s)(u − s).
//
// For counts, deviances d(x, y) of a distribution take the place of squared residuals: see Family.
//
// This line is the re-weighting of half-quadratic programming (the weight is ρ′), the proof that
// the objective never rises, and the test of a new loss (CheckLoss). Each half-step minimises the
// weighted squares on the right, a Quadratic, over one factor; the half-step of W is that of H on
// the transposed data. Three kinds of pieces make all models: a Loss, Penalties and a Solver. Models
// in brackets have no constructor: set the fields.
//
//	model               fields of Model                        source
//	NMF                 Rank alone: Loss is Frobenius{}        [10]
//	(WNMF)              Mask                                   [2]
//	GNMF                OnH: Laplacian                         [3]; RRA paper (5)
//	PoissonNMF          Family: Poisson                        [1]
//	RobustPoissonNMF    Family: Poisson, Loss: CauchyTail{}    this package
//	L21NMF              Loss: ByColumn{L1{}}                   L2,1 paper (11)
//	L1NMF               Loss: L1{}                             L2,1 paper (60)
//	HuberNMF            Loss: Huber{}                          [4]
//	CellCaseNMF         Loss: CellCase{Loss: Huber{}}          [5], there with principal components
//	CIMNMF              Loss: Correntropy{}                    [4]
//	HypersurfaceNMF     Loss: Hypersurface{Scale: σ}           [6]; RSS-NMF paper
//	RSSNMF              Loss: Hypersurface{Scale: σ},          RSS-NMF paper (12)
//	                    OnH: Labels
//	(SCNMF)             OnH: Labels                            [7]
//	CauchyNMF           Loss: Cauchy{}                         Truncated Cauchy paper (2), σ = ∞
//	TruncatedCauchyNMF  Loss: Truncated{Loss: Cauchy{}}        Truncated Cauchy paper (2)
//	CappedNMF           Loss: ByColumn{Truncated{Loss: L1{}}}  [8]
//	RobustNMF           Loss: MMEstimator{}                    this package
//	SparseNMF           OnW, OnH: Lasso                        RLS-NMF paper (3)
//	SemiNMF             SolverW: NormalEquations{}             [9]
//
// The five papers that comments name in short:
//
//	L2,1              Kong, Ding, Huang: Robust nonnegative matrix factorization using L21-norm, CIKM 2011
//	Truncated Cauchy  Guan, Liu, Zhang, Tao, Davis: Truncated Cauchy non-negative matrix
//	                  factorization, TPAMI 2019
//	RSS-NMF           Wang, Guan, Shi, Fan, Su: Robust semi-supervised non-negative matrix factorization
//	                  with structured normalization, IEEE Access 2019
//	RLS-NMF           Peng, Zhang, Chen, Kang, Chen, Cheng: Log-based sparse nonnegative matrix
//	                  factorization for data representation, Knowledge-Based Systems 2022
//	RRA               Liao, Zhang: Efficient rank-one residue approximation method for graph regularized
//	                  non-negative matrix factorization
//
// and the others:
//
//	[1]  Lee, Seung: Learning the parts of objects by non-negative matrix factorization, Nature 1999
//	[2]  Kim, Choi: Weighted nonnegative matrix factorization, ICASSP 2009
//	[3]  Cai, He, Han, Huang: Graph regularized nonnegative matrix factorization for data
//	     representation, TPAMI 2011
//	[4]  Du, Li, Shen: Robust nonnegative matrix factorization via half-quadratic minimization, ICDM 2012
//	[5]  Centofanti, Hubert, Rousseeuw: Robust principal components by casewise and cellwise
//	     weighting, arXiv 2024
//	[6]  Hamza, Brady: Reconstruction of reflectance spectra using robust nonnegative matrix
//	     factorization, IEEE Transactions on Signal Processing 2006
//	[7]  Lan, Guan, Zhang, Tao, Luo: Soft-constrained nonnegative matrix factorization via
//	     normalization, IJCNN 2014
//	[8]  Gao, Nie, Cai, Huang: Robust capped norm nonnegative matrix factorization, CIKM 2015
//	[9]  Ding, Li, Jordan: Convex and semi-nonnegative matrix factorizations, TPAMI 2010
//	[10] Lee, Seung: Algorithms for non-negative matrix factorization, NIPS 2000
//
// docs/MODELS.md has all models on one page: what each minimises, what outliers it finds, what it
// costs, and when to take it.
//
// Package papers has the solvers, losses and models of the papers that an everyday fit does not need
// (semi-supervised, convex and orthogonal NMF, covered images and more). Of this package it uses only
// what is exported, so a module of your own can do the same.
//
// CHOOSING.md says which model to use when, docs/PROMISES.md what is promised and which test holds it,
// CONTRIBUTING.md how to add a loss, a penalty, a solver or a model, and docs/GLOSSARY.md what the terms
// mean. Model.Steps and Model.Watch are for watching a fit. Related packages are score (scores where
// the truth is known), baseline (what papers compare with), neighbor (graphs) and choose (loss,
// rank and weights of penalties).
//
// # Files, in reading order
//
//	model.go, model_papers.go   Model and the constructors
//	loss.go, loss_….go          losses, their scales (scale, residuals) and weights (weigh)
//	penalty.go, penalty_….go    penalties on a factor
//	quadratic.go                the bound that a half-step lowers, with its tiles (quadratic_tile), its
//	                            form without data (quadratic_gramform), coupled columns and memory
//	family.go, poisson.go       deviances of counts in place of squares, and their half-steps
//	solver.go, solver_….go      what lowers it: HALS, MU, NormalEquations
//	init_….go                   starts
//	model_fit.go, fit….go       Fit and its loop (fit.run), its start, residuals, objective
//	internal/drive              what the loop does next: scale, extrapolation, acceptance, stop
//	result….go, trace.go        what comes out: outliers, classes, files
//	datasummary.go, validate.go what is asked about X, and what is an error
//	graph.go, …_graph.go,       graphs, to be left out at first
//	…_groups.go, …_coupling.go
//
// # The way of X
//
// Model.Fit checks its parameters and calls start, which takes X as it is, or a copy if it is no *mat.Dense,
// summarises it (dataSummary: norms, sizes, and means in place of what the mask hides), and has Init make the
// factors. fit.run then goes around: fit.look sets up a Quadratic with U = Wᵀ, to which penalties add their
// bounds (fit.majorize), and a Solver lowers it, on a copy of H. Quadratic.Tiles hands it X tile by tile,
// the only way by which a half-step reads X. What the tiles saw on the way is the loss at the H that came in,
// so the objective of W and H is known, and drive.Driver.Take judges them. fit.halfSteps makes the new H the
// present one, and lowers the Quadratic with U = H, whose tiles are rows of X, for W. When the driver has a
// reason to stop, fit.outcome copies the factors to a Result.
//
// # Reasons behind the design
//
// Steps yields (Step, error) and takes a context, because bad input must be reported and a
// half-step on large data must be stoppable. A Loss never changes: the estimate of its scale is a
// Tuning, which each fit begins anew and owns. A Tuning gets a histogram of the residuals
// (Residuals) in place of a list of m×n, and only those of entries of X that are not 0: a 0 lies on
// the bound W, H ≥ 0, and is fitted nearly exactly. A Quadratic stores no weights: a Solver walks
// over Tiles and says what it needs of them (residuals, weights or products), so that no matrix of
// the size of X is stored. W and H may have solvers of their own (SolverW, SolverH). The additive
// form is a Solver that wraps another (papers.Additive). What a fit does next, the
// schedule of the scale, extrapolation, acceptance and the end, is decided by numbers without data, and
// written once (internal/drive). This package does it in memory, where a half-step is a call; rnmf/panel
// does it in panels, where a half-step may be a message to another machine, after which the state of the
// fit is written down. Both count residuals by the same histogram (internal/histogram). What else a
// piece can do is in optional methods, which the comments of Loss, Penalty and Solver list; the engine
// never asks for a type. Data are float64: float32 would halve the memory traffic, but the residuals of
// a good fit are small differences of large numbers.
package rnmf
