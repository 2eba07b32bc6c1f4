package beam

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/memfs"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/panel"
)

// fits are one of each kind of statistics, and one with a scale.
var fits = []panel.Batch{
	{Model: rnmf.Model{Rank: 4, Loss: rnmf.ByColumn{Loss: rnmf.L1{Eps: 1e-2}}, Seed: 2, MaxIter: 20, Tol: -1}},
	{Model: rnmf.Model{Rank: 4, Loss: rnmf.Cauchy{}, Seed: 2, MaxIter: 20, Tol: -1, TuneFor: 6}},
	{Model: rnmf.Model{Rank: 4, Loss: rnmf.Huber{Cut: 0.2}, Seed: 2, MaxIter: 300, Tol: 1e-3}},
}

// planted writes m×n data of rank 4 with noise as panels of the given width.
func planted(t testing.TB, dir string, m, n, width int) *panel.DiskSource {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 1))
	draw := func(rows, columns int) *mat.Dense {
		d := mat.NewDense(rows, columns, nil)
		for i := range rows {
			for j := range columns {
				if rng.Float64() < 0.5 {
					d.Set(i, j, rng.ExpFloat64())
				}
			}
		}
		return d
	}
	var x mat.Dense
	x.Mul(draw(m, 4), draw(4, n))
	x.Apply(func(_, _ int, v float64) float64 { return v + 0.1*rng.Float64() }, &x)
	if err := panel.Write(dir, panel.All(panel.FromDense(&x, 0)), width, false); err != nil {
		t.Fatal(err)
	}
	f, err := panel.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// same compares a fit with that of panel.Batch, bit for bit.
func same(t *testing.T, got *Result, want *panel.Result, panels int) {
	t.Helper()
	if !mat.Equal(got.W, want.W) || got.Objective != want.Objective || got.Reason != want.Reason || len(got.Trace) != len(want.Trace) {
		t.Fatalf("%v at %.17g after %d rounds, want %v at %.17g after %d", got.Reason, got.Objective, len(got.Trace), want.Reason, want.Objective, len(want.Trace))
	}
	for p := range panels {
		g, err := got.Coefficients(p)
		if err != nil {
			t.Fatal(err)
		}
		w, err := want.Coefficients(p)
		if err != nil {
			t.Fatal(err)
		}
		if !mat.Equal(g, w) {
			t.Fatalf("H of panel %d differs", p)
		}
	}
}

// Fits on Beam have the bits of panel.Batch, which can lead them on from the same state folder.
func TestBeamFit(t *testing.T) {
	if testing.Short() {
		t.Skip("runs jobs of Beam")
	}
	ctx := context.Background()
	for i, b := range fits {
		dir := t.TempDir()
		x := planted(t, filepath.Join(dir, "x"), 60, 301, 64)
		want, err := b.Fit(ctx, x)
		if err != nil {
			t.Fatal(err)
		}
		b.State = filepath.Join(dir, "state")
		var seen rnmf.Trace
		b.Model.Watch = func(p rnmf.Point) { seen = append(seen, p) }
		got, err := Fit(ctx, b, filepath.Join(dir, "x"))
		if err != nil {
			t.Fatal(err)
		}
		same(t, got, want, x.Panels())
		if len(seen) != len(want.Trace) {
			t.Errorf("fit %d: %d points were seen, want %d", i, len(seen), len(want.Trace))
		}
		last := -1.0
		for r, p := range got.Trace {
			if p.Objective != want.Trace[r].Objective || p.Seconds <= last {
				t.Errorf("fit %d: round %d is %+v after %g s, want the objective %g", i, r, p, last, want.Trace[r].Objective)
			}
			last = p.Seconds
		}
	}
}

// TestMain is another program where a test has started it as such: a job server, a pool of workers, or
// a driver.
func TestMain(m *testing.M) {
	role, dir := os.Getenv("BEAM_ROLE"), os.Getenv("BEAM_DIR")
	ctx := context.Background()
	switch role {
	case "":
		slog.SetDefault(slog.New(slog.DiscardHandler))
		os.Exit(m.Run())
	case "server":
		ports := flag.Int("port", 0, "")
		flag.Parse()
		if _, err := prism.CreateJobServer(ctx, prism.Options{Port: *ports}); err != nil {
			panic(err)
		}
		fmt.Println("ready")
		select {}
	case "driver":
		flag.Parse()
		leastPatience = 3 * time.Second
		b := killed
		b.State = filepath.Join(dir, "state")
		b.Model.Watch = func(p rnmf.Point) { fmt.Println("round", p.Round) }
		r, err := Fit(ctx, b, filepath.Join(dir, "x"))
		if err != nil {
			fmt.Println(err)
			os.Exit(3)
		}
		fmt.Println("end", r.Reason)
	}
}

