package viz

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// A Series is a named run of values.
type Series struct {
	Name string    // in the legend, which is left out if no series has a name
	X    []float64 // positions; nil: 0, 1, 2, …
	Y    []float64
	Err  []float64 // the deviation of each value, half the length of its bar; nil: none
	// Style is its colour, dash and marker, the same for a number in all charts; 0:
	// that of its place, 1 for the first.
	Style int
}

// style returns the number of the look of the i-th series, from 0.
func (s Series) style(i int) int {
	if s.Style > 0 {
		return s.Style - 1
	}
	return i
}

// check returns the positions of s.
func (s Series) check(i int) ([]float64, error) {
	name := fmt.Sprintf("series %d (%q)", i, s.Name)
	if err := checkValues(name+" Y", s.Y); err != nil {
		return nil, err
	}
	x := slices.Clone(s.X)
	if s.X == nil {
		x = make([]float64, len(s.Y))
		for k := range x {
			x[k] = float64(k)
		}
	}
	if s.Style < 0 {
		return nil, fmt.Errorf("%w: %s has the Style %d, want 0 or more", ErrOption, name, s.Style)
	}
	if len(x) != len(s.Y) || (s.Err != nil && len(s.Err) != len(s.Y)) {
		return nil, fmt.Errorf("%w: %s has %d X, %d Y and %d Err", ErrShape, name, len(x), len(s.Y), len(s.Err))
	}
	if err := checkValues(name+" X", x); err != nil {
		return nil, err
	}
	for k, e := range s.Err {
		if !drawable(e) || !drawable(s.Y[k]+math.Abs(e)) || !drawable(s.Y[k]-math.Abs(e)) {
			return nil, fmt.Errorf("%w: %s Err[%d] = %g", ErrNotFinite, name, k, e)
		}
	}
	return x, nil
}

// LinesOptions say how Lines draws.
type LinesOptions struct {
	Title, XLabel, YLabel string
	Width, Height         float64 // inches; 0: 6.5 × 4
	LogX, LogY            bool    // points at or below zero are left out
	Bands                 bool    // deviations as bands instead of bars
	YMin, YMax            float64 // range of the vertical axis; both 0: from the data
}

// Lines draws curves, with deviations as bars or bands where a series has them:
// accuracy against the share of corrupted samples, for several methods.
//
// It returns ErrEmpty if there is no series, or one without a point that can be
// drawn, ErrShape if the slices of a series differ in length, ErrOption for a
// style below 0, and ErrNotFinite.
func Lines(series []Series, opt LinesOptions) (*Chart, error) {
	if len(series) == 0 {
		return nil, fmt.Errorf("%w: no series", ErrEmpty)
	}
	c, err := newChart(opt.Title, opt.XLabel, opt.YLabel, opt.Width, opt.Height)
	if err != nil {
		return nil, err
	}
	if opt.LogX {
		useLog(&c.X)
	}
	if opt.LogY {
		useLog(&c.Y)
	}
	c.Add(newGrid())
	named := slices.ContainsFunc(series, func(s Series) bool { return s.Name != "" })
	for i, s := range series {
		x, err := s.check(i)
		if err != nil {
			return nil, err
		}
		look := s.style(i)
		var pts plotter.XYs
		var devs []float64
		for k := range x {
			if (opt.LogX && x[k] <= 0) || (opt.LogY && s.Y[k] <= 0) {
				continue
			}
			pts = append(pts, plotter.XY{X: x[k], Y: s.Y[k]})
			if s.Err != nil {
				devs = append(devs, math.Abs(s.Err[k]))
			}
		}
		if len(pts) == 0 {
			return nil, fmt.Errorf("%w: no point of series %d (%q) is positive, as logarithms need", ErrEmpty, i, s.Name)
		}
		if devs != nil {
			c.addDeviations(look, pts, devs, opt)
		}
		line := &plotter.Line{XYs: pts, LineStyle: lineOf(look)}
		marks := &plotter.Scatter{GlyphStyle: markOf(look)}
		for _, k := range spread(xs(pts), 8, opt.LogX) {
			marks.XYs = append(marks.XYs, pts[k])
		}
		c.Add(line, marks)
		if named {
			c.Legend.Add(s.Name, line, marks)
		}
	}
	return c.finish(opt.YMin, opt.YMax)
}

func (c *Chart) addDeviations(i int, pts plotter.XYs, devs []float64, opt LinesOptions) {
	low := func(k int) float64 {
		v := pts[k].Y - devs[k]
		if opt.LogY && v <= 0 {
			return pts[k].Y // a bar to zero has no lower end here
		}
		return v
	}
	if opt.Bands {
		var ring plotter.XYs
		for k := range pts {
			ring = append(ring, plotter.XY{X: pts[k].X, Y: pts[k].Y + devs[k]})
		}
		for k := len(pts) - 1; k >= 0; k-- {
			ring = append(ring, plotter.XY{X: pts[k].X, Y: low(k)})
		}
		c.Add(&plotter.Polygon{XYs: []plotter.XYs{ring}, Color: fade(Color(i), 0.18)})
		return
	}
	errs := make(plotter.YErrors, len(pts))
	for k := range pts {
		errs[k].Low, errs[k].High = pts[k].Y-low(k), devs[k]
	}
	bars := &plotter.YErrorBars{XYs: pts, YErrors: errs, LineStyle: thin(Color(i)), CapWidth: vg.Points(6)}
	c.Add(bars)
}

// finish settles the axes, after a range asked for by the user; both ends 0
// ask for none.
func (c *Chart) finish(ymin, ymax float64) (*Chart, error) {
	if ymin != 0 || ymax != 0 {
		_, log := c.Y.Scale.(logScale)
		if !(ymin < ymax) || !drawable(ymin) || !drawable(ymax) || (log && ymin <= 0) {
			return nil, fmt.Errorf("%w: the vertical range from %g to %g is empty, not finite, or not above 0 on a logarithmic axis", ErrOption, ymin, ymax)
		}
		c.Y.Min, c.Y.Max = ymin, ymax
	} else if c.Y.Padding == 0 && c.Y.Max > c.Y.Min { // what stands on the axis needs headroom
		if _, log := c.Y.Scale.(logScale); log {
			c.Y.Max *= 1.3
		} else {
			c.Y.Max += 0.04 * (c.Y.Max - c.Y.Min)
		}
	}
	for _, a := range []*plot.Axis{&c.X, &c.Y} {
		fitAxis(a)
	}
	return c, nil
}

func xs(pts plotter.XYs) []float64 {
	x := make([]float64, len(pts))
	for i, p := range pts {
		x[i] = p.X
	}
	return x
}
