package datasets

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets/sparse"
)

// Files of SciPy; testdata/mat/make.py says what is in them.
func TestReadMATGolden(t *testing.T) {
	for _, name := range []string{"plain.mat", "compressed.mat"} {
		t.Run(name, func(t *testing.T) {
			in, err := os.Open(filepath.Join("testdata", "mat", name))
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			f, err := ReadMAT(t.Context(), iotest.HalfReader(in))
			if err != nil {
				t.Fatal(err)
			}
			if len(f.Vars) != 20 || f.Vars[0].Name != "d" || !strings.HasPrefix(f.Header, "MATLAB 5.0") {
				t.Fatalf("%d variables, header %q", len(f.Vars), f.Header)
			}
			for _, want := range []MATArray{
				{"d", "double", []int{2, 3}, []float64{1.5, 4, -2, 5e300, 3, 6}, nil, nil, nil},
				{"s", "single", []int{1, 2}, []float64{0.25, -1}, nil, nil, nil},
				{"i8", "int8", []int{1, 2}, []float64{-128, 127}, nil, nil, nil},
				{"u8", "uint8", []int{2, 1}, []float64{0, 255}, nil, nil, nil},
				{"i16", "int16", []int{1, 2}, []float64{-32768, 32767}, nil, nil, nil},
				{"u16", "uint16", []int{1, 1}, []float64{65535}, nil, nil, nil},
				{"i32", "int32", []int{1, 2}, []float64{-1 << 31, 1<<31 - 1}, nil, nil, nil},
				{"u32", "uint32", []int{1, 1}, []float64{1<<32 - 1}, nil, nil, nil},
				{"i64", "int64", []int{1, 2}, []float64{-1 << 53, 1 << 53}, nil, nil, nil},
				{"u64", "uint64", []int{1, 1}, []float64{1 << 60}, nil, nil, nil},
				{"flag", "logical", []int{1, 3}, []float64{1, 0, 1}, nil, nil, nil},
				{"chars", "char", []int{2, 3}, nil, []string{"ab ", "cde"}, nil, nil},
				{"none", "double", []int{0, 3}, []float64{}, nil, nil, nil},
				{"z", "complex double", []int{1, 1}, nil, nil, nil, nil},
				{"st", "struct", []int{1, 1}, nil, nil, nil, nil},
				{"sp", "sparse", []int{3, 3}, nil, nil, nil, &sparse.Matrix{Rows: 3, Cols: 3, Start: []int{0, 1, 2, 3}, Row: []int32{0, 1, 2}, Value: []float64{1, 1, 1}}},
				{"last", "double", []int{1, 1}, []float64{42}, nil, nil, nil},
			} {
				got, err := f.Var(want.Name)
				if err != nil {
					t.Error(err)
				} else if !reflect.DeepEqual(*got, want) {
					t.Errorf("got %+v, want %+v", *got, want)
				}
			}
			if v, _ := f.Var("greek"); strings.Join(v.Text, "|") != "αβγ 𝄞" {
				t.Errorf("greek is %q", v.Text)
			}
			cube, _ := f.Var("cube")
			if !reflect.DeepEqual(cube.Dims, []int{2, 3, 4}) || cube.Data[23] != 23 || cube.Data[1] != 1 {
				t.Errorf("cube is %+v", cube)
			}
			if _, err := cube.Matrix(); !errors.Is(err, ErrSize) {
				t.Errorf("Matrix of three dimensions: %v", err)
			}
			for _, name := range []string{"chars", "st", "z", "cells"} {
				v, _ := f.Var(name)
				if _, err := v.Matrix(); !errors.Is(err, ErrUnsupported) {
					t.Errorf("Matrix of %s: %v", v.Class, err)
				}
			}
			d, _ := f.Var("d")
			if m, err := d.Matrix(); err != nil || !mat.Equal(m, mat.NewDense(2, 3, []float64{1.5, -2, 3, 4, 5e300, 6})) {
				t.Errorf("matrix %v, %v", m, err)
			}
			c, _ := f.Var("cells")
			if len(c.Cells) != 4 || c.Cells[0].Data[1] != 4 || c.Cells[1].Cells[0].Data[0] != 0.5 ||
				c.Cells[2].Text[0] != "text" || len(c.Cells[3].Data) != 0 {
				t.Errorf("cells are %+v", c.Cells)
			}
			if _, err := f.Var("gone"); !errors.Is(err, ErrNoVariable) || !strings.Contains(err.Error(), "d (2×3 double), s (1×2 single), i8") {
				t.Errorf("missing variable: %v", err)
			}
		})
	}
}

