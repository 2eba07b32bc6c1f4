package lesson

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// Check ends the cell if err is not nil, and says what went wrong in which of its lines.
func Check(err error) {
	if err != nil {
		stop(err.Error())
	}
}

// Must returns v, or ends the cell as Check does: for a call that returns a value and an
// error, where a line of its own would be long-winded.
//
//	fmt.Println(lesson.Must(score.NMI(truth, found, score.NMIArithmetic)))
func Must[T any](v T, err error) T {
	if err != nil {
		stop(err.Error())
	}
	return v
}

var exit = os.Exit

// stop ends the program with a message and the line of package main that led here.
func stop(message string) {
	if line := lineOfCell(); line != "" {
		message += "\n    in the line  " + line
	}
	fmt.Fprintln(os.Stderr, message)
	exit(1)
}

// explain ends the program if the cell's own code panics, as gonum does when shapes do
// not match: with the line, but without the stacks of all goroutines. To be deferred.
func explain() {
	if p := recover(); p != nil {
		stop(fmt.Sprint(p))
	}
}

// lineOfCell returns the source of the innermost line of package main on the stack: the
// kernel compiles a cell from a file that is there while it runs.
func lineOfCell() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for {
		f, more := frames.Next()
		if strings.HasPrefix(f.Function, "main.") {
			text, err := os.ReadFile(f.File)
			if lines := strings.Split(string(text), "\n"); err == nil && f.Line <= len(lines) {
				return strings.TrimSpace(lines[f.Line-1])
			}
			return ""
		}
		if !more {
			return ""
		}
	}
}
