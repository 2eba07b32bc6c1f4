package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
)

// runAll executes notebooks, with lines of progress, and goes on to the next after one that
// fails. In the quick setting, whose times nobody reads, as many run at once as there are
// cores, because compiling a cell leaves cores idle.
func (s *setup) runAll(ctx context.Context, files []string, quick, save bool) error {
	atOnce := 1
	if quick {
		atOnce = runtime.NumCPU()
	}
	errs := make([]error, len(files))
	var all sync.WaitGroup
	free := make(chan bool, atOnce)
	for i, file := range files {
		free <- true
		all.Add(1)
		go func() {
			defer func() { <-free; all.Done() }()
			bad, err := s.execute(ctx, file, quick, save)
			if err == nil && len(bad) > 0 {
				if save {
					bad = append(bad, "all outputs are saved in "+file+", with these errors")
				}
				err = errors.New(strings.Join(bad, "\n"))
			}
			if errs[i] = err; err != nil && ctx.Err() == nil {
				fmt.Fprintf(s.out, "%s: FAILED\n  %s\n", filepath.Base(file), strings.ReplaceAll(err.Error(), "\n", "\n  "))
			}
		}()
	}
	all.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var failed []string
	for i, file := range files {
		if errs[i] != nil {
			failed = append(failed, filepath.Base(file))
		}
	}
	if len(failed) > 0 {
		return fmt.Errorf("%d of %d notebooks failed: %s", len(failed), len(files), strings.Join(failed, ", "))
	}
	what := "notebooks"
	if len(files) == 1 {
		what = "notebook"
	}
	fmt.Fprintf(s.out, "%d %s passed\n", len(files), what)
	return nil
}

// keepCells is a configuration of nbconvert, which says nothing of the cells that were
// executed when the kernel dies or a cell takes too long: it writes them to a file.
const keepCells = `import atexit, json
cells = {}
def keep(cell, cell_index):
    cells[cell_index] = cell
def write():
    with open(%q, "w", encoding="utf-8") as f:
        json.dump({"cells": [{"index": i, **c} for i, c in cells.items()]}, f)
atexit.register(write)
c.ExecutePreprocessor.on_cell_complete = keep
`

// executedSoFar puts what keepCells has written into the notebook, with err at its end.
func (nb notebook) executedSoFar(file string, err error) error {
	data, e := os.ReadFile(file)
	if e != nil {
		return e
	}
	done, e := parseNotebook(data)
	if e != nil {
		return e
	}
	last, cells := -1, nb.cells()
	for _, c := range cells {
		if c.isCode() {
			c["outputs"], c["execution_count"] = []any{}, nil
		}
	}
	for _, c := range done.cells() {
		i, e := strconv.Atoi(fmt.Sprint(c["index"]))
		if e != nil || i < 0 || i >= len(cells) {
			return fmt.Errorf("%s: no cell %v", file, c["index"])
		}
		cells[i]["outputs"], cells[i]["execution_count"] = c["outputs"], c["execution_count"]
		last = max(last, i)
	}
	if last >= 0 {
		outputs, _ := cells[last]["outputs"].([]any)
		cells[last]["outputs"] = append(outputs, map[string]any{"output_type": "stream", "name": "stderr", "text": err.Error() + "\n"})
	}
	return nil
}

// execute runs one notebook and returns what went wrong in its cells. The file
// is replaced only if save is set, and then also when cells failed or the kernel
// died, so that one can look at them.
func (s *setup) execute(ctx context.Context, file string, quick, save bool) ([]string, error) {
	nb, err := readNotebook(file)
	if err != nil {
		return nil, err
	}
	data, err := nb.format()
	if err != nil {
		return nil, err
	}
	cells := 0
	for _, c := range nb.cells() {
		if c.isCode() {
			cells++
		}
	}
	start := time.Now()
	fmt.Fprintf(s.out, "%s: %d cells ...\n", filepath.Base(file), cells)

	// The notebook goes in and out by pipes, so that the kernel's folder is
	// that of the notebook while the file itself is not touched. Failing cells
	// do not stop it: all outputs are wanted, and check reads them. The kernel
	// is killed at the end, as a busy one does not heed a polite request, and so
	// cannot tidy up: we do.
	tmp, err := os.MkdirTemp("", "rnmf-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	config, kept := filepath.Join(tmp, "config.py"), filepath.Join(tmp, "kept.json")
	if err := os.WriteFile(config, fmt.Appendf(nil, keepCells, kept), 0o600); err != nil {
		return nil, err
	}
	convert := func(env ...string) *exec.Cmd {
		cmd := s.command(ctx, s.jup.path, "nbconvert", "--to=notebook", "--execute", "--allow-errors",
			"--stdin", "--stdout", "--log-level=ERROR", "--config="+config,
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
		cmd.Env = append(append(cmd.Env, "TMPDIR="+tmp, "RNMF_HEADLESS=1"), env...) // see kernelScript
		cmd.Stdin = bytes.NewReader(data)
		return cmd
	}
	var env []string
	if quick {
		programs := filepath.Join(tmp, "programs")
		if err := os.Mkdir(programs, 0o700); err != nil {
			return nil, err
		}
		env = []string{"RNMF_QUICK=1", "RNMF_TOGETHER=" + programs}
		_, err := output(convert(env...))
		if err == nil {
			err = s.link(ctx, programs)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			fmt.Fprintf(s.out, "%s: each cell is compiled by itself, as together they are not: %v\n", filepath.Base(file), err)
			env = env[:1]
		}
	}
	cmd := convert(env...)
	done, err := output(cmd)
	if err != nil {
		if save && ctx.Err() == nil && nb.executedSoFar(kept, err) == nil {
			if e := nb.save(file, s.root); e != nil {
				return nil, errors.Join(err, e)
			}
			err = fmt.Errorf("%w\nthe outputs so far are saved in %s, with this error", err, file)
		}
		return nil, err
	}
	if nb, err = parseNotebook([]byte(done)); err != nil {
		return nil, fmt.Errorf("nbconvert's output: %w", err)
	}
	bad := nb.check()
	if save {
		if err := nb.save(file, s.root); err != nil {
			return bad, err
		}
	}
	if len(bad) == 0 {
		fmt.Fprintf(s.out, "%s: ok, %.1f s\n", filepath.Base(file), time.Since(start).Seconds())
	}
	return bad, nil
}

func (nb notebook) save(file, root string) error {
	nb.clean(root)
	data, err := nb.format()
	if err != nil {
		return err
	}
	return writeFile(file, data, 0o644)
}
