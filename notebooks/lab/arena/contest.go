package arena

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/notebooks/lesson"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/viz"
)

// Contest lets rivals meet in all cases of a set: so many trials, of at most so many rounds. In the quick
// setting only the weakest corruptions are there.
func Contest(ctx context.Context, s Set, rivals []Rival, trials, rounds int) (rows []Stored, err error) {
	for _, c := range Cases(s.Set) {
		if lesson.Quick() && c.Strength > 10 && c.Kind != "white squares" {
			continue
		}
		for _, rival := range rivals {
			for trial := range lesson.Trials(trials) {
				row, err := Run(ctx, s.Set, s.Rank, c, rival, trial+1, lesson.Rounds(rounds))
				if err != nil {
					return nil, err
				}
				rows = append(rows, Stored{Set: s.Name, Kind: c.Kind, Strength: c.Strength, Model: rival.Name, Trial: trial + 1, Row: row})
			}
		}
	}
	return rows, nil
}

// Fate tells what became of a rival: its place by the mean factor of its error to the best, the bouts that it won, and its worst one.
func Fate(rows []Stored, model string) string {
	table := byFactor(rows, Error)
	at := slices.IndexFunc(table, func(s Standing) bool { return s.Model == model })
	if at < 0 {
		return model + " took no part."
	}
	means := Means(rows, Error)
	line, worst := "", 0.0
	for _, b := range Bouts(rows) {
		winner := least(means[b])
		if f := means[b][model] / means[b][winner]; f > worst {
			worst, line = f, fmt.Sprintf("its worst is %s, with an error %.2f times that of %s", b.name(), f, winner)
		}
	}
	t := table[at]
	return fmt.Sprintf("%s: place %d of %d; it won %d of %d bouts; %s.", model, at+1, len(table), t.Wins, t.Bouts, line)
}

// name is the damage of a bout in words.
func (b Bout) name() string {
	if b.Strength == 0 {
		return "clean data"
	}
	return fmt.Sprintf("%s %g", b.Kind, b.Strength)
}

// least returns the model with the least error, the first by name of equal ones.
func least(errs map[string]float64) (best string) {
	for _, name := range slices.Sorted(maps.Keys(errs)) {
		if best == "" || errs[name] < errs[best] {
			best = name
		}
	}
	return best
}

// A Restoration is what rivals make of one sample of each kind of damage to entries, at middle strength.
type Restoration struct {
	Views  []viz.View      // clean, given, and WH of each rival, with a column for each kind
	Kinds  []string        // with their strengths
	Errors *lesson.Results // against all clean data, a row for each kind and a column for each rival
	ahead  [][]string      // of each kind, those within a hundredth of the best
	set    Set
}

// Restore fits rivals to a set of images with each kind of damage, at most so many rounds, and keeps what
// they make of some of its images, another one for each kind.
func Restore(ctx context.Context, s Set, rivals []Rival, rounds int) (*Restoration, error) {
	r := &Restoration{Errors: &lesson.Results{Digits: 2}, set: s}
	cases := middle(s)
	m, n := s.X.Dims()
	view := func(heading string) *mat.Dense {
		x := mat.NewDense(m, len(cases), nil)
		r.Views = append(r.Views, viz.View{Heading: heading, X: x, Limit: 1})
		return x
	}
	clean, given := view("clean"), view("given")
	var made []*mat.Dense
	for _, rival := range rivals {
		made = append(made, view(rival.Name))
	}
	for k, c := range cases {
		sample := (2*k + 1) * n / (2 * len(cases))
		x, _, err := c.Corruption.Apply(s.X, 1)
		if err != nil {
			return nil, err
		}
		name := fmt.Sprintf("%s, %g %%", c.Kind, c.Strength)
		clean.SetCol(k, mat.Col(nil, sample, s.X))
		given.SetCol(k, mat.Col(nil, sample, x))
		errs := map[string]float64{}
		for i, rival := range rivals {
			fit, e, err := rival.restore(ctx, s, x, rounds)
			if err != nil {
				return nil, err
			}
			made[i].SetCol(k, mat.Col(nil, sample, lesson.Product(fit)))
			r.Errors.Add(name, rival.Name, e)
			errs[rival.Name] = e
		}
		r.Kinds, r.ahead = append(r.Kinds, name), append(r.ahead, leaders(errs, all(rivals, func(r Rival) string { return r.Name })))
	}
	return r, nil
}

// middle returns the kinds of damage to entries at their middle strength.
func middle(s Set) (cases []Case) {
	all := map[string][]Case{}
	for _, c := range Cases(s.Set) {
		all[c.Kind] = append(all[c.Kind], c)
	}
	for _, kind := range Kinds() {
		if of := all[kind[0]]; len(of) > 1 && kind[0] != "alien images" {
			cases = append(cases, of[(len(of)-1)/2])
		}
	}
	return cases
}

