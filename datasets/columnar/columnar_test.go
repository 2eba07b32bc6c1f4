package columnar

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/datasets/sparse"
	"gonum.org/v1/gonum/mat"
)

// records is a table of n rows, with all kinds of columns.
func records(n int) arrow.RecordBatch {
	mem := memory.NewGoAllocator()
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "f8", Type: arrow.PrimitiveTypes.Float64, Nullable: true}, {Name: "f4", Type: arrow.PrimitiveTypes.Float32, Nullable: true},
		{Name: "i1", Type: arrow.PrimitiveTypes.Int8}, {Name: "u8", Type: arrow.PrimitiveTypes.Uint64}, {Name: "yes", Type: arrow.FixedWidthTypes.Boolean},
		{Name: "kind", Type: arrow.BinaryTypes.String}, {Name: "day", Type: arrow.FixedWidthTypes.Date32}, {Name: index, Type: arrow.BinaryTypes.String},
		{Name: "origin", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}},
	}, nil)
	b := array.NewRecordBuilder(mem, schema)
	for i := range n {
		if b.Field(0).(*array.Float64Builder).Append(float64(i) / 3); i%5 == 4 {
			b.Field(1).AppendNull()
		} else if i%5 == 3 {
			b.Field(1).(*array.Float32Builder).Append(float32(math.NaN()))
		} else {
			b.Field(1).(*array.Float32Builder).Append(float32(i) / 10)
		}
		b.Field(2).(*array.Int8Builder).Append(int8(-i))
		b.Field(3).(*array.Uint64Builder).Append(uint64(i) << 40)
		b.Field(4).(*array.BooleanBuilder).Append(i%2 == 0)
		b.Field(5).(*array.StringBuilder).Append([]string{"b, \"x\"", "a"}[i%2])
		b.Field(6).(*array.Date32Builder).Append(arrow.Date32(20000 + i))
		b.Field(7).(*array.StringBuilder).Append(fmt.Sprint("row ", i))
		b.Field(8).(*array.BinaryDictionaryBuilder).AppendString([]string{"usa", "japan", "europe"}[i%3])
	}
	return b.NewRecordBatch()
}

// made is that table as a Parquet file.
func made(t testing.TB, n int) []byte {
	t.Helper()
	record := records(n)
	var file bytes.Buffer
	w, err := pqarrow.NewFileWriter(record.Schema(), &file, parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Zstd), parquet.WithMaxRowGroupLength(700)), pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema()))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(record), w.Close()); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func read(data []byte, l datasets.CSVLayout) (*datasets.Set, error) {
	return ReadParquet(context.Background(), bytes.NewReader(data), int64(len(data)), l)
}

func TestRead(t *testing.T) {
	const n = 3000
	data := made(t, n)
	checkRead(t, n, func(l datasets.CSVLayout) (*datasets.Set, error) { return read(data, l) })
}

