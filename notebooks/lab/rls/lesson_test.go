package rls

import (
	"math"
	"strings"
	"testing"

	"github.com/robustnmf/robustnmf/notebooks/lesson"
	"github.com/robustnmf/robustnmf/viz"
)

// The gains of a set add up to what the last method is ahead of the first, also where a term is not printed.
func TestGains(t *testing.T) {
	ours, theirs := Terms()
	for i, accuracy := range []*lesson.Results{ours, theirs} {
		bars, title := Gains("x:", accuracy)
		if len(bars) != len(accuracy.Columns)-1 || strings.Contains(title, "ℓ₁") != (i == 0) || !strings.HasPrefix(title, "x: graph +") {
			t.Errorf("%d bars, %q", len(bars), title)
		}
		for k, set := range accuracy.Rows {
			sum := accuracy.Mean(set, accuracy.Columns[0]) - accuracy.Mean(set, accuracy.Columns[len(bars)])
			for _, b := range bars {
				sum += b.Y[k]
			}
			if !(math.Abs(sum) < 1e-9) {
				t.Errorf("%s: the gains miss the end by %g", set, sum)
			}
		}
	}
}

func TestCost(t *testing.T) {
	y, at := Cost([]viz.Series{{X: []float64{1, 2, 3}, Y: []float64{0, 0.4, 0.8}}, {X: []float64{1, 5}, Y: []float64{0.1, 0.6}}, {X: []float64{2}, Y: []float64{0.7}}})
	if y != 0.6 || math.Abs(at[0]-2.5) > 1e-12 || at[1] != 5 || at[2] != 2 {
		t.Error(y, at)
	}
}

func TestUpTo(t *testing.T) {
	f := Finds{new(lesson.Results), new(lesson.Results)}
	for i, v := range []float64{0.95, 0.91, 0.2, 0.92} {
		gamma := []string{"1", "2", "3", "4"}[i]
		f.Precision.Add("a", gamma, v)
		f.Precision.Add("b", gamma, v-0.1)
		f.Flagged.Add("a", gamma, 10*float64(i))
	}
	if gamma, flagged := f.UpTo("a", 0.9); gamma != "2" || flagged != 10 {
		t.Error(gamma, flagged)
	}
	if gamma, flagged := f.UpTo("b", 0.9); gamma != "0" || flagged != 0 {
		t.Error(gamma, flagged)
	}
}
