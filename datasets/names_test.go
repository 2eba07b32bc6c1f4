package datasets

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"gonum.org/v1/gonum/mat"
)

func named() *Set {
	return &Set{Name: "named", X: mat.NewDense(2, 4, []float64{1, 2, 3, 4, 5, 6, 7, math.NaN()}),
		Labels: []int{0, 1, 0, 1}, Classes: []string{"a", "b"},
		Samples: []string{"ann", "bob", "cid", "dan"}, Features: []string{"height", "weight"}, Units: []string{"m", "kg"}}
}

// Names go through all that makes a set of another.
func TestNames(t *testing.T) {
	s := named()
	before := fmt.Sprint(s.Samples, s.Features, s.Units)
	names := func(name string, got *Set, err error, samples, features, units []string) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := got.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !reflect.DeepEqual([][]string{got.Samples, got.Features, got.Units}, [][]string{samples, features, units}) {
			t.Errorf("%s: %q %q %q", name, got.Samples, got.Features, got.Units)
		}
	}
	picked, err := s.Pick([]int{3, 1, 1})
	names("Pick", picked, err, []string{"dan", "bob", "bob"}, s.Features, s.Units)
	rows, err := s.PickFeatures([]int{1})
	names("PickFeatures", rows, err, s.Samples, []string{"weight"}, []string{"kg"})
	if m, n := rows.X.Dims(); m != 1 || n != 4 || rows.X.At(0, 1) != 6 {
		t.Errorf("%v", mat.Formatted(rows.X))
	}
	sample, err := s.Sample(1, 3)
	if err == nil {
		for j, name := range sample.Samples {
			if k := slices.Index(s.Samples, name); sample.X.At(0, j) != s.X.At(0, k) || sample.Labels[j] != s.Labels[k] {
				t.Errorf("%s is another sample", name)
			}
		}
	}
	names("Sample", sample, err, sample.Samples, s.Features, s.Units)
	names("Scaled", s.Scaled(), nil, s.Samples, s.Features, s.Units)
	dirty, mask, err := s.Corrupt(Removal{Share: 0.5}, 1)
	names("Corrupt", dirty, err, s.Samples, s.Features, s.Units)
	if mat.Sum(mask) != 4 || mat.Equal(dirty.X, s.X) {
		t.Errorf("%v %v", mat.Formatted(mask), mat.Formatted(dirty.X))
	}
	hidden, err := s.With(Known(s.X))
	names("With", hidden, err, s.Samples, s.Features, s.Units)
	if _, err := s.With(mat.NewDense(2, 3, nil)); !errors.Is(err, ErrSize) || !strings.Contains(err.Error(), "2×3, not 2×4") {
		t.Error(err)
	}
	if _, err := s.With(nil); !errors.Is(err, ErrSize) {
		t.Error(err)
	}
	if _, err := s.PickFeatures([]int{2}); !errors.Is(err, ErrColumn) {
		t.Error(err)
	}
	if _, _, err := s.Corrupt(Removal{Share: 2}, 1); !errors.Is(err, ErrParameter) {
		t.Error(err)
	}
	if got := fmt.Sprint(s.Samples, s.Features, s.Units); got != before {
		t.Errorf("%s became %s", before, got)
	}
	for _, spoil := range []func(*Set){
		func(s *Set) { s.Samples = s.Samples[1:] },
		func(s *Set) { s.Features = append(s.Features, "x") },
		func(s *Set) { s.Units = []string{} },
	} {
		s := named()
		if spoil(s); !errors.Is(s.Check(), ErrSize) {
			t.Errorf("%v: %v", s, s.Check())
		}
	}
	if s.SampleName(2) != "cid" || s.FeatureName(0) != "height" {
		t.Error(s.SampleName(2), s.FeatureName(0))
	}
	d := Digits()
	if d.SampleName(137) != "sample 137" || d.FeatureName(9) != "pixel (1, 1)" || (&Set{}).FeatureName(9) != "feature 9" {
		t.Error(d.SampleName(137), d.FeatureName(9))
	}
	// Pixels that are shrunk are others; some of them are no image, but are named.
	d.Features = make([]string, 64)
	small, err := d.Shrink(4, 4)
	names("Shrink", small, err, nil, nil, nil)
	some, err := small.PickFeatures([]int{5, 0})
	names("PickFeatures of images", some, err, nil, []string{"pixel (1, 1)", "pixel (0, 0)"}, nil)
}

