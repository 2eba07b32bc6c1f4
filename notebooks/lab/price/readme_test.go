package main

import (
	"flag"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the prices of README.md anew from testdata/peers/price.md")

const (
	pricesBegin = "<!-- prices: written by `go test ./notebooks/lab/price -run TestPriceInREADME -update` -->\n"
	pricesEnd   = "<!-- end of prices -->"
)

// README.md says what was measured last.
func TestPriceInREADME(t *testing.T) {
	const readme = "../../../README.md"
	measured, err := os.ReadFile("../../../testdata/peers/price.md")
	if err != nil {
		t.Fatal(err)
	}
	want, err := priceTable(string(measured))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), pricesBegin)
	now, after, ends := strings.Cut(rest, pricesEnd)
	if !found || !ends {
		t.Fatalf("README.md lacks %q or %q", pricesBegin, pricesEnd)
	}
	if now == want {
		return
	}
	if !*update {
		t.Fatalf("README.md has\n%s\ntestdata/peers/price.md says\n%s", now, want)
	}
	if err := os.WriteFile(readme, []byte(before+pricesBegin+want+pricesEnd+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// priceTable is a headline and a row for each set: the seconds of scikit-learn's plain NMF, and the
// ratio for each model of ours, and at last their seconds over those of our NMF.
func priceTable(measured string) (string, error) {
	rows := regexp.MustCompile(`(?m)^\| (.*), (\d+×\d+), r = (\d+) \| (\S+) \| ([\d.]+) \| [\d.]+ \| ([\d.]+) \| [\d.]+ \| ([\d.]+) \(`).FindAllStringSubmatch(measured, -1)
	means := regexp.MustCompile(`(?m)^- (\S+): ([\d.]+)$`).FindAllStringSubmatch(measured, -1)
	from := regexp.MustCompile(`Measured on (.*?) by .* on (\d+) cores \((.*?)\)\. Peers: (.*?)(?:; |\.\n)`).FindStringSubmatch(measured)
	pairs := regexp.MustCompile(`medians of (\d+) pairs`).FindStringSubmatch(measured)
	if len(rows) == 0 || len(means) == 0 || from == nil || pairs == nil {
		return "", fmt.Errorf("no rows, means, date or number of pairs in %.300q", measured)
	}
	var names, sets []string
	seconds, ratios := map[string]string{}, map[string]string{}
	ours := map[string]float64{} // seconds by set and model
	for _, r := range rows {
		set := fmt.Sprintf("%s, %s, %s parts", r[1], r[2], r[3])
		if !slices.Contains(sets, set) {
			sets = append(sets, set)
		}
		if !slices.Contains(names, r[4]) {
			names = append(names, r[4])
		}
		seconds[set], ratios[set+r[4]] = r[6], r[7]
		own, err := strconv.ParseFloat(r[5], 64)
		if err != nil {
			return "", err
		}
		ours[set+r[4]] = own
	}
	timesNMF := func(model string) float64 {
		var logs float64
		for _, set := range sets {
			logs += math.Log(ours[set+model] / ours[set+"NMF"])
		}
		return math.Exp(logs / float64(len(sets)))
	}
	mean := map[string]string{}
	for _, m := range means {
		mean[m[1]] = m[2]
	}
	robust := []string{"HuberNMF", "CellCaseNMF", "RobustNMF"}
	low, high, least, most := math.Inf(1), 0.0, mean[robust[0]], mean[robust[0]]
	for _, model := range robust {
		times := timesNMF(model)
		low, high, least, most = min(low, times), max(high, times), min(least, mean[model]), max(most, mean[model])
	}
	var b strings.Builder
	fmt.Fprintf(&b, "**A robust fit takes %.1f to %.1f times as long as our plain `NMF`, and %s to %s of the seconds of scikit-learn's plain `NMF`. `choose.Auto`, which fits three losses first, takes %.1f times as long and %s of scikit-learn's.** ",
		low, high, least, most, timesNMF("choose.Auto"), mean["choose.Auto"])
	fmt.Fprintf(&b, "In the table, our seconds are divided by scikit-learn's: below 1 ours is faster. Each number is the median of %s pairs of fits.\n\n", pairs[1])
	b.WriteString("| set, features × samples | scikit-learn's `NMF`, seconds |")
	for i, n := range names {
		if i == 0 {
			b.WriteString(" seconds ÷ scikit-learn's:")
		}
		fmt.Fprintf(&b, " `%s` |", n)
	}
	b.WriteString("\n|---|---|" + strings.Repeat("---|", len(names)))
	for _, s := range sets {
		fmt.Fprintf(&b, "\n| %s | %s |", s, seconds[s])
		for _, n := range names {
			fmt.Fprintf(&b, " %s |", ratios[s+n])
		}
	}
	b.WriteString("\n| geometric mean | |")
	for _, n := range names {
		fmt.Fprintf(&b, " **%s** |", mean[n])
	}
	b.WriteString("\n| the same, ÷ our `NMF`'s | |")
	for _, n := range names {
		fmt.Fprintf(&b, " %.1f |", timesNMF(n))
	}
	fmt.Fprintf(&b, "\n\nMeasured on %s on %s cores (%s), %s. [All rows, with errors and with RcppML next to ours](testdata/peers/price.md).\n", from[1], from[2], strings.Join(strings.Fields(from[3]), " "), from[4])
	return b.String(), nil
}
