package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// solved are the notebooks whose solutions are tried out.
var solved = []string{"00-tour", "01-l21-nmf", "02-truncated-cauchy-nmf", "02b-beyond-truncation", "03-rss-nmf", "03b-labels-in-practice", "04-rls-nmf", "05-rra-gnmf", "06-arena", "07-your-data", "08-interactive", "09-speed", "10-large", "11-counts"}

var (
	solution = regexp.MustCompile(`(?s)<summary>Solution</summary>(.*?)</details>`)
	goBlock  = regexp.MustCompile("(?s)```go\n(.*?)```")
)

// A code is Go code that has been read.
type code struct {
	names   []string // that it declares
	imports []string
	decls   []string // without imports
}

// readCode reads declarations as a cell has them.
func readCode(text string) (c code, err error) {
	source := "package main\n" + text
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, "", source, parser.ParseComments)
	if err != nil {
		return c, err
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if d.Recv != nil {
				name = "(method) " + name
			}
			c.names = append(c.names, name)
		case *ast.GenDecl:
			if d.Tok == token.IMPORT {
				for _, s := range d.Specs {
					c.imports = append(c.imports, s.(*ast.ImportSpec).Path.Value)
				}
				continue
			}
			c.names = append(c.names, fmt.Sprint(d.Tok, " ", d.Pos()))
		}
		c.decls = append(c.decls, source[files.Position(d.Pos()).Offset:files.Position(d.End()).Offset])
	}
	return c, nil
}

// programs makes a program of each solution of a notebook: the notebook's declarations, in which those of the
// solution take the place of their namesakes, and the cells of the solution that begin with %%.
func programs(nb notebook) (list []string, err error) {
	var all code
	for i, c := range nb.cells() {
		text := c.source()
		if c.isCode() {
			head, _, _ := strings.Cut(text, "%%\n")
			read, err := readCode(head)
			if err != nil {
				return nil, fmt.Errorf("cell %d: %w", i, err)
			}
			all.names, all.decls = append(all.names, read.names...), append(all.decls, read.decls...)
			all.imports = append(all.imports, read.imports...)
			continue
		}
		for _, s := range solution.FindAllStringSubmatch(text, -1) {
			own, body := slices.Clone(all.decls), ""
			blocks := goBlock.FindAllStringSubmatch(s[1], -1)
			for _, b := range blocks {
				if rest, ok := strings.CutPrefix(b[1], "%%\n"); ok {
					body += "{\n" + rest + "}\n"
					continue
				}
				read, err := readCode(b[1])
				if err != nil {
					return nil, fmt.Errorf("cell %d, a solution: %w", i, err)
				}
				for k, name := range read.names {
					if at := slices.Index(all.names, name); at >= 0 {
						own[at] = read.decls[k]
					} else {
						own = append(own, read.decls[k])
					}
				}
			}
			if len(blocks) > 0 {
				list = append(list, "package main\n\nimport (\n"+strings.Join(all.imports, "\n")+"\n)\n\n"+strings.Join(own, "\n\n")+"\n\nfunc main() {\n"+body+"}\n")
			}
		}
	}
	return list, nil
}

// try runs a program of a notebook in the quick setting, or only compiles it.
func try(t *testing.T, program string, run bool) (string, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "main.go") // not in the checkout, which other tests walk through
	if err := os.WriteFile(file, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	call := func(args ...string) error {
		c := exec.CommandContext(t.Context(), "go", args...)
		c.Env = append(os.Environ(), "RNMF_QUICK=1", "RNMF_HEADLESS=1")
		c.Stdout, c.Stderr = &said, &said
		return c.Run()
	}
	err := call("tool", "goimports", "-srcdir", "main.go", "-w", file) // as if it were in this module
	if err == nil && run {
		err = call("run", "-ldflags=-s -w", file)
	} else if err == nil {
		err = call("build", "-ldflags=-s -w", "-o", os.DevNull, file)
	}
	return said.String(), err
}

// TestSolutions compiles the solutions of exercises with the declarations of their notebook, and runs them.
func TestSolutions(t *testing.T) {
	for _, name := range solved {
		list, err := programs(read(t, name))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(list) == 0 {
			t.Errorf("%s has no solution in Go", name)
		}
		for i, p := range list {
			if said, err := try(t, p, !testing.Short()); err != nil {
				t.Errorf("%s, solution %d: %v\n%s", name, i+1, err, said)
			}
		}
	}
}

// A solution that does not fit its notebook does not compile.
func TestSolutionsNotice(t *testing.T) {
	for change, fits := range map[string]bool{"return 2 * x": true, "return 2 * y": false} {
		list, err := programs(notebook{"cells": []any{
			map[string]any{"cell_type": "code", "source": "import \"fmt\"\n\nfunc twice(x int) int { return x + x }\n\n%%\nfmt.Println(twice(1))"},
			map[string]any{"cell_type": "markdown", "source": "<details><summary>Solution</summary>\n\n```go\nfunc twice(x int) int { " + change + " }\n```\n\n```go\n%%\nfmt.Println(twice(21))\n```\n\n</details>"},
		}})
		if err != nil || len(list) != 1 {
			t.Fatalf("%d programs, %v", len(list), err)
		}
		said, err := try(t, list[0], true)
		if fits && (err != nil || said != "42\n") || !fits && err == nil {
			t.Errorf("%s: %q, %v", change, said, err)
		}
	}
}
