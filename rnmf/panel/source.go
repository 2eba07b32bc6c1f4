package panel

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
)

// A Source is X (m×n), cut into panels of neighbouring columns. Load is called by one goroutine at
// a time, and the panel that it returns is used until the call after the next: two panels are in
// memory at once, one in use and one that is being loaded.
type Source interface {
	// Dims returns the shape of X.
	Dims() (m, n int)
	// Panels returns the number of panels.
	Panels() int
	// Columns returns the first column of panel p, and the one after its last.
	Columns(p int) (from, to int)
	// Load returns panel p.
	Load(p int) (Panel, error)
}

// A Panel is some columns of X, dense or sparse: one of its fields is set.
type Panel struct {
	Dense  *mat.Dense
	Sparse *datasets.Sparse
}

// Dims returns the shape of the panel.
func (x Panel) Dims() (rows, columns int) {
	switch {
	case x.Dense != nil:
		return x.Dense.Dims()
	case x.Sparse != nil:
		return x.Sparse.Dims()
	}
	return 0, 0
}

// Dense cuts a matrix in memory into panels of the given width, the last of which may be narrower,
// without a copy. Width 0 makes one panel of all columns.
func Dense(x *mat.Dense, width int) Source {
	s := denseSource{x: x}
	if x != nil {
		s.m, s.n = x.Dims()
	}
	s.width = widthOf(width, s.n)
	return s
}

// Sparse is Dense for a sparse matrix, which stays sparse. Readers of package datasets make one of
// Matrix Market (ReadMTX), SciPy's archives (ReadNPZ) and MATLAB files.
func Sparse(x *datasets.Sparse, width int) Source {
	s := sparseSource{x: x}
	if x != nil {
		s.m, s.n = x.Dims()
	}
	s.width = widthOf(width, s.n)
	return s
}

func widthOf(width, n int) int {
	if width <= 0 || width > n {
		return max(n, 1)
	}
	return width
}

// cut is n columns in panels of one width.
type cut struct{ m, n, width int }

func (c cut) Dims() (m, n int) { return c.m, c.n }
func (c cut) Panels() int      { return (c.n + c.width - 1) / c.width }
func (c cut) Columns(p int) (from, to int) {
	return p * c.width, min((p+1)*c.width, c.n)
}

type denseSource struct {
	cut
	x *mat.Dense
}

func (s denseSource) Load(p int) (Panel, error) {
	from, to := s.Columns(p)
	return Panel{Dense: s.x.Slice(0, s.m, from, to).(*mat.Dense)}, nil
}

type sparseSource struct {
	cut
	x *datasets.Sparse
}

func (s sparseSource) Load(p int) (Panel, error) {
	from, to := s.Columns(p)
	return Panel{Sparse: columnsOf(s.x, from, to)}, nil
}

// columnsOf returns some columns of a sparse matrix, which share its entries.
func columnsOf(x *datasets.Sparse, from, to int) *datasets.Sparse {
	if from == 0 && to == x.Cols {
		return x
	}
	first, last := x.Start[from], x.Start[to]
	start := make([]int, to-from+1)
	for j := range start {
		start[j] = x.Start[from+j] - first
	}
	return &datasets.Sparse{Rows: x.Rows, Cols: to - from, Start: start, Row: x.Row[first:last], Value: x.Value[first:last]}
}

// checkSource finds a source that does not fit together, without loading anything.
func checkSource(s Source) error {
	if s == nil {
		return fmt.Errorf("%w: the source is nil", rnmf.ErrEmpty)
	}
	m, n := s.Dims()
	if m <= 0 || n <= 0 || s.Panels() <= 0 {
		return fmt.Errorf("%w: X is %d×%d, in %d panels", rnmf.ErrEmpty, m, n, s.Panels())
	}
	next := 0
	for p := range s.Panels() {
		from, to := s.Columns(p)
		if from != next || to <= from {
			return fmt.Errorf("%w: panel %d is columns %d to %d, want it to begin at %d and to have a column", rnmf.ErrShape, p, from, to, next)
		}
		next = to
	}
	if next != n {
		return fmt.Errorf("%w: the panels have %d columns, X has %d", rnmf.ErrShape, next, n)
	}
	switch s := s.(type) {
	case sparseSource:
		return s.x.Check()
	}
	return nil
}

// load loads a panel and compares its shape with that of the source.
func load(s Source, p int) (Panel, error) {
	x, err := s.Load(p)
	if err != nil {
		return x, fmt.Errorf("panel %d: %w", p, err)
	}
	m, _ := s.Dims()
	from, to := s.Columns(p)
	if rows, columns := x.Dims(); rows != m || columns != to-from {
		return x, fmt.Errorf("%w: panel %d is %d×%d, want %d×%d", rnmf.ErrShape, p, rows, columns, m, to-from)
	}
	return x, nil
}

// maxEntry is the largest entry that rnmf accepts.
const maxEntry = 1e100

// checkEntry returns what is wrong with an entry of X.
func checkEntry(v float64) error {
	switch {
	case v >= 0 && v <= maxEntry:
		return nil
	case math.IsNaN(v) || math.IsInf(v, 0):
		return rnmf.ErrNotFinite
	case v < 0:
		return rnmf.ErrNegative
	}
	return rnmf.ErrTooLarge
}

// check finds the first bad entry of a panel whose first column is column from of X.
func (x Panel) check(from int) error {
	if x.Dense != nil {
		rows, _ := x.Dense.Dims()
		for i := range rows {
			for j, v := range x.Dense.RawRowView(i) {
				if bad := checkEntry(v); bad != nil {
					return &rnmf.EntryError{Matrix: "X", Row: i, Col: from + j, Value: v, Err: bad}
				}
			}
		}
		return nil
	}
	if x.Sparse == nil {
		return fmt.Errorf("%w: a panel with neither Dense nor Sparse", rnmf.ErrEmpty)
	}
	if err := x.Sparse.Check(); err != nil {
		return errors.Join(err)
	}
	for j := range x.Sparse.Cols {
		for k := x.Sparse.Start[j]; k < x.Sparse.Start[j+1]; k++ {
			if v := x.Sparse.Value[k]; !(v >= 0 && v <= maxEntry) {
				return &rnmf.EntryError{Matrix: "X", Row: int(x.Sparse.Row[k]), Col: from + j, Value: v, Err: checkEntry(v)}
			}
		}
	}
	return nil
}
