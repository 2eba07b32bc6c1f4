package kernel

//go:generate go run -C gen . -out ../kernel_amd64.s -stubs ../kernel_amd64.go -pkg kernel

// The functions of this file cut a tile into the blocks that the kernels of
// kernel_amd64.s handle. They check the lengths of the slices first, because the
// kernels cannot.

// vec is the number of columns in a vector register.
const vec = 4

// masks holds the mask of n columns from entry 4-n on.
var masks = [8]int64{-1, -1, -1, -1}

func mask(n int) *int64 { return &masks[vec-n] }

// addCrossAVX2 takes few rows of the tile at a time, so that they stay in the
// first-level cache while they meet all the rows of U.
func addCrossAVX2(n, u, z []float64, m, r, b int) {
	if m <= 0 || r <= 0 || b <= 0 {
		return
	}
	n, u, z = n[:r*b], u[:r*m], z[:m*b]
	chunk := max(crossChunk/b, 32)
	for i := 0; i < m; i += chunk {
		c := min(chunk, m-i)
		k := 0
		for ; k+4 <= r; k += 4 {
			for j := 0; j < b; {
				pn, pu, pz := &n[k*b+j], &u[k*m+i], &z[i*b+j]
				switch w := width4(b - j); w {
				case 12:
					gemmAdd4x3(pn, pu, pz, b, m, 1, b, c)
					j += w
				case 8:
					gemmAdd4x2(pn, pu, pz, b, m, 1, b, c)
					j += w
				case 4:
					gemmAdd4x1(pn, pu, pz, b, m, 1, b, c)
					j += w
				default:
					gemmAdd4x1m(pn, pu, pz, b, m, 1, b, c, mask(w))
					j += w
				}
			}
		}
		for ; k < r; k++ {
			for j := 0; j < b; {
				pn, pu, pz := &n[k*b+j], &u[k*m+i], &z[i*b+j]
				switch w := width1(b - j); w {
				case 32:
					gemmAdd1x8(pn, pu, pz, b, m, 1, b, c)
					j += w
				case 24:
					gemmAdd1x6(pn, pu, pz, b, m, 1, b, c)
					j += w
				case 16:
					gemmAdd1x4(pn, pu, pz, b, m, 1, b, c)
					j += w
				case 8:
					gemmAdd1x2(pn, pu, pz, b, m, 1, b, c)
					j += w
				case 4:
					gemmAdd1x1(pn, pu, pz, b, m, 1, b, c)
					j += w
				default:
					gemmAdd1x1m(pn, pu, pz, b, m, 1, b, c, mask(w))
					j += w
				}
			}
		}
	}
}

// crossChunk is the number of entries of the tile that addCrossAVX2 handles at a
// time.
const crossChunk = 3072

// width4 and width1 are the widths of the next block out of n columns for a
// kernel of four rows and of one.
func width4(n int) int {
	switch {
	case n >= 20 || n >= 12 && n < 16:
		return 12
	case n >= 8:
		return 8
	}
	return min(n, vec)
}

func width1(n int) int {
	switch {
	case n >= 32:
		return 32
	case n >= 24:
		return 24
	case n >= 16:
		return 16
	case n >= 8:
		return 8
	}
	return min(n, vec)
}

// The numbers of rows of the tile and of U that subProductAVX2 copies at a time.
// Neighbouring entries in a column of U are often a multiple of 4 KB apart, where
// few of them fit in the cache together.
const packed, packRows = 16, 64

func subProductAVX2(e, u, v []float64, m, r, b int) {
	if m <= 0 || r <= 0 || b <= 0 {
		return
	}
	e, u, v = e[:m*b], u[:r*m], v[:r*b]
	var buf [packed * packRows]float64
	i := 0
	for ; i+packed <= m; i += packed {
		for k := 0; k < r; k += packRows {
			n := min(packRows, r-k)
			pack16(&buf[0], &u[k*m+i], m, n)
			for j := 0; j < b; {
				w := width4(b - j)
				for d := 0; d < packed; d += 4 {
					sub4(&e[(i+d)*b+j], &buf[d], &v[k*b+j], packed, b, n, w)
				}
				j += w
			}
		}
	}
	for ; i+4 <= m; i += 4 {
		for j := 0; j < b; {
			w := width4(b - j)
			sub4(&e[i*b+j], &u[i], &v[j], m, b, r, w)
			j += w
		}
	}
	for ; i < m; i++ {
		for j := 0; j < b; {
			pe, pu, pv := &e[i*b+j], &u[i], &v[j]
			w := width1(b - j)
			switch w {
			case 32:
				gemmSub1x8(pe, pu, pv, b, 1, m, b, r)
			case 24:
				gemmSub1x6(pe, pu, pv, b, 1, m, b, r)
			case 16:
				gemmSub1x4(pe, pu, pv, b, 1, m, b, r)
			case 8:
				gemmSub1x2(pe, pu, pv, b, 1, m, b, r)
			case 4:
				gemmSub1x1(pe, pu, pv, b, 1, m, b, r)
			default:
				gemmSub1x1m(pe, pu, pv, b, 1, m, b, r, mask(w))
			}
			j += w
		}
	}
}