// killed is the fit whose workers are killed.
var killed = panel.Batch{Model: rnmf.Model{Rank: 4, Loss: rnmf.Cauchy{}, Seed: 2, MaxIter: 60, Tol: -1, TuneFor: 6}}

// freePort returns a port that nobody uses.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// process starts a program, and waits for its first line.
func process(t *testing.T, name, first string, env []string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if !strings.HasPrefix(line, first) {
		t.Fatalf("%s %v begins with %q and %v, want %q", name, args, line, err, first)
	}
	return cmd
}

// A pool of workers is killed by SIGKILL in the middle of a round and started again.
func TestBeamWorkerKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	harm(t, func(pool *exec.Cmd, start func(), _ *hearing) {
		_ = pool.Process.Kill()
		_ = pool.Wait()
		start()
	})
}

// harm fits with three processes: a job server, a pool of workers, to which something is done in the
// middle of a round, and a driver, which goes on by itself and ends with the bits of panel.Batch.
func harm(t *testing.T, do func(pool *exec.Cmd, start func(), driver *hearing)) {
	t.Helper()
	dir := t.TempDir()
	x := planted(t, filepath.Join(dir, "x"), 60, 301, 64)
	want, err := killed.Fit(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	worker := filepath.Join(dir, "worker")
	if runtime.GOOS == "windows" {
		worker += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", worker, "./worker").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	server, pool := freePort(t), freePort(t)
	process(t, os.Args[0], "ready", []string{"BEAM_ROLE=server"}, fmt.Sprint("-port=", server))
	workers := func() *exec.Cmd { return process(t, worker, "workers at", nil, fmt.Sprint("-port=", pool)) }
	first := workers()
	limit, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	driver := exec.CommandContext(limit, os.Args[0], "-runner=universal", fmt.Sprint("-endpoint=localhost:", server), "-environment_type=EXTERNAL",
		fmt.Sprint("-environment_config=localhost:", pool), "-worker_binary="+worker)
	driver.Env = append(os.Environ(), "BEAM_ROLE=driver", "BEAM_DIR="+dir)
	var noise hearing
	driver.Stderr = &noise
	out, err := driver.StdoutPipe()
	if err == nil {
		err = driver.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer driver.Process.Kill()
	var last string
	rounds := 0
	for lines := bufio.NewScanner(out); lines.Scan(); {
		last = lines.Text()
		if rounds++; rounds == 5 {
			// A job has ended; once the next one has statistics, it is in the middle of a round.
			waitFor(t, filepath.Join(dir, "state", "job-*-1-0"))
			do(first, func() { workers() }, &noise)
		}
	}
	if err := driver.Wait(); err != nil || last != fmt.Sprint("end ", want.Reason) {
		t.Fatalf("the driver ended with %v and %q\n%s", err, last, noise.String())
	}
	if !strings.Contains(noise.String(), "the fit goes on") {
		t.Errorf("no job failed\n%s", noise.String())
	}
	if want := len(want.Trace) + 1; rounds != want {
		t.Errorf("the driver told of %d rounds, want %d", rounds, want)
	}
	// A fit that has ended is found so in its state folder, by panel.Batch, too.
	b := killed
	b.State = filepath.Join(dir, "state")
	got, err := Fit(context.Background(), b, filepath.Join(dir, "x"))
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, want, x.Panels())
	again, err := b.Fit(context.Background(), x)
	if err != nil || again.Objective != want.Objective {
		t.Errorf("panel.Batch: %v", err)
	}
}

// hearing keeps what a process writes, to be read while it runs.
type hearing struct {
	mu   sync.Mutex
	text strings.Builder
}

func (h *hearing) Write(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.Write(b)
}

func (h *hearing) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.String()
}

// await waits until the process has written these words.
func (h *hearing) await(t *testing.T, words string) {
	t.Helper()
	for range 4000 {
		if strings.Contains(h.String(), words) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("it has not written %q\n%s", words, h)
}

// waitFor waits for a file.
func waitFor(t *testing.T, pattern string) {
	t.Helper()
	for range 6000 {
		if found, _ := filepath.Glob(pattern); len(found) > 0 {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("no file %s", pattern)
}

// A fit goes on from jobs to panel.Batch and back, after being cancelled, and with more rounds.
func TestBeamGoesOn(t *testing.T) {
	if testing.Short() {
		t.Skip("runs jobs of Beam")
	}
	ctx := context.Background()
	dir := t.TempDir()
	x := planted(t, filepath.Join(dir, "x"), 60, 150, 40)
	b := killed
	want, err := b.Fit(ctx, x)
	if err != nil {
		t.Fatal(err)
	}
	b.State = filepath.Join(dir, "state")
	b.Model.MaxIter = 3
	if r, err := Fit(ctx, b, filepath.Join(dir, "x")); err != nil || r.Reason != rnmf.MaxIter || r.Objective != want.Trace[3].Objective {
		t.Fatalf("3 rounds: %v", err)
	}
	b.Model.MaxIter = 9
	if r, err := b.Fit(ctx, x); err != nil || r.Objective != want.Trace[9].Objective {
		t.Fatalf("9 rounds: %v", err)
	}
	b.Model.MaxIter = killed.Model.MaxIter
	ctx, cancel := context.WithCancel(ctx)
	b.Model.Watch = func(p rnmf.Point) {
		if p.Round == 12 {
			cancel()
		}
	}
	r, err := Fit(ctx, b, filepath.Join(dir, "x"))
	if !errors.Is(err, context.Canceled) || r == nil || r.Reason != rnmf.Cancelled || r.Objective != want.Trace[len(r.Trace)-1].Objective {
		t.Fatalf("cancelled with %v", err)
	}
	got, err := Fit(context.Background(), b, filepath.Join(dir, "x"))
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, want, x.Panels())
}

// What is wrong with panels, a state folder or a model is an error that names it.
func TestBeamDamaged(t *testing.T) {
	if testing.Short() {
		t.Skip("runs jobs of Beam")
	}
	ctx := context.Background()
	dir := t.TempDir()
	panels, state := filepath.Join(dir, "x"), filepath.Join(dir, "state")
	planted(t, panels, 50, 90, 40)
	b := panel.Batch{Model: rnmf.Model{Rank: 3, MaxIter: 2, Tol: -1}, State: state}
	second := filepath.Join(panels, "panel-0000000001.npy")
	whole, err := os.ReadFile(second)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, bytes []byte) {
		t.Helper()
		if err := os.WriteFile(name, bytes, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	damaged := slices.Clone(whole)
	damaged[5000] ^= 1
	wrong := func(what, name string, kind error, b panel.Batch) {
		t.Helper()
		if _, err := Fit(ctx, b, panels); !errors.Is(err, kind) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v, want %v and %s", what, err, kind, name)
		}
	}
	write(second, damaged)
	wrong("a damaged number, before the first round", "panel 1: "+second, rnmf.ErrFormat, b)
	write(second, whole[:9000])
	wrong("a panel that is too short", second, rnmf.ErrFormat, b)
	write(second, whole)
	if _, err := Fit(ctx, b, panels); err != nil {
		t.Fatal(err)
	}
	b.Model.MaxIter = 6
	write(second, damaged)
	wrong("a damaged number, later", "panel 1: "+second, rnmf.ErrFormat, b)
	write(second, whole)
	other := b
	other.Model.Rank = 2
	wrong("another rank", state, rnmf.ErrParameter, other)
	other = b
	other.Model.Seed = 8
	wrong("another seed", state, rnmf.ErrParameter, other)
	other = b
	other.State = ""
	wrong("no state folder", "State", rnmf.ErrParameter, other)
	other = b
	other.Missing = true
	wrong("missing entries", "Missing", rnmf.ErrParameter, other)
	other = b
	other.Model.Rank = 51
	wrong("a rank that is too large", "51", rnmf.ErrRank, other)
	d, err := os.ReadFile(filepath.Join(state, driverFile))
	if err != nil {
		t.Fatal(err)
	}
	leader := new(panel.Driver)
	if err := leader.UnmarshalBinary(d); err != nil {
		t.Fatal(err)
	}
	h := filepath.Join(state, coefficients(leader.Generation(), 1))
	if err := os.Rename(h, h+".away"); err != nil {
		t.Fatal(err)
	}
	wrong("missing coefficients", h, fs.ErrNotExist, b)
	if err := os.Rename(h+".away", h); err != nil {
		t.Fatal(err)
	}
	write(filepath.Join(state, driverFile), d[:len(d)-9])
	wrong("a damaged driver", driverFile, rnmf.ErrFormat, b)
	write(filepath.Join(state, driverFile), d)
	if r, err := Fit(ctx, b, panels); err != nil || len(r.Trace) != 7 {
		t.Errorf("the fit does not go on: %v", err)
	}
}

// A fit refuses other data of the same shape, before and after it has ended.
func TestBeamOtherData(t *testing.T) {
	if testing.Short() {
		t.Skip("runs jobs of Beam")
	}
	ctx, dir := context.Background(), t.TempDir()
	first, other := filepath.Join(dir, "x"), filepath.Join(dir, "y")
	x := planted(t, first, 50, 90, 40)
	y := mat.NewDense(50, 90, nil)
	for p := range x.Panels() {
		v, err := x.Load(p)
		if err != nil {
			t.Fatal(err)
		}
		from, to := x.Columns(p)
		y.Slice(0, 50, from, to).(*mat.Dense).Copy(v.Dense)
	}
	y.Set(7, 45, 1+y.At(7, 45)) // in panel 1
	if err := panel.Write(other, panel.All(panel.FromDense(y, 0)), 40, false); err != nil {
		t.Fatal(err)
	}
	b := panel.Batch{Model: rnmf.Model{Rank: 3, MaxIter: 2, Tol: -1}, State: filepath.Join(dir, "state")}
	if _, err := Fit(ctx, b, first); err != nil {
		t.Fatal(err)
	}
	for _, rounds := range []int{2, 4} {
		b.Model.MaxIter = rounds
		if _, err := Fit(ctx, b, other); !errors.Is(err, rnmf.ErrParameter) || !strings.Contains(err.Error(), "panel 1: ") {
			t.Errorf("other data for %d rounds: %v, want that of panel 1", rounds, err)
		}
	}
	if _, err := Fit(ctx, b, first); err != nil {
		t.Errorf("the fit does not go on: %v", err)
	}
}

// The panels and the state may lie in an object store.
func TestBeamObjects(t *testing.T) {
	if testing.Short() {
		t.Skip("runs jobs of Beam")
	}
	ctx := context.Background()
	dir := t.TempDir()
	x := planted(t, filepath.Join(dir, "x"), 50, 90, 40)
	b := fits[0]
	want, err := b.Fit(ctx, x)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(filepath.Join(dir, "x"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, "x", e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		memfs.Write("memfs://x/"+e.Name(), data)
	}
	b.State = "memfs://state"
	got, err := Fit(ctx, b, "memfs://x")
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, want, x.Panels())
	b.Model.Rank = 3
	if _, err := Fit(ctx, b, "memfs://x"); !errors.Is(err, rnmf.ErrParameter) {
		t.Errorf("the state of another fit: %v", err)
	}
	if _, err := Fit(ctx, b, "nowhere://x"); err == nil || !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("an unknown file system: %v", err)
	}
}

// The number of rounds in a job grows with what a job costs, and is 2 where that does not matter.
func TestRoundsOfJob(t *testing.T) {
	trace := func(n int, seconds float64) rnmf.Trace {
		tr := make(rnmf.Trace, n)
		for i := range tr {
			tr[i].Seconds = seconds * float64(i)
		}
		return tr
	}
	for _, c := range []struct {
		rounds         int
		seconds, round float64
		want           int
	}{
		{4, 4*0.1 + 0.05, 0.1, 5},
		{4, 4*0.1 + 0.2, 0.1, 8},
		{32, 32*0.1 + 5, 0.1, 32},
		{4, 4*60 + 0.3, 60, 2},
	} {
		if got := new(clock).next(c.rounds, c.seconds, trace(c.rounds, c.round)); got != c.want {
			t.Errorf("%d rounds of %g s in %g s: %d, want %d", c.rounds, c.round, c.seconds, got, c.want)
		}
	}
}
