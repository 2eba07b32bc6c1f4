// Package audit prepares what notebook 12 shows: the printed tables of the five papers next to ours, which printed
// numbers cannot be, and pictures of stored races. All of it is from stored results.
package audit

import (
	"fmt"
	"image"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/notebooks/lesson"
	"github.com/robustnmf/robustnmf/viz"
)

// A Table is a printed one next to ours: rows and columns of the same names, in percent.
type Table struct {
	Name        string
	Ours, Paper *lesson.Results
	Outlined    []string // rows or columns that have a frame in a map of gaps
}

// newTable is empty, with one digit after the point.
func newTable(name string, outlined ...string) Table {
	return Table{name, &lesson.Results{Digits: 1}, &lesson.Results{Digits: 1}, outlined}
}

// Fold shows the numbers of tables, mean ± deviation of our draws and in brackets what is printed, under a title
// to click on. Rows that only we have are left out, unless the paper has none.
func Fold(title string, tables ...Table) {
	var all []lesson.HTML
	for i, t := range tables {
		name := t.Name
		if i == 0 && len(tables) == 1 {
			name = ""
		}
		ours := t.Ours
		if len(t.Paper.Rows) > 0 {
			ours = ours.Only(t.Paper.Rows...)
		}
		all = append(all, ours.WithPaper(t.Paper, name))
	}
	lesson.Fold(title, all...)
}

// Trials says how many draws of ours the numbers of a table have, and, if any are printed, that the paper's follow in brackets.
func (t Table) Trials() (text string) {
	if len(t.Paper.Rows) > 0 {
		defer func() { text += " (the paper)" }()
	}
	low, high := math.MaxInt, 0
	for _, row := range t.Ours.Rows {
		for _, column := range t.Ours.Columns {
			if n := len(t.Ours.Values(row, column)); n > 0 {
				low, high = min(low, n), max(high, n)
			}
		}
	}
	switch {
	case high == 1:
		return "1 trial"
	case low >= high:
		return fmt.Sprintf("%d trials", high)
	}
	return fmt.Sprintf("%d to %d trials", low, high)
}

// Join puts the columns of tables next to each other.
func Join(name string, tables ...Table) Table {
	all := newTable(name)
	for _, t := range tables {
		all.Outlined = t.Outlined
		for i, from := range []*lesson.Results{t.Ours, t.Paper} {
			to := []*lesson.Results{all.Ours, all.Paper}[i]
			for _, row := range from.Rows {
				for _, column := range from.Columns {
					to.Add(row, column, from.Values(row, column)...)
				}
			}
		}
	}
	return all
}

// gaps are ours − paper in the columns that the paper has, of the rows without a gap.
func (t Table) gaps() (rows []string, gaps *mat.Dense) {
	var all []float64
	for _, row := range t.Paper.Rows {
		var line []float64
		for _, column := range t.Paper.Columns {
			line = append(line, t.Ours.Mean(row, column)-t.Paper.Mean(row, column))
		}
		if !slices.ContainsFunc(line, math.IsNaN) {
			rows, all = append(rows, row), append(all, line...)
		}
	}
	if len(rows) == 0 {
		return nil, nil
	}
	return rows, mat.NewDense(len(rows), len(t.Paper.Columns), all)
}

// within counts how many of all gaps are of at most some points.
func within(points float64, gaps *mat.Dense) (near, all int) {
	for _, gap := range gaps.RawMatrix().Data {
		if all++; math.Abs(gap) <= points {
			near++
		}
	}
	return near, all
}

// blocks are the rows and columns of these names.
func blocks(names, rows, columns []string) (all []image.Rectangle) {
	for _, name := range names {
		if i := slices.Index(rows, name); i >= 0 {
			all = append(all, image.Rect(0, i, len(columns), i+1))
		}
		if j := slices.Index(columns, name); j >= 0 {
			all = append(all, image.Rect(j, 0, j+1, len(rows)))
		}
	}
	return all
}

// Gaps draws heat maps of ours − paper, next to each other; rows that are those of the map before are not named again. Titles count
// how many numbers lie within some points, and what the tables outline has a frame. Red and blue are full at 40 points in all of them.
func Gaps(near float64, tables ...Table) viz.Figure {
	var maps []viz.Figure
	var named []string
	for i, t := range tables {
		rows, gaps := t.gaps()
		if rows == nil {
			fmt.Println(t.Name + ": no row is complete in both tables")
			continue
		}
		count, all := within(near, gaps)
		names := rows
		if slices.Equal(rows, named) {
			names = make([]string, len(rows))
		}
		named = rows
		maps = append(maps, lesson.Must(viz.Heatmap(gaps, viz.HeatmapOptions{Title: fmt.Sprintf("%s: %d of %d within %g points", t.Name, count, all, near),
			RowNames: names, ColumnNames: t.Paper.Columns, Map: viz.Diverging, Min: -40, Max: 40, Values: true, Digits: -1,
			BarLabel: "ours − paper, points", NoBar: i < len(tables)-1, Outlined: blocks(t.Outlined, rows, t.Paper.Columns)})))
	}
	if len(maps) == 0 {
		return nil
	}
	return lesson.Must(viz.Row(maps...))
}

// means are those of all rows and columns.
func means(r *lesson.Results) *mat.Dense {
	x := mat.NewDense(len(r.Rows), len(r.Columns), nil)
	for i, row := range r.Rows {
		for j, column := range r.Columns {
			x.Set(i, j, r.Mean(row, column))
		}
	}
	return x
}
