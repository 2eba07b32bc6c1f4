package explore

import (
	"cmp"
	"context"
	"encoding/csv"
	"encoding/gob"
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/internal/axis"
	"github.com/robustnmf/robustnmf/internal/newfile"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/choose"
	"github.com/robustnmf/robustnmf/viz"
	"github.com/robustnmf/robustnmf/viz/report"
)

// A Decision is one of a run: what it is about, what was chosen, and why.
type Decision struct{ About, Choice, Reason string }

// A Feature is one of a part.
type Feature struct {
	Feature int // a row of the prepared data
	Name    string
	Loading float64 // in the part, which has length 1
	// Distinct is the loading less the largest loading in any other part: how peculiar the feature
	// is to the part.
	Distinct float64
}

// A Part is what was found, with a name.
type Part struct {
	// Name has the number of the part, and the features that are most peculiar to it, of each at most 100 letters.
	Name      string
	Share     float64 // of the sum of WH
	Stability float64 // 0 to 1: see choose.Parts
	Samples   int     // to which it contributes most
	// Top are its most distinctive features, at most ten, the most first.
	Top []Feature
}

// An Entry is a value that the parts do not explain.
type Entry struct {
	Feature, Sample         int // of the prepared data
	FeatureName, SampleName string
	Value, Expected         float64 // in the unit of the file
	Times                   float64 // the usual size of a residual of the feature that it is off
}

// A Sample is one that the parts do not explain.
type Sample struct {
	Sample int
	Name   string
	Share  float64 // of the fits that flag it
	// Values is the number of its bad entries, if it does not fit because of these few: without them the size of
	// its residuals would be usual, at most two deviations above the median of all samples. Otherwise it is 0.
	Values int
	// Worst are the features that are farthest off, at most three, as report.Report has them; nil for images.
	Worst []string
}

// An Analysis is what a run found. All of it can be stored by encoding/gob, as Save and Load do.
type Analysis struct {
	// Set is what was given, and Prepared what was fitted, by Preparation.
	Set, Prepared *datasets.Set
	Preparation   *datasets.Preparation
	Kind          DataKind
	Loss          rnmf.Loss // of the model, before its scale is estimated
	Family        rnmf.Family
	Rank          int
	Seed          uint64 // of the Study

	Decisions []Decision
	Warnings  []string // what makes the result doubtful

	Race       *choose.RaceResult // nil if the loss was given
	RankChoice *choose.RankChoice // nil if the rank was given
	// HeldOut is Σ|x − wh|/Σ|x| over entries held out, and HeldOutMeans that of the means of the
	// features. Of counts it is choose.Errors.OfMeans, and 1.
	HeldOut, HeldOutMeans float64
	Consensus             *choose.Parts
	Result                *rnmf.Result // of the consensus parts
	Parts                 []Part
	Suspects              *choose.Suspects // nil for sparse sets, and for those of Apply

	// Robust has the parts of Result, with coefficients that single wrong entries do not spoil. Usual
	// is the usual size of its residuals (of counts the roots of deviances), one for each feature, and Far
	// how many times that an entry must be off to be a bad one. It is infinite for Counts that were
	// prepared and are none any more. Robust is nil for sparse sets.
	Robust *rnmf.Result
	Usual  []float64
	Far    float64
}

// describe names the parts, and warns of those that one sample has to itself: a foreign sample that
// takes a part leaves no residual to be seen by.
func (r *run) describe() {
	r.Analysis.Parts = partsOf(r.Analysis)
	parts, samples := lone(r.Result)
	for q, c := range parts {
		is := "is the largest part"
		if r.Analysis.Parts[c].Samples != 1 {
			is = "is by three quarters or more that"
		}
		r.warn("%s %s of one sample alone, %s: look at it, as a foreign sample can take a part to itself, and then seems to fit", r.Analysis.Parts[c].Name, is, r.Prepared.SampleName(samples[q]))
	}
}

