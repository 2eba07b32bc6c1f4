package eigen

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/testkit"
	"github.com/robustnmf/robustnmf/rnmf/internal/work"
)

// laplacians are those of some graphs of n vertices, by their edges.
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

// All goes by way of a tridiagonal matrix, which finds as many eigenvectors as there
// are, also of an eigenvalue that nearly all share.
func TestAll(t *testing.T) {
	const n = 160
	for name, a := range laplacians(n) {
		if p := byTridiagonal(a, n, fineGap, work.Never); p == nil {
			t.Errorf("%s: gave up", name)
		}
		all := All(a, work.Never)
		if len(all.Values) != n {
			t.Fatalf("%s: %d values", name, len(all.Values))
		}
		checkPairs(t, name, a, all, byQR(a, n).Values, 1e-10)
	}
	small := Symmetric{mat.NewDense(2, 2, []float64{2, 1, 1, 2})}
	checkPairs(t, "2×2", small, All(small, work.Never), []float64{3, 1}, 1e-14)
	if All(laplacians(n)["path"], func() bool { return true }) != nil {
		t.Error("not stopped")
	}
}

// Share finds the fewest of the largest, whatever they share, or nothing.
func TestShare(t *testing.T) {
	const n = 400
	found := 0
	for name, a := range laplacians(n) {
		all := All(a, work.Never)
		for _, share := range []float64{0.01, 0.04, 0.9} {
			enough := share * mat.Trace(a)
			p := Share(a, enough, work.Never)
			if p == nil {
				continue
			}
			found++
			checkPairs(t, name, a, p, all.Values, 1e-6)
			var sum float64
			for _, v := range p.Values {
				sum += v
			}
			k := len(p.Values)
			if sum < enough || sum-p.Values[k-1] >= enough {
				t.Errorf("%s: %d values have %g, want %g", name, k, sum, enough)
			}
			if p.Rest < all.Values[k]*(1-1e-9) {
				t.Errorf("%s: %g is left out, rest %g", name, all.Values[k], p.Rest)
			}
		}
	}
	if found < 7 {
		t.Errorf("found only %d", found)
	}
	if Share(laplacians(n)["ring"], 1, func() bool { return true }) != nil {
		t.Error("not stopped")
	}
}

// Largest iterates or decomposes, to eigenvectors up to rounding.
func TestLargest(t *testing.T) {
	falling, flat := testkit.Falling(450, 460, 1, 4), testkit.Uniform(410, 420, 5)
	for name, x := range map[string]*mat.Dense{"iterated": falling, "too flat to iterate": flat, "small": testkit.Uniform(30, 40, 6)} {
		if testing.Short() && name != "small" {
			continue
		}
		var gram mat.Dense
		gram.Mul(x, x.T())
		a := Symmetric{&gram}
		want := byQR(a, a.Dim())
		q := Largest(a, 5, work.Never)
		checkPairs(t, name, a, &Pairs{Values: want.Values[:5], Vectors: q}, want.Values, 1e-11)
		if Largest(a, 5, func() bool { return true }) != nil && name != "small" {
			t.Errorf("%s: not stopped", name)
		}
	}
}
