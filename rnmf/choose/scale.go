package choose

import (
	"math"

	"github.com/robustnmf/robustnmf/rnmf/internal/dense"
)

// normalise divides v by its unit, which it returns.
func normalise(v []float64) float64 {
	u := unitOf(v)
	for i := range v {
		v[i] /= u
	}
	return u
}

// unitOf returns a power of two of about the size of the largest value. In this unit
// squares and fourth powers neither overflow nor vanish, and dividing by it is exact:
// where they did neither before, all bits stay.
func unitOf(v []float64) float64 {
	largest := 0.0
	for _, a := range v {
		largest = max(largest, math.Abs(a))
	}
	return dense.PowerOfTwo(largest)
}
