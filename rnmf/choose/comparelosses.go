package choose

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/internal/isnil"
	"github.com/robustnmf/robustnmf/rnmf"
)

// A LossComparison says how well losses of four kinds predict entries that they have not
// seen, what the errors look like, and which kind to take.
type LossComparison struct {
	// Σ|e| / Σ|x| over entries held out, of NMF, of HuberNMF (single entries may be wrong), of
	// L21NMF (whole samples may be) and of RobustNMF (much may be), the mean over folds and ranks. A
	// model that predicts zeros reaches 1.
	Squared, Entries, Samples, Omission float64
	// EntryGain and SampleGain say by what share the root mean square error of HuberNMF and of
	// L21NMF is below that of NMF, over the entries that can be predicted (see CompareLosses): 0.3 is 30
	// %, and a negative gain means that they are worse. Both are means over the ranks.
	EntryGain, SampleGain float64
	// OmissionGain says the same of RobustNMF, compared with the model that would be suggested
	// without it, each over the six tenths of the entries that it predicts best itself. It is 0
	// where more than six tenths of the entries are 0.
	OmissionGain float64
	// Kurtosis of the held-out errors of HuberNMF at the lowest rank: 3 for a normal
	// distribution, more for one with heavy tails. Images have 10 and more without any
	// error in them.
	Kurtosis float64
	// Tail is the share of these errors beyond five standard deviations, with the
	// deviation taken from their median size.
	Tail float64
	// FarSamples is the share of the samples whose relative error is more than twice
	// the median one.
	FarSamples float64
	// Dispersion says how much whole numbers vary around the means that RobustPoissonNMF predicts, by
	// their deviances: 1 is as Poisson counts do. It is that of the best rank, and 0 if X is not whole numbers
	// (0, 1, 2 …, some above 1). Counts says that it is at most 1.5: then a loss of deviances suits X. Images with grey values up to
	// 255 can come near that by chance.
	Dispersion float64
	Counts     bool

	Ranks      []int      // that were tried
	Votes      []LossKind // what each of the ranks alone would suggest
	Suggestion LossKind
	// NoDifference says that the first three predict alike, within 5 %: then the choice hardly
	// matters, and least squares is suggested as the simplest.
	NoDifference bool
	// Undecided says that of several ranks no more than half vote for the suggestion.
	Undecided bool
	Reason    string
	Warnings  []string // what makes the answer doubtful; nil if nothing does
}

// String returns a line with the suggestion and its reason, and one with the errors of all four losses.
// What makes them doubtful follows, a line for each warning.
func (d *LossComparison) String() string {
	word := ""
	if d.Undecided {
		word = " (undecided)"
	}
	line := fmt.Sprintf("%v%s: %s\nΣ|x − wh|/Σ|x| over hidden entries: %v %.3f, %v %.3f, %v %.3f, %v %.3f", d.Suggestion, word, d.Reason,
		BySquares, d.Squared, ByEntry, d.Entries, BySample, d.Samples, ByOmission, d.Omission)
	line += d.aboutCounts()
	for _, w := range d.Warnings {
		line += "\nwarning: " + w
	}
	return line
}

// A LossKind is a kind of loss.
type LossKind int

// The kinds that a LossComparison or a Race can suggest.
const (
	BySquares  LossKind = iota // Frobenius{}
	ByEntry                    // a loss of entries: Huber{}
	BySample                   // a loss of samples: ByColumn{L1{}}
	ByOmission                 // a loss that leaves entries out, where much is wrong: RobustNMF
	// ByEntryAndSample is a loss of entries and samples, CellCaseNMF; only a Race suggests it.
	ByEntryAndSample
)

// kinds is how many a LossComparison judges, the first ones.
const kinds = ByOmission + 1

func (k LossKind) String() string {
	switch k {
	case BySquares:
		return "least squares"
	case ByEntry:
		return "a robust loss of entries"
	case BySample:
		return "a robust loss of samples"
	case ByOmission:
		return "a robust loss that leaves entries out"
	case ByEntryAndSample:
		return "a robust loss of entries and samples"
	}
	return fmt.Sprintf("LossKind(%d)", int(k))
}

// Model returns the model of the kind: NMF, HuberNMF, L21NMF, RobustNMF or CellCaseNMF of a rank.
func (k LossKind) Model(rank int) rnmf.Model {
	switch k {
	case ByEntry:
		return rnmf.HuberNMF(rank)
	case BySample:
		return rnmf.L21NMF(rank)
	case ByOmission:
		return rnmf.RobustNMF(rank)
	case ByEntryAndSample:
		return rnmf.CellCaseNMF(rank)
	}
	return rnmf.NMF(rank)
}

