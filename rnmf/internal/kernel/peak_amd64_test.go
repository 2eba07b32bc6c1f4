package kernel

import "testing"

// The multiply-adds of one core and of two at once, with all data in registers:
// what the other numbers are a share of.
func BenchmarkPeak(b *testing.B) {
	const loops, chains = 1 << 14, 12
	levels(b, func(b *testing.B) {
		if !useAVX2 {
			b.Skip("no bound for the loops in Go")
		}
		const flops = 2 * 4 * chains * loops
		f := func() { peak(loops) }
		b.Run("one", func(b *testing.B) { rate(b, flops, f) })
		b.Run("two", func(b *testing.B) { rateTwo(b, 2*flops, f, f) })
	})
}
