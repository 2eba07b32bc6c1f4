package release

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
)

// TestWorkflows lets actionlint look at GitHub's workflows, which were not run there.
func TestWorkflows(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, ".github", "workflows", "*.yml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no workflows: %v", err)
	}
	var said bytes.Buffer
	lint, err := actionlint.NewLinter(&said, &actionlint.LinterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if found, err := lint.LintFiles(files, nil); err != nil || len(found) > 0 {
		t.Errorf("%v\n%s", err, &said)
	}
	if found, err := lint.Lint("bad.yml", []byte("on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo ${{ matrx.os }}\n"), nil); err != nil || len(found) == 0 {
		t.Errorf("actionlint finds no error in a bad workflow: %v", err)
	}
}

// TestVulnerabilities lets govulncheck look for code with known vulnerabilities, which
// needs a list from the network.
func TestVulnerabilities(t *testing.T) {
	if testing.Short() {
		t.Skip("asks the network")
	}
	for _, folder := range []string{".", "datasets/columnar", "rnmf/panel/beam"} {
		tool := strings.TrimSpace(output(t, "go", "tool", "-n", "govulncheck"))
		cmd := exec.CommandContext(t.Context(), tool, "./...")
		cmd.Dir = filepath.Join(root, filepath.FromSlash(folder))
		if out, err := cmd.CombinedOutput(); bytes.Contains(out, []byte("fetching vulnerabilities")) {
			t.Skipf("the list of vulnerabilities cannot be had here: %s", out)
		} else if err != nil {
			t.Errorf("%s: %v\n%s", folder, err, out)
		}
	}
}
