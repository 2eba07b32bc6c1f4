package rnmf_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
	. "github.com/robustnmf/robustnmf/rnmf/papers"
)

// Ding, Li and Jordan (2010), (9) and (10), F = W and G = Hᵀ, letter by letter.
func semiOracle(x, g *mat.Dense) (f, next *mat.Dense) {
	var inverse mat.Dense
	if err := inverse.Inverse(Mul(g.T(), g)); err != nil {
		panic(err)
	}
	f = Mul(x, Mul(g, &inverse))
	parts := func(a *mat.Dense) (plus, minus *mat.Dense) {
		plus, minus = mat.DenseCopyOf(a), mat.DenseCopyOf(a)
		plus.Apply(func(_, _ int, v float64) float64 { return (math.Abs(v) + v) / 2 }, a)
		minus.Apply(func(_, _ int, v float64) float64 { return (math.Abs(v) - v) / 2 }, a)
		return plus, minus
	}
	xfPlus, xfMinus := parts(Mul(x.T(), f))
	ffPlus, ffMinus := parts(Mul(f.T(), f))
	next = mat.DenseCopyOf(g)
	up, down := Mul(g, ffMinus), Mul(g, ffPlus)
	up.Add(up, xfPlus)
	down.Add(down, xfMinus)
	next.Apply(func(i, k int, v float64) float64 { return v * math.Sqrt(up.At(i, k)/down.At(i, k)) }, g)
	return f, next
}

func TestSemiNMFIsTheirs(t *testing.T) {
	const m, n, r = 9, 14, 3
	x := Signed(m, n, r, 5)
	h := Uniform(r, n, 6)
	// Theirs begins with F, a round here with H.
	f, g := semiOracle(x, mat.DenseCopyOf(h.T()))
	model := SemiNMF(r)
	model.SolverH, model.Tol = MU{}, -1
	model.Init = WarmStart{f, h}
	model.MaxIter = 20
	for s, err := range model.Steps(context.Background(), x) {
		if err != nil {
			t.Fatal(err)
		}
		if s.Round == 0 {
			continue
		}
		used := g
		f, g = semiOracle(x, g)
		if !mat.EqualApprox(s.W(), f, 1e-8) || !mat.EqualApprox(s.H(), used.T(), 1e-8) {
			t.Fatalf("round %d differs", s.Round)
		}
	}
}

func TestSemiNMF(t *testing.T) {
	const m, n, r = 12, 40, 4
	x := Signed(m, n, r, 1)
	var svd mat.SVD
	svd.Factorize(x, mat.SVDNone)
	var least float64
	for _, s := range svd.Values(nil)[r:] {
		least += s * s
	}
	for seed := range uint64(2) {
		model := SemiNMF(r)
		model.Seed, model.MaxIter, model.Tol = seed, 500, 1e-8
		a := MustFit(t, model, x)
		model.SolverH = MU{}
		b := MustFit(t, model, x)
		if a.Objective < least*(1-1e-9) {
			t.Errorf("%g is below the bound %g", a.Objective, least)
		}
		if a.Objective > b.Objective*1.02 {
			t.Errorf("seed %d: %g by HALS, %g by MU", seed, a.Objective, b.Objective)
		}
		e := NaiveResidual(x, a.W, a.H)
		if g := mat.Norm(Mul(e, a.H.T()), 2); g > 1e-8*mat.Norm(x, 2)*mat.Norm(a.H, 2) {
			t.Errorf("W is not the least squares one: gradient %g", g)
		}
		if mat.Min(a.W) >= 0 || a.KKT > 1e-2 {
			t.Errorf("W ≥ %g, KKT %g", mat.Min(a.W), a.KKT)
		}
	}
	// With W ≥ 0 as well the fit cannot be better.
	y, _ := Planted(m, n, 6, 0.1, 0, 3)
	free := MustFit(t, Model{Rank: r, SolverW: NormalEquations{}, MaxIter: 500, Tol: 1e-8}, y)
	if nmf := MustFit(t, Model{Rank: r, MaxIter: 1000, Tol: 1e-8}, y); free.Objective > nmf.Objective*(1+1e-6) {
		t.Errorf("semi-NMF %g, NMF %g", free.Objective, nmf.Objective)
	}
}

// A penalty of W that differs between features.
type perFeature []float64

func (perFeature) Signed() bool { return true }

func (p perFeature) Value(v *mat.Dense) (sum float64) {
	for j, l := range p {
		sum += l * mat.Dot(v.ColView(j), v.ColView(j))
	}
	return sum
}

func (p perFeature) Majorize(q *Quadratic, v *mat.Dense) {
	d := q.Diagonal()
	d.Apply(func(_, j int, x float64) float64 { return x + p[j] }, d)
}

// A penalty of W that joins features.
type alongGraph struct{ graph *Graph }

