package main

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestGroups wants a cell that declares something in other words than the last in a program before it.
func TestGroups(t *testing.T) {
	var cells []cellFile
	for i, source := range []string{
		"import \"fmt\"\nvar (\n\ta = 1\n)\nfunc f() {}\nfunc main() { fmt.Println(a) }",
		"var (\n\ta = 1\n\tb = 2\n)\ntype t struct{}\nfunc (t) f() {}\nfunc f() {}\nfunc main() {}",
		"var (\n\ta = 1\n\tb = 2\n)\nconst (\n\tc = iota\n)\ntype t struct{}\nfunc (t) f() {}\nfunc f() { b++ }\nfunc main() {}",
		"var (\n\ta = 1\n\tb = 2\n)\nconst (\n\tc = iota\n\td\n)\ntype t struct{}\nfunc (t) f() {}\nfunc f() { b++ }\nfunc main() {}",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte("package main\n"+source), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := readCell(dir)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 && (c.imports != "import \"fmt\"\n" || c.main != "() { fmt.Println(a) }" || !reflect.DeepEqual(c.declares, []string{"var a = 1", "func f() {}"})) {
			t.Errorf("%+v", c)
		}
		cells = append(cells, c)
	}
	var sizes []int
	for _, g := range groups(cells) {
		sizes = append(sizes, len(g))
	}
	if !reflect.DeepEqual(sizes, []int{1, 1, 2}) { // from the end: another const, another f, one more variable
		t.Errorf("groups of %v cells, from the end", sizes)
	}
}

// TestLinkedTogether wants cells that are linked together to do what they do by themselves, also where a
// function is declared again, and a cell that does not compile to leave the others as they are.
func TestLinkedTogether(t *testing.T) {
	if testing.Short() {
		t.Skip("no kernel is started with -short")
	}
	s := ready(t)
	cells := []string{
		"func f() int { return 1 }\n\nvar kept = f()",
		"%%\nfmt.Println(f(), kept)",
		"func f() int { return 2 }\n\n%%\nfmt.Println(f(), kept)",
		"%%\nfmt.Println(os.Getenv(\"RNMF_CELL\") != \"\")",
	}
	said := func(quick bool, cells ...string) (all []string) {
		file := writeNotebook(t, "together", cells...)
		if _, err := s.execute(t.Context(), file, quick, true); err != nil {
			t.Fatal(err)
		}
		nb, err := readNotebook(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range nb.cells() {
			words := ""
			for _, o := range c.outputs() {
				words += text(o["text"]) + text(o["traceback"])
			}
			all = append(all, strings.TrimSpace(words))
		}
		return all
	}
	if got := said(true, cells...); !reflect.DeepEqual(got, []string{"", "1 1", "2 2", "true"}) {
		t.Errorf("together they say %q", got)
	}
	if got := said(false, cells...); !reflect.DeepEqual(got, []string{"", "1 1", "2 2", "false"}) {
		t.Errorf("by themselves they say %q", got)
	}
	cells = append(cells, "%%\nfmt.Println(unknown)")
	got := said(true, cells...)
	if !reflect.DeepEqual(got[:4], []string{"", "1 1", "2 2", "false"}) || !strings.Contains(got[4], "undefined: unknown") {
		t.Errorf("with one that does not compile they say %q", got)
	}
}