func partsOf(a *Analysis) []Part {
	w, h := a.Result.Normalized(2)
	m, k := w.Dims()
	count := make([]int, k)
	for j, c := range a.Result.Clusters() {
		if h.At(c, j) > 0 { // an empty sample has no part
			count[c]++
		}
	}
	var all float64
	parts := make([]Part, k)
	for c := range parts {
		parts[c].Share = mat.Sum(w.ColView(c)) * mat.Sum(h.RowView(c))
		all += parts[c].Share
	}
	for c := range parts {
		features := make([]Feature, m)
		for i := range features {
			other := 0.0
			for o := range k {
				if o != c {
					other = max(other, w.At(i, o))
				}
			}
			features[i] = Feature{i, a.Prepared.FeatureName(i), w.At(i, c), w.At(i, c) - other}
		}
		slices.SortStableFunc(features, func(x, y Feature) int { return cmp.Compare(y.Distinct, x.Distinct) })
		p := &parts[c]
		p.Share /= max(all, math.SmallestNonzeroFloat64)
		p.Samples, p.Top = count[c], slices.Clone(features[:min(10, m)])
		p.Name = fmt.Sprintf("part %d", c+1)
		if a.Consensus != nil {
			p.Stability = a.Consensus.Stability[c]
		}
		if a.Prepared.Features == nil { // numbers of pixels say nothing
			continue
		}
		var names []string
		for _, f := range p.Top[:min(2, len(p.Top))] {
			if f.Distinct > 0 && f.Distinct >= 0.3*p.Top[0].Distinct {
				name := []rune(f.Name)
				if len(name) > longestName {
					name = append(name[:longestName:longestName], '…')
				}
				names = append(names, string(name))
			}
		}
		if names == nil {
			names = []string{"nothing of its own"}
		}
		p.Name = fmt.Sprintf("%d: %s", c+1, strings.Join(names, ", "))
	}
	return parts
}

// longestName is how many letters of a feature the name of a part has: a name that is written may have 4096 bytes.
const longestName = 100

// named adds the names and the value of the file to an error of an entry that is too large.
func (a *Analysis) named(err error) error {
	if !errors.Is(err, rnmf.ErrTooLarge) || a.Prepared == nil || a.Prepared.X == nil {
		return err
	}
	x, row, column, most := a.Prepared.X, 0, 0, 0.0
	for i := range x.RawMatrix().Rows {
		for j, v := range x.RawRowView(i) {
			if math.Abs(v) > most {
				row, column, most = i, j, math.Abs(v)
			}
		}
	}
	return fmt.Errorf("feature %s of %s is %.6g, beyond all use: %w", a.Prepared.FeatureName(row), a.Prepared.SampleName(column), a.original(x)(row, column), err)
}

// PartNames returns the names of the parts, in order.
func (a *Analysis) PartNames() []string {
	names := make([]string, len(a.Parts))
	for k, p := range a.Parts {
		names[k] = p.Name
	}
	return names
}

// residual returns how many times its usual size entry (i, j) is off, of a count the root of its deviance;
// NaN where it is missing.
func (a *Analysis) residual(wh *mat.Dense, i, j int) float64 {
	if a.Usual[i] == 0 {
		return 0
	}
	return misfit(a.Family, a.Prepared.X.At(i, j), wh.At(i, j)) / a.Usual[i]
}

// BadEntries returns the entries that are off by more than Far times the usual size of the residuals of
// their feature, the farthest first: single values that do not go with the rest of their sample.
func (a *Analysis) BadEntries() []Entry {
	if a.Robust == nil {
		return nil
	}
	wh := a.Robust.WH()
	m, n := wh.Dims()
	var found []Entry
	for i := range m {
		for j := range n {
			if z := a.residual(wh, i, j); math.Abs(z) > a.Far {
				found = append(found, Entry{Feature: i, Sample: j, FeatureName: a.Prepared.FeatureName(i), SampleName: a.Prepared.SampleName(j), Times: math.Abs(z)})
			}
		}
	}
	slices.SortStableFunc(found, func(x, y Entry) int { return cmp.Compare(y.Times, x.Times) })
	if found == nil {
		return nil
	}
	values, expected := a.original(a.Prepared.X), a.original(wh)
	for k := range found {
		e := &found[k]
		e.Value, e.Expected = values(e.Feature, e.Sample), expected(e.Feature, e.Sample)
	}
	return found
}

// original returns the entries of prepared data in the unit of the file. Where features were split by sign, both
// halves are the feature of the file.
func (a *Analysis) original(x *mat.Dense) func(i, j int) float64 {
	set, err := a.Preparation.Undo(x)
	if err != nil {
		return x.At
	}
	rows, _ := set.X.Dims()
	at := func(i, j int) float64 { return set.X.At(i%rows, j) }
	to := 0.0
	for _, step := range a.Preparation.Steps {
		to = max(to, step.Sum)
	}
	if to == 0 {
		return at
	}
	var sums []float64 // of the sizes of values, of each sample in the file
	_, n := a.Set.Dims()
	sums = make([]float64, n)
	if s := a.Set.Sparse; s != nil {
		for j := range n {
			for k := s.Start[j]; k < s.Start[j+1]; k++ {
				sums[j] += s.Value[k]
			}
		}
	} else {
		for i := range a.Set.X.RawMatrix().Rows {
			for j, v := range a.Set.X.RawRowView(i) {
				if !math.IsNaN(v) {
					sums[j] += math.Abs(v)
				}
			}
		}
	}
	return func(i, j int) float64 {
		if sums[j] == 0 {
			return at(i, j)
		}
		return at(i, j) * sums[j] / to
	}
}

