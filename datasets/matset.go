package datasets

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// A MATLayout says how the variables of a MAT file make a Set. The zero value
// suits the files of clustering papers: fea holds a sample in each row, gnd
// their classes.
type MATLayout struct {
	// X names the variable of the data; "" is the first there is of fea and X.
	// It may be a matrix; an array h×w×n of n images; or a cell array of
	// images (or of arrays h×w×n), the class of which is the row of the cell,
	// or its number where the cells are in one line. Cells are taken row by row.
	// A sparse matrix is taken with its zeros, where there is room: see sparse.Matrix.Dense.
	X string
	// Labels names the variable of the classes; "" is the first there is of
	// gnd and Y, if any, and "-" is none. It is a vector of numbers, one for each
	// sample, whose distinct values in order become the classes; strings, one for each
	// sample; a matrix of samples × classes with a 1 in each row; or, with a
	// cell array of images, a cell array of strings that name the classes.
	Labels string
	// Samples and Features name variables of strings, cell arrays or rows of characters,
	// that hold the names of the samples and of the features; "" is none.
	Samples, Features string
	// Height and Width are those of the images in a matrix; 0 takes those that variables such as im_height
	// and im_width say, if any. Images in arrays and cells have their own.
	Height, Width int
	// Raster says that the pixels of an image in a matrix come row by row.
	// MATLAB's way, and the default, is column by column.
	Raster bool
	// Columns says that a sample is a column of the matrix, not a row. If only columns have as many
	// values as an image of that size, it is not needed, and a note tells.
	Columns bool
	// Max is the largest possible value; 0 if unknown.
	Max float64

	sparse bool // keeps a sparse matrix without its zeros
}

// Set makes a data set of variables of the file. It has no name and no credit.
func (f *MATFile) Set(l MATLayout) (*Set, error) {
	s, err := f.unnamed(l)
	if err != nil {
		return nil, err
	}
	for _, names := range []struct {
		field, variable string
		to              *[]string
	}{{"Samples", l.Samples, &s.Samples}, {"Features", l.Features, &s.Features}} {
		if names.variable == "" {
			continue
		}
		v, err := f.Var(names.variable)
		if err != nil {
			return nil, fmt.Errorf("MATLayout.%s: %w", names.field, err)
		}
		if *names.to, err = v.Strings(); err != nil {
			return nil, err
		}
	}
	return s.checked()
}

func (f *MATFile) unnamed(l MATLayout) (*Set, error) {
	x, err := f.first(l.X, "fea", "X")
	if err != nil && l.X == "" {
		return nil, fmt.Errorf("%w: MATLayout.X is \"\", which takes fea or X: set it to the variable of the data; the file has %s", ErrNoVariable, f.have())
	} else if err != nil {
		return nil, fmt.Errorf("MATLayout.X: %w", err)
	}
	s := &Set{Height: l.Height, Width: l.Width, Max: l.Max}
	if h, w := f.guessSize(); s.Height == 0 && s.Width == 0 && len(x.Dims) == 2 && x.Cells == nil && h > 0 && slices.Contains(x.Dims, h*w) {
		s.Height, s.Width = h, w
		s.noted("the images are of %d×%d, as variables of the file say (MATLayout.Height and Width)", h, w)
	}
	if len(x.Dims) == 2 && x.Cells == nil {
		l.Columns = s.imagesInColumns(x.Dims[0], x.Dims[1], l.Columns, x.Name)
	}
	switch {
	case x.Cells != nil:
		err = s.fromCells(x)
	case x.Sparse != nil:
		err = s.fromSparse(x, l, cmp.Or(f.limit, maxValues()))
	case len(x.Dims) == 3:
		err = s.fromCells(&MATArray{Name: x.Name, Dims: []int{1, 1}, Cells: []*MATArray{x}})
		s.Labels, s.Classes = nil, nil
	default:
		err = s.fromMatrix(x, l)
	}
	if err != nil {
		return nil, err
	}
	y, err := f.first(l.Labels, "gnd", "Y")
	switch {
	case l.Labels == "-":
		s.Labels, s.Classes = nil, nil
		return s.checked()
	case err != nil && l.Labels == "":
		return s.checked() // none, or those that cells bring along
	case err != nil:
		return nil, fmt.Errorf("MATLayout.Labels: %w", err)
	case x.Cells != nil && y.Cells != nil:
		err = s.nameClasses(y)
	case y.Cells != nil || y.Text != nil:
		s.Labels, s.Classes, err = matWords(y)
	default:
		s.Labels, s.Classes, err = matLabels(y)
	}
	if err != nil {
		return nil, err
	}
	return s.checked()
}

