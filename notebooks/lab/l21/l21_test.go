package l21

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
	"github.com/robustnmf/robustnmf/viz"
)

// Sets has each set of the paper once, at hand or missing, and they hold together.
func TestSets(t *testing.T) {
	sets, missing := Sets(t.Context())
	printed := len(missing)
	for _, s := range sets {
		if err := s.Check(); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
		counts := make([]int, len(s.Classes))
		for _, l := range s.Labels {
			counts[l]++
		}
		if slices.Contains(counts, 0) {
			t.Errorf("%s: a class without samples: %v", s.Name, counts)
		}
		if s.Printed {
			printed++
		}
		want := map[string][3]int{"AT&T": {2576, 400, 40}, "UMIST": {644, 360, 20}, "Yale B": {1024, 1984, 31}, "MNIST": {784, 150, 10},
			"PIE": {1024, 680, 68}, "Bin-alpha": {320, 1404, 36}, "Wine": {13, 178, 3},
			"German": {24, 1000, 2}, "Cars": {7, 392, 3}, "Vehicle": {18, 846, 4}}[s.Name]
		if m, n := s.X.Dims(); s.Printed && want != [3]int{m, n, len(s.Classes)} {
			t.Errorf("%s is %d×%d with %d classes, want %v", s.Name, m, n, len(s.Classes), want)
		}
	}
	if printed != 10 {
		t.Errorf("%d of the paper's sets, want 10 (without %v)", printed, missing)
	}
}

// What is stored has each set and model, the same number of trials for all models of a
// set, and curves that fall.
func TestConvergence(t *testing.T) {
	for _, set := range []string{"AT&T", "UMIST"} {
		trials := len(Convergence().Where("set", set).Different("trial"))
		for _, m := range Solvers() {
			rows := Convergence().Where("set", set, "model", m.Name)
			if len(rows) != trials || trials == 0 {
				t.Errorf("%s, %s: %d rows of %d trials", set, m.Name, len(rows), trials)
			}
			for _, r := range rows {
				if a, b := r.Number("nce21"), r.Number("ncef"); !(a > 0.05 && a < 0.3 && b > 0.05 && b < 0.3) ||
					r.Number("rounds") > float64(m.Model.MaxIter) {
					t.Error(r)
				}
			}
			curve := Traces().Where("set", set, "model", m.Name)
			for i, y := range curve.Numbers("objective") {
				if i > 0 && y > curve[i-1].Number("objective") {
					t.Errorf("%s, %s rises in round %s", set, m.Name, curve[i].Text("round"))
				}
			}
			if len(curve) < 20 {
				t.Errorf("%s, %s: a curve of %d points", set, m.Name, len(curve))
			}
		}
	}
}

// Curves are multiples of the lowest value of their model.
func TestCurves(t *testing.T) {
	for _, set := range []string{"AT&T", "UMIST"} {
		curves := Curves(set)
		if len(curves) != len(Solvers()) {
			t.Fatalf("%s has %d curves", set, len(curves))
		}
		for i := range 2 { // by the updates, and by HALS
			least := math.Inf(1)
			for _, c := range []viz.Curve{curves[i], curves[i+2]} {
				for _, p := range c.Trace {
					least = min(least, p.Objective)
				}
			}
			if least != 1 {
				t.Errorf("%s, %s and %s: the lowest is %g", set, curves[i].Name, curves[i+2].Name, least)
			}
		}
	}
}

// A run stores all, and another run of the same computes nothing anew.
func TestStore(t *testing.T) {
	s, err := datasets.Digits().Sample(4, 1)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	var texts [2][]byte
	for i := range texts {
		if err := store(t.Context(), folder, []*datasets.Set{s}, 2, 0, 3); err != nil {
			t.Fatal(err)
		}
		if texts[i], err = os.ReadFile(filepath.Join(folder, "convergence.csv")); err != nil {
			t.Fatal(err)
		}
	}
	if string(texts[0]) != string(texts[1]) || len(stored.Parse(string(texts[0]))) != 8 {
		t.Errorf("%s\nafter\n%s", texts[1], texts[0])
	}
}

// wholeClusters checks that a table of Table 3 has each method once for each set and trial.
func wholeClusters(t *testing.T, all stored.Table, sets, trials int) {
	t.Helper()
	if got := len(all.Different("set")); got != sets || len(all) != sets*trials*len(Methods()) {
		t.Errorf("%d rows of %d sets, want %d of %d", len(all), got, sets*trials*len(Methods()), sets)
	}
	for _, r := range all {
		for _, name := range []string{"accuracy", "nmi", "purity", "onH"} {
			if v := r.Number(name); !(v >= 0 && v <= 1) {
				t.Errorf("%s: %v", name, r)
			}
		}
		if none := r.Text("model") == "start" || r.Text("model") == "k-means"; none != (r.Text("rounds") == "0") {
			t.Error(r)
		}
	}
}

