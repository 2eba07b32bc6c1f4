package datasets

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets/sparse"
)

func readH5(t testing.TB, name string, l HDF5Layout) (*Set, error) {
	t.Helper()
	data := readTestdata(t, "hdf5", name)
	return ReadHDF5(t.Context(), bytes.NewReader(data), int64(len(data)), l)
}

// Files that h5py, PyTables, AnnData and loompy wrote: see testdata/hdf5/make.py.
func TestReadHDF5(t *testing.T) {
	x := mat.NewDense(3, 4, nil)
	for j := range 4 {
		for i := range 3 {
			x.Set(i, j, float64(3*j+i)/2)
		}
	}
	twice := mat.NewDense(3, 4, nil)
	twice.Scale(2, x)
	above := mat.NewDense(3, 4, nil)
	above.Apply(func(_, _ int, v float64) float64 {
		if v > 2 {
			return 1
		}
		return 0
	}, x)
	filled := mat.NewDense(3, 4, nil)
	filled.Apply(func(_, _ int, _ float64) float64 { return 7 }, filled)
	some := mat.NewDense(3, 4, nil)
	some.Apply(func(_, _ int, _ float64) float64 { return -1 }, some)
	some.Set(0, 0, 5)
	for _, file := range []string{"plain-earliest.h5", "plain-v110.h5"} {
		want := map[string]*mat.Dense{"": x, "X": x, "/X": x, "odd/soft": x, "odd/named": x, "odd/filled": filled, "kinds/bool": above, "kinds/enum": twice}
		kinds := []string{"le-i1", "be-i2", "le-u2", "le-i4", "le-f2", "be-f8"}
		if file == "plain-earliest.h5" {
			want["odd/some"] = some
			kinds = append(kinds, "le-u1", "be-u4", "le-i8", "le-u8", "be-f4", "le-f4")
		}
		for _, kind := range kinds {
			want["kinds/"+kind] = twice
		}
		for _, pack := range []string{"chunk", "gzip", "shuffle", "fletcher", "lzf", "all"} {
			want["packed/"+pack] = x
		}
		for path, want := range want {
			s, err := readH5(t, file, HDF5Layout{X: path})
			if err != nil || !mat.Equal(s.X, want) {
				t.Errorf("%s of %s: %v", path, file, err)
			}
			s, err = readH5(t, file, HDF5Layout{X: path, Columns: true})
			if err != nil || !mat.Equal(s.X, want.T()) {
				t.Errorf("%s of %s by columns: %v", path, file, err)
			}
		}
		s, err := readH5(t, file, HDF5Layout{Labels: "y"})
		if err != nil || fmt.Sprint(s.Labels, s.Classes) != "[1 0 1 1] [0 1]" {
			t.Errorf("%s: %v, %v", file, s, err)
		}
		s, err = readH5(t, file, HDF5Layout{Labels: "packed/words"})
		if err != nil || fmt.Sprint(s.Labels, s.Classes) != "[1 0 1 2] [a b ü]" {
			t.Errorf("%s: %v, %v", file, s, err)
		}
		for _, path := range []string{"words", "fixed"} {
			s, err = readH5(t, file, HDF5Layout{Columns: true, Features: path})
			if err != nil || fmt.Sprint(s.Features) != "[b a b.1 ü]" || len(s.Notes) != 1 || !strings.Contains(s.Notes[0], `1 features have the name of another, as "b"`) {
				t.Errorf("%s: %v, %v", file, s, err)
			}
			if _, err = readH5(t, file, HDF5Layout{Samples: path}); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), `samples 0 and 2 (from 0) are both named "b"`) {
				t.Errorf("%s: %v", file, err)
			}
		}
		if s, err := readH5(t, file, HDF5Layout{X: "cube"}); err != nil || s.Height != 3 || s.Width != 4 || s.X.At(11, 1) != 23 || s.X.At(5, 0) != 5 {
			t.Errorf("%s: %v, %v", file, s, err)
		}
		for path, want := range map[string]error{"odd/none": ErrNoVariable, "none/at/all": ErrNoVariable, "odd": ErrUnsupported, "fixed": ErrUnsupported, "odd/type": ErrUnsupported} {
			if _, err := readH5(t, file, HDF5Layout{X: path}); !errors.Is(err, want) {
				t.Errorf("%s of %s: %v", path, file, err)
			}
		}
		if file != "plain-earliest.h5" {
			continue
		}
		for path, want := range map[string]error{"odd/empty": ErrSize, "odd/scalar": ErrSize, "odd/complex": ErrUnsupported, "odd/records": ErrUnsupported, "odd/circle": ErrFormat,
			"odd/szip-like": ErrUnsupported, "odd/none": ErrNoVariable, "none/at/all": ErrNoVariable, "odd": ErrUnsupported, "fixed": ErrUnsupported, "away/gone": ErrNoVariable, "odd/type": ErrUnsupported} {
			if _, err := readH5(t, file, HDF5Layout{X: path}); !errors.Is(err, want) {
				t.Errorf("%s of %s: %v", path, file, err)
			}
		}
	}
	for file, path := range map[string]string{"pytables.h5": "X", "newest.h5": "X"} {
		if s, err := readH5(t, file, HDF5Layout{X: path}); err != nil || !mat.Equal(s.X, x) {
			t.Errorf("%s: %v", file, err)
		}
	}
	for _, c := range [][2]string{{"pytables.h5", "blosc"}, {"newest.h5", "fixed"}, {"newest.h5", "growing"}, {"newest.h5", "many/a1"}} {
		if _, err := readH5(t, c[0], HDF5Layout{X: c[1]}); !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "h5repack") {
			t.Errorf("%v: %v", c, err)
		}
	}
	s, err := readH5(t, "wide.h5", HDF5Layout{})
	if err != nil {
		t.Fatal(err)
	}
	for j := range 350 {
		if s.X.At(0, j) != float64(2*j) || s.X.At(1, j) != float64(2*j+1) {
			t.Fatalf("sample %d: %v", j, mat.Col(nil, j, s.X))
		}
	}
	if _, err := readH5(t, "wide.h5", HDF5Layout{X: "many/a299"}); !errors.Is(err, ErrSize) {
		t.Error(err)
	}
	if _, err := readH5(t, "wide.h5", HDF5Layout{X: "many/a300"}); !errors.Is(err, ErrNoVariable) || !strings.Contains(err.Error(), "the group /many has a0, ") {
		t.Error(err)
	}
	if _, err := ReadHDF5(t.Context(), strings.NewReader("no HDF5"), 7, HDF5Layout{}); !errors.Is(err, ErrFormat) {
		t.Error(err)
	}
}

