package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// runAll executes notebooks, with a line of progress for each, and goes on to
// the next after one that fails.
func (s *setup) runAll(ctx context.Context, files []string, quick, save bool) error {
	var failed []string
	for _, file := range files {
		bad, err := s.execute(ctx, file, quick, save)
		if err == nil && len(bad) > 0 {
			err = errors.New(strings.Join(bad, "\n"))
		}
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			name := filepath.Base(file)
			failed = append(failed, name)
			fmt.Fprintf(s.out, "FAILED\n%s: %s\n", name, strings.ReplaceAll(err.Error(), "\n", "\n  "))
		}
	}
	if len(failed) > 0 {
		return fmt.Errorf("%d of %d notebooks failed: %s", len(failed), len(files), strings.Join(failed, ", "))
	}
	fmt.Fprintf(s.out, "%d notebooks passed\n", len(files))
	return nil
}

// execute runs one notebook and returns what went wrong in its cells. The file
// is replaced only if save is set, and then also when cells failed, so that
// one can look at them.
func (s *setup) execute(ctx context.Context, file string, quick, save bool) ([]string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	nb, err := parseNotebook(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	cells := 0
	for _, c := range nb.cells() {
		if c.isCode() {
			cells++
		}
	}
	start := time.Now()
	fmt.Fprintf(s.out, "%s: %d cells ... ", filepath.Base(file), cells)

	// The notebook goes in and out by pipes, so that the kernel's folder is
	// that of the notebook while the file itself is not touched. Failing cells
	// do not stop it: Jupyter misses most failures anyway, see check. The kernel
	// is killed at the end, as a busy one does not heed a polite request, and so
	// cannot tidy up: we do.
	tmp, err := os.MkdirTemp("", "rnmf-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	cmd := s.command(ctx, s.jup.path, "nbconvert", "--to=notebook", "--execute", "--allow-errors",
		"--stdin", "--stdout", "--log-level=ERROR",
		"--ExecutePreprocessor.timeout=1200", "--ExecutePreprocessor.startup_timeout=180",
		"--ExecutePreprocessor.record_timing=False", "--ExecutePreprocessor.shutdown_kernel=immediate")
	ask := cmd.Cancel
	cmd.Cancel = func() error {
		// Jupyter would leave the kernel and the cell's program running. They
		// are a process group of their own; kill is the shell's.
		if pid, err := os.ReadFile(filepath.Join(tmp, "kernel.pid")); err == nil {
			exec.Command("sh", "-c", "kill -9 -"+strings.TrimSpace(string(pid))).Run()
		}
		return ask()
	}
	cmd.Dir = filepath.Dir(file)
	cmd.Env = append(cmd.Env, "TMPDIR="+tmp, "RNMF_HEADLESS=1") // see kernelScript
	if quick {
		cmd.Env = append(cmd.Env, "RNMF_QUICK=1")
	}
	cmd.Stdin = bytes.NewReader(data)
	done, err := output(cmd)
	if err != nil {
		return nil, err
	}
	if nb, err = parseNotebook([]byte(done)); err != nil {
		return nil, fmt.Errorf("nbconvert's output: %w", err)
	}
	bad := nb.check()
	if save {
		nb.clean(s.root)
		if data, err = nb.format(); err == nil {
			err = writeFile(file, data, 0o644)
		}
		if err != nil {
			return bad, err
		}
	}
	if len(bad) == 0 {
		fmt.Fprintf(s.out, "ok, %.1f s\n", time.Since(start).Seconds())
	}
	return bad, nil
}
