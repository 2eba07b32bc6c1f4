package choose

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestDiagnose(t *testing.T) {
	clean := planted(20, 60, 3, 0.03, 4)
	gross := mat.DenseCopyOf(clean)
	rng := rand.New(rand.NewPCG(1, 9))
	gross.Apply(func(_, _ int, v float64) float64 {
		if rng.Float64() < 0.15 {
			return v + 2
		}
		return v
	}, gross)
	holes := mat.DenseCopyOf(gross)
	mask := mat.NewDense(20, 60, nil)
	mask.Apply(func(i, j int, _ float64) float64 {
		if (i*7+j)%11 == 0 {
			holes.Set(i, j, math.NaN())
			return 0
		}
		return 1
	}, mask)
	for _, c := range []struct {
		name    string
		x, mask *mat.Dense
		entries bool
	}{{"normal noise", clean, nil, false}, {"gross errors", gross, nil, true}, {"gross errors, some missing", holes, mask, true}} {
		s := HeldOut{Folds: 3}
		if c.mask != nil {
			s.Mask = c.mask
		}
		d, err := s.Diagnose(context.Background(), c.x, 3)
		if err != nil {
			t.Fatal(err)
		}
		if (d.Suggestion == ByEntry) != c.entries || d.Reason == "" {
			t.Errorf("%s: %+v", c.name, d)
		}
		if !(d.Kurtosis > 1 && d.Tail >= 0 && d.Tail < 0.5 && d.FarSamples >= 0 && d.FarSamples < 0.5) {
			t.Errorf("%s: %+v", c.name, d)
		}
		if c.entries && d.Tail < 0.1 || !c.entries && d.Tail > 0.02 {
			t.Errorf("%s: a tail of %g", c.name, d.Tail)
		}
	}
	if _, err := (HeldOut{Folds: 1}).Diagnose(context.Background(), clean, 3); !errors.Is(err, ErrParameter) {
		t.Error(err)
	}
	if s := Kind(7).String(); s != "Kind(7)" {
		t.Error(s)
	}
}

// The numbers of errors that are known.
func TestDescribe(t *testing.T) {
	const m, n = 100, 50
	rng := rand.New(rand.NewPCG(2, 2))
	e, x := mat.NewDense(m, n, nil), constant(m, n, 2)
	e.Apply(func(_, j int, _ float64) float64 {
		if j < 5 {
			return 4 * rng.NormFloat64()
		}
		return rng.NormFloat64()
	}, e)
	e.Set(0, 7, math.NaN())
	var d Diagnosis
	d.describe(x, e)
	if d.FarSamples != 0.1 {
		t.Errorf("far samples %g", d.FarSamples)
	}
	// A mixture of 9 parts of variance 1 and one of 16 has kurtosis 3(0.9 + 25.6)/2.5².
	if want := 3 * (0.9 + 25.6) / 6.25; math.Abs(d.Kurtosis-want) > 2 {
		t.Errorf("kurtosis %g, want about %g", d.Kurtosis, want)
	}
	// Of the tenth of deviation 4, P(|z| > 5·1.1/4) is 17 %.
	if math.Abs(d.Tail-0.017) > 0.006 {
		t.Errorf("tail %g", d.Tail)
	}
}

func constant(m, n int, v float64) *mat.Dense {
	x := mat.NewDense(m, n, nil)
	x.Apply(func(int, int, float64) float64 { return v }, x)
	return x
}
