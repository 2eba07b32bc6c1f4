package rnmf

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/robustnmf/robustnmf/rnmf/internal/work"
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
// Eigenvalues of 0 change nothing in (17) and are left out. It returns nil if it is
// stopped, also while another fit is at it.
func (g *Graph) spectrum(share float64, stop func() bool) *spectrum {
	e := &g.spectra
	for !e.TryLock() {
		if stop() {
			return nil
		}
		time.Sleep(time.Millisecond)
	}
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
		if e.part = g.largest(share*trace, stop); e.part != nil {
			return e.part
		}
		fallthrough
	default:
		if e.all = g.decompose(stop); e.all == nil {
			return nil
		}
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
// space of up to n/4. It returns nil where that has no room, or if it is stopped.
func (g *Graph) largest(enough float64, stop func() bool) *spectrum {
	// The k largest are at most 2k·max d together.
	if enough > float64(g.n/16)*2*slices.Max(g.degree) {
		return nil
	}
	for k := newKrylov(g); k.size < g.n/4; {
		if !k.extend(max(4*krylovBlock, k.size), stop) {
			return nil
		}
		if s := k.ritz(enough, stop); s != nil {
			return s
		}
	}
	return nil
}

// decompose returns all eigenvalues above 0, from the dense matrices of the
// connected parts, or nil if it is stopped.
func (g *Graph) decompose(stop func() bool) *spectrum {
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
		values, vectors := eigen(len(part), func(row []float64, a int) {
			i := part[a]
			row[a] = g.degree[i]
			to, weight := g.Neighbors(i)
			for b, j := range to {
				if at[j] < a {
					row[at[j]] = -weight[b]
				}
			}
		}, stop)
		if stop() {
			return nil
		}
		for c, v := range values {
			if v > 1e-12*values[0] {
				pairs = append(pairs, pair{v, part, vectors, c})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(b.value, a.value) })
	s := &spectrum{theta: make([]float64, len(pairs)*g.n)}
	for c, p := range pairs {
		if stop() {
			return nil
		}
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

// extend adds count vectors, and reports whether it got through.
func (k *krylov) extend(count int, stop func() bool) bool {
	n := k.g.n
	x := make([]float64, n)
	for want := min(k.size+count, n); k.size < want; {
		if stop() {
			return false
		}
		if k.size < krylovBlock || k.next == k.size { // or the space is invariant
			k.random(x)
		} else {
			copy(x, k.product[k.next*n:][:n])
			k.next++
		}
		k.add(x)
	}
	return true
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
// does not have them yet, to eight digits, or if it is stopped.
func (k *krylov) ritz(enough float64, stop func() bool) *spectrum {
	n := k.g.n
	basis, product := mat.NewDense(k.size, n, k.basis), mat.NewDense(k.size, n, k.product)
	t := mat.NewDense(k.size, k.size, nil)
	if !work.Pieces(k.size, k.size*n, stop, func(from, to int) {
		t.Slice(from, to, 0, k.size).(*mat.Dense).Mul(basis.Slice(from, to, 0, n), product.T())
	}) {
		return nil
	}
	values, vectors := eigen(k.size, func(row []float64, i int) {
		for j := range row {
			row[j] = (t.At(i, j) + t.At(j, i)) / 2
		}
	}, stop)
	p, sum := 0, 0.0
	for p < len(values) && sum < enough {
		sum += values[p]
		p++
	}
	if sum < enough || p == len(values) {
		return nil
	}
	chosen := vectors.Slice(0, k.size, 0, p).T()
	theta, done := mulPieces(chosen, basis, stop)
	if !done {
		return nil
	}
	lt, done := mulPieces(chosen, product, stop)
	if !done {
		return nil
	}
	for c := range p {
		blas64.Axpy(-values[c], vector(theta.RawRowView(c)), vector(lt.RawRowView(c)))
		if blas64.Nrm2(vector(lt.RawRowView(c))) > 1e-8*values[0] {
			return nil
		}
	}
	return &spectrum{sigma: values[:p], theta: theta.RawMatrix().Data, rest: max(values[p-1], 0)}
}
