package main

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/notebooks/lab/yours"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/panel"
	"github.com/robustnmf/robustnmf/viz"
	"github.com/robustnmf/robustnmf/viz/report"
)

// writers are all functions of the repository that write to a path of the user's, but for those
// whose files are read again and gone on with: states of fits, searches and experiments. The site
// and -explore have tests of their own, and lessons, whose files are temporary, take no path.
func writers(t *testing.T) map[string]func(path string) error {
	t.Helper()
	digits, err := datasets.Digits().Scaled().Sample(3, 1)
	if err != nil {
		t.Fatal(err)
	}
	fit, err := rnmf.NMF(2).Fit(t.Context(), digits.X)
	if err != nil {
		t.Fatal(err)
	}
	figure, err := viz.Heatmap(mat.NewDense(2, 2, []float64{1, 2, 3, 4}), viz.HeatmapOptions{})
	if err != nil {
		t.Fatal(err)
	}
	chart, err := viz.Histogram([]viz.Series{{Y: []float64{1, 2, 2, 3}}}, viz.HistogramOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s, _ := machine(t, "jupyter", "cat >/dev/null; echo '<body>x</body>'")
	s.jup.path = filepath.Join(s.root, "bin", "jupyter")
	notebook := writeNotebook(t, "n", "x")
	return map[string]func(path string) error{
		"viz.Save PNG":    func(path string) error { return viz.Save(path+".png", figure) },
		"viz.Save SVG":    func(path string) error { return viz.Save(path+".svg", chart) },
		"Report.Save":     report.Report{Set: digits, Result: fit}.Save,
		"Set.SaveImages":  digits.SaveImages,
		"Set.SaveMTX":     digits.SaveMTX,
		"panel.Write":     func(path string) error { return panel.Write(path, panel.All(panel.FromDense(digits.X, 0)), 10, false) },
		"notebooks -html": func(path string) error { return s.exportAll(t.Context(), []string{notebook}, path) },
	}
}

// TestNothingIsOverwritten lets each writer write, then again to the same path, and then to paths
// where one of its files is the user's: it says so, and all files stay as they are.
func TestNothingIsOverwritten(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for name, write := range writers(t) {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := write(filepath.Join(dir, "x y")); err != nil {
				t.Fatal(err)
			}
			first := filesIn(t, dir)
			if len(first) == 0 {
				t.Fatal("nothing was written")
			}
			if err := write(filepath.Join(dir, "x y")); !errors.Is(err, fs.ErrExist) {
				t.Errorf("a second time: %v", err)
			}
			if again := filesIn(t, dir); !maps.Equal(first, again) {
				t.Errorf("a second time the files changed: %d, then %d", len(first), len(again))
			}
			for file := range first {
				dir := t.TempDir()
				mine := filepath.Join(dir, file)
				if err := os.MkdirAll(filepath.Dir(mine), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(mine, []byte("mine"), 0o600); err != nil {
					t.Fatal(err)
				}
				err := write(filepath.Join(dir, "x y"))
				if got := filesIn(t, dir)[file]; !errors.Is(err, fs.ErrExist) || got != "mine" {
					t.Errorf("my %s: %v, and it has now %d bytes", file, err, len(got))
				}
				if len(first) > 20 && filepath.Base(file) > "1" { // of 30 images some
					break
				}
			}
		})
	}
	// What stands for a reader's files goes to a new folder each time.
	var paths []string
	for range 2 {
		table, e1 := yours.Wines()
		counts, e2 := yours.Words()
		if err := errors.Join(e1, e2); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, table.Path, counts.Path)
	}
	if paths[0] == paths[2] || paths[1] == paths[3] {
		t.Errorf("twice the same of %q", paths)
	}
}

// filesIn returns all files below a folder.
func filesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		all[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
