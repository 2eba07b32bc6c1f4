package work

// Never is the stop of what cannot be cancelled.
func Never() bool { return false }

// Pieces calls f for one part of 0..n−1 after the other, each of some ten
// milliseconds, where one of the n takes cost multiply-adds. It reports whether it got
// through: it ends early when stop tells so.
func Pieces(n, cost int, stop func() bool, f func(from, to int)) bool {
	step := max(1<<25/max(cost, 1), 1)
	for from := 0; from < n; from += step {
		if stop() {
			return false
		}
		f(from, min(from+step, n))
	}
	return !stop()
}
