package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

var errTests = errors.New("the tests failed")

// goTest runs go test. That Jupyter is there is told to the notebooks' test, which would skip them
// otherwise. Without -v, -json and the like, go test prints packages in the order of their names, and
// nothing of the ones after the first that takes long; here each is told when it ends.
func (s *setup) goTest(ctx context.Context, args []string) error {
	if !slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "-timeout") }) {
		args = append([]string{"-timeout=50m"}, args...)
	}
	if !slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, ".") || strings.HasPrefix(a, module) }) {
		args = append(args, "./...")
	}
	fmt.Fprintln(s.out, "go test", strings.Join(args, " "))
	own := slices.ContainsFunc(args, func(a string) bool { // what prints as it goes
		name, _, _ := strings.Cut(strings.TrimLeft(a, "-"), "=")
		return slices.Contains([]string{"v", "json", "bench", "c", "h", "fuzz", "n", "x", "exec", "args"}, strings.TrimPrefix(name, "test."))
	})
	command := []string{"test"}
	if !own {
		command = append(command, "-json")
	}
	cmd := s.command(ctx, s.goCmd, append(command, args...)...)
	cmd.Env = append(cmd.Env, "RNMF_NEED_JUPYTER=1")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if own {
		return failedTests(ctx, cmd.Run())
	}
	cmd.Stdout = nil
	events, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return err
	}
	told := tellTests(os.Stdout, events, 30*time.Second)
	return cmp.Or(failedTests(ctx, cmd.Wait()), told)
}

// failedTests is errTests where go test ended with an exit code of its own.
func failedTests(ctx context.Context, err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) && ctx.Err() == nil {
		return errTests
	}
	return err
}

// A testEvent is a line of go test -json: see go doc test2json.
type testEvent struct {
	Action, Package, Test, ImportPath, Output string
	Elapsed                                   float64
}

// A packageTest is what is known of a package while it is tested.
type packageTest struct {
	since   time.Time
	running []string            // tests, in the order in which they began
	printed map[string][]string // what each has printed; "" is the package
	failed  []string
}

// tellTests prints a line for each package as it ends, with all that its failed tests printed; what is
// being waited for, whenever nothing was said for a while; and, at the end, which took longest.
func tellTests(out io.Writer, events io.Reader, every time.Duration) error {
	lines, failed := make(chan []byte), make(chan error, 1)
	go func() {
		defer close(lines)
		scanner := bufio.NewScanner(events)
		scanner.Buffer(nil, 16<<20)
		for scanner.Scan() {
			lines <- slices.Clone(scanner.Bytes())
		}
		failed <- scanner.Err()
	}()
	began := time.Now()
	packages := map[string]*packageTest{}
	seconds, ofTests := map[string]float64{}, map[string]float64{} // by package, and by package and test
	silence := time.NewTicker(every)
	defer silence.Stop()
	for {
		var line []byte
		select {
		case <-silence.C:
			tellWaiting(out, packages, time.Since(began))
			continue
		case l, ok := <-lines:
			if !ok {
				tellSlowest(out, "packages", seconds)
				tellSlowest(out, "tests", ofTests)
				return <-failed
			}
			line = l
		}
		var e testEvent
		if json.Unmarshal(line, &e) != nil {
			fmt.Fprintf(out, "%s\n", line) // go test itself, not a test
			continue
		}
		if e.Package == "" { // a build
			fmt.Fprint(out, e.Output)
			continue
		}
		p := packages[e.Package]
		if p == nil {
			p = &packageTest{since: time.Now(), printed: map[string][]string{}}
			packages[e.Package] = p
		}
		if e.Test != "" && e.Elapsed > 0 && !strings.Contains(e.Test, "/") {
			ofTests[e.Package+" "+e.Test] = e.Elapsed
		}
		if p.take(e); e.Test == "" && slices.Contains([]string{"pass", "fail", "skip"}, e.Action) {
			if p.tell(out, e.Action == "fail") {
				silence.Reset(every)
			}
			seconds[e.Package] = e.Elapsed
			delete(packages, e.Package)
		}
	}
}

// take notes an event.
func (p *packageTest) take(e testEvent) {
	switch e.Action {
	case "run":
		p.running = append(p.running, e.Test)
	case "output":
		p.printed[e.Test] = append(p.printed[e.Test], e.Output)
	case "pass", "skip":
		if e.Test != "" {
			delete(p.printed, e.Test)
		}
	case "fail":
		if e.Test != "" {
			p.failed = append(p.failed, e.Test)
		}
	}
	if slices.Contains([]string{"pass", "skip", "fail"}, e.Action) {
		p.running = slices.DeleteFunc(p.running, func(t string) bool { return t == e.Test })
	}
}

// tell prints how a package ended. Of one that failed it prints what its failed tests printed, and
// what those printed that never ended, as after a panic. A package without tests is nothing to tell.
func (p *packageTest) tell(out io.Writer, failed bool) bool {
	if failed {
		for _, test := range append(slices.Clone(p.running), p.failed...) {
			fmt.Fprint(out, strings.Join(p.printed[test], ""))
		}
		fmt.Fprint(out, strings.Join(p.printed[""], ""))
		return true
	}
	told := false
	for _, l := range p.printed[""] {
		if strings.HasPrefix(l, "ok") {
			fmt.Fprint(out, l)
			told = true
		}
	}
	return told
}

// tellWaiting says what is running, and for how long.
func tellWaiting(out io.Writer, packages map[string]*packageTest, elapsed time.Duration) {
	var waiting []string
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		what := shortPackage(name)
		if running := packages[name].running; len(running) > 0 {
			what += ", " + running[len(running)-1]
		}
		waiting = append(waiting, fmt.Sprintf("%s (%.0f s)", what, time.Since(packages[name].since).Seconds()))
	}
	if waiting == nil {
		waiting = []string{"the compiler"}
	}
	fmt.Fprintf(out, "    after %.0f s, waiting for %s\n", elapsed.Seconds(), strings.Join(waiting, "; "))
}

// tellSlowest names the ten that took longest, and at least a second.
func tellSlowest(out io.Writer, what string, seconds map[string]float64) {
	names := slices.SortedFunc(maps.Keys(seconds), func(a, b string) int {
		return cmp.Or(cmp.Compare(seconds[b], seconds[a]), cmp.Compare(a, b))
	})
	var slowest []string
	for _, name := range names[:min(10, len(names))] {
		if seconds[name] >= 1 {
			slowest = append(slowest, fmt.Sprintf("%s %.0f s", shortPackage(name), seconds[name]))
		}
	}
	if slowest != nil {
		fmt.Fprintf(out, "the slowest %s: %s\n", what, strings.Join(slowest, ", "))
	}
}

func shortPackage(path string) string {
	return cmp.Or(strings.TrimPrefix(strings.TrimPrefix(path, module), "/"), module)
}
