package rnmf

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/kernel"
)

// FGD is the fast gradient descent of the RSS-NMF paper (Algorithm 2): a step in the direction of
// the multiplicative update, as long as the objective falls. With the gradient, halved,
//
//	∇ = U(Ω∘UᵀV) + D∘V − U(Ω∘X) − C,   S = −V̄∘∇ / (U(Ω∘UᵀV̄) + D∘V̄ + C⁻)   (25),
//	V ← V + βS,   β = min(β*, max(1, 0.9·sup{β: V + βS ≥ 0}))   (29), (30).
//
// V̄ is V with a small number in place of zeros that the gradient would raise (22), so they come
// back. Ω is that of V, where the bound must touch the objective, and not that of V̄ as in the
// paper. β = 1 is the multiplicative update. It is always allowed, and the search for β* starts
// there, so no half-step does worse.
//
// β* minimises the objective itself. Where a loss is taken of each entry that is φ(β) = Σ ρ((E −
// βUᵀS)²) + Σ D∘(V + βS)² − 2ΣC∘(V + βS); the label term is in C and D, exactly so as long as Λ
// stays. Elsewhere φ is the bound, which for Frobenius, and for ByColumn on H without penalties,
// has the same minimiser. Newton's step is −φ′/φ″ (28), with φ″ from the last two φ′, as a Loss has
// no second derivative, and at most Σ 2ρ′(UᵀS)², the curvature of the bound. Where a step fails,
// that of the bound descends.
//
// The paper scales W and H after each round (23), (24), which changes neither WH nor any of the
// above; that is left to Result.Normalized. Where S is 0/0, V stays, so the denominator needs no δ.
type FGD struct {
	// Plain takes one β for the whole factor, as printed. As no entry of V may turn negative, that
	// β is hardly ever much above 1. Otherwise each column of V has its own β, as each is a problem
	// of its own; columns of H under ByColumn always do. Plain holds two matrices of the size of X.
	Plain bool
}

// Improve goes once along S.
func (s FGD) Improve(q *Quadratic, v *mat.Dense) {
	floor := small(v)
	together := s.Plain && q.sample != columns // if not, a column's weight in q may be any
	if together && q.graph.Graph != nil {
		q.graph.add(q, v, 2) // the bound that separates neighbours
		q.graph = Laplacian{}
	}
	var u *kernel.Cross
	var gram []float64
	needs := needCross | needWeights
	if q.Weighted() {
		u, needs = q.layout.cross(), needX|needModel|needWeights
	} else {
		u, gram = q.gram()
	}
	if !together {
		q.tiles(v, needs, func(t *Tile) {
			l := newLine(t, u, gram, floor, false)
			beta := newton(l.most, func(beta []float64, p *slopes) { l.at(t, beta, p) })
			for i, x := range t.V {
				t.V[i] = max(0, x+beta[i%t.B]*l.s[i])
			}
		})
		return
	}
	all := make([]*line, q.n) // by their first column
	q.tiles(v, needs, func(t *Tile) { all[t.First] = newLine(t, u, gram, floor, true) })
	all = slices.DeleteFunc(all, func(l *line) bool { return l == nil })
	most := math.Inf(1)
	for _, l := range all {
		most = min(most, slices.Min(l.most))
	}
	parts := make([]*slopes, len(all))
	for i, l := range all {
		parts[i] = newSlopes(l.b)
	}
	beta := newton([]float64{most}, func(beta []float64, p *slopes) {
		q.pool.each(len(all), func(t *Tile, i int) {
			all[i].at(t, slices.Repeat(beta, all[i].b), parts[i])
		})
		p.phi[0], p.d[0], p.c[0] = 0, 0, 0
		for _, part := range parts {
			p.phi[0] += total(part.phi)
			p.d[0] += total(part.d)
			p.c[0] += total(part.c)
		}
	})
	for _, l := range all {
		for k := range q.r {
			row := v.RawRowView(k)[l.first:][:l.b]
			for j := range row {
				row[j] = max(0, row[j]+beta[0]*l.s[k*l.b+j])
			}
		}
	}
}

