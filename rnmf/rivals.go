package rnmf

// SparseNMF has the L1 norm on both factors, min ‖X − WH‖² + α Σ W + β Σ H
// (RLS-NMF paper, (3)), and with a graph λ tr(HLHᵀ): LS-NMF with the L1 norm in
// place of the log. graph may be nil. See Laplacian and Ridge on scale: as all terms
// shrink with the factors, large α and β together make them 0.
func SparseNMF(rank int, alpha, beta float64, graph *Graph, lambda float64) Model {
	m := Model{Rank: rank, OnW: []Penalty{Sparse{alpha}}, OnH: []Penalty{Sparse{beta}}}
	if graph != nil {
		m.OnH = append(m.OnH, Laplacian{graph, lambda})
	}
	return m
}
