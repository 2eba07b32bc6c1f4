package rnmf

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// baselineGolden is testdata/baselines.json.
type baselineGolden struct {
	Small []struct {
		X            [][]float64
		R            int
		W, H, WA, HA [][]float64
		PCA          struct {
			Components [][]float64
			Variance   []float64
			Total      float64
		}
	}
	KMeans []struct {
		X       [][]float64
		K       int
		Inertia float64
	}
}

func uniform(m, n int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 1))
	d := mat.NewDense(m, n, nil)
	for i := range m {
		row := d.RawRowView(i)
		for j := range row {
			row[j] = rng.Float64()
		}
	}
	return d
}

// falling returns an m×n matrix with singular values about k^−power.
func falling(m, n int, power float64, seed uint64) *mat.Dense {
	p := min(m, n)
	u, v := uniform(m, p, seed), uniform(p, n, seed+1)
	for k := range p {
		for i := range m {
			u.Set(i, k, (u.At(i, k)-0.5)*math.Pow(float64(k+1), -power))
		}
		for j, x := range v.RawRowView(k) {
			v.Set(k, j, x-0.5)
		}
	}
	var x mat.Dense
	x.Mul(u, v)
	return &x
}

// orthonormalRows returns by how much the rows of a fail to be orthonormal.
func orthonormalRows(a *mat.Dense) float64 {
	var g mat.Dense
	g.Mul(a, a.T())
	r, _ := g.Dims()
	for i := range r {
		g.Set(i, i, g.At(i, i)-1)
	}
	return mat.Norm(&g, 2)
}

func TestTopSVD(t *testing.T) {
	for _, c := range []struct {
		name string
		x    *mat.Dense
		r    int
	}{
		{"wide", uniform(6, 11, 1), 6},
		{"tall", uniform(11, 6, 2), 4},
		{"huge", scaled(uniform(7, 5, 3), 1e99), 3},
		{"tiny", scaled(uniform(7, 5, 3), 1e-250), 3},
		{"iterated", falling(450, 460, 1, 4), 8},
		{"iterated, tall", falling(470, 450, 0.7, 4), 5},
		{"too flat to iterate", uniform(410, 420, 5), 4},
	} {
		if testing.Short() && c.x.RawMatrix().Rows > 100 {
			continue
		}
		var want mat.SVD
		want.Factorize(c.x, mat.SVDThin)
		exact := want.Values(nil)
		ut, s, vt, _ := topSVD(t.Context(), c.x, c.r)
		for k := range s {
			if math.Abs(s[k]-exact[k]) > 1e-9*exact[0] {
				t.Errorf("%s: singular value %d is %g, want %g", c.name, k, s[k], exact[k])
			}
		}
		if e := max(orthonormalRows(ut), orthonormalRows(vt)); e > 1e-12 {
			t.Errorf("%s: not orthonormal by %g", c.name, e)
		}
		// The best approximation of rank r: its error is known.
		for k := range s {
			for i := range ut.RawRowView(k) {
				ut.Set(k, i, ut.At(k, i)*s[k])
			}
		}
		var low mat.Dense
		low.Mul(ut.T(), vt)
		low.Sub(c.x, &low)
		var rest float64
		for _, v := range exact[c.r:] {
			rest += v / exact[0] * (v / exact[0])
		}
		if got := mat.Norm(&low, 2) / exact[0]; !near(got, math.Sqrt(rest), 1e-9) {
			t.Errorf("%s: error %g of rank %d, want %g", c.name, got, c.r, math.Sqrt(rest))
		}
	}
}

func scaled(x *mat.Dense, by float64) *mat.Dense {
	x.Scale(by, x)
	return x
}

