package rnmf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/work"
)

// signed returns data of both signs.
func signed(m, n, r int, seed uint64) *mat.Dense {
	x := mul(normal(m, r, seed), uniform(r, n, seed+1))
	e := normal(m, n, seed+2)
	e.Scale(0.1, e)
	x.Add(x, e)
	return x
}

func normal(m, n int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 77))
	x := mat.NewDense(m, n, nil)
	x.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, x)
	return x
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

// oneEach reports whether no column has two entries that are not 0.
func oneEach(h *mat.Dense) bool {
	r, n := h.Dims()
	for j := range n {
		count := 0
		for k := range r {
			if h.At(k, j) != 0 {
				count++
			}
		}
		if count > 1 {
			return false
		}
	}
	return true
}

// Ding, Li and Jordan (2010), (9) and (10), F = W and G = Hᵀ, letter by letter.
func semiOracle(x, g *mat.Dense) (f, next *mat.Dense) {
	var inverse mat.Dense
	if err := inverse.Inverse(mul(g.T(), g)); err != nil {
		panic(err)
	}
	f = mul(x, mul(g, &inverse))
	parts := func(a *mat.Dense) (plus, minus *mat.Dense) {
		plus, minus = mat.DenseCopyOf(a), mat.DenseCopyOf(a)
		plus.Apply(func(_, _ int, v float64) float64 { return (math.Abs(v) + v) / 2 }, a)
		minus.Apply(func(_, _ int, v float64) float64 { return (math.Abs(v) - v) / 2 }, a)
		return plus, minus
	}
	xfPlus, xfMinus := parts(mul(x.T(), f))
	ffPlus, ffMinus := parts(mul(f.T(), f))
	next = mat.DenseCopyOf(g)
	up, down := mul(g, ffMinus), mul(g, ffPlus)
	up.Add(up, xfPlus)
	down.Add(down, xfMinus)
	next.Apply(func(i, k int, v float64) float64 { return v * math.Sqrt(up.At(i, k)/down.At(i, k)) }, g)
	return f, next
}

func TestSemiNMFIsTheirs(t *testing.T) {
	const m, n, r = 9, 14, 3
	x := signed(m, n, r, 5)
	h := uniform(r, n, 6)
	// Theirs begins with F, a round here with H.
	f, g := semiOracle(x, mat.DenseCopyOf(h.T()))
	model := SemiNMF(r)
	model.SolverH, model.Tol = MU{}, -1
	model.Init = Factors{f, h}
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
	x := signed(m, n, r, 1)
	var svd mat.SVD
	svd.Factorize(x, mat.SVDNone)
	var least float64
	for _, s := range svd.Values(nil)[r:] {
		least += s * s
	}
	for seed := range uint64(2) {
		model := SemiNMF(r)
		model.Seed, model.MaxIter, model.Tol = seed, 500, 1e-8
		a := mustFit(t, model, x)
		model.SolverH = MU{}
		b := mustFit(t, model, x)
		if a.Objective < least*(1-1e-9) {
			t.Errorf("%g is below the bound %g", a.Objective, least)
		}
		if a.Objective > b.Objective*1.02 {
			t.Errorf("seed %d: %g by HALS, %g by MU", seed, a.Objective, b.Objective)
		}
		e := naiveResidual(x, a.W, a.H)
		if g := mat.Norm(mul(e, a.H.T()), 2); g > 1e-8*mat.Norm(x, 2)*mat.Norm(a.H, 2) {
			t.Errorf("W is not the least squares one: gradient %g", g)
		}
		if mat.Min(a.W) >= 0 || a.KKT > 1e-2 {
			t.Errorf("W ≥ %g, KKT %g", mat.Min(a.W), a.KKT)
		}
	}
	// With W ≥ 0 as well the fit cannot be better.
	y, _ := planted(m, n, 6, 0.1, 0, 3)
	free := mustFit(t, Model{Rank: r, SolverW: LeastSquares{}, MaxIter: 500, Tol: 1e-8}, y)
	if nmf := mustFit(t, Model{Rank: r, MaxIter: 1000, Tol: 1e-8}, y); free.Objective > nmf.Objective*(1+1e-6) {
		t.Errorf("semi-NMF %g, NMF %g", free.Objective, nmf.Objective)
	}
}

