package datasets

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/robustnmf/robustnmf/datasets/sparse"
	"github.com/robustnmf/robustnmf/internal/isnil"
)

// ErrParameter is returned when a share, a scale or another number that
// describes a corruption or a generated set lies outside its range.
var ErrParameter = errors.New("datasets: parameter out of range")

// A Corruption spoils data in a known way.
//
// Apply returns a corrupted copy of x (features × samples) and a mask of the
// same size that is 1 where the corruption struck and 0 elsewhere; x stays as
// it is. The same seed gives the same bits. A struck entry may keep its value
// by chance (a black pixel that is peppered): see Changed.
//
// The error is an ErrParameter if the corruption's own numbers are at fault
// and an ErrSize if they do not fit the size of x, or x is nil or empty.
type Corruption interface {
	Apply(x mat.Matrix, seed uint64) (y, mask *mat.Dense, err error)
}

// Each corruption draws from a stream of its own, so that two corruptions with
// the same seed do not strike the same entries.
const (
	streamGaussian = iota + 1
	streamLaplace
	streamSaltPepper
	streamBlock
	streamRemoval
	streamOutliers
	streamLabels
	streamLowRank
	streamLine
)

func generator(seed, stream uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, stream)) }

// Changed returns a mask that is 1 where x and y differ and 0 elsewhere.
// It panics if the sizes differ or one is nil.
func Changed(x, y mat.Matrix) *mat.Dense {
	mustBe(x)
	mustBe(y)
	m, n := x.Dims()
	if p, q := y.Dims(); p != m || q != n {
		panic(mat.ErrShape)
	}
	mask := mat.NewDense(m, n, nil)
	mask.Apply(func(i, j int, v float64) float64 {
		if v != y.At(i, j) {
			return 1
		}
		return 0
	}, x)
	return mask
}

// Gaussian adds normal noise of mean 0 and standard deviation Sigma, in the
// units of the data, to every entry.
//
// The RLS-NMF paper (section 5.3 and the caption of Fig. 3) adds noise of the variances
// 0.005², 0.010² and 0.015² to samples of length 1: Sigma is 0.005 to 0.015 there. The
// headers of its Tables 5 to 7 give 0.005 to 0.015 as variances, but such noise would
// hide pixels of 0.03.
//
// The result is clipped to Min..Max, where Max = 0 means no upper limit, so that data
// stay non-negative if both are 0. Clipping raises the mean of a black pixel by 0.4
// Sigma. With Min = math.Inf(-1) nothing is clipped below.
type Gaussian struct {
	Sigma    float64
	Min, Max float64
}

var _ Corruption = Gaussian{}

// Apply implements Corruption. The mask is all ones, or all zeros if Sigma is 0, also where
// values of the data were clipped.
func (g Gaussian) Apply(x mat.Matrix, seed uint64) (y, mask *mat.Dense, err error) {
	if err := positive("Sigma", g.Sigma); err != nil {
		return nil, nil, err
	}
	noise := distuv.Normal{Sigma: g.Sigma, Src: generator(seed, streamGaussian)}
	return addNoise(x, noise, g.Sigma, g.Min, g.Max)
}

// Laplace adds noise with the density exp(-|e|/Scale)/(2·Scale), in the units
// of the data, to every entry.
//
// The Truncated Cauchy paper (Section 5.2.1) adds Laplace(0, δ) to pixels in 0..255 and
// calls δ = 40, 80 ... 280 a deviation. Here Scale is the second parameter of Laplace(0,
// δ) in the usual notation, so that the standard deviation is √2·Scale. If δ is meant to
// be a standard deviation, set Scale to δ/√2. The paper does not say what happens to
// values below 0 or above 255.
//
// The result is clipped to Min..Max as that of Gaussian is; clipping at 0 raises the mean
// of a black pixel by Scale/2.
type Laplace struct {
	Scale    float64
	Min, Max float64
}

var _ Corruption = Laplace{}

// Apply implements Corruption. The mask is all ones, or all zeros if Scale is 0, also where
// values of the data were clipped.
func (l Laplace) Apply(x mat.Matrix, seed uint64) (y, mask *mat.Dense, err error) {
	if err := positive("Scale", l.Scale); err != nil {
		return nil, nil, err
	}
	noise := distuv.Laplace{Scale: l.Scale, Src: generator(seed, streamLaplace)}
	return addNoise(x, noise, l.Scale, l.Min, l.Max)
}

