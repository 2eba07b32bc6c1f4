package audit

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/robustnmf/robustnmf/notebooks/lab/claims"
	"github.com/robustnmf/robustnmf/notebooks/lab/rra"
	"github.com/robustnmf/robustnmf/notebooks/lesson"
	"github.com/robustnmf/robustnmf/viz"
)

// racers are the solvers of the races that are drawn, by their stored names, with the colours of notebook 05.
var racers = []viz.Series{
	{Name: "coordinate descent", Style: lesson.Look("coordinate descent")}, {Name: rra.Safe, Style: lesson.Look(rra.Safe)},
	{Name: "NumPy RRA", Style: lesson.Look(rra.Algorithm1)}, {Name: "NeNMF", Style: lesson.Look("NeNMF")}, {Name: "NumPy MUR", Style: lesson.Look("MUR")},
}

// inWords has the names of solvers in pictures and tables.
var inWords = strings.NewReplacer("NumPy RRA", "Algorithm 1 (NumPy)", "NumPy MUR", "MUR (NumPy)")

// took says how long a solver took in the race from the first start, or how it ended.
func took(set, rank, solver string) string {
	rows := rra.Results("race.csv").Where("set", set, "rank", rank, "solver", solver, "start", "1")
	if len(rows) == 0 {
		return "–"
	}
	if outcome := rows[0].Text("outcome"); outcome != "reached" {
		return outcome
	}
	return fmt.Sprintf("%.2g s", rows[0].Number("seconds"))
}

// A place of a name is so many points from the first point of its curve. The name begins there where align is draw.XLeft, and ends
// there where it is draw.XRight.
type place struct {
	right, up vg.Length
	align     text.XAlignment
}

// places are those of the names of racers, by rank.
var places = map[string][]place{
	"200": {{24, -42, draw.XRight}, {-7, -2, draw.XRight}, {60, -11, draw.XLeft}, {9, 4, draw.XLeft}, {-3, -11, draw.XLeft}},
}

// Race draws the stored objectives of a race against seconds, without what lies above the start, the objective to be
// reached as a dotted line, and a ring where rule (18) stops Algorithm 1. Its title says whether Algorithm 1 arrives. Names
// stand next to the curves at ranks that have places, and in a legend at others.
func Race(figure, set, rank string) *viz.Chart {
	var series []viz.Series
	var names []*plotter.Labels
	for k, s := range racers {
		lines := rra.Results("traces.csv").Where("set", set, "rank", rank, "solver", s.Name)
		for i, l := range lines {
			if i > 0 && l.Number("objective") <= lines[0].Number("objective") {
				s.X, s.Y = append(s.X, l.Number("seconds")), append(s.Y, l.Number("objective"))
			}
		}
		if len(s.X) == 0 {
			continue
		}
		s.Name = inWords.Replace(s.Name)
		series = append(series, s)
		if at := places[rank]; at != nil {
			short, _, _ := strings.Cut(s.Name, " (")
			name := lesson.Must(plotter.NewLabels(plotter.XYLabels{XYs: plotter.XYs{{X: s.X[0], Y: s.Y[0]}}, Labels: []string{short}}))
			name.Offset = vg.Point{X: at[k].right, Y: at[k].up}
			name.TextStyle[0].XAlign, name.TextStyle[0].YAlign, name.TextStyle[0].Color = at[k].align, -0.4, viz.Color(s.Style-1)
			names = append(names, name)
		}
	}
	title := fmt.Sprintf("%s, r = %s: Algorithm 1 arrives", figure, rank)
	if outcome := took(set, rank, "NumPy RRA"); !strings.HasSuffix(outcome, " s") {
		title = fmt.Sprintf("%s, r = %s: Algorithm 1 is %s", figure, rank, outcome)
	}
	chart := lesson.Must(viz.Lines(series, viz.LinesOptions{Title: title, XLabel: "seconds", YLabel: "objective", LogX: true, LogY: true, Width: 4.8, Height: 2.6}))
	for _, r := range rra.Results("race.csv").Where("set", set, "rank", rank, "solver", "NumPy RRA", "start", "1") {
		goal := lesson.Must(plotter.NewLine(plotter.XYs{{X: chart.X.Min, Y: r.Number("target")}, {X: chart.X.Max, Y: r.Number("target")}}))
		goal.Width, goal.Dashes = vg.Points(1.2), []vg.Length{vg.Points(2), vg.Points(2)}
		stop := lesson.Must(plotter.NewScatter(plotter.XYs{{X: r.Number("stop_seconds"), Y: r.Number("stop_objective")}}))
		stop.GlyphStyle = draw.GlyphStyle{Color: color.Black, Radius: vg.Points(7), Shape: draw.RingGlyph{}}
		chart.Add(goal, stop)
		chart.Legend.Add("objective to be reached", goal)
		chart.Legend.Add("(18) stops Algorithm 1", stop)
	}
	if names != nil {
		chart.Legend = plot.NewLegend()
	}
	for _, name := range names {
		name.TextStyle[0].Font = chart.X.Tick.Label.Font
		chart.Add(name)
	}
	return chart
}

