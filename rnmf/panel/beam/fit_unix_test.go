//go:build unix

package beam

import (
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Workers that hang make the driver give the job up and begin another. When they go on, late, the old
// job does no harm.
func TestBeamWorkerStopped(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	log := harm(t, func(pool *exec.Cmd, _ func()) {
		_ = pool.Process.Signal(syscall.SIGSTOP)
		time.AfterFunc(20*time.Second, func() { _ = pool.Process.Signal(syscall.SIGCONT) })
	})
	if !strings.Contains(log, errQuiet.Error()) {
		t.Errorf("no job was given up\n%s", log)
	}
}
