package viz_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/viz"
	"gonum.org/v1/gonum/mat"
)

// random returns an m×n matrix of uniform entries.
func random(m, n int) *mat.Dense {
	r := rand.New(rand.NewPCG(uint64(m), uint64(n)))
	x := mat.NewDense(m, n, nil)
	for i := range m {
		for j := range n {
			x.Set(i, j, r.Float64())
		}
	}
	return x
}

func trace(n int) rnmf.Trace {
	var t rnmf.Trace
	for k := range n {
		t = append(t, rnmf.Point{Round: k, Seconds: 0.01 * float64(k), Objective: 10 + 90*math.Exp(-float64(k)/10), KKT: -1})
	}
	return t
}

var xy = mat.NewDense(2, 4, []float64{1, 2, 3, 1, 1, 2, 3, 8})

// kinds draws one figure of every kind.
var kinds = []struct {
	name string
	draw func() (viz.Figure, error)
}{
	{"Convergence", func() (viz.Figure, error) {
		return viz.Convergence([]viz.Curve{{Name: "a", Trace: trace(50)}, {Name: "b", Trace: trace(30)}}, viz.ConvergenceOptions{Title: "t", LogX: true, LogY: true})
	}},
	{"Lines", func() (viz.Figure, error) {
		return viz.Lines([]viz.Series{{Name: "a", Y: []float64{1, 2, 3}, Err: []float64{1, 1, 4}}, {Name: "b", X: []float64{0, 1}, Y: []float64{5, 5}}}, viz.LinesOptions{Bands: true, LogY: true})
	}},
	{"Stems", func() (viz.Figure, error) {
		return viz.Stems([]viz.Series{{Name: "a", Y: []float64{1, -2, 3}}}, viz.StemsOptions{Outliers: []int{2}})
	}},
	{"Bars", func() (viz.Figure, error) {
		return viz.Bars([]string{"x", "a rather long name", "anotherratherlongname"}, []viz.Series{{Name: "a", Y: []float64{1, -2, 3}, Err: []float64{1, 1, 1}}, {Name: "b", Y: []float64{1, 0, 3}}}, viz.BarsOptions{})
	}},
	{"Histogram", func() (viz.Figure, error) {
		return viz.Histogram([]viz.Series{{Name: "a", Y: []float64{1, 2, 2, 3, 9}}, {Name: "b", Y: []float64{4}}}, viz.HistogramOptions{LogY: true, Density: true})
	}},
	{"Scatter", func() (viz.Figure, error) {
		return viz.Scatter(xy, viz.ScatterOptions{Outliers: []int{3}, Equal: true, Lines: []viz.Direction{{Name: "NMF", X: 1, Y: 2, Style: 3}, {X: 0, Y: 1}}, Fits: []viz.FittedPoints{{"NMF", xy}}})
	}},
	{"Gallery", func() (viz.Figure, error) {
		return viz.Gallery(random(12, 7), viz.GalleryOptions{Height: 4, Width: 3, Title: "t", Captions: make([]string, 7), Marked: []int{1}})
	}},
	{"PairedGallery", func() (viz.Figure, error) {
		return viz.PairedGallery("a", random(12, 7), "b", random(12, 7), viz.GalleryOptions{Height: 4, Width: 3, Columns: 4, Smooth: true})
	}},
	{"Views", func() (viz.Figure, error) {
		return viz.Views([]viz.View{{Heading: "clean", X: random(12, 7)}, {Heading: "residual", X: random(12, 7), Tone: viz.Signed}, {Heading: "weights", X: random(12, 7), Tone: viz.Weight}, {Heading: "w", X: random(1, 7), Tone: viz.Weight}},
			viz.ViewsOptions{Height: 4, Width: 3, Names: []string{"a", "b", "c", "d", "e"}})
	}},
	{"Heatmap", func() (viz.Figure, error) {
		return viz.Heatmap(random(3, 4), viz.HeatmapOptions{Title: "t", XLabel: "x", YLabel: "y", BarLabel: "b", Values: true, RowNames: []string{"a", "b", "c"}})
	}},
	{"Confusion", func() (viz.Figure, error) {
		return viz.Confusion([][]int{{3, 1}, {0, 4}}, viz.ConfusionOptions{Classes: []string{"a", "b"}})
	}},
	{"TopFeatures", func() (viz.Figure, error) {
		return viz.TopFeatures(mat.NewDense(3, 3, []float64{1, -2, 0, 0.5, 0, 0, 3, 1e9, 0}), viz.TopFeaturesOptions{Title: "t", Features: []string{"a", "a name that is far too long to be written out in full", ""}, Count: 2})
	}},
	{"Profiles", func() (viz.Figure, error) {
		return viz.Profiles(random(9, 3), viz.ProfilesOptions{Title: "t", XLabel: "nm", YLabel: "W"})
	}},
	{"SampleMap", func() (viz.Figure, error) {
		return viz.SampleMap(random(3, 12), viz.SampleMapOptions{Classes: []int{0, 0, 0, 1, 1, 1, 0, 1, 0, 1, 0, 1}, Names: []string{"a", "b"}, Outliers: []int{3}, Labels: map[int]string{3: "the odd one"}})
	}},
	{"Doses", func() (viz.Figure, error) {
		return viz.Doses(random(3, 12), []int{0, 0, 0, 1, 1, 1, 0, 1, 0, 1, 3, 3}, viz.DosesOptions{Title: "t", YLabel: "H", Names: []string{"a", "b"}})
	}},
	{"Heatmap with tracks", func() (viz.Figure, error) {
		h := random(3, 9)
		return viz.Heatmap(h, viz.HeatmapOptions{ColumnOrder: viz.OrderByPart(h), Tracks: []viz.Track{
			{Name: "a", Classes: []int{0, 1, -1, 0, 1, 2, 0, 1, 2}, Names: []string{"x", "y"}}, {Name: "b", Classes: []int{0, 1, 2, 3, 4, 5, 6, 7, 40}}}})
	}},
	{"Grid", func() (viz.Figure, error) {
		f := viz.Must(viz.Confusion([][]int{{3, 1}, {0, 4}}, viz.ConfusionOptions{}))
		return viz.Grid(2, f, viz.Must(viz.Caption(f, "caption")), f)
	}},
}

