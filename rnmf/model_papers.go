package rnmf

import "math"

// NMF is standard NMF, min ‖X − WH‖² (L2,1 paper, (1)).
func NMF(rank int) Model { return Model{Rank: rank} }

// GNMF keeps the coefficients of neighbours alike, min ‖X − WH‖² + λ tr(HLHᵀ) (Cai et al. 2011; RRA
// paper (5), with λ for β and without its factor ½). The papers' solvers are MU{}, OGM{Plain: true}
// and RRA{Plain: true}; the default is exact coordinate descent. Add a Ridge on W, see Laplacian. With
// a Loss it is robust.
func GNMF(rank int, graph *Graph, lambda float64) Model {
	return Model{Rank: rank, OnH: []Penalty{Laplacian{graph, lambda}}}
}

// L21NMF is robust NMF with the L2,1 norm, min Σ_j ‖x_j − Wh_j‖ (Kong, Ding and Huang 2011, (11)).
func L21NMF(rank int) Model { return Model{Rank: rank, Loss: ByColumn{L1{}}} }

// L1NMF is NMF with the (smoothed) L1 norm, min Σ √((X − WH)² + ε²) (Kong et al. 2011, (60)).
func L1NMF(rank int) Model { return Model{Rank: rank, Loss: L1{}} }

// HuberNMF minimises the Huber loss (Du, Li and Shen 2012; their cut-off is Huber.Printed).
func HuberNMF(rank int) Model { return Model{Rank: rank, Loss: Huber{}} }

// CIMNMF minimises the correntropy-induced metric (Du, Li and Shen 2012; Correntropy.Printed).
func CIMNMF(rank int) Model { return Model{Rank: rank, Loss: Correntropy{}} }

// HypersurfaceNMF minimises Σ √(1 + (X − WH)²/σ²) − 1 (Hamza and Brady 2006; RSS-NMF paper without
// labels). A scale of 0 has it estimated; the papers use 1.
func HypersurfaceNMF(rank int, scale float64) Model {
	return Model{Rank: rank, Loss: Hypersurface{Scale: scale}}
}

// RSSNMF adds labels by structured normalisation,
//
//	min Σ √(1 + (X − WH)²/σ²) − 1 + ½‖ΛHˡ − Yˡ‖²   (RSS-NMF paper, (12)),
//
// with Labels.Weight before the second sum. The paper has σ = 1, and as Solver MU{} (18)-(19) or
// FGD{Plain: true} (20)-(37). A scale of 0 has it estimated.
func RSSNMF(rank int, scale float64, labels Labels) Model {
	return Model{Rank: rank, Loss: Hypersurface{Scale: scale}, OnH: []Penalty{labels}}
}

// CauchyNMF minimises Σ ln(1 + (X − WH)²/γ²) (Guan et al. 2019, (2) with σ = ∞ and Cauchy.Printed).
func CauchyNMF(rank int) Model { return Model{Rank: rank, Loss: Cauchy{}} }

// TruncatedCauchyNMF minimises the Cauchy loss truncated by the three-sigma rule (Guan et al. 2019,
// (2)). With Loss Truncated{Loss: Cauchy{Printed: true}}, TuneFor -1 and Solver OGM{Plain: true} it
// is their Algorithm 2, with the zeros of line 4 kept in line 7. On data of nearly exact low rank
// the scale shrinks faster than the fit improves, and most starts end at a bad minimum: give Scale
// and Cut, or use RobustNMF.
func TruncatedCauchyNMF(rank int) Model {
	return Model{Rank: rank, Loss: Truncated{Loss: Cauchy{}}}
}

// CappedNMF caps the norm of each sample's residual, min Σ_j min(‖x_j − Wh_j‖, θ) (RCNMF, Gao et
// al. 2015). With θ = 0 the cap follows the three-sigma rule of a normal distribution.
func CappedNMF(rank int, theta float64) Model {
	return Model{Rank: rank, Loss: ByColumn{Truncated{Loss: L1{}, Cut: theta, Rule: NormalThreeSigma}}}
}

// RNMFL1 takes a sparse outlier matrix out of the data, min ‖X − WH − S‖² + λ‖S‖₁ (Zhang et al.
// 2011), alternating over S, H and W. Minimised over S this is the Huber loss with cut-off λ/2,
// solved in the additive form; Outliers gives S. With λ = 0 the cut-off is estimated.
func RNMFL1(rank int, lambda float64) Model {
	return Model{Rank: rank, Loss: Huber{Cut: lambda / 2}, Solver: Additive{}}
}

// MahNMF minimises the L1 norm, min Σ|X − WH|, smoothed ever less (Guan et al. 2012). The smoothed
// problem of a half-step is convex, and its gradient has the Lipschitz constant ‖U‖₂²/μ with which
// the paper runs Nesterov's method: all weights are 1/2μ. Here they are 1/2max(|e|, μ), computed
// once in each half-step: a tighter bound, which takes longer steps where there are outliers.
func MahNMF(rank int) Model { return Model{Rank: rank, Loss: Manhattan{}, Solver: OGM{}} }

