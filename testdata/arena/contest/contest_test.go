package contest

import (
	"context"
	"math"
	"testing"

	"github.com/robustnmf/robustnmf/datasets"
)

// All rivals of a bout get the same data, scores come from clean samples, and the
// same trial gives the same score.
func TestFight(t *testing.T) {
	s, err := datasets.Digits().Scaled().Sample(10, 1)
	if err != nil {
		t.Fatal(err)
	}
	rivals := Rivals()
	rivals = append(rivals[:2:2], rivals[len(rivals)-1])
	for _, trouble := range Troubles() {
		level := trouble.Levels[0]
		for _, rival := range rivals {
			a, err := Fight(context.Background(), s, trouble, level, rival, 1)
			if err != nil {
				t.Fatal(err)
			}
			b, err := Fight(context.Background(), s, trouble, level, rival, 1)
			if err != nil {
				t.Fatal(err)
			}
			if a.Error != b.Error || a.Accuracy != b.Accuracy || a.Rounds != b.Rounds {
				t.Errorf("%v\n%v", a, b)
			}
			noise := trouble.Name == "Laplace noise" || trouble.Name == "Gaussian noise"
			if !(a.Error > 0 && a.Error < 3 && a.Accuracy > 0.1 && a.NMI > 0 && a.Seconds > 0) || math.IsNaN(a.Found) != noise {
				t.Errorf("%+v", a)
			}
		}
	}
	if _, err := Fight(context.Background(), datasets.Wine().Scaled(), Troubles()[1], 25, rivals[0], 1); err == nil {
		t.Error("a block in wine")
	}
}

func TestStandings(t *testing.T) {
	var scores []Score
	add := func(level float64, rival string, errors ...float64) {
		for i, e := range errors {
			scores = append(scores, Score{Set: "s", Trouble: "t", Level: level, Rival: rival, Trial: i, Error: e, Accuracy: 1 - e, Found: math.NaN()})
		}
	}
	add(1, "a", 0.1, 0.3)
	add(1, "b", 0.4, 0.4)
	add(1, "c", 0.2, 0.2)
	add(2, "a", 0.5)
	add(2, "b", 0.25)
	add(2, "c", 0.75)
	add(3, "a", 0.1) // the others took no part
	got := Standings(scores, Error)
	want := []Standing{
		{"a", 1.75, 1, math.Sqrt2, 2, 2},
		{"b", 2, 1, math.Sqrt2, 2, 2},
		{"c", 2.25, 1, math.Sqrt(3), 3, 2},
	}
	for i, w := range want {
		g := got[i]
		if g.Rival != w.Rival || g.Rank != w.Rank || g.Wins != w.Wins || g.Bouts != w.Bouts || math.Abs(g.Regret-w.Regret) > 1e-12 || math.Abs(g.Worst-w.Worst) > 1e-12 {
			t.Errorf("%+v, want %+v", g, w)
		}
	}
	if best := Standings(scores, Accuracy)[0]; best.Rival != "a" && best.Rival != "b" {
		t.Error(best)
	}
	if m := Means(scores, Found); len(m) != 0 {
		t.Error(m)
	}
}
