package rnmf

import (
	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/kernel"
)

// HALS is hierarchical alternating least squares (Cichocki and Phan 2009; Gillis and Glineur 2012),
// with weights: the exact minimiser over one component of V after the other,
//
//	v_kj ← max(0, v_kj + (Σ_i ω_ij u_ki e_ij + c_kj − d_kj v_kj) / (Σ_i ω_ij u_ki² + d_kj)).
//
// The residual of a tile stays in the cache and each change is a matrix of rank one, so a sweep
// costs 1.5 times as much as a multiplicative update. Where Ω has rank one (Frobenius, ByColumn,
// the additive form) the sums come from UX and UUᵀ, and further sweeps are nearly free.
type HALS struct {
	// Sweeps is the number of sweeps over the components in a half-step. 0 adapts it. Without
	// weights, sweeps cost little once UX is known: they go on until one changes V by less than a
	// tenth of what the first did (with a Laplacian and a low rank, a twentieth). With weights, the
	// sweeps use UUᵀ, and a line search with the weights decides how far to go; a round costs about
	// the same, and a half to a fifth as many are needed. With weights and a Laplacian it is one
	// sweep, also in rounds in which the scale was estimated: a scale that follows a fast fit too
	// soon traps it at the entries that happen to be fitted best.
	Sweeps int
	// NoExtrapolation turns extrapolation off. Otherwise the fit extrapolates both factors after each round
	// whose scale stays (Ang and Gillis 2019), and repeats a round without that if the objective
	// rose.
	NoExtrapolation bool
}

// Check finds a bad parameter.
func (s HALS) Check() error {
	if s.Sweeps < 0 {
		return errParameter("HALS.Sweeps", s.Sweeps, "0 or more")
	}
	return nil
}

// Extrapolates returns !NoExtrapolation.
func (s HALS) Extrapolates() bool { return !s.NoExtrapolation }

// SignedU returns true.
func (s HALS) SignedU() bool { return true }

// AfterTuning returns a HALS that takes one sweep where there are weights, if Sweeps is 0.
func (s HALS) AfterTuning() Solver {
	if s.Sweeps == 0 {
		return cautious{s}
	}
	return s
}

// cautious is HALS right after an estimate of the scale.
type cautious struct{ HALS }

// Improve lowers q, with weights by one sweep.
func (s cautious) Improve(q *Quadratic, v *mat.Dense) {
	if q.Weighted() {
		s.Sweeps = 1
	}
	s.HALS.Improve(q, v)
}

// Improve lowers q by coordinate descent over the components.
func (s HALS) Improve(q *Quadratic, v *mat.Dense) {
	if q.family != Gaussian {
		s.poisson(q, v)
		return
	}
	if q.Weighted() {
		if s.Sweeps == 0 && q.graph.graph == nil {
			s.scaled(q, v)
			return
		}
		u := q.U.RawMatrix().Data
		q.Tiles(v, func(t *Tile) { weightedSweeps(t, u, max(s.Sweeps, 1)) })
		return
	}
	if q.graph.graph != nil {
		s.overGraph(q, v)
		return
	}
	m, _, r := q.Dims()
	g := q.Gram()
	inv := make([]float64, r)
	kernel.Inverses(inv, g, r)
	sweeps := s.Sweeps
	if sweeps == 0 {
		// A sweep costs r/m of the product UX that it lives on; stop at half.
		sweeps = 1 + m/(2*r)
	}
	q.Tiles(v, func(t *Tile) { gramSweeps(t, g, inv, sweeps, s.Sweeps == 0) })
}

