package rnmf_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
)

// Laurberg's 6×6 matrix has one factorisation of rank 3 only, but for order and
// scale: every start must find it.
func TestLaurberg(t *testing.T) {
	x, w, _ := datasets.Laurberg(0.3)
	want := &rnmf.Result{W: w, H: mat.NewDense(3, 6, nil)}
	truth, _ := want.Normalized(2)
	for _, loss := range []rnmf.Loss{nil, rnmf.Hypersurface{Scale: 0.5}, rnmf.Cauchy{Scale: 0.5}, rnmf.ByColumn{Loss: rnmf.Huber{Cut: 0.5}}} {
		for seed := range uint64(5) {
			m := rnmf.Model{Rank: 3, Loss: loss, Seed: seed, MaxIter: 6000, Tol: 1e-9}
			r, err := m.Fit(context.Background(), x)
			if err != nil {
				t.Fatal(err)
			}
			got, _ := r.Normalized(2)
			for k := range 3 {
				best := math.Inf(1)
				for l := range 3 {
					var d mat.VecDense
					d.SubVec(truth.ColView(k), got.ColView(l))
					best = min(best, mat.Norm(&d, 2))
				}
				if best > 1e-3 {
					t.Errorf("%T, seed %d: component %d is off by %g (objective %g, %v after %d)", loss, seed, k, best, r.Objective, r.Reason, len(r.Trace)-1)
				}
			}
		}
	}
}

func product(m, n, r int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 1))
	random := func(a, b int) *mat.Dense {
		d := mat.NewDense(a, b, nil)
		d.Apply(func(int, int, float64) float64 { return rng.ExpFloat64() }, d)
		return d
	}
	var x mat.Dense
	x.Mul(random(m, r), random(r, n))
	return &x
}

// Data of low rank are fitted exactly, and the fit knows.
func TestPlantedExactly(t *testing.T) {
	x := product(30, 40, 4, 1)
	for _, loss := range []rnmf.Loss{nil, rnmf.L1{Eps: 0.1}, rnmf.Hypersurface{Scale: 1}, rnmf.Cauchy{Scale: 1}, rnmf.ByColumn{Loss: rnmf.L1{}}} {
		best := math.Inf(1)
		for seed := range uint64(3) { // a start may miss a component
			r, err := rnmf.Model{Rank: 4, Loss: loss, Seed: seed, MaxIter: 1000, Tol: 1e-7}.Fit(context.Background(), x)
			if err != nil {
				t.Fatal(err)
			}
			if best = min(best, relative(x, r)); best <= 2e-3 {
				break
			}
		}
		if best > 2e-3 {
			t.Errorf("%T: relative error %g", loss, best)
		}
	}
	r, err := rnmf.Model{Rank: 1, MaxIter: 100}.Fit(context.Background(), product(9, 12, 1, 5))
	if err != nil || r.Objective > 1e-20 || r.Reason != rnmf.Converged || r.KKT > 1e-9 {
		t.Errorf("rank one: objective %g, KKT %g, %v, %v", r.Objective, r.KKT, r.Reason, err)
	}
}

func relative(clean *mat.Dense, r *rnmf.Result) float64 {
	var d mat.Dense
	d.Mul(r.W, r.H)
	d.Sub(clean, &d)
	return mat.Norm(&d, 2) / mat.Norm(clean, 2)
}

