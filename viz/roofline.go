package viz

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Roof is a level of the memory: work of intensity I, in operations per byte,
// runs at no more than I·Bandwidth.
type Roof struct {
	Name      string
	Bandwidth float64 // in bytes, in the unit and time of the rates
}

// A Work is what was measured: points under a roofline.
type Work struct {
	Name      string
	Intensity []float64 // operations per byte
	Rate      []float64 // operations per time
	Labels    []string  // next to the points; nil: none
	Joined    bool      // by lines
}

// RooflineOptions say how Roofline draws.
type RooflineOptions struct {
	Title, XLabel, YLabel string
	Width, Height         float64 // inches; 0: 6.5 × 4
}

// Roofline draws the roofline of a machine (Williams, Waterman and Patterson
// 2009): for each level of the memory the slope that its bandwidth allows, up to
// the flat roof of the peak rate, and work as points, on logarithmic axes.
//
// It returns ErrEmpty without a roof or for a Work without points, ErrShape if
// the slices of a Work differ in length, ErrNotFinite, and ErrOption for a number
// that is not positive.
func Roofline(peak float64, roofs []Roof, work []Work, opt RooflineOptions) (*Chart, error) {
	if len(roofs) == 0 {
		return nil, fmt.Errorf("%w: no roof", ErrEmpty)
	}
	c, err := newChart(opt.Title, opt.XLabel, opt.YLabel, opt.Width, opt.Height)
	if err != nil {
		return nil, err
	}
	useLog(&c.X)
	useLog(&c.Y)
	c.Add(newGrid())
	if err := checkPositive("peak", []float64{peak}); err != nil {
		return nil, err
	}
	c.Y.Min, c.Y.Max = peak/100, 1.4*peak
	for _, l := range roofs {
		if err := checkPositive("bandwidth of "+l.Name, []float64{l.Bandwidth}); err != nil {
			return nil, err
		}
		ridge := peak / l.Bandwidth
		c.X.Min, c.X.Max = min(c.X.Min, ridge/2), max(c.X.Max, ridge*4)
	}
	for _, w := range work {
		if err := w.check(); err != nil {
			return nil, err
		}
		for i, x := range w.Intensity {
			c.X.Min, c.X.Max = min(c.X.Min, x/1.5), max(c.X.Max, x*1.5)
			c.Y.Min, c.Y.Max = min(c.Y.Min, w.Rate[i]/1.5), max(c.Y.Max, w.Rate[i]*1.4)
		}
	}
	for i, l := range roofs {
		s := &slope{peak, l.Bandwidth, draw.LineStyle{Color: color.Gray{0x50}, Width: vg.Points(1.4), Dashes: dashes[i%len(dashes)]}}
		c.Add(s)
		c.Legend.Add(l.Name, s)
	}
	for i, w := range work {
		w.addTo(c, i)
	}
	return c, nil
}

// checkPositive finds a number that has no logarithm.
func checkPositive(name string, v []float64) error {
	if err := checkValues(name, v); err != nil {
		return err
	}
	for i, x := range v {
		if x <= 0 {
			return fmt.Errorf("%w: %s[%d] = %g, want a positive number", ErrOption, name, i, x)
		}
	}
	return nil
}

func (w Work) check() error {
	if err := checkPositive("intensity of "+w.Name, w.Intensity); err != nil {
		return err
	}
	if err := checkPositive("rate of "+w.Name, w.Rate); err != nil {
		return err
	}
	if len(w.Intensity) != len(w.Rate) || w.Labels != nil && len(w.Labels) != len(w.Rate) {
		return fmt.Errorf("%w: %s has %d intensities, %d rates and %d labels", ErrShape, w.Name, len(w.Intensity), len(w.Rate), len(w.Labels))
	}
	return nil
}

// addTo adds the points to a chart, in style i.
func (w Work) addTo(c *Chart, i int) {
	pts := make(plotter.XYs, len(w.Rate))
	for k := range pts {
		pts[k] = plotter.XY{X: w.Intensity[k], Y: w.Rate[k]}
	}
	marks := &plotter.Scatter{XYs: pts, GlyphStyle: markOf(i)}
	keys := []plot.Thumbnailer{marks}
	if w.Joined {
		line := &plotter.Line{XYs: pts, LineStyle: lineOf(i)}
		c.Add(line)
		keys = []plot.Thumbnailer{line, marks}
	}
	c.Add(marks)
	if w.Name != "" {
		c.Legend.Add(w.Name, keys...)
	}
	// Below and above in turn, as neighbours would run into each other.
	sty := c.Legend.TextStyle
	sty.Font.Size = vg.Points(9)
	for j, label := range w.Labels {
		offset := vg.Point{X: vg.Points(4), Y: vg.Points(-11)}
		if j%2 == 1 {
			offset.Y = vg.Points(4)
		}
		c.Add(&plotter.Labels{XYs: pts[j : j+1], Labels: []string{label}, Offset: offset, TextStyle: []draw.TextStyle{sty}})
	}
}

// slope is a roof, drawn as far as the axes go.
type slope struct {
	peak, bandwidth float64
	draw.LineStyle
}

func (s *slope) Plot(dc draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&dc)
	at := func(x float64) vg.Point { return vg.Point{X: trX(x), Y: trY(min(s.peak, x*s.bandwidth))} }
	from := math.Max(p.X.Min, p.Y.Min/s.bandwidth)
	dc.StrokeLines(s.LineStyle, dc.ClipLinesXY([]vg.Point{at(from), at(max(from, s.peak/s.bandwidth)), at(p.X.Max)})...)
}

func (s *slope) Thumbnail(dc *draw.Canvas) {
	y := dc.Center().Y
	dc.StrokeLine2(s.LineStyle, dc.Min.X, y, dc.Max.X, y)
}