// All that a Result does works with negative entries in W.
func TestSignedResult(t *testing.T) {
	const m, n, r = 8, 30, 3
	x := signed(m, n, r, 2)
	a := mustFit(t, SemiNMF(r), x)
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
		if was, now := mat.Norm(naiveResidual(x, a.W, a.H), 2), mat.Norm(naiveResidual(x, a.W, h), 2); now > was*(1+1e-6) {
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
			if !mat.EqualApprox(mul(w, h), mul(a.W, a.H), 1e-9) || mat.Min(h) < 0 {
				t.Errorf("%d: norm %g changes the product, or a sign", i, norm)
			}
		}
	}
	// Loss and mask.
	for name, c := range masks(x, 4) {
		m := SemiNMF(r)
		m.Loss, m.MaxIter = Cauchy{}, 50
		if c[1] != nil {
			m.Mask = c[1]
		}
		r := mustFit(t, m, c[0])
		if _, err := r.Outliers(c[0], nil); err != nil || r.Reason == Diverged {
			t.Error(name, r.Reason, err)
		}
	}
}

// clusterCost is what is left of each cluster without its first singular vector, which
// for W, H ≥ 0 with orthogonal rows is the least for this partition.
func clusterCost(x *mat.Dense, of []int, r int) float64 {
	m, n := x.Dims()
	var sum float64
	for k := range r {
		var data []float64
		for j := range n {
			if of[j] == k {
				data = append(data, mat.Col(nil, j, x)...)
			}
		}
		if data == nil {
			continue
		}
		var svd mat.SVD
		svd.Factorize(mat.NewDense(len(data)/m, m, data), mat.SVDNone)
		for _, s := range svd.Values(nil)[1:] {
			sum += s * s
		}
	}
	return sum
}

func ownComponent(h *mat.Dense) []int { return (&Result{W: ones(h), H: h}).Clusters() }

func ones(h *mat.Dense) *mat.Dense {
	r, _ := h.Dims()
	w := mat.NewDense(r, r, nil)
	for k := range r {
		w.Set(k, k, 1)
	}
	return w
}

// dingONMF is (8) with (23) of Ding, Li, Peng and Park (2006), G = Hᵀ:
// F ← F∘(XG)/(FGᵀG), G ← G∘√(XᵀF / (GGᵀXᵀF)).
func dingONMF(x, f, g *mat.Dense) (*mat.Dense, *mat.Dense) {
	xf := mul(x.T(), f)
	next := mat.DenseCopyOf(g)
	den := mul(g, mul(g.T(), xf))
	next.Apply(func(i, k int, v float64) float64 { return v * math.Sqrt(xf.At(i, k)/max(den.At(i, k), 1e-300)) }, g)
	g = next
	return update(f, mul(x, g), mul(f, mul(g.T(), g))), g
}

// choiONMF is ONMF-S of Choi (2008), S = H: S ← S∘(AᵀX)/(SXᵀAS), A ← A∘(XSᵀ)/(ASSᵀ).
func choiONMF(x, a, s *mat.Dense) (*mat.Dense, *mat.Dense) {
	ax := mul(a.T(), x)
	s = update(s, ax, mul(mul(s, ax.T()), s))
	return update(a, mul(x, s.T()), mul(a, mul(s, s.T()))), s
}

func TestONMF(t *testing.T) {
	const m, r = 5, 2
	found := 0
	for seed := range uint64(10) {
		x, _ := planted(m, 9, 3, 0.2, 0, seed)
		best := math.Inf(1)
		of := make([]int, 9)
		for code := range 1 << 9 {
			for j := range of {
				of[j] = code >> j & 1
			}
			best = min(best, clusterCost(x, of, r))
		}
		least := math.Inf(1)
		for start := range uint64(30) {
			model := ONMF(r)
			model.Seed, model.Tol, model.MaxIter = start, 1e-13, 5000
			if start > 2 {
				model.Init = nil // the fill of empty components is used
			}
			a := mustFit(t, model, x)
			if cost := clusterCost(x, ownComponent(a.H), r); a.Objective < best*(1-1e-9) || !near(a.Objective, cost, 1e-6) {
				t.Errorf("objective %g, of its clusters %g, best of all %g", a.Objective, cost, best)
			}
			g := mul(a.H, a.H.T())
			if g.At(0, 1) != 0 || g.At(0, 0) == 0 || g.At(1, 1) == 0 {
				t.Errorf("HHᵀ = %v", mat.Formatted(g))
			}
			least = min(least, a.Objective)
		}
		if near(least, best, 1e-6) {
			found++
		}
	}
	if found < 9 {
		t.Errorf("the best of all partitions in %d of 10", found)
	}
}

