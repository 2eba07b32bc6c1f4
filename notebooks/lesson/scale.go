package lesson

import (
	"image/color"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/robustnmf/robustnmf/viz"
)

// Level draws a grey line at the height y, as wide as the chart is.
func Level(c *viz.Chart, y float64) {
	line := Must(plotter.NewLine(plotter.XYs{{X: c.X.Min, Y: y}, {X: c.X.Max, Y: y}}))
	line.Color = color.Gray{0x90}
	c.Add(line)
}

// Upright draws a grey line at x, as high as the chart is.
func Upright(c *viz.Chart, x float64) {
	line := Must(plotter.NewLine(plotter.XYs{{X: x, Y: c.Y.Min}, {X: x, Y: c.Y.Max}}))
	line.Color = color.Gray{0x90}
	c.Add(line)
}

// Hollow makes the marks of some points of a chart hollow.
func Hollow(c *viz.Chart, points viz.Series) {
	holes := &plotter.Scatter{GlyphStyle: draw.GlyphStyle{Color: color.White, Radius: vg.Points(1.8), Shape: draw.CircleGlyph{}}}
	for k, x := range points.X {
		holes.XYs = append(holes.XYs, plotter.XY{X: x, Y: points.Y[k]})
	}
	c.Add(holes)
}

// SameScale gives charts one vertical scale, on which all of them have room.
func SameScale(charts ...*viz.Chart) {
	for _, c := range charts {
		charts[0].Y.Min, charts[0].Y.Max = min(charts[0].Y.Min, c.Y.Min), max(charts[0].Y.Max, c.Y.Max)
	}
	for _, c := range charts {
		c.Y.Min, c.Y.Max = charts[0].Y.Min, charts[0].Y.Max
	}
}
