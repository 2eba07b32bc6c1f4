package kernel

// levelIndex is the place of the level in use in the tables of kernels.
func levelIndex() int {
	if useAVX512 {
		return 1
	}
	return 0
}

// vectorLanes is the number of columns in a vector of each.
var vectorLanes = [2]int{4, 8}

func mulSIMD(x, y []float64) {
	if len(x) == 0 {
		return
	}
	if useAVX512 {
		mulAVX512(&x[0], &y[0], len(x))
	} else {
		mulAVX2(&x[0], &y[0], len(x))
	}
}

func apartSIMD(e, x, y []float64) {
	if len(x) == 0 {
		return
	}
	if useAVX512 {
		apartAVX512(&e[0], &x[0], &y[0], len(x))
	} else {
		apartAVX2(&e[0], &x[0], &y[0], len(x))
	}
}

func shiftSIMD(x, e, omega []float64, bound float64) {
	if len(x) == 0 {
		return
	}
	if useAVX512 {
		shiftAVX512(&x[0], &e[0], &omega[0], len(x), bound)
	} else {
		shiftAVX2(&x[0], &e[0], &omega[0], len(x), bound)
	}
}

func ratioSIMD(v, num, den []float64) {
	if len(v) == 0 {
		return
	}
	if useAVX512 {
		ratioAVX512(&v[0], &num[0], &den[0], len(v))
	} else {
		ratioAVX2(&v[0], &num[0], &den[0], len(v))
	}
}

func stepSIMD(v, delta, num, den []float64) {
	if len(v) == 0 {
		return
	}
	if useAVX512 {
		stepAVX512(&v[0], &delta[0], &num[0], &den[0], len(v))
	} else {
		stepAVX2(&v[0], &delta[0], &num[0], &den[0], len(v))
	}
}

func sumSIMD(s *eight, x, mask []float64) {
	switch {
	case len(x) == 0:
	case mask == nil && useAVX512:
		sumAVX512(&s[0], nil, &x[0], nil, len(x))
	case mask == nil:
		sumAVX2(&s[0], nil, &x[0], nil, len(x))
	case useAVX512:
		sumMaskedAVX512(&s[0], nil, &x[0], &mask[0], len(x))
	default:
		sumMaskedAVX2(&s[0], nil, &x[0], &mask[0], len(x))
	}
}

func sumSquaresSIMD(s, count *eight, x, mask []float64) {
	switch {
	case len(x) == 0:
	case mask == nil && useAVX512:
		sumSquaresAVX512(&s[0], nil, &x[0], nil, len(x))
	case mask == nil:
		sumSquaresAVX2(&s[0], nil, &x[0], nil, len(x))
	case useAVX512:
		sumSquaresMaskedAVX512(&s[0], &count[0], &x[0], &mask[0], len(x))
	default:
		sumSquaresMaskedAVX2(&s[0], &count[0], &x[0], &mask[0], len(x))
	}
}

// The kernels for blocks of columns, by level: for an incomplete vector, for one,
// and for more.
var (
	squaresKernels = [2][2][4]func(s, e, mask *float64, ld, m, cols int){
		{{squaresmAVX2, squares1AVX2, squares2AVX2, squares4AVX2},
			{squaresMaskedmAVX2, squaresMasked1AVX2, squaresMasked2AVX2, squaresMasked4AVX2}},
		{{squaresmAVX512, squares1AVX512, squares2AVX512, squares4AVX512},
			{squaresMaskedmAVX512, squaresMasked1AVX512, squaresMasked2AVX512, squaresMasked4AVX512}},
	}
	squaresWidths = [4]int{0, 1, 2, 4}

	// For one row, and for four.
	descendKernels = [2][forms][2][3]func(v, vk, n, row, diag, change, inv, w, d *float64, ld, r, cols int){
		{
			{{descend1xmAVX2, descend1x1AVX2, descend1x3AVX2}, {descend4xmAVX2, descend4x1AVX2, descend4x3AVX2}},
			{{descendWeighted1xmAVX2, descendWeighted1x1AVX2, descendWeighted1x2AVX2}, {descendWeighted4xmAVX2, descendWeighted4x1AVX2, descendWeighted4x2AVX2}},
			{{descendDiagonal1xmAVX2, descendDiagonal1x1AVX2, descendDiagonal1x2AVX2}, {descendDiagonal4xmAVX2, descendDiagonal4x1AVX2, descendDiagonal4x2AVX2}},
		},
		{
			{{descend1xmAVX512, descend1x1AVX512, descend1x3AVX512}, {descend4xmAVX512, descend4x1AVX512, descend4x3AVX512}},
			{{descendWeighted1xmAVX512, descendWeighted1x1AVX512, descendWeighted1x2AVX512}, {descendWeighted4xmAVX512, descendWeighted4x1AVX512, descendWeighted4x2AVX512}},
			{{descendDiagonal1xmAVX512, descendDiagonal1x1AVX512, descendDiagonal1x2AVX512}, {descendDiagonal4xmAVX512, descendDiagonal4x1AVX512, descendDiagonal4x2AVX512}},
		},
	}
	descendWidths = [forms][3]int{{0, 1, 3}, {0, 1, 2}, {0, 1, 2}}
)

// block chooses the widest block that fits n columns: its place in widths, which
// are in vectors, and its width in columns.
func block(widths []int, lanes, n int) (kind, cols int) {
	for kind = len(widths) - 1; kind > 0; kind-- {
		if cols = widths[kind] * lanes; cols <= n {
			return kind, cols
		}
	}
	return 0, n
}

func squaredNormsSIMD(s, e, mask []float64, m, b int) {
	level := levelIndex()
	kernels := &squaresKernels[level][0]
	if mask != nil {
		kernels = &squaresKernels[level][1]
	}
	for j := 0; j < b; {
		kind, cols := block(squaresWidths[:], vectorLanes[level], b-j)
		var pm *float64
		if mask != nil {
			pm = &mask[j]
		}
		kernels[kind](&s[j], &e[j], pm, b, m, cols)
		j += cols
	}
}

func gramSweepSIMD(f form, change, v, n, g, inv, w, d []float64, r, b int) {
	level := levelIndex()
	var pi, pw, pd *float64
	for j := 0; j < b; {
		kind, cols := block(descendWidths[f][:], vectorLanes[level], b-j)
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
			descendKernels[level][f][four][kind](&v[j], &v[k*b+j], &n[k*b+j], &g[k*r], &g[k*r+k], &change[j], pi, pw, pd, b, r, cols)
			k += rows
		}
		j += cols
	}
}
