package arena

import (
	"cmp"
	"fmt"
	"image/color"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/notebooks/lesson"
	"github.com/robustnmf/robustnmf/viz"
)

// short is the name of a rival where there is little room, by which lesson.Look knows it.
func short(name string) string {
	return strings.Replace(name, "truncated Cauchy, ", "truncated, ", 1)
}

// lines writes a short name in two lines.
func lines(name string) string {
	return strings.Replace(strings.Replace(short(name), "truncated, ", "truncated,\n", 1), "truncated C", "truncated\nC", 1)
}

// Strengths has those of each corruption of a set, and what they count.
func Strengths(s *datasets.Set) *viz.Table {
	t := &viz.Table{Header: []string{"corruption", "strengths", "what they count"}}
	all := map[string][]string{}
	for _, c := range Cases(s) {
		all[c.Kind] = append(all[c.Kind], fmt.Sprint(c.Strength))
	}
	for _, kind := range Kinds()[1:] {
		if all[kind[0]] != nil {
			t.Rows = append(t.Rows, []viz.Cell{viz.Text(kind[0]), viz.Text(strings.Join(all[kind[0]], ", ")), viz.Text(kind[1])})
		}
	}
	return t
}

// Ranking has the factors of rivals by some measures, in the order of the first: near twins of one rival among the
// others change no factor.
func Ranking(caption string, rows []Stored, measures ...Measure) *viz.Table {
	t := &viz.Table{Caption: caption, Header: []string{"loss"}}
	var names []string
	for i, m := range measures {
		t.Header = append(t.Header, m.Name+": factor to the best, mean", "worst", "bouts won")
		standings := byFactor(rows, m)
		if i == 0 {
			for _, s := range standings {
				names = append(names, s.Model)
				t.Rows = append(t.Rows, []viz.Cell{viz.Text(s.Model)})
			}
		}
		for _, s := range standings {
			at := slices.Index(names, s.Model)
			t.Rows[at] = append(t.Rows[at], viz.Number(s.Regret, 3), viz.Text(fmt.Sprintf("%.2f, %s", s.Worst, where(rows, m, s.Model))), viz.Number(float64(s.Wins), 0))
		}
	}
	return t
}

// where names the worst bout of a rival by a measure, with its set where there are several.
func where(rows []Stored, m Measure, model string) (name string) {
	means, bouts, worst := Means(rows, m), Bouts(rows), 0.0
	for _, b := range bouts {
		for _, v := range means[b] {
			f := means[b][model] / v
			if m.Larger {
				f = 1 / f
			}
			if f > worst {
				worst, name = f, b.name()
				if bouts[0].Set != bouts[len(bouts)-1].Set {
					name = b.Set + ", " + name
				}
			}
		}
	}
	return name
}

// byFactor returns the standings by the mean factor to the best.
func byFactor(rows []Stored, m Measure) []Standing {
	all := Standings(rows, m)
	slices.SortStableFunc(all, func(a, b Standing) int { return cmp.Compare(a.Regret, b.Regret) })
	return all
}

// Panels draws the errors of some rivals against the strength of each corruption, a panel for each. Its
// title says who is the best over all strengths of it, and who the last; two panels of a row have one scale.
func Panels(rows []Stored, models ...string) viz.Figure {
	var panels []*viz.Chart
	var low, high float64
	for i, kind := range Kinds()[1:] {
		r := new(lesson.Results)
		for _, name := range models {
			for _, row := range rows {
				if row.Model == name && (row.Kind == "none" || row.Kind == kind[0]) {
					r.Add(name, fmt.Sprint(row.Strength), row.Error)
				}
			}
		}
		c := lesson.Must(viz.Lines(r.Series(), viz.LinesOptions{Title: kind[0] + ": " + verdict(rows, kind[0], models),
			XLabel: kind[1], YLabel: "relative error", Width: 4, Height: 2.3}))
		if panels = append(panels, c); i%2 == 0 {
			low, high = c.Y.Min, c.Y.Max
			continue
		}
		low, high = math.Min(low, c.Y.Min), math.Max(high, c.Y.Max)
		for _, c := range panels[i-1:] {
			c.Y.Min, c.Y.Max = low, high
		}
	}
	return lesson.Panels(2, panels...)
}

