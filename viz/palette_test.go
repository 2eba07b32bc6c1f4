package viz_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"

	"github.com/robustnmf/robustnmf/viz"
)

type rawFigure struct{ img image.Image }

func (f rawFigure) Image() image.Image { return f.img }

func written(t *testing.T, img image.Image) image.Image {
	t.Helper()
	var b bytes.Buffer
	if err := viz.WritePNG(&b, rawFigure{img}); err != nil {
		t.Fatal(err)
	}
	got, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func filled(w, h int, at func(x, y int) color.RGBA) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.SetRGBA(x, y, at(x, y))
		}
	}
	return img
}

// Colours of areas stay as they are; the thousands of a smoothed edge become at most 256, near
// to what they were.
func TestPaletteOfEdges(t *testing.T) {
	drawn := filled(400, 300, func(x, y int) color.RGBA {
		switch {
		case x < 200:
			return color.RGBA{uint8(x), 40, 200, 255} // a colour map of 200 levels
		case x == 200:
			return color.RGBA{uint8(y / 2), uint8(y / 3), uint8(y / 4), 255}
		}
		return color.RGBA{255, 255, 255, 255}
	})
	got := written(t, drawn)
	pal, ok := got.(*image.Paletted)
	if !ok || len(pal.Palette) > 256 {
		t.Fatalf("%T, want a palette of at most 256 colours", got)
	}
	for y := range 300 {
		for x := range 400 {
			if d := distance(got.At(x, y), drawn.At(x, y)); d > 16 || d > 0 && x != 200 {
				t.Fatalf("(%d, %d) has %v for %v", x, y, got.At(x, y), drawn.At(x, y))
			}
		}
	}
}

// A picture that no palette holds keeps all of its colours.
func TestPaletteOfPhotograph(t *testing.T) {
	photo := filled(256, 256, func(x, y int) color.RGBA { return color.RGBA{uint8(x), uint8(y), uint8(x ^ y), 255} })
	got := written(t, photo)
	for y := range 256 {
		for x := range 256 {
			if distance(got.At(x, y), photo.At(x, y)) > 0 {
				t.Fatalf("(%d, %d) has %v for %v", x, y, got.At(x, y), photo.At(x, y))
			}
		}
	}
}
