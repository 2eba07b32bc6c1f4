package godoc

import (
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestSplit(t *testing.T) {
	for text, want := range map[string][]string{
		"readHTTPHeader":               {"header", "http", "read"},
		"func (b *Buffer) grow_by2(n)": {"buffer", "grow"},
		"x := 3 // Größe of it":        {"größe"},
	} {
		if got := slices.Sorted(maps.Keys(split(text))); !slices.Equal(got, want) {
			t.Errorf("the words of %q are %q, want %q", text, got, want)
		}
	}
	if n := split("tile.Tile(tiles, tile)")["tile"]; n != 3 {
		t.Errorf("tile was counted %d times, want 3", n)
	}
}

// TestReadSource reads two files; functions that are short, and testdata, are left out.
func TestReadSource(t *testing.T) {
	src := t.TempDir()
	for name, text := range map[string]string{
		"a/a.go":          "package a\n\n// Apple banana cherry durian elder.\nfunc (t *T[K]) Open() {}\n\nfunc Bare() {}\n",
		"a/b/a_test.go":   "package b\n\nfunc Apple() { banana(cherry, durian, elder, fig) }\n",
		"a/testdata/i.go": "no Go",
	} {
		path := filepath.Join(src, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err := readSource(src, "", 1)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"a.T.Open", "a/b.Apple"}; !slices.Equal(c.Names, want) {
		t.Errorf("documents %q, want %q", c.Names, want)
	}
	if got := c.Packages([]float64{1, 2}, 5); got != "a/b, a" {
		t.Errorf("the packages are %q", got)
	}
	if _, err := readSource(src, "none", 1); err == nil {
		t.Error("a folder that is not there is no error")
	}
	if _, err := readSource(t.TempDir(), "", 1); err == nil {
		t.Error("a folder without functions is no error")
	}
}

func TestRun(t *testing.T) {
	r := Run{Seconds: []float64{0, 1, 3}, Objective: []float64{9, 5, 4}}
	if r.Reached(5) != 1 || !math.IsNaN(r.Reached(3)) {
		t.Errorf("5 in %g s, 3 in %g s", r.Reached(5), r.Reached(3))
	}
	if n := Count([]float64{0.7, 0.8, 0.9}, 0.8); n != 2 {
		t.Errorf("%d numbers are at least 0.8", n)
	}
}
