package papers

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
	"gonum.org/v1/gonum/mat"
)

// lengthOf is f of Theorem 2.
func lengthOf(x, e, tau float64) float64 { return 0.5*(x-e)*(x-e) + tau*math.Log1p(x) }

// The operator's lengths against all of a fine grid, over all kinds of e and τ.
func TestLogShrinkBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	jumps := 0
	for i := range 3000 {
		e, tau := math.Pow(10, 4*rng.Float64()-2), math.Pow(10, 4*rng.Float64()-2)
		switch i % 4 {
		case 1:
			tau = (1 + e) * (1 + e) / 4 * (1 + 0.2*rng.NormFloat64()) // where the valley ends
		case 2:
			tau = e * (1 + 0.1*rng.NormFloat64())
		}
		tau = math.Abs(tau)
		x, rest := logShrink(e, tau)
		if x < 0 || x > e || math.Abs(x+rest-e) > 1e-14*e {
			t.Fatalf("e = %g, τ = %g: x = %g, rest %g", e, tau, x, rest)
		}
		best := lengthOf(0, e, tau)
		for k := range 2001 {
			best = min(best, lengthOf(e*float64(k)/2000, e, tau))
		}
		if got := lengthOf(x, e, tau); got > best+1e-13*(1+best) {
			t.Errorf("e = %g, τ = %g: f(%g) = %.15g, a grid has %.15g", e, tau, x, got, best)
		}
		if x > 0 {
			if slope := x - e + tau/(1+x); math.Abs(slope) > 1e-13*(e+tau) {
				t.Errorf("e = %g, τ = %g: f′(%g) = %g", e, tau, x, slope)
			}
			if tau > 1 && x < 1 {
				jumps++
			}
		}
	}
	if jumps == 0 {
		t.Error("no case near a jump")
	}
}

// threshold returns the largest e that the operator takes to 0.
func threshold(tau float64) float64 {
	low, high := 0.0, tau+1
	for range 200 {
		mid := (low + high) / 2
		if x, _ := logShrink(mid, tau); x > 0 {
			high = mid
		} else {
			low = mid
		}
	}
	return high
}

// For τ ≤ 1 lengths leave 0 at τ, without a jump. For more they jump, between
// 2√τ − 1 and τ, where 0 and ξ are equally good, and ever farther.
func TestLogShrinkThreshold(t *testing.T) {
	for _, tau := range []float64{1e-9, 0.01, 0.5, 0.99, 1} {
		if e := threshold(tau); !Near(e, tau, 1e-9) {
			t.Errorf("τ = %g: leaves 0 at %g", tau, e)
		}
		if x, _ := logShrink(tau*(1+1e-9), tau); x > 1e-3*tau {
			t.Errorf("τ = %g: jumps to %g", tau, x)
		}
	}
	last := 0.0
	for _, tau := range []float64{1.1, 1.5, 3, 10, 1000} {
		e := threshold(tau)
		x, _ := logShrink(e, tau)
		if e < 2*math.Sqrt(tau)-1 || e > tau || x <= last || !Near(lengthOf(x, e, tau), e*e/2, 1e-12) {
			t.Errorf("τ = %g: at %g from 0 to %g, f = %g and %g", tau, e, x, e*e/2, lengthOf(x, e, tau))
		}
		last = x
	}
	// As documented.
	if e := threshold(3); math.Abs(e-2.6) > 0.05 {
		t.Errorf("γ = 6 cuts at %g", e)
	}
}

// The slope ρ′ = 1 − x/e is at most 1, never rises, and is the derivative of ρ away
// from a jump; CheckLoss tests the tangents, at jumps as well.
func TestLogShrinkConcave(t *testing.T) {
	for _, l := range []LogShrink{{Gamma: 0.1, Scale: 1}, {Gamma: 2, Scale: 1}, {Gamma: 3, Scale: 1}, {Gamma: 20, Scale: 0.1}, {Gamma: 400, Scale: 3}, {Gamma: 1e-6, Scale: 1}} {
		for _, size := range []float64{0.03, 1, threshold(l.Gamma/2) * l.Scale, 100} {
			if err := CheckLoss(l, size); err != nil {
				t.Error(err)
			}
		}
		_, last := l.Rho(0)
		if last != 1 {
			t.Errorf("%+v: slope %g at 0", l, last)
		}
		cut := threshold(l.Gamma/2) * l.Scale
		for i := range 2000 {
			e := 3 * cut * float64(i+1) / 2000
			v, slope := l.Rho(e * e)
			if slope > last || slope <= 0 {
				t.Errorf("%+v: slope %g at %g, after %g", l, slope, e, last)
			}
			last = slope
			x, _ := logShrink(e/l.Scale, l.Gamma/2)
			x *= l.Scale
			if want := (e-x)*(e-x) + l.Gamma*l.Scale*l.Scale*math.Log(1+x/l.Scale); !Near(v, want, 1e-12) {
				t.Errorf("%+v: ρ(%g²) = %g, want %g", l, e, v, want)
			}
			if d := 1e-6 * e; math.Abs(e-cut) > 2*d {
				above, _ := l.Rho((e + d) * (e + d))
				below, _ := l.Rho((e - d) * (e - d))
				if want := (above - below) / (4 * e * d); math.Abs(slope-want) > 1e-6 {
					t.Errorf("%+v: slope %g at %g, want %g", l, slope, e, want)
				}
			}
		}
	}
	for _, e2 := range []float64{0, 1e-320, 1e-200, 1e200, 1e300} {
		for _, l := range []LogShrink{{Gamma: 1e-75, Scale: 1e-75}, {Gamma: 1e100, Scale: 1e-75}, {Gamma: 1, Scale: 1}, {Gamma: 1e100, Scale: 1e70}} {
			if v, w := l.Rho(e2); !(v >= 0 && w >= 0 && w <= 1) || math.IsInf(v, 0) {
				t.Errorf("%+v: ρ(%g) = %g, slope %g", l, e2, v, w)
			}
		}
	}
}

