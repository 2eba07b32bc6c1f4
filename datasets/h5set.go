package datasets

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets/sparse"
)

// An HDF5Layout says how the arrays of an HDF5 file make a Set. Its zero value knows
// .h5ad (AnnData), .loom and the .h5 of 10x Genomics, with their names.
type HDF5Layout struct {
	// X is the path of the data, as "layers/counts": an array of two indices, or of three
	// for images, or a group that holds a sparse matrix, of which the zeros are taken too.
	// "" is that of a known kind of file, or X, data, or the only array of numbers there is
	// with two or three indices, also in a group. Octave and MATLAB write the transposed matrix.
	X string
	// Labels is the path of the classes, one for each sample: numbers, strings or the
	// categories of AnnData, of which a name alone will do, as "louvain" for obs/louvain;
	// "" is none.
	Labels string
	// Samples and Features are the paths of the names; "" is those of a known kind of file.
	Samples, Features string
	// Columns says that a sample is a column of the array, not a row. For .loom and 10x
	// it is not needed.
	Columns       bool
	Height, Width int     // those of the images in a matrix, in raster order
	Max           float64 // the largest possible value; 0 if unknown

	sparse bool // keeps a sparse matrix without its zeros
	guess  bool // Labels, where they are not known
}

// ReadHDF5 reads a Set from an HDF5 file of size bytes: a .h5 file, .h5ad or .loom.
// ReadMAT73 reads the MATLAB files that are HDF5.
//
// It reads integers, floats of 2, 4 and 8 bytes, enumerations and strings, in one piece or
// in chunks, packed by gzip, lzf or shuffle, with their checksums. Not read, with
// ErrUnsupported: other filters (blosc, zstd, szip), tables of records (HDFStore of pandas,
// AnnData before 0.7), links to other files, and, of files written for the newest versions
// only (libver="latest"), resizable or many chunks and groups of many links.
//
// Other errors are ErrFormat, ErrTooLarge, ErrNoVariable for a path that is not there,
// ErrSize where arrays do not fit together, or those of r.
func ReadHDF5(ctx context.Context, r io.ReaderAt, size int64, l HDF5Layout) (*Set, error) {
	return readHDF5(ctx, r, size, l, maxValues())
}

func readHDF5(ctx context.Context, r io.ReaderAt, size int64, l HDF5Layout, limit int) (_ *Set, err error) {
	from := &source{ctx: ctx, at: r}
	defer func() { err = from.blame(err) }()
	f, err := openH5(from, size, limit)
	if err != nil {
		return nil, err
	}
	root, err := f.find("/")
	if err != nil {
		return nil, err
	}
	known, err := root.links()
	if err != nil {
		return nil, err
	}
	has := func(names ...string) bool {
		return !slices.ContainsFunc(names, func(name string) bool { _, ok := known[name]; return !ok })
	}
	samples, features, labels := l.Samples, l.Features, l.Labels
	var prefix string // of labels that are no path
	orDefault := func(to *string, path string) {
		if *to == "" && f.has(path) != nil {
			*to = path
		}
	}
	switch {
	case has("obs", "var"): // AnnData
		orDefault(&l.X, "X")
		orDefault(&samples, f.indexOf("obs"))
		orDefault(&features, f.indexOf("var"))
		prefix = "obs/"
	case has("matrix", "row_attrs", "col_attrs"): // Loom
		orDefault(&l.X, "matrix")
		orDefault(&samples, "col_attrs/CellID")
		orDefault(&features, "row_attrs/Gene")
		l.Columns, prefix = true, "col_attrs/"
	case has("matrix") && f.has("matrix/barcodes") != nil: // 10x
		orDefault(&l.X, "matrix")
		orDefault(&samples, "matrix/barcodes")
		orDefault(&features, "matrix/features/name")
		l.Columns = true
	}
	if l.X == "" {
		arrays := f.matrices(root, "", new(int))
		switch {
		case has("X"), len(arrays) == 0:
			l.X = "X"
		case has("data"):
			l.X = "data"
		case len(arrays) == 1:
			l.X = arrays[0]
		default:
			slices.Sort(arrays)
			return nil, fmt.Errorf("%w: which array holds the data? The file has %s: set X", ErrNoVariable, list(arrays))
		}
	}
	s, err := f.data(l, limit)
	if err != nil {
		return nil, err
	}
	if labels == "" && l.guess {
		f.guessLabels(prefix, s)
	} else if labels != "" {
		if !strings.Contains(labels, "/") && f.has(labels) == nil {
			labels = prefix + labels
		}
		if s.Labels, s.Classes, err = f.labels(labels); err != nil {
			return nil, err
		}
	}
	for path, to := range map[string]*[]string{samples: &s.Samples, features: &s.Features} {
		if path == "" {
			continue
		}
		o, err := f.find(path)
		if err != nil {
			return nil, err
		}
		if *to, err = o.texts(); err != nil {
			return nil, err
		}
	}
	return s.checked()
}

