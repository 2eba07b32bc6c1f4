package audit

import (
	"bytes"
	"fmt"
	"image/png"
	"math"
	"strings"
	"testing"

	"github.com/robustnmf/robustnmf/notebooks/lab/claims"
	"github.com/robustnmf/robustnmf/notebooks/lab/rra"
	"github.com/robustnmf/robustnmf/notebooks/lab/rss"
	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
	"github.com/robustnmf/robustnmf/notebooks/lesson"
	"github.com/robustnmf/robustnmf/rnmf/choose"
	"github.com/robustnmf/robustnmf/viz"
)

// drawn draws a figure.
func drawn(t *testing.T, f viz.Figure) {
	t.Helper()
	var b bytes.Buffer
	if err := viz.WritePNG(&b, f); err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(&b); err != nil {
		t.Fatal(err)
	}
}

// A row with a gap is left out, and columns that only we have.
func TestGaps(t *testing.T) {
	a, b := newTable("a"), newTable("b")
	a.Ours.Add("x", "one", 50, 54)
	a.Ours.Add("x", "ours alone", 1)
	a.Ours.Add("y", "one", 10)
	a.Paper.Add("x", "one", 49)
	a.Paper.Add("y", "one", 40)
	b.Ours.Add("x", "two", 7)
	b.Paper.Add("x", "two", 3)
	b.Paper.Add("y", "two", 3)
	rows, gaps := Join("both", a, b).gaps()
	if len(rows) != 1 || rows[0] != "x" || gaps.At(0, 0) != 3 || gaps.At(0, 1) != 4 {
		t.Errorf("%v, %v", rows, gaps)
	}
	if rows, gaps := a.gaps(); len(rows) != 2 || gaps.At(1, 0) != -30 {
		t.Errorf("%v, %v", rows, gaps)
	}
	if one, two := b.Trials(), a.Trials(); one != "1 trial (the paper)" || two != "1 to 2 trials (the paper)" || Labels("COIL-20", "nmi").Trials() != "10 trials" {
		t.Errorf("%q, %q", one, two)
	}
	drawn(t, Gaps(3, a, b))
	if Gaps(3, newTable("none")) != nil {
		t.Error("a map of nothing")
	}
}

// The printed numbers are those of the tables of the papers, in percent, and ours are of the same size.
func TestTables(t *testing.T) {
	short, all := Table3()
	spoiled := Spoiled()
	for _, c := range []struct {
		t           Table
		row, column string
		printed     float64
	}{
		{short, "Wine", "accuracy, NMF", 83.71},
		{all, "Wine, NMF", "purity", 83.71},
		{spoiled[0], "L2", "δ = 40", 14.78},
		{spoiled[1], "L2", "60 %", 34.28},
		{spoiled[2], "Cauchy", "b = 14", 19.03},
		{spoiled[3], "Cauchy", "b = 16", 39.01},
		{Recognition(), "truncated, printed rule", "scarves", 90.67},
		{Labels("Yale", "accuracy"), "NMF", "Yale 2", 69.69},
		{Labels("Yale", "accuracy"), "RSS-NMF, printed", "Yale 2", 80.24},
		{Labels("Yale", "nmi"), "RSS-NMF", "Yale 2", 49.33},
		{ByLabels("", "accuracy", 1), "Yale", "NMF", 21.82},
	} {
		if v := c.t.Paper.Values(c.row, c.column); len(v) != 1 || math.Abs(v[0]-c.printed) > 1e-6 {
			t.Errorf("%s, %s, %s: %v is printed, want %g", c.t.Name, c.row, c.column, v, c.printed)
		}
		if v := c.t.Ours.Mean(c.row, c.column); !(v > 5 && v <= 100) {
			t.Errorf("%s, %s, %s: ours is %g", c.t.Name, c.row, c.column, v)
		}
	}
	if len(all.Ours.Rows) != 30 {
		t.Errorf("Table 3 has %d lines", len(all.Ours.Rows))
	}
	if rows, gaps := short.gaps(); len(rows) != 10 || gaps.RawMatrix().Cols != 6 {
		t.Errorf("Table 3 has the rows %v", rows)
	}
	if n := len(ByLabels("", "accuracy").Paper.Rows); n != 26 {
		t.Errorf("%d lines", n)
	}
	if table := Table1(t.Context()); len(table.Rows) != 10 {
		t.Errorf("%d sets", len(table.Rows))
	}
}

func TestFirsts(t *testing.T) {
	r := lesson.Printed(`
  | a   | b   | c
x | 0.5 | 0.4 | –
y | 0.5 | 0.6 | –`)
	if first, of := firsts(r); first != 1 || of != 2 {
		t.Errorf("first in %d of %d", first, of)
	}
	drawn(t, DrawRecognition(Recognition()))
}

// Leads are those of the claim.
func TestLeads(t *testing.T) {
	leads := Leads("12", "14", "16", "18", "20", "22")
	chart := DrawLeads(leads)
	drawn(t, chart)
	_, why := claims.Of("02").Only("blocks")[0].Judge()
	var ahead, behind, level, below, all int
	if _, err := fmt.Sscanf(chart.Title.Text, "Truncated Cauchy is ahead at %d sizes, behind at %d", &ahead, &behind); err != nil {
		t.Fatal(err)
	}
	var above int
	if _, err := fmt.Sscanf(why, "truncated Cauchy is ahead in %d, level in %d, behind in %d of %d", &above, &level, &below, &all); err != nil || ahead != above || behind != below || all != len(leads.Columns) {
		t.Errorf("%q: the claim says %q", chart.Title.Text, why)
	}
	if want := fmt.Sprintf("at best +%.1f ", leads.Mean(truncated, "b = 20\nCauchy")); !strings.Contains(why, want) {
		t.Errorf("%q is not in %q", want, why)
	}
}