// Arrivals draws the seconds of Algorithm 1 and MUR, both in NumPy, to the objective of the race, by rank: the least of three runs, or
// one if it takes more than 3 s. A ring shows that a solver is late: it was stopped on its way. The title counts the ranks at which Algorithm 1 is sooner there.
func Arrivals(name, set string) *viz.Chart {
	var series []viz.Series
	first, reached, late := 0, map[string]float64{}, viz.Series{}
	for i, solver := range []string{"NumPy MUR", "NumPy RRA"} {
		s := viz.Series{Name: []string{" MUR", " Algorithm 1"}[i], Style: lesson.Look([]string{"MUR", rra.Algorithm1}[i])}
		for _, r := range rra.Results("race.csv").Where("set", set, "solver", solver, "start", "1") {
			rank, seconds := r.Number("rank"), r.Number("seconds")
			s.X, s.Y = append(s.X, rank), append(s.Y, seconds)
			if r.Text("outcome") != "reached" {
				late.X, late.Y = append(late.X, rank), append(late.Y, seconds)
				seconds = math.Inf(1)
			}
			if mur, raced := reached[r.Text("rank")]; raced && seconds < mur {
				first++
			}
			reached[r.Text("rank")] = seconds
		}
		series = append(series, s)
	}
	chart := lesson.Named(series, viz.LinesOptions{Title: fmt.Sprintf("%s: Algorithm 1 is sooner at %d of %d ranks", name, first, len(reached)),
		XLabel: "rank r", YLabel: "seconds", LogX: true, LogY: true, Width: 5.2, Height: 2.6})
	for i, x := range late.X {
		at := plotter.XYs{{X: x, Y: late.Y[i]}}
		ring := lesson.Must(plotter.NewScatter(at))
		ring.GlyphStyle = draw.GlyphStyle{Color: color.Black, Radius: vg.Points(5.5), Shape: draw.RingGlyph{}}
		chart.Add(ring)
		if x == slices.Min(late.X) {
			name := lesson.Must(plotter.NewLabels(plotter.XYLabels{XYs: at, Labels: []string{"late"}}))
			name.Offset, name.TextStyle[0].XAlign, name.TextStyle[0].Font = vg.Point{X: -9, Y: 5}, draw.XRight, chart.X.Tick.Label.Font
			chart.Add(name)
		}
	}
	chart.Y.Max *= 1.3 // room for a ring
	return chart
}

// Seconds has the seconds of each solver to the objective of the races on some sets.
func Seconds(sets ...string) *viz.Table {
	header := []string{"from the first start"}
	for _, s := range racers {
		header = append(header, inWords.Replace(s.Name))
	}
	var rows [][]any
	for _, set := range sets {
		for _, rank := range rra.Results("race.csv").Where("set", set).Different("rank") {
			row := []any{set + ", r = " + rank}
			for _, s := range racers {
				row = append(row, took(set, rank, s.Name))
			}
			rows = append(rows, row)
		}
	}
	return lesson.Must(viz.NewTable(header, rows))
}

// Ends draws where Algorithm 1 ends, compared with MUR from the same start. Its title counts the sets and ranks at which the
// mean is lower.
func Ends() *viz.Chart {
	ends, low := new(lesson.Results), 0
	for _, r := range rra.Results("algorithm1.csv") {
		set, _, _ := strings.Cut(r.Text("set"), " 32")
		for _, mur := range rra.Results("race.csv").Where("set", r.Text("set"), "rank", r.Text("rank"), "start", r.Text("start"), "solver", "MUR") {
			ends.Add(set, r.Text("rank"), r.Number("last")/mur.Number("stop_objective"))
		}
	}
	for _, set := range ends.Rows {
		for _, rank := range ends.Columns {
			if ends.Mean(set, rank) < 1 {
				low++
			}
		}
	}
	chart := lesson.Named(ends.Series(), viz.LinesOptions{Title: fmt.Sprintf("Algorithm 1 ends below MUR in %d of %d cases", low, len(ends.Rows)*len(ends.Columns)),
		XLabel: "rank r", YLabel: "last objective / MUR's", LogX: true, LogY: true, Width: 5.4, Height: 2.8})
	lesson.Level(chart, 1)
	return chart
}

