package claims

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every claim is of a kind, has one mark in the table, and is counted in the title of the picture.
func TestLedger(t *testing.T) {
	all, count := 0, map[Verdict]int{}
	for _, list := range All() {
		all += len(list)
		for v, n := range list.Tally() {
			count[v] += n
		}
		for _, c := range list {
			if !slices.Contains(kinds, c.Kind) {
				t.Errorf("%s is of the kind %q", c.Key, c.Kind)
			}
		}
	}
	ledger := All()
	table := ledger.HTML()
	if n := strings.Count(table, "<span title="); n != all {
		t.Errorf("%d marks, want %d", n, all)
	}
	words := InWords{ledger}.HTML()
	if n := strings.Count(words, "<br>"); n != all {
		t.Errorf("%d lines, want %d", n, all)
	}
	for v, mark := range marks {
		if n := strings.Count(words, "<br>"+mark+" "); n != count[v] {
			t.Errorf("%d lines are %s, want %d", n, v, count[v])
		}
		if n := strings.Count(table, ">"+mark+"</span>"); n != count[v] {
			t.Errorf("%d claims are %s, want %d", n, v, count[v])
		}
	}
	c, want := ledger.Draw(), fmt.Sprintf("%d claims: %d reproduced, %d partly, %d not", all, count[Reproduced], count[Partly], count[Not])
	if c.Title.Text != want {
		t.Errorf("the title is %q, want %q", c.Title.Text, want)
	}
	if c.Image().Bounds().Empty() {
		t.Error("no picture")
	}
}

// The lessons name the kinds with the largest share, the smallest share and the most decided claims.
func TestLessons(t *testing.T) {
	claim := func(k Kind, v Verdict) Claim { return Claim{Kind: k, Judge: judged(v, "")} }
	l := Ledger{"01": List{claim(Derivation, Reproduced), claim(Derivation, Not), claim(Number, Not), claim(Picture, Reproduced), claim(Time, Partly), claim(Time, Reproduced), claim(Number, Open)},
		"02": List{claim(Ranking, Partly), claim(Ranking, Not), claim(Ranking, Reproduced), claim(Time, NotTestable)}}
	extremes, frequent := l.Lessons()
	if want := "Reproduced most often are curves and pictures: 1 of the 1 that are decided (1 of 1 in paper 01); least often printed numbers: 0 of 1."; extremes != want {
		t.Errorf("%q, want %q", extremes, want)
	}
	if want := "The largest group are rankings: of the 3 that are decided 1 are reproduced, 1 partly and 1 not."; frequent != want {
		t.Errorf("%q, want %q", frequent, want)
	}
	if html := (Answer{l}).HTML(); html != "<p>"+extremes+"</p><p>"+frequent+"</p>" {
		t.Errorf("the answer is %q", html)
	}
}

// Each paper has a headline with numbers.
func TestHeadlines(t *testing.T) {
	for paper := range Papers {
		if h := HeadlineOf(paper); !regexp.MustCompile(`\d+ .*\.$`).MatchString(string(h)) || strings.Contains(h.HTML(), "%!") {
			t.Errorf("%s: %s", paper, h)
		} else {
			t.Log(paper, h)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a headline of no paper")
		}
	}()
	HeadlineOf("06")
}
