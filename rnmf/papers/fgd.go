package papers

import (
	"github.com/robustnmf/robustnmf/rnmf"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"
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
	// Printed takes one β for the whole factor, as printed. As no entry of V may turn negative, that
	// β is hardly ever much above 1. Otherwise each column of V has its own β, as each is a problem
	// of its own; columns of H under ByColumn always do. Printed holds two matrices of the size of X.
	Printed bool
}

// Improve goes once along S.
func (s FGD) Improve(q *rnmf.Quadratic, v *mat.Dense) {
	p := &fgd{floor: small(v), weighted: q.Weighted()}
	loss, ofEntries, byColumn := q.Loss()
	if p.weighted && ofEntries && !isSquared(loss) {
		p.loss = loss
	}
	if !p.weighted {
		q.Gram() // on all processors
	}
	if !s.Printed || byColumn { // a column's weight in q may be any
		q.Tiles(v, func(t *rnmf.Tile) { p.byColumn(t) })
		return
	}
	q.Decouple(v)
	p.together(q, v)
}

// fgd is what all tiles of a half-step share.
type fgd struct {
	floor    []float64 // what replaces zeros in the rows of V̄
	weighted bool
	loss     rnmf.Loss // of entries, whose objective is minimised; nil if the bound takes its place
}

// byColumn goes along S with a β for each column.
func (p *fgd) byColumn(t *rnmf.Tile) {
	l := p.line(t, t.Space(p.size(t)))
	beta := newton(l.most, l.at)
	for i, x := range t.V {
		t.V[i] = max(0, x+beta[i%t.B]*l.s[i])
	}
}

