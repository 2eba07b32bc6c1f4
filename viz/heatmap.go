package viz

import (
	"cmp"
	"fmt"
	"image"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// HeatmapOptions say how Heatmap draws. The zero value maps the range of the
// matrix to Viridis, next to a colour bar.
type HeatmapOptions struct {
	Title, XLabel, YLabel string
	RowNames, ColumnNames []string // nil: numbers from 0
	Map                   ColorMap // nil: Viridis, or Diverging with Centered
	Min, Max              float64  // range of the colours; both 0: of the values
	Centered              bool     // a range that is symmetric about zero
	Values                bool     // write the values into the cells where they fit
	Digits                int      // of these values after the point; 0: 2, negative: none
	// Note returns what stands after the value of an entry of the matrix, as ▲; nil: nothing.
	Note     func(row, column int) string
	BarLabel string
	NoBar    bool
	// RowOrder and ColumnOrder are the order in which rows and columns are drawn, with their names
	// and Tracks: each has every index once; nil: as they are. OrderByPart returns an order for
	// coefficients, choose.Consensus.Order one for a consensus.
	RowOrder, ColumnOrder []int
	Tracks                []Track // above the columns: what is known of them
	// Outlined are blocks of cells that get a black frame: X counts columns and Y rows, as they are drawn, so
	// that image.Rect(0, 2, 5, 3) is the third row of a matrix with five columns.
	Outlined []image.Rectangle
}

// A Track is a line of colours above the columns of a heat map, the class of each.
type Track struct {
	Name    string
	Classes []int    // one for each column, from 0; -1 is unknown, and white
	Names   []string // of the classes; nil: the numbers
}

// OrderByPart returns an order of the columns of coefficients h (r×n) in which those of one part
// are next to each other: by the row of their largest entry and, within a row, by this entry as a
// share of the column, the largest first. Take h of Result.Normalized(2), as Result.Clusters does.
// It panics if an entry is NaN, or h is nil.
func OrderByPart(h mat.Matrix) []int {
	r, n := h.Dims()
	order, part, share := make([]int, n), make([]int, n), make([]float64, n)
	for j := range n {
		order[j] = j
		sum := 0.0
		for k := range r {
			v := h.At(k, j)
			if math.IsNaN(v) {
				panic(fmt.Errorf("%w: H[%d,%d]", ErrNotFinite, k, j))
			}
			if v > h.At(part[j], j) {
				part[j] = k
			}
			sum += math.Abs(v)
		}
		if sum > 0 {
			share[j] = h.At(part[j], j) / sum
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(part[a], part[b]), cmp.Compare(share[b], share[a]))
	})
	return order
}

// permutation returns an order, the natural one for nil, or an error for what is none.
func permutation(name string, order []int, n int) ([]int, error) {
	seen := make([]bool, n)
	if order == nil {
		order = make([]int, n)
		for i := range order {
			order[i] = i
		}
	}
	if len(order) != n {
		return nil, fmt.Errorf("%w: %s has %d places, want %d", ErrShape, name, len(order), n)
	}
	for k, i := range order {
		if i < 0 || i >= n || seen[i] {
			return nil, fmt.Errorf("%w: %s[%d] = %d is out of range or given twice", ErrOption, name, k, i)
		}
		seen[i] = true
	}
	return order, nil
}

// pick returns names in an order; nil for nil.
func pick(names []string, order []int) []string {
	if names == nil {
		return nil
	}
	out := make([]string, len(order))
	for k, i := range order {
		out[k] = names[i]
	}
	return out
}

