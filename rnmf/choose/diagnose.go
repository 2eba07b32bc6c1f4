package choose

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/internal/dense"
)

// A Diagnosis says how well losses of three kinds predict entries that they have not
// seen, what the errors look like, and which kind to take.
type Diagnosis struct {
	// Σ|e| / Σ|x| over entries held out, of NMF, of HuberNMF (single entries may be wrong) and of
	// L21NMF (whole samples may be), the mean over folds and ranks. A model that predicts zeros
	// reaches 1.
	Squared, Entries, Samples float64
	// EntryGain and SampleGain say by what share the root mean square error of HuberNMF and of
	// L21NMF is below that of NMF, over the entries that can be predicted (see Diagnose): 0.3 is 30
	// %, and a negative gain means that they are worse. Both are means over the ranks.
	EntryGain, SampleGain float64
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

	Ranks      []int  // that were tried
	Votes      []Kind // what each of the ranks alone would suggest
	Suggestion Kind
	// NoDifference says that the three predict alike, within 5 %: then the choice hardly
	// matters, and least squares is suggested as the simplest.
	NoDifference bool
	// Undecided says that of several ranks no more than half vote for the suggestion.
	Undecided bool
	Reason    string
	Warnings  []string // what makes the answer doubtful; nil if nothing does
}

// String returns the suggestion, its reason, and the warnings, a line for each.
func (d *Diagnosis) String() string {
	word := ""
	switch {
	case d.NoDifference:
		word = " (no difference)"
	case d.Undecided:
		word = " (undecided)"
	}
	line := fmt.Sprintf("%v%s: %s", d.Suggestion, word, d.Reason)
	for _, w := range d.Warnings {
		line += "\nwarning: " + w
	}
	return line
}

// A Kind of loss.
type Kind int

// The kinds that a Diagnosis can suggest.
const (
	BySquares Kind = iota // Frobenius{}
	ByEntry               // a loss of entries: Huber{}, or RobustNMF where much is wrong
	BySample              // a loss of samples: ByColumn{L1{}}
)

func (k Kind) String() string {
	switch k {
	case BySquares:
		return "least squares"
	case ByEntry:
		return "a robust loss of entries"
	case BySample:
		return "a robust loss of samples"
	}
	return fmt.Sprintf("Kind(%d)", int(k))
}

// Model returns the model of the kind: NMF, HuberNMF or L21NMF of a rank. Huber has the cut-off of
// its paper, which finds more gross errors than the wider default does.
func (k Kind) Model(rank int) rnmf.Model {
	switch k {
	case ByEntry:
		return rnmf.Model{Rank: rank, Loss: rnmf.Huber{Printed: true}}
	case BySample:
		return rnmf.L21NMF(rank)
	}
	return rnmf.NMF(rank)
}

// The limits of the suggestion, in logarithms of errors compared with least squares. They
// were set by the first two seeds of notebooks/lab/choosing.
const (
	entryLimit  = -0.21 // 19 % below
	sampleLimit = -0.06 // 6 % below
	alike       = 0.05
)

// predictable is the share of the entries by which losses are compared, and mostZeros
// that of zeros above which they would all be zeros.
const (
	predictable = 0.6
	mostZeros   = 0.6
)

