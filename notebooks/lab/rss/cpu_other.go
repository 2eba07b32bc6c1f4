//go:build !unix

package rss

import "time"

var began = time.Now()

// cpu is the seconds that this program has run, as those of its processors are not known here.
func cpu() float64 { return time.Since(began).Seconds() }