// namesOfGroups, besides namesOfLabels, tell what an array of a file of cells is for.
var namesOfGroups = []string{"gnd", "cell_types", "cluster", "clusters", "leiden", "louvain"}

// guessLabels gives s the classes that an array has whose name says so, if it has one for each sample, and
// few different ones.
func (f *h5File) guessLabels(prefix string, s *Set) {
	folder, err := f.find("/" + prefix)
	if err != nil {
		return
	}
	links, err := folder.links()
	if err != nil {
		return
	}
	rank := func(name string) int {
		lower := strings.ToLower(name)
		if at := slices.Index(namesOfLabels, lower); at >= 0 {
			return at
		} else if strings.Contains(lower, "label") {
			return 100
		} else if at := slices.Index(namesOfGroups, lower); at >= 0 {
			return 200 + at
		}
		return -1
	}
	var names []string
	for name := range links {
		if rank(name) >= 0 {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(a, b)) })
	_, n := s.Dims()
	misfit := ""
	for _, name := range names {
		o := f.has(prefix + name)
		if o != nil && !o.isDataset() {
			o = f.has(prefix + name + "/codes")
		}
		if o == nil {
			continue
		}
		d, err := o.describe()
		if err != nil {
			continue
		}
		if d.n != n { // so that other arrays take no memory
			if misfit == "" && d.n > 1 {
				misfit = fmt.Sprintf("the array %s has %d values", tidyName(prefix+name), d.n)
			}
			continue
		}
		labels, classes, err := f.labels(prefix + name)
		if err != nil {
			continue
		}
		used := slices.Clone(labels)
		slices.Sort(used)
		if count := len(slices.Compact(used)); count < 2 || count > max(mostClasses, n/20) || count == n {
			continue
		}
		s.Labels, s.Classes = labels, classes
		s.noted("the array %s has the classes (OpenOptions{Label: \"-\"} says that it has none)", tidyName(prefix+name))
		return
	}
	s.noteMisfit(misfit)
}

// indexOf returns the path of the names of a table of AnnData.
func (f *h5File) indexOf(table string) string {
	name := "_index"
	if o := f.has(table); o != nil {
		if index := o.attributeText("_index"); index != "" {
			name = index
		}
	}
	return table + "/" + name
}

// matrices returns the paths of arrays of numbers with two or three indices, in a group and
// in those within it.
func (f *h5File) matrices(o *h5Object, path string, seen *int) (found []string) {
	links, err := o.links()
	if err != nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(links)) {
		t := links[name]
		if *seen++; *seen > 1000 || t.soft != "" || strings.Count(path, "/") > 4 {
			continue
		}
		of, err := f.object(t.address, o.path+"/"+name)
		if err != nil {
			continue
		}
		if !of.isDataset() {
			found = append(found, f.matrices(of, path+name+"/", seen)...)
		} else if d, err := of.describe(); err == nil && d.number() != nil && (len(d.dims) == 2 || len(d.dims) == 3) {
			found = append(found, tidyName(path+name))
		}
	}
	return found
}

// data reads the data alone.
func (f *h5File) data(l HDF5Layout, limit int) (*Set, error) {
	o, err := f.find(l.X)
	if err != nil {
		return nil, err
	}
	s := &Set{Height: l.Height, Width: l.Width, Max: l.Max}
	if !o.isDataset() {
		x, err := f.sparse(o)
		if err != nil {
			return nil, err
		}
		if (l.sparse || product(limit, x.Rows, x.Cols) > 0) && !l.Columns { // a sample is a row
			x = x.Transposed()
		}
		if l.sparse {
			s.Sparse = x
			return s.checked()
		}
		if s.X, err = x.DenseWithin(limit); err != nil {
			return nil, fmt.Errorf("%s: %w: ReadHDF5Sparse keeps it as it is", o.path, err)
		}
		return s.checked()
	}
	dims, values, err := o.numbers()
	if err != nil {
		return nil, err
	}
	columns := l.Columns
	switch len(dims) {
	case 2:
		columns = s.imagesInColumns(dims[0], dims[1], columns, o.path)
	case 3:
		s.Height, s.Width, columns = dims[1], dims[2], false
		dims = []int{dims[0], dims[1] * dims[2]}
	default:
		return nil, fmt.Errorf("%w: %s is of %v, which is not a matrix", ErrSize, o.path, dims)
	}
	if len(values) == 0 {
		return nil, fmt.Errorf("%w: %s is of %v", ErrSize, o.path, dims)
	}
	if columns {
		s.X = mat.NewDense(dims[0], dims[1], values)
		return s.checked()
	}
	s.X = mat.NewDense(dims[1], dims[0], nil)
	fill(s.X, 0, dims[0], func(j, i int) float64 { return values[j*dims[1]+i] })
	return s.checked()
}

