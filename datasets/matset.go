package datasets

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

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
	X string
	// Labels names the variable of the classes; "" is the first there is of
	// gnd and Y, if any, and "-" is none. It is a vector of numbers, one for each
	// sample, whose distinct values in order become the classes; or, with a
	// cell array of images, a cell array of strings that name the classes.
	Labels string
	// Height and Width are those of the images in a matrix. Images in arrays
	// and cells have their own.
	Height, Width int
	// Raster says that the pixels of an image in a matrix come row by row.
	// MATLAB's way, and the default, is column by column.
	Raster bool
	// Columns says that a sample is a column of the matrix, not a row.
	Columns bool
	// Max is the largest possible value; 0 if unknown.
	Max float64
}

// Set makes a data set of variables of the file. It has no name and no credit.
func (f *MATFile) Set(l MATLayout) (*Set, error) {
	x, err := f.first(l.X, "fea", "X")
	if err != nil {
		return nil, err
	}
	s := &Set{Height: l.Height, Width: l.Width, Max: l.Max}
	switch {
	case x.Cells != nil:
		err = s.fromCells(x)
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
		return nil, err
	case x.Cells != nil && y.Cells != nil:
		err = s.nameClasses(y)
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
	full, err := x.Matrix()
	if err != nil {
		return err
	}
	if !l.Columns {
		full = mat.DenseCopyOf(full.T())
	}
	s.X = full
	if err := s.Check(); err != nil {
		return fmt.Errorf("variable %q: %w", x.Name, err)
	}
	if s.isImage() && !l.Raster {
		m, n := full.Dims()
		s.X = mat.NewDense(m, n, nil)
		for r := range s.Height {
			for c := range s.Width {
				s.X.SetRow(r*s.Width+c, full.RawRowView(c*s.Height+r))
			}
		}
	}
	return nil
}

// fromCells takes the images of a cell array, row by row.
func (s *Set) fromCells(x *MATArray) error {
	if len(x.Dims) != 2 {
		return fmt.Errorf("%w: variable %q: cell array of %d dimensions", ErrUnsupported, x.Name, len(x.Dims))
	}
	if len(x.Cells) == 0 { // one of the dimensions may still be large
		return fmt.Errorf("%w: variable %q is %v", ErrSize, x.Name, x.Dims)
	}
	rows, cols := x.Dims[0], x.Dims[1]
	var flat []float64 // raster images one after the other
	classes := rows
	if rows == 1 {
		classes = cols
	}
	for r := range rows {
		for c := range cols {
			img := x.Cells[c*rows+r]
			if img.Data == nil || len(img.Dims) > 3 || len(img.Data) == 0 {
				return fmt.Errorf("%w: cell (%d, %d) of %q is no image: %s %v", ErrUnsupported, r+1, c+1, x.Name, img.Class, img.Dims)
			}
			h, w, count := img.Dims[0], img.Dims[1], 1
			if len(img.Dims) == 3 {
				count = img.Dims[2]
			}
			if flat == nil {
				s.Height, s.Width = h, w
			}
			if h != s.Height || w != s.Width {
				return fmt.Errorf("%w: cell (%d, %d) of %q is %d×%d, the first is %d×%d", ErrSize, r+1, c+1, x.Name, h, w, s.Height, s.Width)
			}
			class := r
			if rows == 1 {
				class = c
			}
			for k := range count {
				one := img.Data[k*h*w : (k+1)*h*w]
				for i := range h {
					for j := range w {
						flat = append(flat, one[j*h+i])
					}
				}
				s.Labels = append(s.Labels, class)
			}
		}
	}
	for k := range classes {
		s.Classes = append(s.Classes, strconv.Itoa(k+1))
	}
	s.X = fromSamples(flat, s.Height*s.Width)
	return nil
}

// nameClasses takes the names of the classes from a cell array of strings.
func (s *Set) nameClasses(y *MATArray) error {
	if len(y.Cells) != len(s.Classes) {
		return fmt.Errorf("%w: variable %q names %d classes of %d", ErrSize, y.Name, len(y.Cells), len(s.Classes))
	}
	names := make([]string, len(y.Cells))
	for i, c := range y.Cells {
		if len(c.Text) != 1 {
			return fmt.Errorf("%w: cell %d of %q is no string", ErrUnsupported, i+1, y.Name)
		}
		names[i] = c.Text[0]
	}
	s.Classes = names
	return nil
}

// matLabels numbers the classes given by a vector.
func matLabels(y *MATArray) ([]int, []string, error) {
	if y.Data == nil || len(y.Dims) != 2 || (y.Dims[0] != 1 && y.Dims[1] != 1) {
		return nil, nil, fmt.Errorf("%w: variable %q is no vector of classes: %s %v", ErrUnsupported, y.Name, y.Class, y.Dims)
	}
	for i, v := range y.Data {
		if math.IsNaN(v) {
			return nil, nil, fmt.Errorf("%w: class %d in %q is NaN", ErrFormat, i+1, y.Name)
		}
	}
	values := slices.Clone(y.Data)
	slices.Sort(values)
	values = slices.Compact(values)
	labels := make([]int, len(y.Data))
	for j, v := range y.Data {
		labels[j], _ = slices.BinarySearchFunc(values, v, cmp.Compare[float64])
	}
	classes := make([]string, len(values))
	for i, v := range values {
		classes[i] = strconv.FormatFloat(v, 'g', -1, 64)
	}
	return labels, classes, nil
}
