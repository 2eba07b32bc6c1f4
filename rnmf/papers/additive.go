package papers

import (
	"cmp"
	"github.com/robustnmf/robustnmf/rnmf"

	"gonum.org/v1/gonum/mat"
)

// Additive solves with the outliers subtracted from the data instead of with weights: see
// Quadratic.Additive. HALS and multiplicative updates then need only products with U and UUᵀ. It
// works for every loss, and is slow where the weights differ by orders of magnitude (L1 with a
// small Eps). RNMF-L1 and RLS-NMF alternate in this form.
type Additive struct {
	Solver rnmf.Solver // nil: HALS{}
}

// Unwrap returns the solver below.
func (a Additive) Unwrap() rnmf.Solver { return cmp.Or[rnmf.Solver](a.Solver, rnmf.HALS{}) }

// Improve runs the solver below on q.Additive().
func (a Additive) Improve(q *rnmf.Quadratic, v *mat.Dense) {
	a.Unwrap().Improve(q.Additive(), v)
}
