package kernel

// The functions of this file do the work where no faster code exists for the
// machine, and are what the faster code is measured against.

func subProduct(e, u, v []float64, m, r, b int) {
	k := 0
	for ; k+4 <= r; k += 4 {
		u0, u1, u2, u3 := u[k*m:][:m], u[(k+1)*m:][:m], u[(k+2)*m:][:m], u[(k+3)*m:][:m]
		v0, v1, v2, v3 := v[k*b:][:b], v[(k+1)*b:][:b], v[(k+2)*b:][:b], v[(k+3)*b:][:b]
		for i := range m {
			a0, a1, a2, a3 := u0[i], u1[i], u2[i], u3[i]
			row := e[i*b:][:b]
			for j := range row {
				row[j] -= (a0*v0[j] + a1*v1[j]) + (a2*v2[j] + a3*v3[j])
			}
		}
	}
	for ; k < r; k++ {
		uk, vk := u[k*m:][:m], v[k*b:][:b]
		for i, a := range uk {
			row := e[i*b:][:b]
			for j := range row {
				row[j] -= a * vk[j]
			}
		}
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
				n0[j] += a0 * x
				n1[j] += a1 * x
				n2[j] += a2 * x
				n3[j] += a3 * x
			}
		}
	}
	for ; k < r; k++ {
		uk, nk := u[k*m:][:m], n[k*b:][:b]
		for i, a := range uk {
			row := z[i*b:][:b]
			for j, x := range row {
				nk[j] += a * x
			}
		}
	}
}

// gram writes UWᵀ, which is symmetric.
func gram(g, u, w []float64, m, r int) {
	for k := range r {
		uk := u[k*m:][:m]
		for l := 0; l <= k; l++ {
			wl := w[l*m:][:m]
			var s0, s1, s2, s3 float64
			i := 0
			for ; i+4 <= m; i += 4 {
				a, c := uk[i:][:4], wl[i:][:4]
				s0 += a[0] * c[0]
				s1 += a[1] * c[1]
				s2 += a[2] * c[2]
				s3 += a[3] * c[3]
			}
			for ; i < m; i++ {
				s0 += uk[i] * wl[i]
			}
			s := (s0 + s1) + (s2 + s3)
			g[k*r+l], g[l*r+k] = s, s
		}
	}
}

func weighted(num, den, e, omega, u, p, delta []float64, m, b int) {
	num, den = num[:b], den[:b]
	clear(num)
	clear(den)
	if p == nil {
		for i, a := range u[:m] {
			if a == 0 {
				continue
			}
			row, om := e[i*b:][:b], omega[i*b:][:b]
			for j, x := range row {
				t := om[j] * a
				num[j] += t * x
				den[j] += t * a
			}
		}
		return
	}
	delta = delta[:b]
	for i, a := range u[:m] {
		q := p[i]
		row, om := e[i*b:][:b], omega[i*b:][:b]
		for j, x := range row {
			x -= q * delta[j]
			row[j] = x
			t := om[j] * a
			num[j] += t * x
			den[j] += t * a
		}
	}
}

func weightedPair(sums, e, omega, u, p, delta []float64, m, b int) {
	sums = sums[:5*b]
	clear(sums)
	num0, num1, den0, den1, cross := sums[:b], sums[b:][:b], sums[2*b:][:b], sums[3*b:][:b], sums[4*b:][:b]
	u0, u1 := u[:m], u[m:][:m]
	if p != nil {
		d0, d1 := delta[:b], delta[b:][:b]
		p1 := p[m:][:m]
		for i, q0 := range p[:m] {
			q1 := p1[i]
			row := e[i*b:][:b]
			for j := range row {
				row[j] = row[j] - q0*d0[j] - q1*d1[j]
			}
		}
	}
	for i, a0 := range u0 {
		a1 := u1[i]
		row, om := e[i*b:][:b], omega[i*b:][:b]
		for j, x := range row {
			t0, t1 := om[j]*a0, om[j]*a1
			num0[j] += t0 * x
			num1[j] += t1 * x
			den0[j] += t0 * a0
			den1[j] += t1 * a1
			cross[j] += t0 * a1
		}
	}
}

func subOuter(e, p, delta []float64, m, b int) {
	delta = delta[:b]
	for i, q := range p[:m] {
		if q == 0 {
			continue
		}
		row := e[i*b:][:b]
		for j := range row {
			row[j] -= q * delta[j]
		}
	}
}
