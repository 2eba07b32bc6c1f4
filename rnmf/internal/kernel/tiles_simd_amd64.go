package kernel

//go:generate go run -C gen ./tiles -out ../tiles_amd64.s -stubs ../tiles_amd64.go -pkg kernel

// transposeSIMD takes few columns of x at a time, so that the rows of the tile
// stay in the first-level cache until they are whole.
func transposeSIMD(tile, x []float64, stride, m, b int) {
	const chunk = 64
	whole := m / 4 * 4
	for i := 0; i < whole; i += chunk {
		n := min(chunk, whole-i) / 4
		j := 0
		for ; j+8 <= b; j += 8 {
			transpose8(&tile[i*b+j], &x[j*stride+i], b, stride, n)
		}
		if j+4 <= b {
			transpose4(&tile[i*b+j], &x[j*stride+i], b, stride, n)
		}
	}
	transposeTo(tile, x, stride, whole, b, 0, b/4*4, b)
	transposeTo(tile, x, stride, m, b, whole, 0, b)
}

func copySIMD(tile, x []float64, stride, m, b int) {
	var rest *int64
	if b%vec > 0 {
		rest = mask(b % vec)
	}
	copyRows(&tile[0], &x[0], stride, b, m, b/vec, rest)
}
