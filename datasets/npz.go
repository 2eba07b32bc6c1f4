package datasets

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/robustnmf/robustnmf/datasets/sparse"
)

// ReadNPZ reads an archive of arrays of size bytes, as numpy.savez and savez_compressed
// write it, or a matrix of scipy.sparse.save_npz (csc, csr or coo), of which the zeros are
// taken too: see sparse.Matrix.Dense. Labels may be numbers or strings.
//
// Errors are those of ReadNPY, ErrNoVariable for an array that is not there, ErrUnsupported
// for arrays of Python objects, and ErrSize where arrays do not fit together.
func ReadNPZ(ctx context.Context, r io.ReaderAt, size int64, l NPYLayout) (*Set, error) {
	return readNPZ(ctx, r, size, l, maxValues())
}

func readNPZ(ctx context.Context, r io.ReaderAt, size int64, l NPYLayout, limit int) (_ *Set, err error) {
	from := &source{ctx: ctx, at: io.NewSectionReader(r, 0, size)}
	defer func() { err = from.blame(err) }()
	z, err := newNPZReader(from, size, limit)
	if err != nil {
		return nil, err
	}
	s, err := z.data(l)
	if err != nil {
		return nil, err
	}
	_, n := s.Dims()
	if name := z.first(l.Labels, "y", "Y", "labels", "target"); name != "" && name != "-" {
		if s.Labels, s.Classes, err = z.labels(name); err != nil {
			return nil, err
		}
		if len(s.Labels) != n {
			return nil, fmt.Errorf("%w: array %q holds %d labels for %d samples", ErrSize, name, len(s.Labels), n)
		}
	}
	for _, names := range []struct {
		name string
		to   *[]string
	}{{z.first(l.Samples, "sample_names"), &s.Samples}, {z.first(l.Features, "feature_names"), &s.Features}} {
		if names.name == "" || names.name == "-" {
			continue
		}
		a, err := z.array(names.name)
		if err != nil {
			return nil, err
		}
		if *names.to, err = a.names(&z.left); err != nil {
			return nil, fmt.Errorf("array %q: %w", names.name, err)
		}
	}
	return s.checked()
}

// ReadNPZSparse reads a matrix of scipy.sparse.save_npz (csc, csr or coo) of size bytes
// without its zeros, and transposes it so that a sample is a column; with columns a
// sample is a column in the file already.
//
// Errors are those of ReadNPZ, and ErrNoVariable for an archive without such a matrix.
func ReadNPZSparse(ctx context.Context, r io.ReaderAt, size int64, columns bool) (*sparse.Matrix, error) {
	return readNPZSparse(ctx, r, size, columns, maxValues())
}

func readNPZSparse(ctx context.Context, r io.ReaderAt, size int64, columns bool, limit int) (_ *sparse.Matrix, err error) {
	from := &source{ctx: ctx, at: io.NewSectionReader(r, 0, size)}
	defer func() { err = from.blame(err) }()
	z, err := newNPZReader(from, size, limit)
	if err != nil {
		return nil, err
	}
	return z.sparse(columns)
}

func newNPZReader(from *source, size int64, limit int) (*npzReader, error) {
	in, err := zip.NewReader(from, size)
	if err != nil {
		return nil, notZip(from, err)
	}
	z := &npzReader{files: map[string]*zip.File{}, left: budget(limit), limit: limit}
	for _, f := range in.File {
		name, isArray := strings.CutSuffix(f.Name, ".npy")
		if !isArray {
			continue
		}
		if z.files[name] != nil {
			return nil, fmt.Errorf("%w: two arrays have the name %.40q", ErrFormat, name)
		}
		z.files[name] = f
		z.names = append(z.names, tidyName(name))
	}
	return z, nil
}

type npzReader struct {
	files map[string]*zip.File
	names []string
	left  budget
	limit int
}

// first returns the name asked for or, if that is "", the first there is of some.
func (z *npzReader) first(name string, or ...string) string {
	if name == "" {
		for _, o := range or {
			if z.files[o] != nil {
				return o
			}
		}
	}
	return name
}

