package yours

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/viz/explore"
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

// The trial tells what Open and explore guess wrong of a file, whether a note names the cure, and what is
// refused.
func TestTrial(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	lying := func(path string) error {
		s, err := datasets.Fashion().Sample(2, 1)
		if err != nil {
			return err
		}
		if s, err = s.Shrink(9, 9); err != nil {
			return err
		}
		f, err := os.Create(path)
		if err != nil {
			return err
		}
		return errors.Join(datasets.WriteNPZ(f, datasets.MATVar{Name: "X", M: s.X.T()}), f.Close())
	}
	var out strings.Builder
	err := trial(t.Context(), &out, func(string) []tried {
		return []tried{
			{format: ".h5ad", path: "../../../datasets/testdata/hdf5/csr.h5ad", features: 3, samples: 4, classes: 4, kind: explore.Measurements, rank: 1},
			{format: ".npz", file: "a.npz", write: lying, features: 81, samples: 20, height: 9, width: 9, kind: explore.Images, cure: "OpenOptions.Height", rank: 2},
			{format: ".npz", file: "b.npz", write: lying, features: 81, samples: 20, height: 9, width: 9, kind: explore.Images, sideways: true, options: datasets.OpenOptions{Height: 9, Width: 9}, rank: 2},
			{format: "Parquet", file: "c.parquet", write: func(path string) error { return os.WriteFile(path, []byte("PAR1"), 0o600) }, refused: "datasets/columnar"},
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	for k, want := range []string{"Three lines of Go", "format", "nothing", "height 0 for 9, width 0 for 9, measurements for images (a note)", "lie on their side (no note)", "refused, with the cure"} {
		if !strings.Contains(lines[k], want) {
			t.Errorf("line %d is %q, want %q", k, lines[k], want)
		}
	}
}

// The stored trial is of eight formats and more, and what is guessed wrong there a note mends.
func TestStoredTrial(t *testing.T) {
	text, err := os.ReadFile("trial.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"CSV ", "folder of images", "folder of .mtx", ".h5ad", ".npz", ".mat", "IDX", "Parquet"} {
		if !strings.Contains(string(text), "\n"+format) {
			t.Errorf("no %s in\n%s", format, text)
		}
	}
	if strings.Contains(string(text), "(no note)") || strings.Contains(string(text), "without the cure") {
		t.Errorf("a wrong guess without its cure:\n%s", text)
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
