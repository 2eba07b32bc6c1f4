package arena

import (
	"math"
	"testing"
)

func TestStandings(t *testing.T) {
	var rows []Stored
	add := func(level float64, rival string, errors ...float64) {
		for i, e := range errors {
			rows = append(rows, Stored{Set: "s", Kind: "t", Strength: level, Model: rival, Trial: uint64(i), Row: Row{Error: e, Accuracy: 1 - e, AP: math.NaN()}})
		}
	}
	add(1, "a", 0.1, 0.3)
	add(1, "b", 0.4, 0.4)
	add(1, "c", 0.2, 0.2)
	add(2, "a", 0.5)
	add(2, "b", 0.25)
	add(2, "c", 0.75)
	add(3, "a", 0.1) // the others took no part
	got := Standings(rows, Error)
	want := []Standing{
		{"a", 1.75, 1, math.Sqrt2, 2, 2},
		{"b", 2, 1, math.Sqrt2, 2, 2},
		{"c", 2.25, 1, math.Sqrt(3), 3, 2},
	}
	for i, w := range want {
		g := got[i]
		if g.Model != w.Model || g.Rank != w.Rank || g.Wins != w.Wins || g.Bouts != w.Bouts || math.Abs(g.Regret-w.Regret) > 1e-12 || math.Abs(g.Worst-w.Worst) > 1e-12 {
			t.Errorf("%+v, want %+v", g, w)
		}
	}
	if best := Standings(rows, Accuracy)[0]; best.Model != "a" && best.Model != "b" {
		t.Error(best)
	}
	if m := Means(rows, AP); len(m) != 0 {
		t.Error(m)
	}
}
