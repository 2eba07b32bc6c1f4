package audit

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/robustnmf/robustnmf/notebooks/lab/rls"
	"github.com/robustnmf/robustnmf/notebooks/lesson"
	"github.com/robustnmf/robustnmf/rnmf/choose"
	"github.com/robustnmf/robustnmf/viz"
)

// ByLabels are tables of the fourth paper by accuracy, nmi or purity, a row for each line: our stored score at the
// point of each grid that is best by that score.
func ByLabels(name, score string, tables ...int) Table {
	t := newTable(name, "LS-NMF", "RLS-NMF")
	for _, l := range rls.Lines(tables...) {
		row := l.String()
		if len(tables) == 1 {
			row = strings.TrimPrefix(row, fmt.Sprintf("Table %d: ", l.Table))
		}
		for _, m := range rls.Methods() {
			t.Ours.Add(row, m.Name, 100*rls.Best(l.Table, l.Set, l.Level, m.Name, score, score))
			if m.Name != "L1" { // the tables have no ℓ₁
				t.Paper.Add(row, m.Name, rls.PrintedNumber(l.Table, l.Set, l.Level, score, m.Name))
			}
		}
	}
	return t
}

// choices are how many points of grids of Table 1 that no label has chosen are below the best by the labels, a row for each set and a
// column for each method, with the name of each choice.
func choices() (names []string, lost []*lesson.Results) {
	names, lost = []string{"by stability", "by silhouette", "median of the grid"}, []*lesson.Results{{}, {}, {}}
	for _, l := range rls.Lines(1) {
		for _, m := range []string{"GNMF", "RMNMF", "L1", "LS-NMF", "RLS-NMF"} {
			// Where no component is left starts often agree, on nothing.
			grid := rls.Grid(1, l.Set, 0, m).Where(func(r choose.Row) bool { return r.Scores["live"] > 0 })
			if len(grid.Rows) == 0 {
				continue
			}
			c := lesson.Must(grid.Choices("accuracy", choose.Criterion{Score: "stability"}, choose.Criterion{Score: "silhouette"}))
			for i, v := range []float64{stable(grid), c[2].Label, lesson.Must(grid.Quantile("accuracy", 0.5))} {
				lost[i].Add(l.Set, m, 100*(v-c[0].Label))
			}
		}
	}
	return names, lost
}

// DrawChoices draws by how much points of the grids of Table 1 that no label has chosen are below the best by the
// labels, a heat map for each choice, whose title has the mean. RLS-NMF has a frame.
func DrawChoices() viz.Figure {
	names, lost := choices()
	var maps []viz.Figure
	for i, name := range names {
		title := strings.ReplaceAll(fmt.Sprintf("%s: mean %.1f", name, stat.Mean(means(lost[i]).RawMatrix().Data, nil)), "-", "−")
		sets, label := lost[i].Rows, ""
		if i > 0 {
			sets = make([]string, len(sets)) // they are those of the first map
		}
		if i == len(names)-1 {
			label = "choice − best, points"
		}
		maps = append(maps, lesson.Must(viz.Heatmap(means(lost[i]), viz.HeatmapOptions{Title: title, RowNames: sets, ColumnNames: lost[i].Columns,
			Map: viz.Reversed(viz.Blues), Min: -20, Max: 0, Values: true, Digits: -1, BarLabel: label, NoBar: label == "",
			Outlined: blocks([]string{"RLS-NMF"}, lost[i].Rows, lost[i].Columns)})))
	}
	return lesson.Must(viz.Row(maps...))
}

// stable is the accuracy of the most stable point of a grid, the mean if there are several.
func stable(grid *choose.Table) float64 {
	most, sum, points := math.Inf(-1), 0., 0.
	for _, r := range grid.Rows {
		switch s, a := r.Scores["stability"], r.Scores["accuracy"]; {
		case s > most:
			most, sum, points = s, a, 1
		case s == most:
			sum, points = sum+a, points+1
		}
	}
	return sum / points
}
