package columnar

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/float16"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/robustnmf/robustnmf/datasets"
)

func readArrow(data []byte, l datasets.CSVLayout) (*datasets.Set, error) {
	return ReadArrow(context.Background(), bytes.NewReader(data), int64(len(data)), l)
}

// madeArrow writes a table in batches of some rows, as a file or as a stream.
func madeArrow(t testing.TB, record arrow.RecordBatch, rows int64, file bool, options ...ipc.Option) []byte {
	t.Helper()
	var out bytes.Buffer
	var w interface {
		Write(arrow.RecordBatch) error
		Close() error
	}
	options = append(options, ipc.WithSchema(record.Schema()), ipc.WithDictionaryDeltas(true))
	if w = ipc.NewWriter(&out, options...); file {
		var err error
		if w, err = ipc.NewFileWriter(&out, options...); err != nil {
			t.Fatal(err)
		}
	}
	for from := int64(0); from < record.NumRows(); from += rows {
		if err := w.Write(record.NewSlice(from, min(from+rows, record.NumRows()))); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// What arrow-go has written is read, packed or not, as a file and as a stream.
func TestReadArrow(t *testing.T) {
	const n = 3000
	for name, options := range map[string][]ipc.Option{"plain": nil, "LZ4": {ipc.WithLZ4()}, "Zstandard": {ipc.WithZstd()}} {
		for _, file := range []bool{true, false} {
			data := madeArrow(t, records(n), 1300, file, options...)
			t.Run(fmt.Sprintf("%s, file %v", name, file), func(t *testing.T) {
				checkRead(t, n, func(l datasets.CSVLayout) (*datasets.Set, error) { return readArrow(data, l) })
			})
		}
	}
}

// kinds is a table with the types that records has not, and with nested columns between.
func kinds() arrow.RecordBatch {
	list := arrow.ListOf(arrow.PrimitiveTypes.Float64)
	inner := arrow.StructOf(arrow.Field{Name: "a", Type: list}, arrow.Field{Name: "b", Type: arrow.BinaryTypes.StringView})
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "half", Type: arrow.FixedWidthTypes.Float16}, {Name: "nested", Type: inner, Nullable: true}, {Name: "u1", Type: arrow.PrimitiveTypes.Uint8},
		{Name: "i8", Type: arrow.PrimitiveTypes.Int64, Nullable: true}, {Name: "money", Type: &arrow.Decimal128Type{Precision: 30, Scale: 2}},
		{Name: "name", Type: arrow.BinaryTypes.StringView}, {Name: "class", Type: arrow.BinaryTypes.LargeString, Nullable: true}, {Name: "none", Type: arrow.Null},
		{Name: "when", Type: arrow.FixedWidthTypes.Timestamp_us}, {Name: "span", Type: &arrow.FixedSizeListType{}, Nullable: true},
	}, nil)
	fields := schema.Fields()
	fields[9].Type = arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Int32)
	b := array.NewRecordBuilder(memory.NewGoAllocator(), arrow.NewSchema(fields, nil))
	for i := range 5 {
		b.Field(0).(*array.Float16Builder).Append(float16.New(float32(i) / 4))
		s := b.Field(1).(*array.StructBuilder)
		s.Append(true)
		s.FieldBuilder(0).(*array.ListBuilder).Append(true)
		s.FieldBuilder(0).(*array.ListBuilder).ValueBuilder().(*array.Float64Builder).Append(1)
		s.FieldBuilder(1).(*array.StringViewBuilder).Append(strings.Repeat("long ", 9))
		b.Field(2).(*array.Uint8Builder).Append(uint8(250 + i))
		if i == 2 {
			b.Field(3).AppendNull()
		} else {
			b.Field(3).(*array.Int64Builder).Append(int64(-i))
		}
		if err := b.Field(4).AppendValueFromString(fmt.Sprintf("-%d.25", i)); err != nil {
			panic(err)
		}
		b.Field(5).(*array.StringViewBuilder).Append([]string{"short", "a name of more than twelve bytes"}[i%2] + fmt.Sprint(i))
		b.Field(6).(*array.LargeStringBuilder).Append([]string{"x", "y"}[i%2])
		b.Field(7).AppendNull()
		b.Field(8).(*array.TimestampBuilder).Append(1)
		b.Field(9).AppendNull()
	}
	return b.NewRecordBatch()
}

