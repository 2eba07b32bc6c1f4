package rnmf

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The property that the engine stands on, for everything that can be combined:
// no round raises the objective, which is the one that a naive evaluation
// gives, and the factors are finite and non-negative.
func TestNoRoundRises(t *testing.T) {
	shapes := []struct{ m, n, r int }{{1, 1, 1}, {7, 5, 3}, {5, 70, 4}, {33, 17, 9}, {4, 3, 3}}
	if testing.Short() {
		shapes = shapes[1:3]
	}
	var work []func()
	for si, shape := range shapes {
		x, _ := planted(shape.m, shape.n, shape.r, 0.1, 0.1, uint64(si))
		for maskName, c := range masks(x, uint64(si)) {
			for _, loss := range fixedLosses {
				for _, solver := range allSolvers {
					for _, p := range penaltiesFor(shape.m, shape.n) {
						m := Model{Rank: shape.r, Loss: loss, Solver: solver, OnW: p.onW, OnH: p.onH, Seed: 3, MaxIter: 8, Tol: -1}
						if c[1] != nil {
							m.Mask = c[1]
						}
						name := fmt.Sprintf("%v, mask %s, penalties %s, %s, %T%+v", shape, maskName, p.name, lossName(loss), solver, solver)
						work = append(work, func() { checkDescent(t, name, m, c[0]) })
					}
				}
			}
		}
	}
	sideBySide(work)
}

func checkDescent(t *testing.T, name string, m Model, x *mat.Dense) {
	t.Helper()
	last := math.Inf(1)
	for s, err := range m.Steps(context.Background(), x) {
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		want := naiveObjective(m, m.Loss, x, s.W(), s.H())
		if math.Abs(s.Objective-want) > 1e-10*(1e-10+math.Abs(want)) {
			t.Errorf("%s: round %d: objective %.15g, want %.15g", name, s.Round, s.Objective, want)
			return
		}
		if s.Objective > last+1e-10*math.Abs(last)+1e-18 {
			t.Errorf("%s: round %d: the objective rose from %.15g to %.15g", name, s.Round, last, s.Objective)
			return
		}
		last = s.Objective
		r := s.Result()
		if !sound(t, name, r) {
			return
		}
		if r.Objective != s.Objective && math.Abs(r.Objective-want) > 1e-10*(1e-10+want) {
			t.Errorf("%s: the result's objective %g, the step's %g", name, r.Objective, s.Objective)
		}
	}
}

// Tuned losses: the objective of a trace is that of its scale, and does not
// rise once the scale stays.
func TestTunedRounds(t *testing.T) {
	x, _ := planted(13, 21, 3, 0.05, 0.1, 4)
	for _, loss := range tunedLosses {
		for _, solver := range []Solver{HALS{}, MU{}, Additive{}, OGM{}} {
			name := fmt.Sprintf("%s %T", lossName(loss), solver)
			m := Model{Rank: 3, Loss: loss, Solver: solver, TuneFor: 4, MaxIter: 25, Tol: -1}
			last := Point{}
			for s, err := range m.Steps(context.Background(), x) {
				if err != nil {
					t.Fatal(name, err)
				}
				r := s.Result()
				if want := naiveObjective(m, r.Loss, x, r.W, r.H); !near(s.Objective, want, 1e-10) || !near(r.Objective, want, 1e-10) {
					t.Errorf("%s: round %d: objective %.15g and %.15g, want %.15g", name, s.Round, s.Objective, r.Objective, want)
				}
				if s.Scale != scaleNow(r.Loss) {
					t.Errorf("%s: scale %g, the loss has %g", name, s.Scale, scaleNow(r.Loss))
				}
				if s.Round > 4 && (s.Scale != last.Scale || s.Objective > last.Objective*(1+1e-10)) {
					t.Errorf("%s: %+v after %+v", name, s.Point, last)
				}
				last = s.Point
			}
			// To the end, tuned in each round.
			m.TuneFor, m.MaxIter, m.Tol = 0, 100, 0
			r := mustFit(t, m, x)
			sound(t, name, r)
			if want := naiveObjective(m, r.Loss, x, r.W, r.H); !near(r.Objective, want, 1e-10) {
				t.Errorf("%s: in the end %.15g, want %.15g", name, r.Objective, want)
			}
		}
	}
}

// naiveBound is q(V) for the half-step of H, without its constant: the
// weighted squares and the penalties' bounds.
func naiveBound(m Model, omega, x, w, v *mat.Dense, q *Quadratic) float64 {
	rows, cols := x.Dims()
	e := naiveResidual(x, w, v)
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
			if q.d != nil {
				sum += q.d.At(i, j) * a * a
			}
			if q.c != nil {
				sum -= 2 * q.c.At(i, j) * a
			}
		}
	}
	if q.graph.Graph != nil {
		sum += q.graph.Value(v)
	}
	return sum
}

