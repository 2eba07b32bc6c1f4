package rnmf_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets/sparse"
	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest/parts"
	. "github.com/robustnmf/robustnmf/rnmf/papers"
)

// with returns a 4×5 matrix of ones with one entry set.
func with(i, j int, v float64) *mat.Dense {
	d := ConstantOnes(4, 5)
	d.Set(i, j, v)
	return d
}

// funcInit is a start as a user would write one.
type funcInit func() (w, h *mat.Dense, err error)

func (f funcInit) Start(context.Context, *mat.Dense, int, *rand.Rand) (w, h *mat.Dense, err error) {
	return f()
}

func TestErrors(t *testing.T) {
	ones := ConstantOnes(4, 5)
	own := errors.New("own")
	start := func(w, h mat.Matrix) Model { return Model{Rank: 2, Init: WarmStart{W: w, H: h}} }
	w, h := ConstantOnes(4, 2), ConstantOnes(2, 5)
	for _, c := range []struct {
		name string
		m    Model
		x    mat.Matrix
		want error
		says string // a part of the message
	}{
		{"NaN", Model{Rank: 2}, with(2, 3, math.NaN()), ErrNotFinite, "X[2,3] = NaN"},
		{"Inf", Model{Rank: 2}, with(0, 4, math.Inf(1)), ErrNotFinite, "X[0,4] = +Inf"},
		{"NaN in signed", Model{Rank: 2, Signed: true}, with(2, 3, math.NaN()), ErrNotFinite, "X[2,3] = NaN"},
		{"negative", Model{Rank: 2}, with(3, 0, -0.5), ErrNegative, "X[3,0] = -0.5"},
		{"too large", Model{Rank: 2}, with(3, 1, 1e101), ErrTooLarge, "X[3,1] = 1e+101"},
		{"too small", Model{Rank: 2, Signed: true}, with(3, 1, -1e101), ErrTooLarge, "X[3,1] = -1e+101"},
		{"nil", Model{Rank: 2}, nil, ErrEmpty, "X is nil"},
		{"empty", Model{Rank: 2}, &mat.Dense{}, ErrEmpty, "0×0"},
		{"no rank", Model{}, ones, ErrRank, "0, want 1 to 4"},
		{"negative rank", Model{Rank: -3}, ones, ErrRank, "-3"},
		{"rank too high", Model{Rank: 5}, ones, ErrRank, "5, want 1 to 4 for X of 4×5"},
		{"mask's shape", Model{Rank: 2, Mask: ConstantOnes(5, 4)}, ones, ErrShape, "Mask is 5×4, want 4×5"},
		{"mask of NaN", Model{Rank: 2, Mask: with(1, 1, math.NaN())}, ones, ErrNotFinite, "Mask[1,1]"},
		{"negative mask", Model{Rank: 2, Mask: with(1, 2, -1)}, ones, ErrNegative, "Mask[1,2] = -1"},
		{"nothing left", Model{Rank: 2, Mask: mat.NewDense(4, 5, nil)}, ones, ErrEmpty, "Mask"},
		{"W's shape", start(ConstantOnes(5, 2), h), ones, ErrShape, "W is 5×2, want 4×2"},
		{"H's shape", start(w, ConstantOnes(2, 4)), ones, ErrShape, "H is 2×4, want 2×5"},
		{"no H", start(w, nil), ones, ErrShape, "W or H"},
		{"negative W", start(mat.NewDense(4, 2, []float64{0, 0, 0, 0, 0, -2, 0, 0}), h), ones, ErrNegative, "W[2,1] = -2"},
		{"NaN in H", start(w, mat.NewDense(2, 5, []float64{0, 0, 0, 0, 0, 0, math.NaN(), 0, 0, 0})), ones, ErrNotFinite, "H[1,1]"},
		{"too large under the mask", Model{Rank: 2, Mask: Scaled(ones, 1e100), Init: WarmStart{W: Scaled(w, 1e55), H: Scaled(h, 1e55)}}, ones, ErrTooLarge, "W[0,0]"},
		{"too large together", start(Scaled(ConstantOnes(4, 2), 1e90), Scaled(ConstantOnes(2, 5), 1e90)), ones, ErrTooLarge, "W[0,0]"},
		{"a start that fails", Model{Rank: 2, Init: funcInit(func() (*mat.Dense, *mat.Dense, error) { return nil, nil, own })}, ones, own, "own"},
		{"a start without factors", Model{Rank: 2, Init: funcInit(func() (*mat.Dense, *mat.Dense, error) { return nil, nil, nil })}, ones, ErrShape, ""},
		{"MaxIter", Model{Rank: 2, MaxIter: -1}, ones, ErrParameter, "MaxIter"},
		{"TuneFor", Model{Rank: 2, TuneFor: -2}, ones, ErrParameter, "TuneFor"},
		{"Tol", Model{Rank: 2, Tol: math.NaN()}, ones, ErrParameter, "Tol"},
		{"Eps", Model{Rank: 2, Loss: L1{Eps: -1}}, ones, ErrParameter, "L1.Eps is -1"},
		{"Cut", Model{Rank: 2, Loss: Huber{Cut: math.NaN()}}, ones, ErrParameter, "Huber.Cut"},
		{"Scale", Model{Rank: 2, Loss: Hypersurface{Scale: math.Inf(1)}}, ones, ErrParameter, "Hypersurface.Scale"},
		{"scale too small to be squared", Model{Rank: 2, Loss: Cauchy{Scale: 1e-200}}, ones, ErrParameter, "Cauchy.Scale"},
		{"a square that overflows", Model{Rank: 2, Loss: L1{Eps: 1e155}}, ones, ErrParameter, "L1.Eps is 1e+155, want 1e-75 to 1e+150"},
		{"Correntropy", Model{Rank: 2, Loss: Correntropy{Scale: -1}}, ones, ErrParameter, "Correntropy.Scale"},
		{"inner scale", Model{Rank: 2, Loss: ByColumn{Truncated{Loss: Cauchy{Scale: -1}}}}, ones, ErrParameter, "Cauchy.Scale"},
		{"cut-off", Model{Rank: 2, Loss: Truncated{Loss: Cauchy{}, Cut: -1}}, ones, ErrParameter, "Truncated.Cut"},
		{"truncated nil", Model{Rank: 2, Loss: Truncated{}}, ones, ErrParameter, "Truncated.Loss"},
		{"columns of nil", Model{Rank: 2, Loss: ByColumn{}}, ones, ErrParameter, "ByColumn.Loss"},
		{"columns of columns", Model{Rank: 2, Loss: ByColumn{ByColumn{L1{}}}}, ones, ErrParameter, "ByColumn.Loss"},
		{"cells of nil", Model{Rank: 2, Loss: CellCase{}}, ones, ErrParameter, "CellCase.Loss"},
		{"cells of columns", Model{Rank: 2, Loss: CellCase{Loss: ByColumn{L1{}}}}, ones, ErrParameter, "CellCase.Loss"},
		{"columns of cells", Model{Rank: 2, Loss: ByColumn{CellCase{Loss: L1{}}}}, ones, ErrParameter, "ByColumn.Loss"},
		{"cells without a floor", Model{Rank: 2, Loss: CellCase{Loss: L1{}, Eps: -1}}, ones, ErrParameter, "CellCase.Eps"},
		{"truncated columns", Model{Rank: 2, Loss: Truncated{Loss: ByColumn{L1{}}}}, ones, ErrParameter, "Truncated.Loss"},
		{"RNMF-L1", RNMFL1(2, -1), ones, ErrParameter, "Huber.Cut"},
		{"sweeps", Model{Rank: 2, Solver: HALS{Sweeps: -1}}, ones, ErrParameter, "Sweeps"},
		{"sweeps below", Model{Rank: 2, Solver: Additive{Solver: HALS{Sweeps: -1}}}, ones, ErrParameter, "Sweeps"},
		{"no penalty", Model{Rank: 2, OnW: []Penalty{nil}}, ones, ErrParameter, "penalty"},
		{"sparse", Model{Rank: 2, OnH: []Penalty{Lasso{-1}}}, ones, ErrParameter, "Lasso.Lambda is -1"},
		{"ridge", Model{Rank: 2, OnW: []Penalty{Ridge{math.NaN()}}}, ones, ErrParameter, "Ridge.Lambda"},
		{"a matrix whose parts do not fit", NMF(1), &sparse.Matrix{Rows: 4, Cols: 5}, ErrShape, "X: datasets: "},
		{"its transpose", NMF(1), (&sparse.Matrix{Rows: 2, Cols: 2, Start: []int{0, 1, 2}, Row: []int32{0, 7}, Value: []float64{1, 1}}).T(), ErrShape, "row 7 of 2 in column 1"},
		{"a mask whose parts do not fit", Model{Rank: 2, Mask: &sparse.Matrix{Rows: 4, Cols: 5}}, ones, ErrShape, "Mask: datasets: "},
	} {
		r, err := c.m.Fit(context.Background(), c.x)
		if r != nil || !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, %v, want %v that says %q", c.name, r, err, c.want, c.says)
		}
		steps := 0
		for step, got := range c.m.Steps(context.Background(), c.x) {
			if steps++; steps > 1 || got == nil || got.Error() != err.Error() {
				t.Errorf("%s: step %d has %v, Fit %v", c.name, steps, got, err)
			}
			if step.W() != nil || step.H() != nil || step.Result() != nil {
				t.Errorf("%s: factors of a fit that had no step", c.name)
			}
		}
		if steps != 1 {
			t.Errorf("%s: %d steps", c.name, steps)
		}
	}
	var entry *EntryError
	if _, err := NMF(1).Fit(context.Background(), with(2, 3, -7)); !errors.As(err, &entry) || entry.Row != 2 || entry.Col != 3 || entry.Value != -7 {
		t.Errorf("%+v", entry)
	}
}

