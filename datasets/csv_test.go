package datasets

import (
	"bytes"
	"errors"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"gonum.org/v1/gonum/mat"
)

func TestReadCSV(t *testing.T) {
	ab := []string{"a", "b"}
	want := mat.NewDense(2, 2, []float64{1, 3, 2.5, -4})
	for _, c := range []struct {
		name, file string
		layout     CSVLayout
		classes    []string // of labels 1, 0
	}{
		{"plain", "1,2.5\n3,-4\n", CSVLayout{}, nil},
		{"no end, CR LF, blank lines", "1,2.5\r\n\r\n3,-4", CSVLayout{}, nil},
		{"gzip", string(gzipped([]byte("1,2.5\n3,-4\n"))), CSVLayout{}, nil},
		{"byte order mark", "\uFEFF1,2.5\n3,-4\n", CSVLayout{}, nil},
		{"semicolon", "1;2.5\n3;-4\n", CSVLayout{}, nil},
		{"tab", "1\t2.5\n3\t-4\n", CSVLayout{}, nil},
		{"blanks", "  1   2.5 \n\n3\t-4\n", CSVLayout{Separator: ' '}, nil},
		{"guessed blanks", " 1   2.5 \n\n3 -4\n", CSVLayout{}, nil},
		{"given", "1|2.5\n3|-4\n", CSVLayout{Separator: '|'}, nil},
		{"header", "x,y\n1,2.5\n3,-4\n", CSVLayout{}, nil},
		{"header of numbers", "0,1\n1,2.5\n3,-4\n", CSVLayout{Header: WithHeader}, nil},
		{"label by name", "x,kind,y\n1,b,2.5\n3,a,-4\n", CSVLayout{Label: "kind"}, ab},
		{"label by number", "b,1,2.5\na,3,-4\n", CSVLayout{Label: "1"}, ab},
		{"label from the right", "x,y,kind\n1,2.5,b\n3,-4,a\n", CSVLayout{Label: "-1"}, ab},
		{"header of scikit-learn", "2,2,b,a,z,z\n1,2.5,b\n3,-4,a\n", CSVLayout{Label: "-1", Header: WithHeader}, ab},
		{"numbers for labels", "1,2.5,10\n3,-4,9\n", CSVLayout{Label: "-1"}, []string{"9", "10"}},
		{"quotes", "\"x\",\"ki\nnd\",y\n1,\"b\",2.5\n\"3\",\"a\",-4\n", CSVLayout{Label: "ki\nnd"}, ab},
		{"padding", "1, 2.5, b\n3, -4, a\n", CSVLayout{Label: "3"}, ab},
	} {
		s, err := ReadCSV(t.Context(), iotest.OneByteReader(strings.NewReader(c.file)), c.layout)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if !mat.Equal(s.X, want) {
			t.Errorf("%s: %v", c.name, mat.Formatted(s.X))
		}
		if !reflect.DeepEqual(s.Classes, c.classes) || (c.classes != nil && !reflect.DeepEqual(s.Labels, []int{1, 0})) {
			t.Errorf("%s: labels %v of %v", c.name, s.Labels, s.Classes)
		}
	}
	if s, err := ReadCSV(t.Context(), strings.NewReader("1,2,3,4"), CSVLayout{Height: 2, Width: 2, Max: 16}); err != nil || s.Height != 2 || s.Max != 16 {
		t.Errorf("image: %v, %v", s, err)
	}
}

