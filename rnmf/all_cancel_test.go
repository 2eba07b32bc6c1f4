package rnmf_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"
	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/testkit"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest/parts"
	. "github.com/robustnmf/robustnmf/rnmf/papers"
)

// long reports whether tests may take hours: see docs/PROMISES.md.
var long = testkit.Long

// cancelCases is everything that takes a context, or is part of what does.
func cancelCases(x *mat.Dense, rank int) map[string]func(ctx context.Context) (*Result, error) {
	_, n := x.Dims()
	graph := Ring(n, 3)
	class := make([]int, n)
	for j := range class {
		class[j] = j%7 - 2
		if class[j] < 0 {
			class[j] = Unlabelled
		}
	}
	labels := Labels{Class: class}
	mask := mat.NewDense(x.RawMatrix().Rows, n, nil)
	mask.Apply(func(i, j int, _ float64) float64 { return float64((i + j) % 5) }, mask)
	cases := map[string]func(ctx context.Context) (*Result, error){}
	add := func(name string, m Model) {
		m.Rank, m.Tol = rank, -1
		cases[name] = func(ctx context.Context) (*Result, error) { return m.Fit(ctx, x) }
	}
	for _, solver := range []Solver{HALS{}, MU{}, OGM{}, FGD{}, FGD{Printed: true}, Additive{}, RRA{}} {
		for _, loss := range []Loss{Frobenius{}, Cauchy{}, ByColumn{L1{}}} {
			add(fmt.Sprintf("%T%+v %s", solver, solver, LossName(loss)), Model{Solver: solver, Loss: loss})
		}
	}
	for _, solver := range []Solver{HALS{}, MU{}, OGM{}, FGD{}, RRA{Energy: 0.01}} {
		for _, loss := range []Loss{nil, Cauchy{}} {
			add(fmt.Sprintf("graph, %T, %T", solver, loss), Model{Solver: solver, Loss: loss, OnH: []Penalty{Laplacian{graph, 1}}})
		}
	}
	add("prox-linear", Model{Solver: ProxLinear{}})
	add("orthogonal", Model{SolverH: Orthogonal{}, SolverW: HALS{Sweeps: 1}})
	add("semi-NMF", SemiNMF(rank))
	add("RMNMF", RMNMF(rank, graph, 1))
	add("mask", Model{Mask: mask, Loss: Cauchy{}})
	add("KKT", Model{TraceKKT: true})
	add("labels", Model{OnH: []Penalty{labels}})
	add("two stages", Model{Loss: MMEstimator{}})
	for i, init := range []Init{WarmStart{W: Uniform(x.RawMatrix().Rows, rank, 1), H: Uniform(rank, n, 2)}, NNDSVD{}, NNDSVDar{}, KMeansInit{}, KMeansInit{Scaled: true}, LabelInit{Labels: labels}} {
		add(fmt.Sprintf("start %d, %T", i, init), Model{Init: init})
	}
	cases["SSNMF"] = func(ctx context.Context) (*Result, error) {
		r, err := SSNMF{Model: Model{Rank: rank, Tol: -1}, Labels: labels}.Fit(ctx, x)
		if r == nil {
			return nil, err
		}
		return r.Result, err
	}
	cases["CNMF"] = func(ctx context.Context) (*Result, error) {
		return CNMF{Model: Model{Rank: rank, Tol: -1}, Labels: labels}.Fit(ctx, x)
	}
	cases["convex NMF"] = func(ctx context.Context) (*Result, error) {
		r, err := ConvexNMF{Model: Model{Rank: rank, Tol: -1}}.Fit(ctx, x)
		if r == nil {
			return nil, err
		}
		return r.Result, err
	}
	rows := x.RawMatrix().Rows
	cases["contiguous"] = func(ctx context.Context) (*Result, error) {
		r, err := OcclusionNMF{Model: Model{Rank: rank, Tol: -1}, Height: 4, Width: rows / 4, Beta: 1}.Fit(ctx, x)
		if r == nil {
			return nil, err
		}
		return r.Result, err
	}
	fitted := &Result{W: Uniform(x.RawMatrix().Rows, rank, 1), H: Uniform(rank, n, 2), Loss: Cauchy{Scale: 0.1}}
	cases["Transform"] = func(ctx context.Context) (*Result, error) {
		h, err := fitted.Transform(ctx, x, nil)
		if h == nil {
			return nil, err
		}
		return &Result{W: fitted.W, H: h}, err
	}
	return cases
}

