package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A jupyter is a Jupyter that was seen to work.
type jupyter struct {
	path   string // the jupyter command
	server string // its subcommand that shows the list of notebooks, if that was asked for
}

// usualPlaces are folders outside PATH where package managers put programs.
var usualPlaces = []string{"~/.local/bin", "/opt/homebrew/bin", "/usr/local/bin", aptBin}

var aptBin = "/usr/bin"

// jupyter finds Jupyter, or installs it if it may. A server is needed only by
// those who browse.
func (s *setup) jupyter(ctx context.Context, server, install bool) error {
	var reasons []error
	for _, path := range s.candidates() {
		j, err := probe(ctx, path, server)
		if err == nil {
			s.jup = *j
			return nil
		}
		reasons = append(reasons, fmt.Errorf("found, but unfit: %s: %w", path, err))
	}
	if len(reasons) == 0 {
		reasons = append(reasons, errors.New("no jupyter in PATH"))
	}
	if !install || os.Getenv("RNMF_NO_INSTALL") != "" {
		return errors.Join(reasons...)
	}
	for _, way := range s.ways() {
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
			var j *jupyter
			if j, err = probe(ctx, way.path, server); err == nil {
				fmt.Fprintf(s.out, "Jupyter is installed: %s\n", j.path)
				s.jup = *j
				return nil
			}
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

// candidates lists every jupyter command there is: all of PATH, for a shim of
// pyenv may stand before one that works, then our own.
func (s *setup) candidates() []string {
	home, _ := os.UserHomeDir()
	dirs := filepath.SplitList(os.Getenv("PATH"))
	for _, dir := range usualPlaces {
		dirs = append(dirs, strings.Replace(dir, "~", home, 1))
	}
	for _, way := range s.ways() {
		dirs = append(dirs, filepath.Dir(way.path))
	}
	var found []string
	for _, dir := range dirs {
		dir, err := filepath.EvalSymlinks(dir) // /bin may be /usr/bin
		if err != nil {
			continue
		}
		path, err := exec.LookPath(filepath.Join(dir, "jupyter"))
		if err == nil && filepath.IsAbs(path) && !slices.Contains(found, path) {
			found = append(found, path)
		}
	}
	return found
}

// probe asks a jupyter command for the versions of what we need of it.
func probe(ctx context.Context, path string, server bool) (*jupyter, error) {
	ask := func(sub string) error {
		limit, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		_, err := output(exec.CommandContext(limit, path, sub, "--version"))
		return err
	}
	nbconvert := make(chan error, 1)
	go func() { nbconvert <- ask("nbconvert") }()
	j := &jupyter{path: path}
	var err error
	if server {
		j.server = "notebook"
		if err = ask(j.server); err != nil {
			j.server = "lab"
			if lab := ask(j.server); lab != nil {
				err = fmt.Errorf("no notebook and no lab: %w", err)
			} else {
				err = nil
			}
		}
	}
	if err := errors.Join(<-nbconvert, err); err != nil {
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
	bin := func(name string) string { return filepath.Join(dir(name), "bin", "jupyter") }
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
		{"uv", "uv", bin("uv"), func(ctx context.Context) error {
			return in(dir("uv"), func() error {
				if err := do(ctx, nil, "uv", "venv", dir("uv")); err != nil {
					return err
				}
				return do(ctx, []string{"UV_HTTP_TIMEOUT=15"}, "uv",
					append([]string{"pip", "install", "--python", dir("uv")}, packages...)...)
			})
		}},
		{"pipx", "pipx", bin("pipx"), func(ctx context.Context) error {
			return in(dir("pipx"), func() error {
				env := []string{"PIPX_HOME=" + dir("pipx"), "PIPX_BIN_DIR=" + filepath.Dir(bin("pipx"))}
				return do(ctx, env, "pipx", "install", "--include-deps", "--pip-args="+strings.Join(pip, " "), packages[0])
			})
		}},
		{"python3 -m venv and pip", "python3", bin("venv"), func(ctx context.Context) error {
			return in(dir("venv"), func() error {
				if err := do(ctx, nil, "python3", "-m", "venv", dir("venv")); err != nil {
					return err
				}
				args := append([]string{"-m", "pip", "install"}, pip...)
				return do(ctx, nil, filepath.Join(dir("venv"), "bin", "python3"), append(args, packages...)...)
			})
		}},
		{"apt-get", "apt-get", filepath.Join(aptBin, "jupyter"), func(ctx context.Context) error {
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
