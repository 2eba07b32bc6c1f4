package datasets

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets/sparse"
	"github.com/robustnmf/robustnmf/internal/sniff"
)

// The format is described in "MAT-File Format" (MathWorks), chapter 1,
// level 5; a number in it is little- or big-endian as its header says.

var (
	// ErrMAT73 is returned for a MAT file of version 7.3, which is HDF5.
	ErrMAT73 = errors.New("datasets: MAT file of version 7.3 (HDF5): ReadMAT73 reads it; or save it again with save('name.mat', '-v7')")
	// ErrNoVariable is returned for a variable that a MAT file does not hold.
	ErrNoVariable = errors.New("datasets: no such variable")
)

// A MATFile is the content of a MATLAB file of level 5 (versions 5 to 7).
type MATFile struct {
	Header string      // the text that says who wrote the file, and when
	Vars   []*MATArray // in the order of the file

	limit int // of values; 0 is that of all readers
}

// Var returns the variable of a name. If there is none, the error is
// ErrNoVariable and lists those there are.
func (f *MATFile) Var(name string) (*MATArray, error) {
	for _, v := range f.Vars {
		if v != nil && v.Name == name {
			return v, nil
		}
	}
	return nil, fmt.Errorf("%w: %q; the file has %s", ErrNoVariable, name, f.have())
}

// have lists the variables, with what they are.
func (f *MATFile) have() string {
	var have []string
	for _, v := range f.Vars {
		if v != nil {
			have = append(have, fmt.Sprintf("%s (%s)", v.Name, v.what()))
		}
	}
	if have == nil {
		return "no variable"
	}
	return list(have)
}

// A MATArray is a variable of a MAT file, or a cell of one. Elements come
// column by column, as in MATLAB: the first index runs fastest.
type MATArray struct {
	Name string // "" for a cell
	// Class is MATLAB's: double, single, int8 ... uint64, logical, char, cell, sparse. Of
	// what is not read (struct, object, function, opaque, "complex double" and the like)
	// there are only the class and the dimensions.
	Class string
	Dims  []int // two or more
	// Data holds numbers and logicals. Integers beyond 2⁵³ are rounded.
	Data   []float64
	Text   []string       // rows of a char array, padded with spaces as stored
	Cells  []*MATArray    // of a cell array
	Sparse *sparse.Matrix // of a sparse array of numbers or logicals
}

// Matrix returns a copy of a numeric or logical array of two dimensions, with the zeros
// of one that is sparse: see sparse.Matrix.Dense.
func (a *MATArray) Matrix() (*mat.Dense, error) {
	if a.Sparse != nil {
		x, err := a.Sparse.Dense()
		if err != nil {
			return nil, fmt.Errorf("variable %q: %w", a.Name, err)
		}
		return x, nil
	}
	rows, cols, err := a.size()
	if err != nil {
		return nil, err
	}
	x := mat.NewDense(rows, cols, nil)
	fill(x, 0, cols, func(j, i int) float64 { return a.Data[j*rows+i] })
	return x, nil
}

// size returns the size of a matrix of numbers.
func (a *MATArray) size() (rows, cols int, err error) {
	switch {
	case a.Data == nil && len(a.Dims) > 0:
		return 0, 0, fmt.Errorf("%w: variable %q of class %s is not a numeric matrix", ErrUnsupported, a.Name, a.Class)
	case len(a.Dims) != 2:
		return 0, 0, fmt.Errorf("%w: variable %q has %d dimensions, not 2", ErrSize, a.Name, len(a.Dims))
	case len(a.Data) == 0 || len(a.Data) != a.Dims[0]*a.Dims[1]:
		return 0, 0, fmt.Errorf("%w: variable %q is %d×%d", ErrSize, a.Name, a.Dims[0], a.Dims[1])
	}
	return a.Dims[0], a.Dims[1], nil
}

