package eigen

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/work"
)

// QTQᵀ is A, by the images of unit vectors under Q, and the norm of T bounds its
// eigenvalues.
func TestTridiagonalise(t *testing.T) {
	const n = 60
	for name, a := range laplacians(n) {
		red := tridiagonalise(a, work.Never)
		q := mat.NewDense(n, n, nil)
		for i := range n {
			q.Set(i, i, 1)
		}
		if !red.back(q, work.Never) { // rows are columns of Q
			t.Fatal("stopped")
		}
		tri := mat.NewDense(n, n, nil)
		for i, d := range red.d {
			tri.Set(i, i, d)
			if i < n-1 {
				tri.Set(i, i+1, red.e[i])
				tri.Set(i+1, i, red.e[i])
			}
		}
		var got mat.Dense
		got.Product(q.T(), tri, q)
		if top := byQR(a, 1).Values[0]; !mat.EqualApprox(&got, a, 1e-12*top) || red.norm() < top*(1-1e-12) || math.IsInf(red.norm(), 0) {
			t.Errorf("%s: another matrix, or a norm of %g below %g", name, red.norm(), top)
		}
		if tridiagonalise(a, func() bool { return true }) != nil || red.back(q, func() bool { return true }) {
			t.Errorf("%s: not stopped", name)
		}
	}
}
