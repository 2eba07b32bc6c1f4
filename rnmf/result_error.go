package rnmf

import (
	"cmp"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// RelativeError is ‖X̂ − WH‖_F / ‖X̂‖_F, X̂ (m×n) being the data before corruption. It takes the
// residual in tiles of a few rows and never holds all of WH. It is 0 if X̂ and WH are both 0; if
// only X̂ is 0, the error is ErrEmpty. For any factors: (&Result{W: w, H: h}).RelativeError(clean).
func (r *Result) RelativeError(clean mat.Matrix) (float64, error) {
	x, err := dataMatrix("clean", clean)
	if err := cmp.Or(r.check(), err); err != nil {
		return 0, err
	}
	m, rank := r.W.Dims()
	_, n := r.H.Dims()
	if err := cmp.Or(checkFactor("W", r.W, true), checkFactor("H", r.H, true), wantDims("clean", x, m, n)); err != nil {
		return 0, err
	}
	const tile = 64
	buf := mat.NewDense(min(tile, m), n, nil)
	var residual, norm []float64 // the norms of the rows
	for i := 0; i < m; i += tile {
		b := min(tile, m-i)
		e := buf.Slice(0, b, 0, n).(*mat.Dense)
		e.Mul(r.W.Slice(i, i+b, 0, rank), r.H)
		for k := range b {
			row := e.RawRowView(k)
			floats.Sub(row, x.RawRowView(i+k))
			residual = append(residual, floats.Norm(row, 2))
			norm = append(norm, floats.Norm(x.RawRowView(i+k), 2))
		}
	}
	num, den := floats.Norm(residual, 2), floats.Norm(norm, 2)
	switch {
	case num == 0:
		return 0, nil
	case den == 0:
		return 0, fmt.Errorf("%w: the clean data is all 0, so no error is relative to it", ErrEmpty)
	}
	return min(num/den, math.MaxFloat64), nil
}
