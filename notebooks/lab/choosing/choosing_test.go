package choosing

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/choose"
)

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// diagnosed checks a report of diagnose: so many lines of errors, and sums that are
// theirs.
func diagnosed(t *testing.T, report string, lines int) {
	t.Helper()
	line := regexp.MustCompile(`(?m)^(\S+) +\S.*?  +\d+  (\d\.\d+) +(\d\.\d+) +(\d\.\d+) +(\d\.\d+) +(.+)$`)
	kinds := map[string]int{}
	for k := range 4 {
		kinds[choose.LossKind(k).String()] = k
	}
	rows := line.FindAllStringSubmatch(report, -1)
	if len(rows) != lines {
		t.Errorf("%d lines, want %d", len(rows), lines)
	}
	within := map[string]int{}
	for _, m := range rows {
		var errs [4]float64
		for i := range errs {
			errs[i], _ = strconv.ParseFloat(m[2+i], 64)
		}
		kind, _, _ := strings.Cut(m[6], ",")
		k, known := kinds[kind]
		best := slices.Min(errs[:])
		if !known || best <= 0 {
			t.Errorf("%q", m[0])
		} else if errs[k] <= 1.045*best { // the errors are rounded
			within["certainly"]++
			within["perhaps"]++
		} else if errs[k] <= 1.055*best {
			within["perhaps"]++
		}
	}
	m := regexp.MustCompile(`(?m)^as suggested: within 5 % of the best in (\d+) of ` + strconv.Itoa(lines) + `,`).FindStringSubmatch(report)
	if m == nil {
		t.Fatalf("no sum in\n%s", report)
	}
	if n, _ := strconv.Atoi(m[1]); n < within["certainly"] || n > within["perhaps"] {
		t.Errorf("the sum is %d, by the lines it is %d to %d", n, within["certainly"], within["perhaps"])
	}
}

// weighed checks a report of criteria: two searches of each set, whose choices are not
// above the best.
func weighed(t *testing.T, report string, sets int) {
	t.Helper()
	searches := regexp.MustCompile(`(?m)^.+ samples, (?:GNMF: 7|LS-NMF: 35) points, of which (\d+) have not collapsed; median accuracy (\d\.\d+)$`).FindAllStringSubmatch(report, -1)
	if len(searches) != 2*sets {
		t.Errorf("%d searches, want %d", len(searches), 2*sets)
	}
	best := 0.0
	choices := regexp.MustCompile(`(?m)^  (\S.*?) +\S*lambda=\S+.* accuracy (\d\.\d+)$`).FindAllStringSubmatch(report, -1)
	if want := 2 * sets * (1 + len(asked)); len(choices) != want {
		t.Errorf("%d choices, want %d", len(choices), want)
	}
	for _, m := range choices {
		v, _ := strconv.ParseFloat(m[2], 64)
		if m[1] == "accuracy" {
			best = v
		}
		if v > best || v <= 0 {
			t.Errorf("%q, the best is %g", m[0], best)
		}
	}
	for _, c := range asked {
		m := regexp.MustCompile(`(?m)^  ` + regexp.QuoteMeta(name(c)) + ` +(\d\.\d{3})  (\d\.\d\d)$`).FindStringSubmatch(report)
		if m == nil {
			t.Errorf("no mean of %s", name(c))
		}
	}
}

func TestResults(t *testing.T) {
	diagnosed(t, read(t, "diagnose.txt"), 3*(5*16*3+15*2))
	weighed(t, read(t, "criteria.txt"), 3)
}

// Both go through on few samples.
func TestTinyRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("fits of a small experiment")
	}
	few := func(seed uint64) ([]*datasets.Set, error) {
		s, err := datasets.Digits().Scaled().Sample(1, seed)
		if err != nil {
			return nil, err
		}
		s.Name = "Digits"
		return []*datasets.Set{s}, nil
	}
	var report strings.Builder
	if err := diagnose(t.Context(), &report, few); err != nil {
		t.Fatal(err)
	}
	diagnosed(t, report.String(), 3*16*2)
	s, err := datasets.Digits().Sample(3, 1)
	if err != nil {
		t.Fatal(err)
	}
	var texts [2]strings.Builder
	folder := t.TempDir()
	for i := range texts {
		if err := criteria(t.Context(), &texts[i], []*datasets.Set{s}, 2, folder); err != nil {
			t.Fatal(err)
		}
	}
	weighed(t, texts[0].String(), 1)
	if texts[0].String() != texts[1].String() {
		t.Errorf("from what was kept comes\n%s\nwant\n%s", texts[1].String(), texts[0].String())
	}
	files, _ := filepath.Glob(filepath.Join(folder, "*"))
	files = slices.DeleteFunc(files, func(f string) bool { return strings.HasSuffix(f, ".lock") })
	if len(files) != 2 {
		t.Errorf("%q were kept", files)
	}
}