// The weighted squares lie above the objective and touch it at V; each solver
// lowers them.
func TestQuadraticMajorizes(t *testing.T) {
	const m, n, r = 9, 14, 3
	x, _ := planted(m, n, r, 0.1, 0.1, 8)
	rng := rand.New(rand.NewPCG(1, 1))
	for _, loss := range fixedLosses {
		for maskName, c := range masks(x, 5) {
			model := Model{Rank: r, Loss: loss, OnH: []Penalty{Sparse{0.2}, Ridge{0.1}, Laplacian{ring(n, 1), 0.5}, Laplacian{ring(n, 2), 0.2}}}
			if c[1] != nil {
				model.Mask = c[1]
			}
			f, err := model.start(context.Background(), c[0], false)
			if err != nil {
				t.Fatal(err)
			}
			name := lossName(loss) + " mask " + maskName
			w, h := mat.DenseCopyOf(f.wt.T()), mat.DenseCopyOf(f.h)
			omega := naiveWeights(model, loss, c[0], w, h)
			bounded := func() *Quadratic {
				q := f.quadratic(false)
				for _, p := range model.OnH {
					p.Majorize(q, h)
				}
				return q
			}
			q := bounded()
			at := naiveBound(model, omega, f.x, w, h, q)
			constant := naiveObjective(model, loss, c[0], w, h) - at
			for range 30 {
				v := mat.DenseCopyOf(h)
				far := math.Pow(10, 2*rng.Float64()-2)
				v.Apply(func(_, _ int, a float64) float64 { return max(0, a+far*rng.NormFloat64()) }, v)
				objective, bound := naiveObjective(model, loss, c[0], w, v), naiveBound(model, omega, f.x, w, v, q)+constant
				if objective > bound+1e-10*math.Abs(bound) {
					t.Errorf("%s: objective %g above the bound %g", name, objective, bound)
				}
			}
			for _, s := range allSolvers {
				v := mat.DenseCopyOf(h)
				s.Improve(bounded(), v)
				if _, ok := s.(FGD); ok { // goes by the objective, where the bound may rise
					if got := naiveObjective(model, loss, c[0], w, v); got > constant+at+1e-12*math.Abs(constant+at) {
						t.Errorf("%s: %T%+v raised the objective from %g to %g", name, s, s, constant+at, got)
					}
					continue
				}
				if got := naiveBound(model, omega, f.x, w, v, q); got > at+1e-12*math.Abs(at) {
					t.Errorf("%s: %T%+v raised the bound from %g to %g", name, s, s, at, got)
				}
			}
		}
	}
}

// No round of a constrained solver raises the objective, which is the naive one, and
// the factors lie in their sets, with any loss, mask and penalty.
func TestConstrainedNeverRise(t *testing.T) {
	shapes := []struct{ m, n, r int }{{1, 1, 1}, {7, 5, 3}, {5, 70, 4}, {13, 11, 5}}
	if testing.Short() {
		shapes = shapes[1:3]
	}
	for si, shape := range shapes {
		plain, _ := planted(shape.m, shape.n, shape.r, 0.1, 0.1, uint64(si))
		both := signed(shape.m, shape.n, shape.r, uint64(si))
		for _, by := range []Model{
			{SolverW: LeastSquares{}}, {SolverW: LeastSquares{}, SolverH: MU{}}, {SolverW: LeastSquares{}, SolverH: Additive{}},
			{SolverW: Additive{LeastSquares{}}, SolverH: Additive{}},
			{SolverH: Orthogonal{}}, {SolverH: Orthogonal{}, SolverW: HALS{Sweeps: 1}}, {Solver: Additive{}, SolverH: Additive{Orthogonal{}}},
		} {
			x, signs := plain, leavesSigns(by.SolverW)
			if signs {
				x = both
			}
			for maskName, c := range masks(x, uint64(si)) {
				for li, loss := range fixedLosses {
					for pi, p := range []penalties{
						{"none", nil, nil},
						{"ridge W, sparse H", []Penalty{Ridge{0.1}}, []Penalty{Sparse{0.2}}},
						{"graph H", []Penalty{Ridge{0.3}}, []Penalty{Laplacian{ring(shape.n, 1), 0.7}}},
						{"unit graph H", nil, []Penalty{UnitLaplacian{ring(shape.n, 2), 3}, Ridge{0.01}}},
					} {
						if (li+pi)%2 > 0 || testing.Short() && (li+pi)%6 > 0 {
							continue
						}
						m := by
						m.Rank, m.Loss, m.OnW, m.OnH, m.Seed, m.MaxIter, m.Tol, m.Signed = shape.r, loss, p.onW, p.onH, 3, 3, -1, true
						if c[1] != nil {
							m.Mask = c[1]
						}
						name := fmt.Sprintf("%v, mask %s, penalties %s, %s, %T%+v, %T%+v", shape, maskName, p.name, lossName(loss), by.SolverW, by.SolverW, by.SolverH, by.SolverH)
						last := math.Inf(1)
						for s, err := range m.Steps(context.Background(), c[0]) {
							if err != nil {
								t.Fatal(name, err)
							}
							w, h := s.W(), s.H()
							want := naiveObjective(m, loss, c[0], w, h)
							if !(math.Abs(s.Objective-want) <= 1e-9*(1e-9+math.Abs(want))) {
								t.Fatalf("%s: round %d: objective %.15g, want %.15g", name, s.Round, s.Objective, want)
							}
							if s.Objective > last+1e-10*math.Abs(last)+1e-18 {
								t.Fatalf("%s: round %d: the objective rose from %.15g to %.15g", name, s.Round, last, s.Objective)
							}
							last = s.Objective
							if err := errors.Join(checkEntries("W", w, nil, signs), checkEntries("H", h, nil, false)); err != nil {
								t.Fatalf("%s: %v", name, err)
							}
							if !signs && !oneEach(h) {
								t.Fatalf("%s: a sample of several components", name)
							}
						}
					}
				}
			}
		}
	}
}
