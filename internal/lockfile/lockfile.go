// Package lockfile keeps two programs, or two goroutines of one, from writing to one place.
package lockfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/gofrs/flock"
)

// Try makes the file of a lock and locks it, until unlock is called or the program ends in whatever way.
// Without an error, unlock is nil if another one has the lock.
//
// The file is of the lock alone, as systems differ in what a locked file lets others do with it, and it
// stays: who removes it could take it from one that has just opened it. A link or a folder of that name is
// an error.
func Try(name string) (unlock func(), err error) {
	lock, err := of(name)
	if err != nil {
		return nil, err
	}
	got, err := lock.TryLock()
	if !got || err != nil {
		return nil, err
	}
	return func() { _ = lock.Unlock() }, nil
}

// Wait is Try that waits for the lock. Where the file system has no locks, it does without. The error is
// ctx.Err(), or that of the file.
func Wait(ctx context.Context, name string) (unlock func(), err error) {
	lock, err := of(name)
	if err != nil {
		return nil, err
	}
	var path *fs.PathError
	if _, err = lock.TryLockContext(ctx, 50*time.Millisecond); ctx.Err() != nil || errors.As(err, &path) {
		_ = lock.Unlock()
		return nil, errors.Join(ctx.Err(), err)
	}
	return func() { _ = lock.Unlock() }, nil
}

func of(name string) (*flock.Flock, error) {
	if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file, and cannot be locked", name)
	}
	return flock.New(name, flock.SetPermissions(0o666)), nil
}
