package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// special is like wild, with zeros, infinities and NaN among the numbers.
func special(n int, rng *rand.Rand) []float64 {
	s := wild(n, 0, rng)
	for i := range s {
		switch rng.IntN(12) {
		case 0:
			s[i] = 0
		case 1:
			s[i] = math.Copysign(0, -1)
		case 2:
			s[i] = math.Inf(1 - 2*rng.IntN(2))
		case 3:
			s[i] = math.NaN()
		case 4:
			s[i] = math.MaxFloat64
		}
	}
	return s
}

func positive(s []float64) []float64 {
	for i := range s {
		s[i] = math.Abs(s[i])
	}
	return s
}

// Every level does the operations of the plain loops, in their order: all agree
// to the last bit, and nothing else is written.
func TestElementwise(t *testing.T) {
	levels(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(8, 8))
		for n := range 71 {
			for _, numbers := range []func(n int) []float64{
				func(n int) []float64 { return random(n, rng) },
				func(n int) []float64 { return wild(n, 0, rng) },
				func(n int) []float64 { return special(n, rng) },
			} {
				a0, b0, c0, d0 := numbers(n), numbers(n), numbers(n), numbers(n)
				for _, c := range []struct {
					name string
					f    func(a, b, c, d []float64)
					one  func(a, b, c, d *float64)
				}{
					{"Mul", func(a, b, _, _ []float64) { Mul(a, b) }, func(a, b, _, _ *float64) { *a *= *b }},
					{"apart", func(a, b, c, _ []float64) { apart(a, b, c) }, func(e, x, y, _ *float64) { *e, *y = *x+*y, 0-*y }},
					{"Shift", func(a, b, c, _ []float64) { Shift(a, b, c, 3) }, func(x, e, w, _ *float64) {
						y := (1 - *w/3) * *e
						*x = float64(*x) - float64(y)
					}},
					{"Ratio", func(a, b, c, _ []float64) { Ratio(a, b, c) }, func(v, num, den, _ *float64) {
						n, d := *num, *den
						if n < 0 {
							n, d = 0, d-n
						}
						if d > 0 {
							if x := *v * (n / d); x < maxFactor {
								*v = x
							}
						}
					}},
					{"Mul itself", func(a, b, _, _ []float64) { Mul(a, a) }, func(a, _, _, _ *float64) { *a *= *a }},
					{"Step in place", func(a, b, c, _ []float64) { Step(a, b, b, c) }, func(v, num, den, _ *float64) {
						x := step(*v, *num, *den)
						*v, *num = x, x-*v
					}},
					{"Step", func(a, b, c, d []float64) { Step(a, b, c, d) }, func(v, delta, num, den *float64) {
						x, n, d := *v, *num, *den
						if d > 0 {
							if y := x + n/d; y > 0 && y < maxFactor {
								x = y
							} else if y <= 0 {
								x = 0
							}
						} else if n < 0 {
							x = 0
						}
						*v, *delta = x, x-*v
					}},
				} {
					wa, wb, wc, wd := slices.Clone(a0), slices.Clone(b0), slices.Clone(c0), slices.Clone(d0)
					for i := range wa {
						c.one(&wa[i], &wb[i], &wc[i], &wd[i])
					}
					ga, gb, gc, gd := guard(a0), guard(b0), guard(c0), guard(d0)
					c.f(ga.s, gb.s, gc.s, gd.s)
					name := fmt.Sprintf("%s, %d entries, slice ", c.name, n)
					ga.check(t, name+"1", wa)
					gb.check(t, name+"2", wb)
					gc.check(t, name+"3", wc)
					gd.check(t, name+"4", wd)
				}
			}
		}
	})
}

// Sums have the same order everywhere.
func TestSums(t *testing.T) {
	levels(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(9, 9))
		for n := range 71 {
			x, mask := guard(random(n, rng)), guard(random(n, rng))
			for i := range mask.s {
				if rng.IntN(3) == 0 {
					mask.s[i] = 0
				}
			}
			var want, masked, squares, some eight
			count := 0
			for i, y := range x.s {
				w := mask.s[i]
				want[i%8] += y
				masked[i%8] += float64(w * y)
				squares[i%8] += float64(y * y)
				if w > 0 {
					some[i%8] += float64(y * y)
					count++
				}
			}
			if got := Sum(x.s, nil); got != want.total() {
				t.Errorf("%d entries: sum %.17g, want %.17g", n, got, want.total())
			}
			if got := Sum(x.s, mask.s); got != masked.total() {
				t.Errorf("%d entries: masked sum %.17g, want %.17g", n, got, masked.total())
			}
			if got, c := SumSquares(x.s, nil); got != squares.total() || c != n {
				t.Errorf("%d entries: %d squares %.17g, want %.17g", n, c, got, squares.total())
			}
			if got, c := SumSquares(x.s, mask.s); got != some.total() || c != count {
				t.Errorf("%d entries: %d masked squares %.17g, want %d, %.17g", n, c, got, count, some.total())
			}
		}
	})
}

