package datasets

import (
	"bytes"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// nasty are parts of names that formats of files, guesses of readers and spreadsheets take for
// something else.
var nasty = []string{"a", "B", "x", "1", "2", "-1", "0", "é", "sample", "class", "feature 1", "sample 0", "NaN", "NA", "", " ", "  ", "\t", "\n", "\r", "\r\n", "\v", "\f",
	"\u00a0", "\u2028", "\u2029", "\u0085", "\u3000", "\ufeff", "\u200b", "\x00", "\x01", "\x7f", "\xff", "\xc3", "\U0001F600", "\ufffd", "\u0301", ",", ";", "|", ":", "#", "%", "!", "\"", "\"\"", "'", "\\", "/",
	"..", ".", "k__Bacteria;p__Firmicutes", "=HYPERLINK(\"http://x\")", "+1", "@x", "-x", "[", "]", "{", "(", "%%MatrixMarket", "\x93NUMPY", "__index_level_0__", "1e5", "l.0", "inf", "=", "é\u0301"}

// A strange is a set with such names, and whether they are of the form that can be written.
func strange(rnd *rand.Rand, part func() string) *Set {
	name := func() string {
		var b strings.Builder
		for range rnd.IntN(4) {
			b.WriteString(part())
		}
		return b.String()
	}
	names := func(n int) []string {
		if rnd.IntN(8) == 0 {
			return nil
		}
		names := make([]string, n)
		for k := range names {
			names[k] = name()
		}
		return names
	}
	m, n := 1+rnd.IntN(4), 1+rnd.IntN(5)
	s := &Set{X: mat.NewDense(m, n, nil), Samples: names(n), Features: names(m)}
	for i := range m {
		for j := range n {
			s.X.Set(i, j, []float64{0, 1, -2.5, rnd.NormFloat64(), math.Copysign(0, -1), 1e-310, 1e308}[rnd.IntN(7)])
		}
	}
	if rnd.IntN(3) > 0 {
		s.Classes = names(1 + rnd.IntN(3))
		for range n {
			if s.Classes != nil {
				s.Labels = append(s.Labels, rnd.IntN(len(s.Classes)))
			}
		}
	}
	return s
}

// plainNames tells whether all names that a set would be written with are of the form of names.
func plainNames(s *Set, forbidden string) bool {
	var all []string
	m, n := s.X.Dims()
	for j := range n {
		all = append(all, s.SampleName(j))
	}
	for i := range m {
		all = append(all, s.FeatureName(i))
	}
	if forbidden == "" && s.Labels != nil { // else classes are not written
		if a, _ := repeated(s.Classes); a >= 0 {
			return false
		}
		all = append(all, s.Classes...)
	}
	return !slices.ContainsFunc(all, func(name string) bool {
		return tidyName(name) != name || strings.Contains(name, "\r\n") || forbidden != "" && strings.ContainsAny(name, forbidden)
	})
}

// What is written of a set with any names is read again with the layout that the writer documents: names,
// classes and numbers. Where that cannot be, the writer says which name is why.
func roundTrip(t *testing.T, s *Set) (written int) {
	t.Helper()
	m, n := s.X.Dims()
	csv := CSVLayout{ID: "sample"}
	if s.Labels != nil {
		csv.Label = "class"
	}
	for format, c := range map[string]struct {
		write func(w *bytes.Buffer) error
		read  func(r *bytes.Reader) (*Set, error)
	}{
		"CSV": {func(w *bytes.Buffer) error { return s.WriteCSV(w) }, func(r *bytes.Reader) (*Set, error) { return ReadCSV(t.Context(), r, csv) }},
		"NPZ": {func(w *bytes.Buffer) error { return s.WriteNPZ(w) }, func(r *bytes.Reader) (*Set, error) { return ReadNPZ(t.Context(), r, r.Size(), NPYLayout{}) }},
		"MAT": {func(w *bytes.Buffer) error { return s.WriteMAT(w) }, func(r *bytes.Reader) (*Set, error) {
			f, err := ReadMAT(t.Context(), r)
			if err != nil {
				return nil, err
			}
			return f.Set(MATLayout{Samples: "sample_names", Features: "feature_names", Raster: true})
		}},
		"MTX": {},
	} {
		s, forbidden := *s, ""
		if format == "MTX" { // which has no classes
			s.Labels, s.Classes, forbidden = nil, nil, "\t\n"
		}
		var file bytes.Buffer
		var err error
		var got *Set
		if format == "MTX" {
			folder := t.TempDir()
			if err = s.SaveMTX(folder); err == nil {
				if got, err = OpenMTX(t.Context(), folder); err != nil {
					t.Errorf("MTX: %q cannot be read: %v", s.Samples, err)
					continue
				}
			}
		} else if err = c.write(&file); err == nil {
			if got, err = c.read(bytes.NewReader(file.Bytes())); err != nil {
				t.Errorf("%s: samples %q, features %q, classes %q cannot be read: %v\n%q", format, s.Samples, s.Features, s.Classes, err, file.String())
				continue
			}
		}
		if err != nil {
			if !errors.Is(err, ErrParameter) || !strings.Contains(err.Error(), `"`) {
				t.Errorf("%s: %v", format, err)
			} else if plainNames(&s, forbidden) {
				t.Errorf("%s: samples %q, features %q, classes %q are refused: %v", format, s.Samples, s.Features, s.Classes, err)
			}
			continue
		}
		written++
		samples, features, classes, err := s.Names()
		if err != nil {
			t.Error(err)
			continue
		}
		if !slices.Equal(got.Samples, samples) || !slices.Equal(got.Features, features) {
			t.Errorf("%s: samples %q, features %q became %q, %q\n%q", format, samples, features, got.Samples, got.Features, file.String())
		}
		for _, names := range [][]string{samples, features} {
			if a, b := repeated(names); a >= 0 {
				t.Errorf("%s: two names %q and %q", format, names[a], names[b])
			}
		}
		if format != "MTX" {
			for j, class := range classes {
				if got.Classes[got.Labels[j]] != class {
					t.Errorf("%s: the class %q became %q", format, class, got.Classes[got.Labels[j]])
				}
			}
			if (classes == nil) != (got.Labels == nil) {
				t.Errorf("%s: labels %v became %v", format, s.Labels, got.Labels)
			}
		}
		for i := range m {
			for j := range n {
				if a, b := s.X.At(i, j), got.X.At(i, j); a != b {
					t.Errorf("%s: X[%d,%d] = %g became %g", format, i, j, a, b)
				}
			}
		}
	}
	return written
}

func TestNamesAreReadAgain(t *testing.T) {
	rnd := rand.New(rand.NewPCG(36, 5))
	tries, written := 1500, 0
	if testing.Short() {
		tries = 300
		t.Logf("-short: %d sets", tries)
	}
	for range tries {
		// Most parts are harmless, so that many sets can be written.
		written += roundTrip(t, strange(rnd, func() string {
			if rnd.IntN(5) > 0 {
				return strconv.Itoa(rnd.IntN(30))
			}
			return nasty[rnd.IntN(len(nasty))]
		}))
		if t.Failed() {
			return
		}
	}
	if written < 2*tries {
		t.Errorf("only %d of %d files were written", written, 4*tries)
	}
	// The cases by which it was found, each of which can be written.
	for _, name := range []string{"k__Bacteria;p__Firmicutes", "sample", "class", "1", "a b", "a\u2028b", "a,b", `a"b`, "=HYPERLINK(\"x\")", "\ufeffa", "# a", "NaN", "a\vb"} {
		s := &Set{X: mat.NewDense(2, 1, []float64{1, 2}), Samples: []string{name}, Features: []string{name, "y"}, Labels: []int{0}, Classes: []string{name}}
		if roundTrip(t, s) != 4 {
			t.Errorf("%q is refused", name)
		}
	}
	// Duplicates get a number, which no other name has.
	s := &Set{X: mat.NewDense(4, 3, nil), Samples: []string{"a", "a", "a.1"}, Features: []string{"x", "x", "x.1", "x"}}
	if roundTrip(t, s) != 4 {
		t.Error("duplicates are refused")
	}
	if s.Samples[1] != "a" || s.Features[3] != "x" {
		t.Error("the set has changed")
	}
}

func FuzzNames(f *testing.F) {
	for k, name := range nasty {
		f.Add(name, nasty[(k+1)%len(nasty)], uint64(k))
	}
	f.Fuzz(func(t *testing.T, a, b string, seed uint64) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		roundTrip(t, strange(rnd, func() string { return []string{a, b, "x"}[rnd.IntN(3)] }))
	})
}

