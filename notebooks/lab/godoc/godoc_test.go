package godoc

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets/sparse"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/panel"
	"github.com/robustnmf/robustnmf/viz"
)

// TestRead reads a small tree, of which internal packages, tests and undocumented names are left out.
func TestRead(t *testing.T) {
	src := t.TempDir()
	for name, text := range map[string]string{
		"a/a.go":          "// Package a reads compressed archives quickly, apple banana.\npackage a\n\n// Open opens archives, compressed archives, apple banana cherry.\nfunc Open() {}\n\nfunc Bare() {}\n",
		"a/a_test.go":     "package a\n\n// TestHidden hidden apple banana cherry durian elder.\nfunc TestHidden() {}\n",
		"a/internal/i.go": "// Package internal apple banana cherry durian elder fig.\npackage internal\n",
		"b/c/c.go":        "// Package c computes hashes, banana apple cherry.\npackage c\n\n// T hashes archives apple banana cherry.\ntype T struct{}\n\n// M is short.\nfunc (T) M() {}\n",
	} {
		path := filepath.Join(src, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err := read(src, 2)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"a", "a.Open", "b/c", "b/c.T"}; !slices.Equal(c.Names, want) {
		t.Errorf("documents %q, want %q", c.Names, want)
	}
	// apple and banana are in all documents: they weigh nothing.
	if want := []string{"apple", "archives", "banana", "cherry", "compressed", "hashes"}; !slices.Equal(c.Terms, want) {
		t.Errorf("terms %q, want %q", c.Terms, want)
	}
	// By hand: in Open, archives are counted twice and in 3 of 4 documents, cherry in 3, compressed in 2.
	u, v, w := math.Log(3)*math.Log(4./3), math.Log(2)*math.Log(4./3), math.Log(2)*math.Log(2)
	length := math.Sqrt(u*u + v*v + w*w)
	for i, want := range []float64{0, u / length, 0, v / length, w / length, 0} {
		if got := c.X.At(i, 1); math.Abs(got-want) > 1e-15 {
			t.Errorf("weight of %s is %g, want %g", c.Terms[i], got, want)
		}
	}
	if got, want := c.Top([]float64{0, 3, 0, 1, 2, 0}, 4), "archives compressed cherry"; got != want {
		t.Errorf("top terms %q, want %q", got, want)
	}
	if _, err := read(t.TempDir(), 2); err == nil {
		t.Error("no error for a folder without packages")
	}
	if _, err := read(src, 5); err == nil {
		t.Error("no error where no term is left")
	}
}

// TestMeasure sees all rounds, and memory that a fit needs.
func TestMeasure(t *testing.T) {
	x := panel.FromDense(random(50, 400), 100)
	var keep []byte
	run, err := Measure(func(ctx context.Context, watch func(rnmf.Point), start func()) error {
		keep = make([]byte, 20e6)
		start()
		_, err := panel.Batch{Model: rnmf.Model{Rank: 3, MaxIter: 7, Tol: -1, Watch: watch}}.Fit(ctx, x)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Objective) < 7 || len(run.Seconds) != len(run.Objective) || !slices.IsSorted(run.Seconds) {
		t.Errorf("%d objectives and seconds %v", len(run.Objective), run.Seconds)
	}
	if least := 0.9 * float64(len(keep)) / 1e6; run.Megabytes < least { // less what was garbage before
		t.Errorf("%g MB, want at least %g", run.Megabytes, least)
	}
}

func random(m, n int) *mat.Dense {
	x := mat.NewDense(m, n, nil)
	rng := rand.New(rand.NewPCG(1, 2))
	x.Apply(func(_, _ int, _ float64) float64 { return rng.Float64() }, x)
	return x
}

// TestBegin leads rounds from there, which have the bits of a fit in one process.
func TestBegin(t *testing.T) {
	x := panel.FromDense(random(30, 100), 17)
	ctx := context.Background()
	for _, loss := range []rnmf.Loss{nil, rnmf.ByColumn{Loss: rnmf.Huber{}}, rnmf.Cauchy{}} {
		b := panel.Batch{Model: rnmf.Model{Rank: 4, Loss: loss, MaxIter: 12, Tol: -1}}
		want, err := b.Fit(ctx, x)
		if err != nil {
			t.Fatal(err)
		}
		d, h, err := Begin(b, x)
		if err != nil {
			t.Fatal(err)
		}
		for d.Next() != nil {
			sum := new(panel.Statistics)
			for p := range x.Panels() {
				data, err := x.Load(p)
				if err != nil {
					t.Fatal(err)
				}
				next, s, err := d.Next().Do(ctx, data, h[p][d.Generation()])
				if err != nil {
					t.Fatal(err)
				}
				h[p][next.Generation()] = next
				if err := sum.Merge(s); err != nil {
					t.Fatal(err)
				}
			}
			if err := d.Take(ctx, sum, 0); err != nil {
				t.Fatal(err)
			}
		}
		if !mat.Equal(d.Result().W, want.W) {
			t.Errorf("%T: another W than in one process", loss)
		}
	}
}

// A path ends at its target, and else has all its fits.
func TestPath(t *testing.T) {
	calls := 0
	fit := func(rounds int) float64 { calls++; return 10 / float64(rounds) }
	if r := Path(2, []int{1, 2, 5, 10}, fit); !slices.Equal(r.Rounds, []int{1, 2, 5}) || !slices.Equal(r.Objective, []float64{10, 5, 2}) || len(r.Seconds) != 3 || calls != 9 {
		t.Errorf("%+v by %d fits", r, calls)
	}
	if r := Path(0, []int{1, 2}, fit); len(r.Rounds) != 2 || !math.IsNaN(r.Reached(0)) {
		t.Errorf("%+v", r)
	}
}

// The way with fewer rounds to the best objective has them in its row.
func TestCompete(t *testing.T) {
	if s := least([]string{"a", "b", "c"}, []float64{10.5, 20, 10}); s != "a and c" {
		t.Errorf("the least are %s", s)
	}
	r, err := Compete([]string{"slow", "fast"}, rnmf.Model{}, 8, 1.5, func(way string) func(m rnmf.Model) float64 {
		return func(m rnmf.Model) float64 {
			objective := 1 + map[string]float64{"slow": 3, "fast": 1}[way]/float64(m.MaxIter)
			for k := range 2 * min(1, m.MaxIter/8) { // of the long run
				m.Watch(rnmf.Point{Round: k, Objective: objective})
			}
			return objective
		}
	})
	if err == nil && len(r.Points()) == 2 && r.Rows()[0][1] == 5 && r.Rows()[1][1] == 2 && r.Title() != "" {
		return
	}
	t.Errorf("%+v, %v", r, err)
}

// Documents that are bad are counted among the first ones.
func TestRanked(t *testing.T) {
	c, found, err := Ranked([]float64{1, 4, 3, 2}, []int{1, 0}, viz.LinesOptions{})
	if err != nil || found != 1 || c == nil {
		t.Errorf("%d found, %v", found, err)
	}
}

// A document is the sum of its topics.
func TestApart(t *testing.T) {
	x := &sparse.Matrix{Rows: 3, Cols: 1, Start: []int{0, 2}, Row: []int32{0, 1}, Value: []float64{.6, .8}}
	c := &Corpus{X: x, Terms: []string{"a", "b", "c"}, Names: []string{"p.F"}}
	w, h := mat.NewDense(3, 2, []float64{1, 0, 0, 1, 0, 0.1}), mat.NewDense(2, 1, []float64{.5, .5})
	if f, err := c.Apart(0, 1, w, h); err != nil || f == nil {
		t.Error(err)
	}
	if f, err := c.Kept("none", w, w); err != nil || f == nil {
		t.Error(err)
	}
	if Diagram(3, 2, 2).Image().Bounds().Empty() {
		t.Error("no picture")
	}
}
