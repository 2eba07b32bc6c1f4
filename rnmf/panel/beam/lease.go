package beam

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync/atomic"
	"time"

	"github.com/robustnmf/robustnmf/rnmf/panel"
	"github.com/robustnmf/robustnmf/rnmf/panel/internal/files"
)

// leaseFile is the object that says which driver leads the fit in a state folder.
const leaseFile = "lease"

// leasePeriod is how often a driver renews its lease. One that was not renewed for leasePeriods of these
// belongs to a driver that has died.
var leasePeriod = 10 * time.Second

const leasePeriods = 3

// A lease keeps other drivers from a state folder. A local folder is locked, as panel.Batch does it. An
// object store has no locks: there the driver writes an object anew again and again, and another driver
// that finds it watches whether that goes on. Two that begin within the same moment may both believe
// that they have it, until the first of them renews it and sees the other's name. Files of different
// fits are never mixed up, as all of them name their fit.
type lease struct {
	end  func()
	lost atomic.Bool
}

// lease takes the lease of the folder until end is called. The error is panel.ErrBusy if another
// driver has it.
func (f folder) lease(ctx context.Context) (*lease, error) {
	if f.store == nil {
		unlock, err := files.Lock(f.dir)
		return &lease{end: unlock}, err
	}
	if err := f.awaitLease(ctx); err != nil {
		return nil, err
	}
	name := rand.Text()
	renew := func(n int) error { return f.write(leaseFile, fmt.Appendf(nil, "%s %d\n", name, n), false) }
	if err := renew(0); err != nil {
		return nil, err
	}
	l, done, gone := new(lease), make(chan struct{}), make(chan struct{})
	l.end = func() {
		close(done)
		<-gone
		if !l.lost.Load() {
			f.remove(leaseFile)
		}
	}
	go func() {
		defer close(gone)
		for n := 1; ; n++ {
			select {
			case <-done:
				return
			case <-time.After(leasePeriod):
			}
			// What cannot be read or written now is tried again: the lease is lost only to another driver.
			b, err := f.read(leaseFile)
			if err == nil && !strings.HasPrefix(string(b), name+" ") {
				l.lost.Store(true)
				return
			}
			_ = renew(n)
		}
	}()
	return l, nil
}

// awaitLease returns once nobody has the lease: at once, or when it was not renewed for a while.
func (f folder) awaitLease(ctx context.Context) error {
	var first string
	for n := range leasePeriods + 1 {
		b, err := f.read(leaseFile)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case n == 0:
			first = string(b)
		case first != string(b):
			return fmt.Errorf("%w: %s", panel.ErrBusy, f.dir)
		case n == leasePeriods:
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(leasePeriod):
		}
	}
	return nil
}

// check returns panel.ErrBusy if another driver has taken the lease.
func (l *lease) check(f folder) error {
	if l.lost.Load() {
		return fmt.Errorf("%w: %s", panel.ErrBusy, f.dir)
	}
	return nil
}
