package kernel

// Load copies columns j0 to j0+b of a matrix with m rows and the given stride to
// a tile; with trans it copies rows j0 to j0+b of a matrix with m columns.
func Load(tile, x []float64, stride int, trans bool, j0, m, b int) {
	if m <= 0 || b <= 0 {
		return
	}
	tile = tile[:m*b]
	if trans {
		x = x[j0*stride:][:(b-1)*stride+m]
		if useAVX2 {
			transposeSIMD(tile, x, stride, m, b)
		} else {
			transposeTo(tile, x, stride, m, b, 0, 0, b)
		}
		return
	}
	x = x[j0:][:(m-1)*stride+b]
	if useAVX2 {
		copySIMD(tile, x, stride, m, b)
		return
	}
	for i := range m {
		copy(tile[i*b:][:b], x[i*stride:])
	}
}

// transposeTo copies rows j to j1 of x, from entry i0 on, to columns of the tile.
func transposeTo(tile, x []float64, stride, m, b, i0, j, j1 int) {
	for ; j+4 <= j1; j += 4 {
		x0, x1 := x[j*stride:][:m], x[(j+1)*stride:][:m]
		x2, x3 := x[(j+2)*stride:][:m], x[(j+3)*stride:][:m]
		for i := i0; i < m; i++ {
			to := tile[i*b+j:][:4]
			to[0], to[1], to[2], to[3] = x0[i], x1[i], x2[i], x3[i]
		}
	}
	for ; j < j1; j++ {
		row := x[j*stride:][:m]
		for i := i0; i < m; i++ {
			tile[i*b+j] = row[i]
		}
	}
}
