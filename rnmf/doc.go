// Package rnmf factorises a non-negative matrix X ≈ WH so that gross errors in
// X do not spoil W and H: robust non-negative matrix factorisation.
//
// X is m×n and a column is a sample; W is m×r, the basis; H is r×n, the
// coefficients. A Model says what to minimise and fits it:
//
//	r, err := rnmf.L21NMF(10).Fit(ctx, x)
//
// # One inequality
//
// Every loss here is a concave, increasing function ρ of a squared residual s,
// of an entry or (under ByColumn) of a whole sample, so
//
//	ρ(u) ≤ ρ(s) + ρ′(s)(u − s).
//
// This one line is the re-weighting of half-quadratic programming (the weight is
// ρ′), the proof that the objective never rises, and the test of a new loss
// (CheckLoss). Each half-step minimises the weighted squares on the right, a
// Quadratic, over one factor; the W half-step is the H half-step on the
// transposed data. Three parts make all models: a Loss, Penalties and a Solver.
//
//	model                 loss                              source
//	NMF                   Frobenius{}                       L2,1 paper (1)
//	(NeNMF)               Frobenius{}, OGM{}                Guan et al. 2012
//	GNMF                  Frobenius{}, Laplacian            Cai et al. 2011; RRA (5)
//	RobustGNMF            any loss, Laplacian               this package
//	L21NMF                ByColumn{L1{}}                    L2,1 paper (11)
//	L1NMF                 L1{}                              L2,1 paper (60)
//	MahNMF                Manhattan{}, OGM{}                Guan et al. 2012
//	HuberNMF              Huber{}                           Du et al. 2012
//	HypersurfaceNMF       Hypersurface{Scale: σ}            Hamza, Brady 2006; RSS-NMF
//	RSSNMF                Hypersurface{Scale: σ}, Labels    RSS-NMF (12)
//	(SCNMF)               Frobenius{}, Labels               Lan et al. 2014
//	SemiGNMF              Frobenius{}, Laplacian            Cai et al. 2011
//	SSNMF, CNMF           types with a Model                RSS-NMF (5); (6), (7)
//	(WNMF)                Frobenius{}, Mask                 Kim, Choi 2009
//	SparseNMF             Frobenius{}, Sparse               RLS-NMF (3)
//	ONMF                  Frobenius{}, Orthogonal{}         Ding et al. 2006; Pompili et al. 2014
//	RMNMF                 ByColumn{L1{}}, UnitLaplacian     Huang et al. 2014, as Orthogonal{}
//	SemiNMF               Frobenius{}, LeastSquares{}      Ding, Li, Jordan 2010
//	ConvexNMF             a type with a Model               Ding, Li, Jordan 2010
//	CIMNMF                Correntropy{}                     Du et al. 2012
//	CauchyNMF             Cauchy{}                          Truncated Cauchy paper (2), σ = ∞
//	TruncatedCauchyNMF    Truncated{Loss: Cauchy{}}         Truncated Cauchy paper (2)
//	CappedNMF             ByColumn{Truncated{Loss: L1{}}}   Gao et al. 2015
//	RNMFL1                Huber{Cut: λ/2}, Additive{}       Zhang et al. 2011
//	LSNMF                 Frobenius{}, LogSparse, Laplacian RLS-NMF (5)
//	RLSNMF                ByColumn{LogShrink{}}, the same   RLS-NMF (35)
//	RobustNMF             TwoStage{}                        this package
//	Contiguous            a type with a Model               Zhou, Yang, Yu 2013, with WH
//
// Around this package: scores where the truth is known (rnmf/score), what papers
// compare with (rnmf/baseline), graphs of neighbours (rnmf/neighbor), the choice of a
// loss, a rank and weights (rnmf/choose).
//
// Which to take: CHOOSING.md. To watch a fit: Model.Steps, or WithTrace for all types.
// To add a loss, write a type with the method Rho, in one file; with Tune it
// estimates its scale. To add a penalty or a solver, see Penalty and Solver.
//
// # Promises
//
// The objective never rises at a fixed scale, with the solvers of this package.
// Bad input is an error that errors.Is can test and that names the first bad
// entry. Factors and objectives are finite. Inputs are not modified. The same
// seed gives the same bits on the same machine for any GOMAXPROCS. A cancelled
// fit soon returns the factors of its last complete round. PROMISES.md has them all,
// with the test that holds each.
//
// # Where the code leaves the design
//
// Steps yields (Step, error) and takes a context, because bad input must be
// seen and a half-step on large data must be stoppable. A Quadratic never holds
// its weights: a Solver walks over Tiles, each with its residual and weights, so
// that no matrix of the size of X is stored. The additive form is a Solver that
// wraps another (Additive), as it bounds the same Quadratic once more. Tune gets
// a histogram of the residuals (Residuals), as no list of m×n of them exists, and
// is called on what it returned the round before, so that Nagy's iteration goes
// on from there. It has those of the entries of X that are not 0, so "the median of
// |e|" is theirs: a 0 is the bound of W and H, and fitted nearly exactly. HALS
// extrapolates between rounds: see HALS.Plain.
//
// # Speed
//
// All work on a tile is done by vector kernels (internal/kernel: AVX2, AVX-512,
// and Go loops elsewhere), in the second-level cache. A loss with the method
// Weigh uses vectors as well; Rho alone is enough to work. The objective comes
// from the residuals that the next half-step computes anyway, and a scale from
// one more pass. Data are float64 throughout: float32 would halve the traffic,
// but every kernel, test and promise about rounding would exist twice, while the
// residuals of a good fit are small differences of large numbers.
package rnmf
