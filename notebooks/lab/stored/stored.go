// Package stored reads and writes the tables of results that the long experiments of
// the notebooks store: a table for the notebooks to read, a sheet to which a run adds
// lines and from which the next run goes on, the loop over trials that fills it, and the
// version of a line, which tells whether it would be computed so now.
package stored

import (
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Row has the values of a line by the names of their columns.
type Row map[string]string

// A Table is stored results in the order of their lines.
type Table []Row

// Parse reads a table whose first line names the columns. It panics if it cannot: the
// text is part of the program.
func Parse(text string) Table {
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(lines) == 0 {
		panic(fmt.Sprintf("stored: no table: %v", err))
	}
	t := make(Table, len(lines)-1)
	for i, line := range lines[1:] {
		t[i] = make(Row, len(line))
		for k, name := range lines[0] {
			t[i][name] = line[k]
		}
	}
	return t
}

// Text returns a value as it is stored. It panics if there is no such column.
func (r Row) Text(column string) string {
	v, ok := r[column]
	if !ok {
		panic(fmt.Sprintf("stored: no column %q", column))
	}
	return v
}

// Number returns a value, NaN if it is empty. It panics if it is not a number.
func (r Row) Number(column string) float64 {
	text := r.Text(column)
	if text == "" {
		return math.NaN()
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(fmt.Sprintf("stored: column %q: %v", column, err))
	}
	return v
}

// Where returns the rows that have given values, as they are stored: it takes pairs of
// a column and a value.
func (t Table) Where(pairs ...string) (some Table) {
rows:
	for _, r := range t {
		for k := 0; k < len(pairs); k += 2 {
			if r.Text(pairs[k]) != pairs[k+1] {
				continue rows
			}
		}
		some = append(some, r)
	}
	return some
}

// Different returns the values of a column in the order of their first rows.
func (t Table) Different(column string) (values []string) {
	for _, r := range t {
		if v := r.Text(column); !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	return values
}

// Numbers returns the numbers of a column, without what is empty.
func (t Table) Numbers(column string) (v []float64) {
	for _, r := range t {
		if x := r.Number(column); !math.IsNaN(x) {
			v = append(v, x)
		}
	}
	return v
}

// Number writes a number as strconv.FormatFloat does, and NaN as an empty text.
func Number(v float64, format byte, digits int) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, format, digits, 64)
}

// Numbers writes numbers with four digits after the point.
func Numbers(values ...float64) []string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = Number(v, 'f', 4)
	}
	return texts
}
