package arena

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/robustnmf/robustnmf/viz"
)

// two returns stored rows of two rivals: b has twice the error of a on clean data, and half of it where
// pixels are dead.
func two() (rows []Stored) {
	for _, trial := range []uint64{1, 2} {
		for _, of := range []struct {
			kind     string
			strength float64
			a, b     float64
		}{{"none", 0, 0.1, 0.2}, {"dead pixels", 10, 0.4, 0.2}, {"dead pixels", 40, 0.8, 0.4}} {
			rows = append(rows, Stored{"s", of.kind, of.strength, "a", trial, Row{Error: of.a, Accuracy: 1 - of.a, AP: math.NaN(), Seconds: 1, Rounds: 10}},
				Stored{"s", of.kind, of.strength, "b", trial, Row{Error: of.b, Accuracy: 1 - of.b, AP: math.NaN(), Seconds: 4, Rounds: 20}})
		}
	}
	return rows
}

func TestFate(t *testing.T) {
	if got, want := Fate(two(), "a"), "a: place 2 of 2; it won 1 of 3 bouts; its worst is dead pixels 10, with an error 2.00 times that of b."; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got := Fate(two(), "c"); !strings.Contains(got, "no part") {
		t.Error(got)
	}
}

func TestVerdict(t *testing.T) {
	for _, c := range []struct{ kind, want string }{{"none", "a is the best"}, {"dead pixels", "b is the best"}, {"alien images", "not tried"}} {
		if got := verdict(two(), c.kind, []string{"a", "b"}); got != c.want {
			t.Errorf("%s: %s, want %s", c.kind, got, c.want)
		}
	}
	if got := verdict(two(), "none", []string{"a"}); got != "no difference" {
		t.Error(got)
	}
}

func TestRanking(t *testing.T) {
	table := Ranking("", two(), Error, Accuracy)
	if len(table.Rows) != 2 || len(table.Rows[0]) != len(table.Header) || table.Rows[0][0].Text != "b" || table.Rows[0][2].Text != "2.00, clean data" {
		t.Errorf("%+v", table)
	}
	if r := Agreement(two(), Error, Accuracy); math.Abs(r-1) > 1e-12 {
		t.Errorf("agreement %g", r)
	}
}

// A restoration has a view of each rival, a column for each kind of damage, and the error of each.
func TestRestore(t *testing.T) {
	s := few(t)
	r, err := Restore(t.Context(), s, Pick("L2,1", "Huber"), 5)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Views) != 4 || len(r.Kinds) != 5 || len(r.Errors.Rows) != 5 || len(r.Table("").Rows) != 5 {
		t.Errorf("%d views, %v, %v", len(r.Views), r.Kinds, r.Errors)
	}
	if f, err := r.Draw(); err != nil || f == nil {
		t.Error(err)
	}
}

// How many starts there are is said of what is stored, however many that is.
func TestStarts(t *testing.T) {
	var rows []Stored
	add := func(model string, strength float64, trials uint64) {
		for trial := range trials {
			rows = append(rows, Stored{"A", "none", strength, model, trial, Row{Error: 1}})
		}
	}
	for _, d := range Defaults() {
		if !d.Chooses {
			add(d.Name, 0, 3)
			add(d.Name, 1, 2)
		}
	}
	add("auto", 0, 3)
	add("auto", 1, 2)
	add("as diagnosed", 0, 1)
	if got, want := Starts(rows, []string{"as diagnosed", "auto", "Huber"}), "2 to 3 starts for each case, 1 start of as diagnosed"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A default of which fewer starts are stored is compared on those.
func TestAlongside(t *testing.T) {
	var rows []Stored
	for _, set := range []string{"JAFFE", "Palm"} {
		for trial := range uint64(2) {
			for _, d := range Defaults() {
				if d.Name != "as diagnosed" || trial == 1 {
					rows = append(rows, Stored{set, "none", 0, d.Name, trial, Row{Error: 0.1}})
				}
			}
		}
	}
	if table := DefaultsTable(rows); len(table.Rows) != 7 || !strings.HasSuffix(table.Caption, "; 2 starts for each case, 1 start of as diagnosed") {
		t.Errorf("%+v", table)
	}
	some := Alongside(rows, "as diagnosed")
	if table := DefaultsTable(some); len(some) != 14 || len(table.Rows) != 7 || !strings.HasSuffix(table.Caption, "; 1 start for each case") {
		t.Errorf("%d of rows, %+v", len(some), table)
	}
}

// Who is ahead is judged by the sets.
func TestDuel(t *testing.T) {
	var rows []Stored
	for i, set := range []string{"JAFFE", "Palm", "MNIST"} {
		for _, d := range Defaults() {
			e := 0.2
			if d.Name == "auto" {
				e = 0.4 + 0.01*float64(i)
			}
			rows = append(rows, Stored{set, "none", 0, d.Name, 1, Row{Error: e}})
		}
	}
	table := Duel(rows, "auto", "CellCase")
	if len(table.Rows) != 1 || table.Rows[0][4].Text != "behind" || math.Abs(table.Rows[0][2].Value-2.05) > 0.01 {
		t.Errorf("%+v", table.Rows)
	}
	if table := Duel(rows, "CellCase", "auto"); table.Rows[0][4].Text != "ahead" {
		t.Errorf("%+v", table.Rows)
	}
	if table := Duel(rows, "Huber", "L2,1"); !strings.HasPrefix(table.Rows[0][4].Text, "level") {
		t.Errorf("%+v", table.Rows)
	}
}

// What is said of the two defaults is what the rows hold.
func TestTwoDefaults(t *testing.T) {
	var rows []Stored
	for _, set := range []string{"JAFFE", "Palm", "MNIST"} {
		for trial := range uint64(2) {
			for _, d := range Defaults() {
				r := Row{Error: 0.2, Seconds: 1}
				switch {
				case d.Name == "auto":
					r.Seconds = 3
				case d.Name == "CellCase":
					r.Error = 0.3 + 0.2*float64(trial)
				}
				rows = append(rows, Stored{set, "none", 0, d.Name, trial, r})
			}
		}
	}
	said := TwoDefaults(rows)
	for _, want := range []string{"on the judges `choose.Auto` is ahead", "`choose.Auto` is 1.0 times the best, and that of `CellCaseNMF` 2.0 times", "their worst single fits reach 1.0 and 2.5 times", "takes 3.0 times", "`CellCaseNMF` 1.0 times"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q, without %q", said, want)
		}
	}
	for i := range rows {
		rows[i].Error = 0.2
	}
	if said := TwoDefaults(rows); !strings.Contains(said, " are level: ") || !strings.Contains(said, "the worst single fit of each is 1.0 times the best") {
		t.Error(said)
	}
}

