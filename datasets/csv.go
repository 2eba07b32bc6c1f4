package datasets

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gonum.org/v1/gonum/mat"
)

// A CSVHeader says whether the first line of a table names its columns.
type CSVHeader int

const (
	// GuessHeader takes the first line for a header if it has the column named
	// Label, or if no field of it, but for the label, is a number, and each, but for
	// those that are empty or missing, begins with a letter, _ or # and is no usual word
	// for what is missing, such as NA. A line that has neither a number nor such names
	// alone may be either and is ErrFormat, so that no sample is dropped; and so is one
	// in which each name is a number with l, I or O for a digit, as in "l.0".
	GuessHeader CSVHeader = iota
	WithHeader
	NoHeader
)

// A CSVLayout says how a table of text makes a Set. Its zero value suits a
// table of numbers alone.
type CSVLayout struct {
	// Separator is between the fields: comma, semicolon, tab, ...; a space
	// stands for any blanks. 0 takes whichever of these is in the first line.
	Separator rune
	Header    CSVHeader
	// Label names the column that holds the class; this needs a header.
	Label string
	// LabelColumn is the number of that column from 1, or from the right: -1
	// is the last. With Label "" and 0 there are no labels; a Label comes first.
	LabelColumn int
	// Missing lists texts that stand for a missing value, such as "", "NA" and "?";
	// X is NaN there, and Known has the mask that a model needs. nil: none, so that
	// such a field is an error. It is for values alone: a label that is missing is a
	// class of that text, to be set to rnmf.Unlabelled.
	Missing []string
	// Height and Width are those of images in raster order; 0 if there are none.
	Height, Width int
	Max           float64 // the largest possible value; 0 if unknown
}

// ReadCSV reads a table of text, plain or gzip, with a sample on each line.
// Classes are the distinct texts of the label column in natural order.
//
// Errors are ErrFormat, with the line and the column (from 1), ErrTooLarge,
// ErrNoVariable for a label that no column has, ErrSize for images of another size than
// the samples, ErrParameter for a layout that makes no sense, or those of r.
func ReadCSV(r io.Reader, l CSVLayout) (*Set, error) { return readCSV(r, l, MaxValues) }

func readCSV(r io.Reader, l CSVLayout, limit int) (*Set, error) {
	if err := l.check(); err != nil {
		return nil, err
	}
	r, err := gunzip(r)
	if err != nil {
		return nil, err
	}
	record := &recordReader{r: &capReader{r: r, left: maxText}, separator: []byte(" ")}
	in := bufio.NewReaderSize(record, 1<<16)
	if bom, _ := in.Peek(3); string(bom) == "\uFEFF" {
		in.Discard(3)
	}
	if l.Separator == 0 {
		l.Separator = guessSeparator(in)
	}
	if record.separator = []byte(string(l.Separator)); l.Separator == ' ' {
		record.separator = nil // whole lines are bounded, of which many may be read at once
	}
	next := csvLines(in, l.Separator)
	var (
		t      = table{missing: l.Missing, left: budget(limit)}
		labels = classList{left: &t.left}
		class  = -1 // index of the column
		first  = true
	)
	for {
		record.begin()
		line, fields, err := next()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		if first {
			first = false
			var missing error
			if class, missing = l.labelIndex(fields); missing != nil {
				class = -1
			}
			header, err := l.hasHeader(fields, class)
			if err != nil {
				return nil, fmt.Errorf("line %d, %w", line, err)
			}
			if header {
				if class, err = l.find(fields, class); err != nil {
					return nil, err
				}
				// A header may have other fields than columns, as scikit-learn's
				// have: a column given by number is counted in the data.
				first = l.Label == "" && l.LabelColumn != 0
				l.Header = NoHeader
				continue
			}
			if missing != nil {
				return nil, missing
			}
			if l.Label != "" {
				return nil, fmt.Errorf("%w: column %q, as line %d is no header", ErrNoVariable, l.Label, line)
			}
		}
		if class >= 0 {
			if class >= len(fields) {
				return nil, fmt.Errorf("%w: line %d has %d columns and none for the label", ErrFormat, line, len(fields))
			}
			if err := labels.add(strings.TrimSpace(fields[class])); err != nil {
				return nil, fmt.Errorf("line %d: %w", line, err)
			}
		}
		if err := t.add(line, fields, class); err != nil {
			return nil, err
		}
	}
	if t.rows == 0 {
		return nil, fmt.Errorf("%w: no data", ErrFormat)
	}
	s := &Set{Height: l.Height, Width: l.Width, Max: l.Max}
	if class >= 0 {
		s.Labels, s.Classes = labels.sorted()
	}
	s.X = mat.NewDense(t.columns, t.rows, nil)
	fill(s.X, 0, t.rows, t.at)
	return s.checked()
}

