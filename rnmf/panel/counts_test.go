package panel

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
)

// someCounts returns counts with many zeros, bursts and an empty sample, and a start.
func someCounts(m, n, r int) (x *mat.Dense, start rnmf.WarmStart) {
	rng := rand.New(rand.NewPCG(1, 2))
	w, h := mat.NewDense(m, r, nil), mat.NewDense(r, n, nil)
	random := func(_, _ int, _ float64) float64 { return rng.ExpFloat64() * rng.ExpFloat64() }
	w.Apply(random, w)
	h.Apply(random, h)
	x = new(mat.Dense)
	x.Mul(w, h)
	x.Apply(func(i, j int, y float64) float64 {
		switch {
		case j == 3:
			return 0
		case (7*i+5*j)%61 == 0:
			return 40
		}
		return math.Floor(y * rng.ExpFloat64() / 2)
	}, x)
	positive := func(_, _ int, _ float64) float64 { return 0.1 + rng.Float64() }
	w.Apply(positive, w)
	h.Apply(positive, h)
	return x, rnmf.WarmStart{W: w, H: h}
}

var countModels = []rnmf.Model{
	{Family: rnmf.Poisson},
	{Family: rnmf.Poisson, Loss: rnmf.ByColumn{Loss: rnmf.L1{Eps: 0.1}}},
	{Family: rnmf.Poisson, Loss: rnmf.ByColumn{Loss: rnmf.Cauchy{Scale: 9}}},
	{Family: rnmf.SparsePoisson, Loss: rnmf.CauchyTail{Cut: 2.5}},
	{Family: rnmf.SparsePoisson, Loss: rnmf.Cauchy{Scale: 3}},
	{Family: rnmf.SparsePoisson, Loss: rnmf.L1{Eps: 0.5}},
}

