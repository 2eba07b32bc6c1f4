package claims

import (
	"fmt"
	"html"
	"math"
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
)

// A Verdict is what became of a claim.
type Verdict string

// The verdicts. Open says that what is stored does not decide, NotTestable that nothing could:
// the data are not to be had, or the paper names no measure.
const (
	Reproduced  Verdict = "reproduced"
	Partly      Verdict = "partly"
	Not         Verdict = "not"
	NotTestable Verdict = "not testable"
	Open        Verdict = "open"
)

// weaker returns the one that says less for a claim; one that is open leaves the claim open.
func weaker(a, b Verdict) Verdict {
	for _, v := range []Verdict{Open, Not, Partly} {
		if a == v || b == v {
			return v
		}
	}
	return Reproduced
}

// A Claim is a sentence of a paper, with the rule by which it is judged. The rule is said
// before, and Judge follows it: from stored results, or from a computation of less than a
// second. Why has the size of the effect, the number of draws and the interval, where there
// are such.
type Claim struct {
	Key   string // its name here
	Kind  Kind
	Where string // in the paper
	Says  string
	Rule  string
	Judge func() (v Verdict, why string)
}

// judged is a claim without a computation: not testable or open, with the reason.
func judged(v Verdict, why string) func() (Verdict, string) {
	return func() (Verdict, string) { return v, why }
}

// yes is Reproduced where the claim holds, else Not, and says why.
func yes(holds bool, format string, values ...any) (Verdict, string) {
	why := fmt.Sprintf(format, values...)
	if holds {
		return Reproduced, why
	}
	return Not, why
}

// A List is the claims of a paper.
type List []Claim

// Only returns the claims of these keys, in this order. It panics if there is none of a key.
func (l List) Only(keys ...string) (some List) {
	for _, key := range keys {
		i := slices.IndexFunc(l, func(c Claim) bool { return c.Key == key })
		if i < 0 {
			panic(fmt.Sprintf("claims: there is no claim %q", key))
		}
		some = append(some, l[i])
	}
	return some
}

// HTML is what notebooks show: a line for each claim, with a mark, its verdict, where it stands and what it says,
// which opens to the rule and the reason. The words of the rules that several claims share follow, once.
func (l List) HTML() string {
	return l.html(nothing, func(why string) string { return " " + html.EscapeString(why) + "</p>" })
}

// nothing is said of a reason.
func nothing(string) string { return "" }

// InLines is a list whose reasons are lists of their parts, so that a line has few numbers.
type InLines struct{ List }

// InLines returns the list in this form.
func (l List) InLines() InLines { return InLines{l} }

// HTML is what notebooks show.
func (l InLines) HTML() string { return l.List.html(nothing, bullets) }

// bullets are the parts of a reason as a list, or its only part.
func bullets(why string) string {
	lines := parts(why)
	for i, line := range lines {
		lines[i] = html.EscapeString(line)
	}
	if len(lines) == 1 {
		return " " + lines[0] + "</p>"
	}
	return "</p><ul><li>" + strings.Join(lines, "</li><li>") + "</li></ul>"
}

// cuts finds what stands between two parts of a reason: a semicolon, the end of a sentence, or the comma before the worst cell
// or after the value at a size, a rank or a share.
var cuts = regexp.MustCompile(`(; )|(\. )\p{Lu}|(, )at worst |at (?:[br] = \d+|\d+ %)(, )`)

// parts cuts a reason, outside of brackets.
func parts(why string) (lines []string) {
	from := 0
	for _, at := range cuts.FindAllStringSubmatchIndex(why, -1) {
		cut := slices.IndexFunc(at[2:], func(i int) bool { return i >= 0 }) + 2 // the group that is found
		before := why[from:at[cut]]
		if strings.Count(before, "(") == strings.Count(before, ")") && strings.Count(before, "[") == strings.Count(before, "]") {
			lines, from = append(lines, before), at[cut+1]
		}
	}
	return append(lines, why[from:])
}

// WithReasons is InLines with the beginning of the reason in sight: up to the first semicolon or list of differences.
type WithReasons struct{ List }

