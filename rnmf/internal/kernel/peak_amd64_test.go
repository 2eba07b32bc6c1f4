package kernel

import "testing"

// The multiply-adds of one core and of two at once, with all data in registers:
// what the other numbers are a share of.
func BenchmarkPeak(b *testing.B) {
	const loops, chains = 1 << 14, 12
	levels(b, func(b *testing.B) {
		f, flops := func() {}, 0
		switch {
		case useAVX512:
			f, flops = func() { peakz(loops) }, 2*8*chains*loops
		case useAVX2:
			f, flops = func() { peak(loops) }, 2*4*chains*loops
		default:
			b.Skip("no bound for the loops in Go")
		}
		b.Run("one", func(b *testing.B) { rate(b, flops, f) })
		b.Run("two", func(b *testing.B) { rateTwo(b, 2*flops, f, f) })
	})
}
