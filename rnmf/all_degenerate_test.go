package rnmf_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest/parts"
	. "github.com/robustnmf/robustnmf/rnmf/papers"
)

// Data at the edge of what can be: no number is ever lost, whatever the loss.
func TestDegenerateData(t *testing.T) {
	take := OneIn(t, 17)
	constant := mat.NewDense(4, 6, nil)
	constant.Apply(func(int, int, float64) float64 { return 0.1 }, constant)
	rowsOff, columnsOff := Uniform(6, 5, 1), Uniform(5, 6, 2)
	for j := range 5 {
		rowsOff.Set(2, j, 0)
		rowsOff.Set(5, j, 0)
		columnsOff.Set(j, 0, 0)
		columnsOff.Set(j, 4, 0)
	}
	one := mat.NewDense(5, 7, nil)
	one.Set(3, 3, 2)
	identity := mat.NewDense(4, 4, nil)
	for i := range 4 {
		identity.Set(i, i, 1)
	}
	mixed := Uniform(6, 6, 9)
	mixed.Apply(func(i, j int, v float64) float64 { return v * math.Pow(10, float64(10*(i+j)-50)) }, mixed)
	gross, _ := Planted(6, 9, 2, 0, 1, 3)
	exact, _ := Planted(6, 8, 2, 0, 0, 4)
	var work []func()
	for _, c := range []struct {
		name  string
		x     *mat.Dense
		ranks []int
	}{
		{"zero rows", rowsOff, []int{1, 5}},
		{"zero columns", columnsOff, []int{1, 5}},
		{"all zero", mat.NewDense(3, 4, nil), []int{1, 3}},
		{"constant", constant, []int{1, 4}},
		{"one entry", one, []int{1, 5}},
		{"identity", identity, []int{1, 4}},
		{"one sample", Uniform(5, 1, 1), []int{1}},
		{"one feature", Uniform(1, 5, 1), []int{1}},
		{"a number", mat.NewDense(1, 1, []float64{3}), []int{1}},
		{"zero", mat.NewDense(1, 1, nil), []int{1}},
		{"all outliers", gross, []int{1, 3}},
		{"low rank", exact, []int{2, 6}},
		{"huge", Scaled(Uniform(6, 8, 4), 1e99), []int{2}},
		{"largest", Scaled(ConstantOnes(5, 5), MaxEntry), []int{1, 4}},
		{"tiny", Scaled(Uniform(6, 8, 5), 1e-99), []int{2}},
		{"smallest", Scaled(Uniform(6, 8, 6), 1e-300), []int{2}},
		{"denormal", Scaled(ConstantOnes(3, 4), 5e-324), []int{2}},
		{"many orders", mixed, []int{1, 4}},
	} {
		for _, loss := range slices.Concat(TunedLosses, FixedLosses) {
			for _, solver := range []Solver{HALS{}, MU{}, Additive{}, OGM{}} {
				for _, rank := range c.ranks {
					if !take() {
						continue
					}
					work = append(work, func() {
						name := fmt.Sprintf("%s, rank %d, %s, %T", c.name, rank, LossName(loss), solver)
						r := TryFit(t, Model{Rank: rank, Loss: loss, Solver: solver, MaxIter: 12, Tol: -1, TraceKKT: true}, c.x)
						if r == nil || !Sound(t, name, r) {
							return
						}
						if r.Reason == Diverged {
							t.Errorf("%s: diverged: %+v", name, r.Trace)
						}
						o, err := r.Outliers(c.x, nil)
						if err != nil {
							t.Error(name, err)
							return
						}
						for _, v := range slices.Concat(o.Weights.RawMatrix().Data, o.Samples) {
							if !(v >= 0 && v <= 1+1e-12) {
								t.Errorf("%s: weight %g", name, v)
								break
							}
						}
						if s := mat.Sum(o.S); math.IsNaN(s) || math.IsInf(s, 0) {
							t.Errorf("%s: S has the sum %g", name, s)
						}
					})
				}
			}
		}
	}
	SideBySide(work)
}

