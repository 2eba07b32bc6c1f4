package claims

import (
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/robustnmf/robustnmf/viz"
)

// Tallies draws how many claims of each paper have which verdict, as large as one of the Surprises.
func Tallies() *viz.Chart {
	names := []string{"01", "02", "03", "04", "05"}
	verdicts := []Verdict{Reproduced, Partly, Not, Open, NotTestable}
	fills := []color.Color{viz.Diverging(0.1), viz.Diverging(0.3), viz.Diverging(0.8), color.Gray{0xb4}, color.Gray{0xe0}}
	counts := make([]plotter.Values, len(verdicts))
	sums, all := make([]float64, len(verdicts)), 0
	for _, paper := range names {
		list := Of(paper)
		all += len(list)
		for k, v := range verdicts {
			n := float64(list.Tally()[v])
			counts[k], sums[k] = append(counts[k], n), sums[k]+n
		}
	}
	c := rows(fmt.Sprintf("%d claims: %g reproduced, %g partly, %g not", all, sums[0], sums[1], sums[2]), "claims")
	c.Y.Label.Text = "notebook"
	slices.Reverse(names) // the first row is the lowest
	c.NominalY(names...)
	c.X.Min, c.X.Padding = 0, 0
	var under *plotter.BarChart
	for k, values := range counts {
		slices.Reverse(values)
		bars := must(plotter.NewBarChart(values, vg.Points(20)))
		bars.Horizontal, bars.Color, bars.LineStyle.Width = true, fills[k], 0
		if under != nil {
			bars.StackOn(under)
		}
		c.Add(bars)
		c.Legend.Add(string(verdicts[k]), bars)
		var middles plotter.XYLabels
		for i, n := range values {
			if n > 0 {
				middles.XYs = append(middles.XYs, plotter.XY{X: bars.BarHeight(i) - n/2, Y: float64(i)})
				middles.Labels = append(middles.Labels, fmt.Sprint(n))
			}
		}
		if labels := must(plotter.NewLabels(middles)); len(middles.Labels) > 0 {
			for i := range labels.TextStyle {
				style := &labels.TextStyle[i]
				style.Font, style.XAlign, style.YAlign = c.X.Tick.Label.Font, -0.5, -0.4
				if k == 0 {
					style.Color = color.White
				}
			}
			c.Add(labels)
		}
		under = bars
	}
	c.X.Max *= 1.5 // room for the legend
	c.InsideLegend, c.Legend.Left = true, false
	return c
}
