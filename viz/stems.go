package viz

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// StemsOptions say how Stems draws.
type StemsOptions struct {
	Title, XLabel, YLabel string
	Width, Height         float64 // inches; 0: 6.5 × 4
	LogY                  bool    // values at or below zero are left out
	Outliers              []int   // positions of stems to shade, such as known outliers
}

// Stems draws a stem for each value, side by side where there are several
// series: the residual of each sample under two models, say. Positions count
// from 0 unless the series have an X; Err is not drawn.
//
// It returns ErrEmpty if there is no series or no value, ErrShape if the slices
// of a series differ in length, ErrNotFinite, and ErrOption for an outlier at a
// position of no stem.
func Stems(series []Series, opt StemsOptions) (*Chart, error) {
	if len(series) == 0 {
		return nil, fmt.Errorf("%w: no series", ErrEmpty)
	}
	c, err := newChart(opt.Title, opt.XLabel, opt.YLabel, opt.Width, opt.Height)
	if err != nil {
		return nil, err
	}
	if opt.LogY {
		useLog(&c.Y)
	}
	if len(opt.Outliers) > 0 {
		shade := strips{at: slices.Clone(opt.Outliers)}
		c.Add(shade)
		defer func() { c.Legend.Add("outliers", shade) }()
	}
	c.Add(newGrid())
	named := slices.ContainsFunc(series, func(s Series) bool { return s.Name != "" })
	at := map[float64]bool{}
	for i, s := range series {
		x, err := s.check(i)
		if err != nil {
			return nil, err
		}
		for _, p := range x {
			at[p] = true
		}
		st := &stems{
			line: draw.LineStyle{Color: Color(s.style(i)), Width: vg.Points(1.4)},
			mark: markOf(s.style(i)),
		}
		shift := (float64(i) - float64(len(series)-1)/2) * 0.5 / float64(len(series))
		for k := range x {
			if !opt.LogY || s.Y[k] > 0 {
				st.XYs = append(st.XYs, plotter.XY{X: x[k] + shift, Y: s.Y[k]})
			}
		}
		if len(st.XYs) == 0 {
			return nil, fmt.Errorf("%w: no value of series %d (%q) is positive, as logarithms need", ErrEmpty, i, s.Name)
		}
		c.Add(st)
		if named {
			c.Legend.Add(s.Name, st)
		}
	}
	for _, k := range opt.Outliers {
		if !at[float64(k)] {
			return nil, fmt.Errorf("%w: Outliers has position %d, where there is no stem", ErrOption, k)
		}
	}
	if opt.LogY {
		c.Y.Min /= 1.5
	} else {
		extend(&c.Y.Min, &c.Y.Max, 0)
	}
	if opt.LogY || c.Y.Min == 0 {
		c.Y.Padding = 0
	}
	c.X.Min, c.X.Max = c.X.Min-0.3, c.X.Max+0.3
	return c.finish(0, 0)
}

type stems struct {
	plotter.XYs
	line draw.LineStyle
	mark draw.GlyphStyle
}

func (s *stems) Plot(dc draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&dc)
	foot := max(p.Y.Min, min(0, p.Y.Max))
	for _, pt := range s.XYs {
		x, y := trX(pt.X), trY(pt.Y)
		dc.StrokeLines(s.line, dc.ClipLinesXY([]vg.Point{{X: x, Y: trY(foot)}, {X: x, Y: y}})...)
		dc.DrawGlyph(s.mark, vg.Point{X: x, Y: y})
	}
}

func (s *stems) DataRange() (xmin, xmax, ymin, ymax float64) { return plotter.XYRange(s) }

func (s *stems) GlyphBoxes(p *plot.Plot) []plot.GlyphBox {
	return (&plotter.Scatter{XYs: s.XYs, GlyphStyle: s.mark}).GlyphBoxes(p)
}

func (s *stems) Thumbnail(dc *draw.Canvas) {
	mid := dc.Center()
	dc.StrokeLine2(s.line, mid.X, dc.Min.Y, mid.X, mid.Y)
	dc.DrawGlyphNoClip(s.mark, mid)
}

// strips shades positions over the full height.
type strips struct{ at []int }

var shading = color.Gray{0xe2}

func (s strips) Plot(dc draw.Canvas, p *plot.Plot) {
	trX, _ := p.Transforms(&dc)
	for _, k := range s.at {
		l, r := max(dc.Min.X, trX(float64(k)-0.45)), min(dc.Max.X, trX(float64(k)+0.45))
		if l < r {
			dc.FillPolygon(shading, []vg.Point{{X: l, Y: dc.Min.Y}, {X: r, Y: dc.Min.Y}, {X: r, Y: dc.Max.Y}, {X: l, Y: dc.Max.Y}})
		}
	}
}

func (s strips) DataRange() (xmin, xmax, ymin, ymax float64) {
	lo, hi := slices.Min(s.at), slices.Max(s.at)
	return float64(lo) - 0.45, float64(hi) + 0.45, math.Inf(1), math.Inf(-1)
}

func (s strips) Thumbnail(dc *draw.Canvas) { patch(dc, shading, nil) }

// patch fills a thumbnail.
func patch(dc *draw.Canvas, fill, edge color.Color) {
	box := []vg.Point{{X: dc.Min.X + 4, Y: dc.Min.Y}, {X: dc.Max.X - 4, Y: dc.Min.Y}, {X: dc.Max.X - 4, Y: dc.Max.Y}, {X: dc.Min.X + 4, Y: dc.Max.Y}}
	dc.FillPolygon(fill, box)
	if edge != nil {
		dc.StrokeLines(thin(edge), append(box, box[0]))
	}
}
