package rnmf_test

import (
	"errors"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
	. "github.com/robustnmf/robustnmf/rnmf/papers"
)

// A pointer that is nil is no matrix, of whatever type it is.
func TestNilMatrices(t *testing.T) {
	x := Uniform(6, 8, 1)
	r := MustFit(t, NMF(2), x)
	for _, a := range []mat.Matrix{nil, (*mat.Dense)(nil), (*mat.SymDense)(nil), (*mat.VecDense)(nil), (*Graph)(nil)} {
		for name, f := range map[string]func() error{
			"X":         func() error { _, err := NMF(2).Fit(t.Context(), a); return err },
			"Transform": func() error { _, err := r.Transform(t.Context(), a, nil); return err },
			"Outliers":  func() error { _, err := r.Outliers(a, nil); return err },
			"SSNMF": func() error {
				_, err := SSNMF{Model: NMF(2), Labels: Labels{Class: make([]int, 8)}}.Fit(t.Context(), a)
				return err
			},
			"Mask": func() error {
				if a == nil {
					return ErrEmpty // there is no mask
				}
				_, err := Model{Rank: 2, Mask: a}.Fit(t.Context(), x)
				return err
			},
		} {
			if err := f(); !errors.Is(err, ErrEmpty) {
				t.Errorf("%s, %T: %v", name, a, err)
			}
		}
	}
}

// byPointer is a loss, solver and penalty of a user whose methods need the pointer.
type byPointer struct{ calls int }

func (p *byPointer) Rho(s float64) (value, slope float64) { return s, 1 }

func (p *byPointer) Improve(q *Quadratic, v *mat.Dense) {
	p.calls++
	HALS{}.Improve(q, v)
}

func (p *byPointer) Value(*mat.Dense) float64 { return 0 }

func (p *byPointer) Majorize(*Quadratic, *mat.Dense) { p.calls++ }

// A pointer to a part is as good as the part; one that is nil is an error, wherever it
// stands. What needs its pointer is fitted.
func TestPointers(t *testing.T) {
	x, _ := Planted(6, 9, 2, 0.1, 0.1, 1)
	for i, c := range [][2]Model{
		{{Loss: &Huber{}}, {Loss: Huber{}}},
		{{Loss: &ByColumn{L1{}}}, {Loss: ByColumn{L1{}}}},
		{{Loss: ByColumn{&L1{}}}, {Loss: ByColumn{L1{}}}},
		{{Loss: &Frobenius{}}, {Loss: Frobenius{}}},
		{{Loss: Truncated{Loss: &Cauchy{}}}, {Loss: Truncated{Loss: Cauchy{}}}},
		{{Loss: &MMEstimator{First: &Cauchy{}}}, {Loss: MMEstimator{First: Cauchy{}}}},
		{{Solver: &HALS{}}, {Solver: HALS{}}},
		{{Solver: Additive{Solver: &MU{}}}, {Solver: Additive{Solver: MU{}}}},
		{{SolverW: &NormalEquations{}, SolverH: &HALS{}}, {SolverW: NormalEquations{}, SolverH: HALS{}}},
		{{OnH: []Penalty{&Lasso{1}, &Labels{Class: []int{0, 1, 0, 1, 0, 1, 0, 1, 1}}}}, {OnH: []Penalty{Lasso{1}, Labels{Class: []int{0, 1, 0, 1, 0, 1, 0, 1, 1}}}}},
		{{OnW: []Penalty{&Ridge{1}}, OnH: []Penalty{&Laplacian{Ring(9, 1), 1}}}, {OnW: []Penalty{Ridge{1}}, OnH: []Penalty{Laplacian{Ring(9, 1), 1}}}},
	} {
		var r [2]*Result
		for j, m := range c {
			m.Rank, m.MaxIter = 2, 20
			r[j] = MustFit(t, m, x)
		}
		if !sameBits(r[0].W, r[1].W) || !sameBits(r[0].H, r[1].H) || r[0].Objective != r[1].Objective {
			t.Errorf("case %d: pointers end at %g, values at %g", i, r[0].Objective, r[1].Objective)
		}
	}
	for _, c := range []struct {
		m    Model
		says string
	}{
		{Model{Loss: (*Huber)(nil)}, "a nil *rnmf.Huber, want a value"},
		{Model{Loss: ByColumn{(*L1)(nil)}}, "a nil *rnmf.L1, want a value"},
		{Model{Loss: ByColumn{&ByColumn{L1{}}}}, "put ByColumn outside"},
		{Model{Loss: (*byPointer)(nil)}, "a nil *rnmf_test.byPointer"},
		{Model{Solver: (*OGM)(nil)}, "a nil *papers.OGM, want a value"},
		{Model{SolverH: Additive{Solver: (*OGM)(nil)}}, "a nil *papers.OGM, want a value"},
		{Model{OnH: []Penalty{(*Labels)(nil)}}, "a nil *rnmf.Labels, want a value"},
	} {
		c.m.Rank = 2
		if _, err := c.m.Fit(t.Context(), x); !errors.Is(err, ErrParameter) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v, want %q", err, c.says)
		}
	}
	x = Uniform(4, 5, 1)
	p := &byPointer{}
	r := MustFit(t, Model{Rank: 2, Loss: p, Solver: p, OnW: []Penalty{p}, OnH: []Penalty{p}}, x)
	if p.calls == 0 || r.Objective > r.Trace[0].Objective {
		t.Errorf("%d calls of a part that needs its pointer, objective %g", p.calls, r.Objective)
	}
	if _, err := r.Transform(t.Context(), x, nil); err != nil {
		t.Error(err)
	}
}
