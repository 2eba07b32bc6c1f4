package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// guarded is a slice between two strips of memory that must not change.
type guarded struct{ all, s []float64 }

const strip = 32

var canary = math.Float64frombits(0x7ff8dead_beef0001)

// guard copies a slice to the middle of a larger one.
func guard(s []float64) guarded {
	all := make([]float64, len(s)+2*strip)
	for i := range all {
		all[i] = canary
	}
	g := guarded{all, all[strip:][:len(s):len(s)]}
	copy(g.s, s)
	return g
}

// check tells whether a slice has exactly these values and the strips are whole.
func (g guarded) check(t *testing.T, name string, want []float64) {
	t.Helper()
	for i, x := range g.all {
		if (i < strip || i >= strip+len(g.s)) && math.Float64bits(x) != math.Float64bits(canary) {
			t.Fatalf("%s: wrote at %d of a slice of %d", name, i-strip, len(g.s))
		}
	}
	for i, x := range g.s {
		if x != want[i] && !(math.IsNaN(x) && math.IsNaN(want[i])) {
			t.Fatalf("%s: entry %d is %.17g, want %.17g", name, i, x, want[i])
		}
	}
}

// wild is like random, at a scale of 10 to the given power, or at scales from
// denormal to huge where that is zero.
func wild(n int, power int, rng *rand.Rand) []float64 {
	s := random(n, rng)
	for i := range s {
		p := power
		if p == 0 {
			p = []int{0, 0, 0, -320, -308, -160, 150, 154}[rng.IntN(8)]
		}
		s[i] *= math.Pow(10, float64(p))
	}
	return s
}

// The assembly does, for every column alone, a fixed sequence of operations: it
// must give what that sequence gives in Go to the last bit, whatever the block a
// column falls into and whatever the instructions, and write nowhere else.
func TestExact(t *testing.T) {
	levels(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(2, 2))
		sizes, most := []int{1, 2, 3, 4, 5, 7, 8, 12, 13, 24, 65}, 40000
		if testing.Short() {
			most = 4000
			t.Log("-short: each sixth of the smaller sizes")
		}
		for _, m := range append(sizes, 16, 64, 400) {
			for _, r := range append(sizes, 50, 130, 200) {
				for _, b := range append(sizes, 9, 16, 20, 28, 32, 36, 40, 48, 63) {
					if m*r*b <= most && !(testing.Short() && (m+r+b)%6 > 0) {
						exact(t, m, r, b, []int{1, 0, -155, -310}[rng.IntN(4)], rng)
					}
				}
			}
		}
		exact(t, 2576, 5, 8, 1, rng)
		exact(t, 1030, 41, 24, 1, rng)
		exact(t, 400, 130, 20, 0, rng)
		exact(t, 1030, 9, 63, 1, rng)
		exact(t, 260, 39, 7, 1, rng)
	})
}

