package cauchy

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
)

// whole checks that a table has each key of Command once for so many trials, with
// numbers that can be.
func whole(t *testing.T, all stored.Table, height, width, trials int) {
	t.Helper()
	want := 0
	for _, kind := range Kinds {
		for _, level := range Levels(kind, height, width) {
			for _, rival := range Rivals() {
				for trial := 1; trial <= trials; trial++ {
					want++
					if n := len(all.Where("corruption", kind, "level", fmt.Sprint(level.Level), "model", rival.Name, "trial", fmt.Sprint(trial))); n != 1 {
						t.Errorf("%s %g, %s, trial %d is there %d times", kind, level.Level, rival.Name, trial, n)
					}
				}
			}
		}
	}
	if len(all) != want {
		t.Errorf("%d rows, want %d", len(all), want)
	}
	for _, r := range all {
		if e := r.Number("error"); math.IsNaN(e) != (r.Text("model") == "k-means") || e <= 0 || math.IsInf(e, 0) {
			t.Errorf("error: %v", r)
		}
		for _, name := range []string{"accuracy", "nmi", "raw", "precision", "recall", "ap"} {
			empty := r.Text("model") == "k-means" || r.Text("corruption") == "laplace" || name == "precision" // nothing was flagged
			if name == "accuracy" || name == "nmi" {
				empty = false
			} else if name == "raw" {
				empty = r.Text("model") == "k-means"
			}
			if v := r.Number(name); v < 0 || v > 1 || math.IsNaN(v) && !empty {
				t.Errorf("%s: %v", name, r)
			}
		}
	}
}

func TestResults(t *testing.T) { whole(t, Results(), 32, 32, 10) }

// The tables run through on a few images, larger than the largest block.
func TestStore(t *testing.T) {
	if testing.Short() {
		t.Skip("fits of a small experiment")
	}
	s, err := datasets.Fashion().Sample(4, 1) // Rank of them
	if err != nil {
		t.Fatal(err)
	}
	if s, err = s.Shrink(24, 24); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "results.csv")
	if err := store(t.Context(), stored.Trials{Count: 1, Out: out}, s.Scaled(), 1); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	whole(t, stored.Parse(string(text)), s.Height, s.Width, 1)
}

// Each variant has its trials, and the least error is no larger than those after 60 rounds and
// where rule (16) holds.
func TestAblation(t *testing.T) {
	all := AblationResults()
	for _, v := range Variants() {
		rows := all.Where("variant", v.Name)
		if len(rows) != 3 || len(rows.Different("trial")) != 3 {
			t.Errorf("%s: %d rows of %d trials", v.Name, len(rows), len(rows.Different("trial")))
		}
		for _, r := range rows {
			least, at := r.Number("least"), r.Number("at")
			if !(least > 0) || least > r.Number("error60") || least > r.Number("rule16") || at < 1 || at > r.Number("rounds") {
				t.Error(r)
			}
		}
	}
	s, err := datasets.Fashion().Sample(4, 1)
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "ablation.csv")
	if err := storeAblation(t.Context(), stored.Trials{Count: 1, Out: out}, s.Scaled(), 2); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(out)
	if rows := stored.Parse(string(text)); err != nil || len(rows) != len(Variants()) || rows[0].Text("rounds") != "2" {
		t.Errorf("%v: %s", err, text)
	}
}

// Under salt & pepper a robust loss is nearer to the clean data than least squares, and
// its weights find what was struck.
func TestRobust(t *testing.T) {
	s, err := datasets.Fashion().Sample(20, 1)
	if err != nil {
		t.Fatal(err)
	}
	s = s.Scaled()
	rows := map[string]Row{}
	for _, rival := range Rivals() {
		if rival.Name == "L2" || rival.Name == "Huber" {
			level := Levels("salt & pepper", s.Height, s.Width)[2]
			if rows[rival.Name], err = Run(t.Context(), s, level, rival, 1, 30); err != nil {
				t.Fatal(err)
			}
		}
	}
	if l2, huber := rows["L2"], rows["Huber"]; !(huber.Error < 0.9*l2.Error) || !(huber.AP > 0.5) {
		t.Errorf("Huber %+v, least squares %+v", huber, l2)
	}
}
