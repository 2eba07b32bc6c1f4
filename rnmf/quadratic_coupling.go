package rnmf

import "gonum.org/v1/gonum/mat"

// Couple adds λ tr(VLVᵀ) = λ Σ G_ij‖v_i − v_j‖² over the edges of a graph of the n columns, with L its
// Laplacian: for a Penalty that joins columns of V, of which v is the present one.
//
// Columns without edges among them are separate as they are: Tiles come in such classes, with λ(VG) in
// C and λd in D, and any Solver then descends by blocks, exactly. A Solver that works on V as a whole
// finds the term in Coupling.
//
// A second term on the same factor is bounded: as diag(d) + G is positive semidefinite, L ⪯ 2diag(d),
// and
//
//	tr(VLVᵀ) ≤ Σ 2d_j v_kj² − 2 Σ (d_j v⁰_kj + (V⁰G)_kj) v_kj + constant,
//
// which doubles the curvature. A graph of another number of vertices, or a λ that is not 0 to 1e100, ends
// the fit with an error that names the penalty.
func (q *Quadratic) Couple(g *Graph, lambda float64, v *mat.Dense) {
	switch next := (coupling{g, lambda}); {
	case lambda == 0:
	case g == nil || g.n != q.n || !(lambda >= 0 && lambda <= maxEntry):
		q.refused = &next
	case q.graph.graph == nil:
		q.graph = next
	default:
		next.add(q, v, 2)
	}
}

// Coupling returns the graph and λ of the term that couples columns, nil and 0 if there is none.
func (q *Quadratic) Coupling() (g *Graph, lambda float64) { return q.graph.graph, q.graph.lambda }

// Decouple replaces the term that couples columns by its bound at v, in C and D: see Couple.
func (q *Quadratic) Decouple(v *mat.Dense) { q.decouple(v, 2) }

// FreezeNeighbors replaces the term that couples columns by what it is for a column whose neighbours
// stay as they are in v: λd in D and λ(vG) in C. Its gradient at v is right, but it is no bound where
// several columns move: the multiplicative update has a proof of its own, see MU.
func (q *Quadratic) FreezeNeighbors(v *mat.Dense) { q.decouple(v, 1) }

func (q *Quadratic) decouple(v *mat.Dense, times float64) {
	if q.graph.graph != nil {
		q.graph.add(q, v, times)
		q.graph = coupling{}
	}
}

// add adds times·λd to D and λ((times − 1)·d∘v + vG) to C: with times = 2 a bound, with 1 the
// gradient at v alone.
func (p coupling) add(q *Quadratic, v *mat.Dense, times float64) {
	g := p.graph
	c, d := q.Linear(), q.Diagonal()
	sums := make([]float64, g.n)
	for k := range q.r {
		vk, ck, dk := v.RawRowView(k), c.RawRowView(k), d.RawRowView(k)
		g.mulRow(sums, vk)
		for j, s := range sums {
			ck[j] += p.lambda * (s + (times-1)*g.degree[j]*vk[j])
			dk[j] += p.lambda * times * g.degree[j]
		}
	}
}

// byClasses hands out the columns by classes of the graph's colouring. A class is loaded when the one
// before is done, with the new columns in its C.
func (q *Quadratic) byClasses(v *mat.Dense, f func(t *Tile)) {
	width := q.tileWidth()
	w, losses := q.walk(v), []float64(nil)
	for _, class := range q.graph.graph.colors() {
		count := (len(class) + width - 1) / width
		before := len(losses)
		losses = append(losses, make([]float64, count)...)
		q.pool.each(count, func(t *Tile, i int) {
			t.Columns = class[i*width : min((i+1)*width, len(class))]
			t.handle(q, w, v, t.Columns[0], len(t.Columns), f)
			t.Columns = nil
			losses[before+i] = t.loss
		})
	}
	q.takeLoss(w, losses)
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
	g, lambda := t.q.graph.graph, t.q.graph.lambda
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
