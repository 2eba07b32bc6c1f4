package work

import (
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// Every piece of work is done once, by whatever goroutine, also after the helpers
// have gone to sleep.
func TestPoolDoesAll(t *testing.T) {
	was := Processors
	defer func() { Processors = was }()
	Processors = func() int { return 4 }
	p := New(Never)
	p.Open()
	defer p.Close()
	for n := range 200 {
		done := make([]atomic.Int32, n)
		var busy [4]atomic.Int32
		p.Each(n, func(worker, i int) {
			if busy[worker].Add(1) > 1 {
				t.Errorf("worker %d does two pieces at once", worker)
			}
			done[i].Add(1)
			busy[worker].Add(-1)
		})
		for i := range done {
			if c := done[i].Load(); c != 1 {
				t.Fatalf("%d of %d done %d times", i, n, c)
			}
		}
		if n%50 == 0 {
			time.Sleep(10 * patience)
		}
	}
}

// Work that ends its goroutine is a panic of the caller, who does not wait for it, and
// the others go on.
func TestPoolGoexit(t *testing.T) {
	was := Processors
	defer func() { Processors = was }()
	Processors = func() int { return 3 }
	p := New(Never)
	p.Open()
	defer p.Close()
	func() {
		var began atomic.Bool
		defer func() {
			if v := recover(); v == nil || !strings.Contains(fmt.Sprint(v), "Goexit") {
				t.Errorf("recovered %v", v)
			}
		}()
		p.Each(1000, func(worker, _ int) {
			if worker != 0 {
				began.Store(true)
				runtime.Goexit()
			}
			for !began.Load() {
				runtime.Gosched()
			}
		})
	}()
	var sum atomic.Int64
	p.Each(100, func(_, i int) { sum.Add(int64(i)) })
	if sum.Load() != 4950 {
		t.Errorf("afterwards the sum is %d", sum.Load())
	}
}

// Each within Each would take the outer one's work: it panics, and the pool goes on.
func TestPoolWithin(t *testing.T) {
	p := New(Never)
	p.Open()
	defer p.Close()
	func() {
		defer func() {
			if v := recover(); v == nil || !strings.Contains(fmt.Sprint(v), "Each within Each") {
				t.Errorf("recovered %v", v)
			}
		}()
		p.Each(3, func(int, int) { p.Each(2, func(int, int) {}) })
	}()
	var sum atomic.Int64
	p.Each(100, func(_, i int) { sum.Add(int64(i)) })
	if sum.Load() != 4950 {
		t.Errorf("afterwards the sum is %d", sum.Load())
	}
}

// Pieces covers 0..n−1 once and in order, and ends early when it is stopped.
func TestPieces(t *testing.T) {
	for _, cost := range []int{0, 1, 1 << 20, 1 << 30} {
		next := 0
		if !Pieces(1000, cost, Never, func(from, to int) {
			if from != next || to <= from {
				t.Fatalf("cost %d: piece %d to %d, want it from %d", cost, from, to, next)
			}
			next = to
		}) || next != 1000 {
			t.Errorf("cost %d: got to %d", cost, next)
		}
	}
	calls := 0
	if Pieces(1000, 1<<30, func() bool { return calls == 3 }, func(_, _ int) { calls++ }) || calls != 3 {
		t.Errorf("%d pieces, want the 3 before it was stopped", calls)
	}
}

// BenchmarkForkJoin takes the time of a half-step without work.
func BenchmarkForkJoin(b *testing.B) {
	p := New(Never)
	p.Open()
	defer p.Close()
	for range b.N {
		p.Each(p.Size(), func(_, _ int) {})
	}
}
