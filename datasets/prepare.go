package datasets

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets/sparse"
)

// ErrValue is returned where a value is outside the range of an operation, such as a
// logarithm of a negative number; the message names its feature and sample.
var ErrValue = errors.New("datasets: value out of range")

// A Preprocessor is one thing that is done to data before a factorisation: Log1p, SampleSums,
// ScaleFeatures, ShiftFeatures, SplitSigns, MostVariable or FillMissing. Missing values
// (NaN) stay missing in all others, and count in none: a model takes Set.Mask. Of a Sparse set the
// zeros stay where they are, so Range, RobustRange, ShiftFeatures, SplitSigns and FillMissing are
// ErrParameter for it where they would change them.
type Preprocessor interface {
	// learn returns what the step does, by the data.
	learn(s *Set) (Prepared, error)
}

// Log1p takes log(1 + x) of each value, which brings counts closer together. Values must
// be above -1. Parts of such data do not add in the original units, but multiply.
type Log1p struct{}

// SampleSums scales each sample to the same sum, so that large samples, such as cells with
// more reads or longer documents, count like small ones; the sum is To or, where that is
// 0, the median of the sums. Values must not be negative; samples of zeros stay.
type SampleSums struct{ To float64 }

// A Measure is what ScaleFeatures divides by.
type Measure int

const (
	// Largest divides by the largest absolute value.
	Largest Measure = iota
	// Range takes the smallest value off and divides by the range, so that values lie in
	// 0..1. New data may lie outside.
	Range
	// Deviation divides by the standard deviation, of the whole population, and does not
	// centre, so that nothing becomes negative.
	Deviation
	// RobustRange is Range without the values that are more than five standard deviations from
	// the median, with 1.4826 times the median distance from the median for the standard
	// deviation: a few wrong values do not change what becomes of the others. They themselves
	// become less than 0 or more than 1, so a model must be Signed where one is too small. Where
	// half of the values of a feature are the same, it is Range.
	RobustRange
	// MedianDeviation divides by 1.4826 times the median distance from the median, which is the
	// standard deviation of normal data, and does not centre. Where half of the values of a
	// feature are the same, it is Deviation.
	MedianDeviation
)

// ScaleFeatures brings features that are measured in different units to one range, so
// that those with large numbers do not dominate. A constant feature is left as it is, or
// becomes 0 under Range and RobustRange. Where a few values of a feature stretch the measure so that
// the others become equal within a hundredth, the set's Notes name the feature: RobustRange and
// MedianDeviation do not follow such values.
type ScaleFeatures struct{ By Measure }

// ShiftFeatures adds a number to each feature that has negative values, so that its
// smallest value becomes 0. Zero then has another meaning: parts describe what is above
// the smallest value. New data below that value stay negative.
type ShiftFeatures struct{}

// SplitSigns makes two features of each, what is above zero and what is below, without
// its sign: those that are named "x+" come first, and after all of them those named "x-".
// Zeros stay zeros; parts may hold both.
type SplitSigns struct{}

// MostVariable keeps the Count features of largest variance, or with ByMean of largest
// variance over mean, as is usual for counts. It comes before SplitSigns.
type MostVariable struct {
	Count  int
	ByMean bool
}

// FillMissing puts the median of a feature where a value is missing. Use it only where
// few values are missing: a model with the mask of Set.Mask leaves missing values out in
// place of making them up.
type FillMissing struct{}

// A Preparation records what Prepare did, so that Apply does the same to new data, and
// Undo and Parts lead back. It can be stored by encoding/json.
type Preparation struct {
	Rows            int      // features of the original
	Height, Width   int      `json:",omitempty"` // of images; 0 if they are none
	Features, Units []string `json:",omitempty"` // their names and units; nil if unknown
	Steps           []Prepared
}

// Prepared is a step as it was done. One of its kinds is set.
type Prepared struct {
	Log1p         bool      `json:",omitempty"`
	Sum           float64   `json:",omitempty"` // of each sample
	Offset, Scale []float64 `json:",omitempty"` // of each feature: (x - Offset) / Scale
	Split         bool      `json:",omitempty"`
	Keep          []int     `json:",omitempty"` // features, in order
	Fill          []float64 `json:",omitempty"` // of each feature
}

