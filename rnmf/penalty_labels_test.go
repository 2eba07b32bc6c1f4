package rnmf_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/kmeans"
	"github.com/robustnmf/robustnmf/rnmf/internal/work"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
	. "github.com/robustnmf/robustnmf/rnmf/papers"
)

// The value is ½w Σ n_k(1 − cos²(h_k, y_k)), which does not see the length of a
// row; Majorize touches it, has its gradient, and lies above.
func TestLabels(t *testing.T) {
	const r, n = 5, 23
	rng := rand.New(rand.NewPCG(3, 3))
	for _, weight := range []float64{0, 0.3, 20} {
		l := SomeLabels(n, weight)
		w := max(weight, 0)
		if w == 0 {
			w = 1
		}
		h := Uniform(r, n, 4)
		var want float64
		for k, size := range sizesOf(l) {
			var hh, hy float64
			for j, c := range l.Class {
				if c >= 0 {
					hh += h.At(k, j) * h.At(k, j)
				}
				if c == k {
					hy += h.At(k, j)
				}
			}
			want += 0.5 * w * (float64(size) - hy*hy/hh)
		}
		value := l.Value(h)
		if !Near(value, want, 1e-12) {
			t.Errorf("value %g, want %g", value, want)
		}
		scaled := mat.DenseCopyOf(h)
		for k := range r {
			for j := range n {
				scaled.Set(k, j, h.At(k, j)*math.Pow(100, float64(k-2)))
			}
		}
		if got := l.Value(scaled); !Near(got, want, 1e-12) {
			t.Errorf("value %g with rows scaled, want %g", got, want)
		}
		q := QuadraticOf(r, n)
		l.Majorize(q, h)
		bound := func(v *mat.Dense) (sum float64) {
			for k := range r {
				for j := range n {
					sum += q.Diagonal().At(k, j)*v.At(k, j)*v.At(k, j) - 2*q.Linear().At(k, j)*v.At(k, j)
				}
			}
			return sum
		}
		at := bound(h)
		for k := range r {
			for j := range n {
				const d = 1e-5
				up, down := mat.DenseCopyOf(h), mat.DenseCopyOf(h)
				up.Set(k, j, h.At(k, j)+d)
				down.Set(k, j, h.At(k, j)-d)
				slope, got := (l.Value(up)-l.Value(down))/(2*d), 2*(q.Diagonal().At(k, j)*h.At(k, j)-q.Linear().At(k, j))
				if math.Abs(slope-got) > 1e-7*w {
					t.Errorf("slope %g at %d, %d, want %g", got, k, j, slope)
				}
			}
		}
		for range 300 {
			v := mat.DenseCopyOf(h)
			v.Apply(func(_, _ int, x float64) float64 { return max(0, x+rng.NormFloat64()*rng.Float64()) }, v)
			if p, b := l.Value(v), value+bound(v)-at; p > b+1e-9 {
				t.Errorf("value %g above the bound %g", p, b)
			}
		}
	}
	// Rows that vanish on the labelled samples, or altogether.
	l := SomeLabels(n, 1)
	h := Uniform(r, n, 4)
	for j := range n {
		h.Set(0, j, 0)
		if l.Class[j] == 1 {
			h.Set(1, j, 0)
		}
		h.Set(4, j, 1e-170)
	}
	for k, v := range l.Lambda(h) {
		if !(v > 0) || math.IsInf(v, 0) {
			t.Errorf("Λ_%d is %g", k, v)
		}
	}
	if v := l.Value(h); math.IsNaN(v) || v > 0.5*float64(n) {
		t.Errorf("value %g", v)
	}
}

// The KKT residual goes to 0, slowly where steps are multiplicative.
func TestLabelsKKT(t *testing.T) {
	take := OneIn(t, 11)
	x, _ := Planted(8, 21, 4, 0.05, 0.05, 3)
	for _, c := range []struct {
		solver Solver
		rounds int
		want   float64
	}{{HALS{}, 2000, 3e-4}, {FGD{}, 6000, 3e-4}, {FGD{Printed: true}, 6000, 3e-4}, {MU{}, 6000, 3e-4}} {
		for _, loss := range []Loss{Frobenius{}, Hypersurface{Scale: 1}, Hypersurface{Scale: 0.1}} {
			if !take() {
				continue
			}
			m := Model{Rank: 4, Loss: loss, Solver: c.solver, OnH: []Penalty{SomeLabels(21, 1)}, MaxIter: c.rounds, Tol: -1, Seed: 2}
			r := MustFit(t, m, x)
			m.MaxIter /= 10
			early := MustFit(t, m, x).KKT
			t.Logf("%T%+v, %s: KKT %.1e after %d rounds, %.1e after a tenth, objective %.6g (%v)", c.solver, c.solver, LossName(loss), r.KKT, len(r.Trace)-1, early, r.Objective, r.Reason)
			if r.KKT > c.want || r.KKT > 1e-8 && r.KKT > 0.7*early {
				t.Errorf("%T%+v, %s: KKT %g after a tenth of the rounds, %g in the end", c.solver, c.solver, LossName(loss), early, r.KKT)
			}
		}
	}
}

