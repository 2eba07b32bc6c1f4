package rnmf

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
)

// someLabels labels about half of n samples with classes 0, 1 and 3: class 2 has
// none.
func someLabels(n int, weight float64) Labels {
	l := Labels{Class: make([]int, n), Names: []string{"a", "b", "c", "d"}, Weight: weight}
	for j := range l.Class {
		l.Class[j] = []int{0, Unlabelled, 1, Unlabelled, 3, 0, Unlabelled}[j%7]
	}
	return l
}

// classesOf makes samples of classes that share little, with noise and gross
// errors in a share of the entries.
func classesOf(classes, each, m int, gross float64, seed uint64) (x *mat.Dense, truth []int) {
	rng := rand.New(rand.NewPCG(seed, 7))
	centre := mat.NewDense(m, classes, nil)
	centre.Apply(func(_, _ int, _ float64) float64 { return math.Pow(rng.Float64(), 3) }, centre)
	x = mat.NewDense(m, classes*each, nil)
	truth = make([]int, classes*each)
	for j := range truth {
		truth[j] = j % classes
		light := 0.5 + rng.Float64()
		for i := range m {
			v := light*centre.At(i, truth[j]) + 0.1*rng.Float64()
			if rng.Float64() < gross {
				v = 3 * rng.Float64()
			}
			x.Set(i, j, v)
		}
	}
	return x, truth
}

