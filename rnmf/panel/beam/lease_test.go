package beam

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/memfs"

	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/panel"
)

// Only one driver at a time leads a fit in a folder or in an object store. The lease of one that has died
// is taken over, and one that lost its lease notices.
func TestLease(t *testing.T) {
	was := leasePeriod
	leasePeriod = 30 * time.Millisecond
	defer func() { leasePeriod = was }()
	ctx := context.Background()
	for _, dir := range []string{t.TempDir(), "memfs://lease-test"} {
		f, err := openFolder(ctx, dir)
		if err != nil {
			t.Fatal(err)
		}
		first, err := f.lease(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.lease(ctx); !errors.Is(err, panel.ErrBusy) || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: a second lease: %v", dir, err)
		}
		if err := first.check(f); err != nil {
			t.Errorf("%s: %v", dir, err)
		}
		first.end()
		next, err := f.lease(ctx)
		if err != nil {
			t.Fatalf("%s: the next lease: %v", dir, err)
		}
		next.end()
	}
	f, err := openFolder(ctx, "memfs://lease-test")
	if err != nil {
		t.Fatal(err)
	}
	memfs.Write("memfs://lease-test/lease", []byte("of one that has died 7\n"))
	begin := time.Now()
	l, err := f.lease(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if waited := time.Since(begin); waited < leasePeriods*leasePeriod {
		t.Errorf("the lease of another was taken over after %v", waited)
	}
	memfs.Write("memfs://lease-test/lease", []byte("of another 0\n"))
	for range 100 {
		if l.lost.Load() {
			break
		}
		time.Sleep(leasePeriod)
	}
	if err := l.check(f); !errors.Is(err, panel.ErrBusy) {
		t.Errorf("a lease that another has taken: %v", err)
	}
	l.end()
	if b, err := f.read(leaseFile); err != nil || string(b) != "of another 0\n" {
		t.Errorf("the lease of another is %q, %v", b, err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := f.lease(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("a lease after the context has ended: %v", err)
	}
}

// panel.Batch and Fit lock the same folder.
func TestFolderIsLocked(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	x := planted(t, filepath.Join(dir, "x"), 50, 90, 40)
	b := panel.Batch{Model: rnmf.Model{Rank: 3, MaxIter: 4, Tol: -1}, State: filepath.Join(dir, "state")}
	var inner error
	watched := b
	watched.Model.Watch = func(p rnmf.Point) {
		if p.Round == 2 {
			_, inner = Fit(ctx, b, filepath.Join(dir, "x"))
		}
	}
	if _, err := watched.Fit(ctx, x); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(inner, panel.ErrBusy) || !strings.Contains(inner.Error(), b.State) {
		t.Errorf("a second fit: %v", inner)
	}
}
