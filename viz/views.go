package viz

import (
	"fmt"
	"image"
	"image/color"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/internal/isnil"
)

// A Tone says what the values of a column of Views are, and so which colours
// show them.
type Tone int

const (
	// Intensity: brightness, in grey from 0 to the maximum of the first column
	// of this tone among the samples shown, so that a reconstruction can be
	// compared with its original. What is brighter stays white.
	Intensity Tone = iota
	// Signed: residuals, in the colours of Diverging, centred on zero.
	Signed
	// Weight: weights, in Viridis from 0 to the largest of them or 1.
	Weight
)

// A View is a column of Views: one view of the samples.
type View struct {
	Heading string
	// X holds an image in each column. For Weight it may also have one row:
	// a weight for each sample, written out.
	X    mat.Matrix
	Tone Tone
	// Limit is the value at the upper end of the colours; 0: see Tone, and for
	// Signed the largest absolute value among the samples shown.
	Limit float64
}

// ViewsOptions say which samples Views draws, and how. Height and Width
// are required.
type ViewsOptions struct {
	Height, Width int      // of an image, in pixels
	Samples       []int    // columns of the matrices; nil: the first 5
	Names         []string // of the samples shown, left of their rows; nil: none
	Title         string
	Scale         int  // pixels for each image pixel; 0: what makes tiles readable
	Smooth        bool // interpolate instead of showing pixels as squares
}

// Views draws a row for each sample and a column for each view of it: clean,
// corrupted, reconstructed, residual, weights. Below residuals and weights
// stands a bar of their colours.
//
// It returns ErrEmpty, ErrShape if the matrices have not Height·Width rows or
// differ in their number of columns or there is not one name for each sample,
// ErrNotFinite, and ErrOption for a sample, a tone or a limit out of range.
func Views(columns []View, opt ViewsOptions) (*Picture, error) {
	if len(columns) == 0 {
		return nil, fmt.Errorf("%w: no columns", ErrEmpty)
	}
	n := -1
	for i, c := range columns {
		name := fmt.Sprintf("column %d (%q)", i, c.Heading)
		cols, err := c.check(name, opt.Height, opt.Width)
		if err != nil {
			return nil, err
		}
		if n >= 0 && cols != n {
			return nil, fmt.Errorf("%w: %s has %d samples, but the first column has %d", ErrShape, name, cols, n)
		}
		n = cols
	}
	samples := opt.Samples
	if samples == nil {
		for j := range min(5, n) {
			samples = append(samples, j)
		}
	}
	if len(samples) == 0 {
		return nil, fmt.Errorf("%w: no samples", ErrEmpty)
	}
	for _, j := range samples {
		if j < 0 || j >= n {
			return nil, fmt.Errorf("%w: Samples has sample %d, but there are only %d", ErrOption, j, n)
		}
	}
	if opt.Names != nil && len(opt.Names) != len(samples) {
		return nil, fmt.Errorf("%w: %d names for %d samples", ErrShape, len(opt.Names), len(samples))
	}
	if opt.Scale < 0 || opt.Scale > 1000 {
		return nil, fmt.Errorf("%w: Scale is %d, want 0 or more", ErrOption, opt.Scale)
	}

	t := newTiling(opt.Height, opt.Width, opt.Scale, opt.Smooth, 120)
	head, title, side, small := newPen(headingPoints, false), newPen(titlePoints, true), newPen(labelPoints, false), newPen(captionPoints, false)
	left, top, foot := margin, margin, 0
	if opt.Names != nil {
		left += side.widest(opt.Names) + 12
	}
	if opt.Title != "" {
		top += title.height + 8
	}
	pitch := t.tw
	for _, c := range columns {
		pitch = max(pitch, head.width(c.Heading)+10)
		if c.bar() {
			foot = barHeight + small.height + 8
			lo, hi, _ := c.colors(samples, 0)
			pitch = max(pitch, small.width(rounded(lo))+small.width(rounded(hi))+12)
		}
	}
	pitch += 2 * gap
	headY := top
	top += head.height + 4
	if t.th > maxPixels/len(samples) {
		return nil, fmt.Errorf("%w: %d rows of %d pixels are too many", ErrOption, len(samples), t.th)
	}
	w := max(left+len(columns)*pitch-gap+margin, min(title.width(opt.Title)+2*margin, pageWidth))
	p, err := blank(w, top+len(samples)*(t.th+gap)-gap+foot+margin)
	if err != nil {
		return nil, err
	}
	if opt.Title != "" {
		title.write(p, margin, margin-2, 0, title.fit(opt.Title, w-2*margin), black)
	}
	white := 0.0 // what Intensity shows as white
	for _, c := range columns {
		if c.Tone == Intensity {
			if _, white = columnRange(c.X, samples...); white > 0 {
				break // but for a first one that is black
			}
		}
	}
	for i, c := range columns {
		x0 := left + i*pitch + (pitch-gap-t.tw)/2
		head.write(p, x0+t.tw/2, headY, 0.5, c.Heading, black)
		lo, hi, cm := c.colors(samples, white)
		m, _ := c.X.Dims()
		for k, j := range samples {
			at := image.Pt(x0, top+k*(t.th+gap))
			tile := image.Rectangle{at, at.Add(image.Pt(t.tw, t.th))}
			if m == 1 && opt.Height*opt.Width != 1 {
				v := c.X.At(0, j)
				fill := cm(unit(v, lo, hi))
				p.fill(tile, fill)
				side.write(p, at.X+t.tw/2, at.Y+(t.th-side.height)/2, 0.5, side.fit(fmt.Sprintf("%.3g", v), t.tw), contrast(fill))
				continue
			}
			p.paste(t.draw(c.X, j, lo, hi, cm), at)
			if c.Tone == Signed {
				p.frame(tile, 1, color.Gray{0xd0})
			}
		}
		if c.bar() {
			y := top + len(samples)*(t.th+gap) + 2
			p.horizontalBar(image.Rect(x0, y, x0+t.tw, y+barHeight), lo, hi, cm, small)
		}
	}
	for k := range opt.Names {
		side.write(p, left-12, top+k*(t.th+gap)+(t.th-side.height)/2, 1, opt.Names[k], black)
	}
	return p, nil
}