// Strings returns the rows of a char array without the blanks at their ends, or the
// strings of a cell array, as names. The error is ErrUnsupported for anything else.
func (a *MATArray) Strings() ([]string, error) {
	names := []string{}
	for _, row := range a.Text {
		names = append(names, tidyName(strings.TrimRight(row, " \x00")))
	}
	for i, c := range a.Cells {
		if c == nil || len(c.Text) > 1 || c.Text == nil && !(c.Data != nil && len(c.Data) == 0) { // [] is an empty string
			return nil, fmt.Errorf("%w: cell %d of %q is not a string", ErrUnsupported, i+1, a.Name)
		}
		names = append(names, tidyName(strings.Join(c.Text, "")))
	}
	if a.Text == nil && a.Cells == nil {
		return nil, fmt.Errorf("%w: variable %q of class %s has no strings", ErrUnsupported, a.Name, a.Class)
	}
	return names, nil
}

// Types of data elements.
const (
	miINT8       = 1
	miUINT8      = 2
	miINT16      = 3
	miUINT16     = 4
	miINT32      = 5
	miUINT32     = 6
	miSINGLE     = 7
	miDOUBLE     = 9
	miINT64      = 12
	miUINT64     = 13
	miMATRIX     = 14
	miCOMPRESSED = 15
	miUTF8       = 16
	miUTF16      = 17
	miUTF32      = 18
)