// Cells with the names of cells and genes.
func TestReadH5AD(t *testing.T) {
	x := mat.NewDense(3, 4, nil)
	for j := range 4 {
		for i := range 3 {
			x.Set(i, j, float64(3*j+i)/2)
		}
	}
	for _, file := range []string{"dense.h5ad", "csr.h5ad", "csc.h5ad"} {
		s, err := readH5(t, file, HDF5Layout{Labels: "kind"})
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if !mat.Equal(s.X, x) || fmt.Sprint(s.Samples, s.Features) != "[cell1 cell2 cell3 cell4] [TP53 MYC ACTB]" {
			t.Errorf("%s: %v %q %q", file, s, s.Samples, s.Features)
		}
		if !reflect.DeepEqual(s.Labels, []int{1, 0, 1, 3}) || !reflect.DeepEqual(s.Classes, []string{"a", "b", "none", ""}) {
			t.Errorf("%s: %v %q", file, s.Labels, s.Classes)
		}
		if s, err = readH5(t, file, HDF5Layout{Labels: "obs/words", Features: "var/length"}); err != nil || fmt.Sprint(s.Labels, s.Classes, s.Features) != "[1 0 1 1] [p q] [10 20 30]" {
			t.Errorf("%s: %v, %v", file, s, err)
		}
		data := readTestdata(t, "hdf5", file)
		sparse, err := ReadHDF5Sparse(t.Context(), bytes.NewReader(data), int64(len(data)), "")
		if file == "dense.h5ad" {
			if !errors.Is(err, ErrUnsupported) {
				t.Error(err)
			}
		} else if err != nil || !mat.Equal(sparse, x.T()) || len(sparse.Value) != 11 {
			t.Errorf("%s: %v, %v", file, sparse, err)
		}
		if _, err := readHDF5(t.Context(), bytes.NewReader(data), int64(len(data)), HDF5Layout{}, 8); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s: %v", file, err)
		}
	}
	s, err := readH5(t, "cells.loom", HDF5Layout{Labels: "kind"})
	if err != nil || !mat.EqualApprox(s.X, x, 1e-6) || fmt.Sprint(s.Samples, s.Features, s.Labels) != "[cell1 cell2 cell3 cell4] [TP53 MYC ACTB] [1 0 1 1]" {
		t.Errorf("%v, %v", s, err)
	}
	s, err = readH5(t, "tenx.h5", HDF5Layout{})
	if err != nil || s.X.At(2, 3) != 5 || s.X.At(0, 1) != 1 || fmt.Sprint(s.Samples, s.Features) != "[AAA-1 AAC-1 AAG-1 AAT-1] [TP53 MYC ACTB]" {
		t.Errorf("%v, %v", s, err)
	}
	if _, err := readH5(t, "dense.h5ad", HDF5Layout{Labels: "none"}); !errors.Is(err, ErrNoVariable) || !strings.Contains(err.Error(), "the group /obs has") {
		t.Error(err)
	}
}