func exact(t *testing.T, m, r, b, power int, rng *rand.Rand) {
	t.Helper()
	name := fmt.Sprintf("m %d, r %d, b %d, 1e%d, ", m, r, b, power)
	u0, v0, e0 := wild(r*m, power, rng), wild(r*b, power, rng), wild(m*b, power, rng)
	omega0, d0 := wild(m*b, power, rng), wild(m, power, rng)
	u, v, omega, d := guard(u0), guard(v0), guard(omega0), guard(d0)

	var product Product
	product.Set(random(r*m+9, rng), m, r) // of which nothing must stay
	product.Set(u.s, m, r)
	e, want := guard(e0), slices.Clone(e0)
	product.Sub(e.s, v.s, b)
	for i := range m {
		for k := range r {
			for j := range b {
				want[i*b+j] = math.FMA(-u0[k*m+i], v0[k*b+j], want[i*b+j])
			}
		}
	}
	e.check(t, name+"Sub", want)
	e, x := guard(random(m*b, rng)), guard(e0)
	product.Residual(e.s, x.s, v.s, b)
	e.check(t, name+"Residual", want)
	x.check(t, name+"Residual's data", e0)
	product.Residual(x.s, x.s, v.s, b)
	x.check(t, name+"Residual in place", want)
	e = guard(e0)
	subtract(e.s, u.s, v.s, m, r, b)
	e.check(t, name+"SubProduct", want)

	var crosses [2]Cross // of U and of U·diag(d)
	for i, w := range [][]float64{nil, d.s} {
		c := &crosses[i]
		c.Set(random((r+7)*m, rng), nil, m, r+7)
		c.Set(u.s, w, m, r)
		e, want = guard(e0), slices.Clone(v0)
		n := guard(v0)
		c.Add(n.s, e.s, b)
		for k := range r {
			for i := range m {
				a := u0[k*m+i]
				if w != nil {
					a *= d0[i]
				}
				for j := range b {
					want[k*b+j] = math.FMA(a, e0[i*b+j], want[k*b+j])
				}
			}
		}
		n.check(t, name+"Add", want)
		e.check(t, name+"Add's tile", e0)
		if w == nil {
			n = guard(v0)
			AddCross(n.s, u.s, e.s, m, r, b)
			n.check(t, name+"AddCross", want)
		}
	}

	if b < 8 {
		for i, w := range [][]float64{nil, d.s} {
			g, want := guard(random(r*r, rng)), make([]float64, r*r)
			GramOf(g.s, &crosses[0], &crosses[i])
			for k := range r {
				for l := range k + 1 {
					x := 0.0
					for i := range m {
						a := u0[l*m+i]
						if w != nil {
							a *= d0[i]
						}
						x = math.FMA(u0[k*m+i], a, x)
					}
					want[k*r+l], want[l*r+k] = x, x
				}
			}
			g.check(t, name+"GramOf", want)
			g = guard(random(r*r, rng))
			Gram(g.s, u.s, w, m, r)
			g.check(t, name+"Gram", want)
		}
	}

	p0, delta0 := u0[(r-1)*m:], v0[:b]
	p, delta, a := guard(p0), guard(delta0), guard(u0[:m])
	for _, last := range [][]float64{nil, p.s} {
		e, num, den := guard(e0), guard(random(b, rng)), guard(random(b, rng))
		Weighted(num.s, den.s, e.s, omega.s, a.s, last, delta.s, m, b)
		wantE, wantNum, wantDen := slices.Clone(e0), make([]float64, b), make([]float64, b)
		for i := range m {
			for j := range b {
				x := &wantE[i*b+j]
				if last != nil {
					*x = math.FMA(-p0[i], delta0[j], *x)
				}
				w := omega0[i*b+j] * u0[i]
				wantNum[j] = math.FMA(w, *x, wantNum[j])
				wantDen[j] = math.FMA(w, u0[i], wantDen[j])
			}
		}
		e.check(t, name+"Weighted's residual", wantE)
		num.check(t, name+"Weighted's numerator", wantNum)
		den.check(t, name+"Weighted's denominator", wantDen)
	}

	e, want = guard(e0), slices.Clone(e0)
	SubOuter(e.s, p.s, delta.s, m, b)
	for i := range m {
		for j := range b {
			want[i*b+j] = math.FMA(-p0[i], delta0[j], want[i*b+j])
		}
	}
	e.check(t, name+"SubOuter", want)

	if r >= 2 {
		pair(t, name, m, r, b, u0, v0, e0, omega0, rng)
	}

	u.check(t, name+"U", u0)
	v.check(t, name+"V", v0)
	omega.check(t, name+"Ω", omega0)
	d.check(t, name+"d", d0)
	p.check(t, name+"p", p0)
	delta.check(t, name+"δ", delta0)
}

func pair(t *testing.T, name string, m, r, b int, u0, v0, e0, omega0 []float64, rng *rand.Rand) {
	t.Helper()
	u, p, delta, omega := guard(u0[:2*m]), guard(u0[(r-2)*m:]), guard(v0[:2*b]), guard(omega0)
	for _, last := range [][]float64{nil, p.s} {
		e, sums := guard(e0), guard(random(5*b, rng))
		WeightedPair(sums.s, e.s, omega.s, u.s, last, delta.s, m, b)
		wantE, want := slices.Clone(e0), make([]float64, 5*b)
		for i := range m {
			a0, a1 := u0[i], u0[m+i]
			for j := range b {
				x, w := &wantE[i*b+j], omega0[i*b+j]
				if last != nil {
					*x = math.FMA(-last[i], v0[j], *x)
					*x = math.FMA(-last[m+i], v0[b+j], *x)
				}
				for s, y := range [5][2]float64{{w * a0, *x}, {w * a1, *x}, {w * a0, a0}, {w * a1, a1}, {w * a0, a1}} {
					want[s*b+j] = math.FMA(y[0], y[1], want[s*b+j])
				}
			}
		}
		e.check(t, name+"WeightedPair's residual", wantE)
		sums.check(t, name+"WeightedPair", want)
	}
	u.check(t, name+"WeightedPair's u", u0[:2*m])
	p.check(t, name+"WeightedPair's p", u0[(r-2)*m:])
	delta.check(t, name+"WeightedPair's δ", v0[:2*b])
	omega.check(t, name+"WeightedPair's Ω", omega0)
}

