package rnmf_test

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf/internal/drive"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest/parts"
	. "github.com/robustnmf/robustnmf/rnmf/papers"
)

// A fit that ends converged, ends at a scale that its own rule gives for the residuals of its
// factors, within 1 %.
func TestFixedPoint(t *testing.T) {
	s := datasets.Digits()
	x := mat.DenseCopyOf(s.X.Slice(0, 64, 0, 150))
	damaged, _, err := datasets.SaltPepper{Share: 0.2, High: 16}.Apply(x, 1)
	if err != nil {
		t.Fatal(err)
	}
	converged := 0
	for _, loss := range TunedLosses {
		for _, solver := range []Solver{HALS{}, MU{}} {
			if testing.Short() && solver != (HALS{}) {
				continue
			}
			for name, x := range map[string]*mat.Dense{"clean": x, "damaged": damaged} {
				name := fmt.Sprintf("%s, %T, %s", LossName(loss), solver, name)
				m := Model{Rank: 6, Loss: loss, Solver: solver, MaxIter: 3000, Seed: 1}
				r := MustFit(t, m, x)
				if r.Reason != Converged {
					t.Errorf("%s: %v after %d rounds", name, r.Reason, len(r.Trace)-1)
					continue
				}
				converged++
				m.Init = WarmStart{W: r.W, H: r.H}
				f, err := StartOf(t.Context(), m, x)
				if err != nil {
					t.Fatal(err)
				}
				if once(loss) || Staged(loss) { // set once, or by the first stage
					continue
				}
				// A rule that goes on from its last scale, as Nagy's, is called until it stays.
				again := f.Retuned(r.Loss, 20)
				if was, is := ScaleNow(r.Loss), ScaleNow(again); math.Abs(was-is) > 0.0101*was {
					t.Errorf("%s: the scale is %g, its rule says %g", name, was, is)
				}
			}
		}
	}
	if converged == 0 {
		t.Error("no fit converged")
	}
}

// The scale is estimated in each round at first, ever more seldom later, and the fit extrapolates
// in between: it needs far fewer rounds than with an estimate in each.
func TestScaleRests(t *testing.T) {
	x := mat.DenseCopyOf(datasets.Digits().X.Slice(0, 64, 0, 300))
	rests := MustFit(t, Model{Rank: 8, Loss: Huber{}, Seed: 1}, x)
	changes, last := 0, 0
	for i, p := range rests.Trace[1:] {
		if p.Scale != rests.Trace[i].Scale {
			if changes++; changes > 2 && last >= drive.RestRound && i+1 < last*4/3 && i+1 < len(rests.Trace)-30 {
				t.Errorf("the scale changed in rounds %d and %d", last, i+1)
			}
			last = i + 1
		}
	}
	if changes < 3 || changes > 25 {
		t.Errorf("%d scales in %d rounds", changes, len(rests.Trace)-1)
	}
	always := MustFit(t, Model{Rank: 8, Loss: Huber{}, Seed: 1, TuneFor: -1}, x)
	if len(always.Trace) < 2*len(rests.Trace) {
		t.Errorf("%d rounds with an estimate in each, %d with rests", len(always.Trace)-1, len(rests.Trace)-1)
	}
	for i, p := range always.Trace[2:20] {
		if p.Scale == always.Trace[i+1].Scale {
			t.Errorf("TuneFor -1: round %d has the scale of the one before", p.Round)
		}
	}
}

