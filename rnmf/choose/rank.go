package choose

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/internal/isnil"
	"github.com/robustnmf/robustnmf/rnmf"
)

// A RankSearch asks data for the rank of a model, by entries held out and by the
// agreement of starts, and reconciles the two. Where the best rank is the largest that
// was tried, it goes on to larger ones by itself.
type RankSearch struct {
	X    mat.Matrix
	Mask mat.Matrix // entries where it is 0 are missing; nil is all there
	// Model is fitted at each rank; its Rank, Seed and Mask do not count.
	Model rnmf.Model
	// Ranks to begin with, in ascending order; nil is 1, 2, 3, 4, 6, 8, 11 and 16, as
	// far as Most allows.
	Ranks []int
	// Most is the largest rank to go on to; 0 is half of the smaller side of X, at most
	// 100, and not less than the largest of Ranks. No rank is above that side.
	Most int
	// Folds are those of HeldOut, and Starts the number of starts that are compared; 0 is
	// 5, at least 2.
	Folds, Starts int
	Seed          uint64
	// File and Task are as those of a Grid: what is known is kept there.
	File, Task string
	// Progress, if not nil, is called before the first rank and after each. Total grows
	// where the search goes on to larger ranks.
	Progress func(Progress)
}

// A RankChoice is what a RankSearch found.
type RankChoice struct {
	// Rank is the recommendation, and Reason why.
	Rank   int
	Reason string
	// Predicts is the smallest rank whose held-out error is within one standard error of the
	// smallest, and Lasts the largest rank whose starts agree on the groups (the mean adjusted Rand
	// index of two starts is at least 0.75); a rank above Predicts does not count if its held-out
	// error is more than a tenth above the smallest. Either is 0 if there is none.
	Predicts, Lasts int
	// AtEdge says that the held-out error still falls at the largest rank that was tried, so that
	// the best rank may be larger.
	AtEdge bool
	// Limit is the held-out error that was asked for: that of the best rank and one standard error more or,
	// AtEdge, the error after nine tenths of the fall. The first rank that reaches it is Rank.
	Limit float64
	Table *Table // a row for each rank, with ScoreHeldOut, ScoreHeldOutSE, ScoreStability and others
}

// String returns the recommendation with its reason.
func (c *RankChoice) String() string { return fmt.Sprintf("rank %d: %s", c.Rank, c.Reason) }

// agreement is the adjusted Rand index from which on starts agree; nearlyAll is the share
// of the gain of all ranks at which further parts are details.
const (
	agreement = 0.75
	nearlyAll = 0.9
)

// Run tries the ranks. If ctx ends, it returns what the ranks tried so far say, nil if
// none was, and ctx.Err(). The error is rnmf.ErrEmpty without data, ErrParameter for
// ranks below 1, above Most, or not ascending, for fewer than two starts or folds, and for a mask of
// another shape, and that of a fit.
func (s RankSearch) Run(ctx context.Context) (*RankChoice, error) {
	if isnil.Matrix(s.X) {
		return nil, errNoX("RankSearch.X")
	}
	if s.Starts == 1 || s.Starts < 0 || s.Folds == 1 || s.Folds < 0 {
		return nil, fmt.Errorf("%w: %d starts and %d folds, want 2 or more, or 0 for 5", ErrParameter, s.Starts, s.Folds)
	}
	if err := wantKnown(s.X, s.Mask, "RankSearch.Mask"); err != nil {
		return nil, err
	}
	m, n := s.X.Dims()
	most := s.Most
	if most == 0 {
		most = max(1, min(100, min(m, n)/2))
		if len(s.Ranks) > 0 {
			most = max(most, s.Ranks[len(s.Ranks)-1])
		}
	}
	if most = min(most, m, n); most < 1 {
		return nil, fmt.Errorf("%w: RankSearch.Most is %d, want 1 to the smaller side of X of %d×%d", ErrParameter, most, m, n)
	}
	ranks := slices.Clone(s.Ranks)
	if len(ranks) == 0 {
		for _, r := range []int{1, 2, 3, 4, 6, 8, 11, 16} {
			if r <= most {
				ranks = append(ranks, r)
			}
		}
	}
	for i, r := range ranks {
		if r < 1 || r > most || i > 0 && r <= ranks[i-1] {
			return nil, fmt.Errorf("%w: RankSearch.Ranks[%d] is %d, want 1 to %d in ascending order", ErrParameter, i, r, most)
		}
	}
	table, done := &Table{Names: []string{"rank"}}, 0
	for next := ranks; ; {
		part, err := s.grid(next, done).Run(ctx)
		if part != nil {
			table.Rows = append(table.Rows, part.Rows...)
			done += len(part.Rows)
		}
		switch {
		case err != nil && len(table.Rows) == 0:
			return nil, err
		case err != nil:
			return s.reconcile(table), err
		}
		c := s.reconcile(table)
		last := next[len(next)-1]
		if !c.AtEdge || last >= most {
			return c, nil
		}
		next = []int{min(most, max(last+1, last*4/3))}
		if second := max(next[0]+1, next[0]*4/3); second <= most {
			next = append(next, second)
		}
	}
}