func TestBadLabels(t *testing.T) {
	x := Uniform(4, 5, 1)
	for _, c := range []struct {
		l    Labels
		says string
	}{
		{Labels{Class: []int{0, 1, -1, 0}}, "4 labels for 5 samples: sample 4 is the first without a label"},
		{Labels{Class: []int{0, 1, -1, 0, 1, 1}}, "6 labels for 5 samples: label 5 is the first without a sample"},
		{Labels{Class: []int{0, 1, -2, 0, -3}}, "sample 2 is of class -2, want -1 to 4"},
		{Labels{Class: []int{0, 1, 2, 0, 3}}, "sample 2 is of class 2, but there are only 2 components"},
		{Labels{Class: []int{0, 1, 2, 0, 3}, Names: []string{"a", "b"}}, "sample 2 is of class 2, want -1 to 1"},
		{Labels{}, "0 labels for 5 samples"},
	} {
		_, err := Model{Rank: 2, OnH: []Penalty{c.l}}.Fit(context.Background(), x)
		if !errors.Is(err, ErrLabels) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v", c.l, err)
		}
	}
	good := Labels{Class: []int{0, 1, -1, 0, 1}}
	for _, w := range []float64{-1, math.NaN(), math.Inf(1)} {
		bad := good
		bad.Weight = w
		if _, err := (Model{Rank: 2, OnH: []Penalty{bad}}).Fit(context.Background(), x); !errors.Is(err, ErrParameter) {
			t.Errorf("weight %g: %v", w, err)
		}
	}
	if _, err := MustFit(t, NMF(2), x).Predict(x); !errors.Is(err, ErrLabels) {
		t.Error(err)
	}
	if _, err := MustFit(t, Model{Rank: 2, OnH: []Penalty{Labels{Class: []int{-1, -1, -1, -1, -1}}}}, x).Predict(x); !errors.Is(err, ErrLabels) {
		t.Error(err)
	}
	if _, err := MustFit(t, Model{Rank: 2, OnH: []Penalty{good}}, x).Predict(x); !errors.Is(err, ErrShape) {
		t.Error(err)
	}
	if _, err := MustFit(t, Model{Rank: 2, OnH: []Penalty{good}}, x).Predict(nil); !errors.Is(err, ErrEmpty) {
		t.Error(err)
	}
	h := mat.NewDense(2, 2, nil)
	if _, err := (&Result{W: h, H: h, OnH: []Penalty{good}}).Predict(h); !errors.Is(err, ErrLabels) {
		t.Errorf("H has fewer samples than there are labels: %v", err)
	}
	if _, err := (&Result{W: h, OnH: []Penalty{good}}).Predict(h); !errors.Is(err, ErrEmpty) {
		t.Error(err)
	}
}

// A few labels name the classes of all other samples, and of new ones.
func TestPredict(t *testing.T) {
	const classes, each, m = 3, 20, 30
	x, truth := ClassesOf(classes, each, m, 0.05, 1)
	names := []string{"one", "two", "three"}
	l := Labels{Class: truth, Names: names, Weight: 5}.Few(3, rand.New(rand.NewPCG(1, 1)).Perm(len(truth)))
	for c, size := range sizesOf(l) {
		if size != 3 || l.Name(c) != names[c] {
			t.Fatalf("%d labels of class %s", size, l.Name(c))
		}
	}
	fresh, newTruth := ClassesOf(classes, each, m, 0.05, 1)
	for i := range m {
		row := fresh.RawRowView(i)
		for j := range row {
			row[j] *= 1.5
		}
	}
	for name, model := range map[string]Model{
		"RSS-NMF, MU": {Solver: MU{}}, "FGD": {Solver: FGD{}}, "HALS": {}, "two free components": {Rank: 2},
	} {
		rss := RSSNMF(classes+model.Rank, 0.2, l)
		rss.Solver, rss.Init = model.Solver, LabelInit{Labels: l}
		r := MustFit(t, rss, x)
		found, err := r.Predict(r.H)
		if err != nil {
			t.Fatal(err)
		}
		if right := Share(found, truth); right < 0.95 {
			t.Errorf("%s: %.2f right", name, right)
		}
		h, err := r.Transform(context.Background(), fresh, nil)
		if err != nil {
			t.Fatal(err)
		}
		if found, err = r.Predict(h); err != nil || Share(found, newTruth) < 0.95 {
			t.Errorf("%s: %.2f of the new right, %v", name, Share(found, newTruth), err)
		}
		_, h = r.Normalized(1)
		c := kmeans.Fit(h, kmeans.Options{K: classes}, work.Never)
		if a := MatchedShare(truth, c.Labels); a < 0.6 {
			t.Errorf("%s: k-means %.2f", name, a)
		}
		var b bytes.Buffer
		if err := r.Save(&b); err != nil {
			t.Fatal(err)
		}
		back, err := Load(&b)
		if err != nil {
			t.Fatal(err)
		}
		if found, err = r.Predict(h); err != nil {
			t.Fatal(err)
		}
		if again, err := back.Predict(h); err != nil || !slices.Equal(again, found) {
			t.Errorf("%s: loaded it predicts %v, %v, before %v", name, again, err, found)
		}
	}
}

