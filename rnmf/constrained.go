package rnmf

import "gonum.org/v1/gonum/mat"

// A constrained solver changes the set that a factor lies in: FreeW, Orthogonal,
// and that of ConvexNMF.
type constrained interface {
	Solver
	// admit returns an error if a part of the model does not go with the set.
	admit(m Model) error
	// begin puts the start into the set.
	begin(h *mat.Dense)
	// probe returns a solver whose Improve leaves no trace in this one.
	probe() Solver
}

// constraint returns the constrained solver in s, or nil.
func constraint(s Solver) constrained {
	if a, ok := s.(Additive); ok {
		return constraint(a.Solver)
	}
	c, _ := s.(constrained)
	return c
}

// signsW reports whether a solver may leave negative entries in W.
func signsW(s Solver) bool {
	_, ok := constraint(s).(FreeW)
	return ok
}

// moves takes the place of kkt where factors lie in another set than V ≥ 0: how far
// another half-step of the solver moves them, relative to their norm.
func (f *fit) moves(c constrained) float64 {
	far := f.moved(f.quadratic(false), f.h, f.model.OnH, c)
	if f.onlyH {
		return far
	}
	return max(far, f.moved(f.weighted(true), f.wt, f.model.OnW, c))
}

func (f *fit) moved(q *Quadratic, v *mat.Dense, penalties []Penalty, c constrained) float64 {
	to := mat.DenseCopyOf(v)
	for _, p := range penalties {
		p.Majorize(q, to)
	}
	c.probe().Improve(q, to)
	to.Sub(to, v)
	return relative(mat.Norm(to, 2), v)
}

// weighted is quadratic with the weights of the samples under ByColumn.
func (f *fit) weighted(ofW bool) *Quadratic {
	q := f.quadratic(ofW)
	if q.sample == rows && !isFrobenius(q.loss) {
		q.row = f.columnSquares()
		for j, s := range q.row {
			_, q.row[j] = q.loss.Rho(s)
		}
	}
	return q
}
