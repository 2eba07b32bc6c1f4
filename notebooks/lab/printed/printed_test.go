package printed

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/neighbor"
	"github.com/robustnmf/robustnmf/rnmf/papers"
)

func uniform(m, n int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 1))
	d := mat.NewDense(m, n, nil)
	d.Apply(func(_, _ int, _ float64) float64 { return rng.Float64() }, d)
	return d
}

// data is nearly of rank 3, with a few zeros, and a graph of its samples.
func data(t *testing.T) (*mat.Dense, *rnmf.Graph) {
	t.Helper()
	x := product(uniform(12, 3, 1), uniform(3, 20, 2))
	noise := uniform(12, 20, 3)
	x.Apply(func(i, j int, v float64) float64 { return max(0, v+0.4*(noise.At(i, j)-0.6)) }, x)
	g, err := neighbor.KNN{K: 3}.Graph(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	return x, g
}

var start = rnmf.WarmStart{W: uniform(12, 3, 4), H: uniform(3, 20, 5)}

func fit(t *testing.T, f interface {
	Fit(context.Context, mat.Matrix) (*rnmf.Result, error)
}, x mat.Matrix) *rnmf.Result {
	t.Helper()
	r, err := f.Fit(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// falls checks that no round of a trace rises.
func falls(t *testing.T, name string, r *rnmf.Result) {
	t.Helper()
	for i, p := range r.Trace[1:] {
		if last := r.Trace[i].Objective; !(p.Objective <= last*(1+1e-12)) {
			t.Errorf("%s: round %d goes from %.15g to %.15g", name, i+1, last, p.Objective)
		}
	}
	if first, last := r.Trace[0].Objective, r.Objective; !(last < first) {
		t.Errorf("%s: from %g to %g", name, first, last)
	}
}

func near(a, b, tol float64) bool { return math.Abs(a-b) <= tol*max(1, math.Abs(a), math.Abs(b)) }

// Line by line, with the inverse of a dense matrix in place of (17).
func TestRRA(t *testing.T) {
	x, g := data(t)
	const beta, rounds = 1.5, 6
	r := fit(t, RRA{Start: Start{Rank: 3, Init: start, MaxIter: rounds}, Graph: g, Beta: beta, Energy: 1}, x)
	u, v := mat.DenseCopyOf(start.W), mat.DenseCopyOf(start.H.T())
	for range rounds {
		for k := range 3 {
			rk := mat.DenseCopyOf(x)
			for l := range 3 {
				if l != k {
					rk.Sub(rk, product(u.ColView(l), v.ColView(l).T()))
				}
			}
			a := product(rk, v.ColView(k))
			norm := mat.Norm(v.ColView(k), 2)
			for i := range 12 {
				u.Set(i, k, max(0, a.At(i, 0))/(norm*norm))
			}
			norm = mat.Norm(u.ColView(k), 2)
			inverse := mat.NewDense(20, 20, nil)
			inverse.Apply(func(i, j int, l float64) float64 {
				if i == j {
					return norm*norm + beta*l
				}
				return beta * l
			}, Laplacian(g))
			if err := inverse.Inverse(inverse); err != nil {
				t.Fatal(err)
			}
			b := product(inverse, product(rk.T(), u.ColView(k)))
			for j := range 20 {
				v.Set(j, k, max(0, b.At(j, 0)))
			}
		}
	}
	if !mat.EqualApprox(r.W, u, 1e-9) || !mat.EqualApprox(r.H, v.T(), 1e-9) {
		t.Error("other factors than those of Algorithm 1")
	}
	e := x
	e = mat.DenseCopyOf(e)
	e.Sub(e, product(u, v.T()))
	want := mat.Norm(e, 2)*mat.Norm(e, 2) + beta*mat.Trace(product(v.T(), product(Laplacian(g), v)))
	if !near(r.Objective, want, 1e-9) {
		t.Errorf("objective %g, want %g", r.Objective, want)
	}
	// All of V and then all of U is another algorithm.
	m := rnmf.GNMF(3, g, beta)
	m.Solver, m.Init, m.MaxIter, m.Tol = papers.RRA{Energy: 1, Printed: true}, start, rounds, -1
	other := fit(t, m, x)
	if mat.EqualApprox(r.W, other.W, 1e-3) {
		t.Error("papers.RRA{Printed: true} has the same factors: this test says nothing")
	}
	// Without a graph's weight this is HALS in that order, which descends.
	falls(t, "RRA without β", fit(t, RRA{Start: Start{Rank: 3, Init: start, MaxIter: 20}, Graph: g}, x))
	// More energy keeps more, and Σσ² fewer than Σσ.
	few, all, err := RRA{Graph: g, Energy: 0.5}.Kept()
	many, _, err2 := RRA{Graph: g}.Kept()
	squares, _, err3 := RRA{Graph: g, Squares: true}.Kept()
	if err := errors.Join(err, err2, err3); err != nil || !(few < many && many < all && squares < many) {
		t.Errorf("%d eigenvectors for half of the energy, %d for 0.95, %d of Σσ², %d in all, %v", few, many, squares, all, err)
	}
	// A component that is 0 stays 0, and the others go on.
	w := mat.DenseCopyOf(start.W)
	w.SetCol(1, make([]float64, 12))
	zero := fit(t, RRA{Start: Start{Rank: 3, Init: rnmf.WarmStart{W: w, H: start.H}, MaxIter: 5}, Graph: g, Beta: beta}, x)
	if mat.Norm(zero.W.ColView(1), 2) != 0 || math.IsNaN(zero.Objective) {
		t.Errorf("a component of 0 has length %g, objective %g", mat.Norm(zero.W.ColView(1), 2), zero.Objective)
	}
	// The rule (18).
	stopped := fit(t, RRA{Start: Start{Rank: 3, Init: start, MaxIter: 500, Tol: 1e-3}, Graph: g, Beta: beta, Energy: 1}, x)
	n := len(stopped.Trace)
	if stopped.Reason != rnmf.Converged || n > 400 || math.Abs(stopped.Trace[n-1].Objective-stopped.Trace[n-2].Objective) > 1e-3*math.Abs(stopped.Trace[1].Objective-stopped.Trace[0].Objective) {
		t.Errorf("%v after %d rounds", stopped.Reason, n-1)
	}
}

// By entries, from (14), (13), (46), (49) and (50) as they stand.
func TestLogNorm(t *testing.T) {
	x, g := data(t)
	for _, c := range []struct{ alpha, beta, gamma, lambda float64 }{{0, 0, 0, 0}, {0.3, 2, 0, 0}, {0.3, 2, 0, 1.5}, {0.3, 2, 0.8, 1.5}, {0, 1, 2.5, 0.5}} {
		const rounds = 7
		r := fit(t, LogNorm{Start: Start{Rank: 3, Init: start, MaxIter: rounds}, Alpha: c.alpha, Beta: c.beta, Gamma: c.gamma, Lambda: c.lambda, Graph: g}, x)
		u, v := mat.DenseCopyOf(start.W), mat.DenseCopyOf(start.H.T())
		s := func() *mat.Dense {
			e := mat.DenseCopyOf(x)
			e.Sub(e, product(u, v.T()))
			if c.gamma == 0 {
				return mat.NewDense(12, 20, nil)
			}
			for j := range 20 { // (38), τ = γ/2; ξ = 0 where that is less
				y, tau := mat.Norm(e.ColView(j), 2), c.gamma/2
				best, least := 0., 0.5*y*y
				if d := (1+y)*(1+y)/4 - tau; d >= 0 {
					if xi := (y-1)/2 + math.Sqrt(d); xi > 0 && 0.5*(y-xi)*(y-xi)+tau*math.Log1p(xi) < least {
						best = xi
					}
				}
				for i := range 12 {
					e.Set(i, j, e.At(i, j)*best/y)
				}
			}
			return e
		}
		for range rounds {
			y := mat.DenseCopyOf(x)
			y.Sub(y, s())
			xu, vuu, wv := product(y.T(), u), product(v, product(u.T(), u)), product(g, v)
			v.Apply(func(j, k int, a float64) float64 {
				return a * 2 * (xu.At(j, k) + c.lambda*wv.At(j, k)) / (2*vuu.At(j, k) + 2*c.lambda*g.Degree(j)*a + c.beta/(1+a))
			}, v)
			y = mat.DenseCopyOf(x)
			y.Sub(y, s())
			xv, uvv := product(y, v), product(u, product(v.T(), v))
			u.Apply(func(i, k int, a float64) float64 {
				return a * 2 * xv.At(i, k) / (2*uvv.At(i, k) + c.alpha/(1+a))
			}, u)
		}
		if !mat.EqualApprox(r.W, u, 1e-9) || !mat.EqualApprox(r.H, v.T(), 1e-9) {
			t.Errorf("%+v: not the printed iterates", c)
		}
		falls(t, "LogNorm", r)
		o := s()
		var e mat.Dense
		e.Sub(x, product(u, v.T()))
		e.Sub(&e, o)
		want := mat.Norm(&e, 2)*mat.Norm(&e, 2) + c.lambda*mat.Trace(product(v.T(), product(Laplacian(g), v)))
		for j := range 20 {
			want += c.gamma * math.Log1p(mat.Norm(o.ColView(j), 2))
		}
		for _, a := range u.RawMatrix().Data {
			want += c.alpha * math.Log1p(a)
		}
		for _, a := range v.RawMatrix().Data {
			want += c.beta * math.Log1p(a)
		}
		if !near(r.Objective, want, 1e-9) {
			t.Errorf("%+v: objective %.12g, want %.12g", c, r.Objective, want)
		}
		// The merged update of rnmf.MU: the same without β or without a graph, and else another.
		m := papers.LSNMF(3, c.alpha, c.beta, g, c.lambda)
		m.Solver = rnmf.MU{}
		if c.gamma > 0 {
			m = papers.RLSNMF(3, c.alpha, c.beta, c.gamma, g, c.lambda)
			m.Solver = papers.Additive{Solver: rnmf.MU{}}
		}
		m.Init, m.MaxIter, m.Tol = start, rounds, -1
		merged := fit(t, m, x)
		if same := mat.EqualApprox(merged.H, r.H, 1e-9); same != (c.beta == 0 || c.lambda == 0) {
			t.Errorf("%+v: the merged update is the same: %v", c, same)
		}
		if !near(merged.Trace[0].Objective, r.Trace[0].Objective, 1e-9) {
			t.Errorf("%+v: rnmf has the objective %g at the start, want %g", c, merged.Trace[0].Objective, r.Trace[0].Objective)
		}
	}
}

func TestHypersurface(t *testing.T) {
	x, _ := data(t)
	for _, scale := range []float64{0, 0.05} {
		tries := 0
		s := Hypersurface{Start: Start{Rank: 3, Init: start, MaxIter: 60}, Scale: scale, Tries: &tries}
		r := fit(t, s, x)
		falls(t, "HCNMF", r)
		if tries < 2*60 {
			t.Errorf("%d tries of steps", tries)
		}
		sigma := scale
		if sigma == 0 {
			sigma = 1
		}
		m := rnmf.HypersurfaceNMF(3, sigma)
		m.Init, m.MaxIter, m.Tol = start, 200, -1
		best := fit(t, m, x)
		if !near(best.Trace[0].Objective, r.Trace[0].Objective, 1e-9) || r.Objective < 0.9*best.Objective {
			t.Errorf("σ = %g: from %g to %g, rnmf's from %g to %g", scale, r.Trace[0].Objective, r.Objective, best.Trace[0].Objective, best.Objective)
		}
		// The gradient by finite differences.
		f := &state{x, mat.DenseCopyOf(start.W), mat.DenseCopyOf(start.H)}
		s.Scale = sigma
		inH, inW := product(f.w.T(), s.slope(f)), product(s.slope(f), f.h.T())
		for _, c := range []struct {
			v *mat.Dense
			g *mat.Dense
		}{{f.h, inH}, {f.w, inW}} {
			rows, cols := c.v.Dims()
			for i := range rows {
				for j := range cols {
					const h = 1e-6
					at := c.v.At(i, j)
					c.v.Set(i, j, at+h)
					up := s.value(f)
					c.v.Set(i, j, at-h)
					down := s.value(f)
					c.v.Set(i, j, at)
					if d := (up - down) / (2 * h); !near(d, c.g.At(i, j), 1e-5) {
						t.Fatalf("σ = %g: slope %g at [%d,%d], by differences %g", scale, c.g.At(i, j), i, j, d)
					}
				}
			}
		}
	}
}

func TestDivergence(t *testing.T) {
	x, _ := data(t)
	labels := rnmf.Labels{Class: make([]int, 20)}
	for j := range labels.Class {
		labels.Class[j] = []int{rnmf.Unlabelled, 0, rnmf.Unlabelled, 1}[j%4]
	}
	s := Divergence{Start: Start{Rank: 3, Init: start, MaxIter: 30}, Labels: labels}
	r := fit(t, s, x)
	falls(t, "CNMF by divergence", r)
	for j := range 20 {
		if j%2 == 1 && !mat.Equal(r.H.ColView(j), r.H.ColView(j%4)) {
			t.Errorf("sample %d has other coefficients than its class", j)
		}
	}
	// The samples of a class enter by their sum, so this is Lee and Seung's NMF by divergence
	// of fewer columns. Here by loops.
	columns := [][]int{}
	for j := range 20 {
		switch {
		case j == 1 || j == 3:
			columns = append(columns, []int{j, j + 4, j + 8, j + 12, j + 16})
		case j%2 == 0:
			columns = append(columns, []int{j})
		}
	}
	w, z := mat.DenseCopyOf(start.W), mat.NewDense(3, len(columns), nil)
	sums := mat.NewDense(12, len(columns), nil)
	for c, of := range columns {
		for _, j := range of {
			for i := range 12 {
				sums.Set(i, c, sums.At(i, c)+x.At(i, j))
			}
			for k := range 3 {
				z.Set(k, c, z.At(k, c)+start.H.At(k, j)) // n_c times the mean
			}
		}
	}
	for range 30 {
		y := product(w, z)
		next := mat.NewDense(12, 3, nil)
		for i := range 12 {
			for k := range 3 {
				var num, den float64
				for c := range columns {
					num += sums.At(i, c) / y.At(i, c) * z.At(k, c)
					den += z.At(k, c)
				}
				next.Set(i, k, w.At(i, k)*num/den)
			}
		}
		w = next
		y = product(w, z)
		nextZ := mat.NewDense(3, len(columns), nil)
		for k := range 3 {
			for c := range columns {
				var num, den float64
				for i := range 12 {
					num += w.At(i, k) * sums.At(i, c) / y.At(i, c)
					den += w.At(i, k)
				}
				nextZ.Set(k, c, z.At(k, c)*num/den)
			}
		}
		z = nextZ
	}
	for c, of := range columns {
		for k := range 3 {
			if got, want := r.H.At(k, of[0]), z.At(k, c)/float64(len(of)); !near(got, want, 1e-9) {
				t.Errorf("H[%d,%d] is %g, want %g", k, of[0], got, want)
			}
		}
	}
	if !mat.EqualApprox(r.W, w, 1e-9) {
		t.Error("another W")
	}
	if d := divergence(x, x); math.Abs(d) > 1e-12 {
		t.Errorf("the divergence of X from itself is %g", d)
	}
}

// From well separated clusters each sample's largest coefficient is that of its cluster, Z
// is nearly orthogonal at the end, and the objective is that of papers.RMNMF within a few %.
func TestRMNMF(t *testing.T) {
	const m, each, r = 10, 12, 3
	rng := rand.New(rand.NewPCG(2, 2))
	centre := uniform(m, r, 6)
	x, class := mat.NewDense(m, r*each, nil), make([]int, r*each)
	for j := range class {
		class[j] = j % r
		for i := range m {
			x.Set(i, j, max(0, centre.At(i, j%r)+0.03*rng.NormFloat64()))
		}
	}
	g, err := neighbor.KNN{K: 4}.Graph(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	got := fit(t, RMNMF{Start: Start{Rank: r, MaxIter: 400}, Graph: g, Lambda: 2}, x)
	inner := product(got.H, got.H.T())
	for k := range r {
		for l := range r {
			want := 0.
			if k == l {
				want = 1
			}
			if math.Abs(inner.At(k, l)-want) > 0.05 {
				t.Errorf("ZᵀZ[%d,%d] is %g, want about %g", k, l, inner.At(k, l), want)
			}
		}
	}
	own := got.Clusters()
	for j := range class {
		if (own[j] == own[j%r]) != (class[j] == class[j%r]) {
			t.Errorf("sample %d of class %d is with %d", j, class[j], own[j])
		}
	}
	best := fit(t, papers.RMNMF(r, g, 2), x)
	if got.Objective > 1.2*best.Objective || got.Objective < 0.8*best.Objective {
		t.Errorf("objective %g, rnmf's %g", got.Objective, best.Objective)
	}
}

// The gradients are those of differences; without labels no round rises; and with the
// paper's parameters F ends near that of papers.FGD{Printed: true} for the same model.
func TestRSS(t *testing.T) {
	x, _ := data(t)
	labels := rnmf.Labels{Class: make([]int, 20)}
	for j := range labels.Class {
		labels.Class[j] = []int{rnmf.Unlabelled, 0, 1, 2, rnmf.Unlabelled}[j%5]
	}
	s := RSS{Start: Start{Rank: 3, Init: start, MaxIter: 40}, Labels: labels}
	f := &state{x, mat.DenseCopyOf(start.W), mat.DenseCopyOf(start.H)}
	lambda := []float64{0.7, 1.3, 2}
	inH, inW := s.gradient(f, lambda), product(influence(f.residual()), f.h.T())
	inW.Scale(-1, inW)
	for _, c := range []struct{ v, g *mat.Dense }{{f.h, inH}, {f.w, inW}} {
		rows, cols := c.v.Dims()
		for i := range rows {
			for j := range cols {
				const h = 1e-6
				at := c.v.At(i, j)
				c.v.Set(i, j, at+h)
				up := s.value(f, lambda)
				c.v.Set(i, j, at-h)
				down := s.value(f, lambda)
				c.v.Set(i, j, at)
				if d := (up - down) / (2 * h); !near(d, c.g.At(i, j), 1e-6) {
					t.Fatalf("slope %g at [%d,%d], by differences %g", c.g.At(i, j), i, j, d)
				}
			}
		}
	}
	// Λ minimises the label term.
	s.normalise(f, lambda)
	least := s.value(f, lambda)
	for k := range lambda {
		for _, by := range []float64{0.99, 1.01} {
			lambda[k] *= by
			if s.value(f, lambda) < least {
				t.Errorf("Λ[%d] times %g is better", k, by)
			}
			lambda[k] /= by
		}
	}
	none := rnmf.Labels{Class: make([]int, 20)}
	for j := range none.Class {
		none.Class[j] = rnmf.Unlabelled
	}
	for _, scale := range []float64{0.05, 1} {
		plain := s
		plain.Labels, plain.Scale, plain.Xi = none, scale, 1e-9
		r := fit(t, plain, x)
		falls(t, "RSS without labels", r)
		m := rnmf.HypersurfaceNMF(3, scale)
		m.Init, m.MaxIter, m.Tol = start, 300, -1
		best := fit(t, m, x)
		if !near(r.Trace[0].Objective, best.Trace[0].Objective, 1e-9) || r.Objective > 2*best.Objective {
			t.Errorf("σ = %g: from %g to %g, by HALS from %g to %g", scale, r.Trace[0].Objective, r.Objective, best.Trace[0].Objective, best.Objective)
		}
	}
	r := fit(t, s, x)
	if first := r.Trace[0].Objective; !(r.Objective < first) {
		t.Errorf("with labels from %g to %g", first, r.Objective)
	}
	for k := range 3 {
		if sum := mat.Sum(r.W.ColView(k)); !near(sum, 1, 1e-12) {
			t.Errorf("column %d of W sums to %g", k, sum)
		}
	}
	loose := s
	loose.Xi = 0.1
	if a := fit(t, loose, x); a.Reason != rnmf.Converged || len(a.Trace) >= len(r.Trace) {
		t.Errorf("%v after %d rounds with ξ = 0.1", a.Reason, len(a.Trace)-1)
	}
	// Repaired it never rises, whatever the labels weigh.
	for _, s.Labels.Weight = range []float64{1, 10, 100} {
		s.Repairs = Repairs{Search: true, Denominator: true, One: true, Weights: true}
		falls(t, fmt.Sprintf("RSS, repaired, w = %g", s.Labels.Weight), fit(t, s, x))
	}
}

func fits(g *rnmf.Graph, labels rnmf.Labels, s Start) map[string]interface {
	Fit(context.Context, mat.Matrix) (*rnmf.Result, error)
} {
	return map[string]interface {
		Fit(context.Context, mat.Matrix) (*rnmf.Result, error)
	}{
		"RRA":          RRA{Start: s, Graph: g, Beta: 1},
		"LogNorm":      LogNorm{Start: s, Graph: g, Lambda: 1, Beta: 1, Gamma: 1},
		"Hypersurface": Hypersurface{Start: s},
		"Divergence":   Divergence{Start: s, Labels: labels},
		"RMNMF":        RMNMF{Start: s, Graph: g, Lambda: 1},
		"RSS":          RSS{Start: s, Labels: labels, Scale: 0.1, Xi: 1e-300},
	}
}

// after is a context that ends when it has been asked so often.
type after struct {
	context.Context
	left int
}

func (a *after) Err() error {
	if a.left--; a.left < 0 {
		return context.Canceled
	}
	return nil
}

func TestCommon(t *testing.T) {
	x, g := data(t)
	before := mat.DenseCopyOf(x)
	labels := rnmf.Labels{Class: make([]int, 20)}
	for name, f := range fits(g, labels, Start{Rank: 3, Seed: 1, MaxIter: 8}) {
		a, b := fit(t, f, x), fit(t, f, x)
		if !mat.Equal(a.W, b.W) || !mat.Equal(a.H, b.H) {
			t.Errorf("%s: the same seed gives other factors", name)
		}
		if len(a.Trace) != 9 || a.Reason != rnmf.MaxIter || a.Trace[8].Objective != a.Objective || mat.Min(a.H) < 0 || name != "RMNMF" && mat.Min(a.W) < 0 {
			t.Errorf("%s: %d points, %v, least %g and %g", name, len(a.Trace), a.Reason, mat.Min(a.W), mat.Min(a.H))
		}
		ended, end := context.WithCancel(t.Context())
		end()
		if r, err := f.Fit(ended, x); r != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v and %v after its context ended", name, r, err)
		}
		// A run that is cancelled has the factors of its last whole round.
		from := Start{Rank: 3, Init: start, MaxIter: 8}
		if r, err := fits(g, labels, from)[name].Fit(&after{t.Context(), 6}, x); r != nil {
			n := len(r.Trace) - 1
			from.MaxIter = n
			short := fit(t, fits(g, labels, from)[name], x)
			if !errors.Is(err, context.Canceled) || r.Reason != rnmf.Cancelled || n < 1 || n > 7 || !mat.Equal(r.W, short.W) {
				t.Errorf("%s: %v after %d rounds, %v", name, r.Reason, n, err)
			}
		} else {
			t.Errorf("%s: nothing, %v", name, err)
		}
	}
	if !mat.Equal(x, before) {
		t.Error("X has changed")
	}
}

func TestBadInput(t *testing.T) {
	x, g := data(t)
	with := func(v float64) *mat.Dense {
		d := mat.DenseCopyOf(x)
		d.Set(2, 3, v)
		return d
	}
	labels := rnmf.Labels{Class: make([]int, 20)}
	for name, f := range fits(g, labels, Start{Rank: 3, MaxIter: 2}) {
		for _, c := range []struct {
			x    mat.Matrix
			want error
			says string
		}{
			{nil, rnmf.ErrEmpty, "X is nil"},
			{&mat.Dense{}, rnmf.ErrEmpty, "0×0"},
			{with(math.NaN()), rnmf.ErrNotFinite, "X[2,3]"},
			{with(math.Inf(1)), rnmf.ErrNotFinite, "X[2,3]"},
			{with(-1), rnmf.ErrNegative, "X[2,3]"},
			{with(1e200), rnmf.ErrTooLarge, "X[2,3]"},
		} {
			if r, err := f.Fit(t.Context(), c.x); r != nil || !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %v, want %v", name, err, c.want)
			}
		}
		if name != "Hypersurface" {
			if r, err := f.Fit(t.Context(), uniform(12, 9, 1)); r != nil || !errors.Is(err, rnmf.ErrShape) && !errors.Is(err, rnmf.ErrLabels) {
				t.Errorf("%s: %v for a graph or labels of other samples", name, err)
			}
		}
		// Zeros are no error.
		if r, err := f.Fit(t.Context(), mat.NewDense(12, 20, nil)); err != nil || math.IsNaN(r.Objective) || math.IsNaN(mat.Sum(r.W)+mat.Sum(r.H)) {
			t.Errorf("%s of zeros: %v", name, err)
		}
	}
	s := Start{Rank: 3, MaxIter: 2}
	for name, c := range map[string]struct {
		f interface {
			Fit(context.Context, mat.Matrix) (*rnmf.Result, error)
		}
		want error
	}{
		"no rank":         {Hypersurface{}, rnmf.ErrRank},
		"rank 13":         {Hypersurface{Start: Start{Rank: 13}}, rnmf.ErrRank},
		"rounds":          {Hypersurface{Start: Start{Rank: 3, MaxIter: -1}}, rnmf.ErrParameter},
		"tolerance":       {Hypersurface{Start: Start{Rank: 3, Tol: math.NaN()}}, rnmf.ErrParameter},
		"σ":               {Hypersurface{Start: s, Scale: -1}, rnmf.ErrParameter},
		"no graph":        {RRA{Start: s}, rnmf.ErrParameter},
		"β":               {RRA{Start: s, Graph: g, Beta: -1}, rnmf.ErrParameter},
		"energy":          {RRA{Start: s, Graph: g, Energy: 1.5}, rnmf.ErrParameter},
		"α":               {LogNorm{Start: s, Alpha: math.Inf(1)}, rnmf.ErrParameter},
		"λ without graph": {LogNorm{Start: s, Lambda: 1}, rnmf.ErrParameter},
		"RMNMF's graph":   {RMNMF{Start: s}, rnmf.ErrParameter},
		"RMNMF's λ":       {RMNMF{Start: s, Graph: g, Lambda: math.NaN()}, rnmf.ErrParameter},
		"RSS's τ":         {RSS{Start: s, Labels: labels, Tau: -1}, rnmf.ErrParameter},
		"RSS's ξ":         {RSS{Start: s, Labels: labels, Xi: math.NaN()}, rnmf.ErrParameter},
		"RSS's w":         {RSS{Start: s, Labels: rnmf.Labels{Class: labels.Class, Weight: -1}}, rnmf.ErrParameter},
		"RSS's class":     {RSS{Start: s, Labels: rnmf.Labels{Class: append([]int{3}, make([]int, 19)...)}}, rnmf.ErrLabels},
		"class −2":        {Divergence{Start: s, Labels: rnmf.Labels{Class: append([]int{-2}, make([]int, 19)...)}}, rnmf.ErrLabels},
		"class 20":        {Divergence{Start: s, Labels: rnmf.Labels{Class: append([]int{20}, make([]int, 19)...)}}, rnmf.ErrLabels},
	} {
		if r, err := c.f.Fit(t.Context(), x); r != nil || !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	if _, _, err := (RRA{}).Kept(); !errors.Is(err, rnmf.ErrParameter) {
		t.Errorf("kept without a graph: %v", err)
	}
}

// On real data the rounds that are promised to descend do.
func TestOnDigits(t *testing.T) {
	s, err := datasets.Digits().Sample(8, 1)
	if err != nil {
		t.Fatal(err)
	}
	x := s.Scaled().X
	g, err := neighbor.KNN{}.Graph(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	labels := rnmf.Labels{Class: s.Labels, Names: s.Classes}.Few(2, rand.New(rand.NewPCG(1, 1)).Perm(len(s.Labels)))
	all := fits(g, labels, Start{Rank: 10, Seed: 1, MaxIter: 25})
	for _, name := range []string{"LogNorm", "Hypersurface", "Divergence"} {
		falls(t, name, fit(t, all[name], x))
	}
}
