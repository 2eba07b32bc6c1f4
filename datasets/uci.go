package datasets

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// ReadSemeion reads semeion.data of the UCI repository: 16×16 binary digits in
// raster order, 256 pixels and ten columns of which one, that of the digit,
// is 1. Plain or gzip.
func ReadSemeion(r io.Reader) (*Set, error) {
	t, err := readTable(r, strings.Fields)
	if err != nil {
		return nil, err
	}
	if err := t.width(256 + 10); err != nil {
		return nil, err
	}
	labels := make([]string, len(t.lines))
	var pixels []float64
	for j := range t.lines {
		row := t.row(j)
		pixels = append(pixels, row[:256]...)
		for k, v := range row[256:] {
			switch {
			case v == 1 && labels[j] == "":
				labels[j] = strconv.Itoa(k)
			case v != 0:
				return nil, fmt.Errorf("%w: line %d: the columns 257 to 266 name no single digit", ErrFormat, t.lines[j])
			}
		}
		if labels[j] == "" {
			return nil, fmt.Errorf("%w: line %d: the columns 257 to 266 name no digit", ErrFormat, t.lines[j])
		}
	}
	s := &Set{Name: "Semeion", X: fromSamples(pixels, 256), Height: 16, Width: 16, Max: 1,
		Credit: "Semeion Research Center, Rome, and Tactile Srl, Brescia; UCI Machine Learning Repository, CC BY 4.0"}
	s.Labels, s.Classes = number(labels)
	return s.checked()
}

// ReadPendigits reads pendigits.tra or pendigits.tes of the UCI repository:
// pen strokes of digits, resampled to eight points (x, y) in 0..100, and the
// digit. Plain or gzip.
func ReadPendigits(r io.Reader) (*Set, error) {
	t, err := readTable(r, splitCommas)
	if err != nil {
		return nil, err
	}
	s := &Set{Name: "Pendigits", Max: 100,
		Credit: "E. Alpaydin, F. Alimoglu, Bogazici University; UCI Machine Learning Repository, CC BY 4.0"}
	return s.fromTable(t, 17, 16)
}

// ReadWine reads wine.data of the UCI repository: thirteen measurements of
// Italian wines, on very different scales, of three cultivars. Plain or gzip.
func ReadWine(r io.Reader) (*Set, error) {
	t, err := readTable(r, splitCommas)
	if err != nil {
		return nil, err
	}
	s := &Set{Name: "Wine",
		Credit: "M. Forina et al., PARVUS, Genoa; S. Aeberhard; UCI Machine Learning Repository, CC BY 4.0"}
	return s.fromTable(t, 14, 0)
}

// fromTable fills the set from a table of so many columns, one of which is the
// class.
func (s *Set) fromTable(t *table, columns, class int) (*Set, error) {
	if err := t.width(columns); err != nil {
		return nil, err
	}
	labels := make([]string, len(t.lines))
	var flat []float64
	for j := range t.lines {
		row := t.row(j)
		flat = append(append(flat, row[:class]...), row[class+1:]...)
		labels[j] = strconv.FormatFloat(row[class], 'g', -1, 64)
	}
	s.X = fromSamples(flat, columns-1)
	s.Labels, s.Classes = number(labels)
	return s.checked()
}

// A table is a text of numbers with as many on every line.
type table struct {
	values  []float64
	columns int
	lines   []int    // the number of the line of each row
	missing []string // texts that stand for no value
}

func (t *table) row(j int) []float64 { return t.values[j*t.columns : (j+1)*t.columns] }

// width returns an error if the table is empty or has other columns.
func (t *table) width(columns int) error {
	switch {
	case len(t.lines) == 0:
		return fmt.Errorf("%w: no data", ErrFormat)
	case t.columns != columns:
		return fmt.Errorf("%w: line %d has %d columns, not %d", ErrFormat, t.lines[0], t.columns, columns)
	}
	return nil
}

// add appends a row of text but for the field skip, which may be -1.
func (t *table) add(line int, fields []string, skip int) error {
	n := len(fields)
	if skip >= 0 {
		n--
	}
	if n == 0 {
		return fmt.Errorf("%w: line %d: no data beside the label", ErrFormat, line)
	}
	if len(t.lines) == 0 {
		t.columns = n
	}
	if n != t.columns {
		return fmt.Errorf("%w: line %d has %d columns, not %d", ErrFormat, line, len(fields), t.columns+len(fields)-n)
	}
	if len(t.values)+len(fields) > MaxValues {
		return fmt.Errorf("%w: line %d: more than %d values", ErrTooLarge, line, MaxValues)
	}
	for c, f := range fields {
		if c == skip {
			continue
		}
		if slices.Contains(t.missing, strings.TrimSpace(f)) { // also if it is a number, as -999
			t.values = append(t.values, math.NaN())
			continue
		}
		v, err := parseNumber(f)
		if err != nil {
			return fmt.Errorf("line %d, column %d: %w", line, c+1, err)
		}
		t.values = append(t.values, v)
	}
	t.lines = append(t.lines, line)
	return nil
}

// parseNumber reads a finite number.
func parseNumber(s string) (float64, error) {
	s = strings.TrimSpace(s)
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		if len(s) > 40 {
			s = s[:40] + "..."
		}
		return 0, fmt.Errorf("%w: %q is no finite number", ErrFormat, s)
	}
	return v, nil
}

// readTable reads lines of numbers. Blank lines do not count, and the last
// need not end.
func readTable(r io.Reader, split func(string) []string) (*table, error) {
	r, err := gunzip(r)
	if err != nil {
		return nil, err
	}
	t := &table{}
	in := bufio.NewScanner(&capReader{r: r, left: maxText})
	for line := 1; in.Scan(); line++ {
		if strings.TrimSpace(in.Text()) == "" {
			continue
		}
		if err := t.add(line, split(in.Text()), -1); err != nil {
			return nil, err
		}
	}
	if err := in.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, fmt.Errorf("%w: a line of more than %d bytes", ErrFormat, bufio.MaxScanTokenSize)
	} else if err != nil {
		return nil, cutOff(err)
	}
	return t, nil
}

func splitCommas(line string) []string { return strings.Split(line, ",") }
