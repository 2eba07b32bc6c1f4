package speed

import (
	"runtime"
	"slices"
	"sync/atomic"
	"time"
)

// Wake returns the microseconds, the median of some times, from the moment when a core has work for all
// others until the last of them has begun. Before, it is busy for a pause alone, as in the serial part of a
// round. The others are goroutines that are started each time or, with spinning, helpers that read a
// number over and over until it tells them to begin.
func Wake(pause time.Duration, spinning bool, times int) float64 {
	helpers := Cores() - 1
	var begun, work atomic.Int64
	start := func() {
		for range helpers {
			go begun.Add(1)
		}
	}
	if spinning {
		for range helpers {
			go func() {
				for seen, w := int64(0), work.Load(); w >= 0; w = work.Load() { // ends with −1
					if w != seen {
						seen = w
						begun.Add(1)
					}
				}
			}()
		}
		start = func() { work.Add(1) }
		defer work.Store(-1)
	}
	var took []float64
	for range times {
		for t := time.Now(); time.Since(t) < pause; {
		}
		t := time.Now()
		begun.Store(0)
		start()
		for n := 1; begun.Load() < int64(helpers); n++ {
			if n%100000 == 0 {
				runtime.Gosched() // the machine may have other work
			}
		}
		took = append(took, 1e6*time.Since(t).Seconds())
	}
	slices.Sort(took)
	return took[len(took)/2]
}
