package datasets

import (
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// What Open guesses of a table, it guesses of all its lines: the table is read twice.

// gaps are the words that stand for missing values in a column of numbers.
var gaps = []string{"", "NA", "N/A", "n/a", "#N/A", "n.a.", "NaN", "nan", "NAN", "null", "NULL", "None", "?", "-", "--", ".", "missing", "Missing", "#DIV/0!", "#VALUE!"}

// Names, in lower case, that tell what a column is for.
var (
	namesOfLabels   = []string{"class", "classes", "label", "labels", "target", "species", "group", "type", "kind", "category", "diagnosis", "outcome", "cultivar", "variety", "status", "cell_type", "celltype", "y"}
	namesOfSamples  = []string{"id", "ids", "sample", "samples", "sample_id", "sampleid", "name", "names", "index", "unnamed: 0", "patient", "patient_id", "user", "user_id", "userid", "subject", "subject_id", "cell", "barcode", "no", "nr"}
	namesOfFeatures = []string{"gene", "genes", "gene_id", "geneid", "gene_name", "gene_symbol", "genesymbol", "symbol", "probe", "probe_id", "probeid", "id_ref", "feature", "features", "feature_id", "ensembl", "transcript", "transcript_id", "protein", "metabolite", "wavelength", "wavenumber", "raman shift", "frequency", "m/z", "mz"}
)

// namesOfLines are more names, in lower case, that stand over the names of lines, and name hardly a line.
var namesOfLines = []string{"country", "countries", "region", "state", "province", "district", "city", "location", "site", "station", "date", "timestamp", "filename", "document", "strain", "compound", "accession", "entrez"}

// pandasIndex is the column in which pandas stores the names of rows in a Parquet file.
const pandasIndex = "__index_level_0__"

const (
	mostClasses = 30      // that a guess takes for classes
	mostWords   = 1 << 16 // of a column that are remembered
)

// A columnSeen is what is known of a column after all lines.
type columnSeen struct {
	numbers, gaps, texts int
	points, commas       int  // numbers with a decimal point, and with a decimal comma
	whole                bool // all numbers are
	distinct             bool // no number comes twice, of the first column
	least, last          float64
	seen                 map[float64]bool // nil in other columns
	values               []float64
	words                map[string]bool
	oneEach              bool // no text comes twice
	text                 string
}

func (c *columnSeen) see(f string, decimal, missing func(string) bool) {
	f = strings.TrimSpace(f)
	v, err := parseNumber(f)
	comma := err != nil && decimal(f)
	if comma {
		v, err = parseNumber(strings.Replace(f, ",", ".", 1))
	}
	thousands := csvThousands.FindStringSubmatch(f) // with points, if there is a submatch
	switch {
	case missing(f):
		c.gaps++
	case err == nil:
		if c.numbers++; c.numbers == 1 {
			c.whole, c.distinct, c.least, c.last = true, true, math.Inf(1), math.Inf(-1)
		}
		c.whole = c.whole && v == math.Trunc(v)
		if c.seen != nil && len(c.seen) < mostWords {
			c.distinct = c.distinct && !c.seen[v]
			c.seen[v] = true
		} else { // so many that only their order tells; those of the first lines come at last
			c.distinct = c.distinct && (v > c.last || v < c.least)
		}
		c.least = min(c.least, v)
		if c.last = v; len(c.values) <= mostClasses && !slices.Contains(c.values, v) {
			c.values = append(c.values, v)
		}
		if comma {
			c.commas++
		} else if strings.Contains(f, ".") {
			c.points++
		}
	case thousands != nil: // a number, which the reader refuses
		c.numbers++
		c.whole, c.distinct = false, false
		if thousands[1] != "" {
			c.commas++
		} else {
			c.points++
		}
	default:
		if c.texts++; c.texts == 1 {
			c.words, c.oneEach, c.text = map[string]bool{}, true, strings.Clone(f)
		}
		if len(c.words) < mostWords {
			c.oneEach = c.oneEach && !c.words[f]
			c.words[strings.Clone(f)] = true
		}
	}
}

// isNumber tells whether it is a column of numbers: a few fields that are none are errors then, which
// the reader tells.
func (c *columnSeen) isNumber() bool { return c.numbers > 0 && c.texts*4 <= c.numbers }

// A tableSeen is what is known of a table after all lines.
type tableSeen struct {
	layout    CSVLayout
	separator rune
	plain     bool
	first     []string // line
	columns   []*columnSeen
	second    []string // line, until it is known whether it has the units
	units     bool     // it has
	axis      bool     // the first line has numbers that name the columns
	ordered   bool     // the numbers of a line but the first rise or fall
	unordered bool     // and those of another do not
	whole     bool     // the numbers of a line but the first are whole
	index     bool     // the first column counts all lines but the first
	asked     []string // what options call columns
	numbers   int      // of the first line in columns of numbers
	cure      string   // what to do if the first line is no data
	lines     int      // but the first, until that is known to be no header

	decimal, isGap func(field string) bool // decimal: whether it is a number with a decimal comma
}

// readGuessedCSV reads a table of which nothing is known but the options.
func readGuessedCSV(ctx context.Context, r io.ReadSeeker, o OpenOptions, missing absent, limit int) (*Set, error) {
	return readGuessed(ctx, func() (io.Reader, error) {
		_, err := r.Seek(0, io.SeekStart)
		return r, err
	}, false, o, missing, limit)
}

// readGuessed reads a table twice; one that is plain has commas and names in its first line, and no
// comments.
func readGuessed(ctx context.Context, open func() (io.Reader, error), plain bool, o OpenOptions, missing absent, limit int) (*Set, error) {
	r, err := open()
	if err != nil {
		return nil, err
	}
	t, err := seeTable(ctx, r, plain, o, missing, limit)
	if err != nil {
		return nil, err
	}
	l := t.layout
	l.Missing, l.open = append(slices.Clone(gaps), missing.words...), &missing
	l.Height, l.Width = o.Height, o.Width
	notes, err := t.assign(&l, o)
	if err != nil {
		return nil, err
	}
	if r, err = open(); err != nil {
		return nil, err
	}
	s, err := readCSV(ctx, r, l, limit)
	if err != nil {
		if l.Header == GuessHeader && (t.numbers > 0 || len(t.first) == len(t.columns)) && t.cure != "" && errors.Is(err, ErrFormat) {
			err = fmt.Errorf("%w; if the first line names the columns, say so by %s", err, t.cure)
		}
		return nil, err
	}
	s.Notes = append(s.Notes, notes...)
	if l.Columns {
		s.noteOrientation("the table", true)
	} else {
		s.noteOrientation("the table", false)
	}
	if count := t.gapsSeen(l); count > 0 {
		or := ""
		if len(missing.words) > 0 || slices.ContainsFunc(missing.values, func(b *absentValue) bool { return b.fields > 0 }) {
			or = ", or a text of OpenOptions.Missing"
		}
		s.noted("%s missing: empty, or a word such as NA or ?%s", are(count, "field"), or)
	}
	return s.upright(o, true, false, nil)
}

// seeTable looks at all fields.
func seeTable(ctx context.Context, r io.Reader, plain bool, o OpenOptions, missing absent, limit int) (_ *tableSeen, err error) {
	from := &source{ctx: ctx, r: r}
	defer func() { err = from.blame(err) }()
	t := &tableSeen{plain: plain, asked: append([]string{none(o.ID), none(o.Label)}, o.Skip...)}
	if r, err = from.text(limit); err != nil {
		return nil, err
	}
	record := &recordReader{r: t.layout.decode(r), separator: []byte(" ")}
	in := bufio.NewReaderSize(record, 1<<16)
	if bom, _ := in.Peek(3); string(bom) == "\uFEFF" {
		in.Discard(3)
	}
	if !plain {
		head, _ := in.Peek(1 << 15)
		t.layout.Comment = aboveTable(head)
	}
	skipped, err := t.layout.skipComments(in, record)
	if err != nil {
		return nil, err
	}
	separator := ','
	if t.layout.Separator = separator; !plain {
		separator, t.layout.Separator = guessSeparator(in), 0
	}
	if record.separator = []byte(string(separator)); separator == ' ' {
		record.separator = nil
	}
	t.separator = separator
	t.decimal = func(f string) bool { return separator != ',' && csvDecimal.MatchString(f) }
	t.isGap = func(f string) bool {
		return slices.Contains(gaps, f) || slices.Contains(missing.words, f) || missing.isLimit(f)
	}
	left := budget(limit)
	foreign := false
	next := csvLines(in, separator, skipped)
	for n := 0; ; n++ {
		record.begin()
		_, fields, err := next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if allEmpty(fields) {
			n--
			continue
		}
		if n == 0 {
			for _, f := range fields {
				foreign = foreign || !utf8.ValidString(f)
				t.first = append(t.first, strings.TrimSpace(strings.Clone(f)))
			}
			continue
		}
		t.lines++
		order := inOrder(fields[1:])
		t.ordered, t.unordered = t.ordered || order, t.unordered || !order
		t.whole = t.whole || !slices.ContainsFunc(fields, t.hasFraction)
		for len(t.columns) < len(fields) {
			if err := left.take(32); err != nil {
				return nil, err
			}
			c := &columnSeen{}
			if len(t.columns) == 0 {
				c.seen = map[float64]bool{}
			}
			t.columns = append(t.columns, c)
		}
		if n == 1 {
			for _, f := range fields {
				foreign = foreign || !utf8.ValidString(f)
				t.second = append(t.second, strings.Clone(f))
			}
			continue
		}
		for k, f := range fields {
			foreign = foreign || !utf8.ValidString(f)
			t.columns[k].see(f, t.decimal, t.isGap)
		}
	}
	t.axis = !plain && t.isAxis()
	if c, one := t.columns, t.second; len(c) > 0 && c[0].numbers == t.lines-1 && c[0].whole && c[0].distinct {
		from, err := strconv.Atoi(strings.TrimSpace(one[0]))
		t.index = err == nil && (from == 0 || from == 1) && c[0].last == float64(from+t.lines-1)
	}
	if t.units = t.secondHasUnits(); t.units {
		t.lines--
	} else {
		for k, f := range t.second {
			t.columns[k].see(f, t.decimal, t.isGap)
		}
	}
	if t.lines == 0 {
		return nil, fmt.Errorf("%w: a table needs two lines or more", ErrFormat)
	}
	if foreign {
		t.layout.Encoding = charmap.Windows1252
		for k, f := range t.first {
			t.first[k], _ = charmap.Windows1252.NewDecoder().String(f) // it has a rune for each byte
		}
	}
	return t, nil
}

// aboveTable returns what the lines above a table begin with, "" if there are none: the mark of comments, if two lines
// or more have it, or one of which the fields are not as many as those of the next; "sep=", for Excel; and all of a
// title, which is one field over three names or more. A line alone with a mark and as many fields as the next may be
// a header, as NumPy writes it.
func aboveTable(head []byte) string {
	if len(head) > 4 && strings.EqualFold(string(head[:4]), "sep=") {
		return string(head[:4])
	}
	one, rest, ok := bytes.Cut(head, []byte("\n"))
	if !ok || len(one) == 0 || len(rest) == 0 {
		return ""
	}
	mark := ""
	if bytes.IndexByte([]byte("#!%"), one[0]) >= 0 {
		mark = string(one[:1])
		if one[0] == rest[0] {
			return mark
		}
	}
	rest = bytes.TrimLeft(rest, "\r\n")
	two, rest, ok := bytes.Cut(rest, []byte("\n"))
	if !ok { // it is not known where it ends
		return ""
	}
	three, _, _ := bytes.Cut(bytes.TrimLeft(rest, "\r\n"), []byte("\n"))
	separator := guessSeparator(bufio.NewReader(bytes.NewReader(two)))
	fields := func(line []byte) []string {
		_, f, _ := csvLines(bufio.NewReader(bytes.NewReader(line)), separator, 0)() // none of a line that is not of the table
		return f
	}
	first, names, data := len(fields(one)), fields(two), fields(three)
	isName := func(f string) bool { return f == "" || mayBeName(f) }
	isNumber := func(f string) bool { _, err := parseNumber(f); return err == nil || csvDecimal.MatchString(f) }
	header := len(names) > 0 && len(names) == len(data) && slices.ContainsFunc(data, isNumber) && !slices.ContainsFunc(names, func(f string) bool { return !isName(strings.TrimSpace(f)) })
	switch more := first - len(names); {
	case more == 0 && !(header && slices.Contains(namesOfSamples, strings.ToLower(strings.TrimSpace(names[0])))):
	case mark != "" && (header || more < -1 || more > 1 || separator != ' ' && (more == 1 || first <= 1)): // a # amid blanks is a field, and R has no name for names
		return mark
	case mark == "" && header && first <= 1 && more < -1:
		return string(one) + "\n"
	}
	return ""
}

// inOrder tells whether the numbers among the fields, three or more, all rise or all fall.
func inOrder(fields []string) bool {
	numbers := numbersOf(fields)
	if len(numbers) < 3 {
		return false
	}
	sign := numbers[1] - numbers[0]
	for k := 1; k < len(numbers); k++ {
		if !((numbers[k]-numbers[k-1])*sign > 0) {
			return false
		}
	}
	return true
}

// numbersOf returns the numbers among the fields.
func numbersOf(fields []string) (numbers []float64) {
	for _, f := range fields {
		if v, err := parseNumber(f); err == nil {
			numbers = append(numbers, v)
		}
	}
	return numbers
}

// isAxis tells whether the numbers of the first line are no data, but name the columns, as wavelengths and years
// do: they are in order, those of no other line are, and they are many or have equal distances.
func (t *tableSeen) isAxis() bool {
	numbers := numbersOf(t.first)
	if t.ordered || t.lines < 2 || len(numbers) < 5 || !inOrder(t.first) {
		return false
	}
	step := numbers[1] - numbers[0]
	for k := 1; k < len(numbers) && len(numbers) < 10; k++ {
		if math.Abs(numbers[k]-numbers[k-1]-step) > 1e-6*math.Abs(step) {
			return false
		}
	}
	return true
}

// hasFraction tells whether a field is a number that is not written as a whole one.
func (t *tableSeen) hasFraction(f string) bool {
	f = strings.TrimSpace(f)
	_, err := parseNumber(f)
	return err == nil && strings.ContainsAny(f, ".eE") || t.decimal(f)
}

// takeFirst counts the first line among the others.
func (t *tableSeen) takeFirst() {
	t.lines++
	for k, f := range t.first[:min(len(t.first), len(t.columns))] {
		t.columns[k].see(f, t.decimal, t.isGap)
	}
}

// name returns how the layout calls column k: by its number, from the end where the first line is short or has a
// column of that name.
func (t *tableSeen) name(k int) string {
	if number := strconv.Itoa(k + 1); !t.strayFirst() && !slices.Contains(t.first, number) {
		return number
	}
	return strconv.Itoa(k - len(t.columns))
}

// strayFirst tells whether the first line has so few fields that it names no columns, as that of
// scikit-learn, which has the numbers of samples and features and the classes.
func (t *tableSeen) strayFirst() bool { return !t.plain && len(t.columns)-len(t.first) > 1 }

// title is the name of a column for a person.
func (t *tableSeen) title(k int, header bool) string {
	if at := k - (len(t.columns) - len(t.first)); header && at >= 0 && at < len(t.first) && t.first[at] != "" && !t.strayFirst() {
		return fmt.Sprintf("%q", tidyName(t.first[at]))
	}
	return fmt.Sprintf("column %d", k+1)
}

// find returns the column that an option names, -1 if there is none.
func (t *tableSeen) find(option string) int {
	if at := slices.Index(t.first, option); at >= 0 {
		return at + len(t.columns) - len(t.first)
	}
	k, ok := columnNumber(option)
	if k < 0 {
		k += len(t.columns) + 1
	}
	if !ok || k < 1 || k > len(t.columns) {
		return -1
	}
	return k - 1
}

// asks tells whether an option has the text of the first line for the name of a column.
func (t *tableSeen) asks(f string) bool {
	_, numbered := columnNumber(f)
	return f != "" && !numbered && slices.Contains(t.asked, f)
}

// named tells whether the first line has the name of a column, whatever the others are: one that an option has, a
// usual one that its column does not have again, or none over what names the lines.
func (t *tableSeen) named() bool {
	for k, f := range t.first[:min(len(t.first), len(t.columns))] {
		c, lower := t.columns[k], strings.ToLower(f)
		usual := slices.Contains(namesOfSamples, lower) || slices.Contains(namesOfLabels, lower) || slices.Contains(namesOfLines, lower) || namesFeatures(lower)
		switch {
		case t.asks(f), usual && !c.words[f] && (len(f) > 2 || c.isNumber()): // no and y may be answers
			return true
		case k == 0 && f == "" && (t.index || c.texts > 1 && c.numbers+c.gaps == 0 && c.oneEach):
			return true
		}
	}
	return false
}

// header tells whether the first line names the columns, if its fields in columns of numbers say so.
func (t *tableSeen) header() (is, sure bool) {
	if t.plain || t.strayFirst() {
		return true, true
	}
	short := len(t.columns) - len(t.first)
	if short == 1 {
		return true, true // R has no name for the names of rows
	}
	names, others := 0, 0
	var count float64 // of the columns, as pandas has it for their names
	counted := true
	t.numbers = 0
	for k, c := range t.columns {
		if k >= len(t.first) || !c.isNumber() {
			continue
		}
		f := t.first[k]
		v, err := parseNumber(f)
		if err == nil || t.decimal(f) || csvThousands.MatchString(f) {
			if t.numbers++; t.numbers == 1 {
				count = v - float64(k)
				counted = v == 0 || v == 1 || count == 0 || count == 1
			}
			counted = counted && err == nil && v-float64(k) == count
		} else if mayBeName(f) {
			names++
		} else if !t.isGap(f) && !csvLimit.MatchString(f) && !csvDate.MatchString(f) {
			others++
		}
	}
	switch {
	case names > 0 && t.numbers == 0 || others > 2 && t.numbers == 0: // as in 400nm,405nm,410nm
		return true, true
	case t.axis:
		return true, true
	case t.numbers > 0 && t.named():
		return true, true
	case t.numbers > 2 && counted && t.lines > 1 && (!t.whole || t.numbers > 4 && t.unordered):
		return true, true // pandas counts from 0
	case t.numbers > 0 && names == 0:
		return false, true
	}
	return false, false
}

// namesFeatures tells whether a column of that name, in lower case, has the names of features: wavelength (nm).
func namesFeatures(lower string) bool {
	name, _, _ := strings.Cut(lower, "(")
	name, _, _ = strings.Cut(name, "[")
	return slices.Contains(namesOfFeatures, strings.TrimSpace(name))
}

// secondHasUnits tells whether the second line has the units of the columns: no number, a text over a column of
// numbers, and names over it. It has none if a name in it differs from another of its column by digits alone.
func (t *tableSeen) secondHasUnits() bool {
	if header, _ := t.header(); !header || t.plain || t.strayFirst() || len(t.second) != len(t.first) || namesFeatures(strings.ToLower(t.first[0])) {
		return false
	}
	units := 0
	for k, f := range t.second {
		f = strings.TrimSpace(f)
		begin, _ := utf8.DecodeRuneInString(f)
		switch {
		case t.columns[k].numbers == 0 || t.columns[k].texts > 0:
			if _, err := parseNumber(f); err == nil || t.columns[k].hasAlike(f) {
				return false
			}
		case f != "" && (t.isGap(f) || strings.ContainsRune("+-.,0123456789<>≤≥", begin)):
			return false
		case strings.ContainsRune("~≈≃$€£¥", begin) && strings.ContainsFunc(f, unicode.IsDigit): // a value
			return false
		case f != "":
			units++
		}
	}
	return units > 0
}

// hasAlike tells whether a text of the column differs from f by its digits alone, as s1 from s2.
func (c *columnSeen) hasAlike(f string) bool {
	rest := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsDigit(r) {
				return -1
			}
			return r
		}, s)
	}
	form := rest(f)
	for word := range c.words {
		if form != f && rest(word) == form {
			return true
		}
	}
	return false
}

