package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// rate runs a benchmark and reports its speed, over all and in the fastest call:
// on a machine with other work, only that says what the code can do.
func rate(b *testing.B, flops int, f func()) {
	best := time.Duration(math.MaxInt64)
	for range b.N {
		start := time.Now()
		f()
		best = min(best, time.Since(start))
	}
	b.ReportMetric(float64(flops)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
	b.ReportMetric(float64(flops)/float64(best.Nanoseconds()), "best-GFLOP/s")
}

// rateTwo is rate for two cores at once, each with its own f. The second spins
// between its calls, since waking it would take as long as they do.
func rateTwo(b *testing.B, flops int, f, g func()) {
	if runtime.GOMAXPROCS(0) < 2 {
		b.Skip("one processor")
	}
	var started, done atomic.Int64
	go func() {
		for n := int64(1); ; n++ {
			for started.Load() < n {
			}
			if done.Load() < 0 {
				return
			}
			g()
			done.Store(n)
		}
	}()
	n := int64(0)
	rate(b, flops, func() {
		n++
		started.Store(n)
		f()
		for done.Load() < n {
		}
	})
	done.Store(-1)
	started.Store(n + 1)
}

// The shapes that occur: the tiles of the H half-steps at 1024×400, 1024×1440 and
// 2576×7200, and those of their W half-steps.
func BenchmarkKernels(b *testing.B) {
	levels(b, func(bench *testing.B) {
		rng := rand.New(rand.NewPCG(3, 3))
		for _, size := range [][3]int{{1024, 40, 8}, {1024, 40, 24}, {1024, 20, 36}, {400, 40, 16}, {400, 40, 36}, {1440, 20, 24}, {2576, 50, 8}, {2576, 50, 12}, {7200, 50, 12}} {
			m, r, b := size[0], size[1], size[2]
			u, v, n, e, omega, d := random(r*m, rng), random(r*b, rng), make([]float64, r*b), random(m*b, rng), random(m*b, rng), random(m, rng)
			sums, delta, g := make([]float64, 5*b), make([]float64, 2*b), make([]float64, r*r)
			var product Product
			var cross, scaled Cross
			product.Set(u, m, r)
			cross.Set(u, nil, m, r)
			scaled.Set(u, d, m, r)
			for _, c := range []struct {
				name  string
				flops int
				f     func()
			}{
				{"Sub", 2 * m * r * b, func() { product.Sub(e, v, b) }},
				{"Add", 2 * m * r * b, func() { cross.Add(n, e, b) }},
				{"GramOf", m * r * (r + 1), func() { GramOf(g, &cross, &scaled) }},
				{"AddCross", 2 * m * r * b, func() { AddCross(n, u, e, m, r, b) }},
				// Useful operations: e − pδ, ωu, num and den.
				{"Weighted", 7 * m * r * b, func() {
					for k := range r {
						Weighted(sums[:b], sums[b:], e, omega, u[k*m:][:m], u[max(k-1, 0)*m:][:m], delta, m, b)
					}
				}},
				{"WeightedPair", 7 * m * r * b, func() {
					for k := 0; k < r; k += 2 {
						WeightedPair(sums, e, omega, u[k*m:], u[max(k-2, 0)*m:], delta, m, b)
					}
				}},
				{"SubOuter", 2 * m * b, func() { SubOuter(e, u[:m], delta, m, b) }},
				{"Product.Set", r * m, func() { product.Set(u, m, r) }},
				{"Cross.Set", r * m, func() { cross.Set(u, nil, m, r) }},
			} {
				bench.Run(fmt.Sprintf("%s/m=%d,r=%d,b=%d", c.name, m, r, b), func(bench *testing.B) {
					rate(bench, c.flops, c.f)
				})
			}
		}
	})
}

// Two cores at once, each with its own tile and the same factor.
func BenchmarkTwo(b *testing.B) {
	levels(b, func(bench *testing.B) {
		rng := rand.New(rand.NewPCG(4, 4))
		for _, size := range [][3]int{{1024, 40, 8}, {1024, 20, 24}, {400, 40, 16}, {1440, 20, 8}, {2576, 50, 8}, {7200, 50, 4}, {7200, 50, 8}, {7200, 50, 12}} {
			m, r, b := size[0], size[1], size[2]
			u := random(r*m, rng)
			var product Product
			var cross Cross
			product.Set(u, m, r)
			cross.Set(u, nil, m, r)
			kinds := []string{"Sub", "Add", "WeightedPair"}
			var f [2][3]func()
			for i := range f {
				v, n, e, omega := random(r*b, rng), make([]float64, r*b), random(m*b, rng), random(m*b, rng)
				sums, delta := make([]float64, 5*b), make([]float64, 2*b)
				f[i] = [3]func(){
					func() { product.Sub(e, v, b) },
					func() { cross.Add(n, e, b) },
					func() {
						for k := 0; k < r; k += 2 {
							WeightedPair(sums, e, omega, u[k*m:], u[max(k-2, 0)*m:], delta, m, b)
						}
					},
				}
			}
			for k, flops := range []int{2, 2, 7} {
				bench.Run(fmt.Sprintf("%s/m=%d,r=%d,b=%d", kinds[k], m, r, b), func(bench *testing.B) {
					rateTwo(bench, 2*flops*m*r*b, f[0][k], f[1][k])
				})
			}
		}
	})
}

// The passes of a Poisson half-step over a tile, besides products.
func BenchmarkPoisson(b *testing.B) {
	const m, cols = 1024, 24
	x, y, p, e := make([]float64, m*cols), make([]float64, m*cols), make([]float64, m*cols), make([]float64, m*cols)
	for i := range x {
		x[i], y[i], p[i] = float64(i%50), 1+float64(i%37), float64(i%5)-2
	}
	each := func(name string, f func()) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(m*cols), "ns/entry")
		})
	}
	each("Deviance", func() { Deviance(e, x, y) })
	each("Score", func() { Score(e, e, x, y, nil) })
	bend, least := make([]float64, cols), make([]float64, cols)
	each("Bends", func() { Bends(bend, least, x, y, p, nil, m, cols) })
}