func addNoise(x mat.Matrix, noise interface{ Rand() float64 }, scale, lo, hi float64) (y, mask *mat.Dense, err error) {
	if hi == 0 {
		hi = math.Inf(1)
	}
	if !(lo <= hi) || math.IsInf(lo, 1) || math.IsInf(hi, -1) {
		return nil, nil, fmt.Errorf("%w: the range Min..Max is %g..%g, want Min ≤ Max with numbers between", ErrParameter, lo, hi)
	}
	y, mask, err = start(x)
	if err != nil {
		return nil, nil, err
	}
	data, struck := y.RawMatrix().Data, mask.RawMatrix().Data
	for k, v := range data {
		if scale != 0 {
			v += noise.Rand()
			struck[k] = 1
		}
		clipped := min(max(v, lo), hi)
		if math.IsInf(clipped, 0) && !math.IsInf(data[k], 0) {
			_, n := y.Dims()
			return nil, nil, fmt.Errorf("%w: noise of the scale %g makes entry (%d, %d) infinite", ErrParameter, scale, k/n, k%n)
		}
		data[k] = clipped
	}
	return y, mask, nil
}

// SaltPepper sets a share of the entries of each column to Low or to High,
// either with probability 1/2: exactly round(Share·rows) entries in each.
//
// If Low and High are both 0, High is the largest entry of the data. The
// Truncated Cauchy paper (Section 5.2.2) uses shares of 0.05 to 0.6 with 0 and
// the maximum pixel value.
type SaltPepper struct {
	Share     float64 // 0..1
	Low, High float64
}

var _ Corruption = SaltPepper{}

// Apply implements Corruption.
func (s SaltPepper) Apply(x mat.Matrix, seed uint64) (y, mask *mat.Dense, err error) {
	if err := inUnit(s.Share); err != nil {
		return nil, nil, err
	}
	if !finite(s.Low) || !finite(s.High) || s.Low > s.High {
		return nil, nil, fmt.Errorf("%w: Low is %g and High is %g, want finite numbers with Low ≤ High", ErrParameter, s.Low, s.High)
	}
	y, mask, err = start(x)
	if err != nil {
		return nil, nil, err
	}
	low, high := s.Low, s.High
	if low == 0 && high == 0 {
		if high = mat.Max(y); !finite(high) {
			return nil, nil, fmt.Errorf("%w: the largest entry of the data is %g: give Low and High", ErrParameter, high)
		}
	}
	rnd := generator(seed, streamSaltPepper)
	m, n := y.Dims()
	for j := range n {
		for _, i := range choose(rnd, m, s.Share) {
			v := low
			if rnd.Uint64()&1 == 1 {
				v = high
			}
			y.Set(i, j, v)
			mask.Set(i, j, 1)
		}
	}
	return y, mask, nil
}

// Block fills a square of Size × Size pixels with Value, at a place of its own
// in each image, drawn uniformly among those where it fits entirely.
//
// Columns are images of Height × Width in raster order. The Truncated Cauchy
// paper (Section 5.2.3) uses sizes of 10 to 22 and the value 550 on images of
// 32 × 32 with pixels in 0..255.
type Block struct {
	Size          int
	Value         float64
	Height, Width int
}

var _ Corruption = Block{}

// Apply implements Corruption.
func (b Block) Apply(x mat.Matrix, seed uint64) (y, mask *mat.Dense, err error) {
	if err := usable(x); err != nil {
		return nil, nil, err
	}
	m, n := x.Dims()
	if b.Height < 1 || b.Width < 1 || b.Height > m/b.Width || b.Height*b.Width != m {
		return nil, nil, fmt.Errorf("%w: images of %d×%d do not fit %d rows", ErrSize, b.Height, b.Width, m)
	}
	if b.Size < 0 || b.Size > min(b.Height, b.Width) {
		return nil, nil, fmt.Errorf("%w: a block of size %d does not fit into images of %d×%d", ErrParameter, b.Size, b.Height, b.Width)
	}
	if !finite(b.Value) {
		return nil, nil, fmt.Errorf("%w: Value is %g, want a finite number", ErrParameter, b.Value)
	}
	y, mask, err = start(x)
	if err != nil {
		return nil, nil, err
	}
	rnd := generator(seed, streamBlock)
	for j := range n {
		top, left := rnd.IntN(b.Height-b.Size+1), rnd.IntN(b.Width-b.Size+1)
		for r := top; r < top+b.Size; r++ {
			for c := left; c < left+b.Size; c++ {
				y.Set(r*b.Width+c, j, b.Value)
				mask.Set(r*b.Width+c, j, 1)
			}
		}
	}
	return y, mask, nil
}

// Removal sets a share of all entries to 0: exactly round(Share·rows·columns).
// The mask is 1 where an entry is missing; see Observed.
//
// The RLS-NMF paper (Section 5.2) removes 20, 40 and 60 %.
type Removal struct {
	Share float64 // 0..1
}

var _ Corruption = Removal{}

// Apply implements Corruption.
func (r Removal) Apply(x mat.Matrix, seed uint64) (y, mask *mat.Dense, err error) {
	if err := inUnit(r.Share); err != nil {
		return nil, nil, err
	}
	y, mask, err = start(x)
	if err != nil {
		return nil, nil, err
	}
	data, struck := y.RawMatrix().Data, mask.RawMatrix().Data
	for _, k := range choose(generator(seed, streamRemoval), len(data), r.Share) {
		data[k] = 0
		struck[k] = 1
	}
	return y, mask, nil
}