// Diagnose helps to choose the kind of loss for x. It fits three models, NMF, HuberNMF
// and L21NMF, to each of s.Folds, with each of the ranks; without any given it tries about
// 5, 10 and 20, or fewer components for small data.
//
// It looks at entries that are held out, and not at the residuals of a fit: least squares fits some
// of the errors, whose residuals are then small, and residuals of a robust loss have heavy tails
// for clean images too, as no image is exactly of low rank. An entry that is wrong cannot be
// predicted by any model, but a model that it has led astray is worse for all others. At ranks far
// above that of the data all models fit noise, and the answer is worth little. Wrong entries that
// are held out would dilute this difference, so the models are compared by the three fifths of the
// entries that the best of them predicts best (by all entries where more than three fifths are 0).
// ByEntry is suggested if the root mean square error of HuberNMF over these entries is at least 19
// % below that of NMF, BySample if that of L21NMF is at least 6 % below it, and otherwise
// BySquares. If both are, the loss that exceeds its limit by more is suggested.
//
// It is a hint: notebooks/lab/choosing counts how often the suggested loss came within 5 % of the
// best recovery of clean data, and how often one loss does that is always taken. CHOOSING.md has
// the numbers.
func (s HeldOut) Diagnose(ctx context.Context, x mat.Matrix, ranks ...int) (*Diagnosis, error) {
	if dense.IsNil(x) {
		return nil, fmt.Errorf("%w: X is nil", ErrParameter)
	}
	if len(ranks) == 0 {
		ranks = diagnosisRanks(x.Dims())
	}
	d := &Diagnosis{Ranks: slices.Clone(ranks)}
	zeros := s.zeros(x)
	best := predictable
	if zeros > mostZeros {
		best = 1
	}
	var entry, sample float64
	var squares [3]float64
	lowest, count := slices.Min(ranks), float64(len(ranks))
	for _, rank := range ranks {
		var e [3]*mat.Dense
		for k, mean := range []*float64{&d.Squared, &d.Entries, &d.Samples} {
			model := Kind(k).Model(rank)
			model.MaxIter = 60 // what is fitted late is noise
			model.Signed = true
			of, err := s.Of(ctx, FitterOf(model), x)
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
		d.Votes = append(d.Votes, vote(log[ByEntry], log[BySample]))
		entry, sample = entry+log[ByEntry]/count, sample+log[BySample]/count
	}
	d.decide(entry, sample)
	if of := []float64{d.Squared, d.Entries, d.Samples}[d.Suggestion]; of >= 1 {
		doubt := fmt.Sprintf("the suggested loss predicts held-out entries worse than zeros would: Σ|x − wh|/Σ|x| is %.2f, and 1 for zeros", of)
		if min(d.Squared, d.Entries, d.Samples) >= 1 {
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

// diagnosisRanks are those that Diagnose tries of itself.
func diagnosisRanks(m, n int) []int {
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

// compare returns for each kind the logarithm of its root mean square error over that of
// least squares, of a share of the entries: those with the smallest errors of the best of
// the three. It lies in −3 to 3, so that no rank outweighs the others.
func compare(e [3]*mat.Dense, share float64) (log [3]float64) {
	const most = 3
	raw := [3][]float64{}
	for k := range e {
		raw[k] = e[k].RawMatrix().Data
	}
	least := func(i int) float64 {
		return min(math.Abs(raw[0][i]), math.Abs(raw[1][i]), math.Abs(raw[2][i]))
	}
	var all []float64
	for i := range raw[0] {
		if v := least(i); !math.IsNaN(v) {
			all = append(all, v)
		}
	}
	slices.Sort(all)
	limit := all[min(int(share*float64(len(all))), len(all)-1)]
	var kept [3][]float64
	for i := range raw[0] {
		if least(i) <= limit { // not NaN
			for k := range kept {
				kept[k] = append(kept[k], raw[k][i])
			}
		}
	}
	var size [3]float64
	for k, v := range kept {
		unit := normalise(v)
		_, square := sums(v)
		size[k] = unit * math.Sqrt(square)
	}
	for k := range size {
		switch {
		case size[k] == size[0]:
		case size[0] == 0:
			log[k] = most
		default:
			log[k] = max(-most, min(most, math.Log(size[k]/size[0])))
		}
	}
	return log
}

// vote returns the kind that errors compared with least squares suggest.
func vote(entry, sample float64) Kind {
	switch {
	case entry < entryLimit && entry-entryLimit < sample-sampleLimit:
		return ByEntry
	case sample < sampleLimit:
		return BySample
	}
	return BySquares
}

// decide fills in the suggestion and its reason.
func (d *Diagnosis) decide(entry, sample float64) {
	d.EntryGain, d.SampleGain = -math.Expm1(entry), -math.Expm1(sample)
	d.Suggestion = vote(entry, sample)
	agree := 0
	for _, v := range d.Votes {
		if v == d.Suggestion {
			agree++
		}
	}
	d.Undecided = len(d.Votes) > 1 && 2*agree <= len(d.Votes)
	compared := fmt.Sprintf("compared with least squares, a loss of entries predicts held-out entries %s and a loss of samples %s", gain(d.EntryGain), gain(d.SampleGain))
	d.NoDifference = d.Suggestion == BySquares && max(entry, sample, 0)-min(entry, sample, 0) < alike
	switch {
	case d.NoDifference:
		d.Reason = compared + ": that is no difference, so take the simplest"
	case d.Suggestion == BySquares:
		d.Reason = compared + fmt.Sprintf(", less than the %.0f %% and %.0f %% that speak for wrong entries or samples", -100*math.Expm1(entryLimit), -100*math.Expm1(sampleLimit))
	default:
		d.Reason = compared + fmt.Sprintf("; from %.0f %% and %.0f %% on they speak for wrong entries and for wrong samples", -100*math.Expm1(entryLimit), -100*math.Expm1(sampleLimit))
		if entry < entryLimit && sample < sampleLimit {
			d.Reason += fmt.Sprintf(", and the %s exceeds its limit by more", map[Kind]string{ByEntry: "first", BySample: "second"}[d.Suggestion])
		}
	}
	if len(d.Ranks) > 1 {
		d.Reason += fmt.Sprintf(" (votes for this: %d of the ranks %v)", agree, d.Ranks)
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
func (d *Diagnosis) describe(x mat.Matrix, e *mat.Dense) {
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
