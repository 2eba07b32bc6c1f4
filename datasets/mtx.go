package datasets

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/robustnmf/robustnmf/datasets/sparse"
	"github.com/robustnmf/robustnmf/internal/sniff"
)

// The format is described in Boisvert, Pozo, Remington: The Matrix Market Exchange
// Formats: Initial Design (NISTIR 5935, 1996).

// maxMTXLine bounds a line, which the format keeps below 1024 bytes.
const maxMTXLine = 1 << 16

// ReadMTX reads a matrix in the format of Matrix Market (.mtx), plain or gzip: coordinates
// or an array, of real numbers, integers or a pattern (whose entries are 1), general,
// symmetric or skew-symmetric.
//
// Errors are ErrFormat, with the line, also where an entry comes twice, ErrTooLarge,
// ErrUnsupported (complex), or those of r.
func ReadMTX(ctx context.Context, r io.Reader) (*sparse.Matrix, error) {
	return readMTX(ctx, r, maxValues())
}

func readMTX(ctx context.Context, r io.Reader, limit int) (_ *sparse.Matrix, err error) {
	from := &source{ctx: ctx, r: r}
	defer func() { err = from.blame(err) }()
	if r, err = from.text(limit); err != nil {
		return nil, err
	}
	m := &mtxReader{in: bufio.NewScanner(r), left: budget(limit)}
	m.in.Buffer(nil, maxMTXLine)
	s, err := m.read()
	if failed := m.in.Err(); failed != nil { // with an error comes half a line
		if err = readError(failed); errors.Is(failed, bufio.ErrTooLong) {
			err = fmt.Errorf("%w: a line of more than %d bytes", ErrFormat, maxMTXLine)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("line %d: %w", m.line, err)
	}
	return s, nil
}

type mtxReader struct {
	in     *bufio.Scanner
	left   budget
	line   int
	fields [][]byte
	triplets
}

// next reads a line that is neither blank nor a comment; false at the end.
func (m *mtxReader) next() bool {
	for m.in.Scan() {
		m.line++
		if text := bytes.TrimSpace(m.in.Bytes()); len(text) > 0 && text[0] != '%' {
			m.fields = m.fields[:0]
			for f := range bytes.FieldsSeq(text) {
				m.fields = append(m.fields, f)
			}
			return true
		}
	}
	return false
}

// index reads a whole number in 0..most.
func (m *mtxReader) index(k, most int) (int, error) {
	n, err := strconv.Atoi(string(m.fields[k]))
	if errors.Is(err, strconv.ErrRange) || err == nil && n > most {
		return 0, fmt.Errorf("%w: %.20s, more than %d", ErrFormat, m.fields[k], most)
	}
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%w: %.40q is not the number of a row or column, nor of entries", ErrFormat, m.fields[k])
	}
	return n, nil
}