// sub4 does four rows and w columns of SubProduct; ldu is the distance between
// the rows of U.
func sub4(e, u, v *float64, ldu, b, r, w int) {
	switch w {
	case 12:
		gemmSub4x3(e, u, v, b, 1, ldu, b, r)
	case 8:
		gemmSub4x2(e, u, v, b, 1, ldu, b, r)
	case 4:
		gemmSub4x1(e, u, v, b, 1, ldu, b, r)
	default:
		gemmSub4x1m(e, u, v, b, 1, ldu, b, r, mask(w))
	}
}

func gramAVX2(g, u, d []float64, m, r int) {
	if r <= 0 {
		return
	}
	g = g[:r*r]
	if m <= 0 {
		clear(g)
		return
	}
	u = u[:r*m]
	if d != nil {
		d = d[:m]
	}
	var rest *int64
	if m%vec != 0 {
		rest = mask(m % vec)
	}
	rows := 4
	if r < rows {
		rows = 1
	}
	var sums [8 * vec]float64
	for first := 0; first < r; first += rows {
		k := min(first, r-rows) // the last four may have rows in common with those before
		for l := 0; l < k+rows; l += 2 {
			second := m
			if l+1 == r {
				second = 0 // row l twice
			}
			x, y := &u[k*m], &u[l*m]
			switch {
			case rows == 4 && d == nil:
				dot4x2(&sums[0], x, y, m, second, m/vec, rest)
			case rows == 4:
				dot4x2w(&sums[0], x, &d[0], y, m, second, m/vec, rest)
			case d == nil:
				dot1x2(&sums[0], x, y, m, second, m/vec, rest)
			default:
				dot1x2w(&sums[0], x, &d[0], y, m, second, m/vec, rest)
			}
			for i := range rows {
				for j := range 2 {
					if l+j > k+i {
						continue
					}
					s := sums[(2*i+j)*vec:][:vec]
					t := (s[0] + s[1]) + (s[2] + s[3])
					g[(k+i)*r+l+j], g[(l+j)*r+k+i] = t, t
				}
			}
		}
	}
}

// weightedAVX2 takes few rows of the tile at a time, so that no line of the cache
// which two blocks share is fetched twice.
func weightedAVX2(num, den, e, omega, u, p, delta []float64, m, b int) {
	if b <= 0 {
		return
	}
	num, den = num[:b], den[:b]
	clear(num)
	clear(den)
	if m <= 0 {
		return
	}
	e, omega, u = e[:m*b], omega[:m*b], u[:m]
	if p != nil {
		p, delta = p[:m], delta[:b]
	}
	chunk := max(weightedChunk/b, 16)
	if b <= 16 {
		chunk = m
	}
	for i := 0; i < m; i += chunk {
		c := min(chunk, m-i)
		for j := 0; j < b; {
			w := width1(min(b-j, 16))
			pn, pd, pe, po, pu := &num[j], &den[j], &e[i*b+j], &omega[i*b+j], &u[i]
			if p == nil {
				switch w {
				case 16:
					weightedFirst4(pn, pd, pe, po, pu, b, c)
				case 8:
					weightedFirst2(pn, pd, pe, po, pu, b, c)
				case 4:
					weightedFirst1(pn, pd, pe, po, pu, b, c)
				default:
					weightedFirst1m(pn, pd, pe, po, pu, b, c, mask(w))
				}
			} else {
				pp, dj := &p[i], &delta[j]
				switch w {
				case 16:
					weighted4(pn, pd, pe, po, pu, pp, dj, b, c)
				case 8:
					weighted2(pn, pd, pe, po, pu, pp, dj, b, c)
				case 4:
					weighted1(pn, pd, pe, po, pu, pp, dj, b, c)
				default:
					weighted1m(pn, pd, pe, po, pu, pp, dj, b, c, mask(w))
				}
			}
			j += w
		}
	}
}

// weightedChunk is the number of entries of the tile that weightedAVX2 handles
// at a time.
const weightedChunk = 1024

func subOuterAVX2(e, p, delta []float64, m, b int) {
	if m <= 0 || b <= 0 {
		return
	}
	e, p, delta = e[:m*b], p[:m], delta[:b]
	for j := 0; j < b; {
		w := width1(b - j)
		if w == 24 {
			w = 16
		}
		pe, pp, pd := &e[j], &p[0], &delta[j]
		switch w {
		case 32:
			subOuter8(pe, pp, pd, b, m)
		case 16:
			subOuter4(pe, pp, pd, b, m)
		case 8:
			subOuter2(pe, pp, pd, b, m)
		case 4:
			subOuter1(pe, pp, pd, b, m)
		default:
			subOuter1m(pe, pp, pd, b, m, mask(w))
		}
		j += w
	}
}