func TestSquaredNorms(t *testing.T) {
	levels(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(10, 10))
		for _, m := range []int{0, 1, 2, 7, 30} {
			for b := range 71 {
				e0, mask0 := wild(m*b, 0, rng), wild(m*b, 0, rng)
				e, mask := guard(e0), guard(mask0)
				want, masked := make([]float64, b), make([]float64, b)
				for i := range e0 {
					want[i%b] += float64(e0[i] * e0[i])
					masked[i%b] += float64(mask0[i] * e0[i] * e0[i])
				}
				s := guard(random(b, rng))
				SquaredNorms(s.s, e.s, nil, m, b)
				s.check(t, fmt.Sprintf("%d×%d", m, b), want)
				SquaredNorms(s.s, e.s, mask.s, m, b)
				s.check(t, fmt.Sprintf("%d×%d masked", m, b), masked)
				e.check(t, "tile", e0)
				mask.check(t, "mask", mask0)
			}
		}
	})
}

// naiveSweep is GramSweep in the order of the assembly: the products with the V
// before a group of four rows, and corrections for the changes within it.
func naiveSweep(change, v, n, g, inv, w, d []float64, r, b int) {
	clear(change)
	for j := range b {
		for k := 0; k < r; {
			rows := 1
			if k+4 <= r {
				rows = 4
			}
			var acc [4]float64
			for i := range rows {
				if w == nil {
					acc[i] = n[(k+i)*b+j]
				}
				for l := range r {
					acc[i] = math.FMA(-g[(k+i)*r+l], v[l*b+j], acc[i])
				}
			}
			for i := range rows {
				old, x := v[(k+i)*b+j], 0.0
				if w == nil {
					x = old
					if y := math.FMA(acc[i], inv[k+i], old); y < maxFactor {
						x = max(y, 0)
					}
				} else {
					num, den := math.FMA(acc[i], w[j], n[(k+i)*b+j]), float64(w[j]*g[(k+i)*r+k+i])
					if d != nil {
						num = math.FMA(-d[(k+i)*b+j], old, num)
						den += d[(k+i)*b+j]
					}
					x = step(old, num, den)
				}
				delta := x - old
				v[(k+i)*b+j] = x
				change[j] = math.FMA(delta, delta, change[j])
				for next := i + 1; next < rows; next++ {
					acc[next] = math.FMA(-g[(k+next)*r+k+i], delta, acc[next])
				}
			}
			k += rows
		}
	}
}

func TestGramSweep(t *testing.T) {
	levels(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(11, 11))
		for _, r := range []int{0, 1, 2, 3, 4, 5, 7, 8, 13} {
			for b := range 52 {
				for _, scale := range []int{1, 0} {
					v0, n0, u := positive(wild(r*b, scale, rng)), wild(r*b, scale, rng), positive(wild(r*9, scale, rng))
					w0, d0 := positive(wild(b, scale, rng)), positive(wild(r*b, scale, rng))
					if b > 3 {
						w0[b/2], w0[b-1] = 0, 0
					}
					if r > 2 {
						clear(u[9:18]) // a component that is 0
					}
					g0, inv0 := make([]float64, r*r), make([]float64, r)
					gram(g0, u, u, 9, r)
					Inverses(inv0, g0, r)
					for i, with := range [][2][]float64{{nil, nil}, {w0, nil}, {w0, d0}} {
						name := fmt.Sprintf("r %d, b %d, form %d, ", r, b, i)
						want, wantChange := slices.Clone(v0), make([]float64, b)
						naiveSweep(wantChange, want, n0, g0, inv0, with[0], with[1], r, b)
						v, n, g, inv, change := guard(v0), guard(n0), guard(g0), guard(inv0), guard(random(b, rng))
						w, d := guard(w0), guard(d0)
						var sum float64
						switch i {
						case 0:
							sum = GramSweep(change.s, v.s, n.s, g.s, inv.s, r, b)
						case 1:
							sum = GramSweepWeighted(change.s, v.s, n.s, g.s, w.s, nil, r, b)
						default:
							sum = GramSweepWeighted(change.s, v.s, n.s, g.s, w.s, d.s, r, b)
						}
						v.check(t, name+"V", want)
						change.check(t, name+"change", wantChange)
						if got := Sum(change.s, nil); got != sum && !math.IsNaN(sum) {
							t.Errorf("%s: change %g, sum %g", name, sum, got)
						}
						n.check(t, name+"N", n0)
						g.check(t, name+"G", g0)
						inv.check(t, name+"inverses", inv0)
						w.check(t, name+"w", w0)
						d.check(t, name+"D", d0)
					}
				}
			}
		}
	})
}

