package datasets

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets/sparse"
)

func readTestdata(t testing.TB, parts ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(append([]string{"testdata"}, parts...)...))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Files that SciPy wrote: see testdata/mtx/make.py.
func TestReadMTXOfSciPy(t *testing.T) {
	x := mat.NewDense(3, 4, []float64{0, 1.5, 0, 0, 2, 0, 0, 1e-3, 0, 0, -3, 0})
	s := mat.NewDense(3, 3, []float64{1, 2, 0, 2, 0, -3, 0, -3, 4})
	for name, want := range map[string]*mat.Dense{
		"real": x, "array": x, "symmetric": s, "array-symmetric": s,
		"integer":  mat.NewDense(3, 4, []float64{0, 15, 0, 0, 20, 0, 0, 0, 0, 0, -30, 0}),
		"unsigned": mat.NewDense(3, 4, []float64{0, 15, 0, 0, 20, 0, 0, 0, 0, 0, 30, 0}),
		"pattern":  mat.NewDense(3, 4, []float64{0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0}),
		"skew":     mat.NewDense(3, 3, []float64{0, 2, 0, -2, 0, -3, 0, 3, 0}),
	} {
		data := readTestdata(t, "mtx", name+".mtx")
		for _, file := range [][]byte{data, gzipped(data), bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n"))} {
			got, err := ReadMTX(t.Context(), iotest.OneByteReader(bytes.NewReader(file)))
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			dense, err := got.Dense()
			if err != nil || !mat.Equal(dense, want) || !mat.Equal(got, want) || !mat.Equal(got.T(), want.T()) || !mat.Equal(got.Transposed(), want.T()) || got.Check() != nil || got.Transposed().Check() != nil {
				t.Errorf("%s: %v, %v\n%v", name, got, err, mat.Formatted(got))
			}
		}
	}
	if _, err := ReadMTX(t.Context(), bytes.NewReader(readTestdata(t, "mtx", "complex.mtx"))); !errors.Is(err, ErrUnsupported) {
		t.Error(err)
	}
}