func encode(t *testing.T, f viz.Figure) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := viz.WritePNG(&b, f); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// distance is that of two opaque colours, of at most 255√3.
func distance(a, b color.Color) float64 {
	p, q := color.RGBAModel.Convert(a).(color.RGBA), color.RGBAModel.Convert(b).(color.RGBA)
	r, g, c := float64(p.R)-float64(q.R), float64(p.G)-float64(q.G), float64(p.B)-float64(q.B)
	return math.Sqrt(r*r + g*g + c*c)
}

// colors counts the pixels of each colour.
func colors(img image.Image) map[color.RGBA]int {
	n := make(map[color.RGBA]int)
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			n[color.RGBAModel.Convert(img.At(x, y)).(color.RGBA)]++
		}
	}
	return n
}

// greyOff is how far a grey that is rounded by 2 in each channel may be.
const greyOff = 3.5

var white = color.RGBA{255, 255, 255, 255}

// TestKinds checks of every kind of figure that it holds something, on white
// and opaque, with a clean edge, that its bytes are small and always the same,
// and that they hold a picture that looks the same.
func TestKinds(t *testing.T) {
	for i, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			if testing.Short() && i%6 > 0 {
				t.Skip("each sixth kind with -short")
			}
			f, err := k.draw()
			if err != nil {
				t.Fatal(err)
			}
			img := f.Image()
			n := colors(img)
			if len(n) < 4 || n[white] < 200 {
				t.Errorf("%d colours, %d white pixels", len(n), n[white])
			}
			for c := range n {
				if c.A != 255 {
					t.Fatalf("transparent colour %v", c)
				}
			}
			b := img.Bounds()
			for x := b.Min.X; x < b.Max.X; x++ {
				if img.At(x, b.Min.Y) != color.Color(white) || img.At(x, b.Max.Y-1) != color.Color(white) {
					t.Fatalf("something is cut off at the upper or lower edge, column %d", x)
				}
			}
			for y := b.Min.Y; y < b.Max.Y; y++ {
				if img.At(b.Min.X, y) != color.Color(white) || img.At(b.Max.X-1, y) != color.Color(white) {
					t.Fatalf("something is cut off at the left or right edge, line %d", y)
				}
			}
			first := encode(t, f)
			if len(first) > 100_000 {
				t.Errorf("%d bytes", len(first))
			}
			again, err := k.draw()
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(first, encode(t, again)) || !bytes.Equal(first, encode(t, f)) {
				t.Error("drawing again gives other bytes")
			}
			back, err := png.Decode(bytes.NewReader(first))
			if err != nil {
				t.Fatal(err)
			}
			far, square := 0, 0.0
			for y := b.Min.Y; y < b.Max.Y; y++ {
				for x := b.Min.X; x < b.Max.X; x++ {
					c := img.At(x, y)
					d := distance(back.At(x, y), c)
					if area := x > b.Min.X && y > b.Min.Y && c == img.At(x-1, y) && c == img.At(x, y-1) && c == img.At(x-1, y-1); d > 36 || area && d > greyOff {
						far++
					}
					square += d * d
				}
			}
			if 2000*far > b.Dx()*b.Dy() || square > 20*float64(b.Dx()*b.Dy()) {
				t.Errorf("%d pixels of %d×%d have another colour, and the mean square is %.1f", far, b.Dx(), b.Dy(), square/float64(b.Dx()*b.Dy()))
			}
		})
	}
}