func TestReadArrowKinds(t *testing.T) {
	l := datasets.CSVLayout{ID: "name", Label: "class", Skip: []string{"nested", "when", "span"}}
	for _, options := range [][]ipc.Option{nil, {ipc.WithZstd()}} {
		data := madeArrow(t, kinds(), 3, true, options...)
		s, err := readArrow(data, l)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := fmt.Sprint(s.Features, s.Samples, s.Labels, s.Classes), "[half u1 i8 money none] [short0 a name of more than twelve bytes1 short2 a name of more than twelve bytes3 short4] [0 1 0 1 0] [x y]"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		for j := range 5 {
			want := []float64{float64(j) / 4, float64(250 + j), float64(-j), -float64(j) - 0.25, math.NaN()}
			if j == 2 {
				want[2] = math.NaN()
			}
			for i, w := range want {
				if got := s.X.At(i, j); got != w && !(math.IsNaN(got) && math.IsNaN(w)) {
					t.Errorf("feature %d of sample %d is %v, want %v", i, j, got, w)
				}
			}
		}
		for _, column := range []string{"nested", "when", "span"} {
			if _, err := readArrow(data, datasets.CSVLayout{Features: []string{column}}); !errors.Is(err, datasets.ErrFormat) || !strings.Contains(err.Error(), column) {
				t.Errorf("%s: %v", column, err)
			}
		}
	}
}

