package yours

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/notebooks/lesson"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/viz"
	"github.com/robustnmf/robustnmf/viz/explore"
)

// Others returns n of the samples that are called neither wrong nor rare, evenly over the list from the most suspect
// to the least.
func Others(a *explore.Analysis, n int) (some []explore.Sample) {
	if a.Suspects == nil {
		return nil
	}
	called := map[int]bool{}
	for _, s := range append(a.RareSamples(), a.BadSamples()...) {
		called[s.Sample] = true
	}
	var fit []int
	for _, s := range a.Suspects.Samples {
		if !called[s.Sample] {
			fit = append(fit, s.Sample)
		}
	}
	n = min(n, len(fit))
	for k := range n {
		some = append(some, explore.Sample{Sample: fit[k*len(fit)/n]})
	}
	return some
}

// Answers runs the solutions of the exercises with the three examples, and tells what they give.
func Answers(ctx context.Context, photos, table, counts *explore.Analysis) (*viz.Table, error) {
	five := lesson.Explore(explore.Study{Rank: 5}, table.Set)
	var parts []string
	for _, p := range five.Parts {
		parts = append(parts, fmt.Sprintf("%s (%.2f)", p.Name, p.Stability))
	}
	free := lesson.Explore(explore.Study{}, counts.Set)
	rank := free.Decisions[slices.IndexFunc(free.Decisions, func(d explore.Decision) bool { return d.About == "parts" })]
	spoiled, where, err := photos.Set.Corrupt(datasets.OutlierSamples{Share: 0.3, Max: photos.Set.Max}, 1)
	if err != nil {
		return nil, err
	}
	noise, found := 0, 0
	_, n := where.Dims()
	for j := range n {
		if where.At(0, j) > 0 {
			noise++
		}
	}
	many := lesson.Explore(explore.Study{}, spoiled)
	for _, s := range many.BadSamples() {
		if where.At(0, s.Sample) > 0 {
			found++
		}
	}
	var changes []*explore.Change
	for _, loss := range []rnmf.Loss{photos.Loss, rnmf.Frobenius{}} {
		four := lesson.Explore(explore.Study{Loss: loss, Rank: 4}, photos.Set)
		c, err := four.Without(ctx, photos.BadSamples())
		if err != nil {
			return nil, err
		}
		changes = append(changes, c)
	}
	return viz.NewTable([]string{"exercise", "what the solution gives"}, [][]any{
		{"1, five parts of wines (stability)", strings.Join(parts, "; ")},
		{"1, parts of words", rank.Choice + ": " + rank.Reason},
		{"2, more noise", fmt.Sprintf("Called wrong: %d; of the %d pictures that were replaced: %d.", len(many.BadSamples()), noise, found)},
		{"3, robust loss", changes[0].String()},
		{"3, least squares", changes[1].String()},
	})
}