// checkRead compares what is read of records, and what is said to wrong layouts.
func checkRead(t *testing.T, n int, read func(l datasets.CSVLayout) (*datasets.Set, error)) {
	t.Helper()
	s, err := read(datasets.CSVLayout{Label: "kind", Skip: []string{"day"}, Encode: []string{"origin"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(s.Features, s.Classes, s.Samples[:2]); got != `[f8 f4 i1 u8 yes origin=europe origin=japan origin=usa] [a b, "x"] [row 0 row 1]` {
		t.Error(got)
	}
	for j := range n {
		want := []float64{float64(j) / 3, float64(float32(j) / 10), float64(int8(-j)), float64(uint64(j) << 40), float64(1 - j%2), 0, 0, 0}
		want[7-j%3] = 1
		for i, w := range want {
			if got := s.X.At(i, j); got != w && !(i == 1 && j%5 >= 3 && math.IsNaN(got)) {
				t.Fatalf("feature %d of sample %d is %v, want %v", i, j, got, w)
			}
		}
		if s.Labels[j] != 1-j%2 {
			t.Fatalf("label %d is %d", j, s.Labels[j])
		}
	}
	for what, c := range map[string]struct {
		layout datasets.CSVLayout
		want   error
		say    string
	}{
		"a date":         {datasets.CSVLayout{Skip: []string{"kind"}}, datasets.ErrFormat, `column 7 (day): datasets: malformed file: "2024-10-04" is not a finite number: dates are not read`},
		"text":           {datasets.CSVLayout{Features: []string{"kind"}}, datasets.ErrFormat, "name a column of text as ID or Label"},
		"no such column": {datasets.CSVLayout{Label: "none"}, datasets.ErrNoVariable, "the file has f8, f4"},
		"a separator":    {datasets.CSVLayout{Separator: ';'}, datasets.ErrParameter, "not for Parquet"},
	} {
		if _, err := read(c.layout); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.say) {
			t.Errorf("%s: %v", what, err)
		}
	}
	before := datasets.SetMaxValues(1000)
	if _, err := read(datasets.CSVLayout{Features: []string{"f8"}}); !errors.Is(err, datasets.ErrTooLarge) {
		t.Error(err)
	}
	datasets.SetMaxValues(before)
}

// A file that another program wrote: see testdata/make.mjs.
func TestReadOfOthers(t *testing.T) {
	data, err := os.ReadFile("testdata/table.parquet")
	if err != nil {
		t.Fatal(err)
	}
	s, err := read(data, datasets.CSVLayout{ID: "who", Label: "kind"})
	if err != nil || fmt.Sprint(s.Samples, s.Features, s.Labels, s.Classes) != "[ann bob ü] [height weight] [1 0 1] [a b]" || s.X.At(0, 1) != 1.75 || s.X.At(1, 2) != 80 || !math.IsNaN(s.X.At(1, 1)) {
		t.Errorf("%v, %v", s, err)
	}
}

// Damage ends in an error or a set.
func TestDamaged(t *testing.T) {
	data := made(t, 40)
	l := datasets.CSVLayout{Label: "kind", Skip: []string{"day", "origin"}}
	for k := range data {
		if _, err := read(data[:k], l); !errors.Is(err, datasets.ErrFormat) && !errors.Is(err, datasets.ErrTooLarge) {
			t.Fatalf("%d bytes: %v", k, err)
		}
		b := bytes.Clone(data)
		b[k] ^= byte(1 + k%255)
		if s, err := read(b, l); err == nil && s.Check() != nil {
			t.Errorf("byte %d: %v", k, s.Check())
		}
	}
}

func FuzzReadParquet(f *testing.F) {
	f.Add(made(f, 5), "kind")
	f.Fuzz(func(t *testing.T, data []byte, label string) {
		if s, err := read(data, datasets.CSVLayout{Label: label, Skip: []string{"day"}}); err == nil && s.Check() != nil {
			t.Error(s.Check())
		}
	})
}

// A set that is written is read again with its names.
func TestWriteParquet(t *testing.T) {
	s := &datasets.Set{X: mat.NewDense(2, 3, []float64{1, 2, 3, 4.5, math.NaN(), -6}), Labels: []int{1, 0, 1}, Classes: []string{"apple", "pear"},
		Samples: []string{"a", "Ünï", "c"}, Features: []string{"f, g", "h"}}
	var b bytes.Buffer
	if err := WriteParquet(&b, s); err != nil {
		t.Fatal(err)
	}
	got, err := ReadParquet(context.Background(), bytes.NewReader(b.Bytes()), int64(b.Len()), datasets.CSVLayout{ID: "sample", Label: "class"})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Samples, s.Samples) || !slices.Equal(got.Features, s.Features) || !slices.Equal(got.Labels, s.Labels) || !slices.Equal(got.Classes, s.Classes) {
		t.Errorf("%+v", got)
	}
	for i := range 2 {
		for j := range 3 {
			if a, b := got.X.At(i, j), s.X.At(i, j); a != b && !(math.IsNaN(a) && math.IsNaN(b)) {
				t.Errorf("X[%d,%d] is %g, want %g", i, j, a, b)
			}
		}
	}
	s.Features = []string{"sample", "h"}
	if err := WriteParquet(&b, s); !errors.Is(err, datasets.ErrParameter) {
		t.Error(err)
	}
	for _, s := range []*datasets.Set{nil, {}, {Sparse: &sparse.Matrix{Rows: 2, Cols: 2}}} {
		if err := WriteParquet(&b, s); !errors.Is(err, datasets.ErrSize) && !errors.Is(err, datasets.ErrFormat) {
			t.Error(err)
		}
	}
}