// The published updates, from the same start, rounded to the clusters they have found
// and refitted, are on average no better.
func TestONMFOracles(t *testing.T) {
	const m, n, r = 12, 45, 3
	var ours, dings, chois float64
	for seed := range uint64(6) {
		x, _ := classesOf(r, n/r, m, 0, seed)
		model := ONMF(r)
		model.Seed, model.MaxIter = seed, 300
		ours += mustFit(t, model, x).Objective
		w, h, err := Clusters{Shift: 0.2}.Start(t.Context(), x, r, rand.New(rand.NewPCG(seed, 1)))
		if err != nil {
			t.Fatal(err)
		}
		f, g := mat.DenseCopyOf(w), mat.DenseCopyOf(h.T())
		a, s := mat.DenseCopyOf(w), mat.DenseCopyOf(h)
		for range 300 {
			f, g = dingONMF(x, f, g)
			a, s = choiONMF(x, a, s)
		}
		for _, rows := range []*mat.Dense{mat.DenseCopyOf(g.T()), s} {
			unit := mul(rows, rows.T())
			if off := unit.At(0, 1) / math.Sqrt(unit.At(0, 0)*unit.At(1, 1)); off > 0.1 {
				t.Errorf("the oracle's rows have the cosine %g: is it transcribed right?", off)
			}
		}
		dings += clusterCost(x, ownComponent(mat.DenseCopyOf(g.T())), r)
		chois += clusterCost(x, ownComponent(s), r)
	}
	if ours > dings*1.001 || ours > chois*1.001 {
		t.Errorf("ours %g, Ding et al. %g, Choi %g", ours, dings, chois)
	}
}

func TestUnitLaplacian(t *testing.T) {
	const r, n = 3, 17
	g := ring(n, 3)
	p := UnitLaplacian{g, 0.7}
	l := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			l.Set(i, j, -g.At(i, j))
		}
		l.Set(i, i, g.Degree(i)-g.At(i, i))
	}
	var eigen mat.EigenSym
	eigen.Factorize(mat.NewSymDense(n, l.RawMatrix().Data), false)
	if top := eigen.Values(nil)[n-1]; p.top() < top {
		t.Errorf("β = %g, the largest eigenvalue is %g", p.top(), top)
	}
	value := func(v *mat.Dense) (sum float64) {
		for k := range r {
			row := v.Slice(k, k+1, 0, n).(*mat.Dense)
			if s := mat.Norm(row, 2); s > 0 {
				sum += mul(mul(row, l), row.T()).At(0, 0) / s / s
			} else {
				sum += p.top()
			}
		}
		return 0.7 * sum
	}
	for seed := range uint64(200) {
		at, to := uniform(r, n, 2*seed), uniform(r, n, 2*seed+1)
		if seed%3 == 0 {
			clear(at.RawRowView(1))
		}
		if seed%5 == 0 {
			clear(to.RawRowView(2))
		}
		if seed%7 == 0 {
			Orthogonal{}.Project(to)
		}
		q := &Quadratic{r: r, n: n}
		p.Majorize(q, at)
		bound := func(v *mat.Dense) (sum float64) {
			for k := range r {
				for j := range n {
					x := v.At(k, j)
					sum += q.Diagonal().At(k, j)*x*x - 2*q.Linear().At(k, j)*x
				}
			}
			return sum
		}
		if !near(p.Value(at), value(at), 1e-12) {
			t.Fatalf("value %g, want %g", p.Value(at), value(at))
		}
		if gap := bound(to) - bound(at) - (value(to) - value(at)); gap < -1e-12 {
			t.Fatalf("the bound is %g too low", gap)
		}
		if mat.Min(q.Diagonal()) < 0 || mat.Min(q.Linear()) < 0 {
			t.Fatal("negative")
		}
		double := mat.DenseCopyOf(at)
		double.Scale(3, double)
		if !near(p.Value(double), p.Value(at), 1e-12) {
			t.Fatal("it depends on scale")
		}
	}
	for _, c := range []struct {
		p    UnitLaplacian
		want error
	}{{UnitLaplacian{nil, 1}, ErrParameter}, {UnitLaplacian{g, -1}, ErrParameter}, {UnitLaplacian{ring(5, 1), 1}, ErrShape}} {
		if err := c.p.Check(r, n); !errors.Is(err, c.want) {
			t.Errorf("%v, want %v", err, c.want)
		}
	}
}