// units returns what leads from prepared data back to the unit of the file, scale and offset (m×1): there an
// entry is offset + scale·(WH). They are nil where no such numbers are the same for all samples, and where
// features were split by sign, as an entry then comes from two.
func (a *Analysis) units() (scale, offset *mat.Dense) {
	split := slices.ContainsFunc(a.Preparation.Steps, func(p datasets.Prepared) bool { return p.Split })
	if a.Prepared.Sparse != nil || split {
		return nil, nil
	}
	m, n := a.Prepared.Dims()
	at := func(v float64) func(i, j int) float64 {
		x := mat.NewDense(m, n, nil)
		x.Apply(func(_, _ int, _ float64) float64 { return v }, x)
		return a.original(x)
	}
	zero, one, three := at(0), at(1), at(3)
	scale, offset = mat.NewDense(m, 1, nil), mat.NewDense(m, 1, nil)
	for i := range m {
		from, step := zero(i, 0), one(i, 0)-zero(i, 0)
		near := func(v, want float64) bool { return math.Abs(v-want) <= 1e-9*(math.Abs(from)+math.Abs(step)) }
		for j := range n {
			if !near(zero(i, j), from) || !near(one(i, j), from+step) || !near(three(i, j), from+3*step) {
				return nil, nil
			}
		}
		scale.Set(i, 0, step)
		offset.Set(i, 0, from)
	}
	return scale, offset
}

// BadSamples returns the samples that the parts do not explain, the largest residuals first: those that
// half of the fits flag as wrong, or, for the set of Apply, whose median residual is more than three times
// its usual size.
func (a *Analysis) BadSamples() []Sample {
	return a.samples(isWrong)
}

// RareSamples returns the samples that are not bad, but rare to at least half of the fits: their parts
// are hard to draw from those of the others, which is a reason to look at them and none to doubt them.
func (a *Analysis) RareSamples() []Sample {
	if a.Suspects == nil {
		return nil
	}
	return a.samples(isRare)
}

// samples returns the suspects of a kind or, without suspects, what is far off.
func (a *Analysis) samples(of func(choose.Suspect) bool) []Sample {
	if a.Robust == nil {
		return nil
	}
	wh := a.Robust.WH()
	m, n := wh.Dims()
	var found []Sample
	if a.Suspects != nil {
		for _, s := range a.Suspects.Samples {
			if of(s) {
				found = append(found, Sample{Sample: s.Sample, Share: s.Share})
			}
		}
	} else {
		type far struct {
			sample int
			size   float64
		}
		var all []far
		sizes := make([]float64, 0, m)
		for j := range n {
			sizes = sizes[:0]
			for i := range m {
				if z := math.Abs(a.residual(wh, i, j)); !math.IsNaN(z) {
					sizes = append(sizes, z)
				}
			}
			slices.Sort(sizes)
			if len(sizes) > 0 && sizes[len(sizes)/2] > farSample {
				all = append(all, far{j, sizes[len(sizes)/2]})
			}
		}
		slices.SortStableFunc(all, func(x, y far) int { return cmp.Compare(y.size, x.size) })
		for _, of := range all {
			found = append(found, Sample{Sample: of.sample, Share: 1})
		}
	}
	if len(found) == 0 {
		return nil
	}
	values := a.because(wh)
	for k := range found {
		s := &found[k]
		s.Name, s.Values = a.Prepared.SampleName(s.Sample), values[s.Sample]
		if a.Prepared.Height > 0 { // numbers of pixels say nothing
			continue
		}
		sizes, order := make([]float64, m), []int(nil)
		for i := range m {
			sizes[i] = math.Abs(misfit(a.Family, a.Prepared.X.At(i, s.Sample), wh.At(i, s.Sample)))
			if a.Usual[i] > 0 {
				sizes[i] /= a.Usual[i]
			}
			if sizes[i] > 0 {
				order = append(order, i)
			}
		}
		slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(sizes[y], sizes[x]) })
		for _, i := range order[:min(3, len(order))] {
			s.Worst = append(s.Worst, a.Prepared.FeatureName(i))
		}
	}
	return found
}

// why says why a sample does not fit, where that is known.
func (s Sample) why() string {
	switch s.Values {
	case 0:
		return ""
	case 1:
		return "because of one value"
	}
	return fmt.Sprintf("because of %d values", s.Values)
}

