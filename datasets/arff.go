package datasets

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// OpenARFF reads a file of Weka by ReadARFF.
func OpenARFF(ctx context.Context, path string, l CSVLayout) (*Set, error) {
	return OpenFile(path, func(f io.ReaderAt, size int64) (*Set, error) {
		return ReadARFF(ctx, io.NewSectionReader(f, 0, size), l)
	})
}

// ReadARFF reads a table in the format of Weka, plain or gzip, with a sample on each line. Of the
// layout it takes what ReadCSV does, without Separator, Comment, Header, Units, Columns and Missing: the
// format has its own, and "?" is a missing value. Label "" is the last attribute if that is nominal, as is
// the custom. Other nominal attributes are to be in ID, Label, Skip or Encode.
//
// Errors are those of ReadCSV, and ErrUnsupported for the sparse form.
func ReadARFF(ctx context.Context, r io.Reader, l CSVLayout) (*Set, error) {
	return readARFF(ctx, r, l, maxValues())
}

func readARFF(ctx context.Context, r io.Reader, l CSVLayout, limit int) (_ *Set, err error) {
	from := &source{ctx: ctx, r: r}
	defer func() { err = from.blame(err) }()
	if l.Separator != 0 || l.Comment != "" || l.Header != GuessHeader || l.Units || l.Columns || l.Missing != nil {
		return nil, fmt.Errorf("%w: ARFF with a Separator, Comment, Header, Units, Columns or Missing", ErrParameter)
	}
	if r, err = from.text(limit); err != nil {
		return nil, err
	}
	r = l.decode(r)
	l.Encoding = nil
	a := &arffTable{in: bufio.NewScanner(r)}
	a.out = csv.NewWriter(&a.text)
	a.in.Buffer(make([]byte, 1<<16), 1<<24)
	nominal, err := a.header(budget(limit))
	if err != nil {
		return nil, err
	}
	last := len(a.names) - 1
	used := slices.ContainsFunc(slices.Concat([]string{l.ID}, l.Skip, l.Encode), func(column string) bool {
		if k, ok := columnNumber(column); ok && !slices.Contains(a.names, column) {
			return k == last+1 || k == -1
		}
		return column == a.names[last]
	})
	without := "" // the class, as Open was asked
	switch {
	case l.Label == "-" && l.open != nil:
		if l.Label = ""; nominal && !used {
			without = a.names[last]
			l.Skip = append(slices.Clone(l.Skip), without)
		}
	case l.Label == "" && nominal && !used:
		l.Label = a.names[last]
	}
	l.Separator, l.Header, l.Missing = ',', WithHeader, []string{"?"}
	if l.open != nil {
		l.Missing = append(l.Missing, l.open.words...)
	}
	s, err := readCSV(ctx, a, l, limit)
	if a.err != nil {
		return nil, a.err
	}
	if err == nil && without != "" {
		s.noted("left out, as OpenOptions.Label says that it is no class: %q", tidyName(without))
	}
	return s, err
}

// An arffTable is a reader of the data as CSV. Each of its lines is one of the file, so that
// errors of ReadCSV name the right one.
type arffTable struct {
	in     *bufio.Scanner
	line   int
	names  []string
	fields []string // of the last line
	text   bytes.Buffer
	out    *csv.Writer // to text
	blank  int         // lines to be told as such: those before the data
	err    error       // that ended it
}

// next returns the next line without blanks around it, "" for a comment.
func (a *arffTable) next() (string, bool) {
	if !a.in.Scan() {
		if err := a.in.Err(); errors.Is(err, bufio.ErrTooLong) {
			a.err = fmt.Errorf("%w: line %d has more than 16 MiB", ErrTooLarge, a.line+1)
		} else if err != nil {
			a.err = readError(err)
		}
		return "", false
	}
	a.line++
	text := strings.TrimSpace(strings.TrimPrefix(a.in.Text(), "\uFEFF"))
	if strings.HasPrefix(text, "%") {
		text = ""
	}
	return text, true
}