// almRMNMF is the augmented Lagrangian with the splittings E = X − FGᵀ and Z = G of
// RMNMF, which ends with an orthonormal G and a non-negative Z near it.
func almRMNMF(x *mat.Dense, l *mat.Dense, g *mat.Dense, lambda float64) *mat.Dense {
	m, n := x.Dims()
	_, r := g.Dims()
	mu := 1e-2
	e, lam, sigma := mat.NewDense(m, n, nil), mat.NewDense(m, n, nil), mat.NewDense(n, r, nil)
	z := mat.DenseCopyOf(g)
	for range 400 {
		// F = (X − E + Λ/μ)G, as GᵀG = I.
		y := mat.DenseCopyOf(x)
		y.Apply(func(i, j int, v float64) float64 { return v - e.At(i, j) + lam.At(i, j)/mu }, y)
		f := mul(y, g)
		// G = UVᵀ of Z + Σ/μ − λLZ/μ + YᵀF.
		lz := mul(l, z)
		nn := mul(y.T(), f)
		nn.Apply(func(i, k int, v float64) float64 {
			return v + z.At(i, k) + (sigma.At(i, k)-lambda*lz.At(i, k))/mu
		}, nn)
		var svd mat.SVD
		svd.Factorize(nn, mat.SVDThin)
		var u, v mat.Dense
		svd.UTo(&u)
		svd.VTo(&v)
		g = mul(&u, v.T())
		// Z = max(0, G − Σ/μ − λLG/μ).
		lg := mul(l, g)
		z.Apply(func(i, k int, _ float64) float64 {
			return max(0, g.At(i, k)-(sigma.At(i, k)+lambda*lg.At(i, k))/mu)
		}, z)
		// E: the columns of X − FGᵀ + Λ/μ shrunk by 1/μ.
		fg := mul(f, g.T())
		for j := range n {
			var norm float64
			for i := range m {
				a := x.At(i, j) - fg.At(i, j) + lam.At(i, j)/mu
				e.Set(i, j, a)
				norm += a * a
			}
			s := max(0, 1-1/(mu*math.Sqrt(norm)))
			for i := range m {
				e.Set(i, j, s*e.At(i, j))
			}
		}
		lam.Apply(func(i, j int, v float64) float64 { return v + mu*(x.At(i, j)-fg.At(i, j)-e.At(i, j)) }, lam)
		sigma.Apply(func(i, k int, v float64) float64 { return v + mu*(z.At(i, k)-g.At(i, k)) }, sigma)
		mu = min(1.05*mu, 1e6)
	}
	return z
}

// naiveRMNMF is Σ_j ‖x_j − Wh_j‖ + λ tr(HLHᵀ) with each row of H at length 1, which
// changes nothing if W takes the lengths. A row of zeros counts as much as a row can.
func naiveRMNMF(x, l, w, h *mat.Dense, lambda float64) (sum float64) {
	e := naiveResidual(x, w, h)
	r, n := h.Dims()
	for j := range n {
		sum += mat.Norm(e.ColView(j), 2)
	}
	unit := mat.DenseCopyOf(h)
	for k := range r {
		if norm := mat.Norm(unit.RowView(k), 2); norm > 0 {
			for j := range n {
				unit.Set(k, j, h.At(k, j)/norm)
			}
			continue
		}
		var most float64
		for i := range n {
			for j := range n {
				if i != j && l.At(i, j) != 0 {
					most = max(most, l.At(i, i)+l.At(j, j))
				}
			}
		}
		sum += lambda * most
	}
	return sum + lambda*mat.Trace(mul(mul(unit, l), unit.T()))
}