// first returns the variable of a name or, if that is "", the first there is
// of some.
func (f *MATFile) first(name string, or ...string) (*MATArray, error) {
	if name == "" {
		name = or[0]
		for _, o := range or {
			if v, err := f.Var(o); err == nil {
				return v, nil
			}
		}
	}
	return f.Var(name)
}

func (s *Set) fromMatrix(x *MATArray, l MATLayout) error {
	rows, cols, err := x.size()
	if err != nil {
		return err
	}
	m, n := cols, rows
	if l.Columns {
		m, n = rows, cols
	}
	s.X = mat.NewDense(m, n, nil)
	if err := s.Check(); err != nil {
		return fmt.Errorf("variable %q: %w", x.Name, err)
	}
	from := make([]int, m) // where a row of X is in the file
	for i := range from {
		if from[i] = i; s.isImage() && !l.Raster {
			from[i] = i%s.Width*s.Height + i/s.Width
		}
	}
	if l.Columns {
		fill(s.X, 0, n, func(j, i int) float64 { return x.Data[j*rows+from[i]] })
		return nil
	}
	for i, k := range from {
		s.X.SetRow(i, x.Data[k*rows:(k+1)*rows])
	}
	return nil
}

// fromSparse is fromMatrix for a sparse one.
func (s *Set) fromSparse(v *MATArray, l MATLayout, limit int) error {
	x := v.Sparse
	if err := x.Check(); err != nil {
		return fmt.Errorf("variable %q: %w", v.Name, err)
	}
	if l.sparse && !s.isImage() {
		if s.Sparse = x; !l.Columns {
			s.Sparse = x.Transposed()
		}
		return nil
	}
	if product(limit, x.Rows, x.Cols) <= 0 {
		_, err := x.DenseWithin(limit) // says what is wrong
		return fmt.Errorf("variable %q: %w", v.Name, err)
	}
	m, n := x.Cols, x.Rows
	if l.Columns {
		m, n = n, m
	}
	s.X = mat.NewDense(m, n, nil)
	if err := s.Check(); err != nil {
		return fmt.Errorf("variable %q: %w", v.Name, err)
	}
	for c := range x.Cols {
		for k := x.Start[c]; k < x.Start[c+1]; k++ {
			i, j := c, int(x.Row[k])
			if l.Columns {
				i, j = j, i
			}
			if s.isImage() && !l.Raster { // pixel i of the file is in another row of X
				i = i%s.Height*s.Width + i/s.Height
			}
			s.X.Set(i, j, x.Value[k])
		}
	}
	return nil
}

// what returns what an array is, for a message.
func (a *MATArray) what() string {
	if a == nil {
		return "nothing"
	}
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(a.Dims), "[]"), " ", "×") + " " + a.Class
}

// fromCells takes the images of a cell array, row by row.
func (s *Set) fromCells(x *MATArray) error {
	if len(x.Dims) != 2 {
		return fmt.Errorf("%w: variable %q: cell array of %d dimensions", ErrUnsupported, x.Name, len(x.Dims))
	}
	if len(x.Cells) == 0 || len(x.Cells) != product(math.MaxInt32, x.Dims...) { // one of the dimensions may still be large
		return fmt.Errorf("%w: variable %q is %v", ErrSize, x.Name, x.Dims)
	}
	rows, cols := x.Dims[0], x.Dims[1]
	if classes := max(rows, cols); classes > maxClasses {
		return fmt.Errorf("%w: variable %q is %v, more than %d classes", ErrTooLarge, x.Name, x.Dims, maxClasses)
	}
	s.Height, s.Width = 0, 0
	total := 0
	for r := range rows {
		for c := range cols {
			img := x.Cells[c*rows+r]
			if img == nil || len(img.Data) == 0 || len(img.Dims) < 2 || len(img.Dims) > 3 || product(math.MaxInt, img.Dims...) != len(img.Data) {
				return fmt.Errorf("%w: cell (%d, %d) of %q is not an image: %s", ErrUnsupported, r+1, c+1, x.Name, img.what())
			}
			if total == 0 {
				s.Height, s.Width = img.Dims[0], img.Dims[1]
			}
			if h, w := img.Dims[0], img.Dims[1]; h != s.Height || w != s.Width {
				return fmt.Errorf("%w: cell (%d, %d) of %q is %d×%d, but the first is %d×%d", ErrSize, r+1, c+1, x.Name, h, w, s.Height, s.Width)
			}
			total += len(img.Data) / (s.Height * s.Width)
		}
	}
	s.X = mat.NewDense(s.Height*s.Width, total, nil)
	s.Labels = make([]int, total)
	at := 0
	for r := range rows {
		for c := range cols {
			data, class := x.Cells[c*rows+r].Data, r
			if rows == 1 {
				class = c
			}
			count := len(data) / (s.Height * s.Width)
			fill(s.X, at, count, func(j, i int) float64 {
				return data[(j*s.Width+i%s.Width)*s.Height+i/s.Width]
			})
			for ; count > 0; count-- {
				s.Labels[at] = class
				at++
			}
		}
	}
	classes := rows
	if rows == 1 {
		classes = cols
	}
	for k := range classes {
		s.Classes = append(s.Classes, strconv.Itoa(k+1))
	}
	return nil
}

