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
	for _, c := range []struct {
		measure Measure
		want    []Standing
	}{
		{Error, []Standing{
			{"a", 1.75, 1, math.Sqrt2, 2, 2},
			{"b", 2, 1, math.Sqrt2, 2, 2},
			{"c", 2.25, 1, math.Sqrt(3), 3, 2},
		}},
		{Accuracy, []Standing{ // 0.8, 0.6, 0.8 and 0.5, 0.75, 0.25
			{"a", 1.75, 1, math.Sqrt(1.5), 1.5, 2},
			{"b", 2, 1, math.Sqrt(4. / 3), 4. / 3, 2},
			{"c", 2.25, 1, math.Sqrt(3), 3, 2},
		}},
	} {
		got := Standings(rows, c.measure)
		if len(got) != len(c.want) {
			t.Fatalf("%s: %d standings, want %d: %+v", c.measure.Name, len(got), len(c.want), got)
		}
		for i, w := range c.want {
			g := got[i]
			if g.Model != w.Model || g.Rank != w.Rank || g.Wins != w.Wins || g.Bouts != w.Bouts || math.Abs(g.Regret-w.Regret) > 1e-12 || math.Abs(g.Worst-w.Worst) > 1e-12 {
				t.Errorf("%s: %+v, want %+v", c.measure.Name, g, w)
			}
		}
	}
	if m := Means(rows, AP); len(m) != 0 {
		t.Error(m)
	}
}

func TestOverBest(t *testing.T) {
	row := func(strength float64, model string, e float64) Stored {
		return Stored{"set", "kind", strength, model, 1, Row{Error: e}}
	}
	rows := []Stored{row(1, "a", 1), row(1, "b", 2), row(2, "a", 8), row(2, "b", 1), {"set", "other", 1, "a", 1, Row{Error: 100}}}
	got := OverBest(rows, "kind")
	for model, want := range map[string]float64{"a": math.Sqrt(8), "b": math.Sqrt2} {
		if math.Abs(got[model]-want) > 1e-12 {
			t.Errorf("%s: %g, want %g", model, got[model], want)
		}
	}
}
