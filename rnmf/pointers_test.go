package rnmf

import (
	"errors"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// byPointer is a loss, solver and penalty of a user whose methods need the pointer.
type byPointer struct{ calls int }

func (p *byPointer) Rho(s float64) (value, slope float64) { return s, 1 }

func (p *byPointer) Improve(q *Quadratic, v *mat.Dense) {
	p.calls++
	HALS{}.Improve(q, v)
}

func (p *byPointer) Value(*mat.Dense) float64 { return 0 }

func (p *byPointer) Majorize(*Quadratic, *mat.Dense) { p.calls++ }

// A pointer to a part of this package has its methods, but not its type: &HALS{} would
// lose its extrapolation, &FreeW{} make a Result that cannot Transform. It is an error
// wherever a part can stand. What needs its pointer is fitted.
func TestPointers(t *testing.T) {
	x := uniform(4, 5, 1)
	for _, c := range []struct {
		name string
		m    Model
		says string
	}{
		{"loss", Model{Loss: &Huber{}}, "a loss is a *rnmf.Huber, want the value, no pointer"},
		{"columns", Model{Loss: &ByColumn{L1{}}}, "a loss is a *rnmf.ByColumn, want"},
		{"loss of columns", Model{Loss: ByColumn{&L1{}}}, "a loss is a *rnmf.L1, want"},
		{"columns of columns", Model{Loss: ByColumn{&ByColumn{L1{}}}}, "a loss is a *rnmf.ByColumn, want"},
		{"truncated", Model{Loss: Truncated{Loss: &Cauchy{}}}, "a loss is a *rnmf.Cauchy, want"},
		{"first stage", Model{Loss: TwoStage{First: &Cauchy{}}}, "a loss is a *rnmf.Cauchy, want"},
		{"nil loss", Model{Loss: (*Huber)(nil)}, "a loss is a nil *rnmf.Huber, want a value"},
		{"nil loss of columns", Model{Loss: ByColumn{(*L1)(nil)}}, "a loss is a nil *rnmf.L1, want a value"},
		{"nil loss of a user", Model{Loss: (*byPointer)(nil)}, "a loss is a nil *rnmf.byPointer"},
		{"solver", Model{Solver: &HALS{}}, "a solver is a *rnmf.HALS, want the value, no pointer"},
		{"free W", Model{Solver: &FreeW{}}, "a solver is a *rnmf.FreeW, want"},
		{"solver of the additive form", Model{Solver: Additive{&MU{}}}, "a solver is a *rnmf.MU, want"},
		{"solver of H", Model{Solver: FreeW{&HALS{}}}, "FreeW.Solver"},
		{"nil solver", Model{Solver: (*OGM)(nil)}, "a solver is a nil *rnmf.OGM, want a value"},
		{"penalty on W", Model{OnW: []Penalty{&Sparse{1}}}, "a penalty is a *rnmf.Sparse, want the value, no pointer"},
		{"penalty on H", Model{OnH: []Penalty{Sparse{1}, &Ridge{1}}}, "a penalty is a *rnmf.Ridge, want"},
		{"labels", Model{OnH: []Penalty{&Labels{Class: []int{0, 1, 0, 1, 0}}}}, "a penalty is a *rnmf.Labels, want"},
		{"nil labels", Model{OnH: []Penalty{(*Labels)(nil)}}, "a penalty is a nil *rnmf.Labels, want a value"},
	} {
		c.m.Rank = 2
		if _, err := c.m.Fit(t.Context(), x); !errors.Is(err, ErrParameter) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.name, err, c.says)
		}
	}
	if err := CheckLoss(&Huber{Cut: 1}, 1); !errors.Is(err, ErrParameter) {
		t.Errorf("CheckLoss: %v", err)
	}
	p := &byPointer{}
	r := mustFit(t, Model{Rank: 2, Loss: p, Solver: p, OnW: []Penalty{p}, OnH: []Penalty{p}}, x)
	if p.calls == 0 || r.Objective > r.Trace[0].Objective {
		t.Errorf("%d calls of a part that needs its pointer, objective %g", p.calls, r.Objective)
	}
	if _, err := r.Transform(t.Context(), x); err != nil {
		t.Error(err)
	}
}