// matBytes builds MAT files as MATLAB writes them, which SciPy does not:
// doubles stored in small types, small elements, and either byte order.
type matBytes struct{ order binary.AppendByteOrder }

func (b matBytes) file(vars ...[]byte) []byte {
	mark := "IM"
	if b.order.String() == "BigEndian" {
		mark = "MI"
	}
	out := append([]byte("MATLAB 5.0 MAT-file, a test"), bytes.Repeat([]byte(" "), 97)...)
	out = append(b.order.AppendUint16(out, 0x0100), mark...)
	return append(out, bytes.Join(vars, nil)...)
}

func (b matBytes) element(kind int, data []byte) []byte {
	if len(data) > 0 && len(data) <= 4 && kind != miMATRIX {
		out := b.order.AppendUint32(nil, uint32(len(data))<<16|uint32(kind))
		return append(append(out, data...), make([]byte, 4-len(data))...)
	}
	out := b.order.AppendUint32(b.order.AppendUint32(nil, uint32(kind)), uint32(len(data)))
	out = append(out, data...)
	if kind != miCOMPRESSED {
		out = append(out, make([]byte, -len(data)&7)...)
	}
	return out
}

func (b matBytes) array(class uint32, name string, dims []int32, parts ...[]byte) []byte {
	var size []byte
	for _, d := range dims {
		size = b.order.AppendUint32(size, uint32(d))
	}
	flags := b.order.AppendUint32(b.order.AppendUint32(nil, class), 0)
	all := [][]byte{b.element(miUINT32, flags), b.element(miINT32, size), b.element(miINT8, []byte(name))}
	return b.element(miMATRIX, bytes.Join(append(all, parts...), nil))
}

func (b matBytes) compressed(array []byte) []byte {
	var out bytes.Buffer
	z := zlib.NewWriter(&out)
	z.Write(array)
	z.Close()
	return b.element(miCOMPRESSED, out.Bytes())
}

// stored appends values in the type of each.
func (b matBytes) stored(values ...any) []byte {
	var out []byte
	for _, v := range values {
		out, _ = binary.Append(out, b.order.(binary.ByteOrder), v)
	}
	return out
}

func TestReadMATStoredTypes(t *testing.T) {
	for _, b := range []matBytes{{binary.LittleEndian}, {binary.BigEndian}} {
		for _, c := range []struct {
			kind int
			data []byte
			want []float64
		}{
			{miINT8, b.stored(int8(-3), int8(4)), []float64{-3, 4}},
			{miUINT8, b.stored(uint8(200), uint8(4)), []float64{200, 4}},
			{miINT16, b.stored(int16(-300), int16(4)), []float64{-300, 4}},
			{miUINT16, b.stored(uint16(60000), uint16(1)), []float64{60000, 1}},
			{miINT32, b.stored(int32(-70000), int32(1)), []float64{-70000, 1}},
			{miUINT32, b.stored(uint32(1<<31), uint32(1)), []float64{1 << 31, 1}},
			{miINT64, b.stored(int64(-1), int64(1)), []float64{-1, 1}},
			{miUINT64, b.stored(uint64(9), uint64(1)), []float64{9, 1}},
			{miSINGLE, b.stored(float32(0.5), float32(1)), []float64{0.5, 1}},
			{miDOUBLE, b.stored(0.1, 1.0), []float64{0.1, 1}},
		} {
			array := b.array(6, "abc", []int32{2, 1}, b.element(c.kind, c.data))
			tail := b.array(6, "tail", []int32{1, 1}, b.element(miUINT8, []byte{7}))
			for _, file := range [][]byte{b.file(array, tail), b.file(b.compressed(array), b.compressed(tail))} {
				f, err := ReadMAT(t.Context(), bytes.NewReader(file))
				if err != nil {
					t.Fatalf("%v type %d: %v", b.order, c.kind, err)
				}
				if v := f.Vars[0]; v.Class != "double" || v.Name != "abc" || !reflect.DeepEqual(v.Data, c.want) {
					t.Errorf("%v type %d: %+v", b.order, c.kind, v)
				}
				if v := f.Vars[1]; v.Name != "tail" || v.Data[0] != 7 {
					t.Errorf("%v type %d: after it %+v", b.order, c.kind, v)
				}
			}
		}
		text := b.array(4, "t", []int32{1, 3}, b.element(miUINT16, b.stored(uint16('a'), uint16('é'), uint16('c'))))
		utf8 := b.array(4, "u", []int32{1, 3}, b.element(miUTF8, []byte("aéc")))
		f, err := ReadMAT(t.Context(), bytes.NewReader(b.file(text, utf8)))
		if err != nil || f.Vars[0].Text[0] != "aéc" || f.Vars[1].Text[0] != "aéc" {
			t.Errorf("%v text: %v", b.order, err)
		}
	}
}