func TestSave(t *testing.T) {
	dir := t.TempDir()
	if testing.Short() {
		t.Log("-short: each third kind")
	}
	for i, k := range kinds {
		if testing.Short() && i%3 != 1 { // others than those of TestKinds
			continue
		}
		f := viz.Must(k.draw())
		if err := viz.Save(filepath.Join(dir, k.name+".PNG"), f); err != nil {
			t.Error(err)
		}
		path := filepath.Join(dir, k.name+".svg")
		err := viz.Save(path, f)
		if _, chart := f.(*viz.Chart); !chart {
			if !errors.Is(err, viz.ErrOption) {
				t.Errorf("%s as SVG: %v", k.name, err)
			}
			if _, err := os.Stat(path); err == nil {
				t.Errorf("%s: a file although saving failed", k.name)
			}
			continue
		}
		b, _ := os.ReadFile(path)
		if err != nil || !strings.Contains(string(b), "</svg>") {
			t.Errorf("%s: %v, %.40q", k.name, err, b)
		}
		if strings.Contains(string(b), "NaN") || strings.Contains(string(b), "Inf") {
			t.Errorf("%s: a coordinate is no number", k.name)
		}
	}
	if err := viz.Save(filepath.Join(dir, "x.gif"), viz.Must(kinds[0].draw())); !errors.Is(err, viz.ErrOption) {
		t.Error(err)
	}
	var c *viz.Chart
	var p *viz.Picture
	for _, f := range []viz.Figure{nil, c, p, &viz.Chart{}, &viz.Picture{}} {
		if err := viz.WritePNG(new(bytes.Buffer), f); !errors.Is(err, viz.ErrEmpty) {
			t.Errorf("%T: %v", f, err)
		}
		if err := viz.Save(filepath.Join(dir, "x.svg"), f); err == nil {
			t.Errorf("%T saved", f)
		}
		if _, err := viz.Row(f); !errors.Is(err, viz.ErrEmpty) {
			t.Errorf("%T: %v", f, err)
		}
	}
}

