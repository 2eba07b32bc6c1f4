package counts

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/viz"
)

// FewPhotons draws some samples as they are expected, as they were counted, and by some fits. Below the fits stands how far they
// are from what is expected in the dark (see ErrorInDark), next to that of zeros everywhere and to the weights of the last fit.
func FewPhotons(title string, s *datasets.Set, x, expected *mat.Dense, samples []int, names []string, fits ...*rnmf.Result) (*viz.Picture, error) {
	m, n := x.Dims()
	most, limit := mat.Max(expected), mat.Sum(expected)/float64(4*m*n)
	root := func(a *mat.Dense) *mat.Dense {
		return matrix(m, n, func(i, j int) float64 { return math.Sqrt(a.At(i, j) / most) })
	}
	off := func(name string, y *mat.Dense) viz.View {
		return viz.View{Heading: fmt.Sprintf("%s\noff by %.2f", name, ErrorInDark(y, expected)), Tone: viz.Signed, Limit: 1, X: matrix(m, n, func(i, j int) float64 {
			if expected.At(i, j) >= limit {
				return 0
			}
			return y.At(i, j) - expected.At(i, j)
		})}
	}
	last := len(fits) - 1
	out, err := fits[last].Outliers(x, nil)
	if err != nil {
		return nil, err
	}
	upper := []viz.View{{Heading: "without noise", X: root(expected)}, {Heading: "counted", X: root(x)}}
	lower := []viz.View{{Heading: "weights of\n" + names[last], X: out.Weights, Tone: viz.Weight}, off("zeros", mat.NewDense(m, n, nil))}
	for i, r := range fits {
		upper = append(upper, viz.View{Heading: names[i], X: root(r.WH())})
		lower = append(lower, off(names[i], r.WH()))
	}
	opt := viz.ViewsOptions{Height: s.Height, Width: s.Width, Samples: samples, Title: title}
	above, err := viz.Views(upper, opt)
	if err != nil {
		return nil, err
	}
	opt.Title = "Fit − expected in the dark, in photons, and its mean size"
	below, err := viz.Views(lower, opt)
	if err != nil {
		return nil, err
	}
	return viz.Grid(1, above, below)
}