// Cancelled at any moment, everything returns soon, with the factors of a complete
// round and the objective that they have, or with nothing, and leaves no goroutine
// behind. With RNMF_LONG the data are as large as those of the papers, "soon" is
// 100 ms, and the longest time in which nobody asks is shown.
func TestCancelAnywhere(t *testing.T) {
	x, _ := Planted(120, 150, 6, 0.05, 0.1, 1)
	soon, tries := 2*time.Second, 3 // other tests may need the processors
	rank, most := 6, 20*time.Millisecond
	if testing.Short() {
		tries = 2
	}
	if long() {
		x = Uniform(2576, 7200, 1)
		soon, tries, rank, most = 100*time.Millisecond, 6, 20, 3*time.Second
	}
	rng := rand.New(rand.NewPCG(1, 9))
	cases, take := cancelCases(x, rank), OneIn(t, 3)
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		run := cases[name]
		if !take() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			for try := range tries {
				leak := goleak.IgnoreCurrent()
				after := time.Duration(float64(most) * rng.Float64() * float64(try) / float64(tries-1)) // the first is at once
				inner, cancel := context.WithTimeout(context.Background(), after)
				defer cancel()
				ctx := testkit.NewGapContext(inner)
				r, err := run(ctx)
				ended, _ := inner.Deadline()
				late := time.Since(ended)
				if long() {
					ctx.Ask()
					t.Logf("%4d ms after %4d ms, longest gap %4d ms%.300s", late.Milliseconds(), after.Milliseconds(), ctx.Worst.Milliseconds(), ctx.Where)
				}
				if err == nil && try > 0 && late < soon {
					continue // it was done before the deadline, or before the deadline's timer rang
				}
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Fatalf("%v", err)
				}
				if late > soon {
					t.Errorf("%v late", late)
				}
				goleak.VerifyNone(t, leak)
				if r == nil || r.Trace == nil { // of Transform
					continue
				}
				if !SoundSigns(t, name, r, name == "semi-NMF") || r.Reason != Cancelled {
					t.Fatalf("%v", r.Reason)
				}
				m := Model{OnH: r.OnH}
				if r.Mask != nil {
					m.Mask = r.Mask
				}
				if name != "SSNMF" && name != "contiguous" && !long() {
					if want := NaiveObjective(m, r.Loss, x, r.W, r.H); !Near(r.Objective, want, 1e-9) {
						t.Errorf("objective %g, want %g", r.Objective, want)
					}
				}
			}
		})
	}
}

// What takes a context and gives no factors.
func TestCancelOthers(t *testing.T) {
	n := 800
	if long() {
		n = 7200
	}
	prepare := func(s RRA) func(ctx context.Context) error {
		return func(ctx context.Context) error {
			for {
				if _, err := s.Prepare(ctx, Ring(n, 3)); err != nil { // which has no spectrum yet
					return err
				}
			}
		}
	}
	testkit.Cancel(t, map[string]func(ctx context.Context) error{
		"spectrum of a graph":        prepare(RRA{}),
		"few eigenvalues of a graph": prepare(RRA{Energy: 0.05}),
	})
}

// A start of a small problem is made even where ctx has ended, so that there is something to return; one
// that may take long sees that it has.
func TestCancelStart(t *testing.T) {
	done, cancel := context.WithCancel(context.Background())
	cancel()
	for dims, want := range map[[2]int]bool{{40, 40}: false, {300, 300}: true, {4, 20000}: true, {20, 200}: false} {
		var saw error
		x := Uniform(dims[0], dims[1], 1)
		if _, err := (Model{Rank: 2, Init: asked{&saw}}).Fit(done, x); !errors.Is(err, context.Canceled) || (saw != nil) != want {
			t.Errorf("%v: the start saw %v, and the fit ends with %v", dims, saw, err)
		}
		for _, init := range []Init{nil, WarmStart{Uniform(dims[0], 2, 1), Uniform(2, dims[1], 1)}} {
			if r, err := (Model{Rank: 2, Init: init}).Fit(done, x); !errors.Is(err, context.Canceled) || r == nil {
				t.Errorf("%v: from %T: %v, %v", dims, init, r, err)
			}
		}
	}
}

