package viz

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// SampleMapOptions say how SampleMap draws.
type SampleMapOptions struct {
	Title         string
	Width, Height float64        // inches; 0: 6.5 × 4.5
	Classes       []int          // class of each sample, from 0; nil: one class
	Names         []string       // of the classes
	Outliers      []int          // samples to flag
	Labels        map[int]string // names to write at some samples, as those of the outliers
}

// SampleMap draws the samples of coefficients h (a column is a sample) in the plane in which they
// differ most: the two largest principal components of the columns, each axis with its share of
// their variance. Samples that lie together are made of the same parts. To compare samples of
// different sizes by their mixture of parts, divide the columns of h by their sums first.
//
// It returns ErrEmpty, ErrShape, ErrNotFinite, and ErrOption for a label at no sample, as
// Scatter does.
func SampleMap(h mat.Matrix, opt SampleMapOptions) (*Chart, error) {
	r, n, lo, hi, err := checkMatrix("H", h)
	if err != nil {
		return nil, err
	}
	unit := max(-lo, hi) // squares of larger numbers may be infinite
	if unit == 0 {
		unit = 1
	}
	centred := mat.NewDense(r, n, nil)
	for i := range r {
		mean := 0.0
		for j := range n {
			mean += h.At(i, j) / unit / float64(n)
		}
		for j := range n {
			centred.Set(i, j, h.At(i, j)/unit-mean)
		}
	}
	var cov mat.SymDense
	cov.SymOuterK(1, centred)
	var eigen mat.EigenSym
	if !eigen.Factorize(&cov, true) {
		return nil, fmt.Errorf("%w: H has no principal components", ErrNotFinite)
	}
	values := eigen.Values(nil) // ascending
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	total := 0.0
	for _, v := range values {
		total += max(v, 0)
	}
	points, axes := mat.NewDense(2, n, nil), [2]string{"1st principal component", "2nd principal component"}
	for k := range min(2, r) {
		v := mat.DenseCopyOf(vectors.ColView(r - 1 - k)).RawMatrix().Data
		flip := 0.0 // the largest loading points to the right, or up
		for _, a := range v {
			if math.Abs(a) > math.Abs(flip)*(1+1e-9) {
				flip = a
			}
		}
		for j := range n {
			s := 0.0
			for i, a := range v {
				s += a * centred.At(i, j)
			}
			points.Set(k, j, math.Copysign(unit, flip)*s)
		}
		if total > 0 {
			axes[k] += fmt.Sprintf(" (%.0f %% of the variance)", 100*max(values[r-1-k], 0)/total)
		}
	}
	c, err := Scatter(points, ScatterOptions{Title: opt.Title, XLabel: axes[0], YLabel: axes[1], Width: opt.Width, Height: opt.Height,
		Classes: opt.Classes, Names: opt.Names, Outliers: opt.Outliers})
	if err != nil {
		return nil, err
	}
	return c, c.label(points, opt.Labels)
}

// label writes names next to some points.
func (c *Chart) label(points mat.Matrix, names map[int]string) error {
	_, n := points.Dims()
	var at plotter.XYLabels
	for j := range n {
		if name, ok := names[j]; ok {
			at.XYs = append(at.XYs, plotter.XY{X: points.At(0, j), Y: points.At(1, j)})
			at.Labels = append(at.Labels, name)
		}
	}
	if len(at.Labels) != len(names) {
		return fmt.Errorf("%w: of %d labels only %d belong to one of the %d samples", ErrOption, len(names), len(at.Labels), n)
	}
	if len(names) == 0 {
		return nil
	}
	labels, err := plotter.NewLabels(at)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotFinite, err)
	}
	for i := range labels.TextStyle {
		labels.TextStyle[i].Font = sans(labelPoints, false)
		// On the right half names stand to the left of their points.
		if mid := (c.X.Min + c.X.Max) / 2; at.XYs[i].X > mid {
			labels.TextStyle[i].XAlign = draw.XRight
		}
	}
	labels.Offset = vg.Point{Y: vg.Points(4)}
	c.Add(inside{labels})
	return nil
}

// inside draws without asking for room: it would change what is to scale.
type inside struct{ *plotter.Labels }

func (inside) GlyphBoxes(*plot.Plot) []plot.GlyphBox { return nil }
