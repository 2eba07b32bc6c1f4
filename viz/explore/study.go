package explore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/datasets/sparse"
	"github.com/robustnmf/robustnmf/internal/axis"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/choose"
	"github.com/robustnmf/robustnmf/rnmf/panel"
)

// A DataKind says what the values of a set are, which decides how they are brought to one scale.
type DataKind int

const (
	// Guess looks at the set: images are known by their size, counts are whole numbers from 0 up of
	// which a fifth or more are 0 and that vary as counts do, and all else are measurements.
	Guess DataKind = iota
	// Measurements in units of their own: where the ranges of two features differ more than tenfold,
	// or a value is negative, they are scaled by datasets.RobustRange; the channels of a spectrum, whose names
	// are numbers in order, stay as they are, and so do values around 0 whose noise alone is negative.
	Measurements
	// Counts, of words or reads, stay as they were counted: the model takes Poisson deviances, by
	// rnmf.RobustPoissonNMF, as long as Steps leave whole numbers. Of many features the 2,000 are kept
	// whose variance is largest next to their mean. (Kind: Measurements, with the Steps SampleSums and
	// Log1p, is the recipe of least squares in the place of it.)
	Counts
	// Images stay as they are.
	Images
)

func (k DataKind) String() string {
	return [...]string{"a guess", "measurements", "counts", "images"}[max(0, min(k, Images))]
}

// A Study is a run with decisions made beforehand; its zero value, and Run, make them all.
type Study struct {
	Kind DataKind
	// Steps prepare the set; nil is what suits its Kind, and an empty list nothing.
	Steps []datasets.Preprocessor
	// Loss is that of the model, for counts of their deviances; nil is that of choose.Race, or of
	// rnmf.RobustPoissonNMF.
	Loss rnmf.Loss
	Rank int // 0 is what a RankSearch finds
	// Starts is the number of fits whose consensus is taken; 0 is 10.
	Starts int
	Seed   uint64
	// Progress, if not nil, is told how far the run is. Lines writes it.
	Progress func(Progress)
}

// Progress tells how far a run is.
type Progress struct {
	Step        string        // what is being done, or was decided
	Decided     bool          // tells which
	Done, Total int           // fits
	Left        time.Duration // about, by the time of the fits so far; 0 at the beginning
}

// Lines returns a Study.Progress that writes a line for each decision, and at most one a second for
// what is being done.
func Lines(w io.Writer) func(Progress) {
	at := time.Now()
	return func(p Progress) {
		if !p.Decided && time.Since(at) < time.Second {
			return
		}
		line := p.Step
		if p.Left >= time.Second {
			line = fmt.Sprintf("%-60s about %v left", line, p.Left.Round(time.Second))
		}
		fmt.Fprintln(w, line)
		at = time.Now()
	}
}

// What is looked at in steps that take many fits.
const (
	mostFeatures  = 2000 // of counts
	askedFeatures = 600  // by the race of the losses and RankSearch
	askedSamples  = 300
	fewValues     = 20000 // up to which five folds and starts are asked, and three above
	sameScale     = 10
	manyZeros     = 0.2

	variesAsCounts = 0.7 // variance over mean: words that come once or not at all, in a quarter of the samples, have 0.75
)

// manyEntries is from how many entries on a sparse set stays sparse; a variable for tests.
var manyEntries = 1 << 24

// Run explores a set: Study{}.Run.
func Run(ctx context.Context, s *datasets.Set) (*Analysis, error) { return Study{}.Run(ctx, s) }

// Run explores a set. The set is not changed. The same set and Seed give the same result.
//
// Errors are those of the set's Check, datasets.ErrParameter for fewer than three features or samples and for names that
// Save could not write (Set.Names), what a step of Prepare or a fit says, and ctx.Err().
func (st Study) Run(ctx context.Context, s *datasets.Set) (*Analysis, error) {
	if s == nil {
		return nil, fmt.Errorf("%w: the set is nil", datasets.ErrParameter)
	}
	if err := s.Check(); err != nil {
		return nil, err
	}
	if st.Kind < Guess || st.Kind > Images || st.Rank < 0 || st.Starts < 0 || st.Starts == 1 {
		return nil, fmt.Errorf("%w: Kind %d, Rank %d, Starts %d: want a Kind, and numbers of 0 or more, with 2 starts or more", datasets.ErrParameter, st.Kind, st.Rank, st.Starts)
	}
	m, n := s.Dims()
	if m < 3 || n < 3 {
		return nil, fmt.Errorf("%w: a set of %d features and %d samples has no parts: want 3 of each or more", datasets.ErrParameter, m, n)
	}
	r := &run{Study: st, ctx: ctx, Analysis: &Analysis{Set: s, Seed: st.Seed}, began: time.Now()}
	for _, step := range []func() error{r.prepare, r.loss, r.rank, r.parts, r.suspects} {
		if err := step(); err != nil {
			return nil, r.named(err)
		}
	}
	r.describe()
	r.done = r.total
	return r.Analysis, nil
}

