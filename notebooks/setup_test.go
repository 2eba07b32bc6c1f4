package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
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
	places, apt := usualPlaces, aptBin
	t.Cleanup(func() { usualPlaces, aptBin = places, apt })
	aptBin = filepath.Join(dir, "usr")
	usualPlaces = []string{"~/.local/bin", aptBin}
	var out bytes.Buffer
	return &setup{out: &out, root: dir, cache: filepath.Join(dir, "cache")}, &out
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
exit 0
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
	if got := strings.Join(s.called(t)[:4], " "); got != "jupyter uv pipx python3" {
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
		return "mkdir -p " + dir + "; printf '#!/bin/sh\\nexit 0\\n' >" + dir + "/jupyter; chmod +x " + dir + "/jupyter"
	}
	for _, c := range []struct{ name, body, path string }{
		{"uv", `if [ "$1" = venv ]; then mkdir -p "$2"; else ` + install(`"$4/bin"`) + `; fi`, "cache/jupyter/uv/bin/jupyter"},
		{"pipx", install(`"$PIPX_BIN_DIR"`), "cache/jupyter/pipx/bin/jupyter"},
		{"python3", `mkdir -p "$3/bin"; printf '#!/bin/sh\n[ -e "${0%%/*}/jupyter" ] || /bin/cp "$0" "${0%%/*}/jupyter"\n' >"$3/bin/python3"; chmod +x "$3/bin/python3"`, "cache/jupyter/venv/bin/jupyter"},
		{"apt-get", `case "$*" in *install*) ` + install(`"$HOME/usr"`) + `; esac`, "usr/jupyter"},
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
			again := &setup{out: s.out, root: s.root, cache: s.cache}
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
	root := filepath.Join(t.TempDir(), "it's a folder")
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
}
