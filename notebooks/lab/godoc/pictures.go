package godoc

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/robustnmf/robustnmf/viz"
)

// Apart draws document j next to its fit: the words of the document, then some that the fit alone has, and what each of
// the n topics of which the document has most adds to the fit.
func (c *Corpus) Apart(j, n int, w, h *mat.Dense) (*viz.Picture, error) {
	m, r := w.Dims()
	part := func(k int) []float64 { // what topic k adds
		p := mat.Col(nil, k, w)
		floats.Scale(h.At(k, j), p)
		return p
	}
	size, x, fit := make([]float64, r), mat.Col(nil, j, c.X), make([]float64, m)
	for k := range size {
		size[k] = floats.Norm(part(k), 2)
		floats.Add(fit, part(k))
	}
	rest := slices.Clone(fit)
	columns, names, sum := [][]float64{x, fit}, []string{"document x", "fit W h"}, ""
	for i, k := range Largest(size, n) {
		columns, names = append(columns, part(k)), append(names, fmt.Sprintf("%s topic %d: %s", []string{"=", "+"}[min(i, 1)], k+1, c.Top(part(k), 1)))
		sum += []string{"", " + "}[min(i, 1)] + c.Top(part(k), 1)
		floats.Sub(rest, part(k))
	}
	columns, names = append(columns, rest), append(names, "+ other topics")
	only := slices.Clone(fit) // in the fit alone
	for i, v := range x {
		if v > 0 {
			only[i] = 0
		}
	}
	words := append(Largest(x, min(8, Count(x, 1e-9))), Largest(only, 3)...)
	table, terms := mat.NewDense(len(columns), len(words), nil), make([]string, len(words))
	for a, i := range words {
		terms[a] = c.Terms[i]
		for b, v := range columns {
			table.Set(b, a, v[i])
		}
	}
	left := floats.Distance(x, fit, 2) // the document has length 1
	return viz.Heatmap(table, viz.HeatmapOptions{Title: fmt.Sprintf("%s: %s, %.0f %% explained", c.Names[j], sum, 100*(1-left*left)),
		RowNames: names, ColumnNames: terms, Map: viz.Blues, Values: true, NoBar: true})
}

// Kept draws which topics of the clean documents are left in the fit of spoiled ones, by the cosines of all topics of both
// fits, with matches on the diagonal. Kept are those with a cosine of 0.9 or more.
func (c *Corpus) Kept(loss string, clean, spoiled *mat.Dense) (*viz.Picture, error) {
	_, r := clean.Dims()
	all, err := Became(r, clean, spoiled)
	if err != nil {
		return nil, err
	}
	cosines, rows := Between(all), make([]string, r)
	for k := range rows {
		rows[k] = c.Top(mat.Col(nil, k, clean), 1)
	}
	diagonal := make([]float64, r)
	for k := range diagonal {
		diagonal[k] = cosines.At(k, k)
	}
	return viz.Heatmap(cosines, viz.HeatmapOptions{Title: fmt.Sprintf("%s keeps %d of %d topics", loss, Count(diagonal, 0.9), r), RowNames: rows, ColumnNames: make([]string, r),
		YLabel: "topics of the clean documents", XLabel: "their matches in the spoiled documents", Map: viz.Blues, Max: 1, NoBar: true})
}

// Ranked draws residuals from the largest on, with a dot for each of some documents that are bad. It returns how many of
// them are among the first, of which it looks at as many as are bad.
func Ranked(residuals []float64, bad []int, opt viz.LinesOptions) (c *viz.Chart, found int, err error) {
	var curve, dots plotter.XYs
	for place, j := range Largest(residuals, len(residuals)) {
		at := plotter.XY{X: float64(place + 1), Y: residuals[j]}
		curve = append(curve, at)
		if slices.Contains(bad, j) {
			dots = append(dots, at)
			if place < len(bad) {
				found++
			}
		}
	}
	// A point beyond the axis, as Lines would put marks on the curve, which are taken for documents.
	opt.LogX = true
	if c, err = viz.Lines([]viz.Series{{X: []float64{2 * float64(len(residuals))}, Y: []float64{curve[0].Y}}}, opt); err != nil {
		return nil, 0, err
	}
	c.X.Min, c.X.Max, c.Y.Min = 1, float64(len(residuals)), 0
	c.Add(&plotter.Line{XYs: curve, LineStyle: draw.LineStyle{Color: viz.Color(0), Width: vg.Points(1.7)}})
	marks := &plotter.Scatter{XYs: dots, GlyphStyle: draw.GlyphStyle{Color: viz.Color(1), Radius: vg.Points(2.6), Shape: draw.CircleGlyph{}}}
	c.Add(marks)
	c.Legend.Add("spoiled", marks)
	c.InsideLegend, c.Legend.Top, c.Legend.Left = true, false, true
	return c, found, nil
}

