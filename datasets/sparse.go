package datasets

import (
	"fmt"
	"math"
	"sort"

	"gonum.org/v1/gonum/mat"
)

// A Sparse is a matrix of which the entries that are not 0 are kept, column by column, as
// MATLAB and SciPy's csc_matrix do: those of column j are Value[k] in row Row[k] for
// Start[j] ≤ k < Start[j+1], with rising rows. Package rnmf/panel fits it as it is. Other
// models take a mat.Dense, which the method Dense makes if there is room; Pick makes the
// matrix smaller.
type Sparse struct {
	Rows, Cols int
	Start      []int // Cols + 1 of them
	Row        []int32
	Value      []float64
}

var _ mat.Matrix = (*Sparse)(nil)

// Dims returns the size.
func (s *Sparse) Dims() (rows, cols int) { return s.Rows, s.Cols }

// At returns an entry. It panics if that is out of range.
func (s *Sparse) At(i, j int) float64 {
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
func (s *Sparse) T() mat.Matrix { return mat.Transpose{Matrix: s} }

// String returns the size, and how much is not 0.
func (s *Sparse) String() string {
	return fmt.Sprintf("%d×%d with %d entries that are not 0 (%.2g %%)", s.Rows, s.Cols, len(s.Value),
		100*float64(len(s.Value))/max(1, float64(s.Rows)*float64(s.Cols)))
}

// Check returns ErrFormat if the parts do not fit together or rows do not rise.
func (s *Sparse) Check() error {
	n := len(s.Value)
	if s.Rows < 0 || s.Cols < 0 || s.Rows > math.MaxInt32 || len(s.Start) != s.Cols+1 || s.Start[0] != 0 || s.Start[s.Cols] != n || len(s.Row) != n {
		return fmt.Errorf("%w: sparse matrix of %d×%d with %d values, %d rows of entries and %d starts of columns", ErrFormat, s.Rows, s.Cols, n, len(s.Row), len(s.Start))
	}
	for j := range s.Cols {
		from, to := s.Start[j], s.Start[j+1]
		if from > to || to > n {
			return fmt.Errorf("%w: sparse matrix: column %d has the entries %d to %d of %d", ErrFormat, j, from, to, n)
		}
		for k := from; k < to; k++ {
			switch i := s.Row[k]; {
			case i < 0 || int(i) >= s.Rows:
				return fmt.Errorf("%w: sparse matrix: row %d of %d in column %d", ErrFormat, i, s.Rows, j)
			case k > from && i == s.Row[k-1]:
				return fmt.Errorf("%w: sparse matrix: the entry in row %d and column %d comes twice", ErrFormat, i, j)
			case k > from && i < s.Row[k-1]:
				return fmt.Errorf("%w: sparse matrix: the rows of column %d do not rise", ErrFormat, j)
			}
		}
	}
	return nil
}

// Sort brings the entries of each column in order; it changes the matrix itself. The
// error is that of Check.
func (s *Sparse) Sort() error {
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
func (s *Sparse) Transposed() *Sparse {
	t := &Sparse{Rows: s.Cols, Cols: s.Rows, Start: make([]int, s.Rows+1), Row: make([]int32, len(s.Row)), Value: make([]float64, len(s.Row))}
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
// takes all of them. A row may be given once. The error is ErrColumn for one that is out
// of range.
func (s *Sparse) Pick(rows, columns []int) (*Sparse, error) {
	to := make([]int32, s.Rows)
	t := &Sparse{Rows: s.Rows, Start: []int{0}}
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
			return nil, fmt.Errorf("%w: row %d of %d is out of range or given twice", ErrColumn, i, s.Rows)
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
			return nil, fmt.Errorf("%w: %d of %d", ErrColumn, j, s.Cols)
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

// Dense returns all entries. The error is ErrTooLarge if they are more than the readers
// keep of a file (see SetMaxValues), and ErrSize if there are none.
func (s *Sparse) Dense() (*mat.Dense, error) { return s.dense(maxValues()) }

func (s *Sparse) dense(limit int) (*mat.Dense, error) {
	switch product(limit, s.Rows, s.Cols) {
	case 0:
		return nil, fmt.Errorf("%w: a sparse matrix of %d×%d", ErrSize, s.Rows, s.Cols)
	case -1:
		return nil, fmt.Errorf("%w: a sparse matrix of %v takes %.3g GB with its zeros, more than %d values: SetMaxValues raises that, Sparse.Pick leaves out rows or columns",
			ErrTooLarge, s, 8e-9*float64(s.Rows)*float64(s.Cols), limit)
	}
	x := mat.NewDense(s.Rows, s.Cols, nil)
	for j := range s.Cols {
		for k := s.Start[j]; k < s.Start[j+1]; k++ {
			x.Set(int(s.Row[k]), j, s.Value[k])
		}
	}
	return x, nil
}

// triplets are the entries of a matrix in any order.
type triplets struct {
	row, col []int32
	value    []float64
	most     int // that are announced
}

func (t *triplets) add(i, j int, v float64) {
	n := max(t.most, len(t.value)+1)
	t.row, t.col, t.value = append(room(t.row, n), int32(i)), append(room(t.col, n), int32(j)), append(room(t.value, n), v)
}

// tripletCost is what an entry takes until it is sorted, in values.
const tripletCost = 3

// matrix sorts the entries, which are in range, and empties the triplets. What it takes
// besides them is charged.
func (t *triplets) matrix(rows, cols int, left *budget) (*Sparse, error) {
	if rows > math.MaxInt32 || cols > math.MaxInt32 {
		return nil, fmt.Errorf("%w: sparse matrix of %d×%d", ErrTooLarge, rows, cols)
	}
	if err := left.take(rows + cols); err != nil { // of which there are two at times
		return nil, fmt.Errorf("sparse matrix of %d×%d: %w", rows, cols, err)
	}
	// By rows first: their transpose has rising rows in each column.
	s := &Sparse{Rows: cols, Cols: rows, Start: make([]int, rows+1), Row: make([]int32, len(t.row)), Value: make([]float64, len(t.row))}
	for _, i := range t.row {
		s.Start[i+1]++
	}
	for i := range rows {
		s.Start[i+1] += s.Start[i]
	}
	at := append([]int(nil), s.Start...)
	for k, i := range t.row {
		s.Row[at[i]], s.Value[at[i]] = t.col[k], t.value[k]
		at[i]++
	}
	*t = triplets{}
	s = s.Transposed()
	return s, s.Check()
}