// assign fills in what the columns are for.
func (t *tableSeen) assign(l *CSVLayout, o OpenOptions) (notes []string, err error) {
	note := func(format string, of ...any) { notes = append(notes, fmt.Sprintf(format, of...)) }
	header, sure := t.header()
	if t.strayFirst() {
		note("the first line has %d fields and others %d: it is left out, and columns have no names", len(t.first), len(t.columns))
	}
	if sure {
		l.Header = WithHeader
		if !header {
			l.Header = NoHeader
			t.takeFirst()
		}
	}
	if t.axis {
		numbers := numbersOf(t.first)
		note("the first line names the columns: its numbers, %g to %g, are in order, and those of no other line are", numbers[0], numbers[len(numbers)-1])
	} else if header && sure && t.numbers > 0 {
		note("the first line names the columns, though it has numbers: %.60q", strings.Join(t.first, string(t.separator)))
	}
	l.Units = t.units
	taken := make([]bool, len(t.columns))
	for _, option := range slices.Concat([]string{none(o.ID), none(o.Label)}, o.Skip) {
		if k := t.find(option); option != "" && k >= 0 {
			taken[k] = true
		}
	}
	l.ID, l.Label, l.Skip = none(o.ID), none(o.Label), slices.Clone(o.Skip)
	lower := func(k int) string {
		if at := k - (len(t.columns) - len(t.first)); header && !t.strayFirst() && at >= 0 && at < len(t.first) {
			return strings.ToLower(t.first[at])
		}
		return ""
	}
	use := func(k int) { taken[k] = true }

	if o.ID == "" {
		if k := t.guessID(taken, lower); k >= 0 {
			use(k)
			l.ID = t.name(k)
			note("%s names the lines", t.title(k, header))
		}
	}
	if t.units {
		t.noteUnits(note, t.find(l.ID))
	}
	if k := t.find(l.ID); l.ID != "" && k >= 0 && k < len(t.first) && len(t.first[k]) <= 40 && mayBeName(t.first[k]) && !header {
		t.cure = fmt.Sprintf("OpenOptions{ID: %q}", t.first[k])
	}
	switch {
	case sure && !header && t.cure != "":
		note("the first line has data, and columns have no names (%s says that it names them)", t.cure)
	case sure && !header:
		note("the first line has data, and columns have no names")
	}
	if c := t.columns[0]; header && !taken[0] && c.whole && !c.distinct && c.isNumber() && slices.Contains(namesOfSamples, lower(0)) {
		note("%s has a number twice, so it does not name the lines, and is a feature (OpenOptions.Skip leaves it out)", t.title(0, header))
	}
	features := namesFeatures(lower(max(0, t.find(l.ID)))) && l.ID != ""
	if l.Columns = features != o.Transposed; l.Columns {
		if l.Label != "" {
			return nil, fmt.Errorf("%w: Label %q, but a sample is a column of this table, so no column has classes", ErrParameter, o.Label)
		}
	} else if o.Label == "" {
		if k := t.guessLabel(taken, lower, header && !t.strayFirst()); k >= 0 {
			use(k)
			l.Label = t.name(k)
			note("%s is the class (OpenOptions{Label: \"-\"} says that it is none)", t.title(k, header))
		} else if k := t.mayBeLabel(taken, header); k >= 0 {
			note("%s has the numbers %g to %g alone: if they are classes, say OpenOptions{Label: %q}", t.title(k, header), slices.Min(t.columns[k].values), slices.Max(t.columns[k].values), t.name(k))
		}
	}
	var left []string
	numbers, such := 0, ""
	for k, c := range t.columns {
		switch {
		case taken[k]:
		case c.isNumber():
			numbers++
		default:
			l.Skip = append(l.Skip, t.name(k))
			left = append(left, t.title(k, header))
			if such == "" && strings.ContainsFunc(c.text, unicode.IsDigit) {
				such = fmt.Sprintf(": %.40q of %s is no number", c.text, t.title(k, header))
			}
		}
	}
	if numbers == 0 && left != nil {
		return nil, fmt.Errorf("%w: no column holds numbers%s; the first line begins with %.60q", ErrFormat, such, strings.Join(t.first, string(t.separator)))
	}
	// Most numbers tell, so that the reader refuses the few that are written otherwise.
	commas, points := 0, 0
	for k, c := range t.columns {
		if !taken[k] && c.isNumber() {
			commas, points = commas+c.commas, points+c.points
		}
	}
	l.DecimalComma = commas > points && t.separator != ','
	if left != nil {
		note("left out, as they hold no numbers: %s (OpenCSV with CSVLayout.Encode makes features of text)", list(left))
	}
	if l.DecimalComma {
		note("numbers have a decimal comma")
	}
	if title, ok := strings.CutSuffix(l.Comment, "\n"); ok {
		note("the first line is left out, as a title: %.60q", strings.TrimSpace(title))
	} else if l.Comment != "" {
		note("lines that begin with %s are comments", l.Comment)
	}
	if l.Encoding != nil {
		note("the text is in the encoding Windows 1252")
	}
	return notes, nil
}

