package rnmf

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf/internal/kernel"
)

// bitsOf returns a line for each of some fits, with a hash of all bits of their
// results.
func bitsOf(t *testing.T) []string {
	x, _ := planted(61, 95, 4, 0.05, 0.1, 1)
	mask := masks(x, 2)["weights"][1]
	var lines []string
	for i, loss := range slices.Concat(tunedLosses, fixedLosses) {
		if i%3 != 0 {
			continue
		}
		for k, solver := range []Solver{HALS{}, MU{}, Additive{}, OGM{}, FGD{}, RRA{}} {
			m := Model{Rank: 5, Loss: loss, Solver: solver, Seed: 3, MaxIter: 3, Tol: -1, OnW: []Penalty{Ridge{0.1}}, OnH: []Penalty{Sparse{0.01}}}
			if (i+k)%3 == 0 {
				m.Mask = mask
			}
			if (i+k)%5 == 0 {
				m.OnH = append(m.OnH, Laplacian{ring(95, 3), 0.5})
			}
			lines = append(lines, bitsLine(t, m, x, ""))
		}
	}

	// Many rounds, in which a difference of one bit would grow: a line search branches on
	// rounding, and beside an entry of 1e12 little of the others is left.
	x, _ = planted(97, 211, 7, 0.05, 0.1, 1)
	gross := mat.DenseCopyOf(x)
	gross.Set(3, 5, 1e12)
	even, _ := planted(100, 212, 7, 0.05, 0.1, 1) // rows in fours, not eights
	for _, c := range []struct {
		x *mat.Dense
		m Model
	}{
		{x, Model{Loss: Huber{}, Solver: FGD{}}},
		{x, Model{Loss: Truncated{Loss: Cauchy{}}, Solver: FGD{}}},
		{x, Model{Loss: Hypersurface{}, Solver: FGD{}}},
		{x, Model{Loss: ByColumn{L1{}}, Solver: FGD{}}},
		{x, Model{Solver: FGD{}}},
		{x, HuberNMF(7)},
		{x, TruncatedCauchyNMF(7)},
		{x, L21NMF(7)},
		{gross, HuberNMF(7)},
		{gross, TruncatedCauchyNMF(7)},
		{gross, L21NMF(7)},
		{gross, SemiNMF(7)},
		{gross, RNMFL1(7, 0)},
		{even, Model{Loss: Huber{}, Solver: MU{}}},
		{even, Model{Loss: Cauchy{}, Solver: MU{}}},
	} {
		c.m.Rank, c.m.MaxIter, c.m.Tol = 7, 100, -1
		lines = append(lines, bitsLine(t, c.m, c.x, fmt.Sprintf(" %g", mat.Max(c.x))))
	}
	return lines
}

func bitsLine(t *testing.T, m Model, x *mat.Dense, more string) string {
	r := mustFit(t, m, x)
	hash, numbers := fnv.New64a(), []float64{r.Objective, r.KKT}
	for _, p := range r.Trace {
		numbers = append(numbers, p.Objective, p.Scale)
	}
	for _, v := range slices.Concat(r.W.RawMatrix().Data, r.H.RawMatrix().Data, numbers) {
		hash.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)))
	}
	return fmt.Sprintf("bits %016x %.17g %s %T%s", hash.Sum64(), r.Objective, lossName(m.Loss), m.Solver, more)
}

// levelIn returns the loops that a process takes which has a variable set.
func levelIn(t *testing.T, env string) string {
	c := exec.Command(os.Args[0], "-test.run=^TestBitsOfProcesses$")
	c.Env = append(os.Environ(), "RNMF_BITS=level", env)
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", env, err, out)
	}
	for line := range strings.Lines(string(out)) {
		if level, ok := strings.CutPrefix(line, "level "); ok {
			return strings.TrimSpace(level)
		}
	}
	t.Fatalf("%v: no level in %s", env, out)
	return ""
}

// The same seed gives the same bits in another process, with any GOMAXPROCS, and with
// the kernels for AVX2, for AVX-512 and in Go.
func TestBitsOfProcesses(t *testing.T) {
	if os.Getenv("RNMF_BITS") != "" {
		fmt.Println("level", kernel.Level())
		if os.Getenv("RNMF_BITS") == "level" {
			return
		}
		for _, line := range bitsOf(t) {
			fmt.Println(line)
		}
		return
	}
	if testing.Short() {
		t.Skip("starts processes")
	}
	want := bitsOf(t)
	for _, env := range []string{"GOMAXPROCS=1", "GOMAXPROCS=8", "RNMF_KERNEL=portable", "RNMF_KERNEL=avx2", "RNMF_KERNEL=avx512"} {
		if env == "RNMF_KERNEL="+kernel.Level() {
			continue
		}
		if got := levelIn(t, env); strings.HasPrefix(env, "RNMF_KERNEL=") && env != "RNMF_KERNEL="+got {
			t.Logf("not compared, as this machine does not have it and takes %s: %s", got, env)
			continue
		}
		c := exec.Command(os.Args[0], "-test.run=^TestBitsOfProcesses$")
		c.Env = append(os.Environ(), "RNMF_BITS=1", env)
		out, err := c.Output()
		if err != nil {
			t.Fatalf("%v: %v\n%s", env, err, out)
		}
		got := slices.DeleteFunc(strings.Split(string(out), "\n"), func(s string) bool { return !strings.HasPrefix(s, "bits ") })
		if len(got) != len(want) {
			t.Fatalf("%v: %d fits, want %d", env, len(got), len(want))
		}
		for i, line := range want {
			if got[i] != line {
				t.Errorf("%s: %s, here %s", env, got[i], line)
			}
		}
	}
}
