package viz

import (
	"fmt"
	"image"
)

// Row lays figures side by side, centred on each other. It returns ErrEmpty
// without figures or for one without pixels.
func Row(figs ...Figure) (*Picture, error) { return Grid(len(figs), figs...) }

// Grid lays figures out in rows of cols, centred in their cells; columns are as
// wide, and rows as high, as their largest figure. It returns ErrEmpty without
// figures or for one without pixels, and ErrOption if cols is not positive.
func Grid(cols int, figs ...Figure) (*Picture, error) {
	if len(figs) == 0 {
		return nil, fmt.Errorf("%w: no figures", ErrEmpty)
	}
	if cols <= 0 {
		return nil, fmt.Errorf("%w: a grid of %d columns, want 1 or more", ErrOption, cols)
	}
	cols = min(cols, len(figs))
	widths, heights := make([]int, cols), make([]int, (len(figs)+cols-1)/cols)
	imgs := make([]image.Image, len(figs))
	for k, f := range figs {
		img, err := render(f)
		if err != nil {
			return nil, fmt.Errorf("figure %d: %w", k, err)
		}
		imgs[k] = img
		widths[k%cols] = max(widths[k%cols], img.Bounds().Dx())
		heights[k/cols] = max(heights[k/cols], img.Bounds().Dy())
	}
	const space = 12
	sum := func(v []int) int {
		s := -space
		for _, x := range v {
			s += x + space
		}
		return s
	}
	p, err := blank(sum(widths), sum(heights))
	if err != nil {
		return nil, err
	}
	y := 0
	for r, h := range heights {
		x := 0
		for c, w := range widths {
			if k := r*cols + c; k < len(imgs) {
				b := imgs[k].Bounds()
				p.paste(imgs[k], image.Pt(x+(w-b.Dx())/2, y+(h-b.Dy())/2))
			}
			x += w + space
		}
		y += h + space
	}
	return p, nil
}

// Caption puts a line of text below a figure. It returns ErrEmpty for a figure
// without pixels.
func Caption(f Figure, text string) (*Picture, error) {
	img, err := render(f)
	if err != nil {
		return nil, err
	}
	n := newPen(headingPoints, false)
	b := img.Bounds()
	w := max(b.Dx(), min(n.width(text)+2*margin, pageWidth))
	p, err := blank(w, b.Dy()+n.height+margin)
	if err != nil {
		return nil, err
	}
	p.paste(img, image.Pt((w-b.Dx())/2, 0))
	n.write(p, w/2, b.Dy(), 0.5, n.fit(text, w), black)
	return p, nil
}

// render returns the image of f.
func render(f Figure) (image.Image, error) {
	if f == nil {
		return nil, fmt.Errorf("%w: the figure is nil", ErrEmpty)
	}
	img := f.Image()
	if img == nil || img.Bounds().Empty() {
		return nil, fmt.Errorf("%w: the image has no pixels", ErrEmpty)
	}
	return img, nil
}
