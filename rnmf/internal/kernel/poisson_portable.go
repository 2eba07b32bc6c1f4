package kernel

import "math"

func deviancePortable(e, x, y []float64) {
	for i, a := range x[:len(e)] {
		e[i] = deviance(a, y[i])
	}
}

// deviance is the signed root of one deviance; see the generator.
func deviance(x, y float64) float64 {
	const rounding = 0x3ff<<52 - 0x3fe6a09e667f3bcd // of 1 and of √½
	inverse := 1 / above(x, leastCount)
	diff := y - x
	w := above(below(float64(y*inverse), 1/leastCount), leastCount)
	biased := (math.Float64bits(w) + rounding) >> 52
	k := math.Float64frombits(biased+0x433<<52) - (0x1p52 + 1023)
	scale := math.Float64frombits((2046 - biased) << 52)
	f := float64(w*scale) - 1
	if k == 0 {
		f = diff * inverse
	}
	t := f / (f + 2)
	z := float64(t * t)
	h := float64(float64(f*0.5) * f)
	b := h - float64((logRest(z)+h)*t)
	d := float64(x * b)
	if k != 0 {
		d = diff - float64(x*math.FMA(k, math.Ln2, f-b))
	}
	d = above(d, 0)
	e := math.Sqrt(d + d)
	if x < y {
		return -e
	}
	return e
}

// above and below are max and min as the processor has them: b where a is no number.
func above(a, b float64) float64 {
	if a > b {
		return a
	}
	return b
}

func below(a, b float64) float64 {
	if a < b {
		return a
	}
	return b
}

// logRest is R of log1p, for z = t².
func logRest(z float64) float64 {
	z2 := float64(z * z)
	odd := math.FMA(math.FMA(0x1.39fd33ecdb9a0p-3, z2, 0x1.c71c62c212eebp-3), z2, 0x1.99999999951bep-2)
	even := math.FMA(math.FMA(math.FMA(0x1.2b662bdc2770ep-3, z2, 0x1.7462be2d73569p-3), z2, 0x1.2492492e0f09cp-2), z2, 0x1.5555555555558p-1)
	return float64(z * math.FMA(z, odd, even))
}

func scorePortable(score, curve, x, y, omega []float64) {
	for i, a := range x[:len(score)] {
		inverse := 1 / above(y[i], leastMean)
		q := below(float64(a*inverse), mostRatio)
		s, c := q-1, float64(below(q, 1)*inverse)
		if omega != nil {
			s, c = s*omega[i], c*omega[i]
		}
		score[i], curve[i] = s, c
	}
}

func bendsPortable(bend, least, x, y, p, omega []float64, m, b int) {
	clear(bend)
	clear(least)
	for i := range m {
		for j := range b {
			at := i*b + j
			a := x[at]
			if omega != nil {
				a *= omega[at]
			}
			z := float64(p[at] * (1 / above(y[at], leastMean)))
			az := float64(a * z)
			bend[j] = math.FMA(az, z, bend[j])
			if az < 0 {
				least[j] = min(z, least[j])
			}
		}
	}
}
