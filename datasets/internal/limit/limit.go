// Package limit has the number of values that readers of package datasets keep of a file, and the errors
// that datasets and the packages below it share.
package limit

import (
	"errors"
	"sync/atomic"
)

// The errors of package datasets, where they are documented.
var (
	ErrFormat   = errors.New("datasets: malformed file")
	ErrTooLarge = errors.New("datasets: file too large")
	ErrColumn   = errors.New("datasets: column out of range")
	ErrSize     = errors.New("datasets: bad size")
)

// Default is datasets.MaxValues.
const Default = 1 << 27

var values atomic.Int64

// Values is the number that is set.
func Values() int {
	if n := values.Load(); n > 0 {
		return int(n)
	}
	return Default
}

// SetValues sets it.
func SetValues(n int) { values.Store(int64(n)) }