// usualUpTo is how many deviations above its median the size of the residuals of a sample is usual: choose.OutlierSearch
// calls none wrong or rare by its size up to there.
const usualUpTo = 2

// because returns, for the suspects that do not fit because of a few bad entries, at most two or a twentieth of all,
// the number of these: without them the size of their residuals would be usual, be it the root mean square, the largest
// or the mean magnitude, on the scale of choose.OutlierSearch. The residuals are those of one fit, Robust, and the
// direction of a sample is not asked for.
func (a *Analysis) because(wh *mat.Dense) map[int]int {
	if a.Suspects == nil {
		return nil
	}
	m, n := wh.Dims()
	// sizes returns the logarithms of the three sizes, also without bad entries, whose number is bad.
	sizes := func(j int, without bool) (logs [3]float64, bad, others int) {
		for i := range m {
			z := math.Abs(a.residual(wh, i, j))
			if math.IsNaN(z) {
				continue
			}
			if z > a.Far {
				if bad++; without {
					continue
				}
			} else {
				others++
			}
			e := math.Abs(misfit(a.Family, a.Prepared.X.At(i, j), wh.At(i, j)))
			logs[0], logs[1], logs[2] = logs[0]+e*e, max(logs[1], e), logs[2]+e
		}
		count := others
		if !without {
			count += bad
		}
		logs[0], logs[2] = math.Sqrt(logs[0]/float64(max(1, count))), logs[2]/float64(max(1, count))
		for k, size := range logs {
			logs[k] = math.Log(size)
		}
		return logs, bad, others
	}
	var all [3][]float64
	for j := range n {
		logs, _, _ := sizes(j, false)
		for k, v := range logs {
			all[k] = append(all[k], v)
		}
	}
	var limits [3]float64
	for k, of := range all {
		slices.Sort(of)
		median, spread := of[n/2], max(of[n/2]-of[int(0.16*float64(n))], 0.1)
		if math.IsInf(of[int(0.16*float64(n))], -1) { // some are fitted exactly
			spread = 1
		}
		limits[k] = median + usualUpTo*spread
	}
	values := map[int]int{}
	for _, s := range a.Suspects.Samples {
		if !isWrong(s) && !isRare(s) {
			continue
		}
		rest, bad, others := sizes(s.Sample, true)
		if bad == 0 || bad > max(2, (bad+others)/20) { // more are no single values
			continue
		}
		usual := true
		for k, v := range rest {
			usual = usual && v <= limits[k]
		}
		if usual {
			values[s.Sample] = bad
		}
	}
	return values
}

func isWrong(s choose.Suspect) bool { return s.Share >= 0.5-1e-9 }

func isRare(s choose.Suspect) bool { return !isWrong(s) && s.Rare >= 0.5-1e-9 }

// farSample is how many times its usual size the median residual of a sample must be: half of the
// residuals of a sample are below 0.67, and 3 is far beyond what a mixture of parts explains.
const farSample = 3

// String is a page to read: the decisions with their reasons, the parts, the suspects, the warnings.
func (a *Analysis) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v\n", a.Set)
	for _, d := range a.Decisions {
		fmt.Fprintf(&b, "\n%s: %s\n    %s\n", d.About, d.Choice, d.Reason)
	}
	fmt.Fprintf(&b, "\nThe parts, the most stable first:\n")
	for _, p := range a.Parts {
		fmt.Fprintf(&b, "    %s (%s of all, largest in %s", p.Name, percent(p.Share), count(p.Samples, "sample"))
		if a.Consensus != nil {
			fmt.Fprintf(&b, ", stability %.2f", p.Stability)
		}
		fmt.Fprintf(&b, ")\n")
	}
	const shown = 8
	for k, bad := range [][]Sample{a.BadSamples(), a.RareSamples()} {
		if len(bad) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n%s:\n", many(len(bad), "sample", []string{"does not fit", "is rare, which may be right"}[k], []string{"do not fit", "are rare, which may be right"}[k]))
		for _, s := range bad[:min(shown, len(bad))] {
			line, in, worst := "    "+s.Name, ", most in ", s.Worst
			if s.Values > 0 {
				line += ", " + s.why()
				if s.Values <= len(worst) {
					in, worst = ", in ", worst[:s.Values]
				}
			}
			if len(worst) > 0 {
				line += in + strings.Join(worst, ", ")
			}
			fmt.Fprintln(&b, line)
		}
		if len(bad) > shown {
			fmt.Fprintf(&b, "    and %d more\n", len(bad)-shown)
		}
	}
	if bad := a.BadEntries(); len(bad) > 0 {
		fmt.Fprintf(&b, "\n%s:\n", many(len(bad), "single value", "does not fit", "do not fit"))
		for _, e := range bad[:min(shown, len(bad))] {
			fmt.Fprintf(&b, "    %s of %s is %.4g, where the parts make %.4g (%.0f times the usual residual)\n", e.FeatureName, e.SampleName, e.Value, e.Expected, e.Times)
		}
		if len(bad) > shown {
			fmt.Fprintf(&b, "    and %d more\n", len(bad)-shown)
		}
	}
	for _, w := range a.Warnings {
		fmt.Fprintf(&b, "\nwarning: %s\n", w)
	}
	return b.String()
}

