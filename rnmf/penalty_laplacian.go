package rnmf

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// Laplacian keeps the columns of neighbours similar,
//
//	λ tr(VLVᵀ) = λ Σ G_ij‖v_i − v_j‖² over the edges,   L = diag(d) − G,
//
// on H with a graph of the samples, or on W with one of the features. This is β tr(VᵀLV) of GNMF
// (Cai et al. 2011; RRA paper (5)), whose objective is half of the one here: λ is β.
//
// The term shrinks with V, while WH stays if the other factor grows as much. So with a penalty on H
// alone there is no minimum: the fit drifts towards large W and small H, where the term vanishes,
// and faster with a better solver. Digits (r = 10) end at the same objective for λ from 1 to 100. A
// Ridge on W holds W in place. (Only rows of H that are constant on each connected part of the graph
// cost nothing, and may still grow; a Ridge on H holds those.)
//
// The term couples columns of V: see Quadratic.Couple. Any Solver descends by classes of columns. HALS
// sweeps over all classes, and over groups of samples where the graph outweighs the data; MU takes
// all columns at once, as (7) of the RRA paper; OGM and RRA of package papers work on V as a whole.
type Laplacian struct {
	Graph  *Graph
	Lambda float64
}

// Value returns λ tr(VLVᵀ).
func (p Laplacian) Value(v *mat.Dense) float64 { return p.Lambda * p.Graph.Roughness(v) }

// Rounding is 1e-28 of Σ d_j v_kj²: the value is a difference of such squares.
func (p Laplacian) Rounding(v *mat.Dense) float64 {
	var sum float64
	for k := range v.RawMatrix().Rows {
		for j, x := range v.RawRowView(k) {
			sum += p.Graph.degree[j] * x * x
		}
	}
	return 1e-28 * p.Lambda * sum
}

// Majorize makes the term part of q.
func (p Laplacian) Majorize(q *Quadratic, v *mat.Dense) { q.Couple(p.Graph, p.Lambda, v) }

// Check finds a graph that does not fit a factor r×n, and a bad λ.
func (p Laplacian) Check(_, n int) error {
	if err := checkLambda("Laplacian.Lambda", p.Lambda); err != nil {
		return err
	}
	if p.Graph == nil {
		return errParameter("Laplacian.Graph", p.Graph, "a graph")
	}
	if p.Graph.n != n {
		return fmt.Errorf("%w: Laplacian.Graph has %d vertices, want %d", ErrShape, p.Graph.n, n)
	}
	return nil
}