// noteUnits tells of the line of units, and warns where it may be a sample: where it has a name, in column id.
func (t *tableSeen) noteUnits(note func(string, ...any), id int) {
	if id >= 0 {
		if f := strings.TrimSpace(t.second[id]); f != "" && !t.isGap(f) && !strings.Contains(strings.ToLower(f), "unit") {
			for k, text := range t.second {
				if text = strings.TrimSpace(text); text != "" && t.columns[k].isNumber() {
					note("warning: the line after the header, %.60q, is taken for the units; if it is a sample, and its texts mean that values are missing, say so by OpenOptions{Missing: []string{%q}}", strings.Join(t.second, string(t.separator)), text)
					return
				}
			}
		}
	}
	note("the line after the header has the units: %.60q", strings.Join(t.second, string(t.separator)))
}

// guessID returns the column that names the lines: a text that differs in each, or a number that
// counts them or is named so; -1 if there is none.
func (t *tableSeen) guessID(taken []bool, lower func(int) string) int {
	for k := range t.columns {
		if !taken[k] && lower(k) == pandasIndex {
			return k
		}
	}
	for k, c := range t.columns {
		all := c.texts == t.lines || c.texts > 0 && c.numbers+c.texts == t.lines && !c.isNumber()
		if !taken[k] && all && c.oneEach && t.lines > 1 {
			return k
		}
	}
	k := 0
	c := t.columns[k]
	short := len(t.first) == len(t.columns)-1
	known := short || t.first[0] == "" || slices.Contains(namesOfSamples, lower(k))
	if taken[k] || c.numbers != t.lines || !c.distinct || len(t.columns) < 2 {
		return -1
	}
	if known && c.whole || namesFeatures(lower(k)) {
		return k
	}
	return -1
}

