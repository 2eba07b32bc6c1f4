package rnmf

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/robustnmf/robustnmf/rnmf/internal/kernel"
)

// A pool shares the tiles of a fit among goroutines, one for each processor, and
// knows when the fit is cancelled. Starting goroutines anew for every half-step
// costs as much as a whole one on small data, so the helpers stay from open to
// close. Between two pieces of work they look out for the next for a short while,
// then sleep.
type pool struct {
	tiles   []*Tile // one for each goroutine, the caller's first
	stop    func() bool
	helpers []*helper
	ended   sync.WaitGroup // the helpers
	task    task

	// The fixed factor of the half-step, laid out for products.
	product       kernel.Product
	cross, scaled kernel.Cross
	square        kernel.Cross // UUᵀ
}

// A task is what all goroutines of a pool do together.
type task struct {
	n        int64
	f        func(t *Tile, i int)
	next     atomic.Int64
	panicked atomic.Pointer[helperPanic]
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

// processors is how many goroutines a fit uses. More than the machine has would
// only take them from each other while they wait.
var processors = func() int { return min(runtime.GOMAXPROCS(0), runtime.NumCPU()) }

func newPool(stop func() bool) *pool {
	p := &pool{stop: stop}
	for range processors() {
		p.tiles = append(p.tiles, new(Tile))
	}
	return p
}

// open starts the helpers; without them each works alone.
func (p *pool) open() {
	for _, t := range p.tiles[1:] {
		h := &helper{wake: make(chan struct{}, 1)}
		p.helpers = append(p.helpers, h)
		p.ended.Add(1)
		go h.serve(p, t)
	}
}

// close ends the helpers, and waits until they have gone.
func (p *pool) close() {
	for _, h := range p.helpers {
		if h.state.Swap(leaving) == sleeping {
			h.wake <- struct{}{}
		}
	}
	p.helpers = nil
	p.ended.Wait()
}

func (h *helper) serve(p *pool, t *Tile) {
	defer p.ended.Done()
	for {
		switch h.await() {
		case called:
			if h.state.CompareAndSwap(called, working) {
				p.help(t)
				h.state.Store(idle)
			}
		case leaving:
			return
		}
	}
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
func (p *pool) run(t *Tile) {
	for !p.stop() {
		i := p.task.next.Add(1) - 1
		if i >= p.task.n {
			return
		}
		p.task.f(t, int(i))
	}
}

// help is run on a helper's goroutine. There a panic, of a loss perhaps, would end the
// program, as nobody else can recover from it: it is left to the caller of each.
func (p *pool) help(t *Tile) {
	defer func() {
		if v := recover(); v != nil {
			p.task.next.Store(p.task.n) // the others need not go on
			p.task.panicked.CompareAndSwap(nil, &helperPanic{v, debug.Stack()})
		}
	}()
	p.run(t)
}

// A helperPanic is what a helper panicked with, and where.
type helperPanic struct {
	value any
	stack []byte
}

func (p *helperPanic) Error() string {
	return fmt.Sprintf("rnmf: panic in a fit: %v\n\n%s", p.value, p.stack)
}

func (p *helperPanic) Unwrap() error {
	err, _ := p.value.(error)
	return err
}

// smallWork is the number of multiply-adds for which it does not pay to call helpers:
// some microseconds where they are awake, far more on a busy machine.
var smallWork = 1 << 16

// share is each for work of so many multiply-adds, alone where that is little.
func (p *pool) share(n, work int, f func(t *Tile, i int)) {
	if work >= smallWork {
		p.each(n, f)
		return
	}
	for i := range n {
		if p.stop() {
			return
		}
		f(p.tiles[0], i)
	}
}

// sharing is share as the kernels want it. If the fit is cancelled, what they make is
// not complete, and nobody uses it.
func (p *pool) sharing(work int) kernel.Share {
	return func(n int, f func(i int)) { p.share(n, work, func(_ *Tile, i int) { f(i) }) }
}

// each calls f for 0..n-1, and stops early when the fit is cancelled. It returns, or
// panics as f does, when all goroutines that took part have come back.
func (p *pool) each(n int, f func(t *Tile, i int)) {
	p.task.n, p.task.f = int64(n), f
	p.task.next.Store(0)
	helpers := p.helpers[:min(len(p.helpers), max(n-1, 0))]
	for _, h := range helpers {
		if h.state.Swap(called) == sleeping {
			h.wake <- struct{}{}
		}
	}
	defer p.join(helpers)
	p.run(p.tiles[0])
}

// join waits for helpers, but not for those that are still waking up, and panics if
// one of them did.
func (p *pool) join(helpers []*helper) {
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
