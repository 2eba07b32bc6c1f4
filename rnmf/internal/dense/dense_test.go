package dense

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/testkit"
	"github.com/robustnmf/robustnmf/rnmf/internal/work"
)

// What is done in pieces is what gonum does at once, on shapes around the sizes of
// blocks, and all of it can be stopped.
func TestPieces(t *testing.T) {
	always := func() bool { return true }
	for _, s := range [][2]int{{1, 1}, {3, 64}, {65, 7}, {70, 200}} {
		a, b := testkit.Uniform(s[0], s[1], 1), testkit.Uniform(s[1], 66, 2)
		var product, rows, columns mat.Dense
		product.Mul(a, b)
		rows.Mul(a, a.T())
		columns.Mul(a.T(), a)
		for _, c := range []struct {
			name string
			f    func(stop func() bool) (*mat.Dense, bool)
			want mat.Matrix
		}{
			{"Mul", func(stop func() bool) (*mat.Dense, bool) { return Mul(a, b, stop) }, &product},
			{"Copy", func(stop func() bool) (*mat.Dense, bool) { return Copy(a, stop) }, a},
			{"Transpose", func(stop func() bool) (*mat.Dense, bool) { return Transpose(a, stop) }, a.T()},
			{"Gram of rows", func(stop func() bool) (*mat.Dense, bool) { return Gram(a, blas.NoTrans, stop) }, &rows},
			{"Gram of columns", func(stop func() bool) (*mat.Dense, bool) { return Gram(a, blas.Trans, stop) }, &columns},
		} {
			if got, done := c.f(work.Never); !done || !mat.EqualApprox(got, c.want, 1e-12) {
				t.Errorf("%s of %d×%d: %v", c.name, s[0], s[1], done)
			}
			if _, done := c.f(always); done {
				t.Errorf("%s of %d×%d: not stopped", c.name, s[0], s[1])
			}
		}
		if g, _ := Gram(a, blas.NoTrans, work.Never); !mat.Equal(g, g.T()) {
			t.Errorf("%d×%d: a Gram matrix that is not symmetric", s[0], s[1])
		}
		half := make([]float64, s[0]*(s[1]/2))
		if LoadColumns(half, a, 0); !mat.Equal(mat.NewDense(s[1]/2+1, s[0], append(half, mat.Col(nil, s[1]/2, a)...)), a.Slice(0, s[0], 0, s[1]/2+1).T()) {
			t.Errorf("%d×%d: other columns", s[0], s[1])
		}
	}
}

// Squares in the unit neither overflow nor vanish, and dividing by it is exact.
func TestPowerOfTwo(t *testing.T) {
	for _, v := range []float64{0, 5e-324, 1e-200, 0.3, 1, 7, 1e200, math.MaxFloat64} {
		u := PowerOfTwo(v)
		if fraction, _ := math.Frexp(u); fraction != 0.5 {
			t.Errorf("%g: %g is no power of two", v, u)
		}
		if q := v / u; q*u != v || math.IsInf(q*q, 0) || v > 0 && q*q == 0 {
			t.Errorf("%g in units of %g is %g", v, u, q)
		}
	}
}
