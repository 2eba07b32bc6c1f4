package rnmf_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
	. "github.com/robustnmf/robustnmf/rnmf/papers"
)

// Each constructor is the model that its comment says, all of it.
func TestConstructors(t *testing.T) {
	graph := Ring(5, 1)
	labels := Labels{Class: []int{0, 1, 0, Unlabelled, 1}, Weight: 2}
	withLabels, err := labels.Graph(graph)
	if err != nil {
		t.Fatal(err)
	}
	semi, err := SemiGNMF(3, graph, labels, 0.6)
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, c := range []struct {
		name      string
		got, want Model
	}{
		{"NMF", NMF(3), Model{Rank: 3}},
		{"PoissonNMF", PoissonNMF(3), Model{Rank: 3, Family: Poisson}},
		{"RobustPoissonNMF", RobustPoissonNMF(3), Model{Rank: 3, Family: Poisson, Loss: CauchyTail{}}},
		{"GNMF", GNMF(3, graph, 0.6), Model{Rank: 3, OnH: []Penalty{Laplacian{graph, 0.6}}}},
		{"SemiGNMF", semi, Model{Rank: 3, OnH: []Penalty{Laplacian{withLabels, 0.6}}}},
		{"L21NMF", L21NMF(3), Model{Rank: 3, Loss: ByColumn{L1{}}}},
		{"L1NMF", L1NMF(3), Model{Rank: 3, Loss: L1{}}},
		{"HuberNMF", HuberNMF(3), Model{Rank: 3, Loss: Huber{}}},
		{"CellCaseNMF", CellCaseNMF(3), Model{Rank: 3, Loss: CellCase{Loss: Huber{}}}},
		{"CIMNMF", CIMNMF(3), Model{Rank: 3, Loss: Correntropy{}}},
		{"HypersurfaceNMF", HypersurfaceNMF(3, 0.7), Model{Rank: 3, Loss: Hypersurface{Scale: 0.7}}},
		{"RSSNMF", RSSNMF(3, 0.7, labels), Model{Rank: 3, Loss: Hypersurface{Scale: 0.7}, OnH: []Penalty{labels}}},
		{"CauchyNMF", CauchyNMF(3), Model{Rank: 3, Loss: Cauchy{}}},
		{"TruncatedCauchyNMF", TruncatedCauchyNMF(3), Model{Rank: 3, Loss: Truncated{Loss: Cauchy{}, Rule: ThreeSigma}}},
		{"CappedNMF", CappedNMF(3, 0.7), Model{Rank: 3, Loss: ByColumn{Truncated{Loss: L1{}, Cut: 0.7, Rule: NormalThreeSigma}}}},
		{"RNMFL1", RNMFL1(3, 0.7), Model{Rank: 3, Loss: Huber{Cut: 0.35}, Solver: Additive{}}},
		{"MahNMF", MahNMF(3), Model{Rank: 3, Loss: SmoothL1{}, Solver: OGM{}}},
		{"RobustNMF", RobustNMF(3), Model{Rank: 3, Loss: MMEstimator{}}},
		{"LSNMF", LSNMF(3, 1, 2, nil, 0.6), Model{Rank: 3, OnW: []Penalty{LogSparse{Lambda: 1}}, OnH: []Penalty{LogSparse{Lambda: 2}}}},
		{"LSNMF", LSNMF(3, 1, 2, graph, 0.6), Model{Rank: 3, OnW: []Penalty{LogSparse{Lambda: 1}},
			OnH: []Penalty{LogSparse{Lambda: 2}, Laplacian{graph, 0.6}}}},
		{"RLSNMF", RLSNMF(3, 1, 2, 0.7, graph, 0.6), Model{Rank: 3, Loss: ByColumn{LogShrink{Gamma: 0.7, Scale: 1}},
			OnW: []Penalty{LogSparse{Lambda: 1}}, OnH: []Penalty{LogSparse{Lambda: 2}, Laplacian{graph, 0.6}}}},
		{"SparseNMF", SparseNMF(3, 1, 2, nil, 0.6), Model{Rank: 3, OnW: []Penalty{Lasso{1}}, OnH: []Penalty{Lasso{2}}}},
		{"SparseNMF", SparseNMF(3, 1, 2, graph, 0.6), Model{Rank: 3, OnW: []Penalty{Lasso{1}}, OnH: []Penalty{Lasso{2}, Laplacian{graph, 0.6}}}},
		{"SemiNMF", SemiNMF(3), Model{Rank: 3, SolverW: NormalEquations{}, Signed: true}},
		{"ONMF", ONMF(3), Model{Rank: 3, SolverH: Orthogonal{}, SolverW: HALS{Sweeps: 1}, Init: KMeansInit{Shift: -1}}},
		{"RMNMF", RMNMF(3, graph, 0.6), Model{Rank: 3, Loss: ByColumn{L1{}}, OnH: []Penalty{UnitLaplacian{Graph: graph, Lambda: 0.6}}, SolverH: Orthogonal{}, SolverW: HALS{Sweeps: 1}, Init: ONMFInit{}}},
	} {
		named[c.name] = true
		if !reflect.DeepEqual(c.got, c.want) {
			t.Errorf("%s is %#v, want %#v", c.name, c.got, c.want)
		}
	}
	// A new one needs a line here.
	files, err := filepath.Glob("*.go")
	above, err2 := filepath.Glob("papers/*.go")
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	files = append(files, above...)
	declared := regexp.MustCompile(`(?m)^func ([A-Z]\w*)\(rank int.*\) \(?(?:rnmf\.)?Model\b`)
	found := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range declared.FindAllSubmatch(source, -1) {
			if found++; !named[string(m[1])] {
				t.Errorf("%s has no line in this table", m[1])
			}
		}
	}
	if found != len(named) {
		t.Errorf("%d constructors, %d in the table", found, len(named))
	}
}

