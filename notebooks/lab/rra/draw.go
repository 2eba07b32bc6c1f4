package rra

import (
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/plotter"

	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/viz"
)

// OverNMF returns by how many points of accuracy a model is ahead of NMF in rows of clusters.csv for one number of classes, a
// difference for each draw.
func OverNMF(draws stored.Table, model string) (points []float64) {
	for _, r := range draws.Where("solver", model) {
		plain := draws.Where("solver", "NMF", "trial", r.Text("trial"))[0]
		points = append(points, 100*(r.Number("accuracy")-plain.Number("accuracy")))
	}
	return points
}

// DrawEmbedding draws the first two coefficients of each sample of some objects, coloured by object, and the edges of their graph in grey.
func DrawEmbedding(title string, h mat.Matrix, objects []int, g *rnmf.Graph) (*viz.Chart, error) {
	var names []string
	for k := range slices.Max(objects) + 1 {
		names = append(names, fmt.Sprint("object ", k+1))
	}
	c, err := viz.Scatter(h, viz.ScatterOptions{Title: title, XLabel: "first coefficient", YLabel: "second coefficient", Classes: objects, Names: names, Width: 3.6, Height: 3.4})
	if err != nil {
		return nil, err
	}
	c.InsideLegend, c.Legend.Top, c.Legend.Left = true, true, false
	for i := range objects {
		to, _ := g.Neighbors(i)
		for _, j := range to {
			edge, err := plotter.NewLine(plotter.XYs{{X: h.At(0, i), Y: h.At(1, i)}, {X: h.At(0, j), Y: h.At(1, j)}})
			if err != nil {
				return nil, err
			}
			edge.Color = color.Gray{190}
			c.Add(edge)
		}
	}
	return c, nil
}

// Squares counts the parts, images of so many pixels to a row, that fit into a square: more than half of the sum of
// their squares lies in a window of side×side pixels.
func Squares(w *mat.Dense, width, side int) (count int) {
	m, r := w.Dims()
	for k := range r {
		most := 0.0
		for top := range m/width - side + 1 {
			for left := range width - side + 1 {
				sum := 0.0
				for i := range side * side {
					v := w.At((top+i/side)*width+left+i%side, k)
					sum += v * v
				}
				most = max(most, sum)
			}
		}
		if whole := mat.Norm(w.ColView(k), 2); most > whole*whole/2 {
			count++
		}
	}
	return count
}
