//go:build unix

package datasets

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// A download that the disk has no room for is an error of the file system. What
// is there is kept, and completed when there is room.
//
// The limit holds for a process, so the test is one of its own: go test writes a
// log of what this one opens.
func TestDownloadFullDisk(t *testing.T) {
	if os.Getenv("RNMF_FULL_DISK") == "" {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestDownloadFullDisk$", "-test.v")
		cmd.Env = append(os.Environ(), "RNMF_FULL_DISK=1")
		out, err := cmd.CombinedOutput()
		switch {
		case err != nil:
			t.Fatalf("%v\n%s", err, out)
		case bytes.Contains(out, []byte("--- SKIP")):
			t.Skipf("%s", out)
		case !bytes.Contains(out, []byte("--- PASS: TestDownloadFullDisk")):
			t.Fatalf("it did not run:\n%s", out)
		}
		return
	}
	inHaste(t)
	cache := emptyCache(t)
	body, sum := points(5000)
	m := &mirror{body: body}
	s := testSource(remote{sha256: sum, size: int64(len(body))}, serve(t, m))
	// A limit on the size of files stands for the end of the disk.
	var was unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &was); err != nil {
		t.Skip(err)
	}
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	room := was
	room.Cur = 8192
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &room); err != nil {
		t.Skip(err)
	}
	err := s.Download(t.Context(), nil)
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(err, syscall.EFBIG) {
		t.Errorf("%v, want %v", err, syscall.EFBIG)
	}
	if _, err := os.Stat(filepath.Join(cache, "Points", "points.txt")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a part of the file is there under its name: %v", err)
	}
	if _, err := s.Load(t.Context()); !errors.Is(err, ErrNotFound) {
		t.Errorf("then loaded: %v", err)
	}
	kept := sizeOf(filepath.Join(cache, "Points", "points.txt.part"))
	if kept == 0 || kept > 8192 {
		t.Errorf("%d bytes are kept, want up to 8192", kept)
	}
	if err := s.Download(t.Context(), nil); err != nil {
		t.Errorf("with room again: %v", err)
	}
	if last := m.log()[len(m.log())-1]; last != fmt.Sprintf("GET bytes=%d-", kept) {
		t.Errorf("last request: %s, with %d bytes there", last, kept)
	}
}