// TestErrors checks that bad input is an error of the right kind.
func TestErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	img := viz.GalleryOptions{Height: 4, Width: 3}
	trip := viz.ViewsOptions{Height: 4, Width: 3}
	bad := random(12, 7)
	bad.Set(3, 2, nan)
	line := func(s ...viz.Series) func() (viz.Figure, error) {
		return func() (viz.Figure, error) { return viz.Lines(s, viz.LinesOptions{}) }
	}
	gal := func(x mat.Matrix, o viz.GalleryOptions) func() (viz.Figure, error) {
		return func() (viz.Figure, error) { return viz.Gallery(x, o) }
	}
	with := func(f func(*viz.GalleryOptions)) viz.GalleryOptions { o := img; f(&o); return o }
	tri := func(o viz.ViewsOptions, c ...viz.View) func() (viz.Figure, error) {
		return func() (viz.Figure, error) { return viz.Views(c, o) }
	}
	heat := func(x mat.Matrix, o viz.HeatmapOptions) func() (viz.Figure, error) {
		return func() (viz.Figure, error) { return viz.Heatmap(x, o) }
	}
	sca := func(x mat.Matrix, o viz.ScatterOptions) func() (viz.Figure, error) {
		return func() (viz.Figure, error) { return viz.Scatter(x, o) }
	}
	conf := func(c [][]int, o viz.ConfusionOptions) func() (viz.Figure, error) {
		return func() (viz.Figure, error) { return viz.Confusion(c, o) }
	}
	var none *mat.Dense
	for i, c := range []struct {
		draw func() (viz.Figure, error)
		want error
	}{
		{func() (viz.Figure, error) { return viz.Convergence(nil, viz.ConvergenceOptions{}) }, viz.ErrEmpty},
		{func() (viz.Figure, error) {
			return viz.Convergence([]viz.Curve{{Name: "a", Trace: nil}}, viz.ConvergenceOptions{})
		}, viz.ErrEmpty},
		{func() (viz.Figure, error) {
			return viz.Convergence([]viz.Curve{{Name: "a", Trace: rnmf.Trace{{Objective: nan}}}}, viz.ConvergenceOptions{})
		}, viz.ErrNotFinite},
		{func() (viz.Figure, error) { // no KKT residual was asked for
			return viz.Convergence([]viz.Curve{{Name: "a", Trace: trace(9)}}, viz.ConvergenceOptions{LogY: true, Value: func(p rnmf.Point) float64 { return p.KKT }})
		}, viz.ErrEmpty},
		{func() (viz.Figure, error) { // passed on
			return viz.Convergence([]viz.Curve{{Name: "a", Trace: trace(9), Style: -1}}, viz.ConvergenceOptions{})
		}, viz.ErrOption},
		{line(), viz.ErrEmpty},
		{line(viz.Series{}), viz.ErrEmpty},
		{line(viz.Series{Y: []float64{1, inf}}), viz.ErrNotFinite},
		{line(viz.Series{Y: []float64{1, 2}, X: []float64{1}}), viz.ErrShape},
		{line(viz.Series{Y: []float64{1, 2}, Err: []float64{1}}), viz.ErrShape},
		{line(viz.Series{Y: []float64{1, 2}, Style: -1}), viz.ErrOption},
		{line(viz.Series{Y: []float64{1, 2}, Err: []float64{1, nan}}), viz.ErrNotFinite},
		{func() (viz.Figure, error) {
			return viz.Lines([]viz.Series{{Y: []float64{1}}}, viz.LinesOptions{YMin: 2, YMax: 1})
		}, viz.ErrOption},
		{func() (viz.Figure, error) {
			return viz.Lines([]viz.Series{{Y: []float64{1}}}, viz.LinesOptions{LogY: true, YMax: 1})
		}, viz.ErrOption},
		{func() (viz.Figure, error) {
			return viz.Lines([]viz.Series{{Y: []float64{1}}}, viz.LinesOptions{Width: nan})
		}, viz.ErrOption},
		{func() (viz.Figure, error) { return viz.Stems(nil, viz.StemsOptions{}) }, viz.ErrEmpty},
		{func() (viz.Figure, error) {
			return viz.Stems([]viz.Series{{Y: []float64{0}}}, viz.StemsOptions{LogY: true})
		}, viz.ErrEmpty},
		{func() (viz.Figure, error) { return viz.Bars(nil, []viz.Series{{}}, viz.BarsOptions{}) }, viz.ErrEmpty},
		{func() (viz.Figure, error) {
			return viz.Bars([]string{"a"}, []viz.Series{{Y: []float64{1, 2}}}, viz.BarsOptions{})
		}, viz.ErrShape},
		{func() (viz.Figure, error) { return viz.Histogram([]viz.Series{{}}, viz.HistogramOptions{}) }, viz.ErrEmpty},
		{func() (viz.Figure, error) {
			return viz.Histogram([]viz.Series{{Y: []float64{1}}}, viz.HistogramOptions{Bins: -1})
		}, viz.ErrOption},
		{sca(nil, viz.ScatterOptions{}), viz.ErrEmpty},
		{sca(random(3, 4), viz.ScatterOptions{}), viz.ErrShape},
		{sca(xy, viz.ScatterOptions{Classes: []int{1}}), viz.ErrShape},
		{sca(xy, viz.ScatterOptions{Classes: []int{1, 2, -1, 0}}), viz.ErrOption},
		{sca(xy, viz.ScatterOptions{Outliers: []int{4}}), viz.ErrOption},
		{func() (viz.Figure, error) {
			return viz.Stems([]viz.Series{{X: []float64{4, 5}, Y: []float64{1, 2}}}, viz.StemsOptions{Outliers: []int{5, 1}})
		}, viz.ErrOption},
		{sca(xy, viz.ScatterOptions{Lines: []viz.Direction{{}}}), viz.ErrOption},
		{sca(xy, viz.ScatterOptions{Lines: []viz.Direction{{X: 1, Style: -1}}}), viz.ErrOption},
		{sca(xy, viz.ScatterOptions{Lines: []viz.Direction{{X: nan}}}), viz.ErrNotFinite},
		{sca(xy, viz.ScatterOptions{Fits: []viz.FittedPoints{{"a", random(2, 3)}}}), viz.ErrShape},
		{sca(xy, viz.ScatterOptions{Fits: []viz.FittedPoints{{"a", nil}}}), viz.ErrEmpty},
		{gal(nil, img), viz.ErrEmpty},
		{gal(none, img), viz.ErrEmpty},
		{gal(&mat.Dense{}, img), viz.ErrEmpty},
		{gal(random(11, 2), img), viz.ErrShape},
		{gal(random(12, 2), viz.GalleryOptions{}), viz.ErrOption},
		{gal(random(12, 2), viz.GalleryOptions{Height: -3, Width: -4}), viz.ErrOption},
		{gal(random(12, 2), viz.GalleryOptions{Height: math.MaxInt, Width: math.MaxInt}), viz.ErrShape},
		{gal(bad, img), viz.ErrNotFinite},
		{gal(random(12, 2), with(func(o *viz.GalleryOptions) { o.Captions = []string{"a"} })), viz.ErrShape},
		{gal(random(12, 2), with(func(o *viz.GalleryOptions) { o.Marked = []int{2} })), viz.ErrOption},
		{gal(random(12, 2), with(func(o *viz.GalleryOptions) { o.AlsoMarked = []int{-1} })), viz.ErrOption},
		{gal(random(12, 2), with(func(o *viz.GalleryOptions) { o.Columns = -1 })), viz.ErrOption},
		{gal(random(12, 2), with(func(o *viz.GalleryOptions) { o.Min, o.Max = 1, 1 })), viz.ErrOption},
		{gal(random(12, 9000), with(func(o *viz.GalleryOptions) { o.Scale = 1000 })), viz.ErrOption},
		{func() (viz.Figure, error) { return viz.PairedGallery("a", random(12, 2), "b", random(12, 3), img) }, viz.ErrShape},
		{func() (viz.Figure, error) { return viz.PairedGallery("a", random(12, 2), "b", nil, img) }, viz.ErrEmpty},
		{tri(trip), viz.ErrEmpty},
		{tri(trip, viz.View{}), viz.ErrEmpty},
		{tri(trip, viz.View{X: random(1, 3)}), viz.ErrShape},
		{tri(trip, viz.View{X: random(12, 3)}, viz.View{X: random(12, 2)}), viz.ErrShape},
		{tri(trip, viz.View{X: random(12, 3), Tone: 9}), viz.ErrOption},
		{tri(trip, viz.View{X: random(12, 3), Limit: nan}), viz.ErrOption},
		{tri(viz.ViewsOptions{Height: 4, Width: 3, Samples: []int{7}}, viz.View{X: random(12, 3)}), viz.ErrOption},
		{tri(viz.ViewsOptions{Height: 4, Width: 3, Samples: []int{}}, viz.View{X: random(12, 3)}), viz.ErrEmpty},
		{tri(viz.ViewsOptions{Height: 4, Width: 3, Names: []string{"a"}}, viz.View{X: random(12, 3)}), viz.ErrShape},
		{heat(nil, viz.HeatmapOptions{}), viz.ErrEmpty},
		{heat(bad, viz.HeatmapOptions{}), viz.ErrNotFinite},
		{heat(xy, viz.HeatmapOptions{RowNames: []string{"a"}}), viz.ErrShape},
		{heat(xy, viz.HeatmapOptions{ColumnNames: []string{"a"}}), viz.ErrShape},
		{heat(xy, viz.HeatmapOptions{Min: 2, Max: 1}), viz.ErrOption},
		{heat(xy, viz.HeatmapOptions{RowOrder: []int{0}}), viz.ErrShape},
		{heat(xy, viz.HeatmapOptions{RowOrder: []int{0, 0}}), viz.ErrOption},
		{heat(xy, viz.HeatmapOptions{ColumnOrder: []int{0, 1, 2, 4}}), viz.ErrOption},
		{heat(xy, viz.HeatmapOptions{Outlined: []image.Rectangle{image.Rect(0, 0, 1, 3)}}), viz.ErrOption},
		{heat(xy, viz.HeatmapOptions{Outlined: []image.Rectangle{{}}}), viz.ErrOption},
		{heat(xy, viz.HeatmapOptions{Tracks: []viz.Track{{Classes: []int{1}}}}), viz.ErrShape},
		{heat(xy, viz.HeatmapOptions{Tracks: []viz.Track{{Classes: []int{1, 0, -2, 0}}}}), viz.ErrOption},
		{func() (viz.Figure, error) { return viz.TopFeatures(none, viz.TopFeaturesOptions{}) }, viz.ErrEmpty},
		{func() (viz.Figure, error) { return viz.TopFeatures(bad, viz.TopFeaturesOptions{}) }, viz.ErrNotFinite},
		{func() (viz.Figure, error) {
			return viz.TopFeatures(xy, viz.TopFeaturesOptions{Features: []string{"a"}})
		}, viz.ErrShape},
		{func() (viz.Figure, error) {
			return viz.TopFeatures(xy, viz.TopFeaturesOptions{Captions: []string{"a"}})
		}, viz.ErrShape},
		{func() (viz.Figure, error) { return viz.TopFeatures(xy, viz.TopFeaturesOptions{Count: -1}) }, viz.ErrOption},
		{func() (viz.Figure, error) { return viz.Profiles(nil, viz.ProfilesOptions{}) }, viz.ErrEmpty},
		{func() (viz.Figure, error) { return viz.Profiles(xy, viz.ProfilesOptions{X: []float64{1}}) }, viz.ErrShape},
		{func() (viz.Figure, error) { return viz.Profiles(xy, viz.ProfilesOptions{X: []float64{1, nan}}) }, viz.ErrNotFinite},
		{func() (viz.Figure, error) { return viz.Profiles(xy, viz.ProfilesOptions{Columns: -1}) }, viz.ErrOption},
		{func() (viz.Figure, error) { return viz.SampleMap(none, viz.SampleMapOptions{}) }, viz.ErrEmpty},
		{func() (viz.Figure, error) {
			return viz.SampleMap(xy, viz.SampleMapOptions{Labels: map[int]string{4: "a"}})
		}, viz.ErrOption},
		{func() (viz.Figure, error) { return viz.SampleMap(xy, viz.SampleMapOptions{Classes: []int{1}}) }, viz.ErrShape},
		{func() (viz.Figure, error) { return viz.Doses(bad, nil, viz.DosesOptions{}) }, viz.ErrNotFinite},
		{func() (viz.Figure, error) { return viz.Doses(xy, []int{0}, viz.DosesOptions{}) }, viz.ErrShape},
		{func() (viz.Figure, error) { return viz.Doses(xy, []int{0, 0, -1, 0}, viz.DosesOptions{}) }, viz.ErrOption},
		{func() (viz.Figure, error) { return viz.Doses(xy, nil, viz.DosesOptions{Parts: []string{"a"}}) }, viz.ErrShape},
		{conf(nil, viz.ConfusionOptions{}), viz.ErrEmpty},
		{conf([][]int{{}}, viz.ConfusionOptions{}), viz.ErrEmpty},
		{conf([][]int{{1, 2}, {1}}, viz.ConfusionOptions{}), viz.ErrShape},
		{conf([][]int{{-1}}, viz.ConfusionOptions{}), viz.ErrOption},
		{conf([][]int{{1}}, viz.ConfusionOptions{Classes: []string{"a", "b"}}), viz.ErrShape},
		{func() (viz.Figure, error) { return viz.Row() }, viz.ErrEmpty},
		{func() (viz.Figure, error) { return viz.Grid(0, viz.NewChart()) }, viz.ErrOption},
		{func() (viz.Figure, error) { return viz.NewPicture(nil) }, viz.ErrEmpty},
		{func() (viz.Figure, error) { _, err := viz.Directions("a", random(3, 3)); return nil, err }, viz.ErrShape},
		{func() (viz.Figure, error) { _, err := viz.NewTable(nil, nil); return nil, err }, viz.ErrEmpty},
		{func() (viz.Figure, error) { _, err := viz.NewTable([]string{"a"}, [][]any{{1, 2}}); return nil, err }, viz.ErrShape},
	} {
		if _, err := c.draw(); !errors.Is(err, c.want) {
			t.Errorf("case %d: %v, want %v", i, err, c.want)
		}
	}
}

