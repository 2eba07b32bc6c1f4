// Package sanitize makes HTML that others wrote into HTML that only shows something: notebooks
// may have any in their text and outputs, and pages made of them are opened from one's own disk.
package sanitize

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/microcosm-cc/bluemonday"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// HTML keeps text, tables, lists, code, images, links, and what is folded up (details). All else
// goes: scripts, forms, frames, style sheets, drawings within the text, attributes that run code,
// and styles other than alignment, colour and weight of text. Links lead to pages of the web, to
// addresses of mail and to files; images are in the text itself or files.
func HTML(text string) string { return policy.Sanitize(text) }

var (
	policy    = newPolicy()
	linkTo    = regexp.MustCompile(`^(?:https?:|mailto:|[^:]*$|[^:]*[/?#])`)                                        // the last two have no scheme
	imageFrom = regexp.MustCompile(`^(?:data:image/(?:png|jpeg|gif|webp|svg\+xml);base64,|[^:/\\\x00-\x20][^:]*$)`) // neither scheme nor host
)

func newPolicy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.RequireParseableURLs(true)
	p.AllowRelativeURLs(true)
	p.AllowURLSchemes("http", "https", "mailto")
	p.AllowDataURIImages()
	p.AllowAttrs("href").Matching(linkTo).OnElements("a")
	p.AllowAttrs("src").Matching(imageFrom).OnElements("img")
	p.AllowAttrs("alt", "width", "height").OnElements("img")
	p.AllowElements("h1", "h2", "h3", "h4", "h5", "h6", "p", "br", "hr", "wbr", "div", "span", "main", "section", "article", "header", "footer",
		"pre", "code", "kbd", "samp", "var", "tt", "em", "strong", "b", "i", "u", "s", "del", "ins", "sub", "sup", "small", "mark", "q", "cite", "abbr",
		"blockquote", "center", "ul", "ol", "li", "dl", "dt", "dd", "table", "caption", "colgroup", "col", "thead", "tbody", "tfoot", "tr", "th", "td",
		"details", "summary", "figure", "figcaption", "a", "img")
	p.AllowNoAttrs().OnElements("a", "span")
	p.AllowAttrs("open").OnElements("details")
	p.AllowAttrs("start").OnElements("ol")
	p.AllowAttrs("colspan", "rowspan", "scope", "align").OnElements("th", "td", "tr", "col", "colgroup", "p", "div")
	p.AllowAttrs("id", "class", "title", "lang", "dir", "role").Globally()
	p.AllowAttrs("aria-hidden", "aria-label").Globally()
	p.AllowDataAttributes()
	p.AllowStyles("text-align", "vertical-align", "color", "background-color", "font-weight", "font-style").Globally()
	return p
}

// Formula keeps MathML, for what a program makes of TeX may carry text of its own.
func Formula(mathML string) string { return formulas.Sanitize(mathML) }

var formulas = func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	all := []string{"math", "semantics", "annotation", "mrow", "mi", "mo", "mn", "ms", "mtext", "mspace", "mfrac", "msqrt", "mroot", "msub", "msup", "msubsup",
		"munder", "mover", "munderover", "mmultiscripts", "mprescripts", "none", "mtable", "mtr", "mtd", "mpadded", "mphantom", "mstyle", "menclose", "merror"}
	p.AllowElements(all...)
	p.AllowNoAttrs().OnElements(all...)
	p.AllowAttrs("xmlns").Matching(regexp.MustCompile(`^http://www\.w3\.org/1998/Math/MathML$`)).OnElements("math")
	p.AllowAttrs("accent", "accentunder", "class", "columnalign", "columnlines", "columnspan", "depth", "display", "displaystyle", "encoding", "fence", "form",
		"height", "intent", "largeop", "linebreak", "linethickness", "lspace", "mathcolor", "mathsize", "mathvariant", "maxsize", "minsize", "movablelimits", "notation",
		"rowalign", "rowlines", "rowspacing", "rowspan", "rspace", "scriptlevel", "separator", "strechy", "stretchy", "symmetric", "title", "voffset", "width",
	).OnElements(all...)
	p.AllowStyles("font-feature-settings", "text-align", "padding", "padding-left", "padding-right", "border-top", "border-bottom", "margin-left", "background-color").
		Matching(regexp.MustCompile(`^[-\w. ']*$`)).Globally()
	return p
}()

