package kernel

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// pairs are counts and means of all sizes and ratios.
func pairs() (x, y []float64) {
	rng := rand.New(rand.NewPCG(1, 2))
	add := func(a, b float64) { x, y = append(x, a), append(y, b) }
	for _, a := range []float64{0, 1e-100, 1e-3, 1, 3, 255, 1e6, 1e15, 1e100} {
		for _, b := range []float64{0, 1e-200, 1e-100, 1e-3, 0.7, 1, 3, 254, 1e6, 1e100, 1e120} {
			add(a, b)
		}
		for range 300 {
			add(a, a*math.Exp(3*rng.NormFloat64()))
			add(a, a*(1+1e-9*rng.NormFloat64()))
			add(a, a*(1+0.3*rng.NormFloat64()*rng.Float64()))
		}
	}
	for i := range y {
		y[i] = max(y[i], 0)
	}
	return x, y
}

// trueDeviance computes d with 300 bits where digits cancel, by the series of z − ln(1 + z).
func trueDeviance(x, y float64) float64 {
	if x == 0 {
		return 2 * y
	}
	if z := y/x - 1; math.Abs(z) > 0.3 {
		return 2 * (x*math.Log(x/y) - x + y)
	}
	bx, by := new(big.Float).SetPrec(300).SetFloat64(x), new(big.Float).SetPrec(300).SetFloat64(y)
	z := new(big.Float).Quo(new(big.Float).Sub(by, bx), bx)
	sum, power := new(big.Float).SetPrec(300), new(big.Float).SetPrec(300).Set(z)
	for n := 2; n < 80; n++ { // z − ln(1 + z) = z²/2 − z³/3 + …
		power.Mul(power, z)
		term := new(big.Float).Quo(power, big.NewFloat(float64(n)))
		if n%2 == 1 {
			term.Neg(term)
		}
		sum.Add(sum, term)
	}
	d, _ := sum.Mul(sum, bx.Mul(bx, big.NewFloat(2))).Float64()
	return d
}

func TestDeviance(t *testing.T) {
	x, y := pairs()
	levels(t, func(t *testing.T) {
		e := make([]float64, len(x))
		Deviance(e, x, y)
		for i, got := range e {
			if x[i] > 0 && y[i] < 1e-250*x[i] {
				if !(got > 0) || math.IsInf(got, 0) {
					t.Fatalf("x = %g, y = %g: %g, want a large number", x[i], y[i], got)
				}
				continue
			}
			want := math.Sqrt(trueDeviance(x[i], y[i]))
			if math.Abs(math.Abs(got)-want) > 4e-15*want {
				t.Fatalf("x = %g, y = %g: %g, want %g", x[i], y[i], got, want)
			}
			if got != 0 && (got > 0) != (x[i] > y[i]) {
				t.Fatalf("x = %g, y = %g: %g has the wrong sign", x[i], y[i], got)
			}
		}
	})
}

// The score is the derivative of −d/2, and the curvature is that of d/2 where y is above x.
func TestScore(t *testing.T) {
	x, y := pairs()
	omega := make([]float64, len(x))
	for i := range omega {
		omega[i] = float64(i%7) / 3
	}
	levels(t, func(t *testing.T) {
		for _, w := range [][]float64{nil, omega} {
			score, curve := make([]float64, len(x)), make([]float64, len(x))
			Score(score, curve, x, y, w)
			for i, s := range score {
				o := 1.0
				if w != nil {
					o = w[i]
				}
				if math.IsNaN(s-s) || math.IsNaN(curve[i]-curve[i]) {
					t.Fatalf("x = %g, y = %g: score %g, curvature %g", x[i], y[i], s, curve[i])
				}
				if y[i] < 1e-140 || x[i]/y[i] > 1e150 {
					continue
				}
				q := x[i] / y[i]
				if want := o * (q - 1); math.Abs(s-want) > 1e-15*o*(q+1) {
					t.Fatalf("x = %g, y = %g: score %g, want %g", x[i], y[i], s, want)
				}
				if want := o * min(1, q) / y[i]; math.Abs(curve[i]-want) > 1e-15*want {
					t.Fatalf("x = %g, y = %g: curvature %g, want %g", x[i], y[i], curve[i], want)
				}
			}
		}
	})
}

func TestBends(t *testing.T) {
	levels(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(3, 4))
		for m := range 9 {
			for b := range 20 {
				x, y, p, omega := make([]float64, m*b), make([]float64, m*b), make([]float64, m*b), make([]float64, m*b)
				for i := range x {
					x[i], y[i], p[i], omega[i] = float64(rng.IntN(4)), rng.ExpFloat64(), rng.NormFloat64(), float64(rng.IntN(3))
				}
				for _, w := range [][]float64{nil, omega} {
					bend, least := make([]float64, b), make([]float64, b)
					Bends(bend, least, x, y, p, w, m, b)
					for j := range b {
						var sum, low float64
						for i := j; i < m*b; i += b {
							o, z := 1.0, p[i]/y[i]
							if w != nil {
								o = w[i]
							}
							if sum += o * x[i] * z * z; o*x[i] > 0 {
								low = min(low, z)
							}
						}
						if math.Abs(bend[j]-sum) > 1e-13*sum || math.Abs(least[j]-low) > 1e-15*-low {
							t.Fatalf("%d×%d: column %d has %g and %g, want %g and %g", m, b, j, bend[j], least[j], sum, low)
						}
					}
				}
			}
		}
	})
}
