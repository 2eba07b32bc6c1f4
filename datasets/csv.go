package datasets

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	unicode16 "golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/internal/sniff"
)

// A CSVHeader says whether the first line of a table names its columns.
type CSVHeader int

const (
	// GuessHeader decides by the first line. It is a header if it has a column that the
	// layout names. Columns that hold text, such as the label, say nothing, nor do fields
	// that are empty or missing. By the others the line is data if one of them is a
	// number, and a header if all look like names: they begin with a letter, _ or #, and
	// are not a usual word for a missing value, such as NA. Any other line may be either
	// and is ErrFormat, so that no sample is dropped. So is a line in which each name is
	// a number with l, I or O in place of a digit, as in "l.0".
	GuessHeader CSVHeader = iota
	WithHeader
	NoHeader
)

// A CSVLayout says how a table of text makes a Set. Its zero value suits a
// table of numbers alone, with or without a header.
//
// A column is given by its name in the header or, where none has that name, by its
// number: "1" is the first and "-1" the last.
type CSVLayout struct {
	// Separator is between the fields: comma, semicolon, tab, ...; a space stands for any
	// number of blanks. 0 takes whichever of these is in the first line; a tab next to
	// blanks counts as a blank. Fields may be in quotes.
	Separator rune
	Header    CSVHeader
	// Comment begins the lines before the table that are passed over, such as "#" or "!";
	// "": there are none.
	Comment string
	// Units says that the line after the header has the units of the columns.
	Units bool
	// ID is the column that holds the names of the samples. "" takes the first column if
	// the header has no name for it, as in files of pandas and R with names of rows.
	ID string
	// Label is the column that holds the class; "" is none.
	Label string
	// Features are the columns to be read; nil is all others. Their order is that of the
	// file. Skip are columns to be left out.
	Features, Skip []string
	// Encode are columns of text that become features: one for each text that there is,
	// named as in "origin=japan", which is 1 where a sample has that text and 0 elsewhere.
	Encode []string
	// Missing lists texts that stand for a missing value, such as "", "NA" and "?"; X is
	// NaN there, and Known has the mask that a model needs. nil: none, so that such a
	// field is an error. Missing is for values alone: a missing label becomes a class
	// with that text as its name, to be set to rnmf.Unlabelled.
	Missing []string
	// DecimalComma says that numbers are written as 2,5.
	DecimalComma bool
	// Encoding is that of the text, such as charmap.Windows1252 of golang.org/x/text; nil
	// is UTF-8, or UTF-16 where the file begins with its mark.
	Encoding encoding.Encoding
	// Columns says that a sample is a column of the table, as in tables of genes, and a
	// line a feature: the header names the samples, and ID holds the names of features.
	// There is no Label then, and nothing to Encode.
	Columns bool
	// Height and Width are those of images in raster order; 0 if there are none.
	Height, Width int
	Max           float64 // the largest possible value; 0 if unknown

	open *absent // what OpenOptions.Missing says, where Open reads; errors then name its options
}

// ReadCSV reads a table of text, plain or gzip, with a sample on each line.
// Classes are the distinct texts of the label column in natural order. Samples and
// features have the names that the table has for them, and the set's Notes tell what
// had to be guessed.
//
// Errors are ErrFormat, with the line and the column (from 1) and what to do, ErrTooLarge,
// ErrNoVariable for a column that is not there, ErrSize for images of another size than
// the samples, ErrParameter for a layout that makes no sense, or those of r.
func ReadCSV(ctx context.Context, r io.Reader, l CSVLayout) (*Set, error) {
	return readCSV(ctx, r, l, maxValues())
}

