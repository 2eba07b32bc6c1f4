package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	// What the notebooks import, so that go test does not take an old result
	// for theirs when it changed.
	_ "github.com/robustnmf/robustnmf/datasets"
	_ "github.com/robustnmf/robustnmf/notebooks/lab/arena"
	_ "github.com/robustnmf/robustnmf/notebooks/lab/audit"
	_ "github.com/robustnmf/robustnmf/notebooks/lab/cauchy"
	_ "github.com/robustnmf/robustnmf/notebooks/lab/counts"
	_ "github.com/robustnmf/robustnmf/notebooks/lab/l21"
	_ "github.com/robustnmf/robustnmf/notebooks/lab/rls"
	_ "github.com/robustnmf/robustnmf/notebooks/lab/rra"
	_ "github.com/robustnmf/robustnmf/notebooks/lab/rss"
	_ "github.com/robustnmf/robustnmf/notebooks/lab/speed"
	_ "github.com/robustnmf/robustnmf/notebooks/lesson"
	_ "github.com/robustnmf/robustnmf/rnmf"
	_ "github.com/robustnmf/robustnmf/rnmf/baseline"
	_ "github.com/robustnmf/robustnmf/rnmf/choose"
	_ "github.com/robustnmf/robustnmf/rnmf/neighbor"
	_ "github.com/robustnmf/robustnmf/rnmf/score"
	_ "github.com/robustnmf/robustnmf/viz"
)

type logTo struct{ *testing.T }

func (l logTo) Write(p []byte) (int, error) {
	l.Log(strings.TrimSpace(string(p)))
	return len(p), nil
}

