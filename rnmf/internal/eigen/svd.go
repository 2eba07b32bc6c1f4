package rnmf

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/robustnmf/robustnmf/rnmf/internal/work"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Principal is what PCA found: X ≈ Mean·1ᵀ + Components·Scores.
type Principal struct {
	Mean       []float64  // m, the mean sample
	Components *mat.Dense // m×r, orthonormal columns
	Scores     *mat.Dense // r×n, Componentsᵀ(X − Mean·1ᵀ)
	Variance   []float64  // r, of each row of Scores, divided by n−1; falling
	Total      float64    // variance of X, of which Σ Variance is explained
}

// PCA finds the r directions along which the columns of x vary most, the
// eigenvectors of
//
//	C = 1/(n−1) Σⱼ (xⱼ − x̄)(xⱼ − x̄)ᵀ,  1 ≤ r ≤ min(m, n).
//
// The largest entry of a component, the first of several, is positive.
// Directions without variance complete the basis and have variance 0.
func PCA(x mat.Matrix, r int) (*Principal, error) { return PCAContext(context.Background(), x, r) }

// PCAContext is PCA that returns ctx.Err() soon after ctx ends.
func PCAContext(ctx context.Context, x mat.Matrix, r int) (*Principal, error) {
	d, err := dataMatrix("X", x)
	if err != nil {
		return nil, err
	}
	m, n := d.Dims()
	if r < 1 || r > min(m, n) {
		return nil, fmt.Errorf("%w: %d components of %d×%d data, want 1 to %d", ErrRank, r, m, n, min(m, n))
	}
	p := &Principal{Mean: rowMeans(d), Variance: make([]float64, r)}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	stop := func() bool { return ctx.Err() != nil }
	c, done := copyPieces(d, false, stop)
	if !done || !work.Pieces(m, 4*n, stop, func(from, to int) {
		for i := from; i < to; i++ {
			floats.AddConst(-p.Mean[i], c.RawRowView(i))
		}
	}) {
		return nil, ctx.Err()
	}
	ut, _, _, err := topSVD(ctx, c, r)
	if err != nil {
		return nil, err
	}
	p.Components = mat.DenseCopyOf(ut.T())
	if p.Scores, done = mulPieces(ut, c, stop); !done {
		return nil, ctx.Err()
	}
	per := float64(max(n-1, 1))
	for k := range p.Variance {
		norm := floats.Norm(p.Scores.RawRowView(k), 2)
		p.Variance[k] = norm * norm / per
	}
	norms := make([]float64, m)
	if !work.Pieces(m, 4*n, stop, func(from, to int) {
		for i := from; i < to; i++ {
			norms[i] = floats.Norm(c.RawRowView(i), 2)
		}
	}) {
		return nil, ctx.Err()
	}
	norm := floats.Norm(norms, 2)
	p.Total = norm * norm / per
	return p, nil
}

// Project returns the scores (r×n) of the columns of x (m×n), new data say.
func (p *Principal) Project(x mat.Matrix) (*mat.Dense, error) {
	d, err := dataMatrix("X", x)
	if err != nil {
		return nil, err
	}
	_, n := d.Dims()
	if err := wantDims("X", d, len(p.Mean), n); err != nil {
		return nil, err
	}
	c := mat.DenseCopyOf(d)
	for i, mean := range p.Mean {
		floats.AddConst(-mean, c.RawRowView(i))
	}
	var out mat.Dense
	out.Mul(p.Components.T(), c)
	return &out, nil
}

// Reconstruct returns the samples (m×n) that have the given scores (r×n).
func (p *Principal) Reconstruct(scores mat.Matrix) (*mat.Dense, error) {
	s, err := dataMatrix("scores", scores)
	if err != nil {
		return nil, err
	}
	_, r := p.Components.Dims()
	_, n := s.Dims()
	if err := wantDims("scores", s, r, n); err != nil {
		return nil, err
	}
	var out mat.Dense
	out.Mul(p.Components, s)
	for i, mean := range p.Mean {
		floats.AddConst(mean, out.RawRowView(i))
	}
	return &out, nil
}

