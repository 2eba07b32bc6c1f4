package rss

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
	"github.com/robustnmf/robustnmf/rnmf"
)

func digits(t *testing.T, each int) *datasets.Set {
	t.Helper()
	s, err := datasets.Digits().Sample(each, 1)
	if err != nil {
		t.Fatal(err)
	}
	return s.Scaled()
}

// whole checks that a table has each experiment once for so many trials, with numbers
// that can be.
func whole(t *testing.T, all stored.Table, experiments []Experiment, trials int) {
	t.Helper()
	want := 0
	for _, e := range experiments {
		for _, rival := range e.Rivals {
			want += trials
			rows := all.Where("kind", e.Kind, "set", e.Set, "level", e.Level, "model", rival.Name)
			if n := len(rows.Different("trial")); len(rows) != trials || n != trials {
				t.Errorf("%s %s %s, %s: %d rows of %d trials, want %d", e.Kind, e.Set, e.Level, rival.Name, len(rows), n, trials)
			}
		}
	}
	if len(all) != want {
		t.Errorf("%d rows, want %d", len(all), want)
	}
	for _, r := range all {
		for _, name := range []string{"accuracy", "nmi", "unlabelled", "predicted", "nearest"} {
			// A model need not predict, and without labels there is no nearest mean.
			empty := name == "predicted" || name == "nearest" && r.Text("kind") == "labels" && r.Text("level") == "0 0"
			if v := r.Number(name); v < 0 || v > 1 || math.IsNaN(v) && !empty {
				t.Errorf("%s: %v", name, r)
			}
		}
		if !(r.Number("seconds") >= 0) {
			t.Errorf("seconds: %v", r)
		}
	}
}

// tables has the sets that are stored, with their numbers of classes and, in Further, of trials; Results
// has ten.
var tables = map[string]struct {
	classes []int
	further int
}{
	"Yale": {[]int{2, 5, 8, 10, 15}, 10}, "COIL-20": {[]int{10, 20}, 0}, "ORL": {[]int{10, 40}, 0},
	"UMIST": {[]int{2, 5, 8, 10, 20}, 1}, "GT": {[]int{2, 5, 10, 30, 50}, 1},
}

func TestResults(t *testing.T) {
	total := 0
	for set, c := range tables {
		var experiments []Experiment
		for _, k := range c.classes {
			experiments = append(experiments, Experiment{"tables", set, fmt.Sprint(k), nil, Rivals()})
		}
		if set == "Yale" {
			experiments = append(experiments, Beyond(set, &datasets.Set{Height: 32, Width: 32}, 2, 1)...)
		}
		rows := Results().Where("set", set)
		whole(t, rows, experiments, 10)
		total += len(rows)
	}
	if total != len(Results()) {
		t.Errorf("%d rows of the sets, want %d", total, len(Results()))
	}
}

// All experiments run through, on few digits.
func TestStore(t *testing.T) {
	s := Set{digits(t, 4), "Yale", 0, []int{3}, 2} // of this name, so that all run
	out := filepath.Join(t.TempDir(), "results.csv")
	experiments := func(seed uint64) []Experiment { return Experiments([]Set{s}, seed) }
	if err := store(t.Context(), stored.Trials{Count: 1, Out: out}, experiments, 1); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	whole(t, stored.Parse(string(text)), experiments(1), 1)
}

// Whole trials are stored, and all experiments run through, on few digits.
func TestFurther(t *testing.T) {
	total := 0
	for set, c := range tables {
		if c.further == 0 {
			continue
		}
		rows := Further().Where("set", set)
		whole(t, rows, furtherExperiments([]Set{{&datasets.Set{Classes: make([]string, 15)}, set, 0, c.classes, 2}}, 1), c.further)
		total += len(rows)
	}
	if total != len(Further()) {
		t.Errorf("%d rows of the sets, want %d", total, len(Further()))
	}
	few := Set{digits(t, 4), "Yale", 0, []int{3}, 2}
	out := filepath.Join(t.TempDir(), "further.csv")
	experiments := func(seed uint64) []Experiment { return furtherExperiments([]Set{few}, seed) }
	if err := store(t.Context(), stored.Trials{Count: 1, Out: out}, experiments, 1); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	whole(t, stored.Parse(string(text)), experiments(1), 1)
}

