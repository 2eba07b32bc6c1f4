package release

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/exp/apidiff"
	"golang.org/x/mod/semver"
	"golang.org/x/tools/go/packages"

	"github.com/robustnmf/robustnmf/internal/localproxy"
)

// TestAPI compares what this checkout exports with the last released version, and wants
// the version of CHANGELOG.md to be large enough for the difference.
func TestAPI(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles all packages of two versions")
	}
	next := versions(t)[0]
	for _, tag := range tags(t) {
		if semver.Compare(tag, next) > 0 {
			t.Errorf("%s is tagged, and CHANGELOG.md begins with %s", tag, next)
		}
		if semver.Compare(tag, next) < 0 {
			report, err := compare(t, root, tag, next)
			t.Logf("since %s:\n%s", tag, report)
			if err != nil {
				t.Error(err)
			}
			return
		}
	}
	t.Skipf("no version before %s is tagged in this clone, so there is nothing to compare with", next)
}

// TestAPIComparison tries the rule on a small module of its own.
func TestAPIComparison(t *testing.T) {
	repository := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		output(t, "git", append([]string{"-C", repository, "-c", "user.name=test", "-c", "user.email=test@example.com"}, args...)...)
	}
	git("init", "--quiet")
	write(t, filepath.Join(repository, "go.mod"), "module "+localproxy.Module+"\n\ngo 1.24\n")
	const was = "package x\n\nfunc F() {}\n"
	write(t, filepath.Join(repository, "x.go"), was)
	git("add", ".")
	git("commit", "--quiet", "-m", "first")
	git("tag", "v0.9.0")
	git("tag", "v1.2.0")
	const gains, loses = was + "\nfunc G() {}\n", "package x\n\nfunc G() {}\n"
	for _, c := range []struct {
		now, tag, next string
		good           bool
	}{
		{was, "v1.2.0", "v1.2.1", true},
		{gains, "v1.2.0", "v1.2.1", false},
		{gains, "v1.2.0", "v1.3.0", true},
		{loses, "v1.2.0", "v1.3.0", false},
		{loses, "v0.9.0", "v0.9.1", false},
		{loses, "v0.9.0", "v0.10.0", true},
	} {
		write(t, filepath.Join(repository, "x.go"), c.now)
		if report, err := compare(t, repository, c.tag, c.next); (err == nil) != c.good {
			t.Errorf("%s after %s, now %q: %v\n%s", c.next, c.tag, c.now, err, report)
		}
	}
}

// compare reports how the API of a checkout differs from that of its tag. It is an error if
// semantic versions do not allow that: from version 1 what is lost needs a new major
// version, before it a new minor one, and what is added a new minor one from version 1.
func compare(t *testing.T, checkout, tag, next string) (apidiff.Report, error) {
	t.Helper()
	old := t.TempDir()
	output(t, "git", "clone", "--quiet", "--shared", "--branch", tag, "-c", "advice.detachedHead=false", checkout, old)
	report := apidiff.ModuleChanges(exported(t, old), exported(t, checkout))
	allowed := func(c apidiff.Change) bool {
		switch {
		case semver.MajorMinor(tag) != semver.MajorMinor(next):
			return c.Compatible || semver.Major(next) == "v0" || semver.Major(tag) != semver.Major(next)
		default:
			return c.Compatible && semver.Major(next) == "v0"
		}
	}
	var errs []error
	for _, c := range report.Changes {
		if !allowed(c) {
			errs = append(errs, fmt.Errorf("%s may not follow %s with this change: %s", next, tag, c.Message))
		}
	}
	return report, errors.Join(errs...)
}

// exported loads the packages that others import: no commands, nothing internal, and none
// of the notebooks' experiments, which are for them alone.
func exported(t *testing.T, checkout string) *apidiff.Module {
	t.Helper()
	all, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedTypes | packages.NeedImports | packages.NeedDeps | packages.NeedModule | packages.NeedSyntax | packages.NeedTypesInfo,
		Dir:  checkout, Context: t.Context(),
	}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	m := &apidiff.Module{Path: localproxy.Module}
	for _, p := range all {
		if len(p.Errors) > 0 {
			t.Fatal(p.Errors[0])
		}
		path := p.PkgPath + "/"
		if p.Name != "main" && !strings.Contains(path, "/internal/") && !strings.Contains(path, "/notebooks/") {
			m.Packages = append(m.Packages, p.Types)
		}
	}
	if len(m.Packages) == 0 {
		t.Fatalf("no packages in %s", checkout)
	}
	return m
}
