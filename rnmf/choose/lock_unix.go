//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package choose

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lock keeps other processes from the file until this one closes it or ends.
func lock(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return ErrBusy
	}
	return err
}
