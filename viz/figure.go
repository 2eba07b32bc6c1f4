package viz

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
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
// colours. Equal figures give equal bytes.
func WritePNG(w io.Writer, f Figure) error {
	img, err := render(f)
	if err != nil {
		return err
	}
	enc := png.Encoder{CompressionLevel: png.BestCompression}
	return enc.Encode(w, compact(img))
}

// Save writes f to the file path, in the format of its extension: .png, or
// .svg for a *Chart.
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
	return os.WriteFile(path, buf.Bytes(), 0o666)
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

var errColors = errors.New("too many colours")

// compact returns img as a grey or paletted image where this loses nothing.
func compact(img image.Image) image.Image {
	src, ok := img.(*image.RGBA)
	if !ok || !src.Opaque() {
		return img
	}
	b := src.Bounds()
	index := make(map[color.RGBA]uint8, 256)
	var pal color.Palette
	grey, few := true, true
	err := eachPixel(src, func(_, _ int, c color.RGBA) error {
		grey = grey && c.R == c.G && c.G == c.B
		if few {
			if _, ok := index[c]; !ok {
				if len(pal) == 256 {
					few = false
				} else {
					index[c] = uint8(len(pal))
					pal = append(pal, c)
				}
			}
		}
		if !grey && !few {
			return errColors
		}
		return nil
	})
	switch {
	case err != nil:
		return img
	case grey && len(pal) > 16: // fewer fit 4 bits or less as a palette
		dst := image.NewGray(b)
		_ = eachPixel(src, func(x, y int, c color.RGBA) error {
			dst.Pix[dst.PixOffset(x, y)] = c.R
			return nil
		})
		return dst
	case few:
		dst := image.NewPaletted(b, pal)
		_ = eachPixel(src, func(x, y int, c color.RGBA) error {
			dst.Pix[dst.PixOffset(x, y)] = index[c]
			return nil
		})
		return dst
	}
	return img
}

func eachPixel(img *image.RGBA, f func(x, y int, c color.RGBA) error) error {
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		row := img.Pix[img.PixOffset(b.Min.X, y):]
		for x := range b.Dx() {
			p := row[4*x : 4*x+4 : 4*x+4]
			if err := f(b.Min.X+x, y, color.RGBA{p[0], p[1], p[2], p[3]}); err != nil {
				return err
			}
		}
	}
	return nil
}
