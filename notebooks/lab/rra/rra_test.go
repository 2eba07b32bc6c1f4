package rra

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
	"github.com/robustnmf/robustnmf/rnmf"
)

func names() (all []string) {
	for _, r := range Rivals() {
		all = append(all, r.Name)
	}
	return all
}

// races checks that each race has each solver once, with numbers that can be.
func races(t *testing.T, all stored.Table) {
	t.Helper()
	for _, set := range all.Different("set") {
		for _, rank := range all.Where("set", set).Different("rank") {
			for _, start := range all.Where("set", set, "rank", rank).Different("start") {
				race := all.Where("set", set, "rank", rank, "start", start)
				solvers := race.Different("solver")
				for _, name := range names() {
					if !slices.Contains(solvers, name) || len(solvers) != len(race) {
						t.Errorf("%s, rank %s, start %s has %q", set, rank, start, solvers)
					}
				}
				if len(race.Different("target")) != 1 {
					t.Errorf("%s, rank %s, start %s has the targets %q", set, rank, start, race.Different("target"))
				}
			}
		}
	}
	for _, r := range all {
		reached := r.Text("outcome") == "reached"
		if !slices.Contains([]string{"reached", "late", "exploded"}, r.Text("outcome")) || reached != (r.Number("rounds") >= 0) || reached && !(r.Number("seconds") >= 0) || !(r.Number("highest_rise") >= 0) {
			t.Errorf("%v", r)
		}
		if reached && r.Number("stop_rounds") < 2 {
			t.Errorf("rule (18) ends nobody before round 2: %v", r)
		}
		if r.Text("solver") == "coordinate descent" && r.Number("highest_rise") > 1e-9 {
			t.Errorf("it rose: %v", r)
		}
	}
}

func trials(t *testing.T, all stored.Table, classes, trials int) {
	t.Helper()
	solvers := clustered()
	if want := (classes - 1) * trials * len(solvers); len(all) != want {
		t.Errorf("%d rows, want %d, of %q", len(all), want, all.Different("solver"))
	}
	for _, name := range all.Different("solver") {
		if !slices.Contains(solvers, name) {
			t.Errorf("a solver %q", name)
		}
	}
	for _, r := range all {
		if v := r.Number("accuracy"); !(v > 0 && v <= 1) {
			t.Errorf("%v", r)
		}
		if v := r.Number("nmi"); !(v >= 0 && v <= 1) || !(r.Number("seconds") >= 0) {
			t.Errorf("%v", r)
		}
	}
}

func TestResults(t *testing.T) {
	race := Results("race.csv")
	races(t, race)
	for _, set := range []string{"COIL-20 32×32", "CMU PIE 32×32, pose 27", "Extended Yale B 32×32"} {
		if n := len(race.Where("set", set, "start", "1").Different("rank")); n != 5 {
			t.Errorf("%s: %d ranks, want 5", set, n)
		}
	}
	clusters := Results("clusters.csv")
	for _, set := range []string{"COIL-20 32×32", "CMU PIE 32×32, pose 27", "Extended Yale B 32×32"} {
		trials(t, clusters.Where("set", set), 10, 10)
	}
	energy := Results("energy.csv")
	if got := energy.Different("energy"); !slices.Equal(got, []string{"0.65", "0.75", "0.85", "0.95", "1"}) || len(energy) != 2*len(got) {
		t.Errorf("%d rows of the energies %q", len(energy), got)
	}
	traces := Results("traces.csv")
	for _, set := range traces.Different("set") {
		for _, rank := range traces.Where("set", set).Different("rank") {
			for _, solver := range names() {
				trace := traces.Where("set", set, "rank", rank, "solver", solver)
				for _, column := range []string{"round", "seconds"} {
					if v := trace.Numbers(column); len(v) < 3 || !slices.IsSorted(v) || v[0] != 0 {
						t.Errorf("%s, rank %s, %s: the %s are %v", set, rank, solver, column, v)
					}
				}
			}
		}
	}
}

func read(t *testing.T, folder, name string) (string, stored.Table) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text), stored.Parse(string(text))
}

