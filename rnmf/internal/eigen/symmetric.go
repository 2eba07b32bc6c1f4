package eigen

import (
	"slices"

	lapack "gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/mat"
)

// Eigenvalues nearer than this share of the largest form a cluster, in which
// eigenvectors are made orthogonal to each other: see tridiagonal.vectors.
const (
	fineGap  = 1e-5 // for all eigenvectors of a Laplacian
	tightGap = 1e-3 // for those that are to be orthogonal up to rounding
	oneGroup = 2    // all eigenvalues, if that fails
)

// largestOf returns all eigenvalues and the eigenvectors of the largest count of them,
// or nil if it is stopped. The QR iteration of mat.EigenSym takes some 6n³ multiply-adds
// with vectors, one rotation at a time, and cannot be stopped; a large matrix is brought
// to tridiagonal form T instead, whose eigenvectors come from inverse iteration.
func largestOf(a Operator, count int, gap float64, stop func() bool) *Pairs {
	if a.Dim() >= 128 {
		for _, gap := range []float64{gap, oneGroup} {
			if p := byTridiagonal(a, count, gap, stop); p != nil {
				return p
			}
			if stop() {
				return nil
			}
		}
	}
	return byQR(a, count)
}

func byQR(a Operator, count int) *Pairs {
	n := a.Dim()
	sym, row := mat.NewSymDense(n, nil), make([]float64, n)
	for i := range n {
		clear(row)
		a.Row(row[:i+1], i)
		for j, v := range row[:i+1] {
			sym.SetSym(i, j, v)
		}
	}
	var e mat.EigenSym
	if !e.Factorize(sym, true) {
		panic("rnmf: the eigenvalues of a finite symmetric matrix do not converge")
	}
	var ascending mat.Dense
	e.VectorsTo(&ascending)
	p := &Pairs{Values: e.Values(nil), Vectors: mat.NewDense(count, n, nil)}
	slices.Reverse(p.Values)
	for k := range count {
		mat.Col(p.Vectors.RawRowView(k), n-1-k, &ascending)
	}
	return p
}

// byTridiagonal goes by T = QᵀAQ. It returns nil if it does not find eigenvectors, or
// is stopped.
func byTridiagonal(a Operator, count int, gap float64, stop func() bool) *Pairs {
	t := tridiagonalise(a, stop)
	if t == nil {
		return nil
	}
	var impl lapack.Implementation
	values, e := slices.Clone(t.d), slices.Clone(t.e)
	if !impl.Dsterf(len(values), values, e) {
		return nil
	}
	slices.Reverse(values)
	z := mat.NewDense(count, len(values), nil) // eigenvectors of T
	if !t.vectors(z.RawMatrix().Data, values[:count], gap, stop) || !t.back(z, stop) {
		return nil
	}
	return &Pairs{Values: values, Vectors: z}
}
