package rnmf

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// New samples are placed one by one: a component without any stays empty, as W does
// not follow.
func TestOrthogonalTransform(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	w := mat.NewDense(6, 3, []float64{1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1})
	like := func(n int, class func(j int) int) *mat.Dense {
		x := mat.NewDense(6, n, nil)
		x.Apply(func(i, j int, _ float64) float64 { return w.At(i, class(j))*float64(1+j%5) + 0.1*rng.Float64() }, x)
		return x
	}
	x, y := like(30, func(j int) int { return j % 3 }), like(5, func(int) int { return 0 })
	near := viaKNN(t, x)
	for _, m := range []Model{ONMF(3), {Rank: 3, Loss: ByColumn{L1{}}, SolverH: Orthogonal{}, SolverW: HALS{Sweeps: 1}}, {Rank: 3, Loss: ByColumn{Truncated{Loss: L1{}, Cut: 3}}, SolverH: Orthogonal{}, SolverW: HALS{Sweeps: 1}}, RMNMF(3, near, 0.1)} {
		r := mustFit(t, m, x)
		together, err := r.Transform(context.Background(), y, nil)
		if err != nil {
			t.Fatal(err)
		}
		for j := range 5 {
			alone, err := r.Transform(context.Background(), y.Slice(0, 6, j, j+1), nil)
			if err != nil {
				t.Fatal(err)
			}
			for k := range 3 {
				if got, want := together.At(k, j), alone.At(k, 0); math.Abs(got-want) > 1e-9*(1+want) {
					t.Errorf("%T: sample %d has %.4f of component %d among others, %.4f alone", m.Loss, j, got, k, want)
				}
			}
		}
	}
}

func viaKNN(t *testing.T, x *mat.Dense) *Graph {
	t.Helper()
	g := neighbors(x, 3, nil)
	return g
}

// A sample is given to an empty component only where W, which it would be fitted by,
// costs nothing and sees the sample.
func TestOrthogonalDescends(t *testing.T) {
	for seed := range uint64(80) {
		rng := rand.New(rand.NewPCG(seed, 9))
		x, w, h := uniform(4, 8, seed), uniform(4, 4, seed+1000), uniform(4, 8, seed+2000)
		x.Apply(func(_, _ int, v float64) float64 { return v * v * v }, x)
		var sizes [4]float64
		for k := range sizes {
			sizes[k] = math.Exp(4 * rng.NormFloat64())
		}
		w.Apply(func(_, k int, v float64) float64 { return v * sizes[k] }, w)
		h.Apply(func(k, _ int, v float64) float64 { // most go to the last
			if k == 3 {
				return 3 * v
			}
			return v
		}, h)
		for _, m := range []Model{
			{Rank: 4, OnW: []Penalty{Ridge{Lambda: 10}}}, {Rank: 4, OnW: []Penalty{Sparse{Lambda: 10}}},
			CappedNMF(4, 0.5), {Rank: 4, Loss: ByColumn{Correntropy{Scale: 0.3}}}, {Rank: 4, Loss: ByColumn{L1{Eps: 1e-3}}}, {Rank: 4},
		} {
			m.SolverH, m.Init, m.Tol, m.MaxIter = Orthogonal{}, Factors{W: w, H: h}, -1, 12
			descends(t, fmt.Sprintf("seed %d, %T, %T", seed, m.Loss, m.OnW), m, x)
		}
	}
}

func descends(t *testing.T, name string, m Model, x *mat.Dense) {
	t.Helper()
	last := math.Inf(1)
	for s, err := range m.Steps(context.Background(), x) {
		if err != nil {
			t.Fatal(name, err)
		}
		if s.Objective > last*(1+1e-9) {
			t.Errorf("%s: round %d raises the objective from %.6g to %.6g", name, s.Round, last, s.Objective)
		}
		last = s.Objective
	}
}
