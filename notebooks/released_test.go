package main

import (
	"crypto/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/robustnmf/robustnmf/internal/localproxy"
)

// TestReleased makes a release of this module that only a proxy in a folder knows, and
// from it, in a folder where there is no checkout, the kernel for all of a user's Jupyters
// by one line. Then plain nbconvert runs a notebook there that imports the module.
func TestReleased(t *testing.T) {
	s := ready(t)
	version := "v0.0.0-test." + strings.ToLower(rand.Text())
	proxy, home := t.TempDir(), t.TempDir()
	t.Chdir(home)
	if _, err := localproxy.Add(proxy, s.root, "", version); err != nil {
		t.Fatal(err)
	}
	env := func(variable string) string {
		text, err := output(exec.CommandContext(t.Context(), s.goCmd, "env", variable))
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(text)
	}
	cache := env("GOMODCACHE")
	t.Cleanup(func() {
		if err := localproxy.Forget(cache, module, version); err != nil {
			t.Error(err)
		}
	})
	t.Setenv("GOPROXY", localproxy.URL(proxy)+","+env("GOPROXY"))
	t.Setenv("GONOSUMDB", "*") // neither has the release been seen by anyone, nor is there a network later
	t.Setenv("GOWORK", "off")
	t.Setenv("RNMF_NO_INSTALL", "1")
	t.Setenv("JUPYTER_PATH", "") // go run ./notebooks -test names the kernel of this checkout there
	t.Setenv("JUPYTER_DATA_DIR", filepath.Join(home, "jupyter"))
	said, err := output(exec.CommandContext(t.Context(), s.goCmd, "run", module+"/notebooks@"+version, "-install"))
	if err != nil || !strings.Contains(said, "The Go kernel (gonb) with robustnmf "+version) {
		t.Fatal(said, err)
	}
	execute := func(cells ...string) {
		t.Helper()
		file := writeNotebook(t, "mine", append(cells, "import \""+module+"/rnmf\"", "%%\nfmt.Println(rnmf.NMF(7).Rank)", "!*go list -m "+module)...)
		done, err := output(exec.CommandContext(t.Context(), s.jup.path, "nbconvert", "--to=notebook", "--execute", "--stdout", "--log-level=ERROR", file))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{`"7\n"`, module + " " + version + `\n`} {
			if !strings.Contains(done, want) {
				t.Errorf("no %q in %s", want, done)
			}
		}
	}
	t.Setenv("GOPROXY", "off")
	execute()

	// A GoNB of the user's own needs a cell for it, here with what was downloaded before.
	dir := filepath.Join(home, "jupyter", "kernels", "gonb")
	spec := []byte(`{"argv": ["` + filepath.Join(dir, "tools", "gonb") + `", "-kernel", "{connection_file}"], "display_name": "Go", "language": "go"}`)
	if err := writeFile(filepath.Join(dir, "kernel.json"), spec, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Join(dir, "tools")+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("GOPROXY", localproxy.URL(proxy)+","+localproxy.URL(filepath.Join(cache, "cache", "download")))
	execute("!*go get " + module + "@latest")
}
