package rnmf

import "context"

type watchKey struct{}

// WithTrace returns a context of which each fit tells seen where it stands after
// each round, the start first, as Steps yields it. It is for the types that have a
// Model and no Steps of their own (SSNMF, CNMF, ConvexNMF, Contiguous) and for code
// that hands its context on to fits: that needs no way of its own to show progress.
//
// The fit waits for seen, which is called by the goroutine of the fit; of fits side
// by side by several. Where a fit goes on with another objective, as Contiguous does
// after its first, the last round comes once more, with the new one.
func WithTrace(ctx context.Context, seen func(Point)) context.Context {
	return context.WithValue(ctx, watchKey{}, seen)
}

// watcher returns what the caller wants to call after each round.
func watcher(ctx context.Context) func(Point) {
	if seen, ok := ctx.Value(watchKey{}).(func(Point)); ok && seen != nil {
		return seen
	}
	return func(Point) {}
}

// watched goes all rounds and tells of each.
func (f *fit) watched(ctx context.Context) {
	seen := watcher(ctx)
	f.run(func() bool {
		seen(f.trace[len(f.trace)-1])
		return true
	})
}

// Base returns r. A result that embeds a Result, as that of SSNMF does, has this
// method as well, so that code can take any of them.
func (r *Result) Base() *Result { return r }
