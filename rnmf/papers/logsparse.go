package papers

import (
	"github.com/robustnmf/robustnmf/rnmf"
	"math"

	"gonum.org/v1/gonum/mat"
)

// LogSparse is the log norm of a factor (RLS-NMF paper, section 3.1, where ε is 1),
//
//	λ Σ log(1 + v/ε).
//
// It lies between l0, which counts what is not 0, and L1: entries far below ε cost λv/ε, as under
// Sparse, and large ones hardly more as they grow. Being concave it lies below its tangent,
//
//	log(1 + u/ε) ≤ log(1 + v/ε) + (u − v)/(ε + v),
//
// a weighted L1 norm (Candès, Wakin and Boyd 2008), so each solver lowers it. With MU{} this is
// (13)-(14) of the paper, except for a longer step with a graph, where β/(1 + v) and 2λGV enter as
// their difference. (The paper takes the expansion (21) for exact.)
//
// On one factor alone it has no minimum, as it shrinks with the factor while the other grows: give
// both a penalty. With both too heavy all components become 0: see Collapsed, and PenaltyUnits for
// weights that mean the same on all data.
type LogSparse struct {
	Lambda float64
	Scale  float64 // ε; 0 is 1
}

// Value returns λ Σ log(1 + v/ε).
func (p LogSparse) Value(v *mat.Dense) float64 {
	var sum float64
	eps := p.eps()
	for _, x := range v.RawMatrix().Data {
		sum += math.Log1p(x / eps)
	}
	return p.Lambda * sum
}

// Majorize subtracts λ/(2(ε + v)) from C.
func (p LogSparse) Majorize(q *rnmf.Quadratic, v *mat.Dense) {
	c, eps := q.Linear().RawMatrix().Data, p.eps()
	for i, x := range v.RawMatrix().Data {
		c[i] -= p.Lambda / (2 * (eps + x))
	}
}

// Check finds a bad parameter.
func (p LogSparse) Check() error {
	if !(p.Scale == 0 || p.Scale >= leastScale && p.Scale <= maxEntry) {
		return errParameter("LogSparse.Scale", p.Scale, "a positive number, or 0 for 1")
	}
	return checkLambda("LogSparse.Lambda", p.Lambda)
}

func (p LogSparse) eps() float64 {
	if p.Scale == 0 {
		return 1
	}
	return p.Scale
}
