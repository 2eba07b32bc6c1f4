package papers

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
	"github.com/robustnmf/robustnmf/rnmf/internal/work"
)

// Eigenvalues come with eigenvectors, orthonormal, none larger is left out, and
// no more than needed. Twelve copies of a graph have each eigenvalue twelvefold.
func TestSpectrum(t *testing.T) {
	x, _ := Planted(20, 400, 4, 0.1, 0, 1)
	knn := Neighbors(x, 5, nil)
	var edges []Edge
	part := Ring(30, 3)
	for c := range 12 {
		for i := range 30 {
			to, weight := part.Neighbors(i)
			for a, j := range to {
				edges = append(edges, Edge{I: 30*c + i, J: 30*c + j, Weight: weight[a]})
			}
		}
	}
	copies, _ := NewGraph(360, edges)
	none, _ := NewGraph(40, nil)
	for name, g := range map[string]*Graph{"knn": knn, "ring": Ring(300, 2), "copies": copies, "none": none, "small": Ring(5, 1)} {
		if testing.Short() && (name == "knn" || name == "ring") {
			t.Logf("-short: without %s", name)
			continue
		}
		all := decompose(g, work.Never)
		n := g.SymmetricDim()
		var trace float64
		for i := range n {
			trace += g.Degree(i)
		}
		for _, share := range []float64{0.02, 0.1, 0.5, 0.95, 1} {
			var kept float64
			s := spectrumOf(g, share, work.Never)
			l := make([]float64, n)
			for c, v := range s.sigma {
				kept += v
				u := s.theta[c*n:][:n]
				if math.Abs(v-all.sigma[c]) > 1e-6*v {
					t.Errorf("%s, share %g: eigenvalue %d is %g, want %g", name, share, c, v, all.sigma[c])
				}
				mulLaplacian(g, l, u)
				for j := range l {
					if math.Abs(l[j]-v*u[j]) > 1e-7*v {
						t.Fatalf("%s, share %g: no eigenvector of %g", name, share, v)
					}
				}
			}
			p := len(s.sigma)
			if p > 0 && (kept < (share-1e-12)*trace || kept-s.sigma[p-1] >= share*trace) {
				t.Errorf("%s, share %g: %d eigenvalues have %g of %g", name, share, p, kept, trace)
			}
			if p < len(all.sigma) && s.rest < all.sigma[p]*(1-1e-9) {
				t.Errorf("%s, share %g: eigenvalue %g left out, rest %g", name, share, all.sigma[p], s.rest)
			}
			if p > 0 {
				theta := mat.NewDense(p, n, s.theta)
				var gram mat.Dense
				gram.Mul(theta, theta.T())
				for i := range p {
					gram.Set(i, i, gram.At(i, i)-1)
				}
				if mat.Max(&gram) > 1e-10 || mat.Min(&gram) < -1e-10 {
					t.Errorf("%s, share %g: not orthonormal", name, share)
				}
			}
			e := cached(g)
			e.all, e.part = nil, nil // also find few without all
		}
	}
}
