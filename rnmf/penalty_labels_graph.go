package rnmf

import (
	"fmt"
)

// Graph adds the labels to a graph of the samples (Cai et al. 2011, section 3.1): an edge of weight
// 1 between two samples of one class, none between samples of different classes, and those of g
// elsewhere. With g nil there are only the former. GNMF with this graph is Semi-GNMF; the one of
// the RSS-NMF paper finds neighbours by a learned metric: see KISSME of package baseline.
func (l Labels) Graph(g *Graph) (*Graph, error) {
	n := len(l.Class)
	if g != nil {
		n, _ = g.Dims()
	}
	if err := l.check(n); err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, fmt.Errorf("%w: no samples", ErrEmpty)
	}
	var edges []Edge
	for i, c := range l.Class {
		if c >= 0 {
			for j := range i {
				if l.Class[j] == c {
					edges = append(edges, Edge{i, j, 1})
				}
			}
		}
		if g == nil {
			continue
		}
		to, weight := g.Neighbors(i)
		for k, j := range to {
			if j < i && (c < 0 || l.Class[j] < 0) {
				edges = append(edges, Edge{i, j, weight[k]})
			}
		}
	}
	return NewGraph(n, edges)
}
