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
			return color.RGBA{uint8(x / 2 * 2), 40, 200, 255} // a colour map of 100 levels
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
			if d := distance(got.At(x, y), drawn.At(x, y)); d > 32 || d > 0 && x != 200 {
				t.Fatalf("(%d, %d) has %v for %v", x, y, got.At(x, y), drawn.At(x, y))
			}
		}
	}
}

// Greys are rounded to 52 levels, next to colours and without; black and white stay.
func TestGreysAreRounded(t *testing.T) {
	for _, coloured := range []bool{false, true} {
		drawn := filled(512, 20, func(x, y int) color.RGBA {
			if coloured && y < 4 {
				return color.RGBA{250, 251, 255, 255}
			}
			return color.RGBA{uint8(x / 2), uint8(x / 2), uint8(x / 2), 255}
		})
		got := written(t, drawn)
		want := 52
		if coloured {
			want++
		}
		if n := colors(got); len(n) != want {
			t.Errorf("coloured %v: %d colours, want %d", coloured, len(n), want)
		}
		for x := range 512 {
			d, free := distance(got.At(x, 9), drawn.At(x, 9)), greyOff
			if x < 2 || x >= 510 {
				free = 0
			}
			if d > free {
				t.Errorf("coloured %v: %v for %v", coloured, got.At(x, 9), drawn.At(x, 9))
			}
		}
		if coloured && distance(got.At(9, 1), drawn.At(9, 1)) > 0 {
			t.Errorf("%v for %v", got.At(9, 1), drawn.At(9, 1))
		}
	}
}

// A grey line of one pixel next to many edges in a pale colour gets none of it, nor does a dotted one.
func TestGreyLinesStayGrey(t *testing.T) {
	grey, pink := color.RGBA{240, 240, 240, 255}, color.RGBA{244, 226, 236, 255}
	got := written(t, filled(400, 300, func(x, y int) color.RGBA {
		switch {
		case y == 50, y == 60 && x%2 == 0:
			return grey
		case y > 100 && x%40 == 0 && y%2 == 0:
			return pink
		case y > 100 && x%40 == 1:
			return color.RGBA{200, uint8(y), 0, 255} // so that the palette is full
		}
		return color.RGBA{255, 255, 255, 255}
	}))
	if _, ok := got.(*image.Paletted); !ok {
		t.Errorf("%T, want a palette", got)
	}
	for y, free := range map[int]float64{50: 0, 60: 32} {
		for x := 0; x < 400; x += 2 {
			c := color.RGBAModel.Convert(got.At(x, y)).(color.RGBA)
			if c.R != c.G || c.G != c.B || distance(c, grey) > free {
				t.Fatalf("(%d, %d) has %v for %v", x, y, c, grey)
			}
		}
	}
}

// A narrow colour bar from a grey to a colour has no grey step, where greys are near its pale colours.
func TestBarsKeepTheirHue(t *testing.T) {
	drawn := filled(400, 300, func(x, y int) color.RGBA {
		switch {
		case x >= 10 && x < 24 && y >= 4:
			return color.RGBA{uint8(248 - y/20), uint8(246 - y/8), uint8(244 - y/5), 255}
		case x == 200:
			return color.RGBA{uint8(y / 2), uint8(y / 3), uint8(y / 4), 255}
		case x >= 300:
			return color.RGBA{uint8(y / 5 * 5), uint8(y / 5 * 5), uint8(y / 5 * 5), 255}
		}
		return color.RGBA{255, 255, 255, 255}
	})
	got := written(t, drawn)
	if _, ok := got.(*image.Paletted); !ok {
		t.Errorf("%T, want a palette", got)
	}
	for y := 4; y < 300; y++ {
		if c := color.RGBAModel.Convert(got.At(12, y)).(color.RGBA); c.R == c.G && c.G == c.B || distance(c, drawn.At(12, y)) > 16 {
			t.Fatalf("row %d has %v for %v", y, c, drawn.At(12, y))
		}
	}
}

// A picture that no palette holds keeps all of its colours.
func TestPaletteOfPhotograph(t *testing.T) {
	for name, photo := range map[string]*image.RGBA{
		"all":     filled(256, 256, func(x, y int) color.RGBA { return color.RGBA{uint8(x), uint8(y), uint8(x ^ y), 255} }),
		"similar": filled(256, 256, func(x, y int) color.RGBA { return color.RGBA{200 + uint8(x/8), 100 + uint8(y/8), uint8(x^y) / 8, 255} }),
	} {
		got := written(t, photo)
		for y := range 256 {
			for x := range 256 {
				if distance(got.At(x, y), photo.At(x, y)) > 0 {
					t.Fatalf("%s: (%d, %d) has %v for %v", name, x, y, got.At(x, y), photo.At(x, y))
				}
			}
		}
	}
}

// The file of a heat map has a palette, in which each cell keeps its colour.
func TestPaletteOfHeatmap(t *testing.T) {
	drawn := viz.Must(viz.Heatmap(random(120, 120), viz.HeatmapOptions{Title: "noise", XLabel: "column", YLabel: "row"})).Image()
	got, ok := written(t, drawn).(*image.Paletted)
	if !ok {
		t.Fatal("no palette")
	}
	kept := map[color.Color]bool{}
	for _, c := range got.Palette {
		kept[color.RGBAModel.Convert(c)] = true
	}
	for i := range 101 {
		if c := viz.Viridis(float64(i) / 100); !kept[c] {
			t.Errorf("step %d of the map, %v, is not in the file", i, c)
		}
	}
}
