package claims

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
)

// The interval is that of a table of the t distribution: 2.776 at 4 degrees of freedom.
func TestDifference(t *testing.T) {
	d := DifferenceOf([]float64{1, 2, 3, 4, 5})
	half := 2.7764 * math.Sqrt(2.5/5)
	if d.Mean != 3 || d.N != 5 || math.Abs(d.High-3-half) > 1e-3 || math.Abs(3-half-d.Low) > 1e-3 || d.side() != 1 {
		t.Errorf("%+v, want 3 ± %g", d, half)
	}
	if d := DifferenceOf([]float64{-1, 1}); d.side() != 0 {
		t.Errorf("%+v", d)
	}
	if d := DifferenceOf([]float64{-2}); d.side() != -1 || d.Low != -2 || d.text(false) != "−2.000" {
		t.Errorf("%+v, %s", d, d.text(false))
	}
	if got := DifferenceOf([]float64{0.0001, 0.0003}).text(false); got != "+0.00020 [−0.00107, +0.00147]" {
		t.Error(got)
	}
	if got := DifferenceOf([]float64{0.01, 0.03}).text(true); got != "+2.0 [−10.7, +14.7]" {
		t.Error(got)
	}
}

func TestOver(t *testing.T) {
	if got := Over([]float64{0.02, 0.05}, []float64{0.01, 0.02}); got != "+0.020 [−0.107, +0.147]" {
		t.Error(got)
	}
}

// A cell compares on the draws that both have, with the rival of the best mean.
func TestContest(t *testing.T) {
	all := stored.Parse(`set,model,trial,accuracy,error
Yale,ours,1,0.9,1
Yale,ours,2,0.8,2
Yale,poor,1,0.1,9
Yale,poor,2,0.1,9
Yale,good,2,0.7,1
Yale,good,3,0.1,1
ORL,ours,1,0.5,1
`)
	c, ok := Contest{Table: all, Who: "ours", Rivals: []string{"poor", "good", "none"}, Value: "accuracy"}.Cell("x", "set", "Yale")
	if !ok || c.Over != "good" || c.N != 1 || math.Abs(c.Mean-0.1) > 1e-12 || c.Name != "x" {
		t.Errorf("%v: %+v", ok, c)
	}
	c, _ = Contest{Table: all, Who: "ours", Rivals: []string{"good"}, Value: "error", Less: true}.Cell("x", "set", "Yale")
	if c.Mean != -1 {
		t.Errorf("less is better: %+v", c)
	}
	if _, ok := (Contest{Table: all, Who: "ours", Rivals: []string{"good"}, Value: "accuracy"}).Cell("x", "set", "ORL"); ok {
		t.Error("a cell without a rival")
	}
}

// Each verdict of the rule of the lead, by intervals that are known.
func TestLead(t *testing.T) {
	cell := func(mean, half float64, n int) Cell {
		return Cell{"c", "r", Difference{mean, mean - half, mean + half, n}}
	}
	ahead, level, behind := cell(5, 1, 10), cell(1, 3, 10), cell(-5, 1, 10)
	unsure, equal := cell(1, 3, 3), cell(0, 0, 2)
	plus, minus := cell(1, 0, 1), cell(-1, 0, 1)
	for _, c := range []struct {
		want  Verdict
		cells []Cell
	}{
		{Reproduced, []Cell{ahead, level}},
		{Reproduced, []Cell{ahead, equal}},
		{Partly, []Cell{ahead, level, level}},
		{Partly, []Cell{ahead, ahead, behind}},
		{Partly, []Cell{ahead, behind}},
		{Partly, []Cell{ahead, ahead, unsure}},
		{Not, []Cell{ahead, behind, behind}},
		{Not, []Cell{level, level}},
		{Not, []Cell{equal, equal}},
		{Open, []Cell{unsure, unsure, ahead}},
		{Open, []Cell{unsure, level, behind}},
		{Open, []Cell{plus, plus, unsure}},
		{Open, nil},
		{Reproduced, []Cell{plus, plus, plus}},
		{Not, []Cell{plus, minus, minus}},
		{Partly, []Cell{plus, plus, cell(40, 0, 1)}}, // the interval of the mean holds 0
	} {
		if got, why := Lead("it", false, c.cells); got != c.want {
			t.Errorf("%+v: %s (%s), want %s", c.cells, got, why, c.want)
		}
	}
}

