package lesson

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/viz"
)

// Named draws curves whose names stand at their right ends, in their colours, in the place of a legend. Where a
// name would lie on another curve there is a legend.
func Named(series []viz.Series, opt viz.LinesOptions) *viz.Chart {
	c := Must(viz.Lines(series, opt))
	type end struct {
		x, y, at float64 // at is the height of the name, in points
		wide     float64 // of the name, in points
		name     string
		style    int
	}
	var ends []end
	tall, wide := 72*c.Height-80, 72*c.Width-50 // of the area of the data, about
	style := c.Legend.TextStyle
	style.Font, style.Handler = c.X.Tick.Label.Font, plot.DefaultTextHandler
	style.YAlign = -0.4 // the middle of the small letters at the point
	for i, s := range series {
		if s.Name == "" {
			continue
		}
		e := end{name: s.Name, style: cmp.Or(s.Style, i+1) - 1, x: math.Inf(-1)}
		for k, y := range s.Y {
			x := float64(k)
			if s.X != nil {
				x = s.X[k]
			}
			if x > e.x && !(opt.LogX && x <= 0) && !(opt.LogY && y <= 0) {
				e.x, e.y = x, y
			}
		}
		e.y = min(max(e.y, c.Y.Min), c.Y.Max)
		e.at = tall * c.Y.Norm(e.y)
		e.wide = float64(style.Width("  " + e.name))
		if at := c.X.Norm(e.x); at > 0 {
			wide = min(wide, (72*c.Width-50-e.wide)/at)
		}
		ends = append(ends, e)
	}
	heights := make([]float64, len(ends))
	for i, e := range ends {
		heights[i] = e.at
	}
	// hit says whether a curve goes through the name of the i-th end, between x and x plus its width.
	hit := func(i int, x, at float64) bool {
		for _, s := range series {
			var last [2]float64
			for k, y := range s.Y {
				p := [2]float64{float64(k), y}
				if s.X != nil {
					p[0] = s.X[k]
				}
				p = [2]float64{wide * c.X.Norm(p[0]), tall * c.Y.Norm(p[1])}
				for part := 0.0; k > 0 && part <= 1; part += 0.05 {
					px, py := last[0]+part*(p[0]-last[0]), last[1]+part*(p[1]-last[1])
					if s.Name != ends[i].name && px > x+4 && px < x+ends[i].wide && math.Abs(py-at) < 6 {
						return true
					}
				}
				last = p
			}
		}
		return false
	}
	places := apart(heights, 14)
	for i, at := range places {
		if hit(i, wide*c.X.Norm(ends[i].x), at) {
			return c
		}
	}
	c.Legend = plot.NewLegend()
	for i, at := range places {
		e := ends[i]
		style.Color = viz.Color(e.style)
		l := Must(plotter.NewLabels(plotter.XYLabels{XYs: plotter.XYs{{X: e.x, Y: e.y}}, Labels: []string{"  " + e.name}}))
		l.TextStyle[0] = style
		l.Offset.Y = vg.Points(at - e.at)
		c.Add(l)
	}
	return c
}

// apart moves heights as little as that needs until no two are nearer than a gap.
func apart(heights []float64, gap float64) []float64 {
	order := make([]int, len(heights))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(heights[a], heights[b]) })
	// Groups of names that touch are centred on the mean of their heights.
	type group struct {
		sum float64
		n   int
	}
	bottom := func(g group) float64 { return g.sum/float64(g.n) - gap*float64(g.n-1)/2 }
	var groups []group
	for _, i := range order {
		groups = append(groups, group{heights[i], 1})
		for k := len(groups) - 1; k > 0 && bottom(groups[k])-bottom(groups[k-1]) < gap*float64(groups[k-1].n); k-- {
			groups[k-1].sum += groups[k].sum
			groups[k-1].n += groups[k].n
			groups = groups[:k]
		}
	}
	moved := make([]float64, len(heights))
	next := 0
	for _, g := range groups {
		for k := range g.n {
			moved[order[next]] = bottom(g) + gap*float64(k)
			next++
		}
	}
	return moved
}

