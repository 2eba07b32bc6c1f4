package papers

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
	"gonum.org/v1/gonum/mat"
)

func TestUnitLaplacian(t *testing.T) {
	const r, n = 3, 17
	g := Ring(n, 3)
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
				sum += Mul(Mul(row, l), row.T()).At(0, 0) / s / s
			} else {
				sum += p.top()
			}
		}
		return 0.7 * sum
	}
	for seed := range uint64(200) {
		at, to := Uniform(r, n, 2*seed), Uniform(r, n, 2*seed+1)
		if seed%3 == 0 {
			clear(at.RawRowView(1))
		}
		if seed%5 == 0 {
			clear(to.RawRowView(2))
		}
		if seed%7 == 0 {
			Orthogonal{}.Project(to)
		}
		linear, diagonal := Bound(t, p, at)
		bound := func(v *mat.Dense) (sum float64) {
			for k := range r {
				for j := range n {
					x := v.At(k, j)
					sum += diagonal.At(k, j)*x*x - 2*linear.At(k, j)*x
				}
			}
			return sum
		}
		if !Near(p.Value(at), value(at), 1e-12) {
			t.Fatalf("value %g, want %g", p.Value(at), value(at))
		}
		if gap := bound(to) - bound(at) - (value(to) - value(at)); gap < -1e-12 {
			t.Fatalf("the bound is %g too low", gap)
		}
		if mat.Min(diagonal) < 0 || mat.Min(linear) < 0 {
			t.Fatal("negative")
		}
		double := mat.DenseCopyOf(at)
		double.Scale(3, double)
		if !Near(p.Value(double), p.Value(at), 1e-12) {
			t.Fatal("it depends on scale")
		}
	}
	for _, c := range []struct {
		p    UnitLaplacian
		want error
	}{{UnitLaplacian{nil, 1}, ErrParameter}, {UnitLaplacian{g, -1}, ErrParameter}, {UnitLaplacian{Ring(5, 1), 1}, ErrShape}} {
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
		f := Mul(y, g)
		// G = UVᵀ of Z + Σ/μ − λLZ/μ + YᵀF.
		lz := Mul(l, z)
		nn := Mul(y.T(), f)
		nn.Apply(func(i, k int, v float64) float64 {
			return v + z.At(i, k) + (sigma.At(i, k)-lambda*lz.At(i, k))/mu
		}, nn)
		var svd mat.SVD
		svd.Factorize(nn, mat.SVDThin)
		var u, v mat.Dense
		svd.UTo(&u)
		svd.VTo(&v)
		g = Mul(&u, v.T())
		// Z = max(0, G − Σ/μ − λLG/μ).
		lg := Mul(l, g)
		z.Apply(func(i, k int, _ float64) float64 {
			return max(0, g.At(i, k)-(sigma.At(i, k)+lambda*lg.At(i, k))/mu)
		}, z)
		// E: the columns of X − FGᵀ + Λ/μ shrunk by 1/μ.
		fg := Mul(f, g.T())
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
	e := NaiveResidual(x, w, h)
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
	return sum + lambda*mat.Trace(Mul(Mul(unit, l), unit.T()))
}

// From the same start, ours ends no higher than the augmented Lagrangian, rounded to a
// feasible H and W solved for it.
func TestRMNMF(t *testing.T) {
	const m, n, r = 10, 36, 3
	var ours, theirs float64
	for seed := range uint64(4) {
		x, truth := ClassesOf(r, n/r, m, 0, seed)
		graph := Neighbors(x, 4, nil)
		lambda := 2.0
		model := RMNMF(r, graph, lambda)
		model.Seed, model.Tol = seed, 1e-9
		a := MustFit(t, model, x)
		Falls(t, "RMNMF", a.Trace)
		if !OneEach(a.H) {
			t.Error("H has no orthogonal rows")
		}
		// Component numbers are arbitrary.
		if right := MatchedShare(truth, ownComponent(a.H)); right < 0.9 {
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
		got, eps := value(a.W, a.H), ScaleNow(a.Loss)
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
		w := Mul(x, z.T())
		for range 200 {
			e := NaiveResidual(x, w, z)
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
