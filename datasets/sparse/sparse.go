// Package sparse has the matrix of which the entries that are not 0 are kept. It lies below package
// datasets, which reads such matrices, and package rnmf/panel, which fits them.
package sparse

import (
	"fmt"
	"math"
	"sort"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets/internal/limit"
)

// A Matrix is a matrix of which the entries that are not 0 are kept, column by column, as
// MATLAB and SciPy's csc_matrix do: those of column j are Value[k] in row Row[k] for
// Start[j] ≤ k < Start[j+1], with rising rows. Package rnmf/panel fits it as it is. Other
// models take a mat.Dense, which the method Dense makes if there is room; Pick makes the
// matrix smaller.
type Matrix struct {
	Rows, Cols int
	Start      []int // Cols + 1 of them
	Row        []int32
	Value      []float64
}

var _ mat.Matrix = (*Matrix)(nil)

// Dims returns the size.
func (s *Matrix) Dims() (rows, cols int) { return s.Rows, s.Cols }

// At returns an entry. It panics if that is out of range.
func (s *Matrix) At(i, j int) float64 {
	if i < 0 || i >= s.Rows {
		panic(mat.ErrRowAccess)
	}
	if j < 0 || j >= s.Cols {
		panic(mat.ErrColAccess)
	}
	rows := s.Row[s.Start[j]:s.Start[j+1]]
	if k := sort.Search(len(rows), func(k int) bool { return int(rows[k]) >= i }); k < len(rows) && int(rows[k]) == i {
		return s.Value[s.Start[j]+k]
	}
	return 0
}

// T returns the transpose, which shares the data; see Transposed.
func (s *Matrix) T() mat.Matrix { return mat.Transpose{Matrix: s} }

// String returns the size, and how much is not 0.
func (s *Matrix) String() string {
	return fmt.Sprintf("%d×%d with %d entries that are not 0 (%.2g %%)", s.Rows, s.Cols, len(s.Value),
		100*float64(len(s.Value))/max(1, float64(s.Rows)*float64(s.Cols)))
}

// Check returns datasets.ErrFormat if the parts do not fit together or rows do not rise.
func (s *Matrix) Check() error {
	n := len(s.Value)
	if s.Rows < 0 || s.Cols < 0 || s.Rows > math.MaxInt32 || len(s.Start) != s.Cols+1 || s.Start[0] != 0 || s.Start[s.Cols] != n || len(s.Row) != n {
		return fmt.Errorf("%w: sparse matrix of %d×%d with %d values, %d rows of entries and %d starts of columns", limit.ErrFormat, s.Rows, s.Cols, n, len(s.Row), len(s.Start))
	}
	for j := range s.Cols {
		from, to := s.Start[j], s.Start[j+1]
		if from > to || to > n {
			return fmt.Errorf("%w: sparse matrix: column %d has the entries %d to %d of %d", limit.ErrFormat, j, from, to, n)
		}
		for k := from; k < to; k++ {
			switch i := s.Row[k]; {
			case i < 0 || int(i) >= s.Rows:
				return fmt.Errorf("%w: sparse matrix: row %d of %d in column %d", limit.ErrFormat, i, s.Rows, j)
			case k > from && i == s.Row[k-1]:
				return fmt.Errorf("%w: sparse matrix: the entry in row %d and column %d comes twice", limit.ErrFormat, i, j)
			case k > from && i < s.Row[k-1]:
				return fmt.Errorf("%w: sparse matrix: the rows of column %d do not rise", limit.ErrFormat, j)
			}
		}
	}
	return nil
}

// Sort brings the entries of each column in order; it changes the matrix itself. The
// error is that of Check.
func (s *Matrix) Sort() error {
	for j := range s.Cols {
		if len(s.Start) != s.Cols+1 || s.Start[j] < 0 || s.Start[j] > s.Start[j+1] || s.Start[j+1] > min(len(s.Row), len(s.Value)) {
			break // Check says what is wrong
		}
		c := sparseColumn{s.Row[s.Start[j]:s.Start[j+1]], s.Value[s.Start[j]:s.Start[j+1]]}
		if !sort.IsSorted(c) {
			sort.Sort(c)
		}
	}
	return s.Check()
}