// percent writes a share of 0 to 1 as a percentage: with a decimal where it is nearly none or nearly all, and
// as 0 or 100 only where it is none or all.
func percent(share float64) string {
	p := 100 * share
	if p <= 0 || p >= 1 && p <= 99 || p >= 100 {
		return fmt.Sprintf("%.0f %%", p)
	}
	return fmt.Sprintf("%.1f %%", max(0.1, min(99.9, p)))
}

// count counts things, and many things that do something.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func many(n int, thing, does, do string) string {
	if n == 1 {
		do = does
	}
	return count(n, thing) + " " + do
}

// Apply explains the samples of a second set by the parts of the first: it is prepared in the same
// way, and the result has its coefficients, and what does not fit in it.
//
// Errors are those of Preparation.Apply, so the features must be the same, and of Result.Transform.
func (a *Analysis) Apply(ctx context.Context, s *datasets.Set) (*Analysis, error) {
	if s == nil {
		return nil, fmt.Errorf("%w: the set is nil", datasets.ErrParameter)
	}
	u, err := a.Preparation.Apply(s)
	if err != nil {
		return nil, err
	}
	if u, err = u.Dense(); err != nil {
		return nil, err
	}
	if _, _, _, err := u.Names(); err != nil {
		return nil, err
	}
	b := &Analysis{Set: s, Prepared: u, Preparation: a.Preparation, Kind: a.Kind, Loss: a.Loss, Family: a.Family, Rank: a.Rank, Usual: a.Usual, Far: a.Far,
		Decisions: []Decision{{"parts", fmt.Sprint(a.Rank), fmt.Sprintf("those of %s", cmp.Or(a.Set.Name, "the first set"))}}}
	fit := func(r *rnmf.Result) (*rnmf.Result, error) {
		h, err := r.Transform(ctx, u.X, u.Mask())
		return &rnmf.Result{W: r.W, H: h, Loss: r.Loss, Family: r.Family, Solver: r.Solver, Reason: r.Reason, KKT: -1}, err
	}
	if b.Result, err = fit(a.Result); err != nil {
		return nil, b.named(err)
	}
	if a.Robust != nil {
		if b.Robust, err = fit(a.Robust); err != nil {
			return nil, b.named(err)
		}
	}
	b.Parts = partsOf(b)
	for k := range b.Parts {
		b.Parts[k].Name, b.Parts[k].Top, b.Parts[k].Stability = a.Parts[k].Name, a.Parts[k].Top, a.Parts[k].Stability
	}
	return b, nil
}

// Report returns the page and the tables of the analysis, in the unit of the prepared data.
func (a *Analysis) Report() (*report.Report, error) {
	rep := &report.Report{Set: a.Prepared, Result: a.Result, Suspects: a.Suspects, Title: cmp.Or(a.Set.Name, "Exploration"), Names: a.PartNames(),
		Judge: a.Robust, Usual: a.Usual, Why: map[int]string{}}
	for _, s := range append(a.BadSamples(), a.RareSamples()...) {
		rep.Why[s.Sample] = s.why()
	}
	if len(a.Preparation.Steps) > 0 {
		rep.Notes = append(rep.Notes, "These are the data as they were prepared for the fit, and the parts are in their unit, here and in parts.csv. In the file: "+a.Set.String())
		if scale, offset := a.units(); scale != nil {
			rep.Variables = []datasets.MATVar{{Name: "feature_scale", M: scale}, {Name: "feature_offset", M: offset}}
		}
	}
	for _, w := range a.Warnings {
		rep.Notes = append(rep.Notes, "Warning: "+w)
	}
	if a.Set.Samples == nil {
		rep.Notes = append(rep.Notes, "Samples have no names, and their numbers begin with 0.")
	}
	bad := a.BadEntries()
	if note := a.errorWithout(bad); note != "" {
		rep.Notes = slices.Insert(rep.Notes, 0, note)
	}
	var rows [][]any
	for _, e := range bad {
		if len(rows) < 30 {
			rows = append(rows, []any{e.SampleName, e.FeatureName, e.Value, e.Expected, fmt.Sprintf("%.0f times", e.Times)})
		}
	}
	entries := report.Section{Title: "Single values that do not fit", Text: []string{fmt.Sprintf("%s off by more than %.0f times what is usual for the feature. The unit is that of the file; the list is that of entries.csv.", many(len(bad), "value", "is", "are"), a.Far)}}
	switch {
	case a.Robust == nil:
		entries.Text = []string{"Single values are not judged, as the data stay sparse: take fewer samples (Set.Pick), and fill in the zeros (Set.Dense)."}
	case math.IsInf(a.Far, 1):
		entries.Text = []string{"Single values are not judged: of what were counts most are 0, and one that is not is no error."}
	}
	if rows != nil {
		entries.Header, entries.Rows = []string{"sample", "feature", "value", "the parts make", "off by"}, rows
	}
	rep.Sections = append(rep.Sections, entries, a.peculiar())
	if pictures, err := a.evidence(); err == nil {
		rep.Sections = append(rep.Sections, pictures)
	} else {
		return nil, err
	}
	var decisions [][]any
	for _, d := range a.Decisions {
		decisions = append(decisions, []any{d.About, d.Choice, d.Reason})
	}
	rep.Sections = append(rep.Sections, report.Section{Title: "What was decided, and why", Text: a.Set.Notes, Header: []string{"about", "choice", "reason"}, Rows: decisions})
	return rep, nil
}

