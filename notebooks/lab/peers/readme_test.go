package main

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table of speed in the README anew from testdata/peers/results.md")

// inREADME has the rows of results.md that the README shows, with the words it has for
// them: what is done, and by which peer.
var inREADME = []struct{ row, work, peer string }{
	{"NMF to 1 % above scikit-learn's best, ORL, r = 40", "standard NMF until the error is 1 % above the best of scikit-learn's, which has up to 500 rounds (ORL, 1024×400, 40 parts)", "scikit-learn"},
	{"to the objective of 400 multiplicative rounds, hypersurface (0.05), ORL, r = 40", "the [hypersurface](docs/MODELS.md) loss with a given scale: NumPy does 400 rounds of multiplicative updates, and ours goes on to the same objective (the same data)", "NumPy"},
	{"memory beyond X, hypersurface, multiplicative, 2576×7200, r = 50", "memory in addition to X for that loss, multiplicative updates on both sides (2576×7200, 50 parts)", "NumPy"},
	{"memory beyond X, hypersurface, default solver, 2576×7200, r = 50", "the same with our default solver", "NumPy"},
}

// TestSpeedInREADME wants the table of the README to have the numbers of results.md.
func TestSpeedInREADME(t *testing.T) {
	const name, begin, end = "../../../README.md", "TestSpeedInREADME -update` -->\n", "<!-- end of speed -->"
	results, err := os.ReadFile("../../../testdata/peers/results.md")
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	want.WriteString("| work | this package | peer | ratio |\n|---|---|---|---|\n")
	for _, r := range inREADME {
		_, rest, found := strings.Cut(string(results), "| "+r.row+" | ")
		cells := strings.SplitN(rest, " | ", 4)
		if !found || len(cells) < 4 {
			t.Fatalf("results.md has no row %q", r.row)
		}
		ours, _, _ := strings.Cut(cells[0], ",") // without the rounds
		peer, _, _ := strings.Cut(strings.TrimPrefix(cells[1], "cd "), ",")
		ratio, err := strconv.ParseFloat(cells[2], 64)
		if err != nil {
			t.Fatal(r.row, err)
		}
		fmt.Fprintf(&want, "| %s | %s | %s %s | %.0f |\n", r.work, ours, r.peer, peer, ratio)
	}
	page, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(page), begin)
	got, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("README.md has no table of speed between %q and %q", begin, end)
	}
	if *update {
		if err := os.WriteFile(name, []byte(before+begin+want.String()+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if got != want.String() {
		t.Errorf("the table of speed in README.md is not that of results.md: run this test with -update\n%s", want.String())
	}
}
