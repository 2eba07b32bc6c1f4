package counts

import (
	"context"
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/score"
	"github.com/robustnmf/robustnmf/viz"
)

// Cells draws m×n counts of cells of different depth that mix five programs, at a mean of 3, with bursts in one entry of a hundred
// unless the damage is "clean". Programs are the columns of w.
func Cells(damage string, m, n int, seed uint64) (x, w *mat.Dense) {
	d := drawerOf(seed)
	const r = 5
	w = matrix(m, r, func(int, int) float64 { return d.Gamma(0.3) })
	h := matrix(r, n, func(int, int) float64 { return d.Gamma(0.5) })
	for j := range n {
		depth := math.Exp(0.7 * d.NormFloat64())
		for k := range r {
			h.Set(k, j, depth*h.At(k, j))
		}
	}
	var means mat.Dense
	means.Mul(w, h)
	means.Scale(3*float64(m*n)/mat.Sum(&means), &means)
	x = matrix(m, n, func(i, j int) float64 {
		v := d.Poisson(means.At(i, j))
		if damage != "clean" && d.Float64() < 0.01 {
			v += d.Poisson(100)
		}
		return v
	})
	return x, w
}

// LogShares scales each sample to the same sum, and takes log(1 + x) of these shares.
func LogShares(x *mat.Dense) (shares, logs *mat.Dense, err error) {
	scaled, _, err := datasets.Prepare(&datasets.Set{X: x}, datasets.SampleSums{})
	if err != nil {
		return nil, nil, err
	}
	s, _, err := datasets.Prepare(scaled, datasets.Log1p{})
	if err != nil {
		return nil, nil, err
	}
	return scaled.X, s.X, nil
}

// Refit finds the W that fits x with the H of a fit, under the loss and family of like.
func Refit(ctx context.Context, x, h *mat.Dense, like *rnmf.Result) (*mat.Dense, error) {
	wt, err := (&rnmf.Result{W: mat.DenseCopyOf(h.T()), Loss: like.Loss, Family: like.Family}).Transform(ctx, x.T(), nil)
	if err != nil {
		return nil, err
	}
	return mat.DenseCopyOf(wt.T()), nil
}

// Programs returns which column of found stands for each one of truth, and the mean cosine.
func Programs(truth, found *mat.Dense) (match []int, cosine float64, err error) {
	_, r := truth.Dims()
	cost := matrix(r, r, func(k, l int) float64 {
		u, v := truth.ColView(k), found.ColView(l)
		return -mat.Dot(u, v) / max(mat.Norm(u, 2)*mat.Norm(v, 2), 1e-300)
	})
	match, err = score.Assignment(cost)
	for k, l := range match {
		cosine -= cost.At(k, l) / float64(r)
	}
	return match, cosine, err
}

// OneProgram draws program k as it was found across from the true one: a point for each gene, both in thousandths of their sum,
// from 0.1 on, with the diagonal in grey. Its title has the cosine of the two.
func OneProgram(name string, style, k int, truth, found *mat.Dense) (*viz.Chart, error) {
	match, _, err := Programs(truth, found)
	if err != nil {
		return nil, err
	}
	t, f := truth.ColView(k), found.ColView(match[k])
	const low, high = 0.1, 50.0
	var points plotter.XYs
	for i := range t.Len() {
		points = append(points, plotter.XY{X: max(low, 1000*t.AtVec(i)/mat.Sum(t)), Y: max(low, 1000*f.AtVec(i)/mat.Sum(f))})
	}
	c := viz.NewChart()
	c.Title.Text = fmt.Sprintf("%s: %.3f", name, mat.Dot(t, f)/mat.Norm(t, 2)/mat.Norm(f, 2))
	c.X.Label.Text, c.Y.Label.Text = "true share of a gene, ‰", "found, ‰"
	c.Width, c.Height = 2.6, 2.4
	c.Add(&plotter.Line{XYs: plotter.XYs{{X: low, Y: low}, {X: high, Y: high}}, LineStyle: draw.LineStyle{Color: color.Gray{0x90}, Width: vg.Points(1)}},
		&plotter.Scatter{XYs: points, GlyphStyle: draw.GlyphStyle{Color: viz.Color(style - 1), Radius: vg.Points(1.3), Shape: draw.CircleGlyph{}}})
	for _, a := range []*plot.Axis{&c.X, &c.Y} {
		a.Scale, a.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
		a.Min, a.Max = 0.999*low, high
	}
	return c, nil
}