// ReadHDF5Sparse reads a sparse matrix from an HDF5 file, as it is there: of AnnData,
// whose rows are samples, or of 10x Genomics, whose columns are. The path is that of its
// group; "" is X or matrix. Errors are those of ReadHDF5.
func ReadHDF5Sparse(ctx context.Context, r io.ReaderAt, size int64, path string) (*sparse.Matrix, error) {
	return readHDF5Sparse(ctx, r, size, path, maxValues())
}

func readHDF5Sparse(ctx context.Context, r io.ReaderAt, size int64, path string, limit int) (_ *sparse.Matrix, err error) {
	from := &source{ctx: ctx, at: r}
	defer func() { err = from.blame(err) }()
	f, err := openH5(from, size, limit)
	if err != nil {
		return nil, err
	}
	if path == "" {
		if path = "X"; f.has("matrix") != nil {
			path = "matrix"
		}
	}
	o, err := f.find(path)
	if err != nil {
		return nil, err
	}
	return f.sparse(o)
}

// sparse reads the group of a sparse matrix.
func (f *h5File) sparse(o *h5Object) (*sparse.Matrix, error) {
	if o.isDataset() {
		return nil, fmt.Errorf("%w: %s is an array, not the group of a sparse matrix", ErrUnsupported, o.path)
	}
	format := o.attributeText("encoding-type") + o.attributeText("h5sparse_format")
	shape := append(o.attributeNumbers("shape"), o.attributeNumbers("h5sparse_shape")...)
	if format == "" { // 10x
		format = "csc"
		if at, err := o.child("shape"); err == nil {
			if _, shape, err = at.numbers(); err != nil {
				return nil, err
			}
		}
	}
	if len(shape) != 2 || !strings.HasPrefix(format, "csr") && !strings.HasPrefix(format, "csc") {
		var have []string
		if links, err := o.links(); err == nil {
			have = slices.Sorted(maps.Keys(links))
		}
		for i, name := range have {
			have[i] = tidyName(name)
		}
		return nil, fmt.Errorf("%w: the group %s is not a sparse matrix; it has %s", ErrUnsupported, o.path, list(have))
	}
	rows, cols, err := h5Size(shape)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.path, err)
	}
	byRows := strings.HasPrefix(format, "csr")
	if byRows {
		rows, cols = cols, rows // as its transpose is compressed by columns
	}
	s, err := f.compressed(o, rows, cols, "indptr", "indices", "data")
	if err == nil && byRows {
		if err = f.left.take(rows + cols + 2*len(s.Value)); err == nil {
			s = s.Transposed()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.path, err)
	}
	return s, nil
}

func h5Size(shape []float64) (rows, cols int, err error) {
	for _, v := range shape {
		if !(v >= 0) || v > math.MaxInt32 || v != math.Trunc(v) {
			return 0, 0, h5Error("a sparse matrix of %v", shape)
		}
	}
	return int(shape[0]), int(shape[1]), nil
}

// compressed reads a matrix that is compressed by columns.
func (f *h5File) compressed(o *h5Object, rows, cols int, start, row, value string) (*sparse.Matrix, error) {
	s := &sparse.Matrix{Rows: rows, Cols: cols}
	read := func(name string) ([]float64, error) {
		at, err := o.child(name)
		if err != nil {
			return nil, err
		}
		_, values, err := at.numbers()
		return values, err
	}
	if err := f.left.take(cols); err != nil {
		return nil, err
	}
	starts, err := read(start)
	if err != nil {
		return nil, err
	}
	for _, v := range starts {
		s.Start = append(s.Start, int(max(-1, min(v, math.MaxInt32))))
	}
	if s.Value, err = read(value); err != nil {
		return nil, err
	}
	index, err := read(row)
	if err != nil {
		return nil, err
	}
	if err := f.left.take(len(index)); err != nil {
		return nil, err
	}
	s.Row = make([]int32, len(index))
	for k, v := range index {
		if !(v >= 0 && v < float64(rows)) {
			return nil, h5Error("entry in row %v of %d", v, rows)
		}
		s.Row[k] = int32(v)
	}
	if s.Value == nil {
		s.Value = []float64{}
	}
	return s, s.Sort()
}

