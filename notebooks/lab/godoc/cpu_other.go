//go:build !unix

package godoc

import "time"

var begin = time.Now()

// cpu returns the seconds of the clock, where those of the processors are not at hand.
func cpu() float64 { return time.Since(begin).Seconds() }
