package rnmf

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// A spectrum has the largest eigenvalues σ of a graph's Laplacian, descending,
// and their eigenvectors, the rows of Θ.
type spectrum struct {
	sigma []float64
	theta []float64 // p×n
	rest  float64   // no eigenvalue left out is larger
}

// A spectra remembers the spectrum of a graph.
type spectra struct {
	sync.Mutex
	share float64   // of part
	part  *spectrum // the one asked for last
	all   *spectrum // with every eigenvalue above 0, once that was needed
}

// spectrum returns the fewest eigenvalues whose sum is a share of the trace.
// Eigenvalues of 0 change nothing in (17) and are left out.
func (g *Graph) spectrum(share float64) *spectrum {
	e := &g.spectra
	e.Lock()
	defer e.Unlock()
	if e.part != nil && e.share == share {
		return e.part
	}
	e.share = share
	var trace float64
	for _, d := range g.degree {
		trace += d
	}
	e.part = nil
	switch {
	case e.all != nil:
	case trace == 0:
		e.all = new(spectrum)
	case share < 1:
		if e.part = g.largest(share * trace); e.part != nil {
			return e.part
		}
		fallthrough
	default:
		e.all = g.decompose()
	}
	p, sum := 0, 0.0
	for p < len(e.all.sigma) && (share >= 1 || sum < share*trace) {
		sum += e.all.sigma[p]
		p++
	}
	e.part = &spectrum{sigma: e.all.sigma[:p], theta: e.all.theta[:p*g.n]}
	if p < len(e.all.sigma) {
		e.part.rest = e.all.sigma[p]
	}
	return e.part
}

// largest finds few eigenvalues, with a sum of at least enough, in a block Krylov
// space of up to n/4. It returns nil where that has no room.
func (g *Graph) largest(enough float64) *spectrum {
	// The k largest are at most 2k·max d together.
	if enough > float64(g.n/16)*2*slices.Max(g.degree) {
		return nil
	}
	for k := newKrylov(g); k.size < g.n/4; {
		k.extend(max(4*krylovBlock, k.size))
		if s := k.ritz(enough); s != nil {
			return s
		}
	}
	return nil
}

// decompose returns all eigenvalues above 0, from the dense matrices of the
// connected parts.
func (g *Graph) decompose() *spectrum {
	type pair struct {
		value float64
		part  []int
		from  *mat.Dense
		c     int
	}
	var pairs []pair
	for _, part := range g.parts() {
		at := make(map[int]int, len(part))
		for a, i := range part {
			at[i] = a
		}
		sym := mat.NewSymDense(len(part), nil)
		for a, i := range part {
			sym.SetSym(a, a, g.degree[i])
			to, weight := g.Neighbors(i)
			for b, j := range to {
				sym.SetSym(a, at[j], -weight[b])
			}
		}
		values, vectors := eigen(sym)
		for c, v := range values {
			if v > 1e-12*values[0] {
				pairs = append(pairs, pair{v, part, vectors, c})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(b.value, a.value) })
	s := &spectrum{theta: make([]float64, len(pairs)*g.n)}
	for c, p := range pairs {
		s.sigma = append(s.sigma, p.value)
		for a, i := range p.part {
			s.theta[c*g.n+i] = p.from.At(a, p.c)
		}
	}
	return s
}

// parts returns the connected parts of the graph.
func (g *Graph) parts() [][]int {
	var parts [][]int
	seen := make([]bool, g.n)
	for i := range g.n {
		if seen[i] {
			continue
		}
		seen[i] = true
		part := []int{i}
		for k := 0; k < len(part); k++ {
			to, _ := g.Neighbors(part[k])
			for _, j := range to {
				if !seen[j] {
					seen[j] = true
					part = append(part, j)
				}
			}
		}
		parts = append(parts, part)
	}
	return parts
}

// A krylov is an orthonormal basis of the space of Q, LQ, L²Q, … for a block Q of
// random vectors, as many as an eigenvalue may have eigenvectors to be found.
type krylov struct {
	g       *Graph
	size    int
	basis   []float64 // rows of length n
	product []float64 // their products with L
	next    int       // the first whose product has not been added
	rng     *rand.Rand
}

const krylovBlock = 16

func newKrylov(g *Graph) *krylov { return &krylov{g: g, rng: rand.New(rand.NewPCG(1, 7))} }

// extend adds count vectors.
func (k *krylov) extend(count int) {
	n := k.g.n
	x := make([]float64, n)
	for want := min(k.size+count, n); k.size < want; {
		if k.size < krylovBlock || k.next == k.size { // or the space is invariant
			k.random(x)
		} else {
			copy(x, k.product[k.next*n:][:n])
			k.next++
		}
		k.add(x)
	}
}

func (k *krylov) random(x []float64) {
	for i := range x {
		x[i] = k.rng.NormFloat64()
	}
}

// add makes x orthogonal to the basis and appends it, unless nothing is left.
func (k *krylov) add(x []float64) {
	n := k.g.n
	for range 3 {
		before := blas64.Nrm2(vector(x))
		if k.size > 0 {
			b := blas64.General{Rows: k.size, Cols: n, Stride: n, Data: k.basis}
			shares := make([]float64, k.size)
			blas64.Gemv(blas.NoTrans, 1, b, vector(x), 0, vector(shares))
			blas64.Gemv(blas.Trans, -1, b, vector(shares), 1, vector(x))
		}
		after := blas64.Nrm2(vector(x))
		if !(after > 1e-10*before) {
			return
		}
		if blas64.Scal(1/after, vector(x)); after > 0.5*before {
			break
		}
	}
	lx := make([]float64, n)
	k.g.laplacian(lx, x)
	k.basis, k.product = append(k.basis, x...), append(k.product, lx...)
	k.size++
}

// ritz returns the eigenvalues whose sum is at least enough, or nil if the space
// does not have them yet, to eight digits.
func (k *krylov) ritz(enough float64) *spectrum {
	n := k.g.n
	general := func(x []float64, rows int) blas64.General {
		return blas64.General{Rows: rows, Cols: n, Stride: n, Data: x}
	}
	t := mat.NewDense(k.size, k.size, nil)
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, general(k.basis, k.size), general(k.product, k.size), 0, t.RawMatrix())
	sym := mat.NewSymDense(k.size, nil)
	for i := range k.size {
		for j := range i + 1 {
			sym.SetSym(i, j, (t.At(i, j)+t.At(j, i))/2)
		}
	}
	values, vectors := eigen(sym)
	p, sum := 0, 0.0
	for p < len(values) && sum < enough {
		sum += values[p]
		p++
	}
	if sum < enough || p == len(values) {
		return nil
	}
	chosen := vectors.Slice(0, k.size, 0, p).(*mat.Dense).RawMatrix()
	theta, lt := make([]float64, p*n), make([]float64, p*n)
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, chosen, general(k.basis, k.size), 0, general(theta, p))
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, chosen, general(k.product, k.size), 0, general(lt, p))
	for c := range p {
		blas64.Axpy(-values[c], vector(theta[c*n:][:n]), vector(lt[c*n:][:n]))
		if blas64.Nrm2(vector(lt[c*n:][:n])) > 1e-8*values[0] {
			return nil
		}
	}
	return &spectrum{sigma: values[:p], theta: theta, rest: max(values[p-1], 0)}
}