// Gaps draws how far the objectives of some fits of one objective lie above the lowest of all, as
// a share of it, on logarithmic axes, and says in how many rounds each of them rose. The fit that
// reaches the lowest value has no point there. Title, size and Seconds are those of opt.
func Gaps(opt viz.ConvergenceOptions, curves ...viz.Curve) *viz.Chart {
	lowest := math.Inf(1)
	var said []string
	for _, c := range curves {
		for _, p := range c.Trace {
			lowest = min(lowest, p.Objective)
		}
		said = append(said, fmt.Sprintf("%s %d of %d", c.Name, Rises(c.Trace), len(c.Trace)-1))
	}
	fmt.Println("steps in which the objective rose: " + strings.Join(said, ", "))
	var series []viz.Series
	for _, c := range curves {
		s := viz.Series{Name: c.Name, Style: cmp.Or(c.Style, Look(c.Name))}
		for _, p := range c.Trace {
			if x, gap := float64(p.Round), p.Objective/lowest-1; gap > 1e-9 {
				if opt.Seconds {
					x = p.Seconds
				}
				s.X, s.Y = append(s.X, x), append(s.Y, gap)
			}
		}
		series = append(series, s)
	}
	xlabel := "round"
	if opt.Seconds {
		xlabel = "seconds"
	}
	return Named(series, viz.LinesOptions{Title: opt.Title, XLabel: xlabel, YLabel: "gap to the lowest",
		Width: opt.Width, Height: opt.Height, LogX: true, LogY: true})
}

// Rises counts the rounds in which the objective of a trace rose by more than 10⁻¹² of itself, which is
// rounding.
func Rises(trace rnmf.Trace) (n int) {
	for t := 1; t < len(trace); t++ {
		if trace[t].Objective > trace[t-1].Objective*(1+1e-12) {
			n++
		}
	}
	return n
}

// looks are the numbers of colour, dash and marker of models, by the names that they have in
// charts: the same in all notebooks.
var looks = map[string]int{
	"NMF": 1, "L2": 1, "least squares": 1,
	"L2,1-NMF": 2, "L2,1": 2,
	"L1-NMF": 3, "L1": 3,
	"your own": 27, "your own, ridge": 11, "your own, wider": 43,
	"truncated Cauchy": 4, "truncated, printed rule": 4,
	"Huber": 5, "HuberNMF": 5,
	"Cauchy":     6,
	"two stages": 7, "RobustNMF": 7,
	"CIM": 8, "correntropy": 8,
	"truncated, normal rule":    10,
	"PoissonNMF":                12,
	"capped L2,1":               13,
	"RNMF-L1":                   14,
	"k-means":                   15,
	"two stages, printed first": 16,
	"hypersurface":              18, "RobustPoissonNMF": 18,
	"CellCaseNMF": 19, "CellCase": 19,
	"NumPy": 20, "told": 20,
	"scikit-learn": 22, "scikit-learn's NMF": 22,
	"auto": 24,
	// Colours repeat after 8: these differ in the charts of notebooks 03 to 05 that have them.
	"RSS-NMF": 50, "SCNMF": 52, "RNMF": 51, "pixels": 54, "CNMF": 53, "two stages and labels": 56,
	"LS-NMF": 58, "RLS-NMF": 61, "GNMF": 55,
	"MUR": 33, "FGD, one β": 34, "FGD": 35, "HALS": 36, "weighted HALS": 36, "coordinate descent": 36,
	"NeNMF": 37, "RRA, safe": 38, "RRA, V then U": 39, "RRA, Algorithm 1": 48, "scale held, λ = 10⁴": 42,
}

// Look returns the number of a model's colour, dash and marker, as a Style of package viz, or 0 if the
// name is not that of a model.
func Look(name string) int {
	if i := slices.Index(colours, name); i >= 0 {
		return i + 1
	}
	if len(colours) > 0 {
		return 0
	}
	return looks[name]
}

// lookOf returns the looks of some names; those that are not of models have the first that are left, of colours
// that no model of the chart has if there are such.
func lookOf(names []string) []int {
	taken := map[int]bool{}
	for _, name := range names {
		taken[Look(name)] = true
	}
	for i := range colours { // which keep theirs, whether they are in this chart or not
		taken[i+1] = true
	}
	var styles []int
	for _, name := range names {
		style := Look(name)
		if style == 0 {
			used := map[color.Color]bool{}
			for other := range taken {
				if other > 0 {
					used[viz.Color(other-1)] = true
				}
			}
			style = 1
			for style <= 8 && (taken[style] || used[viz.Color(style-1)]) {
				style++
			}
			if style > 8 { // all colours have been used
				for style = 1; taken[style]; style++ {
				}
			}
			taken[style] = true
		}
		styles = append(styles, style)
	}
	return styles
}

