package viz

import (
	"bytes"
	"fmt"
	"image"
	"io"
	"math"
	"unicode/utf8"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A Chart is a plot with a size. Its Plot may be changed at will (titles, axes,
// legend, further plotters) until it is drawn.
type Chart struct {
	*plot.Plot
	Width, Height float64 // in inches
	// InsideLegend draws the legend over the data, in the corner that
	// Legend.Top and Legend.Left name, instead of next to them.
	InsideLegend bool

	equal    bool      // one unit is as long on either axis
	overhang vg.Length // of the first slanted tick label
}

var _ Figure = (*Chart)(nil)

// Size of a chart whose options give none, in inches.
const (
	chartWidth  = 6.5
	chartHeight = 4
	maxInches   = 40
)

// NewChart returns an empty chart in the style of this package, for plotters
// of the user's own.
func NewChart() *Chart {
	p := plot.New()
	p.Title.TextStyle.Font = sans(12.5, true)
	p.Title.Padding = vg.Points(6)
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font = sans(12, false)
		a.Label.Padding = vg.Points(3)
		a.Tick.Label.Font = sans(11, false)
		a.Tick.Length = vg.Points(4)
		a.Tick.Color = grey
		a.Color = grey
		a.Padding = vg.Points(3)
		a.Tick.Marker = linearTicks{}
	}
	p.Legend.TextStyle.Font = sans(11, false)
	p.Legend.ThumbnailWidth = vg.Points(26)
	p.Legend.Padding = vg.Points(4)
	p.Legend.YPosition = draw.PosCenter
	p.Legend.Top, p.Legend.Left = true, true
	return &Chart{Plot: p, Width: chartWidth, Height: chartHeight}
}

func sans(points float64, bold bool) font.Font {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(points)}
	if bold {
		f.Weight = xfont.WeightBold
	}
	return f
}

// Image draws the chart.
func (c *Chart) Image() image.Image {
	if c == nil || c.Plot == nil {
		return image.NewRGBA(image.Rectangle{})
	}
	w, h := c.size()
	cv := vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(DPI))
	c.Draw(draw.New(cv))
	return cv.Image()
}

// WriteSVG writes the chart to w as SVG. Characters of its texts that XML forbids become U+FFFD.
func (c *Chart) WriteSVG(w io.Writer) error {
	if c == nil || c.Plot == nil {
		return fmt.Errorf("%w: chart without a plot", ErrEmpty)
	}
	cv := vgsvg.New(c.size())
	c.Draw(draw.New(cv))
	var b bytes.Buffer
	if _, err := cv.WriteTo(&b); err != nil {
		return err
	}
	_, err := w.Write(bytes.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF {
			return utf8.RuneError
		}
		return r // bytes that are no UTF-8 are utf8.RuneError already
	}, b.Bytes()))
	return err
}

func (c *Chart) size() (w, h vg.Length) {
	inches := func(x, or float64) vg.Length {
		if !(x > 0) {
			x = or
		}
		return vg.Length(min(x, maxInches)) * vg.Inch
	}
	return inches(c.Width, chartWidth), inches(c.Height, chartHeight)
}

// Draw draws the chart on dc, the legend next to the data: to the right, or
// below if it would take more than two fifths of the width.
func (c *Chart) Draw(dc draw.Canvas) {
	if c.BackgroundColor != nil {
		dc.SetColor(c.BackgroundColor)
		dc.Fill(dc.Rectangle.Path())
	}
	dc = draw.Crop(dc, vg.Points(5), -vg.Points(9), vg.Points(5), -vg.Points(7))
	dc.Min.X += c.overhang
	p := *c.Plot
	p.BackgroundColor = nil
	legend := p.Legend
	box := legend.Rectangle(dc).Size()
	if c.InsideLegend || box.Y <= 0 {
		c.drawPlot(&p, dc)
		return
	}
	p.Legend = plot.NewLegend()
	legend.Top, legend.Left = true, true
	gap := vg.Points(10)
	if box.X <= 0.4*dc.Size().X {
		c.drawPlot(&p, draw.Crop(dc, 0, -box.X-gap, 0, 0))
		dc.Min.X = dc.Max.X - box.X
		if p.Title.Text != "" {
			dc.Max.Y -= p.Title.TextStyle.Rectangle(p.Title.Text).Size().Y + p.Title.Padding
		}
		legend.Draw(dc)
		return
	}
	box.Y += vg.Points(4)
	c.drawPlot(&p, draw.Crop(dc, 0, 0, box.Y+gap, 0))
	dc.Max.Y = dc.Min.Y + box.Y
	legend.Draw(dc)
}