// guessLabel returns the column of the classes: one that is named so, or the only text with few
// values, or at the edge of a table without names a few whole numbers that come in runs.
func (t *tableSeen) guessLabel(taken []bool, lower func(int) string, header bool) int {
	var texts []int
	for k, c := range t.columns {
		few := c.texts > 0 && !c.isNumber() && len(c.words)+len(c.values) >= 2 && len(c.words)+len(c.values) <= max(mostClasses, t.lines/20) && len(c.words) < t.lines ||
			c.isNumber() && c.whole && c.gaps == 0 && len(c.values) >= 2 && len(c.values) <= mostClasses && len(c.values) < t.lines
		switch {
		case taken[k] || !few:
		case slices.Contains(namesOfLabels, lower(k)):
			return k
		case !c.isNumber():
			texts = append(texts, k)
		}
	}
	switch {
	case len(texts) == 1:
		return texts[0]
	case len(texts) > 1 && texts[len(texts)-1] == len(t.columns)-1:
		return len(t.columns) - 1 // the custom
	case len(texts) > 0 || header:
		return -1
	}
	others := func(but int) bool { // have fractions
		return slices.ContainsFunc(t.columns, func(c *columnSeen) bool { return c != t.columns[but] && c.isNumber() && !c.whole })
	}
	for _, k := range []int{0, len(t.columns) - 1} {
		c := t.columns[k]
		if !taken[k] && c.isNumber() && c.whole && c.gaps == 0 && len(c.values) >= 2 && len(c.values) <= 20 && t.lines >= 5*len(c.values) && len(t.columns) > 2 && others(k) {
			return k
		}
	}
	return -1
}

