package viz_test

import (
	"image"
	"image/color"
	"testing"

	"github.com/robustnmf/robustnmf/viz"
	"gonum.org/v1/gonum/mat"
)

// at returns the colour of a pixel.
func at(f viz.Figure, x, y int) color.RGBA {
	return color.RGBAModel.Convert(f.Image().At(x, y)).(color.RGBA)
}

// TestGalleryPixels checks orientation and scaling, pixel by pixel: images are
// in raster order, each over its own range.
func TestGalleryPixels(t *testing.T) {
	x := mat.NewDense(6, 2, []float64{
		0, 4,
		1, 0,
		2, 0,
		0, 0,
		0, 0,
		0, -4,
	})
	g := viz.Must(viz.Gallery(x, viz.GalleryOptions{Height: 2, Width: 3, Scale: 10}))
	if s, want := g.Image().Bounds().Size(), image.Pt(8+30+6+30+8, 8+20+8); s != want {
		t.Fatalf("%v pixels, want %v", s, want)
	}
	grey := func(v uint8) color.RGBA { return color.RGBA{v, v, v, 255} }
	for i, want := range [2][6]uint8{{0, 128, 255, 0, 0, 0}, {255, 128, 128, 128, 128, 0}} {
		for k, v := range want {
			if got := at(g, 8+36*i+10*(k%3)+5, 8+10*(k/3)+5); got != grey(v) {
				t.Errorf("image %d, pixel %d is %v, want %d", i, k, got, v)
			}
		}
	}
	common := viz.Must(viz.Gallery(x, viz.GalleryOptions{Height: 2, Width: 3, Scale: 10, Common: true}))
	if got := at(common, 8+5, 8+5); got != grey(128) {
		t.Errorf("0 over the common range -4..4 is %v", got)
	}
	marked := viz.Must(viz.Gallery(x, viz.GalleryOptions{Height: 2, Width: 3, Scale: 10, Marked: []int{1}}))
	if got := at(marked, 8+36+15, 6); got != viz.Color(1) {
		t.Errorf("frame is %v", got)
	}
	both := viz.Must(viz.Gallery(x, viz.GalleryOptions{Height: 2, Width: 3, Scale: 10, Marked: []int{1}, AlsoMarked: []int{0, 1}}))
	if one, other := at(both, 8+15, 6), at(both, 8+36+15, 6); one != viz.Color(0) || other != viz.Color(1) {
		t.Errorf("frames are %v and %v", one, other)
	}
}

func TestGalleryLayout(t *testing.T) {
	for _, c := range []struct{ n, side, cols, wantCols int }{
		{40, 8, 0, 8}, {1, 8, 0, 1}, {3, 8, 10, 3}, {16, 8, 4, 4},
	} {
		g := viz.Must(viz.Gallery(random(c.side*c.side, c.n), viz.GalleryOptions{Height: c.side, Width: c.side, Columns: c.cols, Scale: 11}))
		if w := g.Image().Bounds().Dx(); w != 16+c.wantCols*(88+6)-6 {
			t.Errorf("%+v: %d pixels wide", c, w)
		}
	}
	large := viz.Must(viz.Gallery(random(500*400, 1), viz.GalleryOptions{Height: 500, Width: 400}))
	if h := large.Image().Bounds().Dy(); h > 300 {
		t.Errorf("a large image is %d pixels high", h)
	}
}

// TestViews checks that a residual of zero is neutral, and that signs show.
func TestViews(t *testing.T) {
	e := mat.NewDense(3, 1, []float64{-2, 0, 1})
	f := viz.Must(viz.Views([]viz.View{{X: e, Tone: viz.Signed}}, viz.ViewsOptions{Height: 3, Width: 1, Scale: 20}))
	n := colors(f.Image())
	for _, v := range []float64{0, 0.5, 0.75} {
		if n[viz.Diverging(v)] < 300 {
			t.Errorf("the colour of %g takes %d pixels", 4*v-2, n[viz.Diverging(v)])
		}
	}
	w := viz.Must(viz.Views([]viz.View{{X: mat.NewDense(1, 2, []float64{0, 1}), Tone: viz.Weight}}, viz.ViewsOptions{Height: 3, Width: 1, Scale: 40}))
	n = colors(w.Image())
	if n[viz.Viridis(0)] < 1000 || n[viz.Viridis(1)] < 1000 {
		t.Error("weights of samples are not drawn in their colours")
	}
}

