package rnmf_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest/parts"
	. "github.com/robustnmf/robustnmf/rnmf/papers"
)

// Where X is nothing but zeros, the scale comes from them, not from nowhere.
func TestScaleOfZeros(t *testing.T) {
	x := mat.NewDense(11, 36, nil)
	start := WarmStart{W: Uniform(11, 4, 1), H: Uniform(4, 36, 2)}
	for _, loss := range TunedLosses {
		m := Model{Rank: 4, Loss: loss, Init: start, MaxIter: 1, Tol: -1}
		if s := MustFit(t, m, x).Trace[0].Scale; s < 1e-4 || s > 100 {
			t.Errorf("%s: scale %g for residuals of about 1", LossName(loss), s)
		}
	}
}

func gaussian(n int, sigma float64, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 1))
	s := make([]float64, n)
	for i := range s {
		e := sigma * rng.NormFloat64()
		s[i] = e * e
	}
	return s
}

func TestNagy(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, gamma := range []float64{1e-60, 0.03, 5, 1e40} {
		s := make([]float64, 5001)
		for i := range s {
			e := gamma * math.Tan(math.Pi*(rng.Float64()-0.5))
			s[i] = e * e
		}
		// (18), to the end, from far away.
		want := 50 * gamma
		for range 1000 {
			var e0 float64
			for _, v := range s {
				e0 += 1 / (1 + v/want/want)
			}
			e0 /= float64(len(s))
			want *= math.Sqrt(1/e0 - 1)
		}
		for _, from := range []float64{0, gamma / 30, 30 * gamma} {
			if got := Nagy(NewResiduals(s...), from); !Nearly(got, want, 2e-3) {
				t.Errorf("from %g: %g, want %g", from, got, want)
			}
		}
		if !Nearly(want, gamma, 0.05) {
			t.Errorf("%g of Cauchy noise at scale %g", want, gamma)
		}
	}
}

func TestOutlierRules(t *testing.T) {
	s := gaussian(200001, 0.3, 2)
	share := func(cut float64) float64 {
		var n float64
		for _, v := range s {
			if v > cut*cut {
				n++
			}
		}
		return n / float64(len(s))
	}
	// The rule of the paper, naively.
	var e []float64
	for _, v := range s {
		e = append(e, math.Sqrt(v))
	}
	slices.Sort(e)
	half := e[:(len(e)+1)/2]
	var mu, ss float64
	for _, v := range half {
		mu += v / float64(len(half))
	}
	for _, v := range half {
		ss += (v - mu) * (v - mu) / float64(len(half))
	}
	got := ThreeSigma.Cut(NewResiduals(s...))
	if want := mu + 3*math.Sqrt(ss); !Near(got, want, 2e-3) {
		t.Errorf("cut %g, want %g", got, want)
	}
	if p := share(got); math.Abs(p-0.366) > 0.006 {
		t.Errorf("the paper's rule marks %.4f of Gaussian noise, 0.366 is known", p)
	}
	if p := share(NormalThreeSigma.Cut(NewResiduals(s...))); math.Abs(p-0.0027) > 0.0005 {
		t.Errorf("the normal rule marks %.5f of Gaussian noise, want 0.0027", p)
	}
}

