package rnmf_test

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
)

// The L1 version of (3), and what shrinks everything to nothing.
func TestSparseNMF(t *testing.T) {
	x, _ := Planted(8, 20, 3, 0.05, 0, 2)
	m := SparseNMF(3, 0.3, 0.4, Ring(20, 1), 0.2)
	a := MustFit(t, m, x)
	Falls(t, "SparseNMF", a.Trace)
	e := mat.Norm(NaiveResidual(x, a.W, a.H), 2)
	if want := e*e + 0.3*mat.Sum(a.W) + 0.4*mat.Sum(a.H) + 0.2*Ring(20, 1).Roughness(a.H); !Near(a.Objective, want, 1e-10) {
		t.Errorf("objective %g, want %g", a.Objective, want)
	}
	if b := MustFit(t, SparseNMF(3, 1e4, 1e4, nil, 0), x); mat.Norm(Mul(b.W, b.H), 2) != 0 {
		t.Error("large α and β leave something")
	}
}