// A processor without AVX-512 has 16 vector registers, and avo hands out 32.
func TestRegisters(t *testing.T) {
	source, err := os.ReadFile("elementwise_amd64.s")
	if err != nil {
		t.Skip(err)
	}
	for _, f := range strings.Split(string(source), "\nTEXT ")[1:] {
		if name, body, _ := strings.Cut(f, "\n"); strings.Contains(name, "AVX2") {
			if r := regexp.MustCompile(`\b[XYZ](1[6-9]|[23][0-9])\b`).FindString(body); r != "" {
				t.Errorf("%s uses %s", name, r)
			}
		}
	}
}

// A slice that is too short stops the caller.
func TestElementwiseBounds(t *testing.T) {
	levels(t, func(t *testing.T) {
		s := func(n int) []float64 { return make([]float64, n) }
		for i, f := range []func(){
			func() { L1(1, 1).Weigh(s(4), nil, s(5)) },
			func() { L1(1, 1).Weigh(s(5), s(4), s(5)) },
			func() { L1(1, 1).split(s(5), s(4), false) },
			func() { Mul(s(5), s(4)) },
			func() { apart(s(5), s(4), s(5)) },
			func() { apart(s(5), s(5), s(4)) },
			func() { Shift(s(5), s(4), s(5), 1) },
			func() { Shift(s(5), s(5), s(4), 1) },
			func() { Ratio(s(5), s(4), s(5)) },
			func() { Ratio(s(5), s(5), s(4)) },
			func() { Step(s(5), s(4), s(5), s(5)) },
			func() { Step(s(5), s(5), s(4), s(5)) },
			func() { Step(s(5), s(5), s(5), s(4)) },
			func() { Sum(s(5), s(4)) },
			func() { SumSquares(s(5), s(4)) },
			func() { SquaredNorms(s(4), s(10), nil, 2, 5) },
			func() { SquaredNorms(s(5), s(9), nil, 2, 5) },
			func() { SquaredNorms(s(5), s(10), s(9), 2, 5) },
			func() { GramSweep(s(4), s(10), s(10), s(4), s(2), 2, 5) },
			func() { GramSweep(s(5), s(9), s(10), s(4), s(2), 2, 5) },
			func() { GramSweep(s(5), s(10), s(9), s(4), s(2), 2, 5) },
			func() { GramSweep(s(5), s(10), s(10), s(3), s(2), 2, 5) },
			func() { GramSweep(s(5), s(10), s(10), s(4), s(1), 2, 5) },
			func() { GramSweepWeighted(s(5), s(10), s(10), s(4), s(4), nil, 2, 5) },
			func() { GramSweepWeighted(s(5), s(10), s(10), s(4), s(5), s(9), 2, 5) },
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
	})
}

func BenchmarkElementwise(b *testing.B) {
	levels(b, func(b *testing.B) {
		rng := rand.New(rand.NewPCG(12, 12))
		const m, cols = 1024, 24
		n := m * cols
		x, e, omega, mask, s := random(n, rng), random(n, rng), random(n, rng), random(n, rng), make([]float64, cols)
		ones := slices.Repeat([]float64{1}, n)
		for _, c := range []struct {
			name string
			f    func()
		}{
			{"Mul", func() { Mul(x, ones) }},
			{"apart", func() { apart(omega, e, x) }},
			{"Shift", func() { Shift(x, e, omega, 1) }},
			{"Ratio", func() { Ratio(x, ones, ones) }},
			{"Step", func() { Step(x, e, mask, ones) }},
			{"Sum", func() { Sum(e, nil) }},
			{"SumMasked", func() { Sum(e, mask) }},
			{"SumSquares", func() { SumSquares(e, nil) }},
			{"SumSquaresMasked", func() { SumSquares(e, mask) }},
			{"SquaredNorms", func() { SquaredNorms(s, omega, nil, m, cols) }},
			{"SquaredNormsMasked", func() { SquaredNorms(s, omega, mask, m, cols) }},
		} {
			b.Run(c.name, func(b *testing.B) {
				for range b.N {
					c.f()
				}
				perEntry(b, n)
			})
		}
		for _, size := range [][2]int{{40, 24}, {40, 36}, {20, 36}, {50, 36}} {
			r, cols := size[0], size[1]
			u := positive(random(r*100, rng))
			g, inv := make([]float64, r*r), make([]float64, r)
			gram(g, u, u, 100, r)
			Inverses(inv, g, r)
			v, n, change := positive(random(r*cols, rng)), random(r*cols, rng), make([]float64, cols)
			w, d := positive(random(cols, rng)), positive(random(r*cols, rng))
			for _, f := range []form{formPlain, formWeighted, formDiagonal} {
				b.Run(fmt.Sprintf("GramSweep%d/r=%d,b=%d", f, r, cols), func(b *testing.B) {
					for range b.N {
						gramSweep(f, change, v, n, g, inv, w, d, r, cols)
					}
					b.ReportMetric(float64(2*r*r*cols)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
				})
			}
		}
	})
}