// probe returns the model that CompareLosses fits for a kind.
func (k LossKind) probe(rank int) rnmf.Model {
	m := k.Model(rank)
	m.MaxIter, m.Signed = 60, true // what is fitted late is noise
	switch k {
	case ByEntry:
		m.Loss = rnmf.Huber{Printed: true} // its cut-off is smaller, and tells gross errors more sharply
	case ByOmission:
		m.MaxIter = 150 // it has two stages
	}
	return m
}

// The limits of the suggestion, in logarithms of errors compared with least squares, the third
// compared with what the others suggest. The first two were set by the first two seeds of
// notebooks/lab/choosing, the third by the sets of notebooks/lab/arena that losses were tuned on.
const (
	entryLimit    = -0.21 // 19 % below
	sampleLimit   = -0.06 // 6 % below
	omissionLimit = -0.1  // 10 % below
	alike         = 0.05
)

// predictable is the share of the entries by which losses are compared, and mostZeros
// that of zeros above which they would all be zeros.
const (
	predictable = 0.6
	mostZeros   = 0.6
)

// CompareLosses shows the evidence for a kind of loss for x; a fit that needs none is Auto. It fits four models,
// NMF, HuberNMF, L21NMF and RobustNMF, to each of s.Folds, with each of the ranks; without any given, which
// is better than the rank of the fit alone, it tries about 5, 10 and 20, or fewer components for small data.
// HuberNMF has the cut-off of its paper here, which is smaller: with that of the suggested model gross
// errors show less, and the suggestions were worse (in 57 cases of three sets the mean factor to the best loss
// was 1.024 in place of 1.016, and the worst 1.56 in place of 1.19).
//
// It looks at entries that are held out, and not at the residuals of a fit: least squares fits some
// of the errors, whose residuals are then small, and residuals of a robust loss have heavy tails
// for clean images too, as no image is exactly of low rank. An entry that is wrong cannot be
// predicted by any model, but a model that it has led astray is worse for all others. At ranks far
// above that of the data all models fit noise, and the answer is worth little. Wrong entries that
// are held out would dilute this difference, so three models are compared by the six tenths of the
// entries that the best of them predicts best (by all entries where more than six tenths are 0).
// ByEntry is suggested if the root mean square error of HuberNMF over these entries is at least 19
// % below that of NMF, BySample if that of L21NMF is at least 6 % below it, and otherwise
// BySquares. If both are, the loss that exceeds its limit by more is suggested.
//
// RobustNMF leaves entries out, and does not predict those. So it is judged by least trimmed
// squares (Rousseeuw 1984): each model by the six tenths of the entries that it predicts best
// itself. ByOmission is suggested if the root mean square error of RobustNMF is at least 10 % below
// that of the model that would be suggested otherwise, unless that is BySample, or more than three
// fifths of the entries are 0.
//
// If x is whole numbers, it is compared with Poisson counts, too: see LossComparison.Counts.
//
// It is a hint: notebooks/lab/choosing counts how often the suggested loss came within 5 % of the
// best recovery of clean data, and how often one loss does that is always taken. CHOOSING.md has
// the numbers.
func (s HeldOut) CompareLosses(ctx context.Context, x mat.Matrix, ranks ...int) (*LossComparison, error) {
	if isnil.Matrix(x) {
		return nil, errNoX("X")
	}
	if err := wantKnown(x, s.Mask, "HeldOut.Mask"); err != nil {
		return nil, err
	}
	if len(ranks) == 0 {
		ranks = comparedRanks(x.Dims())
	}
	d := &LossComparison{Ranks: slices.Clone(ranks)}
	if err := s.counts(ctx, d, x); err != nil {
		return nil, err
	}
	zeros := s.zeros(x)
	best := predictable
	if zeros > mostZeros {
		best = 1
	}
	var logs ratios
	var squares [kinds]float64
	lowest, count := slices.Min(ranks), float64(len(ranks))
	for _, rank := range ranks {
		var e [kinds]*mat.Dense
		for k, mean := range []*float64{&d.Squared, &d.Entries, &d.Samples, &d.Omission} {
			of, err := s.Of(ctx, NewFitFunc(LossKind(k).probe(rank)), x)
			if err != nil {
				return nil, err
			}
			absolute, _ := MeanError(of.Absolute)
			*mean += absolute / count
			square, _ := MeanError(of.Squared)
			squares[k] += square / count
			e[k] = of.residual
		}
		if rank == lowest && d.Kurtosis == 0 {
			d.describe(x, e[ByEntry])
		}
		log := compare(e, best)
		d.Votes = append(d.Votes, log.vote())
		logs.entry, logs.sample = logs.entry+log.entry/count, logs.sample+log.sample/count
		for k, v := range log.own {
			logs.own[k] += v / count
		}
	}
	d.decide(logs)
	if of := []float64{d.Squared, d.Entries, d.Samples, d.Omission}[d.Suggestion]; of >= 1 {
		doubt := fmt.Sprintf("the suggested loss predicts held-out entries worse than zeros would: Σ|x − wh|/Σ|x| is %.2f, and 1 for zeros", of)
		if min(d.Squared, d.Entries, d.Samples, d.Omission) >= 1 {
			doubt += "; no other loss does better"
		}
		if square := squares[d.Suggestion]; square < 1 {
			doubt += fmt.Sprintf("; by squares it predicts something, √(Σ(x − wh)²/Σx²) being %.2f", square)
		}
		d.Warnings = append(d.Warnings, doubt)
	}
	if zeros > mostZeros {
		d.Warnings = append(d.Warnings, fmt.Sprintf("%.0f %% of the entries are 0: a robust loss of entries tends to predict 0 everywhere and takes what is not 0 for errors", 100*zeros))
	}
	return d, nil
}

