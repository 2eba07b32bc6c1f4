package rnmf

import (
	"math"

	"github.com/robustnmf/robustnmf/rnmf/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// kkt returns how far an exact coordinate step would still move the factors,
//
//	max over V ∈ {W, H} of ‖V − max(0, V − ∇/(2·curvature))‖_F / ‖V‖_F,
//
// which is 0 exactly where the KKT conditions V ≥ 0, ∇ ≥ 0, V∘∇ = 0 hold. It has no unit.
func (f *fit) kkt() float64 {
	if constraint(f.solverW) != nil || constraint(f.solverH) != nil {
		return f.moves()
	}
	if f.onlyH {
		return f.kktOf(false)
	}
	return max(f.kktOf(false), f.kktOf(true))
}

func (f *fit) kktOf(ofW bool) float64 {
	q, v, penalties := f.quadratic(ofW), f.h, f.model.OnH
	if ofW {
		v, penalties = f.wt, f.model.OnW
		f.weighSamples(q, f.squaredNorms)
	}
	f.majorize(q, v, penalties)
	q.FreezeNeighbors(v)
	width := tileWidth(q.m, q.n, 2)
	count := (q.n + width - 1) / width
	moved := make([]float64, count)
	u, uu := q.layout.crossBy(q.pool.sharing(8*q.m*q.r)), q.layout.squares()
	w := new(walk)
	f.pool.share(count, q.m*q.n*q.r, func(t *Tile, i int) {
		t.load(q, w, v, i*width, min(width, q.n-i*width))
		t.residual()
		t.weigh() // not weighOnce, which may leave out weights of columns
		moved[i] = t.moved(u, uu)
	})
	return relative(math.Sqrt(total(moved)), v)
}

// moves replaces kkt where a factor lies in another set than V ≥ 0: it is how far another half-step
// moves each factor, relative to its norm.
func (f *fit) moves() float64 {
	far := f.moved(f.quadratic(false), f.h, f.model.OnH, f.solverH)
	if f.onlyH {
		return far
	}
	return max(far, f.moved(f.quadraticOfW(f.sawNext), f.wt, f.model.OnW, f.solverW))
}

func (f *fit) moved(q *Quadratic, v *mat.Dense, penalties []Penalty, s Solver) float64 {
	if c := constraint(s); c != nil {
		s = c.Probe()
	}
	to := mat.DenseCopyOf(v)
	f.majorize(q, to, penalties)
	f.lower(q, to, s)
	to.Sub(to, v)
	return relative(mat.Norm(to, 2), v)
}

// relative returns length/‖v‖, or length if v is 0. The quotient may overflow, and length is no number
// where a solver leaves none.
func relative(length float64, v *mat.Dense) float64 {
	norm := mat.Norm(v, 2)
	if norm == 0 {
		norm = 1
	}
	if far := length / norm; far <= math.MaxFloat64 {
		return far
	}
	return math.MaxFloat64
}

// moved returns the squared length of one exact step of all coordinates at once; uu is U∘U.
func (t *Tile) moved(u, uu *kernel.Cross) float64 {
	r, b := t.R, t.B
	space := t.Space(2 * r * b)
	num, den := space[:r*b], space[r*b:]
	if t.q.family != Gaussian {
		kernel.Score(t.e, t.omega, t.X(), t.Y(), t.omega)
	} else {
		kernel.Mul(t.e, t.omega)
	}
	u.Add(num, t.e, b)
	uu.Add(den, t.omega, b)
	if t.C != nil {
		for i, c := range t.C {
			num[i] += c
		}
	}
	if t.D != nil {
		for i, d := range t.D {
			num[i] -= d * t.V[i]
			den[i] += d
		}
	}
	kernel.Step(t.V, num, num, den) // changes the tile, not the factor
	sum, _ := kernel.SumSquares(num, nil)
	return sum
}
