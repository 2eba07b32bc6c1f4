//go:build unix

package panel

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/robustnmf/robustnmf/rnmf"
)

// A disk without room is an error that names the file, in the panels and in the state of a fit. No
// finished round is lost: with room the fit goes on, to the bits of one that had it all the time.
//
// The limit holds for a process, so the test is one of its own.
func TestFullDisk(t *testing.T) {
	if os.Getenv("PANEL_FULL_DISK") == "" {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestFullDisk$", "-test.v")
		cmd.Env = append(os.Environ(), "PANEL_FULL_DISK=1")
		out, err := cmd.CombinedOutput()
		switch {
		case err != nil:
			t.Fatalf("%v\n%s", err, out)
		case bytes.Contains(out, []byte("--- SKIP")):
			t.Skipf("%s", out)
		case !bytes.Contains(out, []byte("--- PASS: TestFullDisk")):
			t.Fatalf("it did not run:\n%s", out)
		}
		return
	}
	dir := t.TempDir()
	x := planted(300, 400, 3, 1, 0, false)
	source := written(t, filepath.Join(dir, "x"), x, 200)
	b := Batch{Model: rnmf.Model{Rank: 3, MaxIter: 8, Tol: -1}}
	want, err := b.Fit(context.Background(), source)
	if err != nil {
		t.Fatal(err)
	}
	b.State = filepath.Join(dir, "state")
	b.Model.MaxIter = 4
	if _, err := b.Fit(context.Background(), source); err != nil {
		t.Fatal(err)
	}
	b.Model.MaxIter = 8
	var was unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &was); err != nil {
		t.Skip(err)
	}
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	for _, room := range []uint64{2 << 10, 12 << 10} { // too little for H, and for W
		limit := was
		limit.Cur = room
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
			t.Skip(err)
		}
		_, ofFit := b.Fit(context.Background(), source)
		ofWrite := Write(filepath.Join(dir, "y"), All(source), 200, false)
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &was); err != nil {
			t.Fatal(err)
		}
		if !errors.Is(ofFit, syscall.EFBIG) || !strings.Contains(ofFit.Error(), b.State) {
			t.Errorf("%d bytes: the fit ends with %v", room, ofFit)
		}
		if !errors.Is(ofWrite, syscall.EFBIG) || !strings.Contains(ofWrite.Error(), "panel-0000000000.npy") {
			t.Errorf("%d bytes: Write ends with %v", room, ofWrite)
		}
	}
	got, err := b.Fit(context.Background(), source)
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, want, source)
}
