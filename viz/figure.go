package viz

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/robustnmf/robustnmf/internal/newfile"
)

// DPI is the density of all rasters, in pixels per inch: one point is two
// pixels. Shown at 96 pixels per inch, as browsers do, text has its nominal
// size and edges stay sharp on dense screens.
const DPI = 144

// A Figure is anything that can be drawn as an image of DPI pixels per inch:
// a *Chart, a *Picture, or a type of the user's own.
type Figure interface {
	// Image returns the drawing. It must not be modified.
	Image() image.Image
}

// WritePNG writes f to w as PNG, and makes the file small by what cannot be
// seen: greys are rounded, by at most 2 of 255, and colours of smoothed edges
// may move to a colour next to them. Where more would be lost, as with a
// colour photograph, the file has the colours of f. Equal figures give equal
// bytes.
func WritePNG(w io.Writer, f Figure) error {
	img, err := render(f)
	if err != nil {
		return err
	}
	enc := png.Encoder{CompressionLevel: png.BestCompression}
	return enc.Encode(w, compact(img))
}

// Save writes f to a new file, in the format of its extension: .png, or .svg for a *Chart. Errors
// are ErrOption for another extension, fs.ErrExist if the path exists, which stays as it is, and
// those of drawing and of the file system.
func Save(path string, f Figure) error {
	var buf bytes.Buffer
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".png":
		if err := WritePNG(&buf, f); err != nil {
			return err
		}
	case ".svg":
		c, ok := f.(*Chart)
		if !ok {
			return fmt.Errorf("%w: only a *Chart can be saved as SVG, not a %T", ErrOption, f)
		}
		if err := c.WriteSVG(&buf); err != nil {
			return err
		}
	default:
		return fmt.Errorf("%w: extension %q of %q is neither .png nor .svg", ErrOption, ext, path)
	}
	return newfile.Write(path, func(w io.Writer) error {
		_, err := buf.WriteTo(w)
		return err
	})
}

// Must returns v, and panics if err is not nil. It is for notebook cells,
// where a panic is how an error is seen:
//
//	show.Figure(viz.Must(viz.Heatmap(x, viz.HeatmapOptions{})))
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// What a picture may lose on its way to a file. Greys are rounded to multiples of greyStep, which divides
// 255, so black and white stay: a photograph has a quarter fewer bytes, and each pixel is off by at most
// 2 of 255. Colours are not rounded so, as the pale ones of a colour map would change their hue.
//
// Next to lines and letters a chart has thousands of colours, each in a few pixels at an edge that is
// smoothed; they make up most of the bytes of its file. Frequent colours stay; others may move to a
// neighbour, those of areas and of straight lines a shorter way than those that are only at edges, and where
// there are few colours of areas, as in a heat map, these stay, too. A grey moves to a grey alone, as a thin
// line that gets a hue can be seen, and the colour of an area never moves to a grey, as a grey step in a colour
// bar can be seen, too.
// Where the mean of the squares of all these ways (of at most 255√3) would be more than mostMoved, as in
// a photograph with colours, the picture stays as it was drawn.
const (
	greyStep  = 5
	mostMoved = 16
)

// compact returns img as a grey image or with a palette where this loses nothing that can be seen.
func compact(img image.Image) image.Image {
	drawn, ok := img.(*image.RGBA)
	if !ok || !drawn.Opaque() {
		return img
	}
	src := evenGreys(drawn)
	b := src.Bounds()
	all := newColours()
	all.add(src)
	if all.grey && len(all.use) > 16 { // fewer fit 4 bits or less as a palette
		dst := image.NewGray(b)
		eachPixel(src, func(x, y int, c color.RGBA) { dst.Pix[dst.PixOffset(x, y)] = c.R })
		return dst
	}
	pal := all.palette(256)
	if pal == nil {
		return img
	}
	dst, index := image.NewPaletted(b, pal), all.index()
	eachPixel(src, func(x, y int, c color.RGBA) { dst.Pix[dst.PixOffset(x, y)] = index(c) })
	return dst
}

// evenGreys returns a copy of an image whose greys are rounded.
func evenGreys(src *image.RGBA) *image.RGBA {
	dst := image.NewRGBA(src.Bounds())
	eachPixel(src, func(x, y int, c color.RGBA) {
		if isGrey(c) {
			v := uint8((int(c.R) + greyStep/2) / greyStep * greyStep)
			c = color.RGBA{v, v, v, c.A}
		}
		p := dst.Pix[dst.PixOffset(x, y):]
		p[0], p[1], p[2], p[3] = c.R, c.G, c.B, c.A
	})
	return dst
}