// errorWithout says how large the residuals are where a few wrong entries, which can be most of them,
// are left out.
func (a *Analysis) errorWithout(bad []Entry) string {
	if len(bad) == 0 {
		return ""
	}
	wrong := map[[2]int]bool{}
	for _, e := range bad {
		wrong[[2]int{e.Feature, e.Sample}] = true
	}
	wh := a.Result.WH()
	var far, size float64
	m, n := wh.Dims()
	for i := range m {
		for j := range n {
			if v := a.Prepared.X.At(i, j); !math.IsNaN(v) && !wrong[[2]int{i, j}] {
				far += math.Abs(v - wh.At(i, j))
				size += math.Abs(v)
			}
		}
	}
	if size == 0 || math.IsInf(size, 0) {
		return ""
	}
	return fmt.Sprintf("Without the single values that do not fit it is %.1f %%.", 100*far/size)
}

// peculiar tells what is peculiar to each part.
func (a *Analysis) peculiar() report.Section {
	s := report.Section{Title: "What is peculiar to each part", Text: []string{"Features by their loading less the largest in any other part."},
		Header: []string{"part", "share", "stability", "largest in", "features"}}
	for _, p := range a.Parts {
		var names []string
		for _, f := range p.Top[:min(6, len(p.Top))] {
			if f.Distinct > 0 {
				names = append(names, f.Name)
			}
		}
		s.Rows = append(s.Rows, []any{p.Name, percent(p.Share), fmt.Sprintf("%.2f", p.Stability), count(p.Samples, "sample"), strings.Join(names, ", ")})
	}
	return s
}

// evidence has the pictures behind the rank and the consensus.
func (a *Analysis) evidence() (report.Section, error) {
	s := report.Section{Title: "How sure the number of parts is, and the parts are"}
	if a.RankChoice != nil && len(a.RankChoice.Table.Rows) > 1 {
		f, err := a.DrawRanks()
		if err != nil {
			return s, err
		}
		s.Figures = append(s.Figures, f)
	}
	if a.Consensus != nil {
		s.Text = append(s.Text, a.Consensus.String()+". Dark squares along the diagonal are parts that many starts have found; what was left out is last.")
		f, err := a.DrawConsensus()
		if err != nil {
			return s, err
		}
		s.Figures = append(s.Figures, f)
	}
	if parts, _ := a.Lone(); parts != nil {
		s.Text = append(s.Text, "The last picture has each sample that is alone with its largest part: as it is, as all parts make it, and what of this is that part and the next largest.")
		f, err := a.DrawLone()
		if err != nil {
			return s, err
		}
		s.Figures = append(s.Figures, f)
	}
	return s, nil
}