// comparedRanks are those that CompareLosses tries of itself.
func comparedRanks(m, n int) []int {
	top := max(1, min(20, min(m, n)/2))
	return slices.Compact([]int{(top + 3) / 4, (top + 1) / 2, top})
}

// zeros returns the share of known entries that are 0.
func (s HeldOut) zeros(x mat.Matrix) float64 {
	m, n := x.Dims()
	var zeros, known float64
	for i := range m {
		for j := range n {
			if s.Mask != nil && s.Mask.At(i, j) == 0 {
				continue
			}
			known++
			if x.At(i, j) == 0 {
				zeros++
			}
		}
	}
	return zeros / max(known, 1)
}

// ratios are logarithms of root mean square errors over that of least squares, in −3 to 3, so that
// no rank outweighs the others.
type ratios struct {
	// Of the losses of entries and of samples, over the same entries: those with the smallest errors
	// of the best of the first three losses.
	entry, sample float64
	own           [kinds]float64 // of each, over its own smallest errors; 0 where all entries count
}

// compare compares residuals by a share of the entries.
func compare(e [kinds]*mat.Dense, share float64) (log ratios) {
	var raw [kinds][]float64
	var kept [ByOmission][]float64
	for k := range e {
		raw[k] = e[k].RawMatrix().Data
	}
	least := func(i int) float64 {
		return min(math.Abs(raw[BySquares][i]), math.Abs(raw[ByEntry][i]), math.Abs(raw[BySample][i]))
	}
	var all []float64
	for i := range raw[0] {
		if v := least(i); !math.IsNaN(v) {
			all = append(all, v)
		}
	}
	slices.Sort(all)
	count := min(int(share*float64(len(all))), len(all)-1)
	for i := range raw[0] {
		if least(i) <= all[count] { // not NaN
			for k := range kept {
				kept[k] = append(kept[k], raw[k][i])
			}
		}
	}
	squares := rootMeanSquare(kept[BySquares])
	log.entry, log.sample = logRatio(rootMeanSquare(kept[ByEntry]), squares), logRatio(rootMeanSquare(kept[BySample]), squares)
	if share == 1 {
		return log
	}
	for k := range raw {
		own := all[:0]
		for _, v := range raw[k] {
			if !math.IsNaN(v) {
				own = append(own, math.Abs(v))
			}
		}
		slices.Sort(own)
		v := rootMeanSquare(own[:count+1])
		if k == 0 {
			squares = v
		}
		log.own[k] = logRatio(v, squares)
	}
	return log
}

// rootMeanSquare of v, which it divides by a unit, so that no square is 0 or infinite.
func rootMeanSquare(v []float64) float64 {
	unit := normalise(v)
	_, square := sums(v)
	return unit * math.Sqrt(square/float64(len(v)))
}

// logRatio returns log a/b in −3 to 3.
func logRatio(a, b float64) float64 {
	const most = 3
	switch {
	case a == b:
		return 0
	case b == 0:
		return most
	}
	return max(-most, min(most, math.Log(a/b)))
}