// drawPlot draws p, a copy of c.Plot. It places the axis labels itself: the room
// that plot reserves for centred labels is wrong on logarithmic axes.
func (c *Chart) drawPlot(p *plot.Plot, dc draw.Canvas) {
	xlabel, ylabel := p.X.Label, p.Y.Label
	full := dc
	centred := func(a *plot.Axis) bool { return a.Label.Text != "" && a.Label.Position == draw.PosCenter }
	drawX, drawY := centred(&p.X), centred(&p.Y)
	if drawX {
		dc.Min.Y += xlabel.TextStyle.Height(xlabel.Text) + xlabel.Padding
		p.X.Label.Text = ""
	}
	if drawY {
		dc.Min.X += ylabel.TextStyle.Height(ylabel.Text) + ylabel.Padding
		p.Y.Label.Text = ""
	}
	area := p.DataCanvas(dc)
	if size := area.Size(); c.equal && size.X > 0 && size.Y > 0 {
		perX, perY := (p.X.Max-p.X.Min)/size.X.Points(), (p.Y.Max-p.Y.Min)/size.Y.Points()
		widen(&p.X, max(1, perY/perX))
		widen(&p.Y, max(1, perX/perY))
		area = p.DataCanvas(dc)
	}
	p.Draw(dc)
	mid := area.Center()
	if drawX {
		sty := xlabel.TextStyle
		full.FillText(sty, vg.Point{X: mid.X, Y: full.Min.Y + sty.FontExtents().Descent}, xlabel.Text)
	}
	if drawY {
		sty := ylabel.TextStyle
		sty.Rotation += math.Pi / 2
		full.FillText(sty, vg.Point{X: full.Min.X + sty.Height(ylabel.Text) - sty.FontExtents().Descent, Y: mid.Y}, ylabel.Text)
	}
}

// widen multiplies the range of an axis by f, and keeps an end that is zero.
func widen(a *plot.Axis, f float64) {
	more := (f - 1) * (a.Max - a.Min)
	switch {
	case a.Min == 0:
		a.Max += more
	case a.Max == 0:
		a.Min -= more
	default:
		a.Min, a.Max = a.Min-more/2, a.Max+more/2
	}
}

// newChart returns a chart with labels and a size in inches, 0 being the default.
func newChart(title, x, y string, width, height float64) (*Chart, error) {
	for _, v := range []float64{width, height} {
		if !(v >= 0 && v <= maxInches) {
			return nil, fmt.Errorf("%w: size of %g×%g inches, want 0 to %d", ErrOption, width, height, maxInches)
		}
	}
	c := NewChart()
	c.Title.Text, c.X.Label.Text, c.Y.Label.Text = title, x, y
	if width > 0 {
		c.Width = width
	}
	if height > 0 {
		c.Height = height
	}
	return c, nil
}

// fitAxis gives an axis a range that can be drawn and has room around the data.
func fitAxis(a *plot.Axis) {
	if _, ok := a.Scale.(logScale); ok {
		if !(a.Min > 0) || math.IsInf(a.Min, 0) || math.IsInf(a.Max, 0) {
			a.Min, a.Max = 1, 10
		}
		if a.Max < a.Min*1.001 {
			a.Min, a.Max = a.Min/2, a.Max*2
		}
		return
	}
	if math.IsInf(a.Min, 0) || math.IsInf(a.Max, 0) {
		a.Min, a.Max = 0, 1
	}
	m := max(math.Abs(a.Min), math.Abs(a.Max))
	switch d := a.Max - a.Min; {
	case m < 1e-250:
		a.Min, a.Max = -1, 1
	case d < 1e-9*m:
		a.Min, a.Max = a.Min-0.1*m, a.Max+0.1*m
	}
}

func useLog(a *plot.Axis) {
	a.Scale = logScale{}
	a.Tick.Marker = logTicks{}
}