// together goes along S with one β for all.
func (p *fgd) together(q *rnmf.Quadratic, v *mat.Dense) {
	_, n, r := q.Dims()
	all := make([]*line, n) // by their first column
	q.Tiles(v, func(t *rnmf.Tile) {
		l := p.line(t, make([]float64, p.size(t)))
		l.mask = slices.Clone(l.mask)
		all[t.First] = l
	})
	all = slices.DeleteFunc(all, func(l *line) bool { return l == nil })
	most, cost := math.Inf(1), 0
	parts := make([]*slopes, len(all))
	for i, l := range all {
		most = min(most, slices.Min(l.most))
		cost += 16 * len(l.e)
		parts[i] = newSlopes(l.b)
	}
	beta := newton([]float64{most}, func(beta []float64, to *slopes) {
		q.Each(len(all), cost, func(i int) { all[i].at(slices.Repeat(beta, all[i].b), parts[i]) })
		to.phi[0], to.d[0], to.c[0] = 0, 0, 0
		for _, part := range parts {
			to.phi[0] += total(part.phi)
			to.d[0] += total(part.d)
			to.c[0] += total(part.c)
		}
	})
	for _, l := range all {
		for k := range r {
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
	loss           rnmf.Loss // nil if the bound takes its place
	e, p, mask     []float64
}

// size is the room that a line takes.
func (p *fgd) size(t *rnmf.Tile) int {
	size := 3*t.R*t.B + 3*t.B
	if p.weighted {
		size += 2 * t.M * t.B
	}
	return size
}

// line finds S for a tile, in the given room.
func (p *fgd) line(t *rnmf.Tile, room []float64) *line {
	r, b := t.R, t.B
	take := func(n int) (s []float64) { s, room = room[:n:n], room[n:]; return s }
	num, den := take(r*b), take(r*b)
	l := &line{first: t.First, b: b, s: take(r * b), most: take(b), linear: take(b), square: take(b), loss: p.loss, mask: t.Mask()}
	if p.weighted {
		l.e, l.p = take(t.M*b), take(t.M*b)
		p.weightedSums(t, l, num, den)
	} else {
		sums(t, num, den)
	}
	if p.lift(t, l, num, den) {
		p.liftDenominator(t, l, den)
	}
	l.direct(t, num, den)
	if p.weighted {
		t.SubProduct(l.p, l.s)
	}
	if l.loss != nil {
		l.penalties(t)
	} else {
		p.bound(t, l, num, den)
	}
	return l
}

// weightedSums computes U(Ω∘X) and U(Ω∘UᵀV), and keeps E. X and Y become Ω∘X and Ω∘Y.
func (p *fgd) weightedSums(t *rnmf.Tile, l *line, num, den []float64) {
	y, x, omega := t.Y(), t.X(), t.Omega()
	copy(l.e, t.E())
	for i, w := range omega {
		x[i] *= w
		y[i] *= w
	}
	t.AddCross(num, x)
	t.AddCross(den, y)
}

// sums computes them from the Gram matrix.
func sums(t *rnmf.Tile, num, den []float64) {
	copy(num, t.Cross())
	t.AddGram(den, t.V)
	for i := range num {
		num[i] *= t.Col[i%t.B]
		den[i] *= t.Col[i%t.B]
	}
}

// lift makes num ∇ and den the denominator at V, leaves the difference V̄ − V in s, and reports whether
// there is any.
func (p *fgd) lift(t *rnmf.Tile, l *line, num, den []float64) (lifted bool) {
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
		if low := p.floor[i/t.B]; num[i] < 0 && v < low {
			l.s[i] = low - v
			lifted = true
		}
	}
	return lifted
}

// liftDenominator takes the denominator at V̄.
func (p *fgd) liftDenominator(t *rnmf.Tile, l *line, den []float64) {
	if p.weighted {
		clear(l.p)
		t.SubProduct(l.p, l.s)
		y := t.Y()
		for i, w := range t.Omega() {
			y[i] = -w * l.p[i]
		}
		t.AddCross(den, y)
		clear(l.p)
	} else {
		more := make([]float64, len(den))
		t.AddGram(more, l.s)
		for i, x := range more {
			den[i] += t.Col[i%t.B] * x
		}
	}
	for i := range t.D {
		den[i] += t.D[i] * l.s[i]
	}
}

// direct finds S (25) and the largest β (29), (30). num is ∇.
func (l *line) direct(t *rnmf.Tile, num, den []float64) {
	for j := range l.most {
		l.most[j] = math.Inf(1)
	}
	for i, v := range t.V {
		j := i % t.B
		s := -(v + l.s[i]) * num[i] / den[i]
		if !(den[i] > 0 && v+s < rnmf.MaxFactor) {
			s = 0
		}
		l.s[i] = s
		switch {
		case s < 0:
			l.most[j] = min(l.most[j], -0.9*v/s)
		case s > 0:
			l.most[j] = min(l.most[j], rnmf.MaxFactor/s)
		}
	}
	for j, x := range l.most {
		l.most[j] = max(1, x)
	}
}

// penalties are all of φ that is not in the loss.
func (l *line) penalties(t *rnmf.Tile) {
	for i, s := range l.s {
		if t.D != nil {
			l.linear[i%l.b] += s * t.D[i] * t.V[i]
			l.square[i%l.b] += s * t.D[i] * s
		}
		if t.C != nil {
			l.linear[i%l.b] -= s * t.C[i]
		}
	}
}

// bound takes the bound for φ. num is ∇.
func (p *fgd) bound(t *rnmf.Tile, l *line, num, den []float64) {
	b := t.B
	if p.weighted {
		for i, w := range t.Omega() {
			l.square[i%b] += w * l.p[i] * l.p[i]
		}
	} else {
		clear(den)
		t.AddGram(den, l.s)
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
}

// slopes are values of φ, φ′ and a bound of φ″, the curvature of a quadratic bound that touches φ.
type slopes struct{ phi, d, c []float64 }

func newSlopes(n int) *slopes {
	return &slopes{make([]float64, n), make([]float64, n), make([]float64, n)}
}

// rooms are for the residuals of a line, their weights and values.
var rooms = sync.Pool{New: func() any { return new([]float64) }}

// at evaluates the line at a β for each column.
func (l *line) at(beta []float64, to *slopes) {
	for j, x := range beta {
		to.phi[j] = x * (2*l.linear[j] + x*l.square[j])
		to.d[j] = 2 * (l.linear[j] + x*l.square[j])
		to.c[j] = 2 * l.square[j]
	}
	if l.loss == nil {
		return
	}
	room := rooms.Get().(*[]float64)
	defer rooms.Put(room)
	n, b := len(l.e), l.b
	*room = slices.Grow((*room)[:0], 3*n)[:3*n]
	at, omega, values := (*room)[:n], (*room)[n:2*n], (*room)[2*n:]
	for i := 0; i < n; i += b {
		e, p, x := l.e[i:][:b], l.p[i:][:b], at[i:][:b]
		for j, y := range beta {
			x[j] = e[j] + y*p[j]
		}
	}
	rnmf.Weigh(l.loss, omega, values, at)
	for i, m := range l.mask {
		omega[i] *= m
		values[i] *= m
	}
	phi, d, c := to.phi[:b:b], to.d[:b:b], to.c[:b:b]
	for i := 0; i < n; i += b {
		p, x, w, value := l.p[i:][:b:b], at[i:][:b:b], omega[i:][:b:b], values[i:][:b:b]
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
