package choose

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/internal/isnil"
	"github.com/robustnmf/robustnmf/rnmf"
)

// An OutlierSearch asks several starts, and several losses, which samples do not follow WH. It tells two
// kinds apart.
//
// A sample is wrong where it stands apart from the other samples. Let s_j be the root mean square of its
// residuals or the largest of them: a sample that does not belong there has large residuals
// everywhere, one with a single gross entry has one. On the scale
//
//	z_j = (log s_j − med)/(med − q),   med and q the median and the 16 % quantile of log s,
//
// where med − q is at least 0.1, the sizes of residuals of clean data are nearly normal: for normal values
// med − q is one standard deviation, measured in the lower half, which wrong samples hardly change. A fit
// flags a sample if z_j > 3.5 for either, as for 0.02 % of normal values. Where the samples themselves
// differ much, foreign ones are not that far apart, but they are many. So a fit also flags a sample if
// z_j > 2 for the mean magnitude of its residuals as s_j, and at most 2 % of the samples that are as far
// apart or farther would be so by chance (Benjamini and Hochberg 1995): of 400 samples two are at 2.5 by
// chance, and not twenty. In all cases s_j has to be more than a hundredth of the usual entry.
//
// The residuals of a foreign sample need not be large: noise between 0 and white is no farther from its parts
// than a digit is from its own. But what the parts leave over of samples that belong together lies in common
// directions, and that of noise lies in none. So a fit also flags a sample if the direction of its
// residuals is as strange to the others as one drawn by chance. Let u_j be the residuals of a
// sample at length 1, so that none counts for more than another, C the mean of uuᵀ over the samples,
// shrunk towards a multiple of the identity as Ledoit and Wolf (2004) have it, and
//
//	t_j = log u_jᵀC⁻¹u_j − log(tr C⁻¹/m),
//
// where C leaves u_j out and tr C⁻¹/m is the mean for directions by chance. Usual samples are far
// below 0. A sample is strange whose t_j is above two fifths of their median, and above the median by
// two and a half times the distance from there to the 84 % quantile. None is where the median is above
// −0.3, as nothing is in common then, or where directions by chance differ by more than a fifth, as they do
// where features are few.
//
// A sample is rare where its parts are hard to draw from those of the others: where residuals that are
// exchanged between the samples by chance would not give it so small a weight, and z_j > 2. The first
// alone holds for every third image of a set, as no real data are exactly of low rank with independent
// errors. It is a reason to look at the sample, and none to doubt it.
type OutlierSearch struct {
	X    mat.Matrix
	Mask mat.Matrix // entries where it is 0 are missing; nil is all there
	// Models are the losses that are asked, each with its rank; their Seed and Mask do not
	// count. rnmf.L21NMF(r) and rnmf.HuberNMF(r) differ most.
	Models []rnmf.Model
	Starts int // of each model; 0 is 5
	Seed   uint64
	// FalseFlags is the expected number of samples that are called rare by chance; 0 is 1.
	FalseFlags float64
}

// A Suspect is a sample and what the fits say about it.
type Suspect struct {
	Sample int     // a column of X
	Share  float64 // of the fits that flag it as wrong, 0 to 1
	Rare   float64 // of the fits to which it is rare, 0 to 1
	// Far, Many and Strange are the shares of the fits that flag it for each of the three reasons, of which one
	// is enough: it stands far apart, it is one of many that stand apart, its residuals have a strange direction.
	Far, Many, Strange float64
	// Apart is how far it stands apart, the z of that of the two s for which it is more, at most 20; the
	// mean over the fits. A fit flags from 3.5 on, where many samples are apart, or where the sample is
	// strange.
	Apart float64
	// MeanApart is the same for the mean magnitude of its residuals.
	MeanApart float64
	// Direction is how far the direction of its residuals is on the way from the usual one, where it is 0, to one by
	// chance, where it is 1: (med − t_j)/med, from −20 to 20; the mean over the fits. It is 0 where directions are not
	// asked.
	Direction float64
	Size      float64 // mean over the fits of the size of its residuals: see rnmf.Outliers.Sizes
	Weight    float64 // mean over the fits of its weight: see rnmf.Outliers.Samples
	// Chance is how many samples of data whose errors are spread by chance would have
	// so small a weight, the median over the fits.
	Chance float64
}

