package rnmf_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest/parts"
	. "github.com/robustnmf/robustnmf/rnmf/papers"
)

// The property that the engine stands on, for everything that can be combined: no round
// raises the objective, which is the one that a naive evaluation gives, and the factors
// are finite and lie in their sets. With -short about one combination in 47, so
// that not each loss meets each solver.
func TestNoRoundRises(t *testing.T) {
	shapes := []struct{ m, n, r int }{{1, 1, 1}, {7, 5, 3}, {5, 70, 4}, {33, 17, 9}, {4, 3, 3}, {13, 30, 4}}
	few := 1 // one of so many combinations
	switch {
	case testing.Short():
		shapes, few = shapes[1:3], 47
	case os.Getenv("RNMF_CI") == "":
		few = 7
	}
	var work []func()
	all := 0
	for si, shape := range shapes {
		plain, _ := Planted(shape.m, shape.n, shape.r, 0.1, 0.1, uint64(si))
		both := Signed(shape.m, shape.n, shape.r, uint64(si))
		for by, solver := range ModelsOfSolvers() {
			x, signs := plain, LeavesSigns(solver.SolverW)
			if signs {
				x = both
			}
			for mi, c := range Masks(x, uint64(si)) {
				for li, loss := range FixedLosses {
					for pi, p := range PenaltiesFor(shape.m, shape.n, shape.r) {
						if signs && slices.ContainsFunc(p.OnW, func(p Penalty) bool { return CheckSolvers(solver.SolverW, HALS{}, []Penalty{p}) != nil }) {
							continue // an error, as TestConstrainedErrors says
						}
						if all++; (5*li+7*by+pi+map[string]int{"none": 0, "missing": 4, "weights": 8}[mi]+si)%few > 0 {
							continue
						}
						m := solver
						m.Rank, m.Loss, m.OnW, m.OnH, m.Seed, m.MaxIter, m.Tol, m.Signed = shape.r, loss, p.OnW, p.OnH, 3, 8, -1, signs
						if c[1] != nil {
							m.Mask = c[1]
						}
						name := fmt.Sprintf("%v, mask %s, penalties %s, %s, %s", shape, mi, p.Name, LossName(loss), SolverName(m))
						work = append(work, func() { checkDescent(t, name, m, c[0]) })
					}
				}
			}
		}
	}
	t.Logf("%d of %d combinations at %d shapes", len(work), all, len(shapes))
	SideBySide(work)
}

// checkDescent fits, and reports a round that raises the objective, an objective that is
// not the naive one, and factors out of their sets.
func checkDescent(t *testing.T, name string, m Model, x *mat.Dense) {
	t.Helper()
	signs, floor := LeavesSigns(m.SolverW), 1e-10
	if signs {
		floor = 1e-8 // WH may be the difference of larger numbers
	}
	last := math.Inf(1)
	for s, err := range m.Steps(context.Background(), x) {
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		r := s.Result()
		want := NaiveObjective(m, r.Loss, x, s.W(), s.H())
		if !(math.Abs(s.Objective-want) <= 1e-10*(floor+math.Abs(want))) {
			t.Errorf("%s: round %d: objective %.15g, want %.15g", name, s.Round, s.Objective, want)
			return
		}
		if s.Objective > last+1e-10*math.Abs(last)+1e-18 {
			t.Errorf("%s: round %d: the objective rose from %.15g to %.15g", name, s.Round, last, s.Objective)
			return
		}
		last = s.Objective
		if !SoundSigns(t, name, r, signs) {
			return
		}
		if o, ok := Constraint(m.SolverH).(Orthogonal); ok && !OneEach(r.H) {
			t.Errorf("%s: round %d: a sample of several components under %T", name, s.Round, o)
			return
		}
		if r.Objective != s.Objective && math.Abs(r.Objective-want) > 1e-10*(1e-10+want) {
			t.Errorf("%s: the result's objective %g, the step's %g", name, r.Objective, s.Objective)
		}
	}
}

// Tuned losses: the objective of a trace is that of its scale, and does not rise while
// the loss stays, which it does once TuneFor has run out and no stage is left.
func TestTunedRounds(t *testing.T) {
	x, _ := Planted(13, 21, 3, 0.05, 0.1, 4)
	var work []func()
	all := 0
	for li, loss := range TunedLosses {
		for by, m := range ModelsOfSolvers() {
			if all++; testing.Short() && (li+by)%23 > 0 {
				continue
			}
			name := LossName(loss) + ", " + SolverName(m)
			m.Rank, m.Loss, m.TuneFor, m.MaxIter, m.Tol = 3, loss, 4, 25, -1
			work = append(work, func() { checkTunedRounds(t, name, m, x) })
		}
	}
	t.Logf("%d of %d combinations", len(work), all)
	SideBySide(work)
}

