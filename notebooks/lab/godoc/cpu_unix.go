//go:build unix

package godoc

import "golang.org/x/sys/unix"

// cpu returns the seconds that processors have spent in this program, which depend less than those of a clock on what
// else the machine does.
func cpu() float64 {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
