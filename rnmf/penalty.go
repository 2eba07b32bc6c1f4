package rnmf

import "gonum.org/v1/gonum/mat"

// A Penalty is a term of the objective that depends on one factor alone, given with r rows: H, or
// Wᵀ. Majorize adds to q an upper bound of it that touches at v: a part D∘V², a part −2C∘V, or
// both, through q.Diagonal and q.Linear. A concave term is bounded by its tangent, as a loss is.
//
// A Penalty may have more methods: Check() error finds bad parameters before a fit; Signed() bool
// returns true if it is defined for negative entries, as the W of semi-NMF has; Rounding(v) float64
// is by how much rounding may change its value at v, where that is a difference of larger numbers.
type Penalty interface {
	Value(v *mat.Dense) float64
	Majorize(q *Quadratic, v *mat.Dense)
}

// A SamplePenalty is a Penalty that belongs to the samples of one fit: their labels, their
// neighbours, and all that joins columns of H. Transform leaves it out, and applies every other
// penalty on H to new samples. Check returns an error if it cannot act on a factor r×n.
type SamplePenalty interface {
	Penalty
	Check(r, n int) error
}

// Lasso is the L1 norm of a factor, λ Σ v.
type Lasso struct{ Lambda float64 }

// Value returns λ Σ v.
func (p Lasso) Value(v *mat.Dense) float64 { return p.Lambda * mat.Sum(v) }

// Check finds a bad parameter.
func (p Lasso) Check() error { return checkLambda("Lasso.Lambda", p.Lambda) }

// Majorize subtracts λ/2 from C.
func (p Lasso) Majorize(q *Quadratic, _ *mat.Dense) {
	c := q.Linear().RawMatrix().Data
	for i := range c {
		c[i] -= p.Lambda / 2
	}
}

// Ridge is the squared norm of a factor, λ Σ v².
type Ridge struct{ Lambda float64 }

// Value returns λ Σ v².
func (p Ridge) Value(v *mat.Dense) float64 {
	f := mat.Norm(v, 2)
	return p.Lambda * f * f
}

// Check finds a bad parameter.
func (p Ridge) Check() error { return checkLambda("Ridge.Lambda", p.Lambda) }

// Signed returns true.
func (p Ridge) Signed() bool { return true }

// Majorize adds λ to D.
func (p Ridge) Majorize(q *Quadratic, _ *mat.Dense) {
	d := q.Diagonal().RawMatrix().Data
	for i := range d {
		d[i] += p.Lambda
	}
}
