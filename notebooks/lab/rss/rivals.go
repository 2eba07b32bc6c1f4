package rss

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/baseline"
	"github.com/robustnmf/robustnmf/rnmf/neighbor"
	"github.com/robustnmf/robustnmf/rnmf/papers"
	"github.com/robustnmf/robustnmf/rnmf/score"
)

// Times is the weight of labels in units of the loss of a sample, and Scale the
// scale of the hypersurface loss for pixels in 0..1: see the grid of notebook 03b,
// which is on Yale.
const (
	Times = 100
	Scale = 0.1
	// Lambda is that of GNMF and Semi-GNMF.
	Lambda = 100
)

// A Rival is a model under the name that the tables give it.
type Rival struct {
	Name  string
	Paper string // its name in the paper's tables, if it is there
	fit   func(ctx context.Context, t Task, rounds int) (fitted, error)
}

// fitted is what is judged.
type fitted struct {
	h       *mat.Dense // coefficients, for k-means and the nearest mean
	found   []int      // the model's own prediction, if it has one
	seconds float64
	rounds  int
}

// Rivals returns the models of the tables, all by weighted HALS except for the two graphs
// (multiplicative, as their authors do: a better solver lets W grow and the graph's term vanish)
// and for what is marked printed: Algorithm 1 with σ = 1 for pixels in 0..255, weight 1 and a
// random start.
func Rivals() []Rival {
	return []Rival{
		{"pixels", "", func(_ context.Context, t Task, _ int) (fitted, error) { return fitted{h: t.X}, nil }},
		{"PCA", "PCA", func(ctx context.Context, t Task, _ int) (fitted, error) {
			p, err := baseline.PCA(ctx, t.X, len(t.Classes))
			if err != nil {
				return fitted{}, err
			}
			h, err := p.Project(t.X)
			return fitted{h: h}, err
		}},
		{"NMF", "NMF", of(func(t Task) (rnmf.Model, error) { return rnmf.NMF(len(t.Classes)), nil })},
		{"GNMF", "GNMF", of(func(t Task) (rnmf.Model, error) {
			g, err := neighbor.KNN{}.Graph(context.Background(), t.X)
			m := rnmf.GNMF(len(t.Classes), g, Lambda)
			m.Solver = rnmf.MU{}
			return m, err
		})},
		{"RNMF", "RNMF", of(func(t Task) (rnmf.Model, error) { return rnmf.HypersurfaceNMF(len(t.Classes), Scale), nil })},
		{"Semi-GNMF", "Semi-GNMF", of(func(t Task) (rnmf.Model, error) {
			g, err := neighbor.KNN{}.Graph(context.Background(), t.X)
			if err != nil {
				return rnmf.Model{}, err
			}
			m, err := papers.SemiGNMF(len(t.Classes), g, t.Labels, Lambda)
			m.Solver = rnmf.MU{}
			return m, err
		})},
		{"SSNMF", "", func(ctx context.Context, t Task, rounds int) (fitted, error) {
			r, err := papers.SSNMF{Model: settings(rnmf.NMF(len(t.Classes)), t, rounds), Labels: t.Labels}.Fit(ctx, t.X)
			if err != nil {
				return fitted{}, err
			}
			found, err := r.Predict(r.H)
			return judged(r.Result, found), err
		}},
		{"CNMF", "CNMF", func(ctx context.Context, t Task, rounds int) (fitted, error) {
			r, err := papers.CNMF{Model: settings(rnmf.NMF(len(t.Classes)), t, rounds), Labels: t.Labels}.Fit(ctx, t.X)
			if err != nil {
				return fitted{}, err
			}
			return judged(r, nil), nil
		}},
		Labelled("SCNMF", nil, Times, true),
		{"RSS-NMF, printed", "RSS-NMF", of(func(t Task) (rnmf.Model, error) {
			m := rnmf.RSSNMF(len(t.Classes), 1./255, t.Labels)
			m.Solver = rnmf.MU{}
			return m, nil
		})},
		Labelled("RSS-NMF, random start", rnmf.Hypersurface{Scale: Scale}, Times, false),
		Labelled("RSS-NMF", rnmf.Hypersurface{Scale: Scale}, Times, true),
	}
}

// Labelled is a loss with labels by structured normalisation, whose weight is a
// number of times the loss of a sample in a fit without labels; with 0 times there
// is none. The start is by label, or random.
func Labelled(name string, loss rnmf.Loss, times float64, byLabel bool) Rival {
	return Rival{name, "", func(ctx context.Context, t Task, rounds int) (fitted, error) {
		model := settings(rnmf.Model{Rank: len(t.Classes), Loss: loss}, t, rounds)
		plain, err := model.Fit(ctx, t.X)
		if err != nil {
			return fitted{}, err
		}
		if times == 0 {
			return judged(plain, nil), nil
		}
		labels := t.Labels.Against(plain, times)
		model.OnH = []rnmf.Penalty{labels}
		if byLabel {
			model.Init = rnmf.LabelInit{Labels: labels}
		}
		r, err := model.Fit(ctx, t.X)
		if err != nil {
			return fitted{}, err
		}
		found, err := r.Predict(r.H)
		return judged(r, found), err
	}}
}

