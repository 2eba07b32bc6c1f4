package rls

import (
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/choose"
)

func digits(t *testing.T) *Problem {
	t.Helper()
	s, err := datasets.Digits().Sample(6, 1)
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(s, 0, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func method(t *testing.T, name string) Method {
	t.Helper()
	for _, m := range Methods() {
		if m.Name == name {
			return m
		}
	}
	t.Fatal(name)
	return Method{}
}

// Samples of length 1 have residuals below 1, and S is 0 for γ ≥ 2: those points of
// the grid are left out. For γ = 1 it is not 0.
func TestLargeGammaIsLSNMF(t *testing.T) {
	p := digits(t)
	for _, v := range []Setting{{0.001, 0.001, 0, 0.001}, {0.1, 0.1, 0, 1}, {1, 0.01, 0, 1000}, {1000, 1000, 0, 1}} {
		ls, err := method(t, "LS-NMF").Fit(context.Background(), p, v, 1, 30)
		if err != nil {
			t.Fatal(err)
		}
		for _, gamma := range []float64{2, 10, 100, 1000} {
			v.Gamma = gamma
			rls, err := method(t, "RLS-NMF").Fit(context.Background(), p, v, 1, 30)
			if err != nil {
				t.Fatal(err)
			}
			if !mat.Equal(ls.W, rls.W) || !mat.Equal(ls.H, rls.H) {
				t.Errorf("%+v is not LS-NMF", v)
			}
		}
	}
	v := Setting{0.001, 0.001, 0.5, 0.1}
	ls, err := method(t, "LS-NMF").Fit(context.Background(), p, v, 1, 30)
	if err != nil {
		t.Fatal(err)
	}
	rls, err := method(t, "RLS-NMF").Fit(context.Background(), p, v, 1, 30)
	if err != nil {
		t.Fatal(err)
	}
	if mat.Equal(ls.W, rls.W) {
		t.Error("γ = 0.5 is LS-NMF")
	}
}

func TestAt(t *testing.T) {
	names := []string{"alpha", "gamma", "lambda", "beta"}
	values := []float64{1, 2, 3, 4}
	if v := At(choose.Setting{Names: names[:3], Values: values[:3]}); v != (Setting{1, 1, 2, 3}) {
		t.Error(v)
	}
	if v := At(choose.Setting{Names: names, Values: values}); v != (Setting{1, 4, 2, 3}) {
		t.Error(v)
	}
}

// Purity is never below accuracy, and both are multiples of 1/n if they are of one run:
// what a slip of ours in printed.csv would break, and where the paper breaks it.
func TestChecks(t *testing.T) {
	if n := len(Lines()); n != 26 || len(Lines(2, 3)) != 6 || Lines(1, 5)[8] != (Line{5, "ORL", 0.005}) {
		t.Errorf("%d lines of tables: %v", n, Lines())
	}
	for _, l := range Lines() {
		for _, m := range Methods() {
			for _, metric := range []string{"accuracy", "nmi", "purity"} {
				if v := PrintedNumber(l.Table, l.Set, l.Level, metric, m.Name); m.Name != "L1" && !(v > 0 && v < 100) {
					t.Errorf("%v, %s, %s: %v", l, metric, m.Name, v)
				}
			}
		}
	}
	below, broken := map[string]int{}, map[string]int{}
	for _, c := range Checks() {
		if c.Numbers != 52 {
			t.Errorf("%+v", c)
		}
		if c.Below > 0 {
			below[c.Method] = c.Below
		}
		if c.Broken > 0 {
			broken[c.Method] = c.Broken
		}
	}
	if want := map[string]int{"ONMF": 5}; !maps.Equal(below, want) {
		t.Errorf("purities below accuracies: %v, want %v", below, want)
	}
	// Of RMNMF all are in Tables 5 to 7, 14 of its 18 there.
	if want := map[string]int{"RMNMF": 14, "GNMF": 2, "CNMF": 1, "ONMF": 1, "Semi-NMF": 1, "RLS-NMF": 1}; !maps.Equal(broken, want) {
		t.Errorf("no multiples of 1/n: %v, want %v", broken, want)
	}
	if Printed(1, "Yale", 0, "accuracy", "L1") != "–" {
		t.Error("L1 is not in the paper's tables")
	}
}

// The stored results have no point twice, grids have the points that Command tries, and
// numbers are those that can be. Not all grids are whole: see notebook 04.
func TestResults(t *testing.T) {
	type key struct {
		table       int
		set, method string
		level       float64
		v           Setting
	}
	seen := map[key]bool{}
	problems := map[string]bool{}
	for _, r := range Results() {
		k := key{r.Table, r.Set, r.Method, r.Level, At(r.Setting)}
		if seen[k] {
			t.Errorf("twice: %+v", k)
		}
		seen[k] = true
		problems[fmt.Sprintf("%d %s %g", r.Table, r.Set, r.Level)] = true
		for _, name := range scores {
			v, low, high := r.Scores[name], 0.0, 1.0
			switch name {
			case "stability", "silhouette":
				low = -1
			case "live":
				high = 100
			}
			if !(v >= low && v <= high) {
				t.Errorf("%s is %v: %+v", name, v, k)
			}
		}
		if r.Scores["purity"] < r.Scores["accuracy"] {
			t.Errorf("purity below accuracy: %+v", k)
		}
	}
	known := map[string]bool{}
	for _, j := range jobs() {
		known[fmt.Sprintf("%d %s %g", j.table, j.set.Name, j.removed+j.noise)] = true
	}
	for p := range problems {
		if !known[p] {
			t.Errorf("no job is %s", p)
		}
	}
	for _, set := range []string{"Yale", "ORL", "COIL20", "Semeion"} {
		if !problems["1 "+set+" 0"] {
			t.Errorf("Table 1 lacks %s", set)
		}
	}
}

// Rows as printed run through, and those that are stored are of the grid.
func TestAsPrinted(t *testing.T) {
	s, err := datasets.Digits().Sample(6, 1)
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(s.Scaled(), 0, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, m := range AsPrinted() {
		names[m.Name] = true
		row, err := Run(t.Context(), p, m, Setting{Alpha: 0.1, Beta: 0.1, Gamma: 1, Lambda: 0.1}, 1, 10)
		if err != nil || row.Live == 0 || !(row.Accuracy > 0) {
			t.Errorf("%s: %+v, %v", m.Name, row, err)
		}
	}
	points := map[string]int{} // by the table and set
	for _, r := range AsPrintedResults() {
		v := At(r.Setting)
		if !names[r.Method] || v.Alpha != v.Beta || !(r.Scores["accuracy"] > 0) {
			t.Errorf("%+v", r)
		}
		points[fmt.Sprint(r.Table, r.Set, r.Level)]++
	}
	for at, n := range points {
		if want := 20; n != want && !(strings.HasPrefix(at, "1") && n == 65) {
			t.Errorf("%s has %d points of the grid, want %d", at, n, want)
		}
	}
}

// The times are those of good points of Table 1. They need not be the best: the times
// are older than parts of the grid.
func TestTimes(t *testing.T) {
	accuracy := func(set, method string, v Setting) float64 {
		for _, r := range Results() {
			if r.Table == 1 && r.Set == set && r.Method == method && At(r.Setting) == v {
				return r.Scores["accuracy"]
			}
		}
		t.Errorf("no result of %s on %s has %+v", method, set, v)
		return 0
	}
	all := Times()
	if want := 4 * len(Methods()); len(all) != want {
		t.Errorf("%d rows, want %d", len(all), want)
	}
	for _, r := range all {
		set, method := r.Text("set"), r.Text("method")
		v := Setting{r.Number("alpha"), r.Number("alpha"), r.Number("gamma"), r.Number("lambda")}
		best := accuracy(set, method, chosen(set, method))
		if here := accuracy(set, method, v); here < best-0.05 || here > best || !(r.Number("milliseconds") > 0) {
			t.Errorf("%v, whose accuracy is %g, the best is %g", r, here, best)
		}
	}
	if v := chosen("Semeion", "RMNMF"); v != (Setting{0, 0, 0, 0.01}) {
		t.Errorf("of RMNMF on Semeion %+v is chosen", v)
	}
}

func TestWanted(t *testing.T) {
	j := job{table: 5, set: datasets.ORL, noise: 0.005}
	for only, want := range map[string]bool{"": true, "5": true, "1,5": true, "5:ORL": true, "5:ORL:0.005": true,
		"15": false, "apart": false, "5:Yale": false, "5:ORL:0.01": false, "ORL": false} {
		if wanted(only, j) != want {
			t.Errorf("%q: %v", only, !want)
		}
	}
}

// The long run goes through on few digits in the place of each set, is the same when it
// goes on from its work folder, and its grids have the points of jobs.
func TestStore(t *testing.T) {
	s, err := datasets.Digits().Sample(2, 1)
	if err != nil {
		t.Fatal(err)
	}
	work := t.TempDir()
	load := func(source *datasets.PublicSet) (*datasets.Set, error) {
		if source == datasets.Yale {
			return s, nil
		}
		return nil, datasets.ErrNotFound
	}
	var texts [2]string
	for i := range texts {
		out := filepath.Join(work, "results.csv")
		if err := (run{load, work, "3,6", 0, 1, Methods(), nil}).store(t.Context(), out); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(text)
	}
	if texts[0] != texts[1] {
		t.Error("a second run writes another file")
	}
	all := stored.Parse(texts[0])
	if got := all.Different("table"); !slices.Equal(got, []string{"3", "6"}) {
		t.Errorf("tables %q, want 3 and 6", got)
	}
	// α, γ and λ have 3, 2 and 5 values, λ of RMNMF has 3; three levels of two tables.
	for method, points := range map[string]int{"NMF": 1, "GNMF": 5, "RMNMF": 3, "WNMF": 1, "CNMF": 1, "ONMF": 1, "Semi-NMF": 1, "LS-NMF": 15, "RLS-NMF": 30} {
		if rows := all.Where("method", method); len(rows) != 6*points {
			t.Errorf("%s has %d points, want %d", method, len(rows), 6*points)
		}
	}
	rows, err := times(t.Context(), load)
	if err != nil || len(rows) != 1+len(Methods()) {
		t.Errorf("%d lines of times, %v", len(rows), err)
	}
}

// Rows of an older version get that of now where a row of them, computed again, is as it is stored;
// where it is not, they stay.
func TestVerify(t *testing.T) {
	s, err := datasets.Digits().Sample(2, 1)
	if err != nil {
		t.Fatal(err)
	}
	load := func(source *datasets.PublicSet) (*datasets.Set, error) {
		if source == datasets.Yale {
			return s, nil
		}
		return nil, datasets.ErrNotFound
	}
	var methods []Method
	for _, m := range Methods() {
		if m.Name == "GNMF" || m.Name == "NMF" {
			methods = append(methods, m)
		}
	}
	out := filepath.Join(t.TempDir(), "results.csv")
	u := run{load, t.TempDir(), "3:Yale:0.2", 0, 1, methods, nil}
	if err := u.store(t.Context(), out); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := linesOf(out)
	if err != nil || len(lines) != 6 {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	head, _, _ := strings.Cut(string(text), "\n")
	older := [][]string{strings.Split(head, ",")}
	for _, line := range lines {
		line[len(line)-3], line[len(line)-1] = "", "older"
		if line[3] == "GNMF" {
			line[8] = "0.0001"
		}
		older = append(older, line)
	}
	if err := stored.Write(out, older); err != nil {
		t.Fatal(err)
	}
	if err := u.verify(t.Context(), out, 2); err != nil {
		t.Fatal(err)
	}
	if lines, err = linesOf(out); err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		seeds, is := line[len(line)-3], line[len(line)-1]
		if differs := line[3] == "GNMF"; (is == "older") != differs || (seeds == "") != differs {
			t.Errorf("%s has the seeds %q and the version %s", line[3], seeds, is)
		}
	}
}

// Best is the largest score of a grid; points of LS-NMF are RLS-NMF's, too, and points without
// components count only where the score itself chooses.
func TestBest(t *testing.T) {
	for _, set := range []string{"ORL", "Yale"} {
		most := map[string]float64{}
		for _, r := range Results() {
			if r.Table == 1 && r.Set == set && r.Setting.Value("alpha") == r.Setting.Value("beta") {
				most[r.Method] = max(most[r.Method], r.Scores["accuracy"])
			}
		}
		most["RLS-NMF"] = max(most["RLS-NMF"], most["LS-NMF"])
		for _, m := range Methods() {
			if got := Best(1, set, 0, m.Name, "accuracy", "accuracy"); got != most[m.Name] {
				t.Errorf("%s, %s: %v, want %v", set, m.Name, got, most[m.Name])
			}
		}
		if live := Best(1, set, 0, "RLS-NMF", "live", "silhouette"); !(live > 0) {
			t.Errorf("%s: the silhouette chose %v components", set, live)
		}
	}
	if v := Best(9, "ORL", 0, "NMF", "accuracy", "accuracy"); !math.IsNaN(v) {
		t.Errorf("no such table: %v", v)
	}
}

// What notebook 04 shows of fits with pairs of penalties and with thresholds.
func TestLesson(t *testing.T) {
	p := digits(t)
	g, err := Pairs(t.Context(), p, []float64{0.001, 1000}, 0.1, 60)
	// At (1000, 0.001) components are as large as each other, and nothing next to X.
	if err != nil || g.Live.At(1, 0) != 0 || g.Dead() != 3 || len(g.Names) != 2 || g.Names[1] != "1000" || g.Live.At(0, 0) != float64(p.K) || g.Live.At(1, 1) != 0 || !(g.Accuracy.At(0, 0) > 0.1) {
		t.Errorf("%v, live %v, accuracy %v, %v", g.Names, mat.Formatted(g.Live), mat.Formatted(g.Accuracy), err)
	}
	x, mask, err := datasets.OutlierSamples{Share: 0.1, Kind: datasets.PermutedEntries}.Apply(p.Set.X, 1)
	if err != nil {
		t.Fatal(err)
	}
	f, err := ByThreshold(t.Context(), x, mask, 0.2, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, unit := range f.Precision.Rows {
		low, high := f.Precision.Mean(unit, "0.2"), f.Precision.Mean(unit, "100")
		if !(low > high) || f.Flagged.Mean(unit, "0.2") == 0 || f.Flagged.Mean(unit, "100") != 0 {
			t.Errorf("%s: precision %v and %v, flagged %v and %v", unit, low, high, f.Flagged.Mean(unit, "0.2"), f.Flagged.Mean(unit, "100"))
		}
	}
	if _, err := Find(t.Context(), x, mask, rnmf.Huber{Cut: -1}); err == nil {
		t.Error("a loss with a negative cut passes")
	}
	if at := BestSetting("ORL", "NMF"); at != (Setting{}) {
		t.Errorf("%+v", at)
	}
	if m, err := Named("ℓ₁"); err != nil || m.Name != "L1" {
		t.Errorf("%s, %v", m.Name, err)
	}
	if m, err := Named("convex NMF"); err != nil || m.Name != "CNMF" {
		t.Error(m.Name, err)
	}
	if _, err := Named("none"); err == nil {
		t.Error("a method without a name is found")
	}
}

// One sample of 400 is a difference, and half of one is none.
func TestLevel(t *testing.T) {
	if one, half := 0.5175-0.5150, 0.00125; Level("ORL", one) || Level("ORL", -one) || !Level("ORL", half) || !Level("ORL", 0) {
		t.Error("level where a sample differs, or not where none does")
	}
}
