// Package yours writes files as readers of notebook 07 may have them: a folder of images, a table
// and a sparse matrix, with the usual faults of such files. Each goes into a new temporary folder, so
// that no file of a reader can be in its way.
package yours

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/notebooks/lesson"
	"github.com/robustnmf/robustnmf/viz/explore"
)

// An Example is a file or folder, and the names of the samples that are wrong in it.
type Example struct {
	Path  string
	Wrong []string
}

// A Story is what was found in a file, and in an example also what is wrong with it.
type Story struct {
	*explore.Analysis
	Example
}

// Tell explores the file or folder of a path, or where that is "" an example.
func Tell(ctx context.Context, mine string, example func() (Example, error), how datasets.OpenOptions, study explore.Study) (Story, error) {
	e := Example{Path: mine}
	if mine == "" {
		var err error
		if e, err = example(); err != nil {
			return Story{}, err
		}
	}
	s, err := datasets.Open(ctx, e.Path, how)
	if err != nil {
		return Story{}, err
	}
	return Story{lesson.Explore(study, s), e}, nil
}

// Hits says how many samples are called so, wrong or rare, and where it is known which are wrong, whether these
// are among them.
func (e Example) Hits(called string, samples []explore.Sample) string {
	line := fmt.Sprintf("Called %s: %d", called, len(samples))
	if e.Wrong == nil {
		return line + "."
	}
	var found, missed, others []string
	for _, s := range samples {
		if found = append(found, s.Name); !slices.Contains(e.Wrong, s.Name) {
			others = append(others, s.Name)
		}
	}
	for _, name := range e.Wrong {
		if !slices.Contains(found, name) {
			missed = append(missed, name)
		}
	}
	line += fmt.Sprintf(", among them %d of the %d that are wrong", len(e.Wrong)-len(missed), len(e.Wrong))
	for _, of := range []struct {
		what  string
		names []string
	}{{"missed", missed}, {"called so without being wrong", others}} {
		if of.names != nil {
			line += fmt.Sprintf("; %s: %s", of.what, strings.Join(of.names[:min(8, len(of.names))], ", "))
			if more := len(of.names) - 8; more > 0 {
				line += fmt.Sprintf(" and %d more", more)
			}
		}
	}
	return line + "."
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
// One measurement of each bottle is missing, and seven bottles have their measurements shuffled over the
// columns, each brought to the range of its column. Some stay in place, by chance.
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
	table.Features = slices.Clone(table.Features)
	for i, name := range table.Features {
		table.Features[i] = strings.TrimSuffix(name, " of diluted wines") // longer than there is room in a picture
	}
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

//go:embed moby-dick/*.gz moby-dick/*.tsv
var mobyDick embed.FS

// Words writes how often words stand in the chapters of Moby-Dick, a column for each, as a folder of files that
// a sequencer of single cells writes. The table of contents is among the chapters.
func Words() (Example, error) {
	folder, err := Folder()
	if err != nil {
		return Example{}, err
	}
	counts, err := fs.Sub(mobyDick, "moby-dick")
	if err != nil {
		return Example{}, err
	}
	e := Example{Path: filepath.Join(folder, "moby-dick"), Wrong: []string{"Contents"}}
	return e, os.CopyFS(e.Path, counts)
}
