package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// A setup is what the notebooks need: the checkout, a folder for our own
// installations, Jupyter, and the data folder that holds our kernelspec.
type setup struct {
	out     io.Writer
	goCmd   string // the go command
	root    string // the checkout
	cache   string
	jup     jupyter
	dataDir string // for JUPYTER_PATH, empty until kernel is called
}

func newSetup(ctx context.Context, out io.Writer) (*setup, error) {
	goCmd, err := exec.LookPath("go")
	if err != nil {
		return nil, err
	}
	if goCmd, err = filepath.Abs(goCmd); err != nil {
		return nil, err
	}
	mod, err := exec.CommandContext(ctx, goCmd, "env", "GOMOD").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOMOD: %w", err)
	}
	file := strings.TrimSpace(string(mod))
	text, err := os.ReadFile(file)
	if err != nil || !bytes.HasPrefix(text, []byte("module "+module+"\n")) {
		return nil, fmt.Errorf("run this inside a checkout of %s (go.mod here: %q)", module, file)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	// Kernels and tests start in other folders than this command.
	if dir := os.Getenv("RNMF_DATA"); dir != "" {
		if dir, err = filepath.Abs(dir); err != nil {
			return nil, err
		}
		os.Setenv("RNMF_DATA", dir)
	}
	return &setup{out: out, goCmd: goCmd, root: filepath.Dir(file), cache: filepath.Join(cache, "robustnmf")}, nil
}

// command prepares a program that runs in the checkout, sees our kernel, and
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
