package stored

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

const text = "set,model,error,ap\nORL,\"L2,1\",0.5,\nORL,L1,0.25,1\nYale,L1,0.125,0.5\n"

func TestTable(t *testing.T) {
	all := Parse(text)
	if got, want := all.Different("set"), []string{"ORL", "Yale"}; !slices.Equal(got, want) {
		t.Errorf("sets %q, want %q", got, want)
	}
	if got, want := all.Where("set", "ORL").Numbers("error"), []float64{0.5, 0.25}; !slices.Equal(got, want) {
		t.Errorf("errors of ORL %v, want %v", got, want)
	}
	if got, want := all.Numbers("ap"), []float64{1, 0.5}; !slices.Equal(got, want) {
		t.Errorf("what is empty is a number: %v, want %v", got, want)
	}
	if got := all.Where("set", "ORL", "model", "L2,1"); len(got) != 1 || !math.IsNaN(got[0].Number("ap")) || got[0].Text("error") != "0.5" {
		t.Errorf("two pairs: %v", got)
	}
	if got := all.Where("set", "none"); got != nil {
		t.Errorf("rows of no set: %v", got)
	}
	for what, f := range map[string]func(){
		"no column":      func() { all.Where("kind", "x") },
		"no number":      func() { all.Numbers("model") },
		"no table":       func() { Parse("") },
		"a short line":   func() { Parse("a,b\n1\n") },
		"an open string": func() { Parse("a\n\"1\n") },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s is no panic", what)
				}
			}()
			f()
		}()
	}
	if got, want := Numbers(1, math.NaN(), 0.00005, math.Inf(1)), []string{"1.0000", "", "0.0001", "+Inf"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// run fills a sheet of squares, of which Values is called for calls.
func run(t *testing.T, l Trials, fail string) (calls []string, err error) {
	t.Helper()
	l.Keys, l.Columns = []string{"name", "trial"}, []string{"square"}
	err = l.Run(t.Context(), func(trial uint64) iter.Seq[Line] {
		return func(yield func(Line) bool) {
			for _, name := range []string{"a", "b, c"} {
				if !yield(Line{[]string{name, fmt.Sprint(trial)}, func() ([]string, error) {
					if calls = append(calls, fmt.Sprint(name, trial)); calls[len(calls)-1] == fail {
						return nil, io.ErrUnexpectedEOF
					}
					return Numbers(float64(trial * trial)), nil
				}}) {
					return
				}
			}
		}
	})
	return calls, err
}

// A run that failed goes on where it was, and the file is that of one that did not.
func TestTrials(t *testing.T) {
	one, two := filepath.Join(t.TempDir(), "one.csv"), filepath.Join(t.TempDir(), "two.csv")
	if _, err := run(t, Trials{Count: 3, Out: one}, ""); err != nil {
		t.Fatal(err)
	}
	calls, err := run(t, Trials{Count: 3, Out: two}, "b, c2")
	if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), "b, c, 2") || len(calls) != 4 {
		t.Fatalf("%v after %q", err, calls)
	}
	if calls, err = run(t, Trials{Count: 3, Out: two}, ""); err != nil || !slices.Equal(calls, []string{"b, c2", "a3", "b, c3"}) {
		t.Fatalf("%v after %q", err, calls)
	}
	want, _ := os.ReadFile(one)
	got, err := os.ReadFile(two)
	if err != nil || string(got) != string(want) {
		t.Errorf("%v: %s, want %s", err, got, want)
	}
	if rows := Parse(string(got)); len(rows) != 6 || !reflect.DeepEqual(rows.Where("name", "b, c").Numbers("square"), []float64{1, 4, 9}) {
		t.Error(rows)
	}
	if calls, err := run(t, Trials{Count: 9, Seconds: 1e-9, Out: two}, ""); err != nil || calls != nil {
		t.Errorf("no time is left: %v after %q", err, calls)
	}
	cancelled, stop := context.WithCancel(t.Context())
	stop()
	l := Trials{Keys: []string{"k"}, Count: 1, Out: filepath.Join(t.TempDir(), "three.csv")}
	if err := l.Run(cancelled, func(uint64) iter.Seq[Line] { return slices.Values([]Line{{Key: []string{"x"}}}) }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// A run computes lines again that are of an older version, in their place, and leaves those
// alone that are of the version of now.
func TestRenewed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.csv")
	before := "name,trial,square,seconds,version\na,1,1,0.1,old\nb,1,4,0.1,new\nc,1,,0.1,\n"
	if err := os.WriteFile(path, []byte(before), 0o644); err != nil {
		t.Fatal(err)
	}
	var calls []string
	run := func() string {
		l := Trials{Keys: []string{"name", "trial"}, Columns: []string{"square", "seconds"}, Count: 1, Out: path,
			Version: func(key []string) (string, error) { return "new", nil }}
		err := l.Run(t.Context(), func(uint64) iter.Seq[Line] {
			return func(yield func(Line) bool) {
				for _, name := range []string{"a", "b", "c", "d"} {
					if !yield(Line{[]string{name, "1"}, func() ([]string, error) {
						calls = append(calls, name)
						return []string{"7", "9"}, nil
					}}) {
						return
					}
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	want := "name,trial,square,seconds,version\na,1,7,9,new\nb,1,4,0.1,new\nc,1,7,9,new\nd,1,7,9,new\n"
	if got := run(); got != want || !slices.Equal(calls, []string{"a", "c", "d"}) {
		t.Errorf("after %q: %s", calls, got)
	}
	if got := run(); got != want || len(calls) != 3 {
		t.Errorf("a second run computes %q and leaves %s", calls[3:], got)
	}
}

// An experiment of several lines is replaced as a whole, and is current only if all its lines are.
func TestReplace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.csv")
	s, err := Open(path, 1, "set", "solver", "version")
	if err != nil {
		t.Fatal(err)
	}
	for _, lines := range [][][]string{
		{{"a", "MU", "1"}, {"a", "HALS", "2"}}, {{"b", "MU", "2"}},
	} {
		if err := s.Add(lines...); err != nil {
			t.Fatal(err)
		}
	}
	if s.Current("2", "a") || !s.Current("2", "b") || s.Current("2", "c") || !s.Has("a") || s.Has("c") {
		t.Error("what is there is not told from what is current")
	}
	if err := s.Add([]string{"a", "MU", "2"}); err != nil {
		t.Fatal(err)
	}
	if err := s.Add([]string{"c", "MU", "2"}, []string{"d", "MU", "2"}); err == nil {
		t.Error("two experiments at once")
	}
	if err := s.Add([]string{"c", "MU", "2"}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "set,solver,version\na,MU,2\nb,MU,2\nc,MU,2\n" {
		t.Errorf("%v: %s", err, got)
	}
}

// A version is that of the values, to the last bit, and each name is computed once.
func TestVersions(t *testing.T) {
	if a, b := Version(0.1, "x"), Version(math.Nextafter(0.1, 1), "x"); a == b || len(a) != 8 || a != Version(0.1, "x") {
		t.Errorf("%q and %q", a, b)
	}
	var v Versions
	calls := 0
	probe := func() (any, error) { calls++; return calls, nil }
	a, _ := v.Of("a", probe)
	b, _ := v.Of("b", probe)
	again, err := v.Of("a", probe)
	if a == b || a != again || calls != 2 || err != nil {
		t.Errorf("%q, %q, %q after %d calls: %v", a, b, again, calls, err)
	}
	if _, err := v.Of("c", func() (any, error) { return nil, io.ErrUnexpectedEOF }); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
	f := File{Name: "x.csv", Rows: func() Table { return Parse("model,version\nL1,1\nL1,2\nL2,\n") }, By: []string{"model"},
		Version: func(r Row) (string, error) { return "2", nil }}
	if got, err := f.Stale(); err != nil || !slices.Equal(got, []Older{{"x.csv, L1", 1, 2}, {"x.csv, L2", 1, 1}}) {
		t.Errorf("%v: %v", err, got)
	}
}

func TestFlags(t *testing.T) {
	l := Trials{Count: 7, Out: "file"}
	f := flag.NewFlagSet("", flag.ContinueOnError)
	l.Flags(f)
	if err := f.Parse([]string{"-seconds", "2.5", "-out", "other"}); err != nil || l.Count != 7 || l.Seconds != 2.5 || l.Out != "other" {
		t.Errorf("%v: %+v", err, l)
	}
}

// What a sheet cannot go on from is an error, and stays as it is.
func TestOpenErrors(t *testing.T) {
	folder := t.TempDir()
	for _, bad := range []string{"other,columns\n", "a,b\n1\n", "a,b\n\"1"} {
		path := filepath.Join(folder, "bad.csv")
		if err := os.WriteFile(path, []byte(bad), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path, 1, "a", "b"); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%q: %v", bad, err)
		}
		if got, _ := os.ReadFile(path); string(got) != bad {
			t.Errorf("%q became %q", bad, got)
		}
	}
	if _, err := Open(filepath.Join(folder, "none", "x.csv"), 1, "a"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
}

// Where some lines of a group, computed again, have the values that are stored, all its lines get the
// version of now; where one differs, or is not there, nothing is written.
func TestSampled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.csv")
	before := "name,trial,square,seconds,version\na,1,1,0.1,old\na,2,4,0.1,\na,3,9,0.1,old\nb,1,1,0.1,old\nb,2,5,0.1,old\n"
	after := "name,trial,square,seconds,version\na,1,1,0.1,new\na,2,4,0.1,new\na,3,9,0.1,new\nb,1,1,0.1,old\nb,2,5,0.1,old\n"
	if err := os.WriteFile(path, []byte(before), 0o644); err != nil {
		t.Fatal(err)
	}
	calls := map[string]int{}
	l := Trials{Keys: []string{"name", "trial"}, Columns: []string{"square", "seconds"}, Count: 4, Out: path, Sample: 2,
		Version: func(key []string) (string, error) { return "new", nil }}
	err := l.Run(t.Context(), func(trial uint64) iter.Seq[Line] {
		return func(yield func(Line) bool) {
			for _, name := range []string{"a", "b", "c"} {
				if !yield(Line{[]string{name, fmt.Sprint(trial)}, func() ([]string, error) {
					calls[name]++
					return []string{fmt.Sprint(trial * trial), "9"}, nil
				}}) {
					return
				}
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != after {
		t.Errorf("%v: %s", err, text)
	}
	if calls["a"] != 2 || calls["b"] == 0 || calls["c"] != 0 {
		t.Errorf("computed again: %v", calls)
	}
}
