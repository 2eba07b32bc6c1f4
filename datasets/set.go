package datasets

import (
	"cmp"
	"errors"
	"fmt"
	"image"
	"image/color"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets/internal/limit"
	"github.com/robustnmf/robustnmf/datasets/sparse"
	"github.com/robustnmf/robustnmf/internal/isnil"
)

var (
	// ErrColumn is returned when a column index lies outside the set.
	ErrColumn = limit.ErrColumn
	// ErrNoLabels is returned when an operation needs the classes of a set
	// that has none.
	ErrNoLabels = errors.New("datasets: the set has no labels")
	// ErrNotImages is returned when an operation needs images and the samples
	// are something else.
	ErrNotImages = errors.New("datasets: the samples are not images")
	// ErrSize is returned when the size of an image, a sample or a set is
	// impossible, or when sizes that must agree do not.
	ErrSize = limit.ErrSize
)

// A Set is a data matrix with all that is needed to show its samples and to judge
// results.
//
// Methods never modify their receiver. A Set that they return has data of its own, but
// shares names that do not change.
type Set struct {
	Name string
	// X is features × samples: a column is a sample. The pixels of an image
	// come in raster order: pixel (r, c) is row r*Width+c. A value that is missing is NaN, and
	// Mask is made of that.
	X *mat.Dense
	// Sparse takes the place of X, which is nil then, where Open keeps a sparse matrix without its
	// zeros. Pick, PickFeatures and most steps of Prepare keep it so, and Dense fills the zeros in.
	// Other methods return ErrSize.
	Sparse *sparse.Matrix
	// Labels holds one class for each column, 0..len(Classes)-1;
	// nil if unknown.
	Labels  []int
	Classes []string
	// Samples and Features are the names of the columns and of the rows of X, and Units
	// the units of the features; nil if unknown. SampleName and FeatureName have a name
	// for each, known or not. Readers give names of valid UTF-8 and at most 4096 bytes.
	Samples, Features, Units []string
	// Height and Width are those of an image; 0 if the samples are no images.
	Height, Width int
	// Max is the largest possible value: 255, 1, 16 ...; 0 if unknown.
	Max    float64
	Credit string // source and licence or terms
	// Notes tell what a reader had to guess about the file, or left out, and what is odd about the
	// values, one sentence each; nil if nothing.
	Notes []string
}

// checked returns a set that was read, with names that differ, or what is wrong with it alone.
func (s *Set) checked() (*Set, error) {
	if err := s.distinct(); err != nil {
		return nil, err
	}
	if err := s.Check(); err != nil {
		return nil, err
	}
	return s, nil
}

// Check returns an error if the parts of the set do not fit together: labels
// that are no classes, or not one for each column, names that are not one for each
// column or row, or an image size that is not the number of rows.
func (s *Set) Check() error {
	m, n := s.Dims()
	if m == 0 || n == 0 {
		return fmt.Errorf("%w: %q holds no data", ErrSize, s.Name)
	}
	if s.Sparse != nil {
		if s.X != nil {
			return fmt.Errorf("%w: %q has both X and Sparse", ErrSize, s.Name)
		}
		if err := s.Sparse.Check(); err != nil {
			return err
		}
	}
	if s.Labels != nil {
		if len(s.Labels) != n {
			hint := ""
			if len(s.Labels) == m {
				hint = ", and as many rows: a column is a sample, which Columns of a reader's layout is about"
			}
			return fmt.Errorf("%w: %q has %d labels for %d columns%s", ErrSize, s.Name, len(s.Labels), n, hint)
		}
		for j, l := range s.Labels {
			if l < 0 || l >= len(s.Classes) {
				return fmt.Errorf("%w: label %d of column %d of %q is not one of its %d classes", ErrSize, l, j, s.Name, len(s.Classes))
			}
		}
	}
	for _, names := range []struct {
		of  []string
		to  int
		who string
	}{{s.Samples, n, "samples"}, {s.Features, m, "features"}, {s.Units, m, "units of features"}} {
		if names.of != nil && len(names.of) != names.to {
			return fmt.Errorf("%w: %q has %d names of %s for %d", ErrSize, s.Name, len(names.of), names.who, names.to)
		}
	}
	if (s.Height != 0 || s.Width != 0) && (s.Height <= 0 || s.Width <= 0 || s.Height > m/s.Width || s.Height*s.Width != m) {
		hint := ""
		if n == s.Height*s.Width {
			hint = fmt.Sprintf(", and %d columns: X is transposed, as a column is a sample (Columns of a reader's layout)", n)
		}
		return fmt.Errorf("%w: images of %d×%d in %q with %d rows%s", ErrSize, s.Height, s.Width, s.Name, m, hint)
	}
	return nil
}

