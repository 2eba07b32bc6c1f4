package speed

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
	"github.com/robustnmf/robustnmf/viz"
)

// Library is the peer in what Sizes and Prices read.
const Library = "scikit-learn's NMF"

// NoVectors is the side of a row in which ours has no vector loops.
const NoVectors = "NumPy / ours without vectors"

// Peers reads the results that go run ./notebooks/lab/peers -o FILE has written. Machine is
// what the file says of machine and versions. A row of the table has the columns kind (what
// is done), what (the loss or model), on (the data), case (both), variant, side (the variant, or
// NumPy), ours, peer, ratio (the peer's time over ours, or at least that; for "times plain NMF"
// ours over plain NMF's) and above (how far above the best objective plain NMF was to come, where
// both sides did).
func Peers(file string) (machine string, all stored.Table, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return "", nil, err
	}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if text, ok := strings.CutPrefix(line, "- "); ok && strings.Contains(text, ": ") {
			if slices.Contains([]string{"Machine", "Ours", "Peers"}, text[:strings.Index(text, ": ")]) {
				machine += text + ". "
			}
		}
		cells := strings.Split(line, " | ")
		if len(cells) < 4 || !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| work ") {
			continue
		}
		row := stored.Row{"ours": strings.TrimSpace(cells[1]), "peer": strings.TrimSpace(cells[2]), "ratio": strings.TrimPrefix(strings.TrimSpace(cells[3]), "> ")}
		if _, err := strconv.ParseFloat(row["ratio"], 64); row["ratio"] != "" && err != nil {
			return "", nil, fmt.Errorf("speed: %s: the ratio in %q: %w", file, line, err)
		}
		work, variant, _ := strings.Cut(strings.TrimPrefix(cells[0], "| "), ": ")
		variant, _, _ = strings.Cut(variant, " (goal")
		before, after, found := strings.Cut(work, ", r = ")
		if _, more, ok := strings.Cut(after, ", "); ok {
			variant = more
		}
		parts := strings.SplitN(before, ", ", 3)
		if !found || len(parts) == 1 {
			parts = []string{work}
		}
		parts = append(parts, "", "")
		if len(parts) == 4 { // no loss or model
			parts[1], parts[2] = "", parts[1]
		}
		row["kind"], row["what"], row["on"], row["variant"], row["side"] = parts[0], parts[1], parts[2], variant, cmp.Or(variant, "NumPy")
		row["case"], row["above"] = row["what"]+", "+row["on"], ""
		if variant == "portable Go" {
			row["side"] = NoVectors
		}
		if share, _, ok := strings.Cut(strings.TrimPrefix(row["kind"], "NMF to "), " above "); ok && !strings.Contains(cells[3], ">") {
			row["above"] = share
		}
		all = append(all, row)
	}
	if len(all) == 0 {
		return "", nil, fmt.Errorf("speed: %s has no table", file)
	}
	return strings.TrimSpace(machine), all, nil
}

// WholeMatrices is a stored round of NumPy's as a point of a roofline: with whole matrices, 7 passes over data that
// come from memory, on two cores.
func WholeMatrices(peers stored.Table) viz.Work {
	const m, n, r = 2576, 7200, 50
	row := peers.Where("kind", "H + W update", "on", fmt.Sprintf("%d×%d", m, n), "side", "NumPy")[0]
	return viz.Work{Name: "whole matrices, NumPy (stored)", Intensity: []float64{12 * r / 112.}, Rate: []float64{12 * m * n * r / Seconds(row.Text("peer")) / 2e9}, Labels: []string{fmt.Sprint("r = ", r)}}
}

var took = regexp.MustCompile(`([\d.]+) (m?)s\b`)

// Seconds returns the first time in a text such as "98.1 ms, 4 rounds", NaN if it has none.
func Seconds(text string) float64 {
	found := took.FindStringSubmatch(text)
	if found == nil {
		return math.NaN()
	}
	v, err := strconv.ParseFloat(found[1], 64)
	if err != nil {
		return math.NaN()
	}
	if found[2] != "" {
		v /= 1000
	}
	return v
}

// Sizes reads the results that go run ./notebooks/lab/price -sizes has printed. About is what the file
// says of machine, peer and data. A row of the table has the columns fit (size and parts), size, features,
// samples, millions (of entries), parts, model, seconds, rounds, MB and, where they were measured, ratio (of
// the seconds to those of the peer) and plain (to those of our own NMF).
func Sizes(file string) (about string, all stored.Table, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return "", nil, err
	}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "Measured on ") || strings.HasPrefix(line, "The memory of ") {
			about = strings.TrimSpace(about + " " + line)
		}
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		features, samples, found := strings.Cut(cells[0], "×")
		m, err := strconv.Atoi(features)
		if !found || err != nil {
			continue
		}
		if len(cells) != 6 {
			return "", nil, fmt.Errorf("speed: %s: %q has %d columns, want 6", file, line, len(cells))
		}
		n, err := strconv.Atoi(samples)
		if err != nil {
			return "", nil, fmt.Errorf("speed: %s: %q: %w", file, line, err)
		}
		all = append(all, stored.Row{"fit": cells[0] + ", " + cells[1] + " parts", "size": cells[0], "features": features, "samples": samples,
			"millions": strconv.FormatFloat(float64(m)*float64(n)/1e6, 'g', -1, 64), "parts": cells[1], "model": strings.Replace(cells[2], "choose.Auto", "auto", 1),
			"seconds": cells[3], "rounds": cells[4], "MB": strings.Trim(cells[5], "–"), "ratio": "", "plain": ""})
	}
	if len(all) == 0 {
		return "", nil, fmt.Errorf("speed: %s has no table", file)
	}
	over(all, Library, "ratio")
	over(all, "NMF", "plain")
	return about, all, nil
}

