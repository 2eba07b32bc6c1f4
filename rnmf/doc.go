// Package rnmf factorises a non-negative matrix X ≈ WH so that gross errors in X do not spoil
// W and H: robust non-negative matrix factorisation.
//
// X is m×n and a column is a sample; W is m×r, the basis; H is r×n, the coefficients. A Model
// says what to minimise and fits it:
//
//	r, err := rnmf.L21NMF(10).Fit(ctx, x)
//
// # One inequality
//
// Every loss here is a concave, increasing function ρ of a squared residual s, of an entry or
// (under ByColumn) of a whole sample, so
//
//	ρ(u) ≤ ρ(s) + ρ′(s)(u − s).
//
// This one line is the re-weighting of half-quadratic programming (the weight is ρ′), the proof
// that the objective never rises, and the test of a new loss (CheckLoss). Each half-step
// minimises the weighted squares on the right, a Quadratic, over one factor; the W half-step is
// the H half-step on the transposed data. Three parts make all models: a Loss, Penalties and a
// Solver. Models in brackets have no constructor: write the fields.
//
//	model               fields of Model                                         source
//	NMF                 Rank alone: Loss is Frobenius{}                         L2,1 paper (1)
//	(NeNMF)             Solver: OGM{}                                           Guan et al. 2012
//	(WNMF)              Mask                                                    Kim, Choi 2009
//	GNMF                OnH: Laplacian                                          Cai et al. 2011; RRA (5)
//	RobustGNMF          any Loss, OnH: Laplacian                                this package
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
// Which to take: CHOOSING.md. What is promised, and the test of it: PROMISES.md. How to add a
// loss, a penalty, a solver or a model: CONTRIBUTING.md. To watch a fit: Model.Steps, or
// WithTrace. Packages next to this one: score (where the truth is known), baseline (what papers
// compare with), neighbor (graphs), choose (loss, rank and weights).
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
// # Where the code leaves the design
//
// Steps yields (Step, error) and takes a context, because bad input must be seen and a half-step
// on large data must be stoppable. A Loss never changes: an estimate of its scale is a Tuning,
// which each fit begins anew and owns. It gets a histogram of the residuals (Residuals), not a
// list of m×n, of the entries of X that are not 0: a 0 is the bound of W and H, and fitted nearly
// exactly. A Quadratic never holds its weights: a Solver walks over Tiles, says what it needs of
// them (residuals, weights or products), and no matrix of the size of X is stored. W and H may
// have solvers of their own (SolverW, SolverH). The additive form is a Solver that wraps another
// (Additive). What a part can do besides is optional methods, listed with Loss, Penalty and
// Solver; the engine asks for no type. Data are float64: float32 would halve the traffic, but the
// residuals of a good fit are small differences of large numbers.
package rnmf