// colours are those of one picture or of some.
type colours struct {
	use    map[color.RGBA]*use
	pixels int
	areas  int  // colours of areas, other than greys
	grey   bool // nothing else
}

// A use is what a picture has of a colour.
type use struct {
	pixels int
	area   bool  // it fills 2×2 pixels somewhere, or a row or column of lineLength
	index  uint8 // in the palette
}

const lineLength = 24 // a bar's steps are more than a pixel high, and so areas already

func newColours() *colours { return &colours{use: map[color.RGBA]*use{}, grey: true} }

func (s *colours) add(img *image.RGBA) {
	b := img.Bounds()
	s.pixels += b.Dx() * b.Dy()
	row, column := 0, make([]int, b.Dx()) // so many pixels up to here have the same colour
	above := make([]color.RGBA, b.Dx())   // the last of each column
	var left, corner color.RGBA           // the last of this row, and the one above it
	var u *use
	eachPixel(img, func(x, y int, c color.RGBA) {
		if u == nil || c != left { // most pixels have the colour of the one before
			if u = s.use[c]; u == nil {
				u = &use{}
				s.use[c] = u
			}
			s.grey = s.grey && isGrey(c)
		}
		u.pixels++
		up, over := &column[x-b.Min.X], above[x-b.Min.X]
		row, *up = row+1, *up+1
		if x == b.Min.X || c != left {
			row = 1
		}
		if y == b.Min.Y || c != over {
			*up = 1
		}
		if !u.area && (row > 1 && *up > 1 && c == corner || max(row, *up) >= lineLength) {
			u.area = true
			if !isGrey(c) {
				s.areas++
			}
		}
		left, corner, above[x-b.Min.X] = c, over, c
	})
}

func isGrey(c color.RGBA) bool { return c.R == c.G && c.G == c.B }

// fewAreas is how many colours of areas, other than greys, a palette of 256 takes as they are: those of a
// colour map, and some more.
const fewAreas = 160

// mayMove returns the square of the way that a colour may move.
func (s *colours) mayMove(c color.RGBA) int {
	u, share, way := s.use[c], 200, 32
	if u.area {
		if s.areas <= fewAreas && !isGrey(c) {
			return 0
		}
		share, way = 2000, 16
	}
	if share*u.pixels >= s.pixels {
		return 0
	}
	return way * way
}

// palette chooses at most so many of the colours, and notes the place of each colour among them. It
// returns nil where too much would be lost.
func (s *colours) palette(most int) color.Palette {
	rank := func(c color.RGBA) int { // those that stay come first
		if s.mayMove(c) > 0 {
			return -s.use[c].pixels
		}
		return -s.pixels - s.use[c].pixels
	}
	sorted := slices.SortedFunc(maps.Keys(s.use), func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
	})
	var chosen []color.RGBA
	nearest := func(c color.RGBA) (at, square int) {
		square = 4 * 255 * 255 // more than any
		may := isGrey
		if !isGrey(c) {
			area := s.use[c].area
			may = func(p color.RGBA) bool { return !area || !isGrey(p) }
		}
		for i, p := range chosen {
			r, g, b := int(p.R)-int(c.R), int(p.G)-int(c.G), int(p.B)-int(c.B)
			if d := r*r + g*g + b*b; d < square && may(p) {
				at, square = i, d
			}
		}
		return at, square
	}
	for _, c := range sorted {
		if len(chosen) == most {
			break
		}
		if _, square := nearest(c); square > s.mayMove(c) {
			chosen = append(chosen, c)
		}
	}
	moved := 0
	for c, u := range s.use {
		i, square := nearest(c)
		u.index = uint8(i)
		moved += square * u.pixels
	}
	if moved > mostMoved*s.pixels {
		return nil
	}
	pal := make(color.Palette, len(chosen))
	for i, c := range chosen {
		pal[i] = c
	}
	return pal
}

// index finds the place of a colour in the palette, at once where it is that of the call before.
func (s *colours) index() func(c color.RGBA) uint8 {
	var last color.RGBA
	var u *use
	return func(c color.RGBA) uint8 {
		if u == nil || c != last {
			last, u = c, s.use[c]
		}
		return u.index
	}
}

func eachPixel(img *image.RGBA, f func(x, y int, c color.RGBA)) {
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		row := img.Pix[img.PixOffset(b.Min.X, y):]
		for x := range b.Dx() {
			p := row[4*x : 4*x+4 : 4*x+4]
			f(b.Min.X+x, y, color.RGBA{p[0], p[1], p[2], p[3]})
		}
	}
}
