package columnar

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/internal/sniff"
)

// ReadParquet reads a table from a Parquet file of size bytes, with a sample in each row.
// Of the layout it takes ID, Label, Features, Skip, Encode, Columns, Height, Width and Max;
// values that are null or NaN are missing. ID "" takes the index that pandas stored.
//
// Errors are those of datasets.ReadCSV, in which line 1 is the header and line 2 the first
// row. Dates, times, nested columns and decimals of more than 18 digits are errors, unless
// they are skipped.
func ReadParquet(ctx context.Context, r io.ReaderAt, size int64, l datasets.CSVLayout) (*datasets.Set, error) {
	return readTable(ctx, l, func(mem *bounded) (*table, error) { return openParquet(ctx, r, size, mem) })
}

func openParquet(ctx context.Context, r io.ReaderAt, size int64, mem *bounded) (*table, error) {
	f, err := file.NewParquetReader(io.NewSectionReader(while{ctx, r}, 0, size), file.WithReadProps(parquet.NewReaderProperties(mem)))
	if err != nil {
		head := make([]byte, max(min(size, 512), 0))
		if _, failed := r.ReadAt(head, 0); (failed == nil || failed == io.EOF) && !strings.HasPrefix(string(head), "PAR1") {
			err = fmt.Errorf("it is no file of Parquet: %s", sniff.Kind(head))
		}
		return nil, err
	}
	p := &parquetRows{f: f}
	for k := range f.MetaData().Schema.NumColumns() {
		d := f.MetaData().Schema.Column(k)
		p.columns = append(p.columns, &parquetColumn{Column: d, levels: make([]int16, batch), text: make([]string, batch)})
	}
	t := &table{next: p.next}
	for _, c := range p.columns {
		t.names = append(t.names, c.Path())
	}
	return t, nil
}

// parquetRows reads batches of rows. The reader of the library that makes Arrow of a file
// reads columns in goroutines of its own, in which a panic ends the program.
type parquetRows struct {
	f       *file.Reader
	columns []*parquetColumn
	group   int // that comes next
	left    int64
}

func (p *parquetRows) next() (int, func(row, column int) string, error) {
	for p.left == 0 {
		if p.group == p.f.NumRowGroups() {
			return 0, nil, io.EOF
		}
		g := p.f.RowGroup(p.group)
		p.group++
		if p.left = g.NumRows(); p.left < 0 {
			return 0, nil, fmt.Errorf("a group of %d rows", p.left)
		}
		for k, c := range p.columns {
			if c.nested() {
				continue
			}
			var err error
			if c.from, err = g.Column(k); err != nil {
				return 0, nil, err
			}
		}
	}
	n := min(p.left, batch)
	p.left -= n
	for _, c := range p.columns {
		if err := c.read(n); err != nil {
			return 0, nil, fmt.Errorf("column %.40q: %w", c.Path(), err)
		}
	}
	return int(n), func(row, column int) string { return p.columns[column].text[row] }, nil
}

// A parquetColumn has the text of some rows of a column.
type parquetColumn struct {
	*schema.Column
	from   file.ColumnChunkReader
	levels []int16
	text   []string
}

func (c *parquetColumn) nested() bool {
	return c.MaxRepetitionLevel() > 0 || c.MaxDefinitionLevel() > 1
}

// read reads n rows.
func (c *parquetColumn) read(n int64) error {
	if c.nested() {
		for i := range n {
			c.text[i] = "nested values"
		}
		return nil
	}
	switch from := c.from.(type) {
	case *file.BooleanColumnChunkReader:
		return parquetValues(c, n, from.ReadBatch, truth)
	case *file.Int32ColumnChunkReader:
		return parquetValues(c, n, from.ReadBatch, func(v int32) string { return c.whole(int64(v), uint64(uint32(v))) })
	case *file.Int64ColumnChunkReader:
		return parquetValues(c, n, from.ReadBatch, func(v int64) string { return c.whole(v, uint64(v)) })
	case *file.Float32ColumnChunkReader:
		return parquetValues(c, n, from.ReadBatch, func(v float32) string { return float(float64(v)) })
	case *file.Float64ColumnChunkReader:
		return parquetValues(c, n, from.ReadBatch, float)
	case *file.ByteArrayColumnChunkReader:
		if t, ok := c.LogicalType().(schema.DecimalLogicalType); ok {
			return parquetValues(c, n, from.ReadBatch, func(v parquet.ByteArray) string { return bigEndian(v, t) })
		}
		return parquetValues(c, n, from.ReadBatch, func(v parquet.ByteArray) string { return string(v) })
	case *file.FixedLenByteArrayColumnChunkReader:
		if t, ok := c.LogicalType().(schema.DecimalLogicalType); ok {
			return parquetValues(c, n, from.ReadBatch, func(v parquet.FixedLenByteArray) string { return bigEndian(v, t) })
		}
		return parquetValues(c, n, from.ReadBatch, func(v parquet.FixedLenByteArray) string { return fmt.Sprintf("bytes %x", []byte(v)) })
	case *file.Int96ColumnChunkReader:
		return parquetValues(c, n, from.ReadBatch, func(v parquet.Int96) string { return v.ToTime().UTC().Format(time.DateTime) })
	}
	return fmt.Errorf("type %T", c.from)
}

