package viz

import (
	"fmt"
	"image"
	"math"

	"gonum.org/v1/gonum/mat"
)

// GalleryOptions say how Gallery and PairedGallery lay out images. Height and
// Width are required.
type GalleryOptions struct {
	Height, Width int // of an image, in pixels
	Columns       int // images in a row; 0: what fits the width of a page
	Title         string
	Captions      []string // one for each image, below it; nil: none
	Marked        []int    // images to frame, such as flagged outliers
	// Common draws all images over one range, to compare their brightness; otherwise each has a
	// range of its own, from the lesser of 0 and its minimum to its maximum. Min and Max, unless
	// both are 0, are the common range.
	Common   bool
	Min, Max float64
	Scale    int      // pixels for each image pixel; 0: what makes tiles readable
	Smooth   bool     // interpolate instead of showing pixels as squares
	Map      ColorMap // nil: Gray
}

// Gallery draws each column of x as an image: samples, or the basis W.
//
// It returns ErrEmpty, ErrShape if x has not Height·Width rows or there is not
// one caption for each column, ErrNotFinite, and ErrOption for sizes that are
// not positive and for marks out of range.
func Gallery(x mat.Matrix, opt GalleryOptions) (*Picture, error) {
	return gallery([]mat.Matrix{x}, nil, opt)
}

// PairedGallery draws two sets of images of one size above each other, row by
// row, for comparing the bases of two models: images 0, 1, … of upper, below
// them images 0, 1, … of lower, and so on. The names stand to the left of
// their rows; Captions and Marked apply to both.
//
// It returns the errors of Gallery, and ErrShape if the matrices differ in
// size.
func PairedGallery(upperName string, upper mat.Matrix, lowerName string, lower mat.Matrix, opt GalleryOptions) (*Picture, error) {
	return gallery([]mat.Matrix{upper, lower}, []string{upperName, lowerName}, opt)
}

func gallery(sets []mat.Matrix, names []string, opt GalleryOptions) (*Picture, error) {
	n, lo, hi := -1, 0.0, 0.0
	for i, x := range sets {
		name := "X"
		if names != nil {
			name = names[i]
		}
		cols, l, h, err := checkImages(name, x, opt.Height, opt.Width)
		if err != nil {
			return nil, err
		}
		if n >= 0 && cols != n {
			return nil, fmt.Errorf("%w: %d images of %s above %d of %s", ErrShape, n, names[0], cols, names[1])
		}
		n, lo, hi = cols, min(lo, l), max(hi, h)
	}
	if opt.Captions != nil && len(opt.Captions) != n {
		return nil, fmt.Errorf("%w: %d captions for %d images", ErrShape, len(opt.Captions), n)
	}
	if opt.Columns < 0 || opt.Scale < 0 || opt.Scale > 1000 {
		return nil, fmt.Errorf("%w: Columns is %d and Scale is %d, want 0 or more", ErrOption, opt.Columns, opt.Scale)
	}
	fixed := opt.Min != 0 || opt.Max != 0
	if fixed {
		if !(opt.Min < opt.Max) || !drawable(opt.Min) || !drawable(opt.Max) {
			return nil, fmt.Errorf("%w: the range from %g to %g is empty or not finite", ErrOption, opt.Min, opt.Max)
		}
		lo, hi = opt.Min, opt.Max
	}
	marked := make(map[int]bool)
	for _, j := range opt.Marked {
		if j < 0 || j >= n {
			return nil, fmt.Errorf("%w: Marked has image %d, but there are only %d", ErrOption, j, n)
		}
		marked[j] = true
	}
	cm := opt.Map
	if cm == nil {
		cm = Gray
	}

	want := 88
	if n <= 6 {
		want = 132
	}
	t := newTiling(opt.Height, opt.Width, opt.Scale, opt.Smooth, want)
	caption, title, side := newPen(captionPoints, false), newPen(titlePoints, true), newPen(labelPoints, false)
	left, top := margin, margin
	if names != nil {
		left += side.widest(names) + 12
	}
	if opt.Title != "" {
		top += title.height + 8
	}
	cols := opt.Columns
	if cols == 0 {
		cols = max(1, (pageWidth-left-margin+gap)/(t.tw+gap))
		if cols < n { // no ragged last row if it can be helped
			rows := (n + cols - 1) / cols
			cols = (n + rows - 1) / rows
		}
	}
	cols = min(cols, n)
	rows := (n + cols - 1) / cols
	below := 0
	if opt.Captions != nil {
		below = caption.height + 2
	}
	pitch := t.th + gap                               // from one set to the next
	block := pitch*(len(sets)-1) + t.th + below + gap // from one row to the next
	between := 0                                      // more room between pairs
	if len(sets) > 1 {
		between = 2 * gap
	}
	if t.tw > maxPixels/cols || block+between > maxPixels/rows {
		return nil, fmt.Errorf("%w: %d tiles of %d×%d pixels are too many", ErrOption, n, t.tw, t.th)
	}
	w := left + cols*(t.tw+gap) - gap + margin
	h := top + rows*(block+between) - between - gap + margin
	w = max(w, min(title.width(opt.Title)+2*margin, pageWidth))
	p, err := blank(w, h)
	if err != nil {
		return nil, err
	}
	if opt.Title != "" {
		title.write(p, margin, margin-2, 0, title.fit(opt.Title, w-2*margin), black)
	}
	for j := range n {
		x0, y0 := left+j%cols*(t.tw+gap), top+j/cols*(block+between)
		for i, x := range sets {
			l, h := lo, hi
			if !opt.Common && !fixed {
				l, h = columnRange(x, j)
			}
			at := image.Pt(x0, y0+i*pitch)
			p.paste(t.draw(x, j, l, h, cm), at)
			if marked[j] {
				p.frame(image.Rectangle{at, at.Add(image.Pt(t.tw, t.th))}, 3, Color(1))
			}
			if names != nil && j%cols == 0 {
				side.write(p, left-12, at.Y+(t.th-side.height)/2, 1, names[i], black)
			}
		}
		if opt.Captions != nil {
			caption.write(p, x0+t.tw/2, y0+block-gap-below+2, 0.5, caption.fit(opt.Captions[j], t.tw+gap-2), black)
		}
	}
	return p, nil
}

// pageWidth is the width in pixels that automatic layouts keep to.
var pageWidth = int(math.Round(chartWidth * DPI))
