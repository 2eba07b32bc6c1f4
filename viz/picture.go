package viz

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
)

// A Picture is a finished raster figure.
type Picture struct{ img *image.RGBA }

var _ Figure = (*Picture)(nil)

// NewPicture returns a copy of img, on white where it is transparent, as a
// figure. It returns ErrEmpty for an image without pixels.
func NewPicture(img image.Image) (*Picture, error) {
	if img == nil || img.Bounds().Empty() {
		return nil, fmt.Errorf("%w: the image has no pixels", ErrEmpty)
	}
	b := img.Bounds()
	p, err := blank(b.Dx(), b.Dy())
	if err != nil {
		return nil, err
	}
	draw.Draw(p.img, p.img.Bounds(), img, b.Min, draw.Over)
	return p, nil
}

// Image returns the picture. It must not be modified.
func (p *Picture) Image() image.Image {
	if p == nil || p.img == nil {
		return image.NewRGBA(image.Rectangle{})
	}
	return p.img
}

// maxPixels bounds the size of a picture: 160 MB of memory.
const maxPixels = 40 << 20

// blank returns a white picture.
func blank(w, h int) (*Picture, error) {
	if w <= 0 || h <= 0 || w > maxPixels/h {
		return nil, fmt.Errorf("%w: a picture of %d×%d pixels is too large: show fewer or smaller tiles", ErrOption, w, h)
	}
	p := &Picture{image.NewRGBA(image.Rect(0, 0, w, h))}
	p.fill(p.img.Bounds(), color.White)
	return p, nil
}

func (p *Picture) fill(r image.Rectangle, c color.Color) {
	draw.Draw(p.img, r, image.NewUniform(c), image.Point{}, draw.Src)
}

// frame draws a border of the given width around r, outside it.
func (p *Picture) frame(r image.Rectangle, width int, c color.Color) {
	o := r.Inset(-width)
	p.fill(image.Rect(o.Min.X, o.Min.Y, o.Max.X, r.Min.Y), c)
	p.fill(image.Rect(o.Min.X, r.Max.Y, o.Max.X, o.Max.Y), c)
	p.fill(image.Rect(o.Min.X, r.Min.Y, r.Min.X, r.Max.Y), c)
	p.fill(image.Rect(r.Max.X, r.Min.Y, o.Max.X, r.Max.Y), c)
}

// paste copies img with its upper left corner to at.
func (p *Picture) paste(img image.Image, at image.Point) {
	b := img.Bounds()
	draw.Draw(p.img, b.Sub(b.Min).Add(at), img, b.Min, draw.Over)
}