// MATLAB's files of version 7.3, as hdf5storage writes them.
func TestReadMAT73(t *testing.T) {
	data := readTestdata(t, "hdf5", "v73.mat")
	f, err := ReadMAT73(t.Context(), bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(f.Header, "MATLAB 7.3") {
		t.Errorf("header %q", f.Header)
	}
	_, err = f.Set(MATLayout{Samples: "rows", Features: "names"})
	if !errors.Is(err, ErrNoVariable) {
		t.Error(err)
	}
	s, err := f.Set(MATLayout{Features: "names"})
	if err != nil {
		t.Fatal(err)
	}
	if m, n := s.X.Dims(); m != 3 || n != 4 || s.X.At(2, 3) != 5.5 || s.X.At(0, 1) != 1.5 || fmt.Sprint(s.Labels, s.Features) != "[1 0 1 1] [ann bob ü]" {
		t.Errorf("%v %v %q", s, s.Labels, s.Features)
	}
	if sparse, err := f.Set(MATLayout{X: "sp"}); err != nil || !mat.Equal(sparse.X, s.X) {
		t.Errorf("%v, %v", sparse, err)
	}
	for _, want := range []MATArray{
		{"u8", "uint8", []int{4, 3}, []float64{0, 1, 3, 4, 0, 2, 3, 5, 1, 2, 4, 5}, nil, nil, nil},
		{"flag", "logical", []int{4, 3}, []float64{0, 0, 1, 1, 0, 0, 1, 1, 0, 1, 1, 1}, nil, nil, nil},
		{"chars", "char", []int{2, 3}, nil, []string{"ab ", "cde"}, nil, nil},
		{"spnone", "sparse", []int{4, 3}, nil, nil, nil, &sparse.Matrix{Rows: 4, Cols: 3, Start: []int{0, 0, 0, 0}, Row: []int32{}, Value: []float64{}}},
	} {
		if got, err := f.Var(want.Name); err != nil || !reflect.DeepEqual(*got, want) {
			t.Errorf("%+v, %v", got, err)
		}
	}
	if none, err := f.Var("none"); err != nil || none.Data == nil || len(none.Data) > 0 || !slices.Contains(none.Dims, 0) {
		t.Errorf("%+v, %v", none, err)
	}
	cells, err := f.Var("cells")
	if err != nil || len(cells.Cells) != 4 || cells.Cells[0].Data[1] != 1.5 || len(cells.Cells[1].Cells) != 3 || len(cells.Cells[2].Data) != 0 || cells.Cells[3].Text[0] != "a" {
		t.Errorf("%+v, %v", cells, err)
	}
	cube, err := f.Var("cube")
	if err != nil || !reflect.DeepEqual(cube.Dims, []int{2, 3, 4}) || cube.Data[1] != 12 {
		t.Errorf("%+v, %v", cube, err)
	}
	for name, class := range map[string]string{"st": "struct", "z": "complex double"} {
		if v, err := f.Var(name); err != nil || v.Class != class || v.Data != nil {
			t.Errorf("%s: %+v, %v", name, v, err)
		}
	}
	if _, err := ReadMAT(t.Context(), bytes.NewReader(data)); !errors.Is(err, ErrMAT73) || !strings.Contains(err.Error(), "ReadMAT73") {
		t.Error(err)
	}
}

// Whatever byte is damaged, a reader ends with an error or a set.
func TestHDF5Damaged(t *testing.T) {
	for _, name := range []string{"dense.h5ad", "csr.h5ad", "tenx.h5", "v73.mat", "pytables.h5"} {
		data := readTestdata(t, "hdf5", name)
		step := 7
		if testing.Short() {
			step = 197
			t.Logf("-short: one byte in %d of %s", step, name)
		}
		read := func(what string, b []byte) {
			if strings.HasSuffix(name, ".mat") {
				if f, err := readMAT73(t.Context(), bytes.NewReader(b), int64(len(b)), 1<<16); err == nil {
					f.Set(MATLayout{})
				}
			} else if s, err := readHDF5(t.Context(), bytes.NewReader(b), int64(len(b)), HDF5Layout{Labels: "kind"}, 1<<16); err == nil && s.Check() != nil {
				t.Errorf("%s, %s: %v", name, what, s.Check())
			}
		}
		for k := 0; k < len(data); k += step {
			b := bytes.Clone(data)
			b[k] ^= byte(1 + k%255)
			read(fmt.Sprintf("byte %d", k), b)
			read(fmt.Sprintf("%d bytes", k), data[:k])
		}
		for bad := 0; bad < len(data); bad += 4 * step {
			if _, err := ReadHDF5(t.Context(), badSector{data, int64(bad), errDisk}, int64(len(data)), HDF5Layout{}); errors.Is(err, errDisk) && errors.Is(err, ErrFormat) {
				t.Errorf("%s, byte %d: %v", name, bad, err)
			}
		}
	}
}

func TestHalf(t *testing.T) {
	for v, want := range map[uint16]float64{0: 0, 0x3c00: 1, 0xc000: -2, 0x7bff: 65504, 1: math.Ldexp(1, -24), 0x7c00: math.Inf(1), 0xfc00: math.Inf(-1), 0x3555: 0.333251953125} {
		if got := half(v); got != want {
			t.Errorf("%#x: %v, want %v", v, got, want)
		}
	}
	if !math.IsNaN(half(0x7e00)) {
		t.Error(half(0x7e00))
	}
}

func FuzzReadHDF5(f *testing.F) {
	files, err := filepath.Glob("testdata/hdf5/*")
	if err != nil || len(files) < 10 {
		f.Fatal(files, err)
	}
	for _, name := range files {
		if data, err := os.ReadFile(name); err == nil && !strings.HasSuffix(name, ".py") && len(data) < 50000 {
			for _, path := range []string{"", "packed/all", "odd/some"} {
				f.Add(data, path, "kind")
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, path, labels string) {
		data = mendH5(data)
		r, size := bytes.NewReader(data), int64(len(data))
		if s, err := readHDF5(t.Context(), r, size, HDF5Layout{X: path, Labels: labels}, 1<<16); err == nil {
			if err := s.Check(); err != nil {
				t.Error(err)
			}
			for _, name := range slices.Concat(s.Samples, s.Features, s.Classes) {
				if err := checkName(name); err != nil {
					t.Error(err)
				}
			}
		}
		if s, err := readHDF5Sparse(t.Context(), r, size, path, 1<<16); err == nil && s.Check() != nil {
			t.Error(s.Check())
		}
		if m, err := readMAT73(t.Context(), r, size, 1<<16); err == nil {
			for _, v := range m.Vars {
				v.Matrix()
				v.Strings()
				m.Set(MATLayout{X: v.Name})
			}
		}
	})
}

// h5Tiny writes a file of datasets without data, or with one chunk, packed.
func h5Tiny(parts map[string]h5Part) []byte {
	le := binary.LittleEndian
	message := func(kind int, data ...byte) []byte {
		return append(le.AppendUint16([]byte{byte(kind)}, uint16(len(data))), append([]byte{0}, data...)...)
	}
	header := func(messages ...[]byte) []byte {
		body := bytes.Join(messages, nil)
		return append(le.AppendUint32([]byte("OHDR\x02\x02"), uint32(len(body))), append(body, 0, 0, 0, 0)...)
	}
	file := append([]byte("\x89HDF\r\n\x1a\n\x02\x08\x08\x00"), make([]byte, 36)...)
	var links [][]byte
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		p := parts[name]
		layout := append([]byte{3, 1}, bytes.Repeat([]byte{255}, 8)...)
		layout = le.AppendUint64(layout, 0)
		var filters []byte
		if p.chunk != nil {
			layout = []byte{4, 2, 2, byte(len(p.dims) + 1), 8}
			for _, d := range append(slices.Clone(p.dims), p.size) {
				layout = le.AppendUint64(layout, uint64(d))
			}
			layout = le.AppendUint64(append(layout, 1), uint64(len(p.chunk)))
			layout = le.AppendUint64(append(layout, 0, 0, 0, 0), uint64(len(file)))
			file = append(file, p.chunk...)
			filters = message(h5Filters, 2, 1, 1, 0, 0, 0, 0, 0)
		}
		space := []byte{2, byte(len(p.dims)), 0, 1}
		for _, d := range p.dims {
			space = le.AppendUint64(space, uint64(d))
		}
		links = append(links, message(h5Link, append(append([]byte{1, 0, byte(len(name))}, name...), le.AppendUint64(nil, uint64(len(file)))...)...))
		kind := le.AppendUint32([]byte{0x10 | h5Fixed, 0, 0, 0}, uint32(p.size))
		kind = le.AppendUint16(le.AppendUint16(kind, 0), uint16(8*p.size))
		if p.text {
			kind = le.AppendUint32([]byte{0x10 | h5String, 0, 0, 0}, uint32(p.size))
		}
		file = append(file, header(message(h5Dataspace, space...), message(h5Datatype, kind...), message(h5Layout, layout...), filters)...)
	}
	le.PutUint64(file[36:], uint64(len(file)))
	file = append(file, header(links...)...)
	return mendH5(append(file, make([]byte, 64)...))
}

// mendH5 returns the file with checksums that are right for what the superblock and the headers now say, so
// that damage of these is not found by their checksums alone.
func mendH5(data []byte) []byte {
	le := binary.LittleEndian
	data = bytes.Clone(data)
	mend := func(from, end int) {
		if from >= 0 && end > from && end+4 <= len(data) {
			le.PutUint32(data[end:], lookup3(data[from:end]))
		}
	}
	if len(data) > 48 && string(data[:4]) == "\x89HDF" && data[8] >= 2 {
		mend(0, 44)
	}
	for p := 0; ; p++ {
		k := bytes.Index(data[p:], []byte("OHDR"))
		if p += k; k < 0 || p+40 > len(data) {
			break
		}
		flags := int(data[p+5])
		head := 6 + flags>>5&1*16 + flags>>4&1*4
		size := (&h5Bytes{b: data[p+head:]}).uint(1 << (flags & 3))
		if size < uint64(len(data)) {
			mend(p, p+head+1<<(flags&3)+int(size))
		}
	}
	for p := 0; ; p++ { // of which the size stands where they are continued from
		k := bytes.Index(data[p:], []byte("OCHK"))
		if p += k; k < 0 {
			break
		}
		if at := bytes.Index(data, le.AppendUint64(nil, uint64(p))); at >= 0 && at+16 <= len(data) {
			if size := le.Uint64(data[at+8:]); size < uint64(len(data)) {
				mend(p, p+int(size)-4)
			}
		}
	}
	return data
}

// A header of a newer version that was damaged is known by its checksum, and none of ours is wrong.
func TestHDF5HeaderChecksums(t *testing.T) {
	file, err := os.ReadFile("testdata/hdf5/plain-v110.h5")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(mendH5(file), file) {
		t.Error("a checksum that HDF5 has written is another")
	}
	if !bytes.Contains(file, []byte("OHDR")) {
		t.Fatal("no new header")
	}
	read := func(data []byte) error {
		_, err := readHDF5(t.Context(), bytes.NewReader(data), int64(len(data)), HDF5Layout{X: "packed/all"}, 1<<16)
		return err
	}
	for p := 12; p < 48; p++ {
		bad := bytes.Clone(file)
		bad[p] ^= 1
		if err := read(bad); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "checksum") {
			t.Errorf("byte %d of the superblock: %v", p, err)
		}
	}
	root := int(binary.LittleEndian.Uint64(file[36:]))
	for p := root + 6; p < root+40; p++ {
		bad := bytes.Clone(file)
		bad[p] ^= 0x40
		if err := read(bad); !errors.Is(err, ErrFormat) {
			t.Errorf("byte %d of a header: %v", p-root, err)
		}
	}
}

