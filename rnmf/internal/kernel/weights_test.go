package kernel

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

type testLoss struct {
	name string
	of   func(p, cut2 float64) Rho
	rho  func(s, p float64) (value, slope float64)
	ulp  float64 // of the values; the weights have 2
}

func (l testLoss) f(omega, value, e []float64, p, cut2 float64) { l.of(p, cut2).Weigh(omega, value, e) }

var lossTable = []testLoss{
	{"square", func(_, cut2 float64) Rho { return Square(cut2) },
		func(s, _ float64) (float64, float64) { return s, 1 }, 1},
	{"L1", L1, func(s, p float64) (float64, float64) { v := math.Sqrt(s + p); return v, 0.5 / v }, 3},
	{"Huber", Huber, func(s, c float64) (float64, float64) {
		if s <= c*c {
			return s, 1
		}
		return c * (2*math.Sqrt(s) - c), c / math.Sqrt(s)
	}, 4},
	{"hypersurface", Hypersurface, func(s, c float64) (float64, float64) {
		root := math.Sqrt(1 + s*c)
		return s * c / (1 + root), 0.5 * c / root
	}, 4},
	{"Cauchy", Cauchy, func(s, g float64) (float64, float64) { return math.Log1p(s / g), 1 / (g + s) }, 4},
	{"correntropy", Correntropy, func(s, c float64) (float64, float64) { return -math.Expm1(-s * c), c * math.Exp(-s*c) }, 4},
}

// ulps is the distance of two numbers in units of the last place.
func ulps(got, want float64) float64 {
	return math.Abs(got-want) / (math.Nextafter(math.Abs(want), math.Inf(1)) - math.Abs(want))
}

// Weights and values agree with the formulas, from denormal to huge residuals.
func TestWeights(t *testing.T) {
	levels(t, func(t *testing.T) {
		var e []float64
		for i := -323 * 8; i <= 145*8; i++ {
			x := math.Pow(10, float64(i)/8)
			e = append(e, x, -x)
		}
		for i := range 4000 {
			e = append(e, float64(i)*1e-3, float64(i)*1e-2)
		}
		if testing.Short() { // in an emulator
			for i := range len(e) / 20 {
				e[i] = e[20*i+i%20]
			}
			e = e[:len(e)/20]
		}
		omega, value, alone := make([]float64, len(e)), make([]float64, len(e)), make([]float64, len(e))
		for _, l := range lossTable {
			for _, p := range []float64{1e-8, 0.04, 1, 7, 65025} {
				for _, cut2 := range []float64{math.Inf(1), 25, 1e-3} {
					l.f(omega, value, e, p, cut2)
					l.f(alone, nil, e, p, cut2)
					var worst, worstValue float64
					for i, x := range e {
						s := x * x
						y, w := l.rho(min(s, cut2), p)
						if s > cut2 {
							w = 0
						}
						du, dv := 0.0, 0.0
						if w > 1e-306*p || w == 0 {
							du = ulps(omega[i], w)
						}
						if math.Abs(value[i]-y) > 0x1p-1020/min(p, 1) && y > 1e-150 {
							dv = ulps(value[i], y)
						}
						if math.IsNaN(du) || math.IsNaN(dv) || du > 4 || dv > l.ulp+2 {
							t.Fatalf("%s(%g), cut %g at %g: weight %g, want %g; value %.17g, want %.17g", l.name, p, cut2, x, omega[i], w, value[i], y)
						}
						if alone[i] != omega[i] && ulps(alone[i], omega[i]) > 2 {
							t.Fatalf("%s(%g), cut %g at %g: weight %g alone, %g with a value", l.name, p, cut2, x, alone[i], omega[i])
						}
						worst, worstValue = max(worst, du), max(worstValue, dv)
					}
					if p == 1 {
						t.Logf("%s, cut² %g: weights within %.2f ulp of Go's, values within %.2f", l.name, cut2, worst, worstValue)
					}
				}
			}
		}
	})
}

// The values of a loss at residuals whose squares overflow, and parameters that
// make the scaled squares overflow, are finite; NaN stays.
func TestWeightsHuge(t *testing.T) {
	levels(t, func(t *testing.T) {
		e := []float64{1e155, -1e300, math.MaxFloat64, 1e153, math.Inf(1), math.NaN(), 0, 1, 1e-323}
		omega, value := make([]float64, len(e)), make([]float64, len(e))
		for _, l := range lossTable {
			for _, p := range []float64{1e-20, 1, 1e20} {
				for _, cut2 := range []float64{math.Inf(1), 1e-10, 1e10, 0} {
					l.f(omega, value, e, p, cut2)
					for i, x := range e {
						if math.IsNaN(x) {
							if l.name != "square" && !math.IsNaN(omega[i]) || !math.IsNaN(value[i]) {
								t.Errorf("%s: weight %g and value %g of NaN", l.name, omega[i], value[i])
							}
						} else if !(omega[i] >= 0 && omega[i] < 1e151) || !(value[i] >= 0 && value[i] <= math.MaxFloat64) {
							t.Errorf("%s(%g) at %g: weight %g, value %g", l.name, p, x, omega[i], value[i])
						} else if x*x > cut2 && omega[i] != 0 {
							t.Errorf("%s(%g) at %g: weight %g beyond the cut-off", l.name, p, x, omega[i])
						}
					}
				}
			}
		}
	})
}

