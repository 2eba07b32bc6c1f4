package rnmf_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
)

// W has the mean of each class, H its labels, and the rest is from Rest, whose
// matrices stay as they are.
func TestLabelInit(t *testing.T) {
	x := mat.NewDense(3, 6, []float64{
		1, 10, 3, 20, 8, 100,
		0, 40, 5, 30, 4, 100,
		-9, 0, 1, 50, 6, 100,
	})
	// Class 1 has no labels, class 3 no component but its own, component 4 no class.
	l := Labels{Class: []int{0, 2, 0, 2, 3, Unlabelled}}
	restW, restH := Uniform(3, 5, 1), Uniform(5, 6, 2)
	keptW, keptH := mat.DenseCopyOf(restW), mat.DenseCopyOf(restH)
	rest := funcInit(func() (*mat.Dense, *mat.Dense, error) { return restW, restH, nil })
	w, h, err := LabelInit{Labels: l, Rest: rest}.Start(t.Context(), x, 5, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	const even = 0.25 // one of four classes
	wantW := mat.NewDense(3, 5, []float64{
		2, keptW.At(0, 1), 15, 8, keptW.At(0, 4),
		2.5, keptW.At(1, 1), 35, 4, keptW.At(1, 4),
		0, keptW.At(2, 1), 25, 6, keptW.At(2, 4), // a mean of −4 is none
	})
	wantH := mat.DenseCopyOf(keptH)
	const other = 0.1 * even
	wantH.SetRow(0, []float64{1, other, 1, other, other, even})
	wantH.SetRow(2, []float64{other, 1, other, 1, other, even})
	wantH.SetRow(3, []float64{other, other, other, other, 1, even})
	if !mat.EqualApprox(w, wantW, 1e-14) {
		t.Errorf("W is\n%v\nwant\n%v", mat.Formatted(w), mat.Formatted(wantW))
	}
	if !mat.EqualApprox(h, wantH, 1e-14) {
		t.Errorf("H is\n%v\nwant\n%v", mat.Formatted(h), mat.Formatted(wantH))
	}
	if !sameBits(restW, keptW) || !sameBits(restH, keptH) {
		t.Error("the matrices of Rest have changed")
	}
	own := errors.New("own")
	for name, c := range map[string]struct {
		rest func() (w, h *mat.Dense, err error)
		want error
	}{
		"nothing":     {func() (*mat.Dense, *mat.Dense, error) { return nil, nil, nil }, ErrShape},
		"no H":        {func() (*mat.Dense, *mat.Dense, error) { return restW, nil, nil }, ErrShape},
		"W too small": {func() (*mat.Dense, *mat.Dense, error) { return Uniform(3, 4, 1), restH, nil }, ErrShape},
		"H too wide":  {func() (*mat.Dense, *mat.Dense, error) { return restW, Uniform(5, 7, 1), nil }, ErrShape},
		"an error":    {func() (*mat.Dense, *mat.Dense, error) { return nil, nil, own }, own},
	} {
		start := LabelInit{Labels: l, Rest: funcInit(c.rest)}
		if _, _, err := start.Start(t.Context(), x, 5, rand.New(rand.NewPCG(1, 1))); !errors.Is(err, c.want) {
			t.Errorf("Rest with %s: %v, want %v", name, err, c.want)
		}
	}
	if _, _, err := (LabelInit{Labels: l}).Start(t.Context(), x, 3, rand.New(rand.NewPCG(1, 1))); !errors.Is(err, ErrLabels) {
		t.Errorf("four classes with three components: %v", err)
	}
}

// Λ is (13) for the classes with labels; for the free components it is the mean of
// those, and 1 where a row vanishes on the labelled samples or no class has labels.
func TestLambda(t *testing.T) {
	l := Labels{Class: []int{0, Unlabelled, 2, 0, 2, 3}}
	h := mat.NewDense(5, 6, []float64{
		2, 9, 1, 4, 0, 1,
		7, 7, 7, 7, 7, 7,
		30, 1, 10, 0, 20, 0,
		0, 5, 0, 0, 0, 0,
		1, 2, 3, 4, 5, 6,
	})
	first, second := 6./(4+1+16+1), 30./(900+100+400)
	mean := (first + second + 1) / 3 // row 3 vanishes where there are labels
	want := []float64{first, mean, second, 1, mean}
	for k, v := range l.Lambda(h) {
		if !Nearly(v, want[k], 1e-14) {
			t.Errorf("λ of component %d is %g, want %g", k, v, want[k])
		}
	}
	for k, v := range (Labels{Class: []int{-1, -1, -1, -1, -1, -1}}).Lambda(h) {
		if v != 1 {
			t.Errorf("without labels λ of component %d is %g, want 1", k, v)
		}
	}
}

// The scores are ΛH with the Λ of the fit, so that lengths of rows do not count: nor
// do they for the classes that are predicted.
func TestLabelScores(t *testing.T) {
	l := Labels{Class: []int{0, 1, 0, 1, Unlabelled, Unlabelled}}
	even := mat.NewDense(2, 6, []float64{
		1, 0.1, 0.9, 0, 0.8, 0.3,
		0.2, 1, 0, 1.1, 0.1, 0.9,
	})
	truth := []int{0, 1, 0, 1, 0, 1}
	for _, by := range []float64{1, 100, 0.01} {
		h := mat.DenseCopyOf(even)
		for j := range 6 {
			h.Set(0, j, even.At(0, j)*by)
			h.Set(1, j, even.At(1, j)/by)
		}
		r := &Result{W: ConstantOnes(3, 2), H: h, OnH: []Penalty{Lasso{1}, l}}
		fresh := mat.NewDense(2, 2, []float64{0.7 * by, 0.2 * by, 0.3 / by, 0.9 / by})
		for _, c := range []struct {
			h     *mat.Dense
			truth []int
		}{{h, truth}, {fresh, []int{0, 1}}} {
			before := mat.DenseCopyOf(c.h)
			got, err := r.LabelScores(c.h)
			if err != nil {
				t.Fatal(err)
			}
			for k := range 2 {
				lambda := naiveLambda(l.Class, h.RawRowView(k), k)
				for j := range c.truth {
					if want := lambda * before.At(k, j); !Nearly(got.At(k, j), want, 1e-13) {
						t.Errorf("by %g: the score of class %d for sample %d is %g, want %g", by, k, j, got.At(k, j), want)
					}
				}
			}
			if !sameBits(c.h, before) {
				t.Errorf("by %g: the coefficients have changed", by)
			}
			if found, err := r.Predict(c.h); err != nil || Share(found, c.truth) != 1 {
				t.Errorf("by %g: predicted %v, %v, want %v", by, found, err, c.truth)
			}
		}
	}
	if _, err := (&Result{W: ConstantOnes(3, 2), H: even}).LabelScores(even); !errors.Is(err, ErrLabels) {
		t.Errorf("without labels: %v", err)
	}
	r := &Result{W: ConstantOnes(3, 2), H: even, OnH: []Penalty{l}}
	for _, bad := range []*mat.Dense{Uniform(3, 6, 1), Uniform(1, 2, 1)} {
		if _, err := r.LabelScores(bad); !errors.Is(err, ErrShape) {
			t.Errorf("coefficients of another rank: %v", err)
		}
	}
	if _, err := r.Predict(mat.NewDense(2, 1, []float64{1, math.NaN()})); !errors.Is(err, ErrNotFinite) {
		t.Errorf("coefficients with NaN: %v", err)
	}
}
