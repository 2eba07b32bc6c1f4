// Package kernel holds the inner loops of the solvers. They work on a tile: b
// neighbouring columns of a matrix with m rows, stored row by row without gaps
// (entry (i, j) at i*b+j), small enough for the second-level cache. The fixed
// factor U is r×m, row by row without gaps; the tile of the factor that is
// solved for, V, is r×b.
//
// On amd64 machines with AVX2 and FMA, or with AVX-512, the loops are in assembly,
// which the module in gen writes. Setting RNMF_KERNEL=portable or avx2 in the
// environment makes the program use the loops in Go, or AVX2 at most, there too;
// they differ in rounding only.
package kernel

// SubProduct subtracts a product from a tile, E ← E − UᵀV.
func SubProduct(e, u, v []float64, m, r, b int) {
	if useAVX2 {
		subProductAVX2(e, u, v, m, r, b)
	} else {
		subProduct(e, u, v, m, r, b)
	}
}

// AddCross adds the product of U with a tile, N ← N + UZ, with N r×b.
func AddCross(n, u, z []float64, m, r, b int) {
	if useAVX2 {
		addCrossAVX2(n, u, z, m, r, b)
	} else {
		addCross(n, u, z, m, r, b)
	}
}

// Gram writes UUᵀ, or U·diag(d)·Uᵀ where d is not nil, to g (r×r).
func Gram(g, u, d []float64, m, r int) {
	if useAVX2 {
		gramAVX2(g, u, d, m, r)
	} else {
		gram(g, u, d, m, r)
	}
}

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
		weightedAVX2(num, den, e, omega, u, p, delta, m, b)
	} else {
		weighted(num, den, e, omega, u, p, delta, m, b)
	}
}

// SubOuter subtracts a matrix of rank one from a tile, e_ij ← e_ij − p_i δ_j.
func SubOuter(e, p, delta []float64, m, b int) {
	if useAVX2 {
		subOuterAVX2(e, p, delta, m, b)
	} else {
		subOuter(e, p, delta, m, b)
	}
}

// Load copies columns j0 to j0+b of a matrix with m rows and the given stride
// to a tile; with trans it copies rows j0 to j0+b of a matrix with m columns.
func Load(tile, x []float64, stride int, trans bool, j0, m, b int) {
	if !trans {
		for i := range m {
			copy(tile[i*b:][:b], x[i*stride+j0:])
		}
		return
	}
	j := 0
	for ; j+4 <= b; j += 4 {
		x0, x1 := x[(j0+j)*stride:][:m], x[(j0+j+1)*stride:][:m]
		x2, x3 := x[(j0+j+2)*stride:][:m], x[(j0+j+3)*stride:][:m]
		for i, v := range x0 {
			to := tile[i*b+j:][:4]
			to[0], to[1], to[2], to[3] = v, x1[i], x2[i], x3[i]
		}
	}
	for ; j < b; j++ {
		row := x[(j0+j)*stride:][:m]
		for i, v := range row {
			tile[i*b+j] = v
		}
	}
}
