package eigen

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/testkit"
	"github.com/robustnmf/robustnmf/rnmf/internal/work"
)

// laplacians are those of some graphs of n vertices, a multiple of 20.
func laplacians(n int) map[string]Symmetric {
	rng := rand.New(rand.NewPCG(3, 1))
	all := map[string]Symmetric{}
	edge := func(name string, i, j int, w float64) {
		if all[name].Dense == nil {
			all[name] = Symmetric{mat.NewDense(n, n, nil)}
		}
		l := all[name]
		if i == j || l.At(i, j) != 0 {
			return
		}
		l.Set(i, j, -w)
		l.Set(j, i, -w)
		l.Set(i, i, l.At(i, i)+w)
		l.Set(j, j, l.At(j, j)+w)
	}
	for i := range n {
		edge("ring", i, (i+1)%n, 0.5+rng.Float64())
		edge("copies", i, i/20*20+(i+1)%20, 1) // of a ring of 20: each eigenvalue many times
		for range 4 {
			edge("random", i, rng.IntN(n), rng.Float64())
			edge("uneven", i, rng.IntN(n), math.Exp(3*rng.NormFloat64()))
		}
		if i > 0 {
			edge("path", i-1, i, 1)
			edge("star", 0, i, 1)
		}
		for j := range i {
			edge("complete", i, j, 1)
		}
	}
	return all
}

// checkPairs wants orthonormal eigenvectors, up to tol, of the values in want.
func checkPairs(t *testing.T, name string, a Symmetric, got *Pairs, want []float64, tol float64) {
	t.Helper()
	if off := testkit.Unorthonormal(got.Vectors); !(off <= 1e-9) {
		t.Errorf("%s: off orthonormal by %g", name, off)
	}
	image, _ := a.Apply(got.Vectors, work.Never)
	r, n := got.Vectors.Dims()
	for c := range r {
		if math.Abs(got.Values[c]-want[c]) > tol*want[0] {
			t.Errorf("%s: eigenvalue %d is %g, want %g", name, c, got.Values[c], want[c])
		}
		var off float64
		for j := range n {
			off = math.Hypot(off, image.At(c, j)-got.Values[c]*got.Vectors.At(c, j))
		}
		if off > tol*max(want[0], 1) {
			t.Errorf("%s: no eigenvector of %g, by %g", name, got.Values[c], off)
		}
	}
}

// A projection is symmetric, whichever of a block and its image comes first.
func TestProject(t *testing.T) {
	a := laplacians(40)["random"]
	block := testkit.Uniform(5, 40, 2)
	image, _ := a.Apply(block, work.Never)
	var want mat.Dense
	want.Mul(image, block.T())
	for _, pair := range [][2]*mat.Dense{{image, block}, {block, image}} {
		got, done := project(pair[0], pair[1], work.Never)
		if !done || !mat.EqualApprox(got, &want, 1e-12) || !mat.Equal(got, got.T()) {
			t.Errorf("%v, want %v", mat.Formatted(got), mat.Formatted(&want))
		}
	}
	if _, done := project(image, block, func() bool { return true }); done {
		t.Error("not stopped")
	}
}
