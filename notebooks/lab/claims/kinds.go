package claims

import (
	"cmp"
	"fmt"
	"html"
	"image/color"
	"maps"
	"slices"
	"strings"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/robustnmf/robustnmf/viz"
)

// A Kind says what sort of sentence a claim is.
type Kind string

// The kinds of claims, in words for a table.
const (
	Derivation Kind = "theorems and derivations" // formulas, and whether an algorithm descends, too
	Ranking    Kind = "rankings"                 // which model or solver gives the better result
	Number     Kind = "printed numbers"          // of results or of data
	Picture    Kind = "curves and pictures"      // how a result changes with noise or a parameter, and what images show
	Time       Kind = "times and costs"          // seconds, rounds and cost
)

var (
	kinds    = []Kind{Derivation, Ranking, Number, Picture, Time}
	verdicts = []Verdict{Reproduced, Partly, Not, Open, NotTestable}
	books    = []string{"01", "02", "03", "04", "05"} // by their notebooks
)

// A Ledger is the claims of all papers, by the numbers of their notebooks.
type Ledger map[string]List

// All returns the claims of all papers, judged by what is stored.
func All() Ledger { return maps.Clone(ledger()) }

// of returns the claims of a kind that have a verdict.
func (l List) of(k Kind, v Verdict) (some List) {
	for _, c := range l {
		if got, _ := c.Judge(); c.Kind == k && got == v {
			some = append(some, c)
		}
	}
	return some
}

// counts returns how many claims of a kind have each verdict.
func (l Ledger) counts(k Kind) map[Verdict]int {
	count := map[Verdict]int{}
	for _, list := range l {
		for _, v := range verdicts {
			count[v] += len(list.of(k, v))
		}
	}
	return count
}

// only has one paper.
func (l Ledger) only(paper string) Ledger { return Ledger{paper: l[paper]} }

// decided counts verdicts that are neither open nor not testable.
func decided(count map[Verdict]int) int { return count[Reproduced] + count[Partly] + count[Not] }

// sorted are the kinds, first the one with the largest share of claims that are reproduced, of those that are decided.
func (l Ledger) sorted() []Kind {
	share := map[Kind]float64{}
	for _, k := range kinds {
		count := l.counts(k)
		share[k] = float64(count[Reproduced]) / float64(decided(count))
	}
	return slices.SortedStableFunc(slices.Values(kinds), func(a, b Kind) int { return cmp.Compare(share[b], share[a]) })
}

// Lessons are two sentences: which kinds are reproduced the most and the least often of those that are decided, and from which
// paper most of the former come, and what became of the most frequent kind.
func (l Ledger) Lessons() (extremes, frequent string) {
	order, largest := l.sorted(), kinds[0]
	most, least := order[0], order[len(order)-1]
	for _, k := range kinds[1:] {
		if decided(l.counts(k)) > decided(l.counts(largest)) {
			largest = k
		}
	}
	n, few, many := l.counts(most), l.counts(least), l.counts(largest)
	main := books[0] // which has most of the decided claims of the first kind
	for _, p := range books {
		if decided(l.only(p).counts(most)) > decided(l.only(main).counts(most)) {
			main = p
		}
	}
	own := l.only(main).counts(most)
	return fmt.Sprintf("Reproduced most often are %s: %d of the %d that are decided (%d of %d in paper %s); least often %s: %d of %d.",
			most, n[Reproduced], decided(n), own[Reproduced], decided(own), main, least, few[Reproduced], decided(few)),
		fmt.Sprintf("The largest group are %s: of the %d that are decided %d are reproduced, %d partly and %d not.",
			largest, decided(many), many[Reproduced], many[Partly], many[Not])
}

// Answer is what a Ledger teaches, in words.
type Answer struct{ Ledger }

// HTML has the Lessons.
func (l Answer) HTML() string {
	extremes, frequent := l.Lessons()
	return fmt.Sprintf("<p>%s</p><p>%s</p>", html.EscapeString(extremes), html.EscapeString(frequent))
}

