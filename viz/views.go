package viz

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"
	"strings"

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
	Heading string // above it; "\n" begins another line
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
// stands a bar of their colours, one below neighbours that share them.
//
// It returns ErrEmpty, ErrShape if the matrices have not Height·Width rows or
// differ in their number of columns or there is not one name for each sample,
// ErrNotFinite, and ErrOption for a sample, a tone or a limit out of range.
func Views(columns []View, opt ViewsOptions) (*Picture, error) {
	samples, err := opt.check(columns)
	if err != nil {
		return nil, err
	}
	l, err := opt.layOut(columns, samples)
	if err != nil {
		return nil, err
	}
	p, err := blank(l.width, l.height)
	if err != nil {
		return nil, err
	}
	if opt.Title != "" {
		l.title.write(p, margin, margin-2, 0, l.title.fit(opt.Title, l.width-2*margin), black)
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
		l.paint(p, c, l.column(i), samples, white)
	}
	for i := 0; i < len(columns); {
		c, next := columns[i], i+1
		lo, hi, cm := c.colors(samples, white)
		for ; next < len(columns) && columns[next].Tone == c.Tone; next++ {
			if low, high, _ := columns[next].colors(samples, white); low != lo || high != hi {
				break
			}
		}
		if c.bar() {
			y := l.row(len(samples)) + 2
			p.horizontalBar(image.Rect(l.column(i), y, l.column(next-1)+l.tw, y+barHeight), lo, hi, cm, l.small)
		}
		i = next
	}
	for k := range opt.Names {
		l.side.write(p, l.left-12, l.row(k)+(l.th-l.side.height)/2, 1, opt.Names[k], black)
	}
	return p, nil
}

// check returns the samples that are shown.
func (opt ViewsOptions) check(columns []View) (samples []int, err error) {
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
	samples = opt.Samples
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
	return samples, nil
}

// A viewsLayout is where the tiles of Views stand.
type viewsLayout struct {
	tiling
	head, title, side, small *pen

	left, top, pitch int // of the first tile, and from one column to the next
	headY            int
	width, height    int
}

func (opt ViewsOptions) layOut(columns []View, samples []int) (*viewsLayout, error) {
	l := &viewsLayout{tiling: newTiling(opt.Height, opt.Width, opt.Scale, opt.Smooth, 120), left: margin, top: margin,
		head: newPen(headingPoints, false), title: newPen(titlePoints, true), side: newPen(labelPoints, false), small: newPen(captionPoints, false)}
	if opt.Names != nil {
		l.left += l.side.widest(opt.Names) + 12
	}
	if opt.Title != "" {
		l.top += l.title.height + 8
	}
	foot, lines := 0, 1
	l.pitch = l.tw
	for _, c := range columns {
		l.pitch = max(l.pitch, l.head.widest(strings.Split(c.Heading, "\n"))+10)
		lines = max(lines, 1+strings.Count(c.Heading, "\n"))
		if c.bar() {
			foot = barHeight + l.small.height + 8
			lo, hi, _ := c.colors(samples, 0)
			l.pitch = max(l.pitch, l.small.width(rounded(lo))+l.small.width(rounded(hi))+12)
		}
	}
	l.pitch += 2 * gap
	l.headY = l.top
	if slices.ContainsFunc(columns, func(c View) bool { return c.Heading != "" }) {
		l.top += lines*l.head.height + 4
	}
	if l.th > maxPixels/len(samples) {
		return nil, fmt.Errorf("%w: %d rows of %d pixels are too many", ErrOption, len(samples), l.th)
	}
	l.width = max(l.left+len(columns)*l.pitch-gap+margin, min(l.title.width(opt.Title)+2*margin, pageWidth))
	l.height = l.row(len(samples)) - gap + foot + margin
	return l, nil
}

// row is the upper edge of the tiles of sample k of those that are shown.
func (l *viewsLayout) row(k int) int { return l.top + k*(l.th+gap) }

// column is the left edge of the tiles of column i.
func (l *viewsLayout) column(i int) int { return l.left + i*l.pitch + (l.pitch-gap-l.tw)/2 }

// paint paints a column from x0 on.
func (l *viewsLayout) paint(p *Picture, c View, x0 int, samples []int, white float64) {
	for i, line := range strings.Split(c.Heading, "\n") {
		l.head.write(p, x0+l.tw/2, l.headY+i*l.head.height, 0.5, line, black)
	}
	lo, hi, cm := c.colors(samples, white)
	m, _ := c.X.Dims()
	for k, j := range samples {
		at := image.Pt(x0, l.row(k))
		tile := image.Rectangle{at, at.Add(image.Pt(l.tw, l.th))}
		if m == 1 && l.h*l.w != 1 { // a weight of the sample
			v := c.X.At(0, j)
			fill := cm(unit(v, lo, hi))
			p.fill(tile, fill)
			l.side.write(p, at.X+l.tw/2, at.Y+(l.th-l.side.height)/2, 0.5, l.side.fit(fmt.Sprintf("%.3g", v), l.tw), contrast(fill))
			continue
		}
		p.paste(l.draw(c.X, j, lo, hi, cm), at)
		if c.Tone == Signed {
			p.frame(tile, 1, color.Gray{0xd0})
		}
	}
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
