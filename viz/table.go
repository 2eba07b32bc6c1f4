package viz

import (
	"fmt"
	"html"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// A Cell is a text of a Table, and the number behind it if there is one.
type Cell struct {
	Text  string
	Value float64 // what BoldRow and BoldColumn compare; NaN for plain text
	Bold  bool
}

// Text returns a cell without a number.
func Text(s string) Cell { return Cell{Text: s, Value: math.NaN()} }

// Number returns a cell with v in the given number of digits after the point.
func Number(v float64, digits int) Cell {
	return Cell{Text: decimal(v, digits), Value: v}
}

// MeanDev returns a cell that reads "mean ± dev", compared by the mean. A NaN
// deviation, such as that of a single value, is left out.
func MeanDev(mean, dev float64, digits int) Cell {
	c := Number(mean, digits)
	if !math.IsNaN(dev) && !math.IsNaN(mean) {
		c.Text += " ± " + decimal(dev, digits)
	}
	return c
}

// Summary returns the MeanDev of values, the deviation being that of a sample
// (divisor n−1). Without values it is a dash.
func Summary(values []float64, digits int) Cell {
	mean, sq := math.NaN(), 0.0
	for i, v := range values {
		if i == 0 {
			mean = v
			continue
		}
		d := v - mean
		mean += d / float64(i+1)
		sq += d * (v - mean)
	}
	dev := math.NaN()
	if n := len(values); n > 1 {
		dev = math.Sqrt(sq / float64(n-1))
	}
	return MeanDev(mean, dev, digits)
}

func decimal(v float64, digits int) string {
	switch {
	case math.IsNaN(v):
		return "–"
	case math.IsInf(v, 1):
		return "∞"
	case math.IsInf(v, -1):
		return "−∞"
	}
	s := strconv.FormatFloat(v, 'f', max(0, min(digits, 15)), 64)
	if rest, ok := strings.CutPrefix(s, "-"); ok {
		if strings.Trim(rest, "0.") == "" {
			return rest // no negative zero
		}
		return "−" + rest
	}
	return s
}

// A Table is a table of text and numbers.
type Table struct {
	Caption string
	Header  []string
	Rows    [][]Cell // each as long as Header
}

// NewTable returns a table. An entry of rows is a Cell, a string, a number (floating point is
// written with four significant digits), or anything else, which is written as fmt.Sprint does. It
// returns ErrEmpty without a header, and ErrShape if a row has not one entry for each column.
func NewTable(header []string, rows [][]any) (*Table, error) {
	if len(header) == 0 {
		return nil, fmt.Errorf("%w: table without columns", ErrEmpty)
	}
	t := &Table{Header: append([]string(nil), header...)}
	for i, r := range rows {
		if len(r) != len(header) {
			return nil, fmt.Errorf("%w: row %d has %d entries for %d columns", ErrShape, i, len(r), len(header))
		}
		cells := make([]Cell, len(r))
		for j, v := range r {
			cells[j] = cellOf(v)
		}
		t.Rows = append(t.Rows, cells)
	}
	return t, nil
}

func cellOf(v any) Cell {
	switch v := v.(type) {
	case Cell:
		return v
	case string:
		return Text(v)
	}
	n, write := reflect.ValueOf(v), fmt.Sprint(v) // a duration writes itself
	if _, itself := v.(fmt.Stringer); itself || !n.IsValid() {
		return Text(write)
	}
	switch {
	case n.CanInt():
		return Cell{Text: strings.Replace(write, "-", "−", 1), Value: float64(n.Int())}
	case n.CanUint():
		return Cell{Text: write, Value: float64(n.Uint())}
	case n.CanFloat():
		return significant(n.Float())
	}
	return Text(write)
}

// significant returns v in four digits.
func significant(v float64) Cell {
	a := math.Abs(v)
	if a == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return Number(v, 0)
	}
	if a < 1e-4 || a >= 1e7 {
		s := shortExponent(strconv.FormatFloat(a, 'e', 3, 64))
		if v < 0 {
			s = "−" + s
		}
		return Cell{Text: s, Value: v}
	}
	// The power of ten once it is rounded: 0.99999 has the digits 1.000.
	digits := strconv.FormatFloat(a, 'e', 3, 64)
	power, _ := strconv.Atoi(digits[strings.Index(digits, "e")+1:])
	return Number(v, 3-power)
}

// A Better says which of two numbers is the better one.
type Better int

const (
	Larger  Better = iota // accuracy
	Smaller               // error, seconds
)

