package rnmf

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	lapack "gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/mat"
)

// eigen returns the eigenvalues, descending, and eigenvectors as columns. The QR
// iteration of mat.EigenSym takes some 6n³ multiply-adds with vectors, one rotation
// at a time; a large matrix is brought to tridiagonal form T instead, whose
// eigenvectors come from inverse iteration.
func eigen(sym *mat.SymDense) ([]float64, *mat.Dense) {
	if sym.SymmetricDim() >= 128 {
		if values, vectors, ok := eigenTridiagonal(sym); ok {
			return values, vectors
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

// eigenTridiagonal is eigen by T = QᵀAQ. It reports whether what it found are
// eigenvectors, orthonormal among near eigenvalues.
func eigenTridiagonal(sym *mat.SymDense) ([]float64, *mat.Dense, bool) {
	n := sym.SymmetricDim()
	var impl lapack.Implementation
	a := make([]float64, n*n)
	for i := range n {
		for j := range i + 1 {
			a[i*n+j] = sym.At(i, j)
		}
	}
	t := &tridiagonal{d: make([]float64, n), e: make([]float64, n-1)}
	tau, work := make([]float64, n-1), make([]float64, 64*n)
	impl.Dsytrd(blas.Lower, n, a, n, t.d, t.e, tau, work, len(work))
	values, e := slices.Clone(t.d), slices.Clone(t.e)
	if !impl.Dsterf(n, values, e) {
		return nil, nil, false
	}
	slices.Reverse(values)
	z := make([]float64, n*n) // eigenvectors of T, rows
	if !t.vectors(z, values) {
		return nil, nil, false
	}
	columns := mat.NewDense(n, n, nil)
	columns.Copy(mat.NewDense(n, n, z).T())
	impl.Dormqr(blas.Left, blas.NoTrans, n-1, n, n-1, a[n:], n, tau, columns.RawMatrix().Data[n:], n, work, len(work))
	return values, columns, true
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
// nearer than a small share of ‖T‖ are kept orthogonal to each other.
func (t *tridiagonal) vectors(z, values []float64) bool {
	n, norm := len(t.d), t.norm()
	var clusters [][2]int
	for from := 0; from < n; {
		to := from + 1
		for to < n && values[to-1]-values[to] < 1e-5*norm {
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
					if !t.vector(z[clusters[c][0]*n:(i+1)*n], values[i], norm, uint64(i), space) {
						bad.Add(1)
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
