//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package choose

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
)

// Elsewhere lock does nothing.
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
