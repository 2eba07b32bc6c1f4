package panel

import (
	"fmt"
	"math"
	"runtime/debug"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets/sparse"
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
	Sparse *sparse.Matrix
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

// FromDense cuts a matrix in memory into panels of the given width, the last of which may be narrower,
// without a copy. Width 0 makes one panel of all columns.
func FromDense(x *mat.Dense, width int) Source {
	s := denseSource{x: x}
	if x != nil {
		s.m, s.n = x.Dims()
	}
	s.width = widthOf(width, s.n)
	return s
}

// FromSparse is FromDense for a sparse matrix, which stays sparse. Readers of package datasets make one of
// Matrix Market (ReadMTX), SciPy's archives (ReadNPZ) and MATLAB files.
func FromSparse(x *sparse.Matrix, width int) Source {
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
	if err := checkPanel(p, s.Panels()); err != nil {
		return Panel{}, err
	}
	from, to := s.Columns(p)
	return Panel{Dense: s.x.Slice(0, s.m, from, to).(*mat.Dense)}, nil
}

type sparseSource struct {
	cut
	x *sparse.Matrix
}

func (s sparseSource) Load(p int) (Panel, error) {
	if err := checkPanel(p, s.Panels()); err != nil {
		return Panel{}, err
	}
	from, to := s.Columns(p)
	return Panel{Sparse: columnsOf(s.x, from, to)}, nil
}

// columnsOf returns some columns of a sparse matrix, which share its entries.
func columnsOf(x *sparse.Matrix, from, to int) *sparse.Matrix {
	if from == 0 && to == x.Cols {
		return x
	}
	first, last := x.Start[from], x.Start[to]
	start := make([]int, to-from+1)
	for j := range start {
		start[j] = x.Start[from+j] - first
	}
	return &sparse.Matrix{Rows: x.Rows, Cols: to - from, Start: start, Row: x.Row[first:last], Value: x.Value[first:last]}
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

// checkPanel finds a number of a panel that is out of range.
func checkPanel(p, panels int) error {
	if p < 0 || p >= panels {
		return fmt.Errorf("%w: panel %d, want 0 to %d", rnmf.ErrParameter, p, panels-1)
	}
	return nil
}

// given returns the source that a caller gave.
func given(s Source) Source {
	if w, ok := s.(*checkedSource); ok {
		return w.Source
	}
	return s
}

// load loads a panel and compares its shape with that of the source. A panic of Load is an error: on a
// goroutine of ours nobody could recover from it.
func load(s Source, p int) (x Panel, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panel %d: Load of %T panicked: %v\n\n%s", p, given(s), v, debug.Stack())
		}
	}()
	x, err = s.Load(p)
	if err == nil {
		err = x.fits()
	}
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

// fits finds a panel that is no matrix.
func (x Panel) fits() error {
	switch {
	case x.Dense != nil && x.Sparse != nil:
		return fmt.Errorf("%w: a panel with both Dense and Sparse", rnmf.ErrParameter)
	case x.Sparse != nil:
		return x.Sparse.Check()
	case x.Dense == nil:
		return fmt.Errorf("%w: a panel with neither Dense nor Sparse", rnmf.ErrEmpty)
	}
	return nil
}

// check finds a panel that is no matrix, and the first bad entry of one whose first column is column
// from of X.
func (x Panel) check(from int) error {
	if err := x.fits(); err != nil {
		return err
	}
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
	for j := range x.Sparse.Cols {
		for k := x.Sparse.Start[j]; k < x.Sparse.Start[j+1]; k++ {
			if v := x.Sparse.Value[k]; !(v >= 0 && v <= maxEntry) {
				return &rnmf.EntryError{Matrix: "X", Row: int(x.Sparse.Row[k]), Col: from + j, Value: v, Err: checkEntry(v)}
			}
		}
	}
	return nil
}
