package rnmf_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
	. "github.com/robustnmf/robustnmf/rnmf/papers"
)

// twoParts is a graph in two parts, with a vertex that stays alone.
func twoParts(n int, rng *rand.Rand) *Graph {
	var edges []Edge
	for i := range n - 1 {
		for j := range i {
			if i%2 == j%2 && rng.Float64() < 0.5 {
				edges = append(edges, Edge{i, j, rng.Float64()})
			}
		}
	}
	g, err := NewGraph(n, edges)
	if err != nil {
		panic(err)
	}
	return g
}

// halfStep returns the problem of H, made anew by each call.
func halfStep(t *testing.T, m Model, x *mat.Dense) (problem func(h *mat.Dense) *Quadratic, start *mat.Dense) {
	t.Helper()
	s, err := StartOf(context.Background(), m, x)
	if err != nil {
		t.Fatal(err)
	}
	return s.Problem, mat.DenseCopyOf(s.H)
}

// activeSet minimises vᵀKv − 2bᵀv over v ≥ 0 by trying all sets of zeros.
func activeSet(k *mat.SymDense, b []float64) (best float64) {
	n := len(b)
	best = math.Inf(1)
	for set := range 1 << n {
		var free []int
		for i := range n {
			if set>>i&1 == 1 {
				free = append(free, i)
			}
		}
		if len(free) == 0 {
			best = min(best, 0)
			continue
		}
		sub, rhs := mat.NewSymDense(len(free), nil), mat.NewVecDense(len(free), nil)
		for a, i := range free {
			rhs.SetVec(a, b[i])
			for c, j := range free {
				sub.SetSym(a, c, k.At(i, j))
			}
		}
		var chol mat.Cholesky
		var v mat.VecDense
		if !chol.Factorize(sub) || chol.SolveVecTo(&v, rhs) != nil || mat.Min(&v) < 0 {
			continue
		}
		best = min(best, -mat.Dot(&v, rhs))
	}
	return best
}

// Each solver finds the minimum over H that trying all active sets finds: n·r
// unknowns, of which some columns are alone and some in parts of the graph.
func TestGraphHalfStepIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	problems := 40
	if testing.Short() {
		t.Logf("-short: 8 of %d problems", problems)
		problems = 8
	}
	for i := range problems {
		const m, n, r = 4, 5, 2
		x, _ := Planted(m, n, r, 0.3, 0.2, uint64(i))
		g, lambda := twoParts(n, rng), math.Pow(10, 4*rng.Float64()-2)
		solvers := []Solver{HALS{}, HALS{Sweeps: 3}, OGM{Steps: 500, Tol: -1}, OGM{}, RRA{}, RRA{Energy: 0.5}, RRA{Energy: 1}}
		switch i % 8 {
		case 0:
			lambda = 0
		case 1: // by groups: sweeps alone would take too long
			lambda, solvers = 1e6, solvers[:1]
		}
		model := GNMF(r, g, lambda)
		model.Seed = uint64(i)
		problem, start := halfStep(t, model, x)
		u := problem(start).U
		k, b := mat.NewSymDense(n*r, nil), make([]float64, n*r)
		for j := range n {
			for a := range r {
				for c := range r {
					k.SetSym(j*r+a, j*r+c, mat.Dot(u.RowView(a), u.RowView(c)))
				}
				b[j*r+a] = mat.Dot(u.RowView(a), x.ColView(j))
			}
		}
		for j := range n {
			for a := range r {
				k.SetSym(j*r+a, j*r+a, k.At(j*r+a, j*r+a)+lambda*g.Degree(j))
				for l := range j {
					k.SetSym(j*r+a, l*r+a, -lambda*g.At(j, l))
				}
			}
		}
		want := activeSet(k, b)
		value := func(h *mat.Dense) float64 {
			v := mat.NewVecDense(n*r, nil)
			for j := range n {
				for a := range r {
					v.SetVec(j*r+a, h.At(a, j))
				}
			}
			return mat.Inner(v, k, v) - 2*mat.Dot(v, mat.NewVecDense(n*r, b))
		}
		for _, s := range solvers {
			h := mat.DenseCopyOf(start)
			for before, i := math.Inf(1), 0; i < 3000; i++ {
				s.Improve(problem(h), h)
				if i%50 == 0 {
					now := value(h)
					if now == before {
						break
					}
					before = now
				}
			}
			if got := value(h); math.Abs(got-want) > 1e-7*math.Abs(want) {
				t.Errorf("problem %d, λ = %g, %T%+v: %.12g, the minimum is %.12g", i, lambda, s, s, got, want)
			}
		}
	}
}

