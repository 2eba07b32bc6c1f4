package datasets

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// LowRank returns x = w·h with planted non-negative factors, m×r and r×n,
// whose entries are drawn uniformly from 0..1. The same seed gives the same
// bits. It panics unless m, n and r are positive.
func LowRank(m, n, r int, seed uint64) (x, w, h *mat.Dense) {
	if m < 1 || n < 1 || r < 1 {
		panic(fmt.Errorf("%w: %d×%d of rank %d", ErrSize, m, n, r))
	}
	rnd := generator(seed, streamLowRank)
	uniform := func(_, _ int, _ float64) float64 { return rnd.Float64() }
	w, h = mat.NewDense(m, r, nil), mat.NewDense(r, n, nil)
	w.Apply(uniform, w)
	h.Apply(uniform, h)
	x = mat.NewDense(m, n, nil)
	x.Mul(w, h)
	return x, w, h
}

// Classes of the toy sets.
const (
	inlier = iota
	outlier
)

func toyClasses() []string { return []string{"inlier", "outlier"} }

// TenPoints returns a set in the manner of Fig. 1 of the L2,1-NMF paper (Kong,
// Ding, Huang 2011, Section 2.5): ten points in the plane, of which the first
// eight lie close to a line through the origin and the last two are outliers
// to the upper left. The paper shows its points but does not print them; these
// are our own.
func TenPoints() *Set {
	return &Set{
		Name: "Ten points",
		X: mat.NewDense(2, 10, []float64{
			1.0, 1.9, 3.1, 4.0, 5.1, 6.0, 6.9, 8.0, 0.6, 1.4,
			0.6, 0.9, 1.6, 1.9, 2.6, 2.9, 3.6, 3.9, 7.4, 8.6,
		}),
		Labels:  []int{0, 0, 0, 0, 0, 0, 0, 0, 1, 1},
		Classes: toyClasses(),
		Credit:  "after Kong, Ding, Huang: Robust NMF using the L2,1 norm (CIKM 2011), Fig. 1",
	}
}

// LinePoints returns a set in the manner of Fig. 4 of the Truncated Cauchy NMF
// paper (Guan et al. 2019, Section 5.1): 180 points on the line y = 0.2 x, of
// which the given number are outliers.
//
// The paper shows 0, 20, 40 and 80 outliers: the first 20 and the second 20
// have their x moved and keep their y, the further 40 have their y moved and
// keep their x. Any number from 0 to 80 is allowed here; sets with the same
// seed hold the same clean points, and the outliers of a smaller number are
// outliers of a larger one too.
//
// The paper does not print its points. Here x is uniform in 0..100, and a
// moved coordinate is uniform in two to four times its clean range, 200..400
// for x and 40..80 for y: with 20 outliers the L1 norm withstands them, with 40
// it breaks down, as in the figure.
func LinePoints(outliers int, seed uint64) (*Set, error) {
	const (
		points = 180
		inX    = 40
		inAll  = 80
		top    = 100.0
		slope  = 0.2
	)
	if outliers < 0 || outliers > inAll {
		return nil, fmt.Errorf("%w: %d outliers are not in 0..%d", ErrParameter, outliers, inAll)
	}
	rnd := generator(seed, streamLine)
	s := &Set{
		Name:    "Line with outliers",
		X:       mat.NewDense(2, points, nil),
		Labels:  make([]int, points),
		Classes: toyClasses(),
		Credit:  "after Guan, Liu, Zhang, Tao, Davis: Truncated Cauchy NMF (TPAMI 2019), Fig. 4",
	}
	for j := range points {
		x := top * rnd.Float64()
		s.X.Set(0, j, x)
		s.X.Set(1, j, slope*x)
	}
	for k, j := range rnd.Perm(points)[:outliers] {
		far := 2 + 2*rnd.Float64()
		if k < inX {
			s.X.Set(0, j, far*top)
		} else {
			s.X.Set(1, j, far*slope*top)
		}
		s.Labels[j] = outlier
	}
	return s, nil
}

// Laurberg returns x = w·h, 6×6 of rank 3, from Laurberg, Christensen, Plumbley, Hansen,
// Jensen: Theorems on positive data: on the uniqueness of NMF (2008), Section 5, Example
// 3, Eq. (9), where h is the transpose of w. For alpha = 0.1 and 0.3 this factorisation
// is the only non-negative one, up to the order and the scale of the components: a good
// solver must find it. It panics unless alpha lies in 0..1.
func Laurberg(alpha float64) (x, w, h *mat.Dense) {
	if !(alpha >= 0 && alpha <= 1) {
		panic(fmt.Errorf("%w: alpha %g is not in 0..1", ErrParameter, alpha))
	}
	a := alpha
	h = mat.NewDense(3, 6, []float64{
		a, 1, 1, a, 0, 0,
		1, a, 0, 0, a, 1,
		0, 0, a, 1, 1, a,
	})
	w = mat.DenseCopyOf(h.T())
	x = mat.NewDense(6, 6, nil)
	x.Mul(w, h)
	return x, w, h
}
