// Package columnar reads tables of Parquet and Arrow IPC files into sets, and writes Parquet. It is a module of its own because
// the library that it needs, of Apache, is larger than all other dependencies together:
//
//	go get github.com/robustnmf/robustnmf/datasets/columnar
//
// A table is read in the same way as by datasets.ReadCSV: columns are chosen and encoded by
// the same layout, names are kept, and errors say what to do. In a program that imports this package,
// datasets.Open reads such files, too, and guesses what their columns are for.
package columnar

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/robustnmf/robustnmf/datasets"
)

// Open reads the file of a path: by ReadParquet if it begins like such a file, else by ReadArrow. The
// set has the name of the file.
func Open(ctx context.Context, path string, l datasets.CSVLayout) (*datasets.Set, error) {
	return datasets.OpenFile(path, func(f io.ReaderAt, size int64) (*datasets.Set, error) {
		head := make([]byte, 4)
		if _, err := f.ReadAt(head, 0); err == nil && string(head) == "PAR1" {
			return ReadParquet(ctx, f, size, l)
		}
		return ReadArrow(ctx, f, size, l)
	})
}

func init() {
	for begins, open := range map[string]func(context.Context, io.ReaderAt, int64, *bounded) (*table, error){
		"PAR1": openParquet, magic: openArrow, "\xff\xff\xff\xff": openArrow, "FEA1": openArrow,
	} {
		datasets.RegisterTables(begins, func(ctx context.Context, r io.ReaderAt, size int64) (text io.Reader, err error) {
			defer rescue(&err)
			t, err := openTable(func(mem *bounded) (*table, error) { return open(ctx, r, size, mem) })
			if err != nil {
				return nil, err
			}
			return safe{t}, nil
		})
	}
}

// safe is a table that is read elsewhere, where no panic is expected.
type safe struct{ *table }

func (s safe) Read(p []byte) (n int, err error) {
	if s.err != nil {
		return 0, s.err
	}
	defer rescue(&s.err, &err)
	return s.table.Read(p)
}

// rescue makes errors of a panic.
func rescue(errs ...*error) {
	var err error
	switch p := recover(); p.(type) {
	case nil:
		return
	case tooLarge:
		err = fmt.Errorf("%w: columns of more than %d values, which datasets.SetMaxValues can raise", datasets.ErrTooLarge, datasets.SetMaxValues(0))
	default: // the library panics on files that are damaged
		err = fmt.Errorf("%w: %v", datasets.ErrFormat, p)
	}
	for _, to := range errs {
		*to = err
	}
}

// openTable reads the schema.
func openTable(open func(*bounded) (*table, error)) (*table, error) {
	t, err := open(&bounded{memory.NewGoAllocator(), 16 * datasets.SetMaxValues(0)})
	if err != nil {
		return nil, malformed(err)
	}
	if len(t.names) == 0 {
		return nil, fmt.Errorf("%w: a table without columns", datasets.ErrFormat)
	}
	return t, nil
}

// batch is how many rows are decoded at once.
const batch = 1 << 10

// index is the column in which pandas stores the names of rows.
const index = "__index_level_0__"

// tooLarge is what the allocator panics with.
type tooLarge struct{}

// A bounded allocator gives at most so many bytes at a time. The library believes what
// sizes a file says, and takes no error from an allocator.
type bounded struct {
	memory.Allocator
	left int
}

func (b *bounded) take(n int) {
	if b.left -= n; b.left < 0 {
		panic(tooLarge{})
	}
}

func (b *bounded) Allocate(size int) []byte {
	b.take(size)
	return b.Allocator.Allocate(size)
}

func (b *bounded) Reallocate(size int, p []byte) []byte {
	b.take(size - len(p))
	return b.Allocator.Reallocate(size, p)
}

func (b *bounded) Free(p []byte) {
	b.left += len(p)
	b.Allocator.Free(p)
}

