package viz

import (
	"image"

	xdraw "golang.org/x/image/draw"
	"gonum.org/v1/gonum/mat"
)

// Pixels between tiles, and around a picture.
const (
	gap    = 6
	margin = 8
)

// tiling says how an image of h×w pixels becomes a tile.
type tiling struct {
	h, w   int // of the image
	th, tw int // of the tile
	smooth bool
}

// newTiling chooses the size of tiles: scale tile pixels for an image pixel, or
// if it is 0, what brings the image near want pixels.
func newTiling(h, w, scale int, smooth bool, want int) tiling {
	t := tiling{h: h, w: w, smooth: smooth}
	side := max(h, w)
	switch {
	case scale > 0:
		t.th, t.tw = h*scale, w*scale
	case side <= want:
		k := (want + side/2) / side
		t.th, t.tw = h*k, w*k
	case side > 2*want: // shrink
		t.th, t.tw = max(1, h*2*want/side), max(1, w*2*want/side)
	default:
		t.th, t.tw = h, w
	}
	return t
}

// draw returns column j of x as a tile, lo and hi being the ends of the map.
func (t tiling) draw(x mat.Matrix, j int, lo, hi float64, m ColorMap) image.Image {
	src := image.NewRGBA(image.Rect(0, 0, t.w, t.h))
	for r := range t.h {
		for c := range t.w {
			src.SetRGBA(c, r, m(unit(x.At(r*t.w+c, j), lo, hi)))
		}
	}
	if t.th == t.h && t.tw == t.w {
		return src
	}
	dst := image.NewRGBA(image.Rect(0, 0, t.tw, t.th))
	var s xdraw.Scaler = xdraw.NearestNeighbor
	if t.smooth {
		s = xdraw.BiLinear
	}
	if t.th < t.h || t.tw < t.w {
		s = xdraw.CatmullRom
	}
	s.Scale(dst, dst.Bounds(), src, src.Bounds(), xdraw.Src, nil)
	return dst
}

// unit brings v to [0, 1].
func unit(v, lo, hi float64) float64 {
	if !(hi > lo) {
		return 0
	}
	return max(0, min(1, (v-lo)/(hi-lo)))
}

// columnRange returns the range of the given columns of x together with zero.
func columnRange(x mat.Matrix, cols ...int) (lo, hi float64) {
	m, _ := x.Dims()
	for _, j := range cols {
		for i := range m {
			lo, hi = min(lo, x.At(i, j)), max(hi, x.At(i, j))
		}
	}
	return lo, hi
}
