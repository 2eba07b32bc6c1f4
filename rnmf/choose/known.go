package choose

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
)

// A notKnown error says in which field the mask is that hides a missing entry: the Mask of a Model, which
// rnmf.ErrNotFinite names, does not count here.
type notKnown struct{ text string }

func (e *notKnown) Error() string { return e.text }

func (e *notKnown) Unwrap() error { return rnmf.ErrNotFinite }

// wantKnown finds the first entry of x that is no finite number and that the mask, the field of a name,
// does not hide. A mask of another shape is the business of others.
func wantKnown(x, mask mat.Matrix, field string) error {
	m, n := x.Dims()
	if mask != nil {
		if rows, cols := mask.Dims(); rows != m || cols != n {
			return nil
		}
	}
	for i := range m {
		for j := range n {
			if v := x.At(i, j); math.IsNaN(v-v) && (mask == nil || mask.At(i, j) > 0) {
				return &notKnown{fmt.Sprintf("choose: X[%d,%d] = %g is no finite number: where an entry is missing set %s to 0", i, j, v, field)}
			}
		}
	}
	return nil
}