// checkDense is Check for what needs X.
func (s *Set) checkDense() error {
	if s.X == nil && s.Sparse != nil {
		return fmt.Errorf("%w: %q is sparse: Set.Dense fills its zeros in, Pick and PickFeatures make it smaller", ErrSize, s.Name)
	}
	return s.Check()
}

// Dims returns the numbers of features and of samples, 0 if there are no data.
func (s *Set) Dims() (features, samples int) {
	switch {
	case s.X != nil && !s.X.IsEmpty():
		return s.X.Dims()
	case s.X == nil && s.Sparse != nil:
		return s.Sparse.Dims()
	}
	return 0, 0
}

// Mask returns 1 where a value is known and 0 where it is missing (NaN), or nil if none is: what
// Model.Mask, and fields of that name elsewhere, take. It is nil for a Sparse set, too: fits of sparse
// matrices take no mask, and refuse what is missing, so make it Dense before.
func (s *Set) Mask() mat.Matrix {
	if s.X == nil {
		return nil
	}
	m, _ := s.X.Dims()
	for i := range m {
		if slices.ContainsFunc(s.X.RawRowView(i), math.IsNaN) {
			return Known(s.X)
		}
	}
	return nil
}

// Dense returns the set with the zeros of a sparse matrix filled in, or the set itself if it has X.
// Errors are those of sparse.Matrix.Dense and of Check.
func (s *Set) Dense() (*Set, error) {
	if err := s.Check(); err != nil || s.Sparse == nil {
		return s, err
	}
	t := *s
	var err error
	if t.X, err = s.Sparse.Dense(); err != nil {
		return nil, fmt.Errorf("%q: %w", s.Name, err)
	}
	t.Sparse = nil
	return &t, nil
}

// String returns a line that sums the set up, and one for each of the Notes.
func (s *Set) String() string {
	m, n := s.Dims()
	if m == 0 {
		return fmt.Sprintf("%s: empty", cmp.Or(s.Name, "set"))
	}
	what := "features"
	if s.isImage() {
		what = fmt.Sprintf("pixels (images %d×%d)", s.Height, s.Width)
	}
	line := fmt.Sprintf("%s: %d %s × %d samples", cmp.Or(s.Name, "set"), m, what, n)
	if s.Labels != nil {
		line += fmt.Sprintf(", %d classes", len(s.Classes))
	}
	if s.Sparse != nil {
		line += fmt.Sprintf(", %d entries that are not 0 (%.2g %%)", len(s.Sparse.Value), 100*float64(len(s.Sparse.Value))/float64(m)/float64(n))
		missing := 0
		for _, v := range s.Sparse.Value {
			if math.IsNaN(v) {
				missing++
			}
		}
		if missing > 0 {
			line += fmt.Sprintf(", %d missing", missing)
		}
	} else {
		lo, hi, missing := s.valueRange()
		if missing < m*n {
			line += fmt.Sprintf(", values %.4g to %.4g", lo, hi)
		}
		if missing > 0 {
			line += fmt.Sprintf(", %d missing", missing)
		}
	}
	for _, note := range s.Notes {
		line += "\n- " + note
	}
	return line
}

// clone returns a copy that shares neither labels nor notes with the set, but its data.
func (s *Set) clone() *Set {
	t := *s
	t.Labels, t.Samples, t.Notes = slices.Clone(s.Labels), slices.Clone(s.Samples), slices.Clone(s.Notes)
	return &t
}

// imagesInColumns tells whether a column of a matrix that is read is a sample: if the layout says so, or if
// only a column has as many values as an image, which a note then tells.
func (s *Set) imagesInColumns(rows, cols int, columns bool, what string) bool {
	if pixels := s.Height * s.Width; columns || s.Height < 1 || s.Width < 1 || cols == pixels || rows != pixels {
		return columns
	}
	s.noted("a column of %s is a sample, as images of %d×%d have %d pixels: it is %d×%d (Columns of the layout)", what, s.Height, s.Width, rows, rows, cols)
	return true
}

