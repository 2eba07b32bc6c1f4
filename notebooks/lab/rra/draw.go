package rra

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
	"github.com/robustnmf/robustnmf/notebooks/lesson"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/viz"
)

// OverNMF returns by how many points of accuracy a model is ahead of NMF in rows of clusters.csv for one number of classes, a
// difference for each draw.
func OverNMF(draws stored.Table, model string) (points []float64) {
	for _, r := range draws.Where("solver", model) {
		plain := draws.Where("solver", "NMF", "trial", r.Text("trial"))[0]
		points = append(points, 100*(r.Number("accuracy")-plain.Number("accuracy")))
	}
	return points
}

// DrawEmbedding draws the first two coefficients of each sample of some objects, coloured by object, and the edges of their graph, those
// between two objects in red.
func DrawEmbedding(title string, h mat.Matrix, objects []int, g *rnmf.Graph) (*viz.Chart, error) {
	var names []string
	for k := range slices.Max(objects) + 1 {
		names = append(names, fmt.Sprint("object ", k+1))
	}
	c, err := viz.Scatter(h, viz.ScatterOptions{Title: title, XLabel: "first coefficient", YLabel: "second coefficient", Classes: objects, Names: names, Width: 3.3, Height: 3.1})
	if err != nil {
		return nil, err
	}
	c.InsideLegend, c.Legend.Top, c.Legend.Left = true, true, false
	for i := range objects {
		to, _ := g.Neighbors(i)
		for _, j := range to {
			c.Add(edge(plotter.XY{X: h.At(0, i), Y: h.At(1, i)}, plotter.XY{X: h.At(0, j), Y: h.At(1, j)}, objects[i] == objects[j]))
		}
	}
	return c, nil
}

// Ways draws the way of each sample through its places in some fits, in the colour of its object.
func Ways(c *viz.Chart, objects []int, places ...mat.Matrix) {
	for j, k := range objects {
		way := &plotter.Line{LineStyle: draw.LineStyle{Color: viz.Color(k), Width: 0.6}}
		for _, h := range places {
			way.XYs = append(way.XYs, plotter.XY{X: h.At(0, j), Y: h.At(1, j)})
		}
		c.Add(way)
	}
}

// Curve is what the points of a trace have, against their rounds.
func Curve(name string, style int, t rnmf.Trace, value func(rnmf.Point) float64) viz.Series {
	s := viz.Series{Name: name, Style: style}
	for _, p := range t {
		s.X, s.Y = append(s.X, float64(p.Round)), append(s.Y, value(p))
	}
	return s
}

// Objective is that of a point, for Curve.
func Objective(p rnmf.Point) float64 { return p.Objective }

// KKT is the residual of a point, for Curve.
func KKT(p rnmf.Point) float64 { return p.KKT }

// Parabola is slope·(x − at) + curvature/2·(x − at)² at 201 points from low to high.
func Parabola(at, slope, curvature, low, high float64) (s viz.Series) {
	for n := range 201 {
		x := low + float64(n)/200*(high-low)
		s.X, s.Y = append(s.X, x), append(s.Y, slope*(x-at)+curvature/2*(x-at)*(x-at))
	}
	return s
}

// DrawPlane draws curves on the plane of two coefficients, with the feasible points in grey, some level curves in black and a
// ring around the minimum.
func DrawPlane(title string, curves []viz.Series, minimum plotter.XY, levels ...plotter.XYs) (*viz.Chart, error) {
	const right, top = 5.6, 1.2
	c := lesson.Named(curves, viz.LinesOptions{Title: title, XLabel: "v₁", YLabel: "v₂", YMin: -2.8, YMax: top, Width: 4.8, Height: 3.7})
	c.X.Min, c.X.Max = -0.1, right
	c.Add(&plotter.Polygon{XYs: []plotter.XYs{{{}, {X: right}, {X: right, Y: top}, {Y: top}}}, Color: color.NRGBA{A: 16}})
	for _, points := range levels {
		l, err := plotter.NewLine(points)
		if err != nil {
			return nil, err
		}
		c.Add(l)
	}
	Ring(c, minimum)
	return c, nil
}

// Ring draws a black ring around points.
func Ring(c *viz.Chart, at ...plotter.XY) {
	c.Add(&plotter.Scatter{XYs: at, GlyphStyle: draw.GlyphStyle{Color: color.Black, Radius: 7, Shape: draw.RingGlyph{}}})
}

// Gains are the points of accuracy over NMF of some models on COIL-20 and PIE: a mean for each number of classes, and those of
// Held for each draw.
func Gains(models ...string) (all, held *lesson.Results) {
	all, held = &lesson.Results{Digits: 1}, new(lesson.Results)
	for _, set := range [][2]string{{"COIL-20", "COIL-20 32×32"}, {"PIE", "CMU PIE 32×32, pose 27"}} {
		rows := Results("clusters.csv").Where("set", set[1])
		for _, classes := range rows.Different("classes") {
			draws := rows.Where("classes", classes)
			for _, model := range models {
				all.Add(model, set[0], stat.Mean(OverNMF(draws, model), nil))
			}
			held.Add(set[0], classes, OverNMF(draws, Held)...)
		}
	}
	return all, held
}

// Spots is how many samples lie, in their first two coefficients, further than a distance from all samples that it has counted before:
// the number of places where they are.
func Spots(h mat.Matrix, distance float64) int {
	_, n := h.Dims()
	var spots []int
	for j := range n {
		if !slices.ContainsFunc(spots, func(i int) bool {
			return math.Hypot(h.At(0, i)-h.At(0, j), h.At(1, i)-h.At(1, j)) <= distance
		}) {
			spots = append(spots, j)
		}
	}
	return len(spots)
}

// edge is a thin line, grey within a class and red between two.
func edge(from, to plotter.XY, right bool) *plotter.Line {
	l := &plotter.Line{XYs: plotter.XYs{from, to}, LineStyle: draw.LineStyle{Color: wrongColor, Width: 0.6}}
	if right {
		l.Color = rightColor
	}
	return l
}
