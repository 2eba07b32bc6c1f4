package arena

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"

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

// Ranking has the places of rivals by some measures, in the order of the first.
func Ranking(caption string, rows []Stored, measures ...Measure) *viz.Table {
	t := &viz.Table{Caption: caption, Header: []string{"loss"}}
	var names []string
	for i, m := range measures {
		t.Header = append(t.Header, m.Name+": mean place", "bouts won", "factor to the best, mean", "worst")
		standings := Standings(rows, m)
		if i == 0 {
			for _, s := range standings {
				names = append(names, s.Model)
				t.Rows = append(t.Rows, []viz.Cell{viz.Text(s.Model)})
			}
		}
		for _, s := range standings {
			at := slices.Index(names, s.Model)
			t.Rows[at] = append(t.Rows[at], viz.Number(s.Rank, 1), viz.Number(float64(s.Wins), 0), viz.Number(s.Regret, 2), viz.Number(s.Worst, 2))
		}
	}
	return t
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
			XLabel: kind[1], YLabel: "relative error", Width: 4.6, Height: 2.8}))
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

// Map draws the error of each rival over the least of the bout, by corruption: the geometric mean over
// sets and strengths.
func Map(rows []Stored) (viz.Figure, error) {
	names, kinds := namesOf(rows), kindsOf(rows)
	v := mat.NewDense(len(names), len(kinds), nil)
	leads := map[string]int{} // in so many columns
	for j, kind := range kinds {
		of := OverBest(rows, kind)
		for i, name := range names {
			v.Set(i, j, of[name])
		}
		for _, name := range leaders(of, names) {
			leads[name]++
		}
	}
	most := slices.Max(slices.Collect(maps.Values(leads)))
	title := fmt.Sprintf("No loss leads more than %d of %d columns", most, len(kinds))
	return viz.Heatmap(v, viz.HeatmapOptions{Title: title, RowNames: all(names, short), ColumnNames: kinds,
		Values: true, Min: 1, Max: 1.5, Map: viz.Blues, BarLabel: "error / the least, capped at 1.5"})
}

// Leaders says, for each corruption, which rivals come within a hundredth of the best.
func Leaders(rows []Stored) string {
	var said []string
	for _, kind := range kindsOf(rows) {
		said = append(said, fmt.Sprintf("%-15s %s", kind+":", strings.Join(leaders(OverBest(rows, kind), namesOf(rows)), ", ")))
	}
	return "The best, and who comes within 1 % of it:\n" + strings.Join(said, "\n")
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

// Spread draws the error of each rival over the least, a point for each bout, up to a factor of three, and
// returns which points are beyond it.
func Spread(rows []Stored) (chart *viz.Chart, beyond string) {
	const top = 3.2
	means := Means(rows, Error)
	standings := Standings(rows, Error)
	mildest := slices.MinFunc(standings, func(a, b Standing) int { return cmp.Compare(a.Worst, b.Worst) })
	r := new(lesson.Results)
	var names, far []string
	for _, s := range standings {
		names = append(names, lines(s.Model))
		for _, b := range Bouts(rows) {
			v := means[b][s.Model] / means[b][least(means[b])]
			if v > top {
				far = append(far, fmt.Sprintf("%s on %s, %s, with %.1f", s.Model, b.Set, b.name(), v))
			}
			r.Add(short(s.Model), short(s.Model), v)
		}
	}
	title := fmt.Sprintf("Best mean place: %s; mildest worst bout of %d: %s", standings[0].Model, len(Bouts(rows)), mildest.Model)
	c := r.Spread(title, "error / the least of the bout")
	c.Legend = plot.NewLegend() // the axis has the names
	c.NominalX(names...)
	c.Width, c.Height, c.Y.Max = 12, 4, top
	if far == nil {
		return c, "All points are drawn."
	}
	return c, "Not drawn: " + strings.Join(far, "; ") + "."
}

// Agreement is the rank correlation (Spearman) between the mean places of rivals by two measures.
func Agreement(rows []Stored, a, b Measure) float64 {
	var x, y []float64
	second := Standings(rows, b)
	for i, s := range Standings(rows, a) {
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
	return how + fmt.Sprintf(" Averaged over the starts of a case, the largest error of `choose.Auto` is %.1f times the best, and that of `CellCaseNMF` %.1f times; their worst single fits reach %.1f and %.1f times. `choose.Auto` takes %.1f times the seconds of `RobustNMF`, `CellCaseNMF` %.1f times.",
		auto.Worst, one.Worst, single["auto"], single["CellCase"], auto.Times, one.Times)
}

// DefaultsMaps draws the error of each default over the least of the five losses by corruption, for each
// group of sets and for all.
func DefaultsMaps(rows []Stored) (viz.Figure, error) {
	var sets []string
	groups := present(rows)
	for _, g := range groups {
		sets = append(sets, g.Sets...)
	}
	groups = append(groups, Group{Name: fmt.Sprintf("all %d sets", len(sets)), Sets: sets})
	var models []string
	factors := map[string]map[Bout]float64{}
	for _, d := range Defaults() {
		models, factors[d.Name] = append(models, d.Name), Factors(rows, d.Name)
	}
	kinds := kindsOf(rows)
	var panels []viz.Figure
	for _, g := range groups {
		v := mat.NewDense(len(models), len(kinds), nil)
		worst := map[string]float64{}
		v.Apply(func(i, j int, _ float64) float64 {
			f := meanFactor(rows, factors[models[i]], g.Sets, kinds[j])
			worst[models[i]] = math.Max(worst[models[i]], f)
			return f
		}, v)
		f, err := viz.Heatmap(v, viz.HeatmapOptions{Title: fmt.Sprintf("%s: %s loses least", g.Name, least(worst)), RowNames: models, ColumnNames: kinds,
			Values: true, Min: 1, Max: 1.5, Map: viz.Blues, NoBar: true})
		if err != nil {
			return nil, err
		}
		panels = append(panels, f)
	}
	return viz.Grid(2, panels...)
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
	factors, places := map[string][]float64{}, map[string]map[string][]float64{}
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
		where := d.Set + ", " + d.Kind
		places[cause][where] = append(places[cause][where], f)
	}
	t := &viz.Table{Header: []string{"what happened", "fits", "error / the least, mean", "worst", "where, with the number of fits and the worst"}}
	for _, cause := range []string{omitted, missed, ended, other} {
		if factors[cause] == nil {
			continue
		}
		names := slices.SortedFunc(maps.Keys(places[cause]), func(a, b string) int {
			x, y := places[cause][a], places[cause][b]
			return cmp.Or(cmp.Compare(len(y), len(x)), cmp.Compare(slices.Max(y), slices.Max(x)), cmp.Compare(a, b))
		})
		for i, name := range names {
			names[i] = fmt.Sprintf("%s (%d, %.2f)", name, len(places[cause][name]), slices.Max(places[cause][name]))
		}
		if len(names) > 6 {
			names = append(names[:6], fmt.Sprintf("%d more", len(names)-6))
		}
		t.Rows = append(t.Rows, []viz.Cell{viz.Text(cause), viz.Number(float64(len(factors[cause])), 0), viz.Number(stat.GeometricMean(factors[cause], nil), 2),
			viz.Number(slices.Max(factors[cause]), 2), viz.Text(strings.Join(names, "; "))})
	}
	t.Caption = fmt.Sprintf("Where %s is led astray: more than %g times the least error in %d of %d fits", model, over, far, fits)
	return t
}