// small returns what replaces zeros in the rows of V̄ (22), σ of their means. The paper's σ is a
// number in the units of the factor.
func small(v *mat.Dense) []float64 {
	const sigma = 1e-6
	r, n := v.Dims()
	floor := make([]float64, r)
	all := sigma * mat.Sum(v) / float64(r) / float64(n)
	for k := range floor {
		if floor[k] = sigma * total(v.RawRowView(k)) / float64(n); floor[k] == 0 {
			floor[k] = all
		}
	}
	return floor
}

// A line is the objective of the columns of a tile along V + βS, up to a constant,
//
//	φ_j(β) = 2β linear_j + β² square_j + Σ_i mask ρ((e + βp)²),   P = −UᵀS.
type line struct {
	first, b       int
	s              []float64 // r×b
	most           []float64 // the largest β
	linear, square []float64
	loss           Loss // nil if the bound takes its place
	e, p, mask     []float64
}

// newLine finds S for a tile; keep says that the line outlives it.
func newLine(t *Tile, u *kernel.Cross, gram, floor []float64, keep bool) *line {
	m, r, b, q := t.M, t.R, t.B, t.q
	weighted := gram == nil
	exact := weighted && q.sample == entries && !isFrobenius(q.loss)
	size := 3*r*b + 3*b
	if weighted {
		size += 2 * m * b
	}
	var space []float64
	if keep {
		space = make([]float64, size)
	} else {
		space = t.Space(size)
	}
	take := func(n int) (s []float64) { s, space = space[:n:n], space[n:]; return s }
	num, den := take(r*b), take(r*b)
	l := &line{first: t.First, b: b, s: take(r * b), most: take(b), linear: take(b), square: take(b)}
	if weighted {
		l.e, l.p = take(m*b), take(m*b)
		copy(l.e, t.E)
		t.split()
		u.Add(num, t.X, b)
		u.Add(den, t.y, b)
	} else {
		copy(num, t.cross(u, gram))
		kernel.AddCross(den, gram, t.V, r, r, b)
		for i := range num {
			num[i] *= t.Col[i%b]
			den[i] *= t.Col[i%b]
		}
	}
	// num becomes ∇, den the denominator, s the difference V̄ − V.
	lifted := false
	for i, v := range t.V {
		var c, d float64
		if t.C != nil {
			c = t.C[i]
		}
		if t.D != nil {
			d = t.D[i] * v
		}
		n := num[i]
		num[i] = den[i] + d - n - c
		den[i] += d - min(n, 0) - min(c, 0)
		if low := floor[i/b]; num[i] < 0 && v < low {
			l.s[i] = low - v
			lifted = true
		}
	}
	if lifted { // the denominator is to be taken at V̄
		if weighted {
			clear(l.p)
			q.layout.product(kernel.InTurn).Sub(l.p, l.s, b)
			for i, w := range t.Omega {
				t.y[i] = -w * l.p[i]
			}
			u.Add(den, t.y, b)
			clear(l.p)
		} else {
			more := make([]float64, r*b)
			kernel.AddCross(more, gram, l.s, r, r, b)
			for i, x := range more {
				den[i] += t.Col[i%b] * x
			}
		}
		for i := range t.D {
			den[i] += t.D[i] * l.s[i]
		}
	}
	for j := range l.most {
		l.most[j] = math.Inf(1)
	}
	for i, v := range t.V {
		j := i % b
		s := -(v + l.s[i]) * num[i] / den[i]
		if !(den[i] > 0 && v+s < maxFactor) {
			s = 0
		}
		l.s[i] = s
		switch {
		case s < 0:
			l.most[j] = min(l.most[j], -0.9*v/s)
		case s > 0:
			l.most[j] = min(l.most[j], maxFactor/s)
		}
	}
	for j, x := range l.most {
		l.most[j] = max(1, x)
	}
	if weighted {
		q.layout.product(kernel.InTurn).Sub(l.p, l.s, b)
	}
	switch {
	case exact:
		l.loss, l.mask = q.loss, t.mask
		if keep {
			l.mask = slices.Clone(l.mask)
		}
		for i, s := range l.s {
			if t.D != nil {
				l.linear[i%b] += s * t.D[i] * t.V[i]
				l.square[i%b] += s * t.D[i] * s
			}
			if t.C != nil {
				l.linear[i%b] -= s * t.C[i]
			}
		}
		return l
	case weighted:
		kernel.SquaredNorms(l.square, l.p, t.Omega, m, b)
	default:
		clear(den)
		kernel.AddCross(den, gram, l.s, r, r, b)
		for i, s := range l.s {
			l.square[i%b] += t.Col[i%b] * s * den[i]
		}
	}
	for i, s := range l.s {
		l.linear[i%b] += s * num[i]
		if t.D != nil {
			l.square[i%b] += s * t.D[i] * s
		}
	}
	return l
}

