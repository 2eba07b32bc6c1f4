package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
)

// The Go kernel compiles each cell in a temporary module of its own, which it
// makes with `go mod init`. For the notebooks' imports of this module to mean
// this checkout, that module needs a requirement, a replacement, our
// go.sum, and the requirements of our go.mod, so that nothing is asked of the network. So
// the kernel is started with a `go` first in its PATH that adds these after `go mod init`,
// and is the real one otherwise. GoNB's own -go_work does not do: `go get`, run
// for each cell, ignores go.work and its sums. A released version needs no
// replacement.
//
// The modules below this one are replaced and have their sums there, too, but are required
// only before a `go get` for a cell that imports one: others carry nothing of it, as the
// newer Go that it may need.
//
// Most of the time of a short cell goes into `go get` and into linking (see also together.go), so three
// things are left out. A `go get` runs only for imports that are new and not of this module, whose
// requirements are there, or after a change of a go.mod; .got has the imports that are
// there. A cell is linked without tables for debuggers, which nobody uses there. A cell of
// declarations, which does nothing when it runs, is compiled, which tells its mistakes, but
// not linked: an empty program takes its place.
//
// GoNB calls a cell good whose program fails when it runs: it writes the exit status to stderr, and
// reports no error (Executor.Exec in internal/jpyexec, v0.11.3, returns nil). Then plain nbconvert
// --execute passes, and later cells run. So a copy of GoNB is compiled, with two lines of that file
// changed: a failing program is an error of its cell, as in other kernels. In a later version without
// these lines nothing is changed.
//
// The kernelspec lies in a folder of ours, one for each checkout, which
// Jupyter is told of in JUPYTER_PATH: a GoNB of the user's own, and other
// checkouts, are left as they are. With -install it lies, with all that it
// needs, where every Jupyter of the user looks for kernels.

const goShim = `#!/bin/sh
# Written by go run ./notebooks. See notebooks/kernel.go.
together() { # is there a program that has this cell? See notebooks/together.go
	for program in "$RNMF_TOGETHER"/cell*/program; do
		cmp -s main.go "${program%%/*}/main.go" && return
	done
	false
}
case "$1 $2 $3" in
"mod init gonb_"*)
	%[1]s "$@" && cat %[2]s >go.sum && %[1]s mod edit %[3]s && exec touch .got ;;
"get  ") # for the imports of a cell, of which .got has those that are there
	[ -n "$RNMF_TOGETHER" ] && together && exit
	imports=$(grep -hoE '"[^" ]+\.[^" ]*/[^" ]+"$' *.go | sed -E -e '\,^"%[5]s/(%[7]s)["/],b' -e '\,^"%[5]s/,d')
	[ -e .got ] && [ ! go.mod -nt .got ] && [ ! %[6]s -nt .got ] &&
		! echo "$imports" | grep . | grep -qvxFf .got && exit
	for folder in %[4]s; do
		grep -qs "\"%[5]s/$folder\"" *.go && %[1]s mod edit "-require=%[5]s/$folder@v0.0.0"
	done
	%[1]s "$@" && echo "$imports" >>.got ;;
"build -o "*)
	if [ -n "$RNMF_TOGETHER" ] && together; then
		exec cp "$program" "$3"
	elif [ -n "$RNMF_TOGETHER" ] && [ ! -e "$RNMF_TOGETHER/linked" ]; then # it is being collected
		cell=$(printf '%%s/cell%%03d' "$RNMF_TOGETHER" "$(ls "$RNMF_TOGETHER" | grep -c cell)")
		mkdir "$cell" && cp main.go "$cell" && cp go.mod go.sum "$RNMF_TOGETHER" &&
			echo '#!/bin/sh' >"$3" && exec chmod +x "$3"
		exit 1
	fi
	if grep -qx 'func main() { flag.Parse() }' main.go && ! grep -qE '^var|^func init' main.go; then
		program=$3
		shift 3
		%[1]s list -export "$@" >/dev/null && echo '#!/bin/sh' >"$program.new" &&
			chmod +x "$program.new" && exec mv "$program.new" "$program"
		exit 1
	fi
	rm -f "$3" # go build would not overwrite an empty program
	shift
	exec %[1]s build "-ldflags=-s -w" "$@" ;;
*) exec %[1]s "$@" ;;
esac
`