// BoldRow sets the best number of row i in bold, and all numbers that read the same. It does
// nothing if there is no such row or it holds no number.
func (t *Table) BoldRow(i int, b Better) {
	if i < 0 || i >= len(t.Rows) {
		return
	}
	cells := make([]*Cell, len(t.Rows[i]))
	for j := range cells {
		cells[j] = &t.Rows[i][j]
	}
	bold(cells, b)
}

// BoldRows does so for every row: the best method on each set of data.
func (t *Table) BoldRows(b Better) {
	for i := range t.Rows {
		t.BoldRow(i, b)
	}
}

// BoldColumn sets the best number of column j in bold, and all numbers that read the same. It does
// nothing if there is no such column or it holds no number.
func (t *Table) BoldColumn(j int, b Better) {
	var cells []*Cell
	for i := range t.Rows {
		if j >= 0 && j < len(t.Rows[i]) {
			cells = append(cells, &t.Rows[i][j])
		}
	}
	bold(cells, b)
}

func bold(cells []*Cell, b Better) {
	var best *Cell
	for _, c := range cells {
		if math.IsNaN(c.Value) {
			continue
		}
		if best == nil || (b == Larger && c.Value > best.Value) || (b == Smaller && c.Value < best.Value) {
			best = c
		}
	}
	if best == nil {
		return
	}
	shown := func(c *Cell) string { s, _, _ := strings.Cut(c.Text, " ± "); return s }
	for _, c := range cells {
		if !math.IsNaN(c.Value) && shown(c) == shown(best) {
			c.Bold = true
		}
	}
}

// numeric reports whether column j holds numbers, which are aligned to the
// right; dashes do not count.
func (t *Table) numeric(j int) bool {
	found := false
	for i := range t.Rows {
		c := t.cell(i, j)
		if math.IsNaN(c.Value) && c.Text != "" && c.Text != "–" {
			return false
		}
		found = found || !math.IsNaN(c.Value)
	}
	return found
}

// cell returns an entry, empty where a row is too short.
func (t *Table) cell(i, j int) Cell {
	if j < len(t.Rows[i]) {
		return t.Rows[i][j]
	}
	return Text("")
}

// HTML returns the table as an HTML fragment, everything in it escaped.
func (t *Table) HTML() string {
	var b strings.Builder
	align := make([]string, len(t.Header))
	for j := range align {
		align[j] = ` style="text-align: left"`
		if t.numeric(j) {
			align[j] = ` style="text-align: right"`
		}
	}
	text := func(s string) string { return strings.ReplaceAll(html.EscapeString(s), "\n", "<br>") }
	b.WriteString("<table>\n")
	if t.Caption != "" {
		b.WriteString("<caption>" + text(t.Caption) + "</caption>\n")
	}
	b.WriteString("<thead>\n<tr>")
	for j, h := range t.Header {
		b.WriteString("<th" + align[j] + ">" + text(h) + "</th>")
	}
	b.WriteString("</tr>\n</thead>\n<tbody>\n")
	for i := range t.Rows {
		b.WriteString("<tr>")
		for j := range t.Header {
			c := t.cell(i, j)
			s := text(c.Text)
			if c.Bold {
				s = "<b>" + s + "</b>"
			}
			b.WriteString("<td" + align[j] + ">" + s + "</td>")
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody>\n</table>\n")
	return b.String()
}

// escapeMarkdown makes every character stand for itself, in a line.
var escapeMarkdown = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "|", `\|`, "[", `\[`, "]", `\]`,
	"$", `\$`, "~", `\~`, "#", `\#`, "<", "&lt;", ">", "&gt;", "&", "&amp;", "\r\n", " ", "\n", " ", "\r", " ",
)

// listMark is what would make a list, or a heading, of a line.
var listMark = regexp.MustCompile(`^(\s*\d*)([-+=.)])`)

// Markdown returns the table as a table of GitHub's Markdown, everything in it
// escaped; the caption is a paragraph above it.
func (t *Table) Markdown() string {
	var b strings.Builder
	if t.Caption != "" {
		b.WriteString(listMark.ReplaceAllString(escapeMarkdown.Replace(t.Caption), `$1\$2`) + "\n\n")
	}
	for _, h := range t.Header {
		b.WriteString("| " + escapeMarkdown.Replace(h) + " ")
	}
	b.WriteString("|\n")
	for j := range t.Header {
		if t.numeric(j) {
			b.WriteString("| ---: ")
		} else {
			b.WriteString("| :--- ")
		}
	}
	b.WriteString("|\n")
	for i := range t.Rows {
		for j := range t.Header {
			c := t.cell(i, j)
			s := escapeMarkdown.Replace(c.Text)
			if c.Bold && s != "" {
				s = "**" + s + "**"
			}
			b.WriteString("| " + s + " ")
		}
		b.WriteString("|\n")
	}
	return b.String()
}