// The papers' multiplicative updates, transcribed letter by letter with one
// *mat.Dense for every product. F (m×r) is the basis, G (r×n) the coefficients;
// G comes first, then F, and what is weighted is weighted anew before each.
// They say what MU{} is to do, to the rounding.

// frobeniusOracle is (2) and (3) of the L2,1 paper.
func frobeniusOracle(x, f, g *mat.Dense) (*mat.Dense, *mat.Dense) {
	g = Update(g, Mul(f.T(), x), Mul(f.T(), Mul(f, g)))
	f = Update(f, Mul(x, g.T()), Mul(f, Mul(g, g.T())))
	return f, g
}

// l21Oracle is (16) and (17) with D of (18).
func l21Oracle(x, f, g *mat.Dense) (*mat.Dense, *mat.Dense) {
	weights := func() *mat.Dense {
		e := NaiveResidual(x, f, g)
		_, n := e.Dims()
		d := mat.NewDense(n, n, nil)
		for i := range n {
			d.Set(i, i, 1/mat.Norm(e.ColView(i), 2))
		}
		return d
	}
	d := weights()
	g = Update(g, Mul(f.T(), Mul(x, d)), Mul(f.T(), Mul(f, Mul(g, d))))
	d = weights()
	f = Update(f, Mul(x, Mul(d, g.T())), Mul(f, Mul(g, Mul(d, g.T()))))
	return f, g
}

// l1Oracle is (62) and (63) with W_ij = 1/√((X − FG)²_ij + ε²).
func l1Oracle(eps float64) func(x, f, g *mat.Dense) (*mat.Dense, *mat.Dense) {
	return func(x, f, g *mat.Dense) (*mat.Dense, *mat.Dense) {
		weights := func() *mat.Dense {
			e := NaiveResidual(x, f, g)
			e.Apply(func(_, _ int, v float64) float64 { return 1 / math.Sqrt(v*v+eps*eps) }, e)
			return e
		}
		w := weights()
		g = Update(g, Mul(f.T(), Elem(w, x)), Mul(f.T(), Elem(w, Mul(f, g))))
		w = weights()
		f = Update(f, Mul(Elem(w, x), g.T()), Mul(Elem(w, Mul(f, g)), g.T()))
		return f, g
	}
}

// cauchyOracle is the half-quadratic form of Truncated Cauchy NMF, (12) to (14): weights
// Q_ij = 1/(γ² + E_ij²), or 0 beyond the cut-off, and weighted multiplicative
// updates as in Du, Li and Shen (2012).
func cauchyOracle(gamma, cut float64) func(x, f, g *mat.Dense) (*mat.Dense, *mat.Dense) {
	return func(x, f, g *mat.Dense) (*mat.Dense, *mat.Dense) {
		weights := func() *mat.Dense {
			e := NaiveResidual(x, f, g)
			e.Apply(func(_, _ int, v float64) float64 {
				if math.Abs(v) > cut {
					return 0
				}
				return 1 / (1 + v*v/gamma/gamma)
			}, e)
			return e
		}
		q := weights()
		g = Update(g, Mul(f.T(), Elem(q, x)), Mul(f.T(), Elem(q, Mul(f, g))))
		q = weights()
		f = Update(f, Mul(Elem(q, x), g.T()), Mul(Elem(q, Mul(f, g)), g.T()))
		return f, g
	}
}

// rnmfL1Oracle alternates over S = soft(X − FG, λ/2) and (2)-(3) on X − S
// (Zhang et al. 2011; where X − S has negative products with a factor, they are
// counted in the denominator).
func rnmfL1Oracle(lambda float64) func(x, f, g *mat.Dense) (*mat.Dense, *mat.Dense) {
	return func(x, f, g *mat.Dense) (*mat.Dense, *mat.Dense) {
		less := func() *mat.Dense {
			s := NaiveResidual(x, f, g)
			s.Apply(func(_, _ int, v float64) float64 {
				return math.Copysign(max(math.Abs(v)-lambda/2, 0), v)
			}, s)
			var y mat.Dense
			y.Sub(x, s)
			return &y
		}
		signed := func(v, num, den *mat.Dense) *mat.Dense {
			num.Apply(func(i, j int, a float64) float64 {
				if a < 0 {
					den.Set(i, j, den.At(i, j)-a)
				}
				return max(a, 0)
			}, num)
			return Update(v, num, den)
		}
		y := less()
		g = signed(g, Mul(f.T(), y), Mul(f.T(), Mul(f, g)))
		y = less()
		f = signed(f, Mul(y, g.T()), Mul(f, Mul(g, g.T())))
		return f, g
	}
}

