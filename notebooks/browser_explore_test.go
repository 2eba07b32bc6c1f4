//go:build unix

package main

import (
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The page of -explore is whole in a browser, for a table, pictures and a folder of Matrix Market: each
// picture has loaded, tables have rows, nothing is wider than the window, and nothing comes from elsewhere.
func TestExploreInBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("no browser is started with -short")
	}
	data := t.TempDir()
	files := ownFiles(t, data)
	t.Chdir(t.TempDir())
	c := startChrome(t)
	for _, of := range []struct{ format, title, says string }{
		{"csv", "clinic", "figure 0"},
		{"images", "pictures", "images 8×8"},
		{"mtx", "counts", "counts"},
	} {
		e := files[of.format]
		e.rank = 3
		folder, err := (&setup{out: io.Discard}).explore(t.Context(), e)
		if err != nil {
			t.Errorf("%s: %v", of.format, err)
			continue
		}
		path, err := filepath.Abs(filepath.Join(folder, "report.html"))
		if err != nil {
			t.Fatal(err)
		}
		p := c.open("file://" + path)
		p.until("the page is loaded", `document.readyState === "complete" && document.querySelector("h1") !== null`, time.Minute)
		p.shot(of.format)
		var got struct {
			Title, Heading, Text         string
			Pictures, Broken, Tables     int
			Empty, Elsewhere, Wide, Runs int
		}
		err = p.js(`(() => { const all = s => [...document.querySelectorAll(s)]; return {
			Title: document.title, Heading: document.querySelector("h1").textContent, Text: document.body.innerText,
			Pictures: all("img").length, Broken: all("img").filter(i => !i.complete || i.naturalWidth < 50).length,
			Tables: all("table").length, Empty: all("table").filter(t => t.rows.length < 2).length,
			Elsewhere: performance.getEntriesByType("resource").filter(r => !r.name.startsWith("data:")).length,
			Wide: all("img").filter(i => i.getBoundingClientRect().right > innerWidth).length,
			Runs: all("script, iframe, form, link").length } })()`, &got)
		if err != nil {
			t.Fatal(err)
		}
		if got.Title != of.title || got.Heading != of.title || got.Pictures < 4 || got.Tables < 3 || got.Broken+got.Empty+got.Elsewhere+got.Wide+got.Runs > 0 {
			t.Errorf("%s: %+v", of.format, got)
		}
		for _, want := range []string{of.says, "Parts", "Samples that do not fit", "What was decided, and why"} {
			if !strings.Contains(got.Text, want) {
				t.Errorf("%s: %q is not on the page", of.format, want)
			}
		}
	}
}