// l2log is the l2,log (pseudo) norm of a matrix (RLS-NMF paper, (32)), Σ_j log(1 + ‖m_j‖).
func l2log(a *mat.Dense) float64 {
	var sum float64
	for _, s := range columnLengths(a) {
		sum += math.Log1p(s)
	}
	return sum
}

// shrink is the operator for a τ, in the paper's unit.
func shrink(tau float64) LogShrink { return LogShrink{Gamma: 2 * tau, Scale: 1} }

func TestShrink(t *testing.T) {
	y := mat.NewDense(2, 4, []float64{3, 0, -0.3, 6, 4, 0, 0.4, -8})
	w, err := shrink(0.5).Shrink(y)
	if err != nil {
		t.Fatal(err)
	}
	// e = 5: ξ = 2 + √8.5; e = 0.5: f′(0) = 0; e = 10: ξ = 4.5 + √29.75.
	a, b := (2+math.Sqrt(8.5))/5, (4.5+math.Sqrt(29.75))/10
	if want := mat.NewDense(2, 4, []float64{3 * a, 0, 0, 6 * b, 4 * a, 0, 0, -8 * b}); !mat.EqualApprox(w, want, 1e-14) {
		t.Errorf("%v, want %v", w, want)
	}
	if y.At(0, 0) != 3 {
		t.Error("the input changed")
	}
	for _, c := range []struct {
		tau  float64
		want mat.Matrix
	}{{0, y}, {1e-75, y}, {1e9, mat.NewDense(2, 4, nil)}} {
		if w, err := shrink(c.tau).Shrink(y); err != nil || !mat.EqualApprox(w, c.want, 1e-15) {
			t.Errorf("τ = %g: %v, %v", c.tau, w, err)
		}
	}
	// Rows of one entry are vectors of length 1: soft thresholding's rival.
	row, err := shrink(0.5).Shrink(mat.NewDense(1, 3, []float64{-2, 0.2, 2}))
	x := 0.5 + math.Sqrt(2.25-0.5)
	if err != nil || !mat.EqualApprox(row, mat.NewDense(1, 3, []float64{-x, 0, x}), 1e-14) {
		t.Errorf("%v, %v", row, err)
	}
	// A random W is never better.
	rng := rand.New(rand.NewPCG(5, 5))
	value := func(w *mat.Dense, tau float64) float64 {
		var d mat.Dense
		d.Sub(y, w)
		f := mat.Norm(&d, 2)
		return 0.5*f*f + tau*l2log(w)
	}
	for _, tau := range []float64{0.1, 1, 2.2, 4.5, 12} {
		best, err := shrink(tau).Shrink(y)
		if err != nil {
			t.Fatal(err)
		}
		least := value(best, tau)
		for range 300 {
			w := mat.DenseCopyOf(best)
			far := math.Pow(10, 3*rng.Float64()-2)
			w.Apply(func(_, _ int, v float64) float64 { return v*float64(rng.IntN(2)) + far*rng.NormFloat64() }, w)
			if got := value(w, tau); got < least-1e-12 {
				t.Errorf("τ = %g: %g, the operator's %g", tau, got, least)
			}
		}
	}
	for _, c := range []struct {
		y    *mat.Dense
		tau  float64
		want error
	}{{nil, 1, ErrEmpty}, {y, -1, ErrParameter}, {y, math.NaN(), ErrParameter}, {mat.NewDense(1, 1, []float64{math.NaN()}), 1, ErrNotFinite}} {
		var in mat.Matrix
		if c.y != nil {
			in = c.y
		}
		if _, err := shrink(c.tau).Shrink(in); !errors.Is(err, c.want) {
			t.Errorf("%v: %v", c.want, err)
		}
	}
	// In another unit all but τ is in that unit.
	scaledUp, err := LogShrink{Gamma: 1, Scale: 4}.Shrink(Scaled(mat.DenseCopyOf(y), 4))
	if err != nil || !mat.EqualApprox(scaledUp, Scaled(mat.DenseCopyOf(w), 4), 1e-13) {
		t.Errorf("%v, %v", scaledUp, err)
	}
	if got := l2log(y); !Near(got, math.Log(6)+math.Log(1.5)+math.Log(11), 1e-14) {
		t.Errorf("%g", got)
	}
}
