package papers

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
	"gonum.org/v1/gonum/mat"
)

// twice returns a above or beside itself.
func twice(a *mat.Dense, beside bool) *mat.Dense {
	var c mat.Dense
	if beside {
		c.Augment(a, a)
	} else {
		c.Stack(a, a)
	}
	return &c
}

func times(a *mat.Dense, by float64) *mat.Dense {
	var c mat.Dense
	c.Scale(by, a)
	return &c
}

// With weights in Units a fit does not depend on the unit of X, nor on whether each
// sample or each feature is there once or twice.
func TestUnits(t *testing.T) {
	const m, n, r = 11, 16, 3
	x, _ := Planted(m, n, r, 0.1, 0.1, 4)
	w, h := Uniform(m, r, 1), Uniform(r, n, 2)
	once := Ring(n, 1)
	var both []Edge // of the graph, and of its copy beside it
	for i := range n {
		to, weight := once.Neighbors(i)
		for k, j := range to {
			both = append(both, Edge{I: i, J: j, Weight: weight[k]}, Edge{I: i + n, J: j + n, Weight: weight[k]})
		}
	}
	pair, err := NewGraph(2*n, both)
	if err != nil {
		t.Fatal(err)
	}
	fit := func(x, w, h *mat.Dense, g *Graph, solver Solver, loss bool) *Result {
		u, err := NewPenaltyUnits(x, r)
		if err != nil {
			t.Fatal(err)
		}
		model := Model{Rank: r, Init: WarmStart{W: w, H: h}, Solver: solver, MaxIter: 20, Tol: -1,
			OnW: []Penalty{LogSparse{0.03 * u.W, u.Entry}, Lasso{Lambda: 0.01 * u.W / u.Entry}, Ridge{Lambda: 0.01 * u.W / u.Entry / u.Entry}},
			OnH: []Penalty{LogSparse{0.1 * u.H, u.Entry}, Laplacian{Graph: g, Lambda: 0.2 * u.Graph}}}
		if loss {
			model.Loss = ByColumn{Loss: LogShrink{Gamma: 0.5, Scale: u.Column}}
		}
		return MustFit(t, model, x)
	}
	for _, loss := range []bool{false, true} {
		for _, solver := range []Solver{HALS{NoExtrapolation: true, Sweeps: 2}, MU{}, Additive{MU{}}} {
			want := fit(x, w, h, once, solver, loss)
			for _, by := range []float64{1e-20, 255, 1e15} {
				root := math.Sqrt(by)
				got := fit(times(x, by), times(w, root), times(h, root), once, solver, loss)
				if !mat.EqualApprox(got.W, times(want.W, root), 1e-7*root) || !mat.EqualApprox(got.H, times(want.H, root), 1e-7*root) || !Near(got.Objective/by/by, want.Objective, 1e-7) {
					t.Errorf("%T: another fit of data times %g", solver, by)
				}
			}
			got := fit(twice(x, true), w, twice(h, true), pair, solver, loss)
			if !mat.EqualApprox(got.W, want.W, 1e-7) || !mat.EqualApprox(got.H, twice(want.H, true), 1e-7) {
				t.Errorf("%T: another fit of samples given twice", solver)
			}
			got = fit(twice(x, false), twice(w, false), h, once, solver, loss)
			if !mat.EqualApprox(got.W, twice(want.W, false), 1e-7) || !mat.EqualApprox(got.H, want.H, 1e-7) {
				t.Errorf("%T: another fit of features given twice", solver)
			}
		}
	}
	u, err := NewPenaltyUnits(mat.NewDense(2, 3, []float64{3, 0, 1, 4, 1, 0}), 2)
	if err != nil || !Near(u.Entry, math.Sqrt(0.75), 1e-15) || !Near(u.W, 27.0/4, 1e-15) || !Near(u.H, 27.0/6, 1e-15) || !Near(u.Graph, 6, 1e-15) || !Near(u.Column, 3, 1e-15) {
		t.Errorf("%+v, %v", u, err)
	}
	if u, err := NewPenaltyUnits(mat.NewDense(2, 3, nil), 2); u != (PenaltyUnits{}) || err != nil {
		t.Errorf("%+v, %v", u, err)
	}
	for _, c := range []struct {
		x    mat.Matrix
		rank int
		want error
	}{{nil, 1, ErrEmpty}, {x, 0, ErrParameter}, {mat.NewDense(1, 1, []float64{math.Inf(1)}), 1, ErrNotFinite},
		{mat.NewDense(1, 2, []float64{0, 1e-170}), 1, ErrParameter}, {mat.NewDense(1, 2, []float64{0, -1e-170}), 1, ErrParameter}} {
		if _, err := NewPenaltyUnits(c.x, c.rank); !errors.Is(err, c.want) {
			t.Errorf("%v, want %v", err, c.want)
		}
	}
}

// unitLength scales each column to length 1.
func unitLength(x *mat.Dense) *mat.Dense {
	c := mat.DenseCopyOf(x)
	for j, s := range columnLengths(x) {
		for i := range c.RawMatrix().Rows {
			c.Set(i, j, c.At(i, j)/s)
		}
	}
	return c
}

