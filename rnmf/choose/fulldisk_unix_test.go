//go:build unix

package choose

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// What follows half a line would damage the file, also if there is room for it.
//
// The limit holds for a process, so the test is one of its own.
func TestStoreFullForAMoment(t *testing.T) {
	if os.Getenv("RNMF_FULL_DISK") == "" {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestStoreFullForAMoment$", "-test.v")
		cmd.Env = append(os.Environ(), "RNMF_FULL_DISK=1")
		out, err := cmd.CombinedOutput()
		switch {
		case err != nil:
			t.Fatalf("%v\n%s", err, out)
		case bytes.Contains(out, []byte("--- SKIP")):
			t.Skipf("%s", out)
		case !bytes.Contains(out, []byte("--- PASS: TestStoreFullForAMoment")):
			t.Fatalf("it did not run:\n%s", out)
		}
		return
	}
	var was unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &was); err != nil {
		t.Skip(err)
	}
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	path := filepath.Join(t.TempDir(), "grid")
	want := header{Task: "t", Names: []string{"a"}}
	s, _, err := openStore(path, want)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.add([]float64{1}, Scores{"x": 1}); err != nil {
		t.Fatal(err)
	}
	info, err := s.f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	room := was
	room.Cur = uint64(info.Size()) + 20
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &room); err != nil {
		t.Skip(err)
	}
	full := s.add([]float64{2}, Scores{"x": 2})
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
	if later := s.add([]float64{3}, Scores{"x": 3}); !errors.Is(full, syscall.EFBIG) || !errors.Is(later, syscall.EFBIG) {
		t.Errorf("%v, then %v, want %v", full, later, syscall.EFBIG)
	}
	s.close()
	s, known, err := openStore(path, want)
	if err != nil || len(known) != 1 {
		t.Fatalf("again: %v, %v", known, err)
	}
	s.close()
}
