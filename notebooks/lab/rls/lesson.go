package rls

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/notebooks/lesson"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/baseline"
	"github.com/robustnmf/robustnmf/rnmf/choose"
	"github.com/robustnmf/robustnmf/rnmf/score"
)

// Terms are the accuracies of Table 1 in percent, stored and printed, one term after the other, each at
// its best point by the labels. RLS-NMF has γ ≤ 1 here.
func Terms() (ours, theirs *lesson.Results) {
	ours, theirs = &lesson.Results{Digits: 1}, &lesson.Results{Digits: 1}
	columns := []string{"NMF", "+ graph (GNMF)", "+ ℓ₁ on both (3)", "log instead of ℓ₁ (LS-NMF)", "+ S, γ ≤ 1 (RLS-NMF)"}
	for i, method := range []string{"NMF", "GNMF", "L1", "LS-NMF", "RLS-NMF"} {
		for _, set := range Sets {
			grid := Grid(1, set.Name, 0, method).Where(func(r choose.Row) bool { return method != "RLS-NMF" || r.Setting.Value("gamma") > 0 })
			best, _ := grid.Best(choose.Criterion{Score: "accuracy"})
			ours.Add(set.Name, columns[i], 100*best.Scores["accuracy"])
			theirs.Add(set.Name, columns[i], PrintedNumber(1, set.Name, 0, "accuracy", method))
		}
	}
	return ours, theirs
}

// Singled tells of each sample whether S is not 0 there.
func Singled(r *rnmf.Result, x mat.Matrix) ([]bool, error) {
	o, err := r.Outliers(x, nil)
	if err != nil {
		return nil, err
	}
	var singled []bool
	for j := range o.Samples {
		singled = append(singled, mat.Norm(o.S.ColView(j), 2) > 0)
	}
	return singled, nil
}

// Among counts the samples of which something is true, the images that a mask marks as shuffled and the others.
func Among(is []bool, mask mat.Matrix) string {
	var all, some [2]int
	for j, yes := range is {
		k := int(mask.At(0, j))
		if all[k]++; yes {
			some[k]++
		}
	}
	return fmt.Sprintf("%d of the %d shuffled images, and in %d of the %d others", some[1], all[1], some[0], all[0])
}

// A Moment is what a fit is after a round.
type Moment struct {
	Round               int
	Objective, Accuracy float64 // Accuracy is that of k-means on the columns of H, with those of W of length 1
	Roughness           float64 // tr(HLHᵀ)/‖H‖²
}

// Follow fits a model, and looks at it after some rounds.
func Follow(ctx context.Context, p *Problem, m rnmf.Model, rounds ...int) (all []Moment, err error) {
	for step, err := range m.Steps(ctx, p.X) {
		if err != nil {
			return nil, err
		}
		if !slices.Contains(rounds, step.Round) {
			continue
		}
		_, h := step.Result().Normalized(2)
		found, err := baseline.KMeans{K: p.K, Seed: 1}.Fit(ctx, h)
		if err != nil {
			return nil, err
		}
		accuracy, err := score.Accuracy(p.Set.Labels, found.Labels)
		if err != nil {
			return nil, err
		}
		all = append(all, Moment{step.Round, step.Objective, accuracy, p.Graph.Roughness(h) / math.Pow(mat.Norm(h, 2), 2)})
	}
	return all, nil
}
