package papers

import (
	"github.com/robustnmf/robustnmf/rnmf"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
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
// Like k-means it ends at a local minimum that depends on the start: KMeansInit{Shift: -1} is a good
// one. Of a start, the largest coefficient of each sample is kept. Without weights and penalties a
// component that has lost all its samples gets the sample that fits worst.
type Orthogonal struct{}

// Signed returns false.
func (Orthogonal) Signed() bool { return false }

// Probe returns s, which has no state.
func (s Orthogonal) Probe() rnmf.Solver { return s }

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
func (s Orthogonal) Improve(q *rnmf.Quadratic, v *mat.Dense) {
	if q.Weighted() {
		q.Tiles(v, func(t *rnmf.Tile) {
			r, b := t.R, t.B
			space := t.Space(2 * r * b)
			num, den := space[:r*b], space[r*b:]
			x := t.X()
			for i, w := range t.Omega() {
				x[i] *= w
			}
			t.AddCross(num, x)
			t.Curvature(den)
			choose(t, num, den)
		})
		return
	}
	g := q.Gram()
	q.Tiles(v, func(t *rnmf.Tile) {
		r, b := t.R, t.B
		num, den := t.Cross(), t.Space(r*b)
		for k := range r {
			n, d := num[k*b:][:b], den[k*b:][:b]
			for j, w := range t.Col {
				n[j] *= w
				d[j] = g[k*r+k] * w
			}
			if t.D != nil {
				for j, x := range t.D[k*b:][:b] {
					d[j] += x
				}
			}
		}
		choose(t, num, den)
	})
}

// choose gives each column its best component. num is a without C, den is b.
//
// A sample stays in its component unless another is better by more than rounding errors. Where a loss
// is at rest on nearly exact data its weights are near 1/ε, and what rounding makes of ω·a_k²/b_k is
// far above all penalties: without this the least of the last bits chose the component, and the
// objective rose by what the penalties then were.
func choose(t *rnmf.Tile, num, den []float64) {
	b := t.B
	better := 1 + 4e-16*(4+math.Sqrt(float64(t.M))) // of a sum of M products
	// of returns the minimiser of a component, and by how much it lowers q.
	of := func(i int) (x, gain float64) {
		n := num[i]
		if t.C != nil {
			n += t.C[i]
		}
		if n > 0 && den[i] > 0 {
			x = rnmf.Minimiser(0, n, den[i])
		}
		return x, n * x
	}
	for j := range b {
		best, value, most, least := -1, 0.0, 0.0, 0.0 // least: what another has to be worth
		for i := j; i < len(t.V); i += b {
			if t.V[i] > 0 {
				if value, most = of(i); most > 0 {
					best, least = i, most*better
				}
				break
			}
		}
		for i := j; i < len(t.V); i += b {
			if x, gain := of(i); gain > most && gain > least {
				best, value, most = i, x, gain
			}
		}
		if best < 0 && isFlat(t, den, j) {
			continue // nothing is known of this sample
		}
		for i := j; i < len(t.V); i += b {
			t.V[i] = 0
		}
		if best >= 0 {
			t.V[best] = value
		}
	}
}

// isFlat reports whether q does not depend on a column at all.
func isFlat(t *rnmf.Tile, den []float64, j int) bool {
	for k := range t.R {
		if den[k*t.B+j] > 0 || t.C != nil || t.D != nil {
			return false
		}
	}
	return true
}

// Refill gives each component without samples the sample that fits worst of those that are not alone.
// The W half-step, exact, then fits it without error, so the round does not raise the objective.
func (s Orthogonal) Refill(q *rnmf.Quadratic, v *mat.Dense) {
	r, n := v.Dims()
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
	if slices.Min(size) > 0 || q.Weighted() {
		return
	}
	p, norms := q.GramForm(v), q.SquaredNorms()
	if q.Stopped() {
		return
	}
	misfit := slices.Clone(norms)
	for j, k := range of {
		if k >= 0 {
			misfit[j] -= p.N[k*n+j] * v.At(k, j)
		}
	}
	loss, _, _ := q.Loss()
	for k, count := range size {
		if count > 0 {
			continue
		}
		worst := -1
		for j, c := range of {
			if (c < 0 || size[c] > 1) && misfit[j] > 1e-9*norms[j] && (worst < 0 || misfit[j] > misfit[worst]) {
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
		// The slope at ‖x − value·u_k‖² is the weight of the sample in the W half-step.
		s := norms[worst] - value*(2*p.N[k*n+worst]-value*p.G[k*r+k])
		if _, slope := loss.Rho(max(s, 0)); slope == 0 {
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
