package datasets

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"gonum.org/v1/gonum/mat"
)

// WriteCSV writes a matrix as text, a row on each line; reading it gives the same
// numbers again, of NaN only if Missing has it, and not of Inf. The header, if there is
// one, names the columns; names that are numbers are taken for data unless the reader
// has WithHeader. The error is ErrSize if the matrix is nil or has other columns than the
// header, or that of w.
func WriteCSV(w io.Writer, m mat.Matrix, header ...string) error {
	if isNil(m) {
		return fmt.Errorf("%w: the matrix is nil", ErrSize)
	}
	rows, cols := m.Dims()
	if len(header) > 0 && len(header) != cols {
		return fmt.Errorf("%w: %d names for %d columns", ErrSize, len(header), cols)
	}
	out := csv.NewWriter(w)
	if len(header) > 0 {
		out.Write(header) // an error stays until Flush
	}
	fields := make([]string, cols)
	for i := range rows {
		for j := range fields {
			fields[j] = strconv.FormatFloat(m.At(i, j), 'g', -1, 64)
		}
		out.Write(fields)
	}
	out.Flush()
	return out.Error()
}