// of is a Rival's fit for a model without a type of its own.
func of(model func(t Task) (rnmf.Model, error)) func(context.Context, Task, int) (fitted, error) {
	return func(ctx context.Context, t Task, rounds int) (fitted, error) {
		m, err := model(t)
		if err != nil {
			return fitted{}, err
		}
		r, err := settings(m, t, rounds).Fit(ctx, t.X)
		if err != nil {
			return fitted{}, err
		}
		found, err := r.Predict(r.H)
		if err != nil {
			found = nil // the model has no labels
		}
		return judged(r, found), nil
	}
}

func settings(m rnmf.Model, t Task, rounds int) rnmf.Model {
	m.Seed, m.MaxIter, m.Tol = t.Seed, rounds, -1
	switch m.Solver.(type) {
	case rnmf.MU, papers.FGD:
		m.MaxIter *= 3 // rounds that do less
	}
	return m
}

func judged(r *rnmf.Result, found []int) fitted {
	_, h := r.Normalized(2)
	last := r.Trace[len(r.Trace)-1]
	return fitted{h, found, last.Seconds, last.Round}
}

// A Row is the outcome of one trial; NaN where there is none.
type Row struct {
	// Of k-means on the coefficients, over all samples as in the paper: the labelled
	// ones count, too. NMI is over the larger entropy (46).
	Accuracy, NMI float64
	Unlabelled    float64 // accuracy of the same clusters on the samples without labels
	// The share of samples without labels whose class is right, by the model itself
	// (the largest of ΛH) and by the nearest mean of the labelled coefficients.
	Predicted, Nearest float64
	Seconds            float64 // of the algorithm
	Rounds             int     // of the fit; 0 where there is none
}

// Run fits a rival; truth is what t.Set says. 0 rounds are 100, three times as
// many where a round does less.
func Run(ctx context.Context, t Task, rival Rival, rounds int) (Row, error) {
	nan := math.NaN()
	row := Row{nan, nan, nan, nan, nan, nan, 0}
	if rounds == 0 {
		rounds = 100
	}
	f, err := rival.fit(ctx, t, rounds)
	if err != nil {
		return row, fmt.Errorf("%s: %w", rival.Name, err)
	}
	row.Seconds, row.Rounds = f.seconds, f.rounds
	clusters, err := baseline.KMeans{K: len(t.Classes), Seed: t.Seed}.Fit(ctx, f.h)
	if err != nil {
		return row, err
	}
	agreement, err := score.NewAgreement(t.Set.Labels, clusters.Labels)
	if err != nil {
		return row, err
	}
	row.Accuracy, row.NMI = agreement.Accuracy, agreement.NMI[score.NMIMax]
	var open []int // samples without labels
	for j, c := range t.Labels.Class {
		if c < 0 {
			open = append(open, j)
		}
	}
	if len(open) == 0 {
		return row, nil
	}
	if row.Unlabelled, err = score.Accuracy(at(t.Set.Labels, open), at(clusters.Labels, open)); err != nil {
		return row, err
	}
	if len(open) == len(t.Labels.Class) {
		return row, nil
	}
	row.Nearest = right(t.Set.Labels, NearestMean(f.h, t.Labels, f.h), open)
	if f.found != nil {
		row.Predicted = right(t.Set.Labels, f.found, open)
	}
	return row, nil
}

func at(v, index []int) []int {
	out := make([]int, len(index))
	for i, j := range index {
		out[i] = v[j]
	}
	return out
}

// right returns the share of the samples in index whose class is found.
func right(truth, found, index []int) float64 {
	var sum float64
	for _, j := range index {
		if found[j] == truth[j] {
			sum++
		}
	}
	return sum / float64(len(index))
}

// NearestMean returns for each column of h the class whose labelled columns of
// known have the nearest mean.
func NearestMean(known *mat.Dense, l rnmf.Labels, h *mat.Dense) []int {
	r, n := h.Dims()
	mean := mat.NewDense(l.Classes(), r, nil)
	size := make([]float64, l.Classes())
	for j, c := range l.Class {
		if c < 0 {
			continue
		}
		size[c]++
		for i, v := range mean.RawRowView(c) {
			mean.Set(c, i, v+(known.At(i, j)-v)/size[c])
		}
	}
	found := make([]int, n)
	for j := range found {
		best := math.Inf(1)
		for c, s := range size {
			if s == 0 {
				continue
			}
			var d float64
			for i, v := range mean.RawRowView(c) {
				d += (h.At(i, j) - v) * (h.At(i, j) - v)
			}
			if d < best {
				best, found[j] = d, c
			}
		}
	}
	return found
}
