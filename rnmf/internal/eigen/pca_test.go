package eigen

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/testkit"
	"github.com/robustnmf/robustnmf/rnmf/internal/work"
)

// Data that vary along two directions are these, and no more variance is left. Other
// properties, and scikit-learn's results, are tested in package baseline.
func TestPCA(t *testing.T) {
	const m, n = 6, 20
	x := mat.NewDense(m, n, nil)
	x.Mul(testkit.Uniform(m, 2, 1), testkit.Uniform(2, n, 2))
	x.Apply(func(i, _ int, v float64) float64 { return v + float64(i) }, x)
	p := PCA(x, 3, work.Never)
	var back mat.Dense
	back.Mul(p.Components, p.Scores)
	back.Apply(func(i, _ int, v float64) float64 { return v + p.Mean[i] }, &back)
	if !mat.EqualApprox(&back, x, 1e-12) {
		t.Error("two components do not give the data back")
	}
	if got := p.Variance[0] + p.Variance[1]; !testkit.Nearly(got, p.Total, 1e-12) || p.Variance[0] < p.Variance[1] || p.Variance[2] > 1e-20 {
		t.Errorf("variances %g of %g", p.Variance, p.Total)
	}
	stops := 0
	if PCA(x, 3, func() bool { stops++; return stops > 4 }) != nil {
		t.Error("not stopped")
	}
}
