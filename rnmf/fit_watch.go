package rnmf

import (
	"context"
	"github.com/robustnmf/robustnmf/rnmf/internal/watch"
)

// WithTrace returns a context with which each fit calls seen with the Point that Steps would yield,
// at the start and after each round. It is for the types that have a Model and no Steps of their
// own (SSNMF, CNMF, ConvexNMF, Contiguous), and for code that only passes its context on.
//
// The fit waits for seen, which runs on the goroutine of the fit: fits in parallel call it
// concurrently. Where a fit goes on with another objective, as Contiguous does after its first, the
// last round comes once more, with the new objective.
func WithTrace(ctx context.Context, seen func(Point)) context.Context {
	return context.WithValue(ctx, watch.Key{}, seen)
}

// watcher returns the function to call after each round.
func watcher(ctx context.Context) func(Point) {
	if seen, ok := ctx.Value(watch.Key{}).(func(Point)); ok && seen != nil {
		return seen
	}
	return func(Point) {}
}

// watched runs the fit and reports each round to the watcher.
func (f *fit) watched(ctx context.Context) {
	seen := watcher(ctx)
	f.run(func() bool {
		seen(f.trace[len(f.trace)-1])
		return true
	})
}

// Base returns r. Types that embed a Result have it too, so that code can take any of them.
func (r *Result) Base() *Result { return r }