// A run is a study that is under way.
type run struct {
	Study
	*Analysis
	ctx         context.Context
	began       time.Time
	done, total int

	asked *datasets.Set // what the race and RankSearch look at
	known mat.Matrix    // its mask, without gross entries, which nobody can predict
	folds int           // of these
}

func (r *run) tell(step string, decided bool) {
	if r.Progress == nil {
		return
	}
	p := Progress{Step: step, Decided: decided, Done: r.done, Total: max(r.done, r.total)}
	if r.done > 0 && r.done < r.total {
		p.Left = time.Duration(float64(time.Since(r.began)) / float64(r.done) * float64(r.total-r.done))
	}
	r.Progress(p)
}

// decided keeps a decision.
func (r *run) decided(what, choice, reason string) {
	r.Decisions = append(r.Decisions, Decision{what, choice, reason})
	r.tell(fmt.Sprintf("%s: %s", what, choice), true)
}

func (r *run) warn(format string, of ...any) {
	r.Warnings = append(r.Warnings, fmt.Sprintf(format, of...))
}

// prepare decides what the values are, and brings them to one scale.
func (r *run) prepare() error {
	s := r.Set
	kind, reason := r.Study.Kind, "as Study.Kind says"
	if kind == Guess {
		kind, reason = guessKind(s)
	}
	r.Analysis.Kind = kind
	r.decided("values", kind.String(), reason)
	for _, note := range s.Notes {
		if text, ok := strings.CutPrefix(note, "warning: "); ok {
			r.warn("%s", text)
		}
	}
	if none := empty(s); none != nil {
		var names []string
		for _, j := range none[:min(5, len(none))] {
			names = append(names, s.SampleName(j))
		}
		if len(none) > len(names) {
			names = append(names, "...")
		}
		them := "them"
		if len(none) == 1 {
			them = "it"
		}
		r.warn("%s no value but 0 or missing ones, so nothing of %s can seem wrong: %s", many(len(none), "sample", "has", "have"), them, strings.Join(names, ", "))
	}
	steps, choice, reason := r.Study.Steps, "as given", "as Study.Steps says"
	if steps == nil {
		steps, choice, reason = stepsFor(s, kind)
	}
	u, p, err := datasets.Prepare(s, steps...)
	if err != nil {
		return err
	}
	if _, _, _, err := u.Names(); err != nil { // before all the fits, not after them
		return err
	}
	for _, note := range u.Notes[len(s.Notes):] {
		r.warn("%s", strings.TrimPrefix(note, "warning: "))
	}
	if rows, cols := u.Dims(); u.Sparse != nil && rows*cols <= manyEntries {
		if u, err = u.Dense(); err != nil {
			return err
		}
	}
	r.Prepared, r.Preparation = u, p
	r.decided("scale", choice, reason)
	if kind == Counts && whole(u) {
		r.Family = rnmf.Poisson
		if u.Sparse != nil {
			r.Family = rnmf.SparsePoisson // a round of which visits no zeros
		}
	}
	r.ask()
	return nil
}

// guessKind tells what the values of a set are.
func guessKind(s *datasets.Set) (DataKind, string) {
	if s.Height > 0 {
		return Images, fmt.Sprintf("the samples are images of %d×%d", s.Height, s.Width)
	}
	m, n := s.Dims()
	zeros, known, top := 0.0, 0.0, 0.0
	var values []float64
	if s.Sparse != nil {
		values = s.Sparse.Value
		known = float64(m) * float64(n)
		zeros = known - float64(len(values))
	} else {
		values = s.X.RawMatrix().Data
	}
	for _, v := range values {
		switch {
		case math.IsNaN(v):
			continue
		case v != math.Trunc(v):
			return Measurements, "not all values are whole numbers"
		case v < 0:
			return Measurements, "some values are negative"
		case v == 0:
			zeros++
		}
		if top = max(top, v); s.Sparse == nil {
			known++
		}
	}
	share := zeros / max(1, known)
	switch {
	case top <= 1:
		return Measurements, "all values are 0 or 1"
	case zeros >= manyZeros*known:
		if index := dispersion(s); index < variesAsCounts {
			return Measurements, fmt.Sprintf("all values are whole numbers from 0 up, but half of the features vary less than counts do: their variance is %.2f of their mean or less", index)
		}
		return Counts, fmt.Sprintf("all values are whole numbers from 0 up, and %s of them are 0", percent(share))
	}
	return Measurements, fmt.Sprintf("all values are whole numbers, but only %g %% of them are 0, where counts have %.0f %% and more", math.Floor(1000*share)/10, 100*manyZeros)
}

