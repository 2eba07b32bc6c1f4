// Package rnmf factorises a non-negative matrix X ≈ WH so that gross errors in X do not spoil W and
// H: robust non-negative matrix factorisation.
//
// X is m×n and a column is a sample; W is m×r, the basis; H is r×n, the coefficients. A Model says
// what to minimise and fits it:
//
//	r, err := rnmf.L21NMF(10).Fit(ctx, x)
//
// # One inequality
//
// Every loss here is a concave, increasing function ρ of a squared residual s. The residual is that
// of an entry or, under ByColumn, of a whole sample. A concave function lies below its tangent:
//
//	ρ(u) ≤ ρ(s) + ρ′(s)(u − s).
//
// This line is the re-weighting of half-quadratic programming (the weight is ρ′), the proof that
// the objective never rises, and the test of a new loss (CheckLoss). Each half-step minimises the
// weighted squares on the right, a Quadratic, over one factor; the half-step of W is that of H on
// the transposed data. Three kinds of parts make all models: a Loss, Penalties and a Solver. Models
// in brackets have no constructor: set the fields.
//
//	model               fields of Model                                         source
//	NMF                 Rank alone: Loss is Frobenius{}                         L2,1 paper (1)
//	(NeNMF)             Solver: OGM{}                                           Guan et al. 2012
//	(WNMF)              Mask                                                    Kim, Choi 2009
//	GNMF                OnH: Laplacian                                          Cai et al. 2011; RRA (5)
//	L21NMF              Loss: ByColumn{L1{}}                                    L2,1 paper (11)
//	L1NMF               Loss: L1{}                                              L2,1 paper (60)
//	MahNMF              Loss: Manhattan{}, Solver: OGM{}                        Guan et al. 2012
//	HuberNMF            Loss: Huber{}                                           Du et al. 2012
//	CIMNMF              Loss: Correntropy{}                                     Du et al. 2012
//	HypersurfaceNMF     Loss: Hypersurface{Scale: σ}                            Hamza, Brady 2006; RSS-NMF
//	RSSNMF              Loss: Hypersurface{Scale: σ}, OnH: Labels               RSS-NMF (12)
//	(SCNMF)             OnH: Labels                                             Lan et al. 2014
//	SemiGNMF            OnH: Laplacian of Labels.Graph                          Cai et al. 2011
//	CauchyNMF           Loss: Cauchy{}                                          Truncated Cauchy paper (2), σ = ∞
//	TruncatedCauchyNMF  Loss: Truncated{Loss: Cauchy{}}                         Truncated Cauchy paper (2)
//	CappedNMF           Loss: ByColumn{Truncated{Loss: L1{}}}                   Gao et al. 2015
//	RobustNMF           Loss: TwoStage{}                                        this package
//	RNMFL1              Loss: Huber{Cut: λ/2}, Solver: Additive{}               Zhang et al. 2011
//	SparseNMF           OnW, OnH: Sparse                                        RLS-NMF (3)
//	LSNMF               OnW, OnH: LogSparse; OnH: Laplacian                     RLS-NMF (5)
//	RLSNMF              Loss: ByColumn{LogShrink{}}, the same penalties         RLS-NMF (35)
//	ONMF                SolverH: Orthogonal{}                                   Ding et al. 2006; Pompili et al. 2014
//	RMNMF               Loss: ByColumn{L1{}}, OnH: UnitLaplacian, as ONMF       Huang et al. 2014
//	SemiNMF             SolverW: LeastSquares{}                                 Ding, Li, Jordan 2010
//	ConvexNMF           a type with a Model                                     Ding, Li, Jordan 2010
//	SSNMF, CNMF         types with a Model and Labels                           RSS-NMF (5); (6), (7)
//	Contiguous          a type with a Model                                     Zhou, Yang, Yu 2013, with WH
//
// CHOOSING.md says which model to use when, PROMISES.md what is promised and which test holds it,
// CONTRIBUTING.md how to add a loss, a penalty, a solver or a model, and GLOSSARY.md what the terms
// mean. Model.Steps and WithTrace are for watching a fit. Related packages are score (scores where
// the truth is known), baseline (what papers compare with), neighbor (graphs) and choose (loss,
// rank and weights of penalties).
//
// # Files
//
//	model.go, model_papers.go   Model; all constructors
//	model_….go                  models that are more than a Loss, Penalties and a Solver
//	loss_….go                   losses, their scales (scale, residuals) and weights (weigh)
//	penalty_….go, graph.go      penalties on a factor
//	quadratic….go               the bound that a half-step lowers, its tiles and its memory
//	solver_….go                 what lowers it
//	init_….go                   starts
//	fit….go                     the loop, and its start, scale, extrapolation, objective, stop
//	result….go, trace.go        what comes out: outliers, classes, files
//	survey.go, validate.go      what is asked about X, and what is an error
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
// form is a Solver that wraps another (Additive). What else a part can do is in optional methods,
// which the comments of Loss, Penalty and Solver list; the engine never asks for a type. Data are
// float64: float32 would halve the memory traffic, but the residuals of a good fit are small
// differences of large numbers.
package rnmf