// Diagram draws what goes to and fro between the driver of a fit of m features by r parts and its panels.
func Diagram(m, r, panels int) *viz.Chart {
	c := viz.NewChart()
	c.Title.Text = "Each panel gets W and sends back two sums, but no column of X"
	c.Width, c.Height = 6.6, 2.9
	c.HideAxes()
	c.X.Min, c.X.Max, c.Y.Min, c.Y.Max = 0, 100, 0, 50
	down, back := viz.Color(0), viz.Color(1)
	kB := func(numbers int) string { return fmt.Sprintf("%d kB", int(math.Round(8e-3*float64(numbers)))) }
	d := drawing{font: c.X.Tick.Label}
	d.box(34, 42, 66, 50, down, fmt.Sprintf("W, %d×%d", m, r))
	d.box(22, 0, 78, 8, back, fmt.Sprintf("sums over all panels: A, %d×%d, and B, %d×%d", m, r, r, r))
	for p := range panels {
		wide := 84 / float64(panels)
		left := 4 + wide*(float64(p)+0.1)
		right, mid := left+0.8*wide, left+0.4*wide
		d.arrow(down, xy{50 + 28*(mid-46)/84, 42}, xy{mid, 34})
		d.box(left, 23, right, 33.5, color.RGBA{0x80, 0x80, 0x80, 0xff}, fmt.Sprintf("X%s", sub(p+1)))
		d.box(left, 16.5, right, 22, viz.Color(2), fmt.Sprintf("H%s", sub(p+1)))
		d.arrow(back, xy{mid, 16.5}, xy{50 + 50*(mid-46)/84, 8.3})
	}
	d.arrow(back, xy{78, 4}, xy{97, 4}, xy{97, 46}, xy{66.4, 46})
	d.text(82, 48.6, "half-step for W", color.Black, draw.XCenter)
	d.text(0, 40, kB(m*r)+" to each panel", down, draw.XLeft)
	d.text(0, 10.5, kB(m*r+r*r)+" back", back, draw.XLeft)
	c.Add(&d)
	return c
}

// sub returns a number as an index.
func sub(n int) (s string) {
	for _, digit := range fmt.Sprint(n) {
		s += string('₀' + digit - '0')
	}
	return s
}

type xy struct{ x, y float64 }

// A drawing is made of boxes, arrows and texts, in the coordinates of its plot.
type drawing struct {
	font  draw.TextStyle
	parts []func(dc draw.Canvas, at func(x, y float64) vg.Point)
}

// Plot draws it.
func (d *drawing) Plot(dc draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&dc)
	for _, part := range d.parts {
		part(dc, func(a, b float64) vg.Point { return vg.Point{X: x(a), Y: y(b)} })
	}
}

func (d *drawing) add(part func(dc draw.Canvas, at func(x, y float64) vg.Point)) {
	d.parts = append(d.parts, part)
}

// box draws a frame with a pale ground and a text in it.
func (d *drawing) box(left, low, right, high float64, c color.RGBA, text string) {
	pale := color.RGBA{A: 0xff, R: 0xff - (0xff-c.R)/6, G: 0xff - (0xff-c.G)/6, B: 0xff - (0xff-c.B)/6}
	d.add(func(dc draw.Canvas, at func(x, y float64) vg.Point) {
		outline := []vg.Point{at(left, low), at(right, low), at(right, high), at(left, high), at(left, low)}
		dc.FillPolygon(pale, outline)
		dc.StrokeLines(draw.LineStyle{Color: c, Width: vg.Points(1.3)}, outline)
	})
	d.text((left+right)/2, (low+high)/2, text, color.Black, draw.XCenter)
}

// text writes a line whose middle is at a height.
func (d *drawing) text(x, y float64, s string, c color.Color, align text.XAlignment) {
	style := d.font
	style.Color, style.XAlign, style.YAlign = c, align, draw.YCenter
	d.add(func(dc draw.Canvas, at func(x, y float64) vg.Point) { dc.FillText(style, at(x, y), s) })
}

// arrow draws a line through some points, with a head at the last.
func (d *drawing) arrow(c color.Color, points ...xy) {
	d.add(func(dc draw.Canvas, at func(x, y float64) vg.Point) {
		var line []vg.Point
		for _, p := range points {
			line = append(line, at(p.x, p.y))
		}
		end, before := line[len(line)-1], line[len(line)-2]
		angle := math.Atan2(float64(end.Y-before.Y), float64(end.X-before.X))
		wing := func(turn float64) vg.Point {
			return vg.Point{X: end.X - vg.Length(7*math.Cos(angle+turn)), Y: end.Y - vg.Length(7*math.Sin(angle+turn))}
		}
		line[len(line)-1] = vg.Point{X: end.X - vg.Length(5*math.Cos(angle)), Y: end.Y - vg.Length(5*math.Sin(angle))}
		dc.StrokeLines(draw.LineStyle{Color: c, Width: vg.Points(1.3)}, line)
		dc.FillPolygon(c, []vg.Point{end, wing(0.4), wing(-0.4)})
	})
}