// The race of each setting of the paper is stored with five starts, and runs through on digits.
func TestRace(t *testing.T) {
	check := func(all stored.Table, settings, starts int) {
		t.Helper()
		if len(all) != settings*starts*len(racers) {
			t.Errorf("%d rows, want %d settings of %d starts of %d solvers", len(all), settings, starts, len(racers))
		}
		for _, r := range all {
			if !(r.Number("objective") > 0 && r.Number("limit") > 0 && r.Number("rounds") >= 0) || r.Number("reached_seconds") <= 0 {
				t.Error(r)
			}
		}
		for _, r := range all.Where("solver", "MUR") {
			if r.Text("limit") != r.Text("reached_seconds") || r.Text("rounds") != r.Text("reached_rounds") {
				t.Error(r)
			}
		}
	}
	check(Race(), 7, 5) // two ranks of Yale, UMIST and GT, one of COIL-20
	out := filepath.Join(t.TempDir(), "race.csv")
	all := tracks([]Set{{digits(t, 4), "Yale", 0, nil, 2}})
	if len(all) != 2 || all[0].rank != 10 || all[1].rank != 5 {
		t.Fatal(all)
	}
	for range 2 { // the second time all is there
		if err := storeRace(t.Context(), out, all, 1, 0.02); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	check(stored.Parse(string(text)), 2, 1)
}

// What was chosen on ORL runs on the other sets, and Choose takes the largest mean.
func TestChosen(t *testing.T) {
	all := Chosen()
	if n := len(all.Where("kind", "chosen")); n != 10*(len(Choices("RSS-NMF"))+len(Choices("SCNMF"))) || len(all.Where("kind", "chosen").Different("set")) != 1 {
		t.Errorf("%d rows of choices", n)
	}
	once := map[[4]string]bool{}
	for _, r := range all.Where("kind", "elsewhere") {
		key := [4]string{r.Text("set"), r.Text("level"), r.Text("model"), r.Text("trial")}
		if once[key] {
			t.Errorf("%v is there twice", key)
		}
		once[key] = true
		if v := r.Number("accuracy"); !(v > 0 && v <= 1) || r.Text("set") == "ORL" {
			t.Error(r)
		}
	}
	few := stored.Parse("kind,model,level,accuracy\nchosen,SCNMF,0 1,0.5\nchosen,SCNMF,0 10,0.4\nchosen,SCNMF,0 10,0.8\nelsewhere,SCNMF,0 100,0.9\n")
	if c, accuracy, edge := Choose(few, "SCNMF"); c != (Choice{0, 10}) || math.Abs(accuracy-0.6) > 1e-12 || edge {
		t.Errorf("%+v with %g, edge: %v", c, accuracy, edge)
	}
	if _, _, edge := Choose(few.Where("level", "0 1"), "SCNMF"); !edge {
		t.Error("the smallest weight is an edge")
	}
	equal := stored.Parse("kind,model,level,accuracy\nchosen,SCNMF,0 1,0.7\nchosen,SCNMF,0 10,0.6\nchosen,SCNMF,0 10,0.8\nchosen,SCNMF,0 100,0.6\n")
	if best, accuracy := Best(equal, "SCNMF"); !slices.Equal(best, []Choice{{0, 1}, {0, 10}}) || math.Abs(accuracy-0.7) > 1e-12 {
		t.Errorf("%+v with %g", best, accuracy)
	}
}

// Levels are read as they were written, and a choice names itself.
func TestLevels(t *testing.T) {
	if a, b := Level(1./255, 100), Level(0.05, 0.2); a != "0.00392 100" || b != "0.05 0.2" {
		t.Errorf("%q and %q", a, b)
	}
	if a, b := Corruption("salt & pepper 30"), Corruption("block 6"); a != "30 %" || b != "6 × 6" {
		t.Errorf("%q and %q", a, b)
	}
	if with, without := AtLabels("RSS-NMF", 0.05, 0.2), AtLabels("RSS-NMF", 0, 0.2); len(with) != 10 || len(without) != 10 ||
		with[0].Text("level") != "0.05 0.2" || without[0].Text("model") != "RNMF" || without[0].Text("level") != "0 0" {
		t.Errorf("%v and %v", with, without)
	}
	c := Choice{Scales[0], 100}
	if got := c.Accuracies(Chosen(), "RSS-NMF"); len(got) != 10 || c.String() != "a weight of 100 and σ = 0.0039, the smallest σ tried" {
		t.Errorf("%s: %v", c, got)
	}
	if c := (Choice{0, 10}); c.String() != "a weight of 10" {
		t.Error(c)
	}
}

// Of the six pairs of 2 and 4 with 1, 2 and 3, four have the larger number first, and one is a tie.
func TestLarger(t *testing.T) {
	if got := Larger([]float64{2, 4}, []float64{1, 2, 3}); got != 4.5/6 {
		t.Errorf("%g, want 0.75", got)
	}
}

// The classes that are drawn are whole, numbered anew, and have as many labels as asked
// for, all of them right.
func TestDraw(t *testing.T) {
	s := digits(t, 8)
	task, err := Draw(s, 4, 3, 7)
	if err != nil {
		t.Fatal(err)
	}
	given, size := make([]int, 4), make([]int, 4)
	for j, c := range task.Set.Labels {
		size[c]++
		if l := task.Labels.Class[j]; l >= 0 {
			given[l]++
			if l != c {
				t.Errorf("sample %d of class %d has label %d", j, c, l)
			}
		}
	}
	if !slices.Equal(size, []int{8, 8, 8, 8}) || !slices.Equal(given, []int{3, 3, 3, 3}) {
		t.Errorf("classes of %v samples, %v labels", size, given)
	}
	again, err := Draw(s, 4, 3, 7)
	if err != nil || !mat.Equal(task.X, again.X) || !slices.Equal(task.Labels.Class, again.Labels.Class) {
		t.Errorf("the same seed draws others: %v", err)
	}
	if _, err := Draw(s, 11, 3, 7); err == nil {
		t.Error("11 classes of 10")
	}
}

func TestShare(t *testing.T) {
	s := digits(t, 10)
	task, err := Share(s, 0.5, 0.2, 3)
	if err != nil {
		t.Fatal(err)
	}
	given, wrong := 0, 0
	for j, l := range task.Labels.Class {
		if l >= 0 {
			given++
			if l != task.Set.Labels[j] {
				wrong++
			}
		}
	}
	if given != 50 || wrong != 10 {
		t.Errorf("%d labels, %d of them wrong, want 50 and 10", given, wrong)
	}
}

func TestNearestMean(t *testing.T) {
	known := mat.NewDense(1, 4, []float64{1, 3, 10, 99})
	l := rnmf.Labels{Class: []int{0, 0, 1, -1}, Names: []string{"low", "high"}}
	if got := NearestMean(known, l, mat.NewDense(1, 3, []float64{0, 5.9, 6.1})); !slices.Equal(got, []int{0, 0, 1}) {
		t.Error(got) // the means are 2 and 10
	}
}

// Paper has all ten methods of Tables 2 to 5 at each number of classes, and its names are those
// of the rivals.
func TestPaper(t *testing.T) {
	all := Paper()
	if len(all) != 4*5*10 {
		t.Fatalf("%d numbers of classes and models, want 200", len(all))
	}
	for _, c := range []struct {
		set, k, model string
		accuracy, nmi float64
	}{
		{"Yale", "2", "PCA", 63.64, 45.38}, {"Yale", "15", "RSS-NMF", 58.40, 55.92}, {"COIL-100", "10", "Semi-GNMF", 92.08, 91.64},
		{"UMIST", "8", "RNMF", 81.33, 77.21}, {"GT", "50", "SSC-SR", 66.18, 68.44}, {"GT", "2", "IDEC", 78.92, 82.73},
	} {
		row := all.Where("set", c.set, "k", c.k, "model", c.model)
		if len(row) != 1 || row[0].Number("accuracy") != c.accuracy || row[0].Number("nmi") != c.nmi {
			t.Errorf("%+v is stored as %v", c, row)
		}
	}
	for _, r := range append(Rivals(), FurtherRivals()...) {
		if r.Paper != "" && len(all.Where("model", r.Paper)) != 20 {
			t.Errorf("%s is %q in the paper, which has no such row", r.Name, r.Paper)
		}
	}
}

// TestLead knows that ten draws are stored of each rival, and none of two stages with other numbers of labels.
func TestLead(t *testing.T) {
	lead := Lead("nearest", "pixels", "salt & pepper 40", "pixels")
	if len(lead) != 10 || math.Abs(floats.Sum(lead)/10-11.1) > 0.1 { // 33.0 − 21.9, as notebook 03b shows
		t.Errorf("RSS-NMF leads by %v, want ten numbers of mean 11.1", lead)
	}
	if other := Lead("accuracy", "pixels", "salt & pepper 40", "pixels"); len(other) != 10 || slices.Equal(other, lead) {
		t.Errorf("accuracy: %v, want ten other numbers", other)
	}
	if lead := Lead("nearest", "labels", "0.5 0", "two stages"); lead != nil {
		t.Errorf("two stages: %v, want none", lead)
	}
}