// dispersion is the median over the features of variance over mean, of those that are not 0 alone. That
// of Poisson counts is 1, and more where their means differ; that of flags, grades and classes is less.
func dispersion(s *datasets.Set) float64 {
	m, n := s.Dims()
	sums, squares, known := make([]float64, m), make([]float64, m), make([]float64, m)
	if s.Sparse != nil {
		for k, i := range s.Sparse.Row {
			v := s.Sparse.Value[k]
			sums[i], squares[i] = sums[i]+v, squares[i]+v*v
		}
	}
	var indices []float64
	for i := range m {
		known[i] = float64(n)
		if s.Sparse == nil {
			known[i] = 0
			for _, v := range s.X.RawRowView(i) {
				if !math.IsNaN(v) {
					sums[i], squares[i], known[i] = sums[i]+v, squares[i]+v*v, known[i]+1
				}
			}
		}
		if sums[i] > 0 {
			indices = append(indices, squares[i]/sums[i]-sums[i]/known[i])
		}
	}
	if indices == nil {
		return 1
	}
	slices.Sort(indices)
	return indices[len(indices)/2]
}

// whole tells whether all values are still counts.
func whole(s *datasets.Set) bool {
	var values []float64
	if s.Sparse != nil {
		values = s.Sparse.Value
	} else {
		values = s.X.RawMatrix().Data
	}
	return !slices.ContainsFunc(values, func(v float64) bool { return v < 0 || v != math.Trunc(v) && !math.IsNaN(v) })
}

// stepsFor returns the steps that suit a kind, with a choice and a reason for people.
func stepsFor(s *datasets.Set, kind DataKind) (steps []datasets.Preprocessor, choice, reason string) {
	switch m, _ := s.Dims(); kind {
	case Counts:
		steps, choice = []datasets.Preprocessor{}, "as counted"
		if m > mostFeatures {
			steps = append(steps, datasets.MostVariable{Count: mostFeatures, ByMean: true})
			choice += fmt.Sprintf(", the %d features of %d that vary most next to their mean", mostFeatures, m)
		}
		return steps, choice, "a count says how sure it is, and one that was scaled does not"
	case Images:
		return []datasets.Preprocessor{}, "as it is", "pixels have one scale"
	}
	if s.Sparse != nil {
		return []datasets.Preprocessor{}, "as it is", "zeros stay zeros"
	}
	most, least, negative := spreads(s)
	switch {
	case (most <= sameScale*least || axis.Of(s.Features) != nil) && negative && noiseAroundZero(s):
		return []datasets.Preprocessor{}, "as it is", fmt.Sprintf("the negative values are so few and small next to the largest, as noise around 0 is; %s", oneUnit(s, most/least))
	case negative:
		return []datasets.Preprocessor{datasets.ScaleFeatures{By: datasets.RobustRange}}, "each feature to the range 0 to 1 of its bulk",
			"some values are negative; 0 is then the smallest usual value of a feature"
	case most > sameScale*least && axis.Of(s.Features) == nil:
		return []datasets.Preprocessor{datasets.ScaleFeatures{By: datasets.RobustRange}}, "each feature to the range 0 to 1 of its bulk",
			fmt.Sprintf("the features have different scales: some spread %.0f times as much as others, and would decide the parts alone", most/least)
	}
	return []datasets.Preprocessor{}, "as it is", oneUnit(s, most/least)
}

// oneUnit says why all features are taken for being of one unit.
func oneUnit(s *datasets.Set, times float64) string {
	if times > sameScale {
		return fmt.Sprintf("the features are named by numbers in order, %s to %s, as the places of one spectrum or series are, which have one unit", s.Features[0], s.Features[len(s.Features)-1])
	}
	return fmt.Sprintf("the features spread alike (at most %.1f times), as of one unit", times)
}

// noiseAroundZero tells whether negative values are a hundredth of all at most, and none is below a twentieth of
// the largest value.
func noiseAroundZero(s *datasets.Set) bool {
	var below, all, lowest, highest float64
	for _, v := range s.X.RawMatrix().Data {
		if math.IsNaN(v) {
			continue
		}
		all += math.Abs(v)
		below += max(0, -v)
		lowest, highest = min(lowest, v), max(highest, v)
	}
	return 100*below <= all && -20*lowest <= highest
}

// empty returns the samples that have no value but 0, as far as they are known.
func empty(s *datasets.Set) (samples []int) {
	m, n := s.Dims()
	for j := range n {
		some := false
		if s.Sparse != nil {
			some = slices.ContainsFunc(s.Sparse.Value[s.Sparse.Start[j]:s.Sparse.Start[j+1]], func(v float64) bool { return v != 0 })
		}
		for i := 0; i < m && s.Sparse == nil && !some; i++ {
			v := s.X.At(i, j)
			some = v != 0 && !math.IsNaN(v)
		}
		if !some {
			samples = append(samples, j)
		}
	}
	return samples
}