func (alongGraph) Signed() bool                          { return true }
func (p alongGraph) Value(v *mat.Dense) float64          { return 20 * p.graph.Roughness(v) }
func (p alongGraph) Majorize(q *Quadratic, v *mat.Dense) { q.Couple(p.graph, 20, v) }

// Penalties of W that let features differ, or join them, are minimised as under a loss with weights, of
// which these are all 1.
func TestSemiNMFPenalties(t *testing.T) {
	x := Uniform(10, 40, 1)
	var chain []Edge
	differ := make(perFeature, 10)
	for i := range 9 {
		chain = append(chain, Edge{I: i, J: i + 1, Weight: 1})
		differ[i+1] = 50
	}
	graph, err := NewGraph(10, chain)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []Penalty{differ, alongGraph{graph}, Ridge{3}} {
		m := Model{Rank: 3, SolverW: NormalEquations{}, OnW: []Penalty{p}, OnH: []Penalty{Ridge{1}}, MaxIter: 300}
		plain := MustFit(t, m, x)
		m.Loss = Huber{Cut: 1e3}
		weighted := MustFit(t, m, x)
		if !Near(plain.Objective, weighted.Objective, 1e-3) {
			t.Errorf("%T: %g, with weights of 1 %g", p, plain.Objective, weighted.Objective)
		}
		for i, at := range plain.Trace[1:] {
			if before := plain.Trace[i].Objective; at.Objective > before*(1+1e-9) {
				t.Errorf("%T: the objective rises from %g to %g in round %d", p, before, at.Objective, at.Round)
				break
			}
		}
	}
}

// All that a Result does works with negative entries in W.
func TestSignedResult(t *testing.T) {
	const m, n, r = 8, 30, 3
	x := Signed(m, n, r, 2)
	a := MustFit(t, SemiNMF(r), x)
	convex, err := ConvexNMF{Model: Model{Rank: r, Signed: true}}.Fit(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range []*Result{a, convex.Result} {
		if mat.Min(a.W) >= 0 {
			t.Fatalf("%d: W has no negative entry", i)
		}
		h, err := a.Transform(context.Background(), x, nil)
		if err != nil {
			t.Fatal(i, err)
		}
		// Given W the problem is convex.
		if was, now := mat.Norm(NaiveResidual(x, a.W, a.H), 2), mat.Norm(NaiveResidual(x, a.W, h), 2); now > was*(1+1e-6) {
			t.Errorf("%d: transformed with %g, the fit has %g", i, now, was)
		}
		var file bytes.Buffer
		if err := a.Save(&file); err != nil {
			t.Fatal(err)
		}
		b, err := Load(&file)
		if err != nil || !sameBits(a.W, b.W) || !sameBits(a.H, b.H) {
			t.Fatal(i, err)
		}
		if h2, err := b.Transform(context.Background(), x, nil); err != nil || !sameBits(h, h2) {
			t.Error(i, "another transform after loading", err)
		}
		o, err := a.Outliers(x, nil)
		if err != nil || mat.Norm(o.S, 1) != 0 {
			t.Error(i, "outliers of least squares", err)
		}
		for _, norm := range []float64{2, 1, math.Inf(1)} {
			w, h := a.Normalized(norm)
			if !mat.EqualApprox(Mul(w, h), Mul(a.W, a.H), 1e-9) || mat.Min(h) < 0 {
				t.Errorf("%d: norm %g changes the product, or a sign", i, norm)
			}
		}
	}
	// Loss and mask.
	for name, c := range Masks(x, 4) {
		m := SemiNMF(r)
		m.Loss, m.MaxIter = Cauchy{}, 50
		if c[1] != nil {
			m.Mask = c[1]
		}
		r := MustFit(t, m, c[0])
		if _, err := r.Outliers(c[0], nil); err != nil || r.Reason == Diverged {
			t.Error(name, r.Reason, err)
		}
	}
}

func TestConstrainedErrors(t *testing.T) {
	x := Uniform(5, 7, 1)
	for _, m := range []Model{
		{Rank: 2, SolverW: NormalEquations{}, OnW: []Penalty{Lasso{1}}},
		{Rank: 2, SolverW: Additive{Solver: NormalEquations{}}, SolverH: Additive{}, OnW: []Penalty{Lasso{1}}},
		{Rank: 2, SolverW: NormalEquations{}, SolverH: OGM{}},
		{Rank: 2, SolverW: NormalEquations{}, SolverH: HALS{Sweeps: -1}},
		{Rank: 2, SolverW: NormalEquations{}, SolverH: Additive{Solver: OGM{}}},
	} {
		if _, err := m.Fit(context.Background(), x); !errors.Is(err, ErrParameter) {
			t.Errorf("%+v: %v", m, err)
		}
	}
	for _, m := range []Model{NMF(2), ONMF(2)} {
		m.Init = WarmStart{Signed(5, 2, 1, 1), Uniform(2, 7, 1)}
		if _, err := m.Fit(context.Background(), x); !errors.Is(err, ErrNegative) {
			t.Errorf("%+v: %v", m, err)
		}
	}
}
