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
	// 0 is one sweep with weights, and without as many as pay, which are more
	// with a Laplacian: until a sweep changes V by less than a tenth of what the
	// first did.
	Sweeps int
	// Plain leaves the factors where the sweeps end. If not, the fit
	// extrapolates them after each round whose scale stays (Ang and Gillis
	// 2019), and repeats the round without where that raised the objective.
	Plain bool
}

var _ Solver = HALS{}

func (s HALS) check() error {
	if s.Sweeps < 0 {
		return errParameter("HALS.Sweeps", s.Sweeps, "0 or more")
	}
	return nil
}

// Improve lowers q by coordinate descent over the components.
func (s HALS) Improve(q *Quadratic, v *mat.Dense) {
	if q.Weighted() {
		u := q.U.RawMatrix().Data
		q.noX = true
		defer func() { q.noX = false }()
		q.Tiles(v, func(t *Tile) {
			weightedSweeps(t, u, max(s.Sweeps, 1))
		})
		return
	}
	if q.tie.Graph != nil {
		s.overGraph(q, v)
		return
	}
	m, _, r := q.Dims()
	u, g := q.gram()
	inv := make([]float64, r)
	kernel.Inverses(inv, g, r)
	sweeps := s.Sweeps
	if sweeps == 0 {
		// A sweep costs r/m of the product UX that it lives on; stop at half.
		sweeps = 1 + m/(2*r)
	}
	q.Tiles(v, func(t *Tile) { gramSweeps(t, u, g, inv, sweeps, s.Sweeps == 0) })
}

// weightedSweeps takes one component of a tile after the other to its minimiser,
// E following. Two components share a pass over the tile: see WeightedPair.
func weightedSweeps(t *Tile, u []float64, sweeps int) {
	m, r, b := t.M, t.R, t.B
	space := t.Space(7 * b)
	sums, delta := space[:5*b], space[5*b:]
	num0, num1, den0, den1, both := sums[:b], sums[b:2*b], sums[2*b:3*b], sums[3*b:4*b], sums[4*b:]
	var last []float64 // the rows of U whose changes E has yet to follow
	for range sweeps {
		k := 0
		if r%2 == 1 {
			if last != nil {
				kernel.SubOuter(t.E, last[:m], delta[:b], m, b)
				last = last[m:]
			}
			kernel.Weighted(num0, den0, t.E, t.Omega, u[:m], last, delta[b:], m, b)
			t.step(0, num0, den0, delta[:b])
			if r == 1 {
				last = append(u[:m:m], u[:m]...)
			} else {
				last = u[:2*m]
			}
			clear(delta[b:])
			k = 1
		}
		for ; k < r; k += 2 {
			rows := u[k*m:][:2*m]
			kernel.WeightedPair(sums, t.E, t.Omega, rows, last, delta, m, b)
			t.step(k, num0, den0, delta[:b])
			for j, d := range delta[:b] {
				num1[j] -= d * both[j]
			}
			t.step(k+1, num1, den1, delta[b:])
			last = rows
		}
	}
}

// step takes component k to its minimiser, and writes by how much it changed.
func (t *Tile) step(k int, num, den, delta []float64) {
	b := t.B
	vk := t.V[k*b:][:b]
	if t.C != nil {
		for j, c := range t.C[k*b:][:b] {
			num[j] += c
		}
	}
	if t.D != nil {
		for j, d := range t.D[k*b:][:b] {
			num[j] -= d * vk[j]
			den[j] += d
		}
	}
	kernel.Step(vk, delta, num, den)
}

// maxFactor bounds the entries of the factors. It is far above what any fit of
// data within range needs, and its square can be summed without overflow.
const maxFactor = 1e120

// gramSweeps takes the columns of a tile towards their minimiser with
// N = UX and G = UUᵀ: Σ_i u_ki e_ij = N_kj − Σ_l G_kl v_lj. inv are the inverses
// of G's diagonal.
func gramSweeps(t *Tile, u *kernel.Cross, g, inv []float64, sweeps int, early bool) {
	r, b := t.R, t.B
	space := t.Space(r*b + b)
	n, change := space[:r*b], space[r*b:]
	u.Add(n, t.X, b)
	t.crossed(n, g)
	weighted := t.weighsColumns()
	if weighted {
		for k := range r {
			kernel.Mul(n[k*b:][:b], t.Col)
		}
	}
	for i, c := range t.C {
		n[i] += c
	}
	var first float64
	for sweep := range sweeps {
		var moved float64
		if weighted || t.D != nil {
			moved = kernel.GramSweepWeighted(change, t.V, n, g, t.Col, t.D, r, b)
		} else {
			moved = kernel.GramSweep(change, t.V, n, g, inv, r, b)
		}
		if sweep == 0 {
			first = moved
		}
		if early && moved <= 0.01*first {
			break
		}
	}
}

// weighsColumns tells whether the weights of the columns matter.
func (t *Tile) weighsColumns() bool {
	return t.q.bound > 0 || t.q.sample == columns && t.q.penalised()
}