// matClasses are the names of MATLAB's classes by their number in a file.
var matClasses = [...]string{1: "cell", "struct", "object", "char", "sparse", "double", "single",
	"int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "function", "opaque"}

const (
	matHeader   = 128
	matMaxDims  = 32
	matMaxDepth = 32   // of cells in cells
	matMaxName  = 4096 // MATLAB's own limit is 63
	matCellCost = 48   // what an array costs at least, in values, with its bookkeeping
	matCharCost = 4    // what a character costs, in values, if each is a row
)

// ReadMAT reads a MATLAB file of level 5, as MATLAB (save -v6, -v7), Octave and
// SciPy write them: numeric, logical, char and cell arrays, plain or compressed.
// Variables of other kinds stay in the list, without their content.
//
// Errors are ErrMAT73, ErrFormat, ErrTooLarge, ErrUnsupported (level 4), or
// those of r.
func ReadMAT(ctx context.Context, r io.Reader) (*MATFile, error) { return readMAT(ctx, r, maxValues()) }

func readMAT(ctx context.Context, r io.Reader, limit int) (_ *MATFile, err error) {
	from := &source{ctx: ctx, r: r}
	defer func() { err = from.blame(err) }()
	r = from
	head, err := readN(r, matHeader)
	hdf := []byte("\x89HDF\r\n\x1a\n")
	switch {
	case bytes.HasPrefix(head, hdf), bytes.HasPrefix(head, []byte("MATLAB 7.3 MAT-file")):
		return nil, ErrMAT73
	case errors.Is(err, ErrFormat) && isLevel4(head):
		return nil, errLevel4
	case errors.Is(err, ErrFormat):
		return nil, fmt.Errorf("MAT header: %w: %s", err, sniff.Kind(head))
	case err != nil:
		return nil, fmt.Errorf("MAT header: %w", err)
	}
	// All that is kept of it, twice.
	d := &matDecoder{left: budget(limit), packed: &ratioReader{of: from, free: 2 * maxText(limit)}}
	switch mark := string(head[126:]); mark {
	case "IM":
		d.order = binary.LittleEndian
	case "MI":
		d.order = binary.BigEndian
	default:
		if isLevel4(head) {
			return nil, errLevel4
		}
		return nil, fmt.Errorf("%w: not a MAT file: %s", ErrFormat, sniff.Kind(head))
	}
	switch v := d.order.Uint16(head[124:]); v >> 8 {
	case 1:
	case 2:
		return nil, ErrMAT73
	default:
		return nil, fmt.Errorf("%w: MAT file of version %#x", ErrUnsupported, v)
	}
	f := &MATFile{limit: limit, Header: strings.TrimRight(string(head[:116]), " \x00")}
	for {
		t, err := d.tag(r)
		if errors.Is(err, io.EOF) {
			return f, nil
		}
		var v *MATArray
		if err == nil {
			v, err = d.variable(t)
		}
		if err != nil {
			return nil, fmt.Errorf("MAT variable %d: %w", len(f.Vars)+1, err)
		}
		f.Vars = append(f.Vars, v)
	}
}

var errLevel4 = fmt.Errorf("%w: a MAT file of level 4, or none: save it again with '-v7'", ErrUnsupported)

// isLevel4 tells whether a file begins with the header of a matrix of level 4, which
// has 20 bytes; later levels have text there.
func isLevel4(head []byte) bool {
	return len(head) >= 20 && (head[0] == 0 || head[1] == 0 || head[2] == 0 || head[3] == 0)
}

type matDecoder struct {
	order  binary.ByteOrder
	left   budget
	packed *ratioReader // of the present variable
	buf    [1 << 16]byte
}

// A matElement is the data of an element whose tag has been read.
type matElement struct {
	kind int
	size int
	io.LimitedReader
	pad int // bytes that follow
	r   io.Reader
}

// tag reads the next tag. At the end of r the error is io.EOF itself.
func (d *matDecoder) tag(r io.Reader) (*matElement, error) {
	var b [8]byte
	if n, err := io.ReadFull(r, b[:]); err != nil {
		if n == 0 && errors.Is(err, io.EOF) {
			return nil, io.EOF
		}
		return nil, readError(err)
	}
	kind, size := d.order.Uint32(b[:]), d.order.Uint32(b[4:])
	if small := kind >> 16; small != 0 { // the data are in the tag itself
		if small > 4 {
			return nil, fmt.Errorf("%w: small element of %d bytes", ErrFormat, small)
		}
		data := bytes.NewReader(b[4 : 4+small])
		return &matElement{kind: int(kind & 0xffff), size: int(small),
			LimitedReader: io.LimitedReader{R: data, N: int64(small)}, r: data}, nil
	}
	e := &matElement{kind: int(kind), size: int(size),
		LimitedReader: io.LimitedReader{R: r, N: int64(size)}, r: r}
	if e.size < 0 { // a 32-bit int
		return nil, ErrTooLarge
	}
	if kind != miCOMPRESSED {
		e.pad = -e.size & 7
	}
	return e, nil
}

// skip reads over what is left of an element and its padding.
func (e *matElement) skip() error {
	left := e.N
	if n, err := io.Copy(io.Discard, &e.LimitedReader); err != nil || n < left {
		return readError(errors.Join(err, io.ErrUnexpectedEOF))
	}
	// Padding at the very end of a file or of a compressed element is
	// sometimes left out.
	if _, err := io.CopyN(io.Discard, e.r, int64(e.pad)); err != nil && !errors.Is(err, io.EOF) {
		return readError(err)
	}
	return nil
}

// variable reads an element at the top of a file.
func (d *matDecoder) variable(e *matElement) (*MATArray, error) {
	if e.kind != miCOMPRESSED {
		v, err := d.array(e, 0)
		if err != nil {
			return nil, err
		}
		return v, e.skip()
	}
	z, err := zlib.NewReader(e)
	if err != nil {
		return nil, fmt.Errorf("zlib: %w", readError(err))
	}
	d.packed.r = z
	in, err := d.tag(d.packed)
	if err != nil {
		return nil, readError(err)
	}
	v, err := d.array(in, 0)
	if err != nil {
		return nil, err
	}
	if !v.isRead() { // nor is it unpacked
		return v, e.skip()
	}
	if err := in.skip(); err != nil {
		return nil, err
	}
	// Reading to the end makes zlib compare its checksum.
	switch n, err := io.Copy(io.Discard, io.LimitReader(z, 9)); {
	case err != nil:
		return nil, readError(err)
	case n > 8:
		return nil, fmt.Errorf("%w: bytes after an array in zlib", ErrFormat)
	}
	return v, e.skip()
}

// isRead tells whether there is more of a variable than its class and dimensions.
func (a *MATArray) isRead() bool {
	return a.Data != nil || a.Text != nil || a.Cells != nil || a.Sparse != nil
}

// array reads of a miMATRIX element what is kept of it. The caller skips the rest.
func (d *matDecoder) array(e *matElement, depth int) (*MATArray, error) {
	if e.kind != miMATRIX {
		return nil, fmt.Errorf("%w: element of type %d where an array belongs", ErrFormat, e.kind)
	}
	if depth > matMaxDepth {
		return nil, fmt.Errorf("%w: cells nested more than %d deep", ErrTooLarge, matMaxDepth)
	}
	if err := d.left.take(matCellCost); err != nil {
		return nil, err
	}
	if e.size == 0 { // an empty cell
		return &MATArray{Class: "double", Dims: []int{0, 0}, Data: []float64{}}, nil
	}
	flags, err := d.small(e, "array flags", 8)
	if err != nil {
		return nil, err
	}
	if len(flags) != 8 {
		return nil, fmt.Errorf("%w: array flags of %d bytes", ErrFormat, len(flags))
	}
	bits := d.order.Uint32(flags)
	class := int(bits & 0xff)
	if class == 0 || class >= len(matClasses) {
		return nil, fmt.Errorf("%w: array of class %d", ErrFormat, class)
	}
	a := &MATArray{Class: matClasses[class]}
	if a.Class == "opaque" { // has no dimensions, its parts are undocumented
		return a, nil
	}
	dims, err := d.small(e, "dimensions", 4*matMaxDims)
	if err != nil {
		return nil, err
	}
	if len(dims) < 8 || len(dims)%4 != 0 {
		return nil, fmt.Errorf("%w: dimensions of %d bytes", ErrFormat, len(dims))
	}
	a.Dims = make([]int, 0, len(dims)/4)
	for ; len(dims) > 0; dims = dims[4:] {
		k := int(int32(d.order.Uint32(dims)))
		if k < 0 {
			return nil, fmt.Errorf("%w: dimension %d", ErrFormat, k)
		}
		a.Dims = append(a.Dims, k)
	}
	name, err := d.small(e, "name", matMaxName)
	if err != nil {
		return nil, err
	}
	if err := d.left.take(cap(a.Dims) + len(name)/8); err != nil {
		return nil, err
	}
	a.Name = strings.ToValidUTF8(string(name), "\uFFFD")

	switch {
	case bits&0x0800 != 0:
		a.Class = "complex " + a.Class
	case a.Class == "cell":
		err = d.cells(a, e, depth)
	case a.Class == "char":
		err = d.text(a, e)
	case a.Class == "sparse":
		err = d.sparse(a, e)
	case a.Class == "struct", a.Class == "object", a.Class == "function":
	default:
		if bits&0x0200 != 0 {
			a.Class = "logical"
		}
		err = d.numbers(a, e)
	}
	if err != nil {
		return nil, fmt.Errorf("%q: %w", a.Name, err)
	}
	return a, nil
}

// small reads a part of an array that comes before its data.
func (d *matDecoder) small(e *matElement, what string, limit int) ([]byte, error) {
	part, err := d.part(e, what)
	if err != nil {
		return nil, err
	}
	if part.size > limit {
		return nil, fmt.Errorf("%w: %s of %d bytes", ErrTooLarge, what, part.size)
	}
	b, err := readN(part, part.size)
	if err != nil {
		return nil, err
	}
	return b, part.skip()
}

// part reads the tag of a part of an array.
func (d *matDecoder) part(e *matElement, what string) (*matElement, error) {
	part, err := d.tag(&e.LimitedReader)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, readError(err))
	}
	if int64(part.size) > e.N && part.r == &e.LimitedReader {
		return nil, fmt.Errorf("%w: %s of %d bytes in the %d left of the array", ErrFormat, what, part.size, e.N)
	}
	return part, nil
}