func (c View) bar() bool { return c.Tone != Intensity }

func (c View) check(name string, h, w int) (n int, err error) {
	if c.Tone < Intensity || c.Tone > Weight {
		return 0, fmt.Errorf("%w: the Tone %d of %s is not one of this package", ErrOption, c.Tone, name)
	}
	if !(c.Limit >= 0) || !drawable(c.Limit) {
		return 0, fmt.Errorf("%w: the Limit %g of %s is negative or not finite", ErrOption, c.Limit, name)
	}
	if c.Tone == Weight && !isnil.Matrix(c.X) && h > 0 && w > 0 {
		if m, _ := c.X.Dims(); m == 1 {
			h, w = 1, 1
		}
	}
	n, _, _, err = checkImages(name, c.X, h, w)
	return n, err
}

// colors returns the range of the colours of c, and their map.
func (c View) colors(samples []int, white float64) (lo, hi float64, m ColorMap) {
	lo, hi = columnRange(c.X, samples...)
	switch c.Tone {
	case Signed:
		top := max(-lo, hi)
		if c.Limit > 0 {
			top = c.Limit
		}
		if top == 0 {
			top = 1
		}
		return -top, top, Diverging
	case Weight:
		lo, hi, m = 0, max(hi, 1), Viridis
	default:
		lo, hi, m = 0, white, Gray
	}
	if c.Limit > 0 {
		hi = c.Limit
	}
	return lo, hi, m
}

const barHeight = 12

// horizontalBar draws the colours of a map with the ends of its range below.
func (p *Picture) horizontalBar(r image.Rectangle, lo, hi float64, m ColorMap, n *pen) {
	for x := r.Min.X; x < r.Max.X; x++ {
		t := (float64(x-r.Min.X) + 0.5) / float64(r.Dx())
		p.fill(image.Rect(x, r.Min.Y, x+1, r.Max.Y), m(t))
	}
	p.frame(r, 1, color.Gray{0xa0})
	from, to := rounded(lo), rounded(hi)
	out := max(0, (n.width(from)+n.width(to)+12-r.Dx())/2) // where they are wider than the bar
	n.write(p, r.Min.X-out, r.Max.Y+3, 0, from, black)
	n.write(p, r.Max.X+out, r.Max.Y+3, 1, to, black)
}

// rounded writes v in two digits.
func rounded(v float64) string {
	if v == 0 {
		return "0"
	}
	unit := math.Pow(10, math.Floor(math.Log10(math.Abs(v)))-1)
	if !(unit > 0) {
		return fmt.Sprintf("%.2g", v)
	}
	return tickLabel(math.Round(v/unit)*unit, unit, math.Abs(v))
}