// String tells the step in words.
func (p Prepared) String() string {
	switch {
	case p.Log1p:
		return "log(1 + x)"
	case p.Sum > 0:
		return fmt.Sprintf("samples scaled to the sum %.4g", p.Sum)
	case p.Scale != nil:
		return "features shifted and scaled"
	case p.Split:
		return "features split by sign"
	case p.Keep != nil:
		return fmt.Sprintf("%d features kept", len(p.Keep))
	}
	return "missing values filled in"
}

// String tells the steps in words.
func (p *Preparation) String() string {
	words := make([]string, len(p.Steps))
	for k, step := range p.Steps {
		words[k] = step.String()
	}
	return fmt.Sprintf("%d features: %s", p.Rows, strings.Join(words, ", "))
}

// Prepare does the steps in their order and returns the set that they make, and the
// record of them.
//
// Errors are ErrValue with the name of the feature and the sample, ErrParameter for a
// step that makes no sense, or that of Check.
func Prepare(s *Set, steps ...Preprocessor) (*Set, *Preparation, error) {
	if err := s.Check(); err != nil {
		return nil, nil, err
	}
	if err := s.infinite(); err != nil {
		return nil, nil, err
	}
	m, _ := s.Dims()
	p := &Preparation{Rows: m, Height: s.Height, Width: s.Width, Features: slices.Clone(s.Features), Units: slices.Clone(s.Units)}
	t := s.copied()
	split := false
	for _, step := range steps {
		var done Prepared
		err := fmt.Errorf("%w: the step is nil", ErrParameter)
		if step != nil {
			done, err = step.learn(t)
		}
		if err == nil && split && (done.Keep != nil || done.Split) {
			err = fmt.Errorf("%w: it must come before SplitSigns, which can come only once", ErrParameter)
		}
		if err == nil {
			err = done.apply(t)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%T: %w", step, err)
		}
		split = split || done.Split
		p.Steps = append(p.Steps, done)
	}
	return t, p, nil
}

// copied returns the set with a matrix of its own.
func (s *Set) copied() *Set {
	t := s.clone()
	if s.Sparse != nil {
		t.Sparse = &sparse.Matrix{Rows: s.Sparse.Rows, Cols: s.Sparse.Cols, Start: s.Sparse.Start, Row: s.Sparse.Row, Value: slices.Clone(s.Sparse.Value)}
		return t
	}
	t.X = mat.DenseCopyOf(s.X)
	return t
}

