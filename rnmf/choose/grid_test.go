package choose

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// sample is a grid with scores that are not round.
func sample() Grid {
	return Grid{
		Task:       "sample",
		Parameters: []Parameter{{"alpha", Decades(-3, 3)}, {"beta", []float64{0, 1, 2.5}}, {"k", Range(2, 5)}},
		Score: func(_ context.Context, p Setting) (Scores, error) {
			return Scores{
				"a": math.Sin(p.Value("alpha")) + math.Sqrt(p.Value("beta"))/3,
				"b": math.Exp(-p.Value("alpha")) * p.Value("k") / 7,
			}, nil
		},
	}
}

func mustRun(t *testing.T, g Grid) *Table {
	t.Helper()
	table, err := g.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestGridOrder(t *testing.T) {
	g := sample()
	want := mustRun(t, g)
	if len(want.Rows) != 7*3*4 {
		t.Fatalf("%d rows", len(want.Rows))
	}
	if s := fmt.Sprint(want.Rows[0].Setting, " ", want.Rows[5].Setting, " ", want.Rows[83].Setting); s != "alpha=0.001 beta=0 k=2 alpha=0.001 beta=1 k=3 alpha=1000 beta=2.5 k=5" {
		t.Error(s)
	}
	for _, row := range want.Rows {
		if s, _ := g.Score(context.Background(), row.Setting); !reflect.DeepEqual(s, row.Scores) {
			t.Errorf("%v: %v, want %v", row.Setting, row.Scores, s)
		}
	}
	for _, workers := range []int{1, 2, 13, 200} {
		g.Workers = workers
		g.File = filepath.Join(t.TempDir(), "grid")
		score := g.Score
		var calls atomic.Int32
		g.Score = func(ctx context.Context, p Setting) (Scores, error) {
			time.Sleep(time.Duration(rand.IntN(100)) * time.Microsecond)
			calls.Add(1)
			return score(ctx, p)
		}
		last := -1
		g.Progress = func(p Progress) {
			if p.Done != last+1 || p.Total != 84 || p.Kept != 0 || (p.Done > 0) != (p.Row.Scores != nil) {
				t.Errorf("after %d: %+v", last, p)
			}
			last = p.Done
		}
		if got := mustRun(t, g); !reflect.DeepEqual(got, want) || calls.Load() != 84 || last != 84 {
			t.Errorf("%d workers: another table, or %d calls", workers, calls.Load())
		}
		// Again, all from the file, and with a larger grid.
		g.Progress = nil
		calls.Store(0)
		if got := mustRun(t, g); !reflect.DeepEqual(got, want) || calls.Load() != 0 {
			t.Errorf("%d workers: from the file another table, or %d calls", workers, calls.Load())
		}
		g.Parameters = []Parameter{g.Parameters[0], g.Parameters[1], {"k", []float64{9, 4, 3}}}
		if got := mustRun(t, g); len(got.Rows) != 63 || calls.Load() != 21 {
			t.Errorf("%d calls for the new values", calls.Load())
		}
		g.Parameters, g.Score = sample().Parameters, sample().Score
	}
}

func TestDecades(t *testing.T) {
	want := []float64{0.001, 0.01, 0.1, 1, 10, 100, 1000}
	if got := Decades(-3, 3); !reflect.DeepEqual(got, want) {
		t.Error(got)
	}
}

func TestGridErrors(t *testing.T) {
	score := sample().Score
	for _, g := range []Grid{
		{Score: score},
		{Parameters: []Parameter{{"a", nil}}, Score: score},
		{Parameters: []Parameter{{"", []float64{1}}}, Score: score},
		{Parameters: []Parameter{{"a", []float64{1}}, {"a", []float64{2}}}, Score: score},
		{Parameters: []Parameter{{"a", []float64{1, 2, 1}}}, Score: score},
		{Parameters: []Parameter{{"a", []float64{math.NaN()}}}, Score: score},
		{Parameters: []Parameter{{"a", []float64{1}}}},
		{Parameters: sample().Parameters, Score: score, Workers: -1},
	} {
		if _, err := g.Run(context.Background()); !errors.Is(err, ErrParameter) {
			t.Errorf("%+v: %v", g.Parameters, err)
		}
	}
	oops := errors.New("oops")
	for _, c := range []struct {
		scores Scores
		err    error
		want   error
	}{{nil, oops, oops}, {nil, nil, ErrScore}, {Scores{"a": math.NaN()}, nil, ErrScore}, {Scores{"a": math.Inf(1)}, nil, ErrScore}} {
		g := sample()
		g.File = filepath.Join(t.TempDir(), "grid")
		g.Score = func(ctx context.Context, p Setting) (Scores, error) {
			if p.Value("alpha") == 10 {
				return c.scores, c.err
			}
			return score(ctx, p)
		}
		table, err := g.Run(context.Background())
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), "alpha=10 ") || len(table.Rows) == 0 || len(table.Rows) >= 84 {
			t.Errorf("%v, %d rows, want %v", err, len(table.Rows), c.want)
		}
		// What was found is kept, and the rest follows.
		g.Score = score
		if got := mustRun(t, g); !reflect.DeepEqual(got, mustRun(t, sample())) {
			t.Error("another table after an error")
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic for an unknown name")
		}
	}()
	Setting{Names: []string{"a"}, Values: []float64{1}}.Value("b")
}

