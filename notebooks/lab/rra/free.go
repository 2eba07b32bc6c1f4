package rra

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/viz"
)

// Free gives a chart of DrawEmbedding a scale of its own, whose size the axes name, and names at the samples in the place of a legend.
// If zoom is an object, and not negative, an inset shows its surroundings larger.
func Free(c *viz.Chart, h mat.Matrix, objects []int, g *rnmf.Graph, zoom int) error {
	c.X.Label.Text = fmt.Sprintf("first coefficient: %.2g wide", c.X.Max-c.X.Min)
	c.Y.Label.Text = fmt.Sprintf("second coefficient: %.2g high", c.Y.Max-c.Y.Min)
	c.HideAxes()
	c.Legend = plot.NewLegend()
	room := newRoom(box{c.X.Min, c.X.Max, c.Y.Min, c.Y.Max})
	for i := range objects {
		near, _ := g.Neighbors(i)
		for _, j := range near {
			room.line(h.At(0, i), h.At(1, i), h.At(0, j), h.At(1, j))
		}
	}
	if zoom >= 0 {
		from, to := inset(c, h, objects, g, zoom)
		room.fill(from)
		room.fill(to)
	}
	for object := range slices.Max(objects) + 1 {
		at, ok := room.near(h, objects, object)
		if !ok {
			continue // no room for the name
		}
		l, err := plotter.NewLabels(plotter.XYLabels{XYs: plotter.XYs{at}, Labels: []string{fmt.Sprint("object ", object+1)}})
		if err != nil {
			return err
		}
		l.TextStyle[0].Font, l.TextStyle[0].Color = c.X.Tick.Label.Font, viz.Color(object)
		c.Add(l)
	}
	return nil
}

// inset draws the surroundings of an object, which get a frame, once more and larger in the upper left corner, and returns both places.
func inset(c *viz.Chart, h mat.Matrix, objects []int, g *rnmf.Graph, zoom int) (from, to box) {
	wide, high := c.X.Max-c.X.Min, c.Y.Max-c.Y.Min
	from = box{math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)}
	for j, object := range objects {
		if x, y := h.At(0, j), h.At(1, j); object == zoom {
			from = box{min(from.left, x), max(from.right, x), min(from.bottom, y), max(from.top, y)}
		}
	}
	from = box{from.left - 0.01*wide, from.right + 0.01*wide, from.bottom - 0.01*high, from.top + 0.01*high}
	to = box{c.X.Min, c.X.Min + 0.5*wide, c.Y.Min + 0.52*high, c.Y.Max}
	frame := draw.LineStyle{Color: color.Gray{96}, Width: 0.8}
	c.Add(&plotter.Line{XYs: from.outline(), LineStyle: frame}, &plotter.Polygon{XYs: []plotter.XYs{to.outline()}, Color: color.White, LineStyle: frame})
	at := func(j int) plotter.XY {
		return plotter.XY{
			X: to.left + (h.At(0, j)-from.left)/(from.right-from.left)*(to.right-to.left),
			Y: to.bottom + (h.At(1, j)-from.bottom)/(from.top-from.bottom)*(to.top-to.bottom),
		}
	}
	inside := func(j int) bool { return from.holds(h.At(0, j), h.At(1, j)) }
	for i := range objects {
		near, _ := g.Neighbors(i)
		for _, j := range near {
			if inside(i) && inside(j) {
				c.Add(edge(at(i), at(j), objects[i] == objects[j]))
			}
		}
	}
	for j, object := range objects {
		if inside(j) {
			mark := []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}}[object%3]
			c.Add(&plotter.Scatter{XYs: plotter.XYs{at(j)}, GlyphStyle: draw.GlyphStyle{Color: viz.Color(object), Radius: 2.6, Shape: mark}})
		}
	}
	return from, to
}

type box struct{ left, right, bottom, top float64 }

func (b box) holds(x, y float64) bool {
	return b.left <= x && x <= b.right && b.bottom <= y && y <= b.top
}

func (b box) outline() plotter.XYs {
	return plotter.XYs{{X: b.left, Y: b.bottom}, {X: b.right, Y: b.bottom}, {X: b.right, Y: b.top}, {X: b.left, Y: b.top}, {X: b.left, Y: b.bottom}}
}

const (
	across     = 48 // cells of a room, in both directions
	nameAcross = 12 // cells of a name
	nameHigh   = 4
)

// A room says which cells of a picture something is drawn in.
type room struct {
	box
	taken [across][across]bool
}

func newRoom(b box) *room { return &room{box: b} }

// cell is where a point lies, in cells.
func (r *room) cell(x, y float64) (a, b float64) {
	return across * (x - r.left) / (r.right - r.left), across * (y - r.bottom) / (r.top - r.bottom)
}

func (r *room) line(x, y, toX, toY float64) {
	for k := range 2*across + 1 {
		part := float64(k) / (2 * across)
		a, b := r.cell(x+part*(toX-x), y+part*(toY-y))
		r.taken[min(max(int(a), 0), across-1)][min(max(int(b), 0), across-1)] = true
	}
}

func (r *room) fill(b box) {
	for k := range 2*across + 1 {
		y := b.bottom + float64(k)/(2*across)*(b.top-b.bottom)
		r.line(b.left, y, b.right, y)
	}
}

// near takes the free place for a name that is nearest to a sample of an object, and returns its lower left corner.
func (r *room) near(h mat.Matrix, objects []int, object int) (at plotter.XY, ok bool) {
	least, left, bottom := math.Inf(1), 0, 0
	for a := range across - nameAcross + 1 {
		for b := range across - nameHigh + 1 {
			if r.busy(a, b) {
				continue
			}
			for j := range objects {
				x, y := r.cell(h.At(0, j), h.At(1, j))
				// The distance from the sample to the name.
				far := math.Hypot(max(float64(a)-x, 0, x-float64(a+nameAcross)), max(float64(b)-y, 0, y-float64(b+nameHigh)))
				if objects[j] == object && far < least {
					least, left, bottom = far, a, b
				}
			}
		}
	}
	if math.IsInf(least, 1) {
		return at, false
	}
	for a := left; a < left+nameAcross; a++ {
		for b := bottom; b < bottom+nameHigh; b++ {
			r.taken[a][b] = true
		}
	}
	return plotter.XY{X: r.left + (float64(left)+0.5)/across*(r.right-r.left), Y: r.bottom + float64(bottom)/across*(r.top-r.bottom)}, true
}

func (r *room) busy(left, bottom int) bool {
	for a := left; a < left+nameAcross; a++ {
		for b := bottom; b < bottom+nameHigh; b++ {
			if r.taken[a][b] {
				return true
			}
		}
	}
	return false
}
