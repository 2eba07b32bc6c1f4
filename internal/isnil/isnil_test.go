package isnil

import (
	"errors"
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

type broken struct{ mat.Matrix }

var errBroken = errors.New("broken")

func (broken) Check() error { return errBroken }

func TestCheck(t *testing.T) {
	x := mat.NewDense(2, 3, nil)
	for a, want := range map[mat.Matrix]error{x: nil, x.T(): nil, broken{x}: errBroken, mat.Transpose{Matrix: mat.Transpose{Matrix: broken{x}}}: errBroken} {
		if err := Check(a); err != want {
			t.Errorf("%T: %v, want %v", a, err, want)
		}
	}
}
