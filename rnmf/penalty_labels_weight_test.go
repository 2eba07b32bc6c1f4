package rnmf

import (
	"bytes"
	"context"
	"errors"
	"math"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"
)

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
