package viz

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// BarsOptions say how Bars draws.
type BarsOptions struct {
	Title, XLabel, YLabel string
	Width, Height         float64 // inches; 0: 6.5 × 4
	YMin, YMax            float64 // range of the vertical axis; both 0: from the data and zero
	Values                bool    // write the values above the bars, or below negative ones
	Digits                int     // of these values after the point; 0: 2, negative: none
}

// Bars draws grouped bars: for each group a bar of each series, whose Y holds a
// value for each group and whose Err, if any, is drawn as an error bar. X is
// not used.
//
// It returns ErrEmpty without groups or series, ErrShape if a series has not
// one value for each group, and ErrNotFinite.
func Bars(groups []string, series []Series, opt BarsOptions) (*Chart, error) {
	if len(groups) == 0 || len(series) == 0 {
		return nil, fmt.Errorf("%w: %d groups of %d bars, want one or more", ErrEmpty, len(groups), len(series))
	}
	c, err := newChart(opt.Title, opt.XLabel, opt.YLabel, opt.Width, opt.Height)
	if err != nil {
		return nil, err
	}
	grid := newGrid()
	grid.Vertical.Width = 0
	c.Add(grid)
	named := slices.ContainsFunc(series, func(s Series) bool { return s.Name != "" })
	wide := 0.8 / float64(len(series))
	if len(series) == 1 {
		wide = 0.6
	}
	for i, s := range series {
		if _, err := s.check(i); err != nil {
			return nil, err
		}
		if len(s.Y) != len(groups) {
			return nil, fmt.Errorf("%w: series %d (%q) has %d values for %d groups", ErrShape, i, s.Name, len(s.Y), len(groups))
		}
		b := &blocks{fill: Color(s.style(i))}
		errs := &plotter.YErrorBars{LineStyle: thin(Color(6)), CapWidth: vg.Points(5)}
		for g, y := range s.Y {
			mid := float64(g) + (float64(i)-float64(len(series)-1)/2)*wide
			b.boxes = append(b.boxes, block{mid - 0.46*wide, mid + 0.46*wide, y})
			if s.Err != nil {
				errs.XYs = append(errs.XYs, plotter.XY{X: mid, Y: y})
				errs.YErrors = append(errs.YErrors, struct{ Low, High float64 }{math.Abs(s.Err[g]), math.Abs(s.Err[g])})
			}
		}
		c.Add(b)
		if s.Err != nil {
			c.Add(errs)
		}
		if named {
			c.Legend.Add(s.Name, b)
		}
		if opt.Values {
			c.addValues(b.boxes, s.Err, opt.Digits)
		}
	}
	extend(&c.Y.Min, &c.Y.Max, 0)
	if c.Y.Min == 0 {
		c.Y.Padding = 0
	}
	c.X.Min, c.X.Max = -0.5, float64(len(groups))-0.5
	c.X.Tick.Length = 0
	c.nameX(groups)
	return c.finish(opt.YMin, opt.YMax)
}

// addValues writes the heights of bars at their ends, beyond their deviations.
func (c *Chart) addValues(boxes []block, devs []float64, digits int) {
	if digits == 0 {
		digits = 2
	}
	sty := c.X.Tick.Label
	sty.Font.Size, sty.XAlign = vg.Points(10), draw.XCenter
	for g, b := range boxes {
		at := plotter.XY{X: (b.left + b.right) / 2, Y: b.top}
		l := &plotter.Labels{XYs: plotter.XYs{at}, Labels: []string{strings.ReplaceAll(fmt.Sprintf("%.*f", max(0, digits), b.top), "-", "−")}}
		dev := 0.0
		if devs != nil {
			dev = math.Abs(devs[g])
		}
		sty.YAlign, l.Offset.Y = draw.YBottom, vg.Points(2)
		if b.top < 0 {
			dev, sty.YAlign, l.Offset.Y = -dev, draw.YTop, vg.Points(-2)
		}
		l.XYs[0].Y += dev
		l.TextStyle = []draw.TextStyle{sty}
		c.Add(l)
	}
}

// nameX puts names at 0, 1, 2, … of the horizontal axis: in several lines if
// they are too long to stand side by side, and slanted if that is not enough. They are cut short where they
// would take more than half of the height, or the first more than two fifths of the width.
func (c *Chart) nameX(names []string) {
	room := 0.68 * vg.Length(c.Width) * vg.Inch / vg.Length(len(names))
	sty := &c.X.Tick.Label
	ticks := make(plot.ConstantTicks, len(names))
	var widest, tallest vg.Length
	for i, n := range names {
		ticks[i] = plot.Tick{Value: float64(i), Label: wrap(n, func(s string) bool { return sty.Width(s) <= room })}
		for line := range strings.Lines(ticks[i].Label) {
			widest = max(widest, sty.Width(line))
		}
		tallest = max(tallest, sty.Height(ticks[i].Label))
	}
	c.X.Tick.Marker = ticks
	width, height := c.size()
	if widest <= room*1.15 && tallest <= height/2 {
		return
	}
	left := 0.4*width + room/2 + vg.Points(24)
	for i, n := range names {
		longest := height // at 30°
		if i == 0 {
			longest = min(longest, left/vg.Length(math.Cos(math.Pi/6)))
		}
		ticks[i].Label = shorten(n, func(s string) bool { return sty.Width(s) <= longest })
	}
	sty.Rotation = math.Pi / 6
	sty.XAlign = draw.XRight
	sty.YAlign = draw.YTop
	c.overhang = max(0, sty.Width(ticks[0].Label)*vg.Length(math.Cos(math.Pi/6))-room/2-vg.Points(24))
}

// shorten returns s, cut short with an ellipsis if it does not fit.
func shorten(s string, fits func(string) bool) string {
	if fits(s) {
		return s
	}
	r := []rune(s)
	return string(r[:sort.Search(len(r), func(k int) bool { return !fits(string(r[:k+1]) + "…") })]) + "…"
}

// wrap breaks s at spaces into lines that fit.
func wrap(s string, fits func(string) bool) string {
	var lines []string
	for _, w := range strings.Fields(s) {
		if k := len(lines) - 1; k >= 0 && fits(lines[k]+" "+w) {
			lines[k] += " " + w
			continue
		}
		lines = append(lines, w)
	}
	return strings.Join(lines, "\n")
}
