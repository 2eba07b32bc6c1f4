package rnmf_test

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
	. "github.com/robustnmf/robustnmf/rnmf/papers"
)

// What Model.Watch tells is the trace of the result, and watching changes nothing.
func TestWatch(t *testing.T) {
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
	graph := Neighbors(x, 5, nil)
	of := func(watch func(Point)) Model { return Model{Rank: 5, MaxIter: 20, Watch: watch} }
	alone := func(m Model, watch func(Point)) (*Result, error) {
		m.Watch = watch
		return m.Fit(t.Context(), x)
	}
	for name, fit := range map[string]func(watch func(Point)) (*Result, error){
		"Model": func(watch func(Point)) (*Result, error) { return alone(HuberNMF(5), watch) },
		// Its start is a fit as well, whose rounds are none of this one.
		"RMNMF": func(watch func(Point)) (*Result, error) { return alone(RMNMF(5, graph, 1), watch) },
		"CNMF": func(watch func(Point)) (*Result, error) {
			return CNMF{Model: of(watch), Labels: labels}.Fit(t.Context(), x)
		},
		"SSNMF": func(watch func(Point)) (*Result, error) {
			r, err := SSNMF{Model: of(watch), Labels: labels}.Fit(t.Context(), x)
			return r.Base(), err
		},
		"ConvexNMF": func(watch func(Point)) (*Result, error) {
			r, err := ConvexNMF{Model: of(watch)}.Fit(t.Context(), x)
			return r.Base(), err
		},
		"OcclusionNMF": func(watch func(Point)) (*Result, error) {
			r, err := OcclusionNMF{Model: of(watch), Height: 8, Width: 8}.Fit(t.Context(), x)
			return r.Base(), err
		},
	} {
		var seen Trace
		again := 0
		r, err := fit(func(p Point) {
			if n := len(seen); n > 0 && p.Round <= seen[n-1].Round {
				seen = nil
				again++
			}
			seen = append(seen, p)
		})
		if err != nil {
			t.Fatal(name, err)
		}
		unwatched, err := fit(nil)
		if err != nil {
			t.Fatal(name, err)
		}
		if !mat.Equal(r.W, unwatched.W) || !mat.Equal(r.H, unwatched.H) {
			t.Errorf("%s: watching changes the result", name)
		}
		if want := map[string]int{"OcclusionNMF": 1}[name]; again != want {
			t.Errorf("%s: a round came again %d times, want %d", name, again, want)
		}
		if len(seen) < 3 || len(seen) != len(r.Trace) {
			t.Fatalf("%s: %d points seen, %d in the trace", name, len(seen), len(r.Trace))
		}
		for i, p := range r.Trace {
			// At the end of a turn of OcclusionNMF the trace has what the new z makes of it.
			lower := name == "OcclusionNMF" && seen[i].Objective >= p.Objective*(1-1e-12)
			if seen[i].Round != p.Round || seen[i].Objective != p.Objective && !lower {
				t.Errorf("%s: point %d is %v, seen was %v", name, i, p, seen[i])
			}
		}
	}
}

// A nil edit of With changes nothing.
func TestWithNil(t *testing.T) {
	x := Uniform(4, 6, 1)
	labels := Labels{Class: []int{0, 1, -1, -1, 0, 1}}
	for name, fit := range map[string]func() (*Result, error){
		"Model": func() (*Result, error) { return NMF(2).With(nil).Fit(t.Context(), x) },
		"CNMF":  func() (*Result, error) { return CNMF{Model: NMF(2), Labels: labels}.With(nil).Fit(t.Context(), x) },
		"SSNMF": func() (*Result, error) {
			r, err := SSNMF{Model: NMF(2), Labels: labels}.With(nil).Fit(t.Context(), x)
			return r.Base(), err
		},
		"ConvexNMF": func() (*Result, error) {
			r, err := ConvexNMF{Model: NMF(2)}.With(nil).Fit(t.Context(), x)
			return r.Base(), err
		},
		"OcclusionNMF": func() (*Result, error) {
			r, err := OcclusionNMF{Model: NMF(2), Height: 2, Width: 2}.With(nil).Fit(t.Context(), x)
			return r.Base(), err
		},
	} {
		if r, err := fit(); err != nil || r == nil || r.W == nil {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
}
