package choose

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/internal/dense"
)

// An OutlierSearch asks several starts, and several losses, which samples do not follow WH. Every
// fit has a sample that it trusts least. What matters is whether other fits flag the same sample,
// and whether errors that are spread by chance would give it as small a weight.
type OutlierSearch struct {
	X    mat.Matrix
	Mask mat.Matrix // entries where it is 0 are missing; nil is all there
	// Models are the losses that are asked, each with its rank; their Seed and Mask do not
	// count. rnmf.L21NMF(r) and rnmf.HuberNMF(r) differ most.
	Models []rnmf.Model
	Starts int // of each model; 0 is 5
	Seed   uint64
	// FalseFlags is the expected number of samples that are flagged by chance; 0 is 1.
	FalseFlags float64
}

// A Suspect is a sample and what the fits say about it.
type Suspect struct {
	Sample int     // a column of X
	Share  float64 // of the fits that flag it, 0 to 1
	Weight float64 // mean over the fits of its weight: see rnmf.Outliers.Samples
	// Chance is how many samples of data whose errors are spread by chance would have
	// so small a weight, the median over the fits.
	Chance float64
}

// Suspects is what an OutlierSearch found.
type Suspects struct {
	// Samples are all samples, the most suspect first: by Share, then by Weight.
	Samples []Suspect
	// Flagged is how many of them at least half of the fits flag.
	Flagged int
	// Starts is the share of the Worst samples that two starts of one model have in common, on
	// average, Losses the same for fits of two models, and ByChance for two lists drawn by chance.
	// Starts or Losses is NaN where there are no two.
	Starts, Losses, ByChance float64
	Worst                    int
	FalseFlags               float64 // of the search: so many may be flagged by chance
}

// String sums up what was found, and how far to trust it.
func (s *Suspects) String() string {
	line := fmt.Sprintf("at least half of the fits flag %d of %d samples, where errors spread by chance have about %g flagged by each fit", s.Flagged, len(s.Samples), s.FalseFlags)
	for _, of := range []struct {
		who string
		v   float64
	}{{"two starts", s.Starts}, {"two losses", s.Losses}} {
		if !math.IsNaN(of.v) {
			line += fmt.Sprintf("; of their %d worst %s have %.0f %% in common (lists drawn by chance %.0f %%)", s.Worst, of.who, 100*of.v, 100*s.ByChance)
		}
	}
	return line
}

// Columns returns the first k samples: those to look at, as Set.Pick and Set.SampleName
// take them.
func (s *Suspects) Columns(k int) []int {
	out := make([]int, 0, max(0, min(k, len(s.Samples))))
	for _, of := range s.Samples[:cap(out)] {
		out = append(out, of.Sample)
	}
	return out
}

// Names returns the names of the first k samples by their columns: for tables, and for the labels
// of a viz.SampleMap. name is Set.SampleName, for instance.
func (s *Suspects) Names(k int, name func(column int) string) map[int]string {
	names := map[int]string{}
	for _, j := range s.Columns(k) {
		names[j] = name(j)
	}
	return names
}

// Run fits all models from all starts. A fit flags the samples whose weight is so small that
// fewer than FalseFlags of them would have it if the residuals of each feature were
// exchanged between the samples by chance.
//
// The errors are ErrParameter without data or models, and those of a fit.
func (s OutlierSearch) Run(ctx context.Context) (*Suspects, error) {
	switch {
	case dense.IsNil(s.X):
		return nil, fmt.Errorf("%w: OutlierSearch.X is nil", ErrParameter)
	case len(s.Models) == 0:
		return nil, fmt.Errorf("%w: OutlierSearch has no Models", ErrParameter)
	case s.Starts < 0 || !(s.FalseFlags >= 0):
		return nil, fmt.Errorf("%w: %d starts and %g false flags, want numbers of 0 or more", ErrParameter, s.Starts, s.FalseFlags)
	}
	starts, may := cmp.Or(s.Starts, 5), cmp.Or(s.FalseFlags, 1)
	_, n := s.X.Dims()
	found := &Suspects{FalseFlags: may, Worst: min(n, max(5, n/20)), Samples: make([]Suspect, n)}
	chances := make([][]float64, n)
	for j := range n {
		found.Samples[j].Sample = j
	}
	fits := len(s.Models) * starts
	var worst [][]bool
	for _, model := range s.Models {
		for k := range starts {
			model.Seed, model.Mask = s.Seed+uint64(k), s.Mask
			r, err := model.Fit(ctx, s.X)
			if err != nil {
				return nil, err
			}
			weights, chance, err := byChance(r, s.X, s.Mask, model.Seed)
			if err != nil {
				return nil, err
			}
			order := make([]int, n)
			for j := range n {
				order[j] = j
				of := &found.Samples[j]
				of.Weight += weights[j] / float64(fits)
				chances[j] = append(chances[j], chance[j])
				if chance[j] <= may {
					of.Share += 1 / float64(fits)
				}
			}
			slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(weights[a], weights[b]) })
			in := make([]bool, n)
			for _, j := range order[:found.Worst] {
				in[j] = true
			}
			worst = append(worst, in)
		}
	}
	for j, c := range chances {
		slices.Sort(c)
		found.Samples[j].Chance = c[len(c)/2]
		if found.Samples[j].Share >= 0.5-1e-9 {
			found.Flagged++
		}
	}
	slices.SortStableFunc(found.Samples, func(a, b Suspect) int {
		if math.Abs(a.Share-b.Share) > 1e-9 {
			return cmp.Compare(b.Share, a.Share)
		}
		return cmp.Compare(a.Weight, b.Weight)
	})
	found.agree(worst, starts)
	return found, nil
}

