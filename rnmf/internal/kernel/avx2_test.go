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
// column falls into, and write nowhere else.
func TestAVX2Exact(t *testing.T) {
	if !haveAVX2 {
		t.Skip("no AVX2")
	}
	defer func(old bool) { useAVX2 = old }(useAVX2)
	useAVX2 = true
	rng := rand.New(rand.NewPCG(2, 2))
	sizes := []int{1, 2, 3, 4, 5, 7, 8, 12, 13, 24, 65}
	for _, m := range append(sizes, 16, 64, 400) {
		for _, r := range append(sizes, 130) {
			for _, b := range append(sizes, 9, 16, 20, 32, 40, 63) {
				if m*r*b <= 40000 {
					exact(t, m, r, b, []int{1, 0, -155, -310}[rng.IntN(4)], rng)
				}
			}
		}
	}
	exact(t, 2576, 5, 8, 1, rng)
	exact(t, 1030, 41, 24, 1, rng)
	exact(t, 400, 130, 20, 0, rng)
	exact(t, 1030, 9, 63, 1, rng)
}

func exact(t *testing.T, m, r, b, power int, rng *rand.Rand) {
	t.Helper()
	name := fmt.Sprintf("m %d, r %d, b %d, 1e%d, ", m, r, b, power)
	u0, v0, e0 := wild(r*m, power, rng), wild(r*b, power, rng), wild(m*b, power, rng)
	omega0, d0 := wild(m*b, power, rng), wild(m, power, rng)
	u, v, omega, d := guard(u0), guard(v0), guard(omega0), guard(d0)

	e, want := guard(e0), slices.Clone(e0)
	SubProduct(e.s, u.s, v.s, m, r, b)
	for i := range m {
		for k := range r {
			for j := range b {
				want[i*b+j] = math.FMA(-u0[k*m+i], v0[k*b+j], want[i*b+j])
			}
		}
	}
	e.check(t, name+"SubProduct", want)

	e, want = guard(e0), slices.Clone(v0)
	n := guard(v0)
	AddCross(n.s, u.s, e.s, m, r, b)
	for k := range r {
		for i := range m {
			for j := range b {
				want[k*b+j] = math.FMA(u0[k*m+i], e0[i*b+j], want[k*b+j])
			}
		}
	}
	n.check(t, name+"AddCross", want)
	e.check(t, name+"AddCross's tile", e0)

	if b < 8 {
		for _, w := range [][]float64{nil, d.s} {
			g, want := guard(random(r*r, rng)), make([]float64, r*r)
			Gram(g.s, u.s, w, m, r)
			for k := range r {
				for l := range k + 1 {
					var s [4]float64
					for i := range m {
						a := u0[k*m+i]
						if w != nil {
							a *= d0[i]
						}
						s[i%4] = math.FMA(a, u0[l*m+i], s[i%4])
					}
					x := (s[0] + s[1]) + (s[2] + s[3])
					want[k*r+l], want[l*r+k] = x, x
				}
			}
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

	u.check(t, name+"U", u0)
	v.check(t, name+"V", v0)
	omega.check(t, name+"Ω", omega0)
	d.check(t, name+"d", d0)
	p.check(t, name+"p", p0)
	delta.check(t, name+"δ", delta0)
}

// Both sets of loops stop a caller whose slice is too short, and do nothing but
// clear the sums where a size is zero.
func TestBounds(t *testing.T) {
	levels(t, func(t *testing.T) {
		const m, r, b = 9, 5, 7
		s := func(n int) []float64 { return slices.Repeat([]float64{1}, n) }
		for i, f := range []func(){
			func() { SubProduct(s(m*b-1), s(r*m), s(r*b), m, r, b) },
			func() { SubProduct(s(m*b), s(r*m-1), s(r*b), m, r, b) },
			func() { SubProduct(s(m*b), s(r*m), s(r*b-1), m, r, b) },
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
		SubProduct(nil, nil, nil, 0, 0, 0)
		AddCross(nil, nil, nil, 0, 0, 0)
		Gram(nil, nil, nil, 0, 0)
		Weighted(nil, nil, nil, nil, nil, nil, nil, 0, 0)
		SubOuter(nil, nil, nil, 0, 0)
		num, den, g := []float64{1}, []float64{1}, []float64{1}
		Weighted(num, den, nil, nil, nil, nil, nil, 0, 1)
		Gram(g, nil, nil, 0, 1)
		if num[0] != 0 || den[0] != 0 || g[0] != 0 {
			t.Error("empty sums are not zero")
		}
	})
}

func BenchmarkKernels(b *testing.B) {
	levels(b, func(bench *testing.B) {
		rng := rand.New(rand.NewPCG(3, 3))
		for _, size := range [][3]int{{1024, 40, 24}, {1024, 40, 48}, {2576, 40, 8}, {400, 40, 64}, {40, 1, 48}} {
			m, r, b := size[0], size[1], size[2]
			u, v, n, e, omega, d := random(r*m, rng), random(r*b, rng), make([]float64, r*b), random(m*b, rng), random(m*b, rng), random(m, rng)
			num, den, delta, g := make([]float64, b), make([]float64, b), make([]float64, b), make([]float64, r*r)
			for _, c := range []struct {
				name  string
				flops int
				f     func()
			}{
				{"AddCross", 2 * m * r * b, func() { AddCross(n, u, e, m, r, b) }},
				{"SubProduct", 2 * m * r * b, func() { SubProduct(e, u, v, m, r, b) }},
				{"Weighted", 7 * m * r * b, func() {
					for k := range r {
						Weighted(num, den, e, omega, u[k*m:][:m], u[max(k-1, 0)*m:][:m], delta, m, b)
					}
				}},
				{"SubOuter", 2 * m * b, func() { SubOuter(e, u[:m], delta, m, b) }},
				{"Gram", m * r * (r + 1), func() { Gram(g, u, nil, m, r) }},
				{"GramD", m * r * (r + 1) * 3 / 2, func() { Gram(g, u, d, m, r) }},
			} {
				bench.Run(fmt.Sprintf("%s/m=%d,r=%d,b=%d", c.name, m, r, b), func(bench *testing.B) {
					for range bench.N {
						c.f()
					}
					bench.ReportMetric(float64(c.flops)*float64(bench.N)/float64(bench.Elapsed().Nanoseconds()), "GFLOP/s")
				})
			}
		}
	})
}
