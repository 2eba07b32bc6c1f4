package rnmf_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/robustnmf/robustnmf/rnmf/internal/work"
	"gonum.org/v1/gonum/mat"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
)

// Every start gives finite, non-negative factors of the right shape, also with
// missing entries, leaves x alone, and HALS descends from it.
func TestInits(t *testing.T) {
	x := mat.NewDense(9, 12, nil)
	mask := mat.NewDense(9, 12, nil)
	for i := range 9 {
		for j := range 12 {
			x.Set(i, j, float64((i*7+j*5+i*j)%11))
			mask.Set(i, j, 1)
		}
	}
	mask.Set(2, 3, 0)
	x.Set(2, 3, math.NaN())
	before := mat.DenseCopyOf(x)
	for _, init := range []Init{Random{}, NNDSVD{}, NNDSVDa{}, NNDSVDar{}, KMeansInit{}, KMeansInit{Scaled: true}, KMeansInit{Shift: -1}} {
		r, err := Model{Rank: 3, Loss: Hypersurface{Scale: 1}, Init: init, Mask: mask, MaxIter: 20, Seed: 1}.Fit(context.Background(), x)
		if err != nil {
			t.Errorf("%#v: %v", init, err)
			continue
		}
		if r.Objective > r.Trace[0].Objective || r.Objective < 0 || math.IsNaN(r.Objective) {
			t.Errorf("%#v: objective from %g to %g", init, r.Trace[0].Objective, r.Objective)
		}
	}
	for i, v := range x.RawMatrix().Data {
		if w := before.RawMatrix().Data[i]; v != w && !(math.IsNaN(v) && math.IsNaN(w)) {
			t.Fatal("x was modified")
		}
	}
	// The scaled start fits better than the printed one.
	plain, scaled := Model{Rank: 3, Init: KMeansInit{}, Mask: mask, MaxIter: 1}, Model{Rank: 3, Init: KMeansInit{Scaled: true}, Mask: mask, MaxIter: 1}
	a, err := plain.Fit(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	b, err := scaled.Fit(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	if b.Trace[0].Objective >= a.Trace[0].Objective {
		t.Errorf("scaled start %g, printed %g", b.Trace[0].Objective, a.Trace[0].Objective)
	}
	if _, err := (Model{Rank: 3, Init: KMeansInit{Shift: math.NaN()}, Mask: mask}).Fit(context.Background(), x); !errors.Is(err, ErrParameter) {
		t.Error(err)
	}
}

// What is missing holds the mean of what is known of its row, or of all where a row
// has nothing; weights do not count.
func TestFillMissing(t *testing.T) {
	nan := math.NaN()
	x := mat.NewDense(3, 3, []float64{1, nan, 5, nan, nan, nan, 7, 8, 12})
	mask := mat.NewDense(3, 3, []float64{1, 0, 0.2, 0, 0, 0, 3, 1, 1})
	want := mat.NewDense(3, 3, []float64{1, 3, 5, 6.6, 6.6, 6.6, 7, 8, 12})
	if got := FillMissing(x, mask, work.Never); !mat.EqualApprox(got, want, 1e-14) {
		t.Errorf("filled:\n%v\nwant\n%v", mat.Formatted(got), mat.Formatted(want))
	}
	if !math.IsNaN(x.At(0, 1)) {
		t.Error("the data have changed")
	}
}

// What is negative counts 0 for the start.
func TestRandomStartSigned(t *testing.T) {
	x := Uniform(9, 11, 3)
	x.Apply(func(i, j int, v float64) float64 {
		if (i+j)%3 == 0 {
			return -5 * v
		}
		return v
	}, x)
	start := func(x *mat.Dense) *mat.Dense {
		w, h, err := Random{}.Start(t.Context(), x, 3, rand.New(rand.NewPCG(1, 1)))
		if err != nil {
			t.Fatal(err)
		}
		return Mul(w, h)
	}
	signed := start(x)
	x.Apply(func(_, _ int, v float64) float64 { return max(v, 0) }, x)
	if !sameBits(signed, start(x)) {
		t.Error("negative entries change the start")
	}
}
