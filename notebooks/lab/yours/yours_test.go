package yours

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/robustnmf/robustnmf/datasets"
)

// Each is read again as the notebook reads it, and knows what is wrong in it.
func TestYours(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	open := func(e Example, err error) (Example, *datasets.Set) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		s, err := datasets.Open(t.Context(), e.Path, datasets.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range e.Wrong {
			if !slices.Contains(s.Samples, name) {
				t.Errorf("%s: no sample %q among %q …", e.Path, name, s.Samples[:3])
			}
		}
		return e, s
	}
	e, s := open(Photos())
	if len(s.Samples) != 400 || len(s.Classes) != 10 || s.Height != 14 || len(e.Wrong) != 20 {
		t.Errorf("%v, %q", s, e.Wrong)
	}
	e, s = open(Wines())
	if len(s.Samples) != 178 || len(s.Features) != 13 || s.Classes[0] != "cultivar 1" || len(e.Wrong) != 7 || s.Mask() == nil {
		t.Errorf("%v, %q", s, e.Wrong)
	}
	if again, err := Wines(); err != nil || again.Path == e.Path {
		t.Errorf("the second is written to %s, %v", again.Path, err)
	}
	_, s = open(Words("../../.."))
	if !slices.Contains(s.Features, "sample") || !slices.Contains(s.Samples, "rnmf/fit.go") {
		t.Errorf("%v", s)
	}
	if _, err := Words(t.TempDir()); !errors.Is(err, datasets.ErrNotFound) {
		t.Error(err)
	}
}

func TestHits(t *testing.T) {
	e := Example{Wrong: []string{"a", "b", "c"}}
	if got := e.Hits([]string{"c", "x", "a"}); got != "2 of 3 that are wrong are found; missed: b; found without being wrong: x" {
		t.Error(got)
	}
	if got := e.Hits(e.Wrong); got != "3 of 3 that are wrong are found" {
		t.Error(got)
	}
	if got := (Example{}).Hits([]string{"a"}); got != "" {
		t.Error(got)
	}
	if got := e.Hits(strings.Split("qwertyuiop", "")); !strings.HasSuffix(got, " and 2 more") {
		t.Error(got)
	}
}