func TestWeaker(t *testing.T) {
	for _, c := range [][3]Verdict{{Reproduced, Reproduced, Reproduced}, {Reproduced, Partly, Partly}, {Not, Partly, Not}, {Reproduced, Open, Open}} {
		if a, b := weaker(c[0], c[1]), weaker(c[1], c[0]); a != c[2] || b != c[2] {
			t.Errorf("%s and %s: %s and %s, want %s", c[0], c[1], a, b, c[2])
		}
	}
}

func TestNear(t *testing.T) {
	pairs := func(far int) (all []Pair) {
		for i := range 10 {
			all = append(all, Pair{fmt.Sprint(i), map[bool]float64{true: 2}[i < far], 0.5})
		}
		return all
	}
	for far, want := range map[int]Verdict{0: Reproduced, 1: Reproduced, 2: Partly, 5: Partly, 6: Not} {
		if got, why := Near(0.6, 1, "of it", pairs(far)); got != want {
			t.Errorf("%d of 10 far: %s (%s), want %s", far, got, why, want)
		}
	}
	if got, _ := Near(1, 1, "", nil); got != Open {
		t.Error(got)
	}
	if q := QuartilesOf([]float64{4, 1, 3, 2}); q.Median != 2.5 || q.Low != 1.75 || q.High != 3.25 {
		t.Error(q)
	}
}

// Each claim has a verdict, words, and a key of its own, and each table and figure of a paper a claim.
func TestPapers(t *testing.T) {
	numbers := map[string][2]int{"01": {3, 9}, "02": {5, 11}, "03": {5, 5}, "04": {7, 11}, "05": {1, 5}} // tables, figures
	words := regexp.MustCompile(`NaN|Inf|%!`)
	for notebook := range Papers {
		all := Of(notebook)
		keys, where := map[string]bool{}, ""
		for _, c := range all {
			v, why := c.Judge()
			if !slices.Contains([]Verdict{Reproduced, Partly, Not, Open, NotTestable}, v) || why == "" || c.Says == "" || c.Rule == "" || c.Where == "" {
				t.Errorf("%s, %s: %s, %q", notebook, c.Key, v, why)
			}
			if words.MatchString(why) || why == "nothing is stored" {
				t.Errorf("%s, %s: %s", notebook, c.Key, why)
			}
			if keys[c.Key] {
				t.Errorf("%s has two claims %q", notebook, c.Key)
			}
			keys[c.Key] = true
			where += c.Where + "\n"
		}
		for kind, n := range map[string]int{"Table": numbers[notebook][0], "Fig.": numbers[notebook][1]} {
			for k := 1; k <= n; k++ {
				if !regexp.MustCompile(kind + fmt.Sprintf(` %d\b`, k)).MatchString(where) {
					t.Errorf("%s has no claim of %s %d", notebook, kind, k)
				}
			}
		}
	}
	some := Of("01").Only("table3", "kkt")
	if len(some) != 2 || some[0].Key != "table3" || some.Count() != "2 claims: reproduced 0, partly 2, not 0, open 0, not testable 0." {
		t.Errorf("%v: %s", some, some.Count())
	}
}