// Every tuner scales with the data, keeps its floor, leaves what the user set,
// and can be tuned again.
func TestTuners(t *testing.T) {
	s := gaussian(999, 1, 3)
	zeros, mostly := make([]float64, 50), make([]float64, 50)
	mostly[3] = 4
	for _, l := range TunedLosses {
		name := LossName(l)
		if TuningOf(l) == nil {
			t.Errorf("%s has nothing to tune", name)
			continue
		}
		tuning := TuningOf(l)
		unit, settled := tuning(NewResiduals(s...))
		if i, ok := unit.(Preliminary); ok {
			unit = i.Loss
		}
		for _, by := range []float64{1e-3, 40, 1e30} {
			large := slices.Clone(s)
			for i := range large {
				large[i] *= by * by
			}
			a, b := ScaleNow(tuned(l, NewResiduals(large...))), ScaleNow(unit)*by
			if !Nearly(a, b, 4e-3) {
				t.Errorf("%s: scale %g of residuals that are %g times larger, want %g", name, a, by, b)
			}
			if settled {
				continue
			}
			// Estimates of other fits go on where they were.
			again, _ := tuning(NewResiduals(large...))
			if i, ok := again.(Preliminary); ok {
				again = i.Loss
			}
			if !once(l) && !Nearly(ScaleNow(again), b, 5e-3) {
				t.Errorf("%s: tuned again %g, want %g", name, ScaleNow(again), b)
			}
		}
		for _, r := range [][]float64{zeros, mostly, nil, {0}, {1e-320}, {1e200, 1e200}} {
			tuned := tuned(l, NewResiduals(r...))
			for _, v := range append(slices.Clone(r), 0) {
				if v, w := tuned.Rho(v); math.IsNaN(v+w) || math.IsInf(v+w, 0) || w < 0 {
					t.Errorf("%s: ρ = %g, ρ′ = %g when tuned to %.4v", name, v, w, r)
				}
			}
		}
		if TuningOf(unit) != nil {
			t.Errorf("%s: its tuned loss wants to be tuned again", name)
		}
	}
	for _, l := range FixedLosses {
		if TuningOf(l) != nil {
			t.Errorf("%s has nothing to tune", LossName(l))
		}
	}
	all, median := NewResiduals(s...), math.Sqrt(slices.Sorted(slices.Values(s))[499])
	for _, c := range []struct {
		got  Loss
		want float64
	}{
		{tuned(Huber{Printed: true}, all), median},
		{tuned(Huber{}, all), 1.345 * 1.4826 * median},
		{tuned(ByColumn{Huber{}}, all), median},
		{tuned(Hypersurface{}, all), 1.287 * 1.4826 * median},
		{tuned(Cauchy{}, all), 2.385 * 1.4826 * median},
		{tuned(L1{}, all), median / 10},
		{tuned(ByColumn{L1{}}, all), median / 1000},
		{tuned(Correntropy{Printed: true}, all), math.Sqrt(all.Mean() / 2)},
		{tuned(Correntropy{}, all), 3.352 * 1.4826 * median},
		{tuned(SmoothL1{}, all), median},
		{tuned(Truncated{Loss: Frobenius{}, Rule: NormalThreeSigma}, all), 3 * 1.4826 * median},
		// Where most are 0 the scale is a millionth of the root mean square.
		{tuned(Huber{Printed: true}, NewResiduals(mostly...)), 1e-6 * math.Sqrt(4./50)},
		{tuned(Hypersurface{}, NewResiduals(mostly...)), 1.287 * 1.4826e-6 * math.Sqrt(4./50)},
		{tuned(Truncated{Loss: Frobenius{}}, NewResiduals(mostly...)), 1e-6 * math.Sqrt(4./50)},
	} {
		if !Nearly(ScaleNow(c.got), c.want, 2e-3) {
			t.Errorf("%T: %g, want %g", c.got, ScaleNow(c.got), c.want)
		}
	}
	// But of ten usual entries of the data, where those are known and a gross one is not.
	gross := NewResiduals(mostly...)
	gross.SetData(1e-3)
	if got := ScaleNow(tuned(Huber{Printed: true}, gross)); !Nearly(got, 1e-8, 1e-12) {
		t.Errorf("among entries of 0.001 the scale is %g, want 1e-08", got)
	}
}

// once tells a loss whose first scale does not depend on later residuals.
func once(l Loss) bool {
	switch l := l.(type) {
	case ByColumn:
		return once(l.Loss)
	case Truncated:
		return once(l.Loss)
	case L1, SmoothL1:
		return true
	case CellCase:
		return l.Loss == Frobenius{}
	}
	return false
}

