package rnmf_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/papers"
)

// Gradient and Curvature of a tile are what their formulas say, whatever the weights.
func TestTileGradient(t *testing.T) {
	x := bitData(23, 31, 8, 0.05)
	mask := mat.NewDense(23, 31, nil)
	mask.Apply(func(i, j int, _ float64) float64 { return float64((i + j) % 3) }, mask)
	for _, c := range []struct {
		loss rnmf.Loss
		mask mat.Matrix
	}{{nil, nil}, {nil, mask}, {rnmf.Cauchy{Scale: 0.3}, nil}, {rnmf.Cauchy{Scale: 0.3}, mask}, {rnmf.ByColumn{Loss: rnmf.L1{Eps: 0.1}}, nil}, {rnmf.ByColumn{Loss: rnmf.L1{Eps: 0.1}}, mask}} {
		m := rnmf.Model{Rank: 3, Loss: c.loss, Mask: c.mask, MaxIter: 2, OnW: []rnmf.Penalty{rnmf.Ridge{Lambda: 0.2}}, OnH: []rnmf.Penalty{rnmf.Lasso{Lambda: 0.3}, rnmf.Ridge{Lambda: 0.1}}}
		m.Solver = tileProbe{t}
		if _, err := m.Fit(context.Background(), x); err != nil {
			t.Fatal(err)
		}
	}
}

// tileProbe compares, and moves a little.
type tileProbe struct{ t *testing.T }

func (p tileProbe) Improve(q *rnmf.Quadratic, v *mat.Dense) {
	q.Tiles(v, func(t *rnmf.Tile) {
		down, bend := make([]float64, t.R*t.B), make([]float64, t.R*t.B)
		t.Gradient(down)
		t.Curvature(bend)
		for j := range t.B {
			for k := range t.R {
				var g, c float64
				for i := range t.M {
					e, omega := t.X()[i*t.B+j], t.Col
					w := 1.0
					if q.Weighted() {
						w = t.Omega()[i*t.B+j]
					} else {
						w = omega[j]
						if t.Row != nil {
							w *= t.Row[i]
						}
					}
					for l := range t.R {
						e -= q.U.At(l, i) * t.V[l*t.B+j]
					}
					g += w * q.U.At(k, i) * e
					c += w * q.U.At(k, i) * q.U.At(k, i)
				}
				if t.C != nil {
					g += t.C[k*t.B+j]
				}
				if t.D != nil {
					g -= t.D[k*t.B+j] * t.V[k*t.B+j]
					c += t.D[k*t.B+j]
				}
				i := k*t.B + j
				if d := down[i] - g; d > 1e-9*(1+c) || d < -1e-9*(1+c) {
					p.t.Errorf("gradient %g, want %g", down[i], g)
				}
				if d := bend[i] - c; d > 1e-9*(1+c) || d < -1e-9*(1+c) {
					p.t.Errorf("curvature %g, want %g", bend[i], c)
				}
			}
		}
		for i, d := range down {
			t.V[i] = max(0, t.V[i]+1e-3*d)
		}
	})
}

// A stranger's solver descends on data of which one tile alone is work for several goroutines (SmallWork),
// and gives the same bits for any number of them.
func TestStrangeSolverLarge(t *testing.T) {
	data := bitData(500, 120, 8, 0.05)
	edges := make([]rnmf.Edge, 120)
	for i := range edges {
		edges[i] = rnmf.Edge{I: i, J: (i + 1) % len(edges), Weight: 1}
	}
	graph, err := rnmf.NewGraph(120, edges)
	if err != nil {
		t.Fatal(err)
	}
	for name, m := range map[string]rnmf.Model{
		"Frobenius": {}, "Huber": {Loss: rnmf.Huber{Cut: 0.1}}, "mask": {Mask: mat.NewDense(500, 120, slices.Repeat([]float64{1, 0.5, 1}, 20000))},
		"columns": {Loss: rnmf.ByColumn{Loss: rnmf.L1{Eps: 0.1}}}, "Cauchy": {Loss: rnmf.Cauchy{}}, "graph": {OnH: []rnmf.Penalty{rnmf.Laplacian{Graph: graph, Lambda: 1}}},
	} {
		for _, transposed := range []bool{false, true} {
			x := data
			m.Rank, m.Solver, m.MaxIter = 20, Descent{}, 3
			if transposed && name != "columns" && name != "graph" {
				x = mat.DenseCopyOf(data.T())
				if m.Mask != nil {
					m.Mask = m.Mask.T()
				}
			}
			var first *rnmf.Result
			for _, processors := range []int{1, 2, 4, 2} {
				was := runtime.GOMAXPROCS(processors)
				r, err := m.Fit(context.Background(), x)
				runtime.GOMAXPROCS(was)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if first == nil {
					first = r
				}
				if !mat.Equal(r.W, first.W) || !mat.Equal(r.H, first.H) {
					t.Errorf("%s: other factors on %d processors", name, processors)
				}
				for i := range r.Trace[1:] {
					if a, b := r.Trace[i], r.Trace[i+1]; b.Objective >= a.Objective && a.Scale == b.Scale {
						t.Errorf("%s: round %d: %g after %g", name, i+1, b.Objective, a.Objective)
					}
				}
			}
		}
	}
}

