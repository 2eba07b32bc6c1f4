package lockfile

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestTry(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	unlock, err := Try(name)
	if err != nil || unlock == nil {
		t.Fatal(err)
	}
	if second, err := Try(name); second != nil || err != nil {
		t.Errorf("locked twice, %v", err)
	}
	unlock()
	if third, err := Try(name); third == nil || err != nil {
		t.Errorf("not locked again: %v", err)
	} else {
		third()
	}
	if _, err := Try(filepath.Join(name, "x")); err == nil {
		t.Error("a lock below a file")
	}
	if _, err := Try(t.TempDir()); err == nil {
		t.Error("a folder is locked")
	}
	victim := filepath.Join(t.TempDir(), "victim")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(victim, link); err != nil {
		t.Skip(err)
	}
	if _, err := Try(link); err == nil {
		t.Error("a link is locked")
	}
	if _, err := os.Lstat(victim); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file was made where a link leads: %v", err)
	}
}

func TestWait(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	unlock, err := Wait(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 120*time.Millisecond)
	defer cancel()
	if _, err := Wait(ctx, name); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a lock that is held: %v", err)
	}
	time.AfterFunc(100*time.Millisecond, unlock)
	if again, err := Wait(t.Context(), name); err != nil {
		t.Error(err)
	} else {
		again()
	}
	if _, err := Wait(t.Context(), filepath.Join(name, "x")); err == nil {
		t.Error("a lock below a file")
	}
}