func TestReadMTXErrors(t *testing.T) {
	const head = "%%MatrixMarket matrix coordinate real general\n"
	for name, c := range map[string]struct {
		file string
		want error
		say  string
	}{
		"empty":              {"", ErrFormat, "no data"},
		"another file":       {"1,2\n", ErrFormat, `not a matrix of Matrix Market: it looks like text, which begins with "1,2"`},
		"another kind":       {"%%MatrixMarket matrix coordinate quaternion general\n1 1 0\n", ErrFormat, "quaternion"},
		"an array pattern":   {"%%MatrixMarket matrix array pattern general\n1 1\n1\n", ErrFormat, "array pattern"},
		"no size":            {head + "% only\n", ErrFormat, "line 2: datasets: malformed file: the size is missing"},
		"a short size":       {head + "2 2\n", ErrFormat, "2 numbers, not 3"},
		"a size of a word":   {head + "2 x 1\n", ErrFormat, `"x" is not the number of a row`},
		"not square":         {"%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n", ErrFormat, "symmetric matrix of 2×3"},
		"a row too many":     {head + "2 2 1\n3 1 5\n", ErrFormat, "line 3: datasets: malformed file: 3, more than 2"},
		"row 0":              {head + "2 2 1\n0 1 5\n", ErrFormat, "entry (0, 1)"},
		"twice":              {head + "2 2 2\n1 2 5\n1 2 5\n", ErrFormat, "row 0 and column 1 comes twice"},
		"too few":            {head + "2 2 2\n1 2 5\n", ErrFormat, "1 entries, not 2"},
		"too many":           {head + "2 2 1\n1 2 5\n1 1 5\n", ErrFormat, "more than 1 entries"},
		"a word":             {head + "2 2 1\n1 2 five\n", ErrFormat, `line 3: datasets: malformed file: "five"`},
		"NaN":                {head + "2 2 1\n1 2 nan\n", ErrFormat, `"nan" is not a finite number`},
		"a short entry":      {head + "2 2 1\n1 2\n", ErrFormat, "2 numbers, not 3"},
		"a short array":      {"%%MatrixMarket matrix array real general\n2 1\n1\n", ErrFormat, "no number for the entry (2, 1)"},
		"a long array":       {"%%MatrixMarket matrix array real general\n1 1\n1\n1\n", ErrFormat, "more numbers"},
		"a long line":        {head + strings.Repeat("1", maxMTXLine+1), ErrFormat, "a line of more than"},
		"columns of nothing": {head + "1 2147483647 0\n", ErrTooLarge, "SetMaxValues"},
		"cut off":            {string(gzipped([]byte(head + "2 2 1\n1 2 5\n"))[:40]), ErrFormat, "cut off"},
	} {
		s, err := ReadMTX(t.Context(), strings.NewReader(c.file))
		if s != nil || !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.say) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := ReadMTX(t.Context(), io.MultiReader(strings.NewReader(head), iotest.ErrReader(errDisk))); !errors.Is(err, errDisk) {
		t.Error(err)
	}
	// Zeros that do not fit are told of with the way out.
	s, err := ReadMTX(t.Context(), strings.NewReader(head+"100000 100000 1\n1 2 5\n"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Dense(); !errors.Is(err, ErrTooLarge) || !strings.Contains(err.Error(), "100000×100000 with 1 entries") || !strings.Contains(err.Error(), "80 GB") || !strings.Contains(err.Error(), "SetMaxValues") {
		t.Error(err)
	}
}

// Sparse matrices in any order of entries are those that their entries say.
func TestSparse(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		rows, cols := 1+rnd.IntN(9), 1+rnd.IntN(9)
		want := mat.NewDense(rows, cols, nil)
		var e triplets
		for _, at := range rnd.Perm(rows * cols)[:rnd.IntN(rows*cols+1)] {
			v := rnd.NormFloat64()
			want.Set(at/cols, at%cols, v)
			e.add(at/cols, at%cols, v)
		}
		left := budget(1 << 20)
		s, err := e.matrix(rows, cols, &left)
		if err != nil || !mat.Equal(s, want) {
			t.Fatalf("%v, %v", s, err)
		}
		p, q := rnd.Perm(rows)[:1+rnd.IntN(rows)], []int{rnd.IntN(cols), rnd.IntN(cols)}
		some, err := s.Pick(p, q)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range p {
			for j, c := range q {
				if some.At(i, j) != want.At(r, c) {
					t.Errorf("(%d, %d) of %v × %v is %v", i, j, p, q, some.At(i, j))
				}
			}
		}
		if all, err := s.Pick(nil, nil); err != nil || !mat.Equal(all, want) {
			t.Errorf("%v, %v", all, err)
		}
	}
	good := func() *sparse.Matrix {
		return &sparse.Matrix{Rows: 3, Cols: 2, Start: []int{0, 2, 3}, Row: []int32{0, 2, 1}, Value: []float64{1, 2, 3}}
	}
	for name, spoil := range map[string]func(*sparse.Matrix){
		"rows":         func(s *sparse.Matrix) { s.Rows = 2 },
		"columns":      func(s *sparse.Matrix) { s.Cols = 3 },
		"starts":       func(s *sparse.Matrix) { s.Start = []int{0, 4, 3} },
		"falling":      func(s *sparse.Matrix) { s.Start = []int{0, -1, 3} },
		"row":          func(s *sparse.Matrix) { s.Row[0] = -1 },
		"rows fall":    func(s *sparse.Matrix) { s.Row[0], s.Row[1] = 2, 0 },
		"a row twice":  func(s *sparse.Matrix) { s.Row[1] = 0 },
		"no values":    func(s *sparse.Matrix) { s.Value = nil },
		"no starts":    func(s *sparse.Matrix) { s.Start = nil },
		"another base": func(s *sparse.Matrix) { s.Start[0] = 1 },
	} {
		s := good()
		if spoil(s); !errors.Is(s.Check(), ErrFormat) {
			t.Errorf("%s: %v", name, s.Check())
		}
		if err := s.Sort(); name == "rows fall" && (err != nil || s.At(0, 0) != 2) || name != "rows fall" && !errors.Is(err, ErrFormat) {
			t.Errorf("%s, sorted: %v", name, err)
		}
	}
	for _, bad := range [][2][]int{{{3}, nil}, {{0, 0}, nil}, {nil, {2}}, {nil, {-1}}} {
		if _, err := good().Pick(bad[0], bad[1]); !errors.Is(err, ErrColumn) {
			t.Errorf("%v: %v", bad, err)
		}
	}
	if err := mat.Maybe(func() { good().At(3, 0) }); err == nil {
		t.Error("row 3 of 3")
	}
	if err := mat.Maybe(func() { good().At(0, -1) }); err == nil {
		t.Error("column -1")
	}
}

func FuzzReadMTX(f *testing.F) {
	files, err := filepath.Glob("testdata/mtx/*.mtx")
	if err != nil || len(files) == 0 {
		f.Fatal(err)
	}
	for _, name := range files {
		f.Add(readTestdata(f, "mtx", filepath.Base(name)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := readMTX(t.Context(), bytes.NewReader(data), 1<<16)
		if err != nil {
			return
		}
		if err := s.Check(); err != nil {
			t.Error(err)
		}
		if x, err := s.DenseWithin(1 << 16); err == nil && !mat.Equal(s, x) {
			t.Errorf("%v", s)
		}
	})
}

func FuzzReadNames(f *testing.F) {
	f.Add([]byte("ENSG1\tTP53\tGene\nENSG2\tMYC\r\n"), 0)
	f.Add([]byte("a\n\nb"), 1)
	f.Add(gzipped([]byte("a\n")), 1)
	f.Fuzz(func(t *testing.T, data []byte, field int) {
		names, err := readNames(t.Context(), bytes.NewReader(data), field, 1<<16)
		for _, name := range names {
			if checkName(name) != nil || err != nil {
				t.Errorf("%q, %v", name, err)
			}
		}
	})
}

// Cells as 10x Genomics lay them out.
func TestOpenMTX(t *testing.T) {
	folder := t.TempDir()
	write := func(name string, data []byte) string {
		t.Helper()
		name = filepath.Join(folder, name)
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return name
	}
	matrix := readTestdata(t, "mtx", "real.mtx")
	write("matrix.mtx.gz", gzipped(matrix))
	write("features.tsv.gz", gzipped([]byte("E1\tTP53\tGene Expression\nE2\tMYC\tGene Expression\nE3\tACTB\tGene Expression\n")))
	write("barcodes.tsv", []byte("\uFEFFAAA-1\r\nAAC-1\r\nAAG-1\r\nAAT-1\r\n"))
	s, err := OpenMTX(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(s.Features, s.Samples) != "[TP53 MYC ACTB] [AAA-1 AAC-1 AAG-1 AAT-1]" || s.X.At(1, 3) != 1e-3 || s.Name != filepath.Base(folder) {
		t.Errorf("%v %q %q", s, s.Features, s.Samples)
	}
	other := write("GSM1_matrix.mtx", matrix)
	write("GSM1_genes.tsv", []byte("E1\nE2\nE3\n"))
	if s, err := OpenMTX(t.Context(), other); err != nil || fmt.Sprint(s.Features) != "[E1 E2 E3]" || s.Samples != nil || s.Name != "GSM1_matrix" {
		t.Errorf("%v, %v", s, err)
	}
	write("GSM1_barcodes.tsv", []byte("a\nb\n"))
	if _, err := OpenMTX(t.Context(), other); !errors.Is(err, ErrSize) || !strings.Contains(err.Error(), "2 names of samples for 4") {
		t.Error(err)
	}
	write("GSM1_barcodes.tsv", []byte("a\nb\xff\nc\nd\n"))
	if _, err := OpenMTX(t.Context(), other); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "GSM1_barcodes.tsv: line 2") {
		t.Error(err)
	}
	if _, err := OpenMTX(t.Context(), t.TempDir()); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	if _, err := OpenMTX(t.Context(), filepath.Join(folder, "none.mtx")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if _, err := ReadNames(t.Context(), strings.NewReader("a\tb\n"), 3); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "line 1 has only 2 fields") {
		t.Error(err)
	}
	if _, err := ReadNames(t.Context(), strings.NewReader("a"), -1); !errors.Is(err, ErrParameter) {
		t.Error(err)
	}
}

// Archives that NumPy and SciPy wrote: see testdata/npz/make.py.
func TestReadNPZ(t *testing.T) {
	read := func(name string, l NPYLayout) (*Set, error) {
		data := readTestdata(t, "npz", name+".npz")
		return ReadNPZ(t.Context(), bytes.NewReader(data), int64(len(data)), l)
	}
	want := mat.NewDense(3, 4, []float64{0, 2, 0, 0, 1.5, 0, 0, 4, 0, 0, 3, 5})
	for name, l := range map[string]NPYLayout{"named": {}, "packed": {Columns: true}, "csr": {}, "csc": {}, "coo": {}} {
		s, err := read(name, l)
		if err != nil || !mat.Equal(s.X, want) {
			t.Errorf("%s: %v, %v", name, s, err)
			continue
		}
		if name == "named" && fmt.Sprint(s.Samples, s.Features, s.Classes, s.Labels) != "[s1 s2 s3 s10] [f gg hhh] [a b ü] [1 0 1 2]" {
			t.Errorf("%q %q %q %v", s.Samples, s.Features, s.Classes, s.Labels)
		}
		if l.Columns = !l.Columns; name != "named" {
			if s, err := read(name, l); err != nil || !mat.Equal(s.X, want.T()) {
				t.Errorf("%s by columns: %v, %v", name, s, err)
			}
		}
	}
	for _, name := range []string{"csr", "csc", "coo"} {
		for _, columns := range []bool{false, true} {
			data := readTestdata(t, "npz", name+".npz")
			s, err := ReadNPZSparse(t.Context(), bytes.NewReader(data), int64(len(data)), columns)
			if err != nil {
				t.Fatal(err)
			}
			if got := s.T(); columns && !mat.Equal(got, want) || !columns && !mat.Equal(s, want) || s.Check() != nil {
				t.Errorf("%s without its zeros: %v", name, s)
			}
		}
	}
	named := readTestdata(t, "npz", "named.npz")
	if _, err := ReadNPZSparse(t.Context(), bytes.NewReader(named), int64(len(named)), false); !errors.Is(err, ErrNoVariable) {
		t.Errorf("no sparse matrix: %v", err)
	}
	s, err := read("numbers", NPYLayout{})
	if err != nil || !reflect.DeepEqual(s.Labels, []int{1, 0, 1, 1}) || !reflect.DeepEqual(s.Classes, []string{"-1", "7"}) || s.Max != 255 || s.X.At(1, 0) != 1 {
		t.Errorf("%v, %v", s, err)
	}
	if s, err := read("named", NPYLayout{Labels: "-"}); err != nil || s.Labels != nil {
		t.Errorf("%v, %v", s, err)
	}
	for name, c := range map[string]struct {
		file   string
		layout NPYLayout
		want   error
		say    string
	}{
		"objects":          {"objects", NPYLayout{}, ErrUnsupported, "astype"},
		"bsr":              {"bsr", NPYLayout{}, ErrUnsupported, "tocsr"},
		"no array":         {"named", NPYLayout{X: "Z"}, ErrNoVariable, `array "Z"; the file has X, feature_names, other`},
		"text":             {"named", NPYLayout{X: "y"}, ErrUnsupported, "text"},
		"other labels":     {"named", NPYLayout{Labels: "other"}, ErrSize, "labels"},
		"too few labels":   {"named", NPYLayout{Labels: "feature_names"}, ErrSize, "3 labels for 4 samples"},
		"other names":      {"named", NPYLayout{Samples: "feature_names"}, ErrSize, "3 names of samples for 4"},
		"names in a table": {"named", NPYLayout{Samples: "X"}, ErrSize, "names in an array of [4 3]"},
	} {
		if _, err := read(c.file, c.layout); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.say) {
			t.Errorf("%s: %v", name, err)
		}
	}
	data := readTestdata(t, "npz", "named.npz")
	if _, err := ReadNPY(t.Context(), bytes.NewReader(data), NPYLayout{}); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "ReadNPZ") {
		t.Error(err)
	}
	if _, err := ReadNPY(t.Context(), bytes.NewReader(data), NPYLayout{X: "X"}); !errors.Is(err, ErrParameter) {
		t.Error(err)
	}
	for cut := range data {
		if _, err := ReadNPZ(t.Context(), bytes.NewReader(data[:cut]), int64(cut), NPYLayout{}); !errors.Is(err, ErrFormat) {
			t.Fatalf("%d bytes: %v", cut, err)
		}
		if _, err := ReadNPZ(t.Context(), badSector{data, int64(cut), errDisk}, int64(len(data)), NPYLayout{}); err != nil && (!errors.Is(err, errDisk) || errors.Is(err, ErrFormat)) {
			t.Fatalf("byte %d: %v", cut, err)
		}
	}
}