// Images have their paths for names, in the order of the columns, and of valid UTF-8.
func TestImageNames(t *testing.T) {
	long := "b/" + strings.Repeat("n", 5000) + "ü.pgm"
	s, err := ReadImages(t.Context(), fstest.MapFS{"b/10.pgm": {Data: pgm(3)}, "b/9.pgm": {Data: pgm(2)}, "a/\xff.pgm": {Data: pgm(1)}, long: {Data: pgm(4)}}, ImageLayout{})
	if err != nil {
		// fstest refuses names that are no valid paths.
		s, err = ReadImages(t.Context(), fstest.MapFS{"b/10.pgm": {Data: pgm(3)}, "b/9.pgm": {Data: pgm(2)}, "a/1.pgm": {Data: pgm(1)}, long: {Data: pgm(4)}}, ImageLayout{})
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Samples) != 4 || s.Samples[1] != "b/9.pgm" || s.Samples[2] != "b/10.pgm" || len(s.Samples[3]) > maxName || !strings.HasSuffix(s.Samples[3], "nü.pgm") {
		t.Errorf("%.40q", s.Samples)
	}
	if got := tidyName("a/\xff.pgm"); got != "a/\uFFFD.pgm" {
		t.Errorf("%q", got)
	}
}

func TestReadCSVNames(t *testing.T) {
	for name, c := range map[string]struct {
		file                       string
		layout                     CSVLayout
		samples, features, classes []string
		x                          []float64 // a sample after the other
	}{
		"header":          {"x,y\n1,2\n3,4\n", CSVLayout{}, nil, []string{"x", "y"}, nil, []float64{1, 2, 3, 4}},
		"no header":       {"1,2\n3,4\n", CSVLayout{}, nil, nil, nil, []float64{1, 2, 3, 4}},
		"id and label":    {"x,who,kind,y\n1,ann,b,2\n3,bob,a,4\n", CSVLayout{ID: "who", Label: "kind"}, []string{"ann", "bob"}, []string{"x", "y"}, []string{"a", "b"}, []float64{1, 2, 3, 4}},
		"by number":       {"1,ann,2,b\n3,bob,4,a\n", CSVLayout{ID: "2", Label: "-1"}, []string{"ann", "bob"}, nil, []string{"a", "b"}, []float64{1, 2, 3, 4}},
		"pandas":          {",x,y\n0,1,2\n1,3,4\n", CSVLayout{}, []string{"0", "1"}, []string{"x", "y"}, nil, []float64{1, 2, 3, 4}},
		"R":               {"\"x\" \"y\"\n\"a 1\" 1 2\n\"a \"\"2\"\"\" 3 4\n", CSVLayout{}, []string{"a 1", `a "2"`}, []string{"x", "y"}, nil, []float64{1, 2, 3, 4}},
		"R with a label":  {"x,y,kind\nr1,1,2,b\nr2,3,4,a\n", CSVLayout{Label: "kind"}, []string{"r1", "r2"}, []string{"x", "y"}, []string{"a", "b"}, []float64{1, 2, 3, 4}},
		"features":        {"x,t,y,z\n1,one,2,9\n3,two,4,9\n", CSVLayout{Features: []string{"y", "x"}}, nil, []string{"x", "y"}, nil, []float64{1, 2, 3, 4}},
		"by mixed":        {"x,t,y,z\n1,one,2,9\n3,two,4,9\n", CSVLayout{Features: []string{"1", "y"}, ID: "t"}, []string{"one", "two"}, []string{"x", "y"}, nil, []float64{1, 2, 3, 4}},
		"skip":            {"x,t,y,z\n1,one,2,9\n3,two,4,9\n", CSVLayout{Skip: []string{"t", "-1"}}, nil, []string{"x", "y"}, nil, []float64{1, 2, 3, 4}},
		"encode":          {"x,from\n1,usa\n2,japan\n3,\n", CSVLayout{Encode: []string{"from"}, Missing: []string{""}}, nil, []string{"x", "from=japan", "from=usa"}, nil, []float64{1, 0, 1, 2, 1, 0, 3, math.NaN(), math.NaN()}},
		"encode a number": {"1,b,7\n2,a,8\n", CSVLayout{Encode: []string{"2"}}, nil, []string{"", "2=a", "2=b", ""}, nil, []float64{1, 0, 1, 7, 2, 1, 0, 8}},
		"decimal comma":   {"x;y\n1,5;2\n-3,25;4e1\n", CSVLayout{DecimalComma: true}, nil, []string{"x", "y"}, nil, []float64{1.5, 2, -3.25, 40}},
		"Latin 1":         {"gr\xf6\xdfe,id\n1,b\xe4r\n", CSVLayout{ID: "id", Encoding: charmap.Windows1252}, []string{"bär"}, []string{"größe"}, nil, []float64{1}},
		"genes":           {"gene\tcell1\tcell2\nTP53\t1\t2\nMYC\t3\t4\n", CSVLayout{ID: "gene", Columns: true}, []string{"cell1", "cell2"}, []string{"TP53", "MYC"}, nil, []float64{1, 3, 2, 4}},
		"quotes in tabs":  {"x\t\"a\tb\"\n1\t2\n", CSVLayout{}, nil, []string{"x", "a\tb"}, nil, []float64{1, 2}},
		"numbers by name": {"1,0\n5,6\n", CSVLayout{Header: WithHeader, Features: []string{"1"}}, nil, []string{"1"}, nil, []float64{5}},
	} {
		s, err := ReadCSV(t.Context(), strings.NewReader(c.file), c.layout)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !reflect.DeepEqual([][]string{s.Samples, s.Features, s.Classes}, [][]string{c.samples, c.features, c.classes}) {
			t.Errorf("%s: samples %q, features %q, classes %q", name, s.Samples, s.Features, s.Classes)
		}
		m, n := s.X.Dims()
		want := columnsOf(c.x, len(c.x)/n)
		if r, _ := want.Dims(); r != m || fmt.Sprint(mat.Formatted(s.X)) != fmt.Sprint(mat.Formatted(want)) {
			t.Errorf("%s:\n%v", name, mat.Formatted(s.X))
		}
	}
	s, err := ReadCSV(t.Context(), strings.NewReader("l,w,k\ncm,mm,\n1,2,a\n"), CSVLayout{Label: "k", Units: true})
	if err != nil || fmt.Sprint(s.Units, s.Features) != "[cm mm] [l w]" {
		t.Errorf("%v, %v", s, err)
	}
	// UTF-16, as spreadsheets write it, is known by its mark.
	text, err := unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewEncoder().Bytes([]byte("größe\n7\n"))
	if err != nil {
		t.Fatal(err)
	}
	if s, err := ReadCSV(t.Context(), bytes.NewReader(text), CSVLayout{}); err != nil || s.Features[0] != "größe" || s.X.At(0, 0) != 7 {
		t.Errorf("%v, %v", s, err)
	}
	if s, err := ReadCSV(t.Context(), strings.NewReader("18.0 8   3504.\t\"chevrolet \"\"malibu\"\"\"\n"), CSVLayout{ID: "4"}); err != nil || s.Samples[0] != `chevrolet "malibu"` ||
		!strings.Contains(s.String(), "\n- fields between blanks") {
		t.Errorf("%v, %v", s, err)
	}
}

