package rnmf

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/kernel"
)

// The half-steps for Poisson deviances. With weights ω, the slopes of the loss, a half-step lowers
//
//	q(v) = Σ_i ω_i d(x_i, y_i) + Σ d∘v² − 2 Σ c∘v,   y = Uᵀv,                            (1)
//
// for each column v of V: as ρ is concave, the objective falls by at least as much. Half of its
// gradient is −g = −U(ω∘(x/y − 1)) − c + d∘v, and half of its Hessian U diag(ω∘x/y²) Uᵀ + diag(d).

// slopesOfCounts returns minus half of the derivative of the weighted deviances by the entries of UᵀV at
// the present V, ω(x/y − 1), or half of the second one, ωx/y².
func (t *Tile) slopesOfCounts(second bool) []float64 {
	x, omega := t.X(), t.Omega()
	t.values = grow(t.values, t.M*t.B)
	s := t.values
	clear(s)
	t.SubProduct(s, t.V)
	for i, minus := range s {
		y := max(-minus, 1e-150)
		ratio := min(x[i]/y, 1e150)
		if s[i] = omega[i] * (ratio - 1); second {
			s[i] = omega[i] * (ratio / y)
		}
	}
	return s
}

// deviances computes E for Poisson: the signed roots of the deviances of the V that came in.
func (t *Tile) deviances() {
	x, y := t.X(), t.Y()
	t.hasE = true
	t.e = grow(t.e, t.M*t.B)
	kernel.Deviance(t.e, x, y)
}

// weighCounts writes the slopes of a loss of entries to Omega and, unless value is nil, the values, by
// the rule of Poisson.
func (t *Tile) weighCounts(value []float64) {
	t.capped = grow(t.capped, len(t.e))
	t.q.family.weigh(t.q.loss, t.omega, value, t.capped, t.e, t.X())
}

// weightsOfCounts returns Omega, or nil where all weights are 1, and takes the loss if it is wanted.
func (t *Tile) weightsOfCounts() []float64 {
	q := t.q
	ofSamples := q.sample == columns && !q.penalised() // whose weights change no minimiser
	if q.mask != nil || !ofSamples && !(isSquared(q.loss) && q.sample != rows) {
		return t.Omega()
	}
	if t.walk.wantsLoss {
		t.residual()
		t.Col = grow(t.Col, t.B)
		kernel.SquaredNorms(t.Col, t.e, nil, t.M, t.B)
		t.loss = lossOfSquares(q.loss, t.Col)
	}
	return nil
}

// poisson is the half-step of HALS for Poisson deviances: Newton's, with an approximate Hessian. The
// weights ω∘x/y² of squares in (1) differ from column to column, so that Gram matrices with all of them
// would cost r times as much as all else. As in scaled, the sweeps take in their place a matrix that all
// columns share, times a number,
//
//	max over v + δ ≥ 0 of 2gᵀδ − δᵀ(γG + diag(d))δ,   G = U diag(a) Uᵀ,   a_i = 1/ȳ_i,
//
// where ȳ_i is the mean of y_i over the columns, as 1/y is the expectation of x/y² and y is of rank one
// if all columns are alike; γ gives γG three quarters of the trace of the matrix with
//
//	ω∘min(1, x/y)/y
//
// in place of the true weights. Where y is above x, these are the same; where y is below x, Newton's
// step at most doubles y, and 1/y is the weight with which it ends at y = x.
//
// Then v goes along δ. With p = Uᵀδ, z = p/y, and z₋ ≥ 0 the largest of −z where ωx > 0,
//
//	−ln(1 + tz) ≤ −tz + t²z²/2(1 − tz₋)   for 0 ≤ t ≤ 1, tz₋ < 1,
//
// since for z > 0 the left side is at most −tz + t²z²/2, and for −1 < z < 0 it is
// −tz + t²z²/2(1 + tz) at most, as ln(1 + z) ≥ z(2 + z)/(2 + 2z) there. So with b = Σ ω∘x∘z² + Σ d∘δ²
//
//	q(v + tδ) − q(v) ≤ −2t gᵀδ + t²b/(1 − tz₋),                                         (2)
//
// which is no more than 0 up to t = 2N/(1 + 2Nz₋), N = gᵀδ/b. Newton's step t = N is within that where
// Nz₋ ≤ ½; elsewhere v goes so far as that, but never beyond δ. Then tz₋ < 1: no mean becomes 0 where a
// count is not.
func (s HALS) poisson(q *Quadratic, v *mat.Dense) {
	q.Decouple(v)
	m, _, r := q.Dims()
	g, energy := q.meanCurvature(v)
	var square kernel.Cross
	square.Set(g, nil, r, r)
	sweeps := s.Sweeps
	if sweeps == 0 {
		sweeps = 1 + m/(2*r)
	}
	q.Tiles(v, func(t *Tile) {
		b := t.B
		x, y, omega := t.X(), t.Y(), t.weightsOfCounts()
		t.e, t.values = grow(t.e, t.M*b), grow(t.values, t.M*b)
		score, curve := t.e, t.values
		kernel.Score(score, curve, x, y, omega)
		space := t.Space(4*r*b + 5*b)
		down, n, old, delta, rest := space[:r*b], space[r*b:][:r*b], space[2*r*b:][:r*b], space[3*r*b:][:r*b], space[4*r*b:]
		gamma, change, gain, bend, least := rest[:b], rest[b:][:b], rest[2*b:][:b], rest[3*b:][:b], rest[4*b:]
		kernel.AddCross(gamma, energy, curve, m, 1, b)
		t.AddCross(down, score)
		for i, c := range t.C {
			down[i] += c
		}
		square.Add(n, t.V, b)
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
		repeat(sweeps, s.Sweeps == 0, func() float64 { return kernel.GramSweepWeighted(change, t.V, n, g, gamma, t.D, r, b) })
		for i, v := range old {
			delta[i] = v - t.V[i] // −δ
		}

		p := score
		clear(p)
		t.SubProduct(p, delta) // Uᵀδ
		kernel.Bends(bend, least, x, y, p, omega, m, b)
		for k := range r {
			dk, at := delta[k*b:][:b], down[k*b:][:b]
			for j, x := range dk {
				gain[j] -= x * at[j]
			}
			if t.D != nil {
				for j, d := range t.D[k*b:][:b] {
					bend[j] += d * dk[j] * dk[j]
				}
			}
		}
		for j, x := range gain {
			along := newtonStep(max(x, 0)/bend[j], least[j])
			if !(along < 1) {
				continue // also where δ = 0
			}
			for i := j; i < r*b; i += b {
				t.V[i] = max(0, old[i]-along*delta[i])
			}
		}
	})
}

