package lesson

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
	"github.com/robustnmf/robustnmf/viz"
	"github.com/robustnmf/robustnmf/viz/show"
)

// Results are the outcomes of trials, by the names of a row and a column, which keep the
// order in which they came. The zero value is empty and ready.
type Results struct {
	Rows, Columns []string
	Digits        int    // after the point, in tables and heat maps; 0: 3
	Name          string // whose they are, for the label of Minus; "": ours, or the paper's
	values        map[[2]string][]float64
}

// Add adds the outcome of trials; those that are NaN are left out.
func (r *Results) Add(row, column string, values ...float64) {
	if r.values == nil {
		r.values = map[[2]string][]float64{}
	}
	if !slices.Contains(r.Rows, row) {
		r.Rows = append(r.Rows, row)
	}
	if !slices.Contains(r.Columns, column) {
		r.Columns = append(r.Columns, column)
	}
	for _, v := range values {
		if !math.IsNaN(v) {
			r.values[[2]string{row, column}] = append(r.values[[2]string{row, column}], v)
		}
	}
}

// Stored collects the numbers of a column of stored results, a row for each text in one
// column and a column for each text in another:
//
//	lesson.Stored(cauchy.Results().Where("corruption", "blocks"), "model", "level", "accuracy")
func Stored(t stored.Table, row, column, value string) *Results {
	r := new(Results)
	for _, line := range t {
		r.Add(line.Text(row), line.Text(column), line.Number(value))
	}
	return r
}

// Printed reads the numbers of a printed table. Its first line names the columns, and each other
// line has the name of a row and its numbers, with | between them; what is not a number is missing.
//
//	         | AT&T  | Wine
//	L2,1-NMF | 0.681 | 0.876
//	k-means  | 0.652 | –
func Printed(text string) *Results {
	r := new(Results)
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		fields := strings.Split(line, "|")
		for k, f := range fields {
			fields[k] = strings.TrimSpace(f)
		}
		if i == 0 {
			r.Columns = fields[1:]
			continue
		}
		if len(fields) != len(r.Columns)+1 {
			stop(fmt.Sprintf("lesson: the line %q of a printed table has %d columns, want %d", line, len(fields)-1, len(r.Columns)))
			return r
		}
		for k, column := range r.Columns {
			v, err := strconv.ParseFloat(fields[k+1], 64)
			if err != nil {
				v = math.NaN()
			}
			r.Add(fields[0], column, v)
		}
	}
	return r
}

// Values returns the outcomes of all trials at a row and a column.
func (r *Results) Values(row, column string) []float64 { return r.values[[2]string{row, column}] }

// Mean returns the mean of the outcomes at a row and a column, NaN if there are none.
func (r *Results) Mean(row, column string) float64 { return stat.Mean(r.Values(row, column), nil) }

// Leader returns the row that has the largest mean of a column most often, the first of equals, and how often.
func (r *Results) Leader() (row string, times int) {
	count := map[string]int{}
	for _, column := range r.Columns {
		best, most := "", math.Inf(-1)
		for _, name := range r.Rows {
			if mean := r.Mean(name, column); mean > most {
				best, most = name, mean
			}
		}
		if count[best]++; count[best] > times {
			row, times = best, count[best]
		}
	}
	return row, times
}

func (r *Results) digits() int {
	if r.Digits == 0 {
		return 3
	}
	return r.Digits
}

// Show displays them as a table of mean ± deviation over the trials.
func (r *Results) Show(caption string) { show.Table(r.Table(caption)) }

