package datasets

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestLowRank(t *testing.T) {
	x, w, h := LowRank(20, 30, 4, 9)
	var p, d mat.Dense
	p.Mul(w, h)
	d.Sub(&p, x)
	if mat.Norm(&d, 2) > 1e-12 || mat.Min(w) < 0 || mat.Min(h) < 0 {
		t.Error("x is not w·h with non-negative factors")
	}
	if r := rank(x); r != 4 {
		t.Errorf("rank %d, want 4", r)
	}
	again, _, _ := LowRank(20, 30, 4, 9)
	if !mat.Equal(x, again) {
		t.Error("the same seed gave other data")
	}
	defer func() {
		if err, ok := recover().(error); !ok || !errors.Is(err, ErrSize) {
			t.Errorf("rank 0: %v", err)
		}
	}()
	LowRank(3, 3, 0, 1)
}

func rank(x *mat.Dense) (r int) {
	var svd mat.SVD
	svd.Factorize(x, mat.SVDNone)
	values := svd.Values(nil)
	for _, v := range values {
		if v > 1e-10*values[0] {
			r++
		}
	}
	return r
}

func TestTenPoints(t *testing.T) {
	s := TenPoints()
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	for j := range 10 {
		slope := s.X.At(1, j) / s.X.At(0, j)
		if j < 8 && math.Abs(slope-0.5) > 0.11 || j >= 8 && slope < 5 {
			t.Errorf("point %d lies on a slope of %g", j, slope)
		}
		if (s.Labels[j] == outlier) != (j >= 8) {
			t.Errorf("point %d is labelled %d", j, s.Labels[j])
		}
	}
	s.Labels[0], s.Classes = 1, nil
	if TenPoints().Labels[0] != 0 || TenPoints().Classes == nil {
		t.Error("sets share memory")
	}
}

func TestLinePoints(t *testing.T) {
	clean, err := LinePoints(0, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 20, 40, 80} {
		s, err := LinePoints(n, 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Check(); err != nil {
			t.Fatal(err)
		}
		var movedX, movedY int
		for j := range 180 {
			dx, dy := s.X.At(0, j) != clean.X.At(0, j), s.X.At(1, j) != clean.X.At(1, j)
			if dx {
				movedX++
			}
			if dy {
				movedY++
			}
			if dx && dy || (dx || dy) != (s.Labels[j] == outlier) {
				t.Fatalf("%d outliers: point %d, label %d, moved: %t %t", n, j, s.Labels[j], dx, dy)
			}
			if !dx && !dy && math.Abs(s.X.At(1, j)-0.2*s.X.At(0, j)) > 1e-12 {
				t.Fatalf("inlier %d is not on the line", j)
			}
		}
		if movedX != min(n, 40) || movedY != max(n-40, 0) {
			t.Errorf("%d outliers: %d moved in x, %d in y", n, movedX, movedY)
		}
		// What is moved goes to two to four times its range, 100 and 20, and uses all of it.
		for row, top := range []float64{100, 20} {
			var far []float64
			for j := range 180 {
				if v := s.X.At(row, j); v != clean.X.At(row, j) {
					far = append(far, v/top)
				}
			}
			if len(far) > 0 && !(slices.Min(far) >= 2 && slices.Max(far) <= 4) {
				t.Errorf("%d outliers: row %d is moved to %g..%g times its range", n, row, slices.Min(far), slices.Max(far))
			}
			if len(far) == 40 && !(slices.Min(far) < 2.2 && slices.Max(far) > 3.8) {
				t.Errorf("%d outliers: row %d is moved to %g..%g times its range only", n, row, slices.Min(far), slices.Max(far))
			}
		}
		// The best slope in the L1 norm is the median of y/x weighted by x.
		if slope := medianSlope(s.X); (math.Abs(slope-0.2) < 1e-9) != (n < 40) {
			t.Errorf("%d outliers: L1 slope %g", n, slope)
		}
	}
	for _, n := range []int{-1, 81} {
		if _, err := LinePoints(n, 1); !errors.Is(err, ErrParameter) {
			t.Errorf("%d outliers: %v", n, err)
		}
	}
}

func medianSlope(x *mat.Dense) float64 {
	_, n := x.Dims()
	order := make([]int, n)
	var total, sum float64
	for j := range order {
		order[j] = j
		total += x.At(0, j)
	}
	slope := func(j int) float64 { return x.At(1, j) / x.At(0, j) }
	slices.SortFunc(order, func(a, b int) int {
		if slope(a) < slope(b) {
			return -1
		}
		return 1
	})
	for _, j := range order {
		if sum += x.At(0, j); sum >= total/2 {
			return slope(j)
		}
	}
	return math.NaN()
}

func TestLaurberg(t *testing.T) {
	x, w, h := Laurberg(0.3)
	want := mat.NewDense(6, 3, []float64{
		0.3, 1, 0,
		1, 0.3, 0,
		1, 0, 0.3,
		0.3, 0, 1,
		0, 0.3, 1,
		0, 1, 0.3,
	})
	if !mat.Equal(w, want) || !mat.Equal(h, want.T()) || rank(x) != 3 {
		t.Errorf("w = %v", mat.Formatted(w))
	}
	var p mat.Dense
	p.Mul(w, h)
	if !mat.Equal(&p, x) {
		t.Error("x is not w·h")
	}
}

func TestSwimmer(t *testing.T) {
	s, w, h := Swimmer()
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	if mat.Min(s.X) != 0 || mat.Max(s.X) != 1 {
		t.Errorf("pixels %g..%g: parts overlap", mat.Min(s.X), mat.Max(s.X))
	}
	for part := range 17 {
		want := 6.0
		if part == 0 {
			want = 20
		}
		if n := mat.Sum(w.ColView(part)); n != want {
			t.Errorf("part %d has %g pixels, want %g", part, n, want)
		}
	}
	seen := map[string]bool{}
	for j := range 256 {
		column := mat.Col(nil, j, h)
		if mat.Sum(h.ColView(j)) != 5 || column[0] != 1 {
			t.Fatalf("image %d has parts %v", j, column)
		}
		seen[fmt.Sprint(column)] = true
	}
	if len(seen) != 256 {
		t.Errorf("%d different images", len(seen))
	}
	if r := rank(s.X); r != 13 { // 1 + 4·(4-1)
		t.Errorf("rank %d", r)
	}
	sheet(t, s)
}