func (z *npzReader) array(name string) (*npyArray, error) {
	f := z.files[name]
	if f == nil {
		slices.SortFunc(z.names, natural)
		return nil, fmt.Errorf("%w: array %q; the file has %s", ErrNoVariable, name, list(z.names))
	}
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("array %q: %w", name, readError(err))
	}
	defer r.Close()
	a, err := readNPYArray(r, &z.left)
	if err != nil {
		return nil, fmt.Errorf("array %q: %w", name, err)
	}
	return a, nil
}

// data returns the data alone.
func (z *npzReader) data(l NPYLayout) (*Set, error) {
	if z.files["format"] != nil && z.files["shape"] != nil && z.files["data"] != nil && (l.X == "" || l.X == "data") {
		x, err := z.sparse(l.Columns)
		if err != nil {
			return nil, err
		}
		s := &Set{Height: l.Height, Width: l.Width, Max: l.Max}
		if l.sparse {
			s.Sparse = x
			return s, nil
		}
		s.X, err = x.DenseWithin(z.limit)
		return s, err
	}
	name := z.first(l.X, "X", "x", "data", "arr_0")
	if name == "" && len(z.names) == 1 {
		name = z.names[0]
	}
	if name == "" {
		name = "X"
	}
	a, err := z.array(name)
	if err != nil {
		return nil, err
	}
	s, err := a.set(l)
	if err != nil {
		return nil, fmt.Errorf("array %q: %w", name, err)
	}
	return s, nil
}

func (z *npzReader) labels(name string) ([]int, []string, error) {
	a, err := z.array(name)
	if err != nil {
		return nil, nil, err
	}
	if n := product(math.MaxInt, a.shape...); len(a.shape) == 0 || slices.Max(a.shape) != n {
		return nil, nil, fmt.Errorf("%w: labels in an array of %v", ErrSize, a.shape)
	}
	n := len(a.raw) / a.size
	if err := z.left.take(2 * n); err != nil {
		return nil, nil, err
	}
	if a.value != nil {
		for j := range n {
			if math.IsNaN(a.value(a.raw[j*a.size:])) {
				return nil, nil, fmt.Errorf("%w: label %d in %q is NaN", ErrFormat, j, name)
			}
		}
		return number(n, func(j int) float64 { return a.value(a.raw[j*a.size:]) }, shortest)
	}
	a.shape = []int{n}
	words, err := a.names(&z.left)
	if err != nil {
		return nil, nil, fmt.Errorf("array %q: %w", name, err)
	}
	list := classList{categories: categories{left: &z.left}}
	for _, word := range words {
		if err := list.add(word); err != nil {
			return nil, nil, fmt.Errorf("array %q: %w", name, err)
		}
	}
	labels, classes := list.sorted()
	return labels, classes, nil
}

// vector returns the numbers of an array of one index.
func (z *npzReader) vector(name string) (n int, at func(k int) float64, err error) {
	a, err := z.array(name)
	if err != nil {
		return 0, nil, err
	}
	if len(a.shape) != 1 || a.value == nil {
		return 0, nil, fmt.Errorf("%w: array %q of a sparse matrix is of %v and %s", ErrFormat, name, a.shape, a.kind)
	}
	return a.shape[0], func(k int) float64 { return a.value(a.raw[k*a.size:]) }, nil
}