// HTML is a table of marks, a row for each kind, in the order of Draw, and a column for each paper. A mark that the pointer rests on shows its claim.
func (l Ledger) HTML() string {
	var b strings.Builder
	b.WriteString("<table><thead><tr><th>claims</th>")
	for _, p := range books {
		fmt.Fprintf(&b, "<th>%s</th>", p)
	}
	b.WriteString("</tr></thead><tbody>\n")
	for _, k := range l.sorted() {
		fmt.Fprintf(&b, `<tr><td style="text-align: left">%s</td>`, k)
		for _, p := range books {
			b.WriteString(`<td style="text-align: left">`)
			for _, v := range verdicts {
				for _, c := range l[p].of(k, v) {
					fmt.Fprintf(&b, `<span title="%s: %s">%s</span>`, html.EscapeString(c.Where), html.EscapeString(c.Says), marks[v])
				}
			}
			b.WriteString("</td>")
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody></table>")
	return b.String()
}

// InWords is a Ledger as a list.
type InWords struct{ Ledger }

// HTML is a line for each claim, in the order of the papers: its mark, where it stands and what it says.
func (l InWords) HTML() string {
	var b strings.Builder
	for _, p := range books {
		fmt.Fprintf(&b, "<p><b>%s</b>", p)
		for _, c := range l.Ledger[p] {
			v, _ := c.Judge()
			fmt.Fprintf(&b, "<br>%s %s: %s\n", marks[v], html.EscapeString(c.Where), html.EscapeString(c.Says))
		}
		b.WriteString("</p>")
	}
	return b.String()
}

// Draw draws how many claims of each kind have which verdict. The kinds are sorted: the largest share of those that are reproduced,
// of those that are decided, is on top.
func (l Ledger) Draw() *viz.Chart {
	fills := []color.Color{viz.Diverging(0.1), viz.Diverging(0.3), viz.Diverging(0.8), color.Gray{0xb4}, color.Gray{0xe0}}
	values, sums, all := make([]plotter.Values, len(verdicts)), make([]int, len(verdicts)), 0
	var names []string
	for _, k := range slices.Backward(l.sorted()) { // the first row is the lowest
		names = append(names, string(k))
		count := l.counts(k)
		for i, v := range verdicts {
			n := count[v]
			values[i], sums[i], all = append(values[i], float64(n)), sums[i]+n, all+n
		}
	}
	own := 0
	for _, list := range l {
		own += len(list.Ours())
	}
	c := rows(fmt.Sprintf("%d claims: %d reproduced, %d partly, %d not", all, sums[0], sums[1], sums[2]), fmt.Sprintf("claims, %d of them our own questions", own))
	c.NominalY(names...)
	c.X.Min, c.X.Padding, c.Width = 0, 0, 6.4
	var under *plotter.BarChart
	for k, n := range values {
		bars := must(plotter.NewBarChart(n, vg.Points(20)))
		bars.Horizontal, bars.Color, bars.LineStyle.Width = true, fills[k], 0
		if under != nil {
			bars.StackOn(under)
		}
		c.Add(bars)
		c.Legend.Add(string(verdicts[k]), bars)
		var middles plotter.XYLabels
		for i, n := range n {
			if n == 0 {
				continue
			}
			x := bars.BarHeight(i) - n/2
			if n == 1 && k == len(values)-1 { // too narrow for its number, which stands behind it
				x = bars.BarHeight(i) + 1
			}
			middles.XYs, middles.Labels = append(middles.XYs, plotter.XY{X: x, Y: float64(i)}), append(middles.Labels, fmt.Sprint(n))
		}
		if labels := must(plotter.NewLabels(middles)); len(middles.Labels) > 0 {
			for i := range labels.TextStyle {
				style := &labels.TextStyle[i]
				style.Font, style.XAlign, style.YAlign = c.X.Tick.Label.Font, -0.5, -0.4
				if k == 0 {
					style.Color = color.White
				}
			}
			c.Add(labels)
		}
		under = bars
	}
	return c
}
