package yours

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/viz"
	"github.com/robustnmf/robustnmf/viz/explore"
)

// InOrder draws how much of each sample each part is, the samples in the order of the file. Its title says
// which part has the largest share of the first fifth of them, and which of the last. Samples that do not fit are
// marked.
func InOrder(a *explore.Analysis) (viz.Figure, error) {
	_, h := a.Result.Normalized(1)
	share := mat.DenseCopyOf(h)
	share.Apply(func(_, j int, v float64) float64 {
		if sum := mat.Sum(h.ColView(j)); sum > 0 {
			return v / sum
		}
		return 0
	}, h)
	names := a.PartNames()
	_, n := share.Dims()
	most := func(from, to int) string {
		sums := make([]float64, len(names))
		for k := range sums {
			sums[k] = mat.Sum(share.Slice(k, k+1, from, to))
		}
		name := names[floats.MaxIdx(sums)]
		if _, features, ok := strings.Cut(name, ": "); ok {
			return features
		}
		return name
	}
	fifth := max(n/5, 1)
	opt := viz.HeatmapOptions{Title: fmt.Sprintf("“%s” leads the first fifth, “%s” the last", most(0, fifth), most(n-fifth, n)),
		RowNames: names, XLabel: "samples, in the order of the file", BarLabel: "share"}
	if bad := a.BadSamples(); len(bad) > 0 {
		marks := slices.Repeat([]int{-1}, n) // white
		for _, s := range bad {
			marks[s.Sample] = 0
		}
		opt.Tracks = []viz.Track{{Name: "suspect", Classes: marks, Names: []string{"does not fit"}}}
	}
	return viz.Heatmap(share, opt)
}

// Largest says which parts are the largest of some samples, of at least two of them, and of how many others.
func Largest(a *explore.Analysis, some []explore.Sample) string {
	largest, count := a.Result.Clusters(), make([]int, a.Rank)
	for _, s := range some {
		count[largest[s.Sample]]++
	}
	var lines []string
	for k, p := range a.Parts {
		if count[k] > 1 {
			lines = append(lines, fmt.Sprintf("The largest part of %d of them and of %d others is %s, whose stability is %.2f.", count[k], p.Samples-count[k], p.Name, p.Stability))
		}
	}
	return strings.Join(lines, "\n")
}