// Table is the table that Show displays.
func (r *Results) Table(caption string) *viz.Table {
	t := &viz.Table{Caption: caption, Header: append([]string{""}, r.Columns...)}
	for _, row := range r.Rows {
		cells := []viz.Cell{viz.Text(row)}
		for _, column := range r.Columns {
			cells = append(cells, viz.Summary(r.Values(row, column), r.digits()))
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// NextTo is a table of mean ± deviation over the trials with what a paper prints next to
// each: all rows and columns of theirs, in their order, then our other rows. What one of
// the two lacks is a dash.
func (r *Results) NextTo(theirs *Results, caption string) *viz.Table {
	t := &viz.Table{Caption: caption, Header: []string{""}}
	for _, column := range theirs.Columns {
		t.Header = append(t.Header, column, "paper")
	}
	rows := slices.Clone(theirs.Rows)
	for _, row := range r.Rows {
		if !slices.Contains(rows, row) {
			rows = append(rows, row)
		}
	}
	for _, row := range rows {
		cells := []viz.Cell{viz.Text(row)}
		for _, column := range theirs.Columns {
			cells = append(cells, viz.Summary(r.Values(row, column), r.digits()), viz.Summary(theirs.Values(row, column), r.digits()))
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// WithPaper is a table of mean ± deviation over the trials, and in brackets what a paper prints at the
// same place: our rows and columns, in their order, then those that only the paper has.
func (r *Results) WithPaper(theirs *Results, caption string) *viz.Table {
	all := &Results{Rows: slices.Clone(r.Rows), Columns: slices.Clone(r.Columns)}
	for _, row := range theirs.Rows {
		for _, column := range theirs.Columns {
			all.Add(row, column)
		}
	}
	t := &viz.Table{Caption: caption, Header: append([]string{""}, all.Columns...)}
	for _, row := range all.Rows {
		cells := []viz.Cell{viz.Text(row)}
		for _, column := range all.Columns {
			cell := viz.Summary(r.Values(row, column), r.digits())
			if paper := viz.Summary(theirs.Values(row, column), r.digits()); len(theirs.Values(row, column)) > 0 {
				cell.Text += " (" + paper.Text + ")"
				if math.IsNaN(cell.Value) {
					cell.Value = paper.Value // a number, too, by which columns are aligned
				}
			}
			cells = append(cells, cell)
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// Minus draws the differences of the means, ours − theirs, in a heat map: red where ours
// is larger, blue where it is smaller. It shows the rows and columns that both have, in
// the order of theirs, and leaves out rows with a gap. The bar is labelled "ours − paper",
// or with the Names of the two. If no row is left, as none of the sets is at hand, it says
// so in a line, and returns nil, which Show passes over.
func (r *Results) Minus(theirs *Results, title string) viz.Figure {
	both := func(a, b []string) (c []string) {
		for _, name := range a {
			if slices.Contains(b, name) {
				c = append(c, name)
			}
		}
		return c
	}
	columns := both(theirs.Columns, r.Columns)
	var rows []string
	var d []float64
	for _, row := range both(theirs.Rows, r.Rows) {
		var line []float64
		for _, column := range columns {
			line = append(line, r.Mean(row, column)-theirs.Mean(row, column))
		}
		if !slices.ContainsFunc(line, math.IsNaN) {
			rows, d = append(rows, row), append(d, line...)
		}
	}
	if len(d) == 0 {
		fmt.Println(title + ": no row is complete in both tables")
		return nil
	}
	return Must(viz.Heatmap(mat.NewDense(len(rows), len(columns), d), viz.HeatmapOptions{Title: title, RowNames: rows, ColumnNames: columns,
		Centered: true, Values: true, Digits: r.digits(), BarLabel: cmp.Or(r.Name, "ours") + " − " + cmp.Or(theirs.Name, "paper")}))
}

// Lines draws a curve for each row over columns that are numbers, the mean with a bar of
// the deviation. For other options hand Series to viz.Lines.
func (r *Results) Lines(title, xlabel, ylabel string) *viz.Chart {
	return Must(viz.Lines(r.Series(), viz.LinesOptions{Title: title, XLabel: xlabel, YLabel: ylabel}))
}

var colours []string

// Colours gives rows of Results a colour of their own, the first ones in their order, in all charts of
// a notebook, in the place of those of Look; rows of other names have the colours after these. Declare
// it in a cell of its own or with other variables: var colours = lesson.Colours("L2", "Huber").
func Colours(rows ...string) []string {
	colours = rows
	return rows
}

// Series are the curves that Lines draws.
func (r *Results) Series() (series []viz.Series) {
	styles := lookOf(r.Rows)
	for i, row := range r.Rows {
		s, once := viz.Series{Name: row, Style: styles[i]}, true
		for _, column := range r.Columns {
			v := r.Values(row, column)
			if len(v) == 0 {
				continue
			}
			x, err := strconv.ParseFloat(column, 64)
			if err != nil {
				stop(fmt.Sprintf("lesson: the column %q is not a number, so it has no place on an axis", column))
				return nil
			}
			mean, dev := stat.MeanStdDev(v, nil)
			if len(v) == 1 {
				dev = 0
			}
			once = once && len(v) == 1
			s.X, s.Y, s.Err = append(s.X, x), append(s.Y, mean), append(s.Err, dev)
		}
		if once {
			s.Err = nil
		}
		if len(s.X) > 0 {
			series = append(series, s)
		}
	}
	return series
}

// Spread draws every trial as a point, with a colour for each row and the columns next to each
// other; the trials of a row stand in their order, so that none hides another. It shows how far starts scatter,
// compared with the differences between rows.
func (r *Results) Spread(title, ylabel string) *viz.Chart {
	c := viz.NewChart()
	c.Title.Text, c.Y.Label.Text = title, ylabel
	c.Width = max(c.Width, 2+float64(len(r.Columns)))
	glyphs := []draw.GlyphDrawer{draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.RingGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}}
	styles := lookOf(r.Rows)
	for i, row := range r.Rows {
		var points plotter.XYs
		side, wide := r.place(i)
		for k, column := range r.Columns {
			v := slices.Sorted(slices.Values(r.Values(row, column)))
			for j, y := range v {
				points = append(points, plotter.XY{X: float64(k) + side + across(j, len(v), wide), Y: y})
			}
		}
		if len(points) == 0 {
			continue
		}
		s, err := plotter.NewScatter(points)
		Check(err)
		s.GlyphStyle = draw.GlyphStyle{Color: viz.Color(styles[i] - 1), Radius: vg.Points(2.8), Shape: glyphs[i%len(glyphs)]}
		c.Add(s)
		if !slices.Equal(r.Rows, r.Columns) {
			c.Legend.Add(row, s)
		}
	}
	c.NominalX(r.Columns...)
	c.X.Min, c.X.Max = -0.5, float64(len(r.Columns))-0.5
	return c
}

// place is where Spread has the trials of a row: how far to the side of a column, and how wide.
func (r *Results) place(row int) (side, wide float64) {
	if slices.Equal(r.Rows, r.Columns) {
		return 0, 0.4 // each row has a column of its own
	}
	wide = 0.8 / float64(len(r.Rows))
	return wide * (float64(row) + 0.5 - float64(len(r.Rows))/2), wide
}

// across is where Spread has the j-th of n trials, from the middle of a row that is so wide.
func across(j, n int, wide float64) float64 { return 0.6 * wide * ((float64(j)+0.5)/float64(n) - 0.5) }

// Shares writes into a chart of Spread which share of a row's trials ends at a value, where they end at several; values that
// lie less than a gap from the next one count as one.
func (r *Results) Shares(c *viz.Chart, row string, gap float64) {
	i := slices.Index(r.Rows, row)
	if i < 0 {
		stop(fmt.Sprintf("lesson: there is no row %q", row))
		return
	}
	side, wide := r.place(i)
	style := c.Legend.TextStyle
	style.Font, style.Handler = c.X.Tick.Label.Font, plot.DefaultTextHandler
	style.Font.Size, style.XAlign, style.YAlign = vg.Points(9), text.XCenter, text.YCenter
	style.Color = viz.Color(lookOf(r.Rows)[i] - 1)
	middle := (c.Y.Min + c.Y.Max) / 2
	for k, column := range r.Columns {
		v := slices.Sorted(slices.Values(r.Values(row, column)))
		ends := groups(v, gap)
		if len(ends) < 2 {
			continue
		}
		from := 0
		for _, to := range ends {
			at := plotter.XY{X: float64(k) + side + (across(from, len(v), wide)+across(to-1, len(v), wide))/2, Y: stat.Mean(v[from:to], nil)}
			l := Must(plotter.NewLabels(plotter.XYLabels{XYs: plotter.XYs{at}, Labels: []string{fmt.Sprintf("%.0f %%", 100*float64(to-from)/float64(len(v)))}}))
			l.TextStyle[0] = style
			l.Offset.Y = vg.Points(10) // above the lower values, below the upper ones
			if at.Y > middle {
				l.Offset.Y *= -1
			}
			c.Add(l)
			from = to
		}
	}
}

// groups returns where the groups of ascending values end that lie less than a gap from each other.
func groups(v []float64, gap float64) (ends []int) {
	for i := range v {
		if i+1 == len(v) || v[i+1]-v[i] >= gap {
			ends = append(ends, i+1)
		}
	}
	return ends
}

// Means adds to a chart of Spread a line at the mean of each row and column that have trials.
func (r *Results) Means(c *viz.Chart) {
	for i, row := range r.Rows {
		side, wide := r.place(i)
		for k, column := range r.Columns {
			if mean := r.Mean(row, column); !math.IsNaN(mean) {
				middle, half := float64(k)+side, 0.425*wide
				line := Must(plotter.NewLine(plotter.XYs{{X: middle - half, Y: mean}, {X: middle + half, Y: mean}}))
				line.Width = vg.Points(1.5)
				c.Add(line)
			}
		}
	}
}

// Bars draws the means as bars next to each other, a group for each column and in it a bar for each row.
// Every row must have a value at every column.
func (r *Results) Bars(title, ylabel string, opt viz.BarsOptions) *viz.Chart {
	opt.Title, opt.YLabel = title, ylabel
	var series []viz.Series
	styles := lookOf(r.Rows)
	for i, row := range r.Rows {
		s := viz.Series{Name: row, Style: styles[i]}
		for _, column := range r.Columns {
			mean := r.Mean(row, column)
			if math.IsNaN(mean) {
				stop(fmt.Sprintf("lesson: %q has no value at %q", row, column))
				return nil
			}
			s.Y = append(s.Y, mean)
		}
		series = append(series, s)
	}
	return Must(viz.Bars(r.Columns, series, opt))
}

// Intervals draws the mean of each row's trials with its t-interval at 95 %, the columns next to each other
// and a line at zero: for differences. A single value has no interval. The legend stands inside, at the upper left.
func (r *Results) Intervals(title, ylabel string) *viz.Chart {
	c := viz.NewChart()
	c.Title.Text, c.Y.Label.Text = title, ylabel
	c.Width, c.Height = max(c.Width, 0.8*float64(len(r.Columns))), 3.2
	c.InsideLegend = true
	zero := Must(plotter.NewLine(plotter.XYs{{X: -0.5}, {X: float64(len(r.Columns)) - 0.5}}))
	zero.Color = color.Gray{0x90}
	c.Add(zero)
	glyphs := []draw.GlyphDrawer{draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.CrossGlyph{}}
	low, high := 0.0, 0.0
	styles := lookOf(r.Rows)
	for i, row := range r.Rows {
		var points plotter.XYs
		var bars plotter.YErrors
		for k, column := range r.Columns {
			v := r.Values(row, column)
			if len(v) == 0 {
				continue
			}
			half := half(v)
			points = append(points, plotter.XY{X: r.middle(k, i), Y: stat.Mean(v, nil)})
			bars = append(bars, struct{ Low, High float64 }{half, half})
			low, high = min(low, stat.Mean(v, nil)-half), max(high, stat.Mean(v, nil)+half)
		}
		if len(points) == 0 {
			continue
		}
		colour := viz.Color(styles[i] - 1)
		c.Add(&plotter.YErrorBars{XYs: points, YErrors: bars, LineStyle: draw.LineStyle{Color: colour, Width: vg.Points(1.2)}})
		s := Must(plotter.NewScatter(points))
		s.GlyphStyle = draw.GlyphStyle{Color: colour, Radius: vg.Points(2.8), Shape: glyphs[i%len(glyphs)]}
		c.Add(s)
		c.Legend.Add(row, s)
	}
	c.NominalX(r.Columns...)
	c.Y.Min, c.Y.Max = low-0.04*(high-low), high+0.04*(high-low)
	c.X.Min, c.X.Max = -0.5, float64(len(r.Columns))-0.5
	return c
}

// Sideways is Intervals with a line for each row, which has its name, and a colour for each column.
func (r *Results) Sideways(title, xlabel string) *viz.Chart {
	c := viz.NewChart()
	c.Title.Text, c.X.Label.Text, c.InsideLegend = title, xlabel, true
	names := slices.Clone(r.Rows)
	slices.Reverse(names) // the first one is the uppermost
	c.NominalY(names...)
	c.Y.Min, c.Y.Max = -0.5, float64(len(names))-0.5
	c.Add(&plotter.Line{XYs: plotter.XYs{{Y: c.Y.Min}, {Y: c.Y.Max}}, LineStyle: draw.LineStyle{Color: color.Gray{0x90}, Width: vg.Points(1)}})
	glyphs := []draw.GlyphDrawer{draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.CrossGlyph{}}
	for k, column := range r.Columns {
		colour, bars := viz.Color(k), new(plotter.XErrorBars)
		for i, name := range names {
			if v := r.Values(name, column); len(v) > 0 {
				y := float64(i) - 0.5*((float64(k)+0.5)/float64(len(r.Columns))-0.5)
				bars.XYs = append(bars.XYs, plotter.XY{X: stat.Mean(v, nil), Y: y})
				bars.XErrors = append(bars.XErrors, struct{ Low, High float64 }{half(v), half(v)})
			}
		}
		bars.Color, bars.LineStyle.Width = colour, vg.Points(1.2)
		points := &plotter.Scatter{XYs: bars.XYs, GlyphStyle: draw.GlyphStyle{Color: colour, Radius: vg.Points(2.8), Shape: glyphs[k%len(glyphs)]}}
		c.Add(bars, points)
		c.Legend.Add(column, points)
	}
	return c
}

// middle is where Intervals has the interval of a row at a column.
func (r *Results) middle(column, row int) float64 {
	return float64(column) + 0.7*((float64(row)+0.5)/float64(len(r.Rows))-0.5)
}

// Dots adds to a chart of Intervals every trial as a pale dot, from left to right in the order of the trials.
func (r *Results) Dots(c *viz.Chart) {
	styles := lookOf(r.Rows)
	low, high := c.Y.Min, c.Y.Max
	for i, row := range r.Rows {
		var points plotter.XYs
		for k, column := range r.Columns {
			v := r.Values(row, column)
			for j, y := range v {
				side := 0.5 * ((float64(j)+0.5)/float64(len(v)) - 0.5) / float64(len(r.Rows))
				points = append(points, plotter.XY{X: r.middle(k, i) + side, Y: y})
				low, high = min(low, y-0.5), max(high, y+0.5)
			}
		}
		of := viz.Color(styles[i] - 1)
		s := Must(plotter.NewScatter(points))
		s.GlyphStyle = draw.GlyphStyle{Color: color.NRGBA{of.R, of.G, of.B, 0x70}, Radius: vg.Points(1.9), Shape: draw.CircleGlyph{}}
		c.Add(s)
	}
	c.Y.Min, c.Y.Max = low, high
}

// Interval writes the mean at a row and a column with half the width of its t-interval at 95 %.
func (r *Results) Interval(row, column string) string {
	v := r.Values(row, column)
	unit := math.Pow10(-r.digits())
	mean := math.Round(stat.Mean(v, nil)/unit)*unit + 0 // not -0
	return strings.Replace(fmt.Sprintf("%.*f ± %.*f", r.digits(), mean, r.digits(), half(v)), "-", "−", 1)
}

// half is half the width of the t-interval at 95 % of a mean; 0 for a single value.
func half(v []float64) float64 {
	if len(v) < 2 {
		return 0
	}
	return distuv.StudentsT{Sigma: 1, Nu: float64(len(v) - 1)}.Quantile(0.975) * stat.StdErr(stat.StdDev(v, nil), float64(len(v)))
}

// Sides counts the intervals that Intervals draws at some rows and columns: how many lie above 0, how
// many below, and how many there are.
func (r *Results) Sides(rows, columns []string) (above, below, all int) {
	for _, row := range rows {
		for _, column := range columns {
			v := r.Values(row, column)
			if len(v) == 0 {
				continue
			}
			mean, half := stat.Mean(v, nil), half(v)
			all++
			if mean-half > 0 {
				above++
			} else if mean+half < 0 {
				below++
			}
		}
	}
	return above, below, all
}

// Clear names the columns at which the t-interval at 95 % of row − rival, trial by trial, lies above 0, and
// those at which it lies below.
func (r *Results) Clear(row, rival string) (above, below []string) {
	lead := new(Results)
	for _, column := range r.Columns {
		ours, theirs := r.Values(row, column), r.Values(rival, column)
		for i := range min(len(ours), len(theirs)) {
			lead.Add(row, column, ours[i]-theirs[i])
		}
		if up, down, _ := lead.Sides([]string{row}, []string{column}); up > 0 {
			above = append(above, column)
		} else if down > 0 {
			below = append(below, column)
		}
	}
	return above, below
}

// Heat draws the means in a heat map with their values, a row for each row; label names the unit, and
// columns, if it is given, what the columns are. Rows with a gap are left out.
func (r *Results) Heat(title, label string, columns ...string) viz.Figure {
	return r.heat(title, label, strings.Join(columns, " "), nil)
}

// HeatAgainst is Heat with ▲ after each mean that is clearly above that of a rival, and ▼ after each
// that is clearly below it, as Clear has it.
func (r *Results) HeatAgainst(rival, title, label, columns string) viz.Figure {
	signs := map[[2]string]string{}
	for _, row := range r.Rows {
		above, below := r.Clear(row, rival)
		for _, column := range above {
			signs[[2]string{row, column}] = " ▲"
		}
		for _, column := range below {
			signs[[2]string{row, column}] = " ▼"
		}
	}
	return r.heat(title, label, columns, signs)
}

// heat draws the means with signs at some rows and columns.
func (r *Results) heat(title, label, columns string, signs map[[2]string]string) viz.Figure {
	var rows []string
	var values []float64
	for _, row := range r.Rows {
		var line []float64
		for _, column := range r.Columns {
			line = append(line, r.Mean(row, column))
		}
		if !slices.ContainsFunc(line, math.IsNaN) {
			rows, values = append(rows, row), append(values, line...)
		}
	}
	if len(values) == 0 {
		stop("lesson: no row is complete")
		return nil
	}
	note := func(i, j int) string { return signs[[2]string{rows[i], r.Columns[j]}] }
	return Must(viz.Heatmap(mat.NewDense(len(rows), len(r.Columns), values), viz.HeatmapOptions{Title: title, XLabel: columns, RowNames: rows,
		ColumnNames: r.Columns, Values: true, Note: note, Digits: r.digits(), BarLabel: label, Map: viz.Blues}))
}

// Only returns the results of some rows, in the order given.
func (r *Results) Only(rows ...string) *Results {
	some := &Results{Columns: r.Columns, Digits: r.Digits, Name: r.Name}
	for _, row := range rows {
		for _, column := range r.Columns {
			some.Add(row, column, r.Values(row, column)...)
		}
	}
	return some
}

// Medians are the curves of Series with the medians of the trials in the place of the means, none below least,
// and without deviations: where a single trial that fails moves a mean.
func (r *Results) Medians(least float64) []viz.Series {
	series := r.Series()
	for i, s := range series {
		series[i].Err = nil
		k := 0
		for _, column := range r.Columns {
			if v := slices.Sorted(slices.Values(r.Values(s.Name, column))); len(v) > 0 {
				series[i].Y[k] = max((v[(len(v)-1)/2]+v[len(v)/2])/2, least)
				k++
			}
		}
	}
	return series
}

// Points adds to a chart of Series or Medians every trial as a pale dot, those below least at its height.
func (r *Results) Points(c *viz.Chart, least float64) {
	for _, s := range r.Series() {
		of := viz.Color(s.Style - 1)
		dots := &plotter.Scatter{GlyphStyle: draw.GlyphStyle{Color: color.NRGBA{of.R, of.G, of.B, 0x70}, Radius: vg.Points(1.9), Shape: draw.CircleGlyph{}}}
		k := 0
		for _, column := range r.Columns {
			v := r.Values(s.Name, column)
			for _, y := range v {
				dots.XYs = append(dots.XYs, plotter.XY{X: s.X[k], Y: max(y, least)})
			}
			if len(v) > 0 {
				k++
			}
		}
		c.Add(dots)
	}
}
