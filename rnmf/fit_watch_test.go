package rnmf

import (
	"context"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
)

// What WithTrace tells is the trace of the result, and watching changes nothing.
func TestWithTrace(t *testing.T) {
	s, err := datasets.Digits().Sample(8, 1)
	if err != nil {
		t.Fatal(err)
	}
	x := s.Scaled().X
	labels := Labels{Class: slices.Clone(s.Labels), Names: s.Classes}
	for j := range labels.Class {
		if j%3 > 0 {
			labels.Class[j] = Unlabelled
		}
	}
	graph := neighbors(x, 5, nil)
	m := Model{Rank: 5, MaxIter: 20}
	for name, fit := range map[string]func(ctx context.Context) (*Result, error){
		"Model": func(ctx context.Context) (*Result, error) { return HuberNMF(5).Fit(ctx, x) },
		// Its start is a fit as well, whose rounds are none of this one.
		"RMNMF": func(ctx context.Context) (*Result, error) { return RMNMF(5, graph, 1).Fit(ctx, x) },
		"CNMF":  func(ctx context.Context) (*Result, error) { return CNMF{m, labels}.Fit(ctx, x) },
		"SSNMF": func(ctx context.Context) (*Result, error) {
			r, err := SSNMF{Model: m, Labels: labels}.Fit(ctx, x)
			return r.Base(), err
		},
		"ConvexNMF": func(ctx context.Context) (*Result, error) {
			r, err := ConvexNMF{m}.Fit(ctx, x)
			return r.Base(), err
		},
		"Contiguous": func(ctx context.Context) (*Result, error) {
			r, err := Contiguous{Model: m, Height: 8, Width: 8}.Fit(ctx, x)
			return r.Base(), err
		},
	} {
		var seen Trace
		again := 0
		r, err := fit(WithTrace(t.Context(), func(p Point) {
			if n := len(seen); n > 0 && p.Round <= seen[n-1].Round {
				seen = nil
				again++
			}
			seen = append(seen, p)
		}))
		if err != nil {
			t.Fatal(name, err)
		}
		alone, err := fit(t.Context())
		if err != nil {
			t.Fatal(name, err)
		}
		if !mat.Equal(r.W, alone.W) || !mat.Equal(r.H, alone.H) {
			t.Errorf("%s: watching changes the result", name)
		}
		if want := map[string]int{"Contiguous": 1}[name]; again != want {
			t.Errorf("%s: a round came again %d times, want %d", name, again, want)
		}
		if len(seen) < 3 || len(seen) != len(r.Trace) {
			t.Fatalf("%s: %d points seen, %d in the trace", name, len(seen), len(r.Trace))
		}
		for i, p := range r.Trace {
			// At the end of a turn of Contiguous the trace has what the new z makes of it.
			lower := name == "Contiguous" && seen[i].Objective >= p.Objective*(1-1e-12)
			if seen[i].Round != p.Round || seen[i].Objective != p.Objective && !lower {
				t.Errorf("%s: point %d is %v, seen was %v", name, i, p, seen[i])
			}
		}
	}
}