const kernelScript = `#!/bin/sh
# Written by go run ./notebooks. See notebooks/kernel.go.
for file in %[2]s/go %[3]s/gonb %[3]s/goimports %[4]s %[5]s; do
	[ -e "$file" ] && continue
	echo "The Go kernel for "%[1]s" is not complete, as $file is missing: run go run %[7]s/notebooks@latest -install, or go run ./notebooks in a checkout." >&2
	exit 1
done
unset GOWORK
PATH=%[2]s:%[3]s:$PATH:%[6]s
case "$RNMF_HEADLESS $(ps -o args= -p $PPID 2>/dev/null)" in
1*|*nbconvert*|*nbclient*|*papermill*) set -- "$@" -raw_error ;; # errors as text, not as HTML
esac
if [ -n "$RNMF_HEADLESS" ]; then
	echo $$ >"$TMPDIR/kernel.pid"
else
	PATH=$PATH:%[3]s/gopls
fi
export PATH
exec gonb -logtostderr=false -stderrthreshold=FATAL -log_file=/dev/null -kernel "$@"
`

// kernel installs the pinned tools and registers the kernel for what this
// command starts.
func (s *setup) kernel(ctx context.Context) error {
	tools, err := s.toolsDir()
	if err != nil {
		return err
	}
	if err := s.tools(ctx, tools); err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(s.root))
	dir := filepath.Join(s.cache, "checkouts", fmt.Sprintf("%s-%x", filepath.Base(s.root), sum[:4]))
	if err := s.writeKernel(dir, filepath.Join(dir, "kernels", "gonb"), tools); err != nil {
		return err
	}
	s.dataDir = dir
	return nil
}

// install registers the kernel for every Jupyter of the user's.
func (s *setup) install(ctx context.Context) error {
	text, err := output(exec.CommandContext(ctx, s.jup.path, "--data-dir"))
	if err != nil {
		return err
	}
	dir := filepath.Join(strings.TrimSpace(text), "kernels", "gonb")
	if spec, err := os.ReadFile(filepath.Join(dir, "kernel.json")); err == nil {
		var k struct{ Argv []string }
		if json.Unmarshal(spec, &k) == nil && len(k.Argv) > 0 && k.Argv[0] != filepath.Join(dir, "kernel") {
			return fmt.Errorf(`there is a Go kernel already, not ours, in %s: it stays as it is.
Import this module in its notebooks after a cell with !*go get %s@latest,
or remove that folder, and run this again`, dir, module)
		}
	}
	tools := filepath.Join(dir, "tools")
	if err := os.RemoveAll(tools); err != nil { // of an older version, or half of it
		return err
	}
	if err := s.tools(ctx, tools); err != nil {
		return err
	}
	if err := s.writeKernel(dir, dir, tools); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "The Go kernel (gonb) with %s is in\n\n    %s\n\nand so in the list of kernels of every Jupyter of yours. To remove it, remove that folder.\n", s.name(), dir)
	return nil
}

// name says which module notebooks import.
func (s *setup) name() string {
	if s.version != "" {
		return "robustnmf " + s.version
	}
	return "the checkout at " + s.root
}

// nested are the folders of the modules below this one.
var nested = []string{"datasets/columnar", "rnmf/panel/beam", "notebooks/lab/deep"}

// writeKernel writes the kernel's programs into dir, and its kernelspec into spec.
func (s *setup) writeKernel(dir, spec, tools string) error {
	sums, edit := quote(filepath.Join(s.root, "go.sum")), "-require="+module+"@v0.0.0 -replace="+module+"="+quote(s.root)
	folders := nested
	for _, folder := range folders {
		path := filepath.Join(s.root, filepath.FromSlash(folder))
		sums += " " + quote(filepath.Join(path, "go.sum"))
		edit += " -replace=" + module + "/" + folder + "=" + quote(path)
	}
	if s.version != "" {
		text, err := os.ReadFile(filepath.Join(s.root, "go.sum"))
		if err != nil {
			return err
		}
		sum := filepath.Join(dir, "go.sum")
		sums, edit, folders = quote(sum), "-require="+module+"@"+s.version, nil
		if err := writeFile(sum, append(text, s.sums...), 0o644); err != nil {
			return err
		}
	}
	mod, err := s.modfile()
	if err != nil {
		return err
	}
	for _, r := range mod.Require {
		edit += " -require=" + r.Mod.String()
	}
	bin, script := filepath.Join(dir, "bin"), filepath.Join(dir, "kernel")
	json, err := json.MarshalIndent(map[string]any{
		"argv":           []string{script, "{connection_file}"},
		"display_name":   "Go (gonb)",
		"language":       "go",
		"interrupt_mode": "message",
	}, "", "  ")
	if err != nil {
		return err
	}
	shim := fmt.Sprintf(goShim, quote(s.goCmd), sums, edit, strings.Join(folders, " "), module, quote(filepath.Join(s.root, "go.mod")), strings.Join(nested, "|"))
	start := fmt.Sprintf(kernelScript, quote(s.name()), quote(bin), quote(tools), sums, quote(s.goCmd), quote(filepath.Dir(s.goCmd)), module)
	for _, f := range []struct {
		name, text string
		mode       os.FileMode
	}{
		{filepath.Join(bin, "go"), shim, 0o755},
		{script, start, 0o755},
		{filepath.Join(spec, "kernel.json"), string(json), 0o644},
	} {
		if err := writeFile(f.name, []byte(f.text), f.mode); err != nil {
			return err
		}
	}
	return nil
}