// spreads returns the largest and smallest distance between the lowest and the highest tenth of a
// feature, of those that are no constants.
func spreads(s *datasets.Set) (most, least float64, negative bool) {
	m, n := s.X.Dims()
	least = math.Inf(1)
	values := make([]float64, 0, n)
	for i := range m {
		values = values[:0]
		for _, v := range s.X.RawRowView(i) {
			if !math.IsNaN(v) {
				values = append(values, v)
				negative = negative || v < 0
			}
		}
		slices.Sort(values)
		if len(values) == 0 {
			continue
		}
		if d := values[len(values)*9/10] - values[len(values)/10]; d > 0 {
			most, least = max(most, d), min(least, d)
		}
	}
	if most == 0 {
		return 1, 1, negative
	}
	return most, least, negative
}

// ask picks what the steps of many fits look at.
func (r *run) ask() {
	u := r.Prepared
	m, n := u.Dims()
	defer func() {
		rows, cols := r.asked.X.Dims()
		if r.folds = 3; rows*cols <= fewValues {
			r.folds = 5
		}
		r.total = raceFits + 8*2*r.folds + cmp.Or(r.Starts, 10) + 4
	}()
	if u.Sparse == nil && m*n <= askedFeatures*askedSamples {
		r.asked = u
		return
	}
	rng := rand.New(rand.NewPCG(r.Study.Seed, 0x61_73_6b))
	t := u
	if n > askedSamples {
		columns := rng.Perm(n)[:askedSamples]
		slices.Sort(columns)
		t, _ = t.Pick(columns)
	}
	if m > askedFeatures {
		rows := rng.Perm(m)[:askedFeatures]
		slices.Sort(rows)
		t, _ = t.PickFeatures(rows)
	}
	r.asked, _ = t.Dense()
	rows, cols := r.asked.X.Dims()
	r.decided("sample", fmt.Sprintf("%d features and %d samples", rows, cols), fmt.Sprintf("the loss and the rank are asked of a part of the %d×%d data, drawn by chance; the fit takes all", m, n))
}

// model returns what is fitted.
func (r *run) model(rank int) rnmf.Model {
	m := rnmf.Model{Rank: rank, Loss: r.Analysis.Loss, Family: r.Family, Seed: r.Study.Seed}
	if m.Family != rnmf.Gaussian {
		return m
	}
	x := r.asked.X
	for i := range x.RawMatrix().Rows {
		if slices.ContainsFunc(x.RawRowView(i), func(v float64) bool { return v < 0 }) {
			m.Signed = true
		}
	}
	if r.Prepared.X != nil && !m.Signed {
		m.Signed = slices.ContainsFunc(r.Prepared.X.RawMatrix().Data, func(v float64) bool { return v < 0 })
	}
	return m
}

func (r *run) loss() error {
	if r.Study.Loss != nil {
		r.Analysis.Loss = r.Study.Loss
		choice := fmt.Sprintf("%#v", r.Study.Loss)
		if r.Family != rnmf.Gaussian {
			choice += " of Poisson deviances"
		}
		r.decided("loss", choice, "as Study.Loss says")
		r.done += raceFits
		return nil
	}
	if r.Family != rnmf.Gaussian {
		r.Analysis.Loss = rnmf.RobustPoissonNMF(1).Loss
		r.done += raceFits
		r.decided("loss", "Poisson deviances, of which gross ones count little", "counts vary as the roots of their means: 10 more is much next to 5, and little next to 1000, which squares do not know")
		return nil
	}
	if zeros := shareOfZeros(r.asked.X); r.Analysis.Kind == Counts && zeros > mostlyZeros {
		r.Analysis.Loss = choose.BySample.Model(1).Loss
		r.done += raceFits
		r.decided("loss", choose.BySample.String(), fmt.Sprintf("%s of the entries are 0, and a loss of entries would take what is not 0 for errors", percent(zeros)))
		return nil
	}
	r.tell("loss: predicting entries that are hidden, by three losses", false)
	m, n := r.asked.X.Dims()
	model := r.model(max(1, min(10, (min(m, n)+1)/3)))
	model.Mask = r.asked.Mask()
	race, err := choose.Race{Model: model}.Fit(r.ctx, r.asked.X)
	if err != nil {
		return err
	}
	r.done += raceFits
	r.Race = race
	r.Analysis.Loss = race.Winner.Model(1).Loss
	r.decided("loss", race.Winner.String(), race.Why)
	return nil
}

// mostlyZeros is the share of zeros from which on a loss of entries is not asked.
const mostlyZeros = 0.6

func shareOfZeros(x *mat.Dense) float64 {
	m, n := x.Dims()
	zeros := 0
	for i := range m {
		for _, v := range x.RawRowView(i) {
			if v == 0 {
				zeros++
			}
		}
	}
	return float64(zeros) / float64(m) / float64(n)
}

// raceFits is what the choice of the loss takes, in fits.
const raceFits = 4

