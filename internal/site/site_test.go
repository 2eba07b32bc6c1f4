package main

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
)

// TestSite makes the site of this checkout and looks at each page: its links must lead to a
// page, and to a place there, that exists, it must load nothing from elsewhere, and no
// identifier may stand twice.
func TestSite(t *testing.T) {
	to := filepath.Join(t.TempDir(), "Seiten & mehr für dich")
	n, err := generate("../..", to)
	if err != nil {
		t.Fatal(err)
	}
	type found struct{ ids, links, loads []string }
	pages := map[string]found{}
	err = fs.WalkDir(os.DirFS(to), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".html" {
			return err
		}
		f, err := os.Open(filepath.Join(to, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		defer f.Close()
		doc, err := html.Parse(f)
		if err != nil {
			return err
		}
		var of found
		for node := range doc.Descendants() {
			if node.Type != html.ElementNode {
				continue
			}
			if id := attribute(node, "id"); id != "" {
				of.ids = append(of.ids, id)
			}
			switch node.Data {
			case "a":
				if to := attribute(node, "href"); to != "" {
					of.links = append(of.links, to)
				}
			case "link":
				of.loads = append(of.loads, attribute(node, "href"))
			case "script", "img", "iframe", "embed", "source", "video", "audio":
				of.loads = append(of.loads, attribute(node, "src"))
			}
		}
		pages[name] = of
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(pages) != n || n < 25 {
		t.Fatalf("%d pages of %d", len(pages), n)
	}
	ids := map[string]bool{}
	for name, of := range pages {
		for _, id := range of.ids {
			if ids[name+"#"+id] {
				t.Errorf("%s: #%s stands twice", name, id)
			}
			ids[name+"#"+id] = true
		}
	}
	for name, of := range pages {
		for _, link := range of.links {
			if strings.Contains(link, "://") {
				checkSource(t, name, link)
				continue
			}
			file, fragment, _ := strings.Cut(link, "#")
			target := path.Join(path.Dir(name), file)
			if file == "" {
				target = name
			}
			if _, ok := pages[target]; !ok {
				t.Errorf("%s: no page %s", name, link)
			} else if fragment != "" && !ids[target+"#"+fragment] {
				t.Errorf("%s: no place %s", name, link)
			}
		}
		for _, from := range of.loads {
			if strings.HasPrefix(from, "data:") {
				continue
			}
			if _, err := os.Stat(filepath.Join(to, filepath.FromSlash(path.Join(path.Dir(name), from)))); err != nil || from == "" {
				t.Errorf("%s loads %q: %v", name, from, err)
			}
		}
	}

	data, err := os.ReadFile(filepath.Join(to, "search-index.js"))
	if err != nil {
		t.Fatal(err)
	}
	var index []section
	if err := json.Unmarshal([]byte(strings.TrimPrefix(string(data), "const sections = ")), &index); err != nil {
		t.Fatal(err)
	}
	for title, words := range map[string]string{"func HuberNMF": "Huber", "Longer tests": "so many random problems"} {
		ok := false
		for _, s := range index {
			ok = ok || s.Title == title && strings.Contains(s.Text, words)
		}
		if !ok {
			t.Errorf("the search has no section %q with %q", title, words)
		}
	}
}

// TestSearch asks the search of the site in a browser, from a disk and without a server.
func TestSearch(t *testing.T) {
	var browser string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			browser = found
			break
		}
	}
	if browser == "" {
		t.Skip("no Chromium")
	}
	to := t.TempDir()
	if _, err := generate("../..", to); err != nil {
		t.Fatal(err)
	}
	profile, err := os.MkdirTemp("", "chromium")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(profile) // its last processes may still write there
	for words, want := range map[string]string{
		"HuberNMF":        `href="api/rnmf.html#HuberNMF"`,
		"mask missng ent": `<mark>missing</mark>`, // with an error, and the beginning of a word
		"qwrtzpsdf":       "Nothing found.",
	} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		page := "file://" + filepath.ToSlash(to) + "/index.html?q=" + url.QueryEscape(words)
		out, err := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+profile, "--virtual-time-budget=10000", "--dump-dom", page).Output()
		cancel()
		if err != nil {
			t.Fatalf("%s: %v", browser, err)
		}
		_, found, _ := strings.Cut(string(out), `id="found"`)
		found, _, _ = strings.Cut(found, "</ol>")
		if !strings.Contains(found, want) {
			t.Errorf("a search for %q finds no %s: %s", words, want, found)
		}
	}
}

// checkSource wants what a link to the repository names to be in this checkout.
func checkSource(t *testing.T, page, link string) {
	t.Helper()
	if file, ok := strings.CutPrefix(link, source); ok {
		file, _, _ = strings.Cut(file, "#")
		if _, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(file))); err != nil {
			t.Errorf("%s: %s: %v", page, link, err)
		}
	}
}

// A link to what does not exist is an error that names it.
func TestDeadLink(t *testing.T) {
	files, err := os.OpenRoot("../..")
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	s := &site{files: files, images: map[string]bool{}}
	p := &page{from: "README.md", to: "index.html"}
	for link, good := range map[string]bool{"LICENSE": true, "nothing.md": false, "https://example.com/": true, "#here": true, "rnmf/fit.go#L1": true} {
		if got, err := s.href(p, link, false); (err == nil) != good {
			t.Errorf("%s: %q, %v", link, got, err)
		}
	}
	for image, good := range map[string]bool{"notebooks/lab/picture.png": true, "rnmf": false, "../../../../../../../../etc/hostname": false, "nothing.png": false} {
		if got, err := s.href(p, image, true); (err == nil) != good {
			t.Errorf("the image %s: %q, %v", image, got, err)
		}
	}
}

// What a folder has already stays, and no file is made there.
func TestNothingIsOverwritten(t *testing.T) {
	to := t.TempDir()
	mine := filepath.Join(to, "index.html")
	if err := os.WriteFile(mine, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := generate("../..", to); !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
	all, err := os.ReadDir(to)
	if text, e := os.ReadFile(mine); err != nil || e != nil || len(all) != 1 || string(text) != "mine" {
		t.Errorf("the folder has %v, the file %q, %v %v", all, text, err, e)
	}
}
