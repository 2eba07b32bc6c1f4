package eigen

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/testkit"
	"github.com/robustnmf/robustnmf/rnmf/internal/work"
)

// Largest iterates or decomposes, to eigenvectors up to rounding.
func TestLargest(t *testing.T) {
	falling, flat := testkit.Falling(450, 460, 1, 4), testkit.Uniform(410, 420, 5)
	for name, x := range map[string]*mat.Dense{"iterated": falling, "too flat to iterate": flat, "small": testkit.Uniform(30, 40, 6)} {
		if testing.Short() && name != "small" {
			continue
		}
		var gram mat.Dense
		gram.Mul(x, x.T())
		a := Symmetric{&gram}
		want := byQR(a, a.Dim())
		q := Largest(a, 5, work.Never)
		checkPairs(t, name, a, &Pairs{Values: want.Values[:5], Vectors: q}, want.Values, 1e-11)
		if Largest(a, 5, func() bool { return true }) != nil && name != "small" {
			t.Errorf("%s: not stopped", name)
		}
	}
}