// sparse reads a matrix of SciPy.
func (z *npzReader) sparse(columns bool) (*sparse.Matrix, error) {
	a, err := z.array("format")
	if err != nil {
		return nil, err
	}
	if a.value != nil || len(a.shape) > 0 {
		return nil, fmt.Errorf("%w: the format of a sparse matrix is %v of %s", ErrFormat, a.shape, a.kind)
	}
	names, err := a.names(&z.left)
	if err != nil {
		return nil, err
	}
	format := strings.Join(names, "")
	if !slices.Contains([]string{"csc", "csr", "coo"}, format) {
		return nil, fmt.Errorf("%w: a sparse matrix of format %.20q: save its tocsr()", ErrUnsupported, format)
	}
	k, shape, err := z.vector("shape")
	if err != nil {
		return nil, err
	}
	whole := func(v float64) (int, error) {
		if !(v >= 0) || v > math.MaxInt32 || v != math.Trunc(v) {
			return 0, fmt.Errorf("%w: %v as an index or size of a sparse matrix", ErrFormat, v)
		}
		return int(v), nil
	}
	if k != 2 {
		return nil, fmt.Errorf("%w: a sparse matrix of %d dimensions", ErrUnsupported, k)
	}
	rows, err := whole(shape(0))
	if err != nil {
		return nil, err
	}
	cols, err := whole(shape(1))
	if err != nil {
		return nil, err
	}
	if err := z.left.take(2 * (rows + cols)); err != nil {
		return nil, fmt.Errorf("sparse matrix of %d×%d: %w", rows, cols, err)
	}
	n, value, err := z.vector("data")
	if err != nil {
		return nil, err
	}
	if err := z.left.take(tripletCost * n); err != nil {
		return nil, err
	}
	var t triplets
	t.most = n
	put := func(k, i, j int) error {
		if i >= rows || j >= cols {
			return fmt.Errorf("%w: entry (%d, %d) of a sparse matrix of %d×%d", ErrFormat, i, j, rows, cols)
		}
		if columns {
			t.add(i, j, value(k))
		} else {
			t.add(j, i, value(k)) // a sample is a row of the file
		}
		return nil
	}
	index := func(name string, want int) (func(k int) (int, error), error) {
		got, at, err := z.vector(name)
		if err != nil {
			return nil, err
		}
		if got != want {
			return nil, fmt.Errorf("%w: array %q of a sparse matrix has %d numbers, not %d", ErrFormat, name, got, want)
		}
		return func(k int) (int, error) { return whole(at(k)) }, nil
	}
	if format == "coo" {
		err = z.coordinates(n, index, put)
	} else {
		err = z.compressed(format == "csr", rows, cols, n, index, put)
	}
	if err != nil {
		return nil, err
	}
	m := [2]int{cols, rows}
	if columns {
		m = [2]int{rows, cols}
	}
	return t.matrix(m[0], m[1], &z.left)
}

type npzIndex = func(name string, want int) (func(k int) (int, error), error)

func (z *npzReader) coordinates(n int, index npzIndex, put func(k, i, j int) error) error {
	row, err := index("row", n)
	if err != nil {
		return err
	}
	col, err := index("col", n)
	if err != nil {
		return err
	}
	for k := range n {
		i, err := row(k)
		if err != nil {
			return err
		}
		j, err := col(k)
		if err != nil {
			return err
		}
		if err := put(k, i, j); err != nil {
			return err
		}
	}
	return nil
}

func (z *npzReader) compressed(byRows bool, rows, cols, n int, index npzIndex, put func(k, i, j int) error) error {
	major := cols
	if byRows {
		major = rows
	}
	start, err := index("indptr", major+1)
	if err != nil {
		return err
	}
	minor, err := index("indices", n)
	if err != nil {
		return err
	}
	at := 0
	for a := range major + 1 {
		to, err := start(a)
		if err != nil {
			return err
		}
		if to < at || to > n || a == 0 && to != 0 {
			return fmt.Errorf("%w: a sparse matrix whose line %d starts at entry %d of %d", ErrFormat, a, to, n)
		}
		for ; at < to; at++ {
			b, err := minor(at)
			if err != nil {
				return err
			}
			i, j := b, a-1
			if byRows {
				i, j = j, i
			}
			if err := put(at, i, j); err != nil {
				return err
			}
		}
	}
	if at != n {
		return fmt.Errorf("%w: a sparse matrix of %d entries with %d in its lines", ErrFormat, n, at)
	}
	return nil
}
