package papers

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
	"gonum.org/v1/gonum/mat"
)

// diagonal is diag(d).
func diagonal(d []float64) *mat.Dense {
	n := len(d)
	out := mat.NewDense(n, n, nil)
	for i, v := range d {
		out.Set(i, i, v)
	}
	return out
}

// spectral is ‖m‖₂ by an eigenvalue decomposition, line 2 of Algorithm 1.
func spectral(m *mat.Dense) float64 {
	var e mat.EigenSym
	n, _ := m.Dims()
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			s.SetSym(i, j, m.At(i, j))
		}
	}
	if !e.Factorize(s, false) {
		panic("no eigenvalues")
	}
	values := e.Values(nil)
	return values[n-1]
}

// collatzWielandt is the bound that stands for ‖m‖₂ in OGM{Printed: true}.
func collatzWielandt(m *mat.Dense) float64 {
	r, _ := m.Dims()
	x := ConstantOnes(r, 1)
	for range 2 {
		y := Mul(m, x)
		if mat.Max(y) == 0 {
			return 0
		}
		y.Scale(1/mat.Max(y), y)
		x.Scale(1e-6, x)
		x.Add(x, y)
	}
	var ratio mat.Dense
	ratio.DivElem(Mul(m, x), x)
	return mat.Max(&ratio)
}

// algorithm1 is Algorithm 1 of the Truncated Cauchy paper, letter by letter but
// for line 8, where h^k replaces z^k: w is the fixed factor, d the weights of a
// column v of the data, h where it starts.
func algorithm1(v, w *mat.Dense, d []float64, h *mat.Dense, norm func(*mat.Dense) float64, steps int, eps float64) *mat.Dense {
	projected := func(g, h *mat.Dense) float64 {
		var p mat.Dense
		p.Apply(func(i, _ int, g float64) float64 {
			if h.At(i, 0) > 0 {
				return g
			}
			return min(0, g)
		}, g)
		return mat.Norm(&p, 2)
	}
	wdw := Mul(w.T(), Mul(diagonal(d), w))
	wdv := Mul(w.T(), Mul(diagonal(d), v))
	gradient := func(z *mat.Dense) *mat.Dense {
		g := Mul(wdw, z)
		g.Sub(g, wdv)
		return g
	}
	z, alpha := mat.DenseCopyOf(h), 1.0
	l := norm(wdw)
	if l == 0 {
		return h
	}
	first := projected(gradient(h), h)
	for range steps {
		var next mat.Dense
		g := gradient(z)
		g.Scale(1/l, g)
		next.Sub(z, g)
		next.Apply(func(_, _ int, v float64) float64 { return max(0, v) }, &next)
		a := (1 + math.Sqrt(4*alpha*alpha+1)) / 2
		var way mat.Dense
		way.Sub(&next, h)
		way.Scale((alpha-1)/a, &way)
		z.Add(&next, &way)
		h, alpha = &next, a
		if projected(gradient(h), h) <= eps*first {
			break
		}
	}
	return h
}

// algorithm2 is a round of Algorithm 2 at a fixed scale and cut-off: w (m×r),
// h (r×n).
func algorithm2(x, w, h *mat.Dense, gamma, cut float64, norm func(*mat.Dense) float64, steps int, eps float64) (*mat.Dense, *mat.Dense) {
	half := func(x, w, h *mat.Dense) *mat.Dense {
		e := NaiveResidual(x, w, h) // lines 2, 4 and 7, the latter with the zeros of 4
		e.Apply(func(_, _ int, v float64) float64 {
			if math.Abs(v) > cut {
				return 0
			}
			return 1 / (1 + v*v/gamma/gamma)
		}, e)
		out := mat.DenseCopyOf(h)
		_, n := x.Dims()
		for j := range n {
			v := mat.DenseCopyOf(x.ColView(j))
			hj := algorithm1(v, w, mat.Col(nil, j, e), mat.DenseCopyOf(h.ColView(j)), norm, steps, eps)
			out.SetCol(j, mat.Col(nil, 0, hj))
		}
		return out
	}
	h = half(x, w, h)
	wt := half(mat.DenseCopyOf(x.T()), mat.DenseCopyOf(h.T()), mat.DenseCopyOf(w.T()))
	return mat.DenseCopyOf(wt.T()), h
}

