package viz

import (
	"fmt"
	"image"
	"math"
	"slices"

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
	AlsoMarked    []int    // images to frame in a second colour
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
// their rows; Captions and frames apply to both.
//
// It returns the errors of Gallery, and ErrShape if the matrices differ in
// size.
func PairedGallery(upperName string, upper mat.Matrix, lowerName string, lower mat.Matrix, opt GalleryOptions) (*Picture, error) {
	return gallery([]mat.Matrix{upper, lower}, []string{upperName, lowerName}, opt)
}

func gallery(sets []mat.Matrix, names []string, opt GalleryOptions) (*Picture, error) {
	n, lo, hi, err := opt.check(sets, names)
	if err != nil {
		return nil, err
	}
	l, err := opt.layOut(n, names)
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
	cm := opt.Map
	if cm == nil {
		cm = Gray
	}
	for j := range n {
		for i, x := range sets {
			from, to := lo, hi
			if !opt.Common && !opt.fixed() {
				from, to = columnRange(x, j)
			}
			at := l.place(i, j)
			p.paste(l.draw(x, j, from, to, cm), at)
			switch tile := (image.Rectangle{at, at.Add(image.Pt(l.tw, l.th))}); {
			case slices.Contains(opt.Marked, j):
				p.frame(tile, 3, Color(1))
			case slices.Contains(opt.AlsoMarked, j):
				p.frame(tile, 3, Color(0))
			}
			if names != nil && j%l.cols == 0 {
				l.side.write(p, l.left-12, at.Y+(l.th-l.side.height)/2, 1, names[i], black)
			}
		}
		if opt.Captions != nil {
			last := l.place(len(sets)-1, j)
			l.caption.write(p, last.X+l.tw/2, last.Y+l.th+2, 0.5, l.caption.fit(opt.Captions[j], l.tw+gap-2), black)
		}
	}
	return p, nil
}

// fixed reports whether the range of the colours is given.
func (opt GalleryOptions) fixed() bool { return opt.Min != 0 || opt.Max != 0 }

// check returns the number of images in each set, and the range that is common to all.
func (opt GalleryOptions) check(sets []mat.Matrix, names []string) (n int, lo, hi float64, err error) {
	n = -1
	for i, x := range sets {
		name := "X"
		if names != nil {
			name = names[i]
		}
		cols, l, h, err := checkImages(name, x, opt.Height, opt.Width)
		if err != nil {
			return 0, 0, 0, err
		}
		if n >= 0 && cols != n {
			return 0, 0, 0, fmt.Errorf("%w: %d images of %s above %d of %s", ErrShape, n, names[0], cols, names[1])
		}
		n, lo, hi = cols, min(lo, l), max(hi, h)
	}
	if opt.Captions != nil && len(opt.Captions) != n {
		return 0, 0, 0, fmt.Errorf("%w: %d captions for %d images", ErrShape, len(opt.Captions), n)
	}
	if opt.Columns < 0 || opt.Scale < 0 || opt.Scale > 1000 {
		return 0, 0, 0, fmt.Errorf("%w: Columns is %d and Scale is %d, want 0 or more", ErrOption, opt.Columns, opt.Scale)
	}
	if opt.fixed() {
		if !(opt.Min < opt.Max) || !drawable(opt.Min) || !drawable(opt.Max) {
			return 0, 0, 0, fmt.Errorf("%w: the range from %g to %g is empty or not finite", ErrOption, opt.Min, opt.Max)
		}
		lo, hi = opt.Min, opt.Max
	}
	for _, j := range slices.Concat(opt.Marked, opt.AlsoMarked) {
		if j < 0 || j >= n {
			return 0, 0, 0, fmt.Errorf("%w: image %d is marked, but there are only %d", ErrOption, j, n)
		}
	}
	return n, lo, hi, nil
}

// A galleryLayout is where the tiles of a gallery stand.
type galleryLayout struct {
	tiling
	caption, title, side *pen

	cols          int // tiles in a row
	left, top     int // of the first tile
	pitch         int // from one set to the next
	block         int // from one row of tiles to the next
	width, height int
}

// layOut places n images of as many sets as there are names, or of one.
func (opt GalleryOptions) layOut(n int, names []string) (*galleryLayout, error) {
	want := 88
	if n <= 6 {
		want = 132
	}
	l := &galleryLayout{tiling: newTiling(opt.Height, opt.Width, opt.Scale, opt.Smooth, want), left: margin, top: margin,
		caption: newPen(captionPoints, false), title: newPen(titlePoints, true), side: newPen(labelPoints, false)}
	if names != nil {
		l.left += l.side.widest(names) + 12
	}
	if opt.Title != "" {
		l.top += l.title.height + 8
	}
	l.cols = opt.Columns
	if l.cols == 0 {
		l.cols = max(1, (pageWidth-l.left-margin+gap)/(l.tw+gap))
		if l.cols < n { // no ragged last row if it can be helped
			rows := (n + l.cols - 1) / l.cols
			l.cols = (n + rows - 1) / rows
		}
	}
	l.cols = min(l.cols, n)
	rows := (n + l.cols - 1) / l.cols
	sets, between := 1, 0
	if names != nil {
		sets, between = len(names), 2*gap // more room between pairs
	}
	l.pitch = l.th + gap
	l.block = l.pitch*sets + between
	if opt.Captions != nil {
		l.block += l.caption.height + 2
	}
	if l.tw > maxPixels/l.cols || l.block > maxPixels/rows {
		return nil, fmt.Errorf("%w: %d tiles of %d×%d pixels are too many", ErrOption, n, l.tw, l.th)
	}
	l.width = max(l.left+l.cols*(l.tw+gap)-gap+margin, min(l.title.width(opt.Title)+2*margin, pageWidth))
	l.height = l.top + rows*l.block - between - gap + margin
	return l, nil
}

// place is the corner of image j of set i.
func (l *galleryLayout) place(i, j int) image.Point {
	return image.Pt(l.left+j%l.cols*(l.tw+gap), l.top+j/l.cols*l.block+i*l.pitch)
}

// pageWidth is the width in pixels that automatic layouts keep to.
var pageWidth = int(math.Round(chartWidth * DPI))
