package rnmf_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
	. "github.com/robustnmf/robustnmf/rnmf/papers"
)

func TestSettled(t *testing.T) {
	for _, c := range []struct {
		objectives []float64
		tol        float64
		want       bool
	}{
		{nil, 1, false},
		{[]float64{5}, 1, false},
		{[]float64{10, 4}, 0.9, false}, // the first round is the whole way
		{[]float64{10, 4, 3.9}, 0.1, true},
		{[]float64{10, 4, 3.9}, 0.01, false},
		{[]float64{10, 4, 3}, 0.1, false},
		{[]float64{3, 3}, 0.1, true},
	} {
		var trace Trace
		for i, f := range c.objectives {
			trace = append(trace, Point{Round: i, Objective: f})
		}
		if got := trace.Settled(c.tol); got != c.want {
			t.Errorf("%v: %t", c.objectives, got)
		}
	}
	x, _ := Planted(20, 30, 3, 0.05, 0.1, 1)
	m := TruncatedCauchyNMF(3)
	m.Solver, m.Tol = OGM{Printed: true}, -1
	for s, err := range m.Steps(context.Background(), x) {
		if err != nil {
			t.Fatal(err)
		}
		if s.Result().Trace.Settled(1e-4) {
			if s.Round < 3 || s.Round > 400 {
				t.Errorf("settled in round %d", s.Round)
			}
			return
		}
	}
	t.Error("never settled")
}

// With TraceEvery a fit takes the same rounds and records fewer of them; where the
// objective is wanted for more than the trace, all.
func TestTraceEvery(t *testing.T) {
	x, _ := Planted(30, 40, 3, 0.05, 0.1, 1)
	for _, c := range []struct {
		solver Solver
		loss   Loss
		all    bool
	}{
		{MU{}, Frobenius{}, false},
		{MU{}, Cauchy{Scale: 0.1}, false},
		{MU{}, ByColumn{L1{Eps: 1e-3}}, false},
		{HALS{NoExtrapolation: true}, Hypersurface{Scale: 1}, false},
		{Additive{Solver: MU{}}, Huber{Cut: 0.1}, false},
		{FGD{}, Frobenius{}, false},
		{HALS{}, Cauchy{Scale: 0.1}, true},
		{MU{}, Cauchy{}, true}, // its scale is estimated in each round
	} {
		m := Model{Rank: 3, Loss: c.loss, Solver: c.solver, MaxIter: 25, Tol: -1, TuneFor: -1, Seed: 1}
		want := MustFit(t, m, x)
		m.TraceEvery = 10
		got := MustFit(t, m, x)
		// Cauchy's weights come with the logarithms in other operations than without.
		if !mat.EqualApprox(got.W, want.W, 1e-12) || !mat.EqualApprox(got.H, want.H, 1e-12) {
			t.Errorf("%T %T: another fit", c.solver, c.loss)
		}
		rounds := []int{0, 10, 20, 25}
		if c.all {
			rounds = nil
			for i := range 26 {
				rounds = append(rounds, i)
			}
		}
		if len(got.Trace) != len(rounds) {
			t.Fatalf("%T %T: %d points, want those of rounds %v", c.solver, c.loss, len(got.Trace), rounds)
		}
		for i, k := range rounds {
			if p, q := got.Trace[i], want.Trace[k]; p.Round != k || !Near(p.Objective, q.Objective, 1e-12) || p.Scale != q.Scale {
				t.Errorf("%T %T: %+v, want %+v", c.solver, c.loss, p, q)
			}
		}
	}

	// A scale that is estimated for some rounds, then stays.
	m := Model{Rank: 3, Loss: Cauchy{}, Solver: MU{}, MaxIter: 20, TuneFor: 5, TraceEvery: 10, Tol: -1}
	var rounds []int
	for s, err := range m.Steps(context.Background(), x) {
		if err != nil {
			t.Fatal(err)
		}
		rounds = append(rounds, s.Round)
		if f := s.Result(); s.Round < 20 && !Near(f.Objective, s.Objective, 1e-12) {
			t.Errorf("round %d: %g, but its step has %g", s.Round, f.Objective, s.Objective)
		}
	}
	if want := []int{0, 1, 2, 3, 4, 5, 15, 20}; !slices.Equal(rounds, want) {
		t.Errorf("steps of rounds %v, want %v", rounds, want)
	}

	// Tol counts by the round: it ends no earlier than the plain fit, and with the
	// same reason.
	m = Model{Rank: 3, Loss: Cauchy{Scale: 0.1}, Solver: MU{}, Tol: 1e-4}
	want := MustFit(t, m, x)
	m.TraceEvery = 7
	got := MustFit(t, m, x)
	if a, b := want.Trace[len(want.Trace)-1].Round, got.Trace[len(got.Trace)-1].Round; got.Reason != Converged || b < a || b > a+20 || b%7 > 0 {
		t.Errorf("%v after %d rounds, plain after %d", got.Reason, b, a)
	}

	// A cancelled fit returns the last one whose objective is known.
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	loss := counted{Cauchy{Scale: 0.1}, new(atomic.Int64), 14 * 2 * 30 * 40, cancel}
	m = Model{Rank: 3, Loss: loss, Solver: MU{}, MaxIter: 100, TraceEvery: 10, Tol: -1}
	got, err := m.Fit(ctx, x)
	if !errors.Is(err, context.Canceled) || got == nil || got.Reason != Cancelled {
		t.Fatal(got, err)
	}
	m.MaxIter, m.Loss = 10, loss.loss
	if want := MustFit(t, m, x); !mat.EqualApprox(got.W, want.W, 1e-9) || !mat.EqualApprox(got.H, want.H, 1e-9) || !Near(got.Objective, want.Objective, 1e-9) {
		t.Errorf("cancelled at round %d with %g, want round 10 with %g", got.Trace[len(got.Trace)-1].Round, got.Objective, want.Objective)
	}

	m.TraceEvery = -1
	if _, err := m.Fit(context.Background(), x); !errors.Is(err, ErrParameter) {
		t.Error(err)
	}
}

// counted is a loss that calls something when it has been asked so many times. It
// is computed in another way than Cauchy, with other rounding errors.
type counted struct {
	loss  Cauchy
	calls *atomic.Int64
	at    int64
	then  func()
}

func (c counted) Rho(s float64) (value, slope float64) {
	if c.calls.Add(1) == c.at {
		c.then()
	}
	return c.loss.Rho(s)
}