// Data of low rank, or none, still give orthonormal vectors.
func TestTopSVDDeficient(t *testing.T) {
	low := mat.NewDense(8, 9, nil)
	low.Mul(uniform(8, 2, 1), uniform(2, 9, 2))
	for _, x := range []*mat.Dense{low, mat.DenseCopyOf(low.T()), mat.NewDense(4, 5, nil), mat.NewDense(1, 1, nil), mat.NewDense(1, 3, []float64{0, -2, 0})} {
		m, n := x.Dims()
		r := min(m, n)
		ut, s, vt, _ := topSVD(t.Context(), x, r)
		if e := max(orthonormalRows(ut), orthonormalRows(vt)); !(e <= 1e-12) {
			t.Errorf("%d×%d: not orthonormal by %g", m, n, e)
		}
		if r > 2 && (s[2] != 0 || s[r-1] != 0) {
			t.Errorf("rank 2 or 0 has singular values %v", s)
		}
	}
}

func TestPCAScikitLearn(t *testing.T) {
	var g baselineGolden
	golden(t, "baselines.json", &g)
	for i, c := range g.Small {
		x := fromRows(c.X)
		before := mat.DenseCopyOf(x)
		p, err := PCA(x, c.R)
		if err != nil {
			t.Fatal(err)
		}
		if !mat.Equal(x, before) {
			t.Error("PCA changed its input")
		}
		if !mat.EqualApprox(p.Components, fromRows(c.PCA.Components), 1e-9) {
			t.Errorf("case %d: components\n%v\nwant\n%v", i, mat.Formatted(p.Components), c.PCA.Components)
		}
		for k, v := range c.PCA.Variance {
			if !near(p.Variance[k], v, 1e-10) {
				t.Errorf("case %d: variances %v, want %v", i, p.Variance, c.PCA.Variance)
			}
		}
		if !near(p.Total, c.PCA.Total, 1e-12) {
			t.Errorf("case %d: total %g, want %g", i, p.Total, c.PCA.Total)
		}
		scores, err := p.Project(x)
		if err != nil || !mat.EqualApprox(scores, p.Scores, 1e-12) {
			t.Errorf("case %d: projecting the data does not give the scores (%v)", i, err)
		}
		full, err := PCA(x, min(len(c.X), len(c.X[0])))
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
		p, err := PCA(x, min(m, n))
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range p.Variance {
			if v != 0 {
				t.Errorf("%d×%d without variance: %v", m, n, p.Variance)
			}
		}
		if e := orthonormalRows(mat.DenseCopyOf(p.Components.T())); !(e <= 1e-14) || p.Total != 0 {
			t.Errorf("%+v", p)
		}
	}
}

func TestPCAErrors(t *testing.T) {
	x := uniform(3, 5, 1)
	for _, r := range []int{-1, 0, 4} {
		if _, err := PCA(x, r); !errors.Is(err, ErrRank) {
			t.Errorf("r = %d: %v", r, err)
		}
	}
	bad := uniform(3, 5, 1)
	bad.Set(2, 1, math.Inf(-1))
	if _, err := PCA(bad, 1); !errors.Is(err, ErrNotFinite) {
		t.Error(err)
	}
	if _, err := PCA(&mat.Dense{}, 1); !errors.Is(err, ErrEmpty) {
		t.Error(err)
	}
	p, err := PCA(x, 2)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Project(uniform(4, 5, 1)); !errors.Is(err, ErrShape) {
		t.Error(err)
	}
	if _, err := p.Reconstruct(uniform(3, 5, 1)); !errors.Is(err, ErrShape) {
		t.Error(err)
	}
}

func BenchmarkPCA(b *testing.B) {
	for _, c := range []struct{ m, n, r int }{{1024, 400, 40}, {320, 1404, 36}, {2576, 400, 40}, {1024, 1440, 20}} {
		b.Run(fmt.Sprintf("%dx%d,r=%d", c.m, c.n, c.r), func(b *testing.B) {
			x := falling(c.m, c.n, 0.8, 1)
			b.ResetTimer()
			for b.Loop() {
				if _, err := PCA(x, c.r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
