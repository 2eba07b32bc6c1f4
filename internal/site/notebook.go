package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"

	"github.com/robustnmf/robustnmf/internal/mathml"
	"github.com/robustnmf/robustnmf/internal/sanitize"
)

// lines is a text of a notebook, which is a string or a list of lines.
type lines string

func (l *lines) UnmarshalJSON(data []byte) error {
	var all []string
	if err := json.Unmarshal(data, &all); err == nil {
		*l = lines(strings.Join(all, ""))
		return nil
	}
	var s string
	err := json.Unmarshal(data, &s)
	*l = lines(s)
	return err
}

// notebook makes a page of a notebook and its saved outputs.
func (s *site) notebook(p *page) error {
	data, err := fs.ReadFile(s.files.FS(), p.from)
	if err != nil {
		return err
	}
	var nb struct {
		Cells []struct {
			Type    string `json:"cell_type"`
			Source  lines
			Outputs []struct {
				Name string
				Text lines
				Data map[string]json.RawMessage
			}
		}
	}
	if err := json.Unmarshal(data, &nb); err != nil {
		return err
	}
	var b strings.Builder
	var math mathml.Formulas
	shared := parser.NewContext(parser.WithIDs(places{}))
	md := func(text string) error {
		body, err := s.render(p, []byte(math.Take(text)), shared)
		b.WriteString(body)
		return err
	}
	for i, c := range nb.Cells {
		if c.Type == "markdown" {
			if heading, ok := strings.CutPrefix(string(c.Source), "# "); ok && p.title == "" {
				heading, _, _ = strings.Cut(heading, "\n")
				p.title = strings.NewReplacer("$", "", "`", "").Replace(heading)
			}
			if err := md(string(c.Source)); err != nil {
				return fmt.Errorf("cell %d: %w", i+1, err)
			}
			continue
		}
		code, err := goCode(string(c.Source))
		if err != nil {
			return fmt.Errorf("cell %d: %w", i+1, err)
		}
		b.WriteString(code)
		for _, o := range c.Outputs {
			get := func(kind string) (text lines) {
				if raw, ok := o.Data[kind]; ok {
					err = errors.Join(err, json.Unmarshal(raw, &text))
				}
				return text
			}
			switch {
			case o.Name != "":
				fmt.Fprintf(&b, "<pre class=\"output\">%s</pre>\n", escape(string(o.Text)))
			case o.Data["image/png"] != nil:
				fmt.Fprintf(&b, "<img class=\"output\" alt=\"figure\" src=\"data:image/png;base64,%s\">\n", strings.ReplaceAll(string(get("image/png")), "\n", ""))
			case o.Data["text/html"] != nil:
				fmt.Fprintf(&b, "<div class=\"output\">%s</div>\n", get("text/html"))
			case o.Data["text/markdown"] != nil:
				b.WriteString("<div class=\"output\">")
				err = errors.Join(err, md(string(get("text/markdown"))))
				b.WriteString("</div>\n")
			default:
				fmt.Fprintf(&b, "<pre class=\"output\">%s</pre>\n", escape(string(get("text/plain"))))
			}
		}
		if err != nil {
			return fmt.Errorf("cell %d: %w", i+1, err)
		}
	}
	if len(math.Notes) > 0 {
		return fmt.Errorf("formulas that stay TeX: %q", math.Notes)
	}
	if p.title == "" {
		return errors.New("no heading")
	}
	number, _, _ := strings.Cut(filepath.Base(p.from), "-")
	p.title = number + " " + p.title
	p.body = template.HTML(math.Put(sanitize.HTML(b.String())))
	return nil
}

// places are the identifiers of the headings of a notebook: those that Jupyter gives them, as the
// links within the notebook name them.
type places map[string]bool

// Generate returns the heading with dashes for spaces, and a number where it is not the first.
func (p places) Generate(heading []byte, _ ast.NodeKind) []byte {
	first := strings.ReplaceAll(strings.TrimSpace(string(heading)), " ", "-")
	id := first
	for i := 1; p[id]; i++ {
		id = fmt.Sprintf("%s-%d", first, i)
	}
	p.Put([]byte(id))
	return []byte(id)
}

// Put keeps an identifier from being given again.
func (p places) Put(id []byte) { p[string(id)] = true }
