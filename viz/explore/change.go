package explore

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf/score"
	"github.com/robustnmf/robustnmf/viz"
)

// A Change says what became of the parts and of the groups of samples when some samples were left out.
type Change struct {
	Before, After *Analysis
	Kept          []int // samples of Before, which are those of After in order
	// Partner is the part of After that belongs to each part of Before, so that the sum of Cosines, those of
	// the pairs, is as large as possible.
	Partner []int
	Cosines []float64
	// Rand is the adjusted Rand index of the groups of the samples that were kept, before and after; a group has
	// the samples with the same largest part.
	Rand float64
}

// stays is the cosine from which on a part is the same part.
const stays = 0.9

// Without fits the parts again without some samples, such as BadSamples: how much do they decide? The data are
// prepared as they were, and the loss, the number of parts and the seeds are the same. After has the whole
// analysis of the others.
//
// The error is datasets.ErrParameter for the set of Apply, for a sample that is none, and where fewer than three are
// left, or one of a fit.
func (a *Analysis) Without(ctx context.Context, samples []Sample) (*Change, error) {
	if a.Consensus == nil {
		return nil, fmt.Errorf("%w: no parts were fitted to this set", datasets.ErrParameter)
	}
	_, n := a.Prepared.Dims()
	out := make([]bool, n)
	for _, s := range samples {
		if s.Sample < 0 || s.Sample >= n {
			return nil, fmt.Errorf("%w: sample %d of %d", datasets.ErrParameter, s.Sample, n)
		}
		out[s.Sample] = true
	}
	c := &Change{Before: a}
	for j := range n {
		if !out[j] {
			c.Kept = append(c.Kept, j)
		}
	}
	if len(c.Kept) < 3 {
		return nil, fmt.Errorf("%w: %d samples are left, want 3 or more", datasets.ErrParameter, len(c.Kept))
	}
	prepared, err := a.Prepared.Pick(c.Kept)
	if err != nil {
		return nil, err
	}
	_, pool := a.Consensus.Pool.Dims()
	study := Study{Kind: a.Kind, Steps: []datasets.Preprocessor{}, Loss: a.Loss, Rank: a.Rank, Starts: pool / a.Rank, Seed: a.Seed}
	if c.After, err = study.Run(ctx, prepared); err != nil {
		return nil, err
	}
	if c.After.Set, err = a.Set.Pick(c.Kept); err != nil { // what is told of values is told in the unit of the file
		return nil, err
	}
	c.After.Preparation = a.Preparation
	return c, c.compare()
}

// compare matches parts and groups.
func (c *Change) compare() error {
	cosines := c.cosines()
	_, r := cosines.Dims()
	cost := mat.NewDense(r, r, nil)
	cost.Scale(-1, cosines)
	var err error
	if c.Partner, err = score.Assignment(cost); err != nil {
		return err
	}
	for k, l := range c.Partner {
		c.Cosines = append(c.Cosines, cosines.At(k, l))
	}
	groups, before := c.Before.Result.Clusters(), []int(nil)
	for _, j := range c.Kept {
		before = append(before, groups[j])
	}
	c.Rand, err = score.AdjustedRand(before, c.After.Result.Clusters())
	return err
}

// cosines returns those of all parts before with all parts after.
func (c *Change) cosines() *mat.Dense {
	before, _ := c.Before.Result.Normalized(2)
	after, _ := c.After.Result.Normalized(2)
	var all mat.Dense
	all.Mul(before.T(), after)
	return &all
}

// Stay is how many parts have a cosine of 0.9 or more with their partners.
func (c *Change) Stay() (n int) {
	for _, v := range c.Cosines {
		if v >= stays {
			n++
		}
	}
	return n
}

// said is what String and the title of Draw begin with.
func (c *Change) said() string {
	of := c.Stay()
	stay := "stay"
	if of == 1 {
		stay = "stays"
	}
	_, n := c.Before.Prepared.Dims()
	return fmt.Sprintf("Without %s %d of %s %s", count(n-len(c.Kept), "sample"), of, count(len(c.Cosines), "part"), stay)
}

// String says how many parts stay, and how far the groups do.
func (c *Change) String() string {
	return fmt.Sprintf("%s (cosine 0.9 or more). The groups of the others agree with those before to an adjusted Rand index of %.2f.", c.said(), c.Rand)
}

// Draw draws the parts before above their partners after, with the cosines, where they are images, and otherwise the
// cosines of all parts before with all parts after.
func (c *Change) Draw() (viz.Figure, error) {
	s := c.Before.Prepared
	before, _ := c.Before.Result.Normalized(2)
	after, _ := c.After.Result.Normalized(2)
	if s.Height > 0 {
		partners, captions := mat.DenseCopyOf(before), []string(nil)
		for k, l := range c.Partner {
			partners.SetCol(k, mat.Col(nil, l, after))
			captions = append(captions, fmt.Sprintf("%d: %.2f", k+1, c.Cosines[k]))
		}
		return viz.PairedGallery("before", before, "after", partners, viz.GalleryOptions{Title: c.said() + " (cosine 0.9 or more)", Height: s.Height, Width: s.Width, Captions: captions, Smooth: true})
	}
	names := c.After.PartNames()
	return viz.Heatmap(c.cosines(), viz.HeatmapOptions{Title: c.said(), RowNames: c.Before.PartNames(), ColumnNames: names, ColumnOrder: c.Partner,
		Values: true, BarLabel: "cosine", Min: 0, Max: 1, XLabel: "parts after", YLabel: "parts before"})
}
