package columnar

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/robustnmf/robustnmf/datasets"
)

// A program that imports this package reads such files by datasets.Open, which guesses what their columns are.
func TestOpenOfDatasets(t *testing.T) {
	for _, c := range []struct{ file, note string }{
		{"table.parquet", `"kind" is the class`}, {"table.arrow", `"who" names the lines`}, {"table.arrows", `"kind" is the class`}, {"polars.arrow", `"kind" is the class`}, {"duck.parquet", `"kind" is the class`},
	} {
		s, err := datasets.Open(t.Context(), filepath.Join("testdata", c.file), datasets.OpenOptions{})
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		if name, _, _ := strings.Cut(c.file, "."); s.Name != name || !strings.Contains(s.String(), c.note) || len(s.Classes) != 2 || s.Samples == nil {
			t.Errorf("%s: %v, samples %q, classes %q", c.file, s, s.Samples, s.Classes)
		}
	}
	s, err := datasets.Open(t.Context(), "testdata/table.parquet", datasets.OpenOptions{ID: "-", Label: "who", Missing: []string{">79"}})
	if err != nil || fmt.Sprint(s.Classes, s.Features) != "[ann bob ü] [height weight]" || s.Mask() == nil {
		t.Errorf("%v, %v", s, err)
	}
	if _, err := datasets.Open(t.Context(), "testdata/table.parquet", datasets.OpenOptions{Label: "none"}); !errors.Is(err, datasets.ErrNoVariable) || !strings.Contains(err.Error(), "the file has") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := datasets.Open(ctx, "testdata/table.parquet", datasets.OpenOptions{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Damage ends in an error or a set in this way, too.
func TestOpenDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	rnd := rand.New(rand.NewPCG(1, 1))
	files, err := filepath.Glob("testdata/*.*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if filepath.Ext(file) == ".mjs" {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for range 300 {
			b := bytes.Clone(data)
			for range 1 + rnd.IntN(3) {
				b[4+rnd.IntN(len(b)-4)] = byte(rnd.Uint32())
			}
			if rnd.IntN(4) == 0 {
				b = b[:5+rnd.IntN(len(b)-5)]
			}
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := datasets.Open(t.Context(), path, datasets.OpenOptions{})
			if err == nil && s.Check() != nil {
				t.Errorf("%s: %v", file, s.Check())
			} else if err != nil && !errors.Is(err, datasets.ErrFormat) && !errors.Is(err, datasets.ErrUnsupported) && !errors.Is(err, datasets.ErrTooLarge) && !errors.Is(err, datasets.ErrNoVariable) {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
}
