package release

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/robustnmf/robustnmf/internal/localproxy"
)

// published makes a release of this checkout, of the repository's module and of the one for
// Parquet files, that only a proxy in a folder knows, and lets go take modules from there.
func published(t *testing.T) (version string) {
	t.Helper()
	version = versions(t)[0] + "-test." + strings.ToLower(rand.Text())
	proxy := t.TempDir()
	cache := strings.TrimSpace(output(t, "go", "env", "GOMODCACHE"))
	others := strings.TrimSpace(output(t, "go", "env", "GOPROXY"))
	for _, sub := range []string{"", "datasets/columnar", "rnmf/panel/beam"} {
		path, err := localproxy.Add(proxy, root, sub, version)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := localproxy.Forget(cache, path, version); err != nil {
				t.Error(err)
			}
		})
	}
	t.Setenv("GOPROXY", localproxy.URL(proxy)+","+others)
	t.Setenv("GONOSUMDB", localproxy.Module+","+localproxy.Module+"/*") // nobody has seen this release
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-mod=mod")
	return version
}

// TestREADME does what the README says of a release, in an empty folder: it saves the program, takes
// this release, runs it and compares what it prints, also on the clean data.
func TestREADME(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a release in an empty folder")
	}
	program, commands, printed := inREADME(t)
	get := regexp.MustCompile(`(?m)^> (go get .*)$`).FindStringSubmatch(read(t, "README.md"))
	if get == nil {
		t.Fatal("README.md does not say what to do once there is a release")
	}
	commands = []string{commands[0], get[1], commands[3]}
	price := regexp.MustCompile(`the errors are ([\d.]+) and ([\d.]+)\.`).FindStringSubmatch(read(t, "README.md"))
	if price == nil {
		t.Fatal("README.md does not say what the errors are on clean data")
	}

	version := published(t)
	t.Chdir(t.TempDir())
	write(t, "main.go", program)
	var out string
	for _, command := range commands {
		args := strings.Fields(command)
		if len(args) > 2 && args[1] == "get" {
			for i := range args[2:] {
				args[2+i] += "@" + version
			}
		}
		out = output(t, args[0], args[1:]...)
	}
	if out != printed {
		t.Errorf("the program of README.md prints\n%sand README.md says\n%s", out, printed)
	}
	if used := output(t, "go", "list", "-m", localproxy.Module); strings.TrimSpace(used) != localproxy.Module+" "+version {
		t.Errorf("it was built with %s", used)
	}

	clean := strings.Replace(program, "Share: 0.25", "Share: 0", 1)
	if clean == program {
		t.Fatal("the program of README.md has no Share: 0.25")
	}
	write(t, "main.go", clean)
	errors := regexp.MustCompile(`error ([\d.]+)\n`).FindAllStringSubmatch(output(t, "go", "run", "."), -1)
	if len(errors) != 2 || errors[0][1] != price[1] || errors[1][1] != price[2] {
		t.Errorf("on clean data it prints %v, and README.md says %v", errors, price[1:])
	}
}

// inREADME returns the program of the README, the commands that run it, and what it prints.
func inREADME(t *testing.T) (program string, commands []string, printed string) {
	t.Helper()
	page := read(t, "README.md")
	part := func(pattern string) string {
		m := regexp.MustCompile(pattern).FindStringSubmatch(page)
		if m == nil {
			t.Fatalf("README.md has no %s", pattern)
		}
		return m[1]
	}
	commands = strings.Split(strings.TrimSpace(part("(?s)```sh\n(go mod init.*?)```")), "\n")
	if len(commands) != 4 {
		t.Fatalf("README.md has the commands %q", commands)
	}
	return part("(?s)```go\n(package main.*?)```"), commands, part("(?s)It prints\n\n```text\n(.*?)```")
}

// TestCheckout does what the README says to those who have a checkout, as nothing is published.
func TestCheckout(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a program in an empty folder")
	}
	program, commands, printed := inREADME(t)
	checkout, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOWORK", "off")
	t.Chdir(t.TempDir())
	write(t, "main.go", program)
	var out string
	for _, command := range commands {
		args := strings.Fields(strings.Replace(command, "=../robustnmf", "="+checkout, 1))
		out = output(t, args[0], args[1:]...)
	}
	if out != printed {
		t.Errorf("the program of README.md prints\n%sand README.md says\n%s", out, printed)
	}
}

// TestNestedModule takes the module for Parquet files, which needs the repository's at the
// same version, and reads a file with embedded data next to it.
func TestNestedModule(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a large library")
	}
	version := published(t)
	t.Chdir(t.TempDir())
	write(t, "main.go", `package main

import (
	"bytes"
	"context"
	"fmt"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/datasets/columnar"
)

func main() {
	_, err := columnar.ReadParquet(context.Background(), bytes.NewReader(nil), 0, datasets.CSVLayout{})
	_, n := datasets.Wine().X.Dims()
	fmt.Println(err != nil, n)
}
`)
	output(t, "go", "mod", "init", "example.com/mine")
	output(t, "go", "get", localproxy.Module+"/datasets/columnar@"+version)
	if got := output(t, "go", "run", "."); got != "true 178\n" {
		t.Errorf("printed %q", got)
	}
	if used := output(t, "go", "list", "-m", localproxy.Module); strings.TrimSpace(used) != localproxy.Module+" "+version {
		t.Errorf("it was built with %s", used)
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