// grid tries some more ranks.
func (s RankSearch) grid(ranks []int, done int) Grid {
	g := Grid{File: s.File, Task: s.Task, Parameters: []Parameter{{Name: "rank"}}}
	for _, r := range ranks {
		g.Parameters[0].Values = append(g.Parameters[0].Values, float64(r))
	}
	g.Score = Scorer{X: s.X, Mask: s.Mask, Starts: s.Starts, Folds: s.Folds, Seed: s.Seed, Fit: func(p Setting) FitFunc {
		model := s.Model
		model.Rank = int(p.Value("rank"))
		return NewFitFunc(model)
	}}.Score
	if s.Progress != nil {
		g.Progress = func(p Progress) {
			if p.Done == 0 && done > 0 {
				return // a grid that goes on has nothing to tell before its first setting
			}
			p.Done, p.Total = p.Done+done, p.Total+done
			s.Progress(p)
		}
	}
	return g
}

// reconcile reads the recommendation off the scores of ascending ranks.
func (s RankSearch) reconcile(t *Table) *RankChoice {
	c := &RankChoice{Table: t}
	rank := func(r Row) int { return int(r.Setting.Values[0]) }
	smallest, largest := rank(t.Rows[0]), rank(t.Rows[len(t.Rows)-1])
	best, _ := t.Best(Criterion{Score: ScoreHeldOut, Smaller: true})
	within, _ := t.Best(Criterion{Score: ScoreHeldOut, Smaller: true, Error: ScoreHeldOutSE})
	c.Predicts = rank(within)
	agrees := map[int]float64{}
	for _, r := range t.Rows {
		agrees[rank(r)] = r.Scores[ScoreStability]
		// One part is one group, on which all starts agree; and groups of more parts than
		// the data can predict are worth little.
		worse := rank(r) > c.Predicts && r.Scores[ScoreHeldOut] > 1.1*best.Scores[ScoreHeldOut]
		if rank(r) > 1 && r.Scores[ScoreStability] >= agreement && !worse {
			c.Lasts = rank(r)
		}
	}
	c.AtEdge = rank(best) == largest && largest > smallest
	c.Rank, c.Limit = c.Predicts, best.Scores[ScoreHeldOut]+best.Scores[ScoreHeldOutSE]
	if c.AtEdge {
		first, last := t.Rows[0].Scores[ScoreHeldOut], best.Scores[ScoreHeldOut]
		c.Limit = first - nearlyAll*(first-last)
		for _, r := range t.Rows {
			if first-r.Scores[ScoreHeldOut] >= nearlyAll*(first-last) {
				c.Rank = rank(r)
				break
			}
		}
		c.Reason = fmt.Sprintf("the held-out error still falls at rank %d, at the edge of what was tried, so the data have no best rank up to there; %.0f %% of its fall from rank %d on, from %.3g to %.3g, is reached with %d", largest, 100*nearlyAll, smallest, first, last, c.Rank)
	} else {
		c.Reason = fmt.Sprintf("the smallest whose held-out error, %.3g, is within one standard error of the smallest (%.3g ± %.1g at rank %d)", within.Scores[ScoreHeldOut], best.Scores[ScoreHeldOut], best.Scores[ScoreHeldOutSE], rank(best))
		if c.Rank == smallest && smallest > 1 {
			c.Reason += fmt.Sprintf("; it is at the lower edge of what was tried, so try ranks below %d as well", smallest)
		}
	}
	of := agrees[c.Rank]
	switch {
	case math.IsNaN(of) || c.Rank == 1:
	case of >= agreement:
		c.Reason += fmt.Sprintf(". Its starts agree on the groups (adjusted Rand index %.2f)", of)
	case c.Lasts > 0:
		c.Reason += fmt.Sprintf(". Its starts agree less on the groups (adjusted Rand index %.2f) than those of rank %d (%.2f): where you want groups rather than an approximation, take that", of, c.Lasts, agrees[c.Lasts])
	default:
		c.Reason += fmt.Sprintf(". The starts do not agree on groups, with no rank above 1 that predicts as well (adjusted Rand index %.2f here): do not read the parts as groups of samples", of)
	}
	if errs := within.Scores[ScoreHeldOut]; errs >= 1 && s.Model.Family != rnmf.Gaussian {
		c.Reason += fmt.Sprintf(". Warning: the deviances are %.2f times those of the means of the features, so the parts predict no count", errs)
	} else if errs >= 1 {
		c.Reason += fmt.Sprintf(". Warning: that error, %.2f, is no better than zeros would have; where most entries are 0 it says little about the rank, and groups that last, or looking at the parts, say more", errs)
	}
	return c
}
