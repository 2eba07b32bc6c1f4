package rnmf_test

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
)

// GemanMcClure is the loss ρ(s) = s/(c² + s), with s = e² a squared residual: like
// truncation, but smooth. The method Rho makes it a Loss for all solvers,
// penalties and masks.
type GemanMcClure struct{ C float64 } // 0: estimated, see Tuning

// Rho returns s/(c² + s), and its derivative c²/(c² + s)², which is the weight.
func (g GemanMcClure) Rho(s float64) (value, slope float64) {
	c := g.C * g.C
	return s / (c + s), c / ((c + s) * (c + s))
}

// Tuning makes it a Tuner as well: c is three times σ̂, the standard deviation of
// the residuals without the outliers.
func (g GemanMcClure) Tuning() rnmf.Tuning {
	if g.C > 0 {
		return nil
	}
	return func(s *rnmf.Residuals) (next rnmf.Loss, settled bool) {
		return GemanMcClure{C: 3 * s.Sigma()}, false
	}
}

// ScaleNow returns c, which a trace shows.
func (g GemanMcClure) ScaleNow() float64 { return g.C }

// A loss of your own, and the test that it keeps the promise of descent.
func ExampleLoss() {
	if err := rnmf.CheckLoss(GemanMcClure{C: 0.5}, 1); err != nil {
		fmt.Println(err)
		return
	}
	clean, _, _ := datasets.LowRank(60, 200, 4, 1)
	dirty, _, err := datasets.SaltPepper{Share: 0.2, High: 3}.Apply(clean, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, loss := range []rnmf.Loss{rnmf.Frobenius{}, GemanMcClure{}} {
		r, err := rnmf.Model{Rank: 4, Loss: loss}.Fit(context.Background(), dirty)
		if err != nil {
			fmt.Println(err)
			return
		}
		relative, _ := r.RelativeError(clean)
		fmt.Printf("%T: error below 5 %%: %v\n", loss, relative < 0.05)
	}
	// Output:
	// rnmf.Frobenius: error below 5 %: false
	// rnmf_test.GemanMcClure: error below 5 %: true
}

// Log1p is the penalty λ Σ ln(1 + v), which pulls small entries to zero and
// leaves large ones alone.
type Log1p struct{ Lambda float64 }

// Value returns λ Σ ln(1 + v).
func (p Log1p) Value(v *mat.Dense) float64 {
	var sum float64
	for _, x := range v.RawMatrix().Data {
		sum += math.Log1p(x)
	}
	return p.Lambda * sum
}

// Majorize adds the tangent at v. ln is concave, so ln(1 + x) ≤ ln(1 + v) +
// (x − v)/(1 + v): a linear term with −2C = λ/(1 + v).
func (p Log1p) Majorize(q *rnmf.Quadratic, v *mat.Dense) {
	c := q.Linear().RawMatrix().Data
	for i, x := range v.RawMatrix().Data {
		c[i] -= p.Lambda / 2 / (1 + x)
	}
}

// A penalty of your own is its value and an upper bound that touches.
func ExamplePenalty() {
	x := datasets.Digits().Scaled().X
	for _, lambda := range []float64{0, 2} {
		m := rnmf.NMF(10)
		m.OnH = []rnmf.Penalty{Log1p{Lambda: lambda}}
		m.OnW = []rnmf.Penalty{rnmf.Ridge{Lambda: 1}} // or H shrinks while W grows
		r, err := m.Fit(context.Background(), x)
		if err != nil {
			fmt.Println(err)
			return
		}
		zeros := 0.0
		for _, v := range r.H.RawMatrix().Data {
			if v == 0 {
				zeros += 100 / float64(len(r.H.RawMatrix().Data))
			}
		}
		fmt.Printf("λ = %g: more than half of H is zero: %v\n", lambda, zeros > 50)
	}
	// Output:
	// λ = 0: more than half of H is zero: false
	// λ = 2: more than half of H is zero: true
}

// Descent is a solver of your own: one projected gradient step for each column, with the
// length 1/trace(½∇²q), which cannot overshoot. With a method Extrapolates() bool that returns
// true it would need a fifth of the rounds on the digits.
type Descent struct{}

// Improve sees one half-step as a least-squares problem,
//
//	min over v ≥ 0 of Σ Ω(X − UᵀV)² + Σ D∘V² − 2 Σ C∘V,
//
// some columns at a time.
func (Descent) Improve(q *rnmf.Quadratic, v *mat.Dense) {
	q.Tiles(v, func(t *rnmf.Tile) {
		down, bend := make([]float64, t.R*t.B), make([]float64, t.R*t.B) // R×B, as V
		t.Gradient(down)                                                 // −½∇q
		t.Curvature(bend)                                                // the diagonal of ½∇²q
		for j := range t.B {
			trace := 0.0
			for k := range t.R {
				trace += bend[k*t.B+j]
			}
			for k := range t.R {
				if i := k*t.B + j; trace > 0 {
					t.V[i] = max(0, t.V[i]+down[i]/trace)
				}
			}
		}
	})
}

// A solver of your own is one method, and serves all losses, penalties and masks.
func ExampleSolver() {
	x, _, _ := datasets.LowRank(20, 30, 3, 1)
	for _, loss := range []rnmf.Loss{rnmf.Cauchy{Scale: 0.1}, rnmf.ByColumn{Loss: rnmf.L1{Eps: 0.01}}} {
		m := rnmf.Model{Rank: 3, Loss: loss, Solver: Descent{}, OnH: []rnmf.Penalty{rnmf.Lasso{Lambda: 0.1}}, MaxIter: 50}
		r, err := m.Fit(context.Background(), x)
		if err != nil {
			fmt.Println(err)
			return
		}
		descends := true
		for i := range r.Trace[1:] {
			descends = descends && r.Trace[i+1].Objective <= r.Trace[i].Objective
		}
		fmt.Printf("%T: the objective never rises: %v\n", loss, descends)
	}
	// Output:
	// rnmf.Cauchy: the objective never rises: true
	// rnmf.ByColumn: the objective never rises: true
}