func (m *mtxReader) read() (*sparse.Matrix, error) {
	if !m.in.Scan() {
		return nil, fmt.Errorf("%w: no data", ErrFormat)
	}
	m.line = 1
	head := strings.Fields(strings.ToLower(strings.TrimPrefix(m.in.Text(), "\uFEFF")))
	if len(head) != 5 || head[0] != "%%matrixmarket" || head[1] != "matrix" {
		return nil, fmt.Errorf("%w: not a matrix of Matrix Market: %s", ErrFormat, sniff.Kind(m.in.Bytes()))
	}
	form, kind, shape := head[2], head[3], head[4]
	array, pattern := form == "array", kind == "pattern"
	mirror := map[string]float64{"general": 0, "symmetric": 1, "skew-symmetric": -1}
	switch _, known := mirror[shape]; {
	case kind == "complex" || shape == "hermitian":
		return nil, fmt.Errorf("%w: a complex matrix", ErrUnsupported)
	case !array && form != "coordinate", kind != "real" && kind != "integer" && kind != "unsigned-integer" && kind != "double" && !pattern, !known, array && pattern:
		return nil, fmt.Errorf("%w: a matrix of Matrix Market, %s %s %s", ErrFormat, form, kind, shape)
	}
	if !m.next() {
		return nil, fmt.Errorf("%w: the size is missing", ErrFormat)
	}
	want := 3
	if array {
		want = 2
	}
	if len(m.fields) != want {
		return nil, fmt.Errorf("%w: a size of %d numbers, not %d", ErrFormat, len(m.fields), want)
	}
	var size [3]int
	for k := range want {
		var err error
		if size[k], err = m.index(k, math.MaxInt32); err != nil {
			return nil, err
		}
	}
	rows, cols, sign := size[0], size[1], mirror[shape]
	if sign != 0 && rows != cols {
		return nil, fmt.Errorf("%w: a %s matrix of %d×%d", ErrFormat, shape, rows, cols)
	}
	if err := m.left.take(2 * (rows + cols)); err != nil { // before a file says more than it has
		return nil, fmt.Errorf("matrix of %d×%d: %w", rows, cols, err)
	}
	put := func(i, j int, v float64) error {
		if err := m.left.take(tripletCost); err != nil {
			return err
		}
		if m.add(i, j, v); sign == 0 || i == j {
			return nil
		}
		m.add(j, i, sign*v)
		return m.left.take(tripletCost)
	}
	var err error
	if array {
		err = m.array(rows, cols, sign, put)
	} else {
		err = m.coordinates(rows, cols, size[2], sign, pattern, put)
	}
	if err != nil {
		return nil, err
	}
	return m.matrix(rows, cols, &m.left)
}

func (m *mtxReader) coordinates(rows, cols, entries int, sign float64, pattern bool, put func(i, j int, v float64) error) error {
	want := 3
	if pattern {
		want = 2
	}
	if m.most = entries; sign != 0 {
		m.most = min(2*entries, math.MaxInt32)
	}
	n := 0
	for ; m.next(); n++ {
		if n == entries {
			return fmt.Errorf("%w: more than %d entries", ErrFormat, entries)
		}
		if len(m.fields) != want {
			return fmt.Errorf("%w: an entry of %d numbers, not %d", ErrFormat, len(m.fields), want)
		}
		i, err := m.index(0, rows)
		if err != nil {
			return err
		}
		j, err := m.index(1, cols)
		if err != nil {
			return err
		}
		if i == 0 || j == 0 {
			return fmt.Errorf("%w: entry (%d, %d), but rows and columns are counted from 1", ErrFormat, i, j)
		}
		v := 1.0
		if !pattern {
			if v, err = parseNumber(string(m.fields[2])); err != nil {
				return err
			}
		}
		if err := put(i-1, j-1, v); err != nil {
			return err
		}
	}
	if n < entries {
		return fmt.Errorf("%w: %d entries, not %d", ErrFormat, n, entries)
	}
	return nil
}

func (m *mtxReader) array(rows, cols int, sign float64, put func(i, j int, v float64) error) error {
	for j := range cols {
		from := 0
		switch sign {
		case 1:
			from = j
		case -1:
			from = j + 1
		}
		for i := from; i < rows; i++ {
			if !m.next() || len(m.fields) != 1 {
				return fmt.Errorf("%w: there is no number for the entry (%d, %d)", ErrFormat, i+1, j+1)
			}
			v, err := parseNumber(string(m.fields[0]))
			if err != nil {
				return err
			}
			if v == 0 {
				continue
			}
			if err := put(i, j, v); err != nil {
				return err
			}
		}
	}
	if m.next() {
		return fmt.Errorf("%w: more numbers than a matrix of %d×%d has", ErrFormat, rows, cols)
	}
	return nil
}

// ReadNames reads names, one on each line, plain or gzip, as they lie next to a matrix:
// features.tsv and barcodes.tsv of single cells, or the words of a corpus. Of lines with
// tabs it takes the field of that number, counted from 1. With 0 it takes the second
// field, as genes have an identifier and a name, or the first if there is no second.
//
// Errors are ErrFormat, with the line, ErrTooLarge, or those of r.
func ReadNames(ctx context.Context, r io.Reader, field int) ([]string, error) {
	return readNames(ctx, r, field, maxValues())
}

