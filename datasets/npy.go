package datasets

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/internal/npy"
)

// The Go libraries for this format take a file that is cut off for zeros and
// panic on a damaged header, so the few lines that it needs are here.

// An NPYLayout says how an array of NumPy makes a Set. Its zero value takes the
// first index for the sample, as scikit-learn does; an array of three indices
// holds images.
type NPYLayout struct {
	// X, Labels, Samples and Features name arrays of an archive, for ReadNPZ: those of the
	// data, the classes, and the names of samples and of features. X "" is the first there
	// is of X, x, data and arr_0, or the only one; Labels "" the first there is of y, Y,
	// labels and target, if any, and "-" none; Samples "" is sample_names, if there is
	// one, and Features "" feature_names; "-" is none here, too.
	X, Labels, Samples, Features string
	// Columns says that a sample is a column of a matrix, not a row.
	Columns bool
	// Height and Width are those of the images in a matrix, in raster order.
	Height, Width int
	Max           float64 // the largest possible value; 0 if unknown

	sparse bool // keeps a matrix of SciPy without its zeros
}

// ReadNPY reads an array that NumPy saved (.npy), plain or gzip: of booleans,
// integers, or floats of 4 or 8 bytes, with one index (a single sample), two, or
// three (images). It has no labels; see Set.Labels.
//
// Errors are ErrFormat, ErrTooLarge, ErrUnsupported (other types, Fortran order
// of three indices), ErrSize, or those of r.
func ReadNPY(ctx context.Context, r io.Reader, l NPYLayout) (*Set, error) {
	return readNPY(ctx, r, l, maxValues())
}

func readNPY(ctx context.Context, r io.Reader, l NPYLayout, limit int) (_ *Set, err error) {
	from := &source{ctx: ctx, r: r}
	defer func() { err = from.blame(err) }()
	if l.X != "" || l.Labels != "" || l.Samples != "" || l.Features != "" {
		return nil, fmt.Errorf("%w: a file of one array has no names of arrays", ErrParameter)
	}
	if r, err = from.unpacked(); err != nil {
		return nil, err
	}
	left := budget(limit)
	a, err := readNPYArray(r, &left)
	if err != nil {
		return nil, err
	}
	return a.set(l)
}

// An npyArray is an array as it is stored.
type npyArray struct {
	kind    string
	size    int                  // bytes of a value
	value   func([]byte) float64 // nil: text
	fortran bool
	shape   []int
	raw     []byte
}

// readNPYArray reads an array up to the end of r, and takes what it makes off the budget.
func readNPYArray(r io.Reader, left *budget) (*npyArray, error) {
	h, err := readNPYHeader(r)
	if err != nil {
		return nil, err
	}
	a := &npyArray{kind: h.Kind, fortran: h.Fortran, shape: h.Shape}
	if len(a.shape) > 32 { // NumPy's own limit
		return nil, fmt.Errorf("%w: an array of %d dimensions", ErrFormat, len(a.shape))
	}
	if a.size, err = npyText(a.kind); a.size == 0 && err == nil {
		a.size, a.value, err = npyValue(a.kind)
	}
	if err != nil {
		return nil, err
	}
	n := product(int(*left), a.shape...)
	if n < 0 || a.value == nil && product(8*int(*left), n, a.size) < 0 {
		return nil, fmt.Errorf("an array of %v: %w", a.shape, errTooMany())
	}
	if err := left.take(max(n, n*a.size/8)); err != nil {
		return nil, fmt.Errorf("an array of %v: %w", a.shape, err)
	}
	if a.raw, err = readN(r, n*a.size); err != nil {
		return nil, fmt.Errorf("an array of %v: %w", a.shape, err)
	}
	if k, err := io.ReadFull(r, make([]byte, 1)); k > 0 {
		return nil, fmt.Errorf("%w: bytes after an array of %v", ErrFormat, a.shape)
	} else if !errors.Is(err, io.EOF) {
		return nil, readError(err)
	}
	return a, nil
}

// set makes a Set of an array of numbers.
func (a *npyArray) set(l NPYLayout) (*Set, error) {
	if a.value == nil {
		return nil, fmt.Errorf("%w: an array of text (%s) where numbers belong", ErrUnsupported, a.kind)
	}
	shape, fortran, limit := a.shape, a.fortran, math.MaxInt
	s := &Set{Height: l.Height, Width: l.Width, Max: l.Max}
	columns := l.Columns
	switch len(shape) {
	case 1:
		shape, columns, fortran = []int{1, shape[0]}, false, false
	case 2:
		columns = s.imagesInColumns(shape[0], shape[1], columns, "the array")
	case 3:
		if fortran {
			return nil, fmt.Errorf("%w: an array of %v in Fortran's order", ErrUnsupported, shape)
		}
		s.Height, s.Width, columns = shape[1], shape[2], false
		shape = []int{shape[0], product(limit, shape[1:]...)}
	case 4:
		return nil, fmt.Errorf("%w: an array of %v is not a matrix: colours become grey by x.mean(axis=3)", ErrSize, shape)
	default:
		return nil, fmt.Errorf("%w: an array of %v is not a matrix", ErrSize, shape)
	}
	n := product(limit, shape...)
	if n <= 0 {
		return nil, fmt.Errorf("%w: an array of %v is empty", ErrSize, shape)
	}
	features := shape[1]
	if columns {
		features = shape[0]
	}
	samples := n / features
	// The values of a sample lie side by side if it is a row in C's order, where
	// the last index runs fastest, or a column in Fortran's.
	ofSample, ofFeature := features, 1
	if columns != fortran {
		ofSample, ofFeature = 1, samples
	}
	s.X = mat.NewDense(features, samples, nil)
	fill(s.X, 0, samples, func(j, i int) float64 { return a.value(a.raw[(j*ofSample+i*ofFeature)*a.size:]) })
	if s.Max == 0 && a.kind == "|u1" {
		s.Max = 255
	}
	return s.checked()
}