// count returns the number of elements, of which each takes so many values off what may
// be kept.
func (d *matDecoder) count(a *MATArray, each int) (int, error) {
	n := product(int(d.left)/each, a.Dims...)
	if n < 0 {
		return 0, fmt.Errorf("%s array of %v: %w", a.Class, a.Dims, errTooMany())
	}
	return n, d.left.take(n * each)
}

func (d *matDecoder) cells(a *MATArray, e *matElement, depth int) error {
	n, err := d.count(a, 1)
	if err != nil {
		return err
	}
	a.Cells = []*MATArray{}
	for i := range n {
		part, err := d.part(e, "cell")
		var c *MATArray
		if err == nil {
			c, err = d.array(part, depth+1)
		}
		if err == nil {
			err = part.skip()
		}
		if err != nil {
			return fmt.Errorf("cell %d of %v: %w", i+1, a.Dims, err)
		}
		a.Cells = append(room(a.Cells, n), c)
	}
	return nil
}

// numbers reads the data of a numeric array. They are stored in the smallest
// type that holds their values, whatever the class of the array is.
func (d *matDecoder) numbers(a *MATArray, e *matElement) error {
	n, err := d.count(a, 1)
	if err != nil {
		return err
	}
	if n == 0 && e.N == 0 {
		a.Data = []float64{}
		return nil
	}
	part, err := d.part(e, "data")
	if err != nil {
		return err
	}
	a.Data, err = matValues(d, part, fmt.Sprintf("array of %v", a.Dims), n, func(v float64) float64 { return v })
	return err
}

