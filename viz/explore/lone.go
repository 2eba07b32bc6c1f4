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

// DrawLone draws the samples of Lone: each as it is, as all parts make it, and what of this is its largest part and the
// next largest, to compare.
// It is ErrParameter where there are none.
func (a *Analysis) DrawLone() (viz.Figure, error) {
	parts, samples := a.Lone()
	if parts == nil {
		return nil, fmt.Errorf("%w: no part is the largest of one sample alone", datasets.ErrParameter)
	}
	s, wh := a.Prepared, a.Result.WH()
	m, _ := s.Dims()
	_, h := a.Result.Normalized(2)
	shown := min(4, 2+a.Rank)
	x := mat.NewDense(m, shown*len(parts), nil)
	var captions []string
	title := "Samples that are alone with their largest part"
	for q, c := range parts {
		j := samples[q]
		largest := []int{c}
		if a.Rank > 1 {
			largest = append(largest, next(h, c, j))
		}
		own, all := make([]float64, 2), 0.0
		for i := range m {
			v := s.X.At(i, j)
			if math.IsNaN(v) {
				v = 0
			}
			row := x.RawRowView(i)[shown*q:]
			row[0], row[1] = v, wh.At(i, j)
			for k, of := range largest {
				row[2+k] = a.Result.W.At(i, of) * a.Result.H.At(of, j)
				own[k] += row[2+k]
			}
			all += row[1]
		}
		name := s.SampleName(j)
		if s.Height > 0 { // without folder and ending
			name = strings.TrimSuffix(path.Base(name), path.Ext(name))
		}
		captions = append(captions, name, "all parts")
		for _, of := range largest {
			captions = append(captions, a.Parts[of].Name)
		}
		if len(parts) == 1 {
			share := func(k int) string { return percent(own[k] / max(all, math.SmallestNonzeroFloat64)) }
			title = fmt.Sprintf("%s of what the parts make of %s is part %d", share(0), name, c+1)
			if len(largest) > 1 {
				title += fmt.Sprintf(", %s is part %d", share(1), largest[1]+1)
			}
		}
	}
	if s.Height > 0 {
		return viz.Gallery(x, viz.GalleryOptions{Title: title, Height: s.Height, Width: s.Width, Captions: captions, Columns: shown, Common: true})
	}
	var features []string
	for i := range m {
		features = append(features, s.FeatureName(i))
	}
	return viz.TopFeatures(x, viz.TopFeaturesOptions{Title: title, Features: features, Captions: captions, Count: 6, Common: true})
}

// next is the largest part of sample j but for part c.
func next(h *mat.Dense, c, j int) int {
	of := -1
	r, _ := h.Dims()
	for k := range r {
		if k != c && (of < 0 || h.At(k, j) > h.At(of, j)) {
			of = k
		}
	}
	return of
}
