package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// machine fakes one that has nothing but the given programs (name, then the
// body of a shell script), and returns a setup on it.
func machine(t *testing.T, programs ...string) (*setup, *bytes.Buffer) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the programs are shell scripts")
	}
	dir := t.TempDir()
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(programs); i += 2 {
		text := "#!/bin/sh\nexport PATH=/usr/bin:/bin\necho " + programs[i] + " \"$@\" >>" + quote(filepath.Join(dir, "log")) + "\n" + programs[i+1] + "\n"
		if err := os.WriteFile(filepath.Join(bin, programs[i]), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin)
	t.Setenv("HOME", dir)
	t.Setenv("RNMF_NO_INSTALL", "")
	for _, active := range []string{"VIRTUAL_ENV", "CONDA_PREFIX", "XDG_DATA_HOME", "UV_TOOL_DIR", "PIPX_HOME"} {
		t.Setenv(active, "")
	}
	var out bytes.Buffer
	return &setup{out: &out, root: dir, under: dir, cache: filepath.Join(dir, "cache")}, &out
}

type safeBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.String()
}

// called lists the programs that were run.
func (s *setup) called(t *testing.T) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(s.root, "log"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	var names []string
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		if name, _, _ := strings.Cut(line, " "); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

const goodJupyter = `#!/bin/sh
echo 7.1
`

func TestJupyterEveryWayFails(t *testing.T) {
	fail := func(text string) string { return "echo " + text + " >&2; exit 1" }
	s, out := machine(t,
		"jupyter", fail("shim without Jupyter"),
		"uv", fail("uv has no network"),
		"pipx", fail("pipx has no network"),
		"python3", fail("no ensurepip"),
		"sudo", fail("a password is required"),
		"env", fail("no package lists"),
		"apt-get", fail("not reached"),
	)
	err := s.jupyter(t.Context(), true, true)
	if err == nil {
		t.Fatal("no error")
	}
	last := "apt-get: env: exit status 1: no package lists"
	if os.Geteuid() != 0 {
		last = "a password is required"
	}
	at := 0
	for _, want := range []string{"Install it yourself", "unfit: ", "shim without Jupyter", "uv has no network", "pipx has no network", "no ensurepip", last} {
		i := strings.Index(err.Error()[at:], want)
		if i < 0 {
			t.Fatalf("no %q, or out of order, in\n%v", want, err)
		}
		at += i
	}
	if got := strings.Join(s.called(t)[:4], " "); got != "jupyter python3 uv pipx" {
		t.Errorf("called %s", got)
	}
	if entries, _ := os.ReadDir(filepath.Join(s.cache, "jupyter")); len(entries) > 0 {
		t.Errorf("failed attempts left %v", entries)
	}
	if !strings.Contains(out.String(), "installing it with uv") {
		t.Errorf("said %q", out)
	}

	t.Setenv("RNMF_NO_INSTALL", "1")
	s, _ = machine(t, "uv", "exit 0")
	t.Setenv("RNMF_NO_INSTALL", "1")
	if err := s.jupyter(t.Context(), true, true); err == nil || len(s.called(t)) > 0 {
		t.Errorf("RNMF_NO_INSTALL: %v, called %v", err, s.called(t))
	}
}

func TestJupyterEachWay(t *testing.T) {
	install := func(dir string) string {
		return "mkdir -p " + dir + "; printf '#!/bin/sh\\necho 7.1\\n' >" + dir + "/jupyter; chmod +x " + dir + "/jupyter"
	}
	for _, c := range []struct{ name, body, path string }{
		{"uv", `if [ "$1" = venv ]; then mkdir -p "$2"; else ` + install(`"$4/bin"`) + `; fi`, "cache/jupyter/uv/bin/jupyter"},
		{"pipx", install(`"$PIPX_BIN_DIR"`), "cache/jupyter/pipx/bin/jupyter"},
		{"python3", `[ "$1" = -c ] && exit 1; mkdir -p "$3/bin"; printf '#!/bin/sh\necho 7.1; [ -e "${0%%/*}/jupyter" ] || /bin/cp "$0" "${0%%/*}/jupyter"\n' >"$3/bin/python"; chmod +x "$3/bin/python"`, "cache/jupyter/venv/bin/jupyter"},
		{"apt-get", `case "$*" in *install*) ` + install(`"$HOME/usr/bin"`) + `; esac`, "usr/bin/jupyter"},
	} {
		t.Run(c.name, func(t *testing.T) {
			// sudo and env run the rest of the line, as the real ones do
			s, _ := machine(t, c.name, c.body,
				"sudo", `shift; [ "$1" = true ] || PATH="${0%/*}:$PATH" exec "$@"`,
				"env", `shift; PATH="${0%/*}:$PATH" exec "$@"`)
			if err := s.jupyter(t.Context(), true, true); err != nil {
				t.Fatal(err)
			}
			if want := filepath.Join(s.root, c.path); s.jup.path != want {
				t.Errorf("got %s, want %s", s.jup.path, want)
			}
			calls := len(s.called(t))
			again := &setup{out: s.out, root: s.root, under: s.under, cache: s.cache}
			if err := again.jupyter(t.Context(), true, true); err != nil {
				t.Fatal(err)
			}
			if again.jup != s.jup || len(s.called(t)) != calls {
				t.Errorf("the second time: %v, called %v", again.jup, s.called(t))
			}
		})
	}
}

// TestJupyterBehindShim passes by a jupyter that does not work.
func TestJupyterBehindShim(t *testing.T) {
	s, _ := machine(t, "jupyter", "exit 127")
	good := filepath.Join(s.root, ".local", "bin", "jupyter")
	if err := writeFile(good, []byte(goodJupyter), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := s.jupyter(t.Context(), true, true); err != nil || s.jup.path != good {
		t.Errorf("got %v, %v", s.jup, err)
	}
}

// TestJupyterPlaces has a Jupyter in each place where people have it, all of which are
// found, in the right order.
func TestJupyterPlaces(t *testing.T) {
	s, out := machine(t, "python3", `case "$*" in *sysconfig*) echo "$HOME/Library/Python/bin";; *) exit 1;; esac`)
	t.Setenv("VIRTUAL_ENV", filepath.Join(s.root, "venv"))
	t.Setenv("CONDA_PREFIX", filepath.Join(s.root, "env"))
	inOrder := []struct{ dir, from string }{
		{"venv/bin", "the active virtual environment"},
		{"env/bin", "the active conda environment"},
		{"bin", "PATH"},
		{".local/share/uv/tools/jupyterlab/bin", "uv"},
		{".local/share/pipx/venvs/notebook/bin", "pipx"},
		{".local/pipx/venvs/jupyter-core/bin", "pipx"},
		{"miniforge3/bin", "conda"},
		{"opt/conda/bin", "conda"},
		{".local/bin", "your home folder"},
		{"opt/homebrew/bin", "Homebrew"},
		{"usr/local/bin", "the system"},
		{"usr/bin", "the system"},
		{"cache/jupyter/venv/bin", "our cache folder"},
		{"Library/Python/bin", "Python"},
	}
	for i := len(inOrder) - 1; i >= 0; i-- {
		c := inOrder[i]
		path := filepath.Join(s.root, c.dir, "jupyter")
		if err := writeFile(path, []byte(goodJupyter), 0o755); err != nil {
			t.Fatal(err)
		}
		out.Reset()
		if err := s.jupyter(t.Context(), true, false); err != nil {
			t.Fatal(err)
		}
		if want := "Jupyter from " + c.from + ": " + path + " (notebook 7.1, nbconvert 7.1)\n"; out.String() != want {
			t.Errorf("said %q, want %q", out, want)
		}
	}
}

// TestJupyterOld passes by a Jupyter that is too old, and says so.
func TestJupyterOld(t *testing.T) {
	s, _ := machine(t, "jupyter", `case "$1" in nbconvert) echo 5.6.1;; *) echo 6.4;; esac`)
	err := s.jupyter(t.Context(), true, false)
	if want := "jupyter nbconvert 5.6.1 is too old: update it to 6 or later"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}

// TestExplain makes what can go wrong for a new user go wrong, each of which is to say
// first what to do.
func TestExplain(t *testing.T) {
	// A go that fails as the real one does.
	broken := func(says string) error {
		s, _ := machine(t, "go", "echo "+quote(says)+" >&2; exit 1")
		s.goCmd = filepath.Join(s.root, "bin", "go")
		text, err := os.ReadFile(filepath.Join("..", "go.mod"))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(s.root, "go.mod"), text, 0o600); err != nil {
			return err
		}
		return s.explain(t.Context(), s.kernel(t.Context()))
	}
	t.Run("machine", func(t *testing.T) {
		machine(t)
		if _, err := newSetup(t.Context(), logTo{t}); err == nil || !strings.HasPrefix(err.Error(), "no go in PATH: install Go") {
			t.Error(err)
		}
	})
	t.Run("folder", func(t *testing.T) {
		t.Chdir(t.TempDir())
		if _, err := newSetup(t.Context(), logTo{t}); err == nil || !strings.Contains(err.Error(), "change to one, or name a version") {
			t.Error(err)
		}
	})
	t.Run("writing", func(t *testing.T) {
		s, err := newSetup(t.Context(), logTo{t})
		if err != nil {
			t.Fatal(err)
		}
		s.cache = t.TempDir()
		if os.Geteuid() == 0 {
			s.cache = "/sys/rnmf" // where not even root may write
		} else if err := os.Chmod(s.cache, 0o500); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat("/sys/kernel"); err != nil && os.Geteuid() == 0 {
			t.Skip("root may write everywhere")
		}
		if err := s.explain(t.Context(), s.kernel(t.Context())); err == nil || !strings.HasPrefix(err.Error(), "There is a folder that you may not write to") {
			t.Error(err)
		}
	})
	for says, want := range map[string]string{
		"go: module lookup: Get https://x: dial tcp: lookup x: no such host":    "There seems to be no network",
		"write /x/gonb: no space left on device":                                "The disk is full",
		"open /root/go/pkg: permission denied":                                  "There is a folder that you may not write to",
		"go: go.mod requires go >= 1.24.4 (running go 1.23; GOTOOLCHAIN=local)": "This Go is too old",
		"go.mod:53: unknown block type: tool":                                   "This Go is too old",
	} {
		t.Run(want, func(t *testing.T) {
			err := broken(says)
			if err == nil || !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), says) {
				t.Errorf("%v, want %q and the cause", err, want)
			}
		})
	}
	if err := broken("another"); err == nil || !strings.HasPrefix(err.Error(), "go: exit status 1") {
		t.Errorf("what is not known: %v", err)
	}
	// The disk is full, and Go says something else.
	s, _ := machine(t)
	s.cache = filepath.Join(s.root, "full")
	if err := os.WriteFile(s.cache, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	odd := errors.New("package crypto/x509 is not in std")
	if err := s.explain(t.Context(), odd); !errors.Is(err, odd) || !errors.Is(err, syscall.ENOTDIR) {
		t.Error(err)
	}
	// So may be a folder of Go's, whose name has blanks.
	s, _ = machine(t, "go", `printf '%s\n' "$HOME/a cache of mine" "$HOME"`)
	s.goCmd = filepath.Join(s.root, "bin", "go")
	if err := os.WriteFile(filepath.Join(s.root, "a cache of mine"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := s.explain(t.Context(), odd); !errors.Is(err, odd) || !errors.Is(err, syscall.ENOTDIR) {
		t.Error(err)
	}
	if s.explain(t.Context(), nil) != nil {
		t.Error("an error of nothing")
	}
}

// Folders and notebooks may be named as people name them: what is run runs in their folder, and what is
// made is made there.
func TestNamesOfFolders(t *testing.T) {
	s, _ := machine(t, "jupyter", `pwd >>"$HOME/folders"; cat`, "go", `printf '%s\n' "$@" >>"$HOME/arguments"`)
	s.jup.path, s.goCmd = filepath.Join(s.root, "bin", "jupyter"), filepath.Join(s.root, "bin", "go")
	folder := filepath.Join(s.root, "it's a Fuß & $HOME `id` \"x\" -n")
	file := filepath.Join(folder, "Übung 1; x.ipynb")
	if err := writeFile(file, []byte(`{"cells": [{"cell_type": "code", "source": "1", "outputs": [], "execution_count": 1, "metadata": {}}], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.runAll(t.Context(), []string{file}, false, true); err != nil {
		t.Fatal(err)
	}
	where, err := os.ReadFile(filepath.Join(s.root, "folders"))
	if err != nil || strings.TrimSpace(string(where)) != folder {
		t.Errorf("it ran in %q, %v", where, err)
	}
	if nb, err := readNotebook(file); err != nil || len(nb.cells()) != 1 {
		t.Error(err)
	}
	if err := writeFile(filepath.Join(s.root, "internal", "site", "go.mod"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.makeSite(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	said, err := os.ReadFile(filepath.Join(s.root, "arguments"))
	if err != nil || !strings.HasSuffix(string(said), "\nrun\n.\n"+folder+"\n") {
		t.Errorf("the site got %q, %v", said, err)
	}
}

// TestInstall makes the kernel known to all of a user's Jupyters, but leaves another one alone.
func TestInstall(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the kernel")
	}
	s, err := newSetup(t.Context(), logTo{t})
	if err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(t.TempDir(), "it's a Fuß, $HOME `id` \"x\"")
	checkout := filepath.Join(t.TempDir(), "a checkout of $(id) \"x\" 'y'")
	if err := os.Symlink(s.root, checkout); err != nil {
		t.Fatal(err)
	}
	s.root = checkout
	s.jup.path = filepath.Join(t.TempDir(), "jupyter")
	if err := writeFile(s.jup.path, []byte("#!/bin/sh\necho "+quote(data)+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(data, "kernels", "gonb")
	spec := filepath.Join(dir, "kernel.json")
	theirs := []byte(`{"argv": ["/home/me/go/bin/gonb", "-kernel"]}`)
	if err := writeFile(spec, theirs, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := s.install(t.Context()); err == nil || !strings.Contains(err.Error(), "stays as it is") {
		t.Errorf("another kernel: %v", err)
	}
	if got, err := os.ReadFile(spec); err != nil || !bytes.Equal(got, theirs) {
		t.Errorf("another kernel was changed: %s %v", got, err)
	}
	os.Remove(spec)
	if err := writeFile(filepath.Join(dir, "tools", "gonb"), nil, 0o755); err != nil { // half of an installation
		t.Fatal(err)
	}
	for range 2 {
		if err := s.install(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	var k struct{ Argv []string }
	text, err := os.ReadFile(spec)
	if err == nil {
		err = json.Unmarshal(text, &k)
	}
	if err != nil {
		t.Fatal(err)
	}
	// What is not complete says so, and does not start.
	if err := os.Remove(filepath.Join(dir, "tools", "goimports")); err != nil {
		t.Fatal(err)
	}
	_, err = output(exec.CommandContext(t.Context(), k.Argv[0], "/no/connection"))
	want := "The Go kernel for the checkout at " + checkout + " is not complete, as " + dir + "/tools/goimports is missing: run go run"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestHalfInstalled repairs tools of which one is missing or empty.
func TestHalfInstalled(t *testing.T) {
	s, _ := machine(t, "go", `[ "$1" = install ] || exit 0; mkdir -p "$GOBIN" && echo x >"$GOBIN/gonb" && echo x >"$GOBIN/goimports"`)
	s.goCmd = filepath.Join(s.root, "bin", "go")
	dir := filepath.Join(s.root, "tools", "v1")
	for _, half := range []string{"", "gonb", "goimports"} {
		if half != "" {
			if err := os.WriteFile(filepath.Join(dir, half), nil, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.tools(t.Context(), dir); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"gonb", "goimports"} {
			if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(text) != "x\n" {
				t.Errorf("after half of %q: %s is %q, %v", half, name, text, err)
			}
		}
	}
	if entries, _ := os.ReadDir(filepath.Dir(dir)); len(entries) != 1 {
		t.Errorf("left: %v", entries)
	}
}

// TestServing says that a port is in use, that no browser was opened, and which servers run.
func TestServing(t *testing.T) {
	s, _ := machine(t, "jupyter", `case "$1" in --runtime-dir) echo "$HOME/run";; notebook) sleep 1;; esac`)
	var out safeBuffer
	s.out, s.folder, s.jup = &out, s.root, jupyter{path: filepath.Join(s.root, "bin", "jupyter"), server: "notebook"}
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	port := l.Addr().(*net.TCPAddr).Port
	if err := s.serve(t.Context(), time.Now(), port, false, nil); err == nil || !strings.Contains(err.Error(), "leave -port out") {
		t.Error(err)
	}
	if err := s.serve(t.Context(), time.Now(), 0, false, []string{"07"}); err == nil || !strings.Contains(err.Error(), "names of notebooks go with -run") {
		t.Error(err)
	}
	for name, port := range map[string]int{"jpserver-1.json": port, "jpserver-2.json": 1} {
		text := fmt.Sprintf(`{"port": %d, "url": "http://localhost:%[1]d/", "root_dir": "/home/me"}`, port)
		if err := writeFile(filepath.Join(s.root, "run", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s.others(t.Context())
	defer open(&out, "http://localhost/")()
	for end := time.Now().Add(10 * time.Second); !strings.Contains(out.String(), "yourself") && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	if got := out.String(); !strings.Contains(got, "No browser could be opened") || strings.Count(got, "runs already") != 1 ||
		!strings.Contains(got, fmt.Sprintf("at http://localhost:%d/ for /home/me", port)) {
		t.Errorf("said %q", got)
	}
}

// TestTokenIsSecret opens a browser, of whose arguments everyone on the machine can read: they name a
// page that only the user can read, and that leads to the address.
func TestTokenIsSecret(t *testing.T) {
	opener := "xdg-open"
	if runtime.GOOS == "darwin" {
		opener = "open"
	}
	s, out := machine(t, opener, `cat "$1" >"${0%/*}/../seen.new"; mv "${0%/*}/../seen.new" "${0%/*}/../seen"`)
	tmp := filepath.Join(s.root, "tmp")
	if err := os.Mkdir(tmp, 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", tmp)
	forget := open(out, "http://localhost:8888/tree?token=SECRET")
	var page []byte
	for end := time.Now().Add(20 * time.Second); page == nil && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		page, _ = os.ReadFile(filepath.Join(s.root, "seen"))
	}
	if !strings.Contains(string(page), `http-equiv="refresh" content="0;url=http://localhost:8888/tree?token=SECRET"`) {
		t.Errorf("the page is %q", page)
	}
	called, err := os.ReadFile(filepath.Join(s.root, "log"))
	if args := string(called); err != nil || strings.Contains(args, "SECRET") || !strings.Contains(args, tmp) {
		t.Errorf("called %q, %v", args, err)
	}
	files, err := os.ReadDir(tmp)
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if info, err := files[0].Info(); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the page has mode %v, %v", info.Mode(), err)
	}
	forget()
	if files, err := os.ReadDir(tmp); err != nil || len(files) != 0 {
		t.Errorf("left %v, %v", files, err)
	}
}

// TestKernelFiles sets the kernel up twice, and looks at the modules it makes
// for a checkout in a folder with an awkward name.
func TestKernelFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the kernel")
	}
	s, err := newSetup(t.Context(), logTo{t})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.kernel(t.Context()); err != nil {
		t.Fatal(err)
	}
	times := func() (list []string) {
		for _, dir := range []string{s.dataDir, filepath.Join(s.cache, "tools")} {
			err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
				if err == nil && !info.IsDir() {
					list = append(list, path+" "+info.ModTime().String())
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		return list
	}
	before := times()
	if err := s.kernel(t.Context()); err != nil {
		t.Fatal(err)
	}
	if after := times(); !slices.Equal(before, after) {
		t.Errorf("the second time changed files:\n%v\n%v", before, after)
	}

	// A module made by the kernel means this checkout, wherever that is.
	root := filepath.Join(t.TempDir(), "it's a @Übungs-folder, $HOME `id` \"x\"")
	if err := os.Symlink(s.root, root); err != nil {
		t.Fatal(err)
	}
	moved := *s
	moved.root = root
	if err := moved.kernel(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(moved.dataDir)
	if moved.dataDir == s.dataDir {
		t.Error("two checkouts share their kernel")
	}
	dir := t.TempDir()
	for _, args := range [][]string{{"mod", "init", "gonb_01234567"}, {"list", "-m", "-f", "{{.Dir}}", module}} {
		cmd := moved.command(t.Context(), filepath.Join(moved.dataDir, "bin", "go"), args...)
		cmd.Dir = dir
		text, err := output(cmd)
		if err != nil {
			t.Fatal(err)
		}
		if args[0] == "list" && strings.TrimSpace(text) != root {
			t.Errorf("the module is in %q, want %q", text, root)
		}
	}

	// What the kernel does for a cell: a program is linked for one that runs, not for
	// declarations, and the module is not asked again for imports that it has.
	program := filepath.Join(dir, "program")
	cell := func(body string, edited time.Time) error {
		text := "package main\n\nimport (\n\t\"flag\"\n\t\"" + module + "/rnmf\"\n)\n\ntype loss = rnmf.Huber\n\n" + body + "\n"
		if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(text), 0o600); err != nil {
			return err
		}
		if !edited.IsZero() {
			if err := os.Chtimes(filepath.Join(dir, "go.mod"), edited, edited); err != nil {
				return err
			}
		}
		for _, args := range [][]string{{"get"}, {"build", "-o", program}} {
			cmd := moved.command(t.Context(), filepath.Join(moved.dataDir, "bin", "go"), args...)
			cmd.Dir = dir
			if _, err := output(cmd); err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
		}
		return nil
	}
	const nothing = "func main() { flag.Parse() }"
	for _, c := range []struct {
		name, body string
		linked     bool
	}{
		{"declarations", "func f() loss { return loss{} }\n\n" + nothing, false},
		{"a variable", "var (\n\tl = loss{}\n)\n\n" + nothing, true},
		{"init", "func init() { println(1) }\n\n" + nothing, true},
		{"a program", "func main() {\n\tflag.Parse()\n}", true},
	} {
		if err := cell(c.body, time.Time{}); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if text, err := output(moved.command(t.Context(), program)); err != nil || text != "" {
			t.Errorf("%s: the program says %q, %v", c.name, text, err)
		}
		if text, err := os.ReadFile(program); err != nil || (len(text) > 1000) != c.linked {
			t.Errorf("%s: a program of %d bytes, %v", c.name, len(text), err)
		}
	}
	if err := cell("func f() int { return nosuch }\n\n"+nothing, time.Time{}); err == nil || !strings.Contains(err.Error(), "main.go:10:23: undefined: nosuch") {
		t.Errorf("a mistake in a declaration: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("no module"), 0o600); err != nil {
		t.Fatal(err)
	}
	for when, step := range map[time.Time]string{time.Now().Add(-time.Hour): "build: ", time.Now().Add(time.Hour): "get: "} {
		if err := cell(nothing, when); err == nil || !strings.HasPrefix(err.Error(), step) {
			t.Errorf("go.mod spoiled at %v: %v, want an error of %s", when, err, step)
		}
	}
}
