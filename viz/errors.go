package viz

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/internal/isnil"
)

// The kinds of errors. Each error wraps one of these, so that errors.Is finds it, and its message
// names the place.
var (
	ErrEmpty     = errors.New("viz: nothing to draw")
	ErrShape     = errors.New("viz: shapes do not match")
	ErrNotFinite = errors.New("viz: not a finite number")
	ErrOption    = errors.New("viz: option out of range")
)

// huge bounds what can be drawn: the difference of two such numbers is finite.
const huge = 1e300

func drawable(v float64) bool { return math.Abs(v) <= huge }

// checkValues returns an error for an empty slice or one with an entry that
// cannot be drawn.
func checkValues(name string, v []float64) error {
	if len(v) == 0 {
		return fmt.Errorf("%w: %s has no values", ErrEmpty, name)
	}
	for i, x := range v {
		if !drawable(x) {
			return fmt.Errorf("%w: %s[%d] = %g", ErrNotFinite, name, i, x)
		}
	}
	return nil
}

// checkMatrix returns the dimensions and the range of x, or an error for an
// empty matrix or one with an entry that cannot be drawn.
func checkMatrix(name string, x mat.Matrix) (rows, cols int, lo, hi float64, err error) {
	if isnil.Matrix(x) {
		return 0, 0, 0, 0, fmt.Errorf("%w: %s is nil", ErrEmpty, name)
	}
	if err := isnil.Check(x); err != nil {
		return 0, 0, 0, 0, fmt.Errorf("%w: %s: %w", ErrShape, name, err)
	}
	rows, cols = x.Dims()
	if rows == 0 || cols == 0 {
		return 0, 0, 0, 0, fmt.Errorf("%w: %s is %d×%d", ErrEmpty, name, rows, cols)
	}
	lo, hi = math.Inf(1), math.Inf(-1)
	for i := range rows {
		for j := range cols {
			v := x.At(i, j)
			if !drawable(v) {
				return 0, 0, 0, 0, fmt.Errorf("%w: %s[%d,%d] = %g", ErrNotFinite, name, i, j, v)
			}
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	return rows, cols, lo, hi, nil
}

// checkImages checks that the columns of x, named so, are images of h×w.
func checkImages(name string, x mat.Matrix, h, w int) (n int, lo, hi float64, err error) {
	m, n, lo, hi, err := checkMatrix(name, x)
	if err != nil {
		return 0, 0, 0, err
	}
	if h <= 0 || w <= 0 {
		return 0, 0, 0, fmt.Errorf("%w: images of %d×%d pixels: set Height and Width", ErrOption, h, w)
	}
	if m%w != 0 || m/w != h {
		return 0, 0, 0, fmt.Errorf("%w: %s has %d rows, an image of %d×%d needs their product", ErrShape, name, m, h, w)
	}
	return n, lo, hi, nil
}
