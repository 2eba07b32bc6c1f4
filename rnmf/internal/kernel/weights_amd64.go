package kernel

//go:generate go run -C gen ./elementwise -out ../elementwise_amd64.s -stubs ../elementwise_amd64.go -pkg kernel

type weigher func(omega, value, e *float64, n int, a, b, limit, cut2 float64)

// weighers holds the kernel for each loss, level, and for weights alone or with
// values.
var weighers = [losses][2][2]weigher{
	lossSquare:       {{squareAVX2, squareValueAVX2}, {squareAVX512, squareValueAVX512}},
	lossL1:           {{l1AVX2, l1ValueAVX2}, {l1AVX512, l1ValueAVX512}},
	lossHuber:        {{huberAVX2, huberValueAVX2}, {huberAVX512, huberValueAVX512}},
	lossHypersurface: {{hypersurfaceAVX2, hypersurfaceValueAVX2}, {hypersurfaceAVX512, hypersurfaceValueAVX512}},
	lossCauchy:       {{cauchyAVX2, cauchyValueAVX2}, {cauchyAVX512, cauchyValueAVX512}},
	lossCorrentropy:  {{correntropyAVX2, correntropyValueAVX2}, {correntropyAVX512, correntropyValueAVX512}},
}

type splitter func(x, e, sums *float64, n int, a, b, limit, cut2 float64)

// splitters holds the same, for a split alone or with the sum of the values.
var splitters = [losses][2][2]splitter{
	lossSquare:       {{squareSplitAVX2, squareSplitSumAVX2}, {squareSplitAVX512, squareSplitSumAVX512}},
	lossL1:           {{l1SplitAVX2, l1SplitSumAVX2}, {l1SplitAVX512, l1SplitSumAVX512}},
	lossHuber:        {{huberSplitAVX2, huberSplitSumAVX2}, {huberSplitAVX512, huberSplitSumAVX512}},
	lossHypersurface: {{hypersurfaceSplitAVX2, hypersurfaceSplitSumAVX2}, {hypersurfaceSplitAVX512, hypersurfaceSplitSumAVX512}},
	lossCauchy:       {{cauchySplitAVX2, cauchySplitSumAVX2}, {cauchySplitAVX512, cauchySplitSumAVX512}},
	lossCorrentropy:  {{correntropySplitAVX2, correntropySplitSumAVX2}, {correntropySplitAVX512, correntropySplitSumAVX512}},
}

func (r Rho) weighSIMD(omega, value, e []float64) {
	if len(e) == 0 {
		return
	}
	kernels := &weighers[r.loss][levelIndex()]
	if value == nil {
		kernels[0](&omega[0], nil, &e[0], len(e), r.a, r.b, r.limit, r.cut2)
	} else {
		kernels[1](&omega[0], &value[0], &e[0], len(e), r.a, r.b, r.limit, r.cut2)
	}
}

func (r Rho) splitSIMD(s *eight, x, e []float64, sum bool) {
	if len(x) == 0 {
		return
	}
	kernels := &splitters[r.loss][levelIndex()]
	if sum {
		kernels[1](&x[0], &e[0], &s[0], len(x), r.a, r.b, r.limit, r.cut2)
	} else {
		kernels[0](&x[0], &e[0], nil, len(x), r.a, r.b, r.limit, r.cut2)
	}
}
