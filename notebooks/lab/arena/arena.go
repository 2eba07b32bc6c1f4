// Package arena lets models compete: every model, on every set, under every
// corruption at growing strength. It is for the tour, for notebook 06, and for the
// program lab, which stores its long run.
package arena

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/baseline"
	"github.com/robustnmf/robustnmf/rnmf/score"
)

// A Rival is a model under the name that the tables give it. The rank is that of
// the set.
type Rival struct {
	Name  string
	Model rnmf.Model
}

// Rivals returns the losses of this module with their default scales, the truncated
// Cauchy loss with both rules for its cut-off.
func Rivals() []Rival {
	return []Rival{
		{"least squares", rnmf.NMF(0)},
		{"L2,1", rnmf.L21NMF(0)},
		{"capped L2,1", rnmf.CappedNMF(0, 0)},
		{"hypersurface", rnmf.HypersurfaceNMF(0, 0)},
		{"L1", rnmf.L1NMF(0)},
		{"Huber", rnmf.HuberNMF(0)},
		{"correntropy", rnmf.CIMNMF(0)},
		{"Cauchy", rnmf.CauchyNMF(0)},
		{"truncated Cauchy", rnmf.TruncatedCauchyNMF(0)},
		{"truncated Cauchy, normal rule", rnmf.Model{Loss: rnmf.Truncated{Loss: rnmf.Cauchy{}, Rule: rnmf.NormalThreeSigma}}},
		{"two stages", rnmf.RobustNMF(0)},
	}
}

// Pick returns those of the Rivals that have these names, in the order of the names.
func Pick(names ...string) (some []Rival) {
	for _, name := range names {
		for _, rival := range Rivals() {
			if rival.Name == name {
				some = append(some, rival)
			}
		}
	}
	return some
}

// A Case is a corruption at one strength.
type Case struct {
	Kind       string
	Strength   float64 // in percent: of the pixels, the images, the side, or the range
	Corruption datasets.Corruption
}

// Kinds names the corruptions in order, and says what their strength counts.
func Kinds() [][2]string {
	return [][2]string{
		{"none", ""},
		{"Gaussian noise", "deviation, % of the range"},
		{"Laplace noise", "deviation, % of the range"},
		{"salt & pepper", "% of the pixels"},
		{"dead pixels", "% of the pixels"},
		{"white squares", "side, % of the image's"},
		{"alien images", "% of the images"},
	}
}

// Cases returns the corruptions of a set with values in 0..1: noise on all pixels;
// some pixels black or white, or all of them black; a white square on each image, if the
// samples are images; noise instead of some images.
func Cases(s *datasets.Set) []Case {
	all := []Case{{"none", 0, datasets.Removal{}}}
	add := func(kind string, make func(share float64) datasets.Corruption, strengths ...float64) {
		for _, p := range strengths {
			all = append(all, Case{kind, p, make(p / 100)})
		}
	}
	add("Gaussian noise", func(p float64) datasets.Corruption { return datasets.Gaussian{Sigma: p} }, 10, 20, 40)
	add("Laplace noise", func(p float64) datasets.Corruption { return datasets.Laplace{Scale: p / math.Sqrt2} }, 10, 20, 40)
	add("salt & pepper", func(p float64) datasets.Corruption { return datasets.SaltPepper{Share: p, High: 1} }, 10, 25, 40, 55)
	add("dead pixels", func(p float64) datasets.Corruption { return datasets.Removal{Share: p} }, 10, 25, 40, 55)
	if s.Height > 0 {
		add("white squares", func(p float64) datasets.Corruption {
			side := max(int(math.Round(p*float64(min(s.Height, s.Width)))), 1)
			return datasets.Block{Size: side, Value: 1, Height: s.Height, Width: s.Width}
		}, 25, 40, 55)
	}
	add("alien images", func(p float64) datasets.Corruption { return datasets.OutlierSamples{Share: p, Max: 1} }, 10, 25, 40)
	return all
}

// A Row is the outcome of one fit.
type Row struct {
	Accuracy float64 // of k-means on the coefficients, the columns of W having length 1
	Error    float64 // ‖X̂ − WH‖/‖X̂‖ against the clean data X̂, of the images that are still there
	// AP is the average precision with which the weights point at what was struck:
	// entries, or whole images. NaN where all or nothing was.
	AP      float64
	Seconds float64 // of the algorithm; NaN where it was not measured on an idle machine
	Rounds  int
	Chosen  string // the kind of loss that a Default has chosen, if it has
}

