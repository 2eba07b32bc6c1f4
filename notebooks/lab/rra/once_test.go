package rra

import (
	"math"
	"strings"
	"testing"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/notebooks/lab/printed"
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

func TestFirstRounds(t *testing.T) {
	s, err := datasets.Digits().Sample(6, 1)
	if err != nil {
		t.Fatal(err)
	}
	s = s.Scaled()
	g, err := neighbor.KNN{}.Graph(t.Context(), s.X)
	if err != nil {
		t.Fatal(err)
	}
	curves, square, err := FirstRounds(t.Context(), s.X, printed.RRA{Graph: g, Beta: 2}, 4, 5)
	if err != nil {
		t.Fatal(err)
	}
	if len(curves) != len(Rivals()) || curves[0].Name != Algorithm1 || !(square > 0) {
		t.Fatalf("%d curves, the first of %s, ‖u‖² = %g", len(curves), curves[0].Name, square)
	}
	for _, c := range curves {
		if n := len(c.Trace); n != 6 || math.Abs(c.Trace[0].Objective-curves[0].Trace[0].Objective) > 1e-9*c.Trace[0].Objective {
			t.Errorf("%s: %d points from %g", c.Name, n, c.Trace[0].Objective)
		}
	}
}

func TestJump(t *testing.T) {
	trace := rnmf.Trace{{Round: 0, Objective: 4}, {Round: 1, Objective: 5}, {Round: 2, Objective: 3}, {Round: 3, Objective: 9}}
	if got := Jump(trace); got != "rises 3.0-fold in round 3" {
		t.Error(got)
	}
	if got := Jump(rnmf.Trace{{Objective: 4}, {Round: 1, Objective: 4}}); got != "never rises" {
		t.Error(got)
	}
}

func TestLimited(t *testing.T) {
	if got := Limited(); !strings.Contains(got, "COIL-20 32×32, r = 100: 9 of 10") {
		t.Error(got)
	}
}
