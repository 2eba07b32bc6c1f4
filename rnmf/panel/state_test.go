package panel

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
)

// onDisk are the fits that are killed: one of each kind of statistics, one with a scale, and one that
// keeps no earlier factors.
var onDisk = []Batch{
	{Model: rnmf.Model{Rank: 4, Loss: rnmf.ByColumn{Loss: rnmf.L1{Eps: 1e-2}}, Seed: 2, MaxIter: 40, Tol: -1}},
	{Model: rnmf.Model{Rank: 4, Loss: rnmf.Cauchy{}, Seed: 2, MaxIter: 40, Tol: -1, TuneFor: 6}},
	{Model: rnmf.Model{Rank: 4, Loss: rnmf.Huber{Cut: 0.2}, Seed: 2, MaxIter: 40, Tol: -1}},
	{Model: rnmf.Model{Rank: 4, Seed: 2, MaxIter: 40, Tol: -1, Solver: rnmf.HALS{NoExtrapolation: true}}},
}

// minibatchOnDisk is one that is killed.
var minibatchOnDisk = Minibatch{Model: rnmf.Model{Rank: 4, Loss: rnmf.Cauchy{}, Seed: 2, MaxIter: 15, Tol: -1}}

// fitter is a Batch or a Minibatch.
type fitter interface {
	Fit(ctx context.Context, x Source) (*Result, error)
}

// fitOnDisk is one of onDisk, or after these minibatchOnDisk, with a state folder or in memory.
func fitOnDisk(which int, state string) fitter {
	if which < len(onDisk) {
		b := onDisk[which]
		b.State = state
		return b
	}
	b := minibatchOnDisk
	b.State = state
	return b
}

