package eigen

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/testkit"
	"github.com/robustnmf/robustnmf/rnmf/internal/work"
)

func TestSVD(t *testing.T) {
	for _, c := range []struct {
		name string
		x    *mat.Dense
		r    int
	}{
		{"wide", testkit.Uniform(6, 11, 1), 6},
		{"tall", testkit.Uniform(11, 6, 2), 4},
		{"huge", testkit.Scaled(testkit.Uniform(7, 5, 3), 1e99), 3},
		{"tiny", testkit.Scaled(testkit.Uniform(7, 5, 3), 1e-250), 3},
		{"iterated", testkit.Falling(450, 460, 1, 4), 8},
		{"iterated, tall", testkit.Falling(470, 450, 0.7, 4), 5},
		{"too flat to iterate", testkit.Uniform(410, 420, 5), 4},
	} {
		if testing.Short() && c.x.RawMatrix().Rows > 100 {
			continue
		}
		var want mat.SVD
		want.Factorize(c.x, mat.SVDThin)
		exact := want.Values(nil)
		ut, s, vt, _ := SVD(c.x, c.r, work.Never)
		for k := range s {
			if math.Abs(s[k]-exact[k]) > 1e-9*exact[0] {
				t.Errorf("%s: singular value %d is %g, want %g", c.name, k, s[k], exact[k])
			}
		}
		if e := max(testkit.Unorthonormal(ut), testkit.Unorthonormal(vt)); e > 1e-12 {
			t.Errorf("%s: not orthonormal by %g", c.name, e)
		}
		// The best approximation of rank r: its error is known.
		for k := range s {
			for i := range ut.RawRowView(k) {
				ut.Set(k, i, ut.At(k, i)*s[k])
			}
		}
		var low mat.Dense
		low.Mul(ut.T(), vt)
		low.Sub(c.x, &low)
		var rest float64
		for _, v := range exact[c.r:] {
			rest += v / exact[0] * (v / exact[0])
		}
		if got := mat.Norm(&low, 2) / exact[0]; !testkit.Near(got, math.Sqrt(rest), 1e-9) {
			t.Errorf("%s: error %g of rank %d, want %g", c.name, got, c.r, math.Sqrt(rest))
		}
	}
}

// One gross entry leaves the other singular values what they are, up to rounding errors of the largest.
func TestSVDGross(t *testing.T) {
	for _, gross := range []float64{1e6, 1e8, 1e9, 1e10, 3e10} {
		wide := testkit.Uniform(20, 50, 1)
		wide.Set(3, 4, gross)
		for _, x := range []*mat.Dense{wide, mat.DenseCopyOf(wide.T())} {
			var want mat.SVD
			want.Factorize(x, mat.SVDThin)
			exact := want.Values(nil)
			ut, s, vt, _ := SVD(x, 20, work.Never)
			for k := range s {
				if math.Abs(s[k]-exact[k]) > 1e-4*exact[k] {
					t.Errorf("%g: singular value %d is %g, want %g", gross, k, s[k], exact[k])
				}
			}
			if e := max(testkit.Unorthonormal(ut), testkit.Unorthonormal(vt)); e > 1e-12 {
				t.Errorf("%g: not orthonormal by %g", gross, e)
			}
			if p := PCA(x, 19, work.Never); !slices.IsSortedFunc(p.Variance, func(a, b float64) int { return cmp.Compare(b, a) }) {
				t.Errorf("%g: variances %g rise", gross, p.Variance)
			}
		}
	}
}

// Data of low rank, or none, still give orthonormal vectors.
func TestSVDDeficient(t *testing.T) {
	low := mat.NewDense(8, 9, nil)
	low.Mul(testkit.Uniform(8, 2, 1), testkit.Uniform(2, 9, 2))
	for _, x := range []*mat.Dense{low, mat.DenseCopyOf(low.T()), mat.NewDense(4, 5, nil), mat.NewDense(1, 1, nil), mat.NewDense(1, 3, []float64{0, -2, 0})} {
		m, n := x.Dims()
		r := min(m, n)
		ut, s, vt, _ := SVD(x, r, work.Never)
		if e := max(testkit.Unorthonormal(ut), testkit.Unorthonormal(vt)); !(e <= 1e-12) {
			t.Errorf("%d×%d: not orthonormal by %g", m, n, e)
		}
		if r > 2 && (s[2] != 0 || s[r-1] != 0) {
			t.Errorf("rank 2 or 0 has singular values %v", s)
		}
	}
}