// mayBeLabel returns the column at the edge of a table without names that may be one of classes, though it is not
// taken for that: it counts from 0 or 1, and a third of the columns have more numbers; -1 if there is none.
func (t *tableSeen) mayBeLabel(taken []bool, header bool) int {
	if header && !t.strayFirst() || len(t.columns) < 3 {
		return -1
	}
	for _, k := range []int{len(t.columns) - 1, 0} {
		c := t.columns[k]
		if taken[k] || !c.isNumber() || !c.whole || c.gaps > 0 || len(c.values) < 2 || len(c.values) > 20 || t.lines < 5*len(c.values) {
			continue
		}
		first, more := slices.Min(c.values), 0
		for _, other := range t.columns {
			if len(other.values) > len(c.values) {
				more++
			}
		}
		if (first == 0 || first == 1) && slices.Max(c.values) == first+float64(len(c.values)-1) && 3*more > len(t.columns) {
			return k
		}
	}
	return -1
}

// gapsSeen counts the fields that are missing in columns of numbers.
func (t *tableSeen) gapsSeen(l CSVLayout) (count int) {
	for k, c := range t.columns {
		if c.isNumber() && l.ID != t.name(k) && l.Label != t.name(k) && !slices.Contains(l.Skip, t.name(k)) {
			count += c.gaps
		}
	}
	return count
}

