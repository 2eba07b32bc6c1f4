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
	"math"
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

// WritePNG writes f to w as PNG, with as few bits per pixel as hold its
// colours; those of smoothed edges, which are rare, may move to a colour next
// to them. Equal figures give equal bytes.
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

// What a palette may lose. Next to lines and letters a chart has thousands of colours, each
// in a few pixels at an edge that is smoothed; they make up most of the bytes of its file.
// A colour of at least a share of 1/exactShare of the pixels, as those of a colour map, is kept
// as it is; others move to a neighbour, by more than mergeRadius (of 255√3) in at most a share of
// 1/exactShare of the pixels: where more would, as in a photograph, all colours stay.
const (
	exactShare  = 2000
	mergeRadius = 16
)

// compact returns img as a grey image where this loses nothing, or with a palette where this
// loses nothing that can be seen.
func compact(img image.Image) image.Image {
	src, ok := img.(*image.RGBA)
	if !ok || !src.Opaque() {
		return img
	}
	b := src.Bounds()
	count := make(map[color.RGBA]int)
	grey := true
	eachPixel(src, func(_, _ int, c color.RGBA) {
		grey = grey && c.R == c.G && c.G == c.B
		count[c]++
	})
	if grey && len(count) > 16 { // fewer fit 4 bits or less as a palette
		dst := image.NewGray(b)
		eachPixel(src, func(x, y int, c color.RGBA) { dst.Pix[dst.PixOffset(x, y)] = c.R })
		return dst
	}
	pal, index := palette(count, b.Dx()*b.Dy(), 256)
	if pal == nil {
		return img
	}
	dst := image.NewPaletted(b, pal)
	eachPixel(src, func(x, y int, c color.RGBA) { dst.Pix[dst.PixOffset(x, y)] = index[c] })
	return dst
}

// palette chooses at most so many of the colours of a picture, given with their numbers of pixels,
// and the place of each colour among them. It returns nil where too much would be lost.
func palette(count map[color.RGBA]int, pixels, most int) (color.Palette, map[color.RGBA]uint8) {
	colors := slices.SortedFunc(maps.Keys(count), func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
	})
	var chosen []color.RGBA
	nearest := func(c color.RGBA) (at, square int) {
		square = math.MaxInt
		for i, p := range chosen {
			r, g, b := int(p.R)-int(c.R), int(p.G)-int(c.G), int(p.B)-int(c.B)
			if d := r*r + g*g + b*b; d < square {
				at, square = i, d
			}
		}
		return at, square
	}
	for _, c := range colors {
		if len(chosen) == most {
			break
		}
		if _, d := nearest(c); len(colors) <= most || exactShare*count[c] >= pixels || d > mergeRadius*mergeRadius {
			chosen = append(chosen, c)
		}
	}
	index := make(map[color.RGBA]uint8, len(colors))
	moved := 0
	for _, c := range colors {
		i, d := nearest(c)
		if index[c] = uint8(i); d > mergeRadius*mergeRadius {
			moved += count[c]
		}
	}
	if exactShare*moved > pixels {
		return nil, nil
	}
	pal := make(color.Palette, len(chosen))
	for i, c := range chosen {
		pal[i] = c
	}
	return pal, index
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
