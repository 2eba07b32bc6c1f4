package rnmf

import (
	"bytes"
	"context"
	"os"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"gonum.org/v1/gonum/mat"
)

// Several fits at once, of one Model, one X, one graph and one Result, give what each
// gives alone. .ci/run has the race detector look at it.
func TestTogether(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	x, _ := planted(30, 44, 3, 0.05, 0.1, 1)
	mask := masks(x, 1)["weights"][1]
	graph := neighbors(x, 5, nil)
	class := make([]int, 44)
	for j := range class {
		class[j] = j%5 - 2
		class[j] = max(class[j], Unlabelled)
	}
	var models []Model
	for _, solver := range []Solver{HALS{}, MU{}, OGM{}, FGD{Plain: true}, RRA{}, Additive{}} {
		for _, loss := range []Loss{nil, Cauchy{}, ByColumn{L1{}}, TwoStage{}} {
			models = append(models, Model{Rank: 3, Loss: loss, Solver: solver, MaxIter: 3, Tol: -1, Mask: mask, TraceKKT: true,
				OnH: []Penalty{Laplacian{graph, 0.1}, Labels{Class: class}}})
		}
	}
	alone := make([]*Result, len(models))
	for i, m := range models {
		alone[i] = mustFit(t, m, x)
	}
	var wait sync.WaitGroup
	for i, m := range models {
		wait.Add(1)
		go func() {
			defer wait.Done()
			r, err := m.Fit(context.Background(), x)
			if err != nil || !sameBits(r.W, alone[i].W) || !sameBits(r.H, alone[i].H) {
				t.Errorf("%T %s: another result beside others (%v)", m.Solver, lossName(m.Loss), err)
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

// With a mask Transform sees what is there: the entries that are missing may be
// anything, a mask of ones is none, and samples that fit exactly are found.
func TestTransformMasked(t *testing.T) {
	w, truth := uniform(12, 3, 1), uniform(3, 9, 2)
	x := mul(w, truth)
	for _, loss := range []Loss{nil, Huber{Cut: 0.1}, Cauchy{Scale: 0.1}, ByColumn{L1{Eps: 1e-4}}} {
		r := &Result{W: w, H: truth, Loss: loss}
		holes := masks(x, 3)["missing"]
		h, err := r.Transform(t.Context(), holes[0], holes[1])
		if err != nil {
			t.Fatal(err)
		}
		if !mat.EqualApprox(mul(w, h), x, 1e-2) {
			t.Errorf("%T: the entries that are there do not tell those that are not", loss)
		}
		plain, err := r.Transform(t.Context(), x, nil)
		if err != nil {
			t.Fatal(err)
		}
		ones, err := r.Transform(t.Context(), x, constantOnes(12, 9))
		if err != nil {
			t.Fatal(err)
		}
		if !mat.EqualApprox(plain, ones, 1e-3) {
			t.Errorf("%T: a mask of ones changes the coefficients", loss)
		}
		// A sample without any entry.
		for i := range 12 {
			holes[1].Set(i, 4, 0)
		}
		if h, err = r.Transform(t.Context(), holes[0], holes[1]); err != nil {
			t.Fatal(err)
		}
		if mat.Norm(h.ColView(4), 2) != 0 || mat.Norm(h.ColView(5), 2) == 0 {
			t.Errorf("%T: a sample without entries has the coefficients %v", loss, mat.Col(nil, 4, h))
		}
	}
	r := &Result{W: w, H: truth}
	for _, c := range []struct {
		mask mat.Matrix
		says string
	}{{uniform(9, 12, 1), "Mask is 9×12"}, {mat.NewDense(12, 9, nil), "no entry"}, {(*mat.Dense)(nil), "Mask is nil"}} {
		if _, err := r.Transform(t.Context(), x, c.mask); err == nil || !bytes.Contains([]byte(err.Error()), []byte(c.says)) {
			t.Errorf("%v, want %q", err, c.says)
		}
	}
}
