package rnmf

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/robustnmf/robustnmf/rnmf/internal/work"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	lapack "gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/mat"
)

// eigen returns the eigenvalues, descending, and eigenvectors as columns, or nil if
// it is stopped. The QR iteration of mat.EigenSym takes some 6n³ multiply-adds with
// vectors, one rotation at a time, and cannot be stopped; a large matrix is brought to
// tridiagonal form T instead, whose eigenvectors come from inverse iteration.
func eigen(n int, rows rowsOf, stop func() bool) ([]float64, *mat.Dense) {
	if n >= 128 {
		for _, gap := range []float64{1e-5, 2} {
			if values, vectors, ok := eigenTridiagonal(n, rows, n, gap, stop); ok {
				columns, _ := copyPieces(vectors, true, work.Never)
				return values, columns
			}
			if stop() {
				return nil, nil
			}
		}
	}
	sym, row := mat.NewSymDense(n, nil), make([]float64, n)
	for i := range n {
		clear(row)
		rows(row[:i+1], i)
		for j, v := range row[:i+1] {
			sym.SetSym(i, j, v)
		}
	}
	return eigenQR(sym)
}

func eigenQR(sym *mat.SymDense) ([]float64, *mat.Dense) {
	var e mat.EigenSym
	n := sym.SymmetricDim()
	if !e.Factorize(sym, true) {
		panic("rnmf: no eigenvalues of a Laplacian")
	}
	var ascending mat.Dense
	e.VectorsTo(&ascending)
	values := e.Values(nil)
	order := make([]int, n)
	for i := range order {
		order[i] = n - 1 - i
	}
	slices.Reverse(values)
	vectors := mat.NewDense(n, n, nil)
	for i := range n {
		from, to := ascending.RawRowView(i), vectors.RawRowView(i)
		for c, o := range order {
			to[c] = from[o]
		}
	}
	return values, vectors
}

// eigenTridiagonal returns all eigenvalues and the eigenvectors of the largest count of
// them, as rows, by T = QᵀAQ. It reports whether it found eigenvectors, and was not
// stopped. Eigenvalues nearer than gap, as a share of the largest, form a cluster, in
// which eigenvectors are made orthogonal to each other: see vectors.
func eigenTridiagonal(n int, rows rowsOf, count int, gap float64, stop func() bool) ([]float64, *mat.Dense, bool) {
	t := tridiagonalise(n, rows, stop)
	if t == nil {
		return nil, nil, false
	}
	var impl lapack.Implementation
	values, e := slices.Clone(t.d), slices.Clone(t.e)
	if !impl.Dsterf(n, values, e) {
		return nil, nil, false
	}
	slices.Reverse(values)
	z := mat.NewDense(count, n, nil) // eigenvectors of T
	if !t.vectors(z.RawMatrix().Data, values[:count], gap, stop) || !t.back(z, stop) {
		return nil, nil, false
	}
	return values, z, true
}

// A tridiagonal is a symmetric matrix by its diagonal and what lies beside it.
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
	var next, bad atomic.Int64
	var wait sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wait.Add(1)
		go func() {
			defer wait.Done()
			space := make([]float64, 4*n)
			for {
				c := int(next.Add(1)) - 1
				if c >= len(clusters) || bad.Load() > 0 {
					return
				}
				for i := clusters[c][0]; i < clusters[c][1]; i++ {
					if stop() || !t.vector(z[clusters[c][0]*n:(i+1)*n], values[i], norm, uint64(i), space) {
						bad.Add(1)
						return
					}
				}
			}
		}()
	}
	wait.Wait()
	return bad.Load() == 0
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
	var impl lapack.Implementation
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