// A guess that is right earns 20 points, one that is as far off as it can be none.
func TestGuessed(t *testing.T) {
	found := Found()
	if len(found) != 5 || found[0] < 1 || found[0] > 25 {
		t.Errorf("%v", found)
	}
	rows := Guessed(found...).Rows
	if last := rows[len(rows)-1]; last[3].Text != "100 of 100" {
		t.Errorf("%v", last)
	}
	rows = Guessed(100, found[1], 100, 100, 100).Rows
	if last := rows[len(rows)-1]; last[3].Text != "20 of 100" {
		t.Errorf("%v", last)
	}
}

// The titles count what the claims count.
func TestImpossible(t *testing.T) {
	chart, numbers := DrawTwoClasses(claims.TwoClasses(rss.Paper()))
	drawn(t, chart)
	_, why := claims.Of("03").Only("two")[0].Judge()
	var impossible, possible, all, of int
	if _, err := fmt.Sscanf(chart.Title.Text, "%d of %d printed pairs are impossible", &impossible, &all); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscanf(why, "%d of %d pairs are possible", &possible, &of); err != nil || all != of || impossible+possible != all || len(numbers.Rows) != all {
		t.Errorf("%q: %q", chart.Title.Text, why)
	}
	_, why = claims.Of("01").Only("german")[0].Judge()
	for _, row := range German().Rows {
		most := fmt.Sprintf("%.3f for %.3f", row[3].Value/100, row[2].Value/100)
		if row[2].Value <= row[4].Value || row[4].Value < row[3].Value || !strings.Contains(why, most) {
			t.Errorf("%v: the claim says %q, without %q", row, why, most)
		}
	}
}

func TestDeep(t *testing.T) {
	printed := stored.Parse("set,k,method,accuracy,nmi\nYale,2,IDEC,70,40\nYale,2,MSAEClust,60,40\n")
	results := stored.Parse("set,k,method,trial,accuracy,nmi\nYale,2,autoencoder,1,0.5,0.1\nYale,2,IDEC,1,0.6,0.1\nYale,2,MSAEClust ½,1,0.9,0.1\n")
	yale := Deep(printed, results, "Yale", "accuracy")
	own := yale.Values("RSS-NMF, same trials", "2")
	if yale.Mean("IDEC", "2") != 60 || yale.Mean("IDEC, printed", "2") != 70 || len(own) != 1 || own[0] < 20 {
		t.Errorf("%+v", yale)
	}
	title, gaps := DeepGaps(printed, results)
	if !strings.HasPrefix(title, "MSAEClust ½ − RSS-NMF: ") || len(gaps.Rows) != 4 || math.Abs(gaps.Mean("IDEC − IDEC, printed", "Yale 2")+10) > 1e-9 {
		t.Errorf("%q, %+v", title, gaps)
	}
}

func TestCosts(t *testing.T) {
	table := Costs()
	for _, row := range table.Rows {
		if row[2].Text == "" || row[3].Value <= 0 {
			t.Errorf("%v", row)
		}
	}
	if len(table.Rows) != len(claims.Costs()) {
		t.Errorf("%d rows", len(table.Rows))
	}
}

func TestStable(t *testing.T) {
	grid := new(choose.Table)
	for _, v := range [][2]float64{{0.9, 0.1}, {1, 0.5}, {1, 0.7}, {0.2, 0.9}, {1, 0.6}} {
		grid.Rows = append(grid.Rows, choose.Row{Scores: choose.Scores{"stability": v[0], "accuracy": v[1]}})
	}
	if mean := stable(grid); math.Abs(mean-0.6) > 1e-12 {
		t.Errorf("the mean of three is %g", mean)
	}
	drawn(t, DrawChoices())
}

// Titles are those of the stored races.
func TestRaces(t *testing.T) {
	const coil, pie = "COIL-20 32×32", "CMU PIE 32×32, pose 27"
	for _, rank := range []string{"50", "200"} { // names stand next to curves at 200
		c := Race("Fig. 1", coil, rank)
		drawn(t, c)
		arrives := strings.HasSuffix(took(coil, rank, "NumPy RRA"), " s")
		if strings.HasSuffix(c.Title.Text, "arrives") != arrives {
			t.Errorf("%q, it took %q", c.Title.Text, took(coil, rank, "NumPy RRA"))
		}
	}
	if n := len(Seconds(coil, pie).Rows); n != 10 {
		t.Errorf("%d races", n)
	}
	for set, title := range map[string]string{pie: "A: Algorithm 1 is sooner at 0 of 5 ranks", coil: "A: Algorithm 1 is sooner at 1 of 5 ranks"} {
		c := Arrivals("A", set)
		drawn(t, c)
		if c.Title.Text != title {
			t.Errorf("%q, want %q", c.Title.Text, title)
		}
	}
	drawn(t, Ends())
	for set, title := range map[string]string{pie: "A: RRA, safe, is faster at 0 of 5 ranks", coil: "A: RRA, safe, is faster at 1 of 5 ranks"} {
		c := Quotients("A", set)
		drawn(t, c)
		if c.Title.Text != title {
			t.Errorf("%q, want %q", c.Title.Text, title)
		}
	}
	energy := Energy()
	for _, row := range []string{"paper", rra.VThenU, rra.Safe} {
		if energy.Mean(row, "95") != 1 || !(energy.Mean(row, "100") > 0) {
			t.Errorf("%s: %g at 95 %%, %g at 100 %%", row, energy.Mean(row, "95"), energy.Mean(row, "100"))
		}
	}
}
