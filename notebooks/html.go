package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/robustnmf/robustnmf/internal/mathml"
	"github.com/robustnmf/robustnmf/internal/newfile"
	"github.com/robustnmf/robustnmf/internal/sanitize"
)

// exportAll writes a page for each notebook into dir, where none of these names may be yet.
func (s *setup) exportAll(ctx context.Context, files []string, dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".ipynb")
		target := filepath.Join(dir, name+".html")
		var math mathml.Formulas
		var left []string
		err := newfile.Write(target, func(w io.Writer) (err error) {
			left, err = s.export(ctx, w, file, name, &math)
			return err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		fmt.Fprintf(s.out, "%s: %d formulas\n", target, math.Count)
		for _, note := range math.Notes {
			fmt.Fprintf(s.out, "  left as TeX: %s\n", note)
		}
		for _, note := range left {
			fmt.Fprintf(s.out, "  left out: %s\n", note)
		}
	}
	return nil
}

// export writes the page of a notebook, and returns what it left out.
func (s *setup) export(ctx context.Context, w io.Writer, file, name string, math *mathml.Formulas) ([]string, error) {
	nb, err := readNotebook(file)
	if err != nil {
		return nil, err
	}
	title := nb.title(name)
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
	// Without a lexer the code would be coloured as if it were Python. What else a notebook
	// says of itself is for its kernel.
	nb["metadata"] = map[string]any{"language_info": map[string]any{"name": "go", "pygments_lexer": "go"}}
	data, err := nb.format()
	if err != nil {
		return nil, err
	}
	empty, err := os.MkdirTemp("", "rnmf-") // Jupyter takes settings, which are programs, from where it is started
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(empty)
	cmd := s.command(ctx, s.jup.path, "nbconvert", "--to=html", "--stdin", "--stdout", "--log-level=ERROR")
	cmd.Dir = empty
	cmd.Stdin = bytes.NewReader(data)
	page, err := output(cmd)
	if err != nil {
		return nil, err
	}
	page, left, err := offline(page, title, filepath.Dir(file))
	if err != nil {
		return nil, err
	}
	_, err = io.WriteString(w, math.Put(page))
	return left, err
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

// A page loads nothing and runs nothing: the policy tells a browser so, should something be left
// that would.
const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; form-action 'none'; base-uri 'none'">`

// Browsers lay formulas out well in fonts that are made for them: those that systems
// usually have, by name, as some take another one otherwise.
const fonts = `<style>math { font-family: "Latin Modern Math", "STIX Two Math", "Cambria Math", "DejaVu Math TeX Gyre", math; }</style>`

// offline makes of nbconvert's page one that works without a network, and shows no more than
// package sanitize lets through: of the head only the style of nbconvert's template stays. Images
// are taken from files below the folder. It returns what was left out, too.
func offline(page, title, folder string) (string, []string, error) {
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		return "", nil, err
	}
	var head, body *html.Node
	for n := range doc.Descendants() {
		switch {
		case n.DataAtom == atom.Head && head == nil:
			head = n
		case n.DataAtom == atom.Body && body == nil:
			body = n
		}
	}
	if head == nil || body == nil { // a <frameset> in the text takes its place
		return "", nil, errors.New("the page has no body")
	}
	var styles, text strings.Builder
	for n := range head.ChildNodes() {
		if n.DataAtom == atom.Style {
			if err := html.Render(&styles, n); err != nil {
				return "", nil, err
			}
		}
	}
	notes, err := sanitize.Embed(body, folder)
	if err != nil {
		return "", nil, err
	}
	for n := range body.ChildNodes() {
		if err := html.Render(&text, n); err != nil {
			return "", nil, err
		}
	}
	return fmt.Sprintf(`<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
%s
%s
<title>%s</title>
%s
</head>
<body class="jp-Notebook" data-jp-theme-light="true" data-jp-theme-name="JupyterLab Light">
%s
</body>
</html>
`, policy, fonts, html.EscapeString(title), styles.String(), sanitize.HTML(text.String())), notes, nil
}
