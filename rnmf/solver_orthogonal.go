package rnmf

import (
	"encoding/gob"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/kernel"
)

// Orthogonal, as Model.SolverH, keeps the rows of H orthogonal. As H ≥ 0, each sample then has one
// component alone, x_j ≈ w_k h_kj: clustering by directions. The exact minimiser over a column of H
// is then found at once. With the sums of HALS,
//
//	a_k = Σ_i ω_ij w_ik x_ij + c_kj,   b_k = Σ_i ω_ij w_ik² + d_kj,
//
// q is −a_k²/b_k at its minimum a_k/b_k for component k, if a_k > 0; the sample goes to the
// component for which that is least. Each row of W is exact too, as HΩHᵀ is diagonal. For Frobenius
// this is the alternation of Pompili, Gillis, Absil and Glineur (2014), in which w_k tends to the
// first singular vector of its samples.
//
// It works with any loss, mask and penalty, and never raises the objective. The multiplicative
// updates of Ding et al. and of Choi can raise it: they treat the multiplier of the constraint as
// fixed, or take a ratio for a gradient, and their rows are orthogonal only in the limit.
//
// Like k-means it ends at a local minimum that depends on the start: Clusters{Shift: -1} is a good
// one. Of a start, the largest coefficient of each sample is kept. Without weights and penalties a
// component that has lost all its samples gets the sample that fits worst.
type Orthogonal struct{}

func init() { gob.Register(Orthogonal{}) }

// Signed returns false.
func (Orthogonal) Signed() bool { return false }

// Probe returns s, which has no state.
func (s Orthogonal) Probe() Solver { return s }

// Project keeps the largest entry of each column.
func (Orthogonal) Project(h *mat.Dense) {
	r, n := h.Dims()
	for j := range n {
		best := 0
		for k := range r {
			if h.At(k, j) > h.At(best, j) {
				best = k
			}
		}
		for k := range r {
			if k != best {
				h.Set(k, j, 0)
			}
		}
	}
}

// Improve finds the component of each sample.
func (s Orthogonal) Improve(q *Quadratic, v *mat.Dense) {
	if q.Weighted() {
		u := q.layout.cross()
		uu := q.layout.squares()
		q.Tiles(v, func(t *Tile) {
			r, b := t.R, t.B
			space := t.Space(2 * r * b)
			num, den := space[:r*b], space[r*b:]
			kernel.Mul(t.X, t.Omega)
			u.Add(num, t.X, b)
			uu.Add(den, t.Omega, b)
			t.choose(num, den)
		})
		return
	}
	u, g := q.gram()
	var misfit []float64 // of each sample
	if q.follows && !q.penalised() && q.bound == 0 {
		misfit = make([]float64, q.n)
	}
	q.tiles(v, needCross|needWeights, func(t *Tile) {
		r, b := t.R, t.B
		num, den := t.cross(u, g), t.Space(r*b)
		for k := range r {
			row := den[k*b:][:b]
			for j := range row {
				row[j] = g[k*r+k]
			}
			if t.weighsColumns() {
				kernel.Mul(num[k*b:][:b], t.Col)
				kernel.Mul(row, t.Col)
			}
		}
		gain := t.choose(num, den)
		if misfit != nil {
			for j, a := range gain {
				misfit[t.First+j] = q.norms[t.First+j] - a
			}
		}
	})
	if misfit != nil && !q.pool.Stop() {
		q.fill(v, misfit)
	}
}

// choose gives each column its best component, and returns a_k²/b_k. num and den are a and b
// without C and D. On a tie the present component stays.
func (t *Tile) choose(num, den []float64) (gain []float64) {
	b := t.B
	gain = make([]float64, b)
	for j := range b {
		best, value := -1, 0.0
		for k := range t.R {
			i := k*b + j
			n, d := num[i], den[i]
			if t.C != nil {
				n += t.C[i]
			}
			if t.D != nil {
				d += t.D[i]
			}
			x := 0.0
			if n > 0 && d > 0 {
				x = step(0, n, d)
			}
			if g := n * x; g > gain[j] || g == gain[j] && g > 0 && t.V[i] > 0 {
				best, value, gain[j] = i, x, g
			}
		}
		if best < 0 && t.flat(den, j) {
			continue // nothing is known of this sample
		}
		for k := range t.R {
			t.V[k*b+j] = 0
		}
		if best >= 0 {
			t.V[best] = value
		}
	}
	return gain
}

// flat reports whether q does not depend on a column at all.
func (t *Tile) flat(den []float64, j int) bool {
	for k := range t.R {
		if den[k*t.B+j] > 0 || t.C != nil || t.D != nil {
			return false
		}
	}
	return true
}

// fill gives each component without samples the sample that fits worst of those that are not alone.
// The W half-step, exact, then fits it without error, so the round does not raise the objective.
func (q *Quadratic) fill(v *mat.Dense, misfit []float64) {
	r, n := q.r, q.n
	of, size := make([]int, n), make([]int, r)
	for j := range of {
		of[j] = -1
		for k := range r {
			if v.At(k, j) > 0 {
				of[j] = k
				size[k]++
			}
		}
	}
	for k, count := range size {
		if count > 0 {
			continue
		}
		worst := -1
		for j, c := range of {
			if (c < 0 || size[c] > 1) && misfit[j] > 1e-9*q.norms[j] && (worst < 0 || misfit[j] > misfit[worst]) {
				worst = j
			}
		}
		if worst < 0 {
			return
		}
		value := 1.0
		if c := of[worst]; c >= 0 {
			value = v.At(c, worst)
		}
		var s float64 // whose slope is the weight of the sample in the W half-step
		for i, u := range q.U.RawRowView(k) {
			e := q.x.At(i, worst) - value*u
			s += e * e
		}
		if _, slope := q.loss.Rho(s); slope == 0 {
			return // W would not follow
		}
		if c := of[worst]; c >= 0 {
			v.Set(c, worst, 0)
			size[c]--
		}
		v.Set(k, worst, value)
		of[worst], size[k] = k, 1
		misfit[worst] = 0
	}
}
