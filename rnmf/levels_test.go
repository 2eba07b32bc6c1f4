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
			r := mustFit(t, m, x)
			hash := fnv.New64a()
			for _, v := range slices.Concat(r.W.RawMatrix().Data, r.H.RawMatrix().Data, []float64{r.Objective, r.KKT}) {
				hash.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)))
			}
			lines = append(lines, fmt.Sprintf("bits %016x %.17g %s %T", hash.Sum64(), r.Objective, lossName(loss), solver))
		}
	}
	return lines
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

// The same seed gives the same bits in another process and with any GOMAXPROCS.
// So do the kernels for AVX2 and for AVX-512. Those in Go add in another order, without
// fused multiply-adds, so the bits differ there, and the objective by rounding errors.
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
			var a, b float64
			var x, y string
			if _, err := fmt.Sscanf(line, "bits %s %g", &x, &a); err != nil {
				t.Fatal(err)
			}
			if _, err := fmt.Sscanf(got[i], "bits %s %g", &y, &b); err != nil {
				t.Fatal(err)
			}
			close := 1e-9
			if strings.Contains(line, "FGD") {
				close = 1e-5 // its line search ends at a hundredth of the step
			}
			same := env != "RNMF_KERNEL=portable" && (strings.HasPrefix(env, "GOMAXPROCS") || kernel.Level() != "portable")
			if !near(a, b, close) || x != y && same {
				t.Errorf("%s: %s, here %s", env, got[i], line)
			}
		}
	}
}