func FuzzReadNPZ(f *testing.F) {
	files, err := filepath.Glob("testdata/npz/*.npz")
	if err != nil || len(files) == 0 {
		f.Fatal(err)
	}
	for _, name := range files {
		f.Add(readTestdata(f, "npz", filepath.Base(name)), "", false)
	}
	f.Add(readTestdata(f, "npz", "named.npz"), "y", true)
	f.Fuzz(func(t *testing.T, data []byte, name string, columns bool) {
		for _, l := range []NPYLayout{{Columns: columns}, {X: name, Labels: name, Samples: name}} {
			s, err := readNPZ(t.Context(), bytes.NewReader(data), int64(len(data)), l, 1<<16)
			if err != nil {
				continue
			}
			if err := s.Check(); err != nil {
				t.Error(err)
			}
			for _, name := range append(append(s.Samples, s.Features...), s.Classes...) {
				if err := checkName(name); err != nil {
					t.Error(err)
				}
			}
		}
	})
}

// The real sparse sets: term counts that do not fit with their zeros, and labels one-hot.
func TestRealSparse(t *testing.T) {
	for _, c := range []struct {
		name                string
		rows, cols, entries int
		classes             int
	}{{"TDT2.mat", 9394, 36771, 1224135, 30}, {"Reuters21578.mat", 8293, 18933, 389455, 65}} {
		f := realMAT(t, c.name)
		fea, err := f.Var("fea")
		if err != nil {
			t.Fatal(err)
		}
		s := fea.Sparse
		if s == nil || s.Rows != c.rows || s.Cols != c.cols || len(s.Value) != c.entries || s.Check() != nil {
			t.Fatalf("%s: %v", c.name, s)
		}
		if _, err := f.Set(MATLayout{}); !errors.Is(err, ErrTooLarge) || !strings.Contains(err.Error(), fmt.Sprintf(`variable "fea": datasets: file too large: a sparse matrix of %d×%d with %d entries`, c.rows, c.cols, c.entries)) {
			t.Errorf("%s: %v", c.name, err)
		}
		// The commonest terms of all documents do fit.
		var common []int
		for j := range s.Cols {
			if s.Start[j+1]-s.Start[j] >= 100 {
				common = append(common, j)
			}
		}
		some, err := s.Pick(nil, common)
		if err != nil {
			t.Fatal(err)
		}
		x, err := some.Transposed().Dense()
		if err != nil || len(common) < 500 || len(common) > 5000 {
			t.Fatalf("%s: %d common terms, %v", c.name, len(common), err)
		}
		if m, n := x.Dims(); m != len(common) || n != c.rows {
			t.Errorf("%s: %d×%d", c.name, m, n)
		}
		gnd, err := f.Var("gnd")
		if err != nil {
			t.Fatal(err)
		}
		if _, classes, err := matLabels(gnd); err != nil || len(classes) != c.classes {
			t.Errorf("%s: %d classes, %v", c.name, len(classes), err)
		}
	}
	s, err := realMAT(t, "UMIST_28x23.mat").Set(MATLayout{X: "X", Labels: "Y", Columns: true, Height: 28, Width: 23})
	if err != nil {
		t.Fatal(err)
	}
	if m, n := s.X.Dims(); m != 644 || n != 575 || len(s.Classes) != 20 {
		t.Errorf("%v", s)
	}
}

