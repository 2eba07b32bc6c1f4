// Command init is the only process of a virtual machine: it runs /test with the
// arguments in /args, one a line, and tells how it ended on the serial port.
package main

import (
	"fmt"
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
	for line := range strings.Lines(string(info)) {
		if strings.HasPrefix(line, "model name") || strings.HasPrefix(line, "flags") {
			fmt.Fprint(port, line)
		}
	}
	args, err := os.ReadFile("/args")
	must(err)
	cmd := exec.Command("/test", strings.Split(strings.TrimSpace(string(args)), "\n")...)
	cmd.Stdout, cmd.Stderr, cmd.Dir = port, port, "/"
	cmd.Env = []string{"HOME=/", "TMPDIR=/"}
	err = cmd.Run()
	fmt.Fprintln(port, "\nemulated: ended:", err)
	time.Sleep(time.Hour) // the kernel panics when init ends
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
