package datasets

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Folders that this process downloads to: a channel of one for each.
var (
	foldersMu sync.Mutex
	folders   = map[string]chan struct{}{}
)

// lockFolder waits until nobody else downloads to a folder, in this process or another:
// two that go on with one file would both append to it.
func lockFolder(ctx context.Context, folder string) (unlock func(), err error) {
	name, err := filepath.Abs(folder)
	if err != nil {
		return nil, fmt.Errorf("datasets: %w", err)
	}
	foldersMu.Lock()
	turn := folders[name]
	if turn == nil {
		turn = make(chan struct{}, 1)
		folders[name] = turn
	}
	foldersMu.Unlock()
	select {
	case turn <- struct{}{}:
	case <-ctx.Done():
		return nil, fmt.Errorf("datasets: waiting for another download to %s: %w", folder, ctx.Err())
	}
	f, err := os.Open(name)
	if err != nil {
		<-turn
		return nil, fmt.Errorf("datasets: %w", err)
	}
	unlock = func() {
		f.Close()
		<-turn
	}
	for !tryLock(f) {
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			unlock()
			return nil, fmt.Errorf("datasets: waiting for another program's download to %s: %w", folder, ctx.Err())
		}
	}
	return unlock, nil
}