// readGuessedMAT reads a file of MATLAB of which nothing is known but the options.
func readGuessedMAT(ctx context.Context, f io.ReaderAt, size int64, o OpenOptions) (*Set, error) {
	m, err := ReadMAT(ctx, io.NewSectionReader(f, 0, size))
	if errors.Is(err, ErrMAT73) {
		m, err = ReadMAT73(ctx, f, size)
	}
	if err != nil {
		return nil, err
	}
	l := MATLayout{X: o.Data, Labels: o.Label, Samples: none(o.ID), Height: o.Height, Width: o.Width, Raster: true, sparse: true}
	var notes []string
	misfit := ""
	if l.X == "" {
		if l.X = m.guessData(); l.X == "" {
			l.X = "fea" // whose error lists the variables
		} else if l.X != "fea" && l.X != "X" {
			notes = append(notes, fmt.Sprintf("the variable %s has the data", l.X))
		}
	}
	x, err := m.Var(l.X)
	if err != nil {
		return nil, fmt.Errorf("%w (OpenOptions.Data names the one with the data)", err)
	}
	if x.Cells == nil && len(x.Dims) == 2 {
		rows, cols := x.Dims[0], x.Dims[1]
		if l.Labels == "" {
			var of int
			if l.Labels, of, misfit = m.guessLabels(l.X, rows, cols); l.Labels == "" {
				l.Labels = "-"
			} else if l.Columns = of == cols && of != rows; l.Labels != "gnd" && l.Labels != "Y" {
				notes = append(notes, fmt.Sprintf("the variable %s has the classes", l.Labels))
			}
		} else if y, err := m.Var(l.Labels); err == nil {
			l.Columns = y.count() == cols && rows != cols
		}
		height, width := m.guessSize()
		switch {
		case l.Height > 0 && l.Width > 0:
			l.Columns = l.Columns || l.Height*l.Width == rows && rows != cols
		case height > 0 && height*width == rows && rows != cols || height > 0 && height*width == cols && rows != cols:
			l.Height, l.Width, l.Columns = height, width, height*width == rows
			notes = append(notes, fmt.Sprintf("the samples are images of %d×%d, which variables of the file say", height, width))
		}
		l.Columns = l.Columns != o.Transposed
		features := cols
		if l.Columns {
			features = rows
		}
		if side := int(math.Round(math.Sqrt(float64(features)))); l.Height == 0 && side >= smallSide && side*side == features && isGrey(x.Data) {
			l.Height, l.Width = side, side
			notes = append(notes, fmt.Sprintf("%d whole numbers of 0 to 255 are taken for an image of %d×%d", features, side, side))
		}
	}
	s, err := m.Set(l)
	if err != nil {
		return nil, err
	}
	s.Notes = append(s.Notes, notes...)
	s.noteMisfit(misfit)
	flat := x.Cells == nil && len(x.Dims) == 2
	if flat {
		s.noteOrientation(x.Name, l.Columns)
	}
	return s.upright(o, flat, true, nil) // the custom of MATLAB
}

