package rnmf_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest/parts"
	. "github.com/robustnmf/robustnmf/rnmf/papers"
)

func TestLabelsGraph(t *testing.T) {
	x, truth := ClassesOf(3, 20, 30, 0.05, 1)
	n := len(truth)
	l := Labels{Class: truth}.Few(4, rand.New(rand.NewPCG(2, 1)).Perm(n))
	near := Neighbors(x, 5, nil)
	g, err := l.Graph(near)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		for j := range n {
			want := near.At(i, j)
			if a, b := l.Class[i], l.Class[j]; i != j && a >= 0 && b >= 0 {
				want = 0
				if a == b {
					want = 1
				}
			}
			if got := g.At(i, j); got != want {
				t.Fatalf("edge %d, %d weighs %g, want %g", i, j, got, want)
			}
		}
	}
	if only, err := l.Graph(nil); err != nil || only.Edges() != 3*4*3/2 {
		t.Errorf("%v, %v", only, err)
	}
	m, err := SemiGNMF(3, near, l, 0.1)
	if err != nil {
		t.Fatal(err)
	}
	m.OnW = []Penalty{Ridge{0.1}}
	m.Tol, m.MaxIter = -1, 50
	r := MustFit(t, m, x)
	Falls(t, "Semi-GNMF", r.Trace)
	if a := MatchedShare(truth, r.Clusters()); a < 0.9 {
		t.Errorf("accuracy %.2f", a)
	}
	for _, solver := range AllSolvers {
		m.Solver, m.MaxIter, m.OnH = solver, 6, append(m.OnH[:1:1], l)
		Falls(t, "with labels and graph", MustFit(t, m, x).Trace)
	}
	if _, err := (Labels{Class: []int{0, 1}}).Graph(near); !errors.Is(err, ErrLabels) {
		t.Error(err)
	}
	if _, err := (Labels{}).Graph(nil); !errors.Is(err, ErrEmpty) {
		t.Error(err)
	}
	if _, err := SemiGNMF(3, near, l, math.NaN()); !errors.Is(err, ErrParameter) {
		t.Error(err)
	}
}
