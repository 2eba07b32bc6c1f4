package yours

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

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

// Answers runs the solutions of the exercises with the three examples, and tells what they give. Of the photos it is
// known which are noise.
func Answers(ctx context.Context, known Example, photos, table, counts *explore.Analysis) (*viz.Table, error) {
	five := lesson.Explore(explore.Study{Rank: 5}, table.Set)
	var parts []string
	for _, p := range five.Parts {
		parts = append(parts, fmt.Sprintf("%s (%.2f)", p.Name, p.Stability))
	}
	goes := where(table, five)
	free := lesson.Explore(explore.Study{}, counts.Set)
	rank := free.Decisions[slices.IndexFunc(free.Decisions, func(d explore.Decision) bool { return d.About == "parts" })]
	twice, err := known.Twice(photos.Set, explore.Study{})
	if err != nil {
		return nil, err
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
		{"1, bottles of each of the three parts by their largest of the five", strings.Join(goes, "; ")},
		{"1, parts of words", rank.Choice + ": " + rank.Reason},
		{"2, noise that comes twice", twice.String()},
		{"3, robust loss", changes[0].String()},
		{"3, least squares", changes[1].String()},
	})
}

// where says of each part of an analysis how many of the samples whose largest it is have which largest part in
// another, the most first, and the cosine of the two parts.
func where(before, after *explore.Analysis) (lines []string) {
	w, _ := before.Result.Normalized(2)
	v, _ := after.Result.Normalized(2)
	var cosines mat.Dense
	cosines.Mul(w.T(), v)
	groups := after.Result.Clusters()
	for k, p := range before.Parts {
		var to []string
		for _, g := range among(before, k, groups) {
			to = append(to, fmt.Sprintf("%d in part %d (cosine %.2f)", g.samples, g.group+1, cosines.At(k, g.group)))
		}
		lines = append(lines, fmt.Sprintf("of the %d of part %d, %s", p.Samples, k+1, strings.Join(to, ", ")))
	}
	return lines
}
