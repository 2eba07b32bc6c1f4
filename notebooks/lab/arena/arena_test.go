package arena

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
)

func few(t *testing.T) Set {
	t.Helper()
	s, err := datasets.Digits().Sample(4, 1)
	if err != nil {
		t.Fatal(err)
	}
	s.Name = "few"
	return Set{s.Scaled(), 5}
}

// inRange tells whether the numbers of a row can be.
func inRange(r Stored) bool {
	share := func(v float64) bool { return v >= 0 && v <= 1 }
	return r.Error > 0 && !math.IsInf(r.Error, 0) && share(r.Accuracy) && (math.IsNaN(r.AP) || share(r.AP)) && !(r.Seconds < 0) && r.Rounds > 0
}

// A tiny long run has a line for each set, case and rival, and what is there is not
// computed again.
func TestStore(t *testing.T) {
	run := stored.Trials{Count: 1, Out: filepath.Join(t.TempDir(), "results.csv")}
	s := few(t)
	var files [2]string
	for i := range files {
		if err := store(t.Context(), run, []Set{s}, Rivals(), 2); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(run.Out)
		if err != nil {
			t.Fatal(err)
		}
		files[i] = string(text)
	}
	if files[0] != files[1] {
		t.Errorf("a second run added to\n%s\nwhich is now\n%s", files[0], files[1])
	}
	rows := parse(files[0])
	if want := len(Cases(s.Set)) * len(Rivals()); len(rows) != want {
		t.Errorf("%d rows, want %d", len(rows), want)
	}
	for _, r := range rows {
		if !inRange(r) {
			t.Errorf("%+v", r)
		}
	}
}

// The stored results are whole: each case once, with numbers that can be.
func TestResults(t *testing.T) {
	type key struct {
		bout  Bout
		model string
		trial uint64
	}
	seen := map[key]int{}
	for _, r := range Results() {
		seen[key{Bout{r.Set, r.Kind, r.Strength}, r.Model, r.Trial}]++
		if !inRange(r) {
			t.Errorf("%+v", r)
		}
		if nothing := r.Kind == "none"; nothing && !math.IsNaN(r.AP) {
			t.Errorf("precision where nothing was struck: %+v", r)
		}
	}
	cases := Cases(few(t).Set)
	for _, set := range []string{"Digits", "Fashion-MNIST", "ORL"} {
		for _, c := range cases {
			for _, rival := range Rivals() {
				for trial := uint64(1); trial <= 5; trial++ {
					if k := (key{Bout{set, c.Kind, c.Strength}, rival.Name, trial}); seen[k] != 1 {
						t.Errorf("%+v is there %d times", k, seen[k])
					}
				}
			}
		}
	}
	if want := 3 * len(cases) * len(Rivals()) * 5; len(seen) != want {
		t.Errorf("%d rows, want %d", len(seen), want)
	}
	for _, kind := range Kinds() {
		if !slices.ContainsFunc(cases, func(c Case) bool { return c.Kind == kind[0] }) {
			t.Errorf("no case of %q", kind[0])
		}
	}
}

// Fits of today give the stored errors.
func TestResultsOfToday(t *testing.T) {
	sets, err := Sets(t.Context())
	if len(sets) < 2 {
		t.Fatal(err)
	}
	digits := sets[0]
	at := slices.IndexFunc(Cases(digits.Set), func(c Case) bool { return c.Kind == "salt & pepper" && c.Strength == 25 })
	c := Cases(digits.Set)[at]
	means := map[string]float64{}
	for _, r := range Results() {
		if r.Set == digits.Name && r.Kind == c.Kind && r.Strength == c.Strength && r.Trial == 1 {
			means[r.Model] = r.Error
		}
	}
	for _, rival := range Rivals() {
		if !slices.Contains([]string{"least squares", "Huber", "L1", "two stages"}, rival.Name) {
			continue
		}
		row, err := Run(t.Context(), digits.Set, digits.Rank, c, rival, 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(row.Error-means[rival.Name]) > 0.001 {
			t.Errorf("%s: error %.4f, stored %.4f", rival.Name, row.Error, means[rival.Name])
		}
		again, err := Run(t.Context(), digits.Set, digits.Rank, c, rival, 1, 0)
		if again.Seconds = row.Seconds; err != nil || again != row {
			t.Errorf("%s: %v, then %+v, %v", rival.Name, row, again, err)
		}
	}
}