// A start that is already exact stays, and the fit ends at once.
func TestExactStart(t *testing.T) {
	w, h := Uniform(6, 2, 1), Uniform(2, 9, 2)
	x := Mul(w, h)
	take := OneIn(t, 23)
	for _, loss := range slices.Concat(FixedLosses, TunedLosses) {
		for _, solver := range AllSolvers {
			if !take() {
				continue
			}
			name := fmt.Sprintf("%s, %T", LossName(loss), solver)
			r := MustFit(t, Model{Rank: 2, Loss: loss, Solver: solver, Init: WarmStart{W: w, H: h}}, x)
			Sound(t, name, r)
			var y mat.Dense
			y.Mul(r.W, r.H)
			// The stages of these do not end where nothing moves.
			if !mat.EqualApprox(&y, x, 1e-9) || r.Reason != Converged && !(Staged(loss) && r.Reason == MaxIter) {
				t.Errorf("%s: left an exact start: %v after %d rounds", name, r.Reason, len(r.Trace)-1)
			}
		}
	}
}

// Zero rows and columns get zero factors, and others are not disturbed.
func TestZeroRowsAndColumns(t *testing.T) {
	x, _ := Planted(9, 12, 2, 0, 0, 3)
	for j := range 12 {
		x.Set(4, j, 0)
	}
	for i := range 9 {
		x.Set(i, 7, 0)
	}
	for _, loss := range TunedLosses {
		r := MustFit(t, Model{Rank: 2, Loss: loss, MaxIter: 300}, x)
		if y := Mul(r.W, r.H); mat.Norm(y.RowView(4), 2) > 1e-3 || mat.Norm(y.ColView(7), 2) > 1e-3 {
			t.Errorf("%s: %g in an empty row, %g in an empty column", LossName(loss), mat.Norm(y.RowView(4), 2), mat.Norm(y.ColView(7), 2))
		}
	}
}

// Rows and columns that are missing altogether.
func TestMissingRowsAndColumns(t *testing.T) {
	x, _ := Planted(6, 8, 2, 0.05, 0, 3)
	mask := ConstantOnes(6, 8)
	for j := range 8 {
		mask.Set(1, j, 0)
		x.Set(1, j, math.NaN())
	}
	for i := range 6 {
		mask.Set(i, 5, 0)
		x.Set(i, 5, math.Inf(-1))
	}
	take := OneIn(t, 11)
	for _, loss := range slices.Concat(TunedLosses, FixedLosses) {
		for _, solver := range AllSolvers {
			if !take() {
				continue
			}
			name := fmt.Sprintf("%s %T", LossName(loss), solver)
			r := MustFit(t, Model{Rank: 2, Loss: loss, Solver: solver, Mask: mask, MaxIter: 20}, x)
			Sound(t, name, r)
			if _, err := r.Outliers(x, nil); err != nil {
				t.Error(name, err)
			}
		}
	}
}

// A mask of ones is no mask, and a weight of two counts an entry twice.
func TestMaskOfOnes(t *testing.T) {
	x, _ := Planted(7, 9, 2, 0.1, 0.1, 3)
	for _, loss := range slices.Concat(FixedLosses, TunedLosses) {
		m := Model{Rank: 2, Loss: loss, Solver: HALS{Sweeps: 1}, MaxIter: 10, Tol: -1}
		plain := MustFit(t, m, x)
		m.Mask = ConstantOnes(7, 9)
		masked := MustFit(t, m, x)
		if !Near(plain.Objective, masked.Objective, 1e-6) || !mat.EqualApprox(plain.W, masked.W, 1e-5) {
			t.Errorf("%s: %.12g without a mask, %.12g with ones", LossName(loss), plain.Objective, masked.Objective)
		}
	}
}

