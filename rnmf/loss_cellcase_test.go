package rnmf_test

import (
	"context"
	_ "embed"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest/parts"
)

//go:embed testdata/cellcase/golden.csv
var cellCaseGolden string

// The objective and two rounds of multiplicative updates are those that NumPy computes from (1) and
// (4), with weights and gaps in the mask.
func TestCellCaseGolden(t *testing.T) {
	const m, n, r = 5, 6, 2
	fill := func(rows, cols int, at func(i, j int) float64) *mat.Dense {
		a := mat.NewDense(rows, cols, nil)
		a.Apply(func(i, j int, _ float64) float64 { return at(i, j) }, a)
		return a
	}
	x := fill(m, n, func(i, j int) float64 { return float64((7*i+3*j+i*j)%11) / 10 })
	mask := fill(m, n, func(i, j int) float64 {
		if (2*i+5*j)%9 == 0 {
			return 0
		}
		return float64(1 + (i+j)%2)
	})
	w := fill(m, r, func(i, k int) float64 { return 0.3 + float64((3*i+2*k)%5)/5 })
	h := fill(r, n, func(k, j int) float64 { return 0.2 + float64((k+4*j)%7)/7 })
	rows, err := csv.NewReader(strings.NewReader(cellCaseGolden)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	model := Model{Rank: r, Loss: CellCase{Loss: Huber{Cut: 0.25}, Eps: 0.05}, Mask: mask, Solver: MU{}, Init: WarmStart{W: w, H: h}, MaxIter: 2, Tol: -1}
	round := 0
	for s, err := range model.Steps(context.Background(), x) {
		if err != nil {
			t.Fatal(err)
		}
		got := append([]float64{s.Objective}, append(s.W().RawMatrix().Data, s.H().RawMatrix().Data...)...)
		for i, text := range rows[round] {
			want, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			if !Near(got[i], want, 1e-12) {
				t.Errorf("round %d, number %d: %.17g, want %.17g", round, i, got[i], want)
			}
		}
		round++
	}
	if round != len(rows) {
		t.Errorf("%d rounds, want %d", round, len(rows))
	}
}

// CheckLoss tries a loss of one entry. Here the sum of (2) and (3) is tried for a sample of many: the
// weighted squares touch √(ε² + Σρ) and lie above it elsewhere.
func TestCellCaseBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	of := func(l CellCase, s []float64) (value float64, omega []float64) {
		_, root, _ := OfSamples(l)
		var sum float64
		for _, v := range s {
			p, slope := l.Loss.Rho(v)
			sum, omega = sum+p, append(omega, slope)
		}
		value, weight := root(sum)
		for i := range omega {
			omega[i] *= weight
		}
		return value, omega
	}
	tried := 0
	for _, loss := range FixedLosses {
		l, ok := loss.(CellCase)
		if !ok {
			continue
		}
		for range 300 {
			s, u := make([]float64, 7), make([]float64, 7)
			for i := range s {
				s[i], u[i] = math.Exp(6*rng.Float64()-5), math.Exp(6*rng.Float64()-5)
				if rng.IntN(5) == 0 {
					s[i] = 0
				}
			}
			at, omega := of(l, s)
			there, _ := of(l, u)
			bound := at
			for i := range s {
				bound += omega[i] * (u[i] - s[i])
			}
			if there > bound+1e-12*(math.Abs(bound)+at) {
				t.Errorf("%s: %g at %.3g is above the bound from %.3g, %g", LossName(l), there, u, s, bound)
			}
			// A weight is the derivative.
			for i := range s {
				const d = 1e-6
				more := append([]float64(nil), s...)
				more[i] += d * (1 + s[i])
				far, _ := of(l, more)
				if got := (far - at) / (d * (1 + s[i])); s[i] > 0 && !(math.Abs(got-omega[i]) <= 1e-3*(1e-2+omega[i])) && !nearKink(l, s[i]) {
					t.Errorf("%s: weight %g at %g, the difference quotient is %g", LossName(l), omega[i], s[i], got)
				}
			}
			tried++
		}
	}
	if tried < 900 {
		t.Errorf("%d bounds tried", tried)
	}
}

// nearKink tells where the slope of the losses of the table jumps.
func nearKink(l CellCase, s float64) bool {
	for _, kink := range []float64{0.2, 0.5} {
		if math.Abs(s-kink*kink) < 1e-4 {
			return true
		}
	}
	return false
}

