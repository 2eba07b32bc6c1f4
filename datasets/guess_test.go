package datasets

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"gonum.org/v1/gonum/mat"
)

// Files of other programs are read without a layout, with their names and classes, and the notes tell
// what was guessed.
func TestOpenGuesses(t *testing.T) {
	for _, c := range []struct {
		path string
		want string // m×n, classes, missing, name of the first sample and feature
		note string
	}{
		{"others/r.csv", "2×3, 2, 1, ann, height", "column 1 names the lines"},
		{"others/r2.csv", "2×3, 2, 1, ann, height", "numbers have a decimal comma"},
		{"others/r.txt", "2×3, 2, 1, ann, height", `"kind" is the class`},
		{"others/pandas.csv", "2×6, 2, 1, flower 0, Sepal length", `"species" is the class`},
		{"others/excel.csv", "2×6, 2, 1, flower 0, Sepal length", `"Name" names the lines`},
		{"others/excel1252.csv", "2×6, 2, 1, flower 0, Sepal length", "the text is in the encoding Windows 1252"},
		{"others/genes.tsv.gz", "5×3, 0, 0, cell1, ENSG0", "a column of the table is a sample"},
		{"others/octave.mat", "2×3, 0, 0, sample 0, feature 0", "a row of X is a sample: 3 of them"},
		{"others/octave.txt", "2×3, 0, 0, sample 0, feature 0", "lines that begin with # are comments"},
		{"others/objects.npz", "", "names of the features are left out"},
		{"others/photos", "", "the images have several sizes and became 16×16"},
		{"npz/named.npz", "3×4, 3, 0, , ", "the array y has the classes"},
		{"npz/csr.npz", "3×4, 0, 0, sample 0, feature 0", "a row of the matrix is a sample"},
		{"npy/images.npy", "6×2, 0, 0, sample 0, pixel (0, 0)", ""},
		{"mtx/real.mtx", "3×4, 0, 0, sample 0, feature 0", `Missing: []string{"-3"}`},
		{"hdf5/csr.h5ad", "3×4, 4, 0, cell1, TP53", "the array obs/kind has the classes"},
		{"hdf5/cells.loom", "3×4, 2, 0, cell1, TP53", "the array col_attrs/kind has the classes"},
		{"hdf5/plain-v110.h5", "3×4, 2, 0, sample 0, feature 0", "the array y has the classes"},
		{"hdf5/tenx.h5", "3×4, 0, 0, , ", ""},
		{"hdf5/v73.mat", "3×4, 2, 0, sample 0, feature 0", "a row of fea is a sample"},
		{"mat/plain.mat", "6×4, 0, 0, sample 0, pixel (0, 0)", "the variable cube has the data"},
	} {
		s, err := Open(t.Context(), "testdata/"+c.path, OpenOptions{})
		if err != nil {
			t.Errorf("%s: %v", c.path, err)
			continue
		}
		m, n := s.Dims()
		_, _, missing := s.valueRange()
		got := fmt.Sprintf("%d×%d, %d, %d, %s, %s", m, n, len(s.Classes), missing, s.SampleName(0), s.FeatureName(0))
		want := strings.TrimSuffix(c.want, ", ") // where names do not matter
		if !strings.HasPrefix(got, strings.TrimSuffix(want, ", ")) {
			t.Errorf("%s is %s, want %s", c.path, got, c.want)
		}
		if !strings.Contains(strings.Join(s.Notes, "\n"), c.note) {
			t.Errorf("%s: no note %q in %q", c.path, c.note, s.Notes)
		}
		if base, _, _ := strings.Cut(filepath.Base(c.path), "."); s.Name != base {
			t.Errorf("%s is named %q", c.path, s.Name)
		}
	}
}

