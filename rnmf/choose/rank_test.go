package choose

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/robustnmf/robustnmf/rnmf"
)

// The rank of data that have one is found, also where the search begins below it.
func TestRankSearch(t *testing.T) {
	x := planted(30, 60, 4, 0.02, 7)
	file := filepath.Join(t.TempDir(), "ranks")
	for _, c := range []struct {
		ranks []int
		rows  int
	}{{[]int{1, 2, 3, 4, 5, 6}, 6}, {[]int{1, 2}, 5}} { // 1 2, 3 4, 5: 6 comes with 5
		var seen []Progress
		s := RankSearch{X: x, Ranks: c.ranks, Starts: 3, Folds: 3, File: file, Progress: func(p Progress) { seen = append(seen, p) }}
		got, err := s.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got.Rank != 4 || got.AtEdge || got.Predicts != 4 || !strings.Contains(got.String(), "rank 4: ") || len(got.Table.Rows) < c.rows {
			t.Errorf("from %v: %v, %d rows", c.ranks, got, len(got.Table.Rows))
		}
		if last := seen[len(seen)-1]; last.Done != last.Total || last.Done != len(got.Table.Rows) {
			t.Errorf("the last report is %d of %d, and there are %d rows", last.Done, last.Total, len(got.Table.Rows))
		}
	}
	// Noise has no rank: the search ends where it may not go on, and says so.
	got, err := RankSearch{X: x, Ranks: []int{1, 2}, Most: 3, Starts: 2, Folds: 2}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !got.AtEdge || !strings.Contains(got.Reason, "at the edge") {
		t.Error(got)
	}
}

// What the scores say, and what is made of them.
func TestReconcile(t *testing.T) {
	table := func(rows ...[3]float64) *Table {
		t := &Table{Names: []string{"rank"}}
		for i, r := range rows {
			t.Rows = append(t.Rows, Row{Setting{t.Names, []float64{float64(i + 1)}}, Scores{ScoreHeldOut: r[0], ScoreHeldOutSE: r[1], ScoreStability: r[2]}})
		}
		return t
	}
	for _, c := range []struct {
		name                  string
		t                     *Table
		rank, predicts, lasts int
		edge                  bool
		says                  string
	}{
		{"both agree", table([3]float64{0.5, 0.01, 1}, [3]float64{0.2, 0.01, 0.9}, [3]float64{0.3, 0.01, 0.3}), 2, 2, 2, false, "agree on the groups"},
		{"within an error", table([3]float64{0.5, 0.01, 1}, [3]float64{0.2, 0.01, 0.9}, [3]float64{0.195, 0.01, 0.3}, [3]float64{0.4, 0, 0}), 2, 2, 2, false, "one standard error"},
		{"groups want fewer", table([3]float64{0.5, 0.01, 1}, [3]float64{0.3, 0.01, 0.9}, [3]float64{0.1, 0.01, 0.3}, [3]float64{0.2, 0.01, 0.2}), 3, 3, 2, false, "take that"},
		{"groups want far more", table([3]float64{0.5, 0.01, 1}, [3]float64{0.1, 0.01, 0.3}, [3]float64{0.3, 0.01, 0.9}), 2, 2, 0, false, "do not agree"},
		{"no end", table([3]float64{1, 0.001, 1}, [3]float64{0.2, 0.001, 0.4}, [3]float64{0.15, 0.001, 0.3}, [3]float64{0.14, 0.001, 0.2}), 2, 4, 0, true, "at the edge"},
		{"no groups", table([3]float64{0.5, 0.01, 1}, [3]float64{0.2, 0.01, 0.1}, [3]float64{0.3, 0.01, 0.3}), 2, 2, 0, false, "do not agree"},
		{"useless", table([3]float64{1.5, 0.01, 1}, [3]float64{1.2, 0.01, 0.1}, [3]float64{1.3, 0.01, 0.3}), 2, 2, 0, false, "zeros"},
	} {
		got := RankSearch{}.reconcile(c.t)
		if got.Rank != c.rank || got.Predicts != c.predicts || got.Lasts != c.lasts || got.AtEdge != c.edge || !strings.Contains(got.Reason, c.says) {
			t.Errorf("%s: %+v", c.name, got)
		}
		for i, r := range c.t.Rows { // the first rank that reaches the limit is chosen
			if reaches := r.Scores[ScoreHeldOut] <= got.Limit+1e-12; reaches && i+1 < got.Rank || !reaches && i+1 == got.Rank {
				t.Errorf("%s: rank %d with an error of %g, limit %g", c.name, i+1, r.Scores[ScoreHeldOut], got.Limit)
			}
		}
	}
}

func TestRankSearchErrors(t *testing.T) {
	x := uniform(6, 8, 1)
	for name, s := range map[string]RankSearch{
		"rank 0":    {X: x, Ranks: []int{0, 1}},
		"order":     {X: x, Ranks: []int{3, 2}},
		"most":      {X: x, Most: -1},
		"sides":     {X: x, Ranks: []int{7}, Most: 9},
		"above":     {X: x, Ranks: []int{3}, Most: 2},
		"one start": {X: x, Starts: 1},
		"one fold":  {X: x, Folds: 1},
	} {
		if _, err := s.Run(t.Context()); !errors.Is(err, ErrParameter) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := (RankSearch{}).Run(t.Context()); !errors.Is(err, rnmf.ErrEmpty) {
		t.Errorf("no data: %v", err)
	}
	// What is known when the context ends is not lost. A search whose last ranks are done by then is
	// complete, so several are tried.
	for range 50 {
		ctx, cancel := context.WithCancel(t.Context())
		s := RankSearch{X: x, Ranks: []int{1, 2, 3, 4, 5, 6}, Starts: 2, Folds: 2, Progress: func(p Progress) {
			if p.Done > 0 {
				cancel()
			}
		}}
		got, err := s.Run(ctx)
		cancel()
		if got == nil || got.Rank < 1 || len(got.Table.Rows) == 0 || (err == nil) != (len(got.Table.Rows) == 6) || err != nil && !errors.Is(err, context.Canceled) {
			t.Fatalf("%v, %v", got, err)
		}
		if err != nil {
			return
		}
	}
	t.Error("no search was cancelled")
}

func TestColumn(t *testing.T) {
	table := &Table{Names: []string{"rank"}, Rows: []Row{{Setting{Values: []float64{2}}, Scores{"a": 3}}, {Setting{Values: []float64{4}}, Scores{}}}}
	if r, a := table.Column("rank"), table.Column("a"); r[0] != 2 || r[1] != 4 || a[0] != 3 || a[1] == a[1] {
		t.Error(r, a)
	}
}