// What is wrong with a table is said with its place and with what to do.
func TestReadCSVCures(t *testing.T) {
	for name, c := range map[string]struct {
		file   string
		layout CSVLayout
		want   error
		say    string
	}{
		"a category":      {"x,origin\n1,usa\n", CSVLayout{}, ErrFormat, `line 2, column 2 (origin): datasets: malformed file: "usa" is not a finite number: name a column of text as ID or Label`},
		"a date":          {"x,day\n1,2024-02-29\n", CSVLayout{}, ErrFormat, "line 2, column 2 (day): datasets: malformed file: \"2024-02-29\" is not a finite number: dates are not read"},
		"a time":          {"x,day\n1,12:30\n", CSVLayout{}, ErrFormat, "dates are not read"},
		"a question mark": {"x,y\n1,?\n", CSVLayout{}, ErrFormat, `set Missing to a list that has "?"`},
		"NA":              {"x,y\n1,NA\n", CSVLayout{}, ErrFormat, `set Missing to a list that has "NA"`},
		"empty":           {"x,y\n1,\n", CSVLayout{}, ErrFormat, `set Missing to a list that has ""`},
		"decimal comma":   {"x;y\n1,5;2\n", CSVLayout{}, ErrFormat, "set DecimalComma"},
		"thousands":       {"x;y\n1.000,5;2\n", CSVLayout{DecimalComma: true}, ErrFormat, "has a point"},
		"two commas":      {"x,y\n1,5\n", CSVLayout{Separator: ',', DecimalComma: true}, ErrParameter, "DecimalComma"},
		"Latin 1":         {"x,y\n1,2\n", CSVLayout{Label: "y\xe4"}, ErrNoVariable, ""},
		"Latin 1 label":   {"x,y\n1,b\xe4r\n", CSVLayout{Label: "y"}, ErrFormat, "line 2, column 2 (y): datasets: malformed file: the name \"b\\xe4r\" is no valid UTF-8: set Encoding"},
		"Latin 1 header":  {"x,gr\xf6\xdfe\n1,2\n", CSVLayout{}, ErrFormat, "line 1, column 2: datasets"},
		"a long name":     {"x,k\n1," + strings.Repeat("n", maxName+1) + "\n", CSVLayout{Label: "k"}, ErrTooLarge, "line 2, column 2 (k)"},
		"no such column":  {"x,y\n1,2\n", CSVLayout{Features: []string{"x", "z"}}, ErrNoVariable, `column "z"; the file has x, y`},
		"no such number":  {"x,y\n1,2\n", CSVLayout{Skip: []string{"3"}}, ErrNoVariable, "column 3 of 2"},
		"two uses":        {"x,y\n1,a\n", CSVLayout{ID: "y", Label: "y"}, ErrParameter, "two uses"},
		"another header":  {"x,y\n1,2,3,4\n", CSVLayout{}, ErrFormat, "line 2 has 4 columns, and the header 2 names"},
		"a quote":         {"1 \"a\n", CSVLayout{}, ErrFormat, "line 1: datasets: malformed file: column 2: a quote"},
		"half a quote":    {"1 \"a\"b\n", CSVLayout{}, ErrFormat, "line 1: datasets: malformed file: column 2: a quote"},
		"no units":        {"1,2\n3,4\n", CSVLayout{Units: true}, ErrFormat, "Units"},
		"columns":         {"1,2\n3,4\n", CSVLayout{Columns: true, Label: "1"}, ErrParameter, "Columns"},
		"nothing left":    {"x,y\n1,2\n", CSVLayout{Skip: []string{"x", "y"}}, ErrFormat, "no data"},
		"only missing":    {"x\nNA\n", CSVLayout{Encode: []string{"x"}, Missing: []string{"NA"}}, ErrFormat, "to encode"},
	} {
		s, err := ReadCSV(t.Context(), strings.NewReader(c.file), c.layout)
		if s != nil || !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.say) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Codes of a column are a feature each, and are counted.
	var many strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&many, "%d,w%d\n", i, i)
	}
	if _, err := readCSV(t.Context(), strings.NewReader(many.String()), CSVLayout{Encode: []string{"2"}}, 1<<20); !errors.Is(err, ErrTooLarge) || !strings.Contains(err.Error(), "column 2 has 2000 texts") {
		t.Error(err)
	}
}