// verdict says which of some rivals is the best against a corruption, and which is the last: by the
// geometric mean over its strengths. Less than a hundredth is no difference.
func verdict(rows []Stored, kind string, models []string) string {
	sums := map[string]float64{}
	n := 0.0
	for b, of := range Means(rows, Error) {
		if b.Kind == kind {
			n++
			for _, name := range models {
				sums[name] += math.Log(of[name])
			}
		}
	}
	if n == 0 {
		return "not tried"
	}
	best, last := models[0], models[0]
	for _, name := range models {
		if sums[name] < sums[best] {
			best = name
		}
		if sums[name] > sums[last] {
			last = name
		}
	}
	over := func(name string) float64 { return math.Exp((sums[name] - sums[best]) / n) }
	var first []string
	for _, name := range models {
		if over(name) < 1.01 {
			first = append(first, name)
		}
	}
	switch {
	case len(first) == len(models):
		return "no difference"
	case len(first) == 1:
		return best + " is the best"
	case len(first) == 2:
		return first[0] + " and " + first[1] + " lead"
	}
	return fmt.Sprintf("%s is %.0f %% behind", last, 100*(over(last)-1))
}

// Maps draws the error of each rival over the least of the bout, by corruption: the geometric mean over the
// strengths, in a map for each set, whose title has the rival with the mildest worst column, and that.
func Maps(rows []Stored) viz.Figure {
	var sets []string
	for _, s := range rows {
		if !slices.Contains(sets, s.Set) {
			sets = append(sets, s.Set)
		}
	}
	names, kinds, mildest := namesOf(rows), kindsOf(rows), map[string]bool{}
	var panels []viz.Figure
	for k, set := range sets {
		own := slices.DeleteFunc(slices.Clone(rows), func(s Stored) bool { return s.Set != set })
		v := mat.NewDense(len(names), len(kinds), nil)
		worst := map[string]float64{}
		for j, kind := range kinds {
			of := OverBest(own, kind)
			for i, name := range names {
				v.Set(i, j, of[name])
				worst[name] = max(worst[name], of[name])
			}
		}
		opt := viz.HeatmapOptions{Title: fmt.Sprintf("%s: %s (%.2f)", set, least(worst), worst[least(worst)]), RowNames: all(names, short),
			ColumnNames: kinds, Values: true, Min: 1, Max: 1.5, Map: viz.Blues, NoBar: true}
		if k > 0 {
			opt.RowNames = make([]string, len(names)) // as in the first map
		}
		panels = append(panels, lesson.Must(viz.Heatmap(v, opt)))
		mildest[least(worst)] = true
	}
	title := "Not all sets have the same loss with the mildest worst column"
	if len(mildest) == len(sets) {
		title = "Each set has another loss with the mildest worst column"
	}
	return lesson.Titled(title, panels...)
}

// CleanErrors says what the error of least squares is on each set where nothing is wrong.
func CleanErrors(rows []Stored) string {
	var said []string
	means := Means(rows, Error)
	for _, b := range Bouts(rows) {
		if b.Kind == "none" {
			said = append(said, fmt.Sprintf("%s %.2f", b.Set, means[b]["least squares"]))
		}
	}
	return "Relative error of least squares on clean data: " + strings.Join(said, ", ")
}

// leaders returns those of the names whose errors come within a hundredth of the least.
func leaders(of map[string]float64, names []string) (first []string) {
	for _, name := range names {
		if of[name] < 1.01*of[least(of)] {
			first = append(first, name)
		}
	}
	return first
}