// TestExtremes draws numbers that are hard on axes.
func TestExtremes(t *testing.T) {
	if testing.Short() {
		t.Log("-short: each third list")
	}
	for i, v := range [][]float64{
		{0}, {1}, {-1e300, 1e300}, {1e300}, {1e-320, 5e-324}, {0, 5e-324}, {1, math.Nextafter(1, 2)},
		{1e15, 1e15 + 1}, {-1e-9, 1e-9}, {1e-300, 1e300}, {3, 3, 3}, {-5, -5}, {1e6, 1e6 + 1e-3}, {0.1, 0.30000000000000004},
	} {
		if testing.Short() && i%3 != 2 {
			continue
		}
		s := []viz.Series{{Name: "a", X: v, Y: v}}
		for _, log := range []bool{false, true} {
			charts := []func() (*viz.Chart, error){
				func() (*viz.Chart, error) { return viz.Lines(s, viz.LinesOptions{LogX: log, LogY: log}) },
				func() (*viz.Chart, error) { return viz.Stems(s, viz.StemsOptions{LogY: log}) },
				func() (*viz.Chart, error) { return viz.Histogram(s, viz.HistogramOptions{LogY: log, Density: log}) },
				func() (*viz.Chart, error) {
					return viz.Bars(make([]string, len(v)), []viz.Series{{Y: v}}, viz.BarsOptions{})
				},
				func() (*viz.Chart, error) {
					return viz.Scatter(mat.NewDense(2, len(v), append(slices.Clone(v), v...)), viz.ScatterOptions{Equal: log, Lines: []viz.Direction{{Name: "a", X: 1, Y: 1e-300}, {Name: "b", X: -1, Y: 1}}})
				},
			}
			for i, draw := range charts {
				c, err := draw()
				if log && errors.Is(err, viz.ErrEmpty) { // nothing positive
					continue
				}
				if err != nil {
					t.Errorf("%v, chart %d: %v", v, i, err)
					continue
				}
				var b bytes.Buffer
				if err := c.WriteSVG(&b); err != nil {
					t.Error(err)
				}
				if strings.Contains(b.String(), "NaN") || strings.Contains(b.String(), "Inf") {
					t.Errorf("%v, chart %d, log %v: a coordinate is no number", v, i, log)
				}
				c.Image()
			}
		}
		x := mat.NewDense(1, len(v), v)
		if _, err := viz.Heatmap(x, viz.HeatmapOptions{Values: true, Centered: true}); err != nil {
			t.Error(err)
		}
		if _, err := viz.Heatmap(x, viz.HeatmapOptions{}); err != nil {
			t.Error(err)
		}
		if _, err := viz.Gallery(x, viz.GalleryOptions{Height: 1, Width: 1}); err != nil {
			t.Error(err)
		}
		if _, err := viz.Views([]viz.View{{X: x}, {X: x, Tone: viz.Signed}, {X: x, Tone: viz.Weight}}, viz.ViewsOptions{Height: 1, Width: 1}); err != nil {
			t.Error(err)
		}
	}
}