// agree compares the lists of the worst samples of all pairs of fits.
func (s *Suspects) agree(worst [][]bool, starts int) {
	var sum, count [2]float64 // of one model, of two
	for a := range worst {
		for b := range a {
			both := 0
			for j, in := range worst[a] {
				if in && worst[b][j] {
					both++
				}
			}
			k := 0
			if a/starts != b/starts {
				k = 1
			}
			sum[k] += float64(both) / float64(s.Worst)
			count[k]++
		}
	}
	s.Starts, s.Losses = sum[0]/count[0], sum[1]/count[1] // 0/0 is NaN
	s.ByChance = float64(s.Worst) / float64(len(s.Samples))
}

// exchanges is how often residuals are exchanged.
const exchanges = 20

// byChance returns the weight of each sample in a fit, and how many samples would have
// none larger if the residuals of each feature were exchanged between the samples.
func byChance(r *rnmf.Result, x, mask mat.Matrix, seed uint64) (weights, chance []float64, err error) {
	out, err := r.Outliers(x, mask)
	if err != nil {
		return nil, nil, err
	}
	var wh mat.Dense
	wh.Mul(r.W, r.H)
	m, n := wh.Dims()
	rng := rand.New(rand.NewPCG(seed, 0x65_78_63_68))
	chance = make([]float64, n)
	y := mat.NewDense(m, n, nil)
	// One set of weights for data with their own and with exchanged residuals, as weights
	// are told relative to their median.
	both := &rnmf.Result{W: r.W, H: mat.NewDense(r.H.RawMatrix().Rows, 2*n, nil), Loss: r.Loss}
	both.H.Augment(r.H, r.H)
	var mask2 mat.Matrix
	if mask != nil {
		var two mat.Dense
		two.Augment(mask, mask)
		mask2 = &two
	}
	for range exchanges {
		for i := range m {
			var there []int
			var e []float64
			for j := range n {
				if mask == nil || mask.At(i, j) > 0 {
					there, e = append(there, j), append(e, x.At(i, j)-wh.At(i, j))
				}
			}
			rng.Shuffle(len(e), func(a, b int) { e[a], e[b] = e[b], e[a] })
			for k, j := range there {
				y.Set(i, j, wh.At(i, j)+e[k])
			}
		}
		var xy mat.Dense
		xy.Augment(x, y)
		o, err := both.Outliers(&xy, mask2)
		if err != nil {
			return nil, nil, err
		}
		byChance := slices.Clone(o.Samples[n:])
		slices.Sort(byChance)
		for j, w := range o.Samples[:n] {
			at, _ := slices.BinarySearchFunc(byChance, w, func(v, w float64) int {
				if v <= w {
					return -1
				}
				return 1
			})
			chance[j] += float64(at) / exchanges
		}
	}
	return out.Samples, chance, nil
}

// OutliersOf weighs new samples y (m×p) by the model of a fit of x: it finds their coefficients by
// Transform and returns their weights relative to the median weight of x and y together, so that
// the weight of a single new sample is meaningful, too. The masks are those of x and y, nil where
// all is known. Weights, Samples and S are those of y alone.
//
// It returns ctx.Err() when ctx ends.
func OutliersOf(ctx context.Context, r *rnmf.Result, x, mask, y, maskY mat.Matrix) (*rnmf.Outliers, error) {
	if r == nil || r.H == nil || dense.IsNil(x) || dense.IsNil(y) {
		return nil, fmt.Errorf("%w: the result, its H, the data of its fit or the new data are nil", ErrParameter)
	}
	if _, n := x.Dims(); n != r.H.RawMatrix().Cols {
		return nil, fmt.Errorf("%w: x has %d samples, but the fit had %d", errors.Join(ErrParameter, rnmf.ErrShape), n, r.H.RawMatrix().Cols)
	}
	h, err := r.Transform(ctx, y, maskY)
	if err != nil {
		return nil, err
	}
	m, n := x.Dims()
	_, p := y.Dims()
	k, _ := r.H.Dims()
	all, joined := mat.NewDense(m, n+p, nil), &rnmf.Result{W: r.W, H: mat.NewDense(k, n+p, nil), Loss: r.Loss}
	all.Augment(x, y)
	joined.H.Augment(r.H, h)
	var known mat.Matrix
	if mask != nil || maskY != nil {
		of := mat.NewDense(m, n+p, nil)
		of.Augment(orOnes(mask, m, n), orOnes(maskY, m, p))
		known = of
	}
	o, err := joined.Outliers(all, known)
	if err != nil {
		return nil, err
	}
	of := func(a *mat.Dense) *mat.Dense { return mat.DenseCopyOf(a.Slice(0, m, n, n+p)) }
	return &rnmf.Outliers{Weights: of(o.Weights), Samples: slices.Clone(o.Samples[n:]), S: of(o.S)}, nil
}

// orOnes returns a mask, or one that hides nothing.
func orOnes(mask mat.Matrix, m, n int) mat.Matrix {
	if mask != nil && !dense.IsNil(mask) {
		return mask
	}
	ones := mat.NewDense(m, n, nil)
	ones.Apply(func(int, int, float64) float64 { return 1 }, ones)
	return ones
}