func TestGridCancel(t *testing.T) {
	want := mustRun(t, sample())
	g := sample()
	g.File = filepath.Join(t.TempDir(), "grid")
	for stop := 5; ; stop += 20 {
		ctx, cancel := context.WithCancel(context.Background())
		g.Progress = func(p Progress) {
			if p.Done == stop {
				cancel()
			}
		}
		g.Score = func(ctx context.Context, p Setting) (Scores, error) {
			s, err := sample().Score(ctx, p)
			if ctx.Err() != nil {
				return Scores{"a": 99, "b": 99}, nil // what is half done must not count
			}
			return s, err
		}
		table, err := g.Run(ctx)
		cancel()
		if err == nil {
			if !reflect.DeepEqual(table, want) {
				t.Error("another table")
			}
			break
		}
		if !errors.Is(err, context.Canceled) || len(table.Rows) < stop {
			t.Fatalf("%v, %d rows after %d", err, len(table.Rows), stop)
		}
	}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	if table, err := sample().Run(done); !errors.Is(err, context.Canceled) || len(table.Rows) > 0 {
		t.Error(err)
	}
}

// A score that panics ends the search with an error that names its setting and tells
// where; what was known stays, in the table and in the file.
func TestGridPanic(t *testing.T) {
	want := mustRun(t, sample())
	g := sample()
	g.File = filepath.Join(t.TempDir(), "grid")
	g.Workers = 1
	bad := want.Rows[7].Setting
	g.Score = func(ctx context.Context, p Setting) (Scores, error) {
		if slices.Equal(p.Values, bad.Values) {
			panic("in a score")
		}
		return sample().Score(ctx, p)
	}
	table, err := g.Run(context.Background())
	if err == nil || !strings.Contains(err.Error(), "in a score") || !strings.Contains(err.Error(), bad.String()) || !strings.Contains(err.Error(), "TestGridPanic") {
		t.Fatal(err)
	}
	// The worker may have begun the next setting before it was told to stop.
	if n := len(table.Rows); n != 7 && n != 8 || !reflect.DeepEqual(table.Rows[:7], want.Rows[:7]) || n == 8 && slices.Equal(table.Rows[7].Setting.Values, bad.Values) {
		t.Errorf("%d rows, want the 7 before and perhaps the next", n)
	}
	g.Score = sample().Score
	if got := mustRun(t, g); !reflect.DeepEqual(got, want) {
		t.Error("another table, when it goes on")
	}
}

