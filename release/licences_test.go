package release

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	classifier "github.com/google/licenseclassifier/v2"
	"github.com/google/licenseclassifier/v2/assets"

	"github.com/robustnmf/robustnmf/internal/localproxy"
)

// permissive are the licences that ask for no more than to be named.
var permissive = map[string]bool{"MIT": true, "BSD-2-Clause": true, "BSD-3-Clause": true, "Apache-2.0": true, "ISC": true, "FTL": true, "CC-BY-4.0": true, "Unlicense": true, "0BSD": true, "OFL-1.1": true, "GNU-All-permissive-Copying-License": true}

// known has the licences of texts that the classifier does not know, or not as a whole.
var known = map[string]string{
	"github.com/opencontainers/go-digest": "Apache-2.0", // its LICENSE.docs is that of documents
	"github.com/ajstarks/svgo":            "CC-BY-4.0",  // names it by its address
	"github.com/golang/freetype":          "FTL",        // or GPL-2.0, as one likes
}

// A dependency is a module whose code gets into programs.
type dependency struct {
	path, version, licence string
	by                     []string // what needs it
}

// TestLicences wants LICENSES.md to list each module that a program gets with packages
// of this repository, or that its commands and tools are made of, with its licence, which
// must be a permissive one.
func TestLicences(t *testing.T) {
	classify, err := assets.DefaultClassifier()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*dependency{}
	for _, from := range []struct{ name, folder, pattern string }{
		{"rnmf", ".", "./rnmf/..."}, {"datasets", ".", "./datasets/..."}, {"viz", ".", "./viz/..."}, {"notebooks", ".", "./notebooks/..."},
		{"tools", ".", "tool"}, {"datasets/columnar", "datasets/columnar", "./..."}, {"rnmf/panel/beam", "rnmf/panel/beam", "./..."},
		{"site", "site", "./..."}, {"deep", "notebooks/lab/deep", "./..."},
	} {
		var listed string
		for _, system := range []string{"linux", "darwin", "windows"} {
			t.Setenv("GOOS", system)
			t.Setenv("GOARCH", "amd64")
			listed += output(t, "go", "-C", filepath.Join(root, from.folder), "list", "-deps", "-json=Module", from.pattern)
		}
		dec := json.NewDecoder(strings.NewReader(listed))
		for {
			var p struct {
				Module *struct{ Path, Version, Dir string }
			}
			if err := dec.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			m := p.Module
			if m == nil || m.Path == localproxy.Module || strings.HasPrefix(m.Path, localproxy.Module+"/") {
				continue
			}
			d := all[m.Path+" "+m.Version]
			if d == nil {
				d = &dependency{path: m.Path, version: m.Version, licence: licence(t, classify, m.Path, m.Dir)}
				all[m.Path+" "+m.Version] = d
			}
			if !slices.Contains(d.by, from.name) {
				d.by = append(d.by, from.name)
			}
		}
	}
	var page strings.Builder
	page.WriteString("<!-- Written by `go -C release test -run TestLicences -update`. -->\n# Licences of dependencies\n\n" +
		"The modules whose code gets into programs that import packages of this repository, or into its commands and the tools that they install, with their licences. All are permissive: they ask to be named, and for no more. *Tools* are the Go kernel of Jupyter and goimports. The site contains MiniSearch 7.2.0 ([MIT](../site/minisearch/LICENSE.txt)). The data have [licences of their own](../datasets/README.md).\n\n" +
		"| module | version | licence | needed by |\n|---|---|---|---|\n")
	for _, key := range slices.Sorted(maps.Keys(all)) {
		d := all[key]
		fmt.Fprintf(&page, "| %s | %s | %s | %s |\n", d.path, d.version, d.licence, strings.Join(d.by, ", "))
		for name := range strings.SplitSeq(d.licence, ", ") {
			if !permissive[name] {
				t.Errorf("%s has the licence %q: is it permissive?", d.path, d.licence)
			}
		}
	}
	const name = "release/LICENSES.md"
	if old, err := os.ReadFile(filepath.Join(root, name)); err != nil && !*update || string(old) != page.String() {
		mend(t, name, page.String())
	}
}

var isLicence = regexp.MustCompile(`(?i)^(licen[cs]e|copying|unlicense)`)

// licence recognises the texts of licences in the folder of a module.
func licence(t *testing.T, c *classifier.Classifier, path, dir string) string {
	t.Helper()
	if name, ok := known[path]; ok {
		return name
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range files {
		if file.IsDir() || !isLicence.MatchString(file.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, file.Name()))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range c.Match(text).Matches {
			if m.MatchType == "License" && !slices.Contains(names, m.Name) {
				names = append(names, m.Name)
			}
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