// hideGross sets known: entries that a robust fit of few parts finds far off would hide all differences
// of the ranks.
func (r *run) hideGross() error {
	x := r.asked.X
	r.known = r.asked.Mask()
	if r.Analysis.Kind == Counts {
		return nil
	}
	m, n := x.Dims()
	model := rnmf.HuberNMF(min(5, (min(m, n)+2)/3))
	model.Seed, model.Mask, model.Signed = r.Study.Seed, r.known, r.model(1).Signed
	fit, err := model.Fit(r.ctx, x)
	if err != nil {
		return err
	}
	sizes, far := usual(x, fit, r.grades())
	wh, known := fit.WH(), datasets.Known(x)
	hidden := 0
	for i := range m {
		for j, v := range x.RawRowView(i) {
			if sizes[i] > 0 && math.Abs(v-wh.At(i, j)) > far*sizes[i] {
				known.Set(i, j, 0)
				hidden++
			}
		}
	}
	if hidden > 0 && hidden <= m*n/20 {
		r.known = known
	}
	return nil
}

func (r *run) rank() error {
	if err := r.hideGross(); err != nil {
		return err
	}
	m, n := r.asked.X.Dims()
	if r.Study.Rank > 0 {
		r.Analysis.Rank = r.Study.Rank
		r.decided("parts", fmt.Sprint(r.Study.Rank), "as Study.Rank says")
		r.done += 8 * 2 * r.folds
	} else {
		before := r.done
		c, err := choose.RankSearch{X: r.asked.X, Mask: r.known, Model: r.model(1), Folds: r.folds, Starts: r.folds, Seed: r.Study.Seed,
			Most: max(2, min(24, min(m, n)/2)),
			Progress: func(p choose.Progress) {
				r.done = before + p.Done*2*r.folds
				r.total = max(r.total, r.done+cmp.Or(r.Starts, 10)+4)
				r.tell(fmt.Sprintf("parts: %d of %d ranks", p.Done, p.Total), false)
			}}.Run(r.ctx)
		if r.fewValues(err) {
			return fmt.Errorf("so few values are not 0 that they do not tell the number of parts: say it by Study.Rank: %w", err)
		} else if err != nil {
			return err
		}
		r.RankChoice = c
		r.done = before + len(c.Table.Rows)*2*r.folds
		rank, reason := c.Rank, c.Reason
		if best, ok := c.Table.Best(choose.Criterion{Score: choose.ScoreHeldOut, Smaller: true}); ok && best.Scores[choose.ScoreHeldOut] >= 1 && c.Lasts > rank {
			than := "zeros do"
			if r.Family != rnmf.Gaussian {
				than = "the means of the features do"
			}
			rank, reason = c.Lasts, fmt.Sprintf("no number of parts predicts entries better than %s, so this is the largest for which the starts agree on the groups of samples; by prediction it would be %d", than, c.Rank)
		}
		r.Analysis.Rank = rank
		r.decided("parts", fmt.Sprint(rank), reason)
	}
	return r.compareWithMeans()
}

// fewValues tells whether an error comes of data that are mostly 0, so that nothing else may be held out.
func (r *run) fewValues(err error) bool {
	return errors.Is(err, choose.ErrParameter) && shareOfZeros(r.asked.X) > mostlyZeros
}

// compareWithMeans warns where a model predicts worse than something that has no parts.
func (r *run) compareWithMeans() error {
	held := choose.HeldOut{Folds: r.folds, Seed: r.Study.Seed, Mask: r.known}
	of, err := held.Of(r.ctx, choose.NewFitFunc(r.model(min(r.Analysis.Rank, min(r.asked.X.Dims())))), r.asked.X)
	if r.fewValues(err) {
		r.warn("so few values are not 0 that nothing tells how well the parts predict: read them as a description of what stands out")
		return nil
	} else if err != nil {
		return err
	}
	if of.OfMeans != nil {
		r.HeldOut, _ = choose.MeanError(of.OfMeans)
		r.HeldOutMeans = 1
		if r.HeldOut >= 1 {
			what := "it as a description of what stands out"
			if r.Analysis.Rank > 1 {
				what = "them as a description of what stands out, or take fewer (Study.Rank)"
			}
			r.warn("%s counts that are held out no better than the mean of each feature does (%.2f times its deviances): read %s", many(r.Analysis.Rank, "part", "predicts", "predict"), r.HeldOut, what)
		}
		return nil
	}
	means, err := held.Of(r.ctx, meansOf, r.asked.X)
	if err != nil {
		return err
	}
	mean, _ := choose.MeanError(means.Absolute)
	model, _ := choose.MeanError(of.Absolute)
	r.HeldOut, r.HeldOutMeans = model, mean
	switch {
	case model >= 1 && mean >= 1:
		r.warn("neither the model nor the means of the features predict entries that are held out better than zeros do (errors %.2f and %.2f, zeros 1): read the parts as a description of what stands out, not as a model that predicts", model, mean)
	case model >= 1:
		what := "take another loss"
		if r.Analysis.Rank > 1 {
			what = "take fewer parts, or another loss"
		}
		r.warn("the model predicts entries that are held out worse than zeros do (error %.2f, zeros 1): %s", model, what)
	case model > mean:
		_, n := r.asked.X.Dims()
		gaps := ""
		if r.asked.Mask() != nil {
			gaps = ", where so much is missing"
		}
		fewer := ""
		if r.Analysis.Rank > 1 {
			fewer = "fewer parts (Study.Rank), "
		}
		r.warn("%s entries that are held out worse than the mean of each feature does (errors %.3f and %.3f)%s: do not fill gaps with this model; %smore samples than these %d, or rnmf.Ridge on both factors make it better", many(r.Analysis.Rank, "part", "predicts", "predict"), model, mean, gaps, fewer, n)
	}
	return nil
}

