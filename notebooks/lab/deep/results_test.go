package deep

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/notebooks/lab/rss"
	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
)

// plausible checks that each line is there once, with numbers that can be.
func plausible(t *testing.T, all stored.Table) {
	t.Helper()
	seen := map[string]bool{}
	for _, r := range all {
		key := strings.Join([]string{r.Text("set"), r.Text("k"), r.Text("method"), r.Text("trial")}, "|")
		if seen[key] {
			t.Errorf("%s is there twice", key)
		}
		seen[key] = true
		for _, name := range []string{"accuracy", "nmi", "unlabelled"} {
			if v := r.Number(name); !(v >= 0 && v <= 1) {
				t.Errorf("%s: %s is %g", key, name, v)
			}
		}
		if !(r.Number("seconds") >= 0) || r.Number("empty") >= r.Number("k") || !strings.HasPrefix(r.Text("build"), "go1.") {
			t.Errorf("%s: %v", key, r)
		}
		if r.Text("method") == "IDEC" { // all of one fit are there
			for _, other := range []string{"pixels", "autoencoder"} {
				if len(all.Where("set", r.Text("set"), "k", r.Text("k"), "method", other, "trial", r.Text("trial"))) != 1 {
					t.Errorf("%s: no %s", key, other)
				}
			}
		}
	}
}

func TestResults(t *testing.T) {
	plausible(t, Results())
	for _, set := range []string{"Yale", "UMIST", "GT"} {
		for _, method := range []string{"IDEC", half} {
			if len(Results().Where("set", set, "method", method)) == 0 {
				t.Errorf("nothing of %s on %s is stored", method, set)
			}
		}
	}
	if n := len(Printed()); n != 40 {
		t.Errorf("%d printed rows, want 40", n)
	}
	for _, r := range Printed() {
		for _, name := range []string{"accuracy", "nmi"} {
			if v := r.Number(name); v < 30 || v > 95 {
				t.Errorf("%v", r)
			}
		}
	}
}

// A run stores what a file lacks, and a second one nothing more.
func TestStore(t *testing.T) {
	s, err := datasets.Digits().Sample(6, 1)
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "results.csv")
	few := []rss.Set{{Set: s.Scaled(), Name: "digits", Classes: []int{2, 3}, Each: 2}}
	small := settings{IDEC{Layers: []int{8, 2}, Epochs: 2, Interval: 2, MaxIter: 4}, MSAEClust{Members: 1, Rounds: 2}}
	run := func(trials uint64, wanted func(int, string) bool) string {
		if err := store(t.Context(), stored.Trials{Count: trials, Out: out}, few, wanted, small); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	any := func(int, string) bool { return true }
	one := run(1, func(k int, name string) bool { return k == 3 && (name == "IDEC" || name == "pixels") })
	if all := stored.Parse(one); len(all) != 3 || !slices.Equal(all.Different("method"), []string{"pixels", "autoencoder", "IDEC"}) {
		t.Errorf("%v", all)
	}
	text := run(2, any)
	all := stored.Parse(text)
	plausible(t, all)
	if len(all) != 2*2*5 || !strings.HasPrefix(text, one) {
		t.Errorf("%d lines, want 20:\n%s", len(all), text)
	}
	if again := run(2, any); again != text {
		t.Error("a second run changes the file")
	}
}

func TestPerson(t *testing.T) {
	for path, want := range map[string]string{"GT/1.jpg": "01", "GT/15.jpg": "01", "GT/16.jpg": "02", "GT/750.jpg": "50", "GT/x.jpg": "", "GT/0.jpg": ""} {
		if class, take := person(path); take != (want != "") || take && class != want {
			t.Errorf("%s: %q, %v", path, class, take)
		}
	}
	if v := cpu(); !(v > 0) && !math.IsNaN(v) {
		t.Errorf("%g seconds of processors", v)
	}
}