// rowMeans is exact for a constant row, which so keeps no trace of variance.
func rowMeans(x *mat.Dense) []float64 {
	m, _ := x.Dims()
	means := make([]float64, m)
	for i := range means {
		row := x.RawRowView(i)
		var sum float64
		for _, v := range row {
			sum += v - row[0]
		}
		means[i] = row[0] + sum/float64(len(row))
	}
	return means
}

// topSVD returns the r ≤ min(m, n) leading singular triplets of x: the rows of
// ut (r×m) and vt (r×n) are orthonormal, s falls, and the largest entry of a
// row of ut is positive.
//
// The vectors of the shorter side are eigenvectors of its Gram matrix, those of
// the longer side are their images under x. Squaring costs accuracy: singular
// values below 10⁻¹⁰ of the largest are taken for 0, and vectors of those below
// some 10⁻⁷ of it are orthonormal but no more than rough.
func topSVD(ctx context.Context, x *mat.Dense, r int) (ut *mat.Dense, s []float64, vt *mat.Dense, err error) {
	m, n := x.Dims()
	stop := func() bool { return ctx.Err() != nil }
	var largest float64
	if !work.Pieces(m, 4*n, stop, func(from, to int) {
		for i := from; i < to; i++ {
			for _, v := range x.RawRowView(i) {
				largest = max(largest, math.Abs(v))
			}
		}
	}) {
		return nil, nil, nil, ctx.Err()
	}
	// The shorter side first, and entries whose squares can be summed.
	a, unit := x, 1.0
	if far := largest > 1e30 || largest < 1e-30; m > n || far {
		var done bool
		if a, done = copyPieces(x, m > n, stop); !done {
			return nil, nil, nil, ctx.Err()
		}
		if far {
			unit = powerOfTwo(largest)
		}
	}
	p, q := a.Dims()
	if unit != 1 && !work.Pieces(p, 4*q, stop, func(from, to int) { // to entries up to 1
		for i := from; i < to; i++ {
			floats.Scale(1/unit, a.RawRowView(i))
		}
	}) {
		return nil, nil, nil, ctx.Err()
	}

	gram := mat.NewSymDense(p, nil)
	if err := addOuter(ctx, gram, a, blas.NoTrans); err != nil {
		return nil, nil, nil, err
	}
	left, err := topEigen(ctx, gram, r) // r×p
	if err != nil {
		return nil, nil, nil, err
	}
	right, done := mulPieces(left, a, stop)
	if !done {
		return nil, nil, nil, ctx.Err()
	}

	s = make([]float64, r)
	for k := range s {
		s[k] = floats.Norm(right.RawRowView(k), 2)
	}
	sortFalling(s, left, right)
	for k := range s {
		if err := ctx.Err(); err != nil {
			return nil, nil, nil, err
		}
		row := right.RawRowView(k)
		if s[k] <= 1e-10*s[0] { // also if all are 0
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
	return ut, s, vt, nil
}

// addOuter adds aaᵀ, or aᵀa with blas.Trans, to sym, in pieces that take some
// milliseconds each.
func addOuter(ctx context.Context, sym *mat.SymDense, a *mat.Dense, t blas.Transpose) error {
	p := sym.SymmetricDim()
	rows, cols := a.Dims()
	inner, other := cols, blas.Trans
	if t == blas.Trans {
		inner, other = rows, blas.NoTrans
	}
	const depth = 64
	to := sym.RawSymmetric().Data // the upper triangle; what is below is not read
	for k := 0; k < inner; k += depth {
		part := func(from, until int) blas64.General {
			if t == blas.Trans {
				return a.Slice(k, min(k+depth, rows), from, until).(*mat.Dense).RawMatrix()
			}
			return a.Slice(from, until, k, min(k+depth, cols)).(*mat.Dense).RawMatrix()
		}
		if !work.Pieces((p+63)/64, 64*depth*p, func() bool { return ctx.Err() != nil }, func(from, until int) {
			from, until = 64*from, min(64*until, p)
			blas64.Gemm(t, other, 1, part(from, until), part(from, p), 1,
				blas64.General{Rows: until - from, Cols: p - from, Stride: p, Data: to[from*p+from:]})
		}) {
			return ctx.Err()
		}
	}
	return nil
}

// topEigen returns the eigenvectors of the r largest eigenvalues of a positive
// semi-definite matrix, as rows. Small matrices are decomposed whole; for large
// ones a block of vectors is multiplied until the wanted ones are eigenvectors
// up to rounding (orthogonal iteration with Rayleigh-Ritz; the start is random
// and always the same), and should that take too long they are decomposed too.
func topEigen(ctx context.Context, gram *mat.SymDense, r int) (*mat.Dense, error) {
	p := gram.SymmetricDim()
	const small, rounds, spare = 400, 200, 16
	b := 2*r + spare
	if p > small && 4*b <= p {
		if q, err := orthogonalIteration(ctx, gram, r, b, rounds); q != nil || err != nil {
			return q, err
		}
	}
	return allEigen(ctx, gram, r)
}

// allEigen returns the last r eigenvectors of the full decomposition, the one
// of the largest eigenvalue first.
func allEigen(ctx context.Context, gram *mat.SymDense, r int) (*mat.Dense, error) {
	p := gram.SymmetricDim()
	if p >= 128 { // see eigen
		for _, gap := range []float64{1e-3, 2} {
			if _, rows, ok := eigenTridiagonal(p, rowsOfSym(gram), r, gap, func() bool { return ctx.Err() != nil }); ok {
				return rows, nil
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
	}
	var e mat.EigenSym
	mustFactorize(&e, gram)
	var v mat.Dense
	e.VectorsTo(&v)
	out := mat.NewDense(r, p, nil)
	for k := range r {
		mat.Col(out.RawRowView(k), p-1-k, &v)
	}
	return out, nil
}

func mustFactorize(e *mat.EigenSym, gram *mat.SymDense) {
	if !e.Factorize(gram, true) {
		panic("rnmf: the eigenvalues of a finite symmetric matrix do not converge")
	}
}

// orthogonalIteration returns nil if it takes too many rounds.
func orthogonalIteration(ctx context.Context, gram *mat.SymDense, r, b, rounds int) (*mat.Dense, error) {
	p := gram.SymmetricDim()
	full := mat.NewDense(p, p, nil)
	full.Copy(gram)
	rng := rand.New(rand.NewPCG(1, 2))
	q := mat.NewDense(b, p, nil)
	for i := range b {
		row := q.RawRowView(i)
		for j := range row {
			row[j] = rng.NormFloat64()
		}
	}
	stop := func() bool { return ctx.Err() != nil }
	small := mat.NewSymDense(b, nil)
	for range rounds {
		for k := range b {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			orthonormalise(q, k)
		}
		y, done := mulPieces(q, full, stop)
		if !done {
			return nil, ctx.Err()
		}
		t := mat.NewDense(b, b, nil) // Q·G·Qᵀ
		if !work.Pieces(b, b*p, stop, func(from, to int) {
			t.Slice(from, to, 0, b).(*mat.Dense).Mul(y.Slice(from, to, 0, p), q.T())
		}) {
			return nil, ctx.Err()
		}
		for i := range b {
			for j := i; j < b; j++ {
				small.SetSym(i, j, (t.At(i, j)+t.At(j, i))/2)
			}
		}
		z, err := allEigen(ctx, small, b)
		if err != nil {
			return nil, err
		}
		ritz, done := mulPieces(z, q, stop)
		if !done {
			return nil, ctx.Err()
		}
		image, done := mulPieces(z, y, stop)
		if !done {
			return nil, ctx.Err()
		}
		// Ritz vector v with value θ = vᵀGv is an eigenvector if Gv = θv.
		largest := floats.Dot(ritz.RawRowView(0), image.RawRowView(0))
		done = true
		for k := 0; k < r && done; k++ {
			v, gv := ritz.RawRowView(k), image.RawRowView(k)
			theta := floats.Dot(v, gv)
			var residual float64
			for j, g := range gv {
				d := g - theta*v[j]
				residual += d * d
			}
			done = math.Sqrt(residual) <= 1e-12*largest
		}
		if done {
			return mat.DenseCopyOf(ritz.Slice(0, r, 0, p)), nil
		}
		q.Copy(image)
	}
	return nil, nil
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

// powerOfTwo returns a power of two of about the size of the largest entry: a
// unit in which squares neither overflow nor vanish, and dividing by it is exact.
func powerOfTwo(largest float64) float64 {
	if largest == 0 {
		return 1
	}
	_, e := math.Frexp(largest)
	return math.Ldexp(1, max(e, -1000))
}