// labels reads classes: categories of AnnData, strings or numbers.
func (f *h5File) labels(path string) ([]int, []string, error) {
	o, err := f.find(path)
	if err != nil {
		return nil, nil, err
	}
	list := classList{categories: categories{left: &f.left}}
	categories := path + "/categories"
	codes := o
	if o.isDataset() {
		// AnnData before 0.8 has the categories in a folder of their own.
		i := strings.LastIndex(path, "/") + 1
		if categories = path[:i] + "__categories/" + path[i:]; f.has(categories) == nil {
			words, err := o.texts()
			if err != nil {
				return nil, nil, err
			}
			for _, word := range words {
				if err := list.add(word); err != nil {
					return nil, nil, fmt.Errorf("%s: %w", o.path, err)
				}
			}
			labels, classes := list.sorted()
			return labels, classes, nil
		}
	} else if codes, err = f.find(path + "/codes"); err != nil {
		return nil, nil, err
	}
	at, err := f.find(categories)
	if err != nil {
		return nil, nil, err
	}
	classes, err := at.texts()
	if err != nil {
		return nil, nil, err
	}
	_, values, err := codes.numbers()
	if err != nil {
		return nil, nil, err
	}
	if err := f.left.take(len(values)); err != nil {
		return nil, nil, err
	}
	labels := make([]int, len(values))
	missing := -1
	for k, v := range values {
		switch {
		case v == -1 && missing < 0:
			missing = len(classes)
			classes = append(classes, "")
			fallthrough
		case v == -1:
			labels[k] = missing
		case v >= 0 && v < float64(len(classes)) && v == math.Trunc(v) && int(v) != missing:
			labels[k] = int(v)
		default:
			return nil, nil, fmt.Errorf("%s: %w", codes.path, h5Error("category %v of %d", v, len(classes)))
		}
	}
	return labels, classes, nil
}

// ReadMAT73 reads a MATLAB file of version 7.3, which is HDF5, of size bytes, as ReadMAT
// reads those of level 5: numeric, logical and char arrays, cell arrays and sparse ones.
// Variables of other kinds stay in the list, without their content.
//
// Errors are those of ReadHDF5.
func ReadMAT73(ctx context.Context, r io.ReaderAt, size int64) (*MATFile, error) {
	return readMAT73(ctx, r, size, maxValues())
}