// (6)-(7) of the RRA paper, with its letters: X ≈ UVᵀ, V is Hᵀ. V goes first here.
func TestGNMFAsPrinted(t *testing.T) {
	x, _ := Planted(9, 14, 3, 0.1, 0.1, 5)
	g, beta := Ring(14, 2), 2.5
	model := GNMF(3, g, beta)
	model.Solver, model.Init, model.MaxIter, model.Tol = MU{}, WarmStart{W: Uniform(9, 3, 1), H: Uniform(3, 14, 2)}, 10, -1
	r := MustFit(t, model, x)
	u, v := Uniform(9, 3, 1), mat.DenseCopyOf(Uniform(3, 14, 2).T())
	d := mat.NewDiagDense(14, nil)
	for i := range 14 {
		d.SetDiag(i, g.Degree(i))
	}
	update := func(a *mat.Dense, num, den mat.Matrix) {
		a.Apply(func(i, j int, v float64) float64 { return v * num.At(i, j) / den.At(i, j) }, a)
	}
	for range 10 {
		var num, wv, vuu, den, uu mat.Dense
		num.Mul(x.T(), u)
		wv.Mul(g, v)
		wv.Scale(beta, &wv)
		num.Add(&num, &wv)
		uu.Mul(u.T(), u)
		vuu.Mul(v, &uu)
		den.Mul(d, v)
		den.Scale(beta, &den)
		den.Add(&vuu, &den)
		update(v, &num, &den) // (7)
		var xv, uvv, vv mat.Dense
		xv.Mul(x, v)
		vv.Mul(v.T(), v)
		uvv.Mul(u, &vv)
		update(u, &xv, &uvv) // (6)
	}
	if !mat.EqualApprox(r.W, u, 1e-10) || !mat.EqualApprox(r.H, v.T(), 1e-10) {
		t.Error("not the printed iterates")
	}
}

// With a Laplacian on both factors the KKT residual goes to 0.
func TestGraphKKT(t *testing.T) {
	take := OneIn(t, 4)
	x, _ := Planted(12, 20, 2, 0.05, 0, 3)
	for _, loss := range []Loss{nil, Hypersurface{Scale: 0.3}, ByColumn{L1{Eps: 1e-3}}} {
		for _, solver := range []Solver{nil, OGM{}, RRA{}} {
			if !take() {
				continue
			}
			m := GNMF(2, Ring(20, 1), 0.3)
			m.Loss = loss
			m.OnW = []Penalty{Laplacian{Ring(12, 2), 0.2}, Ridge{0.01}}
			m.Solver, m.MaxIter, m.Tol, m.TraceKKT = solver, 2000, -1, true
			if r := MustFit(t, m, x); r.KKT > 1e-4 || r.Trace[0].KKT < 100*r.KKT {
				t.Errorf("%s %T: KKT %g at first, %g in the end", LossName(loss), solver, r.Trace[0].KKT, r.KKT)
			}
		}
	}
}

// The graph leaves nothing to chance, either.
func TestGraphSameBits(t *testing.T) {
	take := OneIn(t, 11)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	x, _ := Planted(40, 310, 4, 0.05, 0.1, 1)
	for _, loss := range []Loss{nil, ByColumn{L1{}}, Cauchy{}} {
		for _, solver := range []Solver{nil, MU{}, OGM{}, RRA{}, RRA{Printed: true}, Additive{}} {
			if !take() {
				continue
			}
			var want *Result
			for _, procs := range []int{1, 2, 7} {
				runtime.GOMAXPROCS(procs)
				force(t, procs)
				g := Neighbors(x, 5, nil)
				m := GNMF(4, g, 1)
				m.Loss = loss
				m.Solver, m.MaxIter, m.Tol = solver, 5, -1
				got := MustFit(t, m, x)
				if want == nil {
					want = got
				}
				if !sameBits(got.W, want.W) || !sameBits(got.H, want.H) || got.Objective != want.Objective || got.KKT != want.KKT {
					t.Errorf("%s %T: other bits on %d processors", LossName(loss), solver, procs)
				}
			}
		}
	}
}

func TestLaplacianErrors(t *testing.T) {
	x := Uniform(6, 8, 1)
	six, eight := Ring(6, 1), Ring(8, 1)
	for _, c := range []struct {
		m    Model
		want error
		says string
	}{
		{GNMF(2, six, 1), ErrShape, "Laplacian.Graph has 6 vertices, want 8"},
		{Model{Rank: 2, OnW: []Penalty{Laplacian{eight, 1}}}, ErrShape, "Laplacian.Graph has 8 vertices, want 6"},
		{GNMF(2, nil, 1), ErrParameter, "Laplacian.Graph"},
		{GNMF(2, eight, -1), ErrParameter, "Laplacian.Lambda is -1"},
		{GNMF(2, eight, math.NaN()), ErrParameter, "Laplacian.Lambda"},
		{Model{Rank: 2, Solver: RRA{Energy: 1.5}}, ErrParameter, "RRA.Energy is 1.5"},
	} {
		r, err := c.m.Fit(context.Background(), x)
		if r != nil || !errors.Is(err, c.want) || !strings.Contains(fmt.Sprint(err), c.says) {
			t.Errorf("%s: %v", c.says, err)
		}
	}
}

// A result with a graph is saved with it, and transforms samples it has not seen.
func TestGraphSaveAndTransform(t *testing.T) {
	x, _ := Planted(8, 20, 2, 0.05, 0, 1)
	r := MustFit(t, GNMF(2, Ring(20, 1), 0.5), x)
	var b bytes.Buffer
	if err := r.Save(&b); err != nil {
		t.Fatal(err)
	}
	again, err := Load(&b)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := again.OnH[0].Value(r.H), r.OnH[0].Value(r.H); got != want {
		t.Errorf("penalty %g, want %g", got, want)
	}
	h, err := again.Transform(context.Background(), x.Slice(0, 8, 3, 7), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, n := h.Dims(); n != 4 {
		t.Errorf("%d columns", n)
	}
	var damaged Graph
	if err := damaged.GobDecode([]byte("no graph")); !errors.Is(err, ErrFormat) {
		t.Error(err)
	}
}
