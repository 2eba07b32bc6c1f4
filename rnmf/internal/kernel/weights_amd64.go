package kernel

import "math"

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

type splitter func(x, y, sums *float64, n int, a, b, limit, cut2 float64)

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

func (r Rho) splitSIMD(s *eight, x, y []float64, sum bool) {
	if len(x) == 0 {
		return
	}
	kernels := &splitters[r.loss][levelIndex()]
	if sum {
		kernels[1](&x[0], &y[0], &s[0], len(x), r.a, r.b, r.limit, r.cut2)
	} else {
		kernels[0](&x[0], &y[0], nil, len(x), r.a, r.b, r.limit, r.cut2)
	}
}

type panelSplitter func(x, y, from, u, v, sums *float64, ld, stride, r, panels int, a, b, limit, cut2 float64)

// panelSplitters holds the same for whole panels of Split.
var panelSplitters = [losses][2][2]panelSplitter{
	lossSquare:       {{squarePanelsAVX2, squarePanelsSumAVX2}, {squarePanelsAVX512, squarePanelsSumAVX512}},
	lossL1:           {{l1PanelsAVX2, l1PanelsSumAVX2}, {l1PanelsAVX512, l1PanelsSumAVX512}},
	lossHuber:        {{huberPanelsAVX2, huberPanelsSumAVX2}, {huberPanelsAVX512, huberPanelsSumAVX512}},
	lossHypersurface: {{hypersurfacePanelsAVX2, hypersurfacePanelsSumAVX2}, {hypersurfacePanelsAVX512, hypersurfacePanelsSumAVX512}},
	lossCauchy:       {{cauchyPanelsAVX2, cauchyPanelsSumAVX2}, {cauchyPanelsAVX512, cauchyPanelsSumAVX512}},
	lossCorrentropy:  {{correntropyPanelsAVX2, correntropyPanelsSumAVX2}, {correntropyPanelsAVX512, correntropyPanelsSumAVX512}},
}

// fourSplitters holds those for AVX2 that weigh four vectors at a time, for losses that
// are not cut off: a twelfth to a sixth faster.
var fourSplitters = [losses]panelSplitter{lossL1: l1PanelsFourAVX2, lossHypersurface: hypersurfacePanelsFourAVX2}

// splitPanels does some panels of 8 columns, which begin where the slices do. X is from,
// whose rows are stride apart.
func (r Rho) splitPanels(s *eight, p *Product, x, y, from []float64, stride int, v []float64, b, panels int, sum bool) {
	_ = from[(panels*p.panel-1)*stride+7]
	kernels := &panelSplitters[r.loss][levelIndex()]
	kernel := kernels[0]
	switch four := fourSplitters[r.loss]; {
	case sum:
		kernel = kernels[1]
	case four != nil && p.panel == 4 && math.IsInf(r.cut2, 1):
		kernel = four
	}
	kernel(&x[0], &y[0], &from[0], &p.packed[0], &v[0], &s[0], b, stride, p.r, panels, r.a, r.b, r.limit, r.cut2)
}
