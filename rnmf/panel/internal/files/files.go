// Package files writes the files of a state folder, and locks it.
package files

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/robustnmf/robustnmf/internal/lockfile"
)

// lockFile is the file of a state folder on which the lock is.
const lockFile = "lock"

// ErrBusy is of a folder that another fit has locked.
var ErrBusy = errors.New("panel: another fit is at work in this folder")

// Lock keeps other fits, in this program and in others, from a folder until unlock is called or the
// program ends in whatever way. The error is ErrBusy if another one has it.
func Lock(dir string) (unlock func(), err error) {
	unlock, err = lockfile.Try(filepath.Join(dir, lockFile))
	switch {
	case err != nil:
		return nil, fmt.Errorf("locking the folder of the fit: %w", err)
	case unlock == nil:
		return nil, fmt.Errorf("%w: %s", ErrBusy, dir)
	}
	return unlock, nil
}

// Replace writes a file so that it is complete or as it was: under another name first, which is name
// with the given end. What lies there, perhaps a link that leads elsewhere, is removed before.
func Replace(name, end string, b []byte, sync bool) error {
	temporary := name + end
	if err := os.Remove(temporary); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err == nil && sync {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(temporary, name)
	}
	if err != nil {
		_ = os.Remove(temporary)
	}
	return err
}