// Scales at the end of what is accepted, and residuals at the other: nothing
// overflows, in Rho or in the kernels, and the two agree where squares are in range.
func TestFarScales(t *testing.T) {
	residuals := []float64{0, 1e-160, 1e-75, 1e-10, 1, 1e10, 1e75, 1e100}
	for _, scale := range []float64{1e-75, 1e-20, 1, 1e75, 1e100} {
		for _, l := range []Loss{L1{Eps: scale}, Huber{Cut: scale}, Hypersurface{Scale: scale}, Correntropy{Scale: scale},
			Cauchy{Scale: scale}, SmoothL1{Mu: scale}, LogShrink{Gamma: 1, Scale: scale}, Truncated{Loss: Cauchy{Scale: scale}, Cut: scale}} {
			omega, value := make([]float64, len(residuals)), make([]float64, len(residuals))
			Weigh(l, omega, value, residuals)
			for i, e := range residuals {
				v, w := l.Rho(e * e)
				for _, x := range []float64{v, w, omega[i], value[i]} {
					if !(x >= 0) || math.IsInf(x, 0) {
						t.Errorf("%s at %g: Rho %g, %g; Weigh %g, %g", LossName(l), e, v, w, value[i], omega[i])
						break
					}
				}
				if e*e > 1e-290 && e/scale < 1e150 && !(Nearly(v, value[i], 1e-9) && Nearly(w, omega[i], 1e-9)) {
					t.Errorf("%s at %g: Rho %g, %g; Weigh %g, %g", LossName(l), e, v, w, value[i], omega[i])
				}
			}
			for _, unit := range []float64{1e-100, 1, 1e100} {
				for _, solver := range []Solver{HALS{}, MU{}, OGM{}, FGD{}, Additive{}} {
					name := fmt.Sprintf("%s %T, data of %g", LossName(l), solver, unit)
					for _, loss := range []Loss{l, ByColumn{l}} {
						Sound(t, name, MustFit(t, Model{Rank: 2, Loss: loss, Solver: solver, MaxIter: 3, Tol: -1}, Scaled(Uniform(5, 6, 1), unit)))
					}
				}
			}
		}
	}
}

// No number is lost with data at the edge of what can be.
func TestRivalsDegenerate(t *testing.T) {
	one := mat.NewDense(4, 6, nil)
	one.Set(2, 3, 5)
	holes := Uniform(4, 6, 3)
	for i := range 4 {
		holes.Set(i, 2, 0)
	}
	for name, x := range map[string]*mat.Dense{
		"zero": mat.NewDense(4, 6, nil), "one entry": one, "constant": ConstantOnes(4, 6), "a column of zeros": holes,
		"huge": Scaled(Uniform(4, 6, 1), 1e90), "tiny": Scaled(Uniform(4, 6, 1), 1e-99), "denormal": Scaled(ConstantOnes(4, 6), 5e-324),
		"one sample": Uniform(4, 1, 1), "one feature": Uniform(1, 6, 1), "a number": ConstantOnes(1, 1),
	} {
		m, n := x.Dims()
		r := min(m, n, 3)
		graph := Ring(n, 1)
		for _, model := range []Model{ONMF(r), SemiNMF(r), {Rank: r, SolverW: NormalEquations{}, SolverH: MU{}}, RMNMF(r, graph, 1), RMNMF(r, graph, 1000),
			{Rank: r, SolverH: Orthogonal{}, SolverW: HALS{Sweeps: 1}, Loss: Cauchy{}}, {Rank: r, SolverW: NormalEquations{}, Loss: L1{}}, SparseNMF(r, 1, 1000, graph, 1), Model{Rank: r, Mask: ConstantOnes(m, n)}} {
			model.MaxIter = 30
			a := MustFit(t, model, x)
			label := fmt.Sprintf("%s: %+v", name, model)
			if err := errors.Join(CheckEntries("W", a.W, nil, true), CheckEntries("H", a.H, nil, false)); err != nil || math.IsNaN(a.Objective+a.KKT) || a.Reason == Diverged {
				t.Errorf("%s: %v, objective %g, KKT %g, %v", label, err, a.Objective, a.KKT, a.Reason)
			}
			if _, err := a.Transform(context.Background(), x, nil); err != nil {
				t.Errorf("%s: %v", label, err)
			}
		}
		a, err := ConvexNMF{Model: Model{Rank: r, MaxIter: 30}}.Fit(context.Background(), x)
		if err != nil || !Sound(t, name, a.Result) {
			t.Errorf("%s: convex: %v", name, err)
		}
	}
}