// A method with the name of an optional one and another signature is an error: it would
// be passed over in silence.
func TestStrangeMethods(t *testing.T) {
	x := bitData(23, 31, 8, 0.05)
	for name, m := range map[string]rnmf.Model{
		"Tuning": {Loss: oddTuning{rnmf.L1{Eps: 1}}}, "Extrapolates": {Solver: oddSolver{rnmf.HALS{}}}, "Rounding": {OnH: []rnmf.Penalty{oddPenalty{rnmf.Ridge{}}}},
	} {
		m.Rank = 2
		if _, err := m.Fit(context.Background(), x); !errors.Is(err, rnmf.ErrParameter) || !strings.Contains(err.Error(), "the method "+name+" of rnmf_test.odd") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestLinkerDropsMethods wants no call in a program that fits a model which makes the linker keep every
// exported method: see optional.
func TestLinkerDropsMethods(t *testing.T) {
	if testing.Short() {
		t.Skip("no program is linked with -short")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "main.go")
	source := `package main

import (
	"context"

	"github.com/robustnmf/robustnmf/rnmf"
	"gonum.org/v1/gonum/mat"
)

func main() {
	r, err := rnmf.RobustNMF(2).Fit(context.Background(), mat.NewDense(2, 2, nil))
	println(r, err)
}
`
	if err := os.WriteFile(program, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	said, err := exec.Command("go", "build", "-o", filepath.Join(dir, "main"), "-ldflags=-dumpdep", program).CombinedOutput()
	if err != nil || !bytes.Contains(said, []byte("rnmf.checkPart")) {
		t.Fatalf("%v: %.2000s", err, said)
	}
	if calls := regexp.MustCompile(`(?m)^\S+ <ReflectMethod>`).FindAllString(string(said), 3); calls != nil {
		t.Error(calls)
	}
}

type oddTuning struct{ rnmf.Loss }

func (oddTuning) Tuning() rnmf.Loss { return nil }

type oddSolver struct{ rnmf.Solver }

func (oddSolver) Extrapolates() {}

type oddPenalty struct{ rnmf.Penalty }

func (oddPenalty) Rounding() float64 { return 0 }

// wrongPart is a loss and a penalty that go wrong after some calls.
type wrongPart struct {
	value, linear, diagonal float64 // of the penalty
	tuned                   rnmf.Loss
	after                   int
	calls                   *int
}

func (p wrongPart) now() bool {
	*p.calls++
	return *p.calls > p.after
}

func (p wrongPart) Value(*mat.Dense) float64 { return p.value }

func (p wrongPart) Majorize(q *rnmf.Quadratic, _ *mat.Dense) {
	if p.now() {
		q.Linear().Set(1, 2, p.linear)
		q.Diagonal().Set(1, 2, p.diagonal)
	}
}

func (p wrongPart) Rho(s float64) (value, slope float64) { return rnmf.Cauchy{Scale: 1}.Rho(s) }

func (p wrongPart) Tuning() rnmf.Tuning {
	return func(s *rnmf.Residuals) (rnmf.Loss, bool) {
		if p.now() {
			return p.tuned, false
		}
		return rnmf.Cauchy{Scale: s.Median()}, false
	}
}

// unscaled has no Tuning, so that its scale of 0 is an error.
type unscaled struct{ scale float64 }

func (l unscaled) Rho(s float64) (value, slope float64) { return rnmf.Cauchy{Scale: l.scale}.Rho(s) }

// What a stranger's part does wrong on the way is an error that names the part, and never NaN: the
// factors come back as the last complete round left them.
func TestWrongOnTheWay(t *testing.T) {
	x := bitData(23, 31, 8, 0.05)
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		part  wrongPart
		loss  bool
		wants string
	}{
		{wrongPart{value: nan}, false, "the Value of rnmf_test.wrongPart is NaN"},
		{wrongPart{value: inf}, false, "the Value of rnmf_test.wrongPart is +Inf"},
		{wrongPart{linear: nan}, false, "Linear()[1,2] after rnmf_test.wrongPart.Majorize is NaN"},
		{wrongPart{linear: -inf}, false, "Linear()[1,2] after rnmf_test.wrongPart.Majorize is -Inf"},
		{wrongPart{diagonal: nan}, false, "Diagonal()[1,2] after rnmf_test.wrongPart.Majorize is NaN"},
		{wrongPart{diagonal: -1}, false, "Diagonal()[1,2] after rnmf_test.wrongPart.Majorize is -1"},
		{wrongPart{}, true, "a rnmf_test.wrongPart that is tuned to nil"},
		{wrongPart{tuned: rnmf.Preliminary{}}, true, "a rnmf_test.wrongPart that is tuned to nil"},
		{wrongPart{tuned: rnmf.ByColumn{}}, true, "a rnmf_test.wrongPart that is tuned to nil"},
		{wrongPart{tuned: unscaled{}}, true, "loss rnmf_test.unscaled at s = "},
		{wrongPart{tuned: unscaled{nan}}, true, "loss rnmf_test.unscaled at s = 0: the value is NaN"},
	} {
		for _, after := range []int{0, 5} {
			for _, solver := range []rnmf.Solver{nil, rnmf.MU{}} {
				c.part.after, c.part.calls = after, new(int)
				m := rnmf.Model{Rank: 3, Solver: solver, MaxIter: 30, TuneFor: -1, Tol: -1}
				losses := []rnmf.Loss{nil}
				if c.loss {
					losses = []rnmf.Loss{c.part, rnmf.ByColumn{Loss: c.part}, rnmf.Truncated{Loss: c.part, Cut: 1}, rnmf.MMEstimator{First: c.part}}
				} else {
					m.OnH = []rnmf.Penalty{rnmf.Ridge{Lambda: 0.1}, c.part}
				}
				for _, m.Loss = range losses {
					if _, column := c.part.tuned.(rnmf.ByColumn); column && m.Loss != rnmf.Loss(c.part) {
						continue
					}
					*c.part.calls = 0
					r, err := m.Fit(context.Background(), x)
					inside := m.Loss != nil && m.Loss != rnmf.Loss(c.part) // the message has its name then
					if !errors.Is(err, rnmf.ErrParameter) || !inside && !strings.Contains(err.Error(), c.wants) {
						t.Errorf("after %d, %T: %v, want %q", after, m.Loss, err, c.wants)
					}
					if after == 0 && r != nil || r == nil && after > 0 && c.part.value == 0 {
						t.Errorf("after %d, %T: the result is %v", after, m.Loss, r)
					} else if r != nil {
						if sum := mat.Sum(r.W) + mat.Sum(r.H) + r.Objective + r.KKT; math.IsNaN(sum) || math.IsInf(sum, 0) {
							t.Errorf("after %d, %T: %v", after, m.Loss, r)
						}
					}
				}
			}
		}
	}
	for _, l := range []rnmf.Loss{rnmf.Truncated{Loss: unscaled{}}, rnmf.MMEstimator{First: unscaled{}}, rnmf.MMEstimator{Then: unscaled{}}} {
		_, err := rnmf.Model{Rank: 3, Loss: l}.Fit(context.Background(), x)
		for _, err := range []error{err, rnmf.CheckLoss(l, 1)} {
			if !errors.Is(err, rnmf.ErrParameter) || !strings.Contains(err.Error(), "rnmf_test.unscaled at s = ") {
				t.Errorf("%T: %v", l, err)
			}
		}
	}
	good, err := rnmf.NMF(3).Fit(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	good.OnH = []rnmf.Penalty{wrongPart{diagonal: -1, calls: new(int)}}
	if _, err := good.Transform(context.Background(), x, nil); !errors.Is(err, rnmf.ErrParameter) {
		t.Errorf("Transform: %v", err)
	}
	m := rnmf.Model{Rank: 3, Loss: wrongPart{after: 3, calls: new(int)}, TuneFor: -1}
	var last error
	for step, err := range m.Steps(context.Background(), x) {
		if last = err; math.IsNaN(step.Objective) {
			t.Errorf("Steps: round %d has no objective", step.Round)
		}
	}
	if !errors.Is(last, rnmf.ErrParameter) {
		t.Errorf("Steps: %v", last)
	}
	m.Loss = wrongPart{calls: new(int)}
	if r, err := (papers.ConvexNMF{Model: m}).Fit(context.Background(), x); !errors.Is(err, rnmf.ErrParameter) || r != nil {
		t.Errorf("ConvexNMF: %v, %v", r, err)
	}
}

// joins is a penalty that couples columns by any graph and weight.
type joins struct {
	graph  *rnmf.Graph
	lambda float64
}

func (joins) Value(*mat.Dense) float64 { return 0 }

func (p joins) Majorize(q *rnmf.Quadratic, v *mat.Dense) { q.Couple(p.graph, p.lambda, v) }

// ofCells is a loss like CellCase, and ofColumns one like ByColumn, of any loss and ε.
type ofCells struct {
	inner rnmf.Loss
	eps   float64
}

func (l ofCells) Rho(s float64) (value, slope float64) { return l.inner.Rho(s) }

func (l ofCells) OfCells() (rho rnmf.Loss, eps float64) { return l.inner, l.eps }

type ofColumns struct{ inner rnmf.Loss }

func (l ofColumns) Rho(s float64) (value, slope float64) { return l.inner.Rho(s) }

func (l ofColumns) OfColumns() rnmf.Loss { return l.inner }

// likelihood is minus the log-likelihood of Student's distribution with a free scale, which may be negative.
type likelihood struct{ sigma float64 }

func (l likelihood) Rho(s float64) (value, slope float64) {
	g := 3 * l.sigma * l.sigma
	return 2*math.Log1p(s/g) + math.Log(l.sigma), 2 / (g + s)
}

// What a stranger's part cannot mean is an error that names it: without one the fit would minimise
// something else, or panic.
func TestStrangeMeanings(t *testing.T) {
	x := bitData(23, 31, 8, 0.05)
	graph := func(n int) *rnmf.Graph {
		g, err := rnmf.NewGraph(n, []rnmf.Edge{{0, 1, 1}, {1, n - 1, 1}})
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	coupled := func(p joins) rnmf.Model { return rnmf.Model{OnH: []rnmf.Penalty{rnmf.Ridge{0.1}, p}} }
	of := func(l rnmf.Loss) rnmf.Model { return rnmf.Model{Loss: l} }
	huber := rnmf.Huber{Cut: 0.1}
	for _, c := range []struct {
		m     rnmf.Model
		kind  error
		wants string
	}{
		{coupled(joins{graph(30), 1}), rnmf.ErrShape, "the graph of rnmf_test.joins has 30 vertices, want 31"},
		{coupled(joins{graph(32), 1}), rnmf.ErrShape, "has 32 vertices, want 31"},
		{rnmf.Model{OnW: []rnmf.Penalty{joins{graph(31), 1}}}, rnmf.ErrShape, "has 31 vertices, want 23"},
		{rnmf.Model{OnH: []rnmf.Penalty{rnmf.Laplacian{graph(31), 1}, joins{graph(32), 1}}}, rnmf.ErrShape, "has 32 vertices, want 31"},
		{coupled(joins{nil, 1}), rnmf.ErrParameter, "the graph of rnmf_test.joins is <nil>"},
		{coupled(joins{graph(31), -1}), rnmf.ErrParameter, "λ of rnmf_test.joins is -1"},
		{coupled(joins{graph(31), math.NaN()}), rnmf.ErrParameter, "λ of rnmf_test.joins is NaN"},
		{of(ofCells{huber, 0}), rnmf.ErrParameter, "ε of rnmf_test.ofCells is 0"},
		{of(ofCells{huber, 1e-170}), rnmf.ErrParameter, "ε of rnmf_test.ofCells is 1e-170"},
		{of(ofCells{huber, math.NaN()}), rnmf.ErrParameter, "ε of rnmf_test.ofCells is NaN"},
		{of(ofCells{rnmf.Huber{}, 1}), rnmf.ErrParameter, "the scale of rnmf.Huber in rnmf_test.ofCells is not given"},
		{of(ofColumns{rnmf.Huber{}}), rnmf.ErrParameter, "the scale of rnmf.Huber in rnmf_test.ofColumns is not given"},
		{of(rnmf.CellCase{Loss: likelihood{1e-3}}), rnmf.ErrParameter, "loss rnmf_test.likelihood at s = 0: the value is -6.9"},
		{of(rnmf.CellCase{Loss: likelihood{1e-3}, Eps: 1}), rnmf.ErrParameter, "want 0 or more, as rnmf.CellCase takes the root"},
		{of(rnmf.CellCase{Loss: rnmf.MMEstimator{Then: likelihood{1e-3}}}), rnmf.ErrParameter, "loss rnmf_test.likelihood at s = 0: the value is -6.9"},
		{of(rnmf.Preliminary{rnmf.Huber{}}), rnmf.ErrParameter, "the loss is a Preliminary"},
		{of(rnmf.ByColumn{rnmf.Preliminary{rnmf.Huber{}}}), rnmf.ErrParameter, "the loss is a Preliminary"},
	} {
		for _, solver := range []rnmf.Solver{nil, rnmf.MU{}} {
			c.m.Rank, c.m.MaxIter, c.m.Solver = 3, 100, solver
			if r, err := c.m.Fit(t.Context(), x); !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.wants) {
				t.Errorf("%v, %v, want %q", r, err, c.wants)
			}
		}
		if _, once := c.m.Loss.(rnmf.CellCase); c.m.Loss != nil && !once {
			if err := rnmf.CheckLoss(c.m.Loss, 1); !errors.Is(err, rnmf.ErrParameter) || !strings.Contains(err.Error(), c.wants) {
				t.Errorf("CheckLoss: %v, want %q", err, c.wants)
			}
		}
	}
	for _, l := range []rnmf.Loss{ofColumns{}, ofCells{nil, 1}} {
		if _, err := (rnmf.Model{Rank: 3, Loss: l}).Fit(t.Context(), x); !errors.Is(err, rnmf.ErrParameter) || !strings.Contains(err.Error(), fmt.Sprintf("the loss in %T is <nil>", l)) {
			t.Error(err)
		}
	}
	// These mean something.
	for _, m := range []rnmf.Model{coupled(joins{nil, 0}), coupled(joins{graph(31), 1}), of(ofCells{huber, 0.1}), of(ofColumns{huber}), of(likelihood{1e-3}), of(ofCells{rnmf.Frobenius{}, 0.1})} {
		m.Rank, m.MaxIter = 3, 10
		if _, err := m.Fit(t.Context(), x); err != nil {
			t.Errorf("%v: %v", m, err)
		}
	}
	if err := rnmf.CheckLoss(huber, 1e200); !errors.Is(err, rnmf.ErrParameter) || !strings.Contains(err.Error(), "size is 1e+200") {
		t.Errorf("a size that cannot be squared: %v", err)
	}
}

// unit keeps the columns of H at length 1, and would have them extrapolated.
type unit struct{ Descent }

func (unit) Signed() bool { return false }

func (s unit) Probe() rnmf.Solver { return s }

func (unit) Extrapolates() bool { return true }

func (unit) Project(v *mat.Dense) {
	r, n := v.Dims()
	for j := range n {
		length := mat.Norm(v.ColView(j), 2)
		for k := range r {
			v.Set(k, j, v.At(k, j)/length)
		}
	}
}

func (s unit) Improve(q *rnmf.Quadratic, v *mat.Dense) {
	s.Descent.Improve(q, v)
	s.Project(v)
}

// What a Constrained solver keeps in a set stays in it in every round.
func TestStrangeSets(t *testing.T) {
	x := bitData(23, 31, 8, 0.05)
	for s, err := range (rnmf.Model{Rank: 3, SolverH: unit{}, MaxIter: 20}).Steps(t.Context(), x) {
		if err != nil {
			t.Fatal(err)
		}
		for j := range 31 {
			if length := mat.Norm(s.H().ColView(j), 2); math.Abs(length-1) > 1e-12 {
				t.Fatalf("round %d: column %d has length %g", s.Round, j, length)
			}
		}
	}
}

// lost is a Constrained solver that soon leaves no numbers.
type lost struct{ unit }

func (lost) Probe() rnmf.Solver { return lost{} }

func (lost) Improve(_ *rnmf.Quadratic, v *mat.Dense) { v.Set(0, 0, math.NaN()) }

// The KKT residual is a number also where the half-step that it tries leaves none.
func TestStrangeKKT(t *testing.T) {
	r, err := rnmf.Model{Rank: 3, SolverH: lost{}, TraceKKT: true}.Fit(t.Context(), bitData(23, 31, 8, 0.05))
	if err != nil || !(r.KKT > 0) || !(r.Trace[0].KKT > 0) {
		t.Errorf("%v, %+v, KKT residual %g", err, r.Trace, r.KKT)
	}
}