// Observed returns 1 - mask, which is 1 for entries that the corruption has spared. This
// is the form in which a model takes missing entries. It panics if the mask is nil.
func Observed(mask mat.Matrix) *mat.Dense {
	mustBe(mask)
	m, n := mask.Dims()
	seen := mat.NewDense(m, n, nil)
	seen.Apply(func(_, _ int, v float64) float64 { return 1 - v }, mask)
	return seen
}

// Known returns 1 where x is a number and 0 where it is NaN: the mask of data with
// missing values. It panics if x is nil.
func Known(x mat.Matrix) *mat.Dense {
	mustBe(x)
	m, n := x.Dims()
	known := mat.NewDense(m, n, nil)
	known.Apply(func(_, _ int, v float64) float64 {
		if math.IsNaN(v) {
			return 0
		}
		return 1
	}, x)
	return known
}

// An OutlierKind says what takes the place of a spoiled sample.
type OutlierKind int

const (
	// UniformNoise draws each entry uniformly from 0..Max.
	UniformNoise OutlierKind = iota
	// PermutedEntries shuffles the sample's own entries: its values keep their
	// distribution, but their places mean nothing.
	PermutedEntries
)

// String returns the kind in words.
func (k OutlierKind) String() string {
	switch k {
	case UniformNoise:
		return "uniform noise"
	case PermutedEntries:
		return "permuted entries"
	}
	return fmt.Sprintf("OutlierKind(%d)", int(k))
}

// OutlierSamples spoils whole columns: exactly round(Share·columns). The mask
// is 1 in all of such a column. Max, of use to UniformNoise only, is the
// largest entry of the data if it is 0.
type OutlierSamples struct {
	Share float64 // 0..1
	Kind  OutlierKind
	Max   float64
}

var _ Corruption = OutlierSamples{}

// Apply implements Corruption.
func (o OutlierSamples) Apply(x mat.Matrix, seed uint64) (y, mask *mat.Dense, err error) {
	if err := inUnit(o.Share); err != nil {
		return nil, nil, err
	}
	if err := positive("Max", o.Max); err != nil {
		return nil, nil, err
	}
	if o.Kind != UniformNoise && o.Kind != PermutedEntries {
		return nil, nil, fmt.Errorf("%w: the Kind %v is not one of this package", ErrParameter, o.Kind)
	}
	y, mask, err = start(x)
	if err != nil {
		return nil, nil, err
	}
	top := o.Max
	if top == 0 && o.Kind == UniformNoise {
		if top = mat.Max(y); !finite(top) {
			return nil, nil, fmt.Errorf("%w: the largest entry of the data is %g: give Max", ErrParameter, top)
		}
	}
	rnd := generator(seed, streamOutliers)
	m, n := y.Dims()
	column := make([]float64, m)
	for _, j := range choose(rnd, n, o.Share) {
		mat.Col(column, j, y)
		if o.Kind == PermutedEntries {
			rnd.Shuffle(m, func(a, b int) { column[a], column[b] = column[b], column[a] })
		} else {
			for i := range column {
				column[i] = top * rnd.Float64()
			}
		}
		y.SetCol(j, column)
		for i := range m {
			mask.Set(i, j, 1)
		}
	}
	return y, mask, nil
}

// start returns a copy of x and an empty mask.
func start(x mat.Matrix) (y, mask *mat.Dense, err error) {
	if err := usable(x); err != nil {
		return nil, nil, err
	}
	m, n := x.Dims()
	if m == 0 || n == 0 {
		return nil, nil, fmt.Errorf("%w: no data to corrupt", ErrSize)
	}
	return mat.DenseCopyOf(x), mat.NewDense(m, n, nil), nil
}

// mustBe panics unless x is usable.
func mustBe(x mat.Matrix) {
	if err := usable(x); err != nil {
		panic(err)
	}
}

// usable returns an error for a matrix that is nil, or a Sparse whose parts do not fit together.
func usable(x mat.Matrix) error {
	if isnil.Matrix(x) {
		return fmt.Errorf("%w: X is nil", ErrSize)
	}
	for {
		switch v := x.(type) {
		case *sparse.Matrix:
			return v.Check()
		case mat.Untransposer:
			x = v.Untranspose()
			continue
		}
		return nil
	}
}

// choose draws round(share·n) of the numbers 0..n-1, without replacement.
func choose(rnd *rand.Rand, n int, share float64) []int {
	return rnd.Perm(n)[:int(math.Round(share*float64(n)))]
}

func inUnit(share float64) error {
	if !(share >= 0 && share <= 1) {
		return fmt.Errorf("%w: share %g is not in 0..1", ErrParameter, share)
	}
	return nil
}

func positive(what string, v float64) error {
	if !(v >= 0) || math.IsInf(v, 1) {
		return fmt.Errorf("%w: %s is %g, want a finite number of 0 or more", ErrParameter, what, v)
	}
	return nil
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