// meansOf is a FitFunc of one part, the means of the features.
func meansOf(_ context.Context, x, mask mat.Matrix, _ uint64) (*rnmf.Result, error) {
	m, n := x.Dims()
	w, h := mat.NewDense(m, 1, nil), mat.NewDense(1, n, nil)
	for i := range m {
		var sum, known float64
		for j := range n {
			if mask == nil || mask.At(i, j) > 0 {
				sum += x.At(i, j)
				known++
			}
		}
		w.Set(i, 0, sum/max(1, known))
	}
	for j := range n {
		h.Set(0, j, 1)
	}
	return &rnmf.Result{W: w, H: h, Loss: rnmf.Frobenius{}}, nil
}

// parts fits from many starts.
func (r *run) parts() error {
	u := r.Prepared
	before, starts := r.done, cmp.Or(r.Starts, 10)
	model := r.model(r.Analysis.Rank)
	search := choose.ConsensusParts{Fit: choose.NewFitFunc(model), Starts: starts, Seed: r.Study.Seed,
		Progress: func(done, total int) {
			r.done = before + done
			r.tell(fmt.Sprintf("fit: %d of %d starts", done, total), false)
		}}
	if u.Sparse != nil {
		search.X = u.Sparse
		search.Fit = func(ctx context.Context, x, _ mat.Matrix, seed uint64) (*rnmf.Result, error) {
			model := model
			model.Seed = seed
			fit, err := panel.Batch{Model: model}.Fit(ctx, panel.FromSparse(x.(*sparse.Matrix), 0))
			if err != nil {
				return nil, err
			}
			return fit.Result, nil
		}
		search.Transform = func(ctx context.Context, res *rnmf.Result, x, _ mat.Matrix) (*mat.Dense, error) {
			return panel.Transform(ctx, res.W, res.Family, res.Loss, panel.Panel{Sparse: x.(*sparse.Matrix)}, false)
		}
	} else {
		search.X, search.Mask = u.X, u.Mask()
	}
	p, err := search.Run(r.ctx)
	reason := "the medians of the parts of many starts, which no single start decides"
	if errors.Is(err, choose.ErrParameter) { // the starts agree on too little
		search.Apart = -1
		p, err = search.Run(r.ctx)
		reason = "no single part lies near those of other starts, so none is left out"
		fewer := ""
		if r.Analysis.Rank > 1 {
			fewer = ": fewer parts (Study.Rank) may be more stable"
		}
		r.warn("the starts agree on hardly any part%s", fewer)
	}
	if err != nil {
		return err
	}
	r.Consensus, r.Result = p, p.Result
	r.done = before + starts
	r.decided("fit", p.String(), reason)
	if low := p.Stability[len(p.Stability)-1]; low < 0.5 {
		which := "not all parts are stable: the last"
		if len(p.Stability) == 1 {
			which = "the part is not stable: it"
		}
		r.warn("%s has a stability of %.2f, where 1 says that each start finds it", which, low)
	}
	return nil
}

// suspects asks which samples and which entries do not fit.
func (r *run) suspects() error {
	u := r.Prepared
	if u.Sparse != nil {
		r.decided("suspects", "none are looked for", "the data stay sparse, and a list of suspects needs every residual")
		return nil
	}
	r.tell("suspects: two losses, two starts", false)
	rank, signed := r.Analysis.Rank, r.model(1).Signed
	models := []rnmf.Model{rnmf.L21NMF(rank), rnmf.HuberNMF(rank)}
	if r.Family != rnmf.Gaussian {
		models[1] = rnmf.RobustPoissonNMF(rank)
	}
	for k := range models {
		models[k].Signed, models[k].Family = signed, r.Family
	}
	found, err := choose.OutlierSearch{X: u.X, Mask: u.Mask(), Models: models, Starts: 2, Seed: r.Study.Seed}.Run(r.ctx)
	if err != nil {
		return err
	}
	r.Suspects = found
	if err := r.weigh(); err != nil {
		return err
	}
	r.saturated()
	r.decided("suspects", fmt.Sprintf("%s, %s; %s", many(len(r.BadSamples()), "sample", "does not fit", "do not fit"), many(len(r.BadEntries()), "single value", "does not", "do not"), many(found.Rare, "more sample", "is rare", "are rare")), found.String())
	return nil
}

