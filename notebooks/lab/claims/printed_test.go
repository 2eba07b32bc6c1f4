package claims

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// The printed accuracies are those of the papers' tables, and each has a mean of ours.
func TestAccuracies(t *testing.T) {
	all := Accuracies(Stored())
	for paper, want := range map[string]int{"01": 30, "02": 63, "03": 105, "04": 225} {
		if n := len(all[paper]); n == 0 || n > want {
			t.Errorf("%s: %d accuracies, at most %d are printed", paper, n, want)
		}
		seen := map[string]bool{}
		for _, p := range all[paper] {
			if !(p.Ours >= 0 && p.Ours <= 1) || !(p.Printed > 0 && p.Printed <= 1) || seen[p.Name] {
				t.Errorf("%s: %+v", paper, p)
			}
			seen[p.Name] = true
		}
	}
	for _, p := range all["01"] {
		if p.Name == "Wine, NMF" && math.Abs(p.Printed-0.8371) > 1e-9 {
			t.Errorf("%+v, printed is 0.8371", p)
		}
	}
	count := 0
	for _, pairs := range all {
		count += len(pairs)
	}
	chart, text, err := DrawAccuracies(Stored())
	if err != nil || !strings.HasPrefix(chart.Title.Text, fmt.Sprintf("Of %d printed", count)) || strings.Count(text, "farthest off") != len(all) {
		t.Errorf("%q, %q, %v", chart.Title.Text, text, err)
	}
}
