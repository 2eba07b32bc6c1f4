package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// Load copies what it should and touches nothing else.
func TestLoad(t *testing.T) {
	levels(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 1))
		for _, m := range []int{1, 2, 3, 4, 5, 7, 8, 63, 64, 65, 131} {
			for b := 1; b <= 75; b++ {
				for _, trans := range []bool{false, true} {
					const j0, more = 2, 3
					rows, stride := m, j0+b+more
					if trans {
						rows, stride = j0+b, m+more
					}
					x0 := random((rows-1)*stride+stride-more, rng) // the last row ends early
					x, tile, want := guard(x0), guard(make([]float64, m*b)), make([]float64, m*b)
					Load(tile.s, x.s, stride, trans, j0, m, b)
					for i := range m {
						for j := range b {
							if trans {
								want[i*b+j] = x0[(j0+j)*stride+i]
							} else {
								want[i*b+j] = x0[i*stride+j0+j]
							}
						}
					}
					name := fmt.Sprintf("m %d, b %d, trans %v", m, b, trans)
					tile.check(t, name, want)
					x.check(t, name, x0)
				}
			}
		}
	})
}

func BenchmarkLoad(b *testing.B) {
	levels(b, func(bench *testing.B) {
		for _, trans := range []bool{false, true} {
			for _, shape := range [][3]int{{1024, 1440, 8}, {1024, 1440, 24}, {1440, 1024, 12}} {
				m, n, w := shape[0], shape[1], shape[2]
				x, tile := make([]float64, m*n), make([]float64, m*w)
				stride := n
				if trans {
					stride = m
				}
				bench.Run(fmt.Sprintf("trans=%v/m=%d,b=%d", trans, m, w), func(bench *testing.B) {
					for i := range bench.N {
						Load(tile, x, stride, trans, i*w%(n-w), m, w)
					}
					bench.ReportMetric(float64(m*w*8)*float64(bench.N)/float64(bench.Elapsed().Nanoseconds()), "GB/s")
				})
			}
		}
	})
}
