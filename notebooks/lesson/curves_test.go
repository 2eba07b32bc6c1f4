package lesson

import (
	"image/color"
	"testing"

	"github.com/robustnmf/robustnmf/viz"
)

// A grey line joins the points of a chart, and only with Link.
func TestLink(t *testing.T) {
	grey := func(link bool) (n int) {
		points := []viz.Series{{X: []float64{1}, Y: []float64{10}}, {X: []float64{10}, Y: []float64{100}}}
		c := Must(viz.Lines(points, viz.LinesOptions{LogX: true, LogY: true}))
		if link {
			Link(c, points...)
		}
		img := c.Image()
		b := img.Bounds()
		for y := b.Dy() / 4; y < b.Dy()*3/4; y++ {
			for x := b.Dx() / 4; x < b.Dx()*3/4; x++ {
				if color.GrayModel.Convert(img.At(x, y)).(color.Gray).Y < 0x80 {
					n++
				}
			}
		}
		return n
	}
	if with, without := grey(true), grey(false); with < 200 || without > 0 {
		t.Errorf("%d dark pixels between the points, and %d without Link", with, without)
	}
}

// Words stand right of their point, in the grey of Link.
func TestWrite(t *testing.T) {
	c := Must(viz.Lines([]viz.Series{{X: []float64{0, 2}, Y: []float64{0, 0}}, {X: []float64{0, 2}, Y: []float64{2, 2}}}, viz.LinesOptions{}))
	Write(c, 1, 1, "words")
	img := c.Image()
	b, left, right := img.Bounds(), 0, 0
	for y := b.Dy() * 2 / 5; y < b.Dy()*3/5; y++ {
		for x := b.Dx() / 4; x < b.Dx(); x++ {
			if color.RGBAModel.Convert(img.At(x, y)) == (color.RGBA{0x60, 0x60, 0x60, 0xff}) {
				if x < b.Dx()/2 {
					left++
				} else {
					right++
				}
			}
		}
	}
	if left > 0 || right == 0 {
		t.Errorf("%d grey pixels at the left, %d at the right", left, right)
	}
}

// The name of a point stands on the side that is asked for, and the point in the middle of the chart.
func TestPoint(t *testing.T) {
	coloured := func(name string, side int) (left, above, right int) {
		c := Must(viz.Lines([]viz.Series{{X: []float64{0, 2}, Y: []float64{0, 0}}, {X: []float64{0, 2}, Y: []float64{2, 2}}}, viz.LinesOptions{}))
		Point(c, 1, 1, name, 3, side)
		img := c.Image()
		b := img.Bounds()
		for y := b.Dy() / 4; y < b.Dy()*3/4; y++ {
			for x := range b.Dx() {
				if color.RGBAModel.Convert(img.At(x, y)) != viz.Color(2) {
					continue
				}
				switch middle := (b.Dx() + 40) / 2; {
				case x < middle-15:
					left++
				case x > middle+15:
					right++
				case y < b.Dy()/2-15:
					above++
				}
			}
		}
		return left, above, right
	}
	if left, _, right := coloured("a name", -1); left == 0 || right > 0 {
		t.Errorf("left: %d pixels at the left, %d at the right", left, right)
	}
	if left, _, right := coloured("a name", 1); left > 0 || right == 0 {
		t.Errorf("right: %d pixels at the left, %d at the right", left, right)
	}
	if left, above, right := coloured("I", 0); left > 0 || above == 0 || right > 0 {
		t.Errorf("above: %d pixels at the left, %d above, %d at the right", left, above, right)
	}
}

// The curves of Marked have their colours and no markers, and stay within the range that is asked for.
func TestMarked(t *testing.T) {
	marks := []viz.Series{{X: []float64{1}, Y: []float64{1}}, {X: []float64{2}, Y: []float64{2}}}
	curves := []viz.Series{{X: []float64{0, 3}, Y: []float64{1, 1}}, {X: []float64{0, 3}, Y: []float64{2, 200}}}
	c := Marked(curves, marks, viz.LinesOptions{YMin: -1, YMax: 4})
	if c.Y.Min != -1 || c.Y.Max != 4 || c.X.Min > 0 || c.X.Max < 3 {
		t.Errorf("the axes go from %g to %g and from %g to %g", c.X.Min, c.X.Max, c.Y.Min, c.Y.Max)
	}
	blue := func(c *viz.Chart) (n int) {
		img := c.Image()
		b := img.Bounds()
		for y := b.Min.Y; y < b.Max.Y; y++ {
			for x := b.Min.X; x < b.Max.X; x++ {
				if color.RGBAModel.Convert(img.At(x, y)) == viz.Color(0) {
					n++
				}
			}
		}
		return n
	}
	if with, without := blue(c), blue(Marked(nil, marks, viz.LinesOptions{})); with < 3*without || without == 0 {
		t.Errorf("%d pixels have the colour of the first curve, and %d without it", with, without)
	}
}

// TestMedians wants medians of odd and even numbers of trials, none below the least.
func TestMedians(t *testing.T) {
	r := new(Results)
	r.Add("a", "1", 5, 1, 2)
	r.Add("a", "2", 4, 1)
	r.Add("a", "3", 0, 0)
	s := r.Medians(0.5)
	if len(s) != 1 || s[0].Err != nil || s[0].Y[0] != 2 || s[0].Y[1] != 2.5 || s[0].Y[2] != 0.5 {
		t.Errorf("the medians are %v", s)
	}
	r.Points(Named(s, viz.LinesOptions{}), 0.5)
}
