//go:build !amd64

package kernel

func transposeSIMD(tile, x []float64, stride, m, b int) {}

func copySIMD(tile, x []float64, stride, m, b int) {}
