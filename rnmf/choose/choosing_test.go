package choose_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/template"

	"github.com/robustnmf/robustnmf/notebooks/lab/arena"
	"github.com/robustnmf/robustnmf/notebooks/lab/cauchy"
	"github.com/robustnmf/robustnmf/notebooks/lab/counts"
	"github.com/robustnmf/robustnmf/notebooks/lab/rls"
	"github.com/robustnmf/robustnmf/notebooks/lab/rra"
	"github.com/robustnmf/robustnmf/notebooks/lab/rss"
	"github.com/robustnmf/robustnmf/viz"
)

var update = flag.Bool("update", false, "write CHOOSING.md, its sentence in README.md and the costs of docs/MODELS.md anew from the stored results")

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
		var picture bytes.Buffer
		if err := viz.WritePNG(&picture, drawDamages(t)); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(pictureName, picture.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		readme, err := os.ReadFile("../../README.md")
		if err != nil {
			t.Fatal(err)
		}
		readme = regexp.MustCompile(`(?m)^(Which default, then\?.*\]\(notebooks/06-arena\.ipynb\)\) ).*$`).ReplaceAll(readme, []byte("${1}"+arena.TwoDefaults(arena.DefaultsResults())))
		if err := os.WriteFile("../../README.md", readme, 0o644); err != nil {
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

const pictureName = "../../docs/choosing.png"

// TestChoosingPicture wants the picture of the page to be that of the stored results.
func TestChoosingPicture(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("colours at edges may be rounded otherwise here")
	}
	stored, err := os.ReadFile(pictureName)
	if err != nil {
		t.Fatal(err)
	}
	var now bytes.Buffer
	if err := viz.WritePNG(&now, drawDamages(t)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(stored, now.Bytes()) {
		t.Error("the picture is not that of the stored results: run TestChoosing with -update, and look at it")
	}
}

// TestAccuracyInREADME wants the README to say what robustness costs in accuracy where nothing is wrong, and how
// the two defaults compare.
func TestAccuracyInREADME(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	d := damages()
	at := func(model string) float64 {
		return d.Times.At(slices.Index(d.Kinds, "none"), slices.Index(d.Models, model))
	}
	want := fmt.Sprintf("its error is on average %.2f times that of the best loss, and that of `RobustNMF` %.2f times", at("auto"), at("two stages"))
	for _, want := range []string{want, arena.TwoDefaults(arena.DefaultsResults())} {
		if !strings.Contains(string(text), want) {
			t.Errorf("README.md does not say: %s", want)
		}
	}
}

func damages() arena.DamageTable { return arena.Damages(arena.DefaultsResults()) }

// drawDamages draws the picture of the page.
func drawDamages(t *testing.T) *viz.Picture {
	t.Helper()
	p, err := damages().Draw("Which model stands what")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// facesTable has a line for each damage of the faces, and a column for each of some models: the
// median error of the starts.
func facesTable(faces func(kind, strength, model string) []float64) (string, error) {
	var lines []string
	for _, d := range [][3]string{{"none", "0", "nothing"}, {"salt & pepper", "25", "25 % of the pixels black or white"}, {"salt & pepper", "40", "40 %"}, {"salt & pepper", "55", "55 %"},
		{"dead pixels", "25", "25 % of the pixels black"}, {"dead pixels", "40", "40 %"}, {"dead pixels", "55", "55 %"},
		{"white squares", "25", "a white square of 25 % of the width"}, {"white squares", "40", "40 %"}, {"white squares", "55", "55 %"},
		{"alien images", "25", "25 % of the images are foreign"}} {
		line := "| " + d[2] + " |"
		for _, model := range []string{"least squares", "L2,1", "Huber", "L1", "two stages", "truncated Cauchy"} {
			errs := slices.Sorted(slices.Values(faces(d[0], d[1], model)))
			if len(errs) == 0 {
				return "", fmt.Errorf("no results of %s under %s", model, d[0])
			}
			line += fmt.Sprintf(" %.2f |", errs[len(errs)/2])
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n"), nil
}

// countsTable has a line for each model, and a column for each damage of planted counts.
func countsTable() (string, error) {
	var lines []string
	for _, m := range [][2]string{{"NMF", "`NMF(r)`"}, {"HuberNMF", "`HuberNMF(r)`"}, {"RobustNMF", "`RobustNMF(r)`"}, {"PoissonNMF", "`PoissonNMF(r)`"},
		{"RobustPoissonNMF", "`RobustPoissonNMF(r)`"}, {"L2,1 of deviances", "`L21NMF(r)` with `Family: Poisson`"}} {
		line := "| " + m[1] + " |"
		for _, of := range []string{"mean 20", "mean 2"} {
			for _, damage := range []string{"clean", "5 % gross entries", "10 % foreign samples"} {
				v, err := mean(counts.Results().Where("experiment", "planted", "case", of, "damage", damage, "model", m[0]).Numbers("score"))
				if err != nil {
					return "", err
				}
				line += fmt.Sprintf(" %.2f |", v)
			}
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n"), nil
}

// rounds are those of the default solver until the objective of 400 multiplicative ones.
func rounds() (string, error) {
	text, err := os.ReadFile("../../testdata/peers/results.md")
	if err != nil {
		return "", err
	}
	var all []int
	for _, m := range regexp.MustCompile(`(?m)^\| to the objective of 400 multiplicative rounds, .* \| [\d.]+ m?s, (\d+) rounds \|`).FindAllSubmatch(text, -1) {
		n, err := strconv.Atoi(string(m[1]))
		if err != nil {
			return "", err
		}
		all = append(all, n)
	}
	if all == nil {
		return "", errors.New("results.md has no rounds")
	}
	return fmt.Sprintf("%d to %d", slices.Min(all), slices.Max(all)), nil
}

// TestLinks wants what the pages for people point at to exist.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#]+)[^)]*\)`)
	names := []string{"README.md", "CHOOSING.md", "CONTRIBUTING.md", "CHANGELOG.md", "datasets/README.md", "datasets/embed/README.md", "testdata/peers/results.md"}
	more, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(more) == 0 {
		t.Fatal("no pages in docs", err)
	}
	for _, name := range more {
		names = append(names, "docs/"+filepath.Base(name))
	}
	for _, name := range names {
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

// TestModels wants the page of models to have each constructor, and the costs of the stored
// measurements.
func TestModels(t *testing.T) {
	page, err := os.ReadFile("../../docs/MODELS.md")
	if err != nil {
		t.Fatal(err)
	}
	for prefix, name := range map[string]string{"": "../model_papers.go", "papers.": "../papers/models.go"} {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^func (\w+)\(.*\) \(?(?:rnmf\.)?Model`).FindAllSubmatch(source, -1) {
			if call := "`" + prefix + string(m[1]) + "("; !strings.Contains(string(page), call) {
				t.Errorf("the page has no %s", call)
			}
		}
	}
	results, err := os.ReadFile("../../testdata/peers/results.md")
	if err != nil {
		t.Fatal(err)
	}
	logs := map[string][]float64{}
	for _, m := range regexp.MustCompile(`(?m)^\| default settings, ([^,]+), .*: times plain NMF.* \| ([\d.]+) \|  \|  \|$`).FindAllStringSubmatch(string(results), -1) {
		v, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		logs[m[1]] = append(logs[m[1]], math.Log(v))
	}
	price, err := os.ReadFile("../../testdata/peers/price.md")
	if err != nil {
		t.Fatal(err)
	}
	plain := map[string]float64{} // seconds of NMF, by sets
	for _, m := range regexp.MustCompile(`(?m)^\| (.+, r = \d+) \| ([\w.]+) \| ([\d.]+) \| [\d.]+ \| [\d.]+ \| [\d.]+ \| .* \|$`).FindAllStringSubmatch(string(price), -1) {
		v, err := strconv.ParseFloat(m[3], 64)
		if err != nil {
			t.Fatal(err)
		}
		if m[2] == "NMF" {
			plain[m[1]] = v
		} else {
			logs["price of "+m[2]] = append(logs["price of "+m[2]], math.Log(v/plain[m[1]]))
		}
	}
	for _, errs := range arena.Means(arena.DefaultsResults(), arena.Seconds) {
		if a, b := errs["L2,1"], errs["least squares"]; a > 0 && b > 0 {
			logs["arena's L2,1"] = append(logs["arena's L2,1"], math.Log(a/b))
		}
	}
	// Sums in the order of a map differ in their last bits.
	slices.Sort(logs["arena's L2,1"])
	names := map[string]string{"arena's L2,1": "L21NMF", "L1": "L1NMF", "price of HuberNMF": "HuberNMF", "hypersurface": "HypersurfaceNMF", "CIM": "CIMNMF", "Cauchy": "CauchyNMF",
		"truncated": "TruncatedCauchyNMF", "price of RobustNMF": "RobustNMF", "price of CellCaseNMF": "CellCaseNMF", "price of choose.Auto": "choose.Auto"}
	for row, name := range names {
		v, err := mean(logs[row])
		if err != nil {
			t.Fatal(row, err)
		}
		cell := regexp.MustCompile("(?m)^(\\| `" + regexp.QuoteMeta(name) + "\\(.* \\| )([\\d.]+)( \\|[^|]*\\|)$")
		m, want := cell.FindSubmatch(page), fmt.Sprintf("%.1f", math.Exp(v))
		switch {
		case m == nil:
			t.Errorf("the page has no cost of %s", name)
		case *update:
			page = cell.ReplaceAll(page, []byte("${1}"+want+"${3}"))
		case string(m[2]) != want:
			t.Errorf("the cost of %s is %s, and the page has %s: run this test with -update", name, want, m[2])
		}
	}
	if *update {
		if err := os.WriteFile("../../docs/MODELS.md", page, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// evidence has the functions of the page.
func evidence(t *testing.T) template.FuncMap {
	t.Helper()
	rows := arena.Results()
	// faces are the errors of the starts on ORL.
	faces := func(kind, strength, model string) (errs []float64) {
		for _, r := range rows {
			if r.Set == "ORL" && r.Kind == kind && fmt.Sprint(r.Strength) == strength && r.Model == model {
				errs = append(errs, r.Error)
			}
		}
		return errs
	}
	inGo := map[string]string{
		"least squares": "NMF(r)", "L2,1": "L21NMF(r)", "capped L2,1": "CappedNMF(r, 0)", "hypersurface": "HypersurfaceNMF(r, 0)",
		"L1": "L1NMF(r)", "Huber": "HuberNMF(r)", "correntropy": "CIMNMF(r)", "Cauchy": "CauchyNMF(r)",
		"truncated Cauchy": "TruncatedCauchyNMF(r)", "truncated Cauchy, normal rule": "Truncated{Loss: Cauchy{}, Rule: NormalThreeSigma}", "two stages": "RobustNMF(r)",
	}
	return template.FuncMap{
		// counts returns the mean score of an experiment of notebook 11.
		"counts": func(experiment, of, damage, model string) (float64, error) {
			return mean(counts.Results().Where("experiment", experiment, "case", of, "damage", damage, "model", model).Numbers("score"))
		},
		"countsTable": countsTable,
		"facesTable":  func() (string, error) { return facesTable(faces) },
		"sets":        func() int { return damages().Sets },
		"autoAtMost":  func() float64 { return 100 * (damages().Most("auto") - 1) },
		"singleAtMost": func() float64 { // of the single loss whose worst damage is the least
			least := math.Inf(1)
			for _, model := range damages().Models[:5] {
				least = min(least, damages().Most(model))
			}
			return 100 * (least - 1)
		},
		"rounds":        rounds,
		"inGo":          func(model string) string { return "`" + inGo[model] + "`" },
		"groups":        groups,
		"join":          func(sets []string) string { return strings.Join(sets, ", ") },
		"defaultsTable": defaultsTable,
		"compared":      comparedMean,
		"trials":        trials,
		"lost":          lost,
		"twoDefaults":   func() string { return arena.TwoDefaults(arena.DefaultsResults()) },
		"price": func() (arena.Place, error) {
			rows := slices.DeleteFunc(slices.Clone(arena.DefaultsResults()), func(s arena.Stored) bool { return s.Kind != "none" })
			return placeOf(rows, "two stages", setsOf(groups()))
		},
		"covered": func(model string, faces bool) float64 {
			onFaces, onOthers := arena.Covered(arena.DefaultsResults(), model)
			if faces {
				return onFaces
			}
			return onOthers
		},
		"finders": func() []string { s := arena.Standings(rows, arena.AP); return []string{s[0].Model, s[1].Model} },
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
			bySet := map[string][]float64{}
			for _, r := range rls.Results() {
				if p := r.Setting; r.Table == 1 && r.Method == method && p.Value("alpha") == alpha && p.Value("beta") == alpha {
					bySet[r.Set] = append(bySet[r.Set], r.Scores[score])
				}
			}
			var means []float64
			for _, set := range slices.Sorted(maps.Keys(bySet)) {
				m, err := mean(bySet[set])
				if err != nil {
					return 0, err
				}
				means = append(means, m)
			}
			return mean(means)
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
		"criteria": func(who string) (float64, error) {
			s, err := find("choosing/criteria.txt", `(?s)Mean over.*\n  `+who+` +([0-9.]+) +[0-9.]+\n`)
			if err != nil {
				return 0, err
			}
			return strconv.ParseFloat(s, 64)
		},
	}
}

// groups are those of the arena, with the sets of which results are stored.
func groups() (all []arena.Group) {
	for _, g := range arena.Groups() {
		if _, g.Sets = arena.Places(arena.DefaultsResults(), g.Sets); g.Sets != nil {
			all = append(all, g)
		}
	}
	return all
}

// setsOf are the sets of some groups.
func setsOf(all []arena.Group) (sets []string) {
	for _, g := range all {
		sets = append(sets, g.Sets...)
	}
	return sets
}

func placeOf(rows []arena.Stored, model string, sets []string) (arena.Place, error) {
	places, _ := arena.Places(rows, sets)
	for _, p := range places {
		if p.Model == model {
			return p, nil
		}
	}
	return arena.Place{}, fmt.Errorf("no results of %q are stored", model)
}

// inDefaults are the names of the defaults in CHOOSING.
var inDefaults = map[string]string{"least squares": "`NMF(r)`", "Huber": "`HuberNMF(r)`", "CellCase": "`CellCaseNMF(r)`", "two stages": "`RobustNMF(r)`",
	"L2,1": "`L21NMF(r)`", "as diagnosed": "what `CompareLosses` suggests", "auto": "**`choose.Auto(r)`**"}

// defaults are their names.
func defaults() (names []string) {
	for _, d := range arena.Defaults() {
		names = append(names, d.Name)
	}
	return names
}

// defaultsTable has a line for each default.
func defaultsTable() (string, error) {
	return placesTable(arena.DefaultsResults(), defaults(), groups())
}

// placesTable has a line for each of some defaults.
func placesTable(rows []arena.Stored, models []string, in []arena.Group) (string, error) {
	head, rule := "| default |", "|---|"
	for _, g := range in {
		head, rule = head+" "+g.Name+": mean | worst | near |", rule+"---|---|---|"
	}
	table := head + " time ÷ `RobustNMF`'s |\n" + rule + "---|"
	for _, model := range models {
		table += "\n| " + inDefaults[model] + " |"
		for _, g := range in {
			p, err := placeOf(rows, model, g.Sets)
			if err != nil {
				table += " – | – | – |"
				continue
			}
			table += fmt.Sprintf(" %.3f | %.2f | %.0f %% |", p.Mean, p.Worst, 100*float64(p.Near)/float64(p.Cases))
		}
		p, err := placeOf(rows, model, setsOf(in))
		switch {
		case err != nil:
			return "", err
		case math.IsNaN(p.Times):
			table += " – |"
		default:
			table += fmt.Sprintf(" %.2g |", p.Times)
		}
	}
	return table, nil
}

// trials says how many starts there are.
func trials() string {
	return strings.ReplaceAll(arena.Starts(arena.DefaultsResults(), defaults()), "as diagnosed", inDefaults["as diagnosed"])
}

// comparedMean is the mean error over the best of a default on the starts that CompareLosses was tried on.
func comparedMean(model string) (float64, error) {
	p, err := placeOf(arena.Alongside(arena.DefaultsResults(), "as diagnosed"), model, setsOf(groups()))
	return p.Mean, err
}

// lost tells the case that Auto loses most, and what it chose there.
func lost() (string, error) {
	auto, err := placeOf(arena.DefaultsResults(), "auto", setsOf(groups()))
	if err != nil {
		return "", err
	}
	chosen, starts := map[string]int{}, 0
	for _, r := range arena.DefaultsResults() {
		if r.Model == "auto" && (arena.Bout{Set: r.Set, Kind: r.Kind, Strength: r.Strength}) == auto.Lost {
			chosen[r.Chosen]++
			starts++
		}
	}
	var what []string
	for _, kind := range slices.Sorted(maps.Keys(chosen)) {
		what = append(what, fmt.Sprintf("%s from %d of %d starts", kind, chosen[kind], starts))
	}
	return fmt.Sprintf("The case that `Auto` loses by most is %s, %s, with %.2f times the best error. There it chose %s. The race compares just those hidden entries that a loss predicts best, and so does not see what such a loss makes of the others.",
		auto.Lost.Set, strings.TrimSuffix(fmt.Sprintf("%s %g %%", auto.Lost.Kind, auto.Lost.Strength), " 0 %"), auto.Worst, strings.Join(what, ", and ")), nil
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

// TestSnippets runs the Go code of CHOOSING.md, and that of the README for a file of one's own. The
// program of the README is run by TestREADME.
func TestSnippets(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a program")
	}
	dir := t.TempDir()
	runGo(t, "../../CHOOSING.md", dir)
	const table = "length,width,height\n1.5,2.5,3\n2,NA,4\n3,4.5,5.5\n2.5,3.5,1\n4,6,7\n1,1.5,6\n"
	if err := os.WriteFile(filepath.Join(dir, "mine.csv"), []byte(table), 0o644); err != nil {
		t.Fatal(err)
	}
	runGo(t, "../../README.md", dir)
}

// TestSnippetsOfPython runs the code of the page for people from Python, in both languages, in one
// folder: Python writes files, Go reads them and writes factors, Python reads these.
func TestSnippetsOfPython(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a program")
	}
	const name = "../../docs/PYTHON.md"
	dir := t.TempDir()
	const python = "/usr/bin/python3"
	if err := exec.Command(python, "-c", "import numpy, scipy.io").Run(); err != nil {
		t.Skip("no Python with NumPy and SciPy: ", err)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var said string
	for i, m := range regexp.MustCompile("(?s)\n```python\n(.*?)```").FindAllSubmatch(text, -1) {
		if i == 1 {
			runGo(t, name, dir)
		}
		cmd := exec.CommandContext(t.Context(), python, "-c", string(m[1]))
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		said = string(out)
	}
	shapes, rest, _ := strings.Cut(said, "\n")
	if !strings.Contains(string(text), "# "+shapes+"\n") {
		t.Errorf("it prints %q", shapes)
	}
	if e, err := strconv.ParseFloat(strings.TrimSpace(rest), 64); err != nil || e > 0.6 {
		t.Errorf("the error in Python is %q, %v", rest, err)
	}
}

// runGo runs the Go code of a page in a folder, each block in a scope of its own.
func runGo(t *testing.T, page, dir string) {
	t.Helper()
	var program strings.Builder
	program.WriteString(`package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"slices"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/choose"
	"github.com/robustnmf/robustnmf/rnmf/neighbor"
	"github.com/robustnmf/robustnmf/viz/explore"
)

var _, _, _, _, _, _, _, _ = fmt.Sprint, log.Fatal, os.Create, slices.Min[[]int], rnmf.NMF, choose.Range, neighbor.KNN{}, explore.Run

func main() {
	ctx := context.Background()
	set, err := datasets.Digits().Scaled().Sample(8, 1)
	if err != nil {
		log.Fatal(err)
	}
	if err := os.Chdir(os.Args[1]); err != nil {
		log.Fatal(err)
	}
	x := set.X
	_, _ = ctx, x
`)
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile("(?s)\n```go\n(.*?)```").FindAllSubmatch(text, -1)
	if len(found) == 0 {
		t.Errorf("%s has no Go code", page)
	}
	for _, m := range found {
		if bytes.HasPrefix(m[1], []byte("package main\n")) {
			continue
		}
		fmt.Fprintf(&program, "{\n%s}\n", m[1])
	}
	program.WriteString("}\n")
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(program.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "go", "run", file, dir).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	} else if testing.Verbose() {
		t.Logf("%s", out)
	}
}