// header reads the lines before the data, and tells whether the last attribute is nominal.
func (a *arffTable) header(left budget) (nominal bool, err error) {
	for {
		text, ok := a.next()
		if a.err != nil {
			return false, a.err
		}
		word, rest, _ := strings.Cut(strings.ReplaceAll(text, "\t", " "), " ")
		switch strings.ToLower(word) {
		case "", "@relation":
			if !ok {
				return false, fmt.Errorf("%w: no @data in ARFF", ErrFormat)
			}
		case "@attribute":
			name, kind, err := arffField(strings.TrimSpace(rest), " {")
			if err == nil {
				err = checkText(name)
			}
			if err == nil && name == "" {
				err = fmt.Errorf("%w: an attribute without a name", ErrFormat)
			}
			if err == nil {
				err = cmp.Or(left.takeName(name), left.take(len(name))) // it is copied more than once
			}
			if err != nil {
				return false, fmt.Errorf("line %d: %w", a.line, err)
			}
			a.names = append(a.names, name)
			nominal = strings.HasPrefix(strings.TrimSpace(kind), "{")
		case "@data":
			if len(a.names) == 0 {
				return false, fmt.Errorf("%w: ARFF without an @attribute", ErrFormat)
			}
			a.write(a.names)
			a.blank = a.line - 1
			return nominal, nil
		default:
			return false, fmt.Errorf("%w: line %d of ARFF is %.40q, and no @relation, @attribute or @data", ErrFormat, a.line, text)
		}
	}
}

func (a *arffTable) write(fields []string) {
	if len(fields) == 1 && fields[0] == "" { // which csv takes for a blank line
		fields = []string{"?"}
	}
	a.out.Write(fields)
	a.out.Flush()
}

func (a *arffTable) Read(p []byte) (int, error) {
	for a.text.Len() == 0 {
		if a.blank > 0 {
			n := min(a.blank, 1<<12)
			a.blank -= n
			a.text.WriteString(strings.Repeat("\n", n))
			break
		}
		text, ok := a.next()
		if a.err != nil {
			return 0, a.err
		}
		if !ok {
			return 0, io.EOF
		}
		if text == "" {
			a.text.WriteByte('\n')
			continue
		}
		if text[0] == '{' {
			a.err = fmt.Errorf("%w: line %d is of the sparse form of ARFF: Weka's filter SparseToNonSparse fills it", ErrUnsupported, a.line)
			return 0, a.err
		}
		fields := a.fields[:0]
		for more := true; more; {
			field, rest, err := arffField(text, ",")
			if err != nil {
				a.err = fmt.Errorf("line %d: %w", a.line, err)
				return 0, a.err
			}
			fields = append(fields, field)
			rest = strings.TrimSpace(rest)
			if more = rest != ""; more && rest[0] != ',' {
				a.err = fmt.Errorf("%w: line %d: %.40q behind a quote", ErrFormat, a.line, rest)
				return 0, a.err
			} else if more {
				text = strings.TrimSpace(rest[1:])
			}
		}
		a.write(fields)
		a.fields = fields
	}
	return a.text.Read(p)
}

// arffField cuts a field off, which may be in quotes of either kind, and ends at one of some
// characters.
func arffField(text, ends string) (field, rest string, err error) {
	if text == "" || text[0] != '\'' && text[0] != '"' {
		end := strings.IndexAny(text, ends)
		if end < 0 {
			end = len(text)
		}
		return strings.TrimSpace(text[:end]), text[end:], nil
	}
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == text[0]:
			return b.String(), text[i+1:], nil
		case c == '\\' && i+1 < len(text):
			i++
			b.WriteByte(text[i])
		default:
			b.WriteByte(c)
		}
	}
	return "", "", fmt.Errorf("%w: the quote in %.40q has no end", ErrFormat, text)
}