// Files that another program wrote: see testdata/make.mjs.
func TestReadArrowOfOthers(t *testing.T) {
	for _, name := range []string{"table.arrow", "table.arrows"} {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := readArrow(data, datasets.CSVLayout{ID: "who", Label: "kind"})
		if err != nil || fmt.Sprint(s.Samples, s.Features, s.Labels, s.Classes) != "[ann bob ü] [height weight] [1 0 1] [a b]" || s.X.At(0, 1) != 1.75 || s.X.At(1, 2) != 80 || !math.IsNaN(s.X.At(1, 1)) {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
}

// Polars packs by Zstandard and writes text as views, DuckDB decimals of 16 bytes: see testdata/others.mjs.
func TestReadOfEngines(t *testing.T) {
	for _, name := range []string{"polars.arrow", "duck.parquet"} {
		s, err := Open(context.Background(), "testdata/"+name, datasets.CSVLayout{ID: "who", Label: "kind"})
		if err != nil || !strings.HasPrefix(name, s.Name+".") || fmt.Sprint(s.Samples, s.Features, s.Labels) != "[ann bob a rather long name] [height weight] [1 0 1]" || s.X.At(0, 1) != 1.75 || s.X.At(1, 2) != 80 || !math.IsNaN(s.X.At(1, 1)) {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
}

// Decimals have a sign in their highest byte, and more than 18 digits are no number.
func TestDecimal(t *testing.T) {
	for want, b := range map[string][]byte{
		"-1.25": {0x83, 0xff, 0xff, 0xff, 0xff}, "1.25": {125, 0}, "12.5": {0xe2, 4, 0, 0, 0, 0, 0, 0, 0, 0},
		"a decimal of more than 18 digits": {0, 0, 0, 0, 0, 0, 0, 0, 1, 0}, "0": {},
	} {
		if got := decimal(b, 2); got != want {
			t.Errorf("%x is %s, want %s", b, got, want)
		}
	}
}

// Damage ends in an error or a set: each byte changed, and each end cut off.
func TestArrowDamaged(t *testing.T) {
	l := datasets.CSVLayout{ID: "name", Label: "class", Skip: []string{"nested", "when", "span"}}
	of := map[string][]byte{"file": madeArrow(t, kinds(), 3, true)}
	if !testing.Short() { // -short leaves out streams and packed files
		of["LZ4"] = madeArrow(t, kinds(), 3, false, ipc.WithLZ4())
		of["Zstandard"] = madeArrow(t, kinds(), 3, false, ipc.WithZstd())
	}
	for name, data := range of {
		for k := range data {
			if s, err := readArrow(data[:k], l); err == nil && (name == "file" || s.Check() != nil) {
				t.Fatalf("%s, %d bytes of %d: no error", name, k, len(data))
			} else if err != nil && !errors.Is(err, datasets.ErrFormat) {
				t.Fatalf("%s, %d bytes: %v", name, k, err)
			}
			for bit := range 8 {
				if name != "file" && bit != k%8 {
					continue
				}
				b := bytes.Clone(data)
				b[k] ^= 1 << bit
				s, err := readArrow(b, l)
				if err == nil && s.Check() != nil {
					t.Errorf("%s, byte %d, bit %d: %v", name, k, bit, s.Check())
				}
				if err != nil && !errors.Is(err, datasets.ErrFormat) && !errors.Is(err, datasets.ErrTooLarge) && !errors.Is(err, datasets.ErrUnsupported) && !errors.Is(err, datasets.ErrNoVariable) {
					t.Errorf("%s, byte %d, bit %d: %v", name, k, bit, err)
				}
			}
		}
	}
	// A stream may end between messages, which begin at multiples of 8 bytes, and nowhere else.
	stream := madeArrow(t, kinds(), 3, false)
	for k := range stream {
		if _, err := readArrow(stream[:k], l); err == nil && k%8 != 0 {
			t.Errorf("a stream of %d bytes of %d: no error", k, len(stream))
		}
	}
	for what, data := range map[string]string{"nothing": "", "Feather 1": "FEA1abcdefgh", "text": "a,b\n1,2\n"} {
		if _, err := readArrow([]byte(data), l); !errors.Is(err, datasets.ErrFormat) && !errors.Is(err, datasets.ErrUnsupported) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// What a small file unpacks to is bounded.
func TestArrowBombs(t *testing.T) {
	b := array.NewRecordBuilder(memory.NewGoAllocator(), arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Float64}}, nil))
	b.Field(0).(*array.Float64Builder).AppendValues(make([]float64, 1<<18), nil)
	record := b.NewRecordBatch()
	for name, option := range map[string]ipc.Option{"LZ4": ipc.WithLZ4(), "Zstandard": ipc.WithZstd()} {
		data := madeArrow(t, record, 1<<18, true, option)
		if _, err := readArrow(data, datasets.CSVLayout{}); err != nil || len(data) > 1<<15 {
			t.Errorf("%s, %d bytes: %v", name, len(data), err)
		}
		before := datasets.SetMaxValues(1 << 16)
		if _, err := readArrow(data, datasets.CSVLayout{}); !errors.Is(err, datasets.ErrTooLarge) || !strings.Contains(err.Error(), "SetMaxValues") {
			t.Errorf("%s: %v", name, err)
		}
		datasets.SetMaxValues(before)
	}
}

func FuzzReadArrow(f *testing.F) {
	for _, file := range []bool{true, false} {
		f.Add(madeArrow(f, records(5), 3, file), "kind")
		f.Add(madeArrow(f, kinds(), 3, file, ipc.WithLZ4()), "class")
		f.Add(madeArrow(f, kinds(), 3, file, ipc.WithZstd()), "class")
	}
	f.Fuzz(func(t *testing.T, data []byte, label string) {
		if s, err := readArrow(data, datasets.CSVLayout{Label: label, Skip: []string{"day", "name", "nested", "when", "span"}}); err == nil && s.Check() != nil {
			t.Error(s.Check())
		}
	})
}
