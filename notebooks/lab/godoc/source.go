package godoc

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Source reads the functions of the Go that is installed, with its commands, its tests and all that is
// internal. A document is a function with its comment; its terms are the words that its names and comments are made
// of, those that at least few functions have and at most a tenth of all. In the quick setting it reads
// package net and those below it.
func Source(few int) (*Corpus, error) {
	root, err := goroot()
	if err != nil {
		return nil, err
	}
	folder := ""
	if os.Getenv("RNMF_QUICK") != "" {
		folder = "net"
	}
	return readSource(filepath.Join(root, "src"), folder, few)
}

// readSource makes a corpus of the functions below a folder of src.
func readSource(src, folder string, few int) (*Corpus, error) {
	var files []string
	err := filepath.WalkDir(filepath.Join(src, folder), func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() && (e.Name() == "testdata" || e.Name() == "vendor") {
			return filepath.SkipDir
		}
		if err == nil && !e.IsDir() && strings.HasSuffix(path, ".go") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	functions, errs := make([][]function, len(files)), make([]error, len(files))
	var next sync.WaitGroup
	for p := range runtime.GOMAXPROCS(0) {
		next.Add(1)
		go func() {
			defer next.Done()
			for k := p; k < len(files); k += runtime.GOMAXPROCS(0) {
				functions[k], errs[k] = functionsOf(src, files[k])
			}
		}()
	}
	next.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	var names []string
	var counts []map[string]int
	for _, f := range slices.Concat(functions...) {
		if len(f.words) >= 5 {
			names, counts = append(names, f.name), append(counts, f.words)
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("godoc: no function below %s", filepath.Join(src, folder))
	}
	return matrix(names, counts, few)
}

type function struct {
	name  string
	words map[string]int
}

// functionsOf reads those of one file.
func functionsOf(src, path string) (all []function, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, path, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	dir, err := filepath.Rel(src, filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		from := fn.Pos()
		if fn.Doc != nil {
			from = fn.Doc.Pos()
		}
		name := fn.Name.Name
		if fn.Recv != nil && len(fn.Recv.List) > 0 {
			name = receiver(fn.Recv.List[0].Type) + name
		}
		all = append(all, function{filepath.ToSlash(dir) + "." + name, split(string(text[set.Position(from).Offset:set.Position(fn.End()).Offset]))})
	}
	return all, nil
}

// receiver names the type of a method, with a dot after it.
func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.Ident:
		return t.Name + "."
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	}
	return ""
}

// split counts the words of a text, in which a name such as readHTTPHeader has three.
func split(text string) map[string]int {
	count := map[string]int{}
	runes := []rune(text)
	for i := 0; i < len(runes); {
		if !unicode.IsLetter(runes[i]) {
			i++
			continue
		}
		j := i + 1
		for j < len(runes) && unicode.IsUpper(runes[i]) && unicode.IsUpper(runes[j]) && !(j+1 < len(runes) && unicode.IsLower(runes[j+1])) {
			j++
		}
		if j == i+1 {
			for j < len(runes) && unicode.IsLower(runes[j]) {
				j++
			}
		}
		if w := strings.ToLower(string(runes[i:j])); j-i >= 3 && !common[w] && !token.IsKeyword(w) {
			count[w]++
		}
		i = j
	}
	return count
}

// Packages returns the n packages to which the documents with the largest weights in sum belong, joined
// by commas.
func (c *Corpus) Packages(weights []float64, n int) string {
	sum := map[string]float64{}
	for j, v := range weights {
		name := c.Names[j]
		slash := strings.LastIndex(name, "/") + 1
		dot := strings.Index(name[slash:], ".")
		if dot < 0 {
			dot = len(name) - slash
		}
		sum[name[:slash+dot]] += v
	}
	var all []string
	for p := range sum {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(cmp.Compare(sum[b], sum[a]), cmp.Compare(a, b)) })
	return strings.Join(all[:min(n, len(all))], ", ")
}