// isGrey tells whether values look like those of pictures.
func isGrey(values []float64) bool {
	high := 0.0
	for _, v := range values {
		if !(v >= 0 && v <= 255 && v == math.Trunc(v)) {
			return false
		}
		high = max(high, v)
	}
	return high > 100
}

// count is the number of values of a variable.
func (a *MATArray) count() int {
	return cmp.Or(len(a.Data), len(a.Text), len(a.Cells))
}

// guessData returns the variable of the data: fea or X, or the one with the most numbers.
func (f *MATFile) guessData() (name string) {
	most := 1
	for _, v := range f.Vars {
		count := len(v.Data)
		if v.Sparse != nil {
			count = v.Sparse.Rows * v.Sparse.Cols
		}
		if len(v.Cells) > 0 && len(v.Cells[0].Data) > 1 {
			for _, c := range v.Cells {
				count += len(c.Data)
			}
		}
		switch {
		case v.Name == "fea" || v.Name == "X":
			if count > 0 {
				return v.Name
			}
		case count > most && (v.Cells != nil || len(v.Dims) == 3 || len(v.Dims) == 2 && min(v.Dims[0], v.Dims[1]) > 1):
			most, name = count, v.Name
		}
	}
	return name
}

// guessLabels returns a variable of classes by its name, with one for each row or column of the data, or else says
// which does not fit.
func (f *MATFile) guessLabels(data string, rows, cols int) (name string, count int, misfit string) {
	for _, v := range f.Vars {
		n, lower := v.count(), strings.ToLower(v.Name)
		if len(v.Dims) == 2 && v.Cells == nil && v.Text == nil && v.Dims[1] > 1 && v.Dims[1] <= max(mostClasses, v.Dims[0]/5) {
			n = v.Dims[0] // a 1 in each row
		}
		known := lower == "gnd" || slices.Contains(namesOfLabels, lower) || strings.Contains(lower, "label")
		switch {
		case v.Name == data || !known || n < 2:
		case n == rows || n == cols:
			return v.Name, n, ""
		case misfit == "":
			misfit = fmt.Sprintf("the variable %s has %s values", tidyName(v.Name), dims(v.Dims))
		}
	}
	return "", 0, misfit
}

// noteMisfit tells of what would be the classes by its name, and has not one for each sample.
func (s *Set) noteMisfit(what string) {
	if _, n := s.Dims(); what != "" && s.Labels == nil {
		s.noted("%s, and is not taken for the classes, of which %d samples need %d", what, n, n)
	}
}