// saturated warns of images that do not fit as light was cut off in them: they have the largest value where
// the parts make far more.
func (r *run) saturated() {
	if r.Analysis.Kind != Images || r.Set.X == nil {
		return
	}
	top := math.Inf(-1)
	for _, v := range r.Set.X.RawMatrix().Data {
		if v > top { // not NaN
			top = v
		}
	}
	cut := map[int]bool{}
	for _, e := range r.BadEntries() {
		if e.Value == top && e.Expected > top {
			cut[e.Sample] = true
		}
	}
	bad := slices.DeleteFunc(r.BadSamples(), func(s Sample) bool { return !cut[s.Sample] })
	if len(bad) > 0 {
		r.warn("pixels of %s have the largest value, %g, where the parts make far more: what was brighter was cut off there, so these residuals are no errors of the pictures; OpenOptions{Missing: []string{%q}} takes such pixels for missing",
			many(len(bad), "sample", "that does not fit", "that do not fit"), top, fmt.Sprintf(">=%g", top))
	}
}

// weigh measures the usual size of the residuals of each feature: what the parts make of a sample is found
// by a loss to which single wrong entries count little.
func (r *run) weigh() error {
	u := r.Prepared
	robust := r.Result
	var err error
	if _, frobenius := r.Analysis.Loss.(rnmf.Frobenius); frobenius || isByColumn(r.Analysis.Loss) {
		var loss rnmf.Loss = rnmf.Huber{Cut: 1.345 * sigma(u.X, r.Result)}
		if r.Family != rnmf.Gaussian {
			loss = rnmf.CauchyTail{Cut: 2.5 * max(1, sigma(u.X, r.Result))} // as in rnmf.RobustPoissonNMF
		}
		robust = &rnmf.Result{W: r.Result.W, Loss: loss, Family: r.Family, Solver: r.Result.Solver, KKT: -1, Mask: r.Result.Mask}
		if robust.H, err = robust.Transform(r.ctx, u.X, u.Mask()); err != nil {
			return err
		}
	}
	r.Usual, r.Far = usual(u.X, robust, r.grades())
	if r.Robust, err = r.byOthers(robust); err != nil {
		return err
	}
	if r.Analysis.Kind == Counts && r.Family == rnmf.Gaussian {
		r.Far = math.Inf(1) // most are 0, and one that is not is no error
	}
	return nil
}

// sigma estimates the deviation of the residuals of a fit, of the entries that are not 0, without gross ones.
func sigma(x *mat.Dense, r *rnmf.Result) float64 {
	m, _ := x.Dims()
	wh := r.WH()
	var squares []float64
	for i := range m {
		for j, v := range x.RawRowView(i) {
			if e := misfit(r.Family, v, wh.At(i, j)); v != 0 && !math.IsNaN(e) {
				squares = append(squares, e*e)
			}
		}
	}
	return rnmf.NewResiduals(squares...).Sigma()
}

// lone returns the parts that are the largest of one sample alone, or of which it has three quarters, and these
// samples. There are none where samples are few for the parts, as groups of one sample are usual there.
func lone(fit *rnmf.Result) (parts, samples []int) {
	groups := fit.Clusters()
	_, k := fit.W.Dims()
	if len(groups) < 10*k {
		return nil, nil
	}
	of := make([][]int, k)
	for j, c := range groups {
		if fit.H.At(c, j) > 0 { // an empty sample has no part
			of[c] = append(of[c], j)
		}
	}
	for c, members := range of {
		if j := mostOf(members, fit.H.RawRowView(c)); len(members) == 1 || j >= 0 && fit.H.At(c, j) > 0.75*floats.Sum(fit.H.RawRowView(c)) {
			parts, samples = append(parts, c), append(samples, j)
		}
	}
	return parts, samples
}

// byOthers returns the fit in which samples that have a part to themselves are made of the other parts: a
// gross value that has a part leaves no residual to be seen by. A sample of which more than half of the
// entries do not fit then keeps its part, as it is the whole sample that differs.
func (r *run) byOthers(fit *rnmf.Result) (*rnmf.Result, error) {
	parts, samples := lone(fit)
	m, k := fit.W.Dims()
	if len(parts) == 0 || len(parts) == k {
		return fit, nil
	}
	x := r.Prepared.X
	others := *fit
	others.W, others.H = mat.NewDense(m, k-len(parts), nil), mat.DenseCopyOf(fit.H)
	var left []int // the other parts
	for c := range k {
		if !slices.Contains(parts, c) {
			others.W.SetCol(len(left), mat.Col(nil, c, fit.W))
			left = append(left, c)
		}
	}
	result := *fit
	result.H = others.H
	for _, j := range samples {
		column := x.Slice(0, m, j, j+1)
		var mask mat.Matrix
		if known := r.Prepared.Mask(); known != nil {
			mask = mat.DenseCopyOf(known).Slice(0, m, j, j+1)
		}
		h, err := others.Transform(r.ctx, column, mask)
		if err != nil {
			return nil, err
		}
		var wh mat.Dense
		wh.Mul(others.W, h)
		far, known := 0, 0
		for i := range m {
			if v := x.At(i, j); !math.IsNaN(v) && r.Usual[i] > 0 {
				known++
				if math.Abs(misfit(r.Family, v, wh.At(i, 0))) > r.Far*r.Usual[i] {
					far++
				}
			}
		}
		if far == 0 || 2*far > known {
			continue
		}
		for c := range k {
			result.H.Set(c, j, 0)
		}
		for q, c := range left {
			result.H.Set(c, j, h.At(q, 0))
		}
	}
	return &result, nil
}

