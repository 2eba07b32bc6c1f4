package rra

import (
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
	"github.com/robustnmf/robustnmf/notebooks/lesson"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/viz"
)

// DrawClusters draws rows of clusters.csv: the mean accuracies of the models, whose title says which is the
// best most often, and how many points MUR, NeNMF and NMF are ahead of Algorithm 1, a line at 0, on the same draws,
// with t-intervals at 95 %, whose title counts those that lie below 0, where Algorithm 1 leads, and above it.
func DrawClusters(name string, all stored.Table) (levels, leads *viz.Chart) {
	means := lesson.Stored(all, "solver", "classes", "accuracy").Only("MUR", "NeNMF", "NMF", Algorithm1, Held, "coordinate descent", "k-means")
	level := means.Series()
	level[2].Style = 3 // NMF's own colour is MUR's
	var lead []viz.Series
	leading, trailing, count := 0, 0, 0
	for i, model := range means.Rows {
		level[i].Err = nil // the differences have intervals
		if i > 2 {
			continue
		}
		for k, classes := range means.Columns {
			mean, half := interval(ahead(all.Where("classes", classes), model))
			x := level[i].X[k] + 0.25*float64(i-1) // no bar hides another
			lead = append(lead, viz.Series{X: []float64{x}, Y: []float64{mean}, Err: []float64{half}, Style: level[i].Style})
			switch count++; {
			case mean+half < 0:
				leading++
			case mean-half > 0:
				trailing++
			}
		}
	}
	first, times := means.Leader()
	chart := func(series []viz.Series, opt viz.LinesOptions) *viz.Chart {
		opt.XLabel, opt.Width, opt.Height = "classes", 4.4, 2.9
		c := lesson.Must(viz.Lines(series, opt))
		c.X.Min, c.X.Max = level[0].X[0]-0.4, level[0].X[len(means.Columns)-1]+0.4
		return c
	}
	levels = chart(level, viz.LinesOptions{Title: fmt.Sprintf("%s: %s leads at %d of %d", name, first, times, len(means.Columns)), YLabel: "accuracy, mean", YMin: 0.25, YMax: 1})
	leads = chart(lead, viz.LinesOptions{Title: fmt.Sprintf("%s: Algorithm 1 leads %d of %d, trails %d", name, leading, count, trailing), YLabel: "points ahead of Algorithm 1"})
	leads.Add(&plotter.Line{XYs: plotter.XYs{{X: leads.X.Min}, {X: leads.X.Max}}, LineStyle: draw.LineStyle{Color: color.Gray{90}, Width: 1}})
	return levels, leads
}

// ahead returns by how many points of accuracy a model is ahead of Algorithm 1, a difference for each draw.
func ahead(draws stored.Table, model string) (points []float64) {
	for _, r := range draws.Where("solver", model) {
		own := draws.Where("solver", Algorithm1, "trial", r.Text("trial"))[0]
		points = append(points, 100*(r.Number("accuracy")-own.Number("accuracy")))
	}
	return points
}

// interval returns a mean and half of its t-interval at 95 %.
func interval(v []float64) (mean, half float64) {
	n := float64(len(v))
	mean, dev := stat.MeanStdDev(v, nil)
	return mean, distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(0.975) * stat.StdErr(dev, n)
}

// Over is by how many points of accuracy a model is ahead of another in rows of clusters.csv: the mean over the numbers of classes.
func Over(all stored.Table, model, other string) float64 {
	means, sum := lesson.Stored(all, "solver", "classes", "accuracy"), 0.0
	for _, classes := range means.Columns {
		sum += means.Mean(model, classes) - means.Mean(other, classes)
	}
	return 100 * sum / float64(len(means.Columns))
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
