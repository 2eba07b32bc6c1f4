package choose

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/internal/isnil"
	"github.com/robustnmf/robustnmf/rnmf"
)

// A notKnown error says in which field the mask is that hides a missing entry: the Mask of a Model, which
// rnmf.ErrNotFinite names, does not count here.
type notKnown struct{ text string }

func (e *notKnown) Error() string { return e.text }

func (e *notKnown) Unwrap() error { return rnmf.ErrNotFinite }

// wantMask finds a mask, the field of a name, that is a nil pointer or has another shape than x, and sparse
// matrices whose parts do not fit together.
func wantMask(x, mask mat.Matrix, field string) error {
	if err := isnil.Check(x); err != nil {
		return fmt.Errorf("%w: X: %w", rnmf.ErrShape, err)
	}
	if mask == nil {
		return nil
	}
	if isnil.Matrix(mask) {
		return fmt.Errorf("%w: %s is nil within the interface", ErrParameter, field)
	}
	if err := isnil.Check(mask); err != nil {
		return fmt.Errorf("%w: %w: %s: %w", ErrParameter, rnmf.ErrShape, field, err)
	}
	m, n := x.Dims()
	if rows, cols := mask.Dims(); rows != m || cols != n {
		return fmt.Errorf("%w: %w: %s is %d×%d, X is %d×%d", ErrParameter, rnmf.ErrShape, field, rows, cols, m, n)
	}
	return nil
}

// wantKnown also finds the first entry of x that is no finite number and that the mask does not hide.
func wantKnown(x, mask mat.Matrix, field string) error {
	if err := wantMask(x, mask, field); err != nil {
		return err
	}
	m, n := x.Dims()
	for i := range m {
		for j := range n {
			if v := x.At(i, j); math.IsNaN(v-v) && (mask == nil || mask.At(i, j) > 0) {
				return &notKnown{fmt.Sprintf("choose: X[%d,%d] = %g is no finite number: where an entry is missing set %s to 0", i, j, v, field)}
			}
		}
	}
	return nil
}