// TestMain runs a fit instead of the tests, for TestFitKilled to kill.
func TestMain(m *testing.M) {
	if dir := os.Getenv("PANEL_FIT"); dir != "" {
		var which int
		if _, err := fmt.Sscan(os.Getenv("PANEL_WHICH"), &which); err != nil {
			panic(err)
		}
		b := fitOnDisk(which, filepath.Join(dir, "state"))
		x, err := Open(filepath.Join(dir, "x"))
		if err == nil {
			_, err = watching(b, func(p rnmf.Point) { fmt.Println(p.Round) }).Fit(context.Background(), x)
		}
		if err != nil {
			fmt.Println(err)
			os.Exit(3)
		}
		fmt.Println("end")
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func written(t *testing.T, dir string, x *mat.Dense, width int) *DiskSource {
	t.Helper()
	if err := Write(dir, All(FromDense(x, 0)), width, false); err != nil {
		t.Fatal(err)
	}
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// same compares a fit in a folder with one in memory, bit for bit.
func same(t *testing.T, got, want *Result, x Source) {
	t.Helper()
	if !mat.Equal(got.W, want.W) || got.Objective != want.Objective || len(got.Trace) != len(want.Trace) {
		t.Fatalf("W or the objective differs: %.17g after %d rounds, want %.17g after %d", got.Objective, len(got.Trace), want.Objective, len(want.Trace))
	}
	for p := range x.Panels() {
		h, err := got.Coefficients(p)
		if err != nil {
			t.Fatal(err)
		}
		w, err := want.Coefficients(p)
		if err != nil {
			t.Fatal(err)
		}
		if !mat.Equal(h, w) {
			t.Fatalf("H of panel %d differs", p)
		}
	}
}

// Fits that are killed by SIGKILL at random moments and started again end with the bits of one that
// was left alone.
func TestFitKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	kills := 0
	for which := range len(onDisk) + 1 {
		dir := t.TempDir()
		x := written(t, filepath.Join(dir, "x"), planted(80, 301, 4, 5, 0.1, false), 64)
		want, err := fitOnDisk(which, "").Fit(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
		for try := 0; ; try++ {
			if try == 100 {
				t.Fatal("a hundred tries, and no end")
			}
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "PANEL_FIT="+dir, fmt.Sprint("PANEL_WHICH=", which))
			var out strings.Builder
			cmd.Stdout = &out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			timer := time.AfterFunc(time.Duration(rand.IntN(120)+5)*time.Millisecond, func() {
				if try < 12 {
					_ = cmd.Process.Kill()
				}
			})
			err := cmd.Wait()
			timer.Stop()
			if err == nil {
				break
			}
			if cmd.ProcessState.ExitCode() >= 0 {
				t.Fatalf("%v: %s", err, out.String())
			}
			kills++
		}
		got, err := fitOnDisk(which, filepath.Join(dir, "state")).Fit(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
		same(t, got, want, x)
	}
	if kills == 0 {
		t.Error("nothing was killed")
	}
	t.Logf("%d processes killed", kills)
}

// A fit that ctx ends goes on, as does one whose rounds ran out, with the bits of one that was left
// alone.
func TestFitGoesOn(t *testing.T) {
	x := FromDense(planted(60, 150, 4, 6, 0.1, false), 40)
	for i, b := range onDisk {
		want, err := b.Fit(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
		b.State = t.TempDir()
		for _, rounds := range []int{3, 17, 18} {
			b.Model.MaxIter = rounds
			r, err := b.Fit(context.Background(), x)
			if err != nil {
				t.Fatal(err)
			}
			if r.Reason != rnmf.MaxIter || len(r.Trace) != rounds+1 {
				t.Errorf("fit %d: %v after %d rounds, want %d", i, r.Reason, len(r.Trace)-1, rounds)
			}
		}
		b.Model.MaxIter = 40
		ctx, cancel := context.WithCancel(context.Background())
		r, err := watching(b, func(p rnmf.Point) {
			if p.Round == 25 {
				cancel()
			}
		}).Fit(ctx, x)
		if !errors.Is(err, context.Canceled) || r == nil || r.Reason != rnmf.Cancelled || r.Objective != want.Trace[25].Objective {
			t.Fatalf("fit %d: cancelled with %v and %+v", i, err, r)
		}
		got, err := b.Fit(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
		same(t, got, want, x)
	}
}

// What is wrong with a folder of panels or a state folder is an error that names the file.
func TestDamagedFolders(t *testing.T) {
	dir := t.TempDir()
	panels, state := filepath.Join(dir, "x"), filepath.Join(dir, "state")
	x := written(t, panels, planted(50, 90, 3, 1, 0, false), 40)
	b := Batch{Model: rnmf.Model{Rank: 3, MaxIter: 5, Tol: -1}, State: state}
	if _, err := b.Fit(context.Background(), x); err != nil {
		t.Fatal(err)
	}
	b.Model.MaxIter = 9
	damage := func(name string, at int64, bytes ...byte) (restore func()) {
		was, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		if bytes == nil {
			err = f.Truncate(at)
		} else {
			_, err = f.WriteAt(bytes, at)
		}
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
		return func() {
			if err := os.WriteFile(name, was, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	wrong := func(what, name string, kind error) {
		t.Helper()
		x, err := Open(panels)
		if err == nil {
			_, err = b.Fit(context.Background(), x)
		}
		if !errors.Is(err, kind) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v, want %v and %s", what, err, kind, name)
		}
	}
	second := filepath.Join(panels, "panel-0000000001.npy")
	restore := damage(second, 5000, 1, 2, 3)
	wrong("a damaged number", second, rnmf.ErrFormat)
	restore()
	restore = damage(second, 9000)
	wrong("a panel that is too short", second, rnmf.ErrFormat)
	restore()
	restore = damage(second, 0, 'X')
	wrong("a panel without header", second, rnmf.ErrFormat)
	restore()
	d, err := os.ReadFile(filepath.Join(state, driverFile))
	if err != nil {
		t.Fatal(err)
	}
	driver := new(Driver)
	if err := driver.UnmarshalBinary(d); err != nil {
		t.Fatal(err)
	}
	h := (&stateFolder{dir: state}).name(driver.Generation(), 1)
	restore = damage(h, 100, 77)
	wrong("damaged coefficients", h, rnmf.ErrFormat)
	restore()
	if err := os.Rename(h, h+".away"); err != nil {
		t.Fatal(err)
	}
	wrong("missing coefficients", h, fs.ErrNotExist)
	if err := os.Rename(h+".away", h); err != nil {
		t.Fatal(err)
	}
	restore = damage(filepath.Join(state, driverFile), 50, 77)
	wrong("a damaged driver", driverFile, rnmf.ErrFormat)
	restore()
	b.Model.Rank = 2
	wrong("another rank", state, rnmf.ErrParameter)
	b.Model.Rank, b.Model.Seed = 3, 8
	wrong("another seed", state, rnmf.ErrParameter)
	b.Model.Seed = 0
	if r, err := b.Fit(context.Background(), x); err != nil || len(r.Trace) != 10 {
		t.Errorf("the fit does not go on: %v", err)
	}
}
