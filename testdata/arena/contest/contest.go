// Package contest lets models compete on data that were spoiled in a known way, for
// the notebooks 00 and 06 and for the program that stores its long runs.
package contest

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
)

// A Rival is a model under a name, for any number of components.
type Rival struct {
	Name  string
	Model func(rank int) rnmf.Model
}

// Rivals returns the models of the papers with the default solver, so that losses
// are compared, and RobustNMF. Values of the data are in 0..1: λ of RNMF-L1 is 0.2,
// so that what is off by more than a tenth of the range goes to S.
func Rivals() []Rival {
	return []Rival{
		{"standard (L2)", rnmf.NMF},
		{"L2,1", rnmf.L21NMF},
		{"capped L2,1", func(r int) rnmf.Model { return rnmf.CappedNMF(r, 0) }},
		{"L1", rnmf.L1NMF},
		{"RNMF-L1", func(r int) rnmf.Model { return rnmf.RNMFL1(r, 0.2) }},
		{"Huber", rnmf.HuberNMF},
		{"hypersurface", func(r int) rnmf.Model { return rnmf.HypersurfaceNMF(r, 0) }},
		{"correntropy", rnmf.CIMNMF},
		{"Cauchy", rnmf.CauchyNMF},
		{"truncated Cauchy", rnmf.TruncatedCauchyNMF},
		{"RobustNMF", rnmf.RobustNMF},
	}
}

// A Trouble is a way to spoil data, at growing strength.
type Trouble struct {
	Name   string
	Unit   string    // of the levels
	Levels []float64 // the weakest first
	// Samples says that whole samples are spoiled: the error is then that of the
	// others, and samples are to be found instead of entries.
	Samples bool
	at      func(s *datasets.Set, level float64) datasets.Corruption
}

// Troubles returns all of them. Those that need images leave out what is none; see
// Suits.
func Troubles() []Trouble {
	return []Trouble{
		{Name: "salt & pepper", Unit: "% of the entries", Levels: []float64{10, 30, 50},
			at: func(_ *datasets.Set, l float64) datasets.Corruption {
				return datasets.SaltPepper{Share: l / 100, High: 1}
			}},
		{Name: "blocks", Unit: "% of the side of the image", Levels: []float64{25, 45, 65},
			at: func(s *datasets.Set, l float64) datasets.Corruption {
				return datasets.Block{Size: max(1, int(l/100*float64(min(s.Height, s.Width))+0.5)), Value: 2, Height: s.Height, Width: s.Width}
			}},
		{Name: "spoiled samples", Unit: "% of the samples", Levels: []float64{10, 25, 40}, Samples: true,
			at: func(_ *datasets.Set, l float64) datasets.Corruption {
				return datasets.OutlierSamples{Share: l / 100, Max: 1}
			}},
		{Name: "Laplace noise", Unit: "% of the range (deviation)", Levels: []float64{10, 30, 50},
			at: func(_ *datasets.Set, l float64) datasets.Corruption {
				return datasets.Laplace{Scale: l / 100 / math.Sqrt2, Min: math.Inf(-1)}
			}},
		{Name: "Gaussian noise", Unit: "% of the range (deviation)", Levels: []float64{10, 30, 50},
			at: func(_ *datasets.Set, l float64) datasets.Corruption {
				return datasets.Gaussian{Sigma: l / 100, Min: math.Inf(-1)}
			}},
	}
}

// Suits reports whether a set can be spoiled in this way.
func (t Trouble) Suits(s *datasets.Set) bool { return t.Name != "blocks" || s.Height > 0 }

// A Score is how one fit did.
type Score struct {
	Set, Trouble string
	Level        float64
	Rival        string
	Trial        int
	// Error is ‖X − WH‖/‖X‖ against the clean data, of the samples that were not
	// spoiled as a whole.
	Error float64
	// Accuracy and NMI are those of k-means on H, its rows for W with columns of
	// length 1; of the same samples.
	Accuracy, NMI float64
	// Found is the average precision of the entries, or samples, with the largest
	// residuals as a list of those that were spoiled: 1 if they come first. It
	// means nothing for noise on every entry, where it is NaN.
	Found   float64
	Rounds  int
	Seconds float64 // of the algorithm alone
}

// Rounds bounds all fits.
const Rounds = 200

// Fight spoils a set, whose values must be in 0..1, and gives it to a rival. The rank
// is the number of classes. The spoiled data depend on set, trouble, level and trial
// alone: all rivals get the same.
func Fight(ctx context.Context, s *datasets.Set, t Trouble, level float64, rival Rival, trial int) (Score, error) {
	score := Score{Set: s.Name, Trouble: t.Name, Level: level, Rival: rival.Name, Trial: trial, Found: math.NaN()}
	dirty, where, err := t.at(s, level).Apply(s.X, uint64(trial))
	if err != nil {
		return score, err
	}
	m := rival.Model(len(s.Classes))
	m.Seed, m.Signed, m.MaxIter = uint64(trial), true, Rounds
	r, err := m.Fit(ctx, dirty)
	if err != nil {
		return score, fmt.Errorf("%s on %s with %s: %w", rival.Name, s.Name, t.Name, err)
	}
	last := r.Trace[len(r.Trace)-1]
	score.Rounds, score.Seconds = last.Round, last.Seconds

	var keep []int // samples to be judged by
	for j := range s.Labels {
		if !t.Samples || where.At(0, j) == 0 {
			keep = append(keep, j)
		}
	}
	_, h := r.Normalized(rnmf.L2Norm)
	kept := columns(h, keep)
	if score.Error, err = rnmf.RelativeError(columns(s.X, keep), r.W, columns(r.H, keep)); err != nil {
		return score, err
	}
	groups, err := rnmf.KMeans{K: len(s.Classes), Seed: uint64(trial)}.Fit(kept)
	if err != nil {
		return score, err
	}
	truth := make([]int, len(keep))
	for i, j := range keep {
		truth[i] = s.Labels[j]
	}
	if score.Accuracy, err = rnmf.Accuracy(truth, groups.Labels); err != nil {
		return score, err
	}
	if score.NMI, err = rnmf.NMI(truth, groups.Labels, rnmf.Arithmetic); err != nil {
		return score, err
	}
	score.Found, err = found(dirty, where, r, t.Samples)
	return score, err
}

// found ranks by the size of the residual, which every model has, not by weights,
// which are equal for many.
func found(dirty, where *mat.Dense, r *rnmf.Result, samples bool) (float64, error) {
	rows, cols := dirty.Dims()
	if all := mat.Sum(where); all == float64(rows*cols) {
		return math.NaN(), nil
	}
	var e mat.Dense
	e.Mul(r.W, r.H)
	e.Sub(dirty, &e)
	if samples {
		trust, truth := make([]float64, cols), make([]bool, cols)
		for j := range cols {
			trust[j] = 1 / (1 + mat.Norm(e.ColView(j), 2))
			truth[j] = where.At(0, j) > 0
		}
		return rnmf.AveragePrecisionSamples(trust, truth)
	}
	e.Apply(func(_, _ int, v float64) float64 { return 1 / (1 + math.Abs(v)) }, &e)
	return rnmf.AveragePrecision(&e, where)
}

// columns returns a copy of some columns.
func columns(x *mat.Dense, keep []int) *mat.Dense {
	rows, _ := x.Dims()
	out := mat.NewDense(rows, len(keep), nil)
	for i := range rows {
		from, to := x.RawRowView(i), out.RawRowView(i)
		for a, j := range keep {
			to[a] = from[j]
		}
	}
	return out
}