// over writes the seconds of each row over those of a model in the same fit to a column.
func over(all stored.Table, model, column string) {
	for _, base := range all.Where("model", model) {
		for _, r := range all.Where("fit", base.Text("fit")) { // rows are maps
			r[column] = stored.Number(r.Number("seconds")/base.Number("seconds"), 'g', 6)
		}
	}
}

// Robust returns the rows of models that are robust, without choose.Auto, which is a race of several.
func Robust(t stored.Table) (some stored.Table) {
	for _, r := range t {
		if m := r.Text("model"); m != Library && m != "NMF" && m != "auto" {
			some = append(some, r)
		}
	}
	return some
}

// Guess returns between which two numbers the seconds of a fit of a model, and the MB beyond X, are likely to be by
// the rows of Sizes. A single guess takes those of the row that is nearest in size, times the ratios of the
// entries and, for the seconds, of the parts. It is tried on the rows themselves, each of which is left out in turn, and
// divided and multiplied by the largest factor by which it is wrong there. All are rounded to two digits.
func Guess(sizes stored.Table, model string, features, samples, parts float64) (seconds, mb [2]float64) {
	rows := sizes.Where("model", model)
	between := func(column string, byParts float64) [2]float64 {
		guess := func(without int, features, samples, parts float64) (v float64) {
			near := math.Inf(1)
			for i, r := range rows {
				e, m := features*samples/(r.Number("features")*r.Number("samples")), parts/r.Number("parts")
				if d := math.Abs(math.Log(e)) + math.Abs(math.Log(m)); i != without && d < near && !math.IsNaN(r.Number(column)) {
					near, v = d, r.Number(column)*e*math.Pow(m, byParts)
				}
			}
			return v
		}
		wrong := 1.0
		for i, r := range rows {
			if ratio := guess(i, r.Number("features"), r.Number("samples"), r.Number("parts")) / r.Number(column); ratio > 0 {
				wrong = max(wrong, ratio, 1/ratio)
			}
		}
		v := guess(-1, features, samples, parts)
		return [2]float64{rounded(v / wrong), rounded(v * wrong)}
	}
	return between("seconds", 1), between("MB", 0)
}

// WithRounds makes a table of Sizes, a row for each fit and a column for each model: its seconds, and in brackets its rounds.
func WithRounds(sizes stored.Table, caption string) *viz.Table {
	models := sizes.Different("model")
	t := &viz.Table{Caption: caption, Header: append([]string{""}, models...)}
	for _, fit := range sizes.Different("fit") {
		cells := []viz.Cell{viz.Text(fit)}
		for _, model := range models {
			cell := viz.Number(math.NaN(), 2)
			if r := sizes.Where("fit", fit, "model", model); len(r) == 1 {
				cell = viz.Number(r[0].Number("seconds"), 2)
				cell.Text += " (" + r[0].Text("rounds") + ")"
			}
			cells = append(cells, cell)
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// rounded keeps two digits.
func rounded(v float64) float64 {
	v, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 2, 64), 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

// Prices reads the first table of what go run ./notebooks/lab/price has printed. A row has the columns set,
// fit (the set with its size and parts), model, seconds, error (of the fit, on the data as they are), ratio
// (of the seconds to those of scikit-learn's NMF), plain (to those of our own NMF) and more (the error less scikit-learn's, in per cent of
// it). The first row of each set is that of scikit-learn.
func Prices(file string) (all stored.Table, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(data)) {
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		if len(cells) != 7 || cells[0] == "set" {
			continue
		}
		set, _, _ := strings.Cut(cells[0], ",")
		if len(all.Where("fit", cells[0])) == 0 {
			all = append(all, stored.Row{"set": set, "fit": cells[0], "model": Library, "seconds": cells[4], "error": cells[5], "ratio": "1", "more": "0", "plain": ""})
		}
		ours, err := strconv.ParseFloat(cells[3], 64)
		if err != nil {
			return nil, fmt.Errorf("speed: %s: %q: %w", file, line, err)
		}
		theirs, err := strconv.ParseFloat(cells[5], 64)
		if err != nil {
			return nil, fmt.Errorf("speed: %s: %q: %w", file, line, err)
		}
		ratio, _, _ := strings.Cut(cells[6], " (")
		all = append(all, stored.Row{"set": set, "fit": cells[0], "model": strings.Replace(cells[1], "choose.Auto", "auto", 1), "seconds": cells[2], "error": cells[3], "ratio": ratio,
			"more": stored.Number(100*(ours/theirs-1), 'f', 2), "plain": ""})
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("speed: %s has no table", file)
	}
	over(all, "NMF", "plain")
	return all, nil
}

// Span says from which to which number a column goes: "1.1 to 4.0".
func Span(t stored.Table, column string) string {
	v := t.Numbers(column)
	if len(v) == 0 {
		return "none"
	}
	digits := 1
	if slices.Max(v) < 1.5 {
		digits = 2
	} else if slices.Max(v) >= 10 && slices.Min(v) >= 10 {
		digits = 0
	}
	return fmt.Sprintf("%.*f to %.*f", digits, slices.Min(v), digits, slices.Max(v))
}
