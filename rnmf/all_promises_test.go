package rnmf_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPromises wants each promise to name a test, and each named test to exist; a † marks those
// that -short skips.
func TestPromises(t *testing.T) {
	text, err := os.ReadFile("../docs/PROMISES.md")
	if err != nil {
		t.Fatal(err)
	}
	function := regexp.MustCompile(`(?ms)^func ((?:Test|Fuzz)\w+)\(\w+ \*testing\.[TF]\) \{\n(.*?)^\}`)
	skips := regexp.MustCompile(`(?m)^\tif testing\.Short\(\)[^\n]* \{\n\t\tt\.Skip`)
	long := map[string]bool{} // whether -short skips each test of the name
	err = filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, f := range function.FindAllStringSubmatch(string(source), -1) {
			was, known := long[f[1]]
			long[f[1]] = skips.MatchString(f[2]) && (was || !known)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`((?:Test|Fuzz)\\w+)`(†?)")
	promises := 0
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| | promise") {
			continue
		}
		promises++
		tests := named.FindAllStringSubmatch(line, -1)
		if len(tests) == 0 {
			t.Errorf("no test holds %.100s", line)
		}
		for _, n := range tests {
			if skipped, ok := long[n[1]]; !ok {
				t.Errorf("%s does not exist", n[1])
			} else if skipped && n[2] == "" {
				t.Errorf("%s is skipped with -short, and not marked by †", n[1])
			}
		}
	}
	if promises < 25 {
		t.Errorf("found only %d promises", promises)
	}
}