func readCSV(ctx context.Context, r io.Reader, l CSVLayout, limit int) (_ *Set, err error) {
	from := &source{ctx: ctx, r: r}
	defer func() { err = from.blame(err) }()
	if err := l.check(); err != nil {
		return nil, err
	}
	if r, err = from.text(limit); err != nil {
		return nil, err
	}
	record := &recordReader{r: l.decode(r), separator: []byte(" ")}
	in := bufio.NewReaderSize(record, 1<<16)
	if bom, _ := in.Peek(3); string(bom) == "\uFEFF" {
		in.Discard(3)
	}
	if head, _ := in.Peek(512); bytes.IndexByte(head, 0) >= 0 {
		return nil, fmt.Errorf("%w: not a table of text: %s (for UTF-16 set Encoding, as to unicode.UTF16 of golang.org/x/text)", ErrFormat, sniff.Kind(head))
	}
	skipped, err := l.skipComments(in, record)
	if err != nil {
		return nil, err
	}
	c := &csvTable{CSVLayout: l, table: table{left: budget(limit)}}
	c.labels.left = &c.left
	if l.Separator == 0 {
		c.Separator = guessSeparator(in)
		c.guessed("fields between " + map[rune]string{',': "commas", ';': "semicolons", '\t': "tabs", ' ': "blanks"}[c.Separator])
	}
	if record.separator = []byte(string(c.Separator)); c.Separator == ' ' {
		record.separator = nil // whole lines are bounded, of which many may be read at once
	}
	next := csvLines(in, c.Separator, skipped)
	empty, firstEmpty := 0, 0
	for {
		record.begin()
		line, fields, err := next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil && l.open != nil && allEmpty(fields) {
			if empty++; empty == 1 {
				firstEmpty = line
			}
			continue
		}
		if err == nil {
			err = c.line(line, fields)
		}
		if err != nil {
			return nil, err
		}
	}
	if empty > 0 {
		c.guessed(fmt.Sprintf("left out: %s of empty fields alone, as line %d", many(empty, "line"), firstEmpty))
	}
	return c.set()
}

// allEmpty tells whether all fields of a line are empty, of which there are two or more, as spreadsheets leave them
// below a table. In a column alone such a field is a missing value.
func allEmpty(fields []string) bool {
	return len(fields) > 1 && !slices.ContainsFunc(fields, func(f string) bool { return strings.TrimSpace(f) != "" })
}

// skipComments passes over the lines before the table, and counts them.
func (l *CSVLayout) skipComments(in *bufio.Reader, record *recordReader) (lines int, err error) {
	for l.Comment != "" {
		record.begin()
		if begin, _ := in.Peek(len(l.Comment)); string(begin) != l.Comment {
			break
		}
		lines++
		err := bufio.ErrBufferFull
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = in.ReadSlice('\n')
		}
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return lines, readError(err)
		}
	}
	return lines, nil
}

// decode returns the text in UTF-8.
func (l *CSVLayout) decode(r io.Reader) io.Reader {
	if l.Encoding != nil {
		return transform.NewReader(r, l.Encoding.NewDecoder())
	}
	in := bufio.NewReader(r)
	switch mark, _ := in.Peek(2); string(mark) {
	case "\xff\xfe", "\xfe\xff":
		return transform.NewReader(in, unicode16.UTF16(unicode16.LittleEndian, unicode16.ExpectBOM).NewDecoder())
	}
	return in
}

// A csvRole is what a column is for.
type csvRole uint8

const (
	csvFeature csvRole = iota
	csvEncoded
	csvLabel
	csvID
	csvSkipped
)

// A csvTable is a table that is being read.
type csvTable struct {
	CSVLayout
	table
	note   []string
	header []string // nil: none
	units  []string
	begun  bool      // the header has been looked for
	roles  []csvRole // of the columns; nil until the first line of data
	codes  []*categories
	labels classList
	ids    []string
	lines  []int32 // of them
}

func (c *csvTable) guessed(what string) { c.note = append(c.note, what) }

// line takes a line of the table.
func (c *csvTable) line(line int, fields []string) error {
	if !c.begun {
		c.begun = true
		header, err := c.hasHeader(fields)
		if err != nil {
			return fmt.Errorf("line %d, %w", line, err)
		}
		if header {
			return c.takeHeader(line, fields)
		}
		if c.Units {
			return fmt.Errorf("%w: line %d is not a header, which Units need: set Header to WithHeader", ErrFormat, line)
		}
	}
	if c.Units && c.units == nil {
		var err error
		c.units, err = c.names(line, fields)
		return err
	}
	if c.roles == nil {
		if err := c.assign(line, len(fields)); err != nil {
			return err
		}
	}
	if len(fields) != len(c.roles) {
		return fmt.Errorf("%w: line %d has %d columns, not %d", ErrFormat, line, len(fields), len(c.roles))
	}
	n := 0
	for _, role := range c.roles {
		if role <= csvEncoded {
			n++
		}
	}
	if err := c.begin(line, n); err != nil {
		return err
	}
	for k, f := range fields {
		if err := c.field(line, k, f); err != nil {
			return fmt.Errorf("line %d, column %s: %w%s", line, c.column(k), err, c.others(k, fields))
		}
	}
	return nil
}

