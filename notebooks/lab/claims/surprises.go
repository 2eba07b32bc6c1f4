package claims

import (
	"cmp"
	"fmt"
	"image/color"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/robustnmf/robustnmf/notebooks/lab/cauchy"
	"github.com/robustnmf/robustnmf/notebooks/lab/rls"
	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
	"github.com/robustnmf/robustnmf/viz"
)

// Surprising are the keys of claims whose outcomes surprised us, by the number of the paper's notebook.
var Surprising = map[string]string{"01": "table3-start", "02": "blocks-cauchy", "03": "printed", "04": "table1-silhouette", "05": "scale"}

// TheSurprising returns these claims, as From does.
func TheSurprising() (all List) {
	for _, notebook := range slices.Sorted(maps.Keys(Surprising)) {
		all = append(all, From(notebook, Surprising[notebook])...)
	}
	return all
}

// Surprises are pictures of the first four of these outcomes, in the order of the notebooks. Their titles are computed.
func Surprises(d Data) []viz.Figure {
	return []viz.Figure{movedStarts(d), untruncated(d), idleLabels(d), unlabelled(d)}
}

// The size of each, in inches.
const surpriseWidth, surpriseHeight = 4.2, 2.2

// signed are differences in whole points.
func signed(v float64) string { return strings.ReplaceAll(fmt.Sprintf("%+.0f", v), "-", "−") }

// label writes a name at a point in a colour: it begins there where align is draw.XLeft, and has its middle there where that is
// draw.XCenter.
func label(c *viz.Chart, x, y float64, name string, align text.XAlignment, ink color.Color) {
	l := must(plotter.NewLabels(plotter.XYLabels{XYs: plotter.XYs{{X: x, Y: y}}, Labels: []string{name}}))
	style := &l.TextStyle[0]
	style.Font, style.XAlign, style.YAlign, style.Color = c.X.Tick.Label.Font, align, -0.4, ink
	c.Add(l)
}

// movedStarts draws by how much 100 multiplicative rounds of L2,1-NMF change the accuracy of their start.
func movedStarts(d Data) viz.Figure {
	var pairs [][2]float64
	least, most := 0, 0 // the places of the smallest and the largest difference
	move := func(k int) float64 { return pairs[k][1] - pairs[k][0] }
	sets := d.Clusters.Different("set")
	for k, set := range sets {
		at := func(model string) float64 {
			return 100 * mean(d.Clusters.Where("set", set, "model", model), "accuracy")
		}
		pairs = append(pairs, [2]float64{at("start"), at("L2,1-NMF")})
		if move(k) < move(least) {
			least = k
		}
		if move(k) > move(most) {
			most = k
		}
	}
	all := mat.NewDense(2, len(pairs), nil)
	for j, p := range pairs {
		all.SetCol(j, p[:])
	}
	c := must(viz.Scatter(all, viz.ScatterOptions{Title: fmt.Sprintf("01: 100 rounds move the start by %s to %s", signed(move(least)), signed(move(most))),
		XLabel: fmt.Sprintf("accuracy of the start on %d sets, %%", len(sets)), YLabel: "accuracy after, %", Width: surpriseWidth, Height: surpriseHeight,
		Lines: []viz.Direction{{Name: "no change", X: 1, Y: 1}}}))
	c.Legend = plot.NewLegend()
	for _, k := range []int{least, most} {
		label(c, pairs[k][0], pairs[k][1], "  "+sets[k], draw.XLeft, color.Black)
	}
	label(c, 20, 14, "no change", draw.XLeft, viz.Color(0))
	return c
}

// untruncated draws Cauchy NMF without truncation on covered faces, ours and printed.
func untruncated(d Data) viz.Figure {
	_, sizes, printed := printedTable(cauchy.Table4Accuracy)
	// The colours of the two models in the notebooks.
	ours, theirs, means := viz.Series{Name: "Cauchy, ours", Style: 6}, viz.Series{Name: "Cauchy, printed", Style: 14}, viz.Series{Name: "k-means, ours", Style: 15}
	var x []float64
	far := 0 // the place at which the two differ most
	for i, b := range sizes {
		at := func(model string) float64 {
			return 100 * mean(d.Cauchy.Where("corruption", "blocks", "model", model, "level", b), "accuracy")
		}
		x = append(x, must(strconv.ParseFloat(b, 64)))
		ours.Y, theirs.Y, means.Y = append(ours.Y, at("Cauchy")), append(theirs.Y, 100*value(printed, "Cauchy", b)), append(means.Y, at("k-means"))
		if math.Abs(ours.Y[i]-theirs.Y[i]) > math.Abs(ours.Y[far]-theirs.Y[far]) {
			far = i
		}
	}
	ours.X, theirs.X, means.X = x, x, x
	c := must(viz.Lines([]viz.Series{ours, theirs, means}, viz.LinesOptions{Width: surpriseWidth, Height: surpriseHeight, YMax: 70,
		Title:  fmt.Sprintf("02: Cauchy, b = %s: %.0f %% for the printed %.0f %%", sizes[far], ours.Y[far], theirs.Y[far]),
		XLabel: "size b of the blocks", YLabel: "accuracy, %"}))
	c.Legend = plot.NewLegend()
	label(c, x[far], ours.Y[far], "   "+ours.Name, draw.XLeft, viz.Color(ours.Style-1))
	label(c, x[0], theirs.Y[0]+9, theirs.Name, draw.XLeft, viz.Color(theirs.Style-1))
	label(c, x[0], means.Y[0]-9, means.Name, draw.XLeft, viz.Color(means.Style-1))
	return c
}

