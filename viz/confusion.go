package viz

import (
	"fmt"
	"strconv"
)

// ConfusionOptions say how Confusion draws.
type ConfusionOptions struct {
	Title            string
	XLabel, YLabel   string   // empty: found, and true class
	Classes          []string // names of the rows; nil: numbers from 0
	Found            []string // names of the columns; nil: Classes if the matrix is square
	Counts           bool     // colour by count instead of by the share of its row
	NoBar, NoNumbers bool
}

// Confusion draws a confusion matrix: counts[i][j] samples of class i were found to be j. Colours
// show the share of the row. Counts are written into the cells where they fit, up to about 16
// classes; with forty classes there are colours alone.
//
// It returns ErrEmpty, ErrShape for ragged rows or if there is not one name for
// each class, and ErrOption for a negative count.
func Confusion(counts [][]int, opt ConfusionOptions) (*Picture, error) {
	if len(counts) == 0 || len(counts[0]) == 0 {
		return nil, fmt.Errorf("%w: no counts", ErrEmpty)
	}
	m, n := len(counts), len(counts[0])
	share := make([]float64, m)
	largest := 1.0
	for i, row := range counts {
		if len(row) != n {
			return nil, fmt.Errorf("%w: row %d has %d counts, but the first has %d", ErrShape, i, len(row), n)
		}
		total := 0.0
		for j, v := range row {
			if v < 0 {
				return nil, fmt.Errorf("%w: counts[%d][%d] = %d, want 0 or more", ErrOption, i, j, v)
			}
			total += float64(v)
			largest = max(largest, float64(v))
		}
		if total > 0 {
			share[i] = 1 / total
		}
	}
	found := opt.Found
	if found == nil && m == n {
		found = opt.Classes
	}
	if (opt.Classes != nil && len(opt.Classes) != m) || (found != nil && len(found) != n) {
		return nil, fmt.Errorf("%w: %d names of classes and %d of clusters for %d×%d counts", ErrShape, len(opt.Classes), len(found), m, n)
	}
	g := grid{
		rows: m, cols: n, lo: 0, hi: 1, m: Blues,
		at:       func(i, j int) float64 { return float64(counts[i][j]) * share[i] },
		rowNames: opt.Classes, colNames: found,
		title: opt.Title, xlabel: opt.XLabel, ylabel: opt.YLabel,
		bar: !opt.NoBar, barLabel: "share of the class",
	}
	if g.xlabel == "" {
		g.xlabel = "found"
	}
	if g.ylabel == "" {
		g.ylabel = "true class"
	}
	if opt.Counts {
		g.hi, g.barLabel = largest, "samples"
		g.at = func(i, j int) float64 { return float64(counts[i][j]) }
	}
	if !opt.NoNumbers && m <= 16 && n <= 16 {
		g.text = func(i, j int) string {
			if counts[i][j] == 0 {
				return "" // an empty cell reads faster than a 0
			}
			return strconv.Itoa(counts[i][j])
		}
	}
	return g.draw()
}
