//go:build unix

package beam

import (
	"os/exec"
	"syscall"
	"testing"
)

// Workers that hang make the driver give the job up and begin another. When they go on, late, the old
// job does no harm.
func TestBeamWorkerStopped(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	harm(t, func(pool *exec.Cmd, _ func(), driver *hearing) {
		_ = pool.Process.Signal(syscall.SIGSTOP)
		driver.await(t, errQuiet.Error()) // after how long depends on how fast this machine is
		_ = pool.Process.Signal(syscall.SIGCONT)
	})
}