// HTML is what notebooks show.
func (l WithReasons) HTML() string {
	return l.List.html(func(why string) string {
		why = details.ReplaceAllString(why, "")
		first, n := utf8.DecodeRuneInString(why)
		return "<br>" + html.EscapeString(string(unicode.ToUpper(first))+why[n:]) + "."
	}, bullets)
}

// details finds what follows the first semicolon, or a colon that a signed number follows.
var details = regexp.MustCompile(`;.*|: [+−-]\d.*`)

// html has lines that end with what short says of a reason, and the whole reason as long shows it.
func (l List) html(short, long func(why string) string) string {
	var b strings.Builder
	rules := ""
	for _, c := range l {
		v, why := c.Judge()
		fmt.Fprintf(&b, "<details><summary>%s <b>%s</b> · %s: %s%s</summary><p><b>Rule:</b> %s<br><b>Because:</b>%s</details>\n", marks[v], v,
			html.EscapeString(c.Where), html.EscapeString(c.Says), short(why), html.EscapeString(c.Rule), long(minus.ReplaceAllString(why, "$1−$2")))
		rules += c.Rule + "\n"
	}
	for _, words := range []string{leadWords, endsWords, raceWords, drawsWords} {
		name, text, _ := strings.Cut(words, ": ")
		if strings.Contains(strings.ToLower(rules), strings.ToLower(name)) {
			fmt.Fprintf(&b, "<details><summary><i>%s</i></summary><p>%s</p></details>\n", html.EscapeString(name), html.EscapeString(strings.ToUpper(text[:1])+text[1:]))
		}
	}
	return b.String()
}

// marks let a reader see the verdicts of a list at a glance.
var marks = map[Verdict]string{Reproduced: "✓", Partly: "◐", Not: "✗", Open: "?", NotTestable: "–"}

// minus finds the hyphens that are minus signs.
var minus = regexp.MustCompile(`(^|[\s([^])-(\d)`)

// Tally counts the claims by their verdicts.
func (l List) Tally() map[Verdict]int {
	count := map[Verdict]int{}
	for _, c := range l {
		v, _ := c.Judge()
		count[v]++
	}
	return count
}

// ourQuestion is Where of a claim that is not the paper's but our own question.
const ourQuestion = "not in the paper"

// Ours returns the claims that are our own questions.
func (l List) Ours() (own List) {
	for _, c := range l {
		if c.Where == ourQuestion {
			own = append(own, c)
		}
	}
	return own
}

// Count is a sentence: how many claims have each verdict, and how many are not the paper's.
func (l List) Count() string {
	count := l.Tally()
	var parts []string
	for _, v := range []Verdict{Reproduced, Partly, Not, Open, NotTestable} {
		parts = append(parts, fmt.Sprintf("%s %d", v, count[v]))
	}
	own := ""
	switch n := len(l.Ours()); n {
	case 0:
	case 1:
		own = ", 1 of them our own question"
	default:
		own = fmt.Sprintf(", %d of them our own questions", n)
	}
	return fmt.Sprintf("%d claims%s: %s.", len(l), own, strings.Join(parts, ", "))
}

// A Difference is the mean of differences between two on common draws, with its t-interval
// at 95 %, which is that one number where there is one draw.
type Difference struct {
	Mean, Low, High float64
	N               int
}

// DifferenceOf returns it for values of which there is at least one.
func DifferenceOf(d []float64) Difference {
	mean, dev := stat.MeanStdDev(d, nil)
	if len(d) < 2 {
		return Difference{mean, mean, mean, len(d)}
	}
	half := distuv.StudentsT{Sigma: 1, Nu: float64(len(d) - 1)}.Quantile(0.975) * dev / math.Sqrt(float64(len(d)))
	return Difference{mean, mean - half, mean + half, len(d)}
}

// Over is by how much the values of one lead those of another on common draws, in the mean and with its interval.
func Over(one, other []float64) string {
	return DifferenceOf(floats.SubTo(make([]float64, len(one)), one, other)).text(false)
}

// side is 1 where the interval lies above 0, −1 where it lies below, and else 0: level.
// Differences of rounding errors are none.
func (d Difference) side() int {
	const tiny = 1e-9
	switch {
	case d.Low > tiny:
		return 1
	case d.High < -tiny:
		return -1
	}
	return 0
}

