package viz

import (
	"slices"
	"testing"
)

func TestTicks(t *testing.T) {
	labels := func(log bool, lo, hi float64) (all []string) {
		ticks := linearTicks{}.Ticks(lo, hi)
		if log {
			ticks = logTicks{}.Ticks(lo, hi)
		}
		for _, tick := range ticks {
			if tick.Value < lo*(1-1e-6) || tick.Value > hi*(1+1e-6) {
				t.Errorf("%v to %v: a tick at %v", lo, hi, tick.Value)
			}
			if tick.Label != "" {
				all = append(all, tick.Label)
			}
		}
		return all
	}
	for _, c := range []struct {
		log    bool
		lo, hi float64
		want   []string
	}{
		{false, 0, 1, []string{"0", "0.2", "0.4", "0.6", "0.8", "1.0"}},
		{true, 1, 1000, []string{"1", "10", "100", "1000"}},
		{true, 0.5, 20, []string{"0.5", "1", "2", "5", "10", "20"}},
		{true, 1022, 4700, []string{"2000", "3000", "4000"}}, // 1, 2 and 5 would leave one
		{true, 1500, 2500, []string{"1600", "1800", "2000", "2200", "2400"}},
		{true, 1e-8, 1e9, []string{"1e−6", "0.001", "1", "1000", "1e6", "1e9"}},
		{true, -1, 1, nil},
	} {
		if got := labels(c.log, c.lo, c.hi); !slices.Equal(got, c.want) {
			t.Errorf("%v to %v: %q, want %q", c.lo, c.hi, got, c.want)
		}
	}
	// Any range that is worth an axis gets at least three labels.
	for lo := 1.0; lo < 10; lo += 0.37 {
		for ratio := 1.05; ratio < 1e7; ratio *= 1.31 {
			if got := labels(true, lo, lo*ratio); len(got) < 3 {
				t.Errorf("%v to %v: %q", lo, lo*ratio, got)
			}
		}
	}
}