// A class out of range is an error of all that take labels, before anything of its size
// is made.
func TestClassesOutOfRange(t *testing.T) {
	x := Uniform(6, 8, 1)
	for _, class := range []int{math.MaxInt, 1 << 33, 1 << 24, 8, -2, math.MinInt} {
		labels := Labels{Class: []int{0, 1, -1, 1, 0, class, 0, 1}}
		for name, fit := range map[string]func() error{
			"SSNMF":  func() error { _, err := SSNMF{Model: NMF(2), Labels: labels}.Fit(t.Context(), x); return err },
			"CNMF":   func() error { _, err := CNMF{Model: NMF(2), Labels: labels}.Fit(t.Context(), x); return err },
			"RSSNMF": func() error { _, err := RSSNMF(2, 1, labels).Fit(t.Context(), x); return err },
			"LabelInit": func() error {
				_, err := Model{Rank: 2, Init: LabelInit{Labels: labels}}.Fit(t.Context(), x)
				return err
			},
			"Check": func() error { return labels.Check(2, 8) },
			"names": func() error {
				l := labels
				l.Names = []string{"a", "b"}
				_, err := SSNMF{Model: NMF(2), Labels: l}.Fit(t.Context(), x)
				return err
			},
		} {
			if err := fit(); !errors.Is(err, ErrLabels) {
				t.Errorf("%s, class %d: %v", name, class, err)
			}
		}
	}
	bad := Labels{Class: make([]int, 8)}.Against(MustFit(t, NMF(2), x), math.NaN())
	if _, err := RSSNMF(2, 1, bad).Fit(t.Context(), x); !errors.Is(err, ErrParameter) {
		t.Errorf("a weight of NaN: %v", err)
	}
}

// With its weight against the loss a fit of other units, or of each row twice, is
// the same but for them.
func TestLabelsAgainst(t *testing.T) {
	const m, n, r = 9, 31, 4
	x, _ := Planted(m, n, r, 0.1, 0.1, 3)
	labels := SomeLabels(n, 0)
	fit := func(x *mat.Dense, scale float64, w *mat.Dense) *Result {
		model := Model{Rank: r, Loss: Hypersurface{Scale: scale}, Init: WarmStart{w, Uniform(r, n, 2)}, MaxIter: 15, Tol: -1, Solver: MU{}}
		l := labels.Against(MustFit(t, model, x), 20)
		model.OnH = []Penalty{l}
		return MustFit(t, model, x)
	}
	w := Uniform(m, r, 1)
	want := fit(x, 0.2, w)
	times := func(a *mat.Dense, by float64) *mat.Dense {
		b := mat.DenseCopyOf(a)
		b.Scale(by, b)
		return b
	}
	if got := fit(times(x, 255), 51, times(w, 255)); !mat.EqualApprox(got.H, want.H, 1e-8) || !mat.EqualApprox(got.W, times(want.W, 255), 1e-6) {
		t.Error("in other units the fit is another")
	}
	twice := func(a *mat.Dense) *mat.Dense {
		var b mat.Dense
		b.Stack(a, a)
		return &b
	}
	if got := fit(twice(x), 0.2, twice(w)); !mat.EqualApprox(got.H, want.H, 1e-8) || !Near(got.Objective, 2*want.Objective, 1e-9) {
		t.Error("with each row twice the fit is another")
	}
	plain := MustFit(t, NMF(r), x)
	if l := labels.Against(plain, 3); !Near(l.Weight, 3*plain.Objective/n, 1e-15) || labels.Weight != 0 {
		t.Errorf("weight %g; of the receiver %g", l.Weight, labels.Weight)
	}
	for _, bad := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := (Model{Rank: r, OnH: []Penalty{labels.Against(plain, bad)}}).Fit(context.Background(), x); !errors.Is(err, ErrParameter) {
			t.Errorf("%g times: %v", bad, err)
		}
	}
}

// Saved and loaded, a result still knows its labels: names, weight and who has one.
func TestLabelsSaved(t *testing.T) {
	x, _ := Planted(9, 31, 4, 0.1, 0.1, 3)
	want := SomeLabels(31, 7)
	m := Model{Rank: 5, OnH: []Penalty{want}}
	m.MaxIter = 3
	var b bytes.Buffer
	if err := MustFit(t, m, x).Save(&b); err != nil {
		t.Fatal(err)
	}
	r, err := Load(&b)
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Labels()
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("labels %+v, %v, want %+v", got, err, want)
	}
}

// sizesOf returns the number of labelled samples of each class.
func sizesOf(l Labels) []int {
	sizes := make([]int, l.Classes())
	for _, c := range l.Class {
		if c >= 0 {
			sizes[c]++
		}
	}
	return sizes
}
