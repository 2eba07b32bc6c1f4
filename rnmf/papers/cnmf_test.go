package papers

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
	"gonum.org/v1/gonum/mat"
)

// With MU it is the update of Liu and Wu, with A (6) written out,
//
//	W ← W∘(XAᵀZᵀ) / (WZAAᵀZᵀ),   Z ← Z∘(WᵀXAᵀ) / (WᵀWZAAᵀ).
func TestCNMF(t *testing.T) {
	const m, n, r = 8, 21, 3
	x, _ := Planted(m, n, r, 0.1, 0.1, 2)
	labels := SomeLabels(n, 0)
	s := CNMF{Labels: labels}
	reduced, column, scale, _ := s.reduce(t.Context(), x)
	_, p := reduced.Dims()
	a := mat.NewDense(p, n, nil)
	for j, c := range column {
		a.Set(c, j, 1)
	}
	w, z := Uniform(m, r, 3), Uniform(r, p, 4)
	start := mat.DenseCopyOf(z) // of the reduced problem
	for k := range r {
		for c, v := range scale {
			start.Set(k, c, start.At(k, c)*v)
		}
	}
	start0, w0 := mat.DenseCopyOf(start), mat.DenseCopyOf(w)
	for rounds := 1; rounds < 15; rounds++ {
		xa := Mul(x, mat.DenseCopyOf(a.T()))
		aa := Mul(a, mat.DenseCopyOf(a.T()))
		var num, den mat.Dense
		num.Mul(w.T(), xa)
		den.Mul(w.T(), Mul(Mul(w, z), aa))
		num.DivElem(&num, &den)
		z.MulElem(z, &num)
		var nw, dw mat.Dense
		nw.Mul(xa, z.T())
		dw.Mul(Mul(Mul(w, z), aa), z.T())
		nw.DivElem(&nw, &dw)
		w.MulElem(w, &nw)
		s.Model = Model{Rank: r, Solver: MU{}, Tol: -1, MaxIter: rounds, Init: WarmStart{W: w0, H: start0}}
		got, err := s.Fit(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
		h := Mul(z, a)
		if !mat.EqualApprox(got.W, w, 1e-9) || !mat.EqualApprox(got.H, h, 1e-9) {
			t.Fatalf("round %d differs", rounds)
		}
		want := math.Pow(mat.Norm(NaiveResidual(x, w, h), 2), 2) // (7), squared
		if !Near(got.Objective, want, 1e-10) || !Near(got.Trace[rounds].Objective, want, 1e-10) {
			t.Errorf("objective %g, in the trace %g, want %g", got.Objective, got.Trace[rounds].Objective, want)
		}
	}
	for _, solver := range []Solver{HALS{}, MU{}, OGM{}, FGD{}, RRA{}, ProxLinear{}, Additive{}} {
		s.Model = Model{Rank: r, Solver: solver, Tol: -1, MaxIter: 20}
		got, err := s.Fit(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
		Falls(t, "CNMF", got.Trace)
		for i, c := range labels.Class {
			for j, d := range labels.Class {
				if c >= 0 && c == d && !mat.Equal(got.H.ColView(i), got.H.ColView(j)) {
					t.Fatalf("samples %d and %d of class %d differ", i, j, c)
				}
			}
		}
	}
}

func TestCNMFErrors(t *testing.T) {
	x, labels := Uniform(4, 7, 1), SomeLabels(7, 0)
	bad := SomeLabels(7, 0)
	bad.Class[3] = 9
	damaged := ConstantOnes(4, 5)
	damaged.Set(2, 3, math.NaN())
	for _, c := range []struct {
		s    CNMF
		x    mat.Matrix
		want error
		says string
	}{
		{CNMF{Model: NMF(2), Labels: labels}, nil, ErrEmpty, "X is nil"},
		{CNMF{Model: NMF(2), Labels: bad}, x, ErrLabels, "sample 3 is of class 9"},
		{CNMF{Model: NMF(2)}, x, ErrLabels, "0 labels for 7 samples"},
		{CNMF{Model: L21NMF(2), Labels: labels}, x, ErrParameter, "CNMF.Model"},
		{CNMF{Model: NMF(9), Labels: labels}, x, ErrRank, "9, want 1 to 4 for X of 4×7, of which 6 columns are left"},
		{CNMF{Model: NMF(4), Labels: Labels{Class: []int{0, 1, 0, 1, 0, 1, 0}}}, x, ErrRank, "4, want 1 to 2 for X of 4×7, of which 2 columns are left"},
		{CNMF{Model: NMF(2), Labels: SomeLabels(5, 0)}, damaged, ErrNotFinite, "X[2,3] = NaN"},
	} {
		if _, err := c.s.Fit(context.Background(), c.x); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v, want %v that says %q", err, c.want, c.says)
		}
	}
}
