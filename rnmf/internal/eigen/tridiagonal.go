package eigen

import (
	"math"
	"math/rand/v2"
	"sync/atomic"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack"
	lapackgo "gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/work"
)

// A tridiagonal is a symmetric matrix by its diagonal and what lies next to it.
type tridiagonal struct{ d, e []float64 }

func (t *tridiagonal) norm() (most float64) {
	for i, d := range t.d {
		sum := math.Abs(d)
		if i > 0 {
			sum += math.Abs(t.e[i-1])
		}
		if i < len(t.e) {
			sum += math.Abs(t.e[i])
		}
		most = max(most, sum)
	}
	return most
}

// vectors writes the eigenvectors to the rows of z. Inverse iteration leaves those
// of eigenvalues at a distance g orthogonal up to rounding·‖T‖/g, so those that are
// nearer than a share gap of ‖T‖ are kept orthogonal to each other.
func (t *tridiagonal) vectors(z, values []float64, gap float64, stop func() bool) bool {
	n, norm := len(t.d), t.norm()
	var clusters [][2]int
	for from := 0; from < len(values); {
		to := from + 1
		for to < len(values) && values[to-1]-values[to] < gap*norm {
			to++
		}
		clusters = append(clusters, [2]int{from, to})
		from = to
	}
	pool := work.New(stop)
	pool.Open()
	defer pool.Close()
	space := make([][]float64, pool.Size())
	var failed atomic.Bool
	pool.Each(len(clusters), func(worker, c int) {
		if space[worker] == nil {
			space[worker] = make([]float64, 4*n)
		}
		from, to := clusters[c][0], clusters[c][1]
		for i := from; i < to && !failed.Load(); i++ {
			if stop() || !t.vector(z[from*n:(i+1)*n], values[i], norm, uint64(i), space[worker]) {
				failed.Store(true)
			}
		}
	})
	return !failed.Load() && !stop()
}

// vector finds the eigenvector of a value, the last row of z, orthogonal to the
// rows before.
func (t *tridiagonal) vector(z []float64, value, norm float64, seed uint64, space []float64) bool {
	n := len(t.d)
	x, before := z[len(z)-n:], z[:len(z)-n]
	lower, diagonal, upper, rest := space[:n-1], space[n:2*n], space[2*n:3*n-1], space[3*n:]
	rng := rand.New(rand.NewPCG(seed, 5))
	for i := range x {
		x[i] = rng.Float64() - 0.5
	}
	var impl lapackgo.Implementation
	for range 6 {
		copy(lower, t.e)
		copy(upper, t.e)
		for i, d := range t.d {
			diagonal[i] = d - value
		}
		if !impl.Dgtsv(n, 1, lower, diagonal, upper, x, 1) {
			value += 0x1p-50 * norm
			continue
		}
		for range 2 {
			for i := 0; i < len(before); i += n {
				floats.AddScaled(x, -floats.Dot(before[i:i+n], x), before[i:i+n])
			}
		}
		length := blas64.Nrm2(vector(x))
		if !(length > 0) || math.IsInf(length, 0) {
			return false
		}
		floats.Scale(1/length, x)
		for i, d := range t.d {
			rest[i] = (d - value) * x[i]
			if i > 0 {
				rest[i] += t.e[i-1] * x[i-1]
			}
			if i < n-1 {
				rest[i] += t.e[i] * x[i+1]
			}
		}
		if length > 1e3/norm && blas64.Nrm2(vector(rest)) < 1e-13*norm {
			return true
		}
	}
	return false
}

// A tridiagonalisation is A = QTQᵀ, by Householder's reflectors, in pieces between
// which it can be stopped: what LAPACK's Dsytrd and Dormqr do at once takes minutes for
// thousands of rows.
type tridiagonalisation struct {
	tridiagonal
	n   int
	a   [][]float64 // rows up to the diagonal; below it the reflectors of Q
	tau []float64
}

// tridiagonalise returns nil if it is stopped.
func tridiagonalise(a Operator, stop func() bool) *tridiagonalisation {
	n := a.Dim()
	t := &tridiagonalisation{tridiagonal{make([]float64, n), make([]float64, n-1)}, n, make([][]float64, n), make([]float64, n-1)}
	if !work.Pieces(n, 8*n, stop, func(from, to int) {
		for i := from; i < to; i++ {
			t.a[i] = make([]float64, i+1)
			a.Row(t.a[i], i)
		}
	}) {
		return nil
	}
	var impl lapackgo.Implementation
	for k := range n - 1 {
		rest := n - 1 - k
		row := func(l int) []float64 { return t.a[k+1+l][k+1:] } // of what is left
		v, w := make([]float64, rest), make([]float64, rest)
		for l := range v {
			v[l] = t.a[k+1+l][k]
		}
		// (I − τvvᵀ) takes column k to β in its first place.
		t.d[k] = t.a[k][k]
		t.e[k], t.tau[k] = impl.Dlarfg(rest, v[0], v[1:], 1)
		v[0] = 1
		for l, x := range v {
			t.a[k+1+l][k] = x
		}
		if t.tau[k] == 0 {
			continue
		}
		// A ← A − vwᵀ − wvᵀ, w = τAv − ½τ²(vᵀAv)v.
		if !work.Pieces(rest, 2*rest, stop, func(from, to int) {
			for l := from; l < to; l++ {
				r := row(l)
				w[l] += t.tau[k] * floats.Dot(r, v[:l+1])
				floats.AddScaled(w[:l], t.tau[k]*v[l], r[:l])
			}
		}) {
			return nil
		}
		floats.AddScaled(w, -t.tau[k]/2*floats.Dot(w, v), v)
		if !work.Pieces(rest, 2*rest, stop, func(from, to int) {
			for l := from; l < to; l++ {
				r := row(l)
				floats.AddScaled(r, -v[l], w[:l+1])
				floats.AddScaled(r, -w[l], v[:l+1])
			}
		}) {
			return nil
		}
	}
	t.d[n-1] = t.a[n-1][n-1]
	return t
}

// pieceWidth is how many reflectors of so many multiply-adds each make a piece of some
// tens of milliseconds.
func pieceWidth(each int) int { return min(max(30_000_000/max(each, 1), 1), 32) }

// back turns eigenvectors of T, the rows of z, into those of A, zQᵀ. It reports
// whether it got through.
func (t *tridiagonalisation) back(z *mat.Dense, stop func() bool) bool {
	count, _ := z.Dims()
	n, width := t.n, pieceWidth(count*t.n)
	var impl lapackgo.Implementation
	triangle, space, v := make([]float64, width*width), make([]float64, count*width), make([]float64, n*width)
	for last := t.n - 1; last > 0; last -= width {
		if stop() {
			return false
		}
		i := max(last-width, 0)
		rows, k := n-1-i, last-i
		for l := range rows {
			copy(v[l*width:][:min(k, l+1)], t.a[i+1+l][i:])
		}
		impl.Dlarft(lapack.Forward, lapack.ColumnWise, rows, k, v, width, t.tau[i:], triangle, width)
		impl.Dlarfb(blas.Right, blas.Trans, lapack.Forward, lapack.ColumnWise, count, rows, k, v, width, triangle, width,
			z.RawMatrix().Data[i+1:], n, space, width)
	}
	return true
}
