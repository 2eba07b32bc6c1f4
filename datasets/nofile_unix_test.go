//go:build unix

package datasets

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A path that is a pipe, a device or a folder is an error at once: to open a pipe waits until somebody writes.
// Among images pipes and links are passed over.
func TestNoFile(t *testing.T) {
	folder := t.TempDir()
	pipe := filepath.Join(folder, "pipe.png")
	if err := unix.Mkfifo(pipe, 0o666); err != nil {
		t.Skip(err)
	}
	image := filepath.Join(folder, "a.pgm")
	if err := os.WriteFile(image, pgm(7), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Symlink(image, filepath.Join(folder, "link.pgm")), os.Symlink("/", filepath.Join(folder, "root")), os.Symlink("loop", filepath.Join(folder, "loop"))); err != nil {
		t.Skip(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for name, open := range map[string]func(path string) (*Set, error){
		"CSV":    func(p string) (*Set, error) { return OpenCSV(ctx, p, CSVLayout{}) },
		"NPY":    func(p string) (*Set, error) { return OpenNPY(ctx, p, NPYLayout{}) },
		"MTX":    func(p string) (*Set, error) { return OpenMTX(ctx, p) },
		"images": func(p string) (*Set, error) { return OpenImages(ctx, p, ImageLayout{}) },
		"any":    func(p string) (*Set, error) { return Open(ctx, p, OpenOptions{}) },
	} {
		for _, path := range []string{pipe, os.DevNull} {
			if s, err := open(path); !errors.Is(err, ErrUnsupported) {
				t.Errorf("%s of %s: %v, %v", name, path, s, err)
			}
		}
	}
	s, err := OpenImages(ctx, folder, ImageLayout{})
	if err != nil || !slices.Equal(s.Samples, []string{"a.pgm"}) {
		t.Errorf("%v, %v", s, err)
	}
	if _, err := OpenCSV(ctx, folder, CSVLayout{}); !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "it is a folder") {
		t.Error(err)
	}
}