// Link draws a thin grey line through the first points of some series, which shows how one comes from the other.
func Link(c *viz.Chart, series ...viz.Series) {
	var points plotter.XYs
	for _, s := range series {
		points = append(points, plotter.XY{X: s.X[0], Y: s.Y[0]})
	}
	l := Must(plotter.NewLine(points))
	l.Color, l.Width = color.Gray{0x60}, vg.Points(1.2)
	c.Add(l)
}

// Mark draws a vertical line at x, in the colour of a style, with a name in some line below its upper end.
func Mark(c *viz.Chart, x float64, name string, style int, line float64) {
	upright := Must(plotter.NewLine(plotter.XYs{{X: x, Y: c.Y.Min}, {X: x, Y: c.Y.Max}}))
	upright.Color, upright.Width = viz.Color(style-1), vg.Points(1.5)
	l := Must(plotter.NewLabels(plotter.XYLabels{XYs: plotter.XYs{{X: x, Y: c.Y.Max}}, Labels: []string{" " + name}}))
	text := c.Legend.TextStyle
	text.Handler, text.Font, text.Color, text.YAlign = l.TextStyle[0].Handler, c.X.Tick.Label.Font, upright.Color, -1
	l.TextStyle[0] = text
	l.Offset.Y = vg.Points(-14 * line)
	c.Add(upright, l)
}

// Write writes words into a chart, in the grey of Link: their left end, at half their height, stands at a point.
func Write(c *viz.Chart, x, y float64, words string) {
	l := Must(plotter.NewLabels(plotter.XYLabels{XYs: plotter.XYs{{X: x, Y: y}}, Labels: []string{words}}))
	text := &l.TextStyle[0]
	text.Font, text.Color, text.YAlign = c.X.Tick.Label.Font, color.Gray{0x60}, -0.4
	c.Add(l)
}

// Point draws a point in the colour of a style, with a name: left of it if side is negative, right of it if side is
// positive, else above it.
func Point(c *viz.Chart, x, y float64, name string, style, side int) {
	at := plotter.XYs{{X: x, Y: y}}
	dot := Must(plotter.NewScatter(at))
	dot.GlyphStyle = draw.GlyphStyle{Color: viz.Color(style - 1), Radius: vg.Points(4), Shape: draw.CircleGlyph{}}
	l := Must(plotter.NewLabels(plotter.XYLabels{XYs: at, Labels: []string{name}}))
	text := &l.TextStyle[0]
	text.Font, text.Color, text.XAlign, text.YAlign = c.X.Tick.Label.Font, dot.Color, draw.XCenter, -0.4
	switch {
	case side < 0:
		text.XAlign, l.Offset.X = draw.XRight, vg.Points(-8)
	case side > 0:
		text.XAlign, l.Offset.X = draw.XLeft, vg.Points(8)
	default:
		l.Offset.Y = vg.Points(12)
	}
	c.Add(dot, l)
}

// Marked draws curves that have no markers of their own, and the marks at the same places in their colours: the
// points of a fit on the curve of its objective. Names are those of the marks.
func Marked(curves, marks []viz.Series, opt viz.LinesOptions) *viz.Chart {
	c := Must(viz.Lines(marks, opt))
	low, high := c.Y.Min, c.Y.Max
	for i, s := range curves {
		line := &plotter.Line{LineStyle: draw.LineStyle{Color: viz.Color(i), Width: vg.Points(1.7)}}
		if i%2 == 1 {
			line.Dashes = []vg.Length{vg.Points(6), vg.Points(3)}
		}
		for k, y := range s.Y {
			line.XYs = append(line.XYs, plotter.XY{X: s.X[k], Y: y})
		}
		c.Add(line)
	}
	if opt.YMin != 0 || opt.YMax != 0 {
		c.Y.Min, c.Y.Max = low, high
	}
	return c
}