// text shows it in percentage points, if points is true.
func (d Difference) text(points bool) string {
	scale, format := 1., "%+.3f"
	switch {
	case points:
		scale, format = 100, "%+.1f"
	case max(math.Abs(d.Low), math.Abs(d.High)) < 0.01:
		format = "%+.5f"
	}
	s := fmt.Sprintf(format, scale*d.Mean)
	if d.N > 1 {
		s += fmt.Sprintf(" ["+format+", "+format+"]", scale*d.Low, scale*d.High)
	}
	return strings.ReplaceAll(s, "-", "−")
}

// A Cell is one comparison of a table: by how much the one of whom the claim is leads the
// best of his rivals.
type Cell struct {
	Name, Over string
	Difference // above 0 where he is better
}

// A Contest asks who is first.
type Contest struct {
	Table   stored.Table
	Who     string   // by the column Model
	Rivals  []string // other models
	Model   string   // the column of models; "": model
	Draw    string   // the column of common draws; "": trial
	Value   string   // the column that is compared
	Less    bool     // less is better
	Rescale float64  // of values; 0: 1
}

// Cell compares on the rows that have given values: pairs of a column and a value. There is
// none if one of the two has no rows there. The rival is the one with the best mean over the
// draws that both have.
func (c Contest) Cell(name string, pairs ...string) (best Cell, ok bool) {
	model, draw := "model", "trial"
	if c.Model != "" {
		model = c.Model
	}
	if c.Draw != "" {
		draw = c.Draw
	}
	rows := c.Table.Where(pairs...)
	values := func(who string) map[string]float64 {
		of := map[string]float64{}
		for _, r := range rows.Where(model, who) {
			if v := r.Number(c.Value); !math.IsNaN(v) {
				of[r.Text(draw)] = v
			}
		}
		return of
	}
	mine := values(c.Who)
	for _, rival := range c.Rivals {
		var d []float64
		theirs := values(rival)
		draws := make([]string, 0, len(theirs))
		for k := range theirs {
			draws = append(draws, k)
		}
		sort.Strings(draws)
		for _, k := range draws {
			if v, both := mine[k]; both {
				if c.Less {
					d = append(d, theirs[k]-v)
				} else {
					d = append(d, v-theirs[k])
				}
			}
		}
		if len(d) == 0 {
			continue
		}
		if diff := DifferenceOf(d); !ok || diff.Mean < best.Mean {
			best, ok = Cell{name, rival, diff}, true
		}
	}
	return best, ok
}

// draws from which on a level cell counts as level: with fewer it is undecided.
const draws = 10

// LeadRule is the rule of Lead, as claims name it.
const LeadRule = "Rule of the lead."

// leadWords are the words of that rule.
const leadWords = "Rule of the lead: in each cell of a table the best rival is taken, by the mean over the draws that both have, and the t-interval at 95 % of the differences: " +
	"ahead if it lies above 0, behind if below, else level, or undecided with fewer than 10 draws that are not all equal. " +
	"Reproduced: behind nowhere, nothing undecided, and ahead in half of the cells or more. Not: behind in most cells, or ahead nowhere with nothing undecided. " +
	"Open: most cells undecided, or ahead nowhere with some undecided. Else: partly. " +
	"Where all cells have single values, their sign decides, and reproduced asks that the interval of the mean over the cells lies above 0. " +
	"Draws are of starts, and of samples or labels where these are drawn: where all starts end alike an interval has no width, and nothing is said about other data. " +
	"The best of several rivals is found on the draws on which it is compared, so the rule is a little strict."

