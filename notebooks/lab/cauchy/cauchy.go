// Package cauchy computes one trial of the tables of the Truncated Cauchy NMF paper (Guan et al.
// 2019, section 5.2), and has the stored results of many, for notebook 02.
package cauchy

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/baseline"
	"github.com/robustnmf/robustnmf/rnmf/papers"
	"github.com/robustnmf/robustnmf/rnmf/score"
)

// Rank is the number of components, that of the persons in ORL.
const Rank = 40

// A Rival is a model under the name that the tables give it.
type Rival struct {
	Name  string
	Model rnmf.Model // Rank 0: k-means on the data
}

// Printed returns a model whose scale is estimated as the papers print it: by their rule, in every
// round.
func Printed(m rnmf.Model) rnmf.Model {
	printed := func(l rnmf.Loss) rnmf.Loss {
		switch l := l.(type) {
		case rnmf.Huber:
			l.Printed = true
			return l
		case rnmf.Correntropy:
			l.Printed = true
			return l
		case rnmf.Cauchy:
			l.Printed = true
			return l
		}
		return l
	}
	m.TuneFor, m.Loss = -1, printed(m.Loss)
	if l, ok := m.Loss.(rnmf.Truncated); ok {
		l.Loss = printed(l.Loss)
		m.Loss = l
	}
	return m
}

// Rivals returns those of the paper's tables, with scales as they print them, and ours, all with
// HALS (RNMF-L1 in the additive form), so that a table compares losses. L1 is smoothed as MahNMF does it. Pixels are in
// 0..1; λ of RNMF-L1, which the paper does not give, is 0.2: residuals of more than a tenth of the
// range go to S.
func Rivals() []Rival {
	truncated := Printed(rnmf.TruncatedCauchyNMF(Rank))
	normal := Printed(rnmf.Model{Rank: Rank, Loss: rnmf.Truncated{Loss: rnmf.Cauchy{}, Rule: rnmf.NormalThreeSigma}})
	smoothL1 := papers.MahNMF(Rank)
	smoothL1.Solver = nil
	return []Rival{
		{"k-means", rnmf.Model{}},
		{"L2", rnmf.NMF(Rank)},
		{"L2,1", rnmf.L21NMF(Rank)},
		{"capped L2,1", rnmf.CappedNMF(Rank, 0)},
		{"RNMF-L1", papers.RNMFL1(Rank, 0.2)},
		{"L1", smoothL1},
		{"Huber", Printed(rnmf.HuberNMF(Rank))},
		{"CIM", Printed(rnmf.CIMNMF(Rank))},
		{"Cauchy", Printed(rnmf.CauchyNMF(Rank))},
		{"truncated, printed rule", truncated},
		{"truncated, normal rule", normal},
		{"two stages", rnmf.RobustNMF(Rank)},
		{"two stages, printed first", rnmf.Model{Rank: Rank, Loss: rnmf.MMEstimator{First: truncated.Loss}}},
	}
}

// A Level is a corruption at one of the paper's strengths.
type Level struct {
	Kind       string // as in the results
	Level      float64
	Corruption datasets.Corruption
}

// Kinds names the corruptions in the order of the results.
var Kinds = []string{"blocks", "salt & pepper", "laplace"}

// Levels returns those of a kind: "laplace" (Table 2), "salt & pepper" (Table 3) or
// "blocks" (Table 4), for images of height × width with values in 0..1.
//
// The δ of the Laplace noise is taken for its standard deviation, and nothing is
// clipped: with that the errors of L2 agree with those printed at 40 and 80, and come
// nearest to them up to 160.
func Levels(kind string, height, width int) (all []Level) {
	add := func(level float64, c datasets.Corruption) { all = append(all, Level{kind, level, c}) }
	switch kind {
	case "laplace":
		for d := 40.0; d <= 280; d += 40 {
			add(d, datasets.Laplace{Scale: d / 255 / math.Sqrt2, Min: math.Inf(-1)})
		}
	case "salt & pepper":
		for _, p := range []float64{5, 10, 20, 30, 40, 50, 60} {
			add(p, datasets.SaltPepper{Share: p / 100, High: 1})
		}
	case "blocks":
		for b := 10; b <= 22; b += 2 {
			add(float64(b), datasets.Block{Size: b, Value: 550.0 / 255, Height: height, Width: width})
		}
	}
	return all
}

// A Row is the outcome of one trial.
type Row struct {
	// Of k-means on H, the columns of W having length 1 as in the paper's Lemma 1.
	Accuracy, NMI float64
	Raw           float64 // accuracy of k-means on H as the fit left it
	Error         float64 // against the clean data; NaN for k-means
	// Of the entries whose weight is below a tenth of the median weight, and the
	// average precision of the weights; NaN where there is nothing to find.
	Precision, Recall, AP float64
	Seconds               float64 // of the algorithm
	Rounds                int     // of the fit; 0 for k-means
}

// Run fits a rival to corrupted data. The seed is that of the corruption, of the
// start and of k-means. 0 rounds are 60.
func Run(ctx context.Context, s *datasets.Set, level Level, rival Rival, seed uint64, rounds int) (Row, error) {
	nan := math.NaN()
	row := Row{Raw: nan, Error: nan, Precision: nan, Recall: nan, AP: nan, Seconds: nan}
	x, mask, err := level.Corruption.Apply(s.X, seed)
	if err != nil {
		return row, err
	}
	return row, row.run(ctx, s, x, mask, rival, seed, rounds)
}

func (row *Row) run(ctx context.Context, s *datasets.Set, x, mask *mat.Dense, rival Rival, seed uint64, rounds int) error {
	m, points := rival.Model, x
	if m.Rank > 0 {
		m.Seed, m.Signed, m.MaxIter, m.Tol = seed, true, rounds, -1
		if rounds == 0 {
			m.MaxIter = 60
		}
		r, err := m.Fit(ctx, x)
		if err != nil {
			return fmt.Errorf("%s: %w", rival.Name, err)
		}
		last := r.Trace[len(r.Trace)-1]
		row.Seconds, row.Rounds = last.Seconds, last.Round
		if row.Error, err = r.RelativeError(s.X); err != nil {
			return err
		}
		if mat.Min(mask) == 0 { // not every entry is struck
			out, err := r.Outliers(x, nil)
			if err != nil {
				return err
			}
			d, err := score.Detect(out.Flags(0.1), mask)
			if err != nil {
				return err
			}
			row.Precision, row.Recall = d.Precision, d.Recall
			if d.Flagged == 0 {
				row.Precision = math.NaN()
			}
			if row.AP, err = score.AveragePrecision(out.Weights, mask); err != nil {
				return err
			}
		}
		raw, err := clusters(ctx, s, r.H, seed)
		if err != nil {
			return err
		}
		row.Raw = raw.Accuracy
		_, points = r.Normalized(2)
	}
	found, err := clusters(ctx, s, points, seed)
	row.Accuracy, row.NMI = found.Accuracy, found.NMI[score.NMIArithmetic]
	return err
}

// clusters scores k-means on the columns of points.
func clusters(ctx context.Context, s *datasets.Set, points *mat.Dense, seed uint64) (score.Agreement, error) {
	found, err := baseline.KMeans{K: len(s.Classes), Seed: seed}.Fit(ctx, points)
	if err != nil {
		return score.Agreement{}, err
	}
	return score.NewAgreement(s.Labels, found.Labels)
}
