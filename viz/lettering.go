package viz

import (
	"image"
	"image/color"
	"image/draw"

	xfont "golang.org/x/image/font"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
)

// A pen letters pictures in one size.
type pen struct {
	face   xfont.Face
	height int // of a line, in pixels
	ascent int
}

// Sizes of text in pictures, in points.
const (
	titlePoints   = 12.5
	headingPoints = 11
	labelPoints   = 10
	captionPoints = 9.5
)

func newPen(points float64, bold bool) *pen {
	f := sans(points, bold)
	cached := font.DefaultCache.Lookup(f, f.Size)
	face := cached.FontFace(DPI)
	m := face.Metrics()
	return &pen{face: face, ascent: m.Ascent.Ceil(), height: m.Ascent.Ceil() + m.Descent.Ceil()}
}

// width returns the pixels that s takes.
func (n *pen) width(s string) int { return xfont.MeasureString(n.face, s).Ceil() }

// widest returns the pixels that the longest of s takes.
func (n *pen) widest(s []string) int {
	w := 0
	for _, t := range s {
		w = max(w, n.width(t))
	}
	return w
}

// fit returns s, cut short with an ellipsis if it is wider than w pixels.
func (n *pen) fit(s string, w int) string {
	if n.width(s) <= w {
		return s
	}
	r := []rune(s)
	dots, _ := n.face.GlyphAdvance('…')
	var at fixed.Int26_6 // as xfont.MeasureString adds it up
	fits := 0
	for k, c := range r[:len(r)-1] {
		if k > 0 {
			at += n.face.Kern(r[k-1], c)
		}
		wide, _ := n.face.GlyphAdvance(c)
		at += wide
		if (at + n.face.Kern(c, '…') + dots).Ceil() <= w {
			fits = k + 1
		}
	}
	if fits == 0 {
		return ""
	}
	return string(r[:fits]) + "…"
}

// halves returns s, in two lines if it is wider than w pixels, broken at the blank that leaves the longer of
// them shortest.
func (n *pen) halves(s string, w int) []string {
	lines, wide := []string{s}, n.width(s)
	if wide <= w {
		return lines
	}
	for at, c := range s {
		if c != ' ' {
			continue
		}
		if longer := max(n.width(s[:at]), n.width(s[at+1:])); longer < wide {
			lines, wide = []string{s[:at], s[at+1:]}, longer
		}
	}
	return lines
}

// write draws s with the top of its line at y; align is 0 for text that starts
// at x, 0.5 for text centred on it and 1 for text that ends there.
func (n *pen) write(p *Picture, x, y int, align float64, s string, c color.Color) {
	d := xfont.Drawer{
		Dst:  p.img,
		Src:  image.NewUniform(c),
		Face: n.face,
		Dot:  fixed.P(x-int(align*float64(n.width(s))), y+n.ascent),
	}
	d.DrawString(s)
}

// writeUp draws s turned a quarter to the left, in a line whose left side is at
// x; align is as for write, from the bottom up.
func (n *pen) writeUp(p *Picture, x, y int, align float64, s string, c color.Color) {
	w := n.width(s)
	if w == 0 {
		return
	}
	flat := &Picture{image.NewRGBA(image.Rect(0, 0, w, n.height))}
	n.write(flat, 0, 0, 0, s, c)
	up := image.NewRGBA(image.Rect(0, 0, n.height, w))
	for i := range w {
		for j := range n.height {
			up.SetRGBA(j, w-1-i, flat.img.RGBAAt(i, j))
		}
	}
	top := y - w + int(align*float64(w))
	draw.Draw(p.img, image.Rect(x, top, x+n.height, top+w), up, image.Point{}, draw.Over)
}
