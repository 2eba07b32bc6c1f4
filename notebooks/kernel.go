package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// The Go kernel compiles each cell in a temporary module of its own, which it
// makes with `go mod init`. For the notebooks' imports of this module to mean
// this checkout, that module needs a requirement, a replacement, and our
// go.sum, so that nothing is asked of the network. So the kernel is started
// with a `go` first in its PATH that adds these three after `go mod init`, and
// is the real one otherwise. GoNB's own -go_work does not do: `go get`, run
// for each cell, ignores go.work and its sums.
//
// The kernelspec lies in a folder of ours, one for each checkout, which
// Jupyter is told of in JUPYTER_PATH: a GoNB of the user's own, and other
// checkouts, are left as they are.

const goShim = `#!/bin/sh
# Written by go run ./notebooks. See notebooks/kernel.go.
case "$1 $2 $3" in
"mod init gonb_"*)
	%[1]s "$@" && cp %[2]s/go.sum go.sum && chmod u+w go.sum &&
	exec %[1]s mod edit -require=%[3]s@v0.0.0 -replace=%[3]s=%[2]s ;;
*) exec %[1]s "$@" ;;
esac
`

const kernelScript = `#!/bin/sh
# Written by go run ./notebooks: the Go kernel for the checkout at %[1]s
unset GOWORK
PATH=%[2]s:%[3]s:$PATH:%[4]s
if [ -n "$RNMF_HEADLESS" ]; then
	set -- "$@" -raw_error # errors as text, not as HTML
	echo $$ >"$TMPDIR/kernel.pid"
else
	PATH=$PATH:%[3]s/gopls
fi
export PATH
exec gonb -logtostderr=false -stderrthreshold=FATAL -log_file=/dev/null -kernel "$@"
`

// kernel installs the pinned tools and registers the kernel.
func (s *setup) kernel(ctx context.Context) error {
	if runtime.GOOS == "windows" {
		return fmt.Errorf("the Go kernel does not run on Windows: use WSL")
	}
	tools, err := s.tools(ctx)
	if err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(s.root))
	dir := filepath.Join(s.cache, "checkouts", fmt.Sprintf("%s-%x", filepath.Base(s.root), sum[:4]))
	bin, script := filepath.Join(dir, "bin"), filepath.Join(dir, "kernel")
	spec, err := json.MarshalIndent(map[string]any{
		"argv":           []string{script, "{connection_file}"},
		"display_name":   "Go (gonb)",
		"language":       "go",
		"interrupt_mode": "message",
	}, "", "  ")
	if err != nil {
		return err
	}
	shim := fmt.Sprintf(goShim, quote(s.goCmd), quote(s.root), module)
	start := fmt.Sprintf(kernelScript, s.root, quote(bin), quote(tools), quote(filepath.Dir(s.goCmd)))
	for _, f := range []struct {
		name, text string
		mode       os.FileMode
	}{
		{filepath.Join(bin, "go"), shim, 0o755},
		{script, start, 0o755},
		{filepath.Join(dir, "kernels", "gonb", "kernel.json"), string(spec), 0o644},
	} {
		if err := writeFile(f.name, []byte(f.text), f.mode); err != nil {
			return err
		}
	}
	s.dataDir = dir
	return nil
}

// tools installs the tools of go.mod, at the versions it pins, into a folder
// named after these versions, and returns the folder.
func (s *setup) tools(ctx context.Context) (string, error) {
	text, err := output(s.command(ctx, s.goCmd, "mod", "edit", "-json"))
	if err != nil {
		return "", err
	}
	var mod struct {
		Require []struct{ Path, Version string }
		Tool    []struct{ Path string }
	}
	if err := json.Unmarshal([]byte(text), &mod); err != nil {
		return "", err
	}
	key, bins := strings.Fields(runtime.Version())[0], []string{}
	for _, tool := range mod.Tool {
		bins = append(bins, path.Base(tool.Path))
		for _, r := range mod.Require {
			if strings.HasPrefix(tool.Path+"/", r.Path+"/") {
				key = path.Base(tool.Path) + "-" + r.Version + "-" + key
			}
		}
	}
	dir := filepath.Join(s.cache, "tools", key)
	missing := false
	for _, bin := range bins {
		if _, err := os.Stat(filepath.Join(dir, bin)); err != nil {
			missing = true
		}
	}
	if !missing {
		return dir, nil
	}
	fmt.Fprintf(s.out, "Installing %s ...\n", strings.Join(bins, " and "))
	limit, cancel := context.WithTimeout(ctx, 15*time.Minute)
	defer cancel()
	cmd := s.command(limit, s.goCmd, "install", "tool")
	cmd.Env = append(cmd.Env, "GOBIN="+dir, "GOOS=", "GOARCH=")
	_, err = output(cmd)
	return dir, err
}

const gopls = "golang.org/x/tools/gopls@v0.20.0"

// gopls gives completion in the browser. It takes minutes to build and is not
// needed to run anything, so it is installed while the server runs already and
// found by kernels started afterwards; where it cannot be had, so be it.
func (s *setup) gopls(ctx context.Context) {
	dir, err := s.tools(ctx)
	if err != nil {
		return
	}
	dir = filepath.Join(dir, "gopls") // not where programs that run the notebooks would start it
	if _, err := os.Stat(filepath.Join(dir, "gopls")); err == nil {
		return
	}
	cmd := s.command(ctx, s.goCmd, "install", gopls)
	cmd.Env = append(cmd.Env, "GOBIN="+dir)
	if _, err := output(cmd); err == nil {
		fmt.Fprintln(s.out, "gopls is installed: completion works in notebooks opened from now on.")
	}
}

// quote makes a word of a POSIX shell.
func quote(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
