// Package yours writes files as readers of notebook 07 may have them: a folder of images, a table
// and a sparse matrix, with the usual faults of such files.
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

// Photos writes a folder of 400 small pictures of clothes, a folder for each kind, of
// which one in twenty is noise.
func Photos(folder string) error {
	s, err := datasets.Fashion().Scaled().Sample(40, 1)
	if err != nil {
		return err
	}
	if s, err = s.Shrink(14, 14); err != nil {
		return err
	}
	for j := range s.Labels {
		s.Samples = append(s.Samples, fmt.Sprintf("%03d", j))
	}
	s, _, err = s.Corrupt(datasets.OutlierSamples{Share: 0.05, Max: 1}, 1)
	return cmp.Or(err, s.SaveImages(folder))
}

// Wines writes a table of 178 bottles of wine with their names, classes and thirteen measurements.
// One measurement of each bottle is missing, and seven bottles, which it returns, have their
// measurements in the wrong columns.
func Wines(file string) (spoiled []string, err error) {
	s, units, err := datasets.Prepare(datasets.Wine(), datasets.ScaleFeatures{By: datasets.Range})
	if err != nil {
		return nil, err
	}
	s, where, err := s.Corrupt(datasets.OutlierSamples{Share: 0.04, Kind: datasets.PermutedEntries}, 1)
	if err != nil {
		return nil, err
	}
	table, err := units.Undo(s.X)
	if err != nil {
		return nil, err
	}
	m, n := table.X.Dims()
	table.Labels = s.Labels
	for _, class := range s.Classes {
		table.Classes = append(table.Classes, "cultivar "+class)
	}
	for j := range n {
		table.Samples = append(table.Samples, fmt.Sprintf("bottle %d", j+1))
		table.X.Set(j%m, j, math.NaN())
		if mat.Max(where.ColView(j)) > 0 {
			spoiled = append(spoiled, table.Samples[j])
		}
	}
	f, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	return spoiled, cmp.Or(table.WriteCSV(f), f.Close())
}

// Words counts the words in the comments of Go files, of four letters and more, and
// writes a folder of files as a sequencer of single cells does: a column for each Go file
// below the folder source but tests, and a row for each word of at least five files and at
// most three tenths of them.
func Words(folder, source string) error {
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
		return err
	}
	word := regexp.MustCompile(`[a-z]{4,}`)
	counts := map[string]map[int]float64{}
	for j, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(source, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
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
		return fmt.Errorf("%w: no words in %d files of Go below %s", datasets.ErrNotFound, len(files), source)
	}
	words := slices.Sorted(maps.Keys(counts))
	s := &datasets.Set{X: mat.NewDense(len(words), len(files), nil), Features: words, Samples: files}
	for i, w := range words {
		for j, v := range counts[w] {
			s.X.Set(i, j, v)
		}
	}
	return s.SaveMTX(folder)
}