// Found draws how well the weights of each rival find what was struck. Its title has those that are within a
// hundredth of the best over what strikes single pixels, and under white squares.
func Found(rows []Stored) (viz.Figure, error) {
	names, r := namesOf(rows), new(lesson.Results)
	means := Means(rows, AP)
	for _, kind := range kindsOf(rows) {
		for _, b := range Bouts(rows) {
			for _, name := range names {
				if v, ok := means[b][name]; ok && b.Kind == kind && !strings.HasSuffix(kind, "noise") {
					r.Add(name, kind, v)
				}
			}
		}
	}
	v := mat.NewDense(len(names), len(r.Columns), nil)
	v.Apply(func(i, j int, _ float64) float64 { return r.Mean(names[i], r.Columns[j]) }, v)
	// finders are those within a hundredth of the best mean over some kinds.
	finders := func(kinds ...string) string {
		means, best := map[string]float64{}, 0.0
		for _, name := range names {
			for _, kind := range kinds {
				means[name] += r.Mean(name, kind) / float64(len(kinds))
			}
			best = max(best, means[name])
		}
		return strings.Join(slices.DeleteFunc(slices.Clone(names), func(name string) bool { return means[name] <= best-0.01 }), ", ")
	}
	title := fmt.Sprintf("Pixels: %s; squares: %s", finders("salt & pepper", "dead pixels"), finders("white squares"))
	return viz.Heatmap(v, viz.HeatmapOptions{Title: title, RowNames: all(names, short), ColumnNames: r.Columns,
		Values: true, Min: 0, Max: 1, Map: viz.Blues, BarLabel: "average precision, mean over sets and strengths"})
}

// FoundOn says how well the weights of a rival find one kind of damage on each set.
func FoundOn(rows []Stored, model, kind string) string {
	r := new(lesson.Results)
	for _, row := range rows {
		if row.Model == model && row.Kind == kind && !math.IsNaN(row.AP) {
			r.Add(model, row.Set, row.AP)
		}
	}
	said := all(r.Columns, func(set string) string { return fmt.Sprintf("%s %.2f", set, r.Mean(model, set)) })
	return fmt.Sprintf("%s, %s, average precision: %s", model, kind, strings.Join(said, ", "))
}

// Agreement is the rank correlation (Spearman) between the mean factors of rivals by two measures.
func Agreement(rows []Stored, a, b Measure) float64 {
	var x, y []float64
	second := byFactor(rows, b)
	for i, s := range byFactor(rows, a) {
		x = append(x, float64(i))
		y = append(y, float64(slices.IndexFunc(second, func(o Standing) bool { return o.Model == s.Model })))
	}
	return stat.Correlation(x, y, nil)
}

// Costs draws the seconds of a fit and of a round of each rival over those of least squares on the same
// data: the medians over all bouts, of the starts whose seconds are stored.
func Costs(rows []Stored) (viz.Figure, error) {
	rows = slices.DeleteFunc(slices.Clone(rows), func(s Stored) bool { return math.IsNaN(s.Seconds) })
	seconds := Means(rows, Seconds)
	rounds := Means(rows, Measure{Name: "rounds", Of: func(s Stored) float64 { return float64(s.Rounds) }})
	var names []string
	var fit, round, entries []float64
	for _, rival := range Rivals() {
		var perFit, perRound []float64
		for _, b := range Bouts(rows) {
			if base := seconds[b]["least squares"]; base > 0 && rounds[b][rival.Name] > 0 {
				times := seconds[b][rival.Name] / base
				perFit, perRound = append(perFit, times), append(perRound, times*rounds[b]["least squares"]/rounds[b][rival.Name])
			}
		}
		slices.Sort(perFit)
		slices.Sort(perRound)
		names, fit, round = append(names, lines(rival.Name)), append(fit, perFit[len(perFit)/2]), append(round, perRound[len(perRound)/2])
		if !slices.Contains([]string{"least squares", "L2,1", "capped L2,1"}, rival.Name) {
			entries = append(entries, round[len(round)-1])
		}
	}
	title := fmt.Sprintf("A round with a weight for each entry takes %.1f to %.1f times as long as one of least squares", slices.Min(entries), slices.Max(entries))
	c, err := viz.Bars(names, []viz.Series{{Name: "a round", Y: round}, {Name: "a fit", Y: fit}}, viz.BarsOptions{Title: title, YLabel: "times", Width: 12, Height: 3.6})
	if err != nil {
		return nil, err
	}
	c.X.Tick.Label.Rotation, c.X.Tick.Label.XAlign, c.X.Tick.Label.YAlign = 0, text.XCenter, text.YTop
	return c, nil
}