// others tells which fields behind one that is no number are none either, so that a layout
// can be mended at once.
func (c *csvTable) others(k int, fields []string) string {
	var also []string
	for i := k + 1; i < len(fields) && c.roles[k] == csvFeature && len(also) < 6; i++ {
		if c.roles[i] != csvFeature || c.isMissing(fields[i]) {
			continue
		}
		if _, err := c.number(fields[i]); err != nil && !c.open.text(fields[i]) {
			also = append(also, fmt.Sprintf("%.40q of column %s", fields[i], c.column(i)))
		}
	}
	if also == nil {
		return ""
	}
	return "; nor is " + strings.Join(also, ", ")
}

// field takes a field of a line of data.
func (c *csvTable) field(line, k int, f string) error {
	switch c.roles[k] {
	case csvID, csvLabel:
		f = strings.TrimSpace(f)
		if err := checkText(f); err != nil {
			return err
		}
		if c.roles[k] == csvLabel {
			return c.labels.add(f)
		}
		c.ids = append(c.ids, strings.Clone(f)) // which was a part of its line
		c.lines = append(c.lines, int32(min(line, math.MaxInt32)))
		return c.left.takeName(f)
	case csvEncoded:
		if c.isMissing(f) {
			c.put(math.NaN())
			return nil
		}
		f = strings.TrimSpace(f)
		if err := checkText(f); err != nil {
			return err
		}
		code, err := c.codes[k].number(f)
		c.put(float64(code))
		return err
	case csvFeature:
		if c.isMissing(f) { // also if it is a number, as -999
			c.put(math.NaN())
			return nil
		}
		v, err := c.number(f)
		switch {
		case err != nil && c.open.text(f):
			v = math.NaN()
		case err != nil && c.open != nil:
			return fmt.Errorf("%w%s", err, c.openCure(f))
		case err != nil:
			return fmt.Errorf("%w%s", err, cure(f))
		}
		c.put(v)
	}
	return nil
}

// checkText is checkName with what to do.
func checkText(name string) error {
	err := checkName(name)
	if strings.Contains(name, "\x00") {
		err = fmt.Errorf("%w: the name %.40q has a NUL, as UTF-16 has: OpenCSV reads it if its CSVLayout has an Encoding, such as unicode.UTF16 of golang.org/x/text", ErrFormat, name)
	} else if errors.Is(err, ErrFormat) {
		err = fmt.Errorf("%w: set Encoding, as to charmap.Windows1252", err)
	}
	return err
}

// number reads a number.
func (l *CSVLayout) number(f string) (float64, error) {
	if !l.DecimalComma {
		return parseNumber(f)
	}
	if !strings.Contains(f, ".") {
		if v, err := parseNumber(strings.Replace(f, ",", ".", 1)); err == nil {
			return v, nil
		}
	}
	_, err := parseNumber(f)
	if err == nil || csvThousands.MatchString(strings.TrimSpace(f)) {
		err = fmt.Errorf("%w: %.40q has a point, but numbers have a decimal comma: points between thousands are not read", ErrFormat, f)
	}
	return 0, err
}

var (
	csvDate    = regexp.MustCompile(`^\s*(\d{1,4}([-/.])\d{1,2}([-/.])\d{1,4}\b|\d{1,2}:\d{2}\b|\d{1,2}[- ]?(?i:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))`)
	csvDecimal = regexp.MustCompile(`^\s*[+-]?\d+,\d+(?:[eE][+-]?\d+)?\s*$`)
	// Thousands with something between, by points or by commas. What is one number alone with a decimal
	// point or comma is taken for that.
	csvThousands = regexp.MustCompile(`^[+-]?\d{1,3}(?:((?:\.\d{3})+(?:,\d+)?)|(?:,\d{3})+(?:\.\d+)?)$`)
	csvLimit     = regexp.MustCompile(`^[<>≤≥]=?\s*[+-]?[.,]?\d`)
)