// A fifth of all entries are gross errors; the robust losses do not mind, and
// their report finds the errors.
func TestPlantedOutliers(t *testing.T) {
	clean := product(50, 80, 3, 2)
	rng := rand.New(rand.NewPCG(7, 7))
	x, truth := mat.DenseCopyOf(clean), mat.NewDense(50, 80, nil)
	for i := range 50 {
		for j := range 80 {
			x.Set(i, j, max(0, x.At(i, j)+0.1*rng.NormFloat64()))
			if rng.Float64() < 0.2 {
				x.Set(i, j, 20*rng.Float64()+10)
				truth.Set(i, j, 1)
			}
		}
	}
	plain, err := rnmf.NMF(3).Fit(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []rnmf.Model{rnmf.CauchyNMF(3), rnmf.L1NMF(3), rnmf.HuberNMF(3), rnmf.HypersurfaceNMF(3, 0.3),
		{Rank: 3, Loss: rnmf.Truncated{Loss: rnmf.Cauchy{Scale: 0.3}, Cut: 8}},
		{Rank: 3, Loss: rnmf.Truncated{Loss: rnmf.Cauchy{}, Rule: rnmf.NormalThreeSigma}, TuneFor: 5}} {
		m.MaxIter, m.Tol = 400, 1e-6
		r, err := m.Fit(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("%T%+v", m.Loss, m.Loss)
		if got := relative(clean, r); got > 0.08 {
			t.Errorf("%s: relative error %.4f, of standard NMF %.3f", name, got, relative(clean, plain))
		}
		o, err := r.Outliers(x, nil)
		if err != nil {
			t.Fatal(err)
		}
		var found, wrong float64
		flags := o.Flags(0.1)
		for i := range 50 {
			for j := range 80 {
				if flags.At(i, j) == 1 {
					found += truth.At(i, j)
					wrong += 1 - truth.At(i, j)
				}
			}
		}
		if recall, of := found/mat.Sum(truth), wrong/(found+wrong); recall < 0.9 || of > 0.2 {
			t.Errorf("%s: recall %.3f, %.3f of the flags are wrong", name, recall, of)
		}
	}
}

// Samples that are outliers as a whole.
func TestPlantedSamples(t *testing.T) {
	x := product(20, 60, 3, 3)
	rng := rand.New(rand.NewPCG(8, 7))
	x.Apply(func(_, _ int, v float64) float64 { return v + 0.3*rng.Float64() }, x)
	for j := 0; j < 60; j += 10 {
		for i := range 20 {
			x.Set(i, j, 15*rng.Float64())
		}
	}
	for _, m := range []rnmf.Model{rnmf.L21NMF(3), rnmf.CappedNMF(3, 0), {Rank: 3, Loss: rnmf.ByColumn{Loss: rnmf.Cauchy{}}},
		rnmf.HuberNMF(3), rnmf.CellCaseNMF(3), rnmf.RobustNMF(3)} {
		r, err := m.Fit(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
		o, err := r.Outliers(x, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, ofSamples := m.Loss.(rnmf.ByColumn)
		for j, flag := range o.FlagSamples(4) { // the same number under all losses
			if flag != (j%10 == 0) {
				t.Errorf("%+v: sample %d has the size %g", m.Loss, j, o.Sizes[j])
			}
			if ofSamples && o.Weights.At(3, j) != o.Samples[j] {
				t.Errorf("%+v: entry weight %g in a sample of weight %g", m.Loss, o.Weights.At(3, j), o.Samples[j])
			}
		}
	}
}

// The objective's gradient, by differences, is the one its weights imply:
// −2(Ω∘E)Hᵀ for W, and −2Wᵀ(Ω∘E) for H.
func TestGradient(t *testing.T) {
	const m, n, r = 4, 5, 2
	x := product(m, n, 2, 4)
	x.Apply(func(_, _ int, v float64) float64 { return v + 0.5 }, x)
	for _, loss := range []rnmf.Loss{rnmf.Frobenius{}, rnmf.L1{Eps: 0.1}, rnmf.Huber{Cut: 0.5}, rnmf.Hypersurface{Scale: 0.7}, rnmf.Correntropy{Scale: 1},
		rnmf.Cauchy{Scale: 0.4}, rnmf.Truncated{Loss: rnmf.Cauchy{Scale: 0.4}, Cut: 0.9}, rnmf.ByColumn{Loss: rnmf.L1{Eps: 0.1}}, rnmf.ByColumn{Loss: rnmf.Cauchy{Scale: 2}}} {
		// What the fit says is its objective, as a function of both factors.
		objective := func(v []float64) float64 {
			start := rnmf.WarmStart{W: mat.NewDense(m, r, v[:m*r]), H: mat.NewDense(r, n, v[m*r:])}
			for s, err := range (rnmf.Model{Rank: r, Loss: loss, Init: start}).Steps(context.Background(), x) {
				if err != nil {
					t.Fatal(err)
				}
				return s.Objective
			}
			return math.NaN()
		}
		at := make([]float64, r*(m+n))
		rng := rand.New(rand.NewPCG(1, 1))
		for i := range at {
			at[i] = 0.3 + rng.Float64()
		}
		got := fd.Gradient(nil, objective, at, &fd.Settings{Formula: fd.Central})
		w, h := mat.NewDense(m, r, at[:m*r]), mat.NewDense(r, n, at[m*r:])
		var e mat.Dense
		e.Mul(w, h)
		e.Sub(x, &e)
		byColumn, ok := loss.(rnmf.ByColumn)
		for j := range n {
			s := mat.Dot(e.ColView(j), e.ColView(j))
			for i := range m {
				v := e.At(i, j)
				if ok {
					_, slope := byColumn.Rho(s)
					e.Set(i, j, -2*slope*v)
				} else {
					_, slope := loss.Rho(v * v)
					e.Set(i, j, -2*slope*v)
				}
			}
		}
		var gw, gh mat.Dense
		gw.Mul(&e, h.T())
		gh.Mul(w.T(), &e)
		for i, want := range append(append([]float64(nil), gw.RawMatrix().Data...), gh.RawMatrix().Data...) {
			if math.Abs(got[i]-want) > 1e-6*(1+math.Abs(want)) {
				t.Errorf("%T: derivative %d is %.9g, the weights imply %.9g", loss, i, got[i], want)
			}
		}
	}
}
