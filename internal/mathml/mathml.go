// Package mathml turns the TeX formulas of Markdown into MathML, which browsers draw
// without a script.
package mathml

import (
	"errors"
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"

	"github.com/wyatt915/treeblood"

	"github.com/robustnmf/robustnmf/internal/sanitize"
)

// Formulas holds the formulas of a text while it becomes a page: Take replaces each by a
// word that no Markdown converter touches, and Put the word by MathML afterwards. A formula
// that cannot be converted stays TeX.
type Formulas struct {
	Count int      // how many there are
	Notes []string // those that stay TeX, and why
	html  []string
}

// mathSpan finds what may be mathematics, and the code that is none, whatever
// it contains. Groups: display mathematics, an environment, inline mathematics.
var mathSpan = func() *regexp.Regexp {
	var envs []string
	for _, e := range []string{"equation", "align", "aligned", "gather", "multline", "eqnarray", "split", "cases"} {
		for _, e := range []string{e, e + `\*`} {
			envs = append(envs, `\\begin\{`+e+`\}.*?\\end\{`+e+`\}`)
		}
	}
	return regexp.MustCompile("(?ms)^ {0,3}```.*?^ {0,3}```|^ {0,3}~~~.*?^ {0,3}~~~|``.+?``|`[^`]+`" +
		`|\\[\\$]` +
		`|\$\$(.+?)\$\$` +
		`|(` + strings.Join(envs, "|") + `)` +
		"|\\$([^\\s$`](?:[^$`]*[^\\s$`\\\\])?)\\$")
}()

// Take replaces the formulas of a Markdown text by words.
func (f *Formulas) Take(md string) string {
	var b strings.Builder
	for {
		m := mathSpan.FindStringSubmatchIndex(md)
		if m == nil {
			b.WriteString(f.dollars(md))
			return b.String()
		}
		b.WriteString(f.dollars(md[:m[0]]))
		rest := md[m[1]:]
		switch {
		case m[2] >= 0:
			b.WriteString(f.word(md[m[2]:m[3]], true))
		case m[4] >= 0:
			b.WriteString(f.word(md[m[4]:m[5]], true))
		case m[6] >= 0:
			tex := md[m[6]:m[7]]
			// Two prices in a sentence, or in two paragraphs, are no formula.
			if strings.Contains(tex, "\n\n") || rest != "" && rest[0] >= '0' && rest[0] <= '9' {
				b.WriteString(f.dollars("$"))
				rest = md[m[6]:]
				break
			}
			b.WriteString(f.word(tex, false))
		case md[m[0]:m[1]] == `\$`:
			b.WriteString(f.dollars("$"))
		default:
			b.WriteString(md[m[0]:m[1]])
		}
		md = rest
	}
}

// dollars hides what is no mathematics from nbconvert, which looks for it, too.
func (f *Formulas) dollars(md string) string {
	for strings.Contains(md, "$") {
		f.html = append(f.html, "$")
		md = strings.Replace(md, "$", fmt.Sprintf("RNMFMATH%dX", len(f.html)-1), 1)
	}
	return md
}

func (f *Formulas) word(tex string, display bool) string {
	mml, err := mathML(tex, display)
	if err != nil {
		f.Notes = append(f.Notes, fmt.Sprintf("%s (%v)", strings.Join(strings.Fields(tex), " "), err))
		mml = `<code title="not converted">` + html.EscapeString(tex) + "</code>"
	}
	f.Count++
	f.html = append(f.html, mml)
	return fmt.Sprintf("RNMFMATH%dX", len(f.html)-1)
}

var (
	mathWord  = regexp.MustCompile(`RNMFMATH(\d+)X`)
	tagOrWord = regexp.MustCompile(`<[^<>]*>|RNMFMATH(\d+)X`)
)

// Put replaces the words of a page by MathML, and drops them inside tags, where
// they are part of the identifier nbconvert makes of a heading.
func (f *Formulas) Put(page string) string {
	meaning := func(word string) string {
		i, err := strconv.Atoi(mathWord.FindStringSubmatch(word)[1])
		if err != nil || i >= len(f.html) {
			return word
		}
		return f.html[i]
	}
	return tagOrWord.ReplaceAllStringFunc(page, func(s string) string {
		if s[0] != '<' {
			return meaning(s)
		}
		return mathWord.ReplaceAllStringFunc(s, func(word string) string {
			if m := meaning(word); m == "$" {
				return m
			}
			return ""
		})
	})
}

// macros are commands that treeblood lacks, by those it has.
var macros = map[string]string{
	"operatorname": `\mathrm{#1}`,
	"tag":          `\qquad\text{(#1)}`,
	"argmin":       `\mathrm{arg\,min}`,
	"argmax":       `\mathrm{arg\,max}`,
	"bm":           `\boldsymbol{#1}`,
	"textbf":       `\text{#1}`,
	"textit":       `\text{#1}`,
	"boxed":        `#1`,
	"stackrel":     `\overset{#1}{#2}`,
	"xrightarrow":  `\overset{#1}{\rightarrow}`,
}

var (
	noPrint   = regexp.MustCompile(`\\label\{[^}]*\}|\\(?:nonumber|notag)\b`)
	shortFrac = regexp.MustCompile(`(\\[dt]?frac)\s*(\w)\s*(\w)`)
	merror    = regexp.MustCompile(`<merror[^>]*>(.*?)</merror>`)
	between   = regexp.MustCompile(`>\s+<`)
)

func mathML(tex string, display bool) (mml string, err error) {
	defer func() { // it is a parser of free text
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	tex = strings.ReplaceAll(tex, `\|`, `\Vert `)
	tex = noPrint.ReplaceAllString(tex, "")
	tex = shortFrac.ReplaceAllString(tex, "$1{$2}{$3}")
	if display {
		mml, err = treeblood.DisplayStyle(tex, macros)
	} else {
		mml, err = treeblood.InlineStyle(tex, macros)
	}
	if err != nil {
		line, _, _ := strings.Cut(err.Error(), "<pre>")
		return "", errors.New(line)
	}
	if m := merror.FindStringSubmatch(mml); m != nil {
		return "", fmt.Errorf("unknown: %s", m[1])
	}
	// The bars of a norm would be stretched around their own index.
	mml = strings.ReplaceAll(mml, "<mo>‖</mo>", `<mo stretchy="false">‖</mo>`)
	return sanitize.Formula(between.ReplaceAllString(strings.TrimSpace(mml), "><")), nil
}