// The value is ½w Σ n_k(1 − cos²(h_k, y_k)), which does not see the length of a
// row; Majorize touches it, has its gradient, and lies above.
func TestLabels(t *testing.T) {
	const r, n = 5, 23
	rng := rand.New(rand.NewPCG(3, 3))
	for _, weight := range []float64{0, 0.3, 20} {
		l := someLabels(n, weight)
		w := max(weight, 0)
		if w == 0 {
			w = 1
		}
		h := uniform(r, n, 4)
		var want float64
		for k, size := range l.sizes() {
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
		if !near(value, want, 1e-12) {
			t.Errorf("value %g, want %g", value, want)
		}
		scaled := mat.DenseCopyOf(h)
		for k := range r {
			for j := range n {
				scaled.Set(k, j, h.At(k, j)*math.Pow(100, float64(k-2)))
			}
		}
		if got := l.Value(scaled); !near(got, want, 1e-12) {
			t.Errorf("value %g with rows scaled, want %g", got, want)
		}
		q := &Quadratic{r: r, n: n}
		l.Majorize(q, h)
		bound := func(v *mat.Dense) (sum float64) {
			for k := range r {
				for j := range n {
					sum += q.d.At(k, j)*v.At(k, j)*v.At(k, j) - 2*q.c.At(k, j)*v.At(k, j)
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
				slope, got := (l.Value(up)-l.Value(down))/(2*d), 2*(q.d.At(k, j)*h.At(k, j)-q.c.At(k, j))
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
	l := someLabels(n, 1)
	h := uniform(r, n, 4)
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
	take := oneIn(t, 11)
	x, _ := planted(8, 21, 4, 0.05, 0.05, 3)
	for _, c := range []struct {
		solver Solver
		rounds int
		want   float64
	}{{HALS{}, 2000, 3e-4}, {FGD{}, 6000, 3e-4}, {FGD{Plain: true}, 6000, 3e-4}, {MU{}, 6000, 3e-4}} {
		for _, loss := range []Loss{Frobenius{}, Hypersurface{Scale: 1}, Hypersurface{Scale: 0.1}} {
			if !take() {
				continue
			}
			m := Model{Rank: 4, Loss: loss, Solver: c.solver, OnH: []Penalty{someLabels(21, 1)}, MaxIter: c.rounds, Tol: -1, Seed: 2}
			r := mustFit(t, m, x)
			m.MaxIter /= 10
			early := mustFit(t, m, x).KKT
			t.Logf("%T%+v, %s: KKT %.1e after %d rounds, %.1e after a tenth, objective %.6g (%v)", c.solver, c.solver, lossName(loss), r.KKT, len(r.Trace)-1, early, r.Objective, r.Reason)
			if r.KKT > c.want || r.KKT > 1e-8 && r.KKT > 0.7*early {
				t.Errorf("%T%+v, %s: KKT %g after a tenth of the rounds, %g in the end", c.solver, c.solver, lossName(loss), early, r.KKT)
			}
		}
	}
}

func TestBadLabels(t *testing.T) {
	x := uniform(4, 5, 1)
	for _, c := range []struct {
		l    Labels
		says string
	}{
		{Labels{Class: []int{0, 1, -1, 0}}, "4 labels for 5 samples: number 4 is the first that lacks the other"},
		{Labels{Class: []int{0, 1, -1, 0, 1, 1}}, "6 labels for 5 samples: number 5 is the first that lacks the other"},
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
	if _, err := mustFit(t, NMF(2), x).Predict(x); !errors.Is(err, ErrLabels) {
		t.Error(err)
	}
	if _, err := mustFit(t, Model{Rank: 2, OnH: []Penalty{Labels{Class: []int{-1, -1, -1, -1, -1}}}}, x).Predict(x); !errors.Is(err, ErrLabels) {
		t.Error(err)
	}
	if _, err := mustFit(t, Model{Rank: 2, OnH: []Penalty{good}}, x).Predict(x); !errors.Is(err, ErrShape) {
		t.Error(err)
	}
	if _, err := mustFit(t, Model{Rank: 2, OnH: []Penalty{good}}, x).Predict(nil); !errors.Is(err, ErrEmpty) {
		t.Error(err)
	}
}

// A few labels name the classes of all other samples, and of new ones.
func TestPredict(t *testing.T) {
	const classes, each, m = 3, 20, 30
	x, truth := classesOf(classes, each, m, 0.05, 1)
	names := []string{"one", "two", "three"}
	l := Labels{Class: truth, Names: names, Weight: 5}.Few(3, rand.New(rand.NewPCG(1, 1)).Perm(len(truth)))
	for c, size := range l.sizes() {
		if size != 3 || l.Name(c) != names[c] {
			t.Fatalf("%d labels of class %s", size, l.Name(c))
		}
	}
	fresh, newTruth := classesOf(classes, each, m, 0.05, 1)
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
		rss.Solver, rss.Init = model.Solver, ByLabel{Labels: l}
		r := mustFit(t, rss, x)
		found, err := r.Predict(r.H)
		if err != nil {
			t.Fatal(err)
		}
		if right := share(found, truth); right < 0.95 {
			t.Errorf("%s: %.2f right", name, right)
		}
		h, err := r.Transform(context.Background(), fresh, nil)
		if err != nil {
			t.Fatal(err)
		}
		if found, err = r.Predict(h); err != nil || share(found, newTruth) < 0.95 {
			t.Errorf("%s: %.2f of the new right, %v", name, share(found, newTruth), err)
		}
		_, h = r.Normalized(1)
		c := kmeans.Fit(h, kmeans.Options{K: classes}, work.Never)
		if a := matchedShare(truth, c.Labels); a < 0.6 {
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

// share returns the share of entries that agree.
func share(found, truth []int) float64 {
	var right float64
	for j, c := range found {
		if c == truth[j] {
			right++
		}
	}
	return right / float64(len(truth))
}

// A class out of range is an error of all that take labels, before anything of its size
// is made.
func TestClassesOutOfRange(t *testing.T) {
	x := uniform(6, 8, 1)
	for _, class := range []int{math.MaxInt, 1 << 33, 1 << 24, 8, -2, math.MinInt} {
		labels := Labels{Class: []int{0, 1, -1, 1, 0, class, 0, 1}}
		for name, fit := range map[string]func() error{
			"SSNMF":   func() error { _, err := SSNMF{Model: NMF(2), Labels: labels}.Fit(t.Context(), x); return err },
			"CNMF":    func() error { _, err := CNMF{Model: NMF(2), Labels: labels}.Fit(t.Context(), x); return err },
			"RSSNMF":  func() error { _, err := RSSNMF(2, 1, labels).Fit(t.Context(), x); return err },
			"ByLabel": func() error { _, err := Model{Rank: 2, Init: ByLabel{Labels: labels}}.Fit(t.Context(), x); return err },
			"Check":   func() error { return labels.Check(2, 8) },
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
	bad := Labels{Class: make([]int, 8)}.Against(mustFit(t, NMF(2), x), math.NaN())
	if _, err := RSSNMF(2, 1, bad).Fit(t.Context(), x); !errors.Is(err, ErrParameter) {
		t.Errorf("a weight of NaN: %v", err)
	}
}

// With its weight against the loss a fit of other units, or of each row twice, is
// the same but for them.
func TestLabelsAgainst(t *testing.T) {
	const m, n, r = 9, 31, 4
	x, _ := planted(m, n, r, 0.1, 0.1, 3)
	labels := someLabels(n, 0)
	fit := func(x *mat.Dense, scale float64, w *mat.Dense) *Result {
		model := Model{Rank: r, Loss: Hypersurface{Scale: scale}, Init: Factors{w, uniform(r, n, 2)}, MaxIter: 15, Tol: -1, Solver: MU{}}
		l := labels.Against(mustFit(t, model, x), 20)
		model.OnH = []Penalty{l}
		return mustFit(t, model, x)
	}
	w := uniform(m, r, 1)
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
	if got := fit(twice(x), 0.2, twice(w)); !mat.EqualApprox(got.H, want.H, 1e-8) || !near(got.Objective, 2*want.Objective, 1e-9) {
		t.Error("with each row twice the fit is another")
	}
	plain := mustFit(t, NMF(r), x)
	if l := labels.Against(plain, 3); !near(l.Weight, 3*plain.Objective/n, 1e-15) || labels.Weight != 0 {
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
	x, _ := planted(9, 31, 4, 0.1, 0.1, 3)
	want := someLabels(31, 7)
	m := Model{Rank: 5, OnH: []Penalty{want}}
	m.MaxIter = 3
	var b bytes.Buffer
	if err := mustFit(t, m, x).Save(&b); err != nil {
		t.Fatal(err)
	}
	r, err := Load(&b)
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.labels()
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("labels %+v, %v, want %+v", got, err, want)
	}
}
