package kernel

func devianceSIMD(e, x, y []float64) {
	if len(e) > 0 {
		devianceAVX2(&e[0], &x[0], &y[0], len(e))
	}
}

func scoreSIMD(score, curve, x, y, omega []float64) {
	switch {
	case len(score) == 0:
	case omega == nil:
		scoreAVX2(&score[0], &curve[0], &x[0], &y[0], nil, len(score))
	default:
		scoreWeightedAVX2(&score[0], &curve[0], &x[0], &y[0], &omega[0], len(score))
	}
}

// bendsKernels are those for an incomplete vector of columns, for one, and for two.
var (
	bendsKernels = [2][3]func(bend, least, x, y, p, omega *float64, ld, m, cols int){
		{bendsmAVX2, bends1AVX2, bends2AVX2},
		{bendsWeightedmAVX2, bendsWeighted1AVX2, bendsWeighted2AVX2},
	}
	bendsWidths = []int{0, 1, 2}
)

func bendsSIMD(bend, least, x, y, p, omega []float64, m, b int) {
	kernels := &bendsKernels[0]
	if omega != nil {
		kernels = &bendsKernels[1]
	}
	for j := 0; j < b; {
		kind, cols := block(bendsWidths, b-j)
		var po *float64
		if omega != nil {
			po = &omega[j]
		}
		kernels[kind](&bend[j], &least[j], &x[j], &y[j], &p[j], po, b, m, cols)
		j += cols
	}
}