// Chunks of which each is most of the file are no way to make a small file long work.
func TestHDF5ChunksInEachOther(t *testing.T) {
	file, err := os.ReadFile("testdata/hdf5/plain-earliest.h5")
	if err != nil {
		t.Fatal(err)
	}
	read := func() error {
		_, err := readHDF5(t.Context(), bytes.NewReader(file), int64(len(file)), HDF5Layout{X: "packed/gzip"}, 1<<16)
		return err
	}
	if err := read(); err != nil {
		t.Fatal(err)
	}
	for p := 0; ; p++ {
		k := bytes.Index(file[p:], []byte("TREE\x01\x00"))
		if p += k; k < 0 {
			break
		}
		const key = 8 + 3*8
		for e := p + 24; e+key+8 <= len(file) && e < p+24+2*(key+8); e += key + 8 {
			if at := binary.LittleEndian.Uint64(file[e+key:]); at < uint64(len(file)) {
				binary.LittleEndian.PutUint32(file[e:], uint32(uint64(len(file))-at))
			}
		}
	}
	if err := read(); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "in each other") {
		t.Error(err)
	}
}

// Two chunks at one place, and one that HDF5 would not find, are errors: one of them would be lost, and the
// place of the other would have the fill value.
func TestHDF5ChunksRise(t *testing.T) {
	file, err := os.ReadFile("testdata/hdf5/plain-earliest.h5")
	if err != nil {
		t.Fatal(err)
	}
	const key = 8 + 3*8
	found := map[string]int{}
	for p := 0; ; p++ {
		k := bytes.Index(file[p:], []byte("TREE\x01\x00"))
		if p += k; k < 0 {
			break
		}
		first, second := p+24, p+24+key+8
		for _, spoil := range []func(b []byte){
			func(b []byte) { copy(b[second+8:], bytes.Clone(b[first+8:first+key])) },
			func(b []byte) { b[first+key-8] = 1 },
		} {
			bad := bytes.Clone(file)
			spoil(bad)
			for _, path := range []string{"packed/chunk", "packed/gzip", "packed/shuffle", "packed/fletcher", "packed/lzf", "packed/all"} {
				_, err := readHDF5(t.Context(), bytes.NewReader(bad), int64(len(bad)), HDF5Layout{X: path}, 1<<16)
				if err != nil && (!errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "a chunk at")) {
					t.Errorf("%s: %v", path, err)
				} else if err != nil {
					found[path]++
				}
			}
		}
	}
	for _, path := range []string{"packed/chunk", "packed/gzip", "packed/shuffle", "packed/fletcher", "packed/lzf", "packed/all"} {
		if found[path] != 2 {
			t.Errorf("%s: %d errors, want 2", path, found[path])
		}
	}
}

