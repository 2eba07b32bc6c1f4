// Package kernel holds the inner loops of the solvers. They work on a tile: b
// neighbouring columns of a matrix with m rows, stored row by row without gaps
// (entry (i, j) at i*b+j), small enough for the second-level cache. The fixed
// factor U is r×m, row by row without gaps; the tile of the factor that is
// solved for, V, is r×b.
//
// On amd64 machines with AVX2 and FMA, or with AVX-512, the loops are in assembly, which the
// module in gen writes. RNMF_KERNEL=portable, avx2 or avx512 in the environment allows the
// program nothing better than that.
//
// Those for AVX-512 are used where a processor executes 512 bits at once. On a Zen 5 whole rounds
// are 1.45 to 1.86 times as fast as with AVX2. On a Zen 4 they are 0.82 to 0.95 times as fast, and
// are not used: it does 512 bits in two halves, so the peak is the same, and the products reach
// 0.91 to 0.98 of it with AVX2 already. Intel's processors have not been measured; there they are
// used.
//
// All three give the same bits, whatever the widths of the tiles, and so do the loops
// in Go on every other architecture: they add in the order of the assembly, one sum for
// each entry of a product, with math.FMA where it multiplies and adds in one
// instruction. That costs little where the compiler knows that the processor has it too
// (arm64 and others; amd64 with GOAMD64=v3): a fit by the loops in Go takes 0.5 to 1.2
// times as long as with products and sums apart. On amd64 otherwise the program asks
// before each: 0.8 to 2 times. A processor that lacks it, as those of Intel before 2013
// and small ones for some years after, gives the same bits in 20 to 70 times as long.
package kernel

// Weighted does the first half of one step of weighted HALS on a tile: it
// removes the change of the component before from the residual, and gathers
// what the exact minimiser of this one needs, in one pass over the tile:
//
//	e_ij ← e_ij − p_i δ_j,   num_j = Σ_i ω_ij u_i e_ij,   den_j = Σ_i ω_ij u_i².
//
// p (length m) is the row of U of the component before and delta (length b) its
// change; p is nil for the first component.
func Weighted(num, den, e, omega, u, p, delta []float64, m, b int) {
	if useAVX2 {
		weightedSIMD(num, den, e, omega, u, p, delta, m, b)
	} else {
		weighted(num, den, e, omega, u, p, delta, m, b)
	}
}

// WeightedPair is Weighted for two components, k and k+1, in one pass. It removes
// the changes of the two components before from the residual,
//
//	e_ij ← e_ij − p_i δ_j − p′_i δ′_j,
//
// and writes five sums over i, b values each, to sums:
//
//	ω u e,   ω u′ e,   ω u²,   ω u′²,   ω u u′.
//
// A change of component k by δ changes the second sum by −δ times the last: with
// that, the minimiser of k+1 is as exact as after a pass of its own. u holds two
// rows of U (2×m), p the two before and delta their changes (2×b); p is nil for
// the first pair.
func WeightedPair(sums, e, omega, u, p, delta []float64, m, b int) {
	if useAVX2 {
		weightedPairSIMD(sums, e, omega, u, p, delta, m, b)
	} else {
		weightedPair(sums, e, omega, u, p, delta, m, b)
	}
}

// SubOuter subtracts a matrix of rank one from a tile, e_ij ← e_ij − p_i δ_j.
func SubOuter(e, p, delta []float64, m, b int) {
	if useAVX2 {
		subOuterSIMD(e, p, delta, m, b)
	} else {
		subOuter(e, p, delta, m, b)
	}
}
