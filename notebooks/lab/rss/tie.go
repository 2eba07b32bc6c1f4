package rss

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	imagedraw "image/draw"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"github.com/robustnmf/robustnmf/notebooks/lesson"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/viz"
)

// Ways says where a fit stands between two values, at each pixel at which x differs from the set in just one of
// two samples: how far the fit of the wrong entry is on the way from the right value (0) to the wrong one (1).
func (t Task) Ways(x, fit mat.Matrix, one, other int) (ways []float64) {
	t.tied(x, one, other, func(i, wrong int, a, b float64) {
		ways = append(ways, (fit.At(i, wrong)-a)/(b-a))
	})
	return ways
}

// tied looks at each pixel at which x differs from the set in just one of two samples, by the right value a and the wrong b.
func (t Task) tied(x mat.Matrix, one, other int, look func(pixel, wrong int, a, b float64)) {
	for i := range t.Height * t.Width {
		wrong, right := one, other
		if x.At(i, wrong) == t.X.At(i, wrong) {
			wrong, right = right, wrong
		}
		a, b := x.At(i, right), x.At(i, wrong)
		if b == t.X.At(i, wrong) || a != t.X.At(i, right) || a == b {
			continue // none or both are wrong, or there is no way between them
		}
		look(i, wrong, a, b)
	}
}

// Half returns the mean of half the way, |b − a|/2, over the first two labelled samples of all classes.
func (t Task) Half(x mat.Matrix) float64 {
	one, other := t.Pairs(len(t.Classes))
	sum, count := 0.0, 0
	for c := range one {
		t.tied(x, one[c], other[c], func(_, _ int, a, b float64) {
			sum += math.Abs(b-a) / 2
			count++
		})
	}
	return sum / float64(count)
}

// Shifted returns where a step takes a fit that a shift has taken off the middle of two values at the distance d from
// it: how far off the middle their mean with the weights of a loss is. Where both have the weight 0 the fit stays.
func Shifted(l rnmf.Loss, d, shift float64) float64 {
	_, near := l.Rho((d - shift) * (d - shift))
	_, far := l.Rho((d + shift) * (d + shift))
	if near+far == 0 {
		return shift
	}
	return d * (near - far) / (near + far)
}

// Kept returns the share p of a small shift that is left after a step.
func Kept(l rnmf.Loss, d float64) float64 { return Shifted(l, d, d/1e4) / (d / 1e4) }

// Diagonal draws into a chart of Shifted the line on which a shift up to d stays as it is, and names it and a jump.
func Diagonal(c *viz.Chart, d, jump float64) {
	lesson.Link(c, viz.Series{X: []float64{0}, Y: []float64{0}}, viz.Series{X: []float64{d}, Y: []float64{d}})
	lesson.Write(c, 0.56*d, 0.42*d, "grey: δ′ = δ")
	lesson.Write(c, jump+0.03*d, 0.8*d, fmt.Sprintf("jump at δ = %.2f", jump))
}

// third is the third of the way in which a fit stands: 0 next to the right value, 2 next to the wrong one.
func third(way float64) int { return min(max(int(3*way), 0), 2) }

// AllWays returns the Ways of the first two labelled samples of all classes.
func (t Task) AllWays(x, fit mat.Matrix) (ways []float64) {
	one, other := t.Pairs(len(t.Classes))
	for c := range one {
		ways = append(ways, t.Ways(x, fit, one[c], other[c])...)
	}
	return ways
}

// Tie returns the shares of AllWays that lie in each third.
func (t Task) Tie(x, fit mat.Matrix) [3]float64 { return thirds(t.AllWays(x, fit)) }

// thirds returns the shares of ways that lie in each third.
func thirds(ways []float64) (shares [3]float64) {
	for _, way := range ways {
		shares[third(way)]++
	}
	for i := range shares {
		shares[i] /= float64(len(ways))
	}
	return shares
}

// Neither returns the share of AllWays at whose pixels both samples have the weight 0.
func (t Task) Neither(x, weights mat.Matrix) float64 {
	one, other := t.Pairs(len(t.Classes))
	out, count := 0.0, 0.0
	for c := range one {
		t.tied(x, one[c], other[c], func(i, _ int, _, _ float64) {
			if weights.At(i, one[c]) == 0 && weights.At(i, other[c]) == 0 {
				out++
			}
			count++
		})
	}
	return out / count
}

// Begin returns the loss with which a fit of x begins, at the scale that the start gives it, and Neither by its weights.
func (t Task) Begin(ctx context.Context, m rnmf.Model, x *mat.Dense) (first rnmf.Loss, neither float64, err error) {
	for step, err := range m.Steps(ctx, x) {
		if err != nil {
			return nil, 0, err
		}
		start := step.Result()
		o, err := start.Outliers(x, nil)
		if err != nil {
			return nil, 0, err
		}
		return start.Loss, t.Neither(x, o.Weights), nil
	}
	return nil, 0, errors.New("the fit has no start")
}