func TestAlgorithms1And2(t *testing.T) {
	const gamma, cut = 0.2, 1.1
	loss := Truncated{Loss: Cauchy{Scale: gamma}, Cut: cut}
	for _, shape := range []struct{ m, n, r int }{{6, 4, 1}, {5, 1, 1}, {9, 11, 3}, {20, 45, 5}} {
		x, _ := Planted(shape.m, shape.n, shape.r, 0.1, 0.1, 5)
		start := WarmStart{W: Uniform(shape.m, shape.r, 6), H: Uniform(shape.r, shape.n, 7)}
		for _, solver := range []OGM{{Steps: 12, Tol: -1, Printed: true}, {Steps: 60, Tol: 0.1, Printed: true}} {
			// The same L gives the same iterates.
			f, g := start.W.(*mat.Dense), start.H.(*mat.Dense)
			m := Model{Rank: shape.r, Loss: loss, Solver: solver, Init: start, MaxIter: 12, Tol: -1}
			for s, err := range m.Steps(context.Background(), x) {
				if err != nil {
					t.Fatal(err)
				}
				if s.Round > 0 {
					f, g = algorithm2(x, f, g, gamma, cut, collatzWielandt, solver.Steps, solver.Tol)
				}
				if !mat.EqualApprox(s.W(), f, 1e-8) || !mat.EqualApprox(s.H(), g, 1e-8) {
					t.Errorf("%v, %+v: other factors in round %d", shape, solver, s.Round)
					break
				}
			}
			// With line 2's own ‖·‖₂ the paper's gets no further, nor does it
			// where the default does as many steps.
			f, g = start.W.(*mat.Dense), start.H.(*mat.Dense)
			for range m.MaxIter {
				f, g = algorithm2(x, f, g, gamma, cut, spectral, solver.Steps, solver.Tol)
			}
			printed := NaiveObjective(m, loss, x, f, g)
			for _, plain := range []bool{true, false} {
				solver.Printed = plain
				m.Solver = solver
				if got := MustFit(t, m, x); got.Objective > printed*1.02 {
					t.Errorf("%v, %+v: objective %g, the paper's %g", shape, solver, got.Objective, printed)
				}
			}
		}
	}
}

// randomColumn is the problem of a column, with components of all scales, some
// of them empty.
func randomColumn(rng *rand.Rand, r int) *column {
	m := 1 + rng.IntN(2*r)
	u, omega := mat.NewDense(r, m, nil), make([]float64, m)
	for i := range omega {
		omega[i] = math.Exp(2*rng.NormFloat64()) * float64(rng.IntN(4)) / 2
	}
	for k := range r {
		scale := math.Exp(3 * rng.NormFloat64())
		if rng.IntN(5) == 0 {
			scale = 0
		}
		for i := range m {
			u.Set(k, i, scale*max(0, rng.Float64()-0.3))
		}
	}
	c := newColumn(r, make([]float64, columnSpace(r)))
	copy(c.m, Mul(u, Mul(diagonal(omega), u.T())).RawMatrix().Data)
	x := mat.NewDense(m, 1, nil)
	x.Apply(func(i, _ int, _ float64) float64 { return rng.ExpFloat64() }, x)
	ux := Mul(u, Mul(diagonal(omega), x))
	for k := range r {
		c.v0[k] = rng.ExpFloat64() * float64(rng.IntN(2))
		c.g0[k] = -ux.At(k, 0)
		for l := range r {
			if l < k {
				c.m[k*r+l] = c.m[l*r+k] // to the last bit
			}
		}
	}
	mv := Mul(mat.NewDense(r, r, c.m), mat.NewDense(r, 1, c.v0))
	for k := range r {
		c.g0[k] += mv.At(k, 0)
	}
	return c
}

// L is what a gradient step needs: diag(L) − M has no negative eigenvalue, and
// the single L of a Printed one is at least ‖M‖₂ and close to it.
func TestBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 300 {
		r := 1 + rng.IntN(9)
		c := randomColumn(rng, r)
		m := mat.NewDense(r, r, c.m)
		norm := spectral(m)
		c.bounds(true)
		for _, l := range c.l {
			if l < norm*(1-1e-12) || l > 1.5*norm {
				t.Errorf("%d: L = %g, ‖M‖ = %g", i, l, norm)
			}
		}
		c.bounds(false)
		// Scaled to a unit diagonal of M, so that no component drowns.
		var less mat.Dense
		less.Sub(m, diagonal(c.l))
		less.Apply(func(k, l int, v float64) float64 {
			if d := math.Sqrt(m.At(k, k) * m.At(l, l)); d > 0 {
				return v / d
			}
			return v
		}, &less)
		if top := spectral(&less); top > 1e-12 {
			t.Errorf("%d: M − diag(L) has the eigenvalue %g", i, top)
		}
	}
}

// changeOfQ is q(v) − q(v₀) by its definition.
func changeOfQ(c *column, v []float64) (change, size float64) {
	for k, a := range v {
		way := a - c.v0[k]
		change += 2 * way * c.g0[k]
		size += math.Abs(way * c.g0[k])
		for l, b := range v {
			change += way * c.m[k*len(v)+l] * (b - c.v0[l])
		}
	}
	return change, size
}

