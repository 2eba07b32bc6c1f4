package rra

import (
	"math"
	"testing"

	"github.com/robustnmf/robustnmf/datasets"
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