type sparseColumn struct {
	row   []int32
	value []float64
}

func (c sparseColumn) Len() int           { return len(c.row) }
func (c sparseColumn) Less(a, b int) bool { return c.row[a] < c.row[b] }
func (c sparseColumn) Swap(a, b int) {
	c.row[a], c.row[b] = c.row[b], c.row[a]
	c.value[a], c.value[b] = c.value[b], c.value[a]
}

// Transposed returns the transpose as a matrix of its own. It panics if Check is an error.
func (s *Matrix) Transposed() *Matrix {
	t := &Matrix{Rows: s.Cols, Cols: s.Rows, Start: make([]int, s.Rows+1), Row: make([]int32, len(s.Row)), Value: make([]float64, len(s.Row))}
	for _, i := range s.Row {
		t.Start[i+1]++
	}
	for i := range s.Rows {
		t.Start[i+1] += t.Start[i]
	}
	at := append([]int(nil), t.Start...)
	for j := range s.Cols {
		for k := s.Start[j]; k < s.Start[j+1]; k++ {
			to := &at[s.Row[k]]
			t.Row[*to], t.Value[*to] = int32(j), s.Value[k]
			*to++
		}
	}
	return t
}

// Pick returns the given rows and columns, in that order, as a matrix of its own; nil
// takes all of them. A row may be given once. The error is datasets.ErrColumn for one that is out
// of range, or that of Check.
func (s *Matrix) Pick(rows, columns []int) (*Matrix, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	to := make([]int32, s.Rows)
	t := &Matrix{Rows: s.Rows, Start: []int{0}}
	for i := range to {
		if to[i] = -1; rows == nil {
			to[i] = int32(i)
		}
	}
	if rows != nil {
		t.Rows = len(rows)
	}
	for k, i := range rows {
		if i < 0 || i >= s.Rows || to[i] >= 0 {
			return nil, fmt.Errorf("%w: row %d of %d is out of range or given twice", limit.ErrColumn, i, s.Rows)
		}
		to[i] = int32(k)
	}
	if columns == nil {
		for j := range s.Cols {
			columns = append(columns, j)
		}
	}
	for _, j := range columns {
		if j < 0 || j >= s.Cols {
			return nil, fmt.Errorf("%w: %d of %d", limit.ErrColumn, j, s.Cols)
		}
		for k := s.Start[j]; k < s.Start[j+1]; k++ {
			if i := to[s.Row[k]]; i >= 0 {
				t.Row, t.Value = append(t.Row, i), append(t.Value, s.Value[k])
			}
		}
		t.Start = append(t.Start, len(t.Value))
	}
	t.Cols = len(columns)
	return t, t.Sort()
}

// Dense returns all entries. The error is datasets.ErrTooLarge if they are more than its readers keep of
// a file (see datasets.SetMaxValues), datasets.ErrSize if there are none, and that of Check.
func (s *Matrix) Dense() (*mat.Dense, error) { return s.DenseWithin(limit.Values()) }

// DenseWithin is Dense with another bound of the number of entries.
func (s *Matrix) DenseWithin(most int) (*mat.Dense, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	switch {
	case s.Rows == 0 || s.Cols == 0:
		return nil, fmt.Errorf("%w: a sparse matrix of %d×%d", limit.ErrSize, s.Rows, s.Cols)
	case s.Rows > most/s.Cols:
		return nil, fmt.Errorf("%w: a sparse matrix of %v takes %.3g GB with its zeros, more than %d values: SetMaxValues raises that, Pick leaves out rows or columns",
			limit.ErrTooLarge, s, 8e-9*float64(s.Rows)*float64(s.Cols), most)
	}
	x := mat.NewDense(s.Rows, s.Cols, nil)
	for j := range s.Cols {
		for k := s.Start[j]; k < s.Start[j+1]; k++ {
			x.Set(int(s.Row[k]), j, s.Value[k])
		}
	}
	return x, nil
}
