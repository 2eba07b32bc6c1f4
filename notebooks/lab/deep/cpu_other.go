//go:build !unix

package deep

import "math"

// cpu is not known here.
func cpu() float64 { return math.NaN() }
