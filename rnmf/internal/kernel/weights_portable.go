package kernel

import "math"

// weighPortable gives the bits of the assembly: see portable.go.
func (r Rho) weighPortable(omega, value, e []float64) {
	omega = omega[:len(e)]
	if value == nil {
		for i, x := range e {
			omega[i], _ = r.at(x, false)
		}
		return
	}
	value = value[:len(e)]
	for i, x := range e {
		omega[i], value[i] = r.at(x, true)
	}
}

// splitPortable adds the values to s if they are wanted.
func (r Rho) splitPortable(s *eight, x, y []float64, sum bool) {
	y = y[:len(x)]
	for i, minus := range y {
		w, value := r.at(x[i]+minus, sum)
		if sum {
			s[i%8] += float64(value)
		}
		x[i] *= w
		y[i] = (0 - minus) * w
	}
}

// at returns the weight of a residual and, if wanted, its value, as the rules of the
// generator of the assembly say. The logarithm of Cauchy's value brings a weight of
// its own.
func (r *Rho) at(e float64, value bool) (w, y float64) {
	a, b := r.a, r.b
	s := float64(e * e)
	keep := !(s > r.cut2)
	s = min(s, r.limit)
	switch r.loss {
	case lossSquare:
		w, y = 1, s
	case lossL1:
		s += a
		root := rsqrt(max(s, b))
		w, y = root*0.5, s*root
	case lossHuber:
		e = math.Abs(e)
		w = a / max(e, a)
		if value {
			e = min(e, b)
			t := min(e, a)
			y = (e + e - t) * t
		}
	case lossHypersurface:
		x := float64(s * a)
		u := x + 1
		root := rsqrt(u)
		w = root * b
		if value {
			y = x / math.FMA(u, root, 1)
		}
	case lossCauchy:
		if value {
			w, y = log1p(float64(s*b), s+a)
		} else {
			w = 1 / (s + a)
		}
	case lossCorrentropy:
		w, y = decay(s, a, b)
	}
	if !keep {
		w = 0
	}
	return w, y
}

// rsqrt returns 1/√x for normal positive x; see rsqrt in the generator.
func rsqrt(x float64) float64 {
	y := math.Float64frombits(0x5fe6eb50c7b537a9 - math.Float64bits(x)>>1)
	h := math.FMA(-float64(x*y), y, 1)
	y *= math.FMA(math.FMA(0x1.807f060157de0p-2, h, 0x1.008ff05e6d126p-1), h, 0x1.000003f5df25ep+0)
	h = math.FMA(-float64(x*y), y, 1)
	return math.FMA(float64(y*h), math.FMA(math.FMA(5./16, h, 3./8), h, 1./2), y)
}

const (
	ln2Hi = 6.93147180369123816490e-01
	ln2Lo = 1.90821492927058770002e-10
)

// log1p returns 1/d and ln(1 + x), 0 ≤ x < 2¹⁰²²; see log1p in the generator.
func log1p(x, d float64) (inverse, log float64) {
	const rounding = 0x3ff<<52 - 0x3fe6a09e667f3bcd // of 1 and of √½
	biased := (math.Float64bits(x+1) + rounding) >> 52
	k := math.Float64frombits(biased+0x433<<52) - (0x1p52 + 1023)
	scale := math.Float64frombits((2046 - biased) << 52)
	f := math.FMA(scale, x, scale-1)
	f2 := f + 2
	both := 1 / float64(f2*d)
	t := float64(float64(both*d) * f)
	z := float64(t * t)
	r := logRest(z)
	half := float64(float64(f*0.5) * f)
	y := math.FMA(k, ln2Lo, float64((r+half)*t))
	return both * f2, math.FMA(k, ln2Hi, f-(half-y))
}

// decay returns −a·exp(as) and 1 − exp(as), with b = a·log₂e; see correntropy in the
// generator.
func decay(s, a, b float64) (w, y float64) {
	const shift = 0x1.8p52
	t := math.FMA(s, b, shift)
	n := t - shift
	r := math.FMA(-n, ln2Lo, math.FMA(-n, ln2Hi, float64(s*a)))
	r2 := float64(r * r)
	even := math.FMA(0x1.2891860f119d7p-22, r2, 0x1.a019b90c837fdp-16)
	even = math.FMA(math.FMA(math.FMA(even, r2, 0x1.6c16c1788c0b6p-10), r2, 0x1.5555555553d62p-5), r2, 0x1.0000000000001p-1)
	odd := math.FMA(0x1.af632bae1c31ep-26, r2, 0x1.71ddf6b37121cp-19)
	odd = math.FMA(math.FMA(math.FMA(odd, r2, 0x1.a01a01b00c602p-13), r2, 0x1.111111110f803p-7), r2, 0x1.5555555555558p-3)
	p := math.FMA(r2, math.FMA(r, odd, even), r)
	scale := math.Float64frombits(math.Float64bits(t)<<52 + 0x3ff<<52)
	return math.FMA(scale, p, scale) * (0 - a), math.FMA(-scale, p, 1-scale)
}