// ready skips a test that executes notebooks where that cannot be done.
func ready(t *testing.T) *setup {
	t.Helper()
	if testing.Short() {
		t.Skip("notebooks are not executed with -short")
	}
	s, err := newSetup(t.Context(), logTo{t})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.jupyter(t.Context(), false, false); err != nil {
		if os.Getenv("RNMF_NEED_JUPYTER") != "" {
			t.Fatal(err)
		}
		t.Skipf("notebooks are not executed: no Jupyter (%v); go run ./notebooks -test installs it", err)
	}
	if err := s.kernel(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// inShort are the notebooks that are executed without RNMF_CI=1: one of each kind.
var inShort = []string{"00-tour", "01-l21-nmf", "07-your-data", "08-interactive", "11-counts"}

// TestNotebooks executes the committed notebooks in the quick setting.
func TestNotebooks(t *testing.T) {
	s := ready(t)
	files, err := filepath.Glob("*.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skip("there are no notebooks")
	}
	for _, file := range files {
		name := strings.TrimSuffix(file, ".ipynb")
		t.Run(name, func(t *testing.T) {
			if os.Getenv("RNMF_CI") == "" && !slices.Contains(inShort, name) {
				t.Skip("executed with RNMF_CI=1, and by go run ./notebooks -check")
			}
			t.Parallel() // compiling a cell leaves cores idle
			bad, err := s.execute(t.Context(), file, true, false)
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range bad {
				t.Error(text)
			}
		})
	}
}

// writeNotebook makes a notebook of the given code cells.
func writeNotebook(t *testing.T, name string, cells ...string) string {
	t.Helper()
	var list []any
	for _, source := range cells {
		list = append(list, map[string]any{"cell_type": "code", "execution_count": nil, "metadata": map[string]any{}, "outputs": []any{}, "source": source})
	}
	data, err := json.Marshal(map[string]any{
		"cells":    list,
		"metadata": map[string]any{"kernelspec": map[string]any{"display_name": "Go (gonb)", "language": "go", "name": "gonb"}},
		"nbformat": 4, "nbformat_minor": 4,
	})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), name+".ipynb")
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestFailuresAreSeen executes cells each of which fails in a way of its own,
// none of which makes nbconvert fail.
func TestFailuresAreSeen(t *testing.T) {
	s := ready(t)
	cells := []struct{ source, want string }{
		{"%%\npanic(\"boom\")", "panic: boom"},
		{"%%\nfmt.Fprint(os.Stderr, \"half a line\")\nos.Exit(3)", "half a lineexit status 3"},
		{"%%\nundefinedFunction()", "Line 2"},
		{"%test\nfunc TestX(t *testing.T) { t.Fatal(\"nope\") }", "nope"},
		{"import \"" + module + "/notebooks/lesson\"\n%%\nx := 3\nlesson.Check(fmt.Errorf(\"no %d\", x))", "no 3\n        in the line  lesson.Check("},
		{"!false", "exit status 1"},
		{"%%bash\nexit 4", "exit status 4"},
		{"%nosuchcommand", "unknown"},
		{"%%\nfmt.Println(\"fine\")", ""},
	}
	var sources []string
	for _, c := range cells {
		sources = append(sources, c.source)
	}
	file := writeNotebook(t, "bad", sources...)
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	bad, err := s.execute(t.Context(), file, true, false)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range cells {
		name, found := "cell "+string(rune('1'+i)), false
		for _, text := range bad {
			if strings.HasPrefix(text, name+" ") {
				found = true
				if c.want == "" || !strings.Contains(strings.Join(bad, "\n"), c.want) {
					t.Errorf("%s: got %q, want %q", name, text, c.want)
				}
			}
		}
		if !found && c.want != "" {
			t.Errorf("%s: %q was not seen to fail", name, c.source)
		}
	}
	after, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(before, after) {
		t.Error("a check must not change the notebook")
	}
}

// TestRunInPlace also checks that the module of the notebook is this checkout,
// that a second run makes no diff, and that a page can be made of the result.
func TestRunInPlace(t *testing.T) {
	s := ready(t)
	file := writeNotebook(t, "good",
		"import \"github.com/robustnmf/robustnmf/rnmf\"\n\nfunc square(x int) int { return x * x }",
		"%%\nvar loss rnmf.Loss\nfmt.Println(square(3), loss, os.Getenv(\"RNMF_QUICK\") == \"\")",
		"!*go list -m -f '{{.Dir}}/LICENSE' "+module+"; pwd",
	)
	var files [2][]byte
	for i := range files {
		if err := s.runAll(t.Context(), []string{file}, false, true); err != nil {
			t.Fatal(err)
		}
		var err error
		if files[i], err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Errorf("two runs differ:\n%s\n%s", files[0], files[1])
	}
	for _, want := range []string{`"9 <nil> true\n"`, `"LICENSE\n"`, `"/gonb\n"`} {
		if !bytes.Contains(files[0], []byte(want)) {
			t.Errorf("no %s in\n%s", want, files[0])
		}
	}
	dir := t.TempDir()
	if err := s.exportAll(t.Context(), []string{file}, dir); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(dir, "good.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<script src", "cdnjs", "x-mathjax"} {
		if bytes.Contains(page, []byte(bad)) {
			t.Errorf("the page contains %q", bad)
		}
	}
	if !bytes.Contains(page, []byte("Content-Security-Policy")) {
		t.Error("the page may load things")
	}
}

// TestFailingSource wants the lines of the pinned GoNB that are to be changed, on a machine that has no
// modules yet, too.
func TestFailingSource(t *testing.T) {
	if !testing.Short() {
		t.Setenv("GOMODCACHE", t.TempDir())
		t.Setenv("GOFLAGS", "-modcacherw")
	}
	s, err := newSetup(t.Context(), logTo{t})
	if err != nil {
		t.Fatal(err)
	}
	modfile, err := s.failing(t.Context(), filepath.Join(t.TempDir(), "tools"))
	if err != nil || modfile == "" {
		t.Fatalf("%q, %v", modfile, err)
	}
	text, err := os.ReadFile(filepath.Join(filepath.Dir(modfile), "gonb", "internal", "jpyexec", "jpyexec.go"))
	if err != nil || bytes.Count(text, []byte("failed := cmd.Wait()")) != 1 || bytes.Count(text, []byte("return failed\n")) != 1 {
		t.Error("the lines are not changed", err)
	}
	if mod, err := os.ReadFile(modfile); err != nil || !bytes.Contains(mod, []byte(filepath.Join(filepath.Dir(modfile), "gonb"))) {
		t.Error("go.mod does not lead to the copy", err)
	}
}

// TestFailingCell wants plain nbconvert to fail where a cell does, at run time or when it is compiled,
// and to show the reason.
func TestFailingCell(t *testing.T) {
	if testing.Short() {
		t.Skip("no kernel is started with -short")
	}
	s := ready(t)
	for name, c := range map[string]struct{ cell, reason string }{
		"panic":   {"%%\npanic(\"a reason\")", "a reason"},
		"exit":    {"%%\nfmt.Fprintln(os.Stderr, \"no such data\")\nos.Exit(3)", "no such data"},
		"compile": {"%%\nfmt.Println(unknown)", "undefined: unknown"},
	} {
		file := writeNotebook(t, name, "%%\nfmt.Println(\"fine\")", c.cell, "%%\nfmt.Println(\"ne\" + \"ver\")")
		out, err := s.command(t.Context(), s.jup.path, "nbconvert", "--to=notebook", "--execute", "--stdout", file).CombinedOutput()
		if err == nil || !strings.Contains(string(out), c.reason) || strings.Contains(string(out), "never") {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

// TestDeadKernel wants the outputs so far in the notebook when the kernel dies.
func TestDeadKernel(t *testing.T) {
	if testing.Short() {
		t.Skip("no kernel is started with -short")
	}
	s := ready(t)
	file := writeNotebook(t, "dead", "%%\nfmt.Println(\"fine\")", "%%\nsyscall.Kill(os.Getppid(), syscall.SIGKILL)", "%%\nfmt.Println(\"never\")")
	if _, err := s.execute(t.Context(), file, true, true); err == nil || !strings.Contains(err.Error(), "Kernel died") {
		t.Fatalf("the error is %v", err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	nb, err := parseNotebook(data)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"fine", "Kernel died", ""} {
		said := ""
		for _, o := range nb.cells()[i].outputs() {
			said += text(o["text"])
		}
		if !strings.Contains(said, want) || want == "" && said != "" {
			t.Errorf("cell %d says %q, want %q", i+1, said, want)
		}
	}
}

// TestOutputsSoFar puts what the cells before a dead kernel have said into a notebook.
func TestOutputsSoFar(t *testing.T) {
	file := writeNotebook(t, "dead", "one", "two", "three")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	nb, err := parseNotebook(data)
	if err != nil {
		t.Fatal(err)
	}
	nb.cells()[2]["outputs"] = []any{map[string]any{"output_type": "stream", "text": "of an older run"}}
	kept := filepath.Join(t.TempDir(), "kept.json")
	written := `{"cells": [{"index": 0, "execution_count": 1, "outputs": [{"output_type": "stream", "name": "stdout", "text": "fine"}]}, {"index": 1, "execution_count": 2, "outputs": []}]}`
	if err := os.WriteFile(kept, []byte(written), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := nb.executedSoFar(kept, errors.New("died")); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"fine", "died\n", ""} {
		said := ""
		for _, o := range nb.cells()[i].outputs() {
			said += text(o["text"])
		}
		if said != want {
			t.Errorf("cell %d says %q, want %q", i+1, said, want)
		}
	}
	if err := os.WriteFile(kept, []byte(`{"cells": [{"index": 3}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := nb.executedSoFar(kept, errors.New("died")); err == nil || !strings.Contains(err.Error(), "no cell 3") {
		t.Errorf("a cell that is not there: %v", err)
	}
}
