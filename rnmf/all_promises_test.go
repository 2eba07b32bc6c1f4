package rnmf

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A testFunc is what the source tells of a function in a test, or in testkit.
type testFunc struct {
	body      *ast.BlockStmt
	folder    string
	takesTest bool // its first parameter is a *testing.T, B, F or testing.TB
}

// testFuncs finds the functions of all tests that are built on Linux, by name, and those
// of internal/testkit.
func testFuncs(t *testing.T) map[string][]testFunc {
	t.Helper()
	found := map[string][]testFunc{}
	linux := build.Default
	linux.GOOS, linux.GOARCH = "linux", "amd64"
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); path != ".." && (name == "testdata" || strings.HasPrefix(name, ".")) {
				return fs.SkipDir
			}
			return nil
		}
		folder := filepath.Dir(path)
		if !strings.HasSuffix(path, "_test.go") && (filepath.Base(folder) != "testkit" || filepath.Ext(path) != ".go") {
			return nil
		}
		if ok, err := linux.MatchFile(folder, d.Name()); err != nil || !ok {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Recv != nil || f.Body == nil {
				continue
			}
			of := testFunc{body: f.Body, folder: folder}
			if len(f.Type.Params.List) > 0 {
				first := f.Type.Params.List[0].Type
				if star, ok := first.(*ast.StarExpr); ok {
					first = star.X
				}
				selected, ok := first.(*ast.SelectorExpr)
				of.takesTest = ok && isIdent(selected.X, "testing")
			}
			found[f.Name.Name] = append(found[f.Name.Name], of)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func isIdent(e ast.Expr, names ...string) bool {
	id, ok := e.(*ast.Ident)
	return ok && slices.Contains(names, id.Name)
}

// asserts reports whether a function can fail its test: by a call as t.Errorf, or by one
// that hands t to another that can.
func asserts(all map[string][]testFunc, f testFunc, seen map[*ast.BlockStmt]bool) (can bool) {
	if seen[f.body] {
		return false
	}
	seen[f.body] = true
	tests := []string{"t", "tb", "b", "f"}
	ast.Inspect(f.body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || can {
			return !can
		}
		callee := ""
		switch fun := call.Fun.(type) {
		case *ast.Ident:
			callee = fun.Name
		case *ast.SelectorExpr:
			callee = fun.Sel.Name
			if isIdent(fun.X, tests...) && slices.Contains([]string{"Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow"}, callee) {
				can = true
			}
		}
		if slices.ContainsFunc(call.Args, func(a ast.Expr) bool { return isIdent(a, tests...) }) {
			for _, g := range all[callee] {
				inTestkit := filepath.Base(g.folder) == "testkit"
				if g.takesTest && (g.folder == f.folder || inTestkit) && asserts(all, g, seen) {
					can = true
				}
			}
		}
		return !can
	})
	return can
}

// longOnly reports whether a test does nothing with -short: whether it says
//
//	if testing.Short() { … t.Skip(…) }
func longOnly(f testFunc) bool {
	return slices.ContainsFunc(f.body.List, func(s ast.Stmt) bool {
		branch, ok := s.(*ast.IfStmt)
		if !ok || !calls(branch.Cond, "testing", "Short") {
			return false
		}
		return calls(branch.Body, "t", "Skip") || calls(branch.Body, "t", "Skipf")
	})
}

// calls reports whether there is a call of a method of a variable, or of a function of a
// package, in n.
func calls(n ast.Node, of, name string) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if s, ok := call.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == name && isIdent(s.X, of) {
				found = true
			}
		}
		return !found
	})
	return found
}

// Each promise names tests. These exist, are built, and can fail; those that -short skips
// are marked by †, and each promise has one that it does not skip.
func TestPromises(t *testing.T) {
	text, err := os.ReadFile("../PROMISES.md")
	if err != nil {
		t.Fatal(err)
	}
	all := testFuncs(t)
	if table, _, ok := strings.Cut(string(text), "\n## "); !ok {
		t.Error("no sections")
	} else if _, rest, _ := strings.Cut(string(text), table); regexp.MustCompile("(?m)^- .*`Test").MatchString(rest) {
		t.Error("there are promises in a list, which belong in the table")
	}
	named := regexp.MustCompile("`((?:Test|Fuzz)\\w+)`(†?)")
	for _, name := range regexp.MustCompile(`-run (\w+)`).FindAllStringSubmatch(string(text), -1) {
		if !slices.ContainsFunc(keysOf(all), func(f string) bool { return strings.Contains(f, name[1]) }) {
			t.Errorf("-run %s finds no test", name[1])
		}
	}
	promises := 0
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| | promise") {
			continue
		}
		promises++
		cells := strings.Split(strings.TrimSuffix(strings.TrimSpace(line), "|"), "|")
		always := 0
		for _, n := range named.FindAllStringSubmatch(cells[len(cells)-1], -1) {
			name, marked := n[1], n[2] != ""
			tests := slices.DeleteFunc(slices.Clone(all[name]), func(f testFunc) bool { return !f.takesTest })
			if len(tests) == 0 {
				t.Errorf("%s does not exist", name)
			}
			skipped := len(tests) > 0 // all of them
			for _, f := range tests {
				if !asserts(all, f, map[*ast.BlockStmt]bool{}) {
					t.Errorf("%s in %s cannot fail", name, f.folder)
				}
				skipped = skipped && longOnly(f)
			}
			if skipped != marked {
				t.Errorf("%s: skipped with -short: %v; marked by †: %v", name, skipped, marked)
			}
			if !skipped {
				always++
			}
		}
		if always == 0 {
			t.Errorf("no test, or none with -short, holds %.100s", line)
		}
	}
	if promises < 25 {
		t.Errorf("found only %d promises", promises)
	}
}

// What TestPromises looks at is told apart.
func TestPromiseChecks(t *testing.T) {
	all := map[string][]testFunc{}
	file, err := parser.ParseFile(token.NewFileSet(), "", `package p
func TestNothing(t *testing.T) { t.Log(1); look(1) }
func TestByHelper(t *testing.T) { look(t) }
func TestShort(t *testing.T) { if testing.Short() { t.Skip("long") }; t.Error(1) }
func TestLess(t *testing.T) { n := 9; if testing.Short() { n = 1 }; if n > 2 { t.Skip() }; t.Fatal(n) }
func look(t *testing.T) { t.Fatalf("") }
`, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Decls {
		f := d.(*ast.FuncDecl)
		all[f.Name.Name] = []testFunc{{f.Body, "p", true}}
	}
	for name, want := range map[string][2]bool{"TestNothing": {false, false}, "TestByHelper": {true, false}, "TestShort": {true, true}, "TestLess": {true, false}} {
		f := all[name][0]
		if got := [2]bool{asserts(all, f, map[*ast.BlockStmt]bool{}), longOnly(f)}; got != want {
			t.Errorf("%s: can fail, is long: %v, want %v", name, got, want)
		}
	}
}

func keysOf[V any](m map[string]V) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	return keys
}
