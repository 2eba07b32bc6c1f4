package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A jupyter is a Jupyter that was seen to work.
type jupyter struct {
	path     string // the jupyter command
	server   string // its subcommand that shows the list of notebooks, if that was asked for
	versions string
}

// A place is a folder where jupyter commands are found.
type place struct{ name, dir string }

// bin is the folder of an environment of Python's where its programs are.
func bin(env string) string { return filepath.Join(env, "bin") }

// or is an environment variable's value, or another.
func or(variable, value string) string { return cmp.Or(os.Getenv(variable), value) }

// places are tried in this order: what the user has activated goes first, and all of
// PATH, for a shim of pyenv may stand before one that works. On Windows, where no Go kernel
// runs, Jupyter is found in PATH alone.
func (s *setup) places() []place {
	var all []place
	for _, active := range []place{{"the active virtual environment", os.Getenv("VIRTUAL_ENV")}, {"the active conda environment", os.Getenv("CONDA_PREFIX")}} {
		if active.dir != "" {
			all = append(all, place{active.name, bin(active.dir)})
		}
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if dir != "" {
			all = append(all, place{"PATH", dir})
		}
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return all
	}
	share := or("XDG_DATA_HOME", filepath.Join(home, ".local", "share"))
	for _, name := range []string{"jupyterlab", "notebook", "jupyter", "jupyter-core"} {
		all = append(all, place{"uv", bin(filepath.Join(or("UV_TOOL_DIR", filepath.Join(share, "uv", "tools")), name))})
		for _, dir := range []string{filepath.Join(share, "pipx"), filepath.Join(home, ".local", "pipx")} {
			all = append(all, place{"pipx", bin(filepath.Join(or("PIPX_HOME", dir), "venvs", name))})
		}
	}
	for _, name := range []string{"miniforge3", "mambaforge", "miniconda3", "anaconda3"} {
		all = append(all, place{"conda", bin(filepath.Join(home, name))})
	}
	return append(all, place{"conda", s.under + "/opt/conda/bin"}, place{"your home folder", bin(filepath.Join(home, ".local"))},
		place{"Homebrew", s.under + "/opt/homebrew/bin"}, place{"the system", s.under + "/usr/local/bin"}, place{"the system", s.under + "/usr/bin"})
}

// jupyter finds Jupyter, or installs it if it may. A server is needed only by
// those who browse.
func (s *setup) jupyter(ctx context.Context, server, install bool) error {
	var reasons []error
	var seen []string
	try := func(places []place) bool {
		for _, p := range places {
			dir, err := filepath.EvalSymlinks(p.dir) // /bin may be /usr/bin
			if err != nil {
				continue
			}
			path, err := exec.LookPath(filepath.Join(dir, "jupyter"))
			if err != nil || !filepath.IsAbs(path) || slices.Contains(seen, path) {
				continue
			}
			seen = append(seen, path)
			j, err := probe(ctx, path, server)
			if err == nil {
				s.jup = *j
				fmt.Fprintf(s.out, "Jupyter from %s: %s (%s)\n", p.name, j.path, j.versions)
				return true
			}
			reasons = append(reasons, fmt.Errorf("found, but unfit: %s: %w", path, err))
		}
		return false
	}
	places, ways := s.places(), s.ways()
	for _, way := range ways {
		places = append(places, place{"our cache folder", filepath.Dir(way.path)})
	}
	if try(places) || try(pythonPlaces(ctx)) {
		return nil
	}
	if len(reasons) == 0 {
		reasons = append(reasons, errors.New("no jupyter in PATH, nor in the folders of uv, pipx, conda and Python"))
	}
	if !install || os.Getenv("RNMF_NO_INSTALL") != "" {
		return errors.Join(reasons...)
	}
	for _, way := range ways {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if _, err := exec.LookPath(way.needs); err != nil {
			reasons = append(reasons, fmt.Errorf("%s: no %s in PATH", way.name, way.needs))
			continue
		}
		fmt.Fprintf(s.out, "Jupyter is missing: installing it with %s ...\n", way.name)
		limit, cancel := context.WithTimeout(ctx, 15*time.Minute)
		err := way.install(limit)
		cancel()
		if err == nil {
			seen = nil
			if try([]place{{way.name, filepath.Dir(way.path)}}) {
				return nil
			}
			continue
		}
		reasons = append(reasons, fmt.Errorf("%s: %w", way.name, err))
	}
	return fmt.Errorf(`no Jupyter, and every way to install it failed.
Install it yourself by one of
	uv tool install --with-executables-from jupyter-core,nbconvert notebook
	pipx install --include-deps notebook
	apt-get install jupyter-notebook jupyter-nbconvert
	brew install jupyterlab
and run this command again. Why each way failed:
%w`, errors.Join(reasons...))
}

