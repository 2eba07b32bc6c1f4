package main

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Most of the time of a quick run goes into linking: a second for each cell, of which most do little
// else. So there the cells of a notebook are linked once, together. The kernel executes the notebook
// twice. The first time its go (see goShim) keeps the main.go of each cell, and gives the kernel an empty
// program. Of these files link makes one program. The second time a cell whose main.go is the same, byte
// for byte, runs its part of that program; any other is compiled as always.

// A cellFile is the main.go that the kernel has made of a cell: all declarations so far, and main.
type cellFile struct {
	folder   string
	imports  string
	declares []string // declarations but main, in their order
	main     string   // the function main, from its parameters on
}

// readCell reads folder/main.go.
func readCell(folder string) (cellFile, error) {
	c, file := cellFile{folder: folder}, filepath.Join(folder, "main.go")
	src, err := os.ReadFile(file)
	if err != nil {
		return c, err
	}
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, file, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return c, err
	}
	text := func(n ast.Node) string {
		return string(src[files.Position(n.Pos()).Offset:files.Position(n.End()).Offset])
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name == "main" {
				c.main = string(src[files.Position(d.Name.End()).Offset:files.Position(d.End()).Offset])
				continue
			}
			c.declares = append(c.declares, text(d))
		case *ast.GenDecl:
			switch d.Tok {
			case token.IMPORT:
				c.imports += text(d) + "\n"
			case token.CONST: // as a whole, which iota counts
				c.declares = append(c.declares, text(d))
			default: // one by one, as the kernel has all variables in one
				for _, spec := range d.Specs {
					c.declares = append(c.declares, d.Tok.String()+" "+text(spec))
				}
			}
		}
	}
	return c, nil
}

// groups cuts the cells of a notebook into groups, each of which makes one program: its last cell
// declares all that the others do, in the same words.
func groups(cells []cellFile) [][]cellFile {
	var all [][]cellFile
	first := 0
	for end := len(cells); end > 0; end = first {
		for first = end - 1; first > 0 && cells[first-1].within(cells[end-1]); first-- {
		}
		all = append(all, cells[first:end])
	}
	return all
}

func (c cellFile) within(other cellFile) bool {
	return !slices.ContainsFunc(c.declares, func(d string) bool { return !slices.Contains(other.declares, d) })
}

// link makes the programs of the cells that are in dir, and in the folder of each cell a script that
// runs its part. A main.go that is no Go has none: the kernel will say what is wrong.
func (s *setup) link(ctx context.Context, dir string) error {
	folders, err := filepath.Glob(filepath.Join(dir, "cell*")) // in order
	if err != nil {
		return err
	}
	var cells []cellFile
	for _, folder := range folders {
		if c, err := readCell(folder); err == nil {
			cells = append(cells, c)
		}
	}
	for i, group := range groups(cells) {
		if err := s.linkGroup(ctx, group, filepath.Join(dir, fmt.Sprintf("program%d", i))); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, "linked"), nil, 0o600)
}

func (s *setup) linkGroup(ctx context.Context, group []cellFile, dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	tools, err := s.toolsDir()
	if err != nil {
		return err
	}
	last := group[len(group)-1]
	files := map[string]string{"declared.go": last.imports + strings.Join(last.declares, "\n\n")}
	cases := ""
	for _, c := range group {
		name := filepath.Base(c.folder)
		files[name+".go"] = c.imports + "func " + name + c.main
		cases += fmt.Sprintf("case %q:\n%s()\n", name, name)
	}
	files["main.go"] = "import \"os\"\nfunc main() {\nswitch os.Getenv(\"RNMF_CELL\") {\n" + cases + "}\n}"
	unused := s.command(ctx, filepath.Join(tools, "goimports"), "-w") // each has all the imports of its cell
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("package main\n"+text+"\n"), 0o600); err != nil {
			return err
		}
		unused.Args = append(unused.Args, name)
	}
	for _, cmd := range []*exec.Cmd{unused, s.command(ctx, s.goCmd, "build", "-ldflags=-s -w", "-o", "program", ".")} {
		cmd.Dir, cmd.Env = dir, append(cmd.Env, "GOWORK=off")
		if _, err := output(cmd); err != nil {
			return err
		}
	}
	for _, c := range group {
		script := fmt.Sprintf("#!/bin/sh\nRNMF_CELL=%s exec %s \"$@\"\n", filepath.Base(c.folder), quote(filepath.Join(dir, "program")))
		if err := os.WriteFile(filepath.Join(c.folder, "program"), []byte(script), 0o700); err != nil {
			return err
		}
	}
	return nil
}