// From the same start, ours ends no higher than the paper's Lagrangian, rounded to a
// feasible H and W solved for it.
func TestRMNMF(t *testing.T) {
	const m, n, r = 10, 36, 3
	var ours, theirs float64
	for seed := range uint64(4) {
		x, truth := classesOf(r, n/r, m, 0, seed)
		graph := neighbors(x, 4, nil)
		lambda := 2.0
		model := RMNMF(r, graph, lambda)
		model.Seed, model.Tol = seed, 1e-9
		a := mustFit(t, model, x)
		falls(t, "RMNMF", a.Trace)
		if !oneEach(a.H) {
			t.Error("H has no orthogonal rows")
		}
		// Component numbers are arbitrary.
		if right := matchedShare(truth, ownComponent(a.H)); right < 0.9 {
			t.Errorf("seed %d: %.2f of the samples are with their class", seed, right)
		}
		l := mat.NewDense(n, n, nil)
		for i := range n {
			for j := range n {
				l.Set(i, j, -graph.At(i, j))
			}
			l.Set(i, i, graph.Degree(i))
		}
		value := func(w, h *mat.Dense) float64 { return naiveRMNMF(x, l, w, h, lambda) }
		// The loss is smoothed, each norm by Eps at most.
		got, eps := value(a.W, a.H), scaleNow(a.Loss)
		if a.Objective < got*(1-1e-12) || a.Objective > got+n*eps {
			t.Errorf("seed %d: objective %g, want %g and up to %g more", seed, a.Objective, got, n*eps)
		}
		ours += got
		_, h, err := model.Init.Start(t.Context(), x, r, rand.New(rand.NewPCG(seed, 1)))
		if err != nil {
			t.Fatal(err)
		}
		g := mat.DenseCopyOf(h.T())
		for k := range r {
			norm := mat.Norm(g.ColView(k), 2)
			for j := range n {
				g.Set(j, k, g.At(j, k)/norm)
			}
		}
		z := mat.DenseCopyOf(almRMNMF(x, l, g, lambda).T())
		Orthogonal{}.Project(z)
		// W for that H: weighted means, to convergence.
		w := mul(x, z.T())
		for range 200 {
			e := naiveResidual(x, w, z)
			for k := range r {
				var den float64
				num := make([]float64, m)
				for j := range n {
					a := z.At(k, j) / max(mat.Norm(e.ColView(j), 2), 1e-9)
					den += a * z.At(k, j)
					for i := range m {
						num[i] += a * x.At(i, j)
					}
				}
				for i := range m {
					w.Set(i, k, num[i]/max(den, 1e-300))
				}
			}
		}
		theirs += value(w, z)
	}
	t.Logf("ours %g, the Lagrangian's %g", ours, theirs)
	if ours > theirs*(1+1e-9) {
		t.Errorf("ours %g, the Lagrangian's %g", ours, theirs)
	}
}

// convexOracle is (28) and (29) of Ding, Li and Jordan (2010), X ≈ XWGᵀ.
func convexOracle(x, w, g *mat.Dense) (*mat.Dense, *mat.Dense) {
	k := mul(x.T(), x)
	plus, minus := mat.DenseCopyOf(k), mat.DenseCopyOf(k)
	plus.Apply(func(_, _ int, v float64) float64 { return (math.Abs(v) + v) / 2 }, k)
	minus.Apply(func(_, _ int, v float64) float64 { return (math.Abs(v) - v) / 2 }, k)
	root := func(v, up1, up2, down1, down2 *mat.Dense) *mat.Dense {
		next := mat.DenseCopyOf(v)
		next.Apply(func(i, j int, a float64) float64 {
			return a * math.Sqrt((up1.At(i, j)+up2.At(i, j))/(down1.At(i, j)+down2.At(i, j)))
		}, v)
		return next
	}
	g = root(g, mul(plus, w), mul(g, mul(w.T(), mul(minus, w))), mul(minus, w), mul(g, mul(w.T(), mul(plus, w))))
	gg := mul(g.T(), g)
	return root(w, mul(plus, g), mul(mul(minus, w), gg), mul(minus, g), mul(mul(plus, w), gg)), g
}

