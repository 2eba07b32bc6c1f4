package rra

import (
	"math"
	"testing"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/neighbor"
)

func TestRaceOnce(t *testing.T) {
	s, err := datasets.Digits().Sample(6, 1)
	if err != nil {
		t.Fatal(err)
	}
	s = s.Scaled()
	g, err := neighbor.KNN{}.Graph(t.Context(), s.X)
	if err != nil {
		t.Fatal(err)
	}
	all, first, err := RaceOnce(t.Context(), s.X, g, 4, 300)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 1+len(Rivals()) || all[0].Name != Algorithm1 || !math.IsNaN(all[0].KKT) {
		t.Fatalf("%d runners, the first is %s", len(all), all[0].Name)
	}
	target, settled := all[0].Stop.Objective, Settled(1e-3)
	for _, r := range all {
		if r.Seconds < first.Seconds {
			t.Errorf("%s is there before %s", r.Name, first.Name)
		}
		if there := Lowest(r.Trace) <= target; there == math.IsNaN(r.Seconds) {
			t.Errorf("%s: %g s to %g, its lowest is %g", r.Name, r.Seconds, target, Lowest(r.Trace))
		}
		if stop := r.Stop.Round; stop < 300 && !settled(r.Trace[:stop+1]) {
			t.Errorf("%s does not settle in round %d", r.Name, stop)
		}
	}
}

// The first is who is there soonest; who is late does not count.
func TestFirsts(t *testing.T) {
	all := stored.Parse("set,rank,start,solver,seconds,outcome\nA,1,1,x,1,reached\nA,1,1,y,2,reached\nA,1,2,x,1,late\nA,1,2,y,2,reached\nB,1,1,x,3,reached\nB,1,1,y,2,reached\n")
	for solver, want := range map[string]int{"x": 1, "y": 2, "z": 0} {
		if first, races := firsts(all, solver); first != want || races != 3 {
			t.Errorf("%s is the first in %d of %d races, want %d of 3", solver, first, races, want)
		}
	}
}

func TestConnected(t *testing.T) {
	g, err := rnmf.NewGraph(5, []rnmf.Edge{{I: 0, J: 3, Weight: 1}, {I: 3, J: 1, Weight: 1}, {I: 2, J: 4, Weight: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if got := (Part{Graph: g, Labels: make([]int, 5)}).Connected(); got != 2 {
		t.Errorf("%d connected parts, want 2", got)
	}
}
