package viz

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// shape is a marker that is told from the others also when it is small.
type shape int

const (
	disc shape = iota
	square
	triangle
	diamond
	wedge // a triangle that points down
	cross
	plus
	shapes
)

// DrawGlyph implements draw.GlyphDrawer.
func (s shape) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, at vg.Point) {
	r := sty.Radius
	poly := func(xy ...vg.Length) {
		var p vg.Path
		for i := 0; i < len(xy); i += 2 {
			pt := vg.Point{X: at.X + r*xy[i], Y: at.Y + r*xy[i+1]}
			if i == 0 {
				p.Move(pt)
			} else {
				p.Line(pt)
			}
		}
		p.Close()
		c.Fill(p)
	}
	stroke := func(x0, y0, x1, y1 vg.Length) {
		sty := draw.LineStyle{Color: sty.Color, Width: 0.5 * r}
		c.StrokeLine2(sty, at.X+r*x0, at.Y+r*y0, at.X+r*x1, at.Y+r*y1)
	}
	switch s {
	case square:
		poly(-.88, -.88, .88, -.88, .88, .88, -.88, .88)
	case triangle:
		poly(0, 1.25, -1.1, -.75, 1.1, -.75)
	case diamond:
		poly(0, 1.3, 1.1, 0, 0, -1.3, -1.1, 0)
	case wedge:
		poly(0, -1.25, -1.1, .75, 1.1, .75)
	case cross:
		stroke(-.9, -.9, .9, .9)
		stroke(-.9, .9, .9, -.9)
	case plus:
		stroke(-1.1, 0, 1.1, 0)
		stroke(0, -1.1, 0, 1.1)
	default:
		draw.CircleGlyph{}.DrawGlyph(c, sty, at)
	}
}

var dashes = [...][]vg.Length{
	nil,
	{6, 3},
	{1.6, 2.4},
	{8, 2.5, 1.6, 2.5},
	{3, 2},
	{11, 3},
	{6, 2, 1.6, 2, 1.6, 2},
	{4, 2, 4, 6},
}

// lineOf and markOf are the styles of the i-th curve: colour, dash and marker
// all differ, and those that repeat do so in other pairs.
func lineOf(i int) draw.LineStyle {
	return draw.LineStyle{Color: Color(i), Width: vg.Points(1.7), Dashes: dashes[(i+i/len(dashes))%len(dashes)]}
}

func markOf(i int) draw.GlyphStyle {
	return draw.GlyphStyle{Color: Color(i), Radius: vg.Points(3.1), Shape: shape(i % int(shapes))}
}

func thin(c color.Color) draw.LineStyle {
	return draw.LineStyle{Color: c, Width: vg.Points(1)}
}

// newGrid returns light grid lines.
func newGrid() *plotter.Grid {
	g := plotter.NewGrid()
	g.Vertical = draw.LineStyle{Color: color.Gray{0xe6}, Width: vg.Points(0.6)}
	g.Horizontal = g.Vertical
	return g
}

// extend widens an axis range to hold v.
func extend(lo, hi *float64, v float64) { *lo, *hi = math.Min(*lo, v), math.Max(*hi, v) }
