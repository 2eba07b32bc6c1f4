package papers

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
)

// No model of a paper rises at a fixed scale on data at the edge of what can be, where a fit soon is exact
// to rounding and the weights of a robust loss are near 1/ε: of equal samples, of low rank, with rows and
// columns of 0, with ties.
func TestModelsDescendOnDegenerateData(t *testing.T) {
	take := OneIn(t, 13)
	var work []func()
	for seed := range uint64(40) {
		equal := Mul(Uniform(5, 1, seed), ConstantOnes(1, 8))
		low := Mul(Uniform(6, 2, seed), Uniform(2, 9, seed+1))
		holes := mat.DenseCopyOf(low)
		holes.Apply(func(i, j int, v float64) float64 {
			if i == 2 || j%4 == 1 {
				return 0
			}
			return v
		}, holes)
		ties := Uniform(6, 9, seed)
		ties.Apply(func(_, _ int, v float64) float64 { return math.Round(2 * v) }, ties)
		one := mat.NewDense(5, 7, nil)
		one.Set(int(seed)%5, int(seed)%7, 2)
		groups := Uniform(5, 9, seed)
		groups.Apply(func(i, j int, _ float64) float64 { return groups.At(i, j%3) }, groups)
		for name, x := range map[string]*mat.Dense{"equal samples": equal, "low rank": low, "rows and columns of 0": holes, "ties": ties, "one entry": one, "groups of equal samples": groups} {
			_, n := x.Dims()
			var edges []Edge
			for j := range n - 1 {
				edges = append(edges, Edge{I: j, J: j + 1, Weight: 1})
			}
			chain, err := NewGraph(n, edges)
			if err != nil {
				t.Fatal(err)
			}
			class := make([]int, n)
			for j := range class {
				class[j] = j%3 - 1
			}
			semi, err := SemiGNMF(2, chain, Labels{Class: class}, 0.1)
			if err != nil {
				t.Fatal(err)
			}
			for _, lambda := range []float64{1e-4, 1} {
				models := map[string]Model{
					"RMNMF 2": RMNMF(2, chain, lambda), "RMNMF 3": RMNMF(3, chain, lambda), "ONMF": ONMF(3), "SemiGNMF": semi, "RNMFL1": RNMFL1(2, 0), "MahNMF": MahNMF(2),
					"LSNMF": LSNMF(2, lambda, lambda, chain, lambda), "RLSNMF": RLSNMF(2, lambda, lambda, 3, chain, lambda),
					"GNMF": GNMF(2, chain, lambda), "L21NMF": L21NMF(2), "L1NMF": L1NMF(2), "RSSNMF": RSSNMF(2, 0, Labels{Class: class}), "CauchyNMF": CauchyNMF(2),
				}
				for _, solver := range []Solver{OGM{}, FGD{}, FGD{Printed: true}, RRA{}, ProxLinear{}} {
					m := L21NMF(2)
					m.Solver, m.OnH = solver, []Penalty{UnitLaplacian{Graph: chain, Lambda: lambda}}
					models[fmt.Sprintf("L21NMF by %T%+v", solver, solver)] = m
				}
				for of, m := range models {
					if !take() {
						continue
					}
					m.Seed, m.MaxIter = seed, 30
					work = append(work, func() {
						r := TryFit(t, m, x)
						if r == nil {
							return
						}
						rounding := 1e-13 * mat.Norm(x, 1)
						for i, p := range r.Trace[1:] {
							if q := r.Trace[i]; p.Scale == q.Scale && p.Objective > q.Objective*(1+1e-9)+rounding {
								t.Errorf("%s, λ = %g, %s, seed %d, round %d: %g after %g at the scale %g", of, lambda, name, seed, p.Round, p.Objective, q.Objective, p.Scale)
								return
							}
						}
					})
				}
			}
		}
	}
	SideBySide(work)
}