// asked keeps what ctx says to a start.
type asked struct{ saw *error }

func (s asked) Start(ctx context.Context, x *mat.Dense, rank int, rng *rand.Rand) (w, h *mat.Dense, err error) {
	*s.saw = ctx.Err()
	return Random{}.Start(ctx, x, rank, rng)
}

func TestCancel(t *testing.T) {
	x, _ := Planted(30, 40, 3, 0.1, 0.1, 1)
	done, cancel := context.WithCancel(context.Background())
	cancel()
	r, err := L21NMF(3).Fit(done, x)
	if !errors.Is(err, context.Canceled) || r == nil || r.Reason != Cancelled || len(r.Trace) != 1 || !Sound(t, "cancelled before", r) {
		t.Fatalf("%v, %+v", err, r)
	}
	late, cancel := context.WithDeadline(context.Background(), time.Now().Add(-time.Second))
	defer cancel()
	if _, err := L21NMF(3).Fit(late, x); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	for _, loss := range TunedLosses {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		m := Model{Rank: 3, Loss: loss, Tol: -1, TraceKKT: true}
		var last Step
		var end error
		rounds := 0
		for s, err := range m.Steps(ctx, x) {
			if err != nil {
				last, end = s, err
				continue
			}
			if rounds = s.Round; s.Round == 4 {
				cancel()
			}
		}
		r := last.Result()
		if !errors.Is(end, context.Canceled) || rounds != 4 || last.Round != 4 || r.Reason != Cancelled {
			t.Errorf("%s: %v in round %d of %d: %v", LossName(loss), end, last.Round, rounds, r.Reason)
			continue
		}
		m.MaxIter = 4
		whole := MustFit(t, m, x)
		if !mat.Equal(r.W, whole.W) || !mat.Equal(r.H, whole.H) || r.Objective != whole.Objective || !Near(r.Objective, last.Objective, 1e-12) {
			t.Errorf("%s: not the factors of round 4", LossName(loss))
		}
	}
	// Somewhere in the middle of the work, but not before the first round, however busy the machine is.
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	big := Uniform(300, 400, 2)
	r, err = Model{Rank: 20, Loss: Cauchy{}, Tol: -1, MaxIter: 1 << 30, Watch: func(p Point) {
		if p.Round == 1 {
			time.AfterFunc(30*time.Millisecond, cancel)
		}
	}}.Fit(ctx, big)
	if !errors.Is(err, context.Canceled) || r == nil || r.Reason != Cancelled || !Sound(t, "in the middle", r) {
		t.Fatalf("%+v, %v", r, err)
	}
	if end := r.Trace[len(r.Trace)-1]; !Near(r.Objective, end.Objective, 1e-9) {
		t.Errorf("objective %g, the last complete round had %g", r.Objective, end.Objective)
	}
}

func TestLeavingTheLoop(t *testing.T) {
	x, _ := Planted(9, 12, 3, 0.1, 0.1, 1)
	var at *Result
	for s, err := range NMF(3).Steps(context.Background(), x) {
		if err != nil {
			t.Fatal(err)
		}
		if s.Round == 3 {
			at = s.Result()
			break
		}
	}
	m := NMF(3)
	m.MaxIter = 3
	if want := MustFit(t, m, x); !mat.Equal(at.W, want.W) || at.Reason != 0 || want.Reason != MaxIter || len(at.Trace) != 4 {
		t.Errorf("%v after %d, %v", at.Reason, len(at.Trace), want.Reason)
	}
	for k, p := range at.Trace {
		if p.Round != k || p.KKT != -1 || k > 0 && p.Seconds < at.Trace[k-1].Seconds {
			t.Errorf("%d: %+v", k, p)
		}
	}
	// A negative Tol never ends it, a large one at once.
	m = Model{Rank: 3, MaxIter: 40, Tol: -1}
	if r := MustFit(t, m, x); len(r.Trace) != 41 || r.Reason != MaxIter {
		t.Errorf("%v after %d", r.Reason, len(r.Trace)-1)
	}
	m.Tol = 0.99
	if r := MustFit(t, m, x); r.Reason != Converged || len(r.Trace) > 4 {
		t.Errorf("%v after %d", r.Reason, len(r.Trace)-1)
	}
}