func namesOf(rows []Stored) (names []string) {
	for _, s := range rows {
		if !slices.Contains(names, s.Model) {
			names = append(names, s.Model)
		}
	}
	return names
}

func kindsOf(rows []Stored) (kinds []string) {
	for _, kind := range Kinds() {
		if slices.ContainsFunc(rows, func(s Stored) bool { return s.Kind == kind[0] }) {
			kinds = append(kinds, kind[0])
		}
	}
	return kinds
}

func all[T any](names []T, of func(T) string) (texts []string) {
	for _, n := range names {
		texts = append(texts, of(n))
	}
	return texts
}

// present returns the groups with those of their sets of which results are stored.
func present(rows []Stored) (groups []Group) {
	for _, g := range Groups() {
		if _, g.Sets = Places(rows, g.Sets); g.Sets != nil {
			groups = append(groups, g)
		}
	}
	return groups
}

// DefaultsTable places the Defaults in each group of sets; its caption says how many starts there are.
func DefaultsTable(rows []Stored) *viz.Table {
	var sets []string
	groups := present(rows)
	for _, g := range groups {
		sets = append(sets, g.Sets...)
	}
	total, _ := Places(rows, sets)
	t := &viz.Table{Caption: "Error over the least of the five losses; " + Starts(rows, all(total, func(p Place) string { return p.Model })), Header: []string{"default"}}
	for _, p := range total {
		t.Rows = append(t.Rows, []viz.Cell{viz.Text(p.Model)})
	}
	for _, g := range groups {
		t.Header = append(t.Header, g.Name+": mean", "worst", "within 5 %")
		places, _ := Places(rows, g.Sets)
		for i, row := range t.Rows {
			p := places[slices.IndexFunc(places, func(p Place) bool { return p.Model == row[0].Text })]
			t.Rows[i] = append(row, viz.Number(p.Mean, 3), viz.Number(p.Worst, 2), viz.Text(fmt.Sprintf("%d of %d", p.Near, p.Cases)))
		}
	}
	t.Header = append(t.Header, "seconds / those of two stages")
	for i, p := range total {
		t.Rows[i] = append(t.Rows[i], viz.Number(p.Times, 1))
	}
	return t
}

// Alongside returns the rows of the draws in which a model took part.
func Alongside(rows []Stored, model string) (some []Stored) {
	trials, _ := byTrial(rows)
	for _, r := range rows {
		if _, ok := trials[draw{Bout{r.Set, r.Kind, r.Strength}, r.Trial}][model]; ok {
			some = append(some, r)
		}
	}
	return some
}

// Starts says how many starts each case has of some models.
func Starts(rows []Stored, models []string) string {
	trials := map[string]map[Bout]int{}
	for _, r := range rows {
		if trials[r.Model] == nil {
			trials[r.Model] = map[Bout]int{}
		}
		trials[r.Model][Bout{r.Set, r.Kind, r.Strength}]++
	}
	var texts []string
	with := map[string][]string{} // models by text
	for _, model := range models {
		n := slices.Sorted(maps.Values(trials[model]))
		text := span(n[0], n[len(n)-1])
		if with[text] == nil {
			texts = append(texts, text)
		}
		with[text] = append(with[text], model)
	}
	slices.SortStableFunc(texts, func(a, b string) int { return len(with[b]) - len(with[a]) })
	for i, text := range texts {
		if i > 0 {
			texts[i] = text + " of " + strings.Join(with[text], ", ")
		} else {
			texts[i] += " for each case"
		}
	}
	return strings.Join(texts, ", ")
}

func span(low, high int) string {
	switch {
	case low < high:
		return fmt.Sprintf("%d to %d starts", low, high)
	case low == 1:
		return "1 start"
	}
	return fmt.Sprintf("%d starts", low)
}

