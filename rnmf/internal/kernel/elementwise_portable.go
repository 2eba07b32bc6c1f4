package kernel

import "math"

func mulPortable(x, y []float64) {
	for i, w := range y[:len(x)] {
		x[i] *= w
	}
}

func apartPortable(e, x, y []float64) {
	x, y = x[:len(e)], y[:len(e)]
	for i, minus := range y {
		e[i] = x[i] + minus
		y[i] = 0 - minus
	}
}

func shiftPortable(x, e, omega []float64, bound float64) {
	e, omega = e[:len(x)], omega[:len(x)]
	for i, w := range omega {
		x[i] -= float64((1 - w/bound) * e[i])
	}
}

func ratioPortable(v, num, den []float64) {
	num, den = num[:len(v)], den[:len(v)]
	for i, n := range num {
		d := den[i]
		if n < 0 {
			n, d = 0, d-n
		}
		if x := v[i] * (n / d); d > 0 && x < maxFactor {
			v[i] = x
		}
	}
}

func stepPortable(v, delta, num, den []float64) {
	delta, num, den = delta[:len(v)], num[:len(v)], den[:len(v)]
	for i, old := range v {
		v[i] = step(old, num[i], den[i])
		delta[i] = v[i] - old
	}
}

func step(v, n, d float64) float64 {
	if d > 0 {
		if x := v + n/d; x < maxFactor {
			return max(x, 0)
		}
	} else if n < 0 {
		return 0
	}
	return v
}

func sumPortable(s *eight, x, mask []float64) {
	at := func(i int) float64 {
		if mask == nil {
			return x[i]
		}
		return mask[i] * x[i]
	}
	i := 0
	if mask == nil {
		s0, s1, s2, s3, s4, s5, s6, s7 := 0., 0., 0., 0., 0., 0., 0., 0.
		for ; i+8 <= len(x); i += 8 {
			y := x[i:][:8]
			s0 += y[0]
			s1 += y[1]
			s2 += y[2]
			s3 += y[3]
			s4 += y[4]
			s5 += y[5]
			s6 += y[6]
			s7 += y[7]
		}
		*s = eight{s0, s1, s2, s3, s4, s5, s6, s7}
	}
	for ; i < len(x); i++ {
		s[i%8] += float64(at(i))
	}
}

func sumSquaresPortable(s, count *eight, x, mask []float64) {
	if mask == nil {
		for i, y := range x {
			s[i%8] += float64(y * y)
		}
		return
	}
	for i, y := range x {
		if mask[i] > 0 {
			s[i%8] += float64(y * y)
			count[i%8]++
		}
	}
}

func squaredNormsPortable(s, e, mask []float64, m, b int) {
	clear(s)
	for i := range m {
		row := e[i*b:][:b]
		if mask == nil {
			for j, x := range row {
				s[j] += float64(x * x)
			}
			continue
		}
		mr := mask[i*b:][:b]
		for j, x := range row {
			s[j] += float64(mr[j] * x * x)
		}
	}
}

func gramSweepPortable(f form, change, v, n, g, inv, w, d []float64, r, b int) {
	space := spaces.Get().(*[]float64)
	defer spaces.Put(space)
	*space = grow(*space, 4*(b+r))
	for k := 0; k < r; {
		// Rows that are summed up together, as in the assembly, then corrected for
		// the changes of those before.
		rows := 1
		if k+4 <= r {
			rows = 4
		}
		acc, minus := (*space)[:rows*b], (*space)[4*b:][:rows*r]
		if f == formPlain {
			copy(acc, n[k*b:])
		} else {
			clear(acc)
		}
		for i, x := range g[k*r:][:rows*r] {
			minus[i] = -x
		}
		addCross(acc, minus, v, r, rows, b)
		for i := range rows {
			row, vk, nk := acc[i*b:][:b], v[k*b:][:b], n[k*b:][:b]
			for j, old := range vk {
				x := old
				if f == formPlain {
					if y := math.FMA(row[j], inv[k], old); y < maxFactor {
						x = max(y, 0)
					}
				} else {
					num, den := math.FMA(row[j], w[j], nk[j]), float64(w[j]*g[k*r+k])
					if f == formDiagonal {
						num = math.FMA(-d[k*b+j], old, num)
						den += d[k*b+j]
					}
					x = step(old, num, den)
				}
				vk[j] = x
				row[j] = x - old
				change[j] = math.FMA(row[j], row[j], change[j])
			}
			for l := i + 1; l < rows; l++ {
				addRow(acc[l*b:][:b], row, -g[(k+l-i)*r+k])
			}
			k++
		}
	}
}