// idleLabels draws the accuracies of RSS-NMF with labels against those of RNMF without, a point for each cell of the tables of the
// third paper: as printed, and with a weight that counts.
func idleLabels(d Data) viz.Figure {
	pairs := []struct{ with, without string }{{"RSS-NMF, printed", "RNMF, printed σ, MUR"}, {"RSS-NMF", "RNMF"}}
	var x, y []float64
	var weights []int
	ahead, cells := 0, 0
	without := d.Further.Where("kind", "rows", "model", pairs[0].without)
	for _, set := range without.Different("set") {
		for _, k := range without.Where("set", set).Different("level") {
			at := slices.Concat(d.RSS.Where("kind", "tables", "set", set, "level", k), without.Where("set", set, "level", k))
			cells++
			for weight, p := range pairs {
				c, ok := Contest{Table: at, Who: p.with, Rivals: []string{p.without}, Value: "accuracy"}.Cell("")
				if !ok {
					continue
				}
				if weight == 0 && c.side() > 0 {
					ahead++
				}
				own := common(at.Where("model", p.with), at.Where("model", p.without))
				x, y, weights = append(x, 100*(mean(own, "accuracy")-c.Mean)), append(y, 100*mean(own, "accuracy")), append(weights, weight)
			}
		}
	}
	all := mat.NewDense(2, len(x), nil)
	all.SetRow(0, x)
	all.SetRow(1, y)
	c := must(viz.Scatter(all, viz.ScatterOptions{Title: fmt.Sprintf("03: as printed, labels help in %d of %d cells", ahead, cells),
		XLabel: "accuracy without labels, %", YLabel: "with labels, %", Width: surpriseWidth, Height: surpriseHeight, Classes: weights,
		Lines: []viz.Direction{{Name: "no change", X: 1, Y: 1, Style: 15}}}))
	c.Legend = plot.NewLegend()
	c.X.Min, c.Y.Min = 30, 30
	label(c, 66, 47, "as printed, w = 1", draw.XLeft, viz.Color(0))
	label(c, 36, 72, "w = 100 losses", draw.XLeft, viz.Color(1))
	return c
}

// common are the rows of a table whose trial another has.
func common(t, other stored.Table) (some stored.Table) {
	for _, r := range t {
		if len(other.Where("trial", r.Text("trial"))) > 0 {
			some = append(some, r)
		}
	}
	return some
}

// unlabelled draws by how much RLS-NMF leads the best rival of Table 1, at points of the grids that the true labels
// have chosen and at those that the silhouette has.
func unlabelled(d Data) viz.Figure {
	type lead struct {
		set string
		by  [2]float64
	}
	var leads []lead
	first := [2]int{}
	for _, set := range []string{"Semeion", "ORL", "Yale", "COIL20", "Pendigits", "JAFFE", "ExtendedYaleB"} {
		of := lead{set: set}
		for i, by := range []string{"accuracy", "silhouette"} {
			p := problem{1, set, 0}
			least := math.Inf(1)
			for _, rival := range othersOfRLS {
				if v := best(d.RLS, p, "RLS-NMF", "accuracy", by) - best(d.RLS, p, rival, "accuracy", by); v < least {
					least = v
				}
			}
			if of.by[i] = 100 * least; least*rls.Samples[set] >= 1 { // one sample or more
				first[i]++
			}
		}
		leads = append(leads, of)
	}
	slices.SortStableFunc(leads, func(a, b lead) int { return cmp.Compare(a.by[0], b.by[0]) })
	c := rows(fmt.Sprintf("04: ahead on %d of %d by labels, on %d without", first[0], len(leads), first[1]), "RLS-NMF's lead in accuracy, points")
	var names []string
	marks := [2]*plotter.Scatter{
		{GlyphStyle: draw.GlyphStyle{Color: viz.Color(0), Radius: vg.Points(3), Shape: draw.CircleGlyph{}}},
		{GlyphStyle: draw.GlyphStyle{Color: viz.Color(1), Radius: vg.Points(5), Shape: draw.CircleGlyph{}}},
	}
	c.Add(between(plotter.XY{X: 0, Y: -0.5}, plotter.XY{X: 0, Y: float64(len(leads)) - 0.5}))
	for y, of := range leads {
		names = append(names, of.set)
		c.Add(between(plotter.XY{X: of.by[0], Y: float64(y)}, plotter.XY{X: of.by[1], Y: float64(y)}))
		for i, mark := range marks {
			mark.XYs = append(mark.XYs, plotter.XY{X: of.by[i], Y: float64(y)})
		}
	}
	c.Add(marks[1], marks[0]) // the smaller one is seen where they are equal
	c.NominalY(names...)
	top := len(leads) - 1
	for i, by := range []string{"chosen by labels", "by silhouette"} { // above the ends of the first row
		label(c, leads[top].by[i], float64(top)+0.9, by, draw.XCenter, viz.Color(i))
	}
	return c
}

// rows is an empty chart whose rows have names.
func rows(title, x string) *viz.Chart {
	c := viz.NewChart()
	c.Title.Text, c.X.Label.Text, c.Width, c.Height = title, x, surpriseWidth, surpriseHeight
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Width = color.Gray{0xe6}, 0
	c.Add(grid)
	return c
}

// between is a grey line.
func between(a, b plotter.XY) *plotter.Line {
	line := must(plotter.NewLine(plotter.XYs{a, b}))
	line.Color, line.Width = color.Gray{0xa0}, vg.Points(1.2)
	return line
}