// tuned is a loss in the first round of a fit with these residuals.
func tuned(l Loss, s *Residuals) Loss {
	next, _ := TuningOf(l)(s)
	if i, ok := next.(Preliminary); ok {
		return i.Loss
	}
	return next
}

type noScale struct{}

func (noScale) Rho(s float64) (value, slope float64) { return s, 1 }

func TestTruncatedScaleNow(t *testing.T) {
	for _, c := range []struct {
		loss Loss
		want float64
	}{{Frobenius{}, 3}, {noScale{}, 3}, {Cauchy{Scale: 0.5}, 0.5}} {
		if got := (Truncated{Loss: c.loss, Cut: 3}).ScaleNow(); got != c.want {
			t.Errorf("%T below Cut 3: scale %g, want %g", c.loss, got, c.want)
		}
	}
}

// ThreeOrSixSigma keeps what is only fitted badly, and shuts out what stands out.
func TestThreeOrSixSigma(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	draw := func(n int, e func() float64) (s []float64) {
		for range n {
			v := e()
			s = append(s, v*v)
		}
		return s
	}
	for _, size := range []float64{1e-60, 1, 1e40} {
		normal := func() float64 { return size * rng.NormFloat64() }
		laplace := func() float64 { return size * rng.ExpFloat64() }
		cauchy := func() float64 { return size * math.Tan(math.Pi*(rng.Float64()-0.5)) }
		at := func(e float64) func() float64 {
			return func() float64 { return size * e * (1 + 0.1*rng.NormFloat64()) }
		}
		for _, c := range []struct {
			name string
			s    []float64
			want float64 // deviations
		}{
			{"normal", draw(20000, normal), 6},
			{"Laplace", draw(20000, laplace), 6},
			{"Cauchy", draw(20000, cauchy), 6},
			{"ten residuals", draw(10, normal), 3},
			{"normal and 10 % at 5", append(draw(18000, normal), draw(2000, at(5))...), 3},
			{"Laplace and a quarter at 8", append(draw(15000, laplace), draw(5000, at(8))...), 3},
			{"normal and a quarter that rises", append(draw(15000, normal), draw(5000, func() float64 { return 7 * size * math.Sqrt(rng.Float64()) })...), 3},
			{"normal and a quarter at 1e5", append(draw(15000, normal), draw(5000, at(1e5))...), 6},
			{"nothing but zeros", make([]float64, 50), 0},
		} {
			s := NewResiduals(c.s...)
			got := ThreeOrSixSigma.Cut(s) / (MADToSigma * s.Median())
			if c.want > 0 && !Near(got, c.want, 1e-2) || c.want == 0 && !(ThreeOrSixSigma.Cut(s) > 0) {
				t.Errorf("%s, size %g: %.3g deviations, want %g", c.name, size, got, c.want)
			}
		}
	}
}

// Where a fit can make most residuals 0 their median is no scale: what a loss then shuts out, and
// thus WH there, would have no bound. Here κ is 0.63.
func TestScaleOfNearlyExactFits(t *testing.T) {
	x, _ := Planted(16, 400, 16, 0, 0.1, 1)
	for _, l := range []Loss{Huber{}, Hypersurface{}, Correntropy{}, Cauchy{},
		Truncated{Loss: Cauchy{}, Rule: NormalThreeSigma}, MMEstimator{}} {
		for seed := range uint64(2) {
			r := TryFit(t, Model{Loss: l, Rank: 10, Seed: seed}, x)
			if r == nil {
				continue
			}
			var wh mat.Dense
			wh.Mul(r.W, r.H)
			if largest := mat.Max(&wh); largest > 3*mat.Max(x) {
				t.Errorf("%s, seed %d: the largest entry of WH is %.3g, of X %.3g", LossName(l), seed, largest, mat.Max(x))
			}
		}
	}
}
