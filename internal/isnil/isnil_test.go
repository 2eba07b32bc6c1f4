package isnil

import (
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestMatrix(t *testing.T) {
	var none *mat.Dense
	for _, a := range []mat.Matrix{nil, none, (*mat.SymDense)(nil), mat.Transpose{}, mat.Transpose{Matrix: none}, mat.Transpose{Matrix: mat.Transpose{}}} {
		if !Matrix(a) {
			t.Errorf("%T is there", a)
		}
	}
	x := mat.NewDense(2, 3, nil)
	for _, a := range []mat.Matrix{x, x.T(), mat.Transpose{Matrix: x.T()}, &mat.Dense{}} {
		if Matrix(a) {
			t.Errorf("%T is not there", a)
		}
	}
}