// nameClasses takes the names of the classes from a cell array of strings.
func (s *Set) nameClasses(y *MATArray) error {
	if len(y.Cells) != len(s.Classes) {
		return fmt.Errorf("%w: variable %q names %d of the %d classes", ErrSize, y.Name, len(y.Cells), len(s.Classes))
	}
	names := make([]string, len(y.Cells))
	for i, c := range y.Cells {
		if c == nil || len(c.Text) != 1 {
			return fmt.Errorf("%w: cell %d of %q is not a string", ErrUnsupported, i+1, y.Name)
		}
		names[i] = tidyName(c.Text[0])
	}
	s.Classes = names
	return nil
}

// matLabels numbers the classes given by a vector, or by a matrix with a 1 in each row.
func matLabels(y *MATArray) ([]int, []string, error) {
	if len(y.Dims) == 2 && y.Dims[0] > 1 && y.Dims[1] > 1 && (y.Sparse != nil || y.Data != nil) {
		return y.oneOf()
	}
	if y.Data == nil || len(y.Dims) != 2 || (y.Dims[0] != 1 && y.Dims[1] != 1) {
		return nil, nil, fmt.Errorf("%w: variable %q is not a vector of classes: %s %v", ErrUnsupported, y.Name, y.Class, y.Dims)
	}
	for i, v := range y.Data {
		if math.IsNaN(v) {
			return nil, nil, fmt.Errorf("%w: class %d in %q is NaN", ErrFormat, i+1, y.Name)
		}
	}
	return number(len(y.Data), func(j int) float64 { return y.Data[j] }, shortest)
}

// matWords numbers the classes given by strings.
func matWords(y *MATArray) ([]int, []string, error) {
	words, err := y.Strings()
	if err != nil {
		return nil, nil, err
	}
	left := budget(math.MaxInt) // they are in memory
	list := classList{categories: categories{left: &left}}
	for _, word := range words {
		if err := list.add(word); err != nil {
			return nil, nil, err
		}
	}
	labels, classes := list.sorted()
	return labels, classes, nil
}

// oneOf numbers the classes given by the columns of a matrix, of which each row has a 1
// in one.
func (y *MATArray) oneOf() ([]int, []string, error) {
	rows, cols := y.Dims[0], y.Dims[1]
	var err error
	if s := y.Sparse; s != nil {
		if err = s.Check(); err == nil && (s.Rows != rows || s.Cols != cols) {
			err = ErrSize
		}
	} else if len(y.Data) != product(math.MaxInt, rows, cols) {
		err = ErrSize
	}
	if err != nil {
		return nil, nil, fmt.Errorf("variable %q, %v: %w", y.Name, y.Dims, err)
	}
	if cols > maxClasses {
		return nil, nil, fmt.Errorf("%w: more than %d classes", ErrTooLarge, maxClasses)
	}
	labels, classes := make([]int, rows), make([]string, cols)
	for i := range labels {
		labels[i] = -1
	}
	bad := func(i int) error {
		return fmt.Errorf("%w: variable %q is not a matrix of classes with a single 1 in each row: see row %d", ErrUnsupported, y.Name, i+1)
	}
	entry := func(i, j int, v float64) error {
		if v == 0 {
			return nil
		}
		if v != 1 || labels[i] >= 0 {
			return bad(i)
		}
		labels[i] = j
		return nil
	}
	for j := range cols {
		classes[j] = strconv.Itoa(j + 1)
		from, to := j*rows, (j+1)*rows
		if y.Sparse != nil {
			from, to = y.Sparse.Start[j], y.Sparse.Start[j+1]
		}
		for k := from; k < to; k++ {
			var err error
			if y.Sparse != nil {
				err = entry(int(y.Sparse.Row[k]), j, y.Sparse.Value[k])
			} else {
				err = entry(k-from, j, y.Data[k])
			}
			if err != nil {
				return nil, nil, err
			}
		}
	}
	for i, l := range labels {
		if l < 0 {
			return nil, nil, bad(i)
		}
	}
	return labels, classes, nil
}