// Why a race is led astray depends on what it chose, and on which loss is the best.
func TestAstray(t *testing.T) {
	var rows []Stored
	add := func(trial uint64, auto float64, chosen string, errs ...float64) {
		i := 0
		for _, d := range Defaults() {
			if !d.Chooses {
				rows = append(rows, Stored{"MNIST", "none", 0, d.Name, trial, Row{Error: errs[i]}})
				i++
			}
		}
		rows = append(rows, Stored{"MNIST", "none", 0, "auto", trial, Row{Error: auto, Chosen: chosen}})
	}
	// least squares, Huber, CellCase, two stages, L2,1
	add(1, 0.2, "a robust loss that leaves entries out", 0.1, 0.2, 0.2, 0.2, 0.2)
	add(2, 0.2, "a robust loss of samples", 0.2, 0.2, 0.2, 0.1, 0.2)
	add(3, 0.4, "a robust loss of samples", 0.2, 0.2, 0.2, 0.2, 0.1)
	add(4, 0.2, "a robust loss of samples", 0.2, 0.1, 0.2, 0.2, 0.2)
	add(5, 0.1, "a robust loss of samples", 0.2, 0.2, 0.2, 0.2, 0.1)
	table := Astray(rows, "auto", 1.1)
	if len(table.Rows) != 4 || !strings.HasSuffix(table.Caption, "in 4 of 5 fits") {
		t.Fatalf("%+v", table)
	}
	for i, want := range []float64{2, 2, 4, 2} {
		if r := table.Rows[i]; r[1].Value != 1 || math.Abs(r[2].Value-want) > 1e-12 || r[4].Text != fmt.Sprintf("none (1, %.2f on MNIST)", want) {
			t.Errorf("%+v, want %g", r, want)
		}
	}
}

// What losses make of dead pixels has a view and a row for each of them.
func TestDeadPixels(t *testing.T) {
	o, err := DeadPixels(t.Context(), few(t), 3, Pick("Huber", "Cauchy")...)
	if err != nil {
		t.Fatal(err)
	}
	if len(o.Views) != 4 || len(o.Above.Rows) != 2 || len(o.Errors.Columns) != 4 || !(o.Top > 0) || o.By == "" || o.Curves() == nil {
		t.Errorf("%+v", o)
	}
	if f, err := o.Image(); err != nil || f == nil {
		t.Error(err)
	}
}

// All of what notebook 06 shows can be drawn from what is stored, and each table is one.
func TestDrawn(t *testing.T) {
	rows, defaults := Results(), DefaultsResults()
	for name, draw := range map[string]func([]Stored) (viz.Figure, error){"found": Found, "costs": Costs} {
		if f, err := draw(rows); err != nil || f == nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if f, tables, err := DefaultsMap(defaults); err != nil || f == nil || len(tables) != len(Groups()) {
		t.Error(err)
	}
	if got := CleanErrors(rows); strings.Count(got, ",") != 2 {
		t.Error(got)
	}
	if got := FoundOn(rows, "L2,1", "alien images"); strings.Count(got, " 0.")+strings.Count(got, " 1.") != 3 {
		t.Error(got)
	}
	if Maps(rows) == nil || Versus(defaults, "auto", "CellCase") == nil {
		t.Error("no points")
	}
	if got := FarOff(defaults, 100, "auto"); !strings.HasSuffix(got, "fits: auto 0") {
		t.Error(got)
	}
	if f := Panels(rows, "least squares", "Huber"); f == nil {
		t.Error("no panels")
	}
	for _, table := range []*viz.Table{Strengths(few(t).Set), DefaultsTable(defaults), GroupsTable(defaults), Duel(defaults, "auto", "CellCase"), Astray(defaults, "auto", 1.1), Choice(defaults), BySet(defaults, "two stages", "CellCase")} {
		if len(table.Rows) == 0 || slices.ContainsFunc(table.Rows, func(r []viz.Cell) bool { return len(r) != len(table.Header) }) {
			t.Errorf("%q: %d rows", table.Caption, len(table.Rows))
		}
	}
}
