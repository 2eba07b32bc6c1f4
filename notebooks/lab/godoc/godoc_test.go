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

	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/panel"
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

// TestCluster has the bits of a fit in one process.
func TestCluster(t *testing.T) {
	x := panel.FromDense(random(30, 100), 17)
	ctx := context.Background()
	for _, loss := range []rnmf.Loss{nil, rnmf.ByColumn{Loss: rnmf.Huber{}}, rnmf.Cauchy{}} {
		b := panel.Batch{Model: rnmf.Model{Rank: 4, Loss: loss, MaxIter: 12, Tol: -1}}
		want, err := b.Fit(ctx, x)
		if err != nil {
			t.Fatal(err)
		}
		got, sent, err := Cluster(ctx, b, x, func(task []byte, x panel.Panel, h *panel.Coefficients) (*panel.Coefficients, []byte) {
			var r panel.Round
			if err := r.UnmarshalBinary(task); err != nil {
				t.Error(err)
			}
			next, s, err := r.Do(ctx, x, h)
			if err != nil {
				t.Error(err)
			}
			b, err := s.MarshalBinary()
			if err != nil {
				t.Error(err)
			}
			return next, b
		})
		if err != nil || !mat.Equal(got.W, want.W) || sent == 0 {
			t.Errorf("%T: another W than in one process, %d bytes sent, %v", loss, sent, err)
		}
	}
}
