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
