package newfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

// onlyFile wants one file in the folder, with the text.
func onlyFile(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("%s is %q, want %q, %v", path, got, want, err)
	}
	if all, err := os.ReadDir(filepath.Dir(path)); err != nil || len(all) != 1 {
		t.Errorf("the folder has %v, %v", all, err)
	}
}

// TestWrite makes new files, of which one that exists is never changed, on file systems with
// links and without.
func TestWrite(t *testing.T) {
	noLinks := func(string, string) error { return errors.ErrUnsupported }
	for name, with := range map[string]func(string, string) error{"links": os.Link, "no links": noLinks} {
		t.Run(name, func(t *testing.T) {
			link = with
			t.Cleanup(func() { link = os.Link })
			path := filepath.Join(t.TempDir(), "Füße und Hände.csv")
			if err := Write(path, text("first")); err != nil {
				t.Fatal(err)
			}
			onlyFile(t, path, "first")
			wrote := false
			err := Write(path, func(io.Writer) error { wrote = true; return nil })
			if !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), path) || wrote {
				t.Errorf("a second time: %v, wrote %t", err, wrote)
			}
			onlyFile(t, path, "first")

			// What came into being while the file was written stays, too.
			late := filepath.Join(t.TempDir(), "late")
			err = Write(late, func(io.Writer) error { return os.WriteFile(late, []byte("theirs"), 0o600) })
			if !errors.Is(err, fs.ErrExist) {
				t.Errorf("a file of meanwhile: %v", err)
			}
			onlyFile(t, late, "theirs")

			// Of an error nothing is left.
			failed := filepath.Join(t.TempDir(), "failed")
			boom := errors.New("boom")
			err = Write(failed, func(w io.Writer) error { return errors.Join(text("half")(w), boom) })
			if all, e := os.ReadDir(filepath.Dir(failed)); !errors.Is(err, boom) || e != nil || len(all) != 0 {
				t.Errorf("an error left %v: %v %v", all, err, e)
			}
		})
	}
}

// TestWriteLink does not follow a link, even to nothing.
func TestWriteLink(t *testing.T) {
	dir := t.TempDir()
	path, target := filepath.Join(dir, "link"), filepath.Join(dir, "target")
	if err := os.Symlink(target, path); err != nil {
		t.Skip(err)
	}
	if err := Write(path, text("x")); !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
	if _, err := os.Lstat(target); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the link was followed: %v", err)
	}
}

// TestWriteRace lets many write one path at once: one does.
func TestWriteRace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	var all sync.WaitGroup
	var done atomic.Int32
	var winner atomic.Value
	for i := range 20 {
		all.Add(1)
		go func() {
			defer all.Done()
			s := fmt.Sprint(i)
			switch err := Write(path, text(s)); {
			case err == nil:
				done.Add(1)
				winner.Store(s)
			case !errors.Is(err, fs.ErrExist):
				t.Error(err)
			}
		}()
	}
	all.Wait()
	if done.Load() != 1 {
		t.Fatalf("%d wrote it", done.Load())
	}
	onlyFile(t, path, winner.Load().(string))
}

func TestFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b c")
	for range 2 {
		if err := Folder(dir); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, "x")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Folder(dir); !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), dir) {
		t.Error(err)
	}
	if err := Folder(file); err == nil {
		t.Error("a file is no folder")
	}
}
