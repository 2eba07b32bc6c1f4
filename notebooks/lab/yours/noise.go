package yours

import (
	"fmt"
	"slices"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/notebooks/lesson"
	"github.com/robustnmf/robustnmf/viz"
	"github.com/robustnmf/robustnmf/viz/explore"
)

// A call says how many of the samples of noise are called wrong and rare, and how many others are.
type call struct{ noise, wrong, otherWrong, rare, otherRare int }

// called compares what an analysis says with what is known to be noise.
func called(a *explore.Analysis, noise []string) call {
	count := func(samples []explore.Sample) (hits int) {
		for _, s := range samples {
			if slices.Contains(noise, s.Name) {
				hits++
			}
		}
		return hits
	}
	wrong, rare := count(a.BadSamples()), count(a.RareSamples())
	return call{len(noise), wrong, len(a.BadSamples()) - wrong, rare, len(a.RareSamples()) - rare}
}

// noisier explores a set once for each of some shares of its samples, which noise replaces.
func (e Example) noisier(s *datasets.Set, study explore.Study, shares ...float64) (calls []call, err error) {
	_, n := s.Dims()
	for _, share := range shares {
		spoiled, replaced, err := s.Corrupt(datasets.OutlierSamples{Share: share, Max: s.Max}, 1)
		if err != nil {
			return nil, err
		}
		var noise []string
		for j := range n {
			if name := s.SampleName(j); replaced.At(0, j) > 0 || slices.Contains(e.Wrong, name) {
				noise = append(noise, name)
			}
		}
		calls = append(calls, called(lesson.Explore(study, spoiled), noise))
	}
	return calls, nil
}

// Noise says what is called wrong and rare as more and more samples are noise: those of the example, which a has
// explored, and the shares of all that are replaced too.
func (e Example) Noise(a *explore.Analysis, study explore.Study, shares ...float64) (*viz.Table, error) {
	calls, err := e.noisier(a.Set, study, shares...)
	if err != nil {
		return nil, err
	}
	_, n := a.Set.Dims()
	var rows [][]any
	for _, c := range append([]call{called(a, e.Wrong)}, calls...) {
		rows = append(rows, []any{fmt.Sprintf("%d of %d (%.0f %%)", c.noise, n, 100*float64(c.noise)/float64(n)), c.wrong, c.otherWrong, c.rare, c.otherRare})
	}
	return viz.NewTable([]string{"noise", "of it called wrong", "others called wrong", "of it called rare", "others called rare"}, rows)
}
