package main

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The stored tables have rows of whole numbers: a goal is met where the ratio is at
// least as large.
func TestResults(t *testing.T) {
	line := regexp.MustCompile(`^\| (.+) \| (.+) \| (.+) \| (> )?([\d.]*) \| ([\d.]*) \| (yes|no|\?|) \|$`)
	works := map[string][]string{}
	for _, name := range []string{"results.md", "results-zen3.md"} {
		text, err := os.ReadFile("../../../testdata/peers/" + name)
		if err != nil {
			t.Fatal(err)
		}
		for l := range strings.Lines(string(text)) {
			l = strings.TrimSpace(l)
			if !strings.HasPrefix(l, "| ") || strings.HasPrefix(l, "| work ") {
				continue
			}
			m := line.FindStringSubmatch(l)
			if m == nil {
				t.Errorf("%s: %q", name, l)
				continue
			}
			works[name] = append(works[name], m[1])
			ratio, _ := strconv.ParseFloat(m[5], 64)
			goal, _ := strconv.ParseFloat(m[6], 64)
			met := ""
			switch {
			case goal > 0 && ratio >= goal:
				met = "yes"
			case goal > 0 && m[4] != "":
				met = "?"
			case goal > 0:
				met = "no"
			}
			if met != m[7] && math.Abs(ratio-goal) > 0.005 { // ratios are rounded
				t.Errorf("%s: %q is met: %q", name, l, met)
			}
		}
		for _, want := range []string{"H + W update, hypersurface", "H + W update, Cauchy", "NMF to 1 % above the best", "memory beyond X", "products at the tiles"} {
			if !strings.Contains(strings.Join(works[name], "\n"), want) {
				t.Errorf("%s has no row of %s", name, want)
			}
		}
	}
}

func TestRow(t *testing.T) {
	for want, r := range map[string]row{
		"| a | 1 s | 2 s | 2.00 | 3 | no |":    {"a", "1 s", "2 s", 2, 3, false},
		"| a | 1 s | 2 s | > 2.00 | 3 | ? |":   {"a", "1 s", "2 s", 2, 3, true},
		"| a | 1 s | 9 s | > 9.00 | 3 | yes |": {"a", "1 s", "9 s", 9, 3, true},
		"| a | 1 s | 9 s |  |  |  |":           {"a", "1 s", "9 s", 0, 0, false},
	} {
		if got := r.String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if m := median([]float64{4, 1, 3, 2}); m != 2.5 {
		t.Errorf("median %g", m)
	}
	for want, s := range map[string]float64{"12 µs": 12e-6, "1.5 ms": 1.5e-3, "2.25 s": 2.25} {
		if got := duration(s); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// Our side answers all requests: rounds descend, a fit ends at its target, and factors
// go through files unchanged.
func TestAnswer(t *testing.T) {
	b := &bench{dir: t.TempDir()}
	x := synthetic(30, 20, 3)
	if mat.Min(x) < 0 || mat.Max(x) > 1 {
		t.Fatalf("data from %g to %g", mat.Min(x), mat.Max(x))
	}
	q := b.share("set", x, 3)
	sets := map[string]problem{}
	ask := func(q request) reply {
		t.Helper()
		r, err := answer(sets, q)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	ask(q)
	if !mat.Equal(sets["set"].x, x) {
		t.Error("the data change on their way")
	}
	for loss, scale := range scales {
		first := ask(request{Op: "fit", Data: "set", Loss: loss, Scale: scale, Most: 1, Target: math.MaxFloat64})
		if first.Rounds != 0 || len(first.Trace) != 1 {
			t.Errorf("%s: the start is at the target: %+v", loss, first)
		}
		out := filepath.Join(b.dir, "out")
		if r := ask(request{Op: "rounds", Data: "set", Loss: loss, Scale: scale, Rounds: 5, Out: out}); !(r.Seconds > 0) {
			t.Errorf("%s: %+v", loss, r)
		}
		after := ask(request{Op: "fit", Data: "set", Loss: loss, Scale: scale, Path: out, Most: 1, Target: math.MaxFloat64})
		if !(after.Objective < first.Objective) || math.IsInf(after.Objective, 0) {
			t.Errorf("%s: %g before, %g after", loss, first.Objective, after.Objective)
		}
		to := ask(request{Op: "fit", Data: "set", Loss: loss, Scale: scale, Most: 50, Target: after.Objective})
		if !(to.Objective <= after.Objective) || to.Rounds == 0 || len(to.Trace) != to.Rounds+1 {
			t.Errorf("%s: to %g: %+v", loss, after.Objective, to)
		}
	}
	if runtime.GOOS == "linux" {
		if r := ask(request{Op: "peak"}); r.Bytes < 1<<20 {
			t.Errorf("peak of %d bytes", r.Bytes)
		}
	}
	ask(request{Op: "drop", Data: "set"})
	for _, bad := range []request{{Op: "fit", Data: "set"}, {Op: "nothing"}, {Op: "load", Data: "x", Path: filepath.Join(b.dir, "none"), M: 1, N: 1, Rank: 1}} {
		if _, err := answer(sets, bad); err == nil {
			t.Errorf("%+v is no error", bad)
		}
	}
}
