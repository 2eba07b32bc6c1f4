package choose

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestGridBusy(t *testing.T) {
	g := sample()
	g.File = filepath.Join(t.TempDir(), "grid")
	var inner error
	g.Progress = func(p Progress) {
		if p.Done == 3 {
			other := sample()
			other.File = g.File
			_, inner = other.Run(context.Background())
		}
	}
	mustRun(t, g)
	if !errors.Is(inner, ErrBusy) {
		t.Errorf("a second search: %v", inner)
	}
}

// What is no file is an error at once, and a search that cannot lock its file does not begin.
func TestGridFileIsNone(t *testing.T) {
	for _, path := range []string{os.DevNull, t.TempDir(), filepath.Join(t.TempDir(), "no folder", "grid")} {
		g := sample()
		g.File = path
		g.Score = func(context.Context, Setting) (Scores, error) {
			t.Errorf("%s: the search began", path)
			return Scores{}, nil
		}
		if _, err := g.Run(t.Context()); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
