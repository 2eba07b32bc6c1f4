//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package datasets

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// tryLock locks a folder against other processes and tells whether it could. The lock
// ends when the folder is closed. Where the system has none for folders, it does
// without.
func tryLock(folder *os.File) bool {
	return !errors.Is(unix.Flock(int(folder.Fd()), unix.LOCK_EX|unix.LOCK_NB), unix.EWOULDBLOCK)
}
