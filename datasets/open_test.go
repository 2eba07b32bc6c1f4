package datasets

import (
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
)

// A path is enough, whatever version of its format a file has; the set has its name.
func TestOpen(t *testing.T) {
	for path, read := range map[string]func(path string) (*Set, error){
		"others/pandas.csv": func(p string) (*Set, error) {
			return OpenCSV(t.Context(), p, CSVLayout{Label: "species", Missing: []string{""}})
		},
		"others/genes.tsv.gz":   func(p string) (*Set, error) { return OpenCSV(t.Context(), p, CSVLayout{ID: "gene", Columns: true}) },
		"npy/matrix-f8.npy":     func(p string) (*Set, error) { return OpenNPY(t.Context(), p, NPYLayout{}) },
		"npz/csr.npz":           func(p string) (*Set, error) { return OpenNPY(t.Context(), p, NPYLayout{}) },
		"others/octave.mat":     func(p string) (*Set, error) { return OpenMAT(t.Context(), p, MATLayout{}) },
		"hdf5/v73.mat":          func(p string) (*Set, error) { return OpenMAT(t.Context(), p, MATLayout{X: "fea"}) },
		"hdf5/csr.h5ad":         func(p string) (*Set, error) { return OpenHDF5(t.Context(), p, HDF5Layout{}) },
		"others/spectra.h5":     func(p string) (*Set, error) { return OpenHDF5(t.Context(), p, HDF5Layout{}) },
		"others/missing.csv":    func(p string) (*Set, error) { return OpenCSV(t.Context(), p, CSVLayout{}) },
		"others/objects.npz":    func(p string) (*Set, error) { return OpenNPY(t.Context(), p, NPYLayout{}) },
		"others/photos/empty.x": func(p string) (*Set, error) { return OpenFile(p, nil) },
	} {
		s, err := read("testdata/" + path)
		switch {
		case strings.Contains(path, "missing") || strings.Contains(path, "empty"):
			if !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: %v", path, err)
			}
		case strings.Contains(path, "objects"):
			if !errors.Is(err, ErrUnsupported) || !strings.HasPrefix(err.Error(), "testdata/others/objects.npz: ") {
				t.Errorf("%s: %v", path, err)
			}
		case err != nil:
			t.Errorf("%s: %v", path, err)
		default:
			_, base, _ := strings.Cut(path, "/")
			if want, _, _ := strings.Cut(base, "."); s.Name != want {
				t.Errorf("%s is named %q", path, s.Name)
			}
		}
	}
	own := func(io.ReaderAt, int64) (*Set, error) { return Digits(), nil }
	if s, err := OpenFile("testdata/others/r.csv", own); err != nil || s.Name != Digits().Name {
		t.Errorf("%v, %v", s, err)
	}
}