// Of squares it is the L2,1 loss, to the last bit.
func TestCellCaseOfSquares(t *testing.T) {
	x, _ := Planted(13, 21, 3, 0.05, 0.1, 4)
	for _, eps := range []float64{0, 0.1} {
		for name, c := range Masks(x, 5) {
			m := Model{Rank: 3, MaxIter: 30}
			if c[1] != nil {
				m.Mask = c[1]
			}
			m.Loss = ByColumn{L1{Eps: eps}}
			want := MustFit(t, m, c[0])
			m.Loss = CellCase{Loss: Frobenius{}, Eps: eps}
			got := MustFit(t, m, c[0])
			if !mat.Equal(got.W, want.W) || !mat.Equal(got.H, want.H) || got.Objective != want.Objective {
				t.Errorf("ε %g, mask %s: objective %.17g, L2,1 has %.17g", eps, name, got.Objective, want.Objective)
			}
			a, err := got.Outliers(c[0], nil)
			if err != nil {
				t.Fatal(err)
			}
			b, err := want.Outliers(c[0], nil)
			if err != nil {
				t.Fatal(err)
			}
			if fmt.Sprint(a) != fmt.Sprint(b) || !mat.Equal(a.Weights, b.Weights) || !mat.Equal(a.S, b.S) {
				t.Errorf("ε %g, mask %s: other outliers", eps, name)
			}
		}
	}
}

// It finds entries and samples at once: the least weights are those of both, and the data are
// Recovered better than by a loss of one kind.
func TestCellCaseFindsBoth(t *testing.T) {
	const m, n, r = 40, 120, 3
	clean := Mul(Uniform(m, r, 1), Uniform(r, n, 2))
	rng := rand.New(rand.NewPCG(8, 8))
	x := mat.DenseCopyOf(clean)
	wrong := map[[2]int]bool{}
	for j := range n {
		for i := range m {
			switch {
			case j < 12:
				x.Set(i, j, 3*rng.Float64())
			case rng.Float64() < 0.1:
				x.Set(i, j, 3*rng.Float64())
				wrong[[2]int{i, j}] = math.Abs(x.At(i, j)-clean.At(i, j)) > 0.5
			default:
				x.Set(i, j, x.At(i, j)*(1+0.02*rng.NormFloat64()))
			}
		}
	}
	errorOf := func(model Model) (*Result, float64) {
		model.Seed = 1
		res := MustFit(t, model, x)
		e := NaiveResidual(clean, res.W, res.H)
		return res, mat.Norm(e.Slice(0, m, 12, n), 2) / mat.Norm(clean.Slice(0, m, 12, n), 2)
	}
	res, both := errorOf(CellCaseNMF(r))
	_, entry := errorOf(HuberNMF(r))
	_, sample := errorOf(L21NMF(r))
	if !(both < 0.95*min(entry, sample)) {
		t.Errorf("error %.4f, Huber %.4f, L2,1 %.4f", both, entry, sample)
	}
	o, err := res.Outliers(x, nil)
	if err != nil {
		t.Fatal(err)
	}
	var worst float64
	for j, v := range o.Samples {
		if j < 12 {
			worst = max(worst, v)
		} else if v <= worst {
			t.Errorf("sample %d has the weight %.3f, a wrong one %.3f", j, v, worst)
		}
	}
	for at, gross := range wrong {
		if w := o.Weights.At(at[0], at[1]); gross && w > 0.5 {
			t.Errorf("a wrong entry %v has the weight %.2f", at, w)
		}
	}
}

// The floor follows the unit of the data, and where the scale of the loss of entries is given it is
// estimated alone.
func TestCellCaseFloor(t *testing.T) {
	for _, l := range []Loss{Huber{Cut: 0.2}, Hypersurface{Scale: 0.3}, RootLoss{}} {
		next, settled := CellCase{Loss: l}.Tuning()(NewResiduals(1, 4, 9))
		p, _ := l.Rho(4)
		if c := next.(CellCase); !settled || c.Loss != l || !Nearly(c.Eps*c.Eps, 1e-3*p, 1e-2) {
			t.Errorf("%T: %+v (settled: %v), want ε² = %g", l, c, settled, 1e-3*p)
		}
	}
	if (CellCase{Loss: Huber{Cut: 1}, Eps: 1}).Tuning() != nil || (CellCase{Loss: Frobenius{}, Eps: 1}).Tuning() != nil {
		t.Error("there is nothing to estimate")
	}
	x, _ := Planted(13, 21, 3, 0.05, 0.1, 4)
	one := MustFit(t, CellCaseNMF(3), x)
	for _, unit := range []float64{0x1p-200, 0x1p80} {
		y := Scaled(mat.DenseCopyOf(x), unit)
		r := MustFit(t, CellCaseNMF(3), y)
		if a, b := Mul(one.W, one.H), Scaled(Mul(r.W, r.H), 1/unit); !mat.EqualApprox(a, b, 1e-6) {
			t.Errorf("in the unit %g another WH", unit)
		}
	}
}