func TestTally(t *testing.T) {
	var y tally
	y.add(1)
	y.add(1.21)
	if got, want := y.String(), "within 5 % of the best in 1 of 2, on average 10.0 % above it, at worst 21 %"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Samples that are gone do not count.
func TestRecovery(t *testing.T) {
	clean := mat.NewDense(2, 2, []float64{3, 1, 4, 1})
	r := &rnmf.Result{W: mat.NewDense(2, 1, []float64{3, 0}), H: mat.NewDense(1, 2, []float64{1, 9})}
	bad := mat.NewDense(2, 2, []float64{0, 1, 0, 1})
	if got := recovery(clean, bad, r, true); math.Abs(got-0.8) > 1e-15 {
		t.Errorf("%g, want 0.8", got)
	}
	if got := recovery(clean, bad, r, false); !(got > 1) {
		t.Errorf("%g with the sample that is gone", got)
	}
}

// The consensus of the stored report is nowhere farther from the planted parts than single fits are on
// average, and a small run has the same form.
func TestParts(t *testing.T) {
	if text := read(t, "parts.txt"); !strings.Contains(text, "on 10 of 10 sets") {
		t.Errorf("the stored report says\n%s", text)
	}
	var b strings.Builder
	if err := parts(t.Context(), &b, plantedSets()[:2], 3); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); !strings.Contains(got, "little noise ") || !strings.Contains(got, "on 2 of 2 sets") {
		t.Error(got)
	}
}

// A report that fails leaves no file, and none takes the place of a stored one.
func TestStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report.txt")
	write := func(text string, end error) error {
		return store(path, func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return errors.Join(err, end)
		})
	}
	if err := write("half\n", io.ErrUnexpectedEOF); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Fatal(err)
	}
	if err := write("whole\n", nil); err != nil {
		t.Fatal(err)
	}
	if err := write("another\n", nil); !errors.Is(err, fs.ErrExist) {
		t.Fatal(err)
	}
	if got := read(t, path); got != "whole\n" {
		t.Errorf("the file has %q", got)
	}
}

// The stored table of suspects is that of all sets: less than 2 % of clean samples are flagged on the mean,
// and all noise and permuted pixels among the digits; and the report is one of today.
func TestSuspects(t *testing.T) {
	report := read(t, "suspects.txt")
	line := regexp.MustCompile(`(?m)^(\S.*?) +\d+×\d+ +\d+ +(\d+\.\d) % \( *\d+\.\d %\) +(\d+) of 12, (\d+) +(\d+) of 12, (\d+)`)
	rows := line.FindAllStringSubmatch(report, -1)
	if len(rows) != 16 {
		t.Fatalf("%d lines, want 16", len(rows))
	}
	var clean float64
	for _, r := range rows {
		v, _ := strconv.ParseFloat(r[2], 64)
		clean += v / float64(len(rows))
		if v > 2.5 || strings.Contains(r[1], "igits") && r[1] != "Pendigits" && !strings.Contains(r[1], "Alpha") && (r[3] != "12" || r[5] != "12") {
			t.Error(r[0])
		}
	}
	if clean > 2 {
		t.Errorf("%.2f %% of clean samples are flagged", clean)
	}
	var b strings.Builder
	err := suspects(t.Context(), &b, func(context.Context) ([]rankedSet, error) {
		s, err := datasets.Digits().Pick([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25})
		return []rankedSet{{s, 2}}, err
	})
	if err != nil || len(line.FindAllString(b.String(), -1)) != 1 {
		t.Errorf("%v: %s", err, b.String())
	}
}
