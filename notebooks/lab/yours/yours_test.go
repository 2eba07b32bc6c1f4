package yours

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/robustnmf/robustnmf/datasets"
)

// Each is read again by the reader that the notebook uses.
func TestYours(t *testing.T) {
	folder := t.TempDir()
	photos, table, words := filepath.Join(folder, "photos"), filepath.Join(folder, "wines.csv"), filepath.Join(folder, "words")
	spoiled, err := Wines(table)
	if err := errors.Join(err, Photos(photos), Words(words, "../../..")); err != nil {
		t.Fatal(err)
	}
	s, err := datasets.OpenImages(t.Context(), photos, datasets.ImageLayout{})
	if err != nil || len(s.Samples) != 400 || len(s.Classes) != 10 || s.Height != 14 {
		t.Errorf("%v, %v", s, err)
	}
	f, err := os.Open(table)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s, err = datasets.ReadCSV(f, datasets.CSVLayout{ID: "sample", Label: "class", Missing: []string{"NaN"}})
	if err != nil || len(s.Samples) != 178 || len(s.Features) != 13 || s.Classes[0] != "cultivar 1" {
		t.Errorf("%v, %v", s, err)
	}
	if len(spoiled) != 7 || !slices.Contains(s.Samples, spoiled[0]) {
		t.Errorf("spoiled are %q", spoiled)
	}
	s, err = datasets.OpenMTX(words)
	if err != nil || !slices.Contains(s.Features, "sample") || !slices.Contains(s.Samples, "rnmf/fit.go") {
		t.Errorf("%v, %v", s, err)
	}
	if err := Words(words, folder); !errors.Is(err, datasets.ErrNotFound) {
		t.Error(err)
	}
}
