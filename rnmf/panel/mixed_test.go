package panel

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets/sparse"
	"github.com/robustnmf/robustnmf/rnmf"
)

// A snapshot is the files of a state folder at some moment.
type snapshot map[string][]byte

func snap(t *testing.T, dir string) snapshot {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	s := snapshot{}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		s[e.Name()] = b
	}
	return s
}

// restore writes the files into a new folder.
func (s snapshot) restore(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, b := range s {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// snapshots are those of a fit at several moments, of one that was restored and went on in another
// way, and of fits with the same and with another seed.
func snapshots(t *testing.T, which int, x Source) []snapshot {
	t.Helper()
	var all []snapshot
	ctx := context.Background()
	for _, seed := range []uint64{2, 2, 3} {
		dir := t.TempDir()
		for _, rounds := range []int{3, 4, 7, 11} {
			if _, err := withRounds(which, dir, rounds, seed).Fit(ctx, x); err != nil {
				t.Fatal(err)
			}
			all = append(all, snap(t, dir))
		}
	}
	dir := all[1].restore(t)
	for _, end := range []int{5, 6, 9} {
		inner, cancel := context.WithCancel(ctx)
		if _, err := watching(withRounds(which, dir, 15, 2), func(p rnmf.Point) {
			if p.Round == end {
				cancel()
			}
		}).Fit(inner, x); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		all = append(all, snap(t, dir))
	}
	return all
}

// withRounds is fitOnDisk with another number of rounds and another seed.
func withRounds(which int, state string, rounds int, seed uint64) fitter {
	switch f := fitOnDisk(which, state).(type) {
	case Batch:
		f.Model.MaxIter, f.Model.Seed = rounds, seed
		return f
	case Minibatch:
		f.Model.MaxIter, f.Model.Seed = rounds, seed
		return f
	}
	panic("neither a Batch nor a Minibatch")
}

// watching is the fit with a Watch.
func watching(f fitter, watch func(rnmf.Point)) fitter {
	switch f := f.(type) {
	case Batch:
		f.Model.Watch = watch
		return f
	case Minibatch:
		f.Model.Watch = watch
		return f
	}
	panic("neither a Batch nor a Minibatch")
}

// A state folder whose files were swapped, or in part restored from another moment or another fit, gives
// the result of an untouched one or an error that names the folder.
func TestMixedFolders(t *testing.T) {
	tries, step := 150, 1
	if testing.Short() {
		tries, step = 25, 3 // a Minibatch, and a Batch without a scale
	}
	x := FromDense(planted(30, 70, 4, 6, 0.1, false), 20)
	rng := rand.New(rand.NewPCG(1, 2))
	same, refused := 0, 0
	for which := len(onDisk); which >= 0; which -= step {
		want := map[uint64]*Result{}
		for _, seed := range []uint64{2, 3} {
			r, err := withRounds(which, "", 15, seed).Fit(context.Background(), x)
			if err != nil {
				t.Fatal(err)
			}
			want[seed] = r
		}
		moments := snapshots(t, which, x)
		for try := range tries {
			files := maps.Clone(moments[rng.IntN(len(moments))])
			names := slices.Sorted(maps.Keys(files))
			for range 1 + rng.IntN(3) {
				name := names[rng.IntN(len(names))]
				other := moments[rng.IntN(len(moments))]
				switch rng.IntN(4) {
				case 0: // two files of this moment are swapped
					with := names[rng.IntN(len(names))]
					files[name], files[with] = files[with], files[name]
				case 1: // the file of another moment
					if b, there := other[name]; there {
						files[name] = b
					}
				case 2: // some file of another moment
					some := slices.Sorted(maps.Keys(other))
					files[name] = other[some[rng.IntN(len(some))]]
				case 3: // all coefficients of another moment
					for with, b := range other {
						if strings.HasPrefix(with, "h-") {
							files[with] = b
						}
					}
				}
			}
			dir, seed := files.restore(t), []uint64{2, 3}[rng.IntN(2)]
			got, err := withRounds(which, dir, 15, seed).Fit(context.Background(), x)
			switch {
			case err != nil && strings.Contains(err.Error(), dir):
				refused++
			case err != nil:
				t.Errorf("fit %d, try %d: the error does not name the folder: %v", which, try, err)
			case !mat.Equal(got.W, want[seed].W) || got.Objective != want[seed].Objective || !sameCoefficients(got, want[seed]):
				t.Errorf("fit %d, try %d: silently another result: %.17g, want %.17g", which, try, got.Objective, want[seed].Objective)
			default:
				same++
			}
		}
	}
	if same == 0 || refused == 0 {
		t.Errorf("%d with the same result, %d refused", same, refused)
	}
	t.Logf("%d with the same result, %d refused", same, refused)
}

func sameCoefficients(a, b *Result) bool {
	for p := range a.panels {
		h, err := a.Coefficients(p)
		g, wrong := b.Coefficients(p)
		if err != nil || wrong != nil || !mat.Equal(h, g) {
			return false
		}
	}
	return true
}

// Only one fit at a time works in a folder.
func TestFolderIsLocked(t *testing.T) {
	x := FromDense(planted(30, 70, 4, 6, 0.1, false), 20)
	for which := range len(onDisk) + 1 {
		dir := t.TempDir()
		var inner error
		outer := watching(withRounds(which, dir, 4, 2), func(p rnmf.Point) {
			if p.Round == 2 {
				_, inner = fitOnDisk(0, dir).Fit(context.Background(), x)
			}
		})
		if _, err := outer.Fit(context.Background(), x); err != nil {
			t.Fatal(err)
		}
		if !errors.Is(inner, ErrBusy) || !strings.Contains(inner.Error(), dir) {
			t.Errorf("fit %d: a second one: %v", which, inner)
		}
		if _, err := withRounds(which, dir, 6, 2).Fit(context.Background(), x); err != nil {
			t.Errorf("fit %d: the next one: %v", which, err)
		}
	}
	for _, name := range []string{"lock", "driver.new", "h-0-0.new"} {
		dir, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "mine")
		if err := os.WriteFile(elsewhere, []byte("kept"), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(elsewhere, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
		_, err := fitOnDisk(0, dir).Fit(context.Background(), x)
		if (err != nil) != (name == "lock") {
			t.Errorf("a link %s: %v", name, err)
		}
		if b, err := os.ReadFile(elsewhere); err != nil || string(b) != "kept" {
			t.Errorf("a link %s was followed: %q, %v", name, b, err)
		}
	}
}

// A folder of panels that Write did not finish is an error, and so is one that has any.
func TestUnfinishedPanels(t *testing.T) {
	dir := t.TempDir()
	var during error
	samples := func(yield func([]float64, error) bool) {
		for j := range 5 {
			if !yield([]float64{1, float64(j)}, nil) {
				return
			}
		}
		_, during = Open(dir) // as after a kill: two panels of three are there
	}
	if err := Write(dir, samples, 2, false); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(during, rnmf.ErrFormat) || !strings.Contains(during.Error(), dir) {
		t.Errorf("before the end: %v", during)
	}
	if _, err := Open(dir); err != nil {
		t.Error(err)
	}
	for p := 9; p < 1e9; p = 10*p + 9 {
		if a, b := panelName(p), panelName(p+1); !(a < b) {
			t.Errorf("%s does not come before %s", a, b)
		}
	}
}

// wrongSource goes wrong when panel 2 is loaded for the second time, after the summary.
type wrongSource struct {
	Source
	loads *int
	do    func(Panel) (Panel, error)
}

func (s wrongSource) Load(p int) (Panel, error) {
	x, err := s.Source.Load(p)
	if p == 2 {
		if *s.loads++; *s.loads > 1 {
			return s.do(x)
		}
	}
	return x, err
}

// A source of one's own that goes wrong is an error that names it, or the panel, and nothing hangs.
func TestWrongSources(t *testing.T) {
	s, dense := sparsely(30, 70, 4, 0.4)
	errOwn := errors.New("its own")
	for name, c := range map[string]struct {
		do   func(Panel) (Panel, error)
		says string
	}{
		"panic":   {func(Panel) (Panel, error) { panic(errOwn) }, "panel.wrongSource panicked: its own"},
		"Goexit":  {func(Panel) (Panel, error) { runtime.Goexit(); return Panel{}, nil }, "panel.wrongSource called runtime.Goexit"},
		"error":   {func(Panel) (Panel, error) { return Panel{}, errOwn }, "its own"},
		"nothing": {func(Panel) (Panel, error) { return Panel{}, nil }, "neither"},
		"both":    {func(x Panel) (Panel, error) { x.Dense, x.Sparse = mat.NewDense(30, 20, nil), s; return x, nil }, "both"},
		"row": {func(x Panel) (Panel, error) {
			bad := *x.Sparse
			bad.Row = slices.Clone(bad.Row)
			bad.Row[3] = 30
			return Panel{Sparse: &bad}, nil
		}, "row 30"},
		"starts": {func(x Panel) (Panel, error) {
			bad := *x.Sparse
			bad.Start = bad.Start[:4]
			return Panel{Sparse: &bad}, nil
		}, "starts"},
		"shape": {func(Panel) (Panel, error) { return Panel{Dense: mat.NewDense(30, 3, nil)}, nil }, "30×3"},
	} {
		for _, dir := range []string{"", t.TempDir()} {
			for _, kind := range []string{"Batch", "Minibatch", "Batch of dense panels"} {
				x := FromSparse(s, 20)
				if kind == "Batch of dense panels" {
					if name == "row" || name == "starts" {
						continue
					}
					x = FromDense(dense, 20)
				}
				if dir != "" {
					dir = filepath.Join(dir, "next")
				}
				var f fitter = Batch{Model: rnmf.Model{Rank: 3, MaxIter: 5}, State: dir}
				if kind == "Minibatch" {
					f = Minibatch{Model: rnmf.Model{Rank: 3, MaxIter: 5}, State: dir}
				}
				ended := make(chan error, 1)
				go func() {
					_, err := f.Fit(context.Background(), wrongSource{x, new(int), c.do})
					ended <- err
				}()
				select {
				case err := <-ended:
					if err == nil || !strings.Contains(err.Error(), "panel 2") || !strings.Contains(err.Error(), c.says) {
						t.Errorf("%s, %s: %v, want panel 2 and %q", kind, name, err, c.says)
					}
				case <-time.After(time.Minute):
					t.Fatalf("%s, %s: it hangs", kind, name)
				}
			}
		}
	}
}

// What is missing or out of range is an error, not a panic.
func TestNothing(t *testing.T) {
	ctx := context.Background()
	x := FromDense(planted(20, 30, 3, 1, 0, false), 20)
	b := Batch{Model: rnmf.Model{Rank: 2, MaxIter: 2}}
	onDisk := b
	onDisk.State = t.TempDir()
	inMemory, err := b.Fit(ctx, x)
	if err != nil {
		t.Fatal(err)
	}
	inFolder, err := onDisk.Fit(ctx, x)
	if err != nil {
		t.Fatal(err)
	}
	first, err := x.Load(0)
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewDataSummary(first, 0)
	if err != nil {
		t.Fatal(err)
	}
	d, err := NewDriver(b, s, 20)
	if err != nil {
		t.Fatal(err)
	}
	_, sums, err := d.Next().Do(ctx, first, d.Start(0, 20))
	if err != nil {
		t.Fatal(err)
	}
	both := Panel{Dense: first.Dense, Sparse: &sparse.Matrix{Rows: 20, Cols: 20, Start: make([]int, 21)}}
	stream := func(f rnmf.WarmStart) error {
		_, _, err := (&Stream{Model: rnmf.Model{Rank: 2, Init: f}}).PartialFit(ctx, first)
		return err
	}
	second := func(of *Statistics) error {
		sum := new(Statistics)
		return errors.Join(sum.Merge(sums), sum.Merge(of))
	}
	var none *mat.Dense
	for _, c := range []struct {
		name string
		err  error
		want error
	}{
		{"Coefficients(-1)", errOf(inMemory.Coefficients(-1)), rnmf.ErrParameter},
		{"Coefficients(2)", errOf(inMemory.Coefficients(2)), rnmf.ErrParameter},
		{"Coefficients(-1) of a folder", errOf(inFolder.Coefficients(-1)), rnmf.ErrParameter},
		{"Take(nil)", d.Take(ctx, nil, 0), rnmf.ErrEmpty},
		{"Take of nothing", d.Take(ctx, new(Statistics), 0), rnmf.ErrEmpty},
		{"Take of an empty driver", new(Driver).Take(ctx, sums, 0), rnmf.ErrEmpty},
		{"Merge(nil)", new(Statistics).Merge(nil), rnmf.ErrEmpty},
		{"the same panel twice", second(sums), rnmf.ErrParameter},
		{"DataSummary.Merge(nil)", new(DataSummary).Merge(nil), rnmf.ErrEmpty},
		{"the same summary twice", errors.Join(s.Merge(s)), rnmf.ErrParameter},
		{"NewDriver(nil)", errOf(NewDriver(b, nil, 20)), rnmf.ErrEmpty},
		{"NewDriver of nothing", errOf(NewDriver(b, new(DataSummary), 20)), rnmf.ErrEmpty},
		{"both fields", errOf(NewDataSummary(both, 0)), rnmf.ErrParameter},
		{"Transform of both", errOf(Transform(ctx, inMemory.W, rnmf.Gaussian, nil, both, false)), rnmf.ErrParameter},
		{"Transform under CellCase", errOf(Transform(ctx, inMemory.W, rnmf.Gaussian, rnmf.CellCase{Loss: rnmf.Huber{Cut: 1}, Eps: 1}, first, false)), rnmf.ErrParameter},
		{"residuals of both", errOf(SquaredResiduals(ctx, inMemory.W, mat.NewDense(2, 20, nil), rnmf.Gaussian, both, false)), rnmf.ErrParameter},
		{"residuals without H", errOf(SquaredResiduals(ctx, inMemory.W, nil, rnmf.Gaussian, first, false)), rnmf.ErrEmpty},
		{"a round of nobody", func() error { _, _, err := new(Round).Do(ctx, first, d.Start(0, 20)); return err }(), rnmf.ErrEmpty},
		{"no coefficients", func() error { _, _, err := d.Next().Do(ctx, first, nil); return err }(), rnmf.ErrEmpty},
		{"coefficients of nobody", func() error {
			_, _, err := d.Next().Do(ctx, first, &Coefficients{H: mat.NewDense(2, 20, nil)})
			return err
		}(), rnmf.ErrParameter},
		{"a stream from nil", stream(rnmf.WarmStart{}), rnmf.ErrShape},
		{"a stream from a nil pointer", stream(rnmf.WarmStart{W: none}), rnmf.ErrShape},
		{"a start whose product is too large", func() error {
			large := b
			large.Model.Init = rnmf.WarmStart{W: mat.NewDense(20, 2, slices.Repeat([]float64{1e118}, 40)), H: mat.NewDense(2, 30, slices.Repeat([]float64{1e118}, 60))}
			_, err := large.Fit(ctx, x)
			return err
		}(), rnmf.ErrTooLarge},
		{"Load(-1)", errOf(x.Load(-1)), rnmf.ErrParameter},
		{"Load(2)", errOf(x.Load(2)), rnmf.ErrParameter},
		{"OpenFS(nil)", errOf(OpenFS(nil, "x")), rnmf.ErrEmpty},
		{"Write(nil)", Write(t.TempDir(), nil, 3, false), rnmf.ErrEmpty},
	} {
		if !errors.Is(c.err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, c.err, c.want)
		}
	}
	if got := fmt.Sprint(second(sums)); !strings.Contains(got, "column 0") {
		t.Errorf("the panel that comes twice is not named: %s", got)
	}
}

// errOf is the error of a pair.
func errOf[T any](_ T, err error) error { return err }
