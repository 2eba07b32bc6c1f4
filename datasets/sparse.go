package datasets

import (
	"fmt"
	"math"

	"github.com/robustnmf/robustnmf/datasets/sparse"
)

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
func (t *triplets) matrix(rows, cols int, left *budget) (*sparse.Matrix, error) {
	if rows > math.MaxInt32 || cols > math.MaxInt32 {
		return nil, fmt.Errorf("%w: sparse matrix of %d×%d", ErrTooLarge, rows, cols)
	}
	if err := left.take(rows + cols); err != nil { // of which there are two at times
		return nil, fmt.Errorf("sparse matrix of %d×%d: %w", rows, cols, err)
	}
	// By rows first: their transpose has rising rows in each column.
	s := &sparse.Matrix{Rows: cols, Cols: rows, Start: make([]int, rows+1), Row: make([]int32, len(t.row)), Value: make([]float64, len(t.row))}
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
