// Package yours writes files as readers of notebook 07 may have them: a folder of images, a table
// and a sparse matrix, with the usual faults of such files. Each goes into a new temporary folder, so
// that no file of a reader can be in its way.
package yours

import (
	"cmp"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"math"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
)

// An Example is a file or folder, and the names of the samples that are wrong in it.
type Example struct {
	Path  string
	Wrong []string
}

// Hits compares the names that were found with those that are wrong, in words; "" if nobody knows.
func (e Example) Hits(found []string) string {
	if e.Wrong == nil {
		return ""
	}
	var missed, others []string
	for _, name := range e.Wrong {
		if !slices.Contains(found, name) {
			missed = append(missed, name)
		}
	}
	for _, name := range found {
		if !slices.Contains(e.Wrong, name) {
			others = append(others, name)
		}
	}
	line := fmt.Sprintf("%d of %d that are wrong are found", len(e.Wrong)-len(missed), len(e.Wrong))
	for _, of := range []struct {
		what  string
		names []string
	}{{"missed", missed}, {"found without being wrong", others}} {
		if of.names != nil {
			line += fmt.Sprintf("; %s: %s", of.what, strings.Join(of.names[:min(8, len(of.names))], ", "))
			if more := len(of.names) - 8; more > 0 {
				line += fmt.Sprintf(" and %d more", more)
			}
		}
	}
	return line
}

// Folder returns a new temporary folder.
func Folder() (string, error) { return os.MkdirTemp("", "rnmf-yours-") }

// Photos writes a folder of 400 small pictures of clothes, a folder for each kind, of
// which one in twenty is noise.
func Photos() (Example, error) {
	s, err := datasets.Fashion().Scaled().Sample(40, 1)
	if err != nil {
		return Example{}, err
	}
	if s, err = s.Shrink(14, 14); err != nil {
		return Example{}, err
	}
	for j, class := range s.Labels {
		s.Samples = append(s.Samples, fmt.Sprintf("%s %03d", s.Classes[class], j))
	}
	s, where, err := s.Corrupt(datasets.OutlierSamples{Share: 0.05, Max: 1}, 1)
	if err != nil {
		return Example{}, err
	}
	folder, err := Folder()
	if err != nil {
		return Example{}, err
	}
	e := Example{Path: filepath.Join(folder, "photos")}
	for j, class := range s.Labels {
		if mat.Max(where.ColView(j)) > 0 {
			e.Wrong = append(e.Wrong, fmt.Sprintf("%s/%s.png", strings.ReplaceAll(s.Classes[class], "/", "-"), strings.ReplaceAll(s.Samples[j], "/", "-")))
		}
	}
	return e, s.SaveImages(e.Path)
}

// Wines writes a table of 178 bottles of wine with their names, classes and thirteen measurements.
// One measurement of each bottle is missing, and seven bottles have their measurements in the wrong
// columns.
func Wines() (Example, error) {
	s, units, err := datasets.Prepare(datasets.Wine(), datasets.ScaleFeatures{By: datasets.Range})
	if err != nil {
		return Example{}, err
	}
	s, where, err := s.Corrupt(datasets.OutlierSamples{Share: 0.04, Kind: datasets.PermutedEntries}, 1)
	if err != nil {
		return Example{}, err
	}
	table, err := units.Undo(s.X)
	if err != nil {
		return Example{}, err
	}
	m, n := table.X.Dims()
	table.Labels = s.Labels
	for _, class := range s.Classes {
		table.Classes = append(table.Classes, "cultivar "+class)
	}
	var e Example
	for j := range n {
		table.Samples = append(table.Samples, fmt.Sprintf("bottle %d", j+1))
		table.X.Set(j%m, j, math.NaN())
		if mat.Max(where.ColView(j)) > 0 {
			e.Wrong = append(e.Wrong, table.Samples[j])
		}
	}
	folder, err := Folder()
	if err != nil {
		return Example{}, err
	}
	e.Path = filepath.Join(folder, "wines.csv")
	f, err := os.Create(e.Path)
	if err != nil {
		return Example{}, err
	}
	return e, cmp.Or(table.WriteCSV(f), f.Close())
}

// Words counts the words in the comments of Go files, of four letters and more, and writes
// a folder of files as a sequencer of single cells does: a column for each Go file
// below the folder source but tests, and a row for each word of at least five files and at
// most three tenths of them.
func Words(source string) (Example, error) {
	var files []string
	err := fs.WalkDir(os.DirFS(source), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "testdata" || name != "." && strings.HasPrefix(d.Name(), ".")) {
			return fs.SkipDir
		}
		if err == nil && path.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go") {
			files = append(files, name)
		}
		return err
	})
	if err != nil {
		return Example{}, err
	}
	word := regexp.MustCompile(`[a-z]{4,}`)
	counts := map[string]map[int]float64{}
	for j, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(source, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return Example{}, err
		}
		for _, group := range file.Comments {
			for _, w := range word.FindAllString(strings.ToLower(group.Text()), -1) {
				if counts[w] == nil {
					counts[w] = map[int]float64{}
				}
				counts[w][j]++
			}
		}
	}
	maps.DeleteFunc(counts, func(_ string, of map[int]float64) bool { return len(of) < 5 || len(of) > 3*len(files)/10 })
	if len(counts) == 0 {
		return Example{}, fmt.Errorf("%w: no words in %d files of Go below %s", datasets.ErrNotFound, len(files), source)
	}
	words := slices.Sorted(maps.Keys(counts))
	s := &datasets.Set{X: mat.NewDense(len(words), len(files), nil), Features: words, Samples: files}
	for i, w := range words {
		for j, v := range counts[w] {
			s.X.Set(i, j, v)
		}
	}
	folder, err := Folder()
	if err != nil {
		return Example{}, err
	}
	e := Example{Path: filepath.Join(folder, "words")}
	return e, s.SaveMTX(e.Path)
}