// DrawRanks draws how well each number of parts predicts entries that were held out: the fewest that reach the
// dashed line are chosen, see choose.RankChoice.Limit. It is ErrParameter where the rank was given.
func (a *Analysis) DrawRanks() (viz.Figure, error) {
	if a.RankChoice == nil {
		return nil, fmt.Errorf("%w: the rank was given, so none was asked for", datasets.ErrParameter)
	}
	t := a.RankChoice.Table
	ranks, errs := t.Column("rank"), t.Column(choose.ScoreHeldOut)
	series := []viz.Series{{X: ranks, Y: errs, Err: t.Column(choose.ScoreHeldOutSE)}}
	title := count(a.Rank, "part") + " chosen"
	if at := slices.Index(ranks, float64(a.Rank)); at >= 0 {
		series = append(series, viz.Series{X: ranks[at : at+1], Y: errs[at : at+1]})
		title = fmt.Sprintf("%s: an error of %.3g, where the least of all is %.3g", count(a.Rank, "part"), errs[at], slices.Min(errs))
	}
	limit := a.RankChoice.Limit
	if limit > 0 && a.Rank == a.RankChoice.Rank { // not by the agreement of starts
		if title = many(a.Rank, "part", "is", "are") + " the fewest within one standard error of the best"; a.RankChoice.AtEdge {
			title = many(a.Rank, "part", "reaches", "reach") + " nine tenths of the fall of the error"
		}
	}
	c, err := viz.Lines(series, viz.LinesOptions{Title: title,
		XLabel: fmt.Sprintf("parts (bars: one standard error, at most %.1g)", slices.Max(series[0].Err)), YLabel: "error of entries held out", Width: 5.8, Height: 3})
	if err != nil {
		return nil, err
	}
	if limit > 0 {
		line := &plotter.Line{XYs: plotter.XYs{{X: ranks[0], Y: limit}, {X: ranks[len(ranks)-1], Y: limit}}, LineStyle: plotter.DefaultLineStyle}
		line.Color, line.Dashes = color.Gray{0x60}, []vg.Length{vg.Points(5), vg.Points(4)}
		c.Add(line)
	}
	return c, nil
}

// DrawConsensus draws the distances of the parts of all starts, cluster by cluster, with the number of the part of
// each; those that were left out come last, and are marked. It is ErrParameter for the set of Apply.
func (a *Analysis) DrawConsensus() (viz.Figure, error) {
	if a.Consensus == nil {
		return nil, fmt.Errorf("%w: no parts were fitted to this set", datasets.ErrParameter)
	}
	order := a.Consensus.Order()
	stable := 0
	for _, p := range a.Parts {
		if p.Stability >= 0.9 {
			stable++
		}
	}
	have := "have"
	if stable == 1 {
		have = "has"
	}
	title := fmt.Sprintf("%d of %s %s a stability of 0.9 or more", stable, count(len(a.Parts), "part"), have)
	names := make([]string, len(order)) // a number in the middle of each cluster
	for from := 0; from < len(order); {
		to, cluster := from, a.Consensus.Cluster[order[from]]
		for to < len(order) && a.Consensus.Cluster[order[to]] == cluster {
			to++
		}
		if cluster >= 0 {
			names[order[(from+to)/2]] = fmt.Sprint(cluster + 1)
		}
		from = to
	}
	opt := viz.HeatmapOptions{Title: title, RowOrder: order, ColumnOrder: order, BarLabel: "distance of two parts", XLabel: "parts of all starts, by cluster", YLabel: "part", RowNames: names}
	if slices.Contains(a.Consensus.Cluster, -1) {
		marks := make([]int, len(order))
		for k, c := range a.Consensus.Cluster {
			if c >= 0 {
				marks[k] = -1 // white
			}
		}
		opt.Tracks = []viz.Track{{Classes: marks, Names: []string{"left out"}}}
	}
	return viz.Heatmap(a.Consensus.Distances(), opt)
}

// DrawParts draws the parts: as images with the numbers of the parts and their stability, as curves where features
// are the channels of a spectrum, or by their largest features.
func (a *Analysis) DrawParts() (viz.Figure, error) {
	w, _ := a.Result.Normalized(2)
	title := "One part"
	if len(a.Parts) > 1 {
		title = fmt.Sprintf("%d parts, the most stable first", len(a.Parts))
	}
	if s := a.Prepared; s.Height > 0 {
		captions := a.PartNames()
		if a.Consensus != nil {
			title += " (with the stability, at most 1)"
			for k, p := range a.Parts {
				captions[k] = fmt.Sprintf("%d: %.2f", k+1, p.Stability)
			}
		}
		return viz.Gallery(w, viz.GalleryOptions{Title: title, Height: s.Height, Width: s.Width, Captions: captions, Smooth: true})
	}
	if x := axis.Curve(a.Prepared.Features); x != nil {
		return viz.Profiles(w, viz.ProfilesOptions{Title: title, X: x, Captions: a.PartNames()})
	}
	m, _ := w.Dims()
	names := make([]string, m)
	for i := range names {
		names[i] = a.Prepared.FeatureName(i)
	}
	return viz.TopFeatures(w, viz.TopFeaturesOptions{Title: title, Features: names, Captions: a.PartNames(), Count: 6})
}