// GroupsTable says which sets are in each group, and what was chosen on them.
func GroupsTable(rows []Stored) *viz.Table {
	t := &viz.Table{Caption: "What was chosen on which sets", Header: []string{"group", "sets", "chosen on them"}}
	for _, g := range present(rows) {
		t.Rows = append(t.Rows, []viz.Cell{viz.Text(g.Name), viz.Text(strings.Join(g.Sets, ", ")), viz.Text(g.Chosen)})
	}
	return t
}

// Duel compares the errors of two defaults on the same draws, for each group of sets: the geometric mean
// of their quotient over the cases of a set, of these the mean over the sets, and its t-interval at 95 %
// with the sets as its sample. The cases of one set are too much alike for one.
func Duel(rows []Stored, a, b string) *viz.Table {
	t := &viz.Table{Caption: "Who is ahead? Quotients of the errors on the same draws", Header: []string{"group", "sets", a + " / " + b, "95 % interval over the sets", a + " is"}}
	trials, draws := byTrial(rows)
	logs := map[string][]float64{} // by set
	for _, d := range draws {
		if x, y := trials[d][a], trials[d][b]; x > 0 && y > 0 {
			logs[d.Set] = append(logs[d.Set], math.Log(x/y))
		}
	}
	for _, g := range present(rows) {
		var bySet []float64
		for _, set := range g.Sets {
			if logs[set] != nil {
				bySet = append(bySet, stat.Mean(logs[set], nil))
			}
		}
		if bySet == nil {
			continue
		}
		mean := stat.Mean(bySet, nil)
		interval, outcome := "–", "not judged"
		if n := float64(len(bySet)); n > 1 {
			half := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(0.975) * stat.StdErr(stat.StdDev(bySet, nil), n)
			interval = fmt.Sprintf("%.3f to %.3f", math.Exp(mean-half), math.Exp(mean+half))
			switch {
			case mean+half < 0:
				outcome = "ahead"
			case mean-half > 0:
				outcome = "behind"
			default:
				outcome = level
			}
		}
		t.Rows = append(t.Rows, []viz.Cell{viz.Text(g.Name), viz.Number(float64(len(bySet)), 0), viz.Number(math.Exp(mean), 3), viz.Text(interval), viz.Text(outcome)})
	}
	return t
}

const level = "level, as far as these sets tell"

// TwoDefaults says how choose.Auto and CellCaseNMF compare, in the words of notebook 06, CHOOSING and the README.
func TwoDefaults(rows []Stored) string {
	var groups []string
	for _, r := range Duel(rows, "auto", "CellCase").Rows {
		if r[4].Text != level {
			groups = append(groups, fmt.Sprintf("on the %s `choose.Auto` is %s", r[0].Text, r[4].Text))
		}
	}
	how := "`choose.Auto` and `CellCaseNMF` are level: in no group of sets does a 95 % interval, over its sets, put one ahead."
	if groups != nil {
		how = "Of `choose.Auto` and `CellCaseNMF`, " + strings.Join(groups, ", ") + ", by a 95 % interval over its sets."
	}
	var sets []string
	for _, g := range present(rows) {
		sets = append(sets, g.Sets...)
	}
	of := map[string]Place{}
	places, _ := Places(rows, sets)
	for _, p := range places {
		of[p.Model] = p
	}
	single := map[string]float64{} // the worst fit
	trials, draws := byTrial(rows)
	for _, d := range draws {
		for _, name := range []string{"auto", "CellCase"} {
			if f := Factor(trials[d], name); f > single[name] { // not NaN
				single[name] = f
			}
		}
	}
	auto, one := of["auto"], of["CellCase"]
	fits := fmt.Sprintf("their worst single fits reach %.1f and %.1f times", single["auto"], single["CellCase"])
	if worst := fmt.Sprintf("%.1f", single["auto"]); worst == fmt.Sprintf("%.1f", single["CellCase"]) {
		fits = fmt.Sprintf("the worst single fit of each is %s times the best", worst)
	}
	return how + fmt.Sprintf(" Averaged over the starts of a case, the largest error of `choose.Auto` is %.1f times the best, and that of `CellCaseNMF` %.1f times; %s. `choose.Auto` takes %.1f times the seconds of `RobustNMF`, `CellCaseNMF` %.1f times.",
		auto.Worst, one.Worst, fits, auto.Times, one.Times)
}

