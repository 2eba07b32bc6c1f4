package rnmf_test

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/robustnmf/robustnmf/rnmf/internal/work"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest/parts"
)

// force makes fits use n goroutines, more than the machine may have, however
// little there is to do.
func force(t *testing.T, n int) {
	processors, small := work.Processors, work.SmallWork
	work.Processors, work.SmallWork = func() int { return n }, 0
	t.Cleanup(func() { work.Processors, work.SmallWork = processors, small })
}

// No goroutine outlives a fit, however it ends; with one processor none starts.
func TestNothingLeftRunning(t *testing.T) {
	x, _ := Planted(30, 200, 3, 0.1, 0.1, 1)
	m := Model{Rank: 3, Loss: L1{}, MaxIter: 20, Tol: -1}
	before := runtime.NumGoroutine()
	left := func() int { // what runs once those that are ending have ended
		for range 100 {
			if runtime.NumGoroutine() <= before {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		return runtime.NumGoroutine()
	}
	for _, n := range []int{1, 2, 5} {
		force(t, n)
		MustFit(t, m, x)
		left()
		for s := range m.Steps(context.Background(), x) {
			if got := runtime.NumGoroutine(); got > before+n-1 {
				t.Errorf("%d goroutines in a fit on %d processors, %d before", got, n, before)
			}
			if s.Round == 3 {
				break
			}
		}
		ctx, cancel := context.WithCancel(context.Background())
		for s := range m.Steps(ctx, x) {
			if s.Round == 2 {
				cancel()
			}
		}
		cancel()
		func() {
			defer func() { _ = recover() }()
			for s := range m.Steps(context.Background(), x) {
				if s.Round == 1 {
					panic("in the loop")
				}
			}
		}()
	}
	if got := left(); got > before {
		t.Errorf("%d goroutines, %d before", got, before)
	}
}

// A trap is a loss that panics on the caller's goroutine or on a helper's, while
// the others are still at work.
type trap struct {
	calls    *atomic.Int64
	caller   string // the beginning of its stack
	ofHelper bool
}

var errTrap = errors.New("in a loss")

func (l trap) Rho(s float64) (value, slope float64) {
	if l.calls.Add(1) > 20000 {
		var here [64]byte
		if bytes.HasPrefix(here[:runtime.Stack(here[:], false)], []byte(l.caller)) != l.ofHelper {
			panic(errTrap)
		}
		time.Sleep(time.Microsecond)
	}
	return s, 1
}

// A loss that panics, on whatever goroutine, is a panic of Fit and of Transform, from
// which a program can recover, when all goroutines have gone.
func TestPanicInLoss(t *testing.T) {
	force(t, 3)
	before := runtime.NumGoroutine()
	x, _ := Planted(40, 400, 3, 0.1, 0.1, 1)
	var here [64]byte
	caller, _, _ := strings.Cut(string(here[:runtime.Stack(here[:], false)]), "[")
	take := OneIn(t, 11) // two of six: without a helper and with one
	for _, ofHelper := range []bool{false, true} {
		for _, solver := range []Solver{MU{}, HALS{}, HALS{NoExtrapolation: true}} {
			if !take() {
				continue
			}
			try := func(f func(loss Loss)) {
				defer func() {
					err, _ := recover().(error)
					if !errors.Is(err, errTrap) {
						t.Errorf("%T, on a helper %v: panic %v", solver, ofHelper, err)
					}
					if ofHelper && !strings.Contains(err.Error(), "trap.Rho") {
						t.Errorf("the panic of a helper does not tell where: %v", err)
					}
				}()
				f(trap{new(atomic.Int64), caller, ofHelper})
			}
			try(func(loss Loss) {
				Model{Rank: 3, Loss: loss, Solver: solver, MaxIter: 20, Tol: -1}.Fit(context.Background(), x)
			})
			try(func(loss Loss) {
				r := &Result{W: Uniform(40, 3, 1), H: Uniform(3, 400, 2), Loss: loss, Solver: solver}
				r.Transform(context.Background(), x, nil)
			})
		}
	}
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

// Fits at the same time, more than there are processors, do not disturb each
// other.
func TestFitsAtOnce(t *testing.T) {
	force(t, 3)
	x, _ := Planted(30, 200, 3, 0.1, 0.1, 1)
	var want [8]*Result
	fit := func(i int) *Result {
		m := Model{Rank: 3, Loss: TunedLosses[i%len(TunedLosses)], Seed: uint64(i), MaxIter: 15, Tol: -1}
		return TryFit(t, m, x)
	}
	for i := range want {
		if want[i] = fit(i); want[i] == nil {
			return
		}
	}
	var wg sync.WaitGroup
	for i, w := range want {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if got := fit(i); got != nil && !(sameBits(got.W, w.W) && sameBits(got.H, w.H)) {
				t.Errorf("fit %d differs from the same fit alone", i)
			}
		}()
	}
	wg.Wait()
}

// The seconds of a trace leave out little of a fit: both half-steps count, and
// what is estimated between them.
func TestSeconds(t *testing.T) {
	x, _ := Planted(300, 400, 20, 0.1, 0.1, 1)
	take := OneIn(t, 4) // each loss and each solver
	for _, loss := range []Loss{Frobenius{}, Hypersurface{Scale: 1}, Cauchy{}} {
		for _, solver := range []Solver{MU{}, HALS{}, HALS{NoExtrapolation: true}} {
			if !take() {
				continue
			}
			m := Model{Rank: 20, Loss: loss, Solver: solver, MaxIter: 60, Tol: -1}
			// Other work on the machine can come at the few moments that do not count,
			// but not at each try. The trace can never tell more than a clock.
			var seconds, wall float64
			for range 5 {
				begin := time.Now()
				for s := range m.Steps(context.Background(), x) {
					seconds, wall = s.Seconds, time.Since(begin).Seconds()
				}
				if seconds > wall || seconds >= 0.5*wall {
					break
				}
			}
			if seconds > wall || seconds < 0.5*wall {
				t.Errorf("%s %T: %.4f s in the trace, %.4f s in all", LossName(loss), solver, seconds, wall)
			}
		}
	}
}