// dims writes the dimensions of an array; those of a vector are its length.
func dims(shape []int) string {
	var all []string
	for _, d := range shape {
		if d != 1 {
			all = append(all, strconv.Itoa(d))
		}
	}
	return cmp.Or(strings.Join(all, "×"), "1")
}

// guessSize returns the height and width of images that variables such as im_height have, 0 if none.
func (f *MATFile) guessSize() (height, width int) {
	for _, v := range f.Vars {
		if len(v.Data) != 1 || v.Data[0] < 1 || v.Data[0] > 1<<16 || v.Data[0] != math.Trunc(v.Data[0]) {
			continue
		}
		switch lower := strings.ToLower(v.Name); {
		case strings.Contains(lower, "height") || lower == "h" || lower == "nrows":
			height = int(v.Data[0])
		case strings.Contains(lower, "width") || lower == "w" || lower == "ncols":
			width = int(v.Data[0])
		}
	}
	if height == 0 || width == 0 {
		return 0, 0
	}
	return height, width
}

// readGuessedNPZ reads an archive of NumPy of which nothing is known but the options.
func readGuessedNPZ(ctx context.Context, r io.ReaderAt, size int64, o OpenOptions) (*Set, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, notZip(r, err)
	}
	l := NPYLayout{X: o.Data, Labels: o.Label, Samples: o.ID, Height: o.Height, Width: o.Width, sparse: true}
	var names, notes []string
	shapes := map[string][]int{}
	for _, f := range z.File {
		name, isArray := strings.CutSuffix(f.Name, ".npy")
		if !isArray || shapes[name] != nil {
			continue
		}
		in, err := f.Open()
		if err != nil {
			return nil, fmt.Errorf("array %q: %w", tidyName(name), readError(err))
		}
		h, err := readNPYHeader(in)
		kind, shape := h.Kind, h.Shape
		in.Close()
		switch {
		case err != nil && name == "feature_names":
			l.Features = "-"
			notes = append(notes, "the names of the features are left out, as they are objects of Python")
		case err != nil && name == "sample_names":
			l.Samples = "-"
			notes = append(notes, "the names of the samples are left out, as they are objects of Python")
		case err == nil:
			names = append(names, name)
			shapes[name] = shape
			if size, _ := npyText(kind); size > 0 {
				shapes[name] = append([]int{-1}, shape...) // text is no data
			}
		}
	}
	sparse := shapes["format"] != nil && shapes["data"] != nil
	if l.X == "" && !sparse {
		most := 1
		for _, name := range names {
			shape := shapes[name]
			if n := product(math.MaxInt32, shape...); (len(shape) == 2 || len(shape) == 3) && shape[0] > 1 && n > most {
				most, l.X = n, name
			}
		}
		for _, name := range []string{"X", "x", "data"} {
			if len(shapes[name]) >= 2 && shapes[name][0] > 1 {
				l.X = name
			}
		}
		if l.X != "" && l.X != "X" && len(names) > 1 {
			notes = append(notes, fmt.Sprintf("the array %s has the data", tidyName(l.X)))
		}
	}
	misfit := ""
	if x := shapes[l.X]; len(x) == 2 {
		if l.Labels == "" {
			l.Labels = "-"
			for _, name := range names {
				lower := strings.ToLower(name)
				shape := shapes[name]
				if len(shape) > 0 && shape[0] == -1 {
					shape = shape[1:]
				}
				n := product(math.MaxInt32, shape...)
				if name == l.X || !slices.Contains(namesOfLabels, lower) && !strings.Contains(lower, "label") || len(shape) == 0 {
					continue
				}
				if n != slices.Max(shape) || n != x[0] && n != x[1] {
					if misfit == "" {
						misfit = fmt.Sprintf("the array %s has %s values", tidyName(name), dims(shape))
					}
					continue
				}
				l.Labels, l.Columns = name, n == x[1] && n != x[0]
				notes = append(notes, fmt.Sprintf("the array %s has the classes", tidyName(name)))
				break
			}
		}
		if l.Height > 0 && l.Height*l.Width == x[0] && x[0] != x[1] {
			l.Columns = true
		}
	}
	l.Columns = l.Columns != o.Transposed
	s, err := ReadNPZ(ctx, r, size, l)
	if err != nil {
		return nil, err
	}
	s.Notes = append(s.Notes, notes...)
	s.noteMisfit(misfit)
	if len(shapes[l.X]) == 2 || sparse {
		s.noteOrientation(cmp.Or(l.X, "the matrix"), l.Columns)
	}
	return s.upright(o, len(shapes[l.X]) == 2 || sparse, false, nil)
}

// archiveOf tells what a zip archive holds: npz, xlsx, or "" for anything else.
func archiveOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	z, err := zip.NewReader(f, info.Size())
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, notZip(f, err))
	}
	for _, file := range z.File {
		switch {
		case strings.HasPrefix(file.Name, "xl/"):
			return "xlsx", nil
		case filepath.Ext(file.Name) == ".npy":
			return "npz", nil
		}
	}
	return "", nil
}