// meanCurvature returns the G that all columns share, and for each row i the part of ¾ of its trace that
// makes γ = Σ_i energy_i·weight_i.
func (q *Quadratic) meanCurvature(v *mat.Dense) (g, energy []float64) {
	m, n, r := q.Dims()
	share := q.pool.sharing(q.m * q.r * q.r / 2)
	mean, of := make([]float64, m), make([]float64, r)
	for k := range r {
		of[k] = total(v.RawRowView(k)) / float64(n)
	}
	kernel.AddCross(mean, of, q.U.RawMatrix().Data, r, 1, m)
	var largest float64
	for _, y := range mean {
		largest = max(largest, y)
	}
	energy = make([]float64, m)
	kernel.SquaredNorms(energy, q.U.RawMatrix().Data, nil, r, m)
	var trace float64
	for i, y := range mean {
		mean[i] = 1
		if largest > 0 {
			mean[i] = largest / max(y, 1e-12*largest)
		}
		trace += mean[i] * energy[i]
	}
	if trace > 0 {
		for i := range energy {
			energy[i] *= 0.75 / trace
		}
	}
	g = make([]float64, r*r)
	kernel.GramShared(g, q.layout.crossBy(share), q.layout.rows(mean, share), share)
	return g, energy
}

// newtonStep returns how far along δ (2) allows to go, from Newton's step and −z₋.
func newtonStep(newton, least float64) float64 {
	down := -least * newton
	if !(down > 0.5) {
		return newton
	}
	if math.IsInf(down, 0) {
		return -1 / least
	}
	return 2 * newton / (1 + 2*down)
}

// poisson is the multiplicative update for Poisson deviances (Lee and Seung 1999), with weights. By
// Jensen's inequality, −ln Σ_k u_ki v_k lies below a sum over k that touches it at the present v, and
//
//	½q(v) ≤ Σ_k (−A_k ln v_k + B_k v_k + d_k v_k²/2 − c_k v_k) + constant,   A = v∘U(ω∘x/y),   B = Uω,
//
// whose minimum is the positive root of dv² + (B − c)v − A = 0, or A/(B − c) where d = 0: without
// penalties v ← v∘U(ω∘x/y)/Uω.
func (MU) poisson(q *Quadratic, v *mat.Dense) {
	q.Decouple(v)
	m, _, r := q.Dims()
	all := make([]float64, r) // U1
	for k := range r {
		all[k] = total(q.U.RawRowView(k))
	}
	q.Tiles(v, func(t *Tile) {
		b := t.B
		x, y, omega := t.X(), t.Y(), t.weightsOfCounts()
		t.e, t.values = grow(t.e, m*b), grow(t.values, m*b)
		kernel.Score(t.e, t.values, x, y, omega)
		space := t.Space(2 * r * b)
		num, den := space[:r*b], space[r*b:]
		t.AddCross(num, t.e) // U(ω∘x/y) − Uω
		if omega != nil {
			t.AddCross(den, omega)
		}
		for i, v := range t.V {
			if omega == nil {
				den[i] = all[i/b]
			}
			a, half, d := v*max(num[i]+den[i], 0), den[i], 0.0
			if t.C != nil {
				half -= t.C[i]
			}
			if t.D != nil {
				d = t.D[i]
			}
			if to := positiveRoot(d, half, a); to < MaxFactor {
				t.V[i] = to
			}
		}
	})
}

// positiveRoot returns the positive root of dv² + bv − a for a, d ≥ 0, +Inf or NaN if there is none.
func positiveRoot(d, b, a float64) float64 {
	if d == 0 {
		if a == 0 && b > 0 {
			return 0
		}
		if b <= 0 {
			return math.Inf(1)
		}
		return a / b
	}
	root := math.Hypot(b, 2*math.Sqrt(a)*math.Sqrt(d))
	if b > 0 {
		return 2 * a / (b + root)
	}
	return (root - b) / (2 * d)
}