// readNPYHeader reads up to the first value.
func readNPYHeader(r io.Reader) (npy.Header, error) {
	return npy.Read(func(n int) ([]byte, error) { return readN(r, n) }, npy.Kinds{Format: ErrFormat, TooLarge: ErrTooLarge, Unsupported: ErrUnsupported})
}

// npyText returns the size of a value of text: <U5 is of five characters of four bytes
// and |S5 of five bytes; 0 if it is none.
func npyText(kind string) (int, error) {
	if len(kind) < 3 || kind[1] != 'U' && kind[1] != 'S' {
		return 0, nil
	}
	n, err := strconv.Atoi(kind[2:])
	if err != nil || n < 1 || n > 1<<20 {
		return 0, fmt.Errorf("%w: NPY type %q", ErrUnsupported, kind)
	}
	if kind[1] == 'U' {
		n *= 4
	}
	return n, nil
}

// names returns the texts of an array of one index, or the numbers of one as such.
func (a *npyArray) names(left *budget) ([]string, error) {
	if len(a.shape) > 1 {
		return nil, fmt.Errorf("%w: names in an array of %v", ErrSize, a.shape)
	}
	var order binary.ByteOrder = binary.LittleEndian
	if a.kind[0] == '>' {
		order = binary.BigEndian
	}
	names := []string{}
	for raw := a.raw; len(raw) > 0; raw = raw[a.size:] {
		var name string
		switch {
		case a.value != nil:
			name = shortest(a.value(raw))
		case a.kind[1] == 'S':
			name = string(bytes.TrimRight(raw[:a.size], "\x00"))
		default:
			var text strings.Builder
			for end := raw[:a.size]; len(end) > 0; end = end[4:] {
				if c := order.Uint32(end); c != 0 {
					text.WriteRune(rune(min(c, 1<<31-1)))
				}
			}
			name = text.String()
		}
		name = tidyName(name)
		if err := left.takeName(name); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}

// npyValue returns the size of a value and how it is read. The first letter of
// a kind is the byte order: <, > or, for bytes, |.
func npyValue(kind string) (size int, value func([]byte) float64, err error) {
	if len(kind) < 3 || !strings.Contains("<>|", kind[:1]) {
		return 0, nil, fmt.Errorf("%w: NPY type %q", ErrUnsupported, kind)
	}
	var order binary.ByteOrder = binary.LittleEndian
	if kind[0] == '>' {
		order = binary.BigEndian
	}
	switch kind[1:] {
	case "b1", "u1":
		return 1, func(b []byte) float64 { return float64(b[0]) }, nil
	case "i1":
		return 1, func(b []byte) float64 { return float64(int8(b[0])) }, nil
	case "u2":
		return 2, func(b []byte) float64 { return float64(order.Uint16(b)) }, nil
	case "i2":
		return 2, func(b []byte) float64 { return float64(int16(order.Uint16(b))) }, nil
	case "u4":
		return 4, func(b []byte) float64 { return float64(order.Uint32(b)) }, nil
	case "i4":
		return 4, func(b []byte) float64 { return float64(int32(order.Uint32(b))) }, nil
	case "u8":
		return 8, func(b []byte) float64 { return float64(order.Uint64(b)) }, nil
	case "i8":
		return 8, func(b []byte) float64 { return float64(int64(order.Uint64(b))) }, nil
	case "f2":
		return 2, func(b []byte) float64 { return half(order.Uint16(b)) }, nil
	case "f4":
		return 4, func(b []byte) float64 { return float64(math.Float32frombits(order.Uint32(b))) }, nil
	case "f8":
		return 8, func(b []byte) float64 { return math.Float64frombits(order.Uint64(b)) }, nil
	}
	return 0, nil, fmt.Errorf("%w: NPY type %q", ErrUnsupported, kind)
}

// WriteNPY writes a matrix as numpy.save does: doubles, row by row. The error is ErrSize if
// the matrix is nil, or that of w.
func WriteNPY(w io.Writer, m mat.Matrix) error {
	if err := usable(m); err != nil {
		return err
	}
	rows, cols := m.Dims()
	out := bufio.NewWriter(w) // keeps the first error, for Flush
	out.Write(npy.Append(nil, "<f8", []int{rows, cols}, npyAlign))
	var b [8]byte
	for i := range rows {
		for j := range cols {
			binary.LittleEndian.PutUint64(b[:], math.Float64bits(m.At(i, j)))
			out.Write(b[:])
		}
	}
	return out.Flush()
}

// npyAlign is where NumPy begins the values of a file: at a multiple of so many bytes.
const npyAlign = 64
