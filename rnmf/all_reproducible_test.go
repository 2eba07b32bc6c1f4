package rnmf_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/robustnmf/robustnmf/rnmf/internal/kernel"
	"go.uber.org/goleak"
	"gonum.org/v1/gonum/mat"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest/parts"
	. "github.com/robustnmf/robustnmf/rnmf/papers"
)

// The same seed gives the same bits, however many goroutines share the work,
// and leaves X and the mask as they are.
func TestSameSeedSameBits(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	x, _ := Planted(40, 210, 4, 0.05, 0.1, 1)
	inputs := Masks(x, 2)
	take := OneIn(t, 61)
	for _, loss := range slices.Concat(TunedLosses, FixedLosses) {
		for i, solver := range append([]Solver{nil}, AllSolvers...) {
			if !take() {
				continue
			}
			m := Model{Rank: 4, Loss: loss, Solver: solver, Seed: 11, MaxIter: 4, Tol: -1, OnH: []Penalty{Lasso{0.01}}, TraceKKT: true}
			in := inputs[[]string{"none", "missing", "weights"}[i%3]]
			if in[1] != nil {
				m.Mask = mat.DenseCopyOf(in[1])
			}
			data := mat.DenseCopyOf(in[0])
			var want *Result
			for _, procs := range []int{1, 2, 8} {
				runtime.GOMAXPROCS(procs)
				force(t, procs)
				got := MustFit(t, m, data)
				if !sameBits(data, in[0]) || in[1] != nil && !sameBits(m.Mask.(*mat.Dense), in[1]) {
					t.Fatalf("%s: the input has changed", LossName(loss))
				}
				if want == nil {
					want = got
					continue
				}
				if !sameBits(got.W, want.W) || !sameBits(got.H, want.H) || got.Objective != want.Objective || got.KKT != want.KKT || got.Loss != want.Loss {
					t.Errorf("%s %T: other bits on %d processors", LossName(loss), solver, procs)
				}
				for k, p := range got.Trace {
					q := want.Trace[k]
					if p.Seconds = q.Seconds; p != q {
						t.Errorf("%s %T: %+v on %d processors, %+v on one", LossName(loss), solver, p, procs, q)
					}
				}
			}
			m.Seed++
			if mat.Equal(MustFit(t, m, data).W, want.W) {
				t.Errorf("%s: the same from another seed", LossName(loss))
			}
		}
	}
}

// sameBits also finds NaN equal to NaN.
func sameBits(a, b *mat.Dense) bool {
	return slices.EqualFunc(a.RawMatrix().Data, b.RawMatrix().Data, func(x, y float64) bool { return x == y || x != x && y != y })
}

// A view into a larger matrix, a transpose, and a copy are the same data.
func TestViews(t *testing.T) {
	large := Uniform(20, 30, 1)
	view := large.Slice(3, 12, 5, 20).(*mat.Dense)
	dense := mat.DenseCopyOf(view)
	transposed := mat.DenseCopyOf(dense.T()).T()
	mask := Uniform(20, 30, 2)
	for _, loss := range TunedLosses {
		m := Model{Rank: 3, Loss: loss, MaxIter: 5, Mask: mask.Slice(3, 12, 5, 20), OnW: []Penalty{Ridge{0.1}}}
		want := MustFit(t, m, dense)
		for _, x := range []mat.Matrix{view, transposed} {
			if got := MustFit(t, m, x); !mat.Equal(got.W, want.W) || !mat.Equal(got.H, want.H) {
				t.Errorf("%s: %T gives other factors", LossName(loss), x)
			}
		}
	}
}

// The given factors are copied, and a warm start goes on where a fit ended.
func TestWarmStart(t *testing.T) {
	x, _ := Planted(12, 17, 3, 0.1, 0.1, 1)
	for _, loss := range FixedLosses {
		m := Model{Rank: 3, Loss: loss, Solver: HALS{NoExtrapolation: true}, MaxIter: 20, Tol: -1}
		whole := MustFit(t, m, x)
		m.MaxIter = 12
		half := MustFit(t, m, x)
		w, h := mat.DenseCopyOf(half.W), mat.DenseCopyOf(half.H)
		m.MaxIter, m.Init = 8, WarmStart{W: half.W, H: half.H}
		rest := MustFit(t, m, x)
		if !mat.Equal(half.W, w) || !mat.Equal(half.H, h) {
			t.Errorf("%s: the start has changed", LossName(loss))
		}
		if !Near(rest.Objective, whole.Objective, 1e-6) {
			t.Errorf("%s: 12 and 8 rounds reach %g, 20 rounds %g", LossName(loss), rest.Objective, whole.Objective)
		}
	}
}

