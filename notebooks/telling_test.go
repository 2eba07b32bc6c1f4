package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// told are the notebooks that are told anew, with the numbers of tables and figures of
// their paper. The list is to grow until it has them all.
var told = []struct {
	name            string
	tables, figures int
}{
	{"00-tour", 0, 0},
	{"01-l21-nmf", 3, 9},
	{"02-truncated-cauchy-nmf", 5, 11},
	{"02b-beyond-truncation", 0, 0},
	{"03-rss-nmf", 5, 5},
	{"03b-labels-in-practice", 0, 0},
	{"04-rls-nmf", 7, 11},
	{"05-rra-gnmf", 1, 5},
	{"06-arena", 0, 0},
	{"07-your-data", 0, 0},
	{"08-interactive", 0, 0},
	{"09-speed", 0, 0},
	{"10-large", 0, 0},
}

var (
	formula    = regexp.MustCompile(`(?s)\$\$.*?\$\$|\$[^$\n]+\$`)
	linkTarget = regexp.MustCompile(`\]\([^)]*\)`)
	anchor     = regexp.MustCompile(`\]\(#([^)]+)\)`)
	heading    = regexp.MustCompile(`(?m)^#{1,6} (.+)$`)
	word       = regexp.MustCompile(`[\p{L}\p{N}][\p{L}\p{N}’'.,-]*`)
	// Forms of speech that sound translated, and plumbing that package lesson hides.
	mannerism = regexp.MustCompile(`(?i)\b(foretell\w*|foretold|beside|dear|dearer|bears|spoilt)\b`)
	plumbing  = regexp.MustCompile(`\b(viz\.Must|RNMF_QUICK|full\(|os\.Exit|exec\.Command|json\.|csv\.)`)
	outcome   = regexp.MustCompile(`reproduced|on other data|not at hand|did not hold`)
)

// words counts the words of prose that a reader has to read: not those of formulas.
func words(markdown string) int {
	return len(word.FindAllString(linkTarget.ReplaceAllString(formula.ReplaceAllString(markdown, " "), "]"), -1))
}

func hasPicture(c cell) bool {
	for _, o := range c.outputs() {
		data, _ := o["data"].(map[string]any)
		if data["image/png"] != nil {
			return true
		}
	}
	return false
}

// TestTelling holds what makes the notebooks readable: short cells, a picture on the first
// screen, and a table that says of each table and figure of the paper what became of it.
func TestTelling(t *testing.T) {
	for _, nb := range told {
		t.Run(nb.name, func(t *testing.T) {
			data, err := os.ReadFile(nb.name + ".ipynb")
			if err != nil {
				t.Fatal(err)
			}
			parsed, err := parseNotebook(data)
			if err != nil {
				t.Fatal(err)
			}
			code, prose, picture := 0, 0, false
			headings, links, coverage := map[string]bool{}, []string{}, ""
			for i, c := range parsed.cells() {
				source := c.source()
				if !c.isCode() {
					if !picture {
						prose += words(source)
					}
					for _, h := range heading.FindAllStringSubmatch(source, -1) {
						headings[strings.ReplaceAll(h[1], " ", "-")] = true
					}
					for _, l := range anchor.FindAllStringSubmatch(source, -1) {
						links = append(links, l[1])
					}
					if found := mannerism.FindString(source); found != "" {
						t.Errorf("cell %d says %q", i, found)
					}
					for line := range strings.Lines(source) {
						if strings.HasPrefix(line, "|") && (coverage != "" || strings.Contains(line, "in the paper")) && strings.Count(line, "|") == 4 {
							coverage += line
						}
					}
					continue
				}
				lines := strings.Count(strings.TrimSpace(source), "\n") + 1
				if limit := map[bool]int{true: 12, false: 25}[code == 0]; lines > limit {
					t.Errorf("code cell %d has %d lines, want at most %d", i, lines, limit)
				}
				code++
				if found := plumbing.FindString(source); found != "" {
					t.Errorf("code cell %d has %s: see package lesson", i, found)
				}
				picture = picture || hasPicture(c)
			}
			if !picture {
				t.Error("no picture")
			}
			if prose > 120 {
				t.Errorf("%d words before the first picture, want at most 120", prose)
			}
			for _, l := range links {
				if !headings[l] {
					t.Errorf("a link to #%s, which is no heading", l)
				}
			}
			if nb.tables+nb.figures > 0 {
				checkCoverage(t, coverage, nb.tables, nb.figures)
			}
		})
	}
}

// checkCoverage looks for each table and figure in the first column, and for a verdict in the last.
func checkCoverage(t *testing.T, coverage string, tables, figures int) {
	t.Helper()
	first := ""
	for i, line := range strings.Split(strings.TrimSpace(coverage), "\n") {
		fields := strings.Split(line, "|")
		if i < 2 || len(fields) < 4 { // header and rule
			continue
		}
		first += fields[1] + "\n"
		if !outcome.MatchString(fields[3]) && !strings.Contains(fields[1], "not in the paper") {
			t.Errorf("no outcome in %q", line)
		}
	}
	for kind, n := range map[string]int{"Table": tables, "Fig.": figures} {
		for k := 1; k <= n; k++ {
			if !regexp.MustCompile(regexp.QuoteMeta(kind) + fmt.Sprintf(` %d\b`, k)).MatchString(first) {
				t.Errorf("the table of coverage does not have %s %d", kind, k)
			}
		}
	}
}

// TestWords counts what a reader reads.
func TestWords(t *testing.T) {
	if got := words("# One *two*\n\nThree $a + b$ [four](http://x.y/z) five-six, 7.\n\n$$x = y \\quad\\text{no}$$\n"); got != 6 {
		t.Errorf("%d words, want 6", got)
	}
}
