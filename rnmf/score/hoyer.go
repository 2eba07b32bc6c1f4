package score

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/internal/input"
	"github.com/robustnmf/robustnmf/rnmf"
)

// Hoyer is the sparsity of a vector of n entries (Hoyer 2004),
//
//	(√n − ‖v‖₁/‖v‖₂) / (√n − 1),
//
// 0 when all entries are of equal size and 1 when only one is not 0. A vector of zeros and a single
// number have sparsity 0, so that an unused part does not count as a sparse one.
func Hoyer(v []float64) (float64, error) {
	if len(v) == 0 {
		return 0, fmt.Errorf("%w: no entries", rnmf.ErrEmpty)
	}
	if err := input.Finite("v", v); err != nil {
		return 0, err
	}
	big := floats.Norm(v, math.Inf(1))
	if big == 0 || len(v) == 1 {
		return 0, nil
	}
	var one, two float64
	for _, x := range v {
		x = math.Abs(x) / big // in [0, 1]: no overflow
		one += x
		two += x * x
	}
	root := math.Sqrt(float64(len(v)))
	return min(max((root-one/math.Sqrt(two))/(root-1), 0), 1), nil
}

// HoyerColumns returns the sparsity of each column: those of a basis W, say.
// Hand over H.T() for the rows of H.
func HoyerColumns(a mat.Matrix) ([]float64, error) {
	d, err := input.Matrix("A", a)
	if err != nil {
		return nil, err
	}
	m, n := d.Dims()
	column, out := make([]float64, m), make([]float64, n)
	for j := range out {
		if out[j], err = Hoyer(mat.Col(column, j, d)); err != nil {
			return nil, err
		}
	}
	return out, nil
}