// mostOf returns the member with the largest coefficient, -1 if there are none.
func mostOf(members []int, coefficients []float64) int {
	most := -1
	for _, j := range members {
		if most < 0 || coefficients[j] > coefficients[most] {
			most = j
		}
	}
	return most
}

func isByColumn(l rnmf.Loss) bool {
	switch l.(type) {
	case rnmf.ByColumn, *rnmf.ByColumn:
		return true
	}
	return false
}

// usual returns the usual size of a residual of each feature, 1.4826 times the median of |e|, and how
// many times that size an entry must be off to be called wrong. Where there are grades, a usual size is no
// less than half of the smallest step between two values of a feature that has ten or fewer: next to many
// flags that are 0 one that is 1 is no error. Of whole numbers a usual size is no less than that of the
// errors of rounding. How many times is the fence of Tukey (1977) for the
// logarithms of |e|, Q₃ + 1.5 (Q₃ − Q₁), which adapts to heavy tails: 7.9 for normal residuals, 14 for
// those of Laplace. Of counts only those count whose mean is 1 or more, as these vary alike, and a usual
// size is no less than 1, that of Poisson counts.
func usual(x *mat.Dense, r *rnmf.Result, grades bool) (sizes []float64, far float64) {
	m, n := x.Dims()
	wh := r.WH()
	counts := r.Family != rnmf.Gaussian
	sizes = make([]float64, m)
	var all []float64
	row := make([]float64, 0, n)
	for i := range m {
		row = row[:0]
		for j, v := range x.RawRowView(i) {
			if !math.IsNaN(v) && (!counts || wh.At(i, j) >= 1) {
				row = append(row, math.Abs(misfit(r.Family, v, wh.At(i, j))))
			}
		}
		slices.Sort(row)
		if len(row) > 0 {
			sizes[i] = 1.4826 * row[len(row)/2]
		}
		if grades {
			sizes[i] = max(sizes[i], smallestStep(x.RawRowView(i))/2)
		}
		all = append(all, sizes[i])
	}
	slices.Sort(all)
	floor := 0.1 * all[len(all)/2] // a feature that is fitted nearly exactly
	if counts {
		floor = 1
	} else if !slices.ContainsFunc(x.RawMatrix().Data, func(v float64) bool { return v != math.Trunc(v) && !math.IsNaN(v) }) {
		floor = max(floor, 1.4826/4) // the errors of rounding are between -1/2 and 1/2
	}
	logs := make([]float64, 0, m*n)
	for i := range m {
		if sizes[i] = max(sizes[i], floor); sizes[i] == 0 {
			continue
		}
		for j, v := range x.RawRowView(i) {
			if e := math.Abs(misfit(r.Family, v, wh.At(i, j))); e > 0 && !math.IsNaN(e) && (!counts || wh.At(i, j) >= 1) {
				logs = append(logs, math.Log(e/sizes[i]))
			}
		}
	}
	const least = 6
	switch {
	case len(logs) < 20 && counts:
		return sizes, least
	case len(logs) < 20:
		return sizes, math.Inf(1)
	}
	slices.Sort(logs)
	q1, q3 := logs[len(logs)/4], logs[3*len(logs)/4]
	return sizes, max(least, math.Exp(q3+1.5*(q3-q1)))
}

// grades tells whether features may be grades or flags.
func (r *run) grades() bool { return r.Analysis.Kind == Measurements }

// smallestStep is that between two values of a feature that has ten or fewer, 0 of others.
func smallestStep(values []float64) float64 {
	var seen []float64
	for _, v := range values {
		if !math.IsNaN(v) && !slices.Contains(seen, v) {
			if seen = append(seen, v); len(seen) > 10 {
				return 0
			}
		}
	}
	slices.Sort(seen)
	step := math.Inf(1)
	for k := 1; k < len(seen); k++ {
		step = min(step, seen[k]-seen[k-1])
	}
	if math.IsInf(step, 1) {
		return 0
	}
	return step
}

// misfit is the residual of an entry x where the parts make y, or for counts the signed root of the
// deviance by which a loss judges it; NaN where it is missing.
func misfit(f rnmf.Family, x, y float64) float64 {
	if f == rnmf.Gaussian || math.IsNaN(x) {
		return x - y
	}
	return math.Copysign(math.Sqrt(f.Judged(x, f.Deviance(x, y))), x-y)
}