// A classList numbers the classes of samples by their names.
type classList struct {
	left  *budget
	index map[string]int
	names []string // in the order in which they came
	of    []int    // the class of each sample
}

func (c *classList) add(name string) error {
	k, ok := c.index[name]
	if !ok {
		if k = len(c.names); k == maxClasses {
			return fmt.Errorf("%w: more than %d classes", ErrTooLarge, maxClasses)
		}
		if err := c.left.take(16 + len(name)/8); err != nil { // the map takes most of it
			return err
		}
		if c.index == nil {
			c.index = map[string]int{}
		}
		name = strings.Clone(name) // which was a part of its line
		c.index[name] = k
		c.names = append(c.names, name)
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
		return fmt.Errorf("%w: Separator %q", ErrParameter, s)
	case l.Header < GuessHeader || l.Header > NoHeader:
		return fmt.Errorf("%w: Header %d", ErrParameter, l.Header)
	case !(l.Max >= 0) || math.IsInf(l.Max, 0):
		return fmt.Errorf("%w: Max %g", ErrParameter, l.Max)
	}
	return nil
}

// labelIndex turns LabelColumn into an index, -1 for none.
func (l *CSVLayout) labelIndex(fields []string) (int, error) {
	at := l.LabelColumn - 1
	if l.LabelColumn < 0 {
		at = len(fields) + l.LabelColumn
	}
	if at >= len(fields) || (at < 0 && l.LabelColumn != 0) {
		return 0, fmt.Errorf("%w: label column %d of %d", ErrNoVariable, l.LabelColumn, len(fields))
	}
	return at, nil
}

// hasHeader tells whether the first line is a header. The error tells the column of the
// first field for which that cannot be told.
func (l *CSVLayout) hasHeader(fields []string, class int) (bool, error) {
	if l.Header != GuessHeader {
		return l.Header == WithHeader, nil
	}
	if l.Label != "" && slices.ContainsFunc(fields, func(f string) bool { return strings.TrimSpace(f) == l.Label }) {
		return true, nil
	}
	names, doubtful, weak := 0, -1, -1
	for c, f := range fields {
		if c == class || l.isMissing(f) {
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
		return false, fmt.Errorf("column %d: %w: %.40q is no number, but may be no name of a column either: set Header to NoHeader or WithHeader",
			doubtful+1, ErrFormat, fields[doubtful])
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
	return slices.Contains(l.Missing, strings.TrimSpace(field))
}

// find returns the column of the label by its name, class if it has none.
func (l *CSVLayout) find(header []string, class int) (int, error) {
	if l.Label == "" {
		return class, nil
	}
	found := -1
	for c, name := range header {
		if strings.TrimSpace(name) != l.Label {
			continue
		}
		if found >= 0 {
			return 0, fmt.Errorf("%w: the columns %d and %d are both named %q", ErrFormat, found+1, c+1, l.Label)
		}
		found = c
	}
	if found >= 0 {
		return found, nil
	}
	return 0, fmt.Errorf("%w: column %q; the file has %s", ErrNoVariable, l.Label, list(header))
}

// guessSeparator looks at the first line. A comma may be part of a number
// where semicolons or tabs separate, and blanks may surround any of them.
func guessSeparator(in *bufio.Reader) rune {
	head, _ := in.Peek(1 << 16)
	line, _, _ := strings.Cut(strings.TrimLeft(string(head), "\r\n"), "\n")
	for _, sep := range ";\t," {
		if strings.ContainsRune(line, sep) {
			return sep
		}
	}
	return ' '
}

// csvLines returns a function that gives the number of the next line that is
// not blank and its fields, and io.EOF at the end.
func csvLines(in *bufio.Reader, separator rune) func() (int, []string, error) {
	if separator == ' ' { // runs of blanks, which encoding/csv has not
		line := 0
		lines := bufio.NewScanner(in)
		lines.Buffer(nil, maxRecord)
		var fields []string
		return func() (int, []string, error) {
			for lines.Scan() && lines.Err() == nil { // with an error comes half a line
				line++
				fields = fields[:0]
				for f := range strings.FieldsSeq(lines.Text()) {
					if fields = append(fields, f); len(fields) > maxFields {
						return 0, nil, fmt.Errorf("%w: line %d has more than %d columns", ErrTooLarge, line, maxFields)
					}
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
			return 0, nil, fmt.Errorf("%w: %w", ErrFormat, err)
		case err != nil:
			return 0, nil, readError(err)
		}
		line, _ := c.FieldPos(0)
		return line, fields, nil
	}
}