func TestResultErrors(t *testing.T) {
	r := MustFit(t, NMF(2), Uniform(4, 5, 1))
	for name, c := range map[string]struct {
		x    mat.Matrix
		want error
	}{
		"nil": {nil, ErrEmpty}, "shape": {Uniform(5, 4, 1), ErrShape}, "NaN": {with(1, 1, math.NaN()), ErrNotFinite},
	} {
		if _, err := r.Outliers(c.x, nil); !errors.Is(err, c.want) {
			t.Errorf("Outliers, %s: %v", name, err)
		}
		if _, err := r.Transform(context.Background(), c.x, nil); !errors.Is(err, c.want) {
			t.Errorf("Transform, %s: %v", name, err)
		}
	}
}

// Negative data are fitted where the user says so.
func TestSigned(t *testing.T) {
	x := Uniform(8, 9, 1)
	x.Apply(func(_, _ int, v float64) float64 { return v - 0.4 }, x)
	for _, loss := range FixedLosses {
		for _, solver := range AllSolvers {
			m := Model{Rank: 3, Loss: loss, Solver: solver, Signed: true, MaxIter: 12, Tol: -1}
			checkDescent(t, LossName(loss), m, x)
		}
	}
	x.Scale(-1, x)
	x.Apply(func(_, _ int, v float64) float64 { return v - 1 }, x)
	for _, solver := range AllSolvers {
		if r := MustFit(t, Model{Rank: 2, Solver: solver, Signed: true, MaxIter: 200}, x); mat.Norm(Mul(r.W, r.H), 2) > 1e-2 {
			t.Errorf("%T: the best fit of negative data is 0, not %g", solver, mat.Max(Mul(r.W, r.H)))
		}
	}
}
