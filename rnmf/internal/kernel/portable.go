package kernel

import "math"

// The functions of this file and of the other files named portable do the work where
// no faster code exists for the machine. To the last bit they give what the assembly
// gives: the same operations in the same order on each entry of the result, with
// math.FMA where it multiplies and adds in one instruction. Where it does not, a
// conversion to float64 keeps the compiler from making one of the two.

func subProduct(e, u, v []float64, m, r, b int) {
	k := 0
	for ; k+4 <= r; k += 4 {
		u0, u1, u2, u3 := u[k*m:][:m], u[(k+1)*m:][:m], u[(k+2)*m:][:m], u[(k+3)*m:][:m]
		v0, v1, v2, v3 := v[k*b:][:b], v[(k+1)*b:][:b], v[(k+2)*b:][:b], v[(k+3)*b:][:b]
		for i := range m {
			a0, a1, a2, a3 := -u0[i], -u1[i], -u2[i], -u3[i]
			row := e[i*b:][:b]
			for j, x := range row {
				x = math.FMA(a0, v0[j], x)
				x = math.FMA(a1, v1[j], x)
				x = math.FMA(a2, v2[j], x)
				row[j] = math.FMA(a3, v3[j], x)
			}
		}
	}
	for ; k < r; k++ {
		subOuter(e, u[k*m:], v[k*b:], m, b)
	}
}

func addCross(n, u, z []float64, m, r, b int) {
	k := 0
	for ; k+4 <= r; k += 4 {
		u0, u1, u2, u3 := u[k*m:][:m], u[(k+1)*m:][:m], u[(k+2)*m:][:m], u[(k+3)*m:][:m]
		n0, n1, n2, n3 := n[k*b:][:b], n[(k+1)*b:][:b], n[(k+2)*b:][:b], n[(k+3)*b:][:b]
		for i := range m {
			a0, a1, a2, a3 := u0[i], u1[i], u2[i], u3[i]
			row := z[i*b:][:b]
			for j, x := range row {
				n0[j] = math.FMA(a0, x, n0[j])
				n1[j] = math.FMA(a1, x, n1[j])
				n2[j] = math.FMA(a2, x, n2[j])
				n3[j] = math.FMA(a3, x, n3[j])
			}
		}
	}
	for ; k < r; k++ {
		uk, nk := u[k*m:][:m], n[k*b:][:b]
		for i, a := range uk {
			addRow(nk, z[i*b:][:b], a)
		}
	}
}

// addRow does y ← y + ax.
func addRow(y, x []float64, a float64) {
	y = y[:len(x)]
	for j, z := range x {
		y[j] = math.FMA(a, z, y[j])
	}
}

// gram writes UWᵀ, which is symmetric.
func gram(g, u, w []float64, m, r int) {
	for k := range r {
		uk := u[k*m:][:m]
		l := 0
		for ; l+4 <= k+1; l += 4 { // one sum alone would wait for each addition
			w0, w1, w2, w3 := w[l*m:][:m], w[(l+1)*m:][:m], w[(l+2)*m:][:m], w[(l+3)*m:][:m]
			var s0, s1, s2, s3 float64
			for i, a := range uk {
				s0 = math.FMA(a, w0[i], s0)
				s1 = math.FMA(a, w1[i], s1)
				s2 = math.FMA(a, w2[i], s2)
				s3 = math.FMA(a, w3[i], s3)
			}
			copy(g[k*r+l:], []float64{s0, s1, s2, s3})
		}
		for ; l <= k; l++ {
			s := 0.0
			for i, a := range w[l*m:][:m] {
				s = math.FMA(uk[i], a, s)
			}
			g[k*r+l] = s
		}
		for l, s := range g[k*r:][:k] {
			g[l*r+k] = s
		}
	}
}

func weighted(num, den, e, omega, u, p, delta []float64, m, b int) {
	num, den = num[:b], den[:b]
	clear(num)
	clear(den)
	for i, a := range u[:m] {
		row, om := e[i*b:][:b], omega[i*b:][:b]
		if p != nil {
			addRow(row, delta[:b], -p[i])
		}
		for j, x := range row {
			t := om[j] * a
			num[j] = math.FMA(t, x, num[j])
			den[j] = math.FMA(t, a, den[j])
		}
	}
}

func weightedPair(sums, e, omega, u, p, delta []float64, m, b int) {
	sums = sums[:5*b]
	clear(sums)
	num0, num1, den0, den1, cross := sums[:b], sums[b:][:b], sums[2*b:][:b], sums[3*b:][:b], sums[4*b:][:b]
	u0, u1 := u[:m], u[m:][:m]
	if p != nil {
		subProduct(e, p, delta, m, 2, b)
	}
	for i, a0 := range u0 {
		a1 := u1[i]
		row, om := e[i*b:][:b], omega[i*b:][:b]
		for j, x := range row {
			t0, t1 := om[j]*a0, om[j]*a1
			num0[j] = math.FMA(t0, x, num0[j])
			num1[j] = math.FMA(t1, x, num1[j])
			den0[j] = math.FMA(t0, a0, den0[j])
			den1[j] = math.FMA(t1, a1, den1[j])
			cross[j] = math.FMA(t0, a1, cross[j])
		}
	}
}

func subOuter(e, p, delta []float64, m, b int) {
	delta = delta[:b]
	for i, q := range p[:m] {
		addRow(e[i*b:][:b], delta, -q)
	}
}