func TestConvexNMF(t *testing.T) {
	const m, n, r = 10, 30, 3
	for seed := range uint64(2) {
		plain, _ := planted(m, n, r, 0.1, 0.1, seed)
		for _, x := range []*mat.Dense{plain, signed(m, n, r, seed)} {
			init := Clusters{Shift: 0.2}
			_, h, err := init.Start(t.Context(), x, r, rand.New(rand.NewPCG(seed, 0x52_4e_4d_46)))
			if err != nil {
				t.Fatal(err)
			}
			w, g := mat.DenseCopyOf(newSpan(x, h, work.Never).g.T()), mat.DenseCopyOf(h.T())
			last := math.Inf(1)
			for range 400 {
				w, g = convexOracle(x, w, g)
				now := mat.Norm(naiveResidual(x, mul(x, w), mat.DenseCopyOf(g.T())), 2)
				if now > last*(1+1e-10) {
					t.Fatal("the oracle rises: is it transcribed right?")
				}
				last = now
			}
			for _, loss := range []Loss{nil, ByColumn{L1{Eps: 1e-3}}, Cauchy{Scale: 0.3}} {
				s := ConvexNMF{Model{Rank: r, Seed: seed, Init: init, Signed: true, MaxIter: 200, Tol: -1, Loss: loss}}
				a, err := s.Fit(context.Background(), x)
				if err != nil {
					t.Fatal(err)
				}
				falls(t, lossName(loss), a.Trace)
				if mat.Min(a.G) < 0 || mat.Min(a.H) < 0 || !mat.EqualApprox(a.W, mul(x, a.G), 1e-9) {
					t.Error("G or H is negative, or W is not XG")
				}
				if want := naiveObjective(s.Model, loss, x, a.W, a.H); !near(a.Objective, want, 1e-9) {
					t.Errorf("objective %g, want %g", a.Objective, want)
				}
				if loss == nil && math.Sqrt(a.Objective) > last*1.005 {
					t.Errorf("%g, the multiplicative updates reach %g", math.Sqrt(a.Objective), last)
				}
			}
		}
	}
	x, _ := planted(m, n, r, 0.1, 0, 1)
	for _, model := range []Model{{Rank: r, Mask: x}, {Rank: r, Solver: MU{}}, {Rank: r, OnW: []Penalty{Ridge{1}}}} {
		if _, err := (ConvexNMF{model}).Fit(context.Background(), x); !errors.Is(err, ErrParameter) {
			t.Error(err)
		}
	}
	if _, err := (ConvexNMF{NMF(2)}).Fit(context.Background(), signed(4, 5, 2, 1)); !errors.Is(err, ErrNegative) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	a, err := ConvexNMF{NMF(r)}.Fit(ctx, x)
	if !errors.Is(err, context.Canceled) || a.Reason != Cancelled || !mat.EqualApprox(a.W, mul(x, a.G), 1e-12) {
		t.Errorf("%v, %+v", err, a)
	}
}

func TestConstrainedErrors(t *testing.T) {
	x := uniform(5, 7, 1)
	for _, m := range []Model{
		{Rank: 2, SolverW: LeastSquares{}, OnW: []Penalty{Sparse{1}}},
		{Rank: 2, SolverW: Additive{LeastSquares{}}, SolverH: Additive{}, OnW: []Penalty{Sparse{1}}},
		{Rank: 2, SolverW: LeastSquares{}, SolverH: OGM{}},
		{Rank: 2, SolverW: LeastSquares{}, SolverH: HALS{Sweeps: -1}},
		{Rank: 2, SolverW: LeastSquares{}, SolverH: Additive{Solver: OGM{}}},
	} {
		if _, err := m.Fit(context.Background(), x); !errors.Is(err, ErrParameter) {
			t.Errorf("%+v: %v", m, err)
		}
	}
	for _, m := range []Model{NMF(2), ONMF(2)} {
		m.Init = Factors{signed(5, 2, 1, 1), uniform(2, 7, 1)}
		if _, err := m.Fit(context.Background(), x); !errors.Is(err, ErrNegative) {
			t.Errorf("%+v: %v", m, err)
		}
	}
}