// matValues reads n numbers.
func matValues[T int | int32 | float64](d *matDecoder, part *matElement, what string, n int, of func(v float64) T) ([]T, error) {
	size, convert := matNumber(part.kind, d.order)
	if convert == nil {
		return nil, fmt.Errorf("%w: data of type %d", ErrFormat, part.kind)
	}
	if part.size/size != n || part.size%size != 0 {
		return nil, fmt.Errorf("%w: %s in %d bytes of type %d", ErrFormat, what, part.size, part.kind)
	}
	values := []T{}
	for len(values) < n {
		values = room(values, n)
		b := d.buf[:size*min(len(d.buf)/8, cap(values)-len(values))]
		if _, err := io.ReadFull(part, b); err != nil {
			return nil, readError(err)
		}
		for ; len(b) > 0; b = b[size:] {
			values = append(values, of(convert(b)))
		}
	}
	return values, part.skip()
}

// sparse reads the entries of a sparse array: their rows, the start of each column, and
// their values. There may be room for more rows and values than there are.
func (d *matDecoder) sparse(a *MATArray, e *matElement) error {
	if len(a.Dims) != 2 {
		return fmt.Errorf("%w: sparse array of %v", ErrFormat, a.Dims)
	}
	rows, cols := a.Dims[0], a.Dims[1]
	if err := d.left.take(cols); err != nil {
		return fmt.Errorf("sparse array of %v: %w", a.Dims, err)
	}
	entries := func(what string, of int) (part *matElement, n int, err error) { // -1: any number of rows
		if part, err = d.part(e, what); err != nil {
			return nil, 0, err
		}
		size, convert := matNumber(part.kind, d.order)
		if convert == nil || what != "values" && (part.kind == miSINGLE || part.kind == miDOUBLE) {
			return nil, 0, fmt.Errorf("%w: %s of type %d", ErrFormat, what, part.kind)
		}
		n = part.size / size
		if of >= 0 && n < of {
			return nil, 0, fmt.Errorf("%w: %d %s for %d entries", ErrFormat, n, what, of)
		}
		return part, n, d.left.take(n)
	}
	index := func(v float64) int { return int(max(-1, min(v, math.MaxInt32))) }
	part, n, err := entries("rows", -1)
	if err != nil {
		return err
	}
	s := &sparse.Matrix{Rows: rows, Cols: cols}
	if s.Row, err = matValues(d, part, "rows", n, func(v float64) int32 { return int32(index(v)) }); err != nil {
		return err
	}
	if part, n, err = entries("starts of columns", cols+1); err != nil {
		return err
	}
	if s.Start, err = matValues(d, part, "starts of columns", n, index); err != nil {
		return err
	}
	s.Start = s.Start[:cols+1]
	count := s.Start[cols]
	if count < 0 || count > len(s.Row) {
		return fmt.Errorf("%w: sparse array of %v with %d entries and %d rows of such", ErrFormat, a.Dims, count, len(s.Row))
	}
	s.Row = s.Row[:count]
	s.Value = []float64{}
	if count > 0 || e.N > 0 {
		if part, n, err = entries("values", count); err != nil {
			return err
		}
		if s.Value, err = matValues(d, part, "values", n, func(v float64) float64 { return v }); err != nil {
			return err
		}
		s.Value = s.Value[:count]
	}
	a.Sparse = s
	return s.Check()
}

