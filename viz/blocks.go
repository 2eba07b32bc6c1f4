package viz

import (
	"image/color"
	"iter"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// blocks are rectangles that stand on zero, or on the axis where zero is out
// of sight.
type blocks struct {
	boxes []block
	fill  color.Color
	edge  color.Color // nil: none
}

type block struct{ left, right, top float64 }

func (b *blocks) Plot(dc draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&dc)
	zero := max(p.Y.Min, min(0, p.Y.Max))
	foot := trY(zero)
	for boxes := range b.runs(zero) {
		outline := []vg.Point{{X: trX(boxes[0].left), Y: foot}}
		for _, k := range boxes {
			outline = append(outline, vg.Point{X: trX(k.left), Y: trY(k.top)}, vg.Point{X: trX(k.right), Y: trY(k.top)})
		}
		outline = append(outline, vg.Point{X: trX(boxes[len(boxes)-1].right), Y: foot})
		if in := dc.ClipPolygonXY(outline); len(in) > 0 {
			dc.FillPolygon(b.fill, in)
		}
		if b.edge != nil {
			dc.StrokeLines(draw.LineStyle{Color: b.edge, Width: vg.Points(1.3)}, dc.ClipLinesXY(outline)...)
		}
	}
}

// runs yields the rectangles that touch each other together, so that no seam
// shows between them, and leaves out those without height.
func (b *blocks) runs(zero float64) iter.Seq[[]block] {
	return func(yield func([]block) bool) {
		from := 0
		for i := 0; i <= len(b.boxes); i++ {
			empty := i < len(b.boxes) && (b.boxes[i].top == 0 || b.boxes[i].top == zero)
			if i < len(b.boxes) && !empty && (i == from || b.boxes[i].left == b.boxes[i-1].right) {
				continue
			}
			if i > from && !yield(b.boxes[from:i]) {
				return
			}
			from = i
			if empty {
				from = i + 1
			}
		}
	}
}

func (b *blocks) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax, ymin, ymax = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, k := range b.boxes {
		extend(&xmin, &xmax, k.left)
		extend(&xmin, &xmax, k.right)
		extend(&ymin, &ymax, k.top)
	}
	return
}

func (b *blocks) Thumbnail(dc *draw.Canvas) { patch(dc, b.fill, b.edge) }
