//go:build linux

// Command avx512 is the only process of a virtual machine, its init: it runs /test with
// the arguments in /args, one a line, and tells how it ended on the serial port.
package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

func main() {
	must(syscall.Mount("dev", "/dev", "devtmpfs", 0, ""))
	must(syscall.Mount("proc", "/proc", "proc", 0, ""))
	port, err := os.OpenFile("/dev/ttyS0", os.O_WRONLY, 0)
	must(err)
	info, err := os.ReadFile("/proc/cpuinfo")
	must(err)
	args, err := os.ReadFile("/args")
	must(err)
	emulate(port, string(info), "/test", string(args), "HOME=/", "TMPDIR=/")
	time.Sleep(time.Hour) // the kernel panics when init ends
}

// emulate tells what the processor is, runs the test and tells how it ended, in the
// words that run.sh waits for.
func emulate(port io.Writer, cpuinfo, test, args string, env ...string) {
	for line := range strings.Lines(cpuinfo) {
		if strings.HasPrefix(line, "model name") || strings.HasPrefix(line, "flags") {
			fmt.Fprint(port, line)
		}
	}
	cmd := exec.Command(test, strings.Split(strings.TrimSpace(args), "\n")...)
	cmd.Stdout, cmd.Stderr, cmd.Dir, cmd.Env = port, port, "/", env
	fmt.Fprintln(port, "\nemulated: ended:", cmd.Run())
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
