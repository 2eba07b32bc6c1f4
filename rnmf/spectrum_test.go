package rnmf

import (
	"math"
	"testing"

	"github.com/robustnmf/robustnmf/rnmf/internal/work"
	"gonum.org/v1/gonum/mat"
)

// Eigenvalues come with eigenvectors, orthonormal, none larger is left out, and
// no more than needed. Twelve copies of a graph have each eigenvalue twelvefold.
func TestSpectrum(t *testing.T) {
	x, _ := planted(20, 400, 4, 0.1, 0, 1)
	knn, err := KNN{}.Graph(x)
	if err != nil {
		t.Fatal(err)
	}
	var edges []Edge
	part := ring(30, 3)
	for c := range 12 {
		for i := range 30 {
			to, weight := part.Neighbors(i)
			for a, j := range to {
				edges = append(edges, Edge{30*c + i, 30*c + j, weight[a]})
			}
		}
	}
	copies, _ := NewGraph(360, edges)
	none, _ := NewGraph(40, nil)
	for name, g := range map[string]*Graph{"knn": knn, "ring": ring(300, 2), "copies": copies, "none": none, "small": ring(5, 1)} {
		all := g.decompose(work.Never)
		var trace float64
		for _, d := range g.degree {
			trace += d
		}
		for _, share := range []float64{0.02, 0.1, 0.5, 0.95, 1} {
			var kept float64
			s := g.spectrum(share, work.Never)
			l := make([]float64, g.n)
			for c, v := range s.sigma {
				kept += v
				u := s.theta[c*g.n:][:g.n]
				if math.Abs(v-all.sigma[c]) > 1e-6*v {
					t.Errorf("%s, share %g: eigenvalue %d is %g, want %g", name, share, c, v, all.sigma[c])
				}
				g.laplacian(l, u)
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
				theta := mat.NewDense(p, g.n, s.theta)
				var gram mat.Dense
				gram.Mul(theta, theta.T())
				for i := range p {
					gram.Set(i, i, gram.At(i, i)-1)
				}
				if mat.Max(&gram) > 1e-10 || mat.Min(&gram) < -1e-10 {
					t.Errorf("%s, share %g: not orthonormal", name, share)
				}
			}
			g.spectra.all, g.spectra.part = nil, nil // also find few without all
		}
	}
}

// Eigenvectors by way of a tridiagonal matrix: as many as there are, orthonormal,
// also of an eigenvalue that nearly all share.
func TestEigenTridiagonal(t *testing.T) {
	const n = 160
	x, _ := planted(20, n, 4, 0.1, 0, 1)
	knn, err := KNN{}.Graph(x)
	if err != nil {
		t.Fatal(err)
	}
	var path, star, complete []Edge
	for i := 1; i < n; i++ {
		path, star = append(path, Edge{i - 1, i, 1}), append(star, Edge{0, i, 1})
		for j := range i {
			complete = append(complete, Edge{i, j, 1})
		}
	}
	graphs := map[string]*Graph{"knn": knn, "ring": ring(n, 2)}
	for name, edges := range map[string][]Edge{"path": path, "star": star, "complete": complete} {
		if graphs[name], err = NewGraph(n, edges); err != nil {
			t.Fatal(err)
		}
	}
	for name, g := range graphs {
		l := mat.NewSymDense(n, nil)
		for i := range n {
			l.SetSym(i, i, g.Degree(i))
			for j := range i {
				l.SetSym(i, j, -g.At(i, j))
			}
		}
		values, rows, ok := eigenTridiagonal(n, rowsOfSym(l), n, 1e-5, work.Never)
		if !ok {
			t.Errorf("%s: gave up", name)
			continue
		}
		vectors := mat.DenseCopyOf(rows.T())
		want, _ := eigenQR(l)
		var gram, lv, rest mat.Dense
		gram.Mul(vectors.T(), vectors)
		for i := range n {
			gram.Set(i, i, gram.At(i, i)-1)
			if math.Abs(values[i]-want[i]) > 1e-11*want[0] {
				t.Errorf("%s: eigenvalue %d is %g, want %g", name, i, values[i], want[i])
			}
		}
		lv.Mul(l, vectors)
		rest.Mul(vectors, mat.NewDiagDense(n, values))
		rest.Sub(&lv, &rest)
		if off := mat.Norm(&gram, 2); off > 1e-9 {
			t.Errorf("%s: off orthonormal by %g", name, off)
		}
		if off := mat.Norm(&rest, 2); off > 1e-10*max(want[0], 1) {
			t.Errorf("%s: off by %g", name, off)
		}
	}
}
