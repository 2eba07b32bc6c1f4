package papers

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
	"gonum.org/v1/gonum/mat"
)

// The tangent lies above and touches; its slope is the derivative.
func TestLogSparseTangent(t *testing.T) {
	const r, n = 3, 7
	rng := rand.New(rand.NewPCG(1, 2))
	for _, p := range []LogSparse{{Lambda: 0.7}, {0.7, 1}, {2, 1e-3}, {0.1, 50}, {3, 1e-75}} {
		for range 20 {
			v := mat.NewDense(r, n, nil)
			v.Apply(func(i, _ int, _ float64) float64 {
				if i == 0 {
					return 0
				}
				return math.Pow(10, 6*rng.Float64()-4)
			}, v)
			linear, diagonal := Bound(t, p, v)
			if mat.Max(diagonal) != 0 {
				t.Fatal("a tangent has no curvature")
			}
			bound := func(u *mat.Dense) float64 { // −2⟨C, u − v⟩ + value
				sum := p.Value(v)
				for i, c := range linear.RawMatrix().Data {
					sum -= 2 * c * (u.RawMatrix().Data[i] - v.RawMatrix().Data[i])
				}
				return sum
			}
			u := mat.DenseCopyOf(v)
			u.Apply(func(_, _ int, a float64) float64 { return a * math.Pow(10, 4*rng.Float64()-2) }, u)
			u.Set(rng.IntN(r), rng.IntN(n), math.Pow(10, 4*rng.Float64()-2))
			if got, above := p.Value(u), bound(u); got > above*(1+1e-12) {
				t.Errorf("%+v: %g above its tangent, %g", p, got, above)
			}
			i, j := 1+rng.IntN(r-1), rng.IntN(n)
			x, eps := v.At(i, j), p.eps()
			d := 1e-5 * (eps + x)
			want := p.Lambda * (math.Log((x+d+eps)/eps) - math.Log((x-d+eps)/eps)) / (2 * d)
			if got := -2 * linear.At(i, j); !Near(got, want, 1e-6) {
				t.Errorf("%+v at %g: slope %g, want %g", p, x, got, want)
			}
		}
	}
}

func TestLogSparseValue(t *testing.T) {
	v := mat.NewDense(2, 2, []float64{0, math.E - 1, 3, 1e-9})
	if got, want := (LogSparse{Lambda: 2}).Value(v), 2*(1+2*math.Ln2+1e-9); !Near(got, want, 1e-15) {
		t.Errorf("%.17g, want %.17g", got, want)
	}
	if got, want := (LogSparse{2, 3}).Value(v), 2*(math.Log((math.E+2)/3)+math.Ln2+1e-9/3); !Near(got, want, 1e-15) {
		t.Errorf("%.17g, want %.17g", got, want)
	}
	// Between l0 and L1: as ε goes to 0 it counts, up to a factor; as it grows it sums.
	count := LogSparse{1 / math.Log(1e60), 1e-60}.Value(mat.NewDense(1, 3, []float64{0, 1, 1}))
	sum := LogSparse{1e9, 1e9}.Value(v)
	if !Near(count, 2, 1e-3) || !Near(sum, mat.Sum(v), 1e-6) {
		t.Errorf("count %g, sum %g", count, sum)
	}
	for _, bad := range []LogSparse{{Lambda: -1}, {Lambda: math.NaN()}, {1, -1}, {1, math.Inf(1)}, {1, 1e-80}} {
		for _, m := range []Model{{Rank: 1, OnW: []Penalty{bad}}, {Rank: 1, OnH: []Penalty{bad}}} {
			if _, err := m.Fit(context.Background(), Uniform(2, 3, 1)); !errors.Is(err, ErrParameter) {
				t.Errorf("%+v: %v", bad, err)
			}
		}
	}
}

// lsPrinted is (13) and (14) with the paper's letters, X ≈ UVᵀ, and with shrink
// (46), (49) and (50): S comes before each factor, V before U. With net, what 2λWV
// and β ⊘ (1 + V) have in common is taken from the numerator and the denominator.
func lsPrinted(x, u, v *mat.Dense, g *Graph, lambda, alpha, beta float64, shrink func(y *mat.Dense) *mat.Dense, net bool, rounds int) (*mat.Dense, *mat.Dense) {
	n := g.SymmetricDim()
	d := mat.NewDiagDense(n, nil)
	for i := range n {
		d.SetDiag(i, g.Degree(i))
	}
	scale := func(f float64, a mat.Matrix) *mat.Dense {
		var c mat.Dense
		c.Scale(f, a)
		return &c
	}
	add := func(a, b mat.Matrix) *mat.Dense {
		var c mat.Dense
		c.Add(a, b)
		return &c
	}
	ones := func(f float64, a *mat.Dense) *mat.Dense { // f·1 ⊘ (1 + a)
		var c mat.Dense
		c.Apply(func(_, _ int, v float64) float64 { return f / (1 + v) }, a)
		return &c
	}
	less := func() *mat.Dense {
		if shrink == nil {
			return x
		}
		var c mat.Dense
		c.Sub(x, shrink(NaiveResidual(x, u, mat.DenseCopyOf(v.T()))))
		return &c
	}
	for range rounds {
		y := less()
		near, sparse := scale(2*lambda, Mul(g, v)), ones(beta, v)
		if net {
			common := mat.DenseCopyOf(near)
			common.Apply(func(i, j int, a float64) float64 { return -min(a, sparse.At(i, j)) }, near)
			near, sparse = add(near, common), add(sparse, common)
		}
		v = Update(v, add(scale(2, Mul(y.T(), u)), near),
			add(scale(2, Mul(v, Mul(u.T(), u))), add(scale(2*lambda, Mul(d, v)), sparse)))
		y = less()
		u = Update(u, scale(2, Mul(y, v)), add(scale(2, Mul(u, Mul(v.T(), v))), ones(alpha, u)))
	}
	return u, v
}