// cure tells what to do about a field that is no number.
func cure(f string) string {
	switch f = strings.TrimSpace(f); {
	case f == "":
		return `: if the value is missing, set Missing to a list that has ""`
	case strings.ContainsAny(f[:1], "#%!@"):
		return fmt.Sprintf(": if that begins lines of comment before the table, set Comment to %q", f[:1])
	case !mayBeName(f) && !strings.ContainsFunc(f, unicode.IsDigit) || csvLimit.MatchString(f):
		return fmt.Sprintf(": if it stands for a missing value, set Missing to a list that has %.40q", f)
	case csvDecimal.MatchString(f):
		return ": if that is a decimal comma, set DecimalComma"
	case csvDate.MatchString(f):
		return ": dates are not read: name the column as ID, in Skip, or in Encode"
	case mayBeName(f):
		return ": name a column of text as ID or Label, in Skip, or in Encode to make features of it"
	}
	return ""
}

// openCure is cure for Open, in terms of its options.
func (l *CSVLayout) openCure(f string) string {
	f = strings.TrimSpace(f)
	missing := "OpenOptions.Missing"
	if len(f) <= 40 { // as the error quotes it
		missing = fmt.Sprintf("OpenOptions{Missing: []string{%q}}", f)
	}
	_, err := parseNumber(f)
	switch {
	case csvLimit.MatchString(f):
		return fmt.Sprintf(": if that is a limit of what could be measured, say by %s that the value is missing", missing)
	case l.DecimalComma && (err == nil || csvThousands.MatchString(f)):
		return fmt.Sprintf("; write it in the file as other numbers are, or say by %s that it is missing", missing)
	case csvDecimal.MatchString(f) || csvThousands.MatchString(f):
		return fmt.Sprintf(": numbers have a decimal point here, and commas are not read; write it in the file as other numbers are, or say by %s that it is missing", missing)
	case csvDate.MatchString(f):
		return ": dates are not read: OpenOptions.Skip leaves the column out"
	}
	return fmt.Sprintf(": if that means a missing value, say so by %s; OpenOptions.Skip leaves the column out", missing)
}

// column is the number of a column from 1, with its name if it has one.
func (c *csvTable) column(k int) string {
	if k < len(c.header) && len(c.header) == len(c.roles) && c.header[k] != "" {
		return fmt.Sprintf("%d (%.40s)", k+1, c.header[k])
	}
	return strconv.Itoa(k + 1)
}

// names returns the fields of a line of names.
func (c *csvTable) names(line int, fields []string) ([]string, error) {
	names := make([]string, len(fields))
	for k, f := range fields {
		f = strings.TrimSpace(f)
		if err := checkText(f); err != nil {
			return nil, fmt.Errorf("line %d, column %d: %w", line, k+1, err)
		}
		if err := c.left.takeName(f); err != nil {
			return nil, err
		}
		names[k] = f
	}
	return names, nil
}

