package datasets

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var writeTable = flag.Bool("update", false, "write the table of licences in README.md anew")

// TestLicences wants README.md to say of each set whose it is, on what terms, and
// how to get it.
func TestLicences(t *testing.T) {
	var names, rows []string // a row for neighbours that differ in their name alone
	for _, s := range allPublicSets {
		get := "`Download`"
		if s.remote == nil {
			get = s.ask
		}
		row, name := fmt.Sprintf(" | %s | %s | <%s> |\n", s.Credit, get, s.Home), "`"+s.Name+"`"
		if last := len(rows) - 1; last >= 0 && rows[last] == row {
			names[last] += ", " + name
			continue
		}
		names, rows = append(names, name), append(rows, row)
	}
	var table strings.Builder
	for k, row := range rows {
		table.WriteString("| " + names[k] + row)
	}
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	const head = "| set | owner and terms | to get it | home |\n|---|---|---|---|\n"
	before, after, ok := strings.Cut(string(text), head)
	_, rest, end := strings.Cut(after, "\n\n")
	if !ok || !end {
		t.Fatal("README.md has no such table")
	}
	want := before + head + table.String() + "\n" + rest
	if *writeTable {
		if err := os.WriteFile("README.md", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(text) {
		t.Error("the table of README.md is not that of the sources: run this test with -update")
	}
	// What is embedded has its licence next to it.
	licences, err := os.ReadFile("embed/README.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir("embed")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if name := f.Name(); !strings.HasSuffix(name, ".go") && name != "README.md" && !strings.Contains(string(licences), "`"+name+"`") {
			t.Errorf("embed/README.md says nothing of %s", name)
		}
	}
}