// modfile reads our go.mod.
func (s *setup) modfile() (*modfile.File, error) {
	name := filepath.Join(s.root, "go.mod")
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return modfile.Parse(name, text, nil)
}

// toolsDir names the folder of our tools after their versions.
func (s *setup) toolsDir() (string, error) {
	mod, err := s.modfile()
	if err != nil {
		return "", err
	}
	key := strings.Fields(runtime.Version())[0] + "-failing"
	for _, tool := range mod.Tool {
		for _, r := range mod.Require {
			if strings.HasPrefix(tool.Path+"/", r.Mod.Path+"/") {
				key = path.Base(tool.Path) + "-" + r.Mod.Version + "-" + key
			}
		}
	}
	return filepath.Join(s.cache, "tools", key), nil
}

// tools installs the tools of go.mod, at the versions it pins, into a folder,
// which is there as a whole or not at all.
func (s *setup) tools(ctx context.Context, dir string) error {
	complete := true
	for _, name := range []string{"gonb", "goimports"} {
		info, err := os.Stat(filepath.Join(dir, name))
		complete = complete && err == nil && info.Size() > 0
	}
	if complete {
		return nil
	}
	fmt.Fprintln(s.out, "Installing gonb and goimports ...")
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), ".tools-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	limit, cancel := context.WithTimeout(ctx, 15*time.Minute)
	defer cancel()
	args := []string{"install", "tool"}
	modfile, err := s.failing(limit, tmp)
	if modfile != "" {
		args = []string{"install", "-modfile=" + modfile, "tool"}
		defer os.RemoveAll(filepath.Dir(modfile))
	}
	if err != nil {
		return err
	}
	cmd := s.command(limit, s.goCmd, args...)
	cmd.Env = append(cmd.Env, "GOBIN="+tmp, "GOOS=", "GOARCH=")
	if _, err := output(cmd); err != nil {
		return err
	}
	if err := os.Chmod(tmp, 0o755); err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.Rename(tmp, dir)
}

// failing copies GoNB, changed so that it reports the failure of a cell's program, into a new folder
// beside another, and returns the path of a go.mod there with which the go command compiles the copy;
// "" if this GoNB has not the lines to be changed.
func (s *setup) failing(ctx context.Context, beside string) (modfile string, err error) {
	const gonb = "github.com/janpfeifer/gonb"
	if _, err := output(s.command(ctx, s.goCmd, "mod", "download", gonb)); err != nil { // else it has no folder yet
		return "", err
	}
	found, err := output(s.command(ctx, s.goCmd, "list", "-m", "-f", "{{.Dir}}", gonb))
	if err != nil {
		return "", err
	}
	dir, file := strings.TrimSpace(found), filepath.Join("internal", "jpyexec", "jpyexec.go")
	text, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		return "", nil // it is elsewhere in this version
	}
	const wait, end = "\tif err := cmd.Wait(); err != nil {\n", "\t// triggered by the deferred exec.done() that gets executed.\n\treturn nil\n"
	if bytes.Count(text, []byte(wait)) != 1 || bytes.Count(text, []byte(end)) != 1 {
		return "", nil
	}
	changed := strings.NewReplacer(wait, "\tfailed := cmd.Wait()\n\tif err := failed; err != nil {\n", end, strings.Replace(end, "nil", "failed", 1)).Replace(string(text))
	folder, err := os.MkdirTemp(filepath.Dir(beside), ".gonb-")
	if err != nil {
		return "", err
	}
	modfile = filepath.Join(folder, "go.mod")
	err = os.CopyFS(filepath.Join(folder, "gonb"), os.DirFS(dir))
	for _, name := range []string{"go.mod", "go.sum"} {
		var data []byte
		if err == nil {
			data, err = os.ReadFile(filepath.Join(s.root, name))
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, name), data, 0o600)
		}
	}
	copied := filepath.Join(folder, "gonb", file)
	if err == nil {
		err = cmp.Or(os.Chmod(filepath.Dir(copied), 0o755), os.Remove(copied), os.WriteFile(copied, []byte(changed), 0o600))
	}
	if err == nil {
		_, err = output(s.command(ctx, s.goCmd, "mod", "edit", "-replace="+gonb+"="+filepath.Join(folder, "gonb"), modfile))
	}
	return modfile, err
}

const gopls = "golang.org/x/tools/gopls@v0.20.0"

// gopls gives completion in the browser. It takes minutes to build and is not
// needed to run anything, so it is installed while the server runs already and
// found by kernels started afterwards; where it cannot be had, there is no completion.
func (s *setup) gopls(ctx context.Context) {
	dir, err := s.toolsDir()
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
