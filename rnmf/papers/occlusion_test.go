package papers

import (
	"context"
	"errors"
	"math"
	"runtime"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
)

// covered returns smooth images, 16×16, of rank 3, and the same with a square of
// 6×6 on each of a grey that they have themselves.
func covered(n int) (x, clean, mask *mat.Dense) {
	const side = 16
	w := mat.NewDense(side*side, 3, nil)
	w.Apply(func(i, k int, _ float64) float64 {
		y, x := float64(i/side)/side, float64(i%side)/side
		return 0.2 + math.Pow(math.Sin(math.Pi*(x*float64(k+1)+y*float64(3-k))/2), 2)
	}, w)
	_, _, h := datasets.LowRank(side*side, n, 3, 1)
	clean = new(mat.Dense)
	clean.Mul(w, h)
	clean.Scale(1/mat.Max(clean), clean)
	noisy, _, err := datasets.Gaussian{Sigma: 0.05}.Apply(clean, 1)
	if err != nil {
		panic(err)
	}
	x, mask, err = datasets.Block{Size: 6, Value: 0.7, Height: side, Width: side}.Apply(noisy, 1)
	if err != nil {
		panic(err)
	}
	return x, clean, mask
}

func occluded() OcclusionNMF {
	return OcclusionNMF{Model: Model{Rank: 3, MaxIter: 40, Seed: 1, Signed: true}, Height: 16, Width: 16}
}

