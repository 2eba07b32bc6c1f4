package rnmf

// NMF is standard NMF, min ‖X − WH‖² (L2,1 paper, (1)).
func NMF(rank int) Model { return Model{Rank: rank} }

// GNMF keeps the coefficients of neighbours alike, min ‖X − WH‖² + λ tr(HLHᵀ) (Cai
// et al. 2011; RRA paper (5), with λ for β and without its factor ½). The papers'
// solvers are MU{}, OGM{Plain: true} and RRA{Plain: true}; the default is exact
// coordinate descent. See Laplacian on what holds back the scale.
func GNMF(rank int, graph *Graph, lambda float64) Model {
	return RobustGNMF(rank, nil, graph, lambda)
}

// RobustGNMF is GNMF with a robust loss: with ByColumn{L1{}} that of RMNMF (Huang
// et al. 2014) without its orthogonality, with Correntropy{} GNMF of an image
// that is partly covered. Additive{Solver: RRA{}} and the like use the papers'
// solvers.
func RobustGNMF(rank int, loss Loss, graph *Graph, lambda float64) Model {
	return Model{Rank: rank, Loss: loss, OnH: []Penalty{Laplacian{graph, lambda}}}
}

// L21NMF is robust NMF with the L2,1 norm, min Σ_j ‖x_j − Wh_j‖ (Kong, Ding and
// Huang 2011, (11)).
func L21NMF(rank int) Model { return Model{Rank: rank, Loss: ByColumn{L1{}}} }

// L1NMF is robust NMF with the (smoothed) L1 norm, min Σ √((X − WH)² + ε²)
// (Kong, Ding and Huang 2011, (60)).
func L1NMF(rank int) Model { return Model{Rank: rank, Loss: L1{}} }

// HuberNMF cuts off at the median residual (Du, Li and Shen 2012).
func HuberNMF(rank int) Model { return Model{Rank: rank, Loss: Huber{}} }

// CIMNMF minimises the correntropy-induced metric (Du, Li and Shen 2012).
func CIMNMF(rank int) Model { return Model{Rank: rank, Loss: Correntropy{}} }

// HypersurfaceNMF minimises Σ √(1 + (X − WH)²/σ²) − 1 (Hamza and Brady 2006;
// RSS-NMF paper without labels). A scale of 0 has it estimated; the papers use 1.
func HypersurfaceNMF(rank int, scale float64) Model {
	return Model{Rank: rank, Loss: Hypersurface{Scale: scale}}
}

// RSSNMF adds labels by structured normalisation,
//
//	min Σ √(1 + (X − WH)²/σ²) − 1 + ½‖ΛHˡ − Yˡ‖²   (RSS-NMF paper, (12)),
//
// with Labels.Weight before the second sum. The paper has σ = 1, and as Solver
// MU{} (18)-(19) or FGD{Plain: true} (20)-(37). A scale of 0 has it estimated.
func RSSNMF(rank int, scale float64, labels Labels) Model {
	return Model{Rank: rank, Loss: Hypersurface{Scale: scale}, OnH: []Penalty{labels}}
}

// CauchyNMF minimises Σ ln(1 + (X − WH)²/γ²) with Nagy's scale, without
// truncation (Guan et al. 2019, (2) with σ = ∞).
func CauchyNMF(rank int) Model { return Model{Rank: rank, Loss: Cauchy{}} }

// TruncatedCauchyNMF minimises the Cauchy loss truncated by the three-sigma
// rule, with Nagy's scale (Guan et al. 2019, (2)). With Solver OGM{Plain: true}
// it is their Algorithm 2, with the zeros of line 4 kept in line 7. On data of nearly
// exact low rank the scale runs ahead of the fit and locks it in from most starts:
// give Scale and Cut, or take RobustNMF, which holds the scale back (notebook 02).
func TruncatedCauchyNMF(rank int) Model {
	return Model{Rank: rank, Loss: Truncated{Loss: Cauchy{}}}
}

// CappedNMF caps the norm of each sample's residual, min Σ_j min(‖x_j − Wh_j‖, θ)
// (RCNMF, Gao et al. 2015). With θ = 0 the cap follows the three-sigma rule of a
// normal distribution.
func CappedNMF(rank int, theta float64) Model {
	return Model{Rank: rank, Loss: ByColumn{Truncated{Loss: L1{}, Cut: theta, Rule: NormalThreeSigma}}}
}

// RNMFL1 takes a sparse outlier matrix out of the data,
// min ‖X − WH − S‖² + λ‖S‖₁ (Zhang et al. 2011), alternating over S, H and W.
// Minimised over S this is the Huber loss with cut-off λ/2, solved in the
// additive form; Outliers gives S. With λ = 0 the cut-off is estimated.
func RNMFL1(rank int, lambda float64) Model {
	return Model{Rank: rank, Loss: Huber{Cut: lambda / 2}, Solver: Additive{}}
}