// Alike sees the scale and the cut-off of a loss, whatever its fields are called.
func TestAlike(t *testing.T) {
	var s []float64
	for i := range 2000 {
		s = append(s, 1e-6*float64(i*i))
	}
	all := NewResiduals(s...)
	for _, c := range []struct {
		a, b Loss
		want bool
	}{
		{Huber{Cut: 0.5}, Huber{Cut: 0.504}, true}, {Huber{Cut: 0.5}, Huber{Cut: 0.507}, false}, {Huber{Cut: 0.5}, Huber{Cut: 0.493}, false},
		{Cauchy{Scale: 0.5}, Cauchy{Scale: 0.496}, true}, {Cauchy{Scale: 0.5}, Cauchy{Scale: 0.51}, false},
		{Correntropy{Scale: 1}, Correntropy{Scale: 1.005}, true}, {Correntropy{Scale: 1}, Correntropy{Scale: 0.98}, false},
		{Truncated{Loss: L1{Eps: 0.1}, Cut: 1}, Truncated{Loss: L1{Eps: 0.1}, Cut: 1.005}, true},
		{Truncated{Loss: L1{Eps: 0.1}, Cut: 1}, Truncated{Loss: L1{Eps: 0.1}, Cut: 1.1}, false},
		{Truncated{Loss: Frobenius{}, Cut: 1}, Truncated{Loss: Frobenius{}, Cut: 0.9}, false},
		{LogShrink{Gamma: 6, Scale: 0.2}, LogShrink{Gamma: 6, Scale: 0.203}, false}, {Frobenius{}, Frobenius{}, true},
		{Cauchy{}, Cauchy{Scale: 1}, false}, // no scale yet
	} {
		if got := drive.Alike(c.a, c.b, all.All(), 0.01); got != c.want {
			t.Errorf("%+v and %+v: %v", c.a, c.b, got)
		}
	}
}

// A round leaves little garbage, also while a scale is estimated in it: what waits for the collector
// would otherwise come to the size of X before it runs.
func TestRoundsTakeLittleMemory(t *testing.T) {
	const rounds, each = 120, 1 << 19 // bytes
	x, _ := Planted(300, 800, 5, 0.1, 0.05, 1)
	for _, m := range []Model{HuberNMF(5), CellCaseNMF(5), RobustNMF(5), CauchyNMF(5)} {
		m.MaxIter, m.Tol, m.TuneFor = rounds, -1, -1
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		MustFit(t, m, x)
		runtime.ReadMemStats(&after)
		if took := (after.TotalAlloc - before.TotalAlloc) / rounds; took > each {
			t.Errorf("%s: %d bytes a round, want at most %d", LossName(m.Loss), took, each)
		}
	}
}

// A Tuning has a state, so it is asked once for the same residuals, also where they show that a fit which
// has converged does not have its scale; and one that has failed is not asked again.
func TestTunedOnce(t *testing.T) {
	x := mat.DenseCopyOf(datasets.Digits().X.Slice(0, 64, 0, 80))
	var given []*Residuals
	r := MustFit(t, Model{Rank: 3, Loss: drifting{given: &given}, Tol: 1e-3, MaxIter: 60}, x)
	scales := 0
	for i, p := range r.Trace[1:] {
		if p.Scale != r.Trace[i].Scale {
			scales++
		}
	}
	seen := map[*Residuals]bool{}
	for i, s := range given {
		if seen[s] {
			t.Fatalf("call %d of %d has residuals that the Tuning has seen", i, len(given))
		}
		seen[s] = true
	}
	if r.Reason != MaxIter || scales < 20 { // which the schedule alone would not do: fits that had converged went on
		t.Errorf("%v with %d scales: no scale that was checked was renewed", r.Reason, scales)
	}
	for failsAt := 1; failsAt <= len(given); failsAt += 3 {
		var calls []*Residuals
		_, err := Model{Rank: 3, Loss: drifting{failsAt: failsAt, given: &calls}, Tol: 1e-3, MaxIter: 60}.Fit(t.Context(), x)
		if !errors.Is(err, ErrParameter) || len(calls) != failsAt {
			t.Errorf("tuned to nil in call %d: %d calls, %v", failsAt, len(calls), err)
		}
	}
}

// drifting is a Cauchy loss whose scale is never a fixed point of its Tuning, which fails in one of its
// calls.
type drifting struct {
	failsAt int
	given   *[]*Residuals
}

func (drifting) Rho(s float64) (value, slope float64) { return Cauchy{Scale: 1}.Rho(s) }

func (l drifting) Tuning() Tuning {
	return func(s *Residuals) (Loss, bool) {
		*l.given = append(*l.given, s)
		n := len(*l.given)
		if n == l.failsAt {
			return nil, false
		}
		return Cauchy{Scale: s.Median() * (1 + 0.1*float64(n%2))}, false
	}
}
