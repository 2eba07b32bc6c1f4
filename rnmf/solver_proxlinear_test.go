package rnmf

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestProxLinearDescends(t *testing.T) {
	if testing.Short() {
		t.Skip("all losses and penalties")
	}
	x, _ := planted(13, 30, 4, 0.1, 0.1, 1)
	for maskName, c := range masks(x, 1) {
		for _, loss := range fixedLosses {
			for _, solver := range []Solver{ProxLinear{}, ProxLinear{Plain: true}, Additive{Solver: ProxLinear{}}} {
				for _, p := range penaltiesFor(13, 30) {
					m := Model{Rank: 4, Loss: loss, Solver: solver, OnW: p.onW, OnH: p.onH, Seed: 3, MaxIter: 4, Tol: -1}
					if c[1] != nil {
						m.Mask = c[1]
					}
					checkDescent(t, fmt.Sprintf("mask %s, penalties %s, %s, %T%+v", maskName, p.name, lossName(loss), solver, solver), m, c[0])
				}
			}
		}
	}
}

// A round with W held is the step of the definition, written down.
func TestProxLinearStep(t *testing.T) {
	x, _ := planted(9, 14, 3, 0.1, 0.1, 2)
	loss := Cauchy{Scale: 0.3}
	start := Model{Rank: 3, Loss: loss, Seed: 5, MaxIter: 1, Tol: -1, Solver: ProxLinear{Plain: true}}
	first := mustFit(t, start, x)
	var at *Result
	start.Init = Factors{W: first.W, H: first.H}
	for step, err := range start.Steps(t.Context(), x) {
		if err != nil {
			t.Fatal(err)
		}
		if step.Round == 0 {
			at = step.Result()
		}
	}
	r := mustFit(t, start, x)
	e := naiveResidual(x, at.W, at.H)
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
	x, _ := planted(40, 60, 5, 0.1, 0.1, 3)
	for seed := range uint64(3) {
		m := Model{Rank: 5, Loss: Cauchy{Scale: 0.1}, Seed: seed, MaxIter: 60, Tol: -1, Solver: MU{}}
		mu := mustFit(t, m, x)
		m.Solver = ProxLinear{}
		if r := mustFit(t, m, x); r.Objective > mu.Objective {
			t.Errorf("seed %d: %g, multiplicative %g", seed, r.Objective, mu.Objective)
		}
	}
}
