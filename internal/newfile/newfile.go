// Package newfile writes files where none are yet. A path that a user gives is never written
// over: whoever wants another file there removes the old one first.
package newfile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Write makes a new file of what write writes. The file appears as a whole or not at all: until
// it is complete it has another name in the same folder, which ends in ".new".
//
// Errors are fs.ErrExist, which names the path, if anything has that path already, even a link
// that leads nowhere, and those of write and of the file system.
func Write(path string, write func(w io.Writer) error) (err error) {
	if err := Free(path); err != nil { // before the work of writing
		return err
	}
	temporary := path + "." + rand.Text()[:8] + ".new"
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer os.Remove(temporary) // of which nothing is left after a rename
	if err := errors.Join(write(f), f.Close()); err != nil {
		return err
	}
	err = link(temporary, path)
	if errors.Is(err, fs.ErrExist) {
		return exists(path)
	}
	if err == nil {
		return nil
	}
	// Some file systems have no links. An empty file then holds the path until the whole one
	// takes its place.
	hold, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return exists(path)
	}
	if err != nil {
		return err
	}
	if err := errors.Join(hold.Close(), os.Rename(temporary, path)); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// Free returns fs.ErrExist, which names the path, if anything has it.
func Free(path string) error {
	if _, err := os.Lstat(path); err == nil {
		return exists(path)
	}
	return nil
}

// link fails where path exists. Tests make it fail otherwise.
var link = os.Link

// Folder makes a folder, and those that it lies in. One that is there already must be empty:
// otherwise the error is fs.ErrExist, and names it.
func Folder(path string) error {
	if err := os.MkdirAll(path, 0o777); err != nil {
		return err
	}
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	switch _, err := d.Readdirnames(1); {
	case err == nil:
		return fmt.Errorf("%w: the folder %s is not empty: name a new one, or remove what it has", fs.ErrExist, path)
	case err != io.EOF:
		return err
	}
	return nil
}

func exists(path string) error {
	return fmt.Errorf("%w: %s: name another, or remove it first", fs.ErrExist, filepath.Clean(path))
}
