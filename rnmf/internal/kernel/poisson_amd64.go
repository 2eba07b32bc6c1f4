package kernel

func devianceSIMD(e, x, y []float64) {
	switch {
	case len(e) == 0:
	case useAVX512:
		devianceAVX512(&e[0], &x[0], &y[0], len(e))
	default:
		devianceAVX2(&e[0], &x[0], &y[0], len(e))
	}
}

func scoreSIMD(score, curve, x, y, omega []float64) {
	switch {
	case len(score) == 0:
	case omega == nil && useAVX512:
		scoreAVX512(&score[0], &curve[0], &x[0], &y[0], nil, len(score))
	case omega == nil:
		scoreAVX2(&score[0], &curve[0], &x[0], &y[0], nil, len(score))
	case useAVX512:
		scoreWeightedAVX512(&score[0], &curve[0], &x[0], &y[0], &omega[0], len(score))
	default:
		scoreWeightedAVX2(&score[0], &curve[0], &x[0], &y[0], &omega[0], len(score))
	}
}

// bendsKernels are, by level, those for an incomplete vector of columns, for one, and for two.
var (
	bendsKernels = [2][2][3]func(bend, least, x, y, p, omega *float64, ld, m, cols int){
		{{bendsmAVX2, bends1AVX2, bends2AVX2}, {bendsWeightedmAVX2, bendsWeighted1AVX2, bendsWeighted2AVX2}},
		{{bendsmAVX512, bends1AVX512, bends2AVX512}, {bendsWeightedmAVX512, bendsWeighted1AVX512, bendsWeighted2AVX512}},
	}
	bendsWidths = [3]int{0, 1, 2}
)

func bendsSIMD(bend, least, x, y, p, omega []float64, m, b int) {
	level := levelIndex()
	kernels := &bendsKernels[level][0]
	if omega != nil {
		kernels = &bendsKernels[level][1]
	}
	for j := 0; j < b; {
		kind, cols := block(bendsWidths[:], vectorLanes[level], b-j)
		var po *float64
		if omega != nil {
			po = &omega[j]
		}
		kernels[kind](&bend[j], &least[j], &x[j], &y[j], &p[j], po, b, m, cols)
		j += cols
	}
}
