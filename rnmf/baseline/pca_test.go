package baseline

import (
	"fmt"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/testkit"
)

func TestPCAScikitLearn(t *testing.T) {
	var g struct {
		Small []struct {
			X   [][]float64
			R   int
			PCA struct {
				Components [][]float64
				Variance   []float64
				Total      float64
			}
		}
	}
	testkit.Golden(t, "testdata/baselines.json", &g)
	for i, c := range g.Small {
		x := testkit.FromRows(c.X)
		before := mat.DenseCopyOf(x)
		p, err := PCA(t.Context(), x, c.R)
		if err != nil {
			t.Fatal(err)
		}
		if !mat.Equal(x, before) {
			t.Error("PCA changed its input")
		}
		if !mat.EqualApprox(p.Components, testkit.FromRows(c.PCA.Components), 1e-9) {
			t.Errorf("case %d: components\n%v\nwant\n%v", i, mat.Formatted(p.Components), c.PCA.Components)
		}
		for k, v := range c.PCA.Variance {
			if !testkit.Near(p.Variance[k], v, 1e-10) {
				t.Errorf("case %d: variances %v, want %v", i, p.Variance, c.PCA.Variance)
			}
		}
		if !testkit.Near(p.Total, c.PCA.Total, 1e-12) {
			t.Errorf("case %d: total %g, want %g", i, p.Total, c.PCA.Total)
		}
		scores, err := p.Project(x)
		if err != nil || !mat.EqualApprox(scores, p.Scores, 1e-12) {
			t.Errorf("case %d: projecting the data does not give the scores (%v)", i, err)
		}
		full, err := PCA(t.Context(), x, min(len(c.X), len(c.X[0])))
		if err != nil {
			t.Fatal(err)
		}
		back, err := full.Reconstruct(full.Scores)
		if err != nil || !mat.EqualApprox(back, x, 1e-12) {
			t.Errorf("case %d: all components do not give the data back (%v)", i, err)
		}
	}
}

func TestPCADegenerate(t *testing.T) {
	constant := mat.NewDense(3, 4, nil)
	for i := range 3 {
		for j := range 4 {
			constant.Set(i, j, 0.1)
		}
	}
	for _, x := range []*mat.Dense{constant, mat.NewDense(3, 1, []float64{1, 2, 3}), mat.NewDense(1, 1, []float64{5})} {
		m, n := x.Dims()
		p, err := PCA(t.Context(), x, min(m, n))
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range p.Variance {
			if v != 0 {
				t.Errorf("%d×%d without variance: %v", m, n, p.Variance)
			}
		}
		if e := testkit.Unorthonormal(p.Components.T()); !(e <= 1e-14) || p.Total != 0 {
			t.Errorf("%+v", p)
		}
	}
}

// Scores are larger than the data, which are found again also where they are as large as data can be.
func TestPCAOfLargeData(t *testing.T) {
	x := mat.NewDense(8, 12, nil)
	x.Apply(func(_, j int, _ float64) float64 { return 1e100 * float64(j%2) }, x)
	p, err := PCA(t.Context(), x, 1)
	if err != nil {
		t.Fatal(err)
	}
	if back, err := p.Reconstruct(p.Scores); err != nil || !mat.EqualApprox(back, x, 1e88) {
		t.Errorf("scores up to %g: %v", mat.Max(p.Scores), err)
	}
}

func BenchmarkPCA(b *testing.B) {
	for _, c := range []struct{ m, n, r int }{{1024, 400, 40}, {320, 1404, 36}, {2576, 400, 40}, {1024, 1440, 20}} {
		b.Run(fmt.Sprintf("%dx%d,r=%d", c.m, c.n, c.r), func(b *testing.B) {
			x := testkit.Falling(c.m, c.n, 0.8, 1)
			b.ResetTimer()
			for b.Loop() {
				if _, err := PCA(b.Context(), x, c.r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
