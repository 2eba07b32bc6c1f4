package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"go/doc"
	"go/doc/comment"
	"go/format"
	"go/parser"
	"go/token"
	"html/template"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// packages lists the folders of packages that other modules import: no commands, nothing
// internal, none of the notebooks' experiments. The factorisation comes first.
func packages(root string) (folders []string, err error) {
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		folder, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		switch base := d.Name(); {
		case folder == ".":
			return nil
		case base == "internal" || base == "testdata" || strings.HasPrefix(base, ".") || filepath.ToSlash(folder) == "notebooks/lab":
			return fs.SkipDir
		}
		if p, err := build.ImportDir(name, 0); err == nil && p.Name != "main" {
			folders = append(folders, filepath.ToSlash(folder))
		}
		return nil
	})
	slices.SortStableFunc(folders, func(a, b string) int {
		return strings.Compare(strings.TrimPrefix(a, "rnmf"), strings.TrimPrefix(b, "rnmf"))
	})
	return folders, err
}

// api makes a page of the documentation of a package, with its examples.
func (s *site) api(p *page) error {
	dir := filepath.Join(s.root, filepath.FromSlash(p.from))
	info, err := build.ImportDir(dir, 0)
	if err != nil {
		return err
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range slices.Concat(info.GoFiles, info.TestGoFiles, info.XTestGoFiles) {
		f, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, parser.ParseComments)
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	pkg, err := doc.NewFromFiles(fset, files, path.Join(module, p.from))
	if err != nil {
		return err
	}
	w := &apiWriter{site: s, page: p, fset: fset, pkg: pkg}
	fmt.Fprintf(w, "<h1>Package %s</h1>\n<pre class=\"chroma\"><code>import \"%s\"</code></pre>\n", pkg.Name, pkg.ImportPath)
	w.text(pkg.Doc)
	w.examples(pkg.Examples)
	w.index()
	if len(pkg.Consts)+len(pkg.Vars) > 0 {
		w.WriteString("<h2 id=\"constants-and-variables\">Constants and variables</h2>\n")
		w.values(pkg.Consts)
		w.values(pkg.Vars)
	}
	w.funcs(pkg.Funcs, "h2")
	for _, t := range pkg.Types {
		w.heading("h2", t.Name, "type "+t.Name, t.Decl.Pos())
		w.decl(t.Decl)
		w.text(t.Doc)
		w.values(t.Consts)
		w.values(t.Vars)
		w.examples(t.Examples)
		w.funcs(t.Funcs, "h3")
		w.funcs(t.Methods, "h3")
	}
	if w.err != nil {
		return w.err
	}
	p.body = template.HTML(w.String())
	return nil
}

type apiWriter struct {
	bytes.Buffer
	site *site
	page *page
	fset *token.FileSet
	pkg  *doc.Package
	err  error
}

// heading has the identifier that pkg.go.dev gives it, too.
func (w *apiWriter) heading(tag, id, text string, at token.Pos) {
	pos := w.fset.Position(at)
	fmt.Fprintf(w, "<%s id=\"%s\">%s <a class=\"source\" href=\"%s%s/%s#L%d\">source</a></%[1]s>\n", tag, escape(id), escape(text), source, w.page.from, filepath.Base(pos.Filename), pos.Line)
}

func (w *apiWriter) text(text string) {
	p := w.pkg.Printer()
	p.HeadingLevel = 2
	p.DocLinkURL = func(link *comment.DocLink) string {
		if to, ok := strings.CutPrefix(link.ImportPath, module+"/"); ok {
			for _, other := range w.site.pages {
				if other.from == to {
					return up(w.page) + other.to + fragment(link)
				}
			}
		}
		if link.ImportPath == "" {
			return fragment(link)
		}
		return link.DefaultURL("https://pkg.go.dev")
	}
	w.Write(p.HTML(w.pkg.Parser().Parse(text)))
}

func fragment(link *comment.DocLink) string {
	switch {
	case link.Recv != "":
		return "#" + link.Recv + "." + link.Name
	case link.Name != "":
		return "#" + link.Name
	default:
		return ""
	}
}

func (w *apiWriter) code(node any) {
	var b bytes.Buffer
	if err := format.Node(&b, w.fset, node); err != nil {
		w.err = err
	}
	code, err := goCode(b.String())
	if err != nil {
		w.err = err
	}
	w.WriteString(code)
}

func (w *apiWriter) decl(d *ast.GenDecl) {
	short := *d
	short.Doc = nil // it stands below
	w.code(&short)
}

func (w *apiWriter) values(all []*doc.Value) {
	for _, v := range all {
		for _, name := range v.Names {
			fmt.Fprintf(w, "<a id=\"%s\"></a>", escape(name))
		}
		w.decl(v.Decl)
		w.text(v.Doc)
	}
}

func (w *apiWriter) funcs(all []*doc.Func, tag string) {
	for _, f := range all {
		id, name := f.Name, "func "+f.Name
		if f.Recv != "" {
			id = strings.Trim(f.Recv, "*") + "." + f.Name
			name = "func (" + f.Recv + ") " + f.Name
		}
		w.heading(tag, id, name, f.Decl.Pos())
		short := *f.Decl
		short.Doc, short.Body = nil, nil
		w.code(&short)
		w.text(f.Doc)
		w.examples(f.Examples)
	}
}

func (w *apiWriter) examples(all []*doc.Example) {
	for _, e := range all {
		title := "Example"
		if e.Suffix != "" {
			title += ": " + strings.ReplaceAll(e.Suffix, "_", " ")
		}
		fmt.Fprintf(w, "<details class=\"example\"><summary>%s</summary>\n", escape(title))
		w.text(e.Doc)
		var node any = e.Code
		if e.Play != nil {
			node = e.Play
		}
		w.code(node)
		if e.Output != "" {
			fmt.Fprintf(w, "<pre class=\"output\">%s</pre>\n", escape(e.Output))
		}
		w.WriteString("</details>\n")
	}
}

// index lists functions and types, with the first sentence about each.
func (w *apiWriter) index() {
	w.WriteString("<h2 id=\"index\">Index</h2>\n<dl class=\"index\">\n")
	row := func(id, name, text string) {
		fmt.Fprintf(w, "<dt><a href=\"#%s\">%s</a></dt><dd>%s</dd>\n", escape(id), escape(name), escape(w.pkg.Synopsis(text)))
	}
	for _, f := range w.pkg.Funcs {
		row(f.Name, f.Name, f.Doc)
	}
	for _, t := range w.pkg.Types {
		row(t.Name, t.Name, t.Doc)
		for _, f := range t.Funcs {
			row(f.Name, f.Name, f.Doc)
		}
	}
	w.WriteString("</dl>\n")
}