// All sets of loops stop a caller whose slice is too short, and do nothing but
// clear the sums where a size is zero.
func TestBounds(t *testing.T) {
	levels(t, func(t *testing.T) {
		const m, r, b = 9, 5, 7
		s := func(n int) []float64 { return slices.Repeat([]float64{1}, n) }
		residual := func(e, x, v []float64) {
			var p Product
			p.Set(s(r*m), m, r)
			p.Residual(e, x, v, b)
		}
		for i, f := range []func(){
			func() { subtract(s(m*b-1), s(r*m), s(r*b), m, r, b) },
			func() { subtract(s(m*b), s(r*m-1), s(r*b), m, r, b) },
			func() { subtract(s(m*b), s(r*m), s(r*b-1), m, r, b) },
			func() { residual(s(m*b-1), s(m*b), s(r*b)) },
			func() { residual(s(m*b), s(m*b-1), s(r*b)) },
			func() { residual(s(m*b), s(m*b), s(r*b-1)) },
			func() { AddCross(s(r*b-1), s(r*m), s(m*b), m, r, b) },
			func() { AddCross(s(r*b), s(r*m-1), s(m*b), m, r, b) },
			func() { AddCross(s(r*b), s(r*m), s(m*b-1), m, r, b) },
			func() { Gram(s(r*r-1), s(r*m), nil, m, r) },
			func() { Gram(s(r*r), s(r*m-1), nil, m, r) },
			func() { Gram(s(r*r), s(r*m), s(m-1), m, r) },
			func() { Weighted(s(b-1), s(b), s(m*b), s(m*b), s(m), s(m), s(b), m, b) },
			func() { Weighted(s(b), s(b-1), s(m*b), s(m*b), s(m), s(m), s(b), m, b) },
			func() { Weighted(s(b), s(b), s(m*b-1), s(m*b), s(m), s(m), s(b), m, b) },
			func() { Weighted(s(b), s(b), s(m*b), s(m*b-1), s(m), nil, nil, m, b) },
			func() { Weighted(s(b), s(b), s(m*b), s(m*b), s(m-1), s(m), s(b), m, b) },
			func() { Weighted(s(b), s(b), s(m*b), s(m*b), s(m), s(m-1), s(b), m, b) },
			func() { Weighted(s(b), s(b), s(m*b), s(m*b), s(m), s(m), s(b-1), m, b) },
			func() { WeightedPair(s(5*b-1), s(m*b), s(m*b), s(2*m), s(2*m), s(2*b), m, b) },
			func() { WeightedPair(s(5*b), s(m*b-1), s(m*b), s(2*m), s(2*m), s(2*b), m, b) },
			func() { WeightedPair(s(5*b), s(m*b), s(m*b-1), s(2*m), s(2*m), s(2*b), m, b) },
			func() { WeightedPair(s(5*b), s(m*b), s(m*b), s(2*m-1), nil, nil, m, b) },
			func() { WeightedPair(s(5*b), s(m*b), s(m*b), s(2*m), s(2*m-1), s(2*b), m, b) },
			func() { WeightedPair(s(5*b), s(m*b), s(m*b), s(2*m), s(2*m), s(2*b-1), m, b) },
			func() { SubOuter(s(m*b), s(m-1), s(b), m, b) },
			func() { SubOuter(s(m*b), s(m), s(b-1), m, b) },
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("call %d did not panic", i)
					}
				}()
				f()
			}()
		}
		subtract(nil, nil, nil, 0, 0, 0)
		AddCross(nil, nil, nil, 0, 0, 0)
		Gram(nil, nil, nil, 0, 0)
		Weighted(nil, nil, nil, nil, nil, nil, nil, 0, 0)
		WeightedPair(nil, nil, nil, nil, nil, nil, 0, 0)
		SubOuter(nil, nil, nil, 0, 0)
		num, den, g := []float64{1}, []float64{1}, []float64{1}
		Weighted(num, den, nil, nil, nil, nil, nil, 0, 1)
		Gram(g, nil, nil, 0, 1)
		if num[0] != 0 || den[0] != 0 || g[0] != 0 {
			t.Error("empty sums are not zero")
		}
	})
}