// However few the steps, and however close to the minimum the start, q does not
// rise.
func TestColumnsDescend(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		c := randomColumn(rng, 6)
		OGM{Steps: 1 + rng.IntN(40), Tol: -1}.descend(c)
		near := newColumn(6, make([]float64, columnSpace(6)))
		copy(near.m, c.m)
		for k, v := range c.h {
			near.v0[k] = v * (1 + 1e-3*rng.NormFloat64())
		}
		for k, g := range c.gh {
			near.g0[k] = g
			for l := range c.h {
				near.g0[k] += c.m[k*6+l] * (near.v0[l] - c.h[l])
			}
		}
		for _, s := range []OGM{{Steps: 1 + rng.IntN(40), Tol: -1, Printed: true}, {Steps: 1 + rng.IntN(40), Tol: 0.01}} {
			for _, start := range []*column{c, near} {
				s.descend(start)
				if change, size := changeOfQ(start, start.h); change > 1e-12*size {
					t.Errorf("%+v: q rose by %g", s, change)
				}
			}
		}
	}
}

// Where L is no bound, as of this M with negative entries, the method leads away;
// the column stays.
func TestRisenColumnsStay(t *testing.T) {
	for _, plain := range []bool{false, true} {
		c := newColumn(2, make([]float64, columnSpace(2)))
		copy(c.m, []float64{1, -0.99, -0.99, 1})
		copy(c.v0, []float64{1, 2})
		copy(c.g0, []float64{-0.5, 0.5})
		OGM{Steps: 50, Tol: -1, Printed: plain}.descend(c)
		if c.h[0] != 1 || c.h[1] != 2 {
			t.Errorf("plain %t: to %g", plain, c.h)
		}
	}
}

// With steps enough the columns reach the minimum of q, that of many sweeps of
// HALS, with and without weights and penalties.
func TestOGMReachesTheMinimum(t *testing.T) {
	x, _ := Planted(12, 40, 4, 0.1, 0.1, 9)
	for _, loss := range []Loss{nil, Cauchy{Scale: 0.2}, ByColumn{Loss: Cauchy{Scale: 0.8}}} {
		for _, penalties := range [][]Penalty{nil, {Lasso{Lambda: 0.3}, Ridge{Lambda: 0.1}}} {
			for _, additive := range []bool{false, true} {
				m := Model{Rank: 4, Loss: loss, OnH: penalties}
				minimum := func(s Solver) (v *mat.Dense) {
					HalfStep(t, m, x, func(q *Quadratic, h *mat.Dense) {
						v = mat.DenseCopyOf(h)
						if additive {
							q = q.Additive()
						}
						s.Improve(q, v)
					})
					return v
				}
				want := minimum(HALS{Sweeps: 5000})
				for _, s := range []OGM{{Steps: 3000, Tol: 1e-10}, {Steps: 20000, Tol: 1e-10, Printed: true}} {
					if got := minimum(s); !mat.EqualApprox(got, want, 1e-6) {
						t.Errorf("%s, penalties %v, additive %t: another minimum by %+v", LossName(loss), penalties, additive, s)
					}
				}
			}
		}
	}
}

// NeNMF is another way to the same place.
func TestNeNMF(t *testing.T) {
	x, _ := Planted(25, 30, 4, 0.05, 0, 9)
	a, b := NMF(4), Model{Rank: 4, Solver: OGM{}}
	a.MaxIter, a.Tol, b.MaxIter, b.Tol = 500, 1e-9, 500, 1e-9
	if f, g := MustFit(t, a, x), MustFit(t, b, x); !Near(f.Objective, g.Objective, 1e-3) || g.KKT > 1e-3 {
		t.Errorf("objective %g by HALS, %g by OGM with KKT %g", f.Objective, g.Objective, g.KKT)
	}
}

func TestOGMParameters(t *testing.T) {
	x := ConstantOnes(4, 5)
	for _, s := range []Solver{OGM{Steps: -1}, Additive{Solver: OGM{Steps: -2}}, OGM{Tol: math.NaN()}} {
		_, err := Model{Rank: 2, Solver: s}.Fit(context.Background(), x)
		if err == nil || !strings.Contains(err.Error(), "OGM.") {
			t.Errorf("%+v: %v", s, err)
		}
	}
}

func BenchmarkOGM(b *testing.B) {
	x, _ := Planted(1024, 400, 40, 0.1, 0.1, 1)
	for _, s := range []Solver{HALS{}, HALS{Sweeps: 3}, OGM{}, OGM{Printed: true}} {
		b.Run(fmt.Sprintf("%T%+v", s, s), func(b *testing.B) {
			MustFit(b, Model{Rank: 40, Loss: Cauchy{Scale: 0.2}, Solver: s, MaxIter: b.N, Tol: -1}, x)
		})
	}
}