// DefaultsMap draws the error of each default over the least of the five losses by corruption, over all sets; its
// title has the one whose worst column is the mildest. The tables have the same for each group of sets.
func DefaultsMap(rows []Stored) (f viz.Figure, tables []lesson.HTML, err error) {
	var sets, models []string
	groups := present(rows)
	for _, g := range groups {
		sets = append(sets, g.Sets...)
	}
	factors := map[string]map[Bout]float64{}
	for _, d := range Defaults() {
		models, factors[d.Name] = append(models, d.Name), Factors(rows, d.Name)
	}
	kinds := kindsOf(rows)
	of := func(sets []string) (v *mat.Dense, mildest string, worst float64) {
		v = mat.NewDense(len(models), len(kinds), nil)
		most := map[string]float64{}
		v.Apply(func(i, j int, _ float64) float64 {
			f := meanFactor(rows, factors[models[i]], sets, kinds[j])
			most[models[i]] = math.Max(most[models[i]], f)
			return f
		}, v)
		return v, least(most), most[least(most)]
	}
	for _, g := range groups {
		v, _, _ := of(g.Sets)
		t := &viz.Table{Caption: "Error over the least of the five losses: " + g.Name, Header: append([]string{"default"}, kinds...)}
		for i, name := range models {
			t.Rows = append(t.Rows, []viz.Cell{viz.Text(name)})
			for j := range kinds {
				t.Rows[i] = append(t.Rows[i], viz.Number(v.At(i, j), 2))
			}
		}
		tables = append(tables, t)
	}
	v, mildest, worst := of(sets)
	f, err = viz.Heatmap(v, viz.HeatmapOptions{Title: fmt.Sprintf("%s: mildest worst column (%.2f)", mildest, worst), RowNames: models,
		ColumnNames: kinds, Values: true, Min: 1, Max: 1.5, Map: viz.Blues, NoBar: true})
	return f, tables, err
}

// Versus draws the factors of two defaults to the best of the five losses against each other, a point for each
// bout, white squares in black and all else in grey. Its title says in how many bouts of either kind the error of one
// is more than a twentieth below that of the other.
func Versus(rows []Stored, a, b string) *viz.Chart {
	x, y := Factors(rows, b), Factors(rows, a)
	points := map[bool]plotter.XYs{}
	var gains, losses [2]int
	for _, bout := range Bouts(rows) {
		if x[bout] == 0 || y[bout] == 0 {
			continue
		}
		covered, k := bout.Kind == "white squares", 0
		if covered {
			k = 1
		}
		points[covered] = append(points[covered], plotter.XY{X: x[bout], Y: y[bout]})
		switch {
		case y[bout] < 0.95*x[bout]:
			gains[k]++
		case x[bout] < 0.95*y[bout]:
			losses[k]++
		}
	}
	c := viz.NewChart()
	c.Width, c.Height = 5.6, 4.5
	c.Title.Text = fmt.Sprintf("Better by 5 %%: %s %d times, %s %d under\nwhite squares; %d and %d times elsewhere", a, gains[1], b, losses[1], gains[0], losses[0])
	c.X.Label.Text, c.Y.Label.Text = b+": error / the least", a+": error / the least"
	line := lesson.Must(plotter.NewLine(plotter.XYs{{X: 1, Y: 1}, {X: 1.8, Y: 1.8}}))
	line.Color, line.Width = color.Gray{0x60}, vg.Points(0.8)
	c.Add(line)
	for _, of := range []struct {
		covered bool
		name    string
		shade   color.Gray
	}{{false, "other damage, or none", color.Gray{0xa8}}, {true, "white squares", color.Gray{0x00}}} {
		if points[of.covered] == nil {
			continue
		}
		s := lesson.Must(plotter.NewScatter(points[of.covered]))
		s.GlyphStyle = vgdraw.GlyphStyle{Color: of.shade, Radius: vg.Points(2.8), Shape: vgdraw.CircleGlyph{}}
		c.Add(s)
		c.Legend.Add(of.name, s)
	}
	c.X.Max += 0.05
	c.InsideLegend, c.Legend.Top = true, true
	return c
}

