package datasets

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"

	"gonum.org/v1/gonum/mat"
)

// WriteCSV writes a matrix as text, a row on each line. ReadCSV reads the same numbers
// again; it reads NaN only if Missing has it, and no Inf. The header, if there is one,
// names the columns; names that are numbers, and others that may be data, are taken for data unless the
// reader has WithHeader. The error is ErrSize if the matrix is nil or has another number of columns
// than the header, ErrParameter for a name that would not be read as it is, or that of w.
func WriteCSV(w io.Writer, m mat.Matrix, header ...string) error {
	return WriteNamedCSV(w, m, nil, header...)
}

// WriteNamedCSV is WriteCSV with a name before each row. The header, if there is one,
// then begins with a name for the column of these names, which the reader takes as ID. If
// names is nil, no names are written.
func WriteNamedCSV(w io.Writer, m mat.Matrix, names []string, header ...string) error {
	var before [][]string
	if names != nil {
		before = [][]string{names}
	}
	if err := checkWritten("row", names); err != nil {
		return err
	}
	if err := checkWritten("column", header); err != nil {
		return err
	}
	return writeCSV(w, m, before, header)
}

// WriteCSV writes the set, a sample on each line: its name (that of SampleName) under
// "sample", its class, if there are classes, under "class", and its features under the
// names that FeatureName has. CSVLayout{ID: "sample", Label: "class"} reads it, with
// Missing: []string{"NaN"} if values are missing. Classes then come in natural order, and those without
// a sample are gone. Samples, and features, of one name get a number, as in x, x.1.
//
// Names are written as they are. To a spreadsheet one that begins with =, +, - or @ is a formula:
// see NoFormulas.
//
// Errors are ErrValue for a value that is infinite, ErrParameter for a name that would not be read as
// it is (with white space around it, with NUL, of invalid UTF-8 or of more than 4096 bytes), those of Check
// and that of w.
func (s *Set) WriteCSV(w io.Writer) error {
	if err := s.checkDense(); err != nil {
		return err
	}
	if err := s.each(func(i, j int, v float64) error {
		if math.IsInf(v, 0) {
			return s.wrong(i, j, v, "which ReadCSV does not read")
		}
		return nil
	}); err != nil {
		return err
	}
	samples, features, classes, err := s.Names()
	if err != nil {
		return err
	}
	header, before := []string{"sample"}, [][]string{samples}
	if classes != nil {
		header, before = append(header, "class"), append(before, classes)
	}
	return writeCSV(w, s.X.T(), before, append(header, features...))
}

func writeCSV(w io.Writer, m mat.Matrix, before [][]string, header []string) error {
	if err := usable(m); err != nil {
		return err
	}
	rows, cols := m.Dims()
	k := len(before)
	if len(header) > 0 && len(header) != k+cols {
		return fmt.Errorf("%w: %d names for %d columns", ErrSize, len(header), k+cols)
	}
	for _, names := range before {
		if len(names) != rows {
			return fmt.Errorf("%w: %d names for %d rows", ErrSize, len(names), rows)
		}
	}
	out := bufio.NewWriter(w) // keeps the first error, for Flush
	if len(header) > 0 {
		writeFields(out, header)
	}
	fields := make([]string, k+cols)
	for i := range rows {
		for c, names := range before {
			fields[c] = names[i]
		}
		for j := range cols {
			fields[k+j] = strconv.FormatFloat(m.At(i, j), 'g', -1, 64)
		}
		writeFields(out, fields)
	}
	return out.Flush()
}

// writeFields writes a line. Package csv puts in quotes what its own reader needs so; a reader that
// guesses the separator needs more.
func writeFields(out *bufio.Writer, fields []string) {
	for k, f := range fields {
		if k > 0 {
			out.WriteByte(',')
		}
		if strings.ContainsFunc(f, needsQuotes) || len(fields) == 1 && f == "" { // else a blank line
			f = `"` + strings.ReplaceAll(f, `"`, `""`) + `"`
		}
		out.WriteString(f)
	}
	out.WriteByte('\n')
}

// needsQuotes tells whether a character may separate fields or lines, or begin a file.
func needsQuotes(c rune) bool {
	return c == ',' || c == ';' || c == '"' || c == '\uFEFF' || unicode.IsSpace(c) || unicode.IsControl(c)
}