// Each stored row has a version, so that nobody has to guess whether the code of now would give it.
func TestVersions(t *testing.T) {
	d, all := Stored(), 0
	for i, table := range []stored.Table{d.Clusters, d.Convergence, d.Traces, d.Cauchy, d.Disguise, d.Ablation, d.Occlusion, d.RSS, d.Further, d.Chosen, d.Heats, d.RLS, d.AsPrinted, d.Times, d.Race, d.Energy, d.Graph, d.Algorithm1, d.Costs} {
		all += len(table)
		if n := len(table.Where("version", "")); n > 0 {
			t.Errorf("table %d: %d of %d rows have no version", i, n, len(table))
		}
	}
	if all < 15000 {
		t.Errorf("%d rows", all)
	}
}

// A stored number that is changed enough changes the verdict.
func TestFlip(t *testing.T) {
	key := "held"
	before, _ := Of("05").Only(key)[0].Judge()
	d := Stored()
	d.Graph = slices.Clone(d.Graph)
	for i, r := range d.Graph {
		if r.Text("solver") == "scale held, λ = 10⁴" && r.Text("classes") == "4" {
			changed := stored.Row{}
			for k, v := range r {
				changed[k] = v
			}
			changed["accuracy"] = "0.1"
			d.Graph[i] = changed
		}
	}
	after, why := RRA(d).Only(key)[0].Judge()
	if before != Reproduced || after != Partly {
		t.Errorf("%s became %s: %s", before, after, why)
	}
}

// Each claim is a line with its verdict that opens to its rule and reason, and a shared rule stands once, where a
// claim names it.
func TestHTML(t *testing.T) {
	one := List{{"", Picture, "Fig. 1", "a < b", "at all points", judged(Partly, "at -3 of 4")}, {"", Picture, "Fig. 2", "it ends", "accuracy. " + LeadRule, judged(Not, "200")}, {"", Picture, "Fig. 3", "so", LeadRule, judged(Open, "2")}}
	got := one.HTML()
	for text, n := range map[string]int{
		"<summary>◐ <b>partly</b> · Fig. 1: a &lt; b</summary>": 1, "<b>Rule:</b> at all points<br><b>Because:</b> at −3 of 4<": 1, "✗ <b>not</b>": 1,
		"<summary><i>Rule of the lead</i></summary><p>In each cell": 1, "Rule of the race": 0, "<details>": 4,
	} {
		if strings.Count(got, text) != n {
			t.Errorf("%q is not there %d times in\n%s", text, n, got)
		}
	}
	if strings.Contains(one[:1].HTML(), "lead") {
		t.Error("a rule that no claim names")
	}
}

// A part of a reason ends with a semicolon or a sentence, before the worst cell, and after the value at a size, and nowhere in brackets.
func TestInLines(t *testing.T) {
	for why, want := range map[string][]string{
		"it is 3 of 4; at best +1 (a; b), at worst -2 [-3; -1]": {"it is 3 of 4", "at best +1 (a; b)", "at worst -2 [-3; -1]"},
		"1 s at r = 5, 2 s at r = 10, 3 s at r = 200; n = 1":    {"1 s at r = 5", "2 s at r = 10", "3 s at r = 200", "n = 1"},
		"0.5 at 65 %, 0.7 at 75 %. It ends":                     {"0.5 at 65 %", "0.7 at 75 %", "It ends"},
		"4 of 30 pairs, and 1.5 more":                           {"4 of 30 pairs, and 1.5 more"},
	} {
		if got := parts(why); !slices.Equal(got, want) {
			t.Errorf("%q: %q", why, got)
		}
	}
	one := List{{"", Picture, "Fig. 1", "so", "none", judged(Not, "salt & pepper; at -3")}, {"", Picture, "Fig. 2", "so", "none", judged(Not, "at -3")}}
	for _, got := range []string{one.InLines().HTML(), WithReasons{one}.HTML()} {
		for _, text := range []string{"<b>Because:</b></p><ul><li>salt &amp; pepper</li><li>at −3</li></ul></details>", "<b>Because:</b> at −3</p></details>"} {
			if strings.Count(got, text) != 1 {
				t.Errorf("%q is not there in\n%s", text, got)
			}
		}
	}
}
