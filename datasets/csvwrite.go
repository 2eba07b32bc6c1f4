package datasets

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"gonum.org/v1/gonum/mat"
)

// WriteCSV writes a matrix as text, a row on each line. ReadCSV reads the same numbers
// again; it reads NaN only if Missing has it, and no Inf. The header, if there is one,
// names the columns; names that are numbers are taken for data unless the reader has
// WithHeader. The error is ErrSize if the matrix is nil or has another number of columns
// than the header, or that of w.
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
	return writeCSV(w, m, before, header)
}

// WriteCSV writes the set, a sample on each line: its name (that of SampleName) under
// "sample", its class, if there are classes, under "class", and its features under the
// names that FeatureName has. CSVLayout{ID: "sample", Label: "class"} reads it.
func (s *Set) WriteCSV(w io.Writer) error {
	if err := s.Check(); err != nil {
		return err
	}
	m, n := s.X.Dims()
	header, before := []string{"sample"}, [][]string{make([]string, n)}
	if s.Labels != nil {
		header, before = append(header, "class"), append(before, make([]string, n))
	}
	for j := range n {
		if before[0][j] = s.SampleName(j); s.Labels != nil {
			before[1][j] = s.Classes[s.Labels[j]]
		}
	}
	for i := range m {
		header = append(header, s.FeatureName(i))
	}
	return writeCSV(w, s.X.T(), before, header)
}

func writeCSV(w io.Writer, m mat.Matrix, before [][]string, header []string) error {
	if isNil(m) {
		return fmt.Errorf("%w: the matrix is nil", ErrSize)
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
	out := csv.NewWriter(w)
	if len(header) > 0 {
		out.Write(header) // an error stays until Flush
	}
	fields := make([]string, k+cols)
	for i := range rows {
		for c, names := range before {
			fields[c] = names[i]
		}
		for j := range cols {
			fields[k+j] = strconv.FormatFloat(m.At(i, j), 'g', -1, 64)
		}
		out.Write(fields)
	}
	out.Flush()
	return out.Error()
}
