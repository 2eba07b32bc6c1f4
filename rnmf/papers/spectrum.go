package papers

import (
	"cmp"
	"github.com/robustnmf/robustnmf/rnmf"
	"runtime"
	"slices"
	"sync"
	"time"
	"weak"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/eigen"
)

// A spectrum has the largest eigenvalues σ of a Laplacian, descending, and their eigenvectors, rows
// of Θ.
type spectrum struct {
	sigma []float64
	theta []float64 // p×n
	rest  float64   // no eigenvalue left out is larger
}

// A spectra caches the spectrum of a graph.
type spectra struct {
	sync.Mutex
	share float64   // of part
	part  *spectrum // the one asked for last
	all   *spectrum // with every eigenvalue above 0, once that was needed
}

// spectraOf has the spectra of all graphs that are in use: of *Graph by weak pointers, so that a graph
// that nobody else has goes, and its spectra with it.
var spectraOf sync.Map // weak.Pointer[Graph] to *spectra

func cached(g *rnmf.Graph) *spectra {
	key := weak.Make(g)
	e, known := spectraOf.LoadOrStore(key, new(spectra))
	if !known {
		runtime.AddCleanup(g, func(key weak.Pointer[rnmf.Graph]) { spectraOf.Delete(key) }, key)
	}
	return e.(*spectra)
}

// spectrumOf returns the fewest eigenvalues whose sum is a share of the trace. Eigenvalues of 0
// change nothing in (17) and are left out. Stopped, also while another fit has the lock, it returns
// nil.
func spectrumOf(g *rnmf.Graph, share float64, stop func() bool) *spectrum {
	e := cached(g)
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
	n, _ := g.Dims()
	var trace float64
	for i := range n {
		trace += g.Degree(i)
	}
	e.part = nil
	switch {
	case e.all != nil:
	case trace == 0:
		e.all = new(spectrum)
	case share < 1:
		if e.part = largest(g, share*trace, stop); e.part != nil {
			return e.part
		}
		fallthrough
	default:
		if e.all = decompose(g, stop); e.all == nil {
			return nil
		}
	}
	p, sum := 0, 0.0
	for p < len(e.all.sigma) && (share >= 1 || sum < share*trace) {
		sum += e.all.sigma[p]
		p++
	}
	e.part = &spectrum{sigma: e.all.sigma[:p], theta: e.all.theta[:p*n]}
	if p < len(e.all.sigma) {
		e.part.rest = e.all.sigma[p]
	}
	return e.part
}

// largest finds few eigenvalues, with a sum of at least enough. It returns nil if those are too
// many, or if stopped.
func largest(g *rnmf.Graph, enough float64, stop func() bool) *spectrum {
	n, _ := g.Dims()
	var most float64
	for i := range n {
		most = max(most, g.Degree(i))
	}
	// The k largest are at most 2k·max d together, and a Krylov space has n/4 at most.
	if enough > float64(n/16)*2*most {
		return nil
	}
	all, at := make([]int, n), make([]int, n)
	for i := range all {
		all[i], at[i] = i, i
	}
	p := eigen.Share(laplacian{g, all, at}, enough, stop)
	if p == nil {
		return nil
	}
	return &spectrum{sigma: p.Values, theta: p.Vectors.RawMatrix().Data, rest: p.Rest}
}

// decompose returns all eigenvalues above 0, from dense matrices of the connected parts; nil if
// stopped.
func decompose(g *rnmf.Graph, stop func() bool) *spectrum {
	n, _ := g.Dims()
	type pair struct {
		value  float64
		vector []float64
		part   []int
	}
	var pairs []pair
	at := make([]int, n)
	for _, part := range connected(g) {
		for a, i := range part {
			at[i] = a
		}
		p := eigen.All(laplacian{g, part, at}, stop)
		if p == nil {
			return nil
		}
		for c, v := range p.Values {
			if v > 1e-12*p.Values[0] {
				pairs = append(pairs, pair{v, p.Vectors.RawRowView(c), part})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(b.value, a.value) })
	s := &spectrum{theta: make([]float64, len(pairs)*n)}
	for c, p := range pairs {
		if stop() {
			return nil
		}
		s.sigma = append(s.sigma, p.value)
		for a, i := range p.part {
			s.theta[c*n+i] = p.vector[a]
		}
	}
	return s
}

// A laplacian is that of some vertices without neighbours outside.
type laplacian struct {
	g    *rnmf.Graph
	part []int // the vertices
	at   []int // of each vertex, its place in part
}

// Dim returns the number of vertices.
func (l laplacian) Dim() int { return len(l.part) }

// Apply returns xL.
func (l laplacian) Apply(x *mat.Dense, _ func() bool) (*mat.Dense, bool) {
	r, n := x.Dims()
	dst := mat.NewDense(r, n, nil)
	for k := range r {
		xk, to := x.RawRowView(k), dst.RawRowView(k)
		for a, i := range l.part {
			var sum float64
			neighbors, weight := l.g.Neighbors(i)
			for b, j := range neighbors {
				sum += weight[b] * xk[l.at[j]]
			}
			to[a] = l.g.Degree(i)*xk[a] - sum
		}
	}
	return dst, true
}

// Row writes the first entries of a row of L.
func (l laplacian) Row(row []float64, a int) {
	i := l.part[a]
	row[a] = l.g.Degree(i)
	neighbors, weight := l.g.Neighbors(i)
	for b, j := range neighbors {
		if l.at[j] < a {
			row[l.at[j]] = -weight[b]
		}
	}
}

// connected returns the connected parts of the graph.
func connected(g *rnmf.Graph) [][]int {
	n, _ := g.Dims()
	var parts [][]int
	seen := make([]bool, n)
	for i := range n {
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
