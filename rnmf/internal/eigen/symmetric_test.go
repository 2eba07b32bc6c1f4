package eigen

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/work"
)

// All goes by way of a tridiagonal matrix, which finds as many eigenvectors as there
// are, also of an eigenvalue that nearly all share.
func TestAll(t *testing.T) {
	const n = 160
	for name, a := range laplacians(n) {
		if p := byTridiagonal(a, n, fineGap, work.Never); p == nil {
			t.Errorf("%s: gave up", name)
		}
		all := All(a, work.Never)
		if len(all.Values) != n {
			t.Fatalf("%s: %d values", name, len(all.Values))
		}
		checkPairs(t, name, a, all, byQR(a, n).Values, 1e-10)
	}
	small := Symmetric{mat.NewDense(2, 2, []float64{2, 1, 1, 2})}
	checkPairs(t, "2×2", small, All(small, work.Never), []float64{3, 1}, 1e-14)
	if All(laplacians(n)["path"], func() bool { return true }) != nil {
		t.Error("not stopped")
	}
}