// three returns the kind that errors compared with least squares suggest, of the first three.
func (r ratios) three() LossKind {
	switch {
	case r.entry < entryLimit && r.entry-entryLimit < r.sample-sampleLimit:
		return ByEntry
	case r.sample < sampleLimit:
		return BySample
	}
	return BySquares
}

// vote returns the kind of all four. Where whole samples are wrong, a loss that leaves entries out
// may predict as well, but leaves out good ones, too.
func (r ratios) vote() LossKind {
	if k := r.three(); k == BySample || r.own[ByOmission]-r.own[k] >= omissionLimit {
		return k
	}
	return ByOmission
}

// decide fills in the suggestion and its reason.
func (d *LossComparison) decide(r ratios) {
	three := r.three()
	d.EntryGain, d.SampleGain, d.OmissionGain = -math.Expm1(r.entry), -math.Expm1(r.sample), -math.Expm1(r.own[ByOmission]-r.own[three])
	d.Suggestion = r.vote()
	agree := 0
	for _, v := range d.Votes {
		if v == d.Suggestion {
			agree++
		}
	}
	d.Undecided = len(d.Votes) > 1 && 2*agree <= len(d.Votes)
	d.NoDifference = d.Suggestion == BySquares && max(r.entry, r.sample, 0)-min(r.entry, r.sample, 0) < alike
	switch enough := func(limit float64) float64 { return -100 * math.Expm1(limit) }; {
	case d.NoDifference:
		d.Reason = fmt.Sprintf("no difference: a loss of entries predicts hidden entries %s than it, and a loss of samples %s; it is the simplest", gain(d.EntryGain), gain(d.SampleGain))
	case d.Suggestion == BySquares:
		d.Reason = fmt.Sprintf("a loss of entries predicts hidden entries %s than it, where %.0f %% would speak for wrong entries, and a loss of samples %s, where %.0f %% would speak for wrong samples",
			gain(d.EntryGain), enough(entryLimit), gain(d.SampleGain), enough(sampleLimit))
	case d.Suggestion == ByEntry:
		d.Reason = fmt.Sprintf("it predicts hidden entries %s than least squares, and %.0f %% speak for wrong entries", gain(d.EntryGain), enough(entryLimit))
	case d.Suggestion == BySample:
		d.Reason = fmt.Sprintf("it predicts hidden entries %s than least squares, and %.0f %% speak for wrong samples", gain(d.SampleGain), enough(sampleLimit))
	default:
		d.Reason = fmt.Sprintf("it predicts the best six tenths of the hidden entries %s than %v, and %.0f %% speak for much that is wrong", gain(d.OmissionGain), three, enough(omissionLimit))
	}
	if len(d.Ranks) > 1 {
		d.Reason += fmt.Sprintf(" (%d of the ranks %v agree)", agree, d.Ranks)
	}
}

// gain says in words how much nearer a prediction is.
func gain(v float64) string {
	if v < 0 {
		return fmt.Sprintf("%.1f %% worse", -100*v)
	}
	return fmt.Sprintf("%.1f %% better", 100*v)
}

// describe takes numbers from held-out errors, NaN where an entry is missing.
func (d *LossComparison) describe(x mat.Matrix, e *mat.Dense) {
	m, n := e.Dims()
	var all, far []float64
	for j := range n {
		var size, err float64
		for i := range m {
			v := e.At(i, j)
			if math.IsNaN(v) {
				continue
			}
			all = append(all, math.Abs(v))
			err += math.Abs(v)
			size += math.Abs(x.At(i, j))
		}
		if size > 0 {
			far = append(far, err/size)
		}
	}
	// From here on in a unit: the fourth powers of 1e-90 are 0, those of 1e80 infinite.
	normalise(all)
	var s2, s4 float64
	for _, v := range all {
		s2 += v * v
		s4 += v * v * v * v
	}
	if s2 > 0 {
		d.Kurtosis = s4 / s2 / s2 * float64(len(all))
	}
	slices.Sort(all)
	d.Tail = shareAbove(all, 5*1.4826*all[len(all)/2])
	slices.Sort(far)
	d.FarSamples = shareAbove(far, 2*far[len(far)/2])
}

// shareAbove returns the share of sorted values above a limit.
func shareAbove(v []float64, limit float64) float64 {
	above := 0
	for _, a := range v {
		if a > limit {
			above++
		}
	}
	return float64(above) / float64(len(v))
}
