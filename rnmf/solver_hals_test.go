package rnmf_test

import (
	"context"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
)

// scaledOracle is the half-step of HALS.scaled for H, one column after the other,
// with all written out, and the number of columns that go less far than the sweeps.
// These end for all columns together.
func scaledOracle(omega, x, w, h, c, d *mat.Dense) (v *mat.Dense, cut int) {
	m, r := w.Dims()
	_, n := h.Dims()
	gram, e := Mul(w.T(), w), NaiveResidual(x, w, h)
	trace := mat.Trace(gram)
	down, gamma := mat.NewDense(r, n, nil), make([]float64, n)
	for j := range n {
		for i := range m {
			for k := range r {
				a := omega.At(i, j) * w.At(i, k)
				down.Set(k, j, down.At(k, j)+a*e.At(i, j))
				gamma[j] += 0.75 * a * w.At(i, k) / trace
			}
		}
		for k := range r {
			down.Set(k, j, down.At(k, j)+c.At(k, j)-d.At(k, j)*h.At(k, j))
		}
	}
	v = mat.DenseCopyOf(h)
	first := 0.0
	for sweep := range 1 + m/(2*r) {
		moved := 0.0
		for j := range n {
			for k := range r {
				slope, bend := down.At(k, j), gamma[j]*gram.At(k, k)+d.At(k, j)
				for l := range r {
					slope -= gamma[j] * gram.At(k, l) * (v.At(l, j) - h.At(l, j))
				}
				slope -= d.At(k, j) * (v.At(k, j) - h.At(k, j))
				old := v.At(k, j)
				v.Set(k, j, max(0, old+slope/bend))
				moved += (v.At(k, j) - old) * (v.At(k, j) - old)
			}
		}
		if sweep == 0 {
			first = moved
		}
		if moved <= 0.01*first {
			break
		}
	}
	var delta mat.Dense
	delta.Sub(v, h)
	way := Mul(w, &delta)
	for j := range n {
		gain, bend := 0.0, 0.0
		for k := range r {
			a := delta.At(k, j)
			gain, bend = gain+down.At(k, j)*a, bend+d.At(k, j)*a*a
		}
		for i := range m {
			bend += omega.At(i, j) * way.At(i, j) * way.At(i, j)
		}
		if gain < bend {
			cut++
		}
		for k := range r {
			v.Set(k, j, h.At(k, j)+min(1, gain/bend)*delta.At(k, j))
		}
	}
	return v, cut
}

// The half-step with weights is that of its formulas, and lowers the bound with
// Penalties and a mask as well.
func TestScaledSweeps(t *testing.T) {
	const m, n, r = 40, 7, 4 // one tile
	x, _ := Planted(m, n, r, 0.1, 0.2, 3)
	short, whole := 0, 0
	for _, loss := range []Loss{Cauchy{Scale: 0.1}, L1{Eps: 1e-3}, Hypersurface{Scale: 0.3}, Frobenius{}} {
		for name, c := range Masks(x, 5) {
			if c[1] == nil && IsSquared(loss) {
				continue // has no weights
			}
			model := Model{Rank: r, Loss: loss, OnH: []Penalty{Lasso{0.2}, Ridge{0.1}}}
			if c[1] != nil {
				model.Mask = c[1]
			}
			f, err := StartOf(context.Background(), model, c[0])
			if err != nil {
				t.Fatal(err)
			}
			q, v, w := f.Problem(f.H), mat.DenseCopyOf(f.H), f.W
			omega := NaiveWeights(model, loss, c[0], w, f.H)
			linear, diagonal := mat.DenseCopyOf(q.Linear()), mat.DenseCopyOf(q.Diagonal())
			HALS{}.Improve(q, v)
			want, cut := scaledOracle(omega, f.X, w, f.H, linear, diagonal)
			short, whole = short+cut, whole+n-cut
			if !mat.EqualApprox(v, want, 1e-9) {
				t.Errorf("%s, mask %s: another step", LossName(loss), name)
			}
			before, after := naiveBound(model, omega, f.X, w, f.H, q), naiveBound(model, omega, f.X, w, v, q)
			if after >= before {
				t.Errorf("%s, mask %s: the bound goes from %g to %g", LossName(loss), name, before, after)
			}
		}
	}
	if short == 0 || whole == 0 {
		t.Errorf("%d columns go less far than the sweeps, %d as far", short, whole)
	}
}
