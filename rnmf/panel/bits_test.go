package panel

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
)

var updateBits = flag.Bool("update-bits", false, "write testdata/bits.txt anew")

// TestBits compares the bits of fits in panels with those of testdata/bits.txt, as TestBits of package
// rnmf does: what is only moved or renamed must not change a result. A change that is meant is written
// there by
//
//	go test ./rnmf/panel -run TestBits -update-bits
//
// and the commit says why. With -short it looks at one group of fits in four.
func TestBits(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("gonum adds in another order on other processors")
	}
	const file = "testdata/bits.txt"
	groups := bitGroups()
	if *updateBits {
		var out strings.Builder
		for _, g := range groups {
			fmt.Fprintf(&out, "%s\t%s\n", g.name, g.sum(t))
		}
		if err := os.WriteFile(file, []byte(out.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want := map[string]string{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		name, sum, _ := strings.Cut(lines.Text(), "\t")
		want[name] = sum
	}
	if len(want) != len(groups) {
		t.Errorf("%d groups, %s has %d", len(groups), file, len(want))
	}
	for i, g := range groups {
		if testing.Short() && i%4 != 0 {
			continue
		}
		if got := g.sum(t); got != want[g.name] {
			t.Errorf("%s: %s, want %s", g.name, got, want[g.name])
		}
	}
}

// A bitGroup is some fits of one Model.
type bitGroup struct {
	name string
	fits []func() (*Result, error)
}

func (g bitGroup) sum(t *testing.T) string {
	t.Helper()
	h := sha256.New()
	add := func(values ...float64) {
		for _, v := range values {
			h.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)))
		}
	}
	for _, fit := range g.fits {
		r, err := fit()
		if err != nil {
			t.Fatalf("%s: %v", g.name, err)
		}
		for _, v := range []*mat.Dense{r.W, r.H} {
			add(v.RawMatrix().Data...)
		}
		add(r.Objective, float64(r.Reason))
		for _, p := range r.Trace {
			add(float64(p.Round), p.Objective, p.Scale)
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:12])
}

// bitGroups are losses with solvers. Each is fitted to dense and sparse panels, with zeros that count
// and that are missing, with few rounds and until it ends by itself, and with Minibatch.
func bitGroups() (groups []bitGroup) {
	ctx := context.Background()
	losses := []struct {
		name string
		loss rnmf.Loss
	}{
		{"Frobenius", nil}, {"L1", rnmf.L1{}}, {"Huber 0.2", rnmf.Huber{Cut: 0.2}}, {"Huber", rnmf.Huber{}}, {"Cauchy", rnmf.Cauchy{}},
		{"Correntropy printed", rnmf.Correntropy{Printed: true}}, {"Truncated Cauchy", rnmf.Truncated{Loss: rnmf.Cauchy{}}},
		{"MMEstimator", rnmf.MMEstimator{}}, {"ByColumn L1", rnmf.ByColumn{Loss: rnmf.L1{}}}, {"ByColumn Cauchy", rnmf.ByColumn{Loss: rnmf.Cauchy{}}},
		{"ByColumn Huber 2", rnmf.ByColumn{Loss: rnmf.Huber{Cut: 2}}},
	}
	solvers := []struct {
		name   string
		solver rnmf.Solver
	}{{"nil", nil}, {"HALS 3", rnmf.HALS{Sweeps: 3}}, {"plain", rnmf.HALS{NoExtrapolation: true}}}
	const m, n, r = 31, 74, 3
	dense := FromDense(planted(m, n, r, 3, 0.05, false), 30)
	columns := FromDense(planted(m, n, r, 5, 0.1, true), 0)
	s, _ := sparsely(m, n, 4, 0.3)
	sparse := FromSparse(s, 20)
	for li, loss := range losses {
		for si, solver := range solvers {
			g := bitGroup{name: loss.name + " / " + solver.name}
			for ti, tuneFor := range []int{0, -1, 5} {
				for xi, x := range []struct {
					Source
					family  rnmf.Family
					missing bool
				}{{dense, rnmf.Gaussian, false}, {columns, rnmf.Gaussian, false}, {sparse, rnmf.Gaussian, false}, {sparse, rnmf.Gaussian, true}, {sparse, rnmf.SparsePoisson, false}} {
					i := li + si + ti + xi
					b := Batch{Model: rnmf.Model{Rank: r, Loss: loss.loss, Family: x.family, Solver: solver.solver, TuneFor: tuneFor, Seed: uint64(i), MaxIter: 25}, Missing: x.missing}
					switch i % 3 {
					case 1:
						b.Model.MaxIter, b.Model.Tol = 120, 1e-3
					case 2:
						b.Model.Init = startOf(m, n, r, uint64(i))
					}
					g.fits = append(g.fits, func() (*Result, error) {
						defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1 + i%3))
						return b.Fit(ctx, x.Source)
					})
					if loss.name != "MMEstimator" && x.family == rnmf.Gaussian {
						b.Model.MaxIter = 4
						g.fits = append(g.fits, func() (*Result, error) { return Minibatch(b).Fit(ctx, x.Source) })
					}
				}
			}
			groups = append(groups, g)
		}
	}
	return groups
}
