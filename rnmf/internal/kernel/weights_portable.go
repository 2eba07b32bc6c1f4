package kernel

import "math"

// weighPortable follows the formulas of weights.go, with the parameters that the
// assembly gets.
func (r Rho) weighPortable(omega, value, e []float64) {
	a, b, limit, cut2 := r.a, r.b, r.limit, r.cut2
	values := value != nil
	for i, x := range e {
		s := x * x
		keep := !(s > cut2)
		s = min(s, limit)
		var w, y float64
		switch r.loss {
		case lossSquare:
			w, y = 1, s
		case lossL1:
			y = math.Sqrt(s + a)
			w = 0.5 / max(y, 1e-150)
		case lossHuber:
			x = math.Abs(x)
			w = a / max(x, a)
			if values {
				x = min(x, b)
				t := min(x, a)
				y = t * (x + x - t)
			}
		case lossHypersurface:
			x = s * a
			root := math.Sqrt(1 + x)
			w = b / root
			if values {
				y = x / (1 + root)
			}
		case lossCauchy:
			w = 1 / (a + s)
			if values {
				y = math.Log1p(s * b)
			}
		case lossCorrentropy:
			w = -a * math.Exp(s*a)
			if values {
				y = -math.Expm1(s * a)
			}
		}
		if !keep {
			w = 0
		}
		omega[i] = w
		if values {
			value[i] = y
		}
	}
}

func (r Rho) splitPortable(s *eight, x, y []float64, sum bool) {
	var e, omega, values [64]float64
	for len(x) > 0 {
		n := min(len(omega), len(x))
		var value []float64
		if sum {
			value = values[:n]
		}
		apartPortable(e[:n], x, y)
		r.weighPortable(omega[:n], value, e[:n])
		for i, y := range value {
			s[i%8] += y
		}
		mulPortable(x[:n], omega[:n])
		mulPortable(y[:n], omega[:n])
		x, y = x[n:], y[n:]
	}
}
