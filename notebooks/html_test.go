package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/robustnmf/robustnmf/internal/mathml"
)

func TestOffline(t *testing.T) {
	const page = `<head><title>Notebook</title>
<script src="https://cdnjs.example/require.js"></script>
<link rel="stylesheet" href="https://example.com/x.css">
<script>window.MathJax = 1</script>
<script type="module">import mermaid from "https://cdn.example/mermaid.js"</script>
</head><body><script>var ours = 1</script><img alt="a" src="html_test.go"><svg><title>inner</title></svg>`
	got := offline(page, "A & B", ".")
	for _, bad := range []string{"https:", "MathJax", "Notebook", `src="html_test.go"`} {
		if strings.Contains(got, bad) {
			t.Errorf("%q is still in\n%s", bad, got)
		}
	}
	for _, want := range []string{"<title>A &amp; B</title>", "default-src 'none'", "var ours", "<title>inner</title>", ";base64,"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if all := loaded(got + `<a href="https://example.com">link</a><img src='data:x'><svg><use href="#a"/></svg>`); all != nil {
		t.Errorf("the page would load %q", all)
	}
}

func TestLoaded(t *testing.T) {
	const page = `<script async src=1.js></script><img alt="x" src='2.png'><LINK rel=x HREF="//3.css"><iframe src="4">
<style>@import "5.css"; @import url(6.css); a { background: url( "7.png" ); b: url(#no) }</style>
<svg><image href="8.png"/></svg><object data="9"></object><script>import "https://10"; fetch("https://11")</script><a href="https://no">`
	got := loaded(page)
	for i, from := range got {
		if !strings.Contains(from, fmt.Sprint(i+1)) {
			t.Errorf("%d: %q", i+1, from)
		}
	}
	if len(got) != 11 {
		t.Errorf("found %q", got)
	}
}

// Each formula of the notebooks becomes MathML, so that exported pages need nothing.
func TestFormulasOfNotebooks(t *testing.T) {
	files, err := filepath.Glob("*.ipynb")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		nb, err := parseNotebook(data)
		if err != nil {
			t.Fatal(err)
		}
		var f mathml.Formulas
		for _, c := range nb.cells() {
			if c["cell_type"] == "markdown" {
				f.Take(c.source())
			}
		}
		for _, note := range f.Notes {
			t.Errorf("%s: %s", file, note)
		}
		if f.Count == 0 {
			t.Errorf("%s has no formula", file)
		}
	}
}

// A release has no site to make: what to do instead is said.
func TestSiteNeedsClone(t *testing.T) {
	s := &setup{root: t.TempDir()}
	if err := s.makeSite(t.Context(), "public"); err == nil || !strings.Contains(err.Error(), "git clone") {
		t.Error(err)
	}
}
