package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
)

// shares compares rounds with the FMA peak of two cores. A round counts as 12mnr operations: the
// products WH, WᵀA and Wᵀ(WH) of the half-step of H, and as many of that of W. Weights, splits and
// sweeps are not counted.
func (b *bench) shares() {
	const title = "share of the FMA peak, a round of "
	if !b.want.MatchString(title) {
		return
	}
	peak := b.peakOfTwo()
	if peak == 0 {
		b.note("Shares of the FMA peak: there is no AVX2 here.")
		return
	}
	ours := b.startOurs("")
	for i, s := range [][3]int{{1024, 1440, 20}, {1024, 400, 40}, {2576, 7200, 50}} {
		set := b.share(fmt.Sprint("shares", i), synthetic(s[0], s[1], s[2]), s[2])
		ours.ask(set)
		for _, solver := range []struct{ name, variant string }{{"weighted HALS", byDefault}, {"MU", "whole"}} {
			work := fmt.Sprintf("%s%s, hypersurface, %d×%d, r = %d", title, solver.name, s[0], s[1], s[2])
			q := request{Op: "rounds", Data: set.Data, Loss: "hypersurface", Scale: scales["hypersurface"], Variant: solver.variant}
			flops := 12 * float64(s[0]) * float64(s[1]) * float64(s[2])
			round, once := b.perRound(ours, q), []float64{}
			for range pairsOfRounds {
				once = append(once, round())
			}
			seconds := median(once)
			rate := 1e-9 * flops / seconds
			b.add(row{work, fmt.Sprintf("%.3g ms, %.1f GFLOP/s", 1e3*seconds, rate), fmt.Sprintf("FMA peak %.1f GFLOP/s", peak), rate / peak, []float64{0.75, 0.8, 0.85}[i], false})
		}
		ours.ask(request{Op: "drop", Data: set.Data})
	}
}

// peakOfTwo is the FMA peak of two cores at once, in GFLOP/s, 0 where there is no AVX2.
func (b *bench) peakOfTwo() float64 {
	out, err := goTest("-count=5", "-benchtime=30ms", "-run=^$", "-bench=^BenchmarkPeak$/^avx/^two$").CombinedOutput()
	if err != nil {
		return 0
	}
	var rates []float64
	for _, m := range regexp.MustCompile(`([0-9.]+) best-GFLOP/s`).FindAllSubmatch(out, -1) {
		rate, _ := strconv.ParseFloat(string(m[1]), 64)
		rates = append(rates, rate)
	}
	if rates == nil {
		return 0
	}
	return slices.Max(rates)
}
