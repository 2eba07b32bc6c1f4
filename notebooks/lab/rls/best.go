package rls

import (
	"math"

	"github.com/robustnmf/robustnmf/rnmf/choose"
)

// Grid returns the stored points of a method in a table, those with α = β. The points of LS-NMF are
// RLS-NMF's, too: its γ of 2 and more, stored as γ = 0.
func Grid(table int, set string, level float64, method string) *choose.Table {
	t := &choose.Table{Names: []string{"alpha", "beta", "gamma", "lambda"}}
	for _, r := range Results() {
		if r.Setting.Value("alpha") == r.Setting.Value("beta") && r.Table == table && r.Set == set && r.Level == level &&
			(r.Method == method || method == "RLS-NMF" && r.Method == "LS-NMF") {
			t.Rows = append(t.Rows, r.Row)
		}
	}
	return t
}

// Best returns a score of the point of a Grid at which another one is largest, NaN if none is
// stored. Where the two differ, points at which no component is left do not count: all starts agree
// there, and clusters are compact.
func Best(table int, set string, level float64, method, metric, by string) float64 {
	grid := Grid(table, set, level, method)
	if by != metric {
		grid = grid.Where(func(r choose.Row) bool { return r.Scores["live"] > 0 })
	}
	best, ok := grid.Best(choose.Criterion{Score: by})
	if !ok {
		return math.NaN()
	}
	return best.Scores[metric]
}