func TestLSNMFAsPrinted(t *testing.T) {
	x, _ := Planted(9, 14, 3, 0.1, 0.1, 5)
	g := Ring(14, 2)
	start := WarmStart{W: Uniform(9, 3, 1), H: Uniform(3, 14, 2)}
	for _, c := range []struct{ lambda, alpha, beta float64 }{{0, 0, 0}, {0, 2, 0.5}, {1.5, 0.3, 0}, {1.5, 0.3, 4}} {
		m := LSNMF(3, c.alpha, c.beta, g, c.lambda)
		m.Solver, m.Init, m.MaxIter, m.Tol = MU{}, start, 15, -1
		r := MustFit(t, m, x)
		both := c.lambda > 0 && c.beta > 0
		u, v := lsPrinted(x, Uniform(9, 3, 1), mat.DenseCopyOf(Uniform(3, 14, 2).T()), g, c.lambda, c.alpha, c.beta, nil, both, 15)
		if !mat.EqualApprox(r.W, u, 1e-10) || !mat.EqualApprox(r.H, v.T(), 1e-10) {
			t.Errorf("%+v: not the printed iterates", c)
		}
		// Theorem 1: neither raises the objective.
		u, v = Uniform(9, 3, 1), mat.DenseCopyOf(Uniform(3, 14, 2).T())
		last := math.Inf(1)
		for range 15 {
			u, v = lsPrinted(x, u, v, g, c.lambda, c.alpha, c.beta, nil, false, 1)
			now := NaiveObjective(m, nil, x, u, mat.DenseCopyOf(v.T()))
			if now > last*(1+1e-12) {
				t.Errorf("%+v: %g after %g", c, now, last)
			}
			last = now
		}
		for i, p := range r.Trace[1:] {
			if p.Objective > r.Trace[i].Objective*(1+1e-12) {
				t.Errorf("%+v: round %d rose", c, i+1)
			}
		}
		m.Solver = nil // the default goes at least as far
		if best := MustFit(t, m, x); best.Objective > r.Objective {
			t.Errorf("%+v: %g by default, %g as printed", c, best.Objective, r.Objective)
		}
	}
}

func TestRLSNMFAsPrinted(t *testing.T) {
	x, _ := Planted(9, 14, 3, 0.1, 0.1, 5)
	g := Ring(14, 2)
	start := WarmStart{W: Uniform(9, 3, 1), H: Uniform(3, 14, 2)}
	for _, gamma := range []float64{0.01, 1, 2.5, 8} {
		m := RLSNMF(3, 0.3, 0.2, gamma, g, 0.4)
		m.Solver, m.Init, m.MaxIter, m.Tol = Additive{MU{}}, start, 15, -1
		r := MustFit(t, m, x)
		shrink := func(y *mat.Dense) *mat.Dense {
			s, err := shrink(gamma / 2).Shrink(y)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		u, v := lsPrinted(x, Uniform(9, 3, 1), mat.DenseCopyOf(Uniform(3, 14, 2).T()), g, 0.4, 0.3, 0.2, shrink, true, 15)
		if !mat.EqualApprox(r.W, u, 1e-9) || !mat.EqualApprox(r.H, v.T(), 1e-9) {
			t.Errorf("γ = %g: not the printed iterates", gamma)
		}
		// S is that of the factors, X − S is not negative (Theorem 3), and the
		// objective is that of (35).
		o, err := r.Outliers(x, nil)
		if err != nil {
			t.Fatal(err)
		}
		s := shrink(NaiveResidual(x, r.W, r.H))
		if !mat.EqualApprox(o.S, s, 1e-12) {
			t.Errorf("γ = %g: other outliers", gamma)
		}
		var rest mat.Dense
		rest.Sub(x, s)
		if mat.Min(&rest) < -1e-15 {
			t.Errorf("γ = %g: X − S has %g", gamma, mat.Min(&rest))
		}
		f := mat.Norm(NaiveResidual(&rest, r.W, r.H), 2)
		want := f*f + gamma*l2log(s) + 0.4*g.Roughness(r.H) + LogSparse{Lambda: 0.3}.Value(r.W) + LogSparse{Lambda: 0.2}.Value(r.H)
		if !Near(r.Objective, want, 1e-10) {
			t.Errorf("γ = %g: objective %.15g, (35) has %.15g", gamma, r.Objective, want)
		}
	}
}
