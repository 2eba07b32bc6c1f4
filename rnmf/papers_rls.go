package rnmf

// LSNMF is log-norm regularised sparse NMF,
//
//	min ‖X − WH‖² + λ tr(HLHᵀ) + α Σ log(1 + W) + β Σ log(1 + H)   (RLS-NMF paper, (5)),
//
// and (4) where graph is nil. The paper's solver is MU{}, which is (13)-(14), and its
// samples have length 1: on other data use Units. SparseNMF has the L1 norm instead.
func LSNMF(rank int, alpha, beta float64, graph *Graph, lambda float64) Model {
	m := Model{Rank: rank, OnW: []Penalty{LogSparse{Lambda: alpha}}, OnH: []Penalty{LogSparse{Lambda: beta}}}
	if graph != nil {
		m.OnH = append(m.OnH, Laplacian{graph, lambda})
	}
	return m
}

// RLSNMF is LSNMF with whole samples as outliers,
//
//	min ‖X − WH − S‖² + γ‖S‖_{2,log} + …   (RLS-NMF paper, (35)),
//
// S minimised out. With Solver Additive{MU{}} it is the paper's (46), (49), (50); the
// default weighs the samples instead. Outliers gives S either way.
func RLSNMF(rank int, alpha, beta, gamma float64, graph *Graph, lambda float64) Model {
	m := LSNMF(rank, alpha, beta, graph, lambda)
	m.Loss = ByColumn{LogShrink{Gamma: gamma, Scale: 1}}
	return m
}