func checkTunedRounds(t *testing.T, name string, m Model, x *mat.Dense) {
	stages := Staged(m.Loss) // TuneFor waits for the last one
	last, lastLoss := Point{}, Loss(nil)
	for s, err := range m.Steps(context.Background(), x) {
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		r := s.Result()
		if want := NaiveObjective(m, r.Loss, x, r.W, r.H); !Near(s.Objective, want, 1e-10) || !Near(r.Objective, want, 1e-10) {
			t.Errorf("%s: round %d: objective %.15g and %.15g, want %.15g", name, s.Round, s.Objective, r.Objective, want)
		}
		if s.Scale != ScaleNow(r.Loss) {
			t.Errorf("%s: scale %g, the loss has %g", name, s.Scale, ScaleNow(r.Loss))
		}
		if s.Round > 4 && !stages && s.Scale != last.Scale {
			t.Errorf("%s: the scale went from %g to %g in round %d", name, last.Scale, s.Scale, s.Round)
		}
		if r.Loss == lastLoss && s.Objective > last.Objective*(1+1e-10) {
			t.Errorf("%s: %+v after %+v", name, s.Point, last)
		}
		last, lastLoss = s.Point, r.Loss
	}
	// To the end, tuned in each round.
	m.TuneFor, m.MaxIter, m.Tol = 0, 100, 0
	r := TryFit(t, m, x)
	if r == nil || !SoundSigns(t, name, r, LeavesSigns(m.SolverW)) {
		return
	}
	if want := NaiveObjective(m, r.Loss, x, r.W, r.H); !Near(r.Objective, want, 1e-10) {
		t.Errorf("%s: in the end %.15g, want %.15g", name, r.Objective, want)
	}
}

// naiveBound is q(V) for the half-step of H, without its constant: the
// weighted squares and the penalties' bounds.
func naiveBound(m Model, omega, x, w, v *mat.Dense, q *Quadratic) float64 {
	rows, cols := x.Dims()
	e := NaiveResidual(x, w, v)
	var sum float64
	for i := range rows {
		for j := range cols {
			if o := omega.At(i, j); o > 0 {
				sum += o * e.At(i, j) * e.At(i, j)
			}
		}
	}
	for i := range m.Rank {
		for j := range cols {
			a := v.At(i, j)
			sum += q.Diagonal().At(i, j)*a*a - 2*q.Linear().At(i, j)*a
		}
	}
	if g, lambda := q.Coupling(); g != nil {
		sum += (Laplacian{g, lambda}).Value(v)
	}
	return sum
}

// The weighted squares lie above the objective and touch it at V; each solver
// lowers them.
func TestQuadraticMajorizes(t *testing.T) {
	const m, n, r = 9, 14, 3
	x, _ := Planted(m, n, r, 0.1, 0.1, 8)
	rng := rand.New(rand.NewPCG(1, 1))
	for _, loss := range FixedLosses {
		for maskName, c := range Masks(x, 5) {
			model := Model{Rank: r, Loss: loss, OnH: []Penalty{Lasso{0.2}, Ridge{0.1}, Laplacian{Ring(n, 1), 0.5}, Laplacian{Ring(n, 2), 0.2}}}
			if c[1] != nil {
				model.Mask = c[1]
			}
			f, err := StartOf(context.Background(), model, c[0])
			if err != nil {
				t.Fatal(err)
			}
			name := LossName(loss) + " mask " + maskName
			w, h := f.W, f.H
			omega := NaiveWeights(model, loss, c[0], w, h)
			q := f.Problem(h)
			at := naiveBound(model, omega, f.X, w, h, q)
			constant := NaiveObjective(model, loss, c[0], w, h) - at
			for range 30 {
				v := mat.DenseCopyOf(h)
				far := math.Pow(10, 2*rng.Float64()-2)
				v.Apply(func(_, _ int, a float64) float64 { return max(0, a+far*rng.NormFloat64()) }, v)
				objective, bound := NaiveObjective(model, loss, c[0], w, v), naiveBound(model, omega, f.X, w, v, q)+constant
				if objective > bound+1e-10*math.Abs(bound) {
					t.Errorf("%s: objective %g above the bound %g", name, objective, bound)
				}
			}
			for _, s := range AllSolvers {
				v := mat.DenseCopyOf(h)
				s.Improve(f.Problem(h), v)
				if _, ok := s.(FGD); ok { // goes by the objective, where the bound may rise
					if got := NaiveObjective(model, loss, c[0], w, v); got > constant+at+1e-12*math.Abs(constant+at) {
						t.Errorf("%s: %T%+v raised the objective from %g to %g", name, s, s, constant+at, got)
					}
					continue
				}
				if got := naiveBound(model, omega, f.X, w, v, q); got > at+1e-12*math.Abs(at) {
					t.Errorf("%s: %T%+v raised the bound from %g to %g", name, s, s, at, got)
				}
			}
		}
	}
}

