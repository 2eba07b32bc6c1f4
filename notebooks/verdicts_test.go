package main

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/robustnmf/robustnmf/notebooks/lab/claims"
	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
)

var (
	// shows finds what a cell shows of the claims of a paper: all of them, or some by their keys, or their count alone.
	shows = regexp.MustCompile(`claims\.Of\("(\d\d)"\)(?:\.Only\(([^)]*)\))?(\.Count\(\))?`)
	// headlines finds the papers whose headlines a cell shows.
	headlines = regexp.MustCompile(`claims\.HeadlineOf\("(\d\d)"\)`)
	// outcomeInProse finds a sentence on what became of a paper that no code has written.
	outcomeInProse = regexp.MustCompile(`(?i)\b(reproduced|did(n’t| not) (hold|reproduce)|does not reproduce|not confirmed)\b`)
)

// verdicts compares the verdicts in the outputs of a notebook with those of the
// papers' claims as they are judged now. It says what differs, and returns the keys of the claims that the
// notebook shows, by paper.
func verdicts(nb notebook, papers map[string]claims.List) (errors []string, seen map[string][]string) {
	seen = map[string][]string{}
	for i, c := range nb.cells() {
		if !c.isCode() {
			if found := outcomeInProse.FindString(c.source()); found != "" {
				errors = append(errors, fmt.Sprintf("cell %d says %q: an outcome is what a rule returns", i, found))
			}
			continue
		}
		html := ""
		for _, o := range c.outputs() {
			if d, ok := o["data"].(map[string]any); ok {
				html += text(d["text/html"])
			}
			html += text(o["text"])
		}
		stale := func(what string) {
			errors = append(errors, fmt.Sprintf("cell %d does not show %s as it is now: run the notebook again", i, what))
		}
		if ledger := claims.Ledger(papers); strings.Contains(c.source(), "claims.All()") &&
			!(strings.Contains(html, ledger.HTML()) && strings.Contains(html, claims.Answer{Ledger: ledger}.HTML())) {
			stale("the ledger")
		}
		// shown says whether a list is there, in one of its two forms.
		shown := func(list claims.List) bool {
			return strings.Contains(html, list.HTML()) || strings.Contains(html, list.InLines().HTML())
		}
		if strings.Contains(c.source(), "claims.AllOpen()") && !shown(claims.AllOpen()) {
			stale("what is open")
		}
		if strings.Contains(c.source(), "claims.TheSurprising()") && !strings.Contains(html, claims.WithReasons{List: claims.TheSurprising()}.HTML()) {
			stale("the surprises")
		}
		for _, m := range headlines.FindAllStringSubmatch(c.source(), -1) {
			if !strings.Contains(html, claims.HeadlineOf(m[1]).HTML()) {
				stale("the headline of " + m[1])
			}
		}
		for _, m := range shows.FindAllStringSubmatch(c.source(), -1) {
			list := papers[m[1]]
			if m[2] != "" {
				var keys []string
				for _, key := range strings.Split(m[2], ",") {
					keys = append(keys, strings.Trim(strings.TrimSpace(key), `"`))
				}
				list = list.Only(keys...)
			}
			if shown(list) {
				for _, claim := range list {
					seen[m[1]] = append(seen[m[1]], claim.Key)
				}
			} else if m[3] == "" {
				errors = append(errors, fmt.Sprintf("cell %d does not show what the rules return now: run the notebook again", i))
			}
			if strings.Contains(c.source(), ".Count()") && !strings.Contains(html, list.Count()) {
				errors = append(errors, fmt.Sprintf("cell %d does not count the verdicts as they are now: %s", i, list.Count()))
			}
		}
	}
	return errors, seen
}

// papersOf are the notebooks that tell of the papers.
var papersOf = []string{"01-l21-nmf", "02-truncated-cauchy-nmf", "02b-beyond-truncation", "03-rss-nmf", "03b-labels-in-practice", "04-rls-nmf", "05-rra-gnmf", "12-audit"}

// judged are the claims of all papers, judged by some results.
func judged(data claims.Data) map[string]claims.List {
	papers := map[string]claims.List{}
	for name, list := range claims.Papers {
		papers[name] = list(data)
	}
	return papers
}

func read(t *testing.T, name string) notebook {
	t.Helper()
	data, err := os.ReadFile(name + ".ipynb")
	if err != nil {
		t.Fatal(err)
	}
	nb, err := parseNotebook(data)
	if err != nil {
		t.Fatal(err)
	}
	return nb
}

// TestVerdicts computes all verdicts from the stored results, and fails where a notebook shows
// another, where prose says one, or where a claim of a paper is shown nowhere.
func TestVerdicts(t *testing.T) {
	papers, seen := judged(claims.Stored()), map[string][]string{}
	for _, name := range papersOf {
		errors, of := verdicts(read(t, name), papers)
		for _, e := range errors {
			t.Errorf("%s: %s", name, e)
		}
		for paper, keys := range of {
			seen[paper] = append(seen[paper], keys...)
		}
	}
	for paper, list := range papers {
		for _, c := range list {
			if !slices.Contains(seen[paper], c.Key) {
				t.Errorf("the claim %q of paper %s is in no notebook", c.Key, paper)
			}
		}
	}
}

// TestVerdictsNotice changes one stored number so much that a verdict flips, and wants the
// notebook that shows it to be found out; and so with a sentence of prose.
func TestVerdictsNotice(t *testing.T) {
	nb := read(t, "05-rra-gnmf")
	data := claims.Stored()
	if errors, _ := verdicts(nb, judged(data)); len(errors) > 0 {
		t.Fatal(errors)
	}
	data.Graph = slices.Clone(data.Graph)
	i := slices.IndexFunc(data.Graph, func(r stored.Row) bool {
		return r.Text("solver") == "scale held, λ = 10⁴" && r.Text("classes") == "4" && r.Text("set") == "COIL-20 32×32"
	})
	data.Graph[i] = maps.Clone(data.Graph[i])
	data.Graph[i]["accuracy"] = "-90"
	if errors, _ := verdicts(nb, judged(data)); len(errors) == 0 {
		t.Error("another verdict is not noticed")
	}
	for text, bad := range map[string]bool{"Fig. 4 did not hold.": true, "It is reproduced.": true, "What became of the paper": false} {
		prose := notebook{"cells": []any{map[string]any{"cell_type": "markdown", "source": text}}}
		if errors, _ := verdicts(prose, nil); (len(errors) > 0) != bad {
			t.Errorf("%q: %v", text, errors)
		}
	}
}
