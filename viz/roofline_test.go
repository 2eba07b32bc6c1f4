package viz_test

import (
	"errors"
	"math"
	"testing"

	"github.com/robustnmf/robustnmf/viz"
)

func init() {
	kinds = append(kinds, struct {
		name string
		draw func() (viz.Figure, error)
	}{"Roofline", func() (viz.Figure, error) {
		return viz.Roofline(50, []viz.Roof{{"cache", 100}, {"memory", 8}}, []viz.Work{
			{Name: "rounds", Intensity: []float64{1, 4, 20}, Rate: []float64{6, 20, 40}, Joined: true},
			{Intensity: []float64{0.2}, Rate: []float64{19}, Labels: []string{"a loop"}},
		}, viz.RooflineOptions{Title: "t", XLabel: "flops per byte"})
	}})
}

// TestRooflineRange checks that ridges and points are within the axes.
func TestRooflineRange(t *testing.T) {
	c, err := viz.Roofline(50, []viz.Roof{{"cache", 100}, {"memory", 8}},
		[]viz.Work{{Name: "slow", Intensity: []float64{0.01, 300}, Rate: []float64{0.1, 90}}}, viz.RooflineOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if c.X.Min >= 0.01 || c.X.Max <= 300 || c.Y.Min >= 0.1 || c.Y.Max <= 90 {
		t.Errorf("axes from %g to %g and %g to %g", c.X.Min, c.X.Max, c.Y.Min, c.Y.Max)
	}
}

func TestRooflineErrors(t *testing.T) {
	one := []float64{1}
	roofs := []viz.Roof{{"memory", 8}}
	for i, c := range []struct {
		peak  float64
		roofs []viz.Roof
		work  viz.Work
		want  error
	}{
		{50, nil, viz.Work{Intensity: one, Rate: one}, viz.ErrEmpty},
		{50, roofs, viz.Work{}, viz.ErrEmpty},
		{0, roofs, viz.Work{Intensity: one, Rate: one}, viz.ErrOption},
		{math.NaN(), roofs, viz.Work{Intensity: one, Rate: one}, viz.ErrNotFinite},
		{50, []viz.Roof{{"memory", -1}}, viz.Work{Intensity: one, Rate: one}, viz.ErrOption},
		{50, roofs, viz.Work{Intensity: one, Rate: []float64{0}}, viz.ErrOption},
		{50, roofs, viz.Work{Intensity: one, Rate: []float64{1, 2}}, viz.ErrShape},
		{50, roofs, viz.Work{Intensity: one, Rate: one, Labels: []string{"a", "b"}}, viz.ErrShape},
	} {
		if _, err := viz.Roofline(c.peak, c.roofs, []viz.Work{c.work}, viz.RooflineOptions{}); !errors.Is(err, c.want) {
			t.Errorf("case %d: %v, want %v", i, err, c.want)
		}
	}
}
