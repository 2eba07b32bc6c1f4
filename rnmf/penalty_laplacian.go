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
// Ridge on W prevents that.
//
// The term couples columns of V. As diag(d) + G is positive semidefinite, L ⪯ 2diag(d), which
// bounds it by
//
//	tr(VLVᵀ) ≤ Σ 2d_j v_kj² − 2 Σ (d_j v⁰_kj + (V⁰G)_kj) v_kj + constant.
//
// It doubles the curvature, so only a second Laplacian on the same factor uses it; the first is
// part of the Quadratic. Columns without edges among them are separate as they are: Tiles come in
// such classes, with λ(VG) in C and λd in D, and any Solver then descends by blocks, exactly. HALS
// sweeps over all classes, and over groups of samples where the graph outweighs the data; MU takes
// all columns at once, as (7) of the RRA paper; OGM and RRA work on V as a whole.
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
func (p Laplacian) Majorize(q *Quadratic, v *mat.Dense) {
	switch {
	case p.Lambda == 0:
	case q.graph.Graph == nil:
		q.graph = p
	default:
		p.add(q, v, 2)
	}
}

// freezeNeighbors makes the graph term of q a part of C and D, with all neighbours at v.
func (q *Quadratic) freezeNeighbors(v *mat.Dense) {
	if q.graph.Graph != nil {
		q.graph.add(q, v, 1)
		q.graph = Laplacian{}
	}
}

// add adds times·λd to D and λ((times − 1)·d∘v + vG) to C: with times = 2 a bound, with 1 the
// gradient at v alone.
func (p Laplacian) add(q *Quadratic, v *mat.Dense, times float64) {
	g := p.Graph
	c, d := q.Linear(), q.Diagonal()
	sums := make([]float64, g.n)
	for k := range q.r {
		vk, ck, dk := v.RawRowView(k), c.RawRowView(k), d.RawRowView(k)
		g.mulRow(sums, vk)
		for j, s := range sums {
			ck[j] += p.Lambda * (s + (times-1)*g.degree[j]*vk[j])
			dk[j] += p.Lambda * times * g.degree[j]
		}
	}
}

// classes hands out the columns by classes of the graph's colouring. A class is loaded when the one
// before is done, with the new columns in its C.
func (q *Quadratic) classes(v *mat.Dense, need need, f func(t *Tile)) {
	width := q.tileWidth(need)
	w, losses := q.walk(v, need), []float64(nil)
	for _, class := range q.graph.Graph.colors() {
		count := (len(class) + width - 1) / width
		before := len(losses)
		losses = append(losses, make([]float64, count)...)
		q.pool.each(count, func(t *Tile, i int) {
			t.Columns = class[i*width : min((i+1)*width, len(class))]
			t.load(q, w, v, t.Columns[0], len(t.Columns))
			f(t)
			t.store(v)
			t.Columns = nil
			losses[before+i] = t.loss
		})
	}
	q.end(w, losses)
}

// joinNeighbors adds λ(VG) to C and λd to D. Given all other columns, the term of column j is
// λ(d_j‖v_j‖² − 2 v_jᵀ Σ_l G_jl v_l) and a constant.
func (t *Tile) joinNeighbors(v *mat.Dense) {
	if t.C == nil {
		t.C = make([]float64, t.R*t.B)
	}
	if t.D == nil {
		t.D = make([]float64, t.R*t.B)
	}
	g, lambda := t.q.graph.Graph, t.q.graph.Lambda
	for i, j := range t.Columns {
		to, weight := g.Neighbors(j)
		d := lambda * g.degree[j]
		for k := range t.R {
			var sum float64
			row := v.RawRowView(k)
			for a, l := range to {
				sum += weight[a] * row[l]
			}
			t.C[k*t.B+i] += lambda * sum
			t.D[k*t.B+i] += d
		}
	}
}

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