// scaled is the half-step of HALS with weights. For a column v of V, let M = UΩUᵀ + diag(d)
// with Ω = diag(ω), and −½∇q = g = U(ω∘e) + c − d∘v. The bound q falls by 2gᵀδ − δᵀMδ if v changes
// by δ. M is too expensive to be computed for each column. In its place the sweeps
// take G = UUᵀ, which all columns share, scaled to three quarters of M's trace,
//
//	max over v + δ ≥ 0 of 2gᵀδ − δᵀ(γG + diag(d))δ,   γ = ¾ Σ_ik ω_i u_ki² / Σ_ik u_ki².
//
// (The whole trace took a tenth more rounds: the line search corrects a δ that is too long, not one
// that is too short.) Then v goes along δ to the minimum of q, but not beyond δ,
//
//	v ← v + tδ,   t = min(1, gᵀδ/δᵀMδ),   δᵀMδ = Σ_i ω_i (Uᵀδ)_i² + Σ d∘δ²,
//
// so q falls whatever γ is: after the sweeps gᵀδ > 0, and q is a parabola along δ. All of it takes
// three products with U, as a multiplicative update does.
func (s HALS) scaled(q *Quadratic, v *mat.Dense) {
	m, _, r := q.Dims()
	energy := make([]float64, m)
	g := q.Gram()
	kernel.SquaredNorms(energy, q.U.RawMatrix().Data, nil, r, m)
	if trace := total(energy); trace > 0 {
		for i := range energy {
			energy[i] *= 0.75 / trace
		}
	}
	q.Tiles(v, func(t *Tile) {
		b := t.B
		e, omega := t.E(), t.Omega()
		space := t.Space(4*r*b + 4*b)
		down, n, old, delta, rest := space[:r*b], space[r*b:][:r*b], space[2*r*b:][:r*b], space[3*r*b:][:r*b], space[4*r*b:]
		gamma, change, gain, bend := rest[:b], rest[b:][:b], rest[2*b:][:b], rest[3*b:]
		kernel.AddCross(gamma, energy, omega, m, 1, b)
		kernel.Mul(e, omega)
		t.AddCross(down, e)
		for i, c := range t.C {
			down[i] += c
		}
		// What is linear for GramSweepWeighted, n = g + (γG + diag(d))v.
		t.AddGram(n, t.V)
		for k := range r {
			kernel.Mul(n[k*b:][:b], gamma)
		}
		for i, x := range down {
			n[i] += x
		}
		for i, d := range t.D {
			down[i] -= d * t.V[i]
		}
		copy(old, t.V)
		repeat(1+m/(2*r), true, func() float64 { return kernel.GramSweepWeighted(change, t.V, n, g, gamma, t.D, r, b) })
		for i, v := range old {
			delta[i] = t.V[i] - v
		}

		clear(e)
		t.SubProduct(e, delta) // −Uᵀδ
		kernel.SquaredNorms(bend, e, omega, m, b)
		for k := range r {
			dk, at := delta[k*b:][:b], down[k*b:][:b]
			for j, x := range dk {
				gain[j] += x * at[j]
			}
			if t.D != nil {
				for j, d := range t.D[k*b:][:b] {
					bend[j] += d * dk[j] * dk[j]
				}
			}
		}
		for j, x := range gain {
			along := max(x, 0) / bend[j]
			if !(along < 1) {
				continue // also where δ = 0
			}
			// From v, not back from v + δ: where rows that the mask hides dominate G, δ is far
			// too long, and v + δ has lost the digits of v.
			for i := j; i < r*b; i += b {
				t.V[i] = max(0, old[i]+along*delta[i])
			}
		}
	})
}

// weightedSweeps takes one component of a tile after the other to its minimiser, and updates E. Two
// components share a pass over the tile: see WeightedPair.
func weightedSweeps(t *Tile, u []float64, sweeps int) {
	m, r, b := t.M, t.R, t.B
	e, omega := t.E(), t.Omega()
	space := t.Space(7 * b)
	sums, delta := space[:5*b], space[5*b:]
	num0, num1, den0, den1, both := sums[:b], sums[b:2*b], sums[2*b:3*b], sums[3*b:4*b], sums[4*b:]
	var last []float64 // the rows of U whose changes E has yet to follow
	for range sweeps {
		k := 0
		if r%2 == 1 {
			if last != nil {
				kernel.SubOuter(e, last[:m], delta[:b], m, b)
				last = last[m:]
			}
			kernel.Weighted(num0, den0, e, omega, u[:m], last, delta[b:], m, b)
			t.UpdateComponent(0, num0, den0, delta[:b])
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
			kernel.WeightedPair(sums, e, omega, rows, last, delta, m, b)
			t.UpdateComponent(k, num0, den0, delta[:b])
			for j, d := range delta[:b] {
				num1[j] -= d * both[j]
			}
			t.UpdateComponent(k+1, num1, den1, delta[b:])
			last = rows
		}
	}
}

// gramSweeps takes the columns of a tile towards their minimiser with
// N = UX and G = UUᵀ: Σ_i u_ki e_ij = N_kj − Σ_l G_kl v_lj. inv are the inverses
// of G's diagonal.
func gramSweeps(t *Tile, g, inv []float64, sweeps int, early bool) {
	r, b := t.R, t.B
	change := t.Space(b)
	n := t.Cross()
	weighted := t.weighsColumns()
	if weighted {
		for k := range r {
			kernel.Mul(n[k*b:][:b], t.Col)
		}
	}
	for i, c := range t.C {
		n[i] += c
	}
	repeat(sweeps, early, func() float64 {
		if weighted || t.D != nil {
			return kernel.GramSweepWeighted(change, t.V, n, g, t.Col, t.D, r, b)
		}
		return kernel.GramSweep(change, t.V, n, g, inv, r, b)
	})
}

// repeat sweeps some times, or until the change, returned squared, is below a tenth of the first.
func repeat(times int, early bool, sweep func() float64) {
	var first float64
	for i := range times {
		moved := sweep()
		if i == 0 {
			first = moved
		}
		if early && moved <= 0.01*first {
			break
		}
	}
}

// weighsColumns reports whether the weights of the columns matter.
func (t *Tile) weighsColumns() bool {
	return t.q.additive > 0 || t.q.sample == columns && t.q.penalised()
}
