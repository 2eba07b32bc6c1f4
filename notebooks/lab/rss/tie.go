package rss

import (
	"context"
	"fmt"
	"image"
	"image/color"
	imagedraw "image/draw"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

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

// Kept returns the share p of a small shift that a step keeps: a fit is shifted off the middle of two values at the
// distance d from it, and goes to the mean of the two with the weights of a loss.
func Kept(l rnmf.Loss, d float64) float64 {
	shift := d / 1e4
	_, near := l.Rho((d - shift) * (d - shift))
	_, far := l.Rho((d + shift) * (d + shift))
	return d * (near - far) / (near + far) / shift
}

// third is the third of the way in which a fit stands: 0 next to the right value, 2 next to the wrong one.
func third(way float64) int { return min(max(int(3*way), 0), 2) }

// Tie returns the shares of the Ways that lie in each third, over the first two labelled samples of all classes.
func (t Task) Tie(x, fit mat.Matrix) (thirds [3]float64) {
	one, other := t.Pairs(len(t.Classes))
	count := 0.0
	for c := range one {
		for _, way := range t.Ways(x, fit, one[c], other[c]) {
			thirds[third(way)]++
			count++
		}
	}
	for i := range thirds {
		thirds[i] /= count
	}
	return thirds
}

// Followed is what Follow sees.
type Followed struct {
	Faces *mat.Dense  // the fit of the first sample, a column for each round, the start first
	Ways  [][]float64 // of the two samples, for each round
	Fit   *mat.Dense  // of all samples, after the last round
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
	}
	return f, nil
}

// Faces returns the faces of a round, a column for each fit that was followed.
func Faces(followed []Followed, round int) *mat.Dense {
	pixels, _ := followed[0].Faces.Dims()
	faces := mat.NewDense(pixels, len(followed), nil)
	for i, f := range followed {
		faces.SetCol(i, mat.Col(nil, round, f.Faces))
	}
	return faces
}

// forkEvery is the step from a pixel that Forks draws to the next one.
const forkEvery = 7

// Forks draws for each model its Ways round by round, the start first: a line for every seventh pixel,
// in the colour of the third in which the last round has it. All have the same axes. The titles count all pixels.
func Forks(models []string, followed []Followed) (pictures []any, err error) {
	var charts []*viz.Chart
	low, high := -0.2, 1.2
	for i, f := range followed {
		c := fork(models[i], f.Ways)
		low, high = min(low, c.Y.Min), max(high, c.Y.Max)
		charts = append(charts, c)
	}
	for _, c := range charts {
		c.Y.Min, c.Y.Max = low, high
		p, err := viz.NewPicture(fewColours(c.Image()))
		if err != nil {
			return nil, err
		}
		pictures = append(pictures, p)
	}
	return pictures, nil
}

// fewColours draws a picture in the colours of forkLine and some between them and white: soft edges of slanted lines
// have hundreds of colours, which make its file large.
func fewColours(img image.Image) image.Image {
	var few color.Palette
	for _, c := range forkLine {
		mix := func(v uint8, share int) uint8 { return uint8((int(v)*(4-share) + 255*share) / 4) }
		for share := range 5 {
			few = append(few, color.RGBA{mix(c.R, share), mix(c.G, share), mix(c.B, share), 255})
		}
	}
	drawn := image.NewPaletted(img.Bounds(), few)
	imagedraw.Draw(drawn, drawn.Bounds(), img, img.Bounds().Min, imagedraw.Src)
	return drawn
}

// forkLine are the colours of the thirds.
var forkLine = [3]color.RGBA{viz.Color(0), viz.Color(6), viz.Color(1)}

func fork(model string, rounds [][]float64) *viz.Chart {
	last := rounds[len(rounds)-1]
	c := viz.NewChart()
	c.X.Label.Text, c.Y.Label.Text = "round", "0: face, 1: square"
	c.Width, c.Height = 2.7, 2.3
	middle := 0
	for i, end := range last {
		if third(end) == 1 {
			middle++
		}
		if i%forkEvery > 0 {
			continue
		}
		var points plotter.XYs
		for round, ways := range rounds {
			points = append(points, plotter.XY{X: float64(round), Y: ways[i]})
			c.Y.Min, c.Y.Max = min(c.Y.Min, ways[i]), max(c.Y.Max, ways[i])
		}
		c.Add(&plotter.Line{XYs: points, LineStyle: draw.LineStyle{Color: forkLine[third(end)], Width: vg.Points(1)}})
	}
	c.X.Min, c.X.Max = 0, float64(len(rounds)-1)
	c.Title.Text = fmt.Sprintf("%s: %.0f %% in the middle", model, 100*float64(middle)/float64(len(last)))
	return c
}
