package baseline

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/internal/testkit"
	"github.com/robustnmf/robustnmf/rnmf/internal/work"
)

// lassoObjective is ½‖x − Da‖² + λ‖a‖₁.
func lassoObjective(atoms [][]float64, x, a []float64, lambda float64) float64 {
	e := slices.Clone(x)
	for k, d := range atoms {
		floats.AddScaled(e, -a[k], d)
	}
	return 0.5*floats.Dot(e, e) + lambda*floats.Norm(a, 1)
}

// The conditions of the minimum hold, by their definition, and nobody gets lower.
func TestLasso(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range 60 {
		m, n := 1+rng.IntN(12), 1+rng.IntN(50)
		d := testkit.Uniform(m, n, uint64(i))
		if i%3 == 0 { // almost all columns the same, as coefficients can be
			d.Apply(func(_, _ int, v float64) float64 { return 1 + 1e-3*v }, d)
		}
		if i%4 == 0 && n > 3 { // a column twice, one of 0
			d.SetCol(1, mat.Col(nil, 0, d))
			d.SetCol(2, make([]float64, m))
		}
		atoms := unitColumns(d, work.Never)
		x := unitColumns(testkit.Uniform(m, 1, uint64(100+i)), work.Never)[0]
		if i%5 == 0 {
			for k := range x {
				x[k] = rng.NormFloat64()
			}
		}
		share := []float64{0.5, 0.1, 0.01, 1e-4}[i%4]
		l := newLasso(atoms)
		l.solve(x, share)
		e := slices.Clone(x)
		for k, d := range atoms {
			floats.AddScaled(e, -l.a[k], d)
		}
		for k, d := range atoms {
			g := floats.Dot(d, e)
			failed := math.Abs(g) - l.lambda
			if l.a[k] != 0 {
				failed = math.Abs(g - math.Copysign(l.lambda, l.a[k]))
			}
			if failed > 1.1*lassoTol*l.lambda+1e-14 {
				t.Errorf("%d (%d×%d, λ %g): condition %d fails by %g of λ", i, m, n, share, k, failed/l.lambda)
			}
		}
		// Many sweeps of plain coordinate descent.
		slow := newLasso(atoms)
		copy(slow.e, x)
		slow.lambda = l.lambda
		for range 20000 {
			for k := range atoms {
				slow.coordinate(k)
			}
		}
		if got, want := lassoObjective(atoms, x, l.a, l.lambda), lassoObjective(atoms, x, slow.a, l.lambda); got > want+1e-9 {
			t.Errorf("%d: objective %.12g, by descent alone %.12g", i, got, want)
		}
	}
	// With orthonormal columns the minimum is soft(d_kᵀx, λ).
	l := newLasso(unitColumns(mat.DenseCopyOf(mat.NewDiagDense(3, []float64{1, 2, 3})), work.Never))
	l.solve([]float64{1, -0.4, 0.05}, 0.1)
	if want := []float64{0.9, -0.3, 0}; !floats.EqualApprox(l.a, want, 1e-12) {
		t.Errorf("a = %g, want %g", l.a, want)
	}
}

// Samples of subspaces get the class of theirs, whatever their length.
func TestSRC(t *testing.T) {
	const m, classes, each = 30, 4, 12
	rng := rand.New(rand.NewPCG(2, 2))
	basis := testkit.Uniform(m, 2*classes, 3)
	draw := func() (*mat.Dense, []int) {
		x, labels := mat.NewDense(m, classes*each, nil), make([]int, classes*each)
		for j := range labels {
			c := rng.IntN(classes)
			labels[j] = 10 + 3*c
			a, b := rng.Float64(), rng.Float64()
			scale := math.Exp(3 * rng.NormFloat64())
			for i := range m {
				x.Set(i, j, scale*(a*basis.At(i, 2*c)+b*basis.At(i, 2*c+1)+0.02*rng.Float64()))
			}
		}
		return x, labels
	}
	train, labels := draw()
	test, want := draw()
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	for _, procs := range []int{1, 4} {
		runtime.GOMAXPROCS(procs)
		got, err := SRC{}.Classify(t.Context(), train, labels, test)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
	// A sample of 0 tells nothing, and one of the training set all.
	got, err := SRC{}.Classify(t.Context(), mat.NewDense(2, 3, []float64{1, 0, 0, 0, 1, 0}), []int{7, 5, 6}, mat.NewDense(2, 3, []float64{0, 2, 0, 0, 0, 3}))
	if err != nil || !slices.Equal(got, []int{5, 7, 5}) {
		t.Errorf("%v, %v", got, err)
	}
	for _, scale := range []float64{1e-310, 1e-300, 1e99} {
		got, err := SRC{}.Classify(t.Context(), testkit.Scaled(mat.DenseCopyOf(train), scale/1e3), labels, test)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("training samples times %g: %v, %v", scale, got, err)
		}
	}
}

// Half of the digits by the other half, as coefficients of NMF.
func TestSRCOnDigits(t *testing.T) {
	if testing.Short() {
		t.Skip("a second")
	}
	s := datasets.Digits().Scaled()
	_, n := s.X.Dims()
	r, err := rnmf.Model{Rank: 30, MaxIter: 60}.Fit(t.Context(), s.X)
	if err != nil {
		t.Fatal(err)
	}
	half := n / 2
	got, err := SRC{}.Classify(t.Context(), r.H.Slice(0, 30, 0, half), s.Labels[:half], r.H.Slice(0, 30, half, n))
	if err != nil {
		t.Fatal(err)
	}
	right := 0
	for j, l := range got {
		if l == s.Labels[half+j] {
			right++
		}
	}
	if share := float64(right) / float64(len(got)); share < 0.9 {
		t.Errorf("%.3f are right", share)
	} else {
		t.Logf("%.3f are right", share)
	}
}