// What a set says of itself is read again.
func TestSetWriteCSV(t *testing.T) {
	s := named()
	s.Samples[1] = "bob, \"the\nrest\""
	var file bytes.Buffer
	if err := s.WriteCSV(&file); err != nil {
		t.Fatal(err)
	}
	if head, _, _ := strings.Cut(file.String(), "\n"); head != "sample,class,height,weight" {
		t.Error(head)
	}
	back, err := ReadCSV(t.Context(), &file, CSVLayout{ID: "sample", Label: "class", Missing: []string{"NaN"}})
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(mat.Formatted(back.X)) != fmt.Sprint(mat.Formatted(s.X)) || !reflect.DeepEqual(
		[]any{back.Samples, back.Features, back.Labels, back.Classes}, []any{s.Samples, s.Features, s.Labels, s.Classes}) {
		t.Errorf("%v", back)
	}
	var who bytes.Buffer
	if err := WriteNamedCSV(&who, mat.NewDense(2, 1, []float64{0.5, 1}), []string{"ann", "bob"}, "sample", "weight"); err != nil || who.String() != "sample,weight\nann,0.5\nbob,1\n" {
		t.Errorf("%q, %v", who.String(), err)
	}
	for _, header := range [][]string{{"weight"}, {"a", "b", "c"}} {
		if err := WriteNamedCSV(&who, mat.NewDense(2, 1, nil), []string{"ann", "bob"}, header...); !errors.Is(err, ErrSize) {
			t.Error(err)
		}
	}
	if err := WriteNamedCSV(&who, mat.NewDense(2, 1, nil), []string{"ann"}); !errors.Is(err, ErrSize) {
		t.Error(err)
	}
	if err := (&Set{}).WriteCSV(&who); !errors.Is(err, ErrSize) {
		t.Error(err)
	}
}

