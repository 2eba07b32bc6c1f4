// Package work shares pieces of a computation among goroutines, for results that do
// not depend on their number.
package work

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// A Pool is a group of goroutines, one for each processor, that does one piece of work
// after the other and knows when all of it is cancelled. Starting goroutines anew for
// every piece costs as much as a whole half-step of a factorisation on small data, so
// the helpers stay from Open to Close. Between two pieces of work they look out for
// the next for a short while, then sleep.
type Pool struct {
	// Stop tells whether the work is cancelled: pieces that have not begun are left out.
	Stop func() bool

	size    int // goroutines, the caller's included
	helpers []*helper
	ended   sync.WaitGroup // the helpers
	busy    atomic.Bool    // with the task
	task    task
}

// A task is what all goroutines of a pool do together.
type task struct {
	n        int64
	f        func(worker, i int)
	next     atomic.Int64
	panicked atomic.Pointer[Panic]
}

// A helper is a goroutine of a pool.
type helper struct {
	state atomic.Int32
	wake  chan struct{}
}

// The states of a helper.
const (
	idle     int32 = iota // looks out for work
	sleeping              // waits for wake
	called                // has not begun yet: need not, if there is nothing left to do
	working
	leaving // the pool is closed
)

// patience is for how long a helper without work keeps its processor. Waking one
// that sleeps costs about as much.
const patience = 50 * time.Microsecond

// Processors is how many goroutines a Pool uses, a variable for tests. More than the
// machine has would only take them from each other while they wait.
var Processors = func() int { return min(runtime.GOMAXPROCS(0), runtime.NumCPU()) }

// New returns a pool without helpers; stop is its Stop.
func New(stop func() bool) *Pool { return &Pool{Stop: stop, size: max(Processors(), 1)} }

// Size is the number of workers: their numbers are 0 to Size−1.
func (p *Pool) Size() int { return p.size }

// Open starts the helpers; without them the caller works alone.
func (p *Pool) Open() {
	for worker := 1; worker < p.size; worker++ {
		h := &helper{wake: make(chan struct{}, 1)}
		p.helpers = append(p.helpers, h)
		p.ended.Add(1)
		go h.serve(p, worker)
	}
}

// Close ends the helpers, and waits until they have gone.
func (p *Pool) Close() {
	for _, h := range p.helpers {
		if h.state.Swap(leaving) == sleeping {
			h.wake <- struct{}{}
		}
	}
	p.helpers = nil
	p.ended.Wait()
}

func (h *helper) serve(p *Pool, worker int) {
	defer p.ended.Done()
	for {
		switch h.await() {
		case called:
			if h.state.CompareAndSwap(called, working) {
				h.work(p, worker)
			}
		case leaving:
			return
		}
	}
}

// work helps once. If what it calls ends the goroutine, nobody waits for it.
func (h *helper) work(p *Pool, worker int) {
	defer h.state.Store(idle)
	p.help(worker)
}

// await returns the state once it is neither idle nor sleeping, or when it was so and
// somebody else has done the work.
func (h *helper) await() int32 {
	if s := spin(&h.state, func(s int32) bool { return s != idle }); s != idle {
		return s
	}
	if h.state.CompareAndSwap(idle, sleeping) {
		<-h.wake
	}
	return h.state.Load()
}

// spin reads a state until it is as wanted or patience ends.
func spin(state *atomic.Int32, wanted func(int32) bool) int32 {
	var from time.Time
	for i := 0; ; i++ {
		s := state.Load()
		if wanted(s) {
			return s
		}
		if i%256 == 255 {
			switch now := time.Now(); {
			case from.IsZero():
				from = now
			case now.Sub(from) > patience:
				return s
			}
		}
	}
}

// run does what is left of the task.
func (p *Pool) run(worker int) {
	for !p.Stop() {
		i := p.task.next.Add(1) - 1
		if i >= p.task.n {
			return
		}
		p.task.f(worker, int(i))
	}
}

// help is run on a helper's goroutine. There a panic, of a loss perhaps, would end the
// program, as nobody else can recover from it: it is left to the caller of each.
func (p *Pool) help(worker int) {
	done := false
	defer func() {
		v := recover()
		if v == nil && !done {
			v = "runtime.Goexit was called"
		}
		if v != nil {
			p.task.next.Store(p.task.n) // the others need not go on
			p.task.panicked.CompareAndSwap(nil, PanicOf(v))
		}
	}()
	p.run(worker)
	done = true
}

// A Panic is what another goroutine than the caller's panicked with, and where.
type Panic struct {
	value any
	stack []byte
}

// PanicOf is called where v has been recovered.
func PanicOf(v any) *Panic {
	if p, ok := v.(*Panic); ok {
		return p
	}
	return &Panic{v, debug.Stack()}
}

func (p *Panic) Error() string {
	return fmt.Sprintf("rnmf: panic in a fit: %v\n\n%s", p.value, p.stack)
}

func (p *Panic) Unwrap() error {
	err, _ := p.value.(error)
	return err
}

// SmallWork is the number of multiply-adds for which it does not pay to call helpers,
// a variable for tests: some microseconds where they are awake, far more on a busy
// machine.
var SmallWork = 1 << 16

// Share is Each for work of so many multiply-adds, alone where that is little.
func (p *Pool) Share(n, work int, f func(worker, i int)) {
	if work >= SmallWork {
		p.Each(n, f)
		return
	}
	for i := range n {
		if p.Stop() {
			return
		}
		f(0, i)
	}
}

// Each calls f for i from 0 to n−1, with the number of the worker that does it, and
// stops early when the work is cancelled. It returns, or panics as f does, when all
// goroutines that took part have come back. A pool has one task at a time: it panics if f
// calls Each or, with much work, Share.
func (p *Pool) Each(n int, f func(worker, i int)) {
	if p.busy.Swap(true) {
		panic("work: Each within Each")
	}
	defer p.busy.Store(false)
	p.task.n, p.task.f = int64(n), f
	p.task.next.Store(0)
	helpers := p.helpers[:min(len(p.helpers), max(n-1, 0))]
	for _, h := range helpers {
		if h.state.Swap(called) == sleeping {
			h.wake <- struct{}{}
		}
	}
	defer p.join(helpers)
	p.run(0)
}

// join waits for helpers, but not for those that are still waking up, and panics if
// one of them did.
func (p *Pool) join(helpers []*helper) {
	p.task.next.Store(p.task.n) // after a panic of the caller's they need not go on
	for _, h := range helpers {
		if h.state.CompareAndSwap(called, idle) {
			continue
		}
		for spin(&h.state, func(s int32) bool { return s != working }) == working {
			runtime.Gosched() // its processor may be busy with another fit
		}
	}
	p.task.f = nil
	if v := p.task.panicked.Swap(nil); v != nil {
		panic(v)
	}
}
