package rnmf

import (
	"context"
	"testing"
)

func TestSettled(t *testing.T) {
	for _, c := range []struct {
		objectives []float64
		tol        float64
		want       bool
	}{
		{nil, 1, false},
		{[]float64{5}, 1, false},
		{[]float64{10, 4}, 0.9, false}, // the first round is the whole way
		{[]float64{10, 4, 3.9}, 0.1, true},
		{[]float64{10, 4, 3.9}, 0.01, false},
		{[]float64{10, 4, 3}, 0.1, false},
		{[]float64{3, 3}, 0.1, true},
	} {
		var trace Trace
		for i, f := range c.objectives {
			trace = append(trace, Point{Round: i, Objective: f})
		}
		if got := trace.Settled(c.tol); got != c.want {
			t.Errorf("%v: %t", c.objectives, got)
		}
	}
	x, _ := planted(20, 30, 3, 0.05, 0.1, 1)
	m := TruncatedCauchyNMF(3)
	m.Solver, m.Tol = OGM{Plain: true}, -1
	for s, err := range m.Steps(context.Background(), x) {
		if err != nil {
			t.Fatal(err)
		}
		if s.Result().Trace.Settled(1e-4) {
			if s.Round < 3 || s.Round > 400 {
				t.Errorf("settled in round %d", s.Round)
			}
			return
		}
	}
	t.Error("never settled")
}