// A fit that ends as diverged has risen, though its last objective is not in its trace.
func TestHighestRise(t *testing.T) {
	trace := rnmf.Trace{{Objective: 100}, {Objective: 10}}
	for reason, want := range map[rnmf.Reason]float64{rnmf.Converged: 0, rnmf.Diverged: 109} {
		if got := highestRise(&rnmf.Result{Trace: trace, Reason: reason}); got != want {
			t.Errorf("%v: %g, want %g", reason, got, want)
		}
	}
}

// All experiments go through on forty digits, where NumPy is and where it is not.
// What is in the files is not computed again.
func TestExperiments(t *testing.T) {
	if testing.Short() {
		t.Skip("fits of small experiments")
	}
	s := settings{out: t.TempDir(), starts: 2, ranks: []int{3}, until: time.Now().Add(time.Hour), seconds: 2, python: "/usr/bin/python3"}
	set, err := datasets.Digits().Sample(4, 1)
	if err != nil {
		t.Fatal(err)
	}
	set = set.Scaled()
	var before [5]string
	for i := range 2 {
		if err := race(t.Context(), s, []*datasets.Set{set}); err != nil {
			t.Fatal(err)
		}
		if err := energy(t.Context(), s, set); err != nil {
			t.Fatal(err)
		}
		if err := clusters(t.Context(), s, []*datasets.Set{set}, 3, 2); err != nil {
			t.Fatal(err)
		}
		if err := algorithm1(t.Context(), s, []*datasets.Set{set}); err != nil {
			t.Fatal(err)
		}
		for k, name := range []string{"race.csv", "traces.csv", "energy.csv", "clusters.csv", "algorithm1.csv"} {
			text, all := read(t, s.out, name)
			if i > 0 {
				if text != before[k] {
					t.Errorf("a second run changes %s", name)
				}
				continue
			}
			before[k] = text
			switch name {
			case "race.csv":
				races(t, all)
				if len(all.Different("start")) != 2 {
					t.Errorf("%d starts, want 2", len(all.Different("start")))
				}
				// Of NumPy there is both or nothing, and the same descent as ours.
				ours, theirs := all.Where("start", "1", "solver", "MUR"), all.Where("start", "1", "solver", "NumPy MUR")
				if numpy := all.Where("solver", "NumPy RRA"); len(numpy) != len(theirs) {
					t.Errorf("NumPy: %v and %v", theirs, numpy)
				} else if len(theirs) == 1 && theirs[0].Text("stop_rounds") != ours[0].Text("stop_rounds") {
					t.Errorf("multiplicative updates stop after different rounds: %v and %v", ours, theirs)
				} else if len(theirs) == 0 {
					t.Log("without NumPy")
				}
			case "energy.csv":
				if len(all) != 10 {
					t.Errorf("%d rows of energy, want 10", len(all))
				}
			case "clusters.csv":
				trials(t, all, 3, 2)
			case "algorithm1.csv":
				if len(all) != 2 {
					t.Errorf("%d runs of Algorithm 1, want 2", len(all))
				}
				for _, r := range all {
					if low := r.Number("lowest"); !(low <= r.Number("last")) || !(low < r.Number("first")) || r.Number("rounds") < 1 {
						t.Error(r)
					}
				}
			}
		}
	}
	if err := Command(t.Context(), []string{"-only", "nothing"}); err == nil {
		t.Error("there is no such experiment")
	}
}

func TestRules(t *testing.T) {
	var trace rnmf.Trace
	for i, f := range []float64{100, 50, 40, 39.99} {
		trace = append(trace, rnmf.Point{Round: i, Objective: f, Seconds: float64(i)})
	}
	if rule := Settled(1e-3); rule(trace[:3]) || !rule(trace) {
		t.Error("rule (18) holds where a change is a thousandth of the first")
	}
	if rule := Reached(40, 2.5); rule(trace[:2]) || !rule(trace[:3]) || !Reached(0, 2.5)(trace) {
		t.Error("reached is at the objective or after the time")
	}
	if SecondsTo(trace, 45) != 2 || !math.IsNaN(SecondsTo(trace, 1)) || Lowest(trace) != 39.99 || rise(trace) != 0 {
		t.Error(SecondsTo(trace, 45), SecondsTo(trace, 1), Lowest(trace), rise(trace))
	}
	if up := append(trace, rnmf.Point{Objective: 100}); !exploded(up) || exploded(trace) {
		t.Error("exploded is a round that doubles the objective")
	}
}
