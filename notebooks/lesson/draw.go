package lesson

import (
	"fmt"
	"html"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/viz"
	"github.com/robustnmf/robustnmf/viz/show"
)

// HTML is what Show and Fold display as text: a table, or a list of package claims. It returns a fragment in
// which all words are escaped.
type HTML interface{ HTML() string }

// Show displays figures, next to each other if there are several, and tables. It takes what a
// function of package viz returns, with its error, and what functions of this package return:
//
//	lesson.Show(viz.Scatter(points, viz.ScatterOptions{}))
//	lesson.Show(lesson.Basis("NMF", s, standard.W), lesson.Basis("L2,1-NMF", s, robust.W))
//
// An error among its arguments ends the cell, and so does an argument that cannot be shown.
func Show(what ...any) {
	var figures []viz.Figure
	for _, v := range what { // errors first, as the value next to one may be nil
		if err, ok := v.(error); ok {
			Check(err)
		}
	}
	for _, v := range what {
		switch v := v.(type) {
		case nil: // no error
		case viz.Figure:
			figures = append(figures, v)
		case HTML:
			show.HTML(v.HTML())
		default:
			stop(fmt.Sprintf("lesson: Show shows figures and tables, not a %T", v))
		}
	}
	if len(figures) == 1 {
		show.Figure(figures[0])
	} else if len(figures) > 1 {
		show.Figure(Must(viz.Row(figures...)))
	}
}

// Titled puts a title above figures that stand next to each other.
func Titled(title string, figures ...viz.Figure) viz.Figure {
	row := Must(viz.Row(figures...))
	head := viz.NewChart()
	head.Title.Text, head.Width, head.Height = title, float64(row.Image().Bounds().Dx())/viz.DPI, 0.42
	head.Title.TextStyle.Font.Size = 14
	head.HideAxes()
	return Must(viz.Grid(1, head, row))
}

// Table displays a table; entries are what viz.NewTable takes.
func Table(caption string, header []string, rows [][]any) {
	t, err := viz.NewTable(header, rows)
	Check(err)
	t.Caption = caption
	show.Table(t)
}

// Fold displays what opens when the reader clicks on the title. It is for long tables that a picture sums up.
func Fold(title string, what ...HTML) {
	text := ""
	for _, t := range what {
		text += t.HTML()
	}
	show.HTML("<details><summary>" + html.EscapeString(title) + "</summary>" + text + "</details>")
}

// Basis draws the columns of w as images of the size of those of s, upright, each from 0
// (black) to its own maximum (white), at most the first 40 of them.
func Basis(title string, s *datasets.Set, w mat.Matrix) viz.Figure {
	_, r := w.Dims()
	return Must(viz.Gallery(columns(peaks(w), 40), viz.GalleryOptions{Title: title, Height: s.Height, Width: s.Width, Columns: perRow(r), Max: 1}))
}

// Convergence draws objectives against rounds on logarithmic axes.
func Convergence(title string, curves ...viz.Curve) *viz.Chart {
	return Must(viz.Convergence(curves, viz.ConvergenceOptions{Title: title, LogX: true, LogY: true}))
}

// Panels lays charts with the same curves out in rows, with the legend of the first one
// at their right. The charts lose theirs.
func Panels(perRow int, charts ...*viz.Chart) viz.Figure {
	key := viz.NewChart()
	key.HideAxes()
	key.InsideLegend = true
	var panels []viz.Figure
	for i, c := range charts {
		if i == 0 {
			key.Legend = c.Legend
			size := key.Legend.Rectangle(draw.Canvas{}).Size()
			key.Width, key.Height = 0.3+size.X.Dots(72)/72, 0.3+size.Y.Dots(72)/72
		}
		c.Legend = plot.NewLegend()
		panels = append(panels, c)
	}
	return Must(viz.Row(Must(viz.Grid(perRow, panels...)), key))
}

// perRow spreads up to 40 images evenly over rows of at most 10.
func perRow(r int) int {
	r = min(r, 40)
	rows := (r + 9) / 10
	return (r + rows - 1) / rows
}

// peaks returns a copy of w whose columns have the maximum 1, so that one scale shows them all.
func peaks(w mat.Matrix) *mat.Dense {
	p := mat.DenseCopyOf(w)
	_, r := p.Dims()
	for k := range r {
		top := 0.0
		c := p.ColView(k).(*mat.VecDense)
		for i := range c.Len() {
			top = max(top, math.Abs(c.AtVec(i)))
		}
		if top > 0 {
			c.ScaleVec(1/top, c)
		}
	}
	return p
}

// columns returns the first columns of w, at most n.
func columns(w *mat.Dense, n int) *mat.Dense {
	m, r := w.Dims()
	return w.Slice(0, m, 0, min(r, n)).(*mat.Dense)
}