// bitsOf returns a line for each of some fits, with a hash of all bits of their
// results.
func bitsOf(t *testing.T) []string {
	x, _ := Planted(61, 95, 4, 0.05, 0.1, 1)
	mask := Masks(x, 2)["weights"][1]
	var lines []string
	for i, loss := range slices.Concat(TunedLosses, FixedLosses) {
		if i%3 != 0 {
			continue
		}
		for k, solver := range []Solver{HALS{}, MU{}, Additive{}, OGM{}, FGD{}, RRA{}} {
			m := Model{Rank: 5, Loss: loss, Solver: solver, Seed: 3, MaxIter: 3, Tol: -1, OnW: []Penalty{Ridge{0.1}}, OnH: []Penalty{Lasso{0.01}}}
			if (i+k)%3 == 0 {
				m.Mask = mask
			}
			if (i+k)%5 == 0 {
				m.OnH = append(m.OnH, Laplacian{Ring(95, 3), 0.5})
			}
			lines = append(lines, bitsLine(t, m, x, ""))
		}
	}

	// Many rounds, in which a difference of one bit would grow: a line search branches on
	// rounding, and beside an entry of 1e12 little of the others is left.
	x, _ = Planted(97, 211, 7, 0.05, 0.1, 1)
	gross := mat.DenseCopyOf(x)
	gross.Set(3, 5, 1e12)
	even, _ := Planted(100, 212, 7, 0.05, 0.1, 1) // rows in fours, not eights
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
	r := MustFit(t, m, x)
	hash, numbers := fnv.New64a(), []float64{r.Objective, r.KKT}
	for _, p := range r.Trace {
		numbers = append(numbers, p.Objective, p.Scale)
	}
	for _, v := range slices.Concat(r.W.RawMatrix().Data, r.H.RawMatrix().Data, numbers) {
		hash.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)))
	}
	return fmt.Sprintf("bits %016x %.17g %s %T%s", hash.Sum64(), r.Objective, LossName(m.Loss), m.Solver, more)
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

// Several fits at once, of one Model, one X, one graph and one Result, give what each
// gives alone. .ci/run has the race detector look at it.
func TestTogether(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	x, _ := Planted(30, 44, 3, 0.05, 0.1, 1)
	mask := Masks(x, 1)["weights"][1]
	graph := Neighbors(x, 5, nil)
	class := make([]int, 44)
	for j := range class {
		class[j] = j%5 - 2
		class[j] = max(class[j], Unlabelled)
	}
	var models []Model
	for _, solver := range []Solver{HALS{}, MU{}, OGM{}, FGD{Printed: true}, RRA{}, Additive{}} {
		for _, loss := range []Loss{nil, Cauchy{}, ByColumn{L1{}}, MMEstimator{}} {
			models = append(models, Model{Rank: 3, Loss: loss, Solver: solver, MaxIter: 3, Tol: -1, Mask: mask, TraceKKT: true,
				OnH: []Penalty{Laplacian{graph, 0.1}, Labels{Class: class}}})
		}
	}
	alone := make([]*Result, len(models))
	for i, m := range models {
		alone[i] = MustFit(t, m, x)
	}
	var wait sync.WaitGroup
	for i, m := range models {
		wait.Add(1)
		go func() {
			defer wait.Done()
			r, err := m.Fit(context.Background(), x)
			if err != nil || !sameBits(r.W, alone[i].W) || !sameBits(r.H, alone[i].H) {
				t.Errorf("%T %s: another result beside others (%v)", m.Solver, LossName(m.Loss), err)
			}
			var b bytes.Buffer
			if err := alone[i].Save(&b); err != nil {
				t.Error(err)
			}
			if h, err := alone[i].Transform(context.Background(), x, nil); err != nil || mat.Min(h) < 0 {
				t.Error(err)
			}
			if _, err := alone[i].Outliers(x, nil); err != nil {
				t.Error(err)
			}
		}()
	}
	wait.Wait()
}

// A soak: random fits, some of them cancelled, for the time that RNMF_SOAK says (1h,
// say), at the end of which memory and goroutines are where they were after a tenth.
func TestSoak(t *testing.T) {
	length, err := time.ParseDuration(os.Getenv("RNMF_SOAK"))
	if err != nil {
		if s := os.Getenv("RNMF_SOAK"); s != "" {
			t.Fatal(err)
		}
		t.Skip("set RNMF_SOAK to a time, and go test -timeout to more")
	}
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	memory := func() float64 {
		var m runtime.MemStats
		for range 3 {
			runtime.GC()
		}
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc) / (1 << 20)
	}
	begin := time.Now()
	fits, early := 0, -1.0
	for seed := uint64(1 << 32); time.Since(begin) < length; seed++ {
		p := randomProblem(seed)
		if err := p.check(); err != nil {
			t.Errorf("RNMF_PROBLEM=%s: %v", strconv.FormatUint(seed, 10), err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(seed%7)*time.Millisecond)
		p.Fit(ctx, p.x)
		cancel()
		if fits++; early < 0 && time.Since(begin) > length/10 {
			early = memory()
		}
	}
	if early < 0 {
		t.Skipf("problem %d took most of %v: that is too short to tell of memory", fits, length)
	}
	late := memory()
	t.Logf("%d problems; heap %.2f MB after a tenth, %.2f MB at the end", fits, early, late)
	if late > early+4 {
		t.Errorf("the heap has grown from %.2f to %.2f MB", early, late)
	}
}

func TestRivalsSameBits(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	x, _ := Planted(40, 210, 4, 0.05, 0.1, 1)
	for i, m := range []Model{ONMF(4), SemiNMF(4), RMNMF(4, Ring(210, 1), 2), {Rank: 4, SolverW: NormalEquations{}, Loss: Cauchy{}}, {Rank: 4, SolverH: Orthogonal{}, SolverW: HALS{Sweeps: 1}, Loss: Hypersurface{}}, {Rank: 4}} {
		m.MaxIter, m.Tol = 5, -1
		var want *Result
		for _, procs := range []int{1, 2, 8} {
			runtime.GOMAXPROCS(procs)
			force(t, procs)
			var got *Result
			if i == 5 {
				c, err := ConvexNMF{Model: m}.Fit(context.Background(), x)
				if err != nil {
					t.Fatal(err)
				}
				got = c.Result
			} else {
				got = MustFit(t, m, x)
			}
			if want == nil {
				want = got
			} else if !sameBits(got.W, want.W) || !sameBits(got.H, want.H) || got.Objective != want.Objective || got.KKT != want.KKT {
				t.Errorf("model %d: other bits on %d processors", i, procs)
			}
		}
	}
}
