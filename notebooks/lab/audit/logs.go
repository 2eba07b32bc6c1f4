package audit

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/robustnmf/robustnmf/notebooks/lab/rls"
	"github.com/robustnmf/robustnmf/notebooks/lesson"
	"github.com/robustnmf/robustnmf/rnmf/choose"
	"github.com/robustnmf/robustnmf/viz"
)

// ByLabels are tables of the fourth paper by accuracy, nmi or purity, a row for each line: our stored score at the
// point of each grid that is best by that score.
func ByLabels(name, score string, tables ...int) Table {
	t := newTable(name)
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

// AsPrinted are accuracies of the methods of the fourth paper by its own updates, best by the labels. From γ = 2 on
// RLS-NMF is LS-NMF, so it has the points of LS-NMF, too.
func AsPrinted() Table {
	t := newTable("As printed, accuracy")
	best := map[[2]string]float64{}
	var lines []rls.Line
	for _, r := range rls.AsPrintedResults() {
		l, method := rls.Line{Table: r.Table, Set: r.Set, Level: r.Level}, strings.Split(r.Method, ",")[0]
		if !contains(lines, l) {
			lines = append(lines, l)
		}
		key := [2]string{l.String(), method}
		best[key] = max(best[key], 100*r.Scores["accuracy"])
	}
	for _, l := range lines {
		for _, method := range []string{"LS-NMF", "RLS-NMF", "RMNMF"} {
			most, ok := best[[2]string{l.String(), method}]
			if !ok {
				continue
			}
			if method == "RLS-NMF" {
				most = max(most, best[[2]string{l.String(), "LS-NMF"}])
			}
			t.Ours.Add(l.String(), method, most)
			if v, err := strconv.ParseFloat(rls.Printed(l.Table, l.Set, l.Level, "accuracy", method), 64); err == nil {
				t.Paper.Add(l.String(), method, v)
			}
		}
	}
	return t
}

func contains(lines []rls.Line, l rls.Line) bool {
	for _, other := range lines {
		if other == l {
			return true
		}
	}
	return false
}

// DrawChoices draws by how much points of the grids of Table 1 that no label has chosen are below the best by the
// labels. Its title has the means. numbers are the accuracies,
// and alike has the grids with several most stable points.
func DrawChoices() (chart *viz.Chart, numbers, alike *viz.Table) {
	names := []string{"best by labels", "by stability", "by silhouette", "median of the grid"}
	choice, lost, all := &lesson.Results{Digits: 1}, new(lesson.Results), new(lesson.Results)
	var ties [][]any
	for _, l := range rls.Lines(1) {
		for _, m := range []string{"GNMF", "RMNMF", "L1", "LS-NMF", "RLS-NMF"} {
			// Where no component is left all starts agree.
			grid := rls.Grid(1, l.Set, 0, m).Where(func(r choose.Row) bool { return r.Scores["live"] > 0 })
			if len(grid.Rows) == 0 {
				continue
			}
			c := lesson.Must(grid.Choices("accuracy", choose.Criterion{Score: "stability"}, choose.Criterion{Score: "silhouette"}))
			points, apart, stable := equals(grid)
			if points > 1 {
				ties = append(ties, []any{l.Set + ", " + m, points, viz.Number(100*apart, 1)})
			}
			for i, v := range []float64{c[0].Label, stable, c[2].Label, lesson.Must(grid.Quantile("accuracy", 0.5))} {
				choice.Add(l.Set+", "+m, names[i], 100*v)
				if i > 0 {
					lost.Add(m, names[i], 100*(c[0].Label-v))
					all.Add("", names[i], 100*(c[0].Label-v))
				}
			}
		}
	}
	chart = lost.Spread(fmt.Sprintf("Mean loss: stability %.1f, silhouette %.1f, median %.1f points",
		all.Mean("", names[1]), all.Mean("", names[2]), all.Mean("", names[3])), "points below the best")
	chart.X.Label.Text, chart.Width, chart.Height = "each point is a data set", 5.8, 3.2
	return chart, choice.Table("accuracy, %"), lesson.Must(viz.NewTable([]string{"grid", "most stable points", "their accuracies, points apart"}, ties))
}

// equals counts the points of a grid that are the most stable, and says how far apart their accuracies are, and their mean.
func equals(grid *choose.Table) (points int, apart, mean float64) {
	most, low, high, sum := math.Inf(-1), 0., 0., 0.
	for _, r := range grid.Rows {
		switch s, a := r.Scores["stability"], r.Scores["accuracy"]; {
		case s > most:
			most, points, low, high, sum = s, 1, a, a, a
		case s == most:
			points, low, high, sum = points+1, min(low, a), max(high, a), sum+a
		}
	}
	return points, high - low, sum / float64(points)
}