// RobustNMF is from no paper. It is what this package recommends where some entries are wrong: a
// tight truncated Cauchy loss until its scale is stable, then least squares on what lies within
// three standard deviations, or six where no residuals stand out (ThreeOrSixSigma). It wants features
// several times the rank. On small data some starts end at a bad minimum (notebook 02, section 7).
func RobustNMF(rank int) Model { return Model{Rank: rank, Loss: TwoStage{}} }

// ONMF is orthogonal NMF, min over W, H ≥ 0 of ‖X − WH‖² with the rows of H orthogonal (Ding, Li,
// Peng and Park 2006; Choi 2008), by the descending alternation of Pompili et al. (2014): see
// Orthogonal. The paper's HHᵀ = I is a scale that Result.Normalized can move to W. For orthogonal
// columns of W hand over the transposed data.
func ONMF(rank int) Model {
	return Model{Rank: rank, SolverH: Orthogonal{}, SolverW: HALS{Sweeps: 1}, Init: Clusters{Shift: -1}}
}

// SemiNMF leaves the sign of W free, min over W, H ≥ 0 of ‖X − WH‖² (Ding, Li and Jordan 2010), and
// takes data of any sign. With a Loss it is robust.
func SemiNMF(rank int) Model { return Model{Rank: rank, SolverW: LeastSquares{}, Signed: true} }

// RMNMF is robust manifold NMF (Huang, Nie, Huang and Ding 2014),
//
//	min over W, H ≥ 0 of Σ_j ‖x_j − Wh_j‖ + λ tr(HLHᵀ),   HHᵀ = I.
//
// The objective is the one that the abstract of the paper describes. The paper solves it by an
// augmented Lagrangian, which does not descend, and has HHᵀ = I together with H ≥ 0 only in the
// limit. That method, for the same objective, is the oracle of TestRMNMF, and ends higher.
//
// The constraint makes each row of H a cluster of length 1, so the graph term is UnitLaplacian,
// free of scale, under Orthogonal. Here each round is feasible and none raises the objective. The
// paper leaves the sign of W free; for X ≥ 0 the best W is ≥ 0. GNMF with a Loss is not orthogonal.
func RMNMF(rank int, graph *Graph, lambda float64) Model {
	return Model{Rank: rank, Loss: ByColumn{L1{}}, OnH: []Penalty{UnitLaplacian{graph, lambda}},
		SolverH: Orthogonal{}, SolverW: HALS{Sweeps: 1}, Init: ONMFStart{}}
}

// LSNMF is log-norm regularised sparse NMF,
//
//	min ‖X − WH‖² + λ tr(HLHᵀ) + α Σ log(1 + W) + β Σ log(1 + H)   (RLS-NMF paper, (5)),
//
// and (4) where graph is nil. The paper's solver (13)-(14) is MU{}, except for the graph: see
// LogSparse. Its samples have length 1; for others see PenaltyUnits. SparseNMF has the L1 norm.
func LSNMF(rank int, alpha, beta float64, graph *Graph, lambda float64) Model {
	return GNMF(rank, graph, lambda).sparse(LogSparse{Lambda: alpha}, LogSparse{Lambda: beta})
}

// sparse has penalties on both factors, and no graph if that is nil.
func (m Model) sparse(onW, onH Penalty) Model {
	if m.OnW = []Penalty{onW}; m.OnH[0].(Laplacian).Graph == nil {
		m.OnH = nil
	}
	m.OnH = append([]Penalty{onH}, m.OnH...)
	return m
}

// RLSNMF is LSNMF with whole samples as outliers,
//
//	min ‖X − WH − S‖² + γ‖S‖_{2,log} + …   (RLS-NMF paper, (35)),
//
// S minimised out. With Solver Additive{MU{}} it is (46), (49), (50), except for the graph (see
// LSNMF); the default weighs the samples instead. Outliers gives S either way.
func RLSNMF(rank int, alpha, beta, gamma float64, graph *Graph, lambda float64) Model {
	m := LSNMF(rank, alpha, beta, graph, lambda)
	m.Loss = ByColumn{LogShrink{Gamma: gamma, Scale: 1}}
	return m
}

// SparseNMF has the L1 norm on both factors, min ‖X − WH‖² + α Σ W + β Σ H (RLS-NMF paper, (3)),
// and with a graph λ tr(HLHᵀ): LS-NMF with the L1 norm in place of the log. graph may be nil. See
// Laplacian and Ridge on scale: large α and β together make both factors 0.
func SparseNMF(rank int, alpha, beta float64, graph *Graph, lambda float64) Model {
	return GNMF(rank, graph, lambda).sparse(Sparse{alpha}, Sparse{beta})
}

// SemiGNMF is GNMF with the labels in the graph, whose other edges may be nil.
func SemiGNMF(rank int, graph *Graph, labels Labels, lambda float64) (Model, error) {
	if !(lambda >= 0) || math.IsInf(lambda, 0) {
		return Model{}, errParameter("lambda", lambda, "0 or more")
	}
	g, err := labels.Graph(graph)
	if err != nil {
		return Model{}, err
	}
	return GNMF(rank, g, lambda), nil
}
