// Package release has the tests of what a release needs: versions that agree, and a release that
// can be taken as README.md says.
//
//	go test ./internal/release
package release

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"

	"github.com/robustnmf/robustnmf/internal/localproxy"
)

var update = flag.Bool("update", false, "write the version of CHANGELOG.md wherever it stands")

const root = "../.."

// versions returns those that CHANGELOG.md has, the latest first: the first one is that of
// the checkout. This is the one place where a person writes it.
func versions(t *testing.T) (all []string) {
	t.Helper()
	for _, m := range regexp.MustCompile(`(?m)^## (v\S+)`).FindAllStringSubmatch(read(t, "CHANGELOG.md"), -1) {
		if !semver.IsValid(m[1]) {
			t.Errorf("CHANGELOG.md: %s is no version", m[1])
		}
		all = append(all, m[1])
	}
	if len(all) == 0 {
		t.Fatal("CHANGELOG.md has no version: write ## v0.1.0 (unreleased)")
	}
	return all
}

// tags returns the tags of released versions, the latest first. A shallow clone has none.
func tags(t *testing.T) []string {
	t.Helper()
	all := strings.Fields(output(t, "git", "-C", root, "tag", "--list", "v*"))
	all = slices.DeleteFunc(all, func(tag string) bool { return !semver.IsValid(tag) })
	semver.Sort(all)
	slices.Reverse(all)
	return all
}

// TestVersion wants the version of CHANGELOG.md in CITATION.cff and in each nested module
// that requires the repository's, and a heading for each tag.
func TestVersion(t *testing.T) {
	all := versions(t)
	citation := regexp.MustCompile(`(?m)^version: (.*)$`)
	text := read(t, "CITATION.cff")
	if m := citation.FindStringSubmatch(text); m == nil || "v"+m[1] != all[0] {
		t.Logf("CITATION.cff: %q, and CHANGELOG.md has %s", m, all[0])
		mend(t, "CITATION.cff", citation.ReplaceAllString(text, "version: "+all[0][1:]))
	}
	for _, file := range strings.Fields(output(t, "git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard", "go.mod", "*/go.mod")) {
		mod, err := modfile.Parse(file, []byte(read(t, file)), nil)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(mod.Require, func(r *modfile.Require) bool { return r.Mod.Path == localproxy.Module })
		if i < 0 || mod.Require[i].Mod.Version == all[0] {
			continue
		}
		t.Logf("%s requires %s, and CHANGELOG.md has %s", file, mod.Require[i].Mod.Version, all[0])
		if err := mod.AddRequire(localproxy.Module, all[0]); err != nil {
			t.Fatal(err)
		}
		text, err := mod.Format()
		if err != nil {
			t.Fatal(err)
		}
		mend(t, file, string(text))
	}
	for i, version := range all[1:] {
		if semver.Compare(version, all[i]) >= 0 {
			t.Errorf("CHANGELOG.md: %s stands below %s", version, all[i])
		}
	}
	for _, tag := range tags(t) {
		if !slices.Contains(all, tag) {
			t.Errorf("CHANGELOG.md has no heading ## %s, which is a tag", tag)
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// mend writes a file of the repository with -update, and is an error without.
func mend(t *testing.T, name, text string) {
	t.Helper()
	if !*update {
		t.Errorf("%s is out of date: run go test ./internal/release -run %s -update", name, t.Name())
	} else if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(name)), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, &errs)
	}
	return string(out)
}