// A file cut off at any byte, with or without garbage after it, loses only the settings
// whose line is not whole, and none is doubled.
func TestGridTorn(t *testing.T) {
	g := sample()
	g.Parameters = []Parameter{{"alpha", []float64{0.1, 3}}, {"beta", []float64{1}}, {"k", []float64{2}}}
	g.File = filepath.Join(t.TempDir(), "grid")
	g.Workers = 1
	want := mustRun(t, g)
	whole, err := os.ReadFile(g.File)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range len(whole) + 1 {
		if testing.Short() && cut%5 > 0 {
			continue
		}
		for i, tail := range []string{"", "\x00\x00\x00", "\x00\n"} {
			if i != cut%3 {
				continue
			}
			if err := os.WriteFile(g.File, append(bytes.Clone(whole[:cut]), tail...), 0o644); err != nil {
				t.Fatal(err)
			}
			lines := bytes.Count(whole[:cut], []byte("\n"))
			if lines == 0 && tail == "\x00\n" {
				continue // that is no header of ours
			}
			g.Progress = func(p Progress) {
				if p.Kept != max(lines-1, 0) {
					t.Errorf("cut at %d, %q: %d kept, want %d", cut, tail, p.Kept, lines-1)
				}
			}
			if got := mustRun(t, g); !reflect.DeepEqual(got, want) {
				t.Fatalf("cut at %d: another table", cut)
			}
			if now, _ := os.ReadFile(g.File); !bytes.Equal(now, whole) {
				t.Fatalf("cut at %d: another file:\n%s", cut, now)
			}
		}
	}
	// Damage elsewhere, another task, other names, a file that is none of ours.
	g.Progress = nil
	refused := func(name string, data []byte, g Grid) {
		t.Helper()
		if err := os.WriteFile(g.File, data, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := g.Run(context.Background()); !errors.Is(err, ErrFile) {
			t.Errorf("%s: %v", name, err)
		}
		if now, _ := os.ReadFile(g.File); !bytes.Equal(now, data) {
			t.Errorf("%s: the file has changed", name)
		}
	}
	for at := range whole {
		if lines := bytes.Count(whole[:at+1], []byte("\n")); lines >= 2 {
			break // the last line, or what joins it to the one before, may be torn
		}
		bad := bytes.Clone(whole)
		bad[at] ^= 1
		refused(fmt.Sprintf("a changed bit in byte %d", at), bad, g)
	}
	other := g
	other.Task = "other"
	refused("another task", whole, other)
	other = g
	other.Parameters = []Parameter{{"alpha", []float64{1}}, {"gamma", []float64{1}}, {"k", []float64{1}}}
	refused("another name", whole, other)
	refused("a letter", []byte("Dear grid,\nhow are you?\n"), g)
	refused("a short letter", []byte("Dear grid"), g)
	lines := bytes.SplitAfter(whole, []byte("\n"))
	text, _ := unwrap(lines[1])
	refused("two truths", append(bytes.Clone(whole), wrap(bytes.Replace(text, []byte(`"b":0.`), []byte(`"b":1.`), 1))...), g)
	refused("a line of another grid", append(bytes.Clone(whole), wrap([]byte(`{"values":[1],"scores":{"a":1}}`))...), g)
}

// TestMain runs a search instead of the tests, for TestGridKilled to kill.
func TestMain(m *testing.M) {
	if file := os.Getenv("CHOOSE_SEARCH"); file != "" {
		g := sample()
		g.File, g.Workers = file, 3
		score := g.Score
		g.Score = func(ctx context.Context, p Setting) (Scores, error) {
			time.Sleep(time.Duration(rand.IntN(1000)) * time.Microsecond)
			return score(ctx, p)
		}
		g.Progress = func(p Progress) {
			if p.Row.Scores != nil {
				fmt.Println(p.Row.Setting)
			}
		}
		if _, err := g.Run(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		fmt.Println("end")
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// Processes killed at random moments: what was reported is never lost, nothing is done
// twice or doubled, and the result is that of a search left alone.
func TestGridKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	kills := 0
	for range 100 {
		if kills += killed(t); kills >= 12 {
			return
		}
	}
	t.Errorf("%d processes killed", kills)
}

// killed runs one search to its end, and returns how often it was killed.
func killed(t *testing.T) (kills int) {
	file := filepath.Join(t.TempDir(), "grid")
	reported := map[string]bool{}
	for ended := false; !ended; {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "CHOOSE_SEARCH="+file)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		after := 1 + rand.IntN(11) // reports, then up to two milliseconds
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			line := lines.Text()
			if line == "end" {
				ended = true
				break
			}
			if reported[line] {
				t.Errorf("%s was tried again", line)
			}
			reported[line] = true
			if after--; after == 0 {
				time.Sleep(time.Duration(rand.IntN(2000)) * time.Microsecond)
				if err := cmd.Process.Kill(); err == nil {
					kills++
				}
			}
		}
		if _, err := io.Copy(io.Discard, out); err != nil && !errors.Is(err, os.ErrClosed) {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil && cmd.ProcessState.ExitCode() == 3 {
			t.Fatal(err)
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range reported {
			var a, b, k float64
			if _, err := fmt.Sscanf(line, "alpha=%g beta=%g k=%g", &a, &b, &k); err != nil {
				t.Fatal(line, err)
			}
			format := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
			if want := fmt.Sprintf(`{"values":[%s,%s,%s],`, format(a), format(b), format(k)); !bytes.Contains(data, []byte(want)) {
				t.Fatalf("%s was reported and is not in the file", line)
			}
		}
	}
	g := sample()
	g.File = file
	g.Score = func(context.Context, Setting) (Scores, error) { return nil, errors.New("nothing is left to do") }
	if got := mustRun(t, g); !reflect.DeepEqual(got, mustRun(t, sample())) {
		t.Error("another table")
	}
	data, _ := os.ReadFile(file)
	if n := bytes.Count(data, []byte("\n")); n != 85 {
		t.Errorf("%d lines, want 85", n)
	}
	return kills
}

func TestChoices(t *testing.T) {
	table := &Table{Names: []string{"k"}}
	for i, s := range []Scores{{"acc": 0.5, "err": 3, "se": 1}, {"acc": 0.9, "err": 2.5, "se": 1}, {"acc": 0.7, "err": 2, "se": 0.6}, {"acc": 0.6, "err": 2}, {"acc": 0.1}} {
		table.Rows = append(table.Rows, Row{Setting{table.Names, []float64{float64(i)}}, s})
	}
	c, err := table.Choices("acc", Criterion{Score: "err", Smaller: true}, Criterion{Score: "err", Smaller: true, Error: "se"}, Criterion{Score: "err"})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct{ k, label, regret, better float64 }{{1, 0.9, 0, 0}, {2, 0.7, 0.2, 0.25}, {1, 0.9, 0, 0}, {0, 0.5, 0.4, 0.75}} {
		if c[i].Row.Setting.Values[0] != want.k || c[i].Label != want.label || math.Abs(c[i].Regret-want.regret) > 1e-12 || c[i].Better != want.better {
			t.Errorf("choice %d is %+v, want %+v", i, c[i], want)
		}
	}
	if _, err := table.Choices("none"); !errors.Is(err, ErrParameter) {
		t.Error(err)
	}
	if _, err := table.Choices("acc", Criterion{Score: "none"}); !errors.Is(err, ErrParameter) {
		t.Error(err)
	}
	if m, err := table.Quantile("acc", 0.5); m != 0.6 || err != nil {
		t.Error(m, err)
	}
	if m, err := table.Quantile("acc", 0.875); math.Abs(m-0.8) > 1e-12 || err != nil {
		t.Error(m, err)
	}
	if _, err := table.Quantile("none", 0.5); !errors.Is(err, ErrParameter) {
		t.Error(err)
	}
	if r, ok := table.BeforeFall("acc"); !ok || r.Setting.Values[0] != 1 {
		t.Error(r)
	}
	if part := table.Where(func(r Row) bool { return r.Scores["acc"] < 0.6 }); len(part.Rows) != 2 {
		t.Error(part.Rows)
	}
}

// What stays the same has not fallen, and rows without the score are passed over.
func TestBeforeFall(t *testing.T) {
	for _, c := range []struct {
		scores []float64 // NaN: none
		want   float64   // the number of the row; -1: none
	}{
		{[]float64{1, 1, 0.9, 0.95}, 1},
		{[]float64{0.8, 0.9, 0.9, 0.9}, 3},
		{[]float64{0.9, 0.8, 1}, 0},
		{[]float64{math.NaN(), 0.5, math.NaN(), 0.4}, 1},
		{[]float64{math.NaN()}, -1},
	} {
		table := &Table{Names: []string{"k"}}
		for i, v := range c.scores {
			s := Scores{"other": 1}
			if !math.IsNaN(v) {
				s["s"] = v
			}
			table.Rows = append(table.Rows, Row{Setting{table.Names, []float64{float64(i)}}, s})
		}
		r, ok := table.BeforeFall("s")
		if ok != (c.want >= 0) || ok && r.Setting.Values[0] != c.want {
			t.Errorf("%v: %v, %v, want row %g", c.scores, r, ok, c.want)
		}
	}
}

// Files that earlier versions of this package wrote are read and gone on with. A change
// of the format adds files here and takes none away.
func TestEarlierGrids(t *testing.T) {
	names, err := filepath.Glob("testdata/saved/*.grid")
	if err != nil || len(names) != storeVersion {
		t.Fatalf("%v, %v", names, err)
	}
	for _, name := range names {
		old, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		old = bytes.ReplaceAll(old, []byte("\r\n"), []byte("\n")) // git on Windows
		file := filepath.Join(t.TempDir(), "grid")
		if err := os.WriteFile(file, old, 0o644); err != nil {
			t.Fatal(err)
		}
		g := earlier()
		g.File = file
		var tried []string
		score := g.Score
		g.Score = func(ctx context.Context, p Setting) (Scores, error) {
			tried = append(tried, p.String())
			return score(ctx, p)
		}
		if got := mustRun(t, g); !reflect.DeepEqual(got, mustRun(t, earlier())) {
			t.Errorf("%s: another table: %v", name, got.Rows)
		}
		// It has three of the settings, and the beginning of the fourth.
		if want := []string{"alpha=10 k=2", "alpha=10 k=3", "alpha=10 k=4"}; !slices.Equal(tried, want) {
			t.Errorf("%s: tried %q, want %q", name, tried, want)
		}
		whole := old[:bytes.LastIndexByte(old, '\n')+1]
		if now, _ := os.ReadFile(file); !bytes.HasPrefix(now, whole) || bytes.Count(now, []byte("\n")) != 7 {
			t.Errorf("%s: it goes on as\n%s", name, now)
		}
		g.Score = func(context.Context, Setting) (Scores, error) { return nil, errors.New("nothing is left to do") }
		mustRun(t, g)
	}
}

// earlier is the grid of the files in testdata/saved, whose scores are the same on every
// machine.
func earlier() Grid {
	return Grid{
		Task:       "Größe, \"2\" <seeds>",
		Parameters: []Parameter{{"alpha", []float64{0.1, 10}}, {"k", Range(2, 4)}},
		Workers:    1,
		Score: func(_ context.Context, p Setting) (Scores, error) {
			return Scores{"err": p.Value("alpha") / p.Value("k"), "nmi": -1e-300 * p.Value("k")}, nil
		},
	}
}

// A task that is no UTF-8, as a file name in Latin-1, is found again.
func TestGridLatin1(t *testing.T) {
	g := sample()
	g.File, g.Task = filepath.Join(t.TempDir(), "grid"), "caf\xe9.csv"
	mustRun(t, g)
	mustRun(t, g)
}

// A row that lacks the label is not said to be the best.
func TestChoicesWithoutLabel(t *testing.T) {
	table := &Table{Names: []string{"a"}}
	for i, s := range []Scores{{"acc": 0.9, "by": 1}, {"by": 3}, {"acc": 0.5, "by": 2}} {
		table.Rows = append(table.Rows, Row{Setting{Names: table.Names, Values: []float64{float64(i)}}, s})
	}
	c, err := table.Choices("acc", Criterion{Score: "by"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range c {
		if _, has := c.Row.Scores["acc"]; has == math.IsNaN(c.Better) {
			t.Errorf("%v: better are %g", c.Row, c.Better)
		}
	}
}

// A criterion whose Error no row has, or the best has not, chooses nothing.
func TestBestWithoutError(t *testing.T) {
	table := &Table{Names: []string{"a"}, Rows: []Row{
		{Setting{Names: []string{"a"}, Values: []float64{1}}, Scores{"s": 1, "se": 0.1}},
		{Setting{Names: []string{"a"}, Values: []float64{2}}, Scores{"s": 2}},
	}}
	for _, c := range []Criterion{{Score: "s", Error: "misspelt"}, {Score: "s", Error: "se"}} {
		if r, ok := table.Best(c); ok {
			t.Errorf("%v chooses %v", c, r)
		}
		if _, err := table.Choices("s", c); !errors.Is(err, ErrParameter) || !strings.Contains(err.Error(), c.Error) {
			t.Errorf("%v: %v", c, err)
		}
	}
	if r, ok := table.Best(Criterion{Score: "s", Smaller: true, Error: "se"}); !ok || r.Setting.Values[0] != 1 {
		t.Error(r, ok)
	}
}

// A score that ends its goroutine, as t.FailNow does, is an error and does not hang.
func TestGridGoexit(t *testing.T) {
	for _, workers := range []int{1, 3} {
		_, err := Grid{
			Parameters: []Parameter{{Name: "a", Values: Range(1, 9)}}, Workers: workers,
			Score: func(_ context.Context, p Setting) (Scores, error) {
				if p.Value("a") == 4 {
					runtime.Goexit()
				}
				return Scores{"s": 1}, nil
			},
		}.Run(t.Context())
		if !errors.Is(err, errGoexit) || !strings.Contains(err.Error(), "a = 4") && !strings.Contains(err.Error(), "a=4") {
			t.Errorf("%d workers: %v", workers, err)
		}
	}
}