// Draw draws the views, with a title that says which rivals are ahead of all others, by a hundredth or more,
// and how often.
func (r *Restoration) Draw() (viz.Figure, error) {
	var wins []string
	for _, v := range r.Views {
		n := 0
		for _, names := range r.ahead {
			if len(names) == 1 && names[0] == v.Heading {
				n++
			}
		}
		if n > 0 {
			wins = append(wins, fmt.Sprintf("%s in %d", v.Heading, n))
		}
	}
	title := "No loss is ahead of all others"
	if wins != nil {
		title = fmt.Sprintf("Of %d rows, ahead of all others: %s", len(r.Kinds), strings.Join(wins, ", "))
	}
	return viz.Views(r.Views, viz.ViewsOptions{Height: r.set.Height, Width: r.set.Width, Samples: upTo(len(r.Kinds)), Names: r.Kinds, Title: title})
}

func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// Table has the errors against all clean data, the least of each kind in bold.
func (r *Restoration) Table(caption string) *viz.Table {
	t := r.Errors.Table(caption)
	for i := range t.Rows {
		t.BoldRow(i, viz.Smaller)
	}
	return t
}

// An Overshoot is what losses make of a set of which ever more pixels are dead.
type Overshoot struct {
	// Above counts the entries of WH above 2, and Errors has the error against the clean data: a row for each
	// rival and a column for each share, in percent.
	Above, Errors *lesson.Results
	// Views have the image with the largest entry of all: clean, given, and what each rival makes of it. Share is
	// that of dead pixels, Top the entry, and By the rival.
	Views   []viz.View
	Share   float64
	Top     float64
	By      string
	rivals  []Rival
	set     Set
	entries int
}

// restore fits the rival to a damaged x, at most so many rounds, and returns the error against the clean set, too.
func (r Rival) restore(ctx context.Context, s Set, x *mat.Dense, rounds int) (*rnmf.Result, float64, error) {
	model := r.Model
	model.Rank, model.Seed, model.MaxIter = s.Rank, 1, lesson.Rounds(rounds)
	fit, err := model.Fit(ctx, x)
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", r.Name, err)
	}
	e, err := fit.RelativeError(s.X)
	return fit, e, err
}

// DeadPixels fits rivals to a set with values in 0..1 of which ever more pixels are dead, at most so many rounds.
func DeadPixels(ctx context.Context, s Set, rounds int, rivals ...Rival) (*Overshoot, error) {
	m, n := s.X.Dims()
	o := &Overshoot{Above: new(lesson.Results), Errors: new(lesson.Results), rivals: rivals, set: s, entries: m * n}
	for _, c := range Cases(s.Set) {
		if c.Kind != "dead pixels" {
			continue
		}
		x, _, err := c.Corruption.Apply(s.X, 1)
		if err != nil {
			return nil, err
		}
		var made []*mat.Dense
		sample := -1 // with the largest entry of all so far
		for _, rival := range rivals {
			fit, e, err := rival.restore(ctx, s, x, rounds)
			if err != nil {
				return nil, err
			}
			wh, above := lesson.Product(fit), 0.0
			for i := range m {
				for j, v := range wh.RawRowView(i) {
					if v > 2 {
						above++
					}
					if v > o.Top {
						o.Top, o.By, sample = v, rival.Name, j
					}
				}
			}
			made = append(made, wh)
			o.Above.Add(rival.Name, fmt.Sprint(c.Strength), above)
			o.Errors.Add(rival.Name, fmt.Sprint(c.Strength), e)
		}
		if sample < 0 {
			continue
		}
		view := func(heading string, x *mat.Dense) viz.View {
			one := mat.NewDense(m, 1, mat.Col(nil, sample, x))
			return viz.View{Heading: fmt.Sprintf("%s\nup to %.1f", heading, mat.Max(one)), X: one, Limit: 1}
		}
		o.Share, o.Views = c.Strength, []viz.View{view("clean", s.X), view("given", x)}
		for i, rival := range rivals {
			o.Views = append(o.Views, view(rival.Name, made[i]))
		}
	}
	return o, nil
}

// Curves draws Above and Errors; the titles speak of the first two rivals.
func (o *Overshoot) Curves() viz.Figure {
	most, one, other, share := 0.0, o.rivals[0].Name, o.rivals[1].Name, fmt.Sprint(o.Share)
	for _, percent := range o.Above.Columns {
		most = max(most, o.Above.Mean(one, percent))
	}
	opt := viz.LinesOptions{XLabel: "dead pixels, %", YLabel: "entries of WH above 2", Width: 4.4, Height: 2.5,
		Title: fmt.Sprintf("%s: up to %.0f of %d entries overshoot", one, most, o.entries)}
	left := lesson.Must(viz.Lines(o.Above.Series(), opt))
	opt.YLabel, opt.Title = "relative error", fmt.Sprintf("At %s %%: %.2f; %s: %.2f", share, o.Errors.Mean(one, share), other, o.Errors.Mean(other, share))
	return lesson.Panels(2, left, lesson.Must(viz.Lines(o.Errors.Series(), opt)))
}

// Image draws the Views.
func (o *Overshoot) Image() (viz.Figure, error) {
	return viz.Views(o.Views, viz.ViewsOptions{Height: o.set.Height, Width: o.set.Width, Samples: []int{0},
		Title: fmt.Sprintf("At %g %% dead pixels a white pixel of %s is %.1f; pixels end at 1", o.Share, o.By, o.Top)})
}
