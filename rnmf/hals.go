package rnmf

import (
	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/kernel"
)

// HALS is hierarchical alternating least squares (Cichocki and Phan 2009;
// Gillis and Glineur 2012), with weights: the exact minimiser over one
// component of V after the other,
//
//	v_kj ← max(0, v_kj + (Σ_i ω_ij u_ki e_ij + c_kj − d_kj v_kj) / (Σ_i ω_ij u_ki² + d_kj)).
//
// The residual of a tile stays in the cache and follows each change by a matrix
// of rank one, so a sweep costs as much as a multiplicative update. Where Ω has
// rank one (Frobenius, ByColumn, the additive form) the sums come from UX and
// UUᵀ, and further sweeps are nearly free.
type HALS struct {
	// Sweeps is the number of sweeps over the components in a half-step.
	// 0 is one sweep with weights, and without as many as pay: until a
	// sweep changes V by less than a tenth of what the first did.
	Sweeps int
	// Plain leaves the factors where the sweeps end. If not, the fit
	// extrapolates them after each round whose scale stays (Ang and Gillis
	// 2019), and repeats the round without where that raised the objective.
	Plain bool
}

var _ Solver = HALS{}

// Improve lowers q by coordinate descent over the components.
func (s HALS) Improve(q *Quadratic, v *mat.Dense) {
	if q.Weighted() {
		u := q.U.RawMatrix().Data
		q.Tiles(v, func(t *Tile) {
			for range max(s.Sweeps, 1) {
				weightedSweep(t, u)
			}
		})
		return
	}
	m, _, r := q.Dims()
	u, gram := q.gram()
	sweeps := s.Sweeps
	if sweeps == 0 {
		// A sweep costs r/m of the product UX that it lives on; stop at half.
		sweeps = 1 + m/(2*r)
	}
	q.Tiles(v, func(t *Tile) { gramSweeps(t, u, gram, sweeps, s.Sweeps == 0) })
}

// weightedSweep takes each component of a tile to its minimiser, E following.
func weightedSweep(t *Tile, u []float64) {
	m, b := t.M, t.B
	space := t.Space(3 * b)
	num, den, delta := space[:b], space[b:2*b], space[2*b:]
	var last []float64
	for k := range t.R {
		uk := u[k*m:][:m]
		kernel.Weighted(num, den, t.E, t.Omega, uk, last, delta, m, b)
		vk := t.V[k*b:][:b]
		for j, v := range vk {
			n, d := num[j], den[j]
			if t.C != nil {
				n += t.C[k*b+j]
			}
			if t.D != nil {
				n -= t.D[k*b+j] * v
				d += t.D[k*b+j]
			}
			vk[j] = step(v, n, d)
			delta[j] = vk[j] - v
		}
		last = uk
	}
	kernel.SubOuter(t.E, last, delta, m, b)
}

// step returns max(0, v + n/d), the minimiser of d·x² − 2(n + d·v)x over x ≥ 0.
// With d = 0 the bound is flat or linear there: flat leaves v as it is, a
// decreasing one cannot happen (a penalty that pulls has curvature), and an
// increasing one has its minimum at 0.
func step(v, n, d float64) float64 {
	if d > 0 {
		if x := v + n/d; x > 0 && x < maxFactor {
			return x
		} else if x <= 0 {
			return 0
		}
		return v // n/d overflowed: d is rounding
	}
	if n < 0 {
		return 0
	}
	return v
}

// maxFactor bounds the entries of the factors. It is far above what any fit of
// data within range needs, and its square can be summed without overflow.
const maxFactor = 1e120

// gramSweeps takes the columns of a tile towards their minimiser with
// N = UX and G = UUᵀ: Σ_i u_ki e_ij = N_kj − Σ_l G_kl v_lj.
func gramSweeps(t *Tile, u, gram []float64, sweeps int, early bool) {
	m, r, b := t.M, t.R, t.B
	space := t.Space(r*b + b)
	n, acc := space[:r*b], space[r*b:]
	kernel.AddCross(n, u, t.X, m, r, b)
	t.crossed(n, gram)
	var first float64
	for sweep := range sweeps {
		var change float64
		for k := range r {
			gk := gram[k*r:][:r]
			clear(acc)
			kernel.AddCross(acc, gk, t.V, r, 1, b) // the row G_k of a Gram matrix times V
			vk, nk := t.V[k*b:][:b], n[k*b:][:b]
			for j, v := range vk {
				w := t.Col[j]
				num, d := w*(nk[j]-acc[j]), w*gk[k]
				if t.C != nil {
					num += t.C[k*b+j]
				}
				if t.D != nil {
					num -= t.D[k*b+j] * v
					d += t.D[k*b+j]
				}
				x := step(v, num, d)
				vk[j] = x
				change += (x - v) * (x - v)
			}
		}
		if sweep == 0 {
			first = change
		}
		if early && change <= 0.01*first {
			break
		}
	}
}

// scaleColumns returns U·diag(d).
func scaleColumns(u, d []float64, m, r int) []float64 {
	out := make([]float64, r*m)
	for k := range r {
		for i, w := range d {
			out[k*m+i] = w * u[k*m+i]
		}
	}
	return out
}