// The limit is a setting, and the errors name it.
func TestSetMaxValues(t *testing.T) {
	before := SetMaxValues(100)
	defer SetMaxValues(before)
	if before != MaxValues || SetMaxValues(0) != 100 {
		t.Errorf("%d values at first", before)
	}
	text := strings.Repeat("1,2\n", 100)
	_, err := ReadCSV(t.Context(), strings.NewReader(text), CSVLayout{})
	if !errors.Is(err, ErrTooLarge) || !strings.Contains(err.Error(), "line 51: datasets: file too large: more than 100 values, which SetMaxValues can raise") {
		t.Error(err)
	}
	_, err = ReadNPY(t.Context(), bytes.NewReader(readTestdata(t, "npy", "matrix-f8.npy")), NPYLayout{})
	if err != nil {
		t.Error(err)
	}
	SetMaxValues(200)
	if s, err := ReadCSV(t.Context(), strings.NewReader(text), CSVLayout{}); err != nil {
		t.Error(s, err)
	}
	SetMaxValues(10)
	_, err = ReadNPY(t.Context(), bytes.NewReader(readTestdata(t, "npy", "matrix-f8.npy")), NPYLayout{})
	if !errors.Is(err, ErrTooLarge) || !strings.Contains(err.Error(), "an array of [3 4]: datasets: file too large: more than 10 values, which SetMaxValues can raise") {
		t.Error(err)
	}
}