// matNumber returns the size of a stored number and its conversion, nil if the
// type is none of numbers.
func matNumber(kind int, order binary.ByteOrder) (int, func([]byte) float64) {
	switch kind {
	case miINT8:
		return 1, func(b []byte) float64 { return float64(int8(b[0])) }
	case miUINT8:
		return 1, func(b []byte) float64 { return float64(b[0]) }
	case miINT16:
		return 2, func(b []byte) float64 { return float64(int16(order.Uint16(b))) }
	case miUINT16:
		return 2, func(b []byte) float64 { return float64(order.Uint16(b)) }
	case miINT32:
		return 4, func(b []byte) float64 { return float64(int32(order.Uint32(b))) }
	case miUINT32:
		return 4, func(b []byte) float64 { return float64(order.Uint32(b)) }
	case miSINGLE:
		return 4, func(b []byte) float64 { return float64(math.Float32frombits(order.Uint32(b))) }
	case miDOUBLE:
		return 8, func(b []byte) float64 { return math.Float64frombits(order.Uint64(b)) }
	case miINT64:
		return 8, func(b []byte) float64 { return float64(int64(order.Uint64(b))) }
	case miUINT64:
		return 8, func(b []byte) float64 { return float64(order.Uint64(b)) }
	}
	return 0, nil
}

// text reads a char array into its rows.
func (d *matDecoder) text(a *MATArray, e *matElement) error {
	n, err := d.count(a, matCharCost)
	if err != nil {
		return err
	}
	a.Text = []string{}
	if n == 0 {
		return nil
	}
	if len(a.Dims) != 2 {
		return fmt.Errorf("%w: char array of %d dimensions", ErrUnsupported, len(a.Dims))
	}
	part, err := d.part(e, "text")
	if err != nil {
		return err
	}
	if part.size > 4*n {
		return fmt.Errorf("%w: %d characters in %d bytes", ErrFormat, n, part.size)
	}
	b, err := readN(part, part.size)
	if err != nil {
		return err
	}
	chars := make([]rune, 0, min(n, len(b)))
	switch part.kind {
	case miINT8, miUINT8: // Latin 1
		for _, c := range b {
			chars = append(chars, rune(c))
		}
	case miUTF8:
		for len(b) > 0 {
			c, k := utf8.DecodeRune(b)
			chars, b = append(chars, c), b[k:]
		}
	case miUINT16, miINT16, miUTF16: // a MATLAB character is a 16-bit unit
		for ; len(b) >= 2; b = b[2:] {
			chars = append(chars, rune(d.order.Uint16(b)))
		}
	case miUTF32, miUINT32:
		for ; len(b) >= 4; b = b[4:] {
			chars = append(chars, rune(d.order.Uint32(b)))
		}
	default:
		return fmt.Errorf("%w: text of type %d", ErrFormat, part.kind)
	}
	if len(chars) != n {
		return fmt.Errorf("%w: char array of %v with %d characters", ErrFormat, a.Dims, len(chars))
	}
	rows := a.Dims[0]
	a.Text = make([]string, 0, rows)
	for r := range rows {
		a.Text = append(a.Text, joinUnits(chars, r, rows))
	}
	return part.skip()
}

// joinUnits returns the string of every step-th character, with halves of
// UTF-16 pairs put together.
func joinUnits(chars []rune, from, step int) string {
	var b strings.Builder
	for i := from; i < len(chars); i += step {
		c := chars[i]
		if utf16.IsSurrogate(c) && i+step < len(chars) {
			if pair := utf16.DecodeRune(c, chars[i+step]); pair != utf8.RuneError {
				c, i = pair, i+step
			}
		}
		b.WriteRune(c)
	}
	return b.String()
}
