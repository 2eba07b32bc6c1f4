// Package panel fits the models of package rnmf to data that are sparse, larger than memory, or in
// several places: X (m×n, a column is a sample) comes as panels of some columns, and all that the
// update of W needs of a panel is a few small sums, which can be merged.
//
//	x := panel.FromSparse(words, 0)                                    // stays sparse
//	r, err := panel.Batch{Model: rnmf.L21NMF(20)}.Fit(ctx, x)
//
//	err := panel.Write("x", panel.CSV(file, 1), 4096, false)           // a folder of .npy panels
//	x, err := panel.Open("x")
//	r, err := panel.Batch{Model: rnmf.L21NMF(20), State: "fit"}.Fit(ctx, x)
//
// Batch visits all panels in each round, as rnmf.Model.Fit does; Minibatch updates W after each
// panel; a Stream learns from samples that are not kept. All three call one pure function,
// Round.Do. Programs whose panels lie elsewhere call it themselves: a Driver says what to do
// (Next), Do does it on each panel, and the driver takes the merged Statistics (Take).
//
// # What a panel tells of W
//
// With W given, the H half-step of a panel needs nothing from the other panels. What remains is to
// find sums over panels that determine the W half-step. Let ω = ρ′ be the weights at the present W
// and H; the half-step lowers the bound of package rnmf,
//
//	q(W) = Σ_ij ω_ij (x_ij − (WH)_ij)² + constant.                                        (1)
//
// Losses of columns, and Frobenius. Here ω_ij = d_j, the slope at s_j = ‖x_j − Wh_j‖², and (1) is
//
//	q(W) = −2 tr(WᵀA) + tr(WBWᵀ) + constant,   A = XDHᵀ (m×r),   B = HDHᵀ (r×r).         (2)
//
// A and B are sums over columns, so over panels, and are all that HALS needs: the W half-step is
// that of rnmf.Model.Fit, except for the order in which sums are taken. The norms need no further
// pass over X: with N = WᵀX and G = WᵀW of the H half-step,
//
//	s_j = ‖x_j‖² − 2h_jᵀn_j + h_jᵀGh_j,                                                  (3)
//
// or the residual itself where less than 1e-6 of ‖x_j‖² is left of it.
//
// Losses of entries. Each row i of W has a matrix of its own in (1), M_i = Σ_j ω_ij h_jh_jᵀ: m·r²
// numbers, and n·m·r² operations for all. In its place rnmf.HALS takes
//
//	M_i ≈ γ_i HHᵀ,   γ_i = ¾ tr M_i / tr HHᵀ = ¾ Σ_j ω_ij‖h_j‖² / tr HHᵀ,                (4)
//
// and −½ of the gradient of (1) at W is P_i, the row i of P = (Ω∘E)Hᵀ with E = X − WH. So P (m×r),
// HHᵀ (r×r) and the m sums Σ_j ω_ij‖h_j‖² are sums over panels, and determine sweeps on
//
//	max over w_i + δ ≥ 0 of 2P_iδ − γ_i δᵀHHᵀδ.                                           (5)
//
// rnmf then searches along δ for the minimum of (1), which takes another pass over X. Here the full
// step is taken. The next round reads X anyway and computes the objective; if that rose, the round
// is done again with a step of safe length. For any x > 0 (r numbers), diag(M_ix/x) − M_i is
// diagonally dominant in the coordinates v_k/x_k, hence positive semidefinite, so
//
//	δᵀM_iδ ≤ Σ_k δ_k² (M_ix)_k/x_k,   (M_ix)_k = Σ_j ω_ij h_kj (xᵀh_j),                   (6)
//
// and t = min(1, P_iδ / Σ_k δ_k²(M_ix)_k/x_k) lowers the bound of (1). These m×r numbers are sums
// over panels too. All panels of a round must use the same x: 1/‖h_k‖ of the rows of H in the round
// before. The fixed points of (5) are those of (1): δ = 0 where P_i = 0 on the positive entries of
// w_i and is not positive on the others.
//
// Missing entries (Batch.Missing) have ω = 0. Then all sums are over the stored entries alone, and
// (4) to (6) hold for Frobenius and losses of columns as well.
//
// Poisson deviances (rnmf.Family) have sums of their own, and W takes multiplicative updates, which
// never go too far: see (7) and (8) in round_counts.go. As zeros count linearly, losses of entries want
// rnmf.SparsePoisson.
//
// A scale is estimated from a histogram of squared residuals. Its bins are the first bits of a
// number, the same for all data, and its counts have 64 bits, so that histograms merge in any
// order, exactly. Where the scale is estimated anew, as rnmf.Model.TuneFor says, panels are read
// twice: for the residuals of the last round, and for the objective at the new scale with which the
// next one begins.
//
// # A round
//
// A round at a given scale reads each panel once. It finds the objective of the factors that it
// begins with, takes the H half-step, extrapolates H, and collects the sums at the result; then the
// driver takes the W half-step and extrapolates W. The objective of the next round shows whether the extrapolation was
// too long. If so, that round goes back to the H before the extrapolation, which the panels keep
// for one more round. So the objective that is reported never rises while the scale stays. The
// driver chooses the number of sweeps over H, which is the same for all columns of all panels.
//
// Under Frobenius and losses of columns the objectives are those of rnmf.Model.Fit within 1e-11 of
// their size for the same start and rnmf.HALS.Sweeps, and so are the scales that are estimated.
// Losses of entries take other steps, as above, and end in the same or a similar minimum.
//
// The sums are taken in the order of panels. So the same panels give the same bits on any number of
// processors, in memory, from a folder, after a restart, and wherever the panels are; another cut
// into panels gives other rounding errors.
//
// # Cost
//
// With nnz stored entries in X, a round of a sparse X takes O(nnz·r + (m + n)r²) operations under
// Frobenius, losses of columns, Poisson deviances, and with Missing; X is never made dense. Under other losses of
// entries each zero of X has a residual too: O(mnr) operations, on some columns at a time.
// Statistics take m×r numbers, and twice that for losses of entries. In addition to two panels, a
// Batch keeps W, the statistics, and two earlier W without their zeros in memory, and five matrices of
// the size of H, which with State are in files. The earlier ones are for extrapolation and for going
// back. Under Frobenius and losses of columns rnmf.HALS.NoExtrapolation needs none of them: W, the statistics,
// and two matrices of the size of H.
//
// # What is refused
//
// Penalties, masks other than Missing, negative data, solvers other than rnmf.HALS and starts that
// need all of X are errors (rnmf.ErrParameter). Graphs and labels tie samples of different panels.
// rnmf.Lasso and rnmf.Ridge do not, but with them the weight of a column no longer cancels in its
// half-step, and the half-steps, the line search and the bound (6) would all need another form.
//
// To start from NNDSVD, fit some of the samples with rnmf, take its W, and find H by Transform.
package panel