func TestPrintedUpdates(t *testing.T) {
	for _, c := range []struct {
		name   string
		model  Model
		oracle func(x, f, g *mat.Dense) (*mat.Dense, *mat.Dense)
	}{
		{"(2)-(3)", Model{Solver: MU{}}, frobeniusOracle},
		{"(16)-(18)", Model{Loss: ByColumn{L1{Eps: 1e-60}}, Solver: MU{}}, l21Oracle},
		{"(62)-(63)", Model{Loss: L1{Eps: 0.01}, Solver: MU{}}, l1Oracle(0.01)},
		{"Cauchy", Model{Loss: Cauchy{Scale: 0.2}, Solver: MU{}}, cauchyOracle(0.2, math.Inf(1))},
		{"Truncated Cauchy", Model{Loss: Truncated{Loss: Cauchy{Scale: 0.2}, Cut: 1.1}, Solver: MU{}}, cauchyOracle(0.2, 1.1)},
		{"RNMF-L1", Model{Loss: RNMFL1(1, 0.4).Loss, Solver: Additive{Solver: MU{}}}, rnmfL1Oracle(0.4)},
	} {
		for _, shape := range []struct{ m, n, r int }{{6, 4, 1}, {7, 9, 3}, {20, 75, 5}} {
			x, _ := Planted(shape.m, shape.n, shape.r, 0.1, 0.1, 5)
			f, g := Uniform(shape.m, shape.r, 6), Uniform(shape.r, shape.n, 7)
			m := c.model
			m.Rank, m.Init, m.MaxIter, m.Tol = shape.r, WarmStart{W: f, H: g}, 30, -1
			for s, err := range m.Steps(context.Background(), x) {
				if err != nil {
					t.Fatal(err)
				}
				if s.Round > 0 {
					f, g = c.oracle(x, f, g)
				}
				if !mat.EqualApprox(s.W(), f, 1e-10) || !mat.EqualApprox(s.H(), g, 1e-10) {
					t.Errorf("%s, %v: other factors in round %d", c.name, shape, s.Round)
					break
				}
			}
			// HALS gets as far in as many rounds, or further.
			printed := NaiveObjective(m, m.Loss, x, f, g)
			m.Solver = HALS{NoExtrapolation: true}
			if got := MustFit(t, m, x); got.Objective > printed*1.001 {
				t.Errorf("%s, %v: HALS reaches %g in 30 rounds, the paper's update %g", c.name, shape, got.Objective, printed)
			}
		}
	}
}

// The plain sum of column norms, as (18) has no ε.
func TestL21IsTheSumOfNorms(t *testing.T) {
	x, _ := Planted(8, 11, 2, 0.1, 0.1, 1)
	r := MustFit(t, L21NMF(2), x)
	var want float64
	e := NaiveResidual(x, r.W, r.H)
	for j := range 11 {
		want += mat.Norm(e.ColView(j), 2)
	}
	if r.Objective < want || !Near(r.Objective, want, 5e-3) {
		t.Errorf("objective %g, the sum of the norms is %g", r.Objective, want)
	}
}

// Criterion (58) as it is printed, (J_{t+1} − J_t)/J_t < 1e-7, holds after the
// first round of any method that descends; with the sign corrected it does not.
func TestPrintedCriterionStopsAtOnce(t *testing.T) {
	x, _ := Planted(15, 20, 3, 0.1, 0, 1)
	m := Model{Rank: 3, Loss: ByColumn{L1{Eps: 1e-9}}, Solver: MU{}, Tol: 1e-7, MaxIter: 5000}
	r := MustFit(t, m, x)
	printed := 0
	for i := 1; i < len(r.Trace); i++ {
		if (r.Trace[i].Objective-r.Trace[i-1].Objective)/r.Trace[i-1].Objective < 1e-7 {
			printed = i
			break
		}
	}
	if printed != 1 || r.Reason != Converged || len(r.Trace) < 50 {
		t.Errorf("printed: round %d; corrected: %v after %d rounds", printed, r.Reason, len(r.Trace)-1)
	}
}

// Every paper's expression is valid and says what it should.
func TestPapers(t *testing.T) {
	x, _ := Planted(12, 18, 3, 0.05, 0.05, 2)
	for i, m := range []Model{NMF(3), L21NMF(3), L1NMF(3), HuberNMF(3), CIMNMF(3), HypersurfaceNMF(3, 0), HypersurfaceNMF(3, 1),
		CauchyNMF(3), TruncatedCauchyNMF(3), CappedNMF(3, 0), CappedNMF(3, 2), RNMFL1(3, 0.5)} {
		r := MustFit(t, m, x)
		if !Sound(t, fmt.Sprint(i), r) || r.Reason > MaxIter || m.Rank != 3 {
			t.Errorf("%s: %v after %d", LossName(m.Loss), r.Reason, len(r.Trace))
		}
	}
}