// Lead judges who is first by the rule of the lead: see leadWords.
func Lead(who string, points bool, cells []Cell) (Verdict, string) {
	if len(cells) == 0 {
		return Open, "nothing is stored"
	}
	low, high := cells[0].N, cells[0].N
	for _, c := range cells {
		low, high = min(low, c.N), max(high, c.N)
	}
	ahead, behind, undecided := 0, 0, 0
	most, least := cells[0], cells[0]
	var means []float64
	for _, c := range cells {
		means = append(means, c.Mean)
		switch side := c.side(); {
		case c.N < draws && c.N < high && c.N == 1 && side != 0:
			undecided++ // one draw is none
		case side > 0:
			ahead++
		case side < 0:
			behind++
		case c.N < draws && (c.Low != 0 || c.High != 0): // equal to the last digit is level
			undecided++
		}
		if c.Mean > most.Mean {
			most = c
		}
		if c.Mean < least.Mean {
			least = c
		}
	}
	level := len(cells) - ahead - behind - undecided
	why := fmt.Sprintf("%s is ahead in %d, level in %d, behind in %d", who, ahead, level, behind)
	if undecided > 0 {
		why += fmt.Sprintf(", undecided in %d", undecided)
	}
	why += fmt.Sprintf(" of %d", len(cells))
	n := fmt.Sprint("n = ", low)
	if high > low {
		n = fmt.Sprintf("n = %d to %d", low, high)
	}
	if high == 1 {
		n = "single values"
	}
	where := func(c Cell) string { return fmt.Sprintf("%s over %s (%s)", c.text(points), c.Over, c.Name) }
	why += fmt.Sprintf(", %s; at best %s", n, where(most))
	over := DifferenceOf(means)
	if len(cells) > 1 {
		if len(cells) < 4 && high > 1 { // of a few cells the interval says nothing
			over = Difference{over.Mean, over.Mean, over.Mean, 1}
		}
		why += fmt.Sprintf(", at worst %s; mean over the cells %s", where(least), over.text(points))
	}
	switch {
	case 2*behind > len(cells):
		return Not, why
	case 2*undecided > len(cells) || ahead == 0 && undecided > 0:
		return Open, why
	case undecided == 0 && ahead == 0:
		return Not, why
	case undecided == 0 && behind == 0 && 2*ahead >= len(cells) && (high > 1 || over.side() > 0):
		return Reproduced, why
	}
	return Partly, why
}

// A Pair is a printed number and ours.
type Pair struct {
	Name          string
	Ours, Printed float64
}

// Near judges whether numbers agree: reproduced if nine in ten lie within a tolerance, partly
// if half of them do. unit is what a number is multiplied by to be shown.
func Near(tolerance, unit float64, name string, pairs []Pair) (Verdict, string) {
	if len(pairs) == 0 {
		return Open, "nothing is stored"
	}
	near := 0
	var gaps []float64
	worst := pairs[0]
	for _, p := range pairs {
		gap := math.Abs(p.Ours - p.Printed)
		if gaps = append(gaps, gap); gap <= tolerance {
			near++
		}
		if gap > math.Abs(worst.Ours-worst.Printed) {
			worst = p
		}
	}
	why := fmt.Sprintf("%d of %d lie within %.3g %s; the median gap is %.2g; farthest apart are our %.3g and the printed %.3g (%s)", near, len(pairs), unit*tolerance, name,
		unit*QuartilesOf(gaps).Median, unit*worst.Ours, unit*worst.Printed, worst.Name)
	switch {
	case 10*near >= 9*len(pairs):
		return Reproduced, why
	case 2*near >= len(pairs):
		return Partly, why
	}
	return Not, why
}

// nearRule is the rule of Near.
func nearRule(within string) string {
	return "our mean lies within " + within + " of the printed number: in nine of ten, reproduced; in half, partly"
}

// Quartiles are the median and the quartiles of quotients.
type Quartiles struct{ Low, Median, High float64 }

// QuartilesOf returns them, interpolated between neighbours: of an even number, the median is the mean of the two in
// the middle.
func QuartilesOf(q []float64) Quartiles {
	q = slices.Clone(q)
	sort.Float64s(q)
	at := func(p float64) float64 {
		i, part := math.Modf(p * float64(len(q)-1))
		if part == 0 {
			return q[int(i)]
		}
		return q[int(i)] + part*(q[int(i)+1]-q[int(i)])
	}
	return Quartiles{at(0.25), at(0.5), at(0.75)}
}

func (q Quartiles) String() string {
	return fmt.Sprintf("%.2g (%.2g to %.2g)", q.Median, q.Low, q.High)
}
