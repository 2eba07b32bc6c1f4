package speed

import (
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
	"github.com/robustnmf/robustnmf/notebooks/lesson"
	"github.com/robustnmf/robustnmf/viz"
)

// A Way is a way to the same objective: so many rounds, and the seconds of each.
type Way struct {
	Name   string
	Rounds int
	Round  float64
}

// Seconds are those of all rounds.
func (w Way) Seconds() float64 { return float64(w.Rounds) * w.Round }

// DrawWays draws ways as points, rounds against milliseconds of a round, with their seconds: multiplicative updates by whole
// matrices, by loops in Go and by vectors, HALS with an exact sweep and without extrapolation, the default by vectors and by
// loops in Go. The last two of the updates and of the default are the corners of a figure with four sides.
func DrawWays(title string, ways ...Way) *viz.Chart {
	var points []viz.Series
	for _, w := range ways {
		points = append(points, viz.Series{X: []float64{1e3 * w.Round}, Y: []float64{float64(w.Rounds)}})
	}
	c := lesson.Must(viz.Lines(points, viz.LinesOptions{Title: title, XLabel: "ms a round", YLabel: "rounds", LogX: true, LogY: true, Width: 9}))
	lesson.Link(c, points[1], points[2], points[5], points[6], points[1])
	for i, w := range ways {
		style, side := []int{1, 1, 1, 2, 3, 4, 4}[i], []int{0, 1, 0, 1, 1, -1, 1}[i]
		lesson.Point(c, points[i].X[0], points[i].Y[0], fmt.Sprintf("%s: %.2g s", w.Name, w.Seconds()), style, side)
	}
	c.X.Min, c.X.Max, c.Y.Min, c.Y.Max = c.X.Min/2.4, c.X.Max*2.6, c.Y.Min/1.2, c.Y.Max*1.6
	return c
}

// DrawCopies draws the GB/s of a core against its buffer in MB, and where its caches end: a core's share of one that is shared.
func DrawCopies(title string, s viz.Series) *viz.Chart {
	c := lesson.Must(viz.Lines([]viz.Series{s}, viz.LinesOptions{Title: title, XLabel: "buffer of each core, MB", YLabel: "GB/s, per core", LogX: true, LogY: true, Width: 8}))
	top := 1.3 * c.Y.Max
	for _, k := range Caches() {
		x := k.MB / float64(max(k.Shared, 1))
		line := lesson.Must(plotter.NewLine(plotter.XYs{{X: x, Y: c.Y.Min}, {X: x, Y: top}}))
		name := lesson.Must(plotter.NewLabels(plotter.XYLabels{XYs: plotter.XYs{{X: x, Y: top}}, Labels: []string{k.Name() + " "}}))
		line.Color, name.TextStyle[0].Font, name.TextStyle[0].XAlign, name.TextStyle[0].YAlign = color.Gray{0x90}, c.X.Tick.Label.Font, draw.XRight, draw.YTop
		c.Add(line, name)
	}
	c.Y.Max = top
	return c
}

// DrawPeers draws what Peers has read: NumPy's rounds over ours at two sizes, and below them whole fits of NumPy and of
// scikit-learn over ours. A line is where both would be as fast.
func DrawPeers(rows stored.Table) viz.Figure {
	var charts []*viz.Chart
	update := rows.Where("kind", "H + W update")
	for _, size := range []string{"1024×1440", "1024×400"} {
		usual, rewritten := update.Where("on", size, "side", "NumPy"), update.Where("on", size, "side", "NumPy rewritten")
		charts = append(charts, lesson.Stored(slices.Concat(usual, rewritten), "side", "what", "ratio").Bars(
			fmt.Sprintf("%s: NumPy takes %s × our time, rewritten %s ×", size, Span(usual, "ratio"), Span(rewritten, "ratio")),
			"its time / ours (stored)", viz.BarsOptions{Width: 6.4, Height: 3}))
	}
	lesson.SameScale(charts...)
	fits, plain := rows.Where("kind", "to the objective of 400 multiplicative rounds"), slices.Concat(rows.Where("above", "1 %"), rows.Where("above", "0.1 %"))
	charts = append(charts,
		lesson.Stored(fits, "on", "what", "ratio").Bars(fmt.Sprintf("To the objective of 400 updates NumPy takes %s times as long", Span(fits, "ratio")), "its time / ours (stored)", viz.BarsOptions{Width: 6.4, Height: 3.2}),
		lesson.Stored(plain, "on", "above", "ratio").Bars(fmt.Sprintf("Plain NMF: scikit-learn takes %s times as long", Span(plain, "ratio")), "its time / ours (stored)", viz.BarsOptions{Width: 6.4, Height: 3.2, XLabel: "above the best objective"}))
	for i, c := range charts {
		c.InsideLegend, c.Legend.Top, c.Legend.Left = true, true, i == 3
		c.Y.Max *= 1.2
		if i < 2 {
			c.Add(lesson.Must(plotter.NewLine(plotter.XYs{{X: c.X.Min, Y: 1}, {X: c.X.Max, Y: 1}})))
		}
	}
	return lesson.Must(viz.Grid(2, charts[0], charts[1], charts[2], charts[3]))
}