func (c *csvTable) takeHeader(line int, fields []string) (err error) {
	if c.header, err = c.names(line, fields); err != nil {
		return err
	}
	if c.Header == GuessHeader {
		c.guessed(fmt.Sprintf("line %d is the header", line))
	}
	for _, name := range c.columnsAsked() {
		if _, numbered := columnNumber(name); !numbered {
			if _, err := c.find(line, name, 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// columnsAsked are those that the layout names.
func (l *CSVLayout) columnsAsked() []string {
	var all []string
	for _, one := range []string{l.ID, l.Label} {
		if one != "" {
			all = append(all, one)
		}
	}
	return slices.Concat(all, l.Features, l.Skip, l.Encode)
}

// columnNumber returns the number that the text of a column is, if it is one.
func columnNumber(column string) (int, bool) {
	n, err := strconv.Atoi(column)
	return n, err == nil && n != 0
}

// find returns the column of a name or number, of n.
//
// Of two columns of a name ID takes the first and Label the second of the table: one that a set has
// written begins with "sample" and "class", which may be names of features, too.
func (c *csvTable) find(line int, column string, n int) (int, error) {
	found := -1
	for k, name := range c.header {
		if name != strings.TrimSpace(column) {
			continue
		}
		if column == c.ID && found == 0 || column == c.Label && found == 1 {
			if n == 0 {
				return found, nil
			}
			c.guessed(fmt.Sprintf("the first of the columns %d and %d, both named %q, is the one of the layout", found+1, k+1, column))
			break
		}
		if found >= 0 {
			return 0, fmt.Errorf("%w: the columns %d and %d are both named %q", ErrFormat, found+1, k+1, column)
		}
		found = k
	}
	if found >= 0 {
		return found, nil
	}
	if k, ok := columnNumber(column); ok {
		if k < 0 {
			k += n + 1
		}
		if k < 1 || k > n {
			return 0, fmt.Errorf("%w: column %s of %d", ErrNoVariable, column, n)
		}
		return k - 1, nil
	}
	if c.header == nil {
		return 0, fmt.Errorf("%w: column %q, as line %d is not a header", ErrNoVariable, column, line)
	}
	return 0, fmt.Errorf("%w: column %q; the file has %s", ErrNoVariable, column, list(c.header))
}

// assign tells what each of n columns is for.
func (c *csvTable) assign(line, n int) error {
	if c.header != nil && len(c.header) != n {
		// scikit-learn has counts for a header, R a name less than columns.
		asked := c.columnsAsked()
		named := 0
		for _, column := range asked {
			if slices.Contains(c.header, column) {
				named++
			}
		}
		switch {
		case len(c.header) == n-1 && (c.ID == "1" || c.ID == strconv.Itoa(-n) || named == len(asked)):
			c.header = append([]string{""}, c.header...)
			if c.units != nil {
				c.units = append([]string{""}, c.units...)
			}
		case named == 0 && len(asked) > 0:
			c.guessed(fmt.Sprintf("the %d names of the header are not those of the %d columns", len(c.header), n))
			c.header, c.units = nil, nil
		default:
			return fmt.Errorf("%w: line %d has %d columns, and the header %d names: give columns by their number to do without them", ErrFormat, line, n, len(c.header))
		}
	}
	if c.units != nil && len(c.units) != n {
		return fmt.Errorf("%w: line %d has %d columns, and there are %d units", ErrFormat, line, n, len(c.units))
	}
	c.roles = make([]csvRole, n)
	c.codes = make([]*categories, n)
	if c.Features != nil {
		for k := range c.roles {
			c.roles[k] = csvSkipped
		}
	}
	set := func(role csvRole, columns ...string) error {
		for _, column := range columns {
			if column == "" {
				continue
			}
			k, err := c.find(line, column, n)
			if err != nil {
				return err
			}
			if role != csvFeature && role != csvSkipped && c.roles[k] > csvFeature && c.roles[k] < csvSkipped {
				return fmt.Errorf("%w: column %q is given two uses by the layout", ErrParameter, column)
			}
			if c.roles[k] = role; role == csvEncoded {
				c.codes[k] = &categories{left: &c.left}
			}
		}
		return nil
	}
	if err := errors.Join(set(csvFeature, c.Features...), set(csvSkipped, c.Skip...), set(csvEncoded, c.Encode...), set(csvLabel, c.Label), set(csvID, c.ID)); err != nil {
		return err
	}
	if c.ID == "" && n > 1 && len(c.header) > 0 && c.header[0] == "" && c.Features == nil && c.roles[0] == csvFeature {
		c.roles[0] = csvID
		c.guessed("column 1, which has no name, names the lines")
	}
	return nil
}

// A csvRow is a row of the result: a column of the table, or one code of it.
type csvRow struct {
	column int // among those that are kept
	code   float64
}

// set makes the Set.
func (c *csvTable) set() (*Set, error) {
	if c.rows == 0 {
		return nil, fmt.Errorf("%w: no data", ErrFormat)
	}
	s := &Set{Height: c.Height, Width: c.Width, Max: c.Max, Notes: c.note}
	if c.Label != "" {
		s.Labels, s.Classes = c.labels.sorted()
	}
	rows, names, units, err := c.features()
	if err != nil {
		return nil, err
	}
	if c.Columns {
		if a, b := repeated(names); a >= 0 {
			return nil, fmt.Errorf("%w: the columns %d and %d are both named %q, and are samples: leave one of them out by Skip", ErrFormat, c.featureColumn(a), c.featureColumn(b), names[a])
		}
		s.X = mat.NewDense(c.table.rows, len(rows), nil)
		for j := range c.table.rows {
			s.X.SetRow(j, c.row(j))
		}
		s.Samples, s.Features = names, c.ids
		return s.checked()
	}
	if a, b := repeated(c.ids); a >= 0 {
		return nil, fmt.Errorf("%w: the lines %d and %d both have the name %q: leave one of them out, or name another column as ID, and this one in Skip", ErrFormat, c.lines[a], c.lines[b], c.ids[a])
	}
	s.X = mat.NewDense(len(rows), c.table.rows, nil)
	fill(s.X, 0, c.table.rows, func(j, i int) float64 {
		v := c.at(j, rows[i].column)
		switch code := rows[i].code; {
		case math.IsNaN(code) || math.IsNaN(v):
			return v
		case v == code:
			return 1
		}
		return 0
	})
	s.Samples, s.Features, s.Units = c.ids, names, units
	return s.checked()
}

// features returns the rows of the result, with their names and units if there are any: a row for each
// column of numbers, and one for each text of a column that is encoded.
func (c *csvTable) features() (rows []csvRow, names, units []string, err error) {
	column := 0
	name := func(list []string, k int, suffix string, to *[]string) {
		if list != nil {
			*to = append(*to, tidyName(list[k]+suffix))
		}
	}
	for k, role := range c.roles {
		switch role {
		case csvFeature:
			rows = append(rows, csvRow{column, math.NaN()})
			name(c.header, k, "", &names)
			name(c.units, k, "", &units)
		case csvEncoded:
			if err := c.left.take(c.table.rows * max(0, len(c.codes[k].names)-1)); err != nil {
				return nil, nil, nil, fmt.Errorf("column %s has %d texts: %w", c.column(k), len(c.codes[k].names), err)
			}
			texts := slices.Clone(c.codes[k].names)
			slices.SortFunc(texts, natural)
			for _, text := range texts {
				rows = append(rows, csvRow{column, float64(c.codes[k].index[text])})
				header := c.header
				if header == nil {
					header = make([]string, len(c.roles))
					header[k] = strconv.Itoa(k + 1)
				}
				name(header, k, "="+text, &names)
				name(c.units, k, "", &units)
			}
			c.codes[k] = nil
		}
		if role <= csvEncoded {
			column++
		}
	}
	if c.header == nil && len(names) > 0 { // of encoded columns alone
		names = slices.Grow(names, len(rows))
		for i, row := range rows {
			if math.IsNaN(row.code) {
				names = slices.Insert(names, i, "")
			}
		}
	}
	if len(rows) == 0 {
		return nil, nil, nil, fmt.Errorf("%w: no value in the columns to encode", ErrFormat)
	}
	return rows, names, units, nil
}

// featureColumn returns the number of the column, from 1, that is feature k.
func (c *csvTable) featureColumn(k int) int {
	for column, role := range c.roles {
		if role == csvFeature {
			if k--; k < 0 {
				return column + 1
			}
		}
	}
	return 0
}

// Categories number texts in the order in which they come.
type categories struct {
	left  *budget
	index map[string]int
	names []string
}

func (c *categories) number(name string) (int, error) {
	k, ok := c.index[name]
	if ok {
		return k, nil
	}
	if k = len(c.names); k == maxClasses {
		return 0, fmt.Errorf("%w: more than %d classes", ErrTooLarge, maxClasses)
	}
	if err := c.left.take(16 + len(name)/8); err != nil { // the map takes most of it
		return 0, err
	}
	if c.index == nil {
		c.index = map[string]int{}
	}
	name = strings.Clone(name) // which was a part of its line
	c.index[name] = k
	c.names = append(c.names, name)
	return k, nil
}

// A classList numbers the classes of samples by their names.
type classList struct {
	categories
	of []int // the class of each sample
}

func (c *classList) add(name string) error {
	k, err := c.number(name)
	if err != nil {
		return err
	}
	c.of = append(c.of, k)
	return c.left.take(3) // what grows leaves something behind
}

// sorted returns the classes in natural order, so that class 10 comes after class 9.
func (c *classList) sorted() (labels []int, classes []string) {
	classes = slices.Clone(c.names)
	slices.SortFunc(classes, natural)
	to := make([]int, len(classes))
	for k, name := range classes {
		to[c.index[name]] = k
	}
	for j, k := range c.of {
		c.of[j] = to[k]
	}
	return c.of, classes
}

func (l *CSVLayout) check() error {
	switch s := l.Separator; {
	case s != 0 && (s == '"' || s == '\r' || s == '\n' || s == utf8.RuneError || !utf8.ValidRune(s)):
		return fmt.Errorf("%w: the Separator is %q, which cannot stand between fields", ErrParameter, s)
	case l.Header < GuessHeader || l.Header > NoHeader:
		return fmt.Errorf("%w: Header is %d, want GuessHeader, WithHeader or NoHeader", ErrParameter, l.Header)
	case !(l.Max >= 0) || math.IsInf(l.Max, 0):
		return fmt.Errorf("%w: Max is %g, want a finite number of 0 or more", ErrParameter, l.Max)
	case l.DecimalComma && l.Separator == ',':
		return fmt.Errorf("%w: with DecimalComma the Separator cannot be a comma", ErrParameter)
	case l.Columns && (l.Label != "" || l.Encode != nil || l.Units):
		return fmt.Errorf("%w: with Columns there can be no Label, Encode or Units", ErrParameter)
	}
	return nil
}

// hasHeader tells whether the first line is a header. The error tells the column of the
// first field for which that cannot be told.
func (c *csvTable) hasHeader(fields []string) (bool, error) {
	l := &c.CSVLayout
	if l.Header != GuessHeader {
		return l.Header == WithHeader, nil
	}
	other := make([]bool, len(fields)) // text in the data too
	for _, column := range slices.Concat([]string{l.ID, l.Label}, l.Skip, l.Encode, l.Features) {
		k, numbered := columnNumber(column)
		if column != "" && !numbered && slices.ContainsFunc(fields, func(f string) bool { return strings.TrimSpace(f) == column }) {
			return true, nil
		}
		if k < 0 {
			k += len(fields) + 1
		}
		if numbered && k >= 1 && k <= len(fields) && !slices.Contains(l.Features, column) {
			other[k-1] = true
		}
	}
	names, doubtful, weak := 0, -1, -1
	for c, f := range fields {
		if other[c] || l.isMissing(f) {
			continue
		}
		if _, err := parseNumber(f); err == nil {
			return false, nil
		}
		f = strings.TrimSpace(f)
		_, err := parseNumber(digitLike.Replace(f))
		switch {
		case f != "" && !mayBeName(f):
			if doubtful < 0 {
				doubtful = c
			}
		case f != "" && err != nil:
			names++
		case weak < 0: // it says nothing, or is a number with a typo
			weak = c
		}
	}
	if doubtful < 0 && names == 0 {
		doubtful = weak
	}
	if doubtful >= 0 {
		where := ""
		if l.open != nil {
			where = " in the CSVLayout of OpenCSV"
		}
		return false, fmt.Errorf("column %d: %w: %.40q is neither a number nor surely the name of a column: set Header to NoHeader or WithHeader%s",
			doubtful+1, ErrFormat, fields[doubtful], where)
	}
	return names > 0, nil
}

// digitLike puts digits for the letters that are typed for them.
var digitLike = strings.NewReplacer("O", "0", "o", "0", "l", "1", "I", "1")

// mayBeName tells whether a text may name a column. NumPy writes # before the names.
func mayBeName(f string) bool {
	switch strings.ToLower(f) {
	case "na", "n/a", "n.a.", "nan", "nil", "none", "null", "missing", "unknown", "inf", "infinity":
		return false
	}
	first, _ := utf8.DecodeRuneInString(f)
	return unicode.IsLetter(first) || first == '_' || first == '#'
}

func (l *CSVLayout) isMissing(field string) bool {
	field = strings.TrimSpace(field)
	is := slices.Contains(l.Missing, field)
	if is && l.open != nil && slices.Contains(l.open.words, field) && !l.open.seen[field] {
		l.open.seen[strings.Clone(field)] = true
	}
	return is
}

// guessSeparator looks at the first line, except for what is in quotes. A comma may be
// part of a number where semicolons or tabs separate, and blanks may surround any of
// them.
func guessSeparator(in *bufio.Reader) rune {
	head, _ := in.Peek(1 << 16)
	line, _, _ := strings.Cut(strings.TrimLeft(string(head), "\r\n"), "\n")
	var plain strings.Builder
	for k, part := range strings.Split(line, `"`) {
		if k%2 == 0 {
			plain.WriteString(part)
		}
	}
	line = plain.String()
	for _, sep := range ";\t," {
		if !strings.ContainsRune(line, sep) {
			continue
		}
		if sep == '\t' && slices.ContainsFunc(strings.Split(line, "\t"), severalNumbers) {
			return ' ' // a tab amid blanks is one
		}
		return sep
	}
	return ' '
}

// severalNumbers tells whether a text is of two numbers or more with blanks between.
func severalNumbers(text string) bool {
	n := 0
	for f := range strings.FieldsSeq(text) {
		if _, err := parseNumber(f); err != nil {
			return false
		}
		n++
	}
	return n > 1
}

// splitBlanks appends the fields of a line between runs of blanks. A field in quotes may
// have blanks, and "" in it is a quote.
func splitBlanks(fields []string, line string) ([]string, error) {
	for {
		if len(fields) > maxFields {
			return nil, fmt.Errorf("%w: more than %d columns", ErrTooLarge, maxFields)
		}
		if line = strings.TrimLeftFunc(line, unicode.IsSpace); line == "" {
			return fields, nil
		}
		if line[0] != '"' {
			end := strings.IndexFunc(line, unicode.IsSpace)
			if end < 0 {
				end = len(line)
			}
			fields, line = append(fields, line[:end]), line[end:]
			continue
		}
		text, rest, closed := strings.Cut(line[1:], `"`)
		if closed && strings.HasPrefix(rest, `"`) {
			var whole strings.Builder
			whole.WriteString(text)
			for closed && strings.HasPrefix(rest, `"`) {
				text, rest, closed = strings.Cut(rest[1:], `"`)
				whole.WriteString(`"` + text)
			}
			text = whole.String()
		}
		if first, _ := utf8.DecodeRuneInString(rest); !closed || rest != "" && !unicode.IsSpace(first) {
			return nil, fmt.Errorf("%w: column %d: a quote that does not end a field", ErrFormat, len(fields)+1)
		}
		fields, line = append(fields, text), rest
	}
}

// csvLines returns a function that gives the number of the next line that is
// not blank and its fields, and io.EOF at the end; some lines were skipped before.
func csvLines(in *bufio.Reader, separator rune, skipped int) func() (int, []string, error) {
	if separator == ' ' { // runs of blanks, which encoding/csv has not
		line := skipped
		lines := bufio.NewScanner(in)
		lines.Buffer(nil, maxRecord)
		var fields []string
		return func() (int, []string, error) {
			for lines.Scan() && lines.Err() == nil { // with an error comes half a line
				line++
				var err error
				if fields, err = splitBlanks(fields[:0], lines.Text()); err != nil {
					return 0, nil, fmt.Errorf("line %d: %w", line, err)
				}
				if len(fields) > 0 {
					return line, fields, nil
				}
			}
			if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
				return 0, nil, fmt.Errorf("%w: line %d has more than %d bytes", ErrTooLarge, line+1, maxRecord)
			} else if err != nil {
				return 0, nil, readError(err)
			}
			return 0, nil, io.EOF
		}
	}
	c := csv.NewReader(in)
	c.Comma = separator
	c.FieldsPerRecord = -1 // the table counts, and tells the line
	c.ReuseRecord = true
	c.TrimLeadingSpace = separator != '\t'
	return func() (int, []string, error) {
		fields, err := c.Read()
		var parse *csv.ParseError
		switch {
		case errors.Is(err, io.EOF):
			return 0, nil, io.EOF
		case errors.As(err, &parse):
			parse.StartLine, parse.Line = parse.StartLine+skipped, parse.Line+skipped
			return 0, nil, fmt.Errorf("%w: %w", ErrFormat, err)
		case err != nil:
			return 0, nil, readError(err)
		}
		line, _ := c.FieldPos(0)
		return line + skipped, fields, nil
	}
}
