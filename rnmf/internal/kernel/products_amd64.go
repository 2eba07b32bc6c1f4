package kernel

//go:generate go run -C gen . -out ../kernel_amd64.s -stubs ../kernel_amd64.go -pkg kernel

// The functions of this file cut products into the blocks that the kernels of
// kernel_amd64.s handle. Their callers have checked the lengths of the slices,
// because the kernels cannot, and that none is empty.

// vec is the number of columns in a vector register of AVX2.
const vec = 4

// masks holds the mask of n columns from entry 4-n on.
var masks = [8]int64{-1, -1, -1, -1}

func mask(n int) *int64 { return &masks[vec-n] }

// lanes is the mask of AVX-512 for the last vector of w columns.
func lanes(w int) int { return 0xff >> (-w & 7) }

// panel is the number of rows that the kernels for products take at once.
func panel() int {
	switch {
	case useAVX512:
		return 8
	case useAVX2:
		return 4
	}
	return 0
}

// width is the number of columns, out of n, of the next block of a kernel for
// rows of C and panels of the given size.
func width(n, rows, panel int) int {
	switch {
	case panel == 8 && rows == 1 && n > 40:
		return min(n, 48) // the kernel for this has six vectors, all but the last full
	case panel == 8 && n > 24 && n <= 32:
		return 16 // 16 + 16 is better than 24 + 8
	case panel == 8:
		return min(n, 24)
	case rows == 1:
		return width1(n)
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

// part is the largest number of rows of a kernel that is no more than n.
func part(n int) int {
	switch {
	case n >= 8:
		return 8
	case n >= 4:
		return 4
	case n >= 2:
		return 2
	}
	return 1
}

// gemm writes F + AB to a block of C, as the generator says, with w columns.
func gemm(panel, rows, w int, c, from, a, b *float64, ldc, lda, ldb, n, panels, aps int) {
	if panel == 8 {
		gemmZ(rows, w, c, from, a, b, ldc, lda, ldb, n, panels, aps)
		return
	}
	switch rows {
	case 4:
		switch w {
		case 12:
			gemm4x3(c, from, a, b, ldc, lda, ldb, n, panels, aps)
		case 8:
			gemm4x2(c, from, a, b, ldc, lda, ldb, n, panels, aps)
		case 4:
			gemm4x1(c, from, a, b, ldc, lda, ldb, n, panels, aps)
		default:
			gemm4x1m(c, from, a, b, ldc, lda, ldb, n, panels, aps, mask(w))
		}
	case 2:
		switch w {
		case 12:
			gemm2x3(c, from, a, b, ldc, lda, ldb, n, panels, aps)
		case 8:
			gemm2x2(c, from, a, b, ldc, lda, ldb, n, panels, aps)
		case 4:
			gemm2x1(c, from, a, b, ldc, lda, ldb, n, panels, aps)
		default:
			gemm2x1m(c, from, a, b, ldc, lda, ldb, n, panels, aps, mask(w))
		}
	case 1:
		switch w {
		case 32:
			gemm1x8(c, from, a, b, ldc, lda, ldb, n, panels, aps)
		case 24:
			gemm1x6(c, from, a, b, ldc, lda, ldb, n, panels, aps)
		case 16:
			gemm1x4(c, from, a, b, ldc, lda, ldb, n, panels, aps)
		case 8:
			gemm1x2(c, from, a, b, ldc, lda, ldb, n, panels, aps)
		case 4:
			gemm1x1(c, from, a, b, ldc, lda, ldb, n, panels, aps)
		default:
			gemm1x1m(c, from, a, b, ldc, lda, ldb, n, panels, aps, mask(w))
		}
	}
}

// gemmFar is gemm for rows of B that are far apart.
func gemmFar(panel, rows, w int, c, from, a, b *float64, ldc, lda, ldb, n, panels, aps int) {
	switch {
	case panel == 4 && rows == 4 && w == 12:
		gemmFar4x3(c, from, a, b, ldc, lda, ldb, n, panels, aps)
	case panel == 8 && rows == 8 && w > 16:
		gemmFar8x3z(c, from, a, b, ldc, lda, ldb, n, panels, aps, lanes(w))
	default:
		gemm(panel, rows, w, c, from, a, b, ldc, lda, ldb, n, panels, aps)
	}
}

func gemmZ(rows, w int, c, from, a, b *float64, ldc, lda, ldb, n, panels, aps int) {
	k := lanes(w)
	switch (w + 7) / 8 {
	case 1:
		switch rows {
		case 8:
			gemm8x1z(c, from, a, b, ldc, lda, ldb, n, panels, aps, k)
		case 4:
			gemm4x1z(c, from, a, b, ldc, lda, ldb, n, panels, aps, k)
		case 2:
			gemm2x1z(c, from, a, b, ldc, lda, ldb, n, panels, aps, k)
		case 1:
			gemm1x1z(c, from, a, b, ldc, lda, ldb, n, panels, aps, k)
		}
	case 2:
		switch rows {
		case 8:
			gemm8x2z(c, from, a, b, ldc, lda, ldb, n, panels, aps, k)
		case 4:
			gemm4x2z(c, from, a, b, ldc, lda, ldb, n, panels, aps, k)
		case 2:
			gemm2x2z(c, from, a, b, ldc, lda, ldb, n, panels, aps, k)
		case 1:
			gemm1x2z(c, from, a, b, ldc, lda, ldb, n, panels, aps, k)
		}
	case 3:
		switch rows {
		case 8:
			gemm8x3z(c, from, a, b, ldc, lda, ldb, n, panels, aps, k)
		case 4:
			gemm4x3z(c, from, a, b, ldc, lda, ldb, n, panels, aps, k)
		case 2:
			gemm2x3z(c, from, a, b, ldc, lda, ldb, n, panels, aps, k)
		case 1:
			gemm1x3z(c, from, a, b, ldc, lda, ldb, n, panels, aps, k)
		}
	default:
		gemm1x6z(c, from, a, b, ldc, lda, ldb, n, panels, aps, k)
	}
}

// pack writes row k of −U to panels of columns: neighbours in a column are often a
// multiple of 4 KB apart, where few of them fit in the cache together.
func (p *Product) pack(k int) {
	m, r, s := p.m, p.r, p.panel
	for i := 0; i < s && i+vec <= m; i += vec {
		negate(&p.packed[k*s+i], &p.u[k*m+i], s, s*r, (m-i-vec)/s+1)
	}
	for i := m &^ (vec - 1); i < m; i++ {
		p.packed[(i/s*r+k)*s+i%s] = -p.u[k*m+i]
	}
}

// sub does E ← X − UᵀV, where X may be E. It goes through groups of panels that
// stay in the first-level cache while they meet all columns.
func (p *Product) sub(e, x, v []float64, b int) {
	m, r, s := p.m, p.r, p.panel
	full := m / s
	group := max(1, productGroup/(s*r))
	for i := 0; i < full; i += group {
		g := min(group, full-i)
		for j := 0; j < b; {
			w := width(b-j, s, s)
			gemm(s, s, w, &e[i*s*b+j], &x[i*s*b+j], &p.packed[i*s*r], &v[j], b, s, b, r, g, s*r)
			j += w
		}
	}
	p.rest(e, x, v, b)
}

// rest does the rows that are no whole panel.
func (p *Product) rest(e, x, v []float64, b int) {
	m, r, s := p.m, p.r, p.panel
	full := m / s
	for i := full * s; i < m; {
		rows := part(m - i)
		for j := 0; j < b; {
			w := width(b-j, rows, s)
			gemm(s, rows, w, &e[i*b+j], &x[i*b+j], &p.packed[full*s*r+i%s], &v[j], b, s, b, r, 1, 0)
			j += w
		}
		i += rows
	}
}

// The numbers of entries of −U that sub, and of Z that add, handle at a time.
const productGroup, crossChunk = 1536, 3072

// pack writes panel p of U, or of U·diag(d).
func (c *Cross) pack(u, d []float64, p int) {
	m, r, s := c.m, c.r, c.panel
	k, end := p*s, min(p*s+s, r)
	if end < k+s { // the rows that an incomplete panel lacks
		clear(c.packed[k*m:])
	}
	for ; k+4 <= end; k += 4 {
		to := c.packed[p*s*m+k%s:]
		if m >= 4 && d == nil {
			pack4(&to[0], &u[k*m], m, s, m/4)
		} else if m >= 4 {
			pack4d(&to[0], &u[k*m], &d[0], m, s, m/4)
		}
		for i := m &^ 3; i < m; i++ {
			w := 1.0
			if d != nil {
				w = d[i]
			}
			for l := range 4 {
				to[i*s+l] = u[(k+l)*m+i] * w
			}
		}
	}
	for ; k < end; k++ {
		to := c.packed[p*s*m+k%s:]
		for i, x := range u[k*m:][:m] {
			if d != nil {
				x *= d[i]
			}
			to[i*s] = x
		}
	}
}

// add takes few rows of the tile, which are ldz apart, at a time, so that they stay in
// the first-level cache while they meet all the rows of U.
func (c *Cross) add(n, z []float64, ldz, b int, far bool) {
	m, r, s := c.m, c.r, c.panel
	full := r / s
	chunk := max(crossChunk/b, 32)
	for i := 0; i < m; i += chunk {
		l := min(chunk, m-i)
		for j := 0; full > 0 && j < b; {
			w := width(b-j, s, s)
			if far {
				gemmFar(s, s, w, &n[j], &n[j], &c.packed[i*s], &z[i*ldz+j], b, s, ldz, l, full, s*m)
			} else {
				gemm(s, s, w, &n[j], &n[j], &c.packed[i*s], &z[i*ldz+j], b, s, ldz, l, full, s*m)
			}
			j += w
		}
		for k := full * s; k < r; {
			rows := part(r - k)
			for j := 0; j < b; {
				w := width(b-j, rows, s)
				gemm(s, rows, w, &n[k*b+j], &n[k*b+j], &c.packed[full*s*m+i*s+k%s], &z[i*ldz+j], b, s, ldz, l, 1, 0)
				j += w
			}
			k += rows
		}
	}
}

// ofRows writes the product of U with the transpose of the rows of x, which are stride
// apart. It makes the transpose of N, in panels, from few columns of x at a time, so that
// those of U stay in the first-level cache while they meet all rows.
func (c *Cross) ofRows(n, x []float64, stride, b int) {
	m, r, s := c.m, c.r, c.panel
	panels := (r + s - 1) / s
	ld := panels * s
	space := spaces.Get().(*[]float64)
	defer spaces.Put(space)
	*space = grow(*space, b*ld)
	t := *space
	clear(t)
	blocks := b / s
	chunk := max(crossChunk/ld, 32)
	for i := 0; i < m; i += chunk {
		l := min(chunk, m-i)
		for p := 0; p < panels; {
			cols := min(3, panels-p)
			if panels-p == 4 {
				cols = 2 // a panel alone is slow
			}
			u := &c.packed[(p*m+i)*s]
			if blocks > 0 {
				rowsBlock(s, s, cols, &t[p*s], &x[i], u, ld, stride, l, blocks, s*m)
			}
			if b > blocks*s {
				rowsBlock(s, 1, cols, &t[blocks*s*ld+p*s], &x[blocks*s*stride+i], u, ld, stride, l, b-blocks*s, s*m)
			}
			p += cols
		}
	}
	Load(n, t, ld, true, 0, r, b)
}

// rowsBlock multiplies blocks of rows with some panels.
func rowsBlock(panel, rows, cols int, c, a, b *float64, ldc, lda, n, blocks, ps int) {
	kernels := &rowsKernels[0]
	if panel == 8 {
		kernels = &rowsKernels[1]
	}
	kernels[min(rows-1, 1)][cols-1](c, a, b, ldc, lda, n, blocks, ps)
}

// rowsKernels are those for AVX2 and AVX-512, for one row and for a panel of them, by
// the number of panels.
var rowsKernels = [2][2][3]func(c, a, b *float64, ldc, lda, n, blocks, ps int){
	{{rows1x1, rows1x2, rows1x3}, {rows4x1, rows4x2, rows4x3}},
	{{rows1x1z, rows1x2z, rows1x3z}, {rows8x1z, rows8x2z, rows8x3z}},
}

// addRows is add for a U as it is, row by row.
func addRows(n, u, z []float64, m, r, b int) {
	s := panel()
	for k := range r {
		for j := 0; j < b; {
			w := width(b-j, 1, s)
			gemm(s, 1, w, &n[k*b+j], &n[k*b+j], &u[k*m], &z[j], b, 1, b, m, 1, 0)
			j += w
		}
	}
}

// gramPacked computes the panels on and below the diagonal, three at a time side by
// side, and copies the rest.
func gramPacked(g []float64, c, d *Cross, share Share) {
	m, r, s := c.m, c.r, c.panel
	panels := (r + s - 1) / s
	ld := panels * s
	buf := g
	if ld > r {
		space := spaces.Get().(*[]float64)
		defer spaces.Put(space)
		*space = grow(*space, ld*ld)
		buf = *space
	}
	clear(buf)
	share((panels+2)/3, func(part int) {
		l := 3 * part
		cols := min(3, panels-l)
		for i := 0; i < m; i += gramChunk / s {
			n := min(gramChunk/s, m-i)
			block := func(row, col, rows, cols int) {
				gramBlock(s, cols, &buf[row*s*ld+col*s], &c.packed[(row*m+i)*s], &d.packed[(col*m+i)*s], ld, n, rows, s*m)
			}
			k := 0
			if s == 4 && cols > 1 {
				k = 2
				gramDiagonal(&buf[l*s*ld+l*s], &c.packed[(l*m+i)*s], &d.packed[(l*m+i)*s], ld, n, s*m)
			}
			for ; k < cols; k++ {
				block(l+k, l, 1, k+1)
			}
			if rest := panels - l - cols; rest > 0 {
				block(l+cols, l, rest, cols)
			}
		}
	})
	for k := range r {
		row := g[k*r:][:k+1]
		copy(row, buf[k*ld:])
		for l, x := range row {
			g[l*r+k] = x
		}
	}
}

// gramChunk is the number of entries of a panel that gramPacked handles at a time.
const gramChunk = 2048

func gramBlock(panel, cols int, c, a, b *float64, ldc, n, panels, ps int) {
	switch {
	case panel == 8 && cols == 3:
		gram8x3z(c, a, b, ldc, n, panels, ps)
	case panel == 8 && cols == 2:
		gram8x2z(c, a, b, ldc, n, panels, ps)
	case panel == 8:
		gram8x1z(c, a, b, ldc, n, panels, ps)
	case cols == 3:
		gram4x3(c, a, b, ldc, n, panels, ps)
	case cols == 2:
		gram4x2(c, a, b, ldc, n, panels, ps)
	default:
		gram4x1(c, a, b, ldc, n, panels, ps)
	}
}