// slopes are values of φ, φ′ and a bound of φ″, the curvature of a quadratic bound that touches φ.
type slopes struct{ phi, d, c []float64 }

func newSlopes(n int) *slopes {
	return &slopes{make([]float64, n), make([]float64, n), make([]float64, n)}
}

// at evaluates the line at a β for each column, in the space of some tile.
func (l *line) at(t *Tile, beta []float64, to *slopes) {
	for j, x := range beta {
		to.phi[j] = x * (2*l.linear[j] + x*l.square[j])
		to.d[j] = 2 * (l.linear[j] + x*l.square[j])
		to.c[j] = 2 * l.square[j]
	}
	if l.loss == nil {
		return
	}
	t.X, t.Omega, t.values = grow(t.X, len(l.e)), grow(t.Omega, len(l.e)), grow(t.values, len(l.e))
	b := l.b
	for i := 0; i < len(l.e); i += b {
		e, p, x := l.e[i:][:b], l.p[i:][:b], t.X[i:][:b]
		for j, y := range beta {
			x[j] = e[j] + y*p[j]
		}
	}
	weightsAndValues(l.loss, t.Omega, t.values, t.X)
	if l.mask != nil {
		kernel.Mul(t.Omega, l.mask)
		kernel.Mul(t.values, l.mask)
	}
	phi, d, c := to.phi[:b:b], to.d[:b:b], to.c[:b:b]
	for i := 0; i < len(l.e); i += b {
		p, x, w, value := l.p[i:][:b:b], t.X[i:][:b:b], t.Omega[i:][:b:b], t.values[i:][:b:b]
		for j := range phi {
			y := p[j]
			wp := 2 * w[j] * y
			phi[j] += value[j]
			d[j] += wp * x[j]
			c[j] += wp * y
		}
	}
}

// newton returns the minimiser β of each line in [0, most], starting from 1, to a hundredth.
func newton(most []float64, at func(beta []float64, p *slopes)) []float64 {
	n := len(most)
	beta, next := slices.Repeat([]float64{1}, n), make([]float64, n)
	now, then := newSlopes(n), newSlopes(n)
	at(beta, now)
	curve := slices.Clone(now.c)
	for range 10 {
		moved := false
		for j, x := range beta {
			next[j] = x
			if curve[j] > 0 {
				next[j] = min(max(0, x-now.d[j]/curve[j]), most[j])
			}
			moved = moved || math.Abs(next[j]-x) > 0.01*x
		}
		if !moved {
			break
		}
		at(next, then)
		for j, x := range next {
			step := x - beta[j]
			switch {
			case step == 0:
			case then.phi[j] <= now.phi[j]:
				curve[j] = (then.d[j] - now.d[j]) / step
				if c := then.c[j]; !(curve[j] > 0.01*c && curve[j] < c) {
					curve[j] = c
				}
				beta[j], now.phi[j], now.d[j], now.c[j] = x, then.phi[j], then.d[j], then.c[j]
			case curve[j] < now.c[j]:
				curve[j] = now.c[j]
			default:
				curve[j] = 0 // φ falls by no more than rounding errors
			}
		}
	}
	return beta
}