func TestReadCSVErrors(t *testing.T) {
	for _, c := range []struct {
		name, file string
		layout     CSVLayout
		want       error
		say        string
	}{
		{"empty", "", CSVLayout{}, ErrFormat, "no data"},
		{"blank", "\n\n", CSVLayout{}, ErrFormat, "no data"},
		{"header only", "x,y\n", CSVLayout{}, ErrFormat, "no data"},
		{"labels only", "a\nb\n", CSVLayout{Label: "1", Header: NoHeader}, ErrFormat, "no data"},
		{"typo in line 1", "1,2x,3\n1,2,3\n", CSVLayout{}, ErrFormat, "line 1, column 2"},
		{"names like numbers", "1_1,1_2\n1,2\n", CSVLayout{}, ErrFormat, `column 1: datasets: malformed file: "1_1" is neither a number nor surely`},
		{"number of Go alone", "x,y\n0x1p3,2\n", CSVLayout{}, ErrFormat, "line 2, column 1"},
		{"typo", "x,y\n1,2\n\n1,2x\n", CSVLayout{}, ErrFormat, "line 4, column 2 (y): datasets: malformed file: \"2x\""},
		{"typo after the label", "1,a,3\n1,a,3x\n", CSVLayout{Label: "2"}, ErrFormat, "line 2, column 3"},
		{"typo in blanks", "1 2\n\n1 ,\n", CSVLayout{Separator: ' '}, ErrFormat, "line 3, column 2"},
		{"missing", "1,2\n1,\n", CSVLayout{}, ErrFormat, "line 2, column 2"},
		{"infinite", "1,Inf\n", CSVLayout{}, ErrFormat, "column 2"},
		{"ragged", "1,2\n1,2,3\n", CSVLayout{}, ErrFormat, "line 2 has 3 columns, not 2"},
		{"ragged with label", "1,2,a\n1\n", CSVLayout{Label: "3"}, ErrFormat, "line 2"},
		{"quote", "1,\"2\n", CSVLayout{}, ErrFormat, "line"},
		{"no such label", "x,y\n1,2\n", CSVLayout{Label: "z"}, ErrNoVariable, "x, y"},
		{"label without header", "1,2\n", CSVLayout{Label: "z"}, ErrNoVariable, "line 1"},
		{"label column", "1,2\n", CSVLayout{Label: "3"}, ErrNoVariable, "3 of 2"},
		{"label column", "1,2\n", CSVLayout{Label: "-3"}, ErrNoVariable, "-3 of 2"},
		{"image", "1,2\n", CSVLayout{Height: 2, Width: 2}, ErrSize, "2×2"},
		{"separator", "1,2\n", CSVLayout{Separator: '\n'}, ErrParameter, "the Separator is '\\n'"},
		{"header", "1,2\n", CSVLayout{Header: 9}, ErrParameter, "Header is 9"},
		{"maximum", "1,2\n", CSVLayout{Max: -1}, ErrParameter, "Max is -1"},
		{"two labels", "k,a,k\nx,1,y\n", CSVLayout{Label: "k"}, ErrFormat, "columns 1 and 3"},
		{"gzip", string(gzipped([]byte("1,2\n"))[:15]), CSVLayout{}, ErrFormat, "cut off"},
	} {
		s, err := ReadCSV(t.Context(), strings.NewReader(c.file), c.layout)
		if err == nil || s != nil || (c.want != nil && !errors.Is(err, c.want)) || !strings.Contains(err.Error(), c.say) {
			t.Errorf("%s: %v, want %q", c.name, err, c.say)
		}
	}
	broken := errors.New("broken")
	r := io.MultiReader(strings.NewReader("1,2\n3,"), iotest.ErrReader(broken))
	if _, err := ReadCSV(t.Context(), r, CSVLayout{Separator: ','}); !errors.Is(err, broken) {
		t.Errorf("error of the reader: %v", err)
	}
}