// BySet has the error of one default over that of another, for each set and kind of damage: the geometric mean
// over the strengths.
func BySet(rows []Stored, a, b string) *viz.Table {
	kinds, means := kindsOf(rows), Means(rows, Error)
	t := &viz.Table{Caption: "Error of " + a + " over that of " + b, Header: append([]string{"set"}, kinds...)}
	logs := map[[2]string][]float64{}
	var sets []string
	for _, bout := range Bouts(rows) {
		if !slices.Contains(sets, bout.Set) {
			sets = append(sets, bout.Set)
		}
		at := [2]string{bout.Set, bout.Kind}
		logs[at] = append(logs[at], math.Log(means[bout][a]/means[bout][b]))
	}
	for i, set := range sets {
		t.Rows = append(t.Rows, []viz.Cell{viz.Text(set)})
		for _, kind := range kinds {
			cell := viz.Text("–")
			if of := logs[[2]string{set, kind}]; of != nil {
				cell = viz.Number(math.Exp(stat.Mean(of, nil)), 2)
			}
			t.Rows[i] = append(t.Rows[i], cell)
		}
	}
	return t
}

// FarOff says in how many fits some models have more than a factor of the least error of the five losses.
func FarOff(rows []Stored, over float64, models ...string) string {
	trials, draws := byTrial(rows)
	fits, far := 0, map[string]int{}
	for _, d := range draws {
		if math.IsNaN(Factor(trials[d], models[0])) {
			continue
		}
		fits++
		for _, m := range models {
			if Factor(trials[d], m) > over {
				far[m]++
			}
		}
	}
	said := all(models, func(m string) string { return fmt.Sprintf("%s %d", m, far[m]) })
	return fmt.Sprintf("More than %g times the least error, of %d fits: %s", over, fits, strings.Join(said, ", "))
}

// Choice has, for what may be known of the damage, the default with the least mean error over all cases of
// which that is true, how wrong it can be, and what it costs.
func Choice(rows []Stored) *viz.Table {
	t := &viz.Table{Caption: "What you know, and the default with the least mean error", Header: []string{"what is known", "take", "error / the least, mean", "worst", "on", "seconds / those of two stages"}}
	for _, c := range []struct {
		known string
		is    func(kind, set string) bool
	}{
		{"nothing is wrong", func(k, _ string) bool { return k == "none" }},
		{"all entries are noisy", func(k, _ string) bool { return strings.HasSuffix(k, "noise") }},
		{"single entries are wrong", func(k, _ string) bool { return k == "salt & pepper" || k == "dead pixels" }},
		{"squares cover parts of faces", func(k, set string) bool { return k == "white squares" && slices.Contains(faces, set) }},
		{"squares cover parts of other images", func(k, set string) bool { return k == "white squares" && !slices.Contains(faces, set) }},
		{"whole samples are wrong", func(k, _ string) bool { return k == "alien images" }},
		{"only that nothing is covered", func(k, _ string) bool { return k != "white squares" }},
		{"nothing", func(string, string) bool { return true }},
	} {
		some := slices.DeleteFunc(slices.Clone(rows), func(s Stored) bool { return !c.is(s.Kind, s.Set) })
		var sets []string
		for _, b := range Bouts(some) {
			if !slices.Contains(sets, b.Set) {
				sets = append(sets, b.Set)
			}
		}
		places, _ := Places(some, sets)
		if len(places) == 0 {
			continue
		}
		p := slices.MinFunc(places, func(a, b Place) int { return cmp.Compare(a.Mean, b.Mean) })
		t.Rows = append(t.Rows, []viz.Cell{viz.Text(c.known), viz.Text(p.Model), viz.Number(p.Mean, 3), viz.Number(p.Worst, 2),
			viz.Text(p.Lost.Set + ", " + p.Lost.name()), viz.Number(p.Times, 1)})
	}
	return t
}

