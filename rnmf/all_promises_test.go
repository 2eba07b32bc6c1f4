package rnmf

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each promise names tests, and these exist.
func TestPromises(t *testing.T) {
	text, err := os.ReadFile("../PROMISES.md")
	if err != nil {
		t.Fatal(err)
	}
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	exists := map[string]bool{}
	for _, root := range []string{".", "../datasets"} {
		err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			source, err := os.ReadFile(path)
			for _, m := range declared.FindAllSubmatch(source, -1) {
				exists[string(m[1])] = true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	named := regexp.MustCompile("`((?:Test|Fuzz)\\w+)`")
	promises := 0
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| | promise") {
			continue
		}
		promises++
		cells := strings.Split(strings.TrimSuffix(strings.TrimSpace(line), "|"), "|")
		names := named.FindAllStringSubmatch(cells[len(cells)-1], -1)
		if len(names) == 0 {
			t.Errorf("no test holds %.80s", line)
		}
		for _, n := range names {
			if !exists[n[1]] {
				t.Errorf("%s does not exist", n[1])
			}
		}
	}
	if promises < 12 {
		t.Errorf("found only %d promises", promises)
	}
	if Reason(0).String() != "running" {
		t.Errorf("the Result of a Step is %q", Reason(0))
	}
}
