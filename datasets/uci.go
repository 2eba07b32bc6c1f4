package datasets

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// ReadSemeion reads semeion.data of the UCI repository: 16×16 binary digits in
// raster order, 256 pixels and ten columns of which one, that of the digit,
// is 1. Plain or gzip.
func ReadSemeion(ctx context.Context, r io.Reader) (*Set, error) {
	return readSemeion(ctx, r, maxValues())
}

func readSemeion(ctx context.Context, r io.Reader, limit int) (*Set, error) {
	digit := func(row []float64) int {
		found := -1
		for k, v := range row[256:] {
			switch {
			case v == 1 && found < 0:
				found = k
			case v != 0:
				return -1
			}
		}
		return found
	}
	t, err := readTable(ctx, r, limit, strings.FieldsSeq, 256+10, func(row []float64) error {
		if digit(row) < 0 {
			return fmt.Errorf("%w: the columns 257 to 266 do not have a single 1 for the digit", ErrFormat)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	s := &Set{Name: "Semeion", Height: 16, Width: 16, Max: 1,
		Credit: "Semeion Research Center, Rome, and Tactile Srl, Brescia; UCI Machine Learning Repository, CC BY 4.0"}
	s.X = mat.NewDense(256, t.rows, nil)
	fill(s.X, 0, t.rows, t.at)
	s.Labels, s.Classes, err = number(t.rows, func(j int) float64 { return float64(digit(t.row(j))) }, shortest)
	if err != nil {
		return nil, err
	}
	return s.checked()
}

// ReadPendigits reads pendigits.tra or pendigits.tes of the UCI repository:
// pen strokes of digits, resampled to eight points (x, y) in 0..100, and the
// digit. Plain or gzip.
func ReadPendigits(ctx context.Context, r io.Reader) (*Set, error) {
	s := &Set{Name: "Pendigits", Max: 100,
		Features: strings.Fields("x1 y1 x2 y2 x3 y3 x4 y4 x5 y5 x6 y6 x7 y7 x8 y8"),
		Credit:   "E. Alpaydin, F. Alimoglu, Bogazici University; UCI Machine Learning Repository, CC BY 4.0"}
	return s.fromTable(ctx, r, maxValues(), 17, 16)
}

// ReadWine reads wine.data of the UCI repository: thirteen measurements of
// Italian wines, on very different scales, of three cultivars. Plain or gzip.
func ReadWine(ctx context.Context, r io.Reader) (*Set, error) {
	s := &Set{Name: "Wine", Features: wineFeatures(),
		Credit: "M. Forina et al., PARVUS, Genoa; S. Aeberhard; UCI Machine Learning Repository, CC BY 4.0"}
	return s.fromTable(ctx, r, maxValues(), 14, 0)
}

func wineFeatures() []string {
	return []string{"alcohol", "malic acid", "ash", "alcalinity of ash", "magnesium", "total phenols", "flavanoids",
		"nonflavanoid phenols", "proanthocyanins", "color intensity", "hue", "OD280/OD315 of diluted wines", "proline"}
}

// fromTable fills the set from a table of so many columns, one of which is the
// class.
func (s *Set) fromTable(ctx context.Context, r io.Reader, limit, columns, class int) (*Set, error) {
	t, err := readTable(ctx, r, limit, func(line string) iter.Seq[string] { return strings.SplitSeq(line, ",") }, columns, nil)
	if err != nil {
		return nil, err
	}
	s.X = mat.NewDense(columns-1, t.rows, nil)
	fill(s.X, 0, t.rows, func(j, i int) float64 {
		if i >= class {
			i++
		}
		return t.at(j, i)
	})
	s.Labels, s.Classes, err = number(t.rows, func(j int) float64 { return t.at(j, class) }, shortest)
	if err != nil {
		return nil, err
	}
	return s.checked()
}

// A table is a text of numbers with as many on every line.
type table struct {
	columns, rows int
	blocks        [][]float64 // whole rows, so that nothing is copied when it grows
	perBlock      int         // rows
	left          budget
}

// row returns the values of a row.
func (t *table) row(j int) []float64 {
	k := j % t.perBlock * t.columns
	return t.blocks[j/t.perBlock][k : k+t.columns]
}

func (t *table) at(j, i int) float64 { return t.row(j)[i] }

// begin makes room for a row of n numbers. Errors tell the line.
func (t *table) begin(line, n int) error {
	switch {
	case n == 0:
		return fmt.Errorf("%w: line %d: no data next to the label", ErrFormat, line)
	case t.columns == 0:
		t.columns = n
		t.perBlock = max(1, 1<<13/n)
	}
	if err := t.left.take(n); err != nil {
		return fmt.Errorf("line %d: %w", line, err)
	}
	if t.rows%t.perBlock == 0 {
		t.blocks = append(t.blocks, make([]float64, 0, t.perBlock*n))
	}
	t.rows++
	return nil
}

// put appends a number to the row.
func (t *table) put(v float64) {
	block := &t.blocks[len(t.blocks)-1]
	*block = append(*block, v)
}

// add appends a row of text. Errors tell the line.
func (t *table) add(line int, fields []string) error {
	if err := t.begin(line, len(fields)); err != nil {
		return err
	}
	for c, f := range fields {
		v, err := parseNumber(f)
		if err != nil {
			return fmt.Errorf("line %d, column %d: %w", line, c+1, err)
		}
		t.put(v)
	}
	return nil
}

// parseNumber reads a finite number, but none that only Go writes so: 1_1 is a name, and 0x1p3 another.
func parseNumber(s string) (float64, error) {
	s = strings.TrimSpace(s)
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) || strings.ContainsAny(s, "_xX") {
		if len(s) > 40 {
			s = s[:40] + "..."
		}
		return 0, fmt.Errorf("%w: %q is not a finite number", ErrFormat, s)
	}
	return v, nil
}

// readTable reads lines of so many numbers; check, which may be nil, looks at each.
// Blank lines do not count, and the last need not end.
func readTable(ctx context.Context, r io.Reader, limit int, split func(string) iter.Seq[string], columns int, check func(row []float64) error) (_ *table, err error) {
	from := &source{ctx: ctx, r: r}
	defer func() { err = from.blame(err) }()
	if r, err = from.text(limit); err != nil {
		return nil, err
	}
	t := &table{left: budget(limit)}
	in := bufio.NewScanner(r)
	var fields []string
	for line := 1; in.Scan() && in.Err() == nil; line++ { // with an error comes half a line
		text := in.Text()
		if strings.TrimSpace(text) == "" {
			continue
		}
		if fields = slices.AppendSeq(fields[:0], split(text)); len(fields) != columns {
			return nil, fmt.Errorf("%w: line %d has %d columns, not %d", ErrFormat, line, len(fields), columns)
		}
		if err := t.add(line, fields); err != nil {
			return nil, err
		}
		if check != nil {
			if err := check(t.row(t.rows - 1)); err != nil {
				return nil, fmt.Errorf("line %d: %w", line, err)
			}
		}
	}
	if err := in.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, fmt.Errorf("%w: a line of more than %d bytes", ErrFormat, bufio.MaxScanTokenSize)
	} else if err != nil {
		return nil, readError(err)
	}
	if t.rows == 0 {
		return nil, fmt.Errorf("%w: no data", ErrFormat)
	}
	return t, nil
}