func TestInputUntouched(t *testing.T) {
	x := random(12, 7)
	before := mat.DenseCopyOf(x)
	y := []float64{3, 1, 2}
	viz.Must(viz.Gallery(x, viz.GalleryOptions{Height: 4, Width: 3}))
	viz.Must(viz.Heatmap(x, viz.HeatmapOptions{}))
	c := viz.Must(viz.Histogram([]viz.Series{{Y: y}}, viz.HistogramOptions{}))
	l := viz.Must(viz.Lines([]viz.Series{{X: y, Y: y}}, viz.LinesOptions{}))
	first := encode(t, l)
	c.Image()
	if !mat.Equal(x, before) || !slices.Equal(y, []float64{3, 1, 2}) {
		t.Error("input was modified")
	}
	y[0] = 7
	if !bytes.Equal(first, encode(t, l)) {
		t.Error("a chart changes with the input it was made of")
	}
}

func Example() {
	x := mat.NewDense(4, 3, []float64{0, 1, 1, 1, 0, 1, 1, 1, 0, 0, 1, 1})
	g, err := viz.Gallery(x, viz.GalleryOptions{Height: 2, Width: 2, Captions: []string{"a", "b", "c"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	var b bytes.Buffer
	if err := viz.WritePNG(&b, g); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%q\n", b.Bytes()[1:4])

	_, err = viz.Gallery(x, viz.GalleryOptions{Height: 3, Width: 2})
	fmt.Println(err)
	// Output:
	// "PNG"
	// viz: shapes do not match: X has 4 rows, an image of 3×2 needs their product
}

func ExampleConvergence() {
	run := rnmf.Trace{{Round: 0, Objective: 90}, {Round: 1, Seconds: 0.1, Objective: 20}, {Round: 2, Seconds: 0.2, Objective: 10}}
	c, err := viz.Convergence([]viz.Curve{{Name: "L2,1-NMF", Trace: run}}, viz.ConvergenceOptions{Seconds: true, LogY: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	c.Title.Text = "ORL" // a Chart is a *plot.Plot
	fmt.Println(c.X.Label.Text, c.Y.Label.Text, c.Image().Bounds().Size())
	// Output: seconds objective (936,576)
}