// DrawSamples draws how much of each part each sample has, with the classes above, if they are known. Its
// title says how much one part alone tells of a sample: its class, or nine tenths of it.
func (a *Analysis) DrawSamples() (viz.Figure, error) {
	_, h := a.Result.Normalized(2)
	var tracks []viz.Track
	if s := a.Prepared; s.Labels != nil {
		tracks = []viz.Track{{Name: "class", Classes: s.Labels, Names: s.Classes}}
	}
	return viz.Heatmap(h, viz.HeatmapOptions{Title: oneTells(h, a.Prepared.Labels), RowNames: a.PartNames(), ColumnOrder: viz.OrderByPart(h), Tracks: tracks, XLabel: "samples, by their largest part", BarLabel: "coefficient"})
}

// oneTells says how many samples belong to the class that is the most frequent where their largest part is
// the largest or, where no classes are known, in how many a part has nine tenths of the coefficients.
func oneTells(h *mat.Dense, labels []int) string {
	k, n := h.Dims()
	largest, alone := make([]int, n), 0
	count := map[[2]int]int{} // of a part and a class
	for j := range n {
		column := mat.Col(nil, j, h)
		largest[j] = floats.MaxIdx(column)
		if column[largest[j]] > 0.9*floats.Sum(column) {
			alone++
		}
		if labels != nil {
			count[[2]int{largest[j], labels[j]}]++
		}
	}
	if labels == nil {
		are := "are"
		if alone == 1 {
			are = "is"
		}
		return fmt.Sprintf("%d of %d samples %s nine tenths one part", alone, n, are)
	}
	right := 0
	for part := range k {
		most := 0
		for of, samples := range count {
			if of[0] == part {
				most = max(most, samples)
			}
		}
		right += most
	}
	return fmt.Sprintf("The largest part tells the class of %d of %d samples", right, n)
}

// DrawSuspects draws the k most suspect samples: see report.Report.Residuals, whose errors it has.
func (a *Analysis) DrawSuspects(k int) (viz.Figure, error) {
	rep, err := a.Report()
	if err != nil {
		return nil, err
	}
	return rep.Residuals(k)
}

// file is where Save keeps the analysis itself.
const file = "analysis.gob"

// Save writes a new folder: report.html, which is to be read first; parts.csv, coefficients.csv,
// samples.csv and entries.csv; factors.npz and factors.mat; model.rnmf, which rnmf.Load reads; and
// analysis.gob, which Load reads. Parts are in the unit of the prepared data, and the values of
// entries.csv in that of the file. It writes over nothing: the error is fs.ErrExist where the folder
// exists. Of a set that stays sparse the page and samples.csv say how much of each sample the parts
// explain, in place of what fits say of it.
func (a *Analysis) Save(folder string) error {
	if err := os.MkdirAll(filepath.Dir(folder), 0o777); err != nil {
		return err
	}
	if err := os.Mkdir(folder, 0o777); err != nil {
		return err
	}
	return a.saveInto(folder)
}

func (a *Analysis) saveInto(folder string) error {
	rep, err := a.Report()
	if err != nil {
		return err
	}
	return cmp.Or(rep.Save(folder), create(folder, "entries.csv", a.WriteEntries), create(folder, file, a.write))
}

// WriteEntries writes the bad entries as a table.
func (a *Analysis) WriteEntries(w io.Writer) error {
	to := csv.NewWriter(w)
	to.Write([]string{"sample", "feature", "value", "expected", "times"}) // an error stays until Flush
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
	for _, e := range a.BadEntries() {
		to.Write([]string{e.SampleName, e.FeatureName, number(e.Value), number(e.Expected), number(e.Times)})
	}
	to.Flush()
	return to.Error()
}

// write stores the analysis, without the single fits.
func (a *Analysis) write(w io.Writer) error {
	b := *a
	if b.Race != nil { // its verdict is enough
		c := *b.Race
		c.Result = nil
		b.Race = &c
	}
	if b.Consensus != nil {
		c := *b.Consensus
		c.Fits = nil
		b.Consensus = &c
	}
	return gob.NewEncoder(w).Encode(b)
}

// Load reads what Save has written, by the path of the folder. It lacks the fits of Race and Consensus.
func Load(folder string) (*Analysis, error) {
	f, err := os.Open(filepath.Join(folder, file))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	a := &Analysis{}
	if err := gob.NewDecoder(f).Decode(a); err != nil {
		return nil, fmt.Errorf("%s: %w: %w", f.Name(), datasets.ErrFormat, err)
	}
	return a, nil
}

// create writes a new file.
func create(folder, name string, write func(io.Writer) error) error {
	if err := newfile.Write(filepath.Join(folder, name), write); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
