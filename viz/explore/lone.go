package explore

import (
	"fmt"
	"math"
	"path"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/viz"
)

// Lone returns the parts that are the largest of one sample alone, or of which it has three quarters, and these
// samples, of which Run warns: a foreign sample that takes a part leaves no residual to be seen by. There are
// none where samples are few for the parts, as groups of one sample are usual there, and none of data that stay
// sparse.
func (a *Analysis) Lone() (parts, samples []int) {
	if a.Prepared.Sparse != nil {
		return nil, nil
	}
	return lone(a.Result)
}

// DrawLone draws the samples of Lone: each as it is, as all parts make it, and what of this is its largest part.
// It is ErrParameter where there are none.
func (a *Analysis) DrawLone() (viz.Figure, error) {
	parts, samples := a.Lone()
	if parts == nil {
		return nil, fmt.Errorf("%w: no part is the largest of one sample alone", datasets.ErrParameter)
	}
	s, wh := a.Prepared, a.Result.WH()
	m, _ := s.Dims()
	x := mat.NewDense(m, 3*len(parts), nil)
	var captions []string
	title := "Samples that are alone with their largest part"
	for q, c := range parts {
		j := samples[q]
		var own, all float64
		for i := range m {
			v, part := s.X.At(i, j), a.Result.W.At(i, c)*a.Result.H.At(c, j)
			if math.IsNaN(v) {
				v = 0
			}
			copy(x.RawRowView(i)[3*q:], []float64{v, wh.At(i, j), part})
			own, all = own+part, all+wh.At(i, j)
		}
		name := s.SampleName(j)
		if s.Height > 0 { // without folder and ending
			name = strings.TrimSuffix(path.Base(name), path.Ext(name))
		}
		captions = append(captions, name, "all parts", a.Parts[c].Name)
		if len(parts) == 1 {
			title = fmt.Sprintf("%s of what the parts make of %s is part %d", percent(own/max(all, math.SmallestNonzeroFloat64)), name, c+1)
		}
	}
	if s.Height > 0 {
		return viz.Gallery(x, viz.GalleryOptions{Title: title, Height: s.Height, Width: s.Width, Captions: captions, Columns: 3, Common: true})
	}
	var features []string
	for i := range m {
		features = append(features, s.FeatureName(i))
	}
	return viz.TopFeatures(x, viz.TopFeaturesOptions{Title: title, Features: features, Captions: captions, Count: 6, Common: true})
}
