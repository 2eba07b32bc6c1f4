package baseline

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/testkit"
)

// covered images: combinations of smooth images of their class, a block of which is bright.
func coveredImages(classes, each, size, block int, seed uint64) (train *mat.Dense, labels []int, test *mat.Dense, truth []int, where *mat.Dense) {
	rng := rand.New(rand.NewPCG(seed, 3))
	m := size * size
	parts := testkit.Uniform(m, 3*classes, seed)
	for c := range 3 * classes { // smooth: sums of neighbours
		col := mat.Col(nil, c, parts)
		for range 3 {
			next := slices.Clone(col)
			for i := range m {
				sum, n := col[i], 1.
				for _, k := range []int{i - 1, i + 1, i - size, i + size} {
					if k >= 0 && k < m {
						sum += col[k]
						n++
					}
				}
				next[i] = sum / n
			}
			col = next
		}
		for i, v := range col {
			parts.Set(i, c, 3*max(0, v-0.4))
		}
	}
	draw := func() (*mat.Dense, []int) {
		x, l := mat.NewDense(m, classes*each, nil), make([]int, classes*each)
		for j := range l {
			l[j] = j % classes
			for k := range 3 {
				a := 0.2 + rng.Float64()
				for i := range m {
					x.Set(i, j, x.At(i, j)+a*parts.At(i, 3*l[j]+k)/3+0.005*rng.Float64())
				}
			}
		}
		return x, l
	}
	train, labels = draw()
	test, truth = draw()
	where = mat.NewDense(m, classes*each, nil)
	top := mat.Max(train)
	for j := range truth {
		y0, x0 := rng.IntN(size-block+1), rng.IntN(size-block+1)
		for y := range block {
			for x := range block {
				i := (y0+y)*size + x0 + x
				test.Set(i, j, top*(0.9+0.2*rng.Float64()))
				where.Set(i, j, 1)
			}
		}
	}
	return train, labels, test, truth, where
}

// A quarter of each test image is covered. SEC finds which, and the class, more often than
// SRC does.
func TestSEC(t *testing.T) {
	train, labels, test, truth, where := coveredImages(5, 6, 14, 7, 1)
	before := mat.DenseCopyOf(test)
	s := SEC{Height: 14, Width: 14}
	procs := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(procs)
	runtime.GOMAXPROCS(1)
	found, covered, err := s.Classify(t.Context(), train, labels, test)
	if err != nil {
		t.Fatal(err)
	}
	runtime.GOMAXPROCS(2)
	again, coveredAgain, err := s.Classify(t.Context(), train, labels, test)
	if err != nil || !slices.Equal(found, again) || !mat.Equal(covered, coveredAgain) {
		t.Errorf("other classes with two processors, %v", err)
	}
	plain, err := SRC{}.Classify(t.Context(), train, labels, test)
	if err != nil {
		t.Fatal(err)
	}
	count := func(found []int) (right int) {
		for j := range truth {
			if found[j] == truth[j] {
				right++
			}
		}
		return right
	}
	var both, either float64
	for i, v := range covered.RawMatrix().Data {
		w := where.RawMatrix().Data[i]
		both += v * w
		either += max(v, w)
	}
	if a, b := count(found), count(plain); a < 27 || a <= b || both/either < 0.7 {
		t.Errorf("%d of 30 right, SRC %d, pixels in common %.2f", a, b, both/either)
	} else {
		t.Logf("%d of 30 right, SRC %d, pixels in common %.2f", a, b, both/either)
	}
	if !mat.Equal(test, before) {
		t.Error("the test images have changed")
	}
	// In another unit nothing changes.
	for _, unit := range []float64{0x1p20, 0x1p-1030} {
		scaled, _, err := s.Classify(t.Context(), testkit.Scaled(mat.DenseCopyOf(train), unit), labels, testkit.Scaled(mat.DenseCopyOf(test), unit))
		if err != nil || !slices.Equal(scaled, found) {
			t.Errorf("other classes in units of %g, %v", unit, err)
		}
	}
}

// An image without cover is classified as by SRC, and a training sample is its own class.
func TestSECWithoutCover(t *testing.T) {
	train, labels, _, _, _ := coveredImages(3, 5, 10, 1, 2)
	found, covered, err := SEC{Height: 10, Width: 10}.Classify(t.Context(), train, labels, train)
	if err != nil || !slices.Equal(found, labels) || mat.Sum(covered) > 0 {
		t.Errorf("classes %v, %g pixels covered, %v", found, mat.Sum(covered), err)
	}
	// Zeros, and an image that is covered all over, are no error.
	odd := mat.NewDense(100, 2, nil)
	for i := range 100 {
		odd.Set(i, 1, 1e6)
	}
	if found, covered, err := (SEC{Height: 10, Width: 10}).Classify(t.Context(), train, labels, odd); err != nil || len(found) != 2 || mat.Sum(covered.ColView(1)) == 100 {
		t.Errorf("%v, %v", found, err)
	}
}
