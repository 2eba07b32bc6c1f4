package mathml

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func TestFormulas(t *testing.T) {
	const md = "# The $L_{2,1}$ norm\n\n" +
		"Prices of $5 and $6, `$code$`, \\$7, and $a_i * b_i * c$.\n\n" +
		"```\n$fenced$\n```\n\n" +
		"$$\n\\|X-WH\\|_{2,1} = \\tfrac12 x \\tag{5}\n$$\n\n" +
		"\\begin{align}\na &= b \\label{eq} \\\\\nc &= d\n\\end{align}\n\n" +
		"$\\nosuchcommand x$ and $\\frac{1}{2$"
	var f Formulas
	words := f.Take(md)
	if strings.Contains(strings.NewReplacer("`$code$`", "", "$fenced$", "").Replace(words), "$") {
		t.Errorf("mathematics left in %q", words)
	}
	if f.Count != 6 || len(f.Notes) != 2 {
		t.Errorf("got %d formulas, notes %q", f.Count, f.Notes)
	}
	page := f.Put(`<h1 id="The-` + strings.Fields(words)[2] + `-norm">` + words)
	for _, want := range []string{
		`<h1 id="The--norm"># The <math`, "Prices of $5 and $6, `$code$`, $7, and <math", "<mo>*</mo>",
		"\n$fenced$\n", "<mi>‖</mi><mi>X</mi>", "<mtext>(5)</mtext>", "<mtable", `display="block"`,
		`<code title="not converted">\nosuchcommand x</code>`, `<code title="not converted">\frac{1}{2</code>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	if strings.Contains(page, "RNMFMATH") {
		t.Errorf("words left in\n%s", page)
	}
	// Words of other pages, and numbers out of range, are left alone.
	if got := f.Put("RNMFMATH99999999999999999999X RNMFMATH77X"); !strings.Contains(got, "MATH77X") {
		t.Errorf("got %q", got)
	}
}

// A formula is shown, and runs nothing.
func TestFormulasRunNothing(t *testing.T) {
	for _, tex := range []string{
		`\text{<img src=x onerror=alert(1)>}`, `\class{" onclick="alert(1)}{x}`, `\color{"><img src=x onerror=alert(1)>}{x}`, `\textcolor{"><script>alert(1)</script>}{x}`,
		`x \tag{<script>alert(1)</script>}`, `\raisebox{" onclick="x}{y}`, `\text{</math><script>alert(1)</script>}`, `</annotation><script>alert(1)</script>`,
		`\text{a} <script>alert(1)</script>`, `\unknown{<script>alert(1)</script>}`, `\class{x" style="background:url(http://e)}{x}`,
	} {
		var f Formulas
		doc, err := html.Parse(strings.NewReader(f.Put(f.Take("$" + tex + "$"))))
		if err != nil {
			t.Fatal(err)
		}
		for n := range doc.Descendants() {
			if n.Data == "script" || n.Data == "img" {
				t.Errorf("%s: an element %s", tex, n.Data)
			}
			for _, a := range n.Attr {
				if a.Key == "onclick" || a.Key == "style" && strings.Contains(a.Val, "url") {
					t.Errorf("%s: %s=%s", tex, a.Key, a.Val)
				}
			}
		}
		if f.Count != 1 {
			t.Errorf("%s is %d formulas", tex, f.Count)
		}
	}
}