// flagged tells whether at least half of the fits flag a sample as wrong.
func (s Suspect) flagged() bool { return s.Share >= 0.5-1e-9 }

// Suspects is what an OutlierSearch found.
type Suspects struct {
	// Samples are all samples, the most suspect first: those that are Flagged by Size, and then the others
	// by Share and Apart.
	Samples []Suspect
	// Flagged is how many of them at least half of the fits flag as wrong, and Rare how many others
	// are rare to at least half of the fits.
	Flagged, Rare int
	// Starts is the share of the Worst samples that two starts of one model have in common, on
	// average, Losses the same for fits of two models, and ByChance for two lists drawn by chance.
	// Starts or Losses is NaN where there are no two.
	Starts, Losses, ByChance float64
	Worst                    int
	FalseFlags               float64 // of the search: so many may be rare by chance
}

// String sums up what was found, and how far to trust it.
func (s *Suspects) String() string {
	stand, are := "stand", "are"
	if s.Flagged == 1 {
		stand = "stands"
	}
	if s.Rare == 1 {
		are = "is"
	}
	line := fmt.Sprintf("%d of %d samples %s apart from the others and may be wrong, and %d more %s rare (by chance alone about %g would be)", s.Flagged, len(s.Samples), stand, s.Rare, are, s.FalseFlags)
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

// Run fits all models from all starts.
//
// The errors are rnmf.ErrEmpty without data, ErrParameter without models or for a mask of another shape, and
// those of a fit.
func (s OutlierSearch) Run(ctx context.Context) (*Suspects, error) {
	switch {
	case isnil.Matrix(s.X):
		return nil, errNoX("OutlierSearch.X")
	case len(s.Models) == 0:
		return nil, fmt.Errorf("%w: OutlierSearch has no Models", ErrParameter)
	case s.Starts < 0 || !(s.FalseFlags >= 0):
		return nil, fmt.Errorf("%w: %d starts and %g false flags, want numbers of 0 or more", ErrParameter, s.Starts, s.FalseFlags)
	}
	if err := wantKnown(s.X, s.Mask, "OutlierSearch.Mask"); err != nil {
		return nil, err
	}
	typical := usual(s.X, s.Mask)
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
			out, err := r.Outliers(s.X, s.Mask)
			if err != nil {
				return nil, err
			}
			chance, err := byChance(ctx, r, s.X, s.Mask, model.Seed)
			if err != nil {
				return nil, err
			}
			order := make([]int, n)
			least := exactly * typical
			if r.Family != rnmf.Gaussian {
				least = exactly * math.Sqrt(typical) // as counts vary
			}
			apart, onMean, many := standApart(out.E, s.Mask, least)
			odd, way, err := strange(ctx, out.E, least, model.Seed)
			if err != nil {
				return nil, err
			}
			for j := range n {
				order[j] = j
				of := &found.Samples[j]
				of.Size = min(of.Size+out.Sizes[j]/float64(fits), math.MaxFloat64)
				of.Weight += out.Samples[j] / float64(fits)
				chances[j] = append(chances[j], chance[j])
				of.Apart += min(apart[j], mostApart) / float64(fits)
				of.MeanApart += min(onMean[j], mostApart) / float64(fits)
				of.Direction += way[j] / float64(fits)
				for _, reason := range []struct {
					share *float64
					holds bool
				}{{&of.Far, apart[j] > wrongFrom}, {&of.Many, many[j]}, {&of.Strange, odd[j]}, {&of.Share, apart[j] > wrongFrom || many[j] || odd[j]}} {
					if reason.holds {
						*reason.share += 1 / float64(fits)
					}
				}
				if chance[j] <= may && apart[j] > rareFrom {
					of.Rare += 1 / float64(fits)
				}
			}
			slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(apart[b], apart[a]) })
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
		switch of := found.Samples[j]; {
		case of.flagged():
			found.Flagged++
		case of.Rare >= 0.5-1e-9:
			found.Rare++
		}
	}
	slices.SortStableFunc(found.Samples, func(a, b Suspect) int {
		switch {
		case a.flagged() && b.flagged():
			return cmp.Compare(b.Size, a.Size)
		case math.Abs(a.Share-b.Share) > 1e-9:
			return cmp.Compare(b.Share, a.Share)
		}
		return cmp.Compare(b.Apart, a.Apart)
	})
	found.agree(worst, starts)
	return found, nil
}

