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

func weighSIMD(l loss, omega, value, e []float64, a, b, limit, cut2 float64) {
	if len(e) == 0 {
		return
	}
	level := 0
	if useAVX512 {
		level = 1
	}
	if value == nil {
		weighers[l][level][0](&omega[0], nil, &e[0], len(e), a, b, limit, cut2)
	} else {
		weighers[l][level][1](&omega[0], &value[0], &e[0], len(e), a, b, limit, cut2)
	}
}