// Sparse and dense panels, one or several, have the objective of rnmf.Model.Fit within 1e-12, which no
// round raises, and end as low.
func TestCounts(t *testing.T) {
	const m, n, r = 40, 50, 3
	x, start := someCounts(m, n, r)
	for _, model := range countModels {
		model.Rank, model.Init, model.Tol = r, start, 1e-7
		want, err := model.Fit(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
		var first *Result
		for _, source := range []Source{FromSparse(withoutZeros(x), 0), FromSparse(withoutZeros(x), 13), FromDense(x, 13)} {
			got, err := Batch{Model: model}.Fit(context.Background(), source)
			if err != nil {
				t.Fatal(err)
			}
			name := model.Family.String() + " " + got.Result.String()
			if a, b := got.Trace[0].Objective, want.Trace[0].Objective; math.Abs(a-b) > 1e-12*b {
				t.Errorf("%s: the objective of the start is %.15g, want %.15g", name, a, b)
			}
			for k := 1; k < len(got.Trace); k++ {
				if a, b := got.Trace[k-1].Objective, got.Trace[k].Objective; b > a*(1+1e-12) {
					t.Errorf("%s: round %d rises from %.15g to %.15g", name, k, a, b)
				}
			}
			if got.Objective > 1.02*want.Objective {
				t.Errorf("%s: ends at %g, rnmf.Model.Fit at %g", name, got.Objective, want.Objective)
			}
			if h := mat.Sum(got.H.ColView(3)); h != 0 {
				t.Errorf("%s: an empty sample has the coefficients %v", name, mat.Col(nil, 3, got.H))
			}
			again := model
			again.Init, again.MaxIter, again.Tol = rnmf.WarmStart{W: got.W, H: got.H}, 1, -1
			same, err := again.Fit(context.Background(), x)
			if err != nil {
				t.Fatal(err)
			}
			if a, b := got.Objective, same.Trace[0].Objective; math.Abs(a-b) > 1e-11*b {
				t.Errorf("%s: that of its factors is %.15g", name, b)
			}
			if first == nil {
				first = got
			} else if math.Abs(got.Objective-first.Objective) > 1e-3*first.Objective {
				t.Errorf("%s: another cut into panels ended at %g", name, first.Objective)
			}
		}
	}
}

// One multiplicative update of W is (8), computed by plain loops, at the H of the same round.
func TestCountsBasis(t *testing.T) {
	const m, n, r = 12, 15, 2
	x, start := someCounts(m, n, r)
	for _, model := range countModels {
		model.Rank, model.Init, model.Tol, model.MaxIter, model.Solver = r, start, -1, 1, rnmf.HALS{NoExtrapolation: true}
		got, err := Batch{Model: model}.Fit(context.Background(), FromSparse(withoutZeros(x), 4))
		if err != nil {
			t.Fatal(err)
		}
		// MU takes W from this H, with the weights that the factors have.
		mu := model
		mu.Solver, mu.SolverH, mu.SolverW = nil, stay{}, rnmf.MU{}
		mu.Init = rnmf.WarmStart{W: start.W, H: got.H}
		want, err := mu.Fit(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
		if !mat.EqualApprox(got.W, want.W, 1e-12) {
			t.Errorf("%v: W is not that of the multiplicative update", got)
		}
	}
}

// stay leaves its factor.
type stay struct{}

func (stay) Takes(rnmf.Family) bool              { return true }
func (stay) Improve(*rnmf.Quadratic, *mat.Dense) {}

// A fit goes on from its folder with the same bits, a scale is estimated, and the Result has the Family.
func TestCountsState(t *testing.T) {
	const m, n, r = 30, 40, 3
	x, _ := someCounts(m, n, r)
	model := rnmf.Model{Rank: r, Family: rnmf.SparsePoisson, Loss: rnmf.CauchyTail{}, MaxIter: 12, Tol: -1}
	source := FromSparse(withoutZeros(x), 11)
	want, err := Batch{Model: model}.Fit(context.Background(), source)
	if err != nil {
		t.Fatal(err)
	}
	if want.Family != rnmf.SparsePoisson || want.Loss.(rnmf.CauchyTail).Cut < 2.5 {
		t.Errorf("family %v, loss %v", want.Family, want.Loss)
	}
	folder := t.TempDir()
	for _, rounds := range []int{5, 12} {
		model.MaxIter = rounds
		got, err := Batch{Model: model, State: folder}.Fit(context.Background(), source)
		if err != nil {
			t.Fatal(err)
		}
		if rounds == 12 && !mat.Equal(got.W, want.W) {
			t.Error("a fit that went on has another W")
		}
	}
}

func TestCountsErrors(t *testing.T) {
	x, _ := someCounts(8, 9, 2)
	source := FromSparse(withoutZeros(x), 0)
	for name, b := range map[string]Batch{
		"zeros with weights of their own": {Model: rnmf.RobustPoissonNMF(2)},
		"Missing":                         {Model: rnmf.PoissonNMF(2), Missing: true},
	} {
		if _, err := b.Fit(context.Background(), source); !errors.Is(err, rnmf.ErrParameter) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := (Minibatch{Model: rnmf.PoissonNMF(2)}).Fit(context.Background(), source); !errors.Is(err, rnmf.ErrParameter) {
		t.Errorf("Minibatch: %v", err)
	}
	s := &Stream{Model: rnmf.PoissonNMF(2)}
	if _, _, err := s.PartialFit(context.Background(), Panel{Dense: x}); !errors.Is(err, rnmf.ErrParameter) {
		t.Errorf("Stream: %v", err)
	}
}

// Transform ends where rnmf.Result.Transform does, SquaredResiduals are the sums of deviances, and both
// refuse what they do not do.
func TestCountsTransform(t *testing.T) {
	const m, n, r = 40, 30, 3
	ctx := context.Background()
	x, start := someCounts(m, n, r)
	panels := []Panel{{Dense: x}, {Sparse: withoutZeros(x)}}
	for _, model := range countModels {
		model.Rank, model.Init = r, start
		fit, err := model.Fit(ctx, x)
		if err != nil {
			t.Fatal(err)
		}
		value := func(h *mat.Dense) float64 {
			one := model
			one.Init, one.MaxIter, one.Tol = rnmf.WarmStart{W: fit.W, H: h}, 1, -1
			f, err := one.Fit(ctx, x)
			if err != nil {
				t.Fatal(err)
			}
			return f.Trace[0].Objective
		}
		for _, p := range panels {
			h, err := Transform(ctx, fit.W, fit.Family, fit.Loss, p, false)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := value(h), value(fit.H); got > 1.01*want {
				t.Errorf("%v: Transform ends at %g, the fit at %g", fit, got, want)
			}
			s, err := SquaredResiduals(ctx, fit.W, fit.H, fit.Family, p, false)
			if err != nil {
				t.Fatal(err)
			}
			var y mat.Dense
			y.Mul(fit.W, fit.H)
			for j, got := range s {
				want := 0.0
				for i := range m {
					want += rnmf.Poisson.Deviance(x.At(i, j), y.At(i, j))
				}
				if math.Abs(got-want) > 1e-10*max(1, want) {
					t.Errorf("%v: the deviance of sample %d is %.15g, want %.15g", fit, j, got, want)
				}
			}
		}
	}
	negative := mat.DenseCopyOf(x)
	negative.Set(1, 2, -1)
	w, h := mat.DenseCopyOf(start.W), mat.NewDense(r, n, nil)
	for name, err := range map[string]error{
		"Transform: each zero has a weight": errOf(Transform(ctx, w, rnmf.Poisson, rnmf.Cauchy{Scale: 1}, panels[1], false)),
		"Transform: missing":                errOf(Transform(ctx, w, rnmf.SparsePoisson, nil, panels[1], true)),
		"Transform: no family":              errOf(Transform(ctx, w, 9, nil, panels[1], false)),
		"residuals: missing":                errOf(SquaredResiduals(ctx, w, h, rnmf.Poisson, panels[1], true)),
		"residuals: no family":              errOf(SquaredResiduals(ctx, w, h, -1, panels[1], false)),
	} {
		if !errors.Is(err, rnmf.ErrParameter) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := SquaredResiduals(ctx, w, h, rnmf.Poisson, Panel{Dense: negative}, false); !errors.Is(err, rnmf.ErrNegative) {
		t.Errorf("a negative count: %v", err)
	}
}