const (
	wrongFrom   = 3.5
	rareFrom    = 2
	manyFrom    = 2    // where many samples are as far apart
	falseShare  = 0.02 // of these by chance
	leastSpread = 0.1  // of logarithms: samples that are all alike to a tenth are not apart
	lowQuantile = 0.16
	exactly     = 1e-2 // of the usual entry: residuals up to there are no errors
	mostApart   = 20

	strangeFrom   = 0.4 // of the median of t
	strangeSpread = 2.5
	highQuantile  = 0.84
	common        = -0.3 // the largest median of t of residuals that have something in common
	alikeByChance = 0.2
	mostFeatures  = 1000 // for C, which has the square of that many entries
)

// usual returns the median magnitude of the known entries of x that are not 0, or 0.
func usual(x, mask mat.Matrix) float64 {
	m, n := x.Dims()
	var sizes []float64
	for i := range m {
		for j := range n {
			if v := math.Abs(x.At(i, j)); v > 0 && (mask == nil || mask.At(i, j) > 0) {
				sizes = append(sizes, v)
			}
		}
	}
	if len(sizes) == 0 {
		return 0
	}
	slices.Sort(sizes)
	return sizes[len(sizes)/2]
}

// standApart returns how far each sample stands apart; −mostApart at least, also where nothing is known
// of it, or where its residuals are no larger than the given size. onMean is the same for the mean magnitude
// of its residuals. many are the samples that are flagged because many are as far apart.
func standApart(residuals *mat.Dense, mask mat.Matrix, least float64) (apart, onMean []float64, many []bool) {
	m, n := residuals.Dims()
	var logs [3][]float64 // of root mean squares, of the largest, and of means
	for j := range n {
		var e []float64
		for i := range m {
			if mask == nil || mask.At(i, j) > 0 {
				e = append(e, math.Abs(residuals.At(i, j)))
			}
		}
		var sizes [3]float64
		if len(e) > 0 {
			largest := slices.Max(e)
			sizes[1] = largest
			for _, v := range e {
				sizes[2] += v / float64(len(e))
			}
			sizes[0] = rootMeanSquare(e) // which scales e
		}
		for k, size := range sizes {
			logs[k] = append(logs[k], math.Log(size))
		}
	}
	apart, onMean, many = slices.Repeat([]float64{-mostApart}, n), slices.Repeat([]float64{-mostApart}, n), make([]bool, n)
	for k, of := range logs {
		sorted := slices.Sorted(slices.Values(of))
		median := sorted[n/2]
		if math.IsInf(median, -1) { // more than half are fitted exactly
			median = math.Log(max(least, math.SmallestNonzeroFloat64))
		}
		spread := median - sorted[int(lowQuantile*float64(n))]
		if spread = max(spread, leastSpread); math.IsInf(spread, 1) { // some are fitted exactly
			spread = 1
		}
		from := math.Inf(1)
		for i := n - 1; k == 2 && i >= 0; i-- { // from the largest on
			z := (sorted[i] - median) / spread
			if !(z > manyFrom) {
				break
			}
			if byChance := float64(n) * 0.5 * math.Erfc(z/math.Sqrt2); byChance <= falseShare*float64(n-i) {
				from = sorted[i]
			}
		}
		for j, v := range of {
			of := apart
			if k == 2 {
				of = onMean
			}
			if z := (v - median) / spread; z > of[j] && math.Exp(v) > least { // not NaN
				of[j] = z
			}
			if v >= from && math.Exp(v) > least {
				many[j] = true
			}
		}
	}
	return apart, onMean, many
}

