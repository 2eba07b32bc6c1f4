package rnmf

// NMF is standard NMF, min ‖X − WH‖² (L2,1 paper, (1)).
func NMF(rank int) Model { return Model{Rank: rank} }

// PoissonNMF is NMF of counts, min Σ x ln(x/y) − x + y with y = WH, the Kullback-Leibler divergence (Lee
// and Seung 1999; scikit-learn's beta_loss='kullback-leibler'). It maximises the likelihood of Poisson
// counts: documents, cells, photons. The objective is the deviance, twice the divergence.
func PoissonNMF(rank int) Model { return Model{Rank: rank, Family: Poisson} }

// RobustPoissonNMF is from no paper: PoissonNMF with the loss CauchyTail of deviances, whose cut-off is
// 2.5 times their scale. That is 1, as in Poisson counts, or more where counts vary more. Bursts, zeros
// where a detector was off, and foreign samples hardly count. For sparse X take the Family
// SparsePoisson. X has to be as it was counted, and not scaled: see Poisson.
func RobustPoissonNMF(rank int) Model {
	return Model{Rank: rank, Family: Poisson, Loss: CauchyTail{}}
}

// GNMF keeps the coefficients of neighbours alike, min ‖X − WH‖² + λ tr(HLHᵀ) (Cai et al. 2011; RRA
// paper (5), with λ for β and without its factor ½). The papers' solvers are MU{} and
// papers.OGM{Printed: true}, and papers.RRA has the steps of another one; the default is exact coordinate
// descent. Add a Ridge on W, see Laplacian. With a Loss it is robust.
func GNMF(rank int, graph *Graph, lambda float64) Model {
	return Model{Rank: rank, OnH: []Penalty{Laplacian{graph, lambda}}}
}

// L21NMF is robust NMF with the L2,1 norm, min Σ_j ‖x_j − Wh_j‖ (Kong, Ding and Huang 2011, (11)).
func L21NMF(rank int) Model { return Model{Rank: rank, Loss: ByColumn{L1{}}} }

// L1NMF is NMF with the (smoothed) L1 norm, min Σ √((X − WH)² + ε²) (Kong et al. 2011, (60)).
func L1NMF(rank int) Model { return Model{Rank: rank, Loss: L1{}} }

// HuberNMF minimises the Huber loss (Du, Li and Shen 2012; their cut-off is Huber.Printed).
func HuberNMF(rank int) Model { return Model{Rank: rank, Loss: Huber{}} }

// CellCaseNMF minimises Σ_j √(ε² + Σ_i ρ(e_ij²)) with the Huber loss as ρ: for wrong entries and wrong
// samples at once (Centofanti, Hubert and Rousseeuw 2024 for principal components). It is the single
// model to take where you do not know what is wrong and time counts; choose.Auto takes more time and is
// better where something covers parts of samples. Package rnmf/panel does not take it.
func CellCaseNMF(rank int) Model { return Model{Rank: rank, Loss: CellCase{Loss: Huber{}}} }

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
// FGD{Printed: true} (20)-(37). A scale of 0 has it estimated.
func RSSNMF(rank int, scale float64, labels Labels) Model {
	return Model{Rank: rank, Loss: Hypersurface{Scale: scale}, OnH: []Penalty{labels}}
}

// CauchyNMF minimises Σ ln(1 + (X − WH)²/γ²) (Guan et al. 2019, (2) with σ = ∞ and Cauchy.Printed).
func CauchyNMF(rank int) Model { return Model{Rank: rank, Loss: Cauchy{}} }

// TruncatedCauchyNMF minimises the Cauchy loss truncated by the three-sigma rule (Guan et al. 2019,
// (2)). With Loss Truncated{Loss: Cauchy{Printed: true}}, TuneFor -1 and Solver papers.OGM{Printed: true} it
// is their Algorithm 2, with the zeros of line 4 kept in line 7. On data of nearly exact low rank
// the scale shrinks faster than the fit improves, and most starts end at a bad minimum or come near the
// good one only after thousands of rounds: give Scale and Cut, or use RobustNMF.
func TruncatedCauchyNMF(rank int) Model {
	return Model{Rank: rank, Loss: Truncated{Loss: Cauchy{}}}
}

// CappedNMF caps the norm of each sample's residual, min Σ_j min(‖x_j − Wh_j‖, θ) (RCNMF, Gao et
// al. 2015). With θ = 0 the cap follows the three-sigma rule of a normal distribution.
func CappedNMF(rank int, theta float64) Model {
	return Model{Rank: rank, Loss: ByColumn{Truncated{Loss: L1{}, Cut: theta, Rule: NormalThreeSigma}}}
}

// RobustNMF is from no paper. It is for data of which much is grossly wrong, and which else nearly have
// the rank: a tight truncated Cauchy loss until its scale is stable, then least squares on what lies
// within three standard deviations, or six where no residuals stand out (ThreeOrSixSigma). Where little is
// wrong that has a price, which CHOOSING.md measures; where you do not know, take choose.Auto. It wants
// features several times the rank. On small data some starts end at a bad minimum (notebook 02, section 8).
//
// On faces it gives up a third of the entries where 40 % are salt or pepper. Neither a second stage from
// the factors of CellCaseNMF mends that everywhere, nor a cut-off that is estimated again at the end, nor
// one that may only grow.
func RobustNMF(rank int) Model { return Model{Rank: rank, Loss: MMEstimator{}} }

// SemiNMF leaves the sign of W free, min over W, H ≥ 0 of ‖X − WH‖² (Ding, Li and Jordan 2010), and
// takes data of any sign. With a Loss it is robust.
func SemiNMF(rank int) Model { return Model{Rank: rank, SolverW: NormalEquations{}, Signed: true} }

// SparseNMF has the L1 norm on both factors, min ‖X − WH‖² + α Σ W + β Σ H (RLS-NMF paper, (3)),
// and with a graph λ tr(HLHᵀ): LS-NMF with the L1 norm in place of the log. graph may be nil. See
// Laplacian and Ridge on scale: large α and β together make both factors 0.
func SparseNMF(rank int, alpha, beta float64, graph *Graph, lambda float64) Model {
	m := Model{Rank: rank, OnW: []Penalty{Lasso{alpha}}, OnH: []Penalty{Lasso{beta}}}
	if graph != nil {
		m.OnH = append(m.OnH, Laplacian{graph, lambda})
	}
	return m
}
