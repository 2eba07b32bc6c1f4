package choose_test

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/template"

	"github.com/robustnmf/robustnmf/notebooks/lab/arena"
	"github.com/robustnmf/robustnmf/notebooks/lab/cauchy"
	"github.com/robustnmf/robustnmf/notebooks/lab/rls"
	"github.com/robustnmf/robustnmf/notebooks/lab/rra"
	"github.com/robustnmf/robustnmf/notebooks/lab/rss"
)

var update = flag.Bool("update", false, "write CHOOSING.md anew from the stored results")

const lab = "../../notebooks/lab/"

// TestChoosing wants the page to say what the stored results say: each number is
// computed from them, and a claim that they do not bear out is an error.
func TestChoosing(t *testing.T) {
	const name = "../../CHOOSING.md"
	page, err := template.New("CHOOSING.md.tmpl").Funcs(evidence(t)).ParseFiles("testdata/CHOOSING.md.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	if err := page.Execute(&want, nil); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(name, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(got), "\n")
	for i, line := range strings.Split(want.String(), "\n") {
		if i >= len(lines) || lines[i] != line {
			t.Fatalf("line %d is not what the stored results say, which is\n%s\nSee that the sentences still hold, and run this test with -update.", i+1, line)
		}
	}
}

// TestLinks wants what the pages for people point at to exist.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#]+)[^)]*\)`)
	for _, name := range []string{"README.md", "CHOOSING.md", "CONTRIBUTING.md", "PROMISES.md", "CHANGELOG.md", "GLOSSARY.md", "datasets/README.md", "datasets/embed/README.md", "testdata/peers/results.md"} {
		text, err := os.ReadFile(filepath.Join("../..", name))
		if err != nil {
			t.Error(err)
		}
		for _, m := range link.FindAllSubmatch(text, -1) {
			to := string(m[1])
			if strings.Contains(to, "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join("../..", filepath.Dir(name), to)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// evidence has the functions of the page.
func evidence(t *testing.T) template.FuncMap {
	t.Helper()
	rows := arena.Results()
	var models []string
	for _, r := range arena.Rivals() {
		models = append(models, r.Name)
	}
	means := arena.Means(rows, arena.Error)
	// times returns the error of a loss over the least there is, on geometric average
	// over the cases of a kind.
	times := func(kind, model string) (float64, error) {
		var sum, n float64
		for b, of := range means {
			if e, ok := of[model]; ok && b.Kind == kind {
				least := math.Inf(1)
				for _, v := range of {
					least = min(least, v)
				}
				sum, n = sum+math.Log(e/least), n+1
			}
		}
		if n == 0 {
			return 0, fmt.Errorf("the arena has no %q under %q", model, kind)
		}
		return math.Exp(sum / n), nil
	}
	ranked := func(kind string) []string {
		all := slices.Clone(models)
		slices.SortStableFunc(all, func(a, b string) int {
			x, _ := times(kind, a)
			y, _ := times(kind, b)
			return cmp.Compare(x, y)
		})
		return all
	}
	// near is in how many cases an error is within 5 % of the best.
	near := func(rows []arena.Stored, model string) (near, cases int) {
		for _, of := range arena.Means(rows, arena.Error) {
			if cases++; of[model] <= 1.05*slices.Min(slices.Collect(maps.Values(of))) {
				near++
			}
		}
		return near, cases
	}
	within := func(rows []arena.Stored, model string) string {
		n, cases := near(rows, model)
		return fmt.Sprintf("%d of %d", n, cases)
	}
	standingIn := func(rows []arena.Stored, m arena.Measure, model string) (arena.Standing, error) {
		for _, s := range arena.Standings(rows, m) {
			if s.Model == model {
				return s, nil
			}
		}
		return arena.Standing{}, fmt.Errorf("the arena has no %q", model)
	}
	// diagnosed is the standing of what Diagnose suggests, and in how many cases it is near the best.
	type diagnosed struct {
		arena.Standing
		Near, Cases int
		Times       float64 // the seconds of RobustNMF, median
	}
	diagnose := func(rows []arena.Stored) (d diagnosed, err error) {
		name, all := arena.Diagnosed().Name, slices.Clone(rows)
		cases := arena.Means(rows, arena.Error)
		for _, s := range arena.DiagnosedResults() {
			if cases[arena.Bout{Set: s.Set, Kind: s.Kind, Strength: s.Strength}] != nil {
				all = append(all, s)
			}
		}
		var times []float64
		for _, of := range arena.Means(all, arena.Seconds) {
			times = append(times, of[name]/of["two stages"])
		}
		slices.Sort(times)
		d.Near, d.Cases = near(all, name)
		d.Times = times[len(times)/2]
		d.Standing, err = standingIn(all, arena.Error, name)
		return d, err
	}
	// faces are the errors of the starts on ORL.
	faces := func(kind, strength, model string) (errs []float64) {
		for _, r := range rows {
			if r.Set == "ORL" && r.Kind == kind && fmt.Sprint(r.Strength) == strength && r.Model == model {
				errs = append(errs, r.Error)
			}
		}
		return errs
	}
	standing := func(m arena.Measure, model string) (arena.Standing, error) { return standingIn(rows, m, model) }
	type kind struct {
		Kind, What string
		Best       []string
	}
	whats := map[string]string{
		"none": "nothing", "Gaussian noise": "normal noise on every entry, cut off at 0", "Laplace noise": "noise with heavy tails on every entry, cut off at 0",
		"salt & pepper": "single entries are far too small or too large", "dead pixels": "single entries are 0 (if you know which: a mask)",
		"white squares": "something covers a part of each image", "alien images": "whole samples do not belong to the data",
	}
	inGo := map[string]string{
		"least squares": "NMF(r)", "L2,1": "L21NMF(r)", "capped L2,1": "CappedNMF(r, 0)", "hypersurface": "HypersurfaceNMF(r, 0)",
		"L1": "L1NMF(r)", "Huber": "HuberNMF(r)", "correntropy": "CIMNMF(r)", "Cauchy": "CauchyNMF(r)",
		"truncated Cauchy": "TruncatedCauchyNMF(r)", "truncated Cauchy, normal rule": "Truncated{Loss: Cauchy{}, Rule: NormalThreeSigma}", "two stages": "RobustNMF(r)",
	}
	return template.FuncMap{
		"models": func() []string { return models },
		"times":  times,
		"best":   func(kind string) string { return ranked(kind)[0] },
		"kinds": func() (all []kind) {
			for _, k := range arena.Kinds() {
				all = append(all, kind{k[0], whats[k[0]], ranked(k[0])[:2]})
			}
			return all
		},
		"inGo":   func(model string) string { return "`" + inGo[model] + "`" },
		"place":  func(model string) (float64, error) { s, err := standing(arena.Error, model); return s.Rank, err },
		"worst":  func(model string) (float64, error) { s, err := standing(arena.Error, model); return s.Worst, err },
		"regret": func(model string) (float64, error) { s, err := standing(arena.Error, model); return s.Regret, err },
		"within": func(model string) string { return within(rows, model) },
		"untuned": func(model string) (arena.Standing, error) {
			return standingIn(arena.UntunedResults(), arena.Error, model)
		},
		"untunedSet": func(set, model string) (float64, error) {
			rows := slices.DeleteFunc(slices.Clone(arena.UntunedResults()), func(s arena.Stored) bool { return s.Set != set })
			s, err := standingIn(rows, arena.Error, model)
			return s.Regret, err
		},
		"diagnosed":        func() (diagnosed, error) { return diagnose(rows) },
		"untunedDiagnosed": func() (diagnosed, error) { return diagnose(arena.UntunedResults()) },
		"diagnosedLeads": func() (bool, error) {
			for _, rows := range [][]arena.Stored{rows, arena.UntunedResults()} {
				d, err := diagnose(rows)
				if err != nil {
					return false, err
				}
				for _, model := range models {
					s, err := standingIn(rows, arena.Error, model)
					if n, _ := near(rows, model); err != nil || s.Regret <= d.Regret || n >= d.Near {
						return false, err
					}
				}
			}
			return true, nil
		},
		"untunedWithin": func(model string) string { return within(arena.UntunedResults(), model) },
		"finders":       func() []string { s := arena.Standings(rows, arena.AP); return []string{s[0].Model, s[1].Model} },
		"claim": func(holds bool, what string) (string, error) {
			if !holds {
				return "", fmt.Errorf("the stored results do not bear out: %s", what)
			}
			return "", nil
		},
		"faces": func(kind, strength, model string) (float64, error) { return mean(faces(kind, strength, model)) },
		"facesMedian": func(kind, strength, model string) float64 {
			errs := slices.Sorted(slices.Values(faces(kind, strength, model)))
			return errs[len(errs)/2]
		},
		"facesWorst": func(kind, strength, model string) float64 { return slices.Max(faces(kind, strength, model)) },
		"cauchy": func(corruption, level, model string) (float64, error) {
			return mean(cauchy.Results().Where("corruption", corruption, "level", level, "model", model).Numbers("error"))
		},
		"rss": func(kind, level, model string) (float64, error) {
			return mean(rss.Results().Where("kind", kind, "set", "Yale", "level", level, "model", model).Numbers("unlabelled"))
		},
		"rls": func(method string, alpha float64, score string) (float64, error) {
			var v []float64
			for _, r := range rls.Results() {
				if p := r.Setting; r.Table == 1 && r.Method == method && p.Value("alpha") == alpha && p.Value("beta") == alpha {
					v = append(v, r.Scores[score])
				}
			}
			return mean(v)
		},
		"clusters": func(solver string) (float64, error) {
			return mean(rra.Results("clusters.csv").Where("set", "COIL-20 32×32", "solver", solver).Numbers("accuracy"))
		},
		"race": func(rank, solver string) (string, error) {
			race := rra.Results("race.csv").Where("set", "COIL-20 32×32", "rank", rank, "solver", solver)
			v, err := mean(race.Numbers("seconds"))
			if len(race) > 0 && err != nil {
				return "not reached", nil
			}
			return fmt.Sprintf("%.1f s", v), err
		},
		"diagnose": func(who string) (string, error) {
			if who == "clean" {
				n, err := find("choosing/diagnose.txt", `(?m)^a robust loss is suggested for (\d+ of \d+) clean sets$`)
				return "It suggests a robust loss for " + n + " sets that are clean", err
			}
			return find("choosing/diagnose.txt", `(?m)^`+who+`: (within 5 % of the best in \d+ of \d+), `)
		},
		"criteria": func(who string) (float64, error) {
			s, err := find("choosing/criteria.txt", `(?s)Mean over.*\n  `+who+` +([0-9.]+) +[0-9.]+\n`)
			if err != nil {
				return 0, err
			}
			return strconv.ParseFloat(s, 64)
		},
		"peers": func(what string) (string, error) {
			pattern := `(?m)multiplicative rounds, ` + regexp.QuoteMeta(what) + `, r = 40 \| `
			ours, err := find("../../testdata/peers/results.md", pattern+`([^|]+?) \|`)
			if err != nil {
				return "", err
			}
			theirs, err := find("../../testdata/peers/results.md", pattern+`[^|]+\| ([^|]+?) \|`)
			return ours + " (" + theirs + ")", err
		},
	}
}

// mean is an error where there is nothing.
func mean(v []float64) (float64, error) {
	if len(v) == 0 {
		return 0, errors.New("the stored results have no such number")
	}
	var sum float64
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v)), nil
}

func find(name, pattern string) (string, error) {
	text, err := os.ReadFile(lab + name)
	if err != nil {
		return "", err
	}
	m := regexp.MustCompile(pattern).FindSubmatch(text)
	if m == nil {
		return "", fmt.Errorf("%s has no %s", name, pattern)
	}
	return string(m[1]), nil
}

// TestSnippets runs the Go code of CHOOSING.md. That of the README is a program of its own,
// which TestREADME runs.
func TestSnippets(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a program")
	}
	var program strings.Builder
	program.WriteString(`package main

import (
	"context"
	"fmt"
	"log"
	"slices"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/choose"
	"github.com/robustnmf/robustnmf/rnmf/neighbor"
)

var _, _, _, _, _, _ = fmt.Sprint, log.Fatal, slices.Min[[]int], rnmf.NMF, choose.Range, neighbor.KNN{}

func main() {
	ctx := context.Background()
	set, err := datasets.Digits().Scaled().Sample(8, 1)
	if err != nil {
		log.Fatal(err)
	}
	x := set.X
	_, _ = ctx, x
`)
	blocks := regexp.MustCompile("(?s)\n```go\n(.*?)```")
	text, err := os.ReadFile("../../CHOOSING.md")
	if err != nil {
		t.Fatal(err)
	}
	found := blocks.FindAllSubmatch(text, -1)
	if len(found) == 0 {
		t.Error("CHOOSING.md has no Go code")
	}
	for _, m := range found {
		fmt.Fprintf(&program, "{\n%s}\n", m[1])
	}
	program.WriteString("}\n")
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(program.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "go", "run", file).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	} else if testing.Verbose() {
		t.Logf("%s", out)
	}
}