// strange marks the samples whose residuals lie in a direction as by chance, and says how far each is on the way
// from the usual direction to one by chance.
func strange(ctx context.Context, residuals *mat.Dense, least float64, seed uint64) (odd []bool, way []float64, err error) {
	all, n := residuals.Dims()
	features := rand.New(rand.NewPCG(seed, 0x73_74_72)).Perm(all)[:min(all, mostFeatures)]
	slices.Sort(features)
	m := len(features)
	odd, way = make([]bool, n), make([]float64, n)
	u, large := mat.NewDense(m, n, nil), make([]bool, n)
	e, known := make([]float64, m), 0.0
	for j := range n {
		for k, i := range features {
			e[k] = residuals.At(i, j)
		}
		unit := normalise(e)
		if length := floats.Norm(e, 2); length > 0 {
			for k, v := range e {
				u.Set(k, j, v/length)
			}
			large[j] = length*unit > least*math.Sqrt(float64(m))
			known++
		}
	}
	if m < 2 || known < 3 {
		return odd, way, nil
	}
	c := mat.NewSymDense(m, nil)
	for i := range m {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		for k := i; k < m; k++ {
			c.SetSym(i, k, 1/known*floats.Dot(u.RawRowView(i), u.RawRowView(k)))
		}
	}
	var squares float64 // ‖C‖²
	for i := range m {
		for k := range m {
			squares += c.At(i, k) * c.At(i, k)
		}
	}
	// Ledoit and Wolf: tr C is 1, as each u has the length 1.
	share := 1.0
	if far := squares - 1/float64(m); far > 0 {
		share = min(1, max(1e-6, (1-squares)/known/far))
	}
	for i := range m {
		for k := i; k < m; k++ {
			c.SetSym(i, k, (1-share)*c.At(i, k))
		}
		c.SetSym(i, i, c.At(i, i)+share/float64(m))
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	var factor mat.Cholesky
	var inverse mat.SymDense
	if !factor.Factorize(c) || factor.InverseTo(&inverse) != nil {
		return odd, way, nil
	}
	var mean, square float64 // of the eigenvalues of C⁻¹
	for i := range m {
		mean += inverse.At(i, i) / float64(m)
		for k := range m {
			square += inverse.At(i, k) * inverse.At(i, k) / float64(m)
		}
	}
	if byChance := math.Sqrt(2/float64(m+2)*max(0, square-mean*mean)) / mean; !(byChance <= alikeByChance) {
		return odd, way, nil
	}
	w := mat.NewDense(m, n, nil)
	var t, usual []float64
	for j := range n {
		const some = 64 // columns
		if to := min(j+some, n); j%some == 0 {
			if err := ctx.Err(); err != nil {
				return nil, nil, err
			}
			w.Slice(0, m, j, to).(*mat.Dense).Mul(&inverse, u.Slice(0, m, j, to))
		}
		q := mat.Dot(u.ColView(j), w.ColView(j))
		t = append(t, math.Log(q/(1-q*(1-share)/known)/mean)) // by Sherman and Morrison
		if large[j] {
			usual = append(usual, t[j])
		}
	}
	if len(usual) == 0 {
		return odd, way, nil
	}
	slices.Sort(usual)
	median := usual[len(usual)/2]
	if !(median <= common) { // or NaN
		return odd, way, nil
	}
	from := max(strangeFrom*median, median+strangeSpread*(usual[int(highQuantile*float64(len(usual)))]-median))
	for j := range n {
		if large[j] && !math.IsNaN(t[j]) {
			odd[j], way[j] = t[j] > from, max(-mostApart, min((median-t[j])/median, mostApart))
		}
	}
	return odd, way, nil
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

// exchanges is how often residuals are exchanged, and largestEntry what package rnmf takes.
const (
	exchanges    = 20
	largestEntry = 1e100
)

// byChance returns for each sample how many would have no larger weight if the residuals of each
// feature were exchanged between the samples. Those of counts are exchanged on the scale of roots, on which
// counts of all means vary alike (Anscombe 1948).
func byChance(ctx context.Context, r *rnmf.Result, x, mask mat.Matrix, seed uint64) (chance []float64, err error) {
	wh := r.WH()
	m, n := wh.Dims()
	root := func(v float64) float64 { return v }
	power := root
	if r.Family != rnmf.Gaussian {
		root, power = math.Sqrt, func(v float64) float64 { return max(0, v) * max(0, v) }
	}
	rng := rand.New(rand.NewPCG(seed, 0x65_78_63_68))
	chance = make([]float64, n)
	y := mat.NewDense(m, n, nil)
	// One set of weights for data with their own and with exchanged residuals, as weights
	// are told relative to their median.
	both := &rnmf.Result{W: r.W, H: mat.NewDense(r.H.RawMatrix().Rows, 2*n, nil), Loss: r.Loss, Family: r.Family}
	both.H.Augment(r.H, r.H)
	var mask2 mat.Matrix
	if mask != nil {
		var two mat.Dense
		two.Augment(mask, mask)
		mask2 = &two
	}
	for range exchanges {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for i := range m {
			var there []int
			var e []float64
			for j := range n {
				if mask == nil || mask.At(i, j) > 0 {
					there, e = append(there, j), append(e, root(x.At(i, j))-root(wh.At(i, j)))
				}
			}
			rng.Shuffle(len(e), func(a, b int) { e[a], e[b] = e[b], e[a] })
			for k, j := range there {
				y.Set(i, j, max(-largestEntry, min(power(root(wh.At(i, j))+e[k]), largestEntry)))
			}
		}
		var xy mat.Dense
		xy.Augment(x, y)
		o, err := both.Outliers(&xy, mask2)
		if err != nil {
			return nil, err
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
	return chance, nil
}

// OutliersOf weighs new samples y (m×p) by the model of a fit of x: it finds their coefficients by
// Transform and returns their weights relative to the median weight of x and y together, so that
// the weight of a single new sample is meaningful, too. The masks are those of x and y, nil where
// all is known. All that it returns is of y alone.
//
// It returns ctx.Err() when ctx ends.
func OutliersOf(ctx context.Context, r *rnmf.Result, x, mask, y, maskY mat.Matrix) (*rnmf.Outliers, error) {
	if r == nil || r.W == nil || r.H == nil || isnil.Matrix(x) || isnil.Matrix(y) {
		return nil, fmt.Errorf("%w: the result, its W or H, the data of its fit or the new data are nil", ErrParameter)
	}
	m, n := x.Dims()
	if rows, cols := r.W.RawMatrix().Rows, r.H.RawMatrix().Cols; m != rows || n != cols {
		return nil, fmt.Errorf("%w: %w: x is %d×%d, but that of the fit was %d×%d", ErrParameter, rnmf.ErrShape, m, n, rows, cols)
	}
	if err := wantMask(x, mask, "the mask of x"); err != nil {
		return nil, err
	}
	h, err := r.Transform(ctx, y, maskY)
	if err != nil {
		return nil, err
	}
	_, p := y.Dims()
	k, _ := r.H.Dims()
	all, joined := mat.NewDense(m, n+p, nil), &rnmf.Result{W: r.W, H: mat.NewDense(k, n+p, nil), Loss: r.Loss, Family: r.Family}
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
	return &rnmf.Outliers{Weights: of(o.Weights), Samples: slices.Clone(o.Samples[n:]), Sizes: slices.Clone(o.Sizes[n:]), S: of(o.S), E: of(o.E)}, nil
}

// orOnes returns a mask, or one that hides nothing.
func orOnes(mask mat.Matrix, m, n int) mat.Matrix {
	if mask != nil {
		return mask
	}
	ones := mat.NewDense(m, n, nil)
	ones.Apply(func(int, int, float64) float64 { return 1 }, ones)
	return ones
}
