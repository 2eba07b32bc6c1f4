package lesson

import (
	"cmp"
	"image/color"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/robustnmf/robustnmf/viz"
)

// Axes draws a chart without curves, from x = low to high and between the YMin and YMax of opt, for Nested.
func Axes(low, high float64, opt viz.LinesOptions) *viz.Chart {
	c := Must(viz.Lines([]viz.Series{{X: []float64{low, high}, Y: []float64{opt.YMin, opt.YMin}}}, opt))
	axes := viz.NewChart()
	axes.Title.Text, axes.Width, axes.Height, axes.X, axes.Y = c.Title.Text, c.Width, c.Height, c.X, c.Y
	axes.X.Min, axes.X.Max = low, high
	grid := plotter.NewGrid()
	grid.Vertical = draw.LineStyle{Color: color.Gray{0xe6}, Width: vg.Points(0.6)}
	grid.Horizontal = grid.Vertical
	axes.Add(grid)
	return axes
}

// Nested adds curves to a chart, without dashes and marks, each thinner than the one before it: where some
// coincide, the colours of all of them can be seen. The axes stay as they are, and cut off what lies outside.
func Nested(c *viz.Chart, series ...viz.Series) *viz.Chart {
	x, y := c.X, c.Y
	for i, s := range series {
		line := &plotter.Line{LineStyle: draw.LineStyle{Color: viz.Color(cmp.Or(s.Style, i+1) - 1), Width: vg.Points(1.5 + float64(len(series)-1-i))}}
		for k, at := range s.X {
			line.XYs = append(line.XYs, plotter.XY{X: at, Y: s.Y[k]})
		}
		c.Add(line)
		if s.Name != "" {
			c.Legend.Add(s.Name, line)
		}
	}
	c.X, c.Y = x, y
	return c
}
