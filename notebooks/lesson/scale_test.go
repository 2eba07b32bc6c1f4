package lesson

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot"

	"github.com/robustnmf/robustnmf/viz"
)

func TestScale(t *testing.T) {
	chart := func(y ...float64) *viz.Chart { return Must(viz.Lines([]viz.Series{{Y: y}}, viz.LinesOptions{})) }
	a, b := chart(1, 4), chart(3, 2)
	Level(a, 5)
	Upright(a, 1)
	SameScale(b, a)
	for _, c := range []*viz.Chart{a, b} {
		if c.Y.Min != 1 || c.Y.Max != 5 || c.X.Min != 0 || c.X.Max != 1 {
			t.Errorf("from %g to %g, %g to %g wide", c.Y.Min, c.Y.Max, c.X.Min, c.X.Max)
		}
	}
	SameScale()
}

// A mark has white in it.
func TestHollow(t *testing.T) {
	whites := func(hollow bool) (n int) {
		c := Must(viz.Lines([]viz.Series{{Y: []float64{1, 4, 2}}}, viz.LinesOptions{}))
		if hollow {
			Hollow(c, viz.Series{X: []float64{1}, Y: []float64{4}})
		}
		img := c.Image()
		for y := range img.Bounds().Dy() {
			for x := range img.Bounds().Dx() {
				if r, g, b, _ := img.At(x, y).RGBA(); r&g&b == 0xffff {
					n++
				}
			}
		}
		return n
	}
	if more := whites(true) - whites(false); more < 20 || more > 60 { // a disc with the radius of 3.6 pixels
		t.Error(more)
	}
}

func TestWithPaper(t *testing.T) {
	got := results().WithPaper(Printed("  | second | third\nrow | 4.5 | –\nnone | 1 | 2\n"), "c").Markdown()
	for _, want := range []string{"| first | second | third |", "| row | 2.000 ± 1.414 | 5.000 (4.500) | – |", "| other | – | – | – |", "| none | – | – (1.000) | – (2.000) |"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// Of curves that coincide the first and the last are seen, and the axes stay.
func TestNested(t *testing.T) {
	line := func(name string, style int) viz.Series {
		return viz.Series{Name: name, Style: style, X: []float64{-5, 50}, Y: []float64{1, 1}}
	}
	c := Nested(Axes(1, 10, viz.LinesOptions{LogX: true, YMax: 2}), line("wide", 1), line("", 2), line("thin", 3))
	if c.X.Min != 1 || c.X.Max != 10 || c.Y.Min != 0 || c.Y.Max != 2 {
		t.Errorf("from %g to %g, %g to %g wide", c.Y.Min, c.Y.Max, c.X.Min, c.X.Max)
	}
	c.X.Scale, c.Legend = plot.LinearScale{}, plot.NewLegend()
	img := c.Image()
	for _, i := range []int{0, 2} {
		r, g, b, _ := viz.Color(i).RGBA()
		nearest := math.Inf(1) // the edges of a curve are smooth, so its colour is mixed with others
		for y := range img.Bounds().Dy() {
			red, green, blue, _ := img.At(img.Bounds().Dx()/2, y).RGBA()
			nearest = min(nearest, math.Abs(float64(red)-float64(r))+math.Abs(float64(green)-float64(g))+math.Abs(float64(blue)-float64(b)))
		}
		if nearest > 0x5000 {
			t.Errorf("colour %d is not seen: %g", i, nearest)
		}
	}
}
