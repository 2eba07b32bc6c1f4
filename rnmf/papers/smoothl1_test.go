package papers

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
	"gonum.org/v1/gonum/mat"
)

// mahHalfStep is MahNMF's minimisation over h ≥ 0 of the smoothed L1 norm of
// x − wh: Nesterov's method on the function itself, with the gradient
// −wᵀ min(1, max(−1, e/μ)) and its Lipschitz constant ‖w‖₂²/μ.
func mahHalfStep(x, w, h *mat.Dense, mu float64, steps int) *mat.Dense {
	l := spectral(Mul(w.T(), w)) / mu
	z, alpha := mat.DenseCopyOf(h), 1.0
	for range steps {
		y := NaiveResidual(x, w, z)
		y.Apply(func(_, _ int, e float64) float64 { return min(1, max(-1, e/mu)) }, y)
		g := Mul(w.T(), y)
		g.Scale(1/l, g)
		var next, way mat.Dense
		next.Add(z, g)
		next.Apply(func(_, _ int, v float64) float64 { return max(0, v) }, &next)
		a := (1 + math.Sqrt(4*alpha*alpha+1)) / 2
		way.Sub(&next, h)
		way.Scale((alpha-1)/a, &way)
		z.Add(&next, &way)
		h, alpha = &next, a
	}
	return h
}

func l1Norm(e *mat.Dense) (sum float64) {
	for _, v := range e.RawMatrix().Data {
		sum += math.Abs(v)
	}
	return sum
}

// Over H alone the problem is convex: half-steps with weights reach the minimum
// that the printed method reaches.
func TestMahNMFHalfStep(t *testing.T) {
	x, _ := Planted(20, 30, 3, 0.05, 0.2, 4)
	w, h := Uniform(20, 3, 5), Uniform(3, 30, 6)
	take := OneIn(t, 2)
	for _, mu := range []float64{0.3, 0.05, 0.01} {
		if !take() {
			continue
		}
		m := Model{Rank: 3, Loss: SmoothL1{Mu: mu}, Solver: OGM{}, Init: WarmStart{W: w, H: h}, MaxIter: 1500, Tol: 1e-12}
		m.SolverW = Lazy{}
		f := MustFit(t, m, x)
		got := NaiveObjective(m, m.Loss, x, w, f.H)
		want := NaiveObjective(m, m.Loss, x, w, mahHalfStep(x, w, h, mu, 6000))
		if !Near(got, want, 1e-5) {
			t.Errorf("μ = %g: %.9g, the printed method reaches %.9g", mu, got, want)
		}
		// Within the promised distance of the L1 norm.
		if norm := l1Norm(NaiveResidual(x, w, f.H)); got > norm || got < norm-mu/2*20*30 {
			t.Errorf("μ = %g: %g, the L1 norm is %g", mu, got, norm)
		}
	}
}

// Smoothed ever less, it ends at an L1 norm no worse than that of rounds with
// the last μ from the start, and at a twentieth of the first μ.
func TestMahNMF(t *testing.T) {
	var annealed, fixed float64
	for seed := range uint64(5) {
		x, _ := Planted(40, 60, 4, 0.05, 0.2, seed)
		m := MahNMF(4)
		m.MaxIter, m.Tol = 60, -1
		r := MustFit(t, m, x)
		first, last := r.Trace[0].Scale, r.Trace[60].Scale
		if !Near(last, first/20, 1e-12) {
			t.Errorf("μ from %g to %g", first, last)
		}
		annealed += l1Norm(NaiveResidual(x, r.W, r.H))
		m.Loss = SmoothL1{Mu: last}
		r = MustFit(t, m, x)
		fixed += l1Norm(NaiveResidual(x, r.W, r.H))
	}
	if annealed > fixed*1.005 {
		t.Errorf("L1 norm %g, with the last μ throughout %g", annealed, fixed)
	}
}

// A saved result keeps the loss and the solver.
func TestSaveMahNMF(t *testing.T) {
	for _, unit := range []float64{1, 1e-80} { // whose μ is the least there can be
		x, _ := Planted(9, 17, 3, 0.1, 0.1, 4)
		m := MahNMF(3)
		m.Solver = OGM{Steps: 7, Printed: true}
		r := MustFit(t, m, Scaled(x, unit))
		var b bytes.Buffer
		if err := r.Save(&b); err != nil {
			t.Fatal(err)
		}
		got, err := Load(&b)
		if err != nil {
			t.Fatalf("data of %g: %v", unit, err)
		}
		if got.Loss != r.Loss || got.Solver != r.Solver {
			t.Errorf("data of %g: %+v and %+v, saved %+v and %+v", unit, got.Loss, got.Solver, r.Loss, r.Solver)
		}
	}
}

// What holds for every loss: CheckLoss, rounds that do not rise, data at the edge
// of what can be, and a scale that ends where it is told.
func TestSmoothL1(t *testing.T) {
	for _, l := range []Loss{SmoothL1{}, SmoothL1{Mu: 0.1}} {
		if err := CheckLoss(l, 1); err != nil {
			t.Error(err)
		}
	}
	exact, _ := Planted(6, 8, 2, 0, 0, 1)
	for _, x := range []*mat.Dense{exact, mat.NewDense(3, 4, nil), ConstantOnes(4, 5), Scaled(exact, 1e-99), Scaled(exact, 1e99)} {
		m := MahNMF(1)
		m.MaxIter, m.Tol = 50, -1
		r := MustFit(t, m, x)
		Sound(t, fmt.Sprint(mat.Formatted(x)), r)
		if TuningOf(r.Loss) != nil {
			t.Errorf("%+v in a Result would be tuned again", r.Loss)
		}
	}
}
