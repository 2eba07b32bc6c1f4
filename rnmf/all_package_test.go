package rnmf

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// sources parses what a package has besides its tests.
func sources(t *testing.T, folder string) (files []*ast.File) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	if len(files) == 0 {
		t.Fatalf("no sources in %s", folder)
	}
	return files
}

// partsOf returns the exported types of this package that have the method of a loss,
// penalty or solver: Rho, Majorize or Improve, or embed the interface. Interfaces are
// left out.
func partsOf(t *testing.T, method string, interfaces ...string) (names []string) {
	t.Helper()
	for _, file := range sources(t, ".") {
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil || d.Name.Name != method {
					continue
				}
				receiver := d.Recv.List[0].Type
				if star, ok := receiver.(*ast.StarExpr); ok {
					receiver = star.X
				}
				if id, ok := receiver.(*ast.Ident); ok && id.IsExported() {
					names = append(names, id.Name)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					s, ok := s.(*ast.TypeSpec)
					if !ok || !s.Name.IsExported() {
						continue
					}
					if of, ok := s.Type.(*ast.StructType); ok && slices.ContainsFunc(of.Fields.List, func(f *ast.Field) bool {
						return len(f.Names) == 0 && isIdent(f.Type, interfaces...)
					}) {
						names = append(names, s.Name.Name)
					}
				}
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// typesIn adds the names of the types of a value and of the parts that it wraps.
func typesIn(names map[string]bool, part any) {
	v := reflect.ValueOf(part)
	if !v.IsValid() || v.Kind() != reflect.Struct {
		return
	}
	names[v.Type().Name()] = true
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Interface && !f.IsNil() && f.CanInterface() {
			typesIn(names, f.Interface())
		}
	}
}

// No exported loss, penalty or solver is missing from the tables that the properties are
// tested over.
func TestTables(t *testing.T) {
	inTables := map[string]bool{}
	for _, l := range slices.Concat(fixedLosses, tunedLosses) {
		typesIn(inTables, l)
	}
	for _, m := range modelsOfSolvers() {
		typesIn(inTables, m)
	}
	for _, p := range penaltiesFor(7, 9, 4) {
		for _, q := range slices.Concat(p.onW, p.onH) {
			typesIn(inTables, q)
		}
	}
	for _, kind := range []struct {
		method string
		embeds []string
		least  int
	}{
		{"Rho", []string{"Loss"}, 11},
		{"Majorize", []string{"Penalty", "SamplePenalty"}, 6},
		{"Improve", []string{"Solver", "Constrained"}, 8},
	} {
		parts := partsOf(t, kind.method, kind.embeds...)
		if len(parts) < kind.least {
			t.Errorf("only %v have %s: is the source read?", parts, kind.method)
		}
		for _, name := range parts {
			// An Interim is no loss of a model: a Tuning returns it, as that of TwoStage.
			if !inTables[name] && name != "Interim" {
				t.Errorf("%s is missing from the tables in testing_test.go", name)
			}
		}
	}
	for _, l := range fixedLosses {
		if tuningOf(l) != nil {
			t.Errorf("%s among fixedLosses has no fixed scale", lossName(l))
		}
	}
	for _, l := range tunedLosses {
		if tuningOf(l) == nil {
			t.Errorf("%s among tunedLosses has a fixed scale", lossName(l))
		}
	}
}

// exportedIn returns the exported names at the top level of a package, with what they
// are: what they are another spelling of, or the kind.
func exportedIn(t *testing.T, folder string) map[string]string {
	t.Helper()
	names := map[string]string{}
	add := func(id *ast.Ident, kind string) {
		if id.IsExported() {
			names[id.Name] = kind
		}
	}
	for _, file := range sources(t, folder) {
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					add(d.Name, "func")
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						kind := "type"
						if of, ok := s.Type.(*ast.SelectorExpr); ok && s.Assign.IsValid() {
							kind = fmt.Sprintf("alias of %v.%s", of.X, of.Sel.Name)
						}
						add(s.Name, kind)
					case *ast.ValueSpec:
						for i, id := range s.Names {
							kind := d.Tok.String()
							if i < len(s.Values) {
								if of, ok := s.Values[i].(*ast.SelectorExpr); ok {
									kind = fmt.Sprintf("alias of %v.%s", of.X, of.Sel.Name)
								}
							}
							add(id, kind)
						}
					}
				}
			}
		}
	}
	return names
}

// The package stays compact: so many exported names, and so many lines.
func TestCompact(t *testing.T) {
	names := exportedIn(t, ".")
	lines := 0
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines += strings.Count(string(text), "\n")
	}
	t.Logf("%d exported names, %d lines", len(names), lines)
	if len(names) > 110 {
		t.Errorf("%d exported names, at most 110 were wanted", len(names))
	}
	if lines > 9500 {
		t.Errorf("%d lines, at most 9500 were wanted", lines)
	}
}

// A name means one thing: no package above has an exported name of this one, unless it
// is the same thing.
func TestOneMeaning(t *testing.T) {
	here := exportedIn(t, ".")
	for _, folder := range []string{"choose", "score", "baseline", "neighbor"} {
		for name, kind := range exportedIn(t, folder) {
			if of := here[name]; of != "" && kind != "alias of rnmf."+name && of != "alias of "+folder+"."+name {
				t.Errorf("%s is a %s in rnmf and a %s in %s", name, of, kind, folder)
			}
		}
	}
}

// A test lies where its source's name says: a_test.go beside a.go. Those over
// everything are all_…_test.go, examples are example_…_test.go, and what several tests
// use is in testing_test.go.
func TestFileNames(t *testing.T) {
	tests, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range tests {
		if test == "testing_test.go" || strings.HasPrefix(test, "all_") || strings.HasPrefix(test, "example_") {
			continue
		}
		if source := strings.TrimSuffix(test, "_test.go") + ".go"; !exists(source) {
			t.Errorf("%s: there is no %s", test, source)
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// What ./... passes over, nobody builds or tests: below testdata is no Go but that of a
// script, alone in its folder or to be ignored, which made a golden file.
func TestNoCodeInTestdata(t *testing.T) {
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != ".." && strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		if filepath.Ext(path) != ".go" || !slices.Contains(strings.Split(filepath.ToSlash(path), "/"), "testdata") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err == nil && !strings.Contains(string(text), "//go:build ignore\n") {
			t.Errorf("%s is built and tested by nobody", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