func TestOcclusionFindsWhatIsCovered(t *testing.T) {
	x, clean, mask := covered(120)
	c := occluded()
	r, err := c.Fit(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	robust := RobustNMF(3)
	robust.MaxIter, robust.Seed, robust.Signed = 80, 1, true
	s := MustFit(t, robust, x)
	f1 := func(o *Outliers, err error) float64 {
		if err != nil {
			t.Fatal(err)
		}
		var hits mat.Dense
		flags := o.Flags(0.1)
		hits.MulElem(flags, mask)
		return 2 * mat.Sum(&hits) / (mat.Sum(flags) + mat.Sum(mask))
	}
	a, b := f1(r.Outliers(x, nil)), f1(s.Outliers(x, nil))
	ea, eb := Recovered(clean, r.Result), Recovered(clean, s)
	t.Logf("contiguous: F1 %.3f, relative error %.4f; two stages: %.3f, %.4f", a, ea, b, eb)
	if a < 0.9 || a < b+0.02 || ea > 0.9*eb {
		t.Errorf("contiguous: F1 %.3f, relative error %.4f; two stages: %.3f, %.4f", a, ea, b, eb)
	}
}

// The objective never rises, and is the sum of its definition.
func TestOcclusionDescends(t *testing.T) {
	x, _, _ := covered(30)
	for _, c := range []OcclusionNMF{
		occluded(),
		{Model: Model{Rank: 3, MaxIter: 23, Tol: -1, Solver: MU{}, Signed: true, OnW: []Penalty{Ridge{Lambda: 0.1}}, OnH: []Penalty{Lasso{Lambda: 0.05}}}, Height: 16, Width: 16, Beta: 0.3, Cut: 0.2},
		{Model: Model{Rank: 2, MaxIter: 12, Loss: Huber{}, Signed: true, Mask: checkered(256, 30)}, Height: 8, Width: 32, Beta: 2},
	} {
		r, err := c.Fit(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range r.Trace[1:] {
			if before := r.Trace[i]; p.Objective > before.Objective*(1+1e-12) || p.Round != before.Round+1 || p.Seconds < before.Seconds {
				t.Errorf("from %+v to %+v", before, p)
			}
		}
		want := naiveOcclusion(c, x, r)
		if math.Abs(r.Objective-want) > 1e-9*want || r.Objective != r.Trace[len(r.Trace)-1].Objective {
			t.Errorf("objective %g, want %g", r.Objective, want)
		}
	}
}

// naiveOcclusion is the sum of the definition, at the cut-off of the result.
func naiveOcclusion(c OcclusionNMF, x *mat.Dense, r *OcclusionNMFResult) float64 {
	cut := r.Loss.(Truncated).Cut
	beta := c.Beta
	if beta == 0 {
		beta = 0.5
	}
	var want float64
	e := NaiveResidual(x, r.W, r.H)
	z := func(i, j int) float64 { return r.Support.At(i, j) }
	m, n := x.Dims()
	for j := range n {
		for i := range m {
			w := 1.0
			if c.Model.Mask != nil {
				w = c.Model.Mask.At(i, j)
			}
			want += w * ((1-z(i, j))*e.At(i, j)*e.At(i, j) + cut*cut*z(i, j))
			if i%c.Width > 0 {
				want += beta * cut * cut * math.Abs(z(i, j)-z(i-1, j))
			}
			if i >= c.Width {
				want += beta * cut * cut * math.Abs(z(i, j)-z(i-c.Width, j))
			}
		}
	}
	for _, p := range c.Model.OnW {
		want += p.Value(mat.DenseCopyOf(r.W.T()))
	}
	for _, p := range c.Model.OnH {
		want += p.Value(r.H)
	}
	return want
}

// A countdown is a context that ends when it has been asked a number of times.
type countdown struct {
	context.Context
	left atomic.Int64
}

func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// Wherever it is cancelled, what comes back belongs together.
func TestOcclusionCancelled(t *testing.T) {
	x, _, _ := covered(100)
	c := occluded()
	c.Model.Tol = -1
	stages := map[string]int{}
	share := int64(12)
	if testing.Short() {
		share = 3
	}
	for asked := int64(1); asked < 1<<12; asked += 1 + asked/share {
		ctx := &countdown{Context: context.Background()}
		ctx.left.Store(asked)
		r, err := c.Fit(ctx, x)
		switch {
		case err == nil:
			stages["done"]++
			continue
		case !errors.Is(err, context.Canceled):
			t.Fatal(err)
		case r == nil:
			stages["nothing"]++
			continue
		}
		var want float64
		if _, second := r.Loss.(Truncated); second && mat.Max(r.Support) > 0 {
			stages["second"]++
			want = naiveOcclusion(c, x, r)
		} else {
			stages["first"]++
			want = NaiveObjective(c.Model, r.Loss, x, r.W, r.H)
			if mat.Max(r.Support) > 0 {
				t.Error("outliers before there is a z")
			}
		}
		last := r.Trace[len(r.Trace)-1]
		if r.Reason != Cancelled || !Near(r.Objective, want, 1e-9) || !Near(last.Objective, want, 1e-9) {
			t.Errorf("asked %d times: %v, objective %g, %g in the trace, want %g", asked, r.Reason, r.Objective, last.Objective, want)
		}
	}
	if stages["first"] == 0 || stages["second"] == 0 {
		t.Errorf("%v", stages)
	}
	t.Log(stages)
}

// checkered hides every third entry.
func checkered(m, n int) *mat.Dense {
	mask := mat.NewDense(m, n, nil)
	mask.Apply(func(i, j int, _ float64) float64 {
		if (i+j)%3 == 0 {
			return 0
		}
		return 1
	}, mask)
	return mask
}

// With next to no β the support is what exceeds the cut-off.
func TestOcclusionWithoutNeighbors(t *testing.T) {
	x, _, _ := covered(30)
	c := occluded()
	c.Beta = 1e-12
	r, err := c.Fit(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	cut := r.Loss.(Truncated).Cut
	e := NaiveResidual(x, r.W, r.H)
	for i := range 256 {
		for j := range 30 {
			if (math.Abs(e.At(i, j)) > cut) != (r.Support.At(i, j) == 1) {
				t.Fatalf("residual %g, cut-off %g, support %g", e.At(i, j), cut, r.Support.At(i, j))
			}
		}
	}
}

func TestOcclusionIgnoresWhatIsMissing(t *testing.T) {
	x, _, _ := covered(30)
	before := mat.DenseCopyOf(x)
	c := occluded()
	c.Model.Mask = checkered(256, 30)
	want, err := c.Fit(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(before, x) {
		t.Error("X changed")
	}
	x.Apply(func(i, j int, v float64) float64 {
		if c.Model.Mask.At(i, j) == 0 {
			return math.NaN()
		}
		return v
	}, x)
	got, err := c.Fit(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(want.W, got.W) || !mat.Equal(want.H, got.H) || !mat.Equal(want.Support, got.Support) {
		t.Error("what is missing matters")
	}
	o, err := got.Outliers(x, nil)
	if err != nil {
		t.Fatal(err)
	}
	if o.Weights.At(0, 0) != 1 || o.S.At(0, 0) != 0 {
		t.Errorf("a missing pixel has weight %g, S %g", o.Weights.At(0, 0), o.S.At(0, 0))
	}
}

func TestOcclusionOnAnyNumberOfProcessors(t *testing.T) {
	x, _, _ := covered(60)
	c := occluded()
	c.Model.MaxIter = 10
	want, err := c.Fit(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	got, err := c.Fit(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(want.W, got.W) || !mat.Equal(want.Support, got.Support) || want.Objective != got.Objective {
		t.Error("one processor gives something else")
	}
}

func TestOcclusionRefuses(t *testing.T) {
	x, _, _ := covered(10)
	for _, c := range []struct {
		fit  OcclusionNMF
		x    mat.Matrix
		want error
	}{
		{occluded(), nil, ErrEmpty},
		{OcclusionNMF{Model: Model{Rank: 3}}, x, ErrShape},
		{OcclusionNMF{Model: Model{Rank: 3}, Height: 16, Width: 15}, x, ErrShape},
		{OcclusionNMF{Model: Model{Rank: 3}, Height: -16, Width: -16}, x, ErrShape},
		{OcclusionNMF{Model: Model{Rank: 3}, Height: 16, Width: 16, Beta: -1}, x, ErrParameter},
		{OcclusionNMF{Model: Model{Rank: 3}, Height: 16, Width: 16, Beta: math.NaN()}, x, ErrParameter},
		{OcclusionNMF{Model: Model{Rank: 3}, Height: 16, Width: 16, Cut: math.Inf(1)}, x, ErrParameter},
		{OcclusionNMF{Model: Model{}, Height: 16, Width: 16}, x, ErrRank},
	} {
		if _, err := c.fit.Fit(context.Background(), c.x); !errors.Is(err, c.want) {
			t.Errorf("%+v: %v, want %v", c.fit, err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if r, err := occluded().Fit(ctx, x); !errors.Is(err, context.Canceled) || r != nil && r.Support == nil {
		t.Errorf("cancelled: %v, %v", r, err)
	}
	c := occluded()
	c.Cut = 1e-70 // all are outliers
	if r, err := c.Fit(context.Background(), x); err != nil || r.Reason != Stalled {
		t.Errorf("all are outliers: %v", err)
	}
}

// With TraceEvery rounds are rounds: MaxIter of them, each in the trace once at most;
// with TraceKKT each point has its KKT residual, and the Result that of its factors
// and its support.
func TestOcclusionTrace(t *testing.T) {
	x, _ := Planted(12, 20, 2, 0.02, 0.1, 4)
	for _, every := range []int{1, 3, 5} {
		calls := 0
		solver := countedMU{&calls}
		m := Model{Rank: 2, Solver: solver, TraceEvery: every, MaxIter: 20, Tol: -1, TraceKKT: true}
		r, err := OcclusionNMF{Model: m, Height: 4, Width: 3}.Fit(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		last := r.Trace[0].Round
		for i, p := range r.Trace {
			if i > 0 && p.Round <= last {
				t.Fatalf("every %d: round %d after %d", every, p.Round, last)
			}
			if last = p.Round; p.KKT < 0 {
				t.Errorf("every %d: no KKT residual in round %d", every, p.Round)
			}
		}
		if last != 40 { // 20 of the first fit, 20 then
			t.Errorf("every %d: the last round is %d, want 40", every, last)
		}
		if calls != 40 {
			t.Errorf("every %d: %d half-steps of W, want 40", every, calls)
		}
		known := ConstantOnes(12, 20)
		known.Sub(known, r.Support)
		m.Init, m.Mask, m.Loss = WarmStart{W: r.W, H: r.H}, known, Frobenius{}
		for step, err := range m.Steps(t.Context(), x) {
			if err != nil {
				t.Fatal(err)
			}
			if kkt := step.Result().KKT; !Near(kkt, r.KKT, 1e-9) || !Near(kkt, r.Trace[len(r.Trace)-1].KKT, 1e-9) {
				t.Errorf("every %d: KKT residual %g, want %g", every, r.KKT, kkt)
			}
			break
		}
	}
}

// countedMU counts half-steps of W.
type countedMU struct{ ofW *int }

func (s countedMU) Improve(q *Quadratic, v *mat.Dense) {
	if m, n, _ := q.Dims(); m > n { // there are more images than pixels
		*s.ofW++
	}
	MU{}.Improve(q, v)
}