// No number is lost with data at the edge of what can be.
func TestRivalsDegenerate(t *testing.T) {
	one := mat.NewDense(4, 6, nil)
	one.Set(2, 3, 5)
	holes := uniform(4, 6, 3)
	for i := range 4 {
		holes.Set(i, 2, 0)
	}
	for name, x := range map[string]*mat.Dense{
		"zero": mat.NewDense(4, 6, nil), "one entry": one, "constant": constantOnes(4, 6), "a column of zeros": holes,
		"huge": scaled(uniform(4, 6, 1), 1e90), "tiny": scaled(uniform(4, 6, 1), 1e-99), "denormal": scaled(constantOnes(4, 6), 5e-324),
		"one sample": uniform(4, 1, 1), "one feature": uniform(1, 6, 1), "a number": constantOnes(1, 1),
	} {
		m, n := x.Dims()
		r := min(m, n, 3)
		graph := ring(n, 1)
		for _, model := range []Model{ONMF(r), SemiNMF(r), {Rank: r, SolverW: LeastSquares{}, SolverH: MU{}}, RMNMF(r, graph, 1), RMNMF(r, graph, 1000),
			{Rank: r, SolverH: Orthogonal{}, SolverW: HALS{Sweeps: 1}, Loss: Cauchy{}}, {Rank: r, SolverW: LeastSquares{}, Loss: L1{}}, SparseNMF(r, 1, 1000, graph, 1), Model{Rank: r, Mask: constantOnes(m, n)}} {
			model.MaxIter = 30
			a := mustFit(t, model, x)
			label := fmt.Sprintf("%s: %+v", name, model)
			if err := errors.Join(checkEntries("W", a.W, nil, true), checkEntries("H", a.H, nil, false)); err != nil || math.IsNaN(a.Objective+a.KKT) || a.Reason == Diverged {
				t.Errorf("%s: %v, objective %g, KKT %g, %v", label, err, a.Objective, a.KKT, a.Reason)
			}
			if _, err := a.Transform(context.Background(), x, nil); err != nil {
				t.Errorf("%s: %v", label, err)
			}
		}
		a, err := ConvexNMF{Model{Rank: r, MaxIter: 30}}.Fit(context.Background(), x)
		if err != nil || !sound(t, name, a.Result) {
			t.Errorf("%s: convex: %v", name, err)
		}
	}
}

func TestRivalsSameBits(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	x, _ := planted(40, 210, 4, 0.05, 0.1, 1)
	for i, m := range []Model{ONMF(4), SemiNMF(4), RMNMF(4, ring(210, 1), 2), {Rank: 4, SolverW: LeastSquares{}, Loss: Cauchy{}}, {Rank: 4, SolverH: Orthogonal{}, SolverW: HALS{Sweeps: 1}, Loss: Hypersurface{}}, {Rank: 4}} {
		m.MaxIter, m.Tol = 5, -1
		var want *Result
		for _, procs := range []int{1, 2, 8} {
			runtime.GOMAXPROCS(procs)
			force(t, procs)
			var got *Result
			if i == 5 {
				c, err := ConvexNMF{m}.Fit(context.Background(), x)
				if err != nil {
					t.Fatal(err)
				}
				got = c.Result
			} else {
				got = mustFit(t, m, x)
			}
			if want == nil {
				want = got
			} else if !sameBits(got.W, want.W) || !sameBits(got.H, want.H) || got.Objective != want.Objective || got.KKT != want.KKT {
				t.Errorf("model %d: other bits on %d processors", i, procs)
			}
		}
	}
}

// The L1 version of (3), and what shrinks everything to nothing.
func TestSparseNMF(t *testing.T) {
	x, _ := planted(8, 20, 3, 0.05, 0, 2)
	m := SparseNMF(3, 0.3, 0.4, ring(20, 1), 0.2)
	a := mustFit(t, m, x)
	falls(t, "SparseNMF", a.Trace)
	e := mat.Norm(naiveResidual(x, a.W, a.H), 2)
	if want := e*e + 0.3*mat.Sum(a.W) + 0.4*mat.Sum(a.H) + 0.2*ring(20, 1).Roughness(a.H); !near(a.Objective, want, 1e-10) {
		t.Errorf("objective %g, want %g", a.Objective, want)
	}
	if b := mustFit(t, SparseNMF(3, 1e4, 1e4, nil, 0), x); mat.Norm(mul(b.W, b.H), 2) != 0 {
		t.Error("large α and β leave something")
	}
}

// A row of W that is 0 does not draw all samples to its component.
func TestOrthogonalEmptyW(t *testing.T) {
	x := uniform(6, 12, 1)
	w := uniform(6, 3, 2)
	for i := range 6 {
		w.Set(i, 1, 0)
	}
	m := RMNMF(3, ring(12, 1), 5)
	m.Init = Factors{w, uniform(3, 12, 3)}
	for s, err := range m.Steps(context.Background(), x) {
		if err != nil || !oneEach(s.H()) {
			t.Fatal(s.Round, err)
		}
	}
}