func FuzzReadCSV(f *testing.F) {
	f.Add([]byte("x,y,kind\n1,2.5,b\n3,-4,a\n"), "kind", "", ',')
	f.Add([]byte("1;2\n3;4"), "-1", "1", rune(0))
	f.Add([]byte(" 1   2 \n\n3 4\n"), "", "", ' ')
	f.Add([]byte("\uFEFF\"a\n\"\t\"\"\"\"\n1\t2"), "1", "", '\t')
	f.Add(gzipped([]byte("1,2\n")), "", "", rune(0))
	f.Add([]byte("\xff\xfea\x00\n\x001\x00"), "", "", rune(0))
	f.Add([]byte(",x,k\nr,1,\xe4\n"), "", "k", rune(0))
	f.Fuzz(func(t *testing.T, data []byte, label, encode string, separator rune) {
		for _, h := range []CSVHeader{GuessHeader, WithHeader, NoHeader} {
			l := CSVLayout{Separator: separator, Header: h, Label: label, Encode: strings.Fields(encode), DecimalComma: len(data)%2 == 0}
			if s, err := ReadCSV(t.Context(), bytes.NewReader(data), l); err == nil {
				if err := s.Check(); err != nil {
					t.Error(err)
				}
				for _, name := range slices.Concat(s.Samples, s.Features, s.Units, s.Classes) {
					if err := checkName(name); err != nil {
						t.Error(err)
					}
				}
			}
		}
	})
}

// Missing values become NaN, which Known turns into a mask; the range of the set is
// that of the others.
func TestReadCSVMissing(t *testing.T) {
	const file = "a,b,kind\n1,NA,x\n,2,y\n3,?,x\n"
	s, err := ReadCSV(t.Context(), strings.NewReader(file), CSVLayout{Label: "kind", Missing: []string{"", "NA", "?"}})
	if err != nil {
		t.Fatal(err)
	}
	want := mat.NewDense(2, 3, []float64{1, 0, 1, 0, 1, 0})
	if known := Known(s.X); !mat.Equal(known, want) {
		t.Errorf("%v", mat.Formatted(known))
	}
	if got := s.String(); got != "set: 2 features × 3 samples, 2 classes, values 1 to 3, 3 missing\n- fields between commas\n- line 1 is the header" {
		t.Error(got)
	}
	if half := s.Scaled(); half.X.At(1, 1) != 2.0/3 || !math.IsNaN(half.X.At(0, 1)) {
		t.Errorf("%v", mat.Formatted(half.X))
	}
	for _, missing := range [][]string{nil, {"", "?"}} {
		if _, err := ReadCSV(t.Context(), strings.NewReader(file), CSVLayout{Header: WithHeader, Label: "kind", Missing: missing}); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "line 2, column 2") {
			t.Errorf("%v", err)
		}
	}
	s.X.Set(0, 0, math.NaN())
	s.X.Set(0, 2, math.NaN())
	s.X.Set(1, 1, math.NaN())
	if got := s.String(); got != "set: 2 features × 3 samples, 2 classes, 6 missing\n- fields between commas\n- line 1 is the header" {
		t.Error(got)
	}
}

// Lines of comment before a table are passed over, and still count.
func TestReadCSVComment(t *testing.T) {
	const text = "#made by x, 1,2\n#\nid\ta\tb\nr\t1\t2\n"
	s, err := ReadCSV(t.Context(), strings.NewReader(text), CSVLayout{Comment: "#", ID: "id"})
	if err != nil || len(s.Features) != 2 || s.X.At(1, 0) != 2 {
		t.Errorf("%v, %v", s, err)
	}
	for _, c := range []struct {
		text string
		l    CSVLayout
		says string
	}{
		{text, CSVLayout{}, `set Comment to "#"`},
		{"#\na,b\n1,x\n", CSVLayout{Comment: "#"}, "line 3, column 2"},
		{"#\na b\n1 x\n", CSVLayout{Comment: "#"}, "line 3, column 2"},
		{"#\na,b\n1,\"2\n", CSVLayout{Comment: "#"}, "line 3"},
		{"#" + strings.Repeat("x", 1<<20) + "\n1,y\n", CSVLayout{Comment: "#"}, "line 2, column 2"},
		{"#", CSVLayout{Comment: "#"}, "no data"},
	} {
		if _, err := ReadCSV(t.Context(), strings.NewReader(c.text), c.l); !errors.Is(err, ErrFormat) && !errors.Is(err, ErrSize) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%.20q: %v, want %q", c.text, err, c.says)
		}
	}
}
