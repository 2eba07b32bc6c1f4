package baseline

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/testkit"
)

// The covariances of pairs are those of loops over pairs.
func TestPairs(t *testing.T) {
	z := testkit.Uniform(4, 11, 3)
	labels := []int{2, -1, 0, 2, 0, 0, 5, -1, 2, 5, 7}
	within, between := pairs(z, labels)
	one, two := mat.NewDense(4, 4, nil), mat.NewDense(4, 4, nil)
	var n1, n2 float64
	for i := range labels {
		for j := range i {
			if labels[i] < 0 || labels[j] < 0 {
				continue
			}
			var d mat.VecDense
			d.SubVec(z.ColView(i), z.ColView(j))
			if labels[i] == labels[j] {
				one.RankOne(one, 1, &d, &d)
				n1++
			} else {
				two.RankOne(two, 1, &d, &d)
				n2++
			}
		}
	}
	one.Scale(1/n1, one)
	two.Scale(1/n2, two)
	if !mat.EqualApprox(within, one, 1e-12) || !mat.EqualApprox(between, two, 1e-12) {
		t.Errorf("%v\n%v\nwant\n%v\n%v", mat.Formatted(within), mat.Formatted(between), mat.Formatted(one), mat.Formatted(two))
	}
}

// Classes differ along two features, and within a class samples differ far more along the
// others. The learned metric looks at the two, where neighbours by Euclid are of any class.
func TestKISSME(t *testing.T) {
	const m, n, classes = 12, 150, 3
	rng := rand.New(rand.NewPCG(4, 4))
	x, class := mat.NewDense(m, n, nil), make([]int, n)
	labels := make([]int, n)
	for j := range class {
		class[j] = j % classes
		labels[j] = -1
		if j < 60 {
			labels[j] = class[j]
		}
		for i := range m {
			v := 3 * rng.NormFloat64()
			if i < 2 {
				v = 4*float64((class[j]>>i)&1) + 0.3*rng.NormFloat64()
			}
			x.Set(i, j, v)
		}
	}
	before := mat.DenseCopyOf(x)
	metric, err := KISSME{}.Fit(t.Context(), x, labels)
	if err != nil {
		t.Fatal(err)
	}
	y, err := metric.Transform(x)
	if err != nil {
		t.Fatal(err)
	}
	right := func(d *mat.Dense) (share float64) {
		for j := 60; j < n; j++ { // the nearest of the others
			best, least := 0, math.Inf(1)
			for k := range n {
				var v mat.VecDense
				v.SubVec(d.ColView(j), d.ColView(k))
				if norm := mat.Norm(&v, 2); k != j && norm < least {
					best, least = k, norm
				}
			}
			if class[best] == class[j] {
				share += 1. / 90
			}
		}
		return share
	}
	if euclid, learned := right(x), right(y); learned < 0.95 || euclid > 0.85 {
		t.Errorf("the nearest neighbour is of the same class for %.2f, by Euclid for %.2f", learned, euclid)
	}
	// The distances are (x − y)ᵀM(x − y), M from its definition, positive part.
	p, err := PCA(t.Context(), x, 12)
	if err != nil {
		t.Fatal(err)
	}
	within, between := pairs(p.Scores, labels)
	ridge := func(a *mat.Dense) *mat.Dense {
		c := mat.DenseCopyOf(a)
		for i := range m {
			c.Set(i, i, c.At(i, i)+0.01*mat.Trace(a)/m)
		}
		if err := c.Inverse(c); err != nil {
			t.Fatal(err)
		}
		return c
	}
	var mm mat.Dense
	mm.Sub(ridge(within), ridge(between))
	sym := mat.NewSymDense(m, nil)
	for i := range m {
		for j := range m {
			sym.SetSym(i, j, mm.At(i, j))
		}
	}
	var e mat.EigenSym
	e.Factorize(sym, true)
	var vectors, want mat.Dense
	e.VectorsTo(&vectors)
	positive := mat.NewDense(m, m, nil)
	for i, v := range e.Values(nil) {
		positive.RankOne(positive, max(v, 0), vectors.ColView(i), vectors.ColView(i))
	}
	want.Mul(p.Components, positive)
	want.Mul(mat.DenseCopyOf(&want), p.Components.T())
	var got mat.Dense
	got.Mul(metric.A.T(), metric.A)
	if !mat.EqualApprox(&got, &want, 1e-9*mat.Max(&want)) {
		t.Error("AᵀA is not the positive part of M")
	}
	if !mat.Equal(x, before) {
		t.Error("X has changed")
	}
	again, err := KISSME{}.Fit(t.Context(), x, labels)
	if err != nil || !mat.Equal(again.A, metric.A) {
		t.Errorf("another metric the second time, %v", err)
	}
	// Samples that are all alike have no metric, and no NaN.
	flat, err := KISSME{}.Fit(t.Context(), mat.NewDense(4, 6, nil), []int{0, 0, 1, 1, -1, -1})
	if err != nil || mat.Norm(flat.A, 2) != 0 {
		t.Errorf("zeros: %v, %v", flat, err)
	}
}

// In any unit the metric is the same but for the unit.
func TestKISSMEOfAnyScale(t *testing.T) {
	x, labels := testkit.Uniform(6, 20, 1), make([]int, 20)
	for j := range labels {
		labels[j] = j % 2
	}
	want, err := KISSME{}.Fit(t.Context(), x, labels)
	if err != nil {
		t.Fatal(err)
	}
	for _, power := range []int{-1000, -520, -510, -100, 100, 330} {
		unit := math.Ldexp(1, power)
		got, err := KISSME{}.Fit(t.Context(), testkit.Scaled(mat.DenseCopyOf(x), unit), labels)
		if err != nil {
			t.Fatal(err)
		}
		if got.A.Scale(unit, got.A); !mat.EqualApprox(got.A, want.A, 1e-9) {
			t.Errorf("2^%d: %v\nwant %v", power, mat.Formatted(got.A), mat.Formatted(want.A))
		}
	}
}