func readNames(ctx context.Context, r io.Reader, field, limit int) (_ []string, err error) {
	from := &source{ctx: ctx, r: r}
	defer func() { err = from.blame(err) }()
	if field < 0 {
		return nil, fmt.Errorf("%w: field is %d, want 0 or more", ErrParameter, field)
	}
	if r, err = from.text(limit); err != nil {
		return nil, err
	}
	var (
		left  = budget(limit)
		names []string
		in    = bufio.NewScanner(r)
	)
	for in.Scan() && in.Err() == nil { // with an error comes half a line
		line := len(names) + 1
		text := strings.TrimSuffix(in.Text(), "\r")
		if line == 1 {
			text = strings.TrimPrefix(text, "\uFEFF")
		}
		fields := strings.Split(text, "\t")
		k := field - 1
		if field == 0 {
			k = min(1, len(fields)-1)
		}
		if k >= len(fields) {
			return nil, fmt.Errorf("%w: line %d has only %d fields, so no name", ErrFormat, line, len(fields))
		}
		name := strings.TrimSpace(fields[k])
		if err = checkText(name); err == nil {
			err = left.takeName(name)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		names = append(names, strings.Clone(name)) // which was a part of its line
	}
	if err := in.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, fmt.Errorf("%w: line %d has more than %d bytes", ErrFormat, len(names)+1, bufio.MaxScanTokenSize)
	} else if err != nil {
		return nil, readError(err)
	}
	return names, nil
}

// OpenMTX reads a matrix of features × samples in the format of Matrix Market, and the
// names that lie next to it: for a file matrix.mtx those in features.tsv or genes.tsv and
// in barcodes.tsv. What stands before "matrix" in the name must stand before these names,
// too; each file is plain or gzip. For a folder it reads its matrix.mtx. The set has the
// name of the file or folder.
//
// The set has the zeros, too. If they are too many, the error is ErrTooLarge, and ReadMTX
// and ReadNames read the same without zeros. Other errors are those of these two, ErrSize
// if there are more or fewer names than rows or columns, and those of the file system.
func OpenMTX(ctx context.Context, name string) (*Set, error) { return openMTX(ctx, name, false) }

// openMTX is OpenMTX, which may keep the matrix without its zeros.
func openMTX(ctx context.Context, name string, keepSparse bool) (*Set, error) {
	set := filepath.Base(name)
	if info, err := statOf(name); err != nil {
		return nil, err
	} else if info.IsDir() {
		found := besideMTX(name, "matrix.mtx")
		if found == "" {
			return nil, fmt.Errorf("%w: no matrix.mtx in %s", ErrNotFound, name)
		}
		name = found
	} else {
		set = strings.TrimSuffix(strings.TrimSuffix(set, ".gz"), ".mtx")
	}
	var x *sparse.Matrix
	err := readFile(name, func(r io.Reader) (err error) { x, err = ReadMTX(ctx, r); return err })
	if err != nil {
		return nil, err
	}
	s := &Set{Name: set}
	if keepSparse {
		s.Sparse = x
	} else if s.X, err = x.Dense(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	folder, base := filepath.Split(name)
	before, _, found := strings.Cut(base, "matrix.mtx")
	if !found {
		return s.checked()
	}
	for to, names := range map[*[]string][]string{&s.Features: {before + "features.tsv", before + "genes.tsv"}, &s.Samples: {before + "barcodes.tsv"}} {
		beside := besideMTX(folder, names...)
		if beside == "" {
			continue
		}
		if err := readFile(beside, func(r io.Reader) (err error) { *to, err = ReadNames(ctx, r, 0); return err }); err != nil {
			return nil, err
		}
	}
	return s.checked()
}

// besideMTX returns the path of the first of some files that there is, plain or gzip.
func besideMTX(folder string, names ...string) string {
	for _, name := range names {
		for _, end := range []string{"", ".gz"} {
			path := filepath.Join(folder, name+end)
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
				return path
			}
		}
	}
	return ""
}

func readFile(name string, read func(io.Reader) error) error {
	info, err := statOf(name)
	if err == nil {
		err = regular(name, info)
	}
	if err != nil {
		return err
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := read(f); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