// most is how many bytes of images a page takes from files.
const most = 64 << 20

// Embed puts the images that nodes show, and that are files below a folder, into the nodes, and
// turns their drawings into images, in which nothing runs. It returns what it left out, and why:
// images that are no files below the folder (links that lead out of it are none), that are no
// images, or that are together larger than 64 MB; in their place stands what they show, in words, or
// a link to the web. It also names what HTML will leave out and a reader may miss.
func Embed(root *html.Node, folder string) (notes []string, err error) {
	dir, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	left := int64(most)
	for _, n := range slices.Collect(root.Descendants()) {
		if n.Type != html.ElementNode || n.Parent == nil {
			continue
		}
		switch n.Data {
		case "svg":
			if err := drawing(n); err != nil {
				return nil, err
			}
		case "img":
			src := attribute(n, "src")
			if strings.HasPrefix(src, "data:") {
				continue
			}
			data, err := read(dir, src, &left)
			if err != nil {
				notes = append(notes, fmt.Sprintf("the image %q: %v", src, err))
				inWords(n, src)
				continue
			}
			n.Attr = append(without(n.Attr, "src"), html.Attribute{Key: "src", Val: data})
		case "script", "iframe", "frame", "object", "embed", "form", "video", "audio", "canvas", "applet":
			notes = append(notes, "an element "+n.Data)
		}
	}
	return notes, nil
}

// read returns an image as the address of data. Nothing else than a regular file below dir is
// opened and read: dir refuses a path out of it, and a pipe is not waited for.
func read(dir *os.Root, src string, left *int64) (string, error) {
	u, err := url.Parse(src)
	if err != nil {
		return "", err
	}
	if u.Scheme != "" || u.Host != "" || u.Path == "" {
		return "", errors.New("not a file")
	}
	f, err := dir.OpenFile(filepath.FromSlash(u.Path), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", errors.New("not a regular file")
	}
	data, err := io.ReadAll(io.LimitReader(f, *left+1))
	if err != nil {
		return "", err
	}
	if int64(len(data)) > *left {
		return "", fmt.Errorf("with it the page would have more than %d MB of images", most>>20)
	}
	*left -= int64(len(data))
	kind := http.DetectContentType(data)
	if strings.EqualFold(path.Ext(u.Path), ".svg") {
		kind = "image/svg+xml"
	}
	to := dataURL(kind, data)
	if !imageFrom.MatchString(to) {
		return "", errors.New("not a PNG, JPEG, GIF, WebP or SVG image")
	}
	return to, nil
}

func dataURL(kind string, data []byte) string {
	return "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(data)
}

// drawing turns an element svg into an image.
func drawing(n *html.Node) error {
	if attribute(n, "xmlns") == "" { // which HTML does without
		n.Attr = append(n.Attr, html.Attribute{Key: "xmlns", Val: "http://www.w3.org/2000/svg"})
	}
	if attribute(n, "xlink") == "" {
		n.Attr = append(n.Attr, html.Attribute{Namespace: "xmlns", Key: "xlink", Val: "http://www.w3.org/1999/xlink"})
	}
	var b bytes.Buffer
	if err := html.Render(&b, n); err != nil {
		return err
	}
	n.Type, n.Data, n.DataAtom, n.Namespace = html.ElementNode, "img", atom.Img, ""
	n.Attr = []html.Attribute{{Key: "alt", Val: "drawing"}, {Key: "src", Val: dataURL("image/svg+xml", b.Bytes())}}
	for c := n.FirstChild; c != nil; c = n.FirstChild {
		n.RemoveChild(c)
	}
	return nil
}

// inWords puts the description of an image in its place, as a link if it is one of the web.
func inWords(n *html.Node, src string) {
	words := &html.Node{Type: html.TextNode, Data: attribute(n, "alt")}
	n.Data, n.DataAtom, n.Attr = "span", atom.Span, nil
	if strings.HasPrefix(src, "http://") || strings.HasPrefix(src, "https://") {
		n.Data, n.DataAtom, n.Attr = "a", atom.A, []html.Attribute{{Key: "href", Val: src}}
		if words.Data == "" {
			words.Data = src
		}
	}
	n.AppendChild(words)
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func without(all []html.Attribute, name string) []html.Attribute {
	return slices.DeleteFunc(all, func(a html.Attribute) bool { return a.Key == name || a.Key == "srcset" })
}
