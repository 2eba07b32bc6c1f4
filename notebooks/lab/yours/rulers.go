package yours

import (
	"fmt"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/robustnmf/robustnmf/viz"
)

// Rulers draws how many samples have which z, by median and deviation of those that are not noise, over a normal curve,
// and below them two rulers: this z, and z by median and deviation of all samples. On each a triangle is the z from which
// on the second rule of notebook 07 would call as many samples wrong as there are of noise.
func (c Call) Rulers() (viz.Figure, error) {
	if len(c.NoiseZ) == 0 {
		return nil, fmt.Errorf("%w: no noise", viz.ErrEmpty)
	}
	others := func(z float64) float64 { return (z - c.Median) / c.Deviation } // what z by all is by the others
	const from, to, bins = -3.2, 4.6, 26
	const width = (to - from) / bins
	count := func(z []float64) []float64 {
		in := make([]float64, bins)
		for _, v := range z {
			in[min(bins-1, max(0, int((others(v)-from)/width)))]++
		}
		return in
	}
	noise, rest := count(c.NoiseZ), count(c.Z)
	top := 0.0
	for i, v := range noise {
		rest[i] -= v
		top = max(top, rest[i], v)
	}
	chart := viz.NewChart()
	chart.Width, chart.Height = 7.2, 3.5
	chart.HideAxes()
	beyond := [2]int{}
	for _, z := range c.NoiseZ {
		for k, of := range []float64{others(z), z} {
			if of >= c.limit() {
				beyond[k]++
			}
		}
	}
	chart.Title.Text = fmt.Sprintf("Beyond the limit: %d of %d pictures of noise by the others, %d by all", beyond[0], c.Noise, beyond[1])
	chart.X.Min, chart.X.Max = from, to
	first, second := -0.16*top, -0.6*top
	chart.Y.Min, chart.Y.Max = -0.78*top, 1.02*top
	line := func(xys plotter.XYs, c color.Color, points float64) {
		l := &plotter.Line{XYs: xys, LineStyle: plotter.DefaultLineStyle}
		l.Color, l.Width = c, vg.Points(points)
		chart.Add(l)
	}
	for k, in := range [][]float64{rest, noise} {
		for i, v := range in {
			if v == 0 {
				continue
			}
			x := from + float64(i)*width
			chart.Add(&plotter.Polygon{XYs: []plotter.XYs{{{X: x, Y: 0}, {X: x, Y: v}, {X: x + 0.9*width, Y: v}, {X: x + 0.9*width, Y: 0}}}, Color: viz.Color(k)})
		}
	}
	curve, normal := plotter.XYs{}, float64(c.All-c.Noise)*width/math.Sqrt(2*math.Pi)
	for x := float64(from); x < to; x += 0.05 {
		curve = append(curve, plotter.XY{X: x, Y: normal * math.Exp(-x*x/2)})
	}
	line(curve, color.Black, 1.5)
	write(chart, plotter.XY{X: 1.4, Y: 0.4 * top}, "normal curve", draw.XLeft, 0)
	write(chart, plotter.XY{X: -1.7, Y: 0.6 * top}, "the others", draw.XRight, 0, viz.Color(0))
	write(chart, plotter.XY{X: c.AmongOthers - 0.1, Y: 0.8 * top}, "noise", draw.XRight, 0, viz.Color(1))
	ruler := func(y float64, name string, at func(z float64) float64) {
		line(plotter.XYs{{X: from, Y: y}, {X: to, Y: y}}, color.Black, 1)
		for z := -2.0; z <= 4; z++ {
			if x := at(z); x < to-0.1 {
				line(plotter.XYs{{X: x, Y: y}, {X: x, Y: y - 0.04*top}}, color.Black, 1)
				write(chart, plotter.XY{X: x, Y: y - 0.15*top}, strings.Replace(fmt.Sprint(z), "-", "−", 1), draw.XCenter, 0)
			}
		}
		write(chart, plotter.XY{X: from, Y: y + 0.03*top}, name, draw.XLeft, 0)
		chart.Add(&plotter.Scatter{XYs: plotter.XYs{{X: at(c.limit()), Y: y + 0.05*top}}, GlyphStyle: draw.GlyphStyle{Color: color.Black, Radius: vg.Points(4), Shape: down{}}})
	}
	ruler(first, "z by the others", func(z float64) float64 { return z })
	ruler(second, "z by all", others)
	for z := -2.0; z <= 3; z++ {
		line(plotter.XYs{{X: z, Y: first - 0.2*top}, {X: others(z), Y: second}}, color.Gray{0x90}, 1)
	}
	write(chart, plotter.XY{X: c.limit() + 0.12, Y: first + 0.03*top}, fmt.Sprintf("limit %.2f", c.limit()), draw.XLeft, 0)
	return chart, nil
}

// down is a triangle that points down.
type down struct{}

// DrawGlyph draws it.
func (down) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	c.FillPolygon(s.Color, []vg.Point{{X: at.X - s.Radius, Y: at.Y + s.Radius}, {X: at.X + s.Radius, Y: at.Y + s.Radius}, {X: at.X, Y: at.Y - s.Radius}})
}