// pythonPlaces asks Python for the folders of its programs, which need not be in PATH.
func pythonPlaces(ctx context.Context) []place {
	limit, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	text, err := output(exec.CommandContext(limit, "python3", "-c",
		"import os, sysconfig; print(*[sysconfig.get_path('scripts', s) for s in (sysconfig.get_default_scheme(), os.name + '_user')], sep=chr(10))"))
	if err != nil {
		return nil // no Python is no Jupyter
	}
	var all []place
	for _, dir := range strings.Split(text, "\n") {
		all = append(all, place{"Python", strings.TrimSpace(dir)})
	}
	return all
}

// oldest are the versions that we know to work.
var oldest = map[string]int{"nbconvert": 6, "notebook": 6, "lab": 3}

// probe asks a jupyter command for the versions of what we need of it.
func probe(ctx context.Context, path string, server bool) (*jupyter, error) {
	ask := func(sub string) (string, error) {
		limit, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		text, err := output(exec.CommandContext(limit, path, sub, "--version"))
		text = strings.TrimSpace(text)
		major, _, _ := strings.Cut(text, ".")
		if n, bad := strconv.Atoi(major); err == nil && (bad != nil || n < oldest[sub]) {
			err = fmt.Errorf("jupyter %s %s is too old: update it to %d or later", sub, text, oldest[sub])
		}
		return sub + " " + text, err
	}
	type answer struct {
		version string
		err     error
	}
	nbconvert := make(chan answer, 1)
	go func() {
		version, err := ask("nbconvert")
		nbconvert <- answer{version, err}
	}()
	j := &jupyter{path: path}
	var err error
	if server {
		for _, j.server = range []string{"notebook", "lab"} {
			version, no := ask(j.server)
			if no == nil {
				j.versions, err = version+", ", nil
				break
			}
			err = errors.Join(err, no)
		}
	}
	n := <-nbconvert
	j.versions += n.version
	if err := errors.Join(n.err, err); err != nil {
		return nil, err
	}
	return j, nil
}

// A way installs Jupyter.
type way struct {
	name    string
	needs   string // the program that must be in PATH
	path    string // the jupyter command afterwards
	install func(context.Context) error
}

// ways are tried in this order. All but the last keep to our cache folder.
func (s *setup) ways() []way {
	packages := []string{"notebook>=7,<8", "nbconvert>=7,<8"}
	// A machine without the network must fail in seconds.
	pip := []string{"--disable-pip-version-check", "--no-input", "--retries=1", "--timeout=15"}
	do := func(ctx context.Context, env []string, name string, args ...string) error {
		cmd := s.command(ctx, name, args...)
		cmd.Env = append(cmd.Env, env...)
		_, err := output(cmd)
		return err
	}
	dir := func(name string) string { return filepath.Join(s.cache, "jupyter", name) }
	program := func(name string) string { return filepath.Join(bin(dir(name)), "jupyter") }
	// An attempt that fails leaves nothing behind.
	in := func(dir string, steps func() error) error {
		err := os.RemoveAll(dir)
		if err == nil {
			err = steps()
		}
		if err != nil {
			os.RemoveAll(dir)
		}
		return err
	}
	return []way{
		{"uv", "uv", program("uv"), func(ctx context.Context) error {
			return in(dir("uv"), func() error {
				if err := do(ctx, nil, "uv", "venv", dir("uv")); err != nil {
					return err
				}
				return do(ctx, []string{"UV_HTTP_TIMEOUT=15"}, "uv",
					append([]string{"pip", "install", "--python", dir("uv")}, packages...)...)
			})
		}},
		{"pipx", "pipx", program("pipx"), func(ctx context.Context) error {
			return in(dir("pipx"), func() error {
				env := []string{"PIPX_HOME=" + dir("pipx"), "PIPX_BIN_DIR=" + filepath.Dir(program("pipx"))}
				return do(ctx, env, "pipx", "install", "--include-deps", "--pip-args="+strings.Join(pip, " "), packages[0])
			})
		}},
		{"python3 -m venv and pip", "python3", program("venv"), func(ctx context.Context) error {
			return in(dir("venv"), func() error {
				if err := do(ctx, nil, "python3", "-m", "venv", dir("venv")); err != nil {
					return err
				}
				args := append([]string{"-m", "pip", "install"}, pip...)
				return do(ctx, nil, filepath.Join(filepath.Dir(program("venv")), "python"), append(args, packages...)...)
			})
		}},
		{"apt-get", "apt-get", s.under + "/usr/bin/jupyter", func(ctx context.Context) error {
			apt := []string{"env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "-y", "-o", "DPkg::Lock::Timeout=120"}
			if os.Geteuid() != 0 {
				if err := do(ctx, nil, "sudo", "-n", "true"); err != nil {
					return fmt.Errorf("not root, and sudo asks or is missing: %w", err)
				}
				apt = append([]string{"sudo", "-n"}, apt...)
			}
			if err := do(ctx, nil, apt[0], append(apt[1:], "update")...); err != nil {
				return err
			}
			return do(ctx, nil, apt[0], append(apt[1:], "install", "--no-install-recommends", "jupyter-notebook", "jupyter-nbconvert")...)
		}},
	}
}