// What the mask hides may be as large as it likes: here W₂H₂ is enormous in a column
// of which some rows see nothing. Steps that all entries together suggest are then far
// too long for those rows, and what is left of them must not lose the digits of W.
func TestHiddenGiants(t *testing.T) {
	for seed := range uint64(8) {
		x, _ := Planted(7, 31, 3, 0.05, 0.1, seed)
		c := Masks(x, seed)["missing"]
		c[1].Set(0, 5, 0)
		c[1].Set(3, 5, 0)
		for _, far := range []float64{1e6, 1e10, 1e14, 1e16} {
			h := Uniform(3, 31, seed+2)
			h.Set(1, 5, far)
			for _, loss := range []Loss{Frobenius{}, Cauchy{Scale: 0.1}, ByColumn{Huber{Cut: 1e-6}}} {
				m := Model{Rank: 3, Loss: loss, Mask: c[1], Init: WarmStart{W: Uniform(7, 3, seed+1), H: h}, MaxIter: 12, Tol: -1}
				checkDescent(t, fmt.Sprintf("seed %d, %g, %s", seed, far, LossName(loss)), m, c[0])
			}
		}
	}
}

// A thousand problems of any size, graph, weight, loss and solver: the trace
// never rises, and its end is what a naive evaluation gives.
func TestGraphDescent(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	problems := 1000
	if testing.Short() {
		t.Logf("-short: 200 of %d problems", problems)
		problems = 200
	}
	solvers := []Solver{nil, HALS{NoExtrapolation: true, Sweeps: 1}, MU{}, OGM{}, OGM{Printed: true, Steps: 10}, RRA{}, RRA{Energy: 0.4}, Additive{}, Additive{Solver: RRA{}}, Additive{Solver: OGM{}}, Additive{Solver: MU{}}}
	for i := range problems {
		m, n := 2+rng.IntN(12), 2+rng.IntN(30)
		r := 1 + rng.IntN(min(m, n))
		x, _ := Planted(m, n, r, 0.2, 0.1, uint64(i))
		var graph *Graph
		switch i % 3 {
		case 0:
			graph = twoParts(n, rng)
		case 1:
			graph = Ring(n, uint64(i))
		default:
			weights := []func(float64) float64{nil, func(s float64) float64 { return math.Exp(-s) }, func(s float64) float64 { return max(0, 1-s) }}
			graph = Neighbors(x, 1+i%5, weights[i/3%3])
		}
		lambda := 0.0
		if i%5 > 0 {
			lambda = math.Pow(10, 12*rng.Float64()-6)
		}
		model := GNMF(r, graph, lambda)
		model.Loss = FixedLosses[rng.IntN(len(FixedLosses))]
		model.Solver, model.Seed, model.MaxIter, model.Tol = solvers[rng.IntN(len(solvers))], uint64(i), 6, -1
		res := MustFit(t, model, x)
		name := fmt.Sprintf("problem %d: %d×%d, rank %d, λ = %g, %s, %T%+v", i, m, n, r, lambda, LossName(model.Loss), model.Solver, model.Solver)
		if !Sound(t, name, res) {
			continue
		}
		last := res.Trace[0].Objective
		for _, p := range res.Trace {
			if p.Objective > last*(1+1e-9)+1e-15 {
				t.Errorf("%s: %g after %g", name, p.Objective, last)
			}
			last = p.Objective
		}
		if want := NaiveObjective(model, model.Loss, x, res.W, res.H); !Near(res.Objective, want, 1e-9) {
			t.Errorf("%s: objective %g, want %g", name, res.Objective, want)
		}
	}
}

// A sample is given to an empty component only where W, which it would be fitted by,
// costs nothing and sees the sample.
func TestOrthogonalDescends(t *testing.T) {
	for seed := range uint64(80) {
		rng := rand.New(rand.NewPCG(seed, 9))
		x, w, h := Uniform(4, 8, seed), Uniform(4, 4, seed+1000), Uniform(4, 8, seed+2000)
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
			{Rank: 4, OnW: []Penalty{Ridge{Lambda: 10}}}, {Rank: 4, OnW: []Penalty{Lasso{Lambda: 10}}},
			CappedNMF(4, 0.5), {Rank: 4, Loss: ByColumn{Correntropy{Scale: 0.3}}}, {Rank: 4, Loss: ByColumn{L1{Eps: 1e-3}}}, {Rank: 4},
		} {
			m.SolverH, m.Init, m.Tol, m.MaxIter = Orthogonal{}, WarmStart{W: w, H: h}, -1, 12
			checkDescent(t, fmt.Sprintf("seed %d, %T, %T", seed, m.Loss, m.OnW), m, x)
		}
	}
}
