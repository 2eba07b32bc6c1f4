package main

import (
	"bytes"
	"fmt"
	"html"
	"html/template"
	"io/fs"
	"strings"

	"github.com/alecthomas/chroma/v2"
	chromahtml "github.com/alecthomas/chroma/v2/formatters/html"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/alecthomas/chroma/v2/styles"
	"github.com/yuin/goldmark"
	highlighting "github.com/yuin/goldmark-highlighting/v2"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	goldmarkhtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	nethtml "golang.org/x/net/html"

	"github.com/robustnmf/robustnmf/internal/sanitize"
)

var markdown = goldmark.New(
	goldmark.WithExtensions(extension.GFM, highlighting.NewHighlighting(highlighting.WithFormatOptions(chromahtml.WithClasses(true)))),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	goldmark.WithRendererOptions(goldmarkhtml.WithUnsafe()), // the repository's own text has some HTML
)

// document makes a page of a file of Markdown.
func (s *site) document(p *page) error {
	src, err := fs.ReadFile(s.files.FS(), p.from)
	if err != nil {
		return err
	}
	body, err := s.render(p, src, parser.NewContext())
	p.body = template.HTML(sanitize.HTML(body))
	return err
}

// render turns Markdown into HTML whose links are those of the site. Texts that are parts
// of one page share a context, so that no two headings have the same identifier.
func (s *site) render(p *page, src []byte, shared parser.Context) (string, error) {
	doc := markdown.Parser().Parse(text.NewReader(src), parser.WithContext(shared))
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		var err error
		var to string
		switch n := n.(type) {
		case *ast.Link:
			to, err = s.href(p, string(n.Destination), false)
			n.Destination = []byte(to)
		case *ast.Image:
			to, err = s.href(p, string(n.Destination), true)
			n.Destination = []byte(to)
		}
		return ast.WalkContinue, err
	})
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	err = markdown.Renderer().Render(&b, src, doc)
	// Wide tables scroll by themselves, so that a page never does.
	return strings.NewReplacer("<table>", `<div class="wide"><table>`, "</table>", "</table></div>").Replace(b.String()), err
}

// goCode colours Go.
func goCode(code string) (string, error) {
	it, err := lexers.Get("go").Tokenise(nil, code)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	err = chromahtml.New(chromahtml.WithClasses(true)).Format(&b, styles.Fallback, it)
	return b.String(), err
}

// codeColours returns the style of code, light and dark.
func codeColours() ([]byte, error) {
	var b bytes.Buffer
	f := chromahtml.New(chromahtml.WithClasses(true))
	for _, style := range []struct{ name, when string }{{"github", "light"}, {"github-dark", "dark"}} {
		fmt.Fprintf(&b, "\n@media (prefers-color-scheme: %s) {\n", style.when)
		base := styles.Get(style.name)
		entry := base.Get(chroma.Background)
		entry.Background = 0 // the page has its own
		plain, err := base.Builder().AddEntry(chroma.Background, entry).Build()
		if err != nil {
			return nil, err
		}
		if err := f.WriteCSS(&b, plain); err != nil {
			return nil, err
		}
		b.WriteString("}\n")
	}
	return b.Bytes(), nil
}

// A section is what the search finds: the text below a heading.
type section struct {
	ID    int    `json:"id"`
	To    string `json:"to"`
	Page  string `json:"page"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

// sections cuts a page at its headings.
func sections(p *page) ([]section, error) {
	doc, err := nethtml.Parse(strings.NewReader(string(p.body)))
	if err != nil {
		return nil, err
	}
	all := []section{{To: p.to, Page: p.title, Title: p.title}}
	var b strings.Builder
	end := func() {
		all[len(all)-1].Text = strings.Join(strings.Fields(b.String()), " ")
		b.Reset()
	}
	var walk func(*nethtml.Node)
	walk = func(n *nethtml.Node) {
		switch {
		case n.Type == nethtml.TextNode:
			b.WriteString(n.Data)
		case n.Type == nethtml.ElementNode && (n.Data == "style" || n.Data == "script" || n.Data == "svg" || n.Data == "annotation"): // the last is TeX
			return
		case n.Type == nethtml.ElementNode && (n.Data == "h2" || n.Data == "h3"):
			if id := attribute(n, "id"); id != "" {
				end()
				all = append(all, section{To: p.to + "#" + id, Page: p.title, Title: strings.TrimSuffix(content(n), " source")})
				return
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
		switch n.Data {
		case "p", "li", "td", "th", "pre", "h1", "div":
			b.WriteByte(' ')
		}
	}
	walk(doc)
	end()
	return all, nil
}

func attribute(n *nethtml.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// content is the text of a node.
func content(n *nethtml.Node) string {
	if n.Type == nethtml.TextNode {
		return n.Data
	}
	var b strings.Builder
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		b.WriteString(content(c))
	}
	return b.String()
}

func escape(s string) string { return html.EscapeString(s) }
