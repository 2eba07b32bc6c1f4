package kernel

// sweepChunk is the number of entries of a tile that the passes of weighted HALS
// handle at a time, so that no line of the cache which two blocks of columns share
// is fetched twice.
const sweepChunk = 1024

// rowsOf is the number of rows of such a chunk.
func rowsOf(m, b, block int) int {
	if b <= block {
		return m
	}
	return max(sweepChunk/b, 16)
}

// wide is the number of columns in a vector of AVX-512.
const wide = 8

// sweep returns the number of columns, out of n, of the next block, and how many
// vectors of AVX-512 they make: those that remain are left to AVX2.
func sweep(n, block int) (w, vectors int) {
	if useAVX512 && n >= wide {
		vectors = min(n, block, 3*wide) / wide
		return vectors * wide, vectors
	}
	return width1(min(n, block)), 0
}

func weightedSIMD(num, den, e, omega, u, p, delta []float64, m, b int) {
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
	block := 16
	if useAVX512 {
		block = 3 * wide
	}
	chunk := rowsOf(m, b, block)
	for i := 0; i < m; i += chunk {
		c := min(chunk, m-i)
		for j := 0; j < b; {
			w, z := sweep(b-j, block)
			pn, pd, pe, po, pu := &num[j], &den[j], &e[i*b+j], &omega[i*b+j], &u[i]
			if p == nil {
				switch {
				case z == 3:
					weightedFirst3z(pn, pd, pe, po, pu, b, c)
				case z == 2:
					weightedFirst2z(pn, pd, pe, po, pu, b, c)
				case z == 1:
					weightedFirst1z(pn, pd, pe, po, pu, b, c)
				case w == 16:
					weightedFirst4(pn, pd, pe, po, pu, b, c)
				case w == 8:
					weightedFirst2(pn, pd, pe, po, pu, b, c)
				case w == 4:
					weightedFirst1(pn, pd, pe, po, pu, b, c)
				default:
					weightedFirst1m(pn, pd, pe, po, pu, b, c, mask(w))
				}
			} else {
				pp, dj := &p[i], &delta[j]
				switch {
				case z == 3:
					weighted3z(pn, pd, pe, po, pu, pp, dj, b, c)
				case z == 2:
					weighted2z(pn, pd, pe, po, pu, pp, dj, b, c)
				case z == 1:
					weighted1z(pn, pd, pe, po, pu, pp, dj, b, c)
				case w == 16:
					weighted4(pn, pd, pe, po, pu, pp, dj, b, c)
				case w == 8:
					weighted2(pn, pd, pe, po, pu, pp, dj, b, c)
				case w == 4:
					weighted1(pn, pd, pe, po, pu, pp, dj, b, c)
				default:
					weighted1m(pn, pd, pe, po, pu, pp, dj, b, c, mask(w))
				}
			}
			j += w
		}
	}
}

func weightedPairSIMD(sums, e, omega, u, p, delta []float64, m, b int) {
	if b <= 0 {
		return
	}
	sums = sums[:5*b]
	clear(sums)
	if m <= 0 {
		return
	}
	e, omega, u = e[:m*b], omega[:m*b], u[:2*m]
	if p != nil {
		p, delta = p[:2*m], delta[:2*b]
	}
	block := 2 * vec
	if useAVX512 {
		block = 3 * wide
	}
	chunk := rowsOf(m, b, block)
	for i := 0; i < m; i += chunk {
		c := min(chunk, m-i)
		for j := 0; j < b; {
			w, z := sweep(b-j, block)
			ps, pe, po, pu := &sums[j], &e[i*b+j], &omega[i*b+j], &u[i]
			if p == nil {
				switch {
				case z == 3:
					pairFirst3z(ps, pe, po, pu, b, c, m, b)
				case z == 2:
					pairFirst2z(ps, pe, po, pu, b, c, m, b)
				case z == 1:
					pairFirst1z(ps, pe, po, pu, b, c, m, b)
				case w == 8:
					pairFirst2(ps, pe, po, pu, b, c, m, b)
				case w == 4:
					pairFirst1(ps, pe, po, pu, b, c, m, b)
				default:
					pairFirst1m(ps, pe, po, pu, b, c, m, b, mask(w))
				}
			} else {
				pp, dj := &p[i], &delta[j]
				switch {
				case z == 3:
					pair3z(ps, pe, po, pu, pp, dj, b, c, m, b)
				case z == 2:
					pair2z(ps, pe, po, pu, pp, dj, b, c, m, b)
				case z == 1:
					pair1z(ps, pe, po, pu, pp, dj, b, c, m, b)
				case w == 8:
					pair2(ps, pe, po, pu, pp, dj, b, c, m, b)
				case w == 4:
					pair1(ps, pe, po, pu, pp, dj, b, c, m, b)
				default:
					pair1m(ps, pe, po, pu, pp, dj, b, c, m, b, mask(w))
				}
			}
			j += w
		}
	}
}

func subOuterSIMD(e, p, delta []float64, m, b int) {
	if m <= 0 || b <= 0 {
		return
	}
	e, p, delta = e[:m*b], p[:m], delta[:b]
	for j := 0; j < b; {
		pe, pp, pd := &e[j], &p[0], &delta[j]
		w, z := sweep(b-j, 32)
		if z == 0 && w == 24 {
			w = 16
		}
		switch {
		case z == 3:
			subOuter3z(pe, pp, pd, b, m)
		case z == 2:
			subOuter2z(pe, pp, pd, b, m)
		case z == 1:
			subOuter1z(pe, pp, pd, b, m)
		case w == 32:
			subOuter8(pe, pp, pd, b, m)
		case w == 16:
			subOuter4(pe, pp, pd, b, m)
		case w == 8:
			subOuter2(pe, pp, pd, b, m)
		case w == 4:
			subOuter1(pe, pp, pd, b, m)
		default:
			subOuter1m(pe, pp, pd, b, m, mask(w))
		}
		j += w
	}
}
