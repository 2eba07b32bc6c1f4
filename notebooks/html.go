package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"html"
	"mime"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/robustnmf/robustnmf/internal/mathml"
)

// exportAll writes a page for each notebook into dir.
func (s *setup) exportAll(ctx context.Context, files []string, dir string) error {
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		nb, err := parseNotebook(data)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".ipynb")
		title := nb.title(name)
		var math mathml.Formulas
		for _, c := range nb.cells() {
			if c["cell_type"] == "markdown" {
				c["source"] = math.Take(c.source())
			}
			for _, o := range c.outputs() {
				if d, ok := o["data"].(map[string]any); ok && d["text/markdown"] != nil {
					d["text/markdown"] = math.Take(text(d["text/markdown"]))
				}
			}
		}
		if meta, ok := nb["metadata"].(map[string]any); ok {
			if lang, ok := meta["language_info"].(map[string]any); ok {
				lang["pygments_lexer"] = "go" // or the code is coloured as if it were Python
			}
		}
		if data, err = nb.format(); err != nil {
			return err
		}
		cmd := s.command(ctx, s.jup.path, "nbconvert", "--to=html", "--stdin", "--stdout", "--log-level=ERROR")
		cmd.Dir = filepath.Dir(file)
		cmd.Stdin = bytes.NewReader(data)
		page, err := output(cmd)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		page = math.Put(offline(page, title, filepath.Dir(file)))
		if loads := loaded(page); loads != nil {
			return fmt.Errorf("%s: the page would load %s", file, strings.Join(loads, ", "))
		}
		target := filepath.Join(dir, name+".html")
		if err := writeFile(target, []byte(page), 0o644); err != nil {
			return err
		}
		fmt.Fprintf(s.out, "%s: %d formulas\n", target, math.Count)
		for _, note := range math.Notes {
			fmt.Fprintf(s.out, "  left as TeX: %s\n", note)
		}
	}
	return nil
}

// title is the first heading.
func (nb notebook) title(name string) string {
	for _, c := range nb.cells() {
		if c["cell_type"] == "markdown" {
			line, _, _ := strings.Cut(strings.TrimSpace(c.source()), "\n")
			if heading, ok := strings.CutPrefix(line, "# "); ok {
				return strings.ReplaceAll(heading, "$", "")
			}
		}
	}
	return name
}

var (
	script    = regexp.MustCompile(`(?is)<script\b([^>]*)>(.*?)</script>`)
	scriptSrc = regexp.MustCompile(`(?i)\bsrc\s*=`)
	loader    = regexp.MustCompile(`MathJax|https?://(?:cdn|unpkg)`)
	titleTag  = regexp.MustCompile(`(?is)<title>.*?</title>`)
	linkTag   = regexp.MustCompile(`(?is)<link\b[^>]*\bhref="(?:https?:)?//[^>]*>`)
	imgSrc    = regexp.MustCompile(`(<img\b[^>]*\bsrc=")([^":]+)(")`)
)

// loading finds what a browser would fetch by itself, other than data in the page;
// links that a reader may click are none of it.
var loading = regexp.MustCompile(`(?i)<(?:script|img|iframe|embed|source|video|audio|track|input)\b[^>]*\bsrc\s*=\s*["']?([^"'\s>]+)` +
	`|<(?:link|use|image)\b[^>]*\bhref\s*=\s*["']?([^"'\s>]+)|<object\b[^>]*\bdata\s*=\s*["']?([^"'\s>]+)` +
	`|@import\s+(?:url\()?["']?([^"')\s;]+)|\burl\(\s*["']?([^"')\s]+)|\b(?:import|fetch)\s*\(?\s*["'](https?:[^"']+)`)

var inPage = regexp.MustCompile(`^(?:data:|blob:|#)`)

// loaded lists what a page loads from elsewhere.
func loaded(page string) (all []string) {
	for _, m := range loading.FindAllStringSubmatch(page, -1) {
		for _, from := range m[1:] {
			if from != "" && !inPage.MatchString(from) {
				all = append(all, from)
			}
		}
	}
	return all
}

// A page may load nothing, whatever a cell has put into its output.
const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:; font-src data:; media-src data:">` + "\n"

// Browsers lay formulas out well in fonts that are made for them: those that systems
// usually have, by name, as some take another one otherwise.
const fonts = `<style>math { font-family: "Latin Modern Math", "STIX Two Math", "Cambria Math", "DejaVu Math TeX Gyre", math; }</style>` + "\n"

// offline takes from a page of nbconvert's the scripts it would load, and puts
// the images of the notebook's folder into it.
func offline(page, title, dir string) string {
	page = script.ReplaceAllStringFunc(page, func(tag string) string {
		m := script.FindStringSubmatch(tag)
		if scriptSrc.MatchString(m[1]) || loader.MatchString(m[2]) {
			return ""
		}
		return tag
	})
	page = linkTag.ReplaceAllString(page, "")
	page = imgSrc.ReplaceAllStringFunc(page, func(tag string) string {
		m := imgSrc.FindStringSubmatch(tag)
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(html.UnescapeString(m[2]))))
		if err != nil {
			return tag
		}
		kind := mime.TypeByExtension(filepath.Ext(m[2]))
		return m[1] + "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(data) + m[3]
	})
	head := policy + fonts + "<title>" + html.EscapeString(title) + "</title>"
	done := false
	return titleTag.ReplaceAllStringFunc(page, func(tag string) string {
		if done { // an SVG image has titles, too
			return tag
		}
		done = true
		return head
	})
}
