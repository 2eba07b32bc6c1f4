package beam

import (
	"bufio"
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

	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/extworker"
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
func planted(t testing.TB, dir string, m, n, width int) *panel.Folder {
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
	if err := panel.Write(dir, panel.All(panel.Dense(&x, 0)), width, false); err != nil {
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
func TestFit(t *testing.T) {
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
		got, err := Fit(rnmf.WithTrace(ctx, func(p rnmf.Point) { seen = append(seen, p) }), b, filepath.Join(dir, "x"))
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

var _ = []any{bufio.NewReader, errors.Is, fmt.Sprint, fs.ErrExist, os.Exit, exec.Command, strings.Cut, time.Now, prism.Execute, extworker.StartLoopback}