// noted returns the set with one more note.
func (s *Set) noted(format string, of ...any) *Set {
	s.Notes = append(s.Notes, fmt.Sprintf(format, of...))
	return s
}

// SampleName returns the name of column j, or "sample 137" if it has none.
func (s *Set) SampleName(j int) string { return nameAt(s.Samples, j, "sample") }

// FeatureName returns the name of row i, or "pixel (3, 4)" of an image, row before
// column and both from 0, or "feature 12" if it has none.
func (s *Set) FeatureName(i int) string {
	if s.isImage() && nameAt(s.Features, i, "") == "" {
		return fmt.Sprintf("pixel (%d, %d)", i/s.Width, i%s.Width)
	}
	return nameAt(s.Features, i, "feature")
}

func nameAt(names []string, k int, or string) string {
	switch {
	case k >= 0 && k < len(names) && names[k] != "":
		return names[k]
	case or == "":
		return ""
	}
	return fmt.Sprintf("%s %d", or, k)
}

// valueRange returns the range of the values, and how many are NaN.
func (s *Set) valueRange() (lo, hi float64, missing int) {
	lo, hi = math.Inf(1), math.Inf(-1)
	m, _ := s.X.Dims()
	for i := range m {
		for _, v := range s.X.RawRowView(i) {
			if math.IsNaN(v) {
				missing++
				continue
			}
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	return lo, hi, missing
}

func (s *Set) isImage() bool { return s.Height > 0 && s.Width > 0 }

// scale is Max, or the largest value in X where Max is unknown, and 1 where
// that is of no use either.
func (s *Set) scale() float64 {
	top := s.Max
	if top <= 0 {
		_, top, _ = s.valueRange()
	}
	if top > 0 && !math.IsInf(top, 0) {
		return top
	}
	return 1
}

// Image returns sample j in grey: 0 is black and Max is white (the largest value in X,
// where Max is unknown). Smaller values are black, too, and larger ones white.
//
// Like the access to an element of a matrix it panics if j is out of range,
// if the samples are no images, or if the set is sparse.
func (s *Set) Image(j int) image.Image {
	if !s.isImage() {
		panic(ErrNotImages)
	}
	if s.X == nil {
		panic(s.checkDense())
	}
	if _, n := s.X.Dims(); j < 0 || j >= n {
		panic(fmt.Errorf("%w: %d of %d", ErrColumn, j, n))
	}
	top := s.scale()
	img := image.NewGray(image.Rect(0, 0, s.Width, s.Height))
	for r := range s.Height {
		for c := range s.Width {
			v := s.X.At(r*s.Width+c, j) / top
			if !(v > 0) { // NaN too
				v = 0
			}
			img.SetGray(c, r, color.Gray{Y: uint8(math.Round(255 * min(v, 1)))})
		}
	}
	return img
}

// Pick returns the given columns, in the given order, as a set of its own.
// A column may be given more than once. Classes stay as they are, even those
// that have no sample left.
func (s *Set) Pick(columns []int) (*Set, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	m, n := s.Dims()
	if len(columns) == 0 {
		return nil, fmt.Errorf("%w: no columns picked", ErrSize)
	}
	for _, j := range columns {
		if j < 0 || j >= n {
			return nil, fmt.Errorf("%w: %d of %d", ErrColumn, j, n)
		}
	}
	t := s.clone()
	t.Labels, t.Samples = at(s.Labels, columns), at(s.Samples, columns)
	if s.Sparse != nil {
		var err error
		t.Sparse, err = s.Sparse.Pick(nil, columns)
		return t, err
	}
	t.X = mat.NewDense(m, len(columns), nil)
	for i := range m {
		from, to := s.X.RawRowView(i), t.X.RawRowView(i)
		for k, j := range columns {
			to[k] = from[j]
		}
	}
	return t, nil
}

// PickFeatures returns the given rows, in the given order, as a set of its own; its
// samples are no images any more. The error is ErrColumn for a row that is out of range.
func (s *Set) PickFeatures(rows []int) (*Set, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	m, n := s.Dims()
	if len(rows) == 0 {
		return nil, fmt.Errorf("%w: no features picked", ErrSize)
	}
	for _, i := range rows {
		if i < 0 || i >= m {
			return nil, fmt.Errorf("%w: feature %d of %d", ErrColumn, i, m)
		}
	}
	t := s.clone()
	t.Height, t.Width = 0, 0
	if s.Sparse != nil {
		var err error
		if t.Sparse, err = s.Sparse.Pick(rows, nil); err != nil {
			return nil, err
		}
	} else {
		t.X = mat.NewDense(len(rows), n, nil)
		for k, i := range rows {
			t.X.SetRow(k, s.X.RawRowView(i))
		}
	}
	if t.Features = at(s.Features, rows); t.Features == nil && s.isImage() {
		for _, i := range rows {
			t.Features = append(t.Features, s.FeatureName(i))
		}
	}
	t.Units = at(s.Units, rows)
	return t, nil
}

// at returns the elements of s at some places; nil if s is nil.
func at[T any](s []T, places []int) []T {
	if s == nil {
		return nil
	}
	out := make([]T, len(places))
	for k, i := range places {
		out[k] = s[i]
	}
	return out
}

// With returns the set with another matrix of the same size, which it keeps: one that is
// corrupted, filled in or scaled has the names, labels and images of this.
// The error is ErrSize if x is nil or has another size.
func (s *Set) With(x *mat.Dense) (*Set, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	m, n := s.Dims()
	if isnil.Matrix(x) {
		return nil, fmt.Errorf("%w: X is nil", ErrSize)
	}
	if r, c := x.Dims(); r != m || c != n {
		return nil, fmt.Errorf("%w: X is %d×%d, not %d×%d as that of %q", ErrSize, r, c, m, n, s.Name)
	}
	t := s.clone()
	t.X, t.Sparse = x, nil
	return t, nil
}

// Corrupt returns the set as the corruption spoils it, with its names, and the mask of
// what was struck: see Corruption, whose errors it has.
func (s *Set) Corrupt(c Corruption, seed uint64) (dirty *Set, mask *mat.Dense, err error) {
	if err := s.checkDense(); err != nil {
		return nil, nil, err
	}
	if c == nil {
		return nil, nil, fmt.Errorf("%w: the corruption is nil", ErrParameter)
	}
	x, mask, err := c.Apply(s.X, seed)
	if err != nil {
		return nil, nil, err
	}
	dirty, err = s.With(x)
	return dirty, mask, err
}

// Sample returns perClass samples of each class, drawn without replacement;
// they stay in the order they had. The same seed draws the same samples.
// A class with fewer samples is an error.
func (s *Set) Sample(perClass int, seed uint64) (*Set, error) {
	if s.Labels == nil {
		return nil, ErrNoLabels
	}
	if perClass < 1 {
		return nil, fmt.Errorf("%w: %d samples a class", ErrSize, perClass)
	}
	if err := s.Check(); err != nil {
		return nil, err
	}
	members := make([][]int, len(s.Classes))
	for j, l := range s.Labels {
		members[l] = append(members[l], j)
	}
	rnd := rand.New(rand.NewPCG(seed, 0))
	var columns []int
	for l, of := range members {
		if len(of) < perClass {
			return nil, fmt.Errorf("%w: class %q has %d samples, not %d", ErrSize, s.Classes[l], len(of), perClass)
		}
		rnd.Shuffle(len(of), func(a, b int) { of[a], of[b] = of[b], of[a] })
		columns = append(columns, of[:perClass]...)
	}
	slices.Sort(columns)
	return s.Pick(columns)
}

// Scaled returns the set with X divided by Max (by the largest value in X,
// where Max is unknown), so that values lie in 0..1. It panics if there is no X.
func (s *Set) Scaled() *Set {
	if s.X == nil || s.X.IsEmpty() {
		panic(fmt.Errorf("%w: %q holds no data", ErrSize, s.Name))
	}
	t := *s
	top := s.scale()
	t.X = mat.NewDense(s.X.RawMatrix().Rows, s.X.RawMatrix().Cols, nil)
	t.X.Apply(func(_, _ int, v float64) float64 { return v / top }, s.X)
	t.Labels = slices.Clone(s.Labels)
	t.Max = 1
	return &t
}

// Shrink returns the set with images of height × width, each pixel the mean of the area
// that it covers. It only makes images smaller. A new pixel is the mean of whole old
// pixels if the new size divides the old one.
func (s *Set) Shrink(height, width int) (*Set, error) {
	if !s.isImage() {
		return nil, ErrNotImages
	}
	if err := s.checkDense(); err != nil {
		return nil, err
	}
	if err := canShrink(s.Height, s.Width, height, width); err != nil {
		return nil, err
	}
	_, n := s.X.Dims()
	t := *s
	t.Height, t.Width = height, width
	t.Features, t.Units = nil, nil // those of other pixels
	t.X = mat.NewDense(height*width, n, nil)
	t.Labels = slices.Clone(s.Labels)
	across := shares(s.Width, width)
	for r, down := range shares(s.Height, height) {
		for c := range width {
			to := t.X.RawRowView(r*width + c)
			for _, v := range down {
				for _, h := range across[c] {
					w := v.share * h.share
					for j, x := range s.X.RawRowView(v.at*s.Width + h.at) {
						to[j] += w * x
					}
				}
			}
		}
	}
	return &t, nil
}

func canShrink(h, w, height, width int) error {
	if height < 1 || width < 1 || height > h || width > w {
		return fmt.Errorf("%w: images of %d×%d cannot shrink to %d×%d", ErrSize, h, w, height, width)
	}
	return nil
}

// A share says how much an old pixel counts in the mean of a new one.
type share struct {
	at    int
	share float64
}

// shares returns for each of the new pixels of a line the old pixels that it
// covers; their shares sum to 1. In units of 1/(from*to) of the line, an old
// pixel is `to` long and a new one `from`.
func shares(from, to int) [][]share {
	out := make([][]share, to)
	for k := range out {
		lo, hi := k*from, (k+1)*from
		for i := lo / to; i*to < hi; i++ {
			part := min(hi, (i+1)*to) - max(lo, i*to)
			out[k] = append(out[k], share{i, float64(part) / float64(from)})
		}
	}
	return out
}

// fill sets the columns of x from `from` on to n samples; at(j, i) is value i of sample j.
func fill(x *mat.Dense, from, n int, at func(j, i int) float64) {
	m, _ := x.Dims()
	// In tiles, so that neither side is read or written across the cache.
	const tile = 32
	for j0 := 0; j0 < n; j0 += tile {
		for i0 := 0; i0 < m; i0 += tile {
			for i := i0; i < min(i0+tile, m); i++ {
				row := x.RawRowView(i)[from : from+n]
				for j := j0; j < min(j0+tile, n); j++ {
					row[j] = at(j, i)
				}
			}
		}
	}
}

// number numbers the classes of n samples, given by numbers, in their order; named tells
// what a class is called. Numbers may be infinite, but not NaN.
func number(n int, at func(j int) float64, named func(v float64) string) (labels []int, classes []string, err error) {
	index := map[float64]int{}
	for j := range n {
		if index[at(j)] = 0; len(index) > maxClasses {
			return nil, nil, fmt.Errorf("%w: more than %d classes", ErrTooLarge, maxClasses)
		}
	}
	for k, v := range slices.Sorted(maps.Keys(index)) {
		index[v] = k
		classes = append(classes, named(v))
	}
	labels = make([]int, n)
	for j := range labels {
		labels[j] = index[at(j)]
	}
	return labels, classes, nil
}

func shortest(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// natural compares strings such that digits compare as numbers: s2 comes
// before s10. Strings that differ never compare equal.
func natural(a, b string) int {
	x, y := a, b
	for x != "" && y != "" {
		p, q := digits(x), digits(y)
		if p == 0 || q == 0 {
			if x[0] != y[0] {
				return cmp.Compare(x[0], y[0])
			}
			x, y = x[1:], y[1:]
			continue
		}
		u, v := strings.TrimLeft(x[:p], "0"), strings.TrimLeft(y[:q], "0")
		if c := cmp.Or(cmp.Compare(len(u), len(v)), cmp.Compare(u, v)); c != 0 {
			return c
		}
		x, y = x[p:], y[q:]
	}
	return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(a, b))
}

// digits returns how many digits s begins with.
func digits(s string) int {
	return len(s) - len(strings.TrimLeft(s, "0123456789"))
}