// A table of names and numbers that a program writes is read again, too, if its header is known as such.
func TestWriteNamedCSVAgain(t *testing.T) {
	rnd := rand.New(rand.NewPCG(36, 6))
	for range 500 {
		s := strange(rnd, func() string { return nasty[rnd.IntN(len(nasty))] })
		m, n := s.X.Dims()
		if s.Samples == nil || s.Features == nil {
			continue
		}
		var file bytes.Buffer
		err := WriteNamedCSV(&file, s.X.T(), s.Samples, append([]string{"the name"}, s.Features...)...)
		if err != nil {
			if !errors.Is(err, ErrParameter) {
				t.Error(err)
			}
			continue
		}
		got, err := ReadCSV(t.Context(), &file, CSVLayout{ID: "the name", Header: WithHeader})
		if a, _ := repeated(s.Samples); a >= 0 {
			if !errors.Is(err, ErrFormat) {
				t.Error(err)
			}
			continue
		}
		unique(s.Features)
		if err != nil || !slices.Equal(got.Samples, s.Samples) || !slices.Equal(got.Features, s.Features) || !mat.Equal(got.X, s.X) {
			t.Errorf("%d×%d: samples %q, features %q: %v, %v", m, n, s.Samples, s.Features, got, err)
		}
	}
	if err := WriteCSV(io.Discard, mat.NewDense(1, 1, nil), "a "); !errors.Is(err, ErrParameter) || !strings.Contains(err.Error(), `column 0 is "a "`) {
		t.Error(err)
	}
}

// Names that a spreadsheet would compute become text, and all others stay.
func TestNoFormulas(t *testing.T) {
	s := &Set{X: mat.NewDense(3, 2, nil), Samples: []string{"=1+1", "-5"}, Features: []string{"+x", "@y", "a=b"}, Labels: []int{0, 1}, Classes: []string{"-x", "b"}}
	var file bytes.Buffer
	if err := s.NoFormulas().WriteCSV(&file); err != nil || file.String() != "sample,class,'+x,'@y,a=b\n'=1+1,'-x,0,0,0\n-5,b,0,0,0\n" {
		t.Errorf("%q, %v", file.String(), err)
	}
	if s.Samples[0] != "=1+1" || s.Features[0] != "+x" || s.Classes[0] != "-x" {
		t.Error("the set has changed")
	}
}
