package lesson

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/viz"
)

func TestMul(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	random := func(m, n int) *mat.Dense {
		a := mat.NewDense(m, n, nil)
		a.Apply(func(_, _ int, _ float64) float64 { return rng.Float64() }, a)
		return a
	}
	a, b, d := random(3, 4), random(4, 5), mat.NewDiagDense(4, []float64{1, 2, 0, 3})
	full := mat.DenseCopyOf(d)
	var ad, want, db mat.Dense
	ad.Mul(a, full)
	want.Mul(&ad, b)
	db.Mul(full, b)
	if got := Mul(a, d, b); !mat.EqualApprox(got, &want, 1e-15) {
		t.Errorf("a·d·b = %v", got)
	}
	if got := Mul(d, b); !mat.EqualApprox(got, &db, 1e-15) {
		t.Errorf("d·b = %v", got)
	}
	for name, bad := range map[string]func(){
		"a·a": func() { Mul(a, a) }, "b·d": func() { Mul(b, d) }, "d·a": func() { Mul(d, a) },
		"a∘b": func() { Times(a, b) }, "a/b": func() { Ratio(a, b) }, "a−b": func() { Minus(a, b) }, "a+b": func() { Plus(a, 1, b) },
	} {
		if said := end(t, bad); !strings.Contains(said, "dimension mismatch") {
			t.Errorf("%s: the cell says %q", name, said)
		}
	}
	if p := Plus(b, -2, b); p.At(1, 2) != -b.At(1, 2) {
		t.Errorf("b − 2b has %g", p.At(1, 2))
	}
	if q := Ratio(mat.NewDense(1, 2, []float64{0, 6}), mat.NewDense(1, 2, []float64{0, 3})); q.At(0, 0) != 0 || q.At(0, 1) != 2 {
		t.Errorf("the ratio is %v", q)
	}
}

func TestSame(t *testing.T) {
	w, h := mat.NewDense(2, 1, []float64{1, 2}), mat.NewDense(1, 2, []float64{3, 4})
	r := &rnmf.Result{W: mat.DenseCopyOf(w), H: mat.DenseCopyOf(h), Trace: make(rnmf.Trace, 2)}
	Same(w, h, r)
	r.H.Set(0, 0, 3+1e-9)
	if said := end(t, func() { Same(w, h, r) }); !strings.Contains(said, "differ") {
		t.Errorf("the cell says %q", said)
	}
}

// The parts of one model in another order and unit are matched, and the pair that differs comes first.
func TestMatch(t *testing.T) {
	a := mat.NewDense(3, 3, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1})
	b := mat.NewDense(3, 3, []float64{0, 7, 0, 0, 0, 5, 2, 0, 1})
	order, picked := match([]mat.Matrix{a, b}, 2)
	if !slices.Equal(order, []int{1, 0}) || picked[1].At(1, 0) != 1 || picked[1].At(0, 1) != 1 || picked[0].At(1, 0) != 1 {
		t.Errorf("order %d, %v", order, picked)
	}
	if c := Cosines(a, b); len(c) != 3 || math.Abs(c[0]-5/math.Sqrt(26)) > 1e-12 || math.Abs(c[2]-1) > 1e-12 {
		t.Errorf("cosines %v", c)
	}
	s := &datasets.Set{Height: 1, Width: 3}
	if Pairs("t", s, 5, "a", a, "b", b).Image().Bounds().Dx() != Pairs("t", s, 3, "a", a, "b", b).Image().Bounds().Dx() {
		t.Error("of three pairs five are drawn")
	}
}

func TestApart(t *testing.T) {
	got := apart([]float64{10, 11, 50, 9}, 4)
	if want := []float64{10, 14, 50, 6}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestLooks(t *testing.T) {
	series := func(rows ...string) (styles []int) {
		r := new(Results)
		for _, row := range rows {
			r.Add(row, "1", 1)
		}
		for _, s := range r.Series() {
			styles = append(styles, s.Style)
		}
		return styles
	}
	if got := series("mine", "L1", "NMF", "yours"); !slices.Equal(got, []int{2, 3, 1, 4}) {
		t.Errorf("styles %d", got)
	}
	if got := series("hypersurface", "mine", "yours"); !slices.Equal(got, []int{18, 1, 3}) { // 18 has the second colour
		t.Errorf("styles %d", got)
	}
	if Rises(rnmf.Trace{{Objective: 3}, {Objective: 2}, {Objective: 2 + 1e-14}, {Objective: 2.5}}) != 1 {
		t.Error("rises are not counted")
	}
	curve := viz.Curve{Name: "mine", Trace: rnmf.Trace{{Objective: 3}, {Objective: 2, Round: 1}, {Objective: 1.5, Round: 2}, {Objective: 1, Round: 3}}}
	if !coloured(Gaps(viz.ConvergenceOptions{}, curve).Image()) {
		t.Error("no curve is drawn")
	}
}