// Neighbours that share their colours share the bar of them, others have one each.
func TestViewsBars(t *testing.T) {
	x := mat.NewDense(1, 1, []float64{0.5})
	weight, residual := viz.View{X: x, Tone: viz.Weight}, viz.View{X: x, Tone: viz.Signed}
	half := viz.View{X: x, Tone: viz.Weight, Limit: 0.5}
	for _, c := range []struct {
		columns []viz.View
		want    int
	}{
		{[]viz.View{{X: x}}, 0},
		{[]viz.View{{X: x}, weight}, 1},
		{[]viz.View{{X: x}, weight, weight, weight}, 1},
		{[]viz.View{weight, {X: x}, weight}, 2},
		{[]viz.View{weight, half, residual, residual}, 3},
	} {
		f := viz.Must(viz.Views(c.columns, viz.ViewsOptions{Height: 1, Width: 1, Scale: 40}))
		bounds, most := f.Image().Bounds(), 0
		for y := bounds.Max.Y - 45; y < bounds.Max.Y; y++ { // below the tiles
			bars, width := 0, 0
			for x := range bounds.Max.X {
				if r, g, b, _ := at(f, x, y).RGBA(); r == 0xa0a0 && g == r && b == r { // a frame
					width++
					continue
				}
				if width >= 40 {
					bars++
				}
				width = 0
			}
			most = max(most, bars)
		}
		if most != c.want {
			t.Errorf("%d columns have %d bars, want %d", len(c.columns), most, c.want)
		}
	}
}

func TestHeatmapSizes(t *testing.T) {
	for _, c := range []struct{ m, n int }{{1, 1}, {1, 5000}, {5000, 1}, {1200, 1500}, {40, 40}, {2, 90}} {
		f := viz.Must(viz.Heatmap(random(c.m, c.n), viz.HeatmapOptions{XLabel: "x", YLabel: "y", Values: true}))
		if s := f.Image().Bounds().Size(); s.X > 1000 || s.Y > 800 {
			t.Errorf("%v is drawn on %v", c, s)
		}
	}
	two := viz.Must(viz.Heatmap(mat.NewDense(1, 2, []float64{0, 5}), viz.HeatmapOptions{NoBar: true}))
	n := colors(two.Image())
	if n[viz.Viridis(0)] < 1000 || n[viz.Viridis(1)] < 1000 {
		t.Error("the ends of the range have not the end colours")
	}
}

func TestConfusionClasses(t *testing.T) {
	for _, k := range []int{1, 2, 10, 16, 40, 100, 700} {
		c := make([][]int, k)
		for i := range c {
			c[i] = make([]int, k)
			c[i][i] = 123
		}
		f := viz.Must(viz.Confusion(c, viz.ConfusionOptions{Title: "t"}))
		if s := f.Image().Bounds().Size(); s.X > 1000 || s.Y > 800 {
			t.Errorf("%d classes are drawn on %v", k, s)
		}
		if k < 600 && colors(f.Image())[viz.Blues(1)] < 500 {
			t.Errorf("%d classes: the diagonal is missing", k)
		}
	}
	viz.Must(viz.Confusion([][]int{{0, 0, 0}, {1, 2, 3}}, viz.ConfusionOptions{Counts: true})) // a class without samples, more clusters than classes
}

func TestGridSizes(t *testing.T) {
	pic := func(w, h int) viz.Figure { return viz.Must(viz.NewPicture(image.NewGray(image.Rect(3, 4, 3+w, 4+h)))) }
	g := viz.Must(viz.Grid(2, pic(10, 20), pic(30, 5), pic(40, 7)))
	if s, want := g.Image().Bounds().Size(), image.Pt(40+12+30, 20+12+7); s != want {
		t.Errorf("%v, want %v", s, want)
	}
	if at(g, 15, 0) != (color.RGBA{0, 0, 0, 255}) || at(g, 14, 0) != white {
		t.Error("figures are not centred")
	}
}

func TestColorMaps(t *testing.T) {
	lum := func(c color.RGBA) float64 { return 0.2126*float64(c.R) + 0.7152*float64(c.G) + 0.0722*float64(c.B) }
	for i, m := range []viz.ColorMap{viz.Viridis, viz.Cividis, viz.Gray, viz.Reversed(viz.Blues)} {
		for k := range 100 {
			if lum(m(float64(k)/100)) > lum(m(float64(k+1)/100))+0.5 {
				t.Errorf("map %d gets darker at %d %%", i, k)
			}
		}
		if m(-1) != m(0) || m(2) != m(1) {
			t.Errorf("map %d outside its range", i)
		}
	}
	seen := make(map[color.RGBA]bool)
	for i := -8; i < 8; i++ {
		seen[viz.Color(i)] = true
	}
	if len(seen) != 8 {
		t.Errorf("%d colours", len(seen))
	}
}
