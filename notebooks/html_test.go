package main

import (
	"bytes"
	"encoding/base64"
	"errors"
	"image"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/robustnmf/robustnmf/internal/mathml"
)

// anyPage is one as nbconvert makes it, of a notebook with something of everything.
const anyPage = `<!DOCTYPE html><html><head><meta charset="utf-8"><title>Notebook</title>
<script src="https://cdnjs.example/require.js"></script>
<style>pre { color: red }</style>
<link rel="stylesheet" href="https://example.com/x.css">
<script>window.MathJax = 1</script>
</head><body class="theirs" onload="x()"><script>var theirs = 1</script><meta http-equiv="refresh" content="0;url=https://e">
<h1 id="A">A<a href="#A">¶</a></h1><img alt="a" src="a%20%C3%BC.png"><img alt="leak" src="../secret.png"><img alt="elsewhere" src="https://example.com/1.png">
<svg><title>inner</title></svg><form action="https://e"><input></form><a href="javascript:x()">b</a><a href="https://example.com">c</a>
<table><tr><td style="text-align: right" onclick="x()">1</td></tr></table></body></html>`

// TestExport makes pages of notebooks by a Jupyter that returns what it is told to: they load
// nothing, run nothing, have no file from outside the notebook's folder, and take no other's place.
func TestExport(t *testing.T) {
	s, out := machine(t, "jupyter", `cat >/dev/null; cat "${0%/*}/../page.html"; pwd >>"${0%/*}/../folders"`)
	s.jup.path = filepath.Join(s.root, "bin", "jupyter")
	folder, to := filepath.Join(s.root, "Hände & Füße"), filepath.Join(s.root, "Seiten 1")
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	notebook := filepath.Join(folder, "Übung 1.ipynb")
	for name, text := range map[string]string{
		filepath.Join(folder, "a ü.png"):      picture.String(),
		filepath.Join(s.root, "secret.png"):   picture.String(),
		filepath.Join(s.root, "page.html"):    anyPage,
		notebook:                              `{"cells": [{"cell_type": "markdown", "source": "# A & <B>"}], "metadata": {"widgets": {"state": "<script>"}}}`,
		filepath.Join(folder, "broken.ipynb"): `{}`,
	} {
		if err := writeFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	if err := s.exportAll(t.Context(), []string{notebook}, to); err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(to, "Übung 1.html")
	made, err := os.ReadFile(target)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<script", "MathJax", "theirs", "<link", "refresh", "x()", "<form", "<input", "javascript", "secret", "<svg", "src=\"http", "onclick"} {
		if bytes.Contains(made, []byte(bad)) {
			t.Errorf("%q is still in\n%s", bad, made)
		}
	}
	for _, want := range []string{"<title>A &amp; &lt;B&gt;</title>", "default-src 'none'", "pre { color: red }", ">leak<", `<a href="https://example.com/1.png">elsewhere</a>`,
		`<a href="https://example.com">c</a>`, `style="text-align: right"`, `src="data:image/png;base64,` + base64.StdEncoding.EncodeToString(picture.Bytes())} {
		if !bytes.Contains(made, []byte(want)) {
			t.Errorf("no %q in\n%s", want, made)
		}
	}
	for _, note := range []string{`"../secret.png": `, `"https://example.com/1.png": not a file`, "an element script", "an element form"} {
		if !strings.Contains(out.String(), "left out: ") || !strings.Contains(out.String(), note) {
			t.Errorf("said nothing of %s: %s", note, out)
		}
	}
	// Jupyter runs the settings of the folder that it is started in.
	if where, err := os.ReadFile(filepath.Join(s.root, "folders")); err != nil || strings.Contains(string(where), folder) {
		t.Errorf("Jupyter was started in %q, %v", where, err)
	}

	if err := s.exportAll(t.Context(), []string{notebook}, to); !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), target) {
		t.Errorf("a second time: %v", err)
	}
	if again, err := os.ReadFile(target); err != nil || !bytes.Equal(again, made) {
		t.Errorf("the page was written over: %v", err)
	}
	if err := s.exportAll(t.Context(), []string{filepath.Join(folder, "broken.ipynb")}, to); err == nil || !strings.Contains(err.Error(), "broken.ipynb is no notebook: no cells") {
		t.Error(err)
	}
	if all, err := os.ReadDir(to); err != nil || len(all) != 1 {
		t.Errorf("left %v, %v", all, err)
	}
}

// TestReadNotebook wants a file, and waits for nothing else.
func TestReadNotebook(t *testing.T) {
	for _, file := range []string{t.TempDir(), os.DevNull} {
		if _, err := readNotebook(file); err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("%s: %v", file, err)
		}
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