// while is a reader that ends with its context.
type while struct {
	ctx context.Context
	io.ReaderAt
}

func (w while) ReadAt(p []byte, off int64) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.ReaderAt.ReadAt(p, off)
}

// readTable reads a table in this goroutine alone, where a panic can be recovered.
func readTable(ctx context.Context, l datasets.CSVLayout, open func(*bounded) (*table, error)) (s *datasets.Set, err error) {
	if l.Separator != 0 || l.Comment != "" || l.Header != datasets.GuessHeader || l.Units || l.DecimalComma || l.Encoding != nil || l.Missing != nil {
		return nil, fmt.Errorf("%w: Separator, Header, Missing and the like are for tables of text, not for Parquet", datasets.ErrParameter)
	}
	defer func() {
		if err != nil && ctx.Err() != nil {
			err = ctx.Err()
		}
		if err != nil {
			s = nil
		}
	}()
	defer rescue(&err)
	t, err := openTable(open)
	if err != nil {
		return nil, err
	}
	l.Separator, l.Header, l.Missing = ',', datasets.WithHeader, []string{"", "NaN"}
	if l.ID == "" && slices.Contains(t.names, index) && !slices.Contains(slices.Concat(l.Skip, l.Features, l.Encode, []string{l.Label}), index) {
		l.ID = index
	}
	s, err = datasets.ReadCSV(ctx, t, l)
	if t.err != nil {
		return nil, t.err
	}
	return s, err
}

// A table is a reader of the text of its rows.
type table struct {
	names []string
	// next returns how many rows come next, and the text of the value of a row and a
	// column, "" for null; io.EOF after the last.
	next  func() (rows int, value func(row, column int) string, err error)
	begun bool
	cells int // that were read, also of columns that are left out
	text  bytes.Buffer
	err   error // that ended it
}

func (t *table) Read(p []byte) (int, error) {
	for t.text.Len() == 0 {
		if err := t.fill(); err != nil {
			return 0, err
		}
	}
	return t.text.Read(p)
}

// fill writes the text of the header, or of the next rows.
func (t *table) fill() error {
	out := csv.NewWriter(&t.text)
	if !t.begun {
		t.begun = true
		if len(t.names) == 1 && t.names[0] == "" { // which csv takes for a blank line
			t.text.WriteString("\"\"\n")
			return nil
		}
		out.Write(t.names)
		out.Flush()
		return nil
	}
	rows, value, err := t.next()
	if errors.Is(err, io.EOF) {
		return io.EOF
	}
	if err != nil {
		t.err = malformed(err)
		return t.err
	}
	// Columns that repeat one value have many rows in a few bytes.
	if most := 8 * datasets.SetMaxValues(0); t.cells > most-rows*len(t.names) {
		t.err = fmt.Errorf("%w: a table of more than %d cells, with those that are left out", datasets.ErrTooLarge, most)
		return t.err
	}
	t.cells += rows * len(t.names)
	fields := make([]string, len(t.names))
	for i := range rows {
		for c := range fields {
			fields[c] = value(i, c)
		}
		if len(fields) == 1 && fields[0] == "" {
			fields[0] = "NaN"
		}
		out.Write(fields)
	}
	out.Flush()
	return nil
}

// malformed makes err one of a malformed file, if it is none of content that is not read here.
func malformed(err error) error {
	if errors.Is(err, datasets.ErrUnsupported) || errors.Is(err, datasets.ErrTooLarge) {
		return err
	}
	return fmt.Errorf("%w: %w", datasets.ErrFormat, err)
}

// date returns the text of a day.
func date(days int64) string {
	return time.Unix(0, 0).UTC().AddDate(0, 0, int(days)).Format(time.DateOnly)
}

// clock returns the text of a time of some unit, which is no feature.
func clock(v int64) string { return "00:00 and " + strconv.FormatInt(v, 10) }

func float(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func truth(v bool) string {
	if v {
		return "1"
	}
	return "0"
}