// An entry's result does not depend on where in a slice it stands, and nothing
// else is written.
func TestWeightsEdges(t *testing.T) {
	levels(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(5, 5))
		for _, l := range lossTable {
			for n := range 71 {
				e0 := wild(n, []int{1, 0}[n%2], rng)
				want, wantValue := make([]float64, n), make([]float64, n)
				for i := range e0 {
					l.f(want[i:i+1], wantValue[i:i+1], e0[i:i+1], 0.3, 4)
				}
				e, omega, value := guard(e0), guard(random(n, rng)), guard(random(n, rng))
				l.f(omega.s, value.s, e.s, 0.3, 4)
				name := fmt.Sprintf("%s, %d entries: ", l.name, n)
				omega.check(t, name+"weights", want)
				value.check(t, name+"values", wantValue)
				e.check(t, name+"residuals", e0)
				for i := range e0 {
					l.f(want[i:i+1], nil, e0[i:i+1], 0.3, 4)
				}
				l.f(omega.s, nil, e.s, 0.3, 4)
				omega.check(t, name+"weights alone", want)
			}
		}
	})
}

// split does what apart, Weigh, Mul and Sum do, and writes nothing else.
func TestWeighSplit(t *testing.T) {
	levels(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(14, 14))
		for _, l := range lossTable {
			for n := range 151 {
				y0, x0 := wild(n, []int{1, 0}[n%2], rng), wild(n, 1, rng)
				if n%3 == 0 {
					y0, x0 = special(n, rng), special(n, rng)
				}
				for _, cut2 := range []float64{math.Inf(1), 4} {
					loss := l.of(0.3, cut2)
					for _, value := range [][]float64{nil, make([]float64, n)} {
						e, omega, wantX, wantY, sum := make([]float64, n), make([]float64, n), slices.Clone(x0), slices.Clone(y0), 0.0
						apart(e, wantX, wantY)
						loss.Weigh(omega, value, e)
						Mul(wantX, omega)
						Mul(wantY, omega)
						if value != nil {
							sum = Sum(value, nil)
						}
						x, y := guard(x0), guard(y0)
						got := loss.split(x.s, y.s, value != nil)
						name := fmt.Sprintf("%s, cut² %g, %d entries, values %v: ", l.name, cut2, n, value != nil)
						x.check(t, name+"data", wantX)
						y.check(t, name+"model", wantY)
						if got != sum && !(math.IsNaN(got) && math.IsNaN(sum)) {
							t.Fatalf("%ssum %.17g, want %.17g", name, got, sum)
						}
					}
				}
			}
		}
	})
}

// Any residuals and parameters give the same with assembly as without.
func FuzzWeights(f *testing.F) {
	f.Add([]byte("some residuals: eight bytes make one of them."), 0.5, 3.0)
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0xf0, 0x7f, 0, 0, 0, 0, 0, 0, 0xf8, 0x7f}, 1e-100, math.Inf(1))
	f.Fuzz(func(t *testing.T, data []byte, p, cut2 float64) {
		if !(p >= 1e-120 && p <= 1e120) || !(cut2 >= 0) || !haveAVX2 {
			t.Skip()
		}
		defer func(a, b bool) { useAVX2, useAVX512 = a, b }(useAVX2, useAVX512)
		var e []float64
		for ; len(data) >= 8; data = data[8:] {
			e = append(e, math.Float64frombits(binary.LittleEndian.Uint64(data)))
		}
		n := len(e)
		got, want := make([]float64, 2*n), make([]float64, 2*n)
		same := func(a, b float64) bool {
			return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
		}
		for _, l := range lossTable {
			useAVX2, useAVX512 = false, false
			l.f(want[:n], want[n:], e, p, cut2)
			for _, name := range []string{"avx2", "avx512"} {
				useAVX2, useAVX512 = level(name)
				l.f(got[:n], got[n:], e, p, cut2)
				for i, x := range e {
					if !same(got[i], want[i]) || !same(got[n+i], want[n+i]) {
						t.Fatalf("%s: %s(%g), cut² %g at %g: %x and %x, want %x and %x", name, l.name, p, cut2, x, got[i], got[n+i], want[i], want[n+i])
					}
				}
			}
		}
	})
}

