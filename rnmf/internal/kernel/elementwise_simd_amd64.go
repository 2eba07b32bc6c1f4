package kernel

func mulSIMD(x, y []float64) {
	if len(x) == 0 {
		return
	}
	mulAVX2(&x[0], &y[0], len(x))
}

func apartSIMD(e, x, y []float64) {
	if len(x) == 0 {
		return
	}
	apartAVX2(&e[0], &x[0], &y[0], len(x))
}

func shiftSIMD(x, e, omega []float64, bound float64) {
	if len(x) == 0 {
		return
	}
	shiftAVX2(&x[0], &e[0], &omega[0], len(x), bound)
}

func ratioSIMD(v, num, den []float64) {
	if len(v) == 0 {
		return
	}
	ratioAVX2(&v[0], &num[0], &den[0], len(v))
}

func stepSIMD(v, delta, num, den []float64) {
	if len(v) == 0 {
		return
	}
	stepAVX2(&v[0], &delta[0], &num[0], &den[0], len(v))
}

func sumSIMD(s *eight, x, mask []float64) {
	switch {
	case len(x) == 0:
	case mask == nil:
		sumAVX2(&s[0], nil, &x[0], nil, len(x))
	default:
		sumMaskedAVX2(&s[0], nil, &x[0], &mask[0], len(x))
	}
}

func sumSquaresSIMD(s, count *eight, x, mask []float64) {
	switch {
	case len(x) == 0:
	case mask == nil:
		sumSquaresAVX2(&s[0], nil, &x[0], nil, len(x))
	default:
		sumSquaresMaskedAVX2(&s[0], &count[0], &x[0], &mask[0], len(x))
	}
}

// The kernels for blocks of columns: for an incomplete vector, for one, and for more.
var (
	squaresKernels = [2][4]func(s, e, mask *float64, ld, m, cols int){
		{squaresmAVX2, squares1AVX2, squares2AVX2, squares4AVX2},
		{squaresMaskedmAVX2, squaresMasked1AVX2, squaresMasked2AVX2, squaresMasked4AVX2},
	}
	squaresWidths = [4]int{0, 1, 2, 4}

	// For one row, and for four.
	descendKernels = [forms][2][3]func(v, vk, n, row, diag, change, inv, w, d *float64, ld, r, cols int){
		{{descend1xmAVX2, descend1x1AVX2, descend1x3AVX2}, {descend4xmAVX2, descend4x1AVX2, descend4x3AVX2}},
		{{descendWeighted1xmAVX2, descendWeighted1x1AVX2, descendWeighted1x2AVX2}, {descendWeighted4xmAVX2, descendWeighted4x1AVX2, descendWeighted4x2AVX2}},
		{{descendDiagonal1xmAVX2, descendDiagonal1x1AVX2, descendDiagonal1x2AVX2}, {descendDiagonal4xmAVX2, descendDiagonal4x1AVX2, descendDiagonal4x2AVX2}},
	}
	descendWidths = [forms][3]int{{0, 1, 3}, {0, 1, 2}, {0, 1, 2}}
)

// block chooses the widest block that fits n columns: its place in widths, which
// are in vectors, and its width in columns.
func block(widths []int, n int) (kind, cols int) {
	for kind = len(widths) - 1; kind > 0; kind-- {
		if cols = widths[kind] * vec; cols <= n {
			return kind, cols
		}
	}
	return 0, n
}

func squaredNormsSIMD(s, e, mask []float64, m, b int) {
	kernels := &squaresKernels[0]
	if mask != nil {
		kernels = &squaresKernels[1]
	}
	for j := 0; j < b; {
		kind, cols := block(squaresWidths[:], b-j)
		var pm *float64
		if mask != nil {
			pm = &mask[j]
		}
		kernels[kind](&s[j], &e[j], pm, b, m, cols)
		j += cols
	}
}

func gramSweepSIMD(f form, change, v, n, g, inv, w, d []float64, r, b int) {
	var pi, pw, pd *float64
	for j := 0; j < b; {
		kind, cols := block(descendWidths[f][:], b-j)
		if f != formPlain {
			pw = &w[j]
		}
		for k := 0; k < r; {
			rows, four := 1, 0
			if k+4 <= r {
				rows, four = 4, 1
			}
			if f == formPlain {
				pi = &inv[k]
			} else if f == formDiagonal {
				pd = &d[k*b+j]
			}
			descendKernels[f][four][kind](&v[j], &v[k*b+j], &n[k*b+j], &g[k*r], &g[k*r+k], &change[j], pi, pw, pd, b, r, cols)
			k += rows
		}
		j += cols
	}
}
