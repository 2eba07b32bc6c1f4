package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// Of gives what Load and Add give, bit for bit, for every shape and place of X, and
// writes nowhere else.
func TestOf(t *testing.T) {
	levels(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 10))
		for _, m := range []int{1, 2, 3, 8, 31, 101, 333} {
			for _, r := range []int{1, 2, 3, 4, 5, 8, 11, 12, 16, 20, 24, 31, 40, 50, 201} {
				for _, b := range []int{1, 2, 3, 4, 5, 7, 8, 12, 20, 24, 36, 48, 50} {
					if testing.Short() && (m+r+b)%7 > 0 {
						continue
					}
					for _, trans := range []bool{false, true} {
						for _, scaled := range []bool{false, true} {
							j0, gap := rng.IntN(5), rng.IntN(3)*7
							rows, cols := m, j0+b
							if trans {
								rows, cols = j0+b, m
							}
							stride := cols + gap
							x := wild((rows-1)*stride+cols, rng.IntN(3), rng)
							u, start := random(r*m, rng), random(r*b, rng)
							var d []float64
							if scaled {
								d = random(m, rng)
							}
							var c Cross
							c.Set(u, d, m, r)
							tile := make([]float64, m*b)
							Load(tile, x, stride, trans, j0, m, b)
							want := make([]float64, r*b)
							c.Add(want, tile, b)
							got, source := guard(start), guard(x)
							c.Of(got.s, source.s, stride, trans, j0, b)
							name := fmt.Sprintf("m=%d r=%d b=%d trans=%t scaled=%t", m, r, b, trans, scaled)
							got.check(t, name, want)
							source.check(t, name+": x", x)
						}
					}
				}
			}
		}
	})
}

func BenchmarkOf(b *testing.B) {
	levels(b, func(b *testing.B) {
		for _, s := range [][3]int{{1024, 1440, 20}, {1024, 400, 40}, {2576, 7200, 50}} {
			rng := rand.New(rand.NewPCG(1, 11))
			m, n, r := s[0], s[1], s[2]
			const width = 36
			x, w, h := random(m*n, rng), random(r*m, rng), random(r*n, rng)
			var cw, ch Cross
			cw.Set(w, nil, m, r)
			ch.Set(h, nil, n, r)
			num, tile := make([]float64, r*width), make([]float64, max(m, n)*width)
			run := func(name string, end int, f func(j, k int)) {
				b.Run(fmt.Sprintf("%dx%d,r=%d/%s", m, n, r, name), func(b *testing.B) {
					rate(b, 2*m*n*r, func() {
						for j := 0; j < end; j += width {
							f(j, min(width, end-j))
						}
					})
				})
			}
			run("columns", n, func(j, k int) { cw.Of(num, x, n, false, j, k) })
			run("rows", m, func(j, k int) { ch.Of(num, x, n, true, j, k) })
			run("copied columns", n, func(j, k int) {
				Load(tile, x, n, false, j, m, k)
				cw.Add(num, tile, k)
			})
			run("transposed rows", m, func(j, k int) {
				Load(tile, x, n, true, j, n, k)
				ch.Add(num, tile, k)
			})
		}
	})
}
