package papers

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/internal/eigen"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
	"github.com/robustnmf/robustnmf/rnmf/internal/work"
)

// rraAsPrinted is Algorithm 1 of the RRA paper, with its letters, a residual matrix and dense
// eigenvectors. With apart V is done before U instead of column by column in turn.
func rraAsPrinted(x, u, v *mat.Dense, g *Graph, beta, energy float64, rounds int, apart bool) (objectives []float64) {
	_, r := u.Dims()
	n := g.SymmetricDim()
	l := mat.NewDense(n, n, nil)
	var trace float64
	for i := range n {
		l.Set(i, i, g.Degree(i))
		trace += g.Degree(i)
		for j := range n {
			if j != i {
				l.Set(i, j, -g.At(i, j))
			}
		}
	}
	all := eigen.All(eigen.Symmetric{Dense: l}, work.Never)
	values, theta := all.Values, mat.DenseCopyOf(all.Vectors.T())
	p, sum := 0, 0.0
	for p < n && sum < energy*trace {
		sum += values[p]
		p++
	}
	residual := mat.DenseCopyOf(x)
	rank1 := func(k int, sign float64) { residual.RankOne(residual, sign, u.ColView(k), v.ColView(k)) }
	for k := range r {
		rank1(k, -1)
	}
	setColumn := func(a *mat.Dense, k int, column *mat.VecDense) {
		for i := range column.Len() {
			a.Set(i, k, max(0, column.AtVec(i)))
		}
	}
	updateU := func(k int) { // line 6
		norm := mat.Dot(v.ColView(k), v.ColView(k))
		if norm == 0 {
			return
		}
		var c mat.VecDense
		c.MulVec(residual, v.ColView(k))
		c.ScaleVec(1/norm, &c)
		setColumn(u, k, &c)
	}
	updateV := func(k int) { // lines 7 and 8, with (17)
		norm := mat.Dot(u.ColView(k), u.ColView(k))
		if norm == 0 {
			return
		}
		var b, y, z mat.VecDense
		b.MulVec(residual.T(), u.ColView(k))
		kept := theta.Slice(0, n, 0, p)
		y.MulVec(kept.T(), &b)
		for i := range p {
			y.SetVec(i, y.AtVec(i)*beta/(norm*norm)/(1/values[i]+beta/norm))
		}
		z.MulVec(kept, &y)
		b.ScaleVec(1/norm, &b)
		b.SubVec(&b, &z)
		setColumn(v, k, &b)
	}
	turn := func(k int, updates ...func(int)) {
		rank1(k, 1) // line 5
		for _, f := range updates {
			f(k)
		}
		rank1(k, -1) // line 9
	}
	for range rounds {
		for k := range r {
			if apart {
				turn(k, updateV)
			} else {
				turn(k, updateU, updateV)
			}
		}
		for k := range r {
			if apart {
				turn(k, updateU)
			}
		}
		f := mat.Norm(residual, 2)
		objectives = append(objectives, f*f+beta*g.Roughness(mat.DenseCopyOf(v.T())))
	}
	return objectives
}

func TestRRAAsPrinted(t *testing.T) {
	x, _ := Planted(12, 30, 4, 0.2, 0, 7)
	g := Neighbors(x, 5, nil)
	exploded := false
	for _, beta := range []float64{0.1, 1, 100} {
		for _, energy := range []float64{0.5, 0.95} {
			w, h := Uniform(12, 4, 1), Uniform(4, 30, 2)
			m := GNMF(4, g, beta)
			m.Solver, m.Init, m.MaxIter, m.Tol = RRA{Printed: true, Energy: energy}, WarmStart{W: w, H: h}, 12, -1
			r := MustFit(t, m, x)
			u, v := mat.DenseCopyOf(w), mat.DenseCopyOf(h.T())
			want := rraAsPrinted(x, u, v, g, beta, energy, 12, true)
			best := r.Trace[0].Objective
			for i, p := range r.Trace[1:] {
				if !Near(p.Objective, want[i], 1e-8) {
					t.Errorf("β = %g, energy %g, round %d: %.12g, printed %.12g", beta, energy, i+1, p.Objective, want[i])
				}
				exploded = exploded || p.Objective > 1.0001*r.Trace[i].Objective
				best = min(best, p.Objective)
			}
			if r.Objective > best*(1+1e-8) {
				t.Errorf("β = %g, energy %g: the result has %g, a round %g", beta, energy, r.Objective, best)
			}
			// In turn, as Algorithm 1 has it; the default is not worse.
			u, v = mat.DenseCopyOf(w), mat.DenseCopyOf(h.T())
			want = rraAsPrinted(x, u, v, g, beta, energy, 12, false)
			m.Solver = nil
			if r := MustFit(t, m, x); r.Objective > 1.001*want[11] {
				t.Errorf("β = %g, energy %g: %g by default, %g by Algorithm 1", beta, energy, r.Objective, want[11])
			}
		}
	}
	if !exploded {
		t.Error("RRA as printed did not raise the objective")
	}
}

// The projection (15) is not the constrained minimiser: from a minimum RRA as printed
// goes uphill with the exact inverse, too, and RRA made safe stays.
func TestRRALeavesAMinimum(t *testing.T) {
	if testing.Short() {
		t.Skip("3000 rounds to a minimum")
	}
	x, _ := Planted(20, 60, 6, 0.3, 0.2, 7)
	g := Neighbors(x, 5, nil)
	m := GNMF(6, g, 3)
	m.OnW, m.MaxIter, m.Tol = []Penalty{Ridge{Lambda: 0.1}}, 3000, -1
	r := MustFit(t, m, x)
	if r.KKT > 1e-10 {
		t.Fatalf("no minimum: KKT residual %g", r.KKT)
	}
	m.Init, m.MaxIter = WarmStart{W: r.W, H: r.H}, 1
	for _, c := range []struct {
		solver RRA
		uphill bool
	}{{RRA{Printed: true, Energy: 1}, true}, {RRA{Printed: true}, true}, {RRA{Energy: 1}, false}, {RRA{}, false}} {
		m.Solver = c.solver
		trace := MustFit(t, m, x).Trace
		if rise := trace[1].Objective/trace[0].Objective - 1; c.uphill != (rise > 1e-6) || !c.uphill && rise > 1e-12 {
			t.Errorf("%+v: rises by %g", c.solver, rise)
		}
	}
}

// An Energy that is none has no eigenvectors, and no panic.
func TestPrepareBadEnergy(t *testing.T) {
	for _, energy := range []float64{-1, 2, math.NaN()} {
		if kept, _ := (RRA{Energy: energy}).Prepare(t.Context(), Ring(9, 1)); kept != 0 {
			t.Errorf("energy %g: %d eigenvectors", energy, kept)
		}
	}
	if kept, _ := (RRA{Energy: 1}).Prepare(t.Context(), Ring(9, 1)); kept == 0 {
		t.Error("energy 1: no eigenvectors")
	}
}
