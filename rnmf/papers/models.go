package papers

import (
	"context"
	"github.com/robustnmf/robustnmf/rnmf"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// SemiGNMF is GNMF with the labels in the graph, whose other edges may be nil.
func SemiGNMF(rank int, graph *rnmf.Graph, labels rnmf.Labels, lambda float64) (rnmf.Model, error) {
	if !(lambda >= 0) || math.IsInf(lambda, 0) {
		return rnmf.Model{}, errParameter("lambda", lambda, "0 or more")
	}
	g, err := labels.Graph(graph)
	if err != nil {
		return rnmf.Model{}, err
	}
	return rnmf.GNMF(rank, g, lambda), nil
}

// RNMFL1 takes a sparse outlier matrix out of the data, min ‖X − WH − S‖² + λ‖S‖₁ (Zhang et al.
// 2011), alternating over S, H and W. Minimised over S this is the Huber loss with cut-off λ/2,
// solved in the additive form; Outliers gives S. With λ = 0 the cut-off is estimated.
func RNMFL1(rank int, lambda float64) rnmf.Model {
	return rnmf.Model{Rank: rank, Loss: rnmf.Huber{Cut: lambda / 2}, Solver: Additive{}}
}

// MahNMF minimises the L1 norm, min Σ|X − WH|, smoothed ever less (Guan et al. 2012). The smoothed
// problem of a half-step is convex, and its gradient has the Lipschitz constant ‖U‖₂²/μ with which
// the paper runs Nesterov's method: all weights are 1/2μ. Here they are 1/2max(|e|, μ), computed
// once in each half-step: a tighter bound, which takes longer steps where there are outliers.
func MahNMF(rank int) rnmf.Model { return rnmf.Model{Rank: rank, Loss: SmoothL1{}, Solver: OGM{}} }

// ONMF is orthogonal NMF, min over W, H ≥ 0 of ‖X − WH‖² with the rows of H orthogonal (Ding, Li,
// Peng and Park 2006; Choi 2008), by the descending alternation of Pompili et al. (2014): see
// Orthogonal. The paper's HHᵀ = I is a scale that Result.Normalized can move to W. For orthogonal
// columns of W hand over the transposed data.
func ONMF(rank int) rnmf.Model {
	return rnmf.Model{Rank: rank, SolverH: Orthogonal{}, SolverW: rnmf.HALS{Sweeps: 1}, Init: rnmf.KMeansInit{Shift: -1}}
}

// ONMFInit starts from the clusters that ONMF finds, a k-means by directions. With a graph in the
// model samples change their cluster less easily, so the start counts more.
type ONMFInit struct{}

// Start returns the factors.
func (ONMFInit) Start(ctx context.Context, x *mat.Dense, rank int, rng *rand.Rand) (w, h *mat.Dense, err error) {
	m := ONMF(rank)
	m.Seed, m.Signed, m.MaxIter = rng.Uint64(), true, 50
	r, err := m.Fit(ctx, x)
	if err != nil {
		return nil, nil, err
	}
	return r.W, r.H, nil
}

// RMNMF is robust manifold NMF (Huang, Nie, Huang and Ding 2014),
//
//	min over W, H ≥ 0 of Σ_j ‖x_j − Wh_j‖ + λ tr(HLHᵀ),   HHᵀ = I.
//
// This is our reading of the paper's abstract, which is all that was at hand: it names the ℓ2,1 norm,
// spectral clustering, an orthonormal constraint, and an augmented Lagrangian. One of ours, for this
// objective, is the oracle of TestRMNMF: it does not descend, has HHᵀ = I together with H ≥ 0 only in
// the limit, and ends higher.
//
// The constraint makes each row of H a cluster of length 1, so the graph term is UnitLaplacian,
// free of scale, under Orthogonal. Here each round is feasible and none raises the objective. For
// X ≥ 0 the best W is ≥ 0, also where its sign is free. GNMF with a Loss is not orthogonal.
func RMNMF(rank int, graph *rnmf.Graph, lambda float64) rnmf.Model {
	return rnmf.Model{Rank: rank, Loss: rnmf.ByColumn{Loss: rnmf.L1{}}, OnH: []rnmf.Penalty{UnitLaplacian{graph, lambda}},
		SolverH: Orthogonal{}, SolverW: rnmf.HALS{Sweeps: 1}, Init: ONMFInit{}}
}

// LSNMF is log-norm regularised sparse NMF,
//
//	min ‖X − WH‖² + λ tr(HLHᵀ) + α Σ log(1 + W) + β Σ log(1 + H)   (RLS-NMF paper, (5)),
//
// and (4) where graph is nil. The paper's solver (13)-(14) is MU{}, except for the graph: see
// LogSparse. Its samples have length 1; for others see PenaltyUnits. rnmf.SparseNMF has the L1 norm.
func LSNMF(rank int, alpha, beta float64, graph *rnmf.Graph, lambda float64) rnmf.Model {
	m := rnmf.Model{Rank: rank, OnW: []rnmf.Penalty{LogSparse{Lambda: alpha}}, OnH: []rnmf.Penalty{LogSparse{Lambda: beta}}}
	if graph != nil {
		m.OnH = append(m.OnH, rnmf.Laplacian{Graph: graph, Lambda: lambda})
	}
	return m
}

// RLSNMF is LSNMF with whole samples as outliers,
//
//	min ‖X − WH − S‖² + γ‖S‖_{2,log} + …   (RLS-NMF paper, (35)),
//
// S minimised out. With Solver Additive{MU{}} it is (46), (49), (50), except for the graph (see
// LSNMF); the default weighs the samples instead. Outliers gives S either way.
func RLSNMF(rank int, alpha, beta, gamma float64, graph *rnmf.Graph, lambda float64) rnmf.Model {
	m := LSNMF(rank, alpha, beta, graph, lambda)
	m.Loss = rnmf.ByColumn{Loss: LogShrink{Gamma: gamma, Scale: 1}}
	return m
}