// What a table is for is guessed from all its lines, and options say otherwise.
func TestOpenTables(t *testing.T) {
	wine := "1,14.2,2.5\n1,13.1,2.2\n1,13.3,2.1\n1,14.3,2\n1,13,2.9\n2,12.1,1\n2,12.2,1.5\n2,12.9,1\n2,12.5,1.1\n2,12.6,1.7\n"
	clinic := "patient,age,bmi,smoker,outcome\np1,61,22.5,yes,1\np2,-1,30.1,no,0\np3,47,?,yes,1\np4,52,-1,no,0\n"
	for name, c := range map[string]struct {
		text string
		o    OpenOptions
		want string // X by samples, classes, samples, features
	}{
		"classes without a name": {wine, OpenOptions{}, ""},
		"a clinic":               {clinic, OpenOptions{Missing: []string{"-1"}}, "[[61 22.5] [NaN 30.1] [47 NaN] [52 NaN]] [0 1] [p1 p2 p3 p4] [age bmi]"},
		"a range":                {clinic, OpenOptions{Missing: []string{"<0", ">60"}}, "[[NaN 22.5] [NaN 30.1] [47 NaN] [52 NaN]] [0 1] [p1 p2 p3 p4] [age bmi]"},
		"another class":          {clinic, OpenOptions{Label: "smoker", Skip: []string{"outcome", "bmi"}}, "[[61] [-1] [47] [52]] [no yes] [p1 p2 p3 p4] [age]"},
		"no class":               {clinic, OpenOptions{Label: "-", Skip: []string{"bmi"}}, "[[61 1] [-1 0] [47 1] [52 0]] [] [p1 p2 p3 p4] [age outcome]"},
		"no names":               {clinic, OpenOptions{ID: "-", Skip: []string{"bmi"}}, "[[61] [-1] [47] [52]] [0 1] [] [age]"},
		"numbers":                {"1 2.5\n3 4\n", OpenOptions{}, "[[1 2.5] [3 4]] [] [] []"},
		"pandas' header":         {"0,1,2\n5,7.5,2\n1,1,1.5\n", OpenOptions{}, "[[5 7.5 2] [1 1 1.5]] [] [] [0 1 2]"},
		"an index":               {"id,a,b\n1,7.5,2\n2,1.5,4\n", OpenOptions{}, "[[7.5 2] [1.5 4]] [] [1 2] [a b]"},
		"a counted header":       {"id,1,2,3\nx,7.5,2,1\ny,1.5,4,3\n", OpenOptions{}, "[[7.5 2 1] [1.5 4 3]] [] [x y] [1 2 3]"},
		"years":                  {"land,1990,2000,2010,2020,2030\nx,1,2,1,2,1\ny,5,3,2,1,6\n", OpenOptions{}, "[[1 2 1 2 1] [5 3 2 1 6]] [] [x y] [1990 2000 2010 2020 2030]"},
		"falling wavelengths":    {"900,850,800,750,700\n1,2,1,2,1\n5,3,2,1,6\n", OpenOptions{}, "[[1 2 1 2 1] [5 3 2 1 6]] [] [] [900 850 800 750 700]"},
		"rising data":            {"5,6,7,8,9\n1,2,3,4,5\n5,3,2,1,6\n", OpenOptions{}, "[[5 6 7 8 9] [1 2 3 4 5] [5 3 2 1 6]] [] [] []"},
		"uneven data":            {"5,6,7,8,10\n1,2,3,2,5\n5,3,2,1,6\n", OpenOptions{}, "[[5 6 7 8 10] [1 2 3 2 5] [5 3 2 1 6]] [] [] []"},
		"units in the names":     {"id,400nm,405nm,410nm\nx,7.5,2,1\ny,1.5,4,3\n", OpenOptions{}, "[[7.5 2 1] [1.5 4 3]] [] [x y] [400nm 405nm 410nm]"},
		"a line of units":        {"id,height,weight\n,cm,kg\nx,170,60.5\ny,180,70\n", OpenOptions{}, "[[170 60.5] [180 70]] [] [x y] [height weight]"},
		"a shuffled index":       {"patient_id,a,b\n31,7.5,2\n7,1.5,4\n12,1,1\n", OpenOptions{}, "[[7.5 2] [1.5 4] [1 1]] [] [31 7 12] [a b]"},
		"an index that repeats":  {"patient_id,a,b\n31,7.5,2\n7,1.5,4\n31,1,1\n", OpenOptions{}, "[[31 7.5 2] [7 1.5 4] [31 1 1]] [] [] [patient_id a b]"},
		"an axis with its unit":  {"Wavenumber (cm-1),c1,c2\n900,1,2\n850,4,5\n", OpenOptions{}, "[[1 4] [2 5]] [] [c1 c2] [900 850]"},
		"Excel's separator":      {"sep=;\nid;a;b\nx;7.5;2\ny;1.5;4\n", OpenOptions{}, "[[7.5 2] [1.5 4]] [] [x y] [a b]"},
		"wells of a plate":       {"1_1,1_2,2_1\n5,6.5,7\n1,2,3\n", OpenOptions{}, "[[5 6.5 7] [1 2 3]] [] [] [1_1 1_2 2_1]"},
		"wells under a name":     {"plate,a\n1_1,5\n1_2,6.5\n", OpenOptions{}, "[[5] [6.5]] [] [1_1 1_2] [a]"},
		"three years":            {"country,2019,2020,2021\nA,1.5,2,3\nB,4,5.5,6\n", OpenOptions{}, "[[1.5 2 3] [4 5.5 6]] [] [A B] [2019 2020 2021]"},
		"years and a name":       {"country,gdp,2019,2020\nA,1.5,2,3\nB,4,5.5,6\n", OpenOptions{}, "[[1.5 2 3] [4 5.5 6]] [] [A B] [gdp 2019 2020]"},
		"genes by number":        {"sample,class,7157,1017\na,x,1,2\nb,y,4,5\nc,x,3,2\n", OpenOptions{}, "[[1 2] [4 5] [3 2]] [x y] [a b c] [7157 1017]"},
		"and lines":              {"id,7157,1017\n1,5,7\n2,6,3\n", OpenOptions{}, "[[5 7] [6 3]] [] [1 2] [7157 1017]"},
		"a name that is asked":   {"Land,2019,2020\nA,1,2\nB,3,4\n", OpenOptions{ID: "Land"}, "[[1 2] [3 4]] [] [A B] [2019 2020]"},
		"no name over names":     {",2019,2020\nA,1,2\nB,3,4\n", OpenOptions{}, "[[1 2] [3 4]] [] [A B] [2019 2020]"},
		"pandas' index":          {",0,1,2\n0,5,7,1\n1,6,3,1\n2,1,1,1\n", OpenOptions{}, "[[5 7 1] [6 3 1] [1 1 1]] [] [0 1 2] [0 1 2]"},
		"a gap, no index":        {",0,1\n5,5,7\n2,6,3\n7,1,1\n", OpenOptions{}, "[[NaN 0 1] [5 5 7] [2 6 3] [7 1 1]] [] [] []"},
		"counted data":           {"1,2,3\n4,5,6\n7,8,9\n", OpenOptions{}, "[[1 2 3] [4 5 6] [7 8 9]] [] [] []"},
		"and more":               {"1 2 3 4 5\n6 7 8 9 10\n11 12 13 14 15\n", OpenOptions{}, "[[1 2 3 4 5] [6 7 8 9 10] [11 12 13 14 15]] [] [] []"},
		"and names":              {"s1,1,2,3\ns2,4,5,6\ns3,7,8,9\n", OpenOptions{}, "[[1 2 3] [4 5 6] [7 8 9]] [] [s1 s2 s3] []"},
		"counted from 0 and 1":   {"0,2,2,4\n1.5,2,3,4\n5,4.5,3,2\n", OpenOptions{}, "[[0 2 2 4] [1.5 2 3 4] [5 4.5 3 2]] [] [] []"},
		"counted columns":        {"0,1,2,3,4\n5,3,2,2,1\n1,2,3,4,9\n", OpenOptions{}, "[[5 3 2 2 1] [1 2 3 4 9]] [] [] [0 1 2 3 4]"},
		"lines of commas":        {",,\nid,a,b\nA,1,2\n,,\nB,3,4\n ,\"\",\n", OpenOptions{}, "[[1 2] [3 4]] [] [A B] [a b]"},
		"a comment":              {"# made by x\nid,a,b\ns0,1,2\ns1,3,4\n", OpenOptions{}, "[[1 2] [3 4]] [] [s0 s1] [a b]"},
		"one with commas":        {"% made, by, x\nid,a,b\ns0,1,2\ns1,3,4\n", OpenOptions{}, "[[1 2] [3 4]] [] [s0 s1] [a b]"},
		"one over tabs":          {"! made by x, y\nid\ta\tb\ns0\t1\t2\ns1\t3\t4\n", OpenOptions{}, "[[1 2] [3 4]] [] [s0 s1] [a b]"},
		"one over blanks":        {"# made by x\nid a b\ns0 1 2\ns1 3 4\n", OpenOptions{}, "[[1 2] [3 4]] [] [s0 s1] [a b]"},
		"one over numbers":       {"# made by x\n1,2\n3,4\n", OpenOptions{}, "[[1 2] [3 4]] [] [] []"},
		"NumPy's header":         {"# a,b\n1,2\n3,4\n", OpenOptions{}, "[[1 2] [3 4]] [] [] [# a b]"},
		"its units":              {"#id,a,b\n,cm,kg\ns0,1,2\ns1,3,4\n", OpenOptions{}, "[[1 2] [3 4]] [] [s0 s1] [a b]"},
		"R's name of a column":   {"#a\nx 1\ny 2\n", OpenOptions{}, "[[1] [2]] [] [x y] [#a]"},
		"and a gap in it":        {"a\nx NA\ny 2\n", OpenOptions{}, "[[NaN] [2]] [] [x y] [a]"},
		"a title":                {"My wines of 2020\n\nid;a;b\ns0;1,5;2\ns1;3;4\n", OpenOptions{}, "[[1.5 2] [3 4]] [] [s0 s1] [a b]"},
		"a title like a name":    {"id\r\nid,a,b\r\ns0,1,2\r\ns1,3,4\r\n", OpenOptions{}, "[[1 2] [3 4]] [] [s0 s1] [a b]"},
		"a decimal comma":        {"Absorbance\n1,5\n2,5\n", OpenOptions{}, "[[1.5] [2.5]] [] [] [Absorbance]"},
		"lines of semicolons":    {"1;2,5\n;\n3;4\n", OpenOptions{}, "[[1 2.5] [3 4]] [] [] []"},
		"a gap in one column":    {"a\n1\n\"\"\n3\n", OpenOptions{}, "[[1] [NaN] [3]] [] [] [a]"},
		"samples in columns":     {"gene,c1,c2,c3\nACTB,1,2,3\nGAPDH,4,5,6\n", OpenOptions{}, "[[1 4] [2 5] [3 6]] [] [c1 c2 c3] [ACTB GAPDH]"},
		"and back":               {"gene,c1,c2,c3\nACTB,1,2,3\nGAPDH,4,5,6\n", OpenOptions{Transposed: true}, "[[1 2 3] [4 5 6]] [] [ACTB GAPDH] [c1 c2 c3]"},
	} {
		path := filepath.Join(t.TempDir(), "my table.csv")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Open(t.Context(), path, c.o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := fmt.Sprint(rowsOf(s.X.T()), s.Classes, s.Samples, s.Features)
		if c.want != "" && got != c.want {
			t.Errorf("%s: %s, want %s\n%v", name, got, c.want, s)
		}
		if c.want == "" && (len(s.Classes) != 2 || !strings.Contains(s.String(), "column 1 is the class")) {
			t.Errorf("%s: %v", name, s)
		}
		if s.Name != "my table" {
			t.Errorf("the name is %q", s.Name)
		}
	}
	var long strings.Builder
	long.WriteString("id,a\n")
	for j := range mostWords + 9 {
		fmt.Fprintf(&long, "%d,%d.5\n", j, j*j%97)
	}
	if s, err := Open(t.Context(), tableFile(t, long.String()), OpenOptions{}); err != nil || len(s.Samples) != mostWords+9 {
		t.Errorf("a long index: %v, %v", s, err)
	}
}

// A first line with other fields than the table is left out; numbers that may be classes are told; a matrix with
// a 1 in each row has the classes, and tells which way the data lie.
func TestOpenHints(t *testing.T) {
	table := func(text string) *Set {
		path := filepath.Join(t.TempDir(), "t.csv")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Open(t.Context(), path, OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	var stray, whole strings.Builder
	stray.WriteString("20,2\n")
	for j := range 20 {
		fmt.Fprintf(&stray, "%d.5,%d,%d.25,%d\n", j, 3*j, 100-j, j%2)
		fmt.Fprintf(&whole, "%d,%d,%d,%d\n", j+7, 3*j, 100-j, j%4)
	}
	if s := table(stray.String()); len(s.Classes) != 2 || s.Features != nil || !strings.Contains(s.String(), "3 features × 20 samples") || !strings.Contains(s.String(), "the first line has 2 fields and others 4") {
		t.Errorf("%v, features %q", s, s.Features)
	}
	if s := table(whole.String()); s.Classes != nil || !strings.Contains(s.String(), `column 4 has the numbers 0 to 3 alone: if they are classes, say OpenOptions{Label: "4"}`) {
		t.Errorf("%v", s)
	}
	if s := table("id,a\nx,1\n,\ny,3\n,\n"); !strings.Contains(s.String(), "left out: 2 lines of empty fields alone, as line 3") {
		t.Errorf("%v", s)
	}
	for second, says := range map[string]string{
		"Blank,ND,ND": `warning: the line after the header, "Blank,ND,ND", is taken for the units; if it is a sample, and its texts mean that values are missing, say so by OpenOptions{Missing: []string{"ND"}}`,
		",cm,kg":      `the line after the header has the units: ",cm,kg"`,
		"Unit:,cm,kg": `the line after the header has the units: "Unit:,cm,kg"`,
	} {
		if s := table("id,a,b\n" + second + "\ns0,1,2\ns1,3,4\n"); !slices.Contains(s.Notes, says) {
			t.Errorf("%q: %q", second, s.Notes)
		}
	}
	if s := table("0,1,0\n1,0,1\n" + strings.Repeat("0,0,1\n", 10)); strings.Contains(s.String(), "alone") {
		t.Errorf("%v", s)
	}
	x, y := mat.NewDense(6, 20, nil), mat.NewDense(20, 3, nil)
	for j := range 20 {
		x.Set(j%6, j, 1.5)
		y.Set(j, j%3, 1)
	}
	var b bytes.Buffer
	path := filepath.Join(t.TempDir(), "t.mat")
	if err := errors.Join(WriteMAT(&b, MATVar{Name: "X", M: x}, MATVar{Name: "Y", M: y}), os.WriteFile(path, b.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
	if s, err := Open(t.Context(), path, OpenOptions{}); err != nil || len(s.Classes) != 3 || !mat.Equal(s.X, x) {
		t.Errorf("%v, %v", s, err)
	}
}

func rowsOf(m mat.Matrix) (rows [][]float64) {
	r, _ := m.Dims()
	for i := range r {
		rows = append(rows, mat.Row(nil, i, m))
	}
	return rows
}

// Where the first line has numbers, a note tells whether it is taken for names or for data, and which option says
// that it has names.
func TestOpenFirstLine(t *testing.T) {
	for text, want := range map[string]string{
		"country,2019,2020\nA,1,2\nB,3,4\n":                         `the first line names the columns, though it has numbers: "country,2019,2020"`,
		"0,1,2\n5,7.5,2\n1,1,1.5\n":                                 `the first line names the columns, though it has numbers: "0,1,2"`,
		"land,2000,2010,2020,2030,2040\nA,5,3,2,1,4\nB,1,2,1,2,1\n": `the first line names the columns: its numbers, 2000 to 2040, are in order`,
		"Land,2019,2020\nA,1,2\nB,3,4\n":                            `the first line has data, and columns have no names (OpenOptions{ID: "Land"} says that it names them)`,
		"1,2,3\n4,5,6\n7,8,9\n":                                     `the first line has data, and columns have no names`,
		"id,a,b\nx,1,2\ny,3,4\n":                                    "",
		"Wines\nid,a,b\nx,1,2\ny,3,4\n":                             "the first line is left out, as a title: \"Wines\"",
	} {
		s, err := Open(t.Context(), tableFile(t, text), OpenOptions{})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		notes := strings.Join(s.Notes, "\n")
		if told := strings.Contains(notes, "first line"); told != (want != "") || !strings.Contains(notes+"\n", want+"\n") && !strings.Contains(notes, want+", and those") {
			t.Errorf("%q: %q, want %q", text, s.Notes, want)
		}
	}
	_, err := Open(t.Context(), tableFile(t, "Land,gdp,2019\nA,1.5,2\nB,4,5.5\n"), OpenOptions{})
	if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), `if the first line names the columns, say so by OpenOptions{ID: "Land"}`) {
		t.Error(err)
	}
}

// Numbers that look as if they meant a missing value are told with what to do, and stay.
func TestOpenSentinels(t *testing.T) {
	for text, want := range map[string]string{
		"a,b\n1,2\n-1,3\n4,-1\n2,2\n":           `-1 is the only negative number; it comes 2 times, first in a of sample 1: if it means that a value is missing, say so by OpenOptions{Missing: []string{"-1"}}`,
		"a,b\n1,2\n9999,3\n4,9999\n2,2\n":       `9999 is more than a hundred times all other numbers; it comes 2 times, first in a of sample 1`,
		"a,b\n1,2\n-1,3\n4,-1.5\n2,200\n":       "",
		"a,b\n1,2\n1000000,3\n4,9\n2,1\n":       "", // one alone is an outlier
		"a,b\n1e36,2\n1e36,3\n1e36,9\n2,1\n5,5": `1e+36`,
	} {
		path := filepath.Join(t.TempDir(), "t.csv")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Open(t.Context(), path, OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		warned := slices.ContainsFunc(s.Notes, func(n string) bool { return strings.HasPrefix(n, "warning") })
		if warned != (want != "") || !strings.Contains(s.String(), want) {
			t.Errorf("%q: %q", text, s.Notes)
		}
		if _, _, missing := s.valueRange(); missing > 0 {
			t.Errorf("%q: %d are missing", text, missing)
		}
	}
}

// The errors of Open say what to do.
func TestOpenErrors(t *testing.T) {
	folder, elsewhere := t.TempDir(), t.TempDir()
	write := func(folder, name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	file := func(name, text string) string { return write(folder, name, text) }
	other := func(name, text string) string { return write(elsewhere, name, text) }
	table := file("t.csv", "a,b\n1,2\n3,4\n")
	for _, c := range []struct {
		path string
		o    OpenOptions
		want error
		says string
	}{
		{filepath.Join(folder, "none.csv"), OpenOptions{}, os.ErrNotExist, ""},
		{"", OpenOptions{}, os.ErrNotExist, "the path is empty"},
		{file("t.parquet", "PAR1xxxx"), OpenOptions{}, ErrUnsupported, "datasets/columnar"},
		{file("t.bin", "\x01\x02\x00\x03"), OpenOptions{}, ErrUnsupported, "01 02 00 03"},
		{other("t.png", "\x89PNG\r\n\x1a\n\x00"), OpenOptions{}, ErrUnsupported, "give the folder"},
		{file("empty.csv", ""), OpenOptions{}, ErrFormat, "the file is empty"},
		{file("words.txt", "the cat\nsat here\n"), OpenOptions{ID: "-", Label: "-"}, ErrFormat, "no column holds numbers"},
		{file("percent.csv", "id,a,b\nx,1%,2%\ny,3%,2%\n"), OpenOptions{}, ErrFormat, `"3%" of column 2 is no number`},
		{folder, OpenOptions{}, ErrNoImages, "t.csv"},
		{table, OpenOptions{Label: "c"}, ErrNoVariable, "the file has a, b"},
		{table, OpenOptions{Missing: []string{"<x"}}, ErrParameter, "<x"},
		{table, OpenOptions{Missing: []string{"=1"}}, ErrParameter, "=1"},
		{"testdata/others/photos", OpenOptions{Height: 5}, ErrParameter, "both Height and Width"},
		{"testdata/hdf5/v73.mat", OpenOptions{Data: "X"}, ErrNoVariable, "OpenOptions.Data"},
		{"testdata/others/octave.h5", OpenOptions{}, ErrUnsupported, "OpenOptions.Data"},
	} {
		if _, err := Open(t.Context(), c.path, c.o); !errors.Is(err, c.want) || !strings.Contains(fmt.Sprint(err), c.says) {
			t.Errorf("%s %+v: %v", c.path, c.o, err)
		}
	}
}

// A sensor that was stuck is told; numbers that repeat, and the lowest and highest, are not.
func TestOpenStuck(t *testing.T) {
	for name, c := range map[string]struct {
		value func(j int) float64
		want  string
	}{
		"stuck":     {func(j int) float64 { return [...]float64{float64(j) + 0.5, 15.25}[min(1, j/20)*min(1, max(0, 32-j))] }, `b is 15.25 in 12 samples in succession, from sample 20 on: if a sensor was stuck there, OpenOptions{Missing: []string{"15.25"}}`},
		"grades":    {func(j int) float64 { return float64(j / 12) }, ""},
		"saturated": {func(j int) float64 { return min(float64(j)+0.5, 25) }, ""},
		"a floor":   {func(j int) float64 { return max(float64(j)+0.5, 15) }, ""},
	} {
		text := strings.Builder{}
		text.WriteString("a,b\n")
		for j := range 50 {
			fmt.Fprintf(&text, "%d.5,%g\n", j*j%37, c.value(j))
		}
		path := filepath.Join(t.TempDir(), "t.csv")
		if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Open(t.Context(), path, OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if told := strings.Contains(s.String(), "in succession"); told != (c.want != "") || !strings.Contains(s.String(), c.want) {
			t.Errorf("%s: %v", name, s)
		}
	}
}

// An array that has the name of classes and another length than there are samples is left out with a note. A column of
// a matrix is as good as a vector.
func TestOpenMisfitLabels(t *testing.T) {
	x := mat.NewDense(6, 4, nil) // rows are samples
	for i := range 6 {
		x.Set(i, i%4, float64(i+1))
	}
	classes := func(n int) mat.Matrix {
		y := mat.NewDense(n, 1, nil)
		for i := range n {
			y.Set(i, 0, float64(i%2))
		}
		return y
	}
	for format, write := range map[string]func(io.Writer, ...MATVar) error{"npz": WriteNPZ, "mat": WriteMAT} {
		open := func(o OpenOptions, vars ...MATVar) (*Set, error) {
			var b bytes.Buffer
			path := filepath.Join(t.TempDir(), "t."+format)
			if err := errors.Join(write(&b, vars...), os.WriteFile(path, b.Bytes(), 0o600)); err != nil {
				t.Fatal(err)
			}
			return Open(t.Context(), path, o)
		}
		for _, c := range []struct {
			o    OpenOptions
			vars []MATVar
			want string
		}{
			{OpenOptions{}, []MATVar{{Name: "y", M: classes(5)}}, "y has 5 values, and is not taken for the classes, of which 6 samples need 6"},
			{OpenOptions{}, []MATVar{{Name: "label", Text: []string{"a", "b", "a"}}}, "label has 3 values, and is not taken"},
			{OpenOptions{}, []MATVar{{Name: "y", M: classes(6)}}, "y has the classes"},
			{OpenOptions{}, []MATVar{{Name: "label", M: classes(5)}, {Name: "y", M: classes(6)}}, "y has the classes"},
			{OpenOptions{Transposed: true}, []MATVar{{Name: "y", M: classes(5)}}, "of which 4 samples need 4"},
		} {
			s, err := open(c.o, append(c.vars, MATVar{Name: "X", M: x})...)
			if err != nil {
				t.Errorf("%s: %v", format, err)
				continue
			}
			notes := strings.Join(s.Notes, "\n")
			if found := strings.Contains(c.want, "has the classes"); !strings.Contains(notes, c.want) || found != (s.Labels != nil) || found == strings.Contains(notes, "not taken for") {
				t.Errorf("%s, %s: %v", format, c.want, s)
			}
		}
		if s, err := open(OpenOptions{Label: "-"}, MATVar{Name: "y", M: classes(5)}, MATVar{Name: "X", M: x}); err != nil || strings.Contains(s.String(), "not taken for") {
			t.Errorf("%s: %v, %v", format, s, err)
		}
	}
	data, err := os.ReadFile("testdata/hdf5/plain-v110.h5")
	if err != nil {
		t.Fatal(err)
	}
	f, err := openH5(bytes.NewReader(data), int64(len(data)), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	s := &Set{X: mat.NewDense(2, 5, nil)}
	if f.guessLabels("", s); s.Labels != nil || !strings.Contains(strings.Join(s.Notes, "\n"), "the array y has 4 values, and is not taken for the classes, of which 5 samples need 5") {
		t.Errorf("%q", s.Notes)
	}
}

// Pictures of several sizes become that of most of them if none is smaller, and otherwise small squares. The notes name
// those that differ.
func TestOpenMixedSizes(t *testing.T) {
	picture := func(height, width int) []byte {
		var b bytes.Buffer
		if err := png.Encode(&b, randomImage(width, height)); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	for name, c := range map[string]struct {
		sizes         [][2]int
		o             OpenOptions
		height, width int
		note          string
	}{
		"one size":      {[][2]int{{20, 30}, {20, 30}}, OpenOptions{}, 20, 30, ""},
		"a larger one":  {[][2]int{{50, 40}, {24, 26}, {24, 26}, {24, 26}}, OpenOptions{}, 24, 26, "3 of 4 images are 24×26, and the others became so (OpenOptions.Height and Width): 0.png (50×40)"},
		"and large":     {[][2]int{{130, 128}, {128, 128}, {128, 128}}, OpenOptions{}, 64, 64, "the images of 128×128 became 64×64"},
		"a smaller one": {[][2]int{{10, 12}, {24, 24}, {24, 24}, {30, 30}, {24, 24}, {24, 24}}, OpenOptions{}, 8, 8, "4 of 6 images are 24×24, as all would be without the smaller ones, 0.png (10×12): take them out"},
		"one narrower":  {[][2]int{{24, 24}, {24, 24}, {30, 17}}, OpenOptions{}, 16, 16, "without the smaller ones, 2.png (30×17)"},
		"many smaller":  {[][2]int{{9, 9}, {9, 10}, {9, 11}, {9, 12}, {24, 24}, {24, 24}, {24, 24}, {24, 24}, {24, 24}}, OpenOptions{}, 8, 8, "without the smaller ones, 0.png (9×9), 1.png (9×10), 2.png (9×11) and 1 more: take"},
		"no majority":   {[][2]int{{20, 30}, {30, 20}, {40, 17}, {40, 40}}, OpenOptions{}, 16, 16, "the smallest image is 0.png (20×30)"},
		"as asked":      {[][2]int{{50, 40}, {24, 26}, {24, 26}, {24, 26}}, OpenOptions{Height: 10, Width: 11}, 10, 11, ""},
	} {
		folder := t.TempDir()
		for i, size := range c.sizes {
			if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%d.png", i)), picture(size[0], size[1]), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s, err := Open(t.Context(), folder, c.o)
		if err != nil || s.Height != c.height || s.Width != c.width || !strings.Contains(strings.Join(s.Notes, "\n"), c.note) || c.note == "" && s.Notes != nil {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
	_, err := ReadImages(t.Context(), fstest.MapFS{"a.png": {Data: picture(9, 9)}, "b.png": {Data: picture(20, 30)}, "c.png": {Data: picture(20, 30)}}, ImageLayout{})
	if !errors.Is(err, ErrSize) || !strings.Contains(err.Error(), "a.png (9×9) is not of the size that 2 of 3 images have, as b.png (20×30, height × width): set Height and Width of the layout") {
		t.Error(err)
	}
}

// tableFile writes a table into a file.
func tableFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Most numbers tell whether they have a decimal comma. The error names the first field that is written otherwise, as
// the file has it, and says what to do in terms of the options.
func TestOpenOddFields(t *testing.T) {
	good := "id;a;b;day\n" + strings.Repeat("x;1,5;2,25;Dr. No\ny;3;4,75;12.03.2020\n", 4)
	for name, c := range map[string]struct {
		text string
		o    OpenOptions
		says []string // "": it is read
	}{
		"none":               {good, OpenOptions{}, nil},
		"a word elsewhere":   {strings.Replace(good, "Dr. No", "v. 2.5", 1), OpenOptions{}, nil},
		"no header":          {"2,5;3,1\n1,5;2,2\n", OpenOptions{}, nil},
		"exponents":          {"a;b\n2,5E-3;3,1\n1,5E+01;2,2\n", OpenOptions{}, nil},
		"a point":            {strings.Replace(good, "2,25", "7.31", 1), OpenOptions{}, []string{`line 2, column 3 (b): `, `"7.31" has a point, but numbers have a decimal comma`, `OpenOptions{Missing: []string{"7.31"}}`}},
		"a point, missing":   {strings.Replace(good, "2,25", "7.31", 1), OpenOptions{Missing: []string{"7.31"}}, nil},
		"a point, left out":  {strings.ReplaceAll(strings.ReplaceAll(good, "2,25", "7.31"), "4,75", "8.1"), OpenOptions{Skip: []string{"b"}}, nil},
		"thousands":          {strings.ReplaceAll(good, "2,25", "6.402,45"), OpenOptions{}, []string{`line 2, column 3 (b): `, `"6.402,45" has a point, but numbers have a decimal comma: points between thousands are not read; write it in the file as other numbers are`}},
		"only thousands":     {"a;b\n1.234,5;2\n2.345,25;3\n1;2\n", OpenOptions{}, []string{`line 2, column 1 (a): `, `"1.234,5" has a point`}},
		"commas":             {"a,b\n1,2\n\"1,234.50\",3\n\"2,000.25\",4\n", OpenOptions{}, []string{`line 3, column 1 (a): `, `"1,234.50" is not a finite number: numbers have a decimal point here, and commas are not read`}},
		"a comma":            {"a;b\n1.5;2\n2.5;4\n3,5;4.75\n4.5;1\n5.5;1\n", OpenOptions{}, []string{`line 4, column 1 (a): `, `"3,5" is not a finite number: numbers have a decimal point here`}},
		"a word":             {strings.Replace(good, "2,25", "hemolytic", 1), OpenOptions{}, []string{`line 2, column 3 (b): `, `"hemolytic" is not a finite number: if that means a missing value, say so by OpenOptions{Missing: []string{"hemolytic"}}; OpenOptions.Skip leaves the column out`}},
		"a date":             {strings.Replace(good, "2,25", "2024-02-29", 1), OpenOptions{}, []string{`dates are not read: OpenOptions.Skip leaves the column out`}},
		"a limit":            {strings.Replace(good, "4,75", "<0,60", 1), OpenOptions{}, []string{`line 3, column 3 (b): `, `"<0,60" is not a finite number: if that is a limit of what could be measured, say by OpenOptions{Missing: []string{"<0,60"}}`}},
		"a limit at first":   {"id,a,b\ns1,≤5,≤3\ns2,4,7\ns3,1,2\ns4,1,2\ns5,1,2\ns6,1,2\n", OpenOptions{}, []string{`line 2, column 2 (a): `, `say by OpenOptions{Missing: []string{"≤5"}} that the value is missing`}},
		"a sample, no units": {"id,a,b\ns10,ND,ND\ns1,4,7\ns2,1,2\ns3,1,2\ns4,1,2\n", OpenOptions{}, []string{`line 2, column 2 (a): `, `OpenOptions{Missing: []string{"ND"}}`}},
		"about":              {"id,a,b\nA,~5,€3\nB,4,7\nC,1,2\nD,1,2\nE,1,2\n", OpenOptions{}, []string{`line 2, column 2 (a): `, `OpenOptions{Missing: []string{"~5"}}`}},
		"dates":              {"gene,2020-01-01,2020-01-02\nA,1,2\nB,3,4\n", OpenOptions{}, []string{`if the first line names the columns, say so by OpenOptions{ID: "gene"}`}},
		"a comment":          {strings.Replace(good, "2,25", "#REF!", 1), OpenOptions{}, []string{`OpenOptions{Missing: []string{"#REF!"}}`}},
		"no names":           {"?a;?b\n?c;x\n1;2\n3;4\n5;6\n7;8\n", OpenOptions{}, []string{"CSVLayout of OpenCSV"}},
	} {
		o := c.o
		if o.Label == "" {
			o.Label = "-"
		}
		s, err := Open(t.Context(), tableFile(t, c.text), o)
		if c.says == nil {
			if err != nil || strings.Contains(c.text, "a;b") && !strings.Contains(s.String(), "decimal comma") {
				t.Errorf("%s: %v, %v", name, s, err)
			}
			continue
		}
		for _, says := range c.says {
			if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "DecimalComma") || strings.Contains(err.Error(), "Encode") {
				t.Errorf("%s: %v, want %s", name, err, says)
			}
		}
	}
	s, err := Open(t.Context(), tableFile(t, strings.Replace(strings.Replace(good, "2,25", "7.31", 1), "4,75", "7,31", 1)), OpenOptions{Label: "-", Missing: []string{"7.31"}})
	if err != nil || !math.IsNaN(s.X.At(1, 0)) || s.X.At(1, 1) != 7.31 {
		t.Errorf("%v, %v", s, err)
	}
	if _, err := OpenCSV(t.Context(), tableFile(t, "a;b\n1,5;<0,60\n"), CSVLayout{DecimalComma: true}); err == nil || !strings.Contains(err.Error(), `"<0,60" is not a finite number: if it stands for a missing value, set Missing to a list that has "<0,60"`) {
		t.Error(err)
	}
}

// What OpenOptions.Missing has is the text of fields, if there are such, and only otherwise a range.
func TestOpenMissingTexts(t *testing.T) {
	limits := "id;a;b\n" + strings.Repeat("x;2,5;<5\ny;3;0,25\nz;4,5;7\n", 4)
	arff := "@relation r\n@attribute a numeric\n@attribute b numeric\n@data\n1,<5\n2,3\n3,7\n"
	for name, c := range map[string]struct {
		text    string
		missing string
		gaps    int
		note    string
	}{
		"a limit":               {limits, "<5", 4, `"<5" in OpenOptions.Missing means the text of 4 fields, and no numbers`},
		"with blanks":           {strings.ReplaceAll(limits, "<5", " <5 "), "<5", 4, "4 fields are missing: empty, or a word such as NA or ?, or a text of OpenOptions.Missing"},
		"with a comma":          {strings.ReplaceAll(limits, "<5", "<0,60"), "<0,60", 4, `"<0,60" in OpenOptions.Missing means the text of 4 fields`},
		"a range":               {strings.ReplaceAll(limits, "<5", "6"), "<5", 16, "16 numbers are taken for missing, as OpenOptions.Missing says"},
		"another range":         {strings.ReplaceAll(limits, "<5", "9"), ">8.5", 4, "4 numbers are taken for missing"},
		"words and a number":    {"a;b\n2;NA\n3;1\n-9;7\n4;NA\n", "-9", 3, "2 fields are missing: empty, or a word such as NA or ?\n"},
		"in the first line":     {"2;<5\n3;1\n4;7\n4;6\n5;6\n", "<5", 1, ""},
		"a text in ARFF":        {arff, "<5", 1, `means the text of 1 field,`},
		"a range in ARFF":       {strings.ReplaceAll(arff, "<5", "4"), "<5", 5, ""},
		"the name of a feature": {"id;<5;b\nx;1;2\ny;7;8\nz;9;9\n", "<5", 2, ""},
	} {
		path := tableFile(t, c.text)
		if strings.HasPrefix(c.text, "@") {
			if err := os.Rename(path, path+".arff"); err != nil {
				t.Fatal(err)
			}
			path += ".arff"
		}
		s, err := Open(t.Context(), path, OpenOptions{Label: "-", Missing: []string{c.missing}})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, _, gaps := s.valueRange(); gaps != c.gaps || !strings.Contains(strings.Join(s.Notes, "\n"), c.note) {
			t.Errorf("%s: %d are missing, want %d: %v", name, gaps, c.gaps, s)
		}
	}
	_, err := Open(t.Context(), tableFile(t, "a;b\n1;2\n3;4\n"), OpenOptions{Missing: []string{"<0,60"}})
	if !errors.Is(err, ErrParameter) || !strings.Contains(err.Error(), `"<0,60" in Missing is neither a range such as "<0" or ">=9999" nor the text of a field`) {
		t.Error(err)
	}
	if _, err := Open(t.Context(), "testdata/npz/csr.npz", OpenOptions{Sparse: true, Missing: []string{"<0,60"}}); !errors.Is(err, ErrParameter) {
		t.Error(err)
	}
}

// What an option says is done for each format, or is an error.
func TestOpenOptions(t *testing.T) {
	folder := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	npyFile := func(shape string, values ...float64) []byte {
		dict := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%s), }\n", shape)
		b := append([]byte("\x93NUMPY\x01\x00"), byte(len(dict)), 0)
		b = append(b, dict...)
		for _, v := range values {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
		return b
	}
	arff := write("t.arff", []byte("@attribute a real\n@attribute b real\n@attribute c real\n@attribute d real\n@attribute kind {x,y}\n@data\n1,2,3,4,x\n5,6,7,8,y\n"))
	idx := write("t.idx", []byte("\x00\x00\x08\x02\x00\x00\x00\x02\x00\x00\x00\x04\x01\x02\x03\x04\x05\x06\x07\x08"))
	cube := write("cube.idx", []byte("\x00\x00\x08\x03\x00\x00\x00\x02\x00\x00\x00\x02\x00\x00\x00\x02\x01\x03\x01\x03\x05\x06\x07\x08"))
	mtx := write("t.mtx", []byte("%%MatrixMarket matrix array real general\n4 2\n1\n2\n3\n4\n5\n6\n7\n8\n"))
	npy := write("cube.npy", npyFile("2, 2, 2", 1, 3, 1, 3, 5, 6, 7, 8))
	table := write("t.csv", []byte("id,a\nx,1\ny,2\n"))
	photos := "testdata/others/photos"
	all, turned := "[[1 2 3 4] [5 6 7 8]]", "[[1 5] [2 6] [3 7] [4 8]]"
	for _, c := range []struct {
		path string
		o    OpenOptions
		want string // X by samples, height, width, classes
		err  error
		says string
	}{
		{arff, OpenOptions{}, all + " 0 0 [x y]", nil, ""},
		{arff, OpenOptions{Label: "-"}, all + " 0 0 []", nil, ""},
		{arff, OpenOptions{Transposed: true}, turned + " 0 0 []", nil, ""},
		{arff, OpenOptions{Height: 2, Width: 2}, all + " 2 2 [x y]", nil, ""},
		{arff, OpenOptions{Transposed: true, Height: 2, Width: 1}, turned + " 2 1 []", nil, ""},
		{arff, OpenOptions{Height: 9, Width: 2}, "", ErrSize, "images of 9×2"},
		{idx, OpenOptions{Transposed: true}, turned + " 0 0 []", nil, ""},
		{idx, OpenOptions{Height: 2, Width: 2}, all + " 2 2 []", nil, ""},
		{idx, OpenOptions{Height: 9, Width: 2}, "", ErrSize, "images of 9×2"},
		{idx, OpenOptions{Skip: []string{"1"}}, "", ErrParameter, "OpenOptions.Skip"},
		{cube, OpenOptions{Height: 1, Width: 1}, "[[2] [6.5]] 1 1 []", nil, ""},
		{cube, OpenOptions{Height: 3, Width: 3}, "", ErrSize, "2×2 cannot shrink to 3×3"},
		{cube, OpenOptions{Transposed: true}, "", ErrParameter, "OpenOptions.Transposed"},
		{mtx, OpenOptions{Transposed: true}, turned + " 0 0 []", nil, ""},
		{mtx, OpenOptions{Height: 2, Width: 2}, all + " 2 2 []", nil, ""},
		{mtx, OpenOptions{Height: 9, Width: 2}, "", ErrSize, "images of 9×2"},
		{mtx, OpenOptions{ID: "a"}, "", ErrParameter, "OpenOptions.ID"},
		{mtx, OpenOptions{Label: "a"}, "", ErrParameter, "OpenOptions.Label"},
		{mtx, OpenOptions{Skip: []string{"a"}}, "", ErrParameter, "OpenOptions.Skip"},
		{npy, OpenOptions{Height: 1, Width: 1}, "[[2] [6.5]] 1 1 []", nil, ""},
		{npy, OpenOptions{Transposed: true}, "", ErrParameter, "OpenOptions.Transposed"},
		{npy, OpenOptions{Label: "a"}, "", ErrParameter, "OpenOptions.Label"},
		{table, OpenOptions{Data: "zz"}, "", ErrParameter, "OpenOptions.Data"},
		{photos, OpenOptions{Data: "zz"}, "", ErrParameter, "OpenOptions.Data"},
		{"testdata/npz/csr.npz", OpenOptions{Skip: []string{"a"}}, "", ErrParameter, "OpenOptions.Skip"},
		{"testdata/mat/plain.mat", OpenOptions{Skip: []string{"a"}}, "", ErrParameter, "OpenOptions.Skip"},
		{"testdata/hdf5/csr.h5ad", OpenOptions{Skip: []string{"a"}}, "", ErrParameter, "OpenOptions.Skip"},
	} {
		s, err := Open(t.Context(), c.path, c.o)
		if c.err != nil {
			if !errors.Is(err, c.err) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s %+v: %v", c.path, c.o, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s %+v: %v", c.path, c.o, err)
			continue
		}
		if got := fmt.Sprint(rowsOf(s.X.T()), s.Height, s.Width, s.Classes); got != c.want {
			t.Errorf("%s %+v: %s, want %s", c.path, c.o, got, c.want)
		}
	}
	if s, err := Open(t.Context(), photos, OpenOptions{Label: "-"}); err != nil || s.Labels != nil {
		t.Errorf("%v, %v", s, err)
	}
	// What is nowhere in the data is told.
	for _, c := range []struct {
		path, missing string
		told          bool
	}{{table, "foo", true}, {table, "7", true}, {table, ">5", true}, {table, "2", false}, {table, ">=2", false}, {arff, "foo", true}, {arff, "<0", true}, {mtx, "foo", true},
		{write("word.csv", []byte("id,a\nx,1\ny,foo\nz,2\nu,3\nv,4\nw,5\n")), "foo", false}, {write("limit.csv", []byte("id,a\nx,1\ny,<5\nz,2\nu,3\nv,4\nw,5\n")), "<5", false}} {
		s, err := Open(t.Context(), c.path, OpenOptions{Missing: []string{c.missing}})
		if err != nil || strings.Contains(s.String(), fmt.Sprintf("no value is %q, which OpenOptions.Missing has", c.missing)) != c.told {
			t.Errorf("%s, %s: %v, %v", c.path, c.missing, s, err)
		}
	}
}

// A sparse matrix stays sparse where it is asked for, and where its zeros are too many.
func TestOpenSparse(t *testing.T) {
	for _, path := range []string{"npz/csr.npz", "hdf5/csr.h5ad", "hdf5/tenx.h5", "mtx/real.mtx"} {
		dense, err := Open(t.Context(), "testdata/"+path, OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, transposed := range []bool{false, true} {
			s, err := Open(t.Context(), "testdata/"+path, OpenOptions{Sparse: true, Transposed: transposed})
			if err != nil || s.Sparse == nil {
				t.Fatalf("%s: %v, %v", path, s, err)
			}
			got, err := s.Dense()
			var x mat.Matrix = dense.X
			if transposed {
				x = x.T()
			}
			if err != nil || !mat.Equal(got.X, x) {
				t.Errorf("%s: %v, %v", path, got, err)
			}
		}
	}
	s, err := Open(t.Context(), "testdata/mtx/real.mtx", OpenOptions{Sparse: true, Missing: []string{"-3"}})
	if err != nil || !strings.Contains(s.String(), "1 missing\n- 1 number is taken for missing") {
		t.Errorf("%v, %v", s, err)
	}
	for _, zero := range []string{"0", "<1"} {
		if _, err := Open(t.Context(), "testdata/mtx/real.mtx", OpenOptions{Sparse: true, Missing: []string{"7", zero}}); !errors.Is(err, ErrParameter) || !strings.Contains(err.Error(), `"`+zero+`" in Missing`) {
			t.Errorf("%s: %v", zero, err)
		}
	}
	// 1.6 GB with its zeros.
	path := filepath.Join(t.TempDir(), "large.mtx")
	if err := os.WriteFile(path, []byte("%%MatrixMarket matrix coordinate real general\n20000 10000 2\n1 1 3\n20000 10000 2.5\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err = Open(t.Context(), path, OpenOptions{})
	if err != nil || s.Sparse == nil || !strings.Contains(s.String(), "stays sparse: with its zeros it would take 1.6 GB") {
		t.Errorf("%v, %v", s, err)
	}
	if x := math.Abs(s.Sparse.At(19999, 9999)); x != 2.5 {
		t.Error(x)
	}
}

// A table of any bytes is an error or a set that fits together.
func FuzzOpenTable(f *testing.F) {
	for _, text := range []string{"a,b\n1,2\n3,4\n", "1 2\n3 x\n", "id;a\n1;2,5\n2;?\n", "# x\n# y\n1,2\n3,4", "gene\tc\nA\t1\nB\t2\n", "\xff\xfe1\x00\n\x002\x00\n\x00", ",\n,\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := readGuessedCSV(t.Context(), bytes.NewReader(data), OpenOptions{}, absent{}, 1<<16)
		if err != nil {
			return
		}
		if err := s.Check(); err != nil {
			t.Error(err)
		}
		if _, err := s.opened(OpenOptions{}, absent{}); err != nil {
			t.Error(err)
		}
	})
}

// The order of pixels is known by their neighbours where images are not square, is the custom of the
// format elsewhere, and is the other one if the options say so. Nothing else has an order.
func TestOpenSideways(t *testing.T) {
	clothes, err := Fashion().Sample(2, 1)
	if err != nil {
		t.Fatal(err)
	}
	square, err := clothes.Shrink(14, 14)
	if err != nil {
		t.Fatal(err)
	}
	tall, err := clothes.Shrink(14, 9)
	if err != nil {
		t.Fatal(err)
	}
	byColumn := func(s *Set) *mat.Dense { // pixels column by column
		x := mat.DenseCopyOf(s.X)
		for r := range s.Height {
			for c := range s.Width {
				x.SetRow(c*s.Height+r, s.X.RawRowView(r*s.Width+c))
			}
		}
		return x
	}
	folder, files := t.TempDir(), 0
	open := func(x mat.Matrix, format string, o OpenOptions) *Set {
		t.Helper()
		files++
		path := filepath.Join(folder, fmt.Sprintf("%d.%s", files, format))
		var b bytes.Buffer
		write := map[string]func() error{
			"mat": func() error { return WriteMAT(&b, MATVar{Name: "X", M: x.T()}) },
			"npy": func() error { return WriteNPY(&b, x.T()) },
			"npz": func() error { return WriteNPZ(&b, MATVar{Name: "X", M: x.T()}) },
			"csv": func() error { return (&Set{X: mat.DenseCopyOf(x)}).WriteCSV(&b) },
		}[format]
		if err := errors.Join(write(), os.WriteFile(path, b.Bytes(), 0o600)); err != nil {
			t.Fatal(err)
		}
		s, err := Open(t.Context(), path, o)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, format := range []string{"mat", "npy", "npz", "csv"} {
		for _, images := range []*Set{square, tall} {
			o := OpenOptions{Height: images.Height, Width: images.Width, Label: "-", ID: "-"}
			for order, x := range map[string]*mat.Dense{"row by row": images.X, "column by column": byColumn(images)} {
				s := open(x, format, o)
				is, custom := mat.Equal(s.X, images.X), (order == "column by column") == (format == "mat")
				if want := images == tall || custom; is != want || s.Height != images.Height || s.Width != images.Width {
					t.Errorf("%s of %d×%d, %s: %v, upright %v", format, images.Height, images.Width, order, s, is)
				}
				if is && !strings.Contains(s.String(), "taken "+order+" (OpenOptions.Sideways") {
					t.Errorf("%s: %v", format, s)
				}
				o := o
				o.Sideways = true
				if s = open(x, format, o); mat.Equal(s.X, images.X) == is || s.Height != images.Height || !strings.Contains(s.String(), "as OpenOptions.Sideways says") {
					t.Errorf("%s, %s, the other way: %v", format, order, s)
				}
			}
		}
	}
	// Noise has no order.
	noise := mat.NewDense(12, 300, nil)
	rng := rand.New(rand.NewPCG(1, 2))
	noise.Apply(func(int, int, float64) float64 { return rng.Float64() }, noise)
	if s := open(noise, "npy", OpenOptions{Height: 3, Width: 4}); !mat.Equal(s.X, noise) {
		t.Errorf("%v", s)
	}
	// Files that know how large their images are have an order, and are turned.
	pictures := filepath.Join(folder, "pictures")
	if err := tall.SaveImages(pictures); err != nil {
		t.Fatal(err)
	}
	was, err := Open(t.Context(), pictures, OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), pictures, OpenOptions{Sideways: true})
	if err != nil || s.Height != 9 || s.Width != 14 || s.FeatureName(5) != "pixel (0, 5)" || !mat.Equal(s.X, byColumn(was)) {
		t.Errorf("%v, %v", s, err)
	}
	// What this package writes of images has the names of pixels, which say how large they are.
	named := map[string]func(io.Writer) error{"named.csv": tall.WriteCSV, "named.npz": tall.WriteNPZ}
	for name, write := range named {
		var b bytes.Buffer
		path := filepath.Join(folder, name)
		if err := errors.Join(write(&b), os.WriteFile(path, b.Bytes(), 0o600)); err != nil {
			t.Fatal(err)
		}
		s, err := Open(t.Context(), path, OpenOptions{})
		if err != nil || s.Height != 14 || s.Width != 9 || s.Features != nil || !mat.Equal(s.X, tall.X) || !strings.Contains(s.String(), "as the names of the features say") {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
	if h, _ := sizeByNames([]string{"pixel (0, 0)", "pixel (1, 0)", "pixel (0, 1)", "pixel (1, 1)"}); h != 0 {
		t.Error("pixels column by column are taken for an image")
	}
	table := filepath.Join(folder, "table.csv")
	if err := os.WriteFile(table, []byte("a,b\n1,2.5\n3,4\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{table, "testdata/mtx/real.mtx", "testdata/hdf5/csr.h5ad"} {
		if _, err := Open(t.Context(), path, OpenOptions{Sideways: true}); !errors.Is(err, ErrParameter) || !strings.Contains(err.Error(), "Height and Width") {
			t.Errorf("%s: %v", path, err)
		}
	}
}