// Run fits a rival to a set with values in 0..1 after corruption. The seed is that
// of the corruption, of the start and of k-means; 0 rounds are as many
// as the model has by default.
func Run(ctx context.Context, s *datasets.Set, rank int, c Case, rival Rival, seed uint64, rounds int) (Row, error) {
	x, mask, err := c.Corruption.Apply(s.X, seed)
	if err != nil {
		return Row{}, err
	}
	m := rival.Model
	m.Rank, m.Seed, m.MaxIter = rank, seed, rounds
	r, err := m.Fit(ctx, x)
	if err != nil {
		return Row{}, fmt.Errorf("%s: %w", rival.Name, err)
	}
	last := r.Trace[len(r.Trace)-1]
	row := Row{AP: math.NaN(), Seconds: last.Seconds, Rounds: last.Round}

	// An image that was replaced is not to be found again, nor to be clustered.
	var here []int
	gone := make([]bool, len(s.Labels))
	for j := range s.Labels {
		if gone[j] = mat.Min(mask.ColView(j)) == 1 && c.Kind == "alien images"; !gone[j] {
			here = append(here, j)
		}
	}
	clean, err := s.Pick(here)
	if err != nil {
		return row, err
	}
	h := mat.NewDense(rank, len(here), nil)
	_, unit := r.Normalized(2)
	points := mat.NewDense(rank, len(here), nil)
	for k, j := range here {
		h.SetCol(k, mat.Col(nil, j, r.H))
		points.SetCol(k, mat.Col(nil, j, unit))
	}
	if row.Error, err = (&rnmf.Result{W: r.W, H: h}).RelativeError(clean.X); err != nil {
		return row, err
	}
	found, err := baseline.KMeans{K: len(s.Classes), Seed: seed}.Fit(ctx, points)
	if err != nil {
		return row, err
	}
	if row.Accuracy, err = score.Accuracy(clean.Labels, found.Labels); err != nil {
		return row, err
	}
	if mat.Max(mask) == 0 || mat.Min(mask) == 1 {
		return row, nil
	}
	out, err := r.Outliers(x, nil)
	if err != nil {
		return row, err
	}
	if len(here) < len(gone) {
		row.AP, err = score.AveragePrecisionSamples(out.Samples, gone)
	} else {
		row.AP, err = score.AveragePrecision(out.Weights, datasets.Changed(s.X, x))
	}
	return row, err
}

// A Set is a data set with values in 0..1 and the rank at which it is factorised.
type Set struct {
	*datasets.Set
	Rank int
}

// Embedded returns parts of the embedded sets: 600 digits and 400 pieces of clothing.
func Embedded() ([]Set, error) {
	digits, err := datasets.Digits().Sample(60, 1)
	if err != nil {
		return nil, err
	}
	fashion, err := datasets.Fashion().Sample(40, 1)
	if err != nil {
		return nil, err
	}
	digits.Name, fashion.Name = "Digits", "Fashion-MNIST"
	return []Set{{digits.Scaled(), 10}, {fashion.Scaled(), 20}}, nil
}

// Sets returns the embedded sets and the 400 faces of ORL. Without those the error says where they were
// looked for, and the others are returned.
func Sets(ctx context.Context) ([]Set, error) {
	all, err := Embedded()
	if err != nil {
		return nil, err
	}
	faces, err := datasets.ORL.Load(ctx)
	if err != nil {
		return all, err
	}
	faces.Name = "ORL"
	return append(all, Set{faces.Scaled(), 40}), nil
}

// Untuned returns sets on which no loss was tuned (the rule of choose.Auto was): parts of UMIST, Extended
// Yale B, Georgia Tech, Pendigits and Semeion, and Wine, whose features are scaled to 0..1.
// The error joins those of sets that are not at hand.
func Untuned(ctx context.Context) (all []Set, err error) {
	for _, c := range []struct {
		name        string
		load        func(context.Context) (*datasets.Set, error)
		each, rank  int
		perFeatures bool
	}{
		{"UMIST", datasets.UMIST.Load, 15, 20, false},
		{"Extended Yale B", datasets.ExtendedYaleB.Load, 8, 38, false},
		{"Georgia Tech", datasets.GeorgiaTech.Load, 6, 50, false},
		{"Wine", func(context.Context) (*datasets.Set, error) { return datasets.Wine(), nil }, 0, 3, true},
		{"Pendigits", datasets.Pendigits.Load, 60, 10, false},
		{"Semeion", datasets.Semeion.Load, 40, 10, false},
	} {
		s, e := c.load(ctx)
		if e == nil && c.each > 0 {
			s, e = s.Sample(c.each, 1)
		}
		if e != nil {
			err = errors.Join(err, e)
			continue
		}
		if s = s.Scaled(); c.perFeatures {
			top := mat.DenseCopyOf(s.X)
			s.X.Apply(func(i, _ int, v float64) float64 { return v / mat.Max(top.RowView(i)) }, top)
		}
		s.Name = c.name
		all = append(all, Set{s, c.rank})
	}
	return all, err
}
