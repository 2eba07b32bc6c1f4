package rnmf_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest/parts"
	. "github.com/robustnmf/robustnmf/rnmf/papers"
)

// convexLoss grows faster than the square: no bound by a weighted square.
type convexLoss struct{}

func (convexLoss) Rho(s float64) (value, slope float64) { return s * s, 2 * s }

// wrongSlope has a slope that is not its derivative.
type wrongSlope struct{}

func (wrongSlope) Rho(s float64) (value, slope float64) { return math.Sqrt(1 + s), 1 / math.Sqrt(1+s) }

// falling loss: a negative slope.
type fallingLoss struct{}

func (fallingLoss) Rho(s float64) (value, slope float64) { return -s, -1 }

type brokenLoss struct{}

func (brokenLoss) Rho(s float64) (value, slope float64) { return math.Log(s), 1 / s }

// What is embedded brings its methods along.
type tunedByAnother struct{ Huber }

func (tunedByAnother) Rho(s float64) (float64, float64) { return math.Log1p(s), 1 / (1 + s) }

type weighedByAnother struct{ Frobenius }

func (weighedByAnother) Rho(s float64) (float64, float64) { return math.Log1p(s), 1 / (1 + s) }

type badWeigher struct{}

func (badWeigher) Rho(s float64) (float64, float64) { return math.Log1p(s), 1 / (1 + s) }

func (badWeigher) Weigh(omega, value, e []float64) {
	for i, e := range e {
		omega[i] = 1 / (1 + math.Abs(e)) // not squared
		if value != nil {
			value[i] = math.Log1p(e * e)
		}
	}
}

func TestCheckLoss(t *testing.T) {
	take := OneIn(t, 4)
	for _, l := range slices.Concat(FixedLosses, TunedLosses) {
		for _, size := range []float64{0.01, 1, 300} {
			if !take() {
				continue
			}
			if err := CheckLoss(l, size); err != nil {
				t.Errorf("size %g: %v", size, err)
			}
		}
	}
	for _, l := range []Loss{convexLoss{}, wrongSlope{}, fallingLoss{}, brokenLoss{}, tunedByAnother{}, weighedByAnother{}, badWeigher{}} {
		if err := CheckLoss(l, 1); !errors.Is(err, ErrParameter) {
			t.Errorf("%T passes: %v", l, err)
		}
	}
	for _, size := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if err := CheckLoss(L1{}, size); !errors.Is(err, ErrParameter) {
			t.Errorf("size %g: %v", size, err)
		}
	}
}

// The formulas as they are printed (Table 1 of the Truncated Cauchy paper, (1)
// of the RSS-NMF paper, (60) of the L2,1 paper), e being the residual.
func TestLossFormulas(t *testing.T) {
	const c = 0.7
	for _, k := range []struct {
		loss  Loss
		value func(e float64) float64
		kinks []float64
	}{
		{Frobenius{}, func(e float64) float64 { return e * e }, nil},
		{L1{Eps: c}, func(e float64) float64 { return math.Sqrt(e*e + c*c) }, nil},
		{Huber{Cut: c}, func(e float64) float64 {
			if e <= c {
				return e * e
			}
			return 2*c*e - c*c
		}, []float64{c}},
		{Hypersurface{Scale: c}, func(e float64) float64 { return math.Sqrt(1+e*e/c/c) - 1 }, nil},
		{Correntropy{Scale: c}, func(e float64) float64 { return 1 - math.Exp(-e*e/(2*c*c)) }, nil},
		{Cauchy{Scale: c}, func(e float64) float64 { return math.Log(1 + e*e/c/c) }, nil},
		{SmoothL1{Mu: c}, func(e float64) float64 {
			if e <= c {
				return e * e / (2 * c)
			}
			return e - c/2
		}, []float64{c}},
		{Truncated{Loss: Cauchy{Scale: c}, Cut: 2}, func(e float64) float64 {
			return math.Log(1 + min(e, 2)*min(e, 2)/c/c)
		}, []float64{2}},
		{Truncated{Loss: L1{}, Cut: 2}, func(e float64) float64 { return min(e, 2) }, []float64{2}},
		{ByColumn{Huber{Cut: c}}, func(e float64) float64 {
			if e <= c {
				return e * e
			}
			return 2*c*e - c*c
		}, []float64{c}},
	} {
		for i := range 60 {
			e := 0.013 + 0.09*float64(i)
			v, slope := k.loss.Rho(e * e)
			if want := k.value(e); !Near(v, want, 1e-12) {
				t.Errorf("%s: ρ(%g²) = %.15g, want %.15g", LossName(k.loss), e, v, want)
			}
			const d = 1e-5
			if slices.ContainsFunc(k.kinks, func(a float64) bool { return math.Abs(a*a-e*e) < 2*d }) {
				continue
			}
			above, below := k.value(math.Sqrt(e*e+d*e*e)), k.value(math.Sqrt(e*e-d*e*e))
			if want := (above - below) / (2 * d * e * e); math.Abs(slope-want) > 1e-6*(1e-3+want) {
				t.Errorf("%s: ρ′(%g²) = %.12g, want %.12g", LossName(k.loss), e, slope, want)
			}
		}
	}
	// No cancellation where residuals are far below the scale.
	for _, l := range []Loss{Hypersurface{Scale: 1}, Correntropy{Scale: math.Sqrt(0.5)}, Cauchy{Scale: 1}} {
		v, slope := l.Rho(1e-20)
		if !Near(v/slope, 1e-20, 1e-12) {
			t.Errorf("%T: ρ(1e-20) = %g, slope %g", l, v, slope)
		}
	}
}
