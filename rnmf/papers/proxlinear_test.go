package papers

import (
	"math"
	"testing"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
	"gonum.org/v1/gonum/mat"
)

// A round with W held is the step of the definition, written down.
func TestProxLinearStep(t *testing.T) {
	x, _ := Planted(9, 14, 3, 0.1, 0.1, 2)
	loss := Cauchy{Scale: 0.3}
	start := Model{Rank: 3, Loss: loss, Seed: 5, MaxIter: 1, Tol: -1, Solver: ProxLinear{NoExtrapolation: true}}
	first := MustFit(t, start, x)
	var at *Result
	start.Init = WarmStart{W: first.W, H: first.H}
	for step, err := range start.Steps(t.Context(), x) {
		if err != nil {
			t.Fatal(err)
		}
		if step.Round == 0 {
			at = step.Result()
		}
	}
	r := MustFit(t, start, x)
	e := NaiveResidual(x, at.W, at.H)
	norm := make([]float64, 3)
	for k := range norm {
		norm[k] = mat.Norm(at.W.ColView(k), 2)
	}
	for j := range 14 {
		for k := range 3 {
			var down, l float64
			for i := range 9 {
				_, omega := loss.Rho(e.At(i, j) * e.At(i, j))
				down += omega * at.W.At(i, k) * e.At(i, j)
				for o := range 3 {
					l += omega * at.W.At(i, k) * at.W.At(i, o) * norm[k] / norm[o]
				}
			}
			want := max(0, at.H.At(k, j)+down/l)
			if got := r.H.At(k, j); math.Abs(got-want) > 1e-12 {
				t.Fatalf("h[%d,%d] is %g, want %g", k, j, got, want)
			}
		}
	}
}

// It brings more than as many multiplicative updates, from any of some starts.
func TestProxLinearIsFasterThanMU(t *testing.T) {
	x, _ := Planted(40, 60, 5, 0.1, 0.1, 3)
	for seed := range uint64(3) {
		m := Model{Rank: 5, Loss: Cauchy{Scale: 0.1}, Seed: seed, MaxIter: 60, Tol: -1, Solver: MU{}}
		mu := MustFit(t, m, x)
		m.Solver = ProxLinear{}
		if r := MustFit(t, m, x); r.Objective > mu.Objective {
			t.Errorf("seed %d: %g, multiplicative %g", seed, r.Objective, mu.Objective)
		}
	}
}