// Followed is what Follow sees.
type Followed struct {
	Faces *mat.Dense  // the fit of the first sample, a column for each round, the start first
	Ways  [][]float64 // of the two samples, for each round
	All   [][]float64 // AllWays, for each round
	Fit   *mat.Dense  // of all samples, after the last round
}

// Thirds returns the shares of all pixels that lie in each third after a round.
func (f Followed) Thirds(round int) [3]float64 { return thirds(f.All[round]) }

// Stay returns the share, of all pixels that a round has next to either value, of those that are next to the same value at last.
func (f Followed) Stay(round int) float64 {
	stay, count := 0.0, 0.0
	for i, way := range f.All[round] {
		if at := third(way); at != 1 {
			count++
			if third(f.All[len(f.All)-1][i]) == at {
				stay++
			}
		}
	}
	return stay / count
}

// Follow fits x for m.MaxIter rounds, and looks at two samples after each.
func (t Task) Follow(ctx context.Context, m rnmf.Model, x *mat.Dense, one, other int) (f Followed, err error) {
	f.Faces = mat.NewDense(t.Height*t.Width, m.MaxIter+1, nil)
	for step, err := range m.Steps(ctx, x) {
		if err != nil {
			return f, err
		}
		f.Fit = step.Result().WH()
		f.Faces.SetCol(step.Round, mat.Col(nil, one, f.Fit))
		f.Ways = append(f.Ways, t.Ways(x, f.Fit, one, other))
		f.All = append(f.All, t.AllWays(x, f.Fit))
	}
	return f, nil
}

// Film draws a round of some fits: for each model its face, whose white is a value, and below it a histogram of its
// Ways, in which each third has a colour.
func (t Task) Film(models []string, followed []Followed, round int, white float64) (viz.Figure, error) {
	var faces, piles []viz.Figure
	for i, f := range followed {
		face, err := viz.Views([]viz.View{{
			Heading: models[i], X: f.Faces.Slice(0, t.Height*t.Width, round, round+1), Limit: white,
		}}, viz.ViewsOptions{Height: t.Height, Width: t.Width})
		if err != nil {
			return nil, err
		}
		small, err := InGreys(face)
		if err != nil {
			return nil, err
		}
		faces, piles = append(faces, small), append(piles, pile(f.Ways[round]))
	}
	all, err := viz.Grid(len(models), append(faces, piles...)...)
	if err != nil {
		return nil, err
	}
	return viz.Caption(all, fmt.Sprintf("round %d", round))
}

// InGreys draws a figure in 16 greys: of a film of faces, or of faces with noise, all greys make a large file.
func InGreys(f viz.Figure) (*viz.Picture, error) { return few(f, 16) }

// few draws a figure in some greys and in other colours.
func few(f viz.Figure, greys int, others ...color.Color) (*viz.Picture, error) {
	var colours color.Palette
	for v := range greys {
		colours = append(colours, color.Gray{uint8(255 * v / (greys - 1))})
	}
	img := f.Image()
	drawn := image.NewPaletted(img.Bounds(), append(colours, others...))
	imagedraw.Draw(drawn, drawn.Bounds(), img, img.Bounds().Min, imagedraw.Src)
	return viz.NewPicture(drawn)
}

// pile is a histogram of ways, in fifteenths of the way from −0.2 to 4/3, where what is beyond stands at the end.
func pile(ways []float64) *viz.Chart {
	c := viz.NewChart()
	var bins [23]float64
	middle := 0.0
	for _, way := range ways {
		bins[min(max(int(math.Floor(15*way))+3, 0), len(bins)-1)] += 100 / float64(len(ways))
		if third(way) == 1 {
			middle += 100 / float64(len(ways))
		}
	}
	for i, share := range bins {
		low := float64(i-3) / 15
		bar, err := plotter.NewPolygon(plotter.XYs{{X: low, Y: 0}, {X: low + 1./15, Y: 0}, {X: low + 1./15, Y: share}, {X: low, Y: share}})
		if err != nil {
			panic(err) // four finite points are a polygon
		}
		bar.Color, bar.LineStyle.Width = thirdColours[third(low+1./30)], 0
		c.Add(bar)
	}
	c.Title.Text = fmt.Sprintf("%.0f %% in the middle", middle)
	c.X.Tick.Marker = plot.ConstantTicks{{Value: 0, Label: "face"}, {Value: 0.5, Label: "tie"}, {Value: 1, Label: "square"}}
	c.HideY()
	c.X.Min, c.X.Max, c.Y.Min, c.Y.Max = -0.2, 4./3, 0, 75
	c.Width, c.Height = 2.6, 1.6
	return c
}

// thirdColours are those of the thirds.
var thirdColours = [3]color.Color{viz.Color(0), viz.Color(6), viz.Color(1)}
