package mathml

import (
	"strings"
	"testing"
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