func readMAT73(ctx context.Context, r io.ReaderAt, size int64, limit int) (_ *MATFile, err error) {
	from := &source{ctx: ctx, at: r}
	defer func() { err = from.blame(err) }()
	f, err := openH5(from, size, limit)
	if err != nil {
		return nil, err
	}
	root, err := f.find("/")
	if err != nil {
		return nil, err
	}
	links, err := root.links()
	if err != nil {
		return nil, err
	}
	file := &MATFile{limit: limit}
	if head, err := f.raw(0, 116, true); err == nil && strings.HasPrefix(string(head), "MATLAB") {
		file.Header = strings.ToValidUTF8(strings.TrimRight(string(head), " \x00"), "\uFFFD")
	}
	var names []string
	for name, t := range links {
		if t.soft == "" && !strings.HasPrefix(name, "#") {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, natural)
	for _, name := range names {
		a, err := f.matArray(links[name].address, "/"+name, 0)
		if err != nil {
			return nil, err
		}
		a.Name = tidyName(name)
		file.Vars = append(file.Vars, a)
	}
	return file, nil
}

// matArray reads a variable or a cell of MATLAB.
func (f *h5File) matArray(address uint64, path string, depth int) (*MATArray, error) {
	if depth > matMaxDepth {
		return nil, fmt.Errorf("%w: cells nested more than %d deep", ErrTooLarge, matMaxDepth)
	}
	if err := f.left.take(matCellCost); err != nil {
		return nil, err
	}
	o, err := f.object(address, path)
	if err != nil {
		return nil, err
	}
	a := &MATArray{Class: o.attributeText("MATLAB_class")}
	if !o.isDataset() {
		return a, f.matGroup(o, a, path)
	}
	d, err := o.describe()
	if errors.Is(err, ErrUnsupported) {
		return a, nil
	} else if err != nil {
		return nil, err
	}
	if empty := o.attributeNumbers("MATLAB_empty"); len(empty) == 1 && empty[0] != 0 {
		return a, o.matEmpty(d, a, path)
	}
	a.Dims = slices.Clone(d.dims)
	slices.Reverse(a.Dims) // the first index of MATLAB runs fastest
	for len(a.Dims) < 2 {
		a.Dims = append(a.Dims, 1)
	}
	switch {
	case d.class == h5Ref:
		a.Class = "cell"
		return a, f.matCells(o, d, a, path, depth)
	case d.number() == nil:
		a.Class = cmp.Or(a.Class, "opaque")
		if d.class == 6 {
			a.Class = "complex " + a.Class
		}
		return a, nil
	}
	return a, f.matValues(o, d, a)
}

// matGroup reads what MATLAB stores as a group: a sparse matrix, and a struct, of which only that is told.
func (f *h5File) matGroup(o *h5Object, a *MATArray, path string) error {
	rows := o.attributeNumbers("MATLAB_sparse")
	if len(rows) != 1 {
		a.Class = cmp.Or(a.Class, "struct")
		return nil
	}
	a.Class = "sparse"
	jc, err := o.child("jc")
	if err != nil {
		return err
	}
	d, err := jc.describe()
	if err != nil {
		return err
	}
	m, n, err := h5Size([]float64{rows[0], float64(d.n - 1)})
	if err != nil {
		return err
	}
	a.Dims = []int{m, n}
	if _, err := o.child("data"); errors.Is(err, ErrNoVariable) { // no entry
		if err := f.left.take(n); err != nil {
			return err
		}
		a.Sparse = &sparse.Matrix{Rows: m, Cols: n, Start: make([]int, n+1), Row: []int32{}, Value: []float64{}}
		return nil
	}
	if a.Sparse, err = f.compressed(o, m, n, "jc", "ir", "data"); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// matEmpty reads an array without entries, whose values are its dimensions.
func (o *h5Object) matEmpty(d h5Data, a *MATArray, path string) error {
	if d.number() == nil || d.n > matMaxDims {
		return fmt.Errorf("%s: %w", path, h5Error("no dimensions of an empty array"))
	}
	_, dims, err := o.numbers()
	if err != nil {
		return err
	}
	for _, v := range dims {
		m, _, err := h5Size([]float64{v, 0})
		if err != nil {
			return err
		}
		a.Dims = append(a.Dims, m)
	}
	switch {
	case !slices.Contains(a.Dims, 0):
		return fmt.Errorf("%s: %w", path, h5Error("an empty array of %v", a.Dims))
	case a.Class == "char":
		a.Text = []string{}
	case a.Class == "cell":
		a.Cells = []*MATArray{}
	default:
		a.Data = []float64{}
	}
	return nil
}

// matCells reads the arrays that references point to.
func (f *h5File) matCells(o *h5Object, d h5Data, a *MATArray, path string, depth int) error {
	if err := f.left.take(d.n); err != nil {
		return err
	}
	a.Cells = make([]*MATArray, d.n)
	err := o.values(d, func(k int, b []byte) error {
		address := (&h5Bytes{b: b}).u64()
		if address == 0 {
			return nil
		}
		c, err := f.matArray(address, path+"{"+strconv.Itoa(k+1)+"}", depth+1)
		a.Cells[k] = c
		return err
	})
	for k, c := range a.Cells {
		if c == nil { // an empty cell
			a.Cells[k] = &MATArray{Class: "double", Dims: []int{0, 0}, Data: []float64{}}
		}
	}
	return err
}

// matValues reads numbers, and text, which is stored as numbers.
func (f *h5File) matValues(o *h5Object, d h5Data, a *MATArray) error {
	if a.Class == "char" {
		if err := f.left.take((matCharCost - 1) * d.n); err != nil {
			return err
		}
	}
	_, values, err := o.numbers()
	if err != nil {
		return err
	}
	if a.Class != "char" {
		a.Data = values
		return nil
	}
	chars := make([]rune, len(values))
	for k, v := range values {
		chars[k] = rune(max(0, min(v, math.MaxInt32)))
	}
	a.Text = []string{}
	for r := range a.Dims[0] {
		a.Text = append(a.Text, joinUnits(chars, r, a.Dims[0]))
	}
	return nil
}
