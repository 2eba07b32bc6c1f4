package viz_test

import (
	"image"
	"image/color"
	"math"
	"slices"
	"testing"

	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/viz"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// These tests ask of a chart which colour stands at a place of its data, so
// that axes, margins and fonts may change.

// A view is a drawn chart. It is a plotter too, which draws nothing and learns
// from the axes where data are.
type view struct {
	img  image.Image
	x, y func(float64) vg.Length
}

func (v *view) Plot(dc draw.Canvas, p *plot.Plot) { v.x, v.y = p.Transforms(&dc) }

func look(t *testing.T, c *viz.Chart, err error) *view {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	v := new(view)
	c.Add(v)
	v.img = c.Image()
	return v
}

// at returns the colours next to the point (x, y) of the data, its own first;
// those outside the image are transparent.
func (v *view) at(x, y float64) []color.RGBA {
	col := int(v.x(x).Points() * viz.DPI / 72)
	row := v.img.Bounds().Max.Y - 1 - int(v.y(y).Points()*viz.DPI/72)
	var near []color.RGBA
	for _, dy := range []int{0, -1, 1, -2, 2} {
		for _, dx := range []int{0, -1, 1, -2, 2} {
			near = append(near, color.RGBAModel.Convert(v.img.At(col+dx, row+dy)).(color.RGBA))
		}
	}
	return near
}

// shows tells if something of the colour c is drawn at (x, y).
func (v *view) shows(x, y float64, c color.RGBA) bool {
	near := func(a, b uint8) bool { return math.Abs(float64(a)-float64(b)) < 24 } // at smooth edges
	return slices.ContainsFunc(v.at(x, y), func(p color.RGBA) bool { return p.A == c.A && near(p.R, c.R) && near(p.G, c.G) && near(p.B, c.B) })
}

// tinted tells if something is drawn at (x, y) that is not grey, as the grid.
func (v *view) tinted(x, y float64) bool {
	return slices.ContainsFunc(v.at(x, y), func(p color.RGBA) bool { return p.R != p.G || p.G != p.B })
}

func TestConvergencePlaces(t *testing.T) {
	curves := []viz.Curve{
		{Trace: rnmf.Trace{{Round: 0, Objective: 9}, {Round: 20, Seconds: 0.5, Objective: 4}, {Round: 30, Seconds: 2, Objective: 1}}},
		{Trace: rnmf.Trace{{Round: 0, Objective: 8}, {Round: 10, Seconds: 1, Objective: 7}, {Round: 40, Seconds: 3, Objective: 6}}},
	}
	for _, seconds := range []bool{false, true} {
		c, err := viz.Convergence(curves, viz.ConvergenceOptions{Seconds: seconds})
		v := look(t, c, err)
		for i, curve := range curves {
			for _, p := range curve.Trace {
				x := float64(p.Round)
				if seconds {
					x = p.Seconds
				}
				if !v.shows(x, p.Objective, viz.Color(i)) {
					t.Errorf("seconds %v: curve %d is not at (%g, %g)", seconds, i, x, p.Objective)
				}
			}
		}
	}
}

// Deviations reach to Err above and below the curve, and no further.
func TestLinesDeviations(t *testing.T) {
	y, dev := []float64{5, 6, 5}, []float64{1, 3, 2}
	for _, bands := range []bool{false, true} {
		c, err := viz.Lines([]viz.Series{{Y: y, Err: dev}}, viz.LinesOptions{Bands: bands})
		v := look(t, c, err)
		for k := range y {
			for _, share := range []float64{-1.2, -0.9, 0, 0.9, 1.2} {
				want := math.Abs(share) < 1
				if got := v.tinted(float64(k), y[k]+share*dev[k]); got != want {
					t.Errorf("bands %v: at %g deviations from point %d something is drawn: %v", bands, share, k, got)
				}
			}
		}
	}
}

func TestBarsHeights(t *testing.T) {
	series := []viz.Series{{Y: []float64{2, -3, 1}}, {Y: []float64{4, 2, -1}}}
	c, err := viz.Bars([]string{"a", "b", "c"}, series, viz.BarsOptions{})
	v := look(t, c, err)
	for i, s := range series {
		for g, y := range s.Y {
			x := float64(g) - 0.2 + 0.4*float64(i) // two bars share the room of a group
			for _, share := range []float64{-0.2, 0.2, 0.95, 1.1} {
				want := 0 < share && share < 1
				if got := v.shows(x, share*y, viz.Color(i)); got != want {
					t.Errorf("series %d, group %d: a bar at %g of its height: %v", i, g, share, got)
				}
			}
		}
	}
}

// The values stand beyond the ends of the bars, in ink that is not there without them.
func TestBarsValues(t *testing.T) {
	dark := func(values bool, from, to float64) (n int) {
		c, err := viz.Bars([]string{"a", "b"}, []viz.Series{{Y: []float64{4, -4}}}, viz.BarsOptions{YMin: -6, YMax: 6, Values: values, Digits: -1})
		v := look(t, c, err)
		for g, sign := range []float64{1, -1} {
			for y := from; y <= to; y += 0.01 {
				for x := float64(g) - 0.1; x <= float64(g)+0.1; x += 0.005 {
					if v.shows(x, sign*y, color.RGBA{A: 255}) {
						n++
					}
				}
			}
		}
		return n
	}
	if with, without, inside := dark(true, 4.05, 5.5), dark(false, 4.05, 5.5), dark(true, 0.5, 3.9); with == 0 || without != 0 || inside != 0 {
		t.Errorf("ink of values: %d beyond the bars, %d without Values, %d inside", with, without, inside)
	}
}

func TestBarsDeviations(t *testing.T) {
	c, err := viz.Bars([]string{"a", "b"}, []viz.Series{{Y: []float64{4, 6}, Err: []float64{1, 2}}}, viz.BarsOptions{})
	v := look(t, c, err)
	for g, y := range []float64{4, 6} {
		for _, share := range []float64{-1.3, -0.9, 0.9, 1.3} {
			want := math.Abs(share) < 1
			if got := v.shows(float64(g), y+share*float64(g+1), color.RGBA{A: 255}); got != want {
				t.Errorf("at %g deviations from bar %d there is its error bar: %v", share, g, got)
			}
		}
	}
}

// The bins are from 0 to 2 and from 2 to 4. Probed are the upper edges of the
// last sample, which is drawn over the others.
func TestHistogramHeights(t *testing.T) {
	few, many := viz.Series{Y: []float64{0, 0.5, 1, 4}}, viz.Series{Y: []float64{1, 2.5, 3, 3, 3, 3, 3, 3.5}}
	for _, c := range []struct {
		samples []viz.Series
		density bool
		want    []float64
	}{
		{[]viz.Series{few}, false, []float64{3, 1}},
		{[]viz.Series{few}, true, []float64{3. / 8, 1. / 8}}, // an area of one
		{[]viz.Series{many, few}, false, []float64{3, 1}},
		{[]viz.Series{many, few}, true, []float64{3. / 8, 1. / 8}},
		{[]viz.Series{few, many}, false, []float64{1, 7}},
		{[]viz.Series{few, many}, true, []float64{1. / 16, 7. / 16}},
	} {
		chart, err := viz.Histogram(c.samples, viz.HistogramOptions{Bins: 2, Density: c.density})
		v := look(t, chart, err)
		last := len(c.samples) - 1
		for k, height := range c.want {
			if !v.shows(float64(1+2*k), height, viz.Color(last)) {
				t.Errorf("density %v, sample %v: bin %d has not the height %g", c.density, c.samples[last].Y, k, height)
			}
		}
	}
}

// Stems go from zero to their values; positions, not indices, are shaded.
func TestStemsPlaces(t *testing.T) {
	x, y := []float64{2, 5, 9}, []float64{2, -3, 1}
	c, err := viz.Stems([]viz.Series{{X: x, Y: y}}, viz.StemsOptions{Outliers: []int{5}})
	v := look(t, c, err)
	for k := range x {
		for _, share := range []float64{-0.5, 0.5, 1, 1.3} {
			want := 0 < share && share <= 1
			if got := v.shows(x[k], share*y[k], viz.Color(0)); got != want {
				t.Errorf("at %g of value %g there is a stem: %v", share, y[k], got)
			}
		}
		for _, off := range []float64{-0.23, 0.23} { // between stem and neighbours, off the grid
			want := x[k] == 5
			if got := v.at(x[k]+off, 0.77)[0] != white; got != want {
				t.Errorf("position %g is shaded: %v", x[k]+off, got)
			}
		}
	}
	// Counted from 0 without an X.
	c, err = viz.Stems([]viz.Series{{Y: y}}, viz.StemsOptions{Outliers: []int{0}})
	v = look(t, c, err)
	for k := range y {
		if got, want := v.at(float64(k)+0.23, 0.77)[0] != white, k == 0; got != want {
			t.Errorf("stem %d is shaded: %v", k, got)
		}
	}
}

// Points stand at their coordinates in the colours of their classes, outliers
// in black.
func TestScatterPlaces(t *testing.T) {
	x := mat.NewDense(2, 4, []float64{
		1, 2, 6, 8,
		4, 7, 1, 3,
	})
	black := viz.Gray(0)
	for _, c := range []struct {
		classes, outliers []int
		want              [4]color.RGBA
	}{
		{nil, nil, [4]color.RGBA{viz.Color(0), viz.Color(0), viz.Color(0), viz.Color(0)}},
		{nil, []int{2}, [4]color.RGBA{viz.Color(0), viz.Color(0), black, viz.Color(0)}},
		{[]int{0, 1, 0, 1}, []int{1}, [4]color.RGBA{viz.Color(0), black, viz.Color(0), viz.Color(1)}},
	} {
		chart, err := viz.Scatter(x, viz.ScatterOptions{Classes: c.classes, Outliers: c.outliers})
		v := look(t, chart, err)
		for j, want := range c.want {
			if !v.shows(x.At(0, j), x.At(1, j), want) {
				t.Errorf("classes %v, outliers %v: point %d is not at (%g, %g) in %v", c.classes, c.outliers, j, x.At(0, j), x.At(1, j), want)
			}
		}
	}
}

// Directions are the columns of W, and rays run along them.
func TestScatterRays(t *testing.T) {
	lines := viz.Must(viz.Directions("W", mat.NewDense(2, 2, []float64{
		1, 3,
		2, 1,
	})))
	if want := []viz.Direction{{Name: "W", X: 1, Y: 2}, {Name: "W", X: 3, Y: 1}}; !slices.Equal(lines, want) {
		t.Errorf("directions %v, want %v", lines, want)
	}
	x := mat.NewDense(2, 2, []float64{8, 9, 8, 9})
	for _, equal := range []bool{false, true} {
		c, err := viz.Scatter(x, viz.ScatterOptions{Lines: lines, Equal: equal})
		v := look(t, c, err)
		for i, d := range lines {
			for _, k := range []float64{0.5, 2} {
				if !v.shows(k*d.X, k*d.Y, viz.Color(0)) || v.tinted(k*d.Y, k*d.X) {
					t.Errorf("equal %v: ray %d does not run through (%g, %g)", equal, i, k*d.X, k*d.Y)
				}
			}
		}
	}
}

// Fitted points stand at their own coordinates, joined to their points.
func TestScatterFits(t *testing.T) {
	x := mat.NewDense(2, 2, []float64{
		1, 6,
		4, 1,
	})
	fit := mat.NewDense(2, 2, []float64{
		3, 8,
		5, 2,
	})
	c, err := viz.Scatter(x, viz.ScatterOptions{Fits: []viz.FittedPoints{{"fit", fit}}})
	v := look(t, c, err)
	for j := range 2 {
		x0, y0, x1, y1 := x.At(0, j), x.At(1, j), fit.At(0, j), fit.At(1, j)
		if !v.shows(x1, y1, viz.Color(0)) {
			t.Errorf("the fit of point %d is not at (%g, %g)", j, x1, y1)
		}
		for _, share := range []float64{-0.3, 0.3, 0.6, 1.3} { // of the way from the point to its fit
			want := 0 < share && share < 1
			if got := v.tinted(x0+share*(x1-x0), y0+share*(y1-y0)); got != want {
				t.Errorf("at %g between point %d and its fit there is a line: %v", share, j, got)
			}
		}
	}
}