// On samples of length 1 moderate weights make all components 0, whatever the
// solver; the fit says so. In Units the same numbers leave them as they are.
func TestCollapse(t *testing.T) {
	take := OneIn(t, 3)
	planted, _ := Planted(60, 30, 6, 0.1, 0, 2)
	x := unitLength(planted)
	u, err := NewPenaltyUnits(x, 6)
	if err != nil {
		t.Fatal(err)
	}
	graph := Neighbors(x, 5, nil)
	for _, solver := range []Solver{nil, HALS{NoExtrapolation: true}, MU{}, OGM{}, FGD{}, RRA{}, Additive{}, Additive{MU{}}} {
		for _, m := range []Model{LSNMF(6, 5, 5, graph, 0.1), LSNMF(6, 5, 5, nil, 0), RLSNMF(6, 5, 5, 10, graph, 0.1), {Rank: 6, OnW: []Penalty{Lasso{Lambda: 5}}, OnH: []Penalty{Lasso{Lambda: 5}}}} {
			if !take() {
				continue
			}
			m.Solver = solver
			r := MustFit(t, m, x)
			if r.Reason != Collapsed || !Near(r.Objective, 30, 1e-4) {
				t.Errorf("%T: %v at %g after %d rounds, ‖X‖² is 30", solver, r.Reason, r.Objective, len(r.Trace))
			}
			if _, exact := solver.(HALS); exact && (r.Live() != 0 || mat.Max(r.W) > 0 || mat.Max(r.H) > 0) {
				t.Errorf("%T: %d components are left", solver, r.Live())
			}
		}
		m := LSNMF(6, 0, 0, graph, 0.1*u.Graph)
		m.OnW[0], m.OnH[0] = LogSparse{0.01 * u.W, u.Entry}, LogSparse{0.01 * u.H, u.Entry}
		m.Solver = solver
		if r := MustFit(t, m, x); r.Reason == Collapsed || r.Live() != 6 {
			t.Errorf("%T: %v, %d components", solver, r.Reason, r.Live())
		}
	}
	// The last step of a loop says so, too; and a 0 that is right is none.
	var reasons []Reason
	for s, err := range LSNMF(6, 5, 5, nil, 0).Steps(context.Background(), x) {
		if err != nil {
			t.Fatal(err)
		}
		reasons = append(reasons, s.Result().Reason)
	}
	if slices.Index(reasons, Collapsed) != len(reasons)-1 || Collapsed.String() != "collapsed" {
		t.Error(reasons)
	}
	if r := MustFit(t, LSNMF(2, 1, 1, nil, 0), mat.NewDense(3, 4, nil)); r.Reason == Collapsed {
		t.Error("0 is not collapsed data")
	}
}

// Where nothing moves the bound itself tells: a WH of 2e-7 of the data is small, one of
// 5e-8 is nothing, and without penalties a start of one's own.
func TestCollapseBound(t *testing.T) {
	x := ConstantOnes(4, 5)
	for _, c := range []struct {
		size      float64
		penalties []Penalty
		want      Reason
	}{{1e-3, []Penalty{Ridge{Lambda: 1e-9}}, Stalled}, {2e-7, []Penalty{Ridge{Lambda: 1e-9}}, Stalled}, {5e-8, []Penalty{Ridge{Lambda: 1e-9}}, Collapsed}, {5e-8, nil, Stalled}} {
		m := Model{Rank: 2, Solver: Lazy{}, OnH: c.penalties, Init: WarmStart{W: Scaled(ConstantOnes(4, 2), c.size/2), H: ConstantOnes(2, 5)}}
		if r := MustFit(t, m, x); r.Reason != c.want {
			t.Errorf("WH of %g of the data, %d penalties: %v, want %v", c.size, len(c.penalties), r.Reason, c.want)
		}
	}
}

// Components die one after the other as the weights grow.
func TestLive(t *testing.T) {
	planted, _ := Planted(40, 30, 6, 0.05, 0, 2)
	x := unitLength(planted)
	u, err := NewPenaltyUnits(x, 6)
	if err != nil {
		t.Fatal(err)
	}
	last, between := 6, false
	for _, weight := range []float64{0, 0.01, 0.1, 0.2, 0.5, 1, 2, 5} {
		m := Model{Rank: 6, Seed: 1, MaxIter: 2000, OnW: []Penalty{LogSparse{weight * u.W, u.Entry}}, OnH: []Penalty{LogSparse{weight * u.H, u.Entry}}}
		r := MustFit(t, m, x)
		live := r.Live()
		if live > last || (live == 0) != (r.Reason == Collapsed) {
			t.Errorf("weight %g: %d live after %d, %v", weight, live, last, r.Reason)
		}
		between = between || live > 0 && live < 6
		last = live
	}
	if last != 0 || !between {
		t.Errorf("%d are left, between: %v", last, between)
	}
}
