package papers

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
	"gonum.org/v1/gonum/mat"
)

// With MU it is the update of Lee, Yoo and Choi, whose labels are unknown where L
// is 0, H ← H∘(WᵀX + λUᵀ(L∘Y)) / (WᵀWH + λUᵀ(L∘UH)), and W and U likewise.
func TestSSNMF(t *testing.T) {
	const m, n, r, lambda = 8, 21, 3, 0.7
	x, _ := Planted(m, n, r, 0.1, 0.1, 2)
	labels := SomeLabels(n, 0)
	classes := labels.Classes()
	y, known := mat.NewDense(classes, n, nil), mat.NewDense(classes, n, nil)
	for j, c := range labels.Class {
		for k := range classes {
			if c >= 0 {
				known.Set(k, j, 1)
			}
			if c == k {
				y.Set(k, j, 1)
			}
		}
	}
	w, u, h := Uniform(m, r, 3), Uniform(classes, r, 4), Uniform(r, n, 5)
	wu := mat.NewDense(m+classes, r, nil)
	wu.Stack(w, u)
	masked := func() *mat.Dense {
		uh := Mul(u, h)
		uh.MulElem(uh, known)
		return uh
	}
	ratio := func(v, num, den *mat.Dense) {
		v.Apply(func(i, j int, x float64) float64 {
			if d := den.At(i, j); d > 0 { // class 2 has no labels: its U is 0 after a round
				return x * num.At(i, j) / d
			}
			return x
		}, v)
	}
	for rounds := range 15 {
		s := SSNMF{Model: Model{Rank: r, Solver: MU{}, Tol: -1, MaxIter: max(rounds, 1), Init: WarmStart{W: wu, H: Uniform(r, n, 5)}}, Labels: labels, Lambda: lambda}
		if rounds > 0 {
			var num, den, part mat.Dense
			num.Mul(w.T(), x)
			part.Mul(u.T(), y)
			part.Scale(lambda, &part)
			num.Add(&num, &part)
			den.Mul(w.T(), Mul(w, h))
			part.Mul(u.T(), masked())
			part.Scale(lambda, &part)
			den.Add(&den, &part)
			ratio(h, &num, &den)
			var nw, dw, nu, du mat.Dense
			nw.Mul(x, h.T())
			dw.Mul(Mul(w, h), h.T())
			nu.Mul(y, h.T())
			du.Mul(masked(), h.T())
			ratio(w, &nw, &dw)
			ratio(u, &nu, &du)
			got, err := s.Fit(context.Background(), x)
			if err != nil {
				t.Fatal(err)
			}
			if !mat.EqualApprox(got.W, w, 1e-9) || !mat.EqualApprox(got.H, h, 1e-9) || !mat.EqualApprox(got.U, u, 1e-9) {
				t.Fatalf("round %d differs", rounds)
			}
			want := math.Pow(mat.Norm(NaiveResidual(x, w, h), 2), 2)
			e := masked()
			e.Sub(y, e)
			want += lambda * math.Pow(mat.Norm(e, 2), 2)
			if !Near(got.Objective, want, 1e-10) {
				t.Errorf("objective %g, want %g", got.Objective, want)
			}
		}
	}
	for _, solver := range []Solver{HALS{}, MU{}, OGM{}, FGD{}, RRA{}, ProxLinear{}, Additive{}} {
		for _, loss := range []Loss{nil, Hypersurface{Scale: 0.3}, ByColumn{Loss: L1{Eps: 1e-3}}} {
			r, err := SSNMF{Model: Model{Rank: r, Loss: loss, Solver: solver, Tol: -1, MaxIter: 20}, Labels: labels}.Fit(context.Background(), x)
			if err != nil {
				t.Fatal(err)
			}
			Falls(t, LossName(loss), r.Trace)
		}
	}
}

func TestSSNMFPredicts(t *testing.T) {
	x, truth := ClassesOf(3, 20, 30, 0, 1)
	labels := Labels{Class: truth}.Few(4, rand.New(rand.NewPCG(1, 1)).Perm(len(truth)))
	r, err := SSNMF{Model: Model{Rank: 3}, Labels: labels}.Fit(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	h, err := r.Transform(context.Background(), x, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range []*mat.Dense{r.H, h} {
		if found, err := r.Predict(h); err != nil || Share(found, truth) < 0.9 {
			t.Errorf("%.2f right, %v", Share(found, truth), err)
		}
	}
	none := Labels{Class: make([]int, 60)}
	for j := range none.Class {
		none.Class[j] = Unlabelled
	}
	for _, c := range []struct {
		s    SSNMF
		want error
		says string
	}{
		{SSNMF{Model: NMF(2)}, ErrLabels, "0 labels for 60 samples"},
		{SSNMF{Model: NMF(2), Labels: none}, ErrLabels, "no sample has a label"},
		{SSNMF{Model: NMF(2), Labels: labels, Lambda: -1}, ErrParameter, "SSNMF.Lambda is -1"},
		{SSNMF{Model: Model{Rank: 2, Mask: Uniform(2, 2, 1)}, Labels: labels}, ErrShape, "Mask is 2×2, want 30×60"},
	} {
		if _, err := c.s.Fit(context.Background(), x); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v, want %v that says %q", err, c.want, c.says)
		}
	}
	if _, err := (SSNMF{}).Fit(context.Background(), nil); !errors.Is(err, ErrEmpty) {
		t.Error(err)
	}
}

// Where no labelled sample uses a component, its entries of U stay as they started, and mean nothing: a class
// without labels is not predicted. What are no numbers, and a result without U, are errors.
func TestSSNMFPredictsLabelledClasses(t *testing.T) {
	x := mat.NewDense(8, 10, nil)
	x.Apply(func(i, j int, _ float64) float64 { return float64((i/4 + j + 1) % 2 * (1 + i + j)) }, x)
	labels := Labels{Class: []int{1, -1, 1, -1, 1, -1, -1, -1, -1, -1}, Names: []string{"a", "b"}}
	r, err := SSNMF{Model: Model{Rank: 2}, Labels: labels}.Fit(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range []*mat.Dense{r.H, mat.NewDense(2, 10, nil)} {
		if found, err := r.Predict(h); err != nil || slices.Contains(found, 0) {
			t.Errorf("%v, %v: no sample is labelled a", found, err)
		}
	}
	bad := mat.NewDense(2, 1, []float64{1, math.NaN()})
	for _, c := range []struct {
		r    SSNMFResult
		h    mat.Matrix
		want error
		says string
	}{
		{*r, bad, ErrNotFinite, "H[1,0]"},
		{SSNMFResult{Result: r.Result, U: bad}, mat.NewDense(1, 1, nil), ErrNotFinite, "U[1,0]"},
		{*r, mat.NewDense(3, 1, nil), ErrShape, "H is 3×1"},
		{SSNMFResult{Result: r.Result}, r.H, ErrEmpty, "U is nil"},
	} {
		if _, err := c.r.Predict(c.h); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v, want %v that says %q", err, c.want, c.says)
		}
	}
}
