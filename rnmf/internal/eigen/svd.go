package eigen

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/dense"
	"github.com/robustnmf/robustnmf/rnmf/internal/work"
)

// SVD returns the r ≤ min(m, n) leading singular triplets of x, and whether it got
// through: the rows of ut (r×m) and vt (r×n) are orthonormal, s falls, and the largest
// entry of a row of ut is positive.
//
// The vectors of the shorter side are eigenvectors of its Gram matrix, those of
// the longer side are their images under x. Squaring costs accuracy: singular
// values below 10⁻¹⁰ of the largest are taken for 0, and vectors of those below
// some 10⁻⁷ of it are orthonormal but no more than rough. Where those from 10⁻⁴ on are a
// thousand times the others, as where single entries are gross, the others are found
// apart, in what these leave of x, and are right down to 10⁻¹¹.
func SVD(x *mat.Dense, r int, stop func() bool) (ut *mat.Dense, s []float64, vt *mat.Dense, ok bool) {
	m, n := x.Dims()
	var largest float64
	if !work.Pieces(m, 4*n, stop, func(from, to int) {
		for i := from; i < to; i++ {
			for _, v := range x.RawRowView(i) {
				largest = max(largest, math.Abs(v))
			}
		}
	}) {
		return nil, nil, nil, false
	}
	// The shorter side first, and entries whose squares can be summed.
	a, unit := x, 1.0
	if far := largest > 1e30 || largest < 1e-30; m > n || far {
		copied := dense.Copy
		if m > n {
			copied = dense.Transpose
		}
		if a, ok = copied(x, stop); !ok {
			return nil, nil, nil, false
		}
		if far {
			unit = dense.PowerOfTwo(largest)
		}
	}
	p, q := a.Dims()
	if unit != 1 && !work.Pieces(p, 4*q, stop, func(from, to int) { // to entries up to 1
		for i := from; i < to; i++ {
			floats.Scale(1/unit, a.RawRowView(i))
		}
	}) {
		return nil, nil, nil, false
	}

	left, s, right, zero := leading(a, r, stop)
	if left == nil {
		return nil, nil, nil, false
	}
	for k := range s {
		if stop() {
			return nil, nil, nil, false
		}
		row := right.RawRowView(k)
		if s[k] <= zero*s[0] { // also if all are 0
			s[k] = 0
			clear(row)
		} else {
			floats.Scale(1/s[k], row)
		}
		orthonormalise(right, k)
	}
	floats.Scale(unit, s)
	if m <= n {
		ut, vt = left, right
	} else {
		ut, vt = right, left
	}
	for k := range r {
		if u := ut.RawRowView(k); !pointsUp(u) {
			floats.Scale(-1, u)
			floats.Scale(-1, vt.RawRowView(k))
		}
	}
	return ut, s, vt, true
}

// leading returns the r leading left singular vectors of a, the lengths of their images
// under a, these, and the share of the largest length up to which one is taken for 0; nil
// if it is stopped.
func leading(a *mat.Dense, r int, stop func() bool) (left *mat.Dense, s []float64, right *mat.Dense, zero float64) {
	gram, ok := dense.Gram(a, blas.NoTrans, stop)
	if !ok {
		return nil, nil, nil, 0
	}
	if left = Largest(Symmetric{gram}, r, stop); left == nil { // r×p
		return nil, nil, nil, 0
	}
	image := func() bool {
		if right, ok = dense.Mul(left, a, stop); !ok {
			return false
		}
		s = make([]float64, r)
		for k := range s {
			s[k] = floats.Norm(right.RawRowView(k), 2)
		}
		sortFalling(s, left, right)
		return true
	}
	if !image() {
		return nil, nil, nil, 0
	}
	known := 1
	for known < r && s[known] > 1e-3*s[known-1] {
		known++
	}
	if known == r || s[known-1] < 1e-4*s[0] || s[r-1] > 1e-7*s[0] {
		return left, s, right, 1e-10
	}
	// A vector of s_k is right to 10⁻¹⁶(s_0/s_k)², so the rest is to 10⁻¹² s_0.
	p, q := a.Dims()
	rest, ok := dense.Mul(left.Slice(0, known, 0, p).T(), right.Slice(0, known, 0, q).(*mat.Dense), stop)
	if !ok {
		return nil, nil, nil, 0
	}
	norms := make([]float64, p)
	if !work.Pieces(p, 8*q, stop, func(from, to int) {
		for i := from; i < to; i++ {
			row := rest.RawRowView(i)
			floats.SubTo(row, a.RawRowView(i), row)
			norms[i] = floats.Norm(row, 2)
		}
	}) {
		return nil, nil, nil, 0
	}
	const share = 1e-11
	if floats.Norm(norms, 2) <= share*s[0] {
		return left, s, right, 1e-10
	}
	more, _, _, _ := leading(rest, r-known, stop)
	if more == nil {
		return nil, nil, nil, 0
	}
	for k := range r - known {
		if stop() {
			return nil, nil, nil, 0
		}
		copy(left.RawRowView(known+k), more.RawRowView(k))
		orthonormalise(left, known+k)
	}
	if !image() {
		return nil, nil, nil, 0
	}
	return left, s, right, share
}

// orthonormalise makes row k orthogonal to the rows above it, which are
// orthonormal, and gives it length 1. A row that lies in their span is replaced
// by the unit vector that lies the least in it.
func orthonormalise(q *mat.Dense, k int) {
	_, p := q.Dims()
	row := q.RawRowView(k)
	coefficients := make([]float64, k)
	project := func() (before, after float64) {
		before = floats.Norm(row, 2)
		if k > 0 && before > 0 {
			above := q.Slice(0, k, 0, p).(*mat.Dense).RawMatrix()
			x := blas64.Vector{N: p, Inc: 1, Data: row}
			c := blas64.Vector{N: k, Inc: 1, Data: coefficients}
			blas64.Gemv(blas.NoTrans, 1, above, x, 0, c)
			blas64.Gemv(blas.Trans, -1, above, c, 1, x)
		}
		return before, floats.Norm(row, 2)
	}
	before, after := project()
	if after <= 1e-13*before {
		least, at := math.Inf(1), 0
		for j := range p {
			var in float64
			for i := range k {
				in += q.At(i, j) * q.At(i, j)
			}
			if in < least {
				least, at = in, j
			}
		}
		clear(row)
		row[at] = 1
		_, after = project()
	}
	floats.Scale(1/after, row)
	_, after = project() // twice is enough (Kahan)
	floats.Scale(1/after, row)
}

// sortFalling sorts s, and the rows of a and b with it. Images of eigenvectors
// are in order but for rounding, so an insertion sort has nearly nothing to do.
func sortFalling(s []float64, a, b *mat.Dense) {
	swap := func(m *mat.Dense, i, j int) {
		x, y := m.RawRowView(i), m.RawRowView(j)
		for k := range x {
			x[k], y[k] = y[k], x[k]
		}
	}
	for i := range s {
		for j := i; j > 0 && s[j] > s[j-1]; j-- {
			s[j], s[j-1] = s[j-1], s[j]
			swap(a, j, j-1)
			swap(b, j, j-1)
		}
	}
}

// pointsUp tells whether the largest entry of v is positive: the first of those
// that are as large up to rounding.
func pointsUp(v []float64) bool {
	large := (1 - 1e-8) * floats.Norm(v, math.Inf(1))
	for _, x := range v {
		if math.Abs(x) >= large {
			return x >= 0
		}
	}
	return true
}
