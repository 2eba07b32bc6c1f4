package arena

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
	"github.com/robustnmf/robustnmf/rnmf"
)

// A run stores each case of each model once, with the version of the model, and goes on where its file
// ends: a second one changes nothing, and one of a file that was cut off adds what is missing.
func TestDefaults(t *testing.T) {
	s := few(t)
	rivals := slices.DeleteFunc(Defaults(), func(d Default) bool { return d.Name != "least squares" && d.Name != "auto" })
	path := filepath.Join(t.TempDir(), "defaults.csv")
	run := stored.Trials{Count: 1, Out: path}
	text := func() string {
		if err := storeDefaults(t.Context(), run, []Set{s}, rivals); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	first := text()
	rows := stored.Parse(first)
	if want := 2 * len(Cases(s.Set)); len(rows) != want {
		t.Errorf("%d rows, want %d", len(rows), want)
	}
	for _, r := range rows {
		if e := r.Number("error"); !(e > 0 && e < 3) || r.Text("version") == "" || (r.Text("chosen") == "") != (r.Text("model") == "least squares") {
			t.Errorf("%+v", r)
		}
	}
	if again := text(); again != first {
		t.Error("a second run changed the file")
	}
	lines := strings.SplitAfter(first, "\n")
	if err := os.WriteFile(path, []byte(strings.Join(lines[:5], "")), 0o644); err != nil {
		t.Fatal(err)
	}
	if again := stored.Parse(text()); len(again) != len(rows) {
		t.Errorf("%d rows after it went on, want %d", len(again), len(rows))
	}
}

// Recovery leaves out the samples that were replaced, and no others.
func TestRecovery(t *testing.T) {
	s := few(t)
	m, n := s.X.Dims()
	w := mat.NewDense(m, m, nil)
	for i := range m {
		w.Set(i, i, 1)
	}
	h := mat.DenseCopyOf(s.X)
	where := mat.NewDense(m, n, nil)
	for i := range m {
		h.Set(i, 3, h.At(i, 3)+1)
		where.Set(i, 3, 1)
	}
	for kind, zero := range map[string]bool{"alien images": true, "salt & pepper": false} {
		e, err := Recovery(s.Set, Case{Kind: kind}, where, &rnmf.Result{W: w, H: h})
		if err != nil || (e == 0) != zero {
			t.Errorf("%s: %g, %v", kind, e, err)
		}
	}
}

// A place counts the cases that have all five losses and Auto, and compares with the best of the losses.
func TestPlaces(t *testing.T) {
	var rows []Stored
	add := func(set string, strength float64, errs map[string]float64) {
		for model, e := range errs {
			rows = append(rows, Stored{set, "none", strength, model, 1, Row{Error: e, Seconds: 2 * e}})
		}
	}
	five := func(auto float64) map[string]float64 {
		return map[string]float64{"least squares": 0.4, "Huber": 0.2, "CellCase": 0.3, "two stages": 0.25, "L2,1": 0.5, "auto": auto}
	}
	add("A", 0, five(0.2))
	add("A", 1, five(0.1))
	add("A", 2, map[string]float64{"least squares": 1, "auto": 9})
	add("B", 0, five(0.4))
	places, in := Places(rows, []string{"A", "B", "C"})
	if !slices.Equal(in, []string{"A", "B"}) || len(places) != 6 {
		t.Fatalf("%v, %+v", in, places)
	}
	auto := places[5]
	if auto.Model != "auto" || auto.Cases != 3 || auto.Near != 2 || auto.Worst != 2 || auto.Lost != (Bout{"B", "none", 0}) || math.Abs(auto.Mean-1) > 1e-12 || math.Abs(auto.Times-0.8) > 1e-12 {
		t.Errorf("%+v", auto)
	}
	if f := meanFactor(rows, Factors(rows, "Huber"), []string{"A"}, "none"); f != 1 {
		t.Errorf("factor %g", f)
	}
	if f := meanFactor(rows, Factors(rows, "Huber"), []string{"C"}, "none"); !math.IsNaN(f) {
		t.Errorf("factor %g", f)
	}
}

// A model that took part in one trial is compared with the losses of that trial, and a trial that is not
// complete counts for nobody.
func TestFactorsOfTheSameDraws(t *testing.T) {
	var rows []Stored
	add := func(trial uint64, errs map[string]float64) {
		for model, e := range errs {
			rows = append(rows, Stored{"A", "none", 0, model, trial, Row{Error: e}})
		}
	}
	five := func(e float64) map[string]float64 {
		return map[string]float64{"least squares": e, "Huber": 2 * e, "CellCase": 2 * e, "two stages": 2 * e, "L2,1": 2 * e}
	}
	add(1, five(0.2))
	add(1, map[string]float64{"as diagnosed": 0.3, "auto": 0.2})
	add(2, five(0.1))
	add(2, map[string]float64{"auto": 0.1})
	add(3, map[string]float64{"least squares": 0.01, "auto": 5})
	for model, want := range map[string]float64{"as diagnosed": 1.5, "auto": 1, "Huber": 2, "least squares": 1} {
		if f := Factors(rows, model)[Bout{"A", "none", 0}]; math.Abs(f-want) > 1e-12 {
			t.Errorf("%s: %g, want %g", model, f, want)
		}
	}
}

// What is stored is in range, has a version, and belongs to a group; of the sets that are there no case
// of a loss is missing.
func TestDefaultsResults(t *testing.T) {
	for _, r := range DefaultsResults() {
		if of := chosenLosses[r.Chosen]; r.Model == "auto" && of == "" {
			t.Errorf("what is %q?", r.Chosen)
		}
		if !(r.Error > 0 && r.Error < 10) || r.Rounds < 0 || r.Seconds < 0 {
			t.Errorf("%+v", r)
		}
	}
	counts := map[string]int{}
	for _, g := range Groups() {
		places, in := Places(DefaultsResults(), g.Sets)
		for _, p := range places {
			if counts[p.Model] += p.Cases; !(p.Mean >= 0.9 && p.Worst >= p.Mean) {
				t.Errorf("%s: %+v", g.Name, p)
			}
		}
		t.Log(g.Name, in, places)
	}
	for _, d := range Defaults() {
		if !d.Chooses && (counts[d.Name] == 0 || counts[d.Name] != counts["auto"]) {
			t.Errorf("%d cases of %s, %d of auto", counts[d.Name], d.Name, counts["auto"])
		}
	}
}