// Heatmap draws the matrix x, row 0 on top, in cells of one colour: weights,
// coefficients, consensus. A matrix with more rows or columns than pixels is
// averaged over blocks.
//
// It returns ErrEmpty; ErrShape if there is not one name for each row or column, not one place for
// each in an order, or not one class for each column in a track; ErrNotFinite; and ErrOption for an
// empty range, an index that is given twice in an order, a class below −1 or above 65536, and a block
// to outline that is empty or not within the matrix.
func Heatmap(x mat.Matrix, opt HeatmapOptions) (*Picture, error) {
	m, n, lo, hi, err := checkMatrix("X", x)
	if err != nil {
		return nil, err
	}
	if opt.RowNames != nil && len(opt.RowNames) != m {
		return nil, fmt.Errorf("%w: %d names for %d rows", ErrShape, len(opt.RowNames), m)
	}
	if opt.ColumnNames != nil && len(opt.ColumnNames) != n {
		return nil, fmt.Errorf("%w: %d names for %d columns", ErrShape, len(opt.ColumnNames), n)
	}
	g := grid{rows: m, cols: n, title: opt.Title, xlabel: opt.XLabel, ylabel: opt.YLabel, barLabel: opt.BarLabel, bar: !opt.NoBar}
	if g.lo, g.hi, g.m, err = opt.colors(lo, hi); err != nil {
		return nil, err
	}
	rows, err := permutation("RowOrder", opt.RowOrder, m)
	if err != nil {
		return nil, err
	}
	cols, err := permutation("ColumnOrder", opt.ColumnOrder, n)
	if err != nil {
		return nil, err
	}
	g.at = func(i, j int) float64 { return x.At(rows[i], cols[j]) }
	g.rowNames, g.colNames = pick(opt.RowNames, rows), pick(opt.ColumnNames, cols)
	if opt.RowOrder != nil && g.rowNames == nil { // numbers that do not ascend say nothing
		g.rowNames = make([]string, m)
	}
	if opt.ColumnOrder != nil && g.colNames == nil {
		g.colNames = make([]string, n)
	}
	for k, block := range opt.Outlined {
		if block.Empty() || !block.In(image.Rect(0, 0, n, m)) {
			return nil, fmt.Errorf("%w: Outlined[%d] = %v is empty or not within %d columns and %d rows", ErrOption, k, block, n, m)
		}
	}
	g.outlined = opt.Outlined
	for k, t := range opt.Tracks {
		of, err := t.ordered(k, cols)
		if err != nil {
			return nil, err
		}
		g.tracks = append(g.tracks, of)
	}
	if opt.Values {
		digits := opt.Digits
		if digits == 0 {
			digits = 2
		}
		digits = max(0, min(digits, 12))
		g.text = func(i, j int) string {
			if opt.Note == nil {
				return decimal(g.at(i, j), digits)
			}
			return decimal(g.at(i, j), digits) + opt.Note(rows[i], cols[j])
		}
	}
	return g.draw()
}

// colors returns the range of the colours and their map, for values from lo to hi.
func (opt HeatmapOptions) colors(lo, hi float64) (from, to float64, m ColorMap, err error) {
	if opt.Min != 0 || opt.Max != 0 {
		if !(opt.Min < opt.Max) || !drawable(opt.Min) || !drawable(opt.Max) {
			return 0, 0, nil, fmt.Errorf("%w: the range from %g to %g is empty or not finite", ErrOption, opt.Min, opt.Max)
		}
		lo, hi = opt.Min, opt.Max
	}
	m = opt.Map
	if opt.Centered {
		hi = max(-lo, hi)
		lo = -hi
		if m == nil {
			m = Diverging
		}
	}
	if m == nil {
		m = Viridis
	}
	if d := max(math.Abs(lo), math.Abs(hi)); hi-lo <= 1e-12*d || d < 1e-250 {
		lo, hi = lo-0.5*max(d, 1), hi+0.5*max(d, 1)
	}
	return lo, hi, m, nil
}

// ordered returns track k as it is drawn above columns in an order.
func (t Track) ordered(k int, cols []int) (track, error) {
	if len(t.Classes) != len(cols) {
		return track{}, fmt.Errorf("%w: track %d (%q) has %d classes for %d columns", ErrShape, k, t.Name, len(t.Classes), len(cols))
	}
	of := track{name: t.Name, names: t.Names, classes: make([]int, len(cols))}
	for j, from := range cols {
		c := t.Classes[from]
		if c < -1 || c > 1<<16 {
			return track{}, fmt.Errorf("%w: track %d (%q) has the class %d for column %d, want -1 to 65536", ErrOption, k, t.Name, c, from)
		}
		of.classes[j] = c
		of.count = max(of.count, c+1)
	}
	return of, nil
}