// Auto MPG: blanks and a tab, names in quotes, and six values that are missing.
func TestRealAutoMPG(t *testing.T) {
	_, err := ReadCSV(t.Context(), realFile(t, "auto-mpg.data"), CSVLayout{})
	if err == nil || !strings.Contains(err.Error(), `line 1, column 9: datasets: malformed file: "chevrolet chevelle malibu" is not a finite number: name a column of text as ID`) {
		t.Error(err)
	}
	_, err = ReadCSV(t.Context(), realFile(t, "auto-mpg.data"), CSVLayout{ID: "-1"})
	if err == nil || !strings.Contains(err.Error(), `line 33, column 4: datasets: malformed file: "?" is not a finite number: if it stands for a missing value, set Missing`) {
		t.Error(err)
	}
	_, err = ReadCSV(t.Context(), realFile(t, "auto-mpg.data"), CSVLayout{ID: "-1", Missing: []string{"?"}})
	if err == nil || !strings.Contains(err.Error(), `the lines 1 and 36 both have the name "chevrolet chevelle malibu"`) {
		t.Error(err)
	}
	s, err := ReadCSV(t.Context(), realFile(t, "auto-mpg.data"), CSVLayout{Skip: []string{"-1"}, Encode: []string{"8"}, Missing: []string{"?"}})
	if err != nil {
		t.Fatal(err)
	}
	// Of the file's description: 398 cars, 6 of them without horsepower; 249, 70 and 79
	// by origin.
	m, n := s.X.Dims()
	_, _, missing := s.valueRange()
	if m != 10 || n != 398 || missing != 6 || !math.IsNaN(s.X.At(3, 32)) ||
		mat.Sum(s.X.RowView(7)) != 249 || mat.Sum(s.X.RowView(8)) != 70 || mat.Sum(s.X.RowView(9)) != 79 || s.X.At(0, 397) != 31 {
		t.Errorf("%v", s)
	}
}
