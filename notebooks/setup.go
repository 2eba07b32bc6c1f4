package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"time"
)

// A setup is what the notebooks need: this module, a folder for our own
// installations, Jupyter, and the data folder that holds our kernelspec.
type setup struct {
	out     io.Writer
	goCmd   string // the go command
	root    string // this module: a checkout, or a version in the module cache
	under   string // before the folders of the system; empty but for tests
	version string // of the module, empty for a checkout
	sums    string // lines of go.sum for that version
	folder  string // of the notebooks: those of the checkout, or the present folder
	cache   string
	jup     jupyter
	dataDir string // for JUPYTER_PATH, empty until kernel is called
}

func newSetup(ctx context.Context, out io.Writer) (*setup, error) {
	goCmd, err := exec.LookPath("go")
	if err != nil {
		return nil, fmt.Errorf("no go in PATH: install Go from https://go.dev/dl, and open a new terminal (%w)", err)
	}
	if goCmd, err = filepath.Abs(goCmd); err != nil {
		return nil, err
	}
	s := &setup{out: out, goCmd: goCmd}
	mod, err := output(exec.CommandContext(ctx, goCmd, "env", "GOMOD"))
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	file := strings.TrimSpace(mod)
	if text, err := os.ReadFile(file); err == nil && bytes.HasPrefix(text, []byte("module "+module+"\n")) {
		s.root = filepath.Dir(file)
		s.folder = filepath.Join(s.root, "notebooks")
	} else if err := s.released(ctx); err != nil {
		return nil, s.explain(ctx, err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	s.cache = filepath.Join(cache, "robustnmf")
	// Kernels and tests start in other folders than this command.
	if dir := os.Getenv("RNMF_DATA"); dir != "" {
		if dir, err = filepath.Abs(dir); err != nil {
			return nil, err
		}
		os.Setenv("RNMF_DATA", dir)
	}
	return s, nil
}

// released finds the version that go run PATH@VERSION has put into the module cache.
func (s *setup) released(ctx context.Context) error {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Path != module || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return fmt.Errorf("there is no checkout of %[1]s here: change to one, or name a version, as in go run %[1]s/notebooks@latest", module)
	}
	text, err := output(exec.CommandContext(ctx, s.goCmd, "mod", "download", "-json", module+"@"+info.Main.Version))
	if err != nil {
		return err
	}
	var m struct{ Dir, Sum, GoModSum string }
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return err
	}
	s.root, s.version = m.Dir, info.Main.Version
	s.sums = fmt.Sprintf("%[1]s %[2]s %[3]s\n%[1]s %[2]s/go.mod %[4]s\n", module, s.version, m.Sum, m.GoModSum)
	s.folder, err = os.Getwd()
	return err
}

// explain puts before an error of the set-up a sentence that says what to do.
func (s *setup) explain(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if advice := adviceFor(err); advice != "" {
		return fmt.Errorf("%s\n\t%w", advice, err)
	}
	// On a full disk Go may say of its own packages that they are not there. So try.
	dirs := []string{s.cache, os.TempDir()}
	if text, err := output(exec.CommandContext(ctx, s.goCmd, "env", "GOCACHE", "GOMODCACHE")); err == nil {
		dirs = append(dirs, strings.Split(strings.TrimSpace(text), "\n")...) // which may have blanks
	}
	for _, dir := range dirs {
		if why := tryWriting(dir); why != nil {
			return fmt.Errorf("%s\n\t%w\n\t%w", adviceFor(why), why, err)
		}
	}
	return err
}

func adviceFor(err error) string {
	text := strings.ToLower(err.Error())
	for _, c := range []struct {
		advice string
		signs  []string
	}{
		{"The disk is full: make room and run this again.",
			[]string{"no space left on device", "disk quota exceeded", "not enough space on the disk"}},
		{"There is a folder that you may not write to: set XDG_CACHE_HOME (for -install JUPYTER_DATA_DIR, too), and GOPATH and GOCACHE for Go, to folders that you may write to.",
			[]string{"permission denied", "operation not permitted", "read-only file system", "access is denied", "not a directory"}},
		{"There seems to be no network, which the first run needs: connect (or set GOPROXY or HTTPS_PROXY, as your network asks for) and run this again.",
			[]string{"dial tcp", "no such host", "name resolution", "could not resolve", "network is unreachable", "failed to establish a new connection", "i/o timeout", "tls handshake timeout"}},
		{"This Go is too old: install the newest from https://go.dev/dl, or allow Go to fetch it by GOTOOLCHAIN=auto.",
			[]string{"requires go >=", "unknown block type: tool", "invalid go version"}},
	} {
		for _, sign := range c.signs {
			if strings.Contains(text, sign) {
				return c.advice
			}
		}
	}
	return ""
}

// tryWriting writes a megabyte into a folder, if that is there, and removes it.
func tryWriting(dir string) error {
	f, err := os.CreateTemp(dir, ".rnmf-*")
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil {
		defer os.Remove(f.Name())
		_, err = f.Write(make([]byte, 1<<20))
		err = errors.Join(err, f.Close())
	}
	return err
}

// command prepares a program that runs in the module's folder, sees our kernel, and
// is asked to stop, not killed, when ctx ends.
func (s *setup) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = s.root
	cmd.Env = append(os.Environ(), "PYTHONUTF8=1", "PYTHONWARNINGS=ignore", "PYDEVD_DISABLE_FILE_VALIDATION=1")
	if s.dataDir != "" {
		path := s.dataDir
		if old := os.Getenv("JUPYTER_PATH"); old != "" {
			path += string(os.PathListSeparator) + old
		}
		cmd.Env = append(cmd.Env, "JUPYTER_PATH="+path)
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// output runs a program for at most d; the error ends with what it said last.
func output(cmd *exec.Cmd) (string, error) {
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if err != nil {
		text := stderr.String()
		if strings.TrimSpace(text) == "" {
			text = stdout.String()
		}
		err = fmt.Errorf("%s: %w: %s", filepath.Base(cmd.Path), err, lastLines(text, 3))
	}
	return stdout.String(), err
}

func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n\t")
}

// writeFile replaces a file as a whole, and only when its content changes.
func writeFile(file string, data []byte, mode os.FileMode) error {
	if old, err := os.ReadFile(file); err == nil && bytes.Equal(old, data) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(file), ".tmp-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(data)
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Chmod(tmp.Name(), mode)
	}
	if err == nil {
		err = os.Rename(tmp.Name(), file)
	}
	return err
}