// Quotients draws how many times as long MUR and NeNMF take as the safe form and as coordinate descent, by rank: medians, with
// bars from the lower to the upper quartile. Its title counts the ranks at which the safe form is faster than both by the rule of the
// race: both lower quartiles are above 1.
func Quotients(name, set string) *viz.Chart {
	var medians []viz.Series
	var bars []*plotter.YErrorBars
	n, first, faster := 0, 0, map[string]int{} // in how many pairs the safe form is faster at a rank
	for i, p := range [][2]string{{"MUR", rra.Safe}, {"NeNMF", rra.Safe}, {"MUR", "coordinate descent"}, {"NeNMF", "coordinate descent"}} {
		s := viz.Series{Name: p[0] + " / " + p[1]}
		bar := &plotter.YErrorBars{CapWidth: vg.Points(5), LineStyle: draw.LineStyle{Color: viz.Color(i), Width: vg.Points(1)}}
		for _, q := range claims.Speeds(rra.Results("race.csv"), set, p[0], p[1]) {
			n = q.N
			at := plotter.XY{X: lesson.Must(strconv.ParseFloat(q.Rank, 64)), Y: q.Median}
			s.X, s.Y = append(s.X, at.X), append(s.Y, at.Y)
			bar.XYs, bar.YErrors = append(bar.XYs, at), append(bar.YErrors, struct{ Low, High float64 }{q.Median - q.Low, q.High - q.Median})
			if p[1] == rra.Safe && q.Low > 1 {
				if faster[q.Rank]++; faster[q.Rank] == 2 {
					first++
				}
			}
		}
		medians, bars = append(medians, s), append(bars, bar)
	}
	chart := lesson.Must(viz.Lines(medians, viz.LinesOptions{Title: fmt.Sprintf("%s: RRA, safe, is faster at %d of %d ranks", name, first, len(medians[0].Y)),
		XLabel: fmt.Sprintf("rank r, n = %d", n), YLabel: "quotient of seconds", LogX: true, LogY: true, Width: 4.6, Height: 2.8}))
	for _, b := range bars {
		chart.Add(b)
	}
	lesson.Level(chart, 1)
	return chart
}

// Energy is Table 1 of the fifth paper, seconds relative to those at 95 % of the energy, printed and ours.
func Energy() *lesson.Results {
	paper := lesson.Printed(`  | 65     | 75     | 85     | 95     | 100
paper | 199.18 | 184.59 | 183.92 | 177.76 | 209.47`)
	all := &lesson.Results{Digits: 2}
	for _, percent := range paper.Columns {
		all.Add("paper", percent, paper.Mean("paper", percent)/paper.Mean("paper", "95"))
	}
	at := rra.Results("energy.csv")
	for i, share := range at.Different("energy") {
		for _, l := range at.Where("energy", share) {
			base := at.Where("energy", "0.95", "solver", l.Text("solver"))[0]
			all.Add(l.Text("solver"), paper.Columns[i], l.Number("seconds")/base.Number("seconds"))
		}
	}
	return all
}

// Costs has what papers claim of the cost of a round, and the exponents that are measured. A star marks rounds of less than half a
// millisecond at the base size.
func Costs() *viz.Table {
	var rows [][]any
	for _, c := range claims.Costs() {
		name := c.Text("algorithm")
		if c.Number("base") < 0.0005 {
			name += " *"
		}
		rows = append(rows, []any{name, c.Text("paper"), c.Text("claim"), viz.Number(1000*c.Number("base"), 2),
			viz.Number(c.Number("in_m"), 2), viz.Number(c.Number("in_n"), 2), viz.Number(c.Number("in_r"), 2)})
	}
	return lesson.Must(viz.NewTable([]string{"algorithm", "paper", "claimed cost of a round", "ms at 256 × 256, r = 10", "exponent in m", "in n", "in r"}, rows))
}