// bigEndian returns the text of a decimal that is stored as bytes, the highest first.
func bigEndian(v []byte, t schema.DecimalLogicalType) string {
	b := slices.Clone(v)
	slices.Reverse(b)
	return decimal(b, t.Scale())
}

// whole returns the text of what is stored as a whole number.
func (c *parquetColumn) whole(v int64, unsigned uint64) string {
	switch t := c.LogicalType().(type) {
	case schema.DateLogicalType:
		return date(v)
	case schema.TimestampLogicalType, schema.TimeLogicalType:
		return clock(v)
	case schema.DecimalLogicalType:
		return float(float64(v) / math.Pow10(int(t.Scale())))
	case schema.IntLogicalType:
		if !t.IsSigned() {
			return strconv.FormatUint(unsigned, 10)
		}
	}
	return strconv.FormatInt(v, 10)
}

// parquetValues reads n rows of values, of which those that are null are not stored.
func parquetValues[T any](c *parquetColumn, n int64, read func(n int64, values []T, def, rep []int16) (int64, int, error), text func(T) string) error {
	values := make([]T, n)
	for done := int64(0); done < n; {
		rows, stored, err := read(n-done, values, c.levels, nil)
		if err != nil {
			return err
		}
		if rows < 1 || rows > n-done || int64(stored) > rows {
			return fmt.Errorf("%w: it ends before its group of rows", io.ErrUnexpectedEOF)
		}
		k := 0
		for i := range rows {
			if c.text[done+i] = ""; c.MaxDefinitionLevel() > 0 && c.levels[i] < c.MaxDefinitionLevel() {
				continue
			}
			if k == stored {
				return fmt.Errorf("%w: fewer values than rows", io.ErrUnexpectedEOF)
			}
			c.text[done+i] = text(values[k])
			k++
		}
		done += rows
	}
	return nil
}

// WriteParquet writes a set as a table of Parquet with a sample in each row: its name
// under "sample", its class, if there are classes, under "class", and its features under
// theirs: see Set.Names. Missing values are NaN. ReadParquet reads it with CSVLayout{ID:
// "sample", Label: "class"}, pandas and R as any other table. Classes then come in natural order.
//
// Errors are those of Set.Dense and Set.Names, datasets.ErrValue for a value that is infinite,
// datasets.ErrParameter where a feature has the name of the first or second column, and that of w.
func WriteParquet(w io.Writer, s *datasets.Set) error {
	if s == nil {
		return fmt.Errorf("%w: the set is nil", datasets.ErrSize)
	}
	s, err := s.Dense()
	if err != nil {
		return err
	}
	samples, features, classes, err := s.Names()
	if err != nil {
		return err
	}
	m, _ := s.X.Dims()
	for i := range m {
		for j, v := range s.X.RawRowView(i) {
			if math.IsInf(v, 0) {
				return fmt.Errorf("%w: X[%d,%d] = %g (%s of %s), which ReadParquet does not read", datasets.ErrValue, i, j, v, s.FeatureName(i), s.SampleName(j))
			}
		}
	}
	bytesOf := func(names []string) (all []parquet.ByteArray) {
		for _, name := range names {
			all = append(all, parquet.ByteArray(name))
		}
		return all
	}
	names, texts := []string{"sample"}, [][]parquet.ByteArray{bytesOf(samples)}
	if classes != nil {
		names, texts = append(names, "class"), append(texts, bytesOf(classes))
	}
	var fields schema.FieldList
	seen := map[string]bool{}
	for k := range len(texts) + m {
		logical, kind := schema.LogicalType(schema.StringLogicalType{}), parquet.Types.ByteArray
		if k >= len(texts) {
			names = append(names, features[k-len(texts)])
			logical, kind = schema.NoLogicalType{}, parquet.Types.Double
		}
		if seen[names[k]] {
			return fmt.Errorf("%w: two columns have the name %q", datasets.ErrParameter, names[k])
		}
		seen[names[k]] = true
		node, err := schema.NewPrimitiveNodeLogical(names[k], parquet.Repetitions.Required, logical, kind, -1, -1)
		if err != nil {
			return err
		}
		fields = append(fields, node)
	}
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, fields, -1)
	if err != nil {
		return err
	}
	f := file.NewParquetWriter(w, root)
	group := f.AppendRowGroup()
	for k := range names {
		column, err := group.NextColumn()
		if err != nil {
			return err
		}
		switch c := column.(type) {
		case *file.ByteArrayColumnChunkWriter:
			_, err = c.WriteBatch(texts[k], nil, nil)
		case *file.Float64ColumnChunkWriter:
			_, err = c.WriteBatch(s.X.RawRowView(k-len(texts)), nil, nil)
		}
		if err != nil {
			return err
		}
		if err := column.Close(); err != nil {
			return err
		}
	}
	if err := group.Close(); err != nil {
		return err
	}
	return f.Close()
}
