package baseline

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/internal/input"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/internal/work"
)

// SRC is sparse representation classification (Wright et al. 2009): a sample x is
// written with few of the training samples, the columns d_k of D,
//
//	min over a of ½‖x − Da‖² + λ‖a‖₁,
//
// and gets the class c whose own samples leave the smallest residual, ‖x − D_c a_c‖. The Truncated
// Cauchy paper classifies the coefficients H in this way. All columns have length 1; a has both
// signs, as in both papers.
type SRC struct {
	// Lambda is λ as a share of max |d_kᵀx|; from 1 on, a is 0. The value 0 means 0.01.
	Lambda float64
}

// Classify returns the class of each column of test (m×p); labels are those of
// the columns of train (m×n), numbers from 0 up. Ties go to the smallest label. It
// returns ctx.Err() soon after ctx ends.
func (s SRC) Classify(ctx context.Context, train mat.Matrix, labels []int, test mat.Matrix) ([]int, error) {
	if s.Lambda < 0 || s.Lambda >= 1 || math.IsNaN(s.Lambda) {
		return nil, input.Parameter("SRC.Lambda", s.Lambda, "0 (a hundredth) to 1")
	}
	if s.Lambda == 0 {
		s.Lambda = 0.01
	}
	d, err := input.Matrix("train", train)
	if err != nil {
		return nil, err
	}
	x, err := input.Matrix("test", test)
	if err != nil {
		return nil, err
	}
	m, n := d.Dims()
	_, p := x.Dims()
	if err := input.Dims("test", x, m, p); err != nil {
		return nil, err
	}
	if len(labels) != n {
		return nil, fmt.Errorf("%w: %d labels of %d training samples", rnmf.ErrShape, len(labels), n)
	}
	classes, place, err := input.Labels("labels", labels)
	if err != nil {
		return nil, err
	}
	of := make([]int, n)
	for k, l := range labels {
		of[k] = place[l]
	}
	stop := func() bool { return ctx.Err() != nil }
	atoms, samples := unitColumns(d, stop), unitColumns(x, stop)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	found := make([]int, p)
	pool := work.New(stop)
	pool.Open()
	defer pool.Close()
	problems := make([]*lasso, pool.Size())
	pool.Each(p, func(worker, j int) {
		if problems[worker] == nil {
			problems[worker] = newLasso(atoms)
		}
		l := problems[worker]
		l.solve(samples[j], s.Lambda)
		found[j] = classes[l.class(samples[j], of, len(classes))]
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return found, nil
}

// unitColumns returns the columns of a at length 1, those of 0 as they are.
func unitColumns(a *mat.Dense, stop func() bool) [][]float64 {
	m, n := a.Dims()
	out := make([][]float64, n)
	work.Pieces(n, 16*m, stop, func(from, to int) {
		for j := from; j < to; j++ {
			out[j] = mat.Col(nil, j, a)
			if top := floats.Norm(out[j], math.Inf(1)); top > 0 {
				divide(out[j], top) // so that no square is lost
				floats.Scale(1/floats.Norm(out[j], 2), out[j])
			}
		}
	})
	return out
}

// divide divides v by a positive unit.
func divide(v []float64, unit float64) {
	if unit < 0x1p-1000 { // its inverse may be infinite
		floats.Scale(0x1p100, v)
		unit *= 0x1p100
	}
	floats.Scale(1/unit, v)
}

// A lasso minimises ½‖x − Da‖² + λ‖a‖₁ over a. It is at the minimum where, with
// e = x − Da,
//
//	d_kᵀe = λ sign(a_k)  if a_k ≠ 0,   |d_kᵀe| ≤ λ  if not.
//
// Coordinate descent finds out which a_k are not 0. On those the problem is a
// linear system as long as no sign changes (Lee et al. 2007), which is solved up to
// the first that does: with columns as alike as those of H, descent alone would
// take thousands of sweeps.
type lasso struct {
	atoms  [][]float64
	a, e   []float64
	lambda float64
	active []int     // where a is not 0
	failed []float64 // see enter
}

func newLasso(atoms [][]float64) *lasso {
	return &lasso{atoms: atoms, a: make([]float64, len(atoms)), e: make([]float64, len(atoms[0])), failed: make([]float64, len(atoms))}
}

// lassoTol is how far the conditions may be from holding, as a share of λ.
const lassoTol = 1e-6

func (l *lasso) solve(x []float64, share float64) {
	clear(l.a)
	l.active = l.active[:0]
	copy(l.e, x)
	l.lambda = 0
	for _, d := range l.atoms {
		l.lambda = max(l.lambda, share*math.Abs(floats.Dot(d, x)))
	}
	if l.lambda == 0 {
		return // x is 0, or has a right angle with every column
	}
	for range 1000 + len(l.a) {
		if l.enter() <= lassoTol*l.lambda {
			return
		}
		for range 100 {
			var worst float64
			for range 3 {
				worst = 0
				for _, k := range l.active {
					worst = max(worst, l.coordinate(k))
				}
			}
			if worst <= 0.1*lassoTol*l.lambda {
				break
			}
			l.activate()
			l.newton()
		}
	}
}

// enter takes those coordinates to their minimum whose conditions fail most, and
// returns by how much that is. To move all that fail would let in many that do not
// stay.
func (l *lasso) enter() (worst float64) {
	for k := range l.a {
		_, l.failed[k] = l.condition(k)
		worst = max(worst, l.failed[k])
	}
	if worst > 0 {
		for k, f := range l.failed {
			if f >= 0.8*worst {
				l.coordinate(k)
			}
		}
	}
	l.activate()
	return worst
}

// activate lists the coordinates that are not 0.
func (l *lasso) activate() {
	l.active = l.active[:0]
	for k, a := range l.a {
		if a != 0 {
			l.active = append(l.active, k)
		}
	}
}

// condition returns g = d_kᵀe, and by how much the condition on a_k fails.
func (l *lasso) condition(k int) (g, failed float64) {
	g = floats.Dot(l.atoms[k], l.e)
	if a := l.a[k]; a != 0 {
		return g, math.Abs(g - math.Copysign(l.lambda, a))
	}
	return g, max(0, math.Abs(g)-l.lambda)
}

// coordinate takes a_k to its minimum, soft(a_k + d_kᵀe, λ) as ‖d_k‖ is 1, and
// returns by how much its condition failed before.
func (l *lasso) coordinate(k int) (failed float64) {
	g, failed := l.condition(k)
	if failed > 0 { // d_k is not 0
		z := l.a[k] + g
		l.set(k, math.Copysign(max(0, math.Abs(z)-l.lambda), z))
	}
	return failed
}

func (l *lasso) set(k int, a float64) {
	if a != l.a[k] {
		floats.AddScaled(l.e, l.a[k]-a, l.atoms[k])
		l.a[k] = a
	}
}

// newton goes from a along the way to the solution of the active system,
// D_AᵀD_A a = D_Aᵀx − λ sign(a), as far as the objective falls and no sign
// changes; a coordinate that becomes 0 is left there.
func (l *lasso) newton() {
	n := len(l.active)
	if n == 0 {
		return
	}
	gram, g := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	for i, k := range l.active {
		for j, o := range l.active[:i+1] {
			gram.SetSym(i, j, floats.Dot(l.atoms[k], l.atoms[o]))
		}
		// A trace on the diagonal keeps the system solvable where columns depend
		// on each other; any way downhill will do.
		gram.SetSym(i, i, gram.At(i, i)+1e-10)
		g.SetVec(i, floats.Dot(l.atoms[k], l.e)-math.Copysign(l.lambda, l.a[k]))
	}
	var c mat.Cholesky
	var way mat.VecDense
	if !c.Factorize(gram) {
		return
	}
	if err := c.SolveVecTo(&way, g); err != nil && way.Len() != n {
		return
	}
	// The minimum along the way, from the residual itself.
	moved := make([]float64, len(l.e))
	for i, k := range l.active {
		floats.AddScaled(moved, way.AtVec(i), l.atoms[k])
	}
	slope, curvature := mat.Dot(g, &way), floats.Dot(moved, moved)
	if !(slope > 0) || !(curvature > 0) {
		return
	}
	t, first := slope/curvature, -1
	for i, k := range l.active {
		if a, w := l.a[k], way.AtVec(i); a*w < 0 && -a/w < t {
			t, first = -a/w, i
		}
	}
	for i, k := range l.active {
		a := l.a[k] + t*way.AtVec(i)
		if i == first || a*l.a[k] < 0 {
			a = 0
		}
		l.set(k, a)
	}
	l.active = slices.DeleteFunc(l.active, func(k int) bool { return l.a[k] == 0 })
}

// class returns the class whose part of a leaves the least of x.
func (l *lasso) class(x []float64, of []int, classes int) int {
	best, least := 0, math.Inf(1)
	rest := make([]float64, len(x))
	for c := range classes {
		copy(rest, x)
		for _, k := range l.active {
			if of[k] == c {
				floats.AddScaled(rest, -l.a[k], l.atoms[k])
			}
		}
		if norm := floats.Norm(rest, 2); norm < least {
			best, least = c, norm
		}
	}
	return best
}