func TestReadMATErrors(t *testing.T) {
	b := matBytes{binary.LittleEndian}
	one := b.element(miDOUBLE, b.stored(1.0))
	good := b.file(b.array(6, "a", []int32{1, 1}, one))
	hdf := append([]byte("MATLAB 7.3 MAT-file, Platform: GLNXA64"), make([]byte, 600)...)
	v2 := append([]byte{}, good...)
	v2[125] = 2
	old := append([]byte{}, make([]byte, 200)...)
	nested := b.array(6, "", []int32{1, 1}, one)
	for range 100 {
		nested = b.array(1, "", []int32{1, 1}, nested)
	}
	damaged := b.compressed(b.array(6, "a", []int32{1, 1}, one))
	damaged[len(damaged)-1] ^= 1 // the checksum
	bomb := b.compressed(b.array(9, "a", []int32{1 << 12, 1 << 12}, b.element(miUINT8, make([]byte, 1<<24))))
	for _, c := range []struct {
		name string
		file []byte
		want error
	}{
		{"empty", nil, ErrFormat},
		{"text", []byte(strings.Repeat("hello ", 99)), ErrFormat},
		{"7.3", hdf, ErrMAT73},
		{"HDF5", []byte("\x89HDF\r\n\x1a\nrest"), ErrMAT73},
		{"version 2", v2, ErrMAT73},
		{"level 4", old, ErrUnsupported},
		{"huge", b.file(b.array(6, "a", []int32{1 << 20, 1 << 20}, one)), ErrTooLarge},
		{"huge and empty", b.file(b.array(6, "a", []int32{1 << 30, 0, 1 << 30}, one)), ErrFormat},
		{"negative", b.file(b.array(6, "a", []int32{-1, 2}, one)), ErrFormat},
		{"promise", b.file(b.array(6, "a", []int32{1 << 10, 1 << 10}, one)), ErrFormat},
		{"cells", b.file(b.array(1, "a", []int32{1 << 14, 1 << 8})), ErrFormat},
		{"nested", b.file(nested), ErrTooLarge},
		{"class", b.file(b.array(99, "a", []int32{1, 1}, one)), ErrFormat},
		{"stray", b.file(one), ErrFormat},
		{"data of array type", b.file(b.array(6, "a", []int32{1, 1}, b.element(miMATRIX, make([]byte, 8)))), ErrFormat},
		{"no data", b.file(b.array(6, "a", []int32{1, 1})), ErrFormat},
		{"checksum", b.file(damaged), ErrFormat},
		{"no zlib", b.file(b.element(miCOMPRESSED, []byte("no zlib here"))), ErrFormat},
		{"beyond the limit", b.file(bomb), ErrTooLarge},
	} {
		if _, err := readMAT(t.Context(), bytes.NewReader(c.file), 1<<23); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	// A file cut off anywhere but between variables is an error.
	whole := b.file(b.compressed(b.array(6, "a", []int32{2, 2}, b.element(miDOUBLE, make([]byte, 32)))),
		b.array(1, "c", []int32{1, 2}, b.array(6, "", []int32{1, 1}, one), b.element(miMATRIX, nil)))
	var ends []int
	for n := range len(whole) {
		if _, err := ReadMAT(t.Context(), bytes.NewReader(whole[:n])); err == nil {
			ends = append(ends, n)
		} else if !errors.Is(err, ErrFormat) {
			t.Errorf("cut off at %d: %v", n, err)
		}
	}
	if len(ends) != 2 || ends[0] != matHeader {
		t.Errorf("no error when cut off at %v", ends)
	}
	broken := errors.New("broken")
	if _, err := ReadMAT(t.Context(), iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("error of the reader: %v", err)
	}
}

// A header that promises much must not cost much.
func TestReadMATAllocation(t *testing.T) {
	b := matBytes{binary.LittleEndian}
	file := b.array(6, "a", []int32{1 << 13, 1 << 13}, b.order.AppendUint32(b.order.AppendUint32(nil, miDOUBLE), 1<<29))
	binary.LittleEndian.PutUint32(file[4:], 1<<30)
	file = b.file(file)
	const times = 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range times {
		if _, err := ReadMAT(t.Context(), bytes.NewReader(file)); !errors.Is(err, ErrFormat) {
			t.Fatalf("%v, want an ErrFormat", err)
		}
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / times; each > 1<<18 {
		t.Errorf("%d bytes for a file of %d", each, len(file))
	}
}

func TestMATSet(t *testing.T) {
	num := func(name string, dims []int, data ...float64) *MATArray {
		return &MATArray{Name: name, Class: "double", Dims: dims, Data: append([]float64{}, data...)}
	}
	// Two images of 2×3: 1 2 3 / 4 5 6, and the same plus 10.
	raster := []float64{1, 2, 3, 4, 5, 6}
	rows := num("fea", []int{2, 6}, 1, 11, 4, 14, 2, 12, 5, 15, 3, 13, 6, 16)
	columns := num("X", []int{6, 2}, 1, 2, 3, 4, 5, 6, 11, 12, 13, 14, 15, 16)
	img := num("", []int{2, 3}, 1, 4, 2, 5, 3, 6)
	more := num("", []int{2, 3}, 11, 14, 12, 15, 13, 16)
	both := num("cube", []int{2, 3, 2}, 1, 4, 2, 5, 3, 6, 11, 14, 12, 15, 13, 16)
	gnd := num("gnd", []int{2, 1}, 30, 4)
	cells := &MATArray{Name: "dat", Class: "cell", Dims: []int{2, 1}, Cells: []*MATArray{img, more}}
	cubes := &MATArray{Name: "faces", Class: "cell", Dims: []int{1, 2}, Cells: []*MATArray{both, img}}
	str := func(s string) *MATArray { return &MATArray{Class: "char", Dims: []int{1, 1}, Text: []string{s}} }
	names := &MATArray{Name: "names", Class: "cell", Dims: []int{1, 2}, Cells: []*MATArray{str("p"), str("q")}}
	f := &MATFile{Vars: []*MATArray{gnd, rows, columns, both, cells, cubes, names,
		num("short", []int{1, 1}, 1), num("nan", []int{1, 2}, math.NaN(), 1), num("none", []int{0, 3}),
		num("onehot", []int{2, 2}, 0, 1, 1, 0), num("onehot2", []int{2, 2}, 0, 1, 1, 1),
		{Name: "rows", Class: "char", Dims: []int{2, 3}, Text: []string{"ab ", "c\x00\x00"}},
		{Name: "sp", Class: "sparse", Dims: []int{2, 6}, Sparse: &sparse.Matrix{Rows: 2, Cols: 6, Start: []int{0, 2, 4, 6, 8, 10, 12}, Row: []int32{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1}, Value: rows.Data}},
		{Name: "spcolumns", Class: "sparse", Dims: []int{6, 2}, Sparse: &sparse.Matrix{Rows: 6, Cols: 2, Start: []int{0, 6, 12}, Row: []int32{0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5}, Value: columns.Data}},
		{Name: "sphot", Class: "sparse", Dims: []int{2, 2}, Sparse: &sparse.Matrix{Rows: 2, Cols: 2, Start: []int{0, 1, 2}, Row: []int32{1, 0}, Value: []float64{1, 1}}},
		{Name: "large", Class: "sparse", Dims: []int{1 << 20, 1 << 20}, Sparse: &sparse.Matrix{Rows: 1 << 20, Cols: 1 << 20, Start: make([]int, 1<<20+1)}},
		{Name: "empty", Class: "sparse", Dims: []int{0, 3}, Sparse: &sparse.Matrix{Cols: 3, Start: make([]int, 4)}},
		{Name: "hollow", Class: "cell", Dims: []int{math.MaxInt32, 0}, Cells: []*MATArray{}}}}
	for _, c := range []struct {
		name    string
		layout  MATLayout
		labels  []int
		classes []string
	}{
		{"fea", MATLayout{Height: 2, Width: 3}, []int{1, 0}, []string{"4", "30"}},
		{"columns", MATLayout{X: "X", Labels: "-", Columns: true, Raster: true, Height: 2, Width: 3}, nil, nil},
		{"cube", MATLayout{X: "cube", Labels: "gnd"}, []int{1, 0}, []string{"4", "30"}},
		{"cells", MATLayout{X: "dat", Labels: "names"}, []int{0, 1}, []string{"p", "q"}},
		{"strings", MATLayout{Labels: "names", Height: 2, Width: 3}, []int{0, 1}, []string{"p", "q"}},
		{"rows of characters", MATLayout{Labels: "rows", Height: 2, Width: 3}, []int{0, 1}, []string{"ab", "c"}},
		{"one-hot", MATLayout{Labels: "onehot", Height: 2, Width: 3}, []int{1, 0}, []string{"1", "2"}},
		{"sparse", MATLayout{X: "sp", Labels: "sphot", Height: 2, Width: 3}, []int{1, 0}, []string{"1", "2"}},
		{"sparse columns", MATLayout{X: "spcolumns", Labels: "-", Columns: true, Raster: true, Height: 2, Width: 3}, nil, nil},
		{"names", MATLayout{Samples: "names", Labels: "-", Height: 2, Width: 3}, nil, nil},
		{"cells without labels", MATLayout{X: "dat", Labels: "-"}, nil, nil},
	} {
		s, err := f.Set(c.layout)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if s.Height != 2 || s.Width != 3 || !reflect.DeepEqual(mat.Col(nil, 0, s.X), raster) || s.X.At(5, 1) != 16 {
			t.Errorf("%s: %d×%d %v", c.name, s.Height, s.Width, mat.Formatted(s.X))
		}
		if !reflect.DeepEqual(s.Labels, c.labels) || !reflect.DeepEqual(s.Classes, c.classes) {
			t.Errorf("%s: labels %v of %v", c.name, s.Labels, s.Classes)
		}
		if c.layout.Samples != "" && !reflect.DeepEqual(s.Samples, []string{"p", "q"}) {
			t.Errorf("%s: %q", c.name, s.Samples)
		}
	}
	bare := &MATFile{Vars: []*MATArray{cubes}}
	if s, err := bare.Set(MATLayout{X: "faces"}); err != nil || !reflect.DeepEqual(s.Labels, []int{0, 0, 1}) {
		t.Errorf("cells of cubes: %v, %v", s, err)
	}
	for _, c := range []struct {
		layout MATLayout
		want   error
	}{
		{MATLayout{X: "gone"}, ErrNoVariable},
		{MATLayout{Labels: "gone"}, ErrNoVariable},
		{MATLayout{Labels: "short"}, ErrSize},
		{MATLayout{Labels: "nan"}, ErrFormat},
		{MATLayout{Labels: "dat"}, ErrUnsupported},
		{MATLayout{Samples: "gone"}, ErrNoVariable},
		{MATLayout{Samples: "short"}, ErrUnsupported},
		{MATLayout{Features: "names"}, ErrSize},
		{MATLayout{Labels: "onehot2"}, ErrUnsupported},
		{MATLayout{X: "large"}, ErrTooLarge},
		{MATLayout{X: "empty"}, ErrSize},
		{MATLayout{Height: 5, Width: 5}, ErrSize},
		{MATLayout{Height: -2, Width: -3}, ErrSize},
		{MATLayout{X: "none"}, ErrSize},
		{MATLayout{X: "hollow"}, ErrSize},
		{MATLayout{X: "names"}, ErrUnsupported},
	} {
		if _, err := f.Set(c.layout); !errors.Is(err, c.want) {
			t.Errorf("%+v: %v, want %v", c.layout, err, c.want)
		}
	}
}

func TestWriteMAT(t *testing.T) {
	w := mat.NewDense(2, 3, []float64{1, 2, math.Pi, 4, math.Inf(1), -0.5})
	h := mat.NewVecDense(2, []float64{7, 8})
	var out, again bytes.Buffer
	if err := WriteMAT(&out, MATVar{Name: "W", M: w}, MATVar{Name: "longer_name9", M: h}, MATVar{Name: "Wt", M: w.T()}); err != nil {
		t.Fatal(err)
	}
	WriteMAT(&again, MATVar{Name: "W", M: w}, MATVar{Name: "longer_name9", M: h}, MATVar{Name: "Wt", M: w.T()})
	if !bytes.Equal(out.Bytes(), again.Bytes()) {
		t.Error("the same matrices give other bytes")
	}
	f, err := ReadMAT(t.Context(), &out)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []mat.Matrix{w, h, w.T()} {
		if got, err := f.Vars[i].Matrix(); err != nil || !mat.Equal(got, want) {
			t.Errorf("%s: %v, %v", f.Vars[i].Name, got, err)
		}
	}
	for _, vars := range [][]MATVar{{{Name: "", M: w}}, {{Name: "1a", M: w}}, {{Name: "a b", M: w}}, {{Name: "a", M: w}, {Name: "a", M: w}}, {{Name: "a", M: nil}},
		{{Name: strings.Repeat("a", 64), M: w}}} {
		if err := WriteMAT(&out, vars...); err == nil {
			t.Errorf("no error for %v", vars)
		}
	}
	if out.Len() > 0 {
		t.Error("bytes were written before an error")
	}
}

func FuzzReadMAT(f *testing.F) {
	for _, b := range []matBytes{{binary.LittleEndian}, {binary.BigEndian}} {
		num := b.array(6, "fea", []int32{2, 2}, b.element(miUINT8, []byte{1, 2, 3, 4}))
		text := b.array(4, "t", []int32{1, 2}, b.element(miUINT16, b.stored(uint16('a'), uint16(0xd834))))
		cell := b.array(1, "X", []int32{1, 2}, b.array(6, "", []int32{1, 1}, b.element(miDOUBLE, b.stored(1.5))), b.element(miMATRIX, nil))
		gnd := b.array(6, "gnd", []int32{2, 1}, b.element(miINT8, []byte{1, 2}))
		f.Add(b.file(num, gnd, text))
		f.Add(b.file(cell, b.compressed(num), gnd))
		f.Add(b.file(b.compressed(cell)))
	}
	for _, name := range []string{"plain.mat", "compressed.mat"} {
		if data, err := os.ReadFile(filepath.Join("testdata", "mat", name)); err == nil {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := readMAT(t.Context(), bytes.NewReader(data), 1<<16)
		if err != nil {
			return
		}
		for _, v := range file.Vars {
			v.Matrix()
			file.Set(MATLayout{X: v.Name})
		}
		if s, err := file.Set(MATLayout{}); err == nil {
			if err := s.Check(); err != nil {
				t.Error(err)
			}
		}
	})
}