// Apply does to new data of the same features what was done to the first. The sums,
// scales, shifts, medians and the choice of features are those of the first data.
//
// Errors are ErrValue, and ErrSize for other features, by number or by name.
func (p *Preparation) Apply(s *Set) (*Set, error) {
	if _, err := p.check(); err != nil {
		return nil, err
	}
	if err := s.Check(); err != nil {
		return nil, err
	}
	if m, _ := s.Dims(); m != p.Rows {
		return nil, fmt.Errorf("%w: the set has %d features, but the prepared one had %d", ErrSize, m, p.Rows)
	}
	if p.Features != nil && s.Features != nil {
		for i, name := range s.Features {
			if name != p.Features[i] {
				return nil, fmt.Errorf("%w: feature %d is %q, but was %q: bring them in order by PickFeatures", ErrSize, i, name, p.Features[i])
			}
		}
	}
	if err := s.infinite(); err != nil {
		return nil, err
	}
	t := s.copied()
	for _, step := range p.Steps {
		if err := step.apply(t); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// Undo returns prepared data, or what a model makes of them (WH), in the original units:
// a column is a sample. Features that were not kept are left out, what was filled in
// stays, and samples stay at the sum that they were scaled to.
//
// Errors are ErrSize, and ErrValue where a value has become too large.
func (p *Preparation) Undo(x mat.Matrix) (*Set, error) { return p.undo(x, false) }

// Parts returns the parts of a model of prepared data (W; a column is a part) in the
// original units. An offset that was subtracted is not added again, as parts add to it.
// Parts of data under Log1p multiply in the original units, so it goes back only to
// Log1p, and the Units say so.
//
// Errors are those of Undo.
func (p *Preparation) Parts(w mat.Matrix) (*Set, error) { return p.undo(w, true) }

func (p *Preparation) undo(y mat.Matrix, parts bool) (*Set, error) {
	rows, err := p.check()
	if err != nil {
		return nil, err
	}
	if err := usable(y); err != nil {
		return nil, err
	}
	m, n := y.Dims()
	if m != len(rows) || n == 0 {
		return nil, fmt.Errorf("%w: the matrix is %d×%d, but the prepared data have %d rows", ErrSize, m, n, len(rows))
	}
	s := &Set{X: mat.DenseCopyOf(y)}
	var of []int // the feature of a row, at the step that is being undone; nil: the same
	at := func(i int) int {
		if of == nil {
			return i
		}
		return of[i]
	}
	logs := false
	for _, step := range slices.Backward(p.Steps) {
		m, _ := s.X.Dims()
		switch {
		case step.Keep != nil:
			now := make([]int, m)
			for i := range now {
				now[i] = step.Keep[at(i)]
			}
			of = now
		case step.Split:
			x := mat.NewDense(m/2, n, nil)
			if logs {
				return nil, fmt.Errorf("%w: parts of logarithms that were split by sign have no units", ErrParameter)
			}
			x.Sub(s.X.Slice(0, m/2, 0, n), s.X.Slice(m/2, m, 0, n))
			s.X = x
		case logs:
		case step.Log1p && parts:
			logs = true
		case step.Log1p:
			s.X.Apply(func(_, _ int, v float64) float64 { return math.Expm1(v) }, s.X)
		case step.Scale != nil:
			s.X.Apply(func(i, _ int, v float64) float64 {
				if v *= step.Scale[at(i)]; !parts {
					v += step.Offset[at(i)]
				}
				return v
			}, s.X)
		}
	}
	m, _ = s.X.Dims()
	if of == nil {
		s.Height, s.Width = p.Height, p.Width
	}
	for i := range m {
		if p.Features != nil {
			s.Features = append(s.Features, p.Features[at(i)])
		}
		switch {
		case logs && (p.Units == nil || p.Units[at(i)] == ""):
			s.Units = append(s.Units, "log(1 + x)")
		case logs:
			s.Units = append(s.Units, fmt.Sprintf("log(1 + x / %s)", p.Units[at(i)]))
		case p.Units != nil:
			s.Units = append(s.Units, p.Units[at(i)])
		}
	}
	if err := s.infinite(); err != nil {
		return nil, err
	}
	return s, s.Check()
}

// check returns the features that the rows come from at last, or what is wrong with a
// record, which may be read from a file.
func (p *Preparation) check() ([]int, error) {
	bad := func(k int, what string) ([]int, error) {
		return nil, fmt.Errorf("%w: step %d of a preparation: %s", ErrParameter, k, what)
	}
	if p.Rows < 1 || p.Features != nil && len(p.Features) != p.Rows || p.Units != nil && len(p.Units) != p.Rows {
		return nil, fmt.Errorf("%w: a preparation of %d features, %d names and %d units", ErrParameter, p.Rows, len(p.Features), len(p.Units))
	}
	rows := make([]int, p.Rows)
	for i := range rows {
		rows[i] = i
	}
	split := false
	for k, step := range p.Steps {
		if len(step.Offset) != len(step.Scale) {
			return bad(k, "there are not as many offsets as scales")
		}
		for _, of := range [][]float64{step.Scale, step.Offset, step.Fill} {
			if of != nil && (len(of) != len(rows) || slices.ContainsFunc(of, func(v float64) bool { return !finite(v) })) {
				return bad(k, "it has not one finite number for each feature")
			}
		}
		if slices.ContainsFunc(step.Scale, func(v float64) bool { return v <= 0 }) || !(step.Sum >= 0) || math.IsInf(step.Sum, 0) {
			return bad(k, "a scale or sum is not positive")
		}
		if split && (step.Keep != nil || step.Split) {
			return bad(k, "it comes after a split of signs")
		}
		if step.Keep != nil {
			now := make([]int, len(step.Keep))
			for to, i := range step.Keep {
				if i < 0 || i >= len(rows) {
					return bad(k, "it keeps a feature that there is not")
				}
				now[to] = rows[i]
			}
			if rows = now; len(rows) == 0 {
				return bad(k, "it keeps no feature")
			}
		}
		if step.Split {
			rows, split = slices.Concat(rows, rows), true
		}
	}
	return rows, nil
}

// infinite returns ErrValue for the first infinite value.
func (s *Set) infinite() error {
	return s.each(func(i, j int, v float64) error {
		if math.IsInf(v, 0) {
			return s.wrong(i, j, v, "is infinite")
		}
		return nil
	})
}

// each calls f for all values but those that are missing, and the zeros of a sparse matrix, until
// it returns an error.
func (s *Set) each(f func(i, j int, v float64) error) error {
	if x := s.Sparse; x != nil {
		for j := range x.Cols {
			for k := x.Start[j]; k < x.Start[j+1]; k++ {
				if math.IsNaN(x.Value[k]) {
					continue
				}
				if err := f(int(x.Row[k]), j, x.Value[k]); err != nil {
					return err
				}
			}
		}
		return nil
	}
	m, _ := s.X.Dims()
	for i := range m {
		for j, v := range s.X.RawRowView(i) {
			if math.IsNaN(v) {
				continue
			}
			if err := f(i, j, v); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Set) wrong(i, j int, v float64, why string) error {
	return fmt.Errorf("%w: %.4g, %s of %s, %s", ErrValue, v, s.FeatureName(i), s.SampleName(j), why)
}

// features returns a function that gives the values of feature i that are not missing; into is
// memory for them.
func (s *Set) features() func(i int, into []float64) []float64 {
	if s.Sparse != nil {
		rows := s.Sparse.Transposed()
		return func(i int, into []float64) []float64 {
			stored := rows.Value[rows.Start[i]:rows.Start[i+1]]
			into = slices.DeleteFunc(append(into[:0], stored...), math.IsNaN)
			return append(into, make([]float64, rows.Rows-len(stored))...)
		}
	}
	return func(i int, into []float64) []float64 {
		into = into[:0]
		for _, v := range s.X.RawRowView(i) {
			if !math.IsNaN(v) {
				into = append(into, v)
			}
		}
		return into
	}
}

// change puts f(i, j, v) in the place of each value of s, whose matrix is its own. Of a sparse
// matrix the zeros stay, so f must keep them.
func (s *Set) change(f func(i, j int, v float64) float64) {
	if x := s.Sparse; x != nil {
		for j := range x.Cols {
			for k := x.Start[j]; k < x.Start[j+1]; k++ {
				x.Value[k] = f(int(x.Row[k]), j, x.Value[k])
			}
		}
		return
	}
	s.X.Apply(f, s.X)
}

// apply does the step to s, whose X is changed.
func (p Prepared) apply(s *Set) error {
	m, n := s.Dims()
	if s.Sparse != nil && (p.Split || p.Fill != nil || slices.ContainsFunc(p.Offset, func(v float64) bool { return v != 0 })) {
		return fmt.Errorf("%w: the step would fill in the zeros of a sparse matrix: Set.Dense does so before", ErrParameter)
	}
	if p.Split || p.Keep != nil || p.Scale != nil || p.Log1p || p.Sum > 0 {
		s.Units = nil
	}
	switch {
	case p.Log1p:
		err := s.each(func(i, j int, v float64) error {
			if v <= -1 {
				return s.wrong(i, j, v, "has no log(1 + x): put ShiftFeatures or SplitSigns before Log1p")
			}
			return nil
		})
		if err != nil {
			return err
		}
		s.change(func(_, _ int, v float64) float64 { return math.Log1p(v) })
		s.Max = math.Log1p(s.Max)
	case p.Sum > 0:
		sums, err := s.sums()
		if err != nil {
			return err
		}
		s.change(func(_, j int, v float64) float64 {
			if sums[j] > 0 {
				return v / sums[j] * p.Sum
			}
			return v
		})
		s.Max = 0
	case p.Scale != nil:
		s.change(func(i, _ int, v float64) float64 { return (v - p.Offset[i]) / p.Scale[i] })
		s.Max = 0
	case p.Split:
		x := mat.NewDense(2*m, n, nil)
		for i := range m {
			for j, v := range s.X.RawRowView(i) {
				// -0 would be one; and NaN stays on both sides.
				x.Set(i, j, max(v, 0))
				x.Set(m+i, j, max(-v, 0))
			}
		}
		names := make([]string, 2*m)
		for i := range m {
			name := s.FeatureName(i)
			names[i], names[m+i] = name+"+", name+"-"
		}
		s.X, s.Features, s.Height, s.Width = x, names, 0, 0
	case p.Keep != nil:
		t, err := s.PickFeatures(p.Keep)
		if err != nil {
			return err
		}
		*s = *t
	case p.Fill != nil:
		s.X.Apply(func(i, _ int, v float64) float64 {
			if math.IsNaN(v) {
				return p.Fill[i]
			}
			return v
		}, s.X)
	}
	return s.infinite()
}

// sums returns the sum of each sample.
func (s *Set) sums() ([]float64, error) {
	_, n := s.Dims()
	sums := make([]float64, n)
	err := s.each(func(i, j int, v float64) error {
		if v < 0 {
			return s.wrong(i, j, v, "is negative, so sums cannot be scaled: put ShiftFeatures or SplitSigns before SampleSums")
		}
		if sums[j] += v; math.IsInf(sums[j], 0) {
			return s.wrong(i, j, v, "makes the sum of its sample infinite")
		}
		return nil
	})
	return sums, err
}

func (Log1p) learn(*Set) (Prepared, error) { return Prepared{Log1p: true}, nil }

func (l SampleSums) learn(s *Set) (Prepared, error) {
	sums, err := s.sums()
	if err != nil {
		return Prepared{}, err
	}
	to := l.To
	if to == 0 {
		to = median(slices.DeleteFunc(sums, func(v float64) bool { return v == 0 }))
	}
	if !(to > 0) || math.IsInf(to, 0) {
		return Prepared{}, fmt.Errorf("%w: SampleSums.To is %g, want a finite number of 0 or more", ErrParameter, to)
	}
	return Prepared{Sum: to}, nil
}

// median returns the median, or NaN of nothing; it sorts.
func median(v []float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	slices.Sort(v)
	k := len(v) / 2
	if len(v)%2 == 1 {
		return v[k]
	}
	return v[k-1]/2 + v[k]/2
}

func (l ScaleFeatures) learn(s *Set) (Prepared, error) {
	if l.By < Largest || l.By > MedianDeviation {
		return Prepared{}, fmt.Errorf("%w: ScaleFeatures.By is %d, want Largest, Range, Deviation, RobustRange or MedianDeviation", ErrParameter, l.By)
	}
	m, n := s.Dims()
	p := Prepared{Offset: make([]float64, m), Scale: make([]float64, m)}
	values, feature := make([]float64, 0, n), s.features()
	var stretched []int
	for i := range m {
		p.Scale[i] = 1
		if values = feature(i, values); len(values) == 0 {
			continue
		}
		offset, scale := l.By.of(values)
		if math.IsInf(scale, 0) {
			return Prepared{}, fmt.Errorf("%w: the range of %s is infinite", ErrValue, s.FeatureName(i))
		}
		if _, spread := medianDeviation(values); spread > 0 && l.By <= Deviation && scale > stretch*spread {
			stretched = append(stretched, i)
		}
		if p.Offset[i] = offset; scale > 0 {
			p.Scale[i] = scale
		}
	}
	if stretched != nil {
		s.noted("warning: values far from all others stretch the scale of %s more than a hundredfold, so that the others become nearly equal: RobustRange and MedianDeviation do not follow them", s.someFeatures(stretched))
	}
	return p, nil
}

const (
	// bulk is how many standard deviations from the median RobustRange takes for the range of the
	// data.
	bulk = 5
	// stretch is how many standard deviations of the bulk a scale may be: a hundred times the five
	// that the bulk of most data spans.
	stretch = 500
)

// of returns what is taken off the values, of which there is one or more, and what they are divided
// by, 0 for a constant.
func (by Measure) of(values []float64) (offset, scale float64) {
	center, spread := 0.0, 0.0
	if by >= RobustRange {
		center, spread = medianDeviation(values)
	}
	switch {
	case by == Largest:
		return 0, largest(values)
	case by == MedianDeviation && spread > 0:
		return 0, spread
	case by == Deviation || by == MedianDeviation:
		return 0, math.Sqrt(variance(values)) * largest(values)
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if spread == 0 || math.Abs(v-center) <= bulk*spread {
			low, high = min(low, v), max(high, v)
		}
	}
	return low, high - low
}

// medianDeviation returns the median of values, and 1.4826 times their median distance from it.
func medianDeviation(values []float64) (center, spread float64) {
	sorted := slices.Clone(values)
	center = median(sorted)
	for i, v := range sorted {
		sorted[i] = math.Abs(v - center)
	}
	return center, 1.4826 * median(sorted)
}

// someFeatures names some features, and counts the others.
func (s *Set) someFeatures(rows []int) string {
	var names []string
	for _, i := range rows[:min(3, len(rows))] {
		names = append(names, s.FeatureName(i))
	}
	text := strings.Join(names, ", ")
	if len(rows) > len(names) {
		text += fmt.Sprintf(" and %d more", len(rows)-len(names))
	}
	return text
}

func largest(values []float64) float64 { return max(slices.Max(values), -slices.Min(values)) }

// variance returns that of the values over the largest, whose square may be infinite; 0 of
// nothing.
func variance(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	top := largest(values)
	if top == 0 || slices.Min(values) == slices.Max(values) {
		return 0
	}
	n := float64(len(values))
	mean, square := 0.0, 0.0
	for _, v := range values {
		mean += v / top / n
	}
	for _, v := range values {
		d := v/top - mean
		square += d * d / n
	}
	return square
}

func (ShiftFeatures) learn(s *Set) (Prepared, error) {
	m, n := s.Dims()
	p := Prepared{Offset: make([]float64, m), Scale: make([]float64, m)}
	values, feature := make([]float64, 0, n), s.features()
	for i := range m {
		p.Scale[i] = 1
		if values = feature(i, values); len(values) > 0 {
			p.Offset[i] = min(0, slices.Min(values))
		}
	}
	return p, nil
}

func (SplitSigns) learn(*Set) (Prepared, error) { return Prepared{Split: true}, nil }

func (l MostVariable) learn(s *Set) (Prepared, error) {
	m, n := s.Dims()
	if l.Count < 1 {
		return Prepared{}, fmt.Errorf("%w: MostVariable.Count is %d, want 1 or more", ErrParameter, l.Count)
	}
	// In logarithms, as squares may be infinite.
	spread := make([]float64, m)
	values, feature := make([]float64, 0, n), s.features()
	for i := range m {
		values = feature(i, values)
		if spread[i] = math.Inf(-1); len(values) == 0 {
			continue
		}
		top := largest(values)
		if spread[i] = math.Log(variance(values)) + 2*math.Log(top); top == 0 {
			spread[i] = math.Inf(-1)
			continue
		}
		if l.ByMean {
			mean := 0.0
			for _, v := range values {
				mean += v / top / float64(len(values))
			}
			if mean <= 0 {
				return Prepared{}, fmt.Errorf("%w: the mean of %s is not positive, so its variance cannot be divided by it", ErrValue, s.FeatureName(i))
			}
			spread[i] -= math.Log(mean) + math.Log(top)
		}
	}
	keep := make([]int, m)
	for i := range keep {
		keep[i] = i
	}
	slices.SortStableFunc(keep, func(a, b int) int { return cmp.Compare(spread[b], spread[a]) })
	keep = keep[:min(l.Count, m)]
	slices.Sort(keep)
	return Prepared{Keep: keep}, nil
}

func (FillMissing) learn(s *Set) (Prepared, error) {
	m, n := s.Dims()
	p := Prepared{Fill: make([]float64, m)}
	values, feature := make([]float64, 0, n), s.features()
	for i := range m {
		if values = feature(i, values); len(values) == 0 {
			return Prepared{}, fmt.Errorf("%w: %s is missing in all samples: leave it out by PickFeatures", ErrValue, s.FeatureName(i))
		}
		p.Fill[i] = median(values)
	}
	return p, nil
}
