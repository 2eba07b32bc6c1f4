package yours

import (
	"context"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/choose"
	"github.com/robustnmf/robustnmf/viz"
	"github.com/robustnmf/robustnmf/viz/explore"
)

// A Followed is an image and what each fit of the search for suspects finds in it.
type Followed struct {
	Name          string
	Height, Width int
	X             []float64
	Fits          []FollowedFit
}

// A FollowedFit is one of these fits. Size is the mean magnitude of the residuals of the sample, Median and Low the
// median and the 16 % quantile of this over all samples, and As the number of samples for which it is no smaller.
type FollowedFit struct {
	Loss              string
	Made              []float64 // of the sample, by the parts
	Size, Median, Low float64
	As, All           int
	// DirectionLimit is the limit of the third rule for choose.Suspect.Direction.
	DirectionLimit float64
	choose.Suspect // of this fit alone
}

// Follow follows an image through the four fits in which explore.Run looks for suspects: the first that is called wrong
// though it is known to be right, or else the first that is called wrong. It is nil where none is, and without images.
func (e Example) Follow(ctx context.Context, a *explore.Analysis) (*Followed, error) {
	called := a.BadSamples()
	if mistaken := e.mistaken(called); len(mistaken) > 0 {
		called = mistaken
	}
	s := a.Prepared
	if len(called) == 0 || s.Height == 0 || a.Family != rnmf.Gaussian {
		return nil, nil
	}
	j := called[0].Sample
	f := &Followed{Name: strings.TrimSuffix(path.Base(called[0].Name), path.Ext(called[0].Name)), Height: s.Height, Width: s.Width}
	m, n := s.Dims()
	for i := range m {
		f.X = append(f.X, s.X.At(i, j))
	}
	signed := slices.ContainsFunc(s.X.RawMatrix().Data, func(v float64) bool { return v < 0 })
	for k, model := range []rnmf.Model{rnmf.L21NMF(a.Rank), rnmf.HuberNMF(a.Rank)} {
		for start := range 2 {
			model.Seed, model.Mask, model.Signed = a.Seed+uint64(start), s.Mask(), signed
			r, err := model.Fit(ctx, s.X)
			if err != nil {
				return nil, err
			}
			found, err := choose.OutlierSearch{X: s.X, Mask: model.Mask, Models: []rnmf.Model{model}, Starts: 1, Seed: model.Seed}.Run(ctx)
			if err != nil {
				return nil, err
			}
			fit := FollowedFit{Loss: fmt.Sprintf("%s, start %d", []string{"L2,1", "Huber"}[k], start+1), Made: mat.Col(nil, j, r.WH()), All: n}
			out, err := r.Outliers(s.X, model.Mask)
			if err != nil {
				return nil, err
			}
			var sizes, directions []float64
			for c := range n {
				var sum, known float64
				for i := range m {
					if model.Mask == nil || model.Mask.At(i, c) > 0 {
						sum, known = sum+math.Abs(out.E.At(i, c)), known+1
					}
				}
				sizes = append(sizes, sum/max(1, known))
			}
			fit.Size = sizes[j]
			slices.Sort(sizes)
			fit.Median, fit.Low = sizes[n/2], sizes[int(0.16*float64(n))]
			at, _ := slices.BinarySearch(sizes, fit.Size)
			fit.As = n - at
			for _, of := range found.Samples {
				if directions = append(directions, of.Direction); of.Sample == j {
					fit.Suspect = of
				}
			}
			slices.Sort(directions)
			fit.DirectionLimit = directionLimit(directions)
			f.Fits = append(f.Fits, fit)
		}
	}
	return f, nil
}

// directionLimit is the limit of the third rule of notebook 07 for choose.Suspect.Direction, of which all are given in
// ascending order.
func directionLimit(sorted []float64) float64 {
	return max(0.6, 2.5*sorted[int(0.84*float64(len(sorted)))])
}

// Draw draws the image, what the parts of the first fit with each loss make of it, and the magnitudes of the
// residuals.
func (f *Followed) Draw() (viz.Figure, error) {
	x, captions := mat.NewDense(len(f.X), 5, nil), []string{f.Name, "L2,1: parts", "residuals", "Huber: parts", "residuals"}
	x.SetCol(0, f.X)
	for k, fit := range []FollowedFit{f.Fits[0], f.Fits[2]} {
		for i, v := range fit.Made {
			x.Set(i, 2*k+1, v)
			x.Set(i, 2*k+2, math.Abs(f.X[i]-v))
		}
	}
	title := fmt.Sprintf("Mean size of a residual: %.0f with L2,1, %.0f with Huber's loss", f.Fits[0].Size, f.Fits[2].Size)
	x.Apply(func(_, _ int, v float64) float64 {
		if math.IsNaN(v) { // missing
			return 0
		}
		return v
	}, x)
	return viz.Gallery(x, viz.GalleryOptions{Title: title, Height: f.Height, Width: f.Width, Captions: captions, Columns: 5, Common: true})
}

// Table follows the image through the rules of notebook 07: a column for each fit.
func (f *Followed) Table() (*viz.Table, error) {
	header, called := []string{f.Name}, 0
	rows := [][]any{{"rule 1: z of the root mean square or of the largest (limit: 3.5)"}, {"rule 2: mean magnitude s of the residuals"}, {"median of s"}, {"16 % quantile of s"},
		{"z of s"}, {fmt.Sprintf("as far apart by chance: %d Φ(−z)", f.Fits[0].All)}, {"2 % of those that are as far apart"}, {"rule 3: direction, from 0 (usual) to 1 (by chance)"}, {"its limit"}, {"called wrong by"}}
	for _, fit := range f.Fits {
		by := "none"
		if fit.Share > 0 {
			called++
			var rules []string
			for k, share := range []float64{fit.Far, fit.Many, fit.Strange} {
				if share > 0 {
					rules = append(rules, fmt.Sprintf("rule %d", k+1))
				}
			}
			by = strings.Join(rules, ", ")
		}
		header = append(header, fit.Loss)
		chance := float64(fit.All) / 2 * math.Erfc(fit.MeanApart/math.Sqrt2)
		for i, text := range []string{fmt.Sprintf("%.2f", fit.Apart), fmt.Sprintf("%.2f", fit.Size), fmt.Sprintf("%.2f", fit.Median), fmt.Sprintf("%.2f", fit.Low),
			fmt.Sprintf("%.2f", fit.MeanApart), fmt.Sprintf("%.2f", chance), fmt.Sprintf("%.2f (of %d)", 0.02*float64(fit.As), fit.As),
			fmt.Sprintf("%.2f", fit.Direction), fmt.Sprintf("%.2f", fit.DirectionLimit), by} {
			rows[i] = append(rows[i], text)
		}
	}
	t, err := viz.NewTable(header, rows)
	if err == nil {
		t.Caption = fmt.Sprintf("%s is called wrong in %d of %d fits", f.Name, called, len(f.Fits))
	}
	return t, err
}