// meanFactor is the geometric mean of Factors over the strengths of a corruption of some sets.
func meanFactor(rows []Stored, factors map[Bout]float64, sets []string, kind string) float64 {
	var sum, n float64
	for _, b := range Bouts(rows) {
		if f, ok := factors[b]; ok && b.Kind == kind && slices.Contains(sets, b.Set) {
			sum, n = sum+math.Log(f), n+1
		}
	}
	return math.Exp(sum / n)
}

// chosenLosses are those that a race says it has chosen.
var chosenLosses = map[string]string{
	"a robust loss that leaves entries out": "two stages",
	"a robust loss of entries and samples":  "CellCase",
	"a robust loss of samples":              "L2,1",
	"a robust loss of entries":              "Huber",
}

// Astray tells why a default that chooses has more than a factor of the least error of the five losses: in
// each fit of which this is so, what it chose is compared with the loss that would have been best.
func Astray(rows []Stored, model string, over float64) *viz.Table {
	const (
		omitted = "it chose two stages, and another loss is the best"
		missed  = "two stages is the best, and it chose another loss"
		ended   = "it chose the best loss, but the fit is worse than that loss alone"
		other   = "it chose wrongly between other losses"
	)
	trials, draws := byTrial(rows)
	chosen := map[draw]string{}
	for _, r := range rows {
		if r.Model == model {
			chosen[draw{Bout{r.Set, r.Kind, r.Strength}, r.Trial}] = chosenLosses[r.Chosen]
		}
	}
	factors, places, worst := map[string][]float64{}, map[string]map[string][]float64{}, map[string]string{}
	fits, far := 0, 0
	for _, d := range draws {
		f := Factor(trials[d], model)
		if math.IsNaN(f) {
			continue
		}
		if fits++; f <= over {
			continue
		}
		far++
		single := map[string]float64{}
		for _, of := range Defaults() {
			if !of.Chooses {
				single[of.Name] = trials[d][of.Name]
			}
		}
		best, cause := least(single), other
		switch {
		case chosen[d] == best:
			cause = ended
		case chosen[d] == "two stages":
			cause = omitted
		case best == "two stages":
			cause = missed
		}
		factors[cause] = append(factors[cause], f)
		if places[cause] == nil {
			places[cause] = map[string][]float64{}
		}
		places[cause][d.Kind] = append(places[cause][d.Kind], f)
		if f == slices.Max(places[cause][d.Kind]) {
			worst[cause+d.Kind] = d.Set
		}
	}
	t := &viz.Table{Header: []string{"what happened", "fits", "error / the least, mean", "worst", "under which damage, with the number of fits and the worst"}}
	for _, cause := range []string{omitted, missed, ended, other} {
		if factors[cause] == nil {
			continue
		}
		names := slices.SortedFunc(maps.Keys(places[cause]), func(a, b string) int {
			x, y := places[cause][a], places[cause][b]
			return cmp.Or(cmp.Compare(len(y), len(x)), cmp.Compare(slices.Max(y), slices.Max(x)), cmp.Compare(a, b))
		})
		for i, name := range names {
			names[i] = fmt.Sprintf("%s (%d, %.2f on %s)", name, len(places[cause][name]), slices.Max(places[cause][name]), worst[cause+name])
		}
		t.Rows = append(t.Rows, []viz.Cell{viz.Text(cause), viz.Number(float64(len(factors[cause])), 0), viz.Number(stat.GeometricMean(factors[cause], nil), 2),
			viz.Number(slices.Max(factors[cause]), 2), viz.Text(strings.Join(names, "; "))})
	}
	t.Caption = fmt.Sprintf("Where %s is led astray: more than %g times the least error in %d of %d fits", model, over, far, fits)
	return t
}
