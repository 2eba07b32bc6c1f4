package claims

import (
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/robustnmf/robustnmf/notebooks/lab/cauchy"
	"github.com/robustnmf/robustnmf/notebooks/lab/l21"
	"github.com/robustnmf/robustnmf/notebooks/lab/rls"
	"github.com/robustnmf/robustnmf/viz"
)

// Accuracies are the printed accuracies of clusters and ours, by the number of the paper's notebook:
// Table 3 of 01, Table 4 of 02, Tables 2, 4 and 5 of 03, and all tables of 04. The fifth paper prints
// none. What is stored for none of the models of a cell is left out.
func Accuracies(d Data) map[string][]Pair {
	all := map[string][]Pair{}
	add := func(paper, name string, ours, printed float64) {
		if !math.IsNaN(ours) && !math.IsNaN(printed) {
			all[paper] = append(all[paper], Pair{name, ours, printed})
		}
	}
	_, _, table3 := printedTable(l21.Table3)
	for _, set := range d.Clusters.Different("set") {
		for _, model := range []string{"L2,1-NMF", "NMF", "k-means"} {
			add("01", set+", "+model, mean(d.Clusters.Where("set", set, "model", model), "accuracy"), value(table3, set+", "+model, "accuracy"))
		}
	}
	models, sizes, table4 := printedTable(cauchy.Table4Accuracy)
	for _, model := range models {
		for _, b := range sizes {
			add("02", model+", b = "+b, mean(d.Cauchy.Where("corruption", "blocks", "model", model, "level", b), "accuracy"), value(table4, model, b))
		}
	}
	for _, r := range d.PrintedRSS {
		rows := d.RSS.Where("kind", "tables", "set", r.Text("set"), "level", r.Text("k"), "model", r.Text("model"))
		add("03", r.Text("set")+", k = "+r.Text("k")+", "+r.Text("model"), mean(rows, "accuracy"), r.Number("accuracy")/100)
	}
	seen := map[problem]bool{}
	for _, r := range d.RLS {
		p := problem{int(r.Number("table")), r.Text("set"), r.Number("level")}
		if seen[p] {
			continue
		}
		seen[p] = true
		for _, m := range append([]string{"LS-NMF", "RLS-NMF"}, othersOfRLS...) {
			if v, err := strconv.ParseFloat(rls.Printed(p.table, p.set, p.level, "accuracy", m), 64); err == nil {
				add("04", p.String()+", "+m, best(d.RLS, p, m, "accuracy", "accuracy"), v/100)
			}
		}
	}
	return all
}

// DrawAccuracies draws Accuracies, ours against the printed ones. Its title counts those that are within 5
// points. A ring is around the one of each paper that is farthest off, which a line of the text names.
func DrawAccuracies(d Data) (*viz.Chart, string, error) {
	all := Accuracies(d)
	names := []string{"L2,1-NMF", "truncated Cauchy", "RSS-NMF", "LS- and RLS-NMF"}
	var points []float64
	var paper []int
	var far plotter.XYs
	var text []string
	near := 0
	for i, name := range names {
		var worst Pair
		for _, p := range all[fmt.Sprintf("%02d", i+1)] {
			points, paper = append(points, 100*p.Printed, 100*p.Ours), append(paper, i)
			off := math.Abs(p.Ours - p.Printed)
			if off <= 0.05 {
				near++
			}
			if off > math.Abs(worst.Ours-worst.Printed) {
				worst = p
			}
		}
		far = append(far, plotter.XY{X: 100 * worst.Printed, Y: 100 * worst.Ours})
		text = append(text, fmt.Sprintf("farthest off for %s: printed %.1f, ours %.1f (%s)", name, 100*worst.Printed, 100*worst.Ours, worst.Name))
	}
	chart := viz.NewChart()
	chart.Title.Text = fmt.Sprintf("Of %d printed accuracies %d come out within 5 points", len(paper), near)
	chart.X.Label.Text, chart.Y.Label.Text, chart.Height = "printed, %", "ours, %", 4.6
	band, err := plotter.NewPolygon(plotter.XYs{{X: 0, Y: 0}, {X: 5, Y: 0}, {X: 100, Y: 95}, {X: 100, Y: 100}, {X: 95, Y: 100}, {X: 0, Y: 5}})
	if err != nil {
		return nil, "", err
	}
	band.Color, band.LineStyle.Width = color.Gray{0xe4}, 0
	chart.Add(band)
	for i, shape := range []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}} {
		c := color.NRGBAModel.Convert(viz.Color(i)).(color.NRGBA)
		c.A = []uint8{0x90, 0x90, 0x90, 0xd0}[i] // what has a hole needs less transparency
		marks := &plotter.Scatter{GlyphStyle: draw.GlyphStyle{Color: c, Radius: vg.Points(3.2), Shape: shape}}
		for k, of := range paper {
			if of == i {
				marks.XYs = append(marks.XYs, plotter.XY{X: points[2*k], Y: points[2*k+1]})
			}
		}
		chart.Add(marks)
		chart.Legend.Add(names[i], marks)
	}
	chart.Legend.Add("within 5 points", band)
	rings, err := plotter.NewScatter(far)
	if err != nil {
		return nil, "", err
	}
	rings.GlyphStyle = draw.GlyphStyle{Color: color.Black, Radius: vg.Points(8), Shape: draw.RingGlyph{}}
	chart.Add(rings)
	chart.Legend.Add("farthest off", rings)
	return chart, strings.Join(text, "\n"), nil
}