// The functions, in 200 bits.
func bigExp(x *big.Float) *big.Float {
	small := new(big.Float).SetMantExp(x, -40)
	sum, term := newBig(1), newBig(1)
	for i := 1; i < 12; i++ {
		term.Mul(term, small).Quo(term, newBig(float64(i)))
		sum.Add(sum, term)
	}
	for range 40 {
		sum.Mul(sum, sum)
	}
	return sum
}

func newBig(x float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(x) }

// bigLog1p solves exp(y) = 1 + x by Newton's method.
func bigLog1p(x *big.Float) *big.Float {
	u := newBig(1)
	u.Add(u, x)
	f, _ := x.Float64()
	y := newBig(math.Log1p(f))
	for range 3 {
		step := bigExp(new(big.Float).Neg(y))
		y.Add(y, step.Mul(step, u).Sub(step, newBig(1)))
	}
	return y
}

// exact is the distance from a number in 200 bits, in units of the last place.
func exact200(got float64, want *big.Float) float64 {
	w, _ := want.Float64()
	d := newBig(got)
	d.Sub(d, want)
	f, _ := d.Float64()
	return math.Abs(f) / (math.Nextafter(math.Abs(w), math.Inf(1)) - math.Abs(w))
}

// TestAccuracy measures exp, expm1, log1p and the reciprocal root against 200
// bits, with residuals whose squares, and parameters whose products, are exact.
func TestAccuracy(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for _, x := range []float64{1, 0.3, -7} { // the emulator Bochs gets it wrong
		if exact200(math.Exp(x), bigExp(newBig(x))) > 2 {
			t.Skip("math/big is wrong here")
		}
	}
	levels(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(6, 6))
		var e []float64
		for range 1500 { // 24 bits, so that e² is exact
			e = append(e, float64(float32(math.Exp(40*rng.Float64()-36))), float64(float32(2*rng.Float64())))
		}
		omega, value := make([]float64, len(e)), make([]float64, len(e))
		worst := map[string]float64{}
		note := func(name string, d float64) { worst[name] = max(worst[name], d) }
		one := newBig(1)
		inf := math.Inf(1)
		for i := range 4 {
			switch i {
			case 0:
				Correntropy(1, inf).Weigh(omega, value, e)
			case 1:
				Cauchy(1, inf).Weigh(omega, value, e)
			case 2:
				L1(0, inf).Weigh(omega, value, e)
			case 3:
				Hypersurface(1, inf).Weigh(omega, value, e)
			}
			for j, x := range e {
				s := newBig(x * x)
				switch i {
				case 0:
					if x*x < 700 {
						y := bigExp(new(big.Float).Neg(s))
						note("exp", exact200(omega[j], y))
						note("expm1", exact200(value[j], new(big.Float).Sub(one, y)))
					}
				case 1:
					note("log1p", exact200(value[j], bigLog1p(s)))
				case 2:
					half := newBig(0.5)
					note("1/√s", exact200(omega[j], half.Quo(half, newBig(math.Abs(x)))))
					note("√s", exact200(value[j], newBig(math.Abs(x))))
				case 3:
					root := newBig(1)
					root.Add(root, s).Sqrt(root)
					half := newBig(0.5)
					note("1/√(1+s)", exact200(omega[j], half.Quo(half, root)))
					note("√(1+s)−1", exact200(value[j], s.Quo(s, new(big.Float).Add(root, one))))
				}
			}
		}
		for _, f := range []string{"exp", "expm1", "log1p", "1/√s", "√s", "1/√(1+s)", "√(1+s)−1"} {
			t.Logf("%-10s %.2f ulp", f, worst[f])
			if limit := map[string]float64{"√(1+s)−1": 4}[f]; worst[f] > max(limit, 2) {
				t.Errorf("%s: %.2f ulp", f, worst[f])
			}
		}
	})
}

func BenchmarkWeights(b *testing.B) {
	levels(b, func(b *testing.B) {
		rng := rand.New(rand.NewPCG(7, 7))
		n := 1024 * 24
		e, omega, value := random(n, rng), make([]float64, n), make([]float64, n)
		x, y := make([]float64, n), make([]float64, n) // they stay 0
		for _, l := range lossTable {
			for _, out := range [][]float64{nil, value} {
				name := l.name
				if out != nil {
					name += "+value"
				}
				b.Run(name, func(b *testing.B) {
					for range b.N {
						l.f(omega, out, e, 0.04, 9)
					}
					perEntry(b, n)
				})
				b.Run(name+"+split", func(b *testing.B) {
					for range b.N {
						l.of(0.04, 9).split(x, y, out != nil)
					}
					perEntry(b, n)
				})
			}
		}
	})
}

func perEntry(b *testing.B, n int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/entry")
	b.ReportMetric(0, "ns/op")
}