// Floats are read only if they are those of IEEE 754, in each part of their description.
func TestHDF5Floats(t *testing.T) {
	double := []byte{0x11, 0x20, 0x3f, 0, 8, 0, 0, 0, 0, 0, 64, 0, 52, 11, 0, 52, 0xff, 3, 0, 0}
	if _, err := parseH5Type(double, 0); err != nil {
		t.Fatal(err)
	}
	for k := 1; k < len(double); k++ {
		for bit := range 8 {
			bad := bytes.Clone(double)
			bad[k] ^= 1 << bit
			kind, err := parseH5Type(bad, 0)
			// The order of bytes, and how unused bits are filled, may be others.
			if fine := k == 1 && (bit <= 3 || bit == 7) || k == 3; (err == nil) != fine {
				t.Errorf("byte %d, bit %d: %+v, %v", k, bit, kind, err)
			}
		}
	}
}

// Shuffle has its own size of an element, which need not be that of the values; what is left stays.
func TestHDF5Shuffle(t *testing.T) {
	for size, want := range map[int]string{0: "abcdefg", 1: "abcdefg", 2: "adbecfg", 3: "acebdfg", 7: "abcdefg", 8: "abcdefg", 1 << 30: "abcdefg"} {
		if got, err := unpackH5([]byte("abcdefg"), []h5Filter{{2, size}}, 0, 7); err != nil || string(got) != want {
			t.Errorf("elements of %d bytes: %q, %v", size, got, err)
		}
	}
}

type h5Part struct {
	dims  []int
	size  int // of a value
	text  bool
	chunk []byte // gzip; nil: nothing was written
}

func TestHDF5Tiny(t *testing.T) {
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	w.Write([]byte{1, 2, 3, 4, 5, 6})
	w.Close()
	data := h5Tiny(map[string]h5Part{"X": {[]int{3, 2}, 1, false, z.Bytes()}, "n": {[]int{3}, 4, true, nil}})
	s, err := ReadHDF5(t.Context(), bytes.NewReader(data), int64(len(data)), HDF5Layout{Samples: "n"})
	if err != nil || !mat.Equal(s.X, mat.NewDense(2, 3, []float64{1, 3, 5, 2, 4, 6})) || len(s.Samples) != 3 {
		t.Errorf("%v, %v", s, err)
	}
}