func TestClusters(t *testing.T) {
	wholeClusters(t, Clusters(), 12, 10) // the paper's ten, Yale and Digits
	s, err := datasets.Digits().Sample(6, 1)
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "clusters.csv")
	few := func(context.Context, uint64) ([]Set, []string) { return []Set{{Set: s.Scaled()}}, nil }
	if err := storeClusters(t.Context(), stored.Trials{Count: 2, Out: out}, few, 3); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	wholeClusters(t, stored.Parse(string(text)), 1, 2)
}

// The table of the ways to fit has the means of what is stored: here those of k-means, by hand.
func TestWays(t *testing.T) {
	w, err := Ways()
	if err != nil {
		t.Fatal(err)
	}
	if len(w.Rows) != 5 || len(WayNames) != 3 || w.Rows[2][0].Text != "converged" {
		t.Fatalf("%d rows\n%s", len(w.Rows), w.Markdown())
	}
	sum, n := 0.0, 0
	for _, r := range Clusters() {
		if r.Text("model") == "k-means" {
			sum, n = sum+r.Number("accuracy"), n+1
		}
	}
	if got := w.Rows[4][3].Value; math.Abs(got-sum/float64(n)) > 1e-12 {
		t.Errorf("k-means has %g, want %g", got, sum/float64(n))
	}
}

func TestHighestNMI(t *testing.T) {
	if got := HighestNMI(7, 3, 0, 1, 1); math.Abs(got-1) > 1e-12 {
		t.Errorf("without a limit %g, want 1", got)
	}
	// Both clusters of 2 and 2 hold one of each class, or one holds a sample and the other three,
	// which has an accuracy of 3/4.
	if got := HighestNMI(2, 2, 0, 0.5, 1); math.Abs(got) > 1e-12 {
		t.Errorf("at an accuracy of one half %g, want 0", got)
	}
	three := math.Log(2) - 0.75*(math.Log(3)-2./3*math.Log(2)) // mutual information
	if got, want := HighestNMI(2, 2, 0.75, 0.75, 1), 2*three/(math.Log(2)+math.Log(4)-0.75*math.Log(3)); math.Abs(got-want) > 1e-12 {
		t.Errorf("at an accuracy of 3/4 %g, want %g", got, want)
	}
	// What the paper prints for German cannot be.
	for accuracy, printed := range map[float64]float64{0.6670: 0.4621, 0.6431: 0.4306, 0.6308: 0.4275} {
		if got := HighestNMI(700, 300, 0, 1, 0.7); got > printed {
			t.Errorf("purity of 0.7: %g, printed is %g", got, printed)
		}
		mean, smaller := HighestNMI(700, 300, accuracy-0.0006, accuracy+0.0006, 1), HighestNMIOverSmaller(700, 300, accuracy-0.0006, accuracy+0.0006, 1)
		if mean > smaller || smaller > printed {
			t.Errorf("accuracy of %g: %g over the mean, %g over the smaller entropy, printed is %g", accuracy, mean, smaller, printed)
		}
	}
}

func TestHighestMeanNMI(t *testing.T) {
	// One sample of each class: a run is right in all and has NMI 1, or in half and has 0.
	for _, accuracy := range []float64{0.5, 0.75, 1} {
		if got, want := HighestMeanNMI(1, 1, accuracy), 2*accuracy-1; math.Abs(got-want) > 1e-12 {
			t.Errorf("1 and 1 samples at %g: %g, want %g", accuracy, got, want)
		}
	}
	// A mean may do what one run may do, and more, but not what the paper prints for German.
	last := 0.
	for _, accuracy := range []float64{0.6308, 0.6431, 0.667} {
		got, printed := HighestMeanNMI(700, 300, accuracy), map[float64]float64{0.667: 0.4621, 0.6431: 0.4306, 0.6308: 0.4275}[accuracy]
		if one := HighestNMIOverSmaller(700, 300, accuracy-0.0006, accuracy+0.0004, 1); got < one || got < last || got > printed {
			t.Errorf("%g: %g for several runs, %g for one, %g printed", accuracy, got, one, printed)
		}
		last = got
	}
}
