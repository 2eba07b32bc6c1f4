package rnmf_test

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest/parts"
	. "github.com/robustnmf/robustnmf/rnmf/papers"
)

// The slopes and values of Weigh are those of Rho.
func TestWeigh(t *testing.T) {
	var e []float64
	for i := range 1000 {
		e = append(e, math.Pow(10, float64(i)/50-12)*float64(1-2*(i%2)))
	}
	e = append(e, 0)
	near := func(got, want float64) bool { return math.Abs(got-want) <= 1e-14*want+1e-290 }
	for _, l := range []Loss{Frobenius{}, L1{0.3}, L1{}, Huber{Cut: 0.2}, Huber{}, Hypersurface{Scale: 0.4}, Correntropy{Scale: 2}, Cauchy{Scale: 0.1}, SmoothL1{Mu: 0.2},
		Truncated{Loss: Cauchy{Scale: 0.1}, Cut: 0.5}, Truncated{Loss: L1{0.1}, Cut: 0.5}, Truncated{Loss: Frobenius{}, Cut: 2},
		Truncated{Loss: wrapped{Huber{Cut: 1}}, Cut: 3}, wrapped{Cauchy{Scale: 2}},
		Truncated{Loss: Truncated{Loss: Correntropy{Scale: 1}, Cut: 2}, Cut: 3}} {
		omega, value, alone := make([]float64, len(e)), make([]float64, len(e)), make([]float64, len(e))
		Weigh(l, omega, value, e)
		Weigh(l, alone, nil, e)
		for i, x := range e {
			y, w := l.Rho(x * x)
			if !near(omega[i], w) || !near(value[i], y) || !near(alone[i], w) {
				t.Errorf("%+v at %g: %g and %g (alone %g), want %g and %g", l, x, omega[i], value[i], alone[i], w, y)
			}
		}
	}
}

// A model that is nothing beside the data, 1e-20 of them, still is the denominator of a
// multiplicative update: for our losses, for others, with a mask, and in FGD, which
// starts from there.
func TestFaintModel(t *testing.T) {
	x := Uniform(19, 27, 1)
	w, h := Uniform(19, 3, 3), Uniform(3, 27, 4)
	w.Scale(1e-10, w)
	h.Scale(1e-10, h)
	ones := mat.NewDense(19, 27, nil)
	ones.Apply(func(_, _ int, _ float64) float64 { return 1 }, ones)
	for _, l := range []Loss{Frobenius{}, Huber{Cut: 0.05}, Hypersurface{Scale: 1}, L1{0.01}, Cauchy{Scale: 0.05}, Correntropy{Scale: 0.3}, RootLoss{}} {
		want := mat.DenseCopyOf(h)
		for j := range 27 {
			for k := range 3 {
				var num, den float64
				for i := range 19 {
					y := mat.Dot(w.RowView(i), h.ColView(j))
					_, slope := l.Rho((x.At(i, j) - y) * (x.At(i, j) - y))
					num += w.At(i, k) * slope * x.At(i, j)
					den += w.At(i, k) * slope * y
				}
				want.Set(k, j, h.At(k, j)*num/den)
			}
		}
		m := Model{Rank: 3, Loss: l, MaxIter: 1, Tol: -1, Init: WarmStart{W: w, H: h}}
		for _, mask := range []mat.Matrix{nil, ones} {
			m.Mask, m.Solver = mask, MU{}
			if r := MustFit(t, m, x); !mat.EqualApprox(r.H, want, 1e-12*mat.Max(want)) {
				t.Errorf("%T, mask %t: not the update", l, mask != nil)
			}
			mu := MustFit(t, m, x).Objective
			m.Solver = FGD{}
			if r := MustFit(t, m, x); r.Objective > mu*(1+1e-12) {
				t.Errorf("%T, mask %t: FGD ends at %g, above %g", l, mask != nil, r.Objective, mu)
			}
		}
	}
}

// wrapped hides all but Rho.
type wrapped struct{ Loss }

// A multiplicative update with a loss of ours, which weighs and splits at once,
// does what it does with the Weigh of another.
func TestSplit(t *testing.T) {
	type hidden struct{ weigher }
	same := func(a, b Point) bool { return Near(a.Objective, b.Objective, 1e-14) } // added up in another order
	x, _ := Planted(37, 29, 3, 0.1, 0.05, 1)
	for _, l := range []weigher{Huber{Cut: 0.05}, Hypersurface{Scale: 1}, L1{0.01}, Cauchy{Scale: 0.05}, Correntropy{Scale: 0.3},
		Truncated{Loss: Cauchy{Scale: 0.05}, Cut: 0.2}, Truncated{Loss: Truncated{Loss: Frobenius{}, Cut: 0.2}, Cut: 0.3}} {
		m := Model{Rank: 3, Loss: l, Solver: MU{}, MaxIter: 20, Tol: -1, Init: WarmStart{W: Uniform(37, 3, 3), H: Uniform(3, 29, 4)}}
		ours := MustFit(t, m, x)
		m.Loss = hidden{l}
		theirs := MustFit(t, m, x)
		if !mat.Equal(ours.W, theirs.W) || !mat.Equal(ours.H, theirs.H) || !slices.EqualFunc(ours.Trace, theirs.Trace, same) || len(ours.Trace) < 20 {
			t.Errorf("%+v: not the same bits", l)
		}
	}
}

type weigher interface {
	Loss
	Weigh(omega, value, e []float64)
}
