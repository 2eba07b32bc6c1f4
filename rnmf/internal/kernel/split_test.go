package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// Split gives what Load, Apart, Weigh and Mul give, bit for bit, for every loss, shape
// and place of X, but for the order of the sum; it writes nowhere else.
func TestSplit(t *testing.T) {
	levels(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 9))
		for _, l := range lossTable {
			for _, m := range []int{1, 3, 4, 5, 8, 12, 31, 40, 101, 333} {
				for _, r := range []int{1, 2, 3, 4, 7, 8, 15, 16, 17, 20, 31, 32, 33, 40, 50} {
					for _, b := range []int{1, 5, 8, 16, 24} {
						if testing.Short() && (m+r+b)%5 > 0 {
							continue
						}
						p := []float64{1e-8, 0.04, 1, 65025}[rng.IntN(4)]
						rho := l.of(p, math.Inf(1))
						j0 := rng.IntN(5)
						stride := j0 + b + rng.IntN(3)*7
						u, v := random(r*m, rng), random(r*b, rng)
						from := wild(m*stride, []int{0, 0, 1, 2}[rng.IntN(4)], rng)
						sum, there := rng.IntN(2) == 0, rng.IntN(2) == 0
						name := fmt.Sprintf("%s(%g) m=%d r=%d b=%d stride=%d sum=%t there=%t", l.name, p, m, r, b, stride, sum, there)

						var product Product
						product.Set(u, m, r)
						wantX, wantY := make([]float64, m*b), make([]float64, m*b)
						Load(wantX, from, stride, false, j0, m, b)
						x, y, source := guard(make([]float64, m*b)), guard(make([]float64, m*b)), guard(from)
						s := source.s
						if there {
							copy(x.s, wantX)
							s = nil
						}
						e, omega := make([]float64, m*b), make([]float64, m*b)
						var value []float64
						if sum { // its logarithm gives Cauchy's weight too
							value = make([]float64, m*b)
						}
						product.Apart(e, wantY, wantX, v, b)
						rho.Weigh(omega, value, e)
						Mul(wantX, omega)
						Mul(wantY, omega)
						want := Sum(value, nil)
						got := rho.Split(&product, x.s, y.s, s, stride, j0, v, b, sum)
						x.check(t, name+": X", wantX)
						y.check(t, name+": Y", wantY)
						source.check(t, name+": from", from)
						if got != want && !(math.Abs(got-want) <= 1e-14*want) {
							t.Fatalf("%s: sum %.17g, want %.17g", name, got, want)
						}
					}
				}
			}
		}
	})
}
