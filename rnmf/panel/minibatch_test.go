package panel

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
)

var minibatchLosses = []rnmf.Loss{nil, rnmf.ByColumn{Loss: rnmf.L1{Eps: 1e-2}}, rnmf.Cauchy{Scale: 0.3}, rnmf.Huber{}}

// A pass of a Minibatch is worth several rounds of a Batch, and ends near where that ends; the
// objective of its result is the true one, and the same seed gives the same bits.
func TestMinibatch(t *testing.T) {
	const m, n, r = 64, 2048, 5
	for i, loss := range minibatchLosses {
		_, column := loss.(rnmf.ByColumn)
		x := planted(m, n, r, 3, 0.1, column)
		source := FromDense(x, 64)
		model := rnmf.Model{Rank: r, Loss: loss, Seed: 5, Tol: -1, Solver: rnmf.HALS{NoExtrapolation: true}}
		if _, tunes := loss.(rnmf.Huber); tunes {
			model.Loss = rnmf.Huber{Cut: 0.3}
		}
		model.MaxIter = 4
		b := Minibatch{Model: model}
		got, err := b.Fit(context.Background(), source)
		if err != nil {
			t.Fatal(err)
		}
		rounds, err := Batch{Model: model}.Fit(context.Background(), source)
		if err != nil {
			t.Fatal(err)
		}
		if !(got.Objective < rounds.Objective) {
			t.Errorf("loss %d: %g after 4 passes, a batch has %g after 4 rounds", i, got.Objective, rounds.Objective)
		}
		again, err := b.Fit(context.Background(), source)
		if err != nil {
			t.Fatal(err)
		}
		if !mat.Equal(got.W, again.W) || !mat.Equal(got.H, again.H) {
			t.Errorf("loss %d: the same seed gives other bits", i)
		}
		exact := naive(x, nil, got.W, got.H, got.Loss, make([]float64, r))
		if model.Loss == nil {
			exact = naive(x, nil, got.W, got.H, rnmf.ByColumn{Loss: rnmf.Frobenius{}}, make([]float64, r))
		}
		closeTo(t, "objective", []float64{got.Objective}, []float64{exact.objective})
		if n := len(got.Trace); n != model.MaxIter+1 || got.Trace[n-1].Objective != got.Objective {
			t.Errorf("loss %d: the trace of %d passes has %d points and does not end with %g: %v", i, model.MaxIter, n, got.Objective, got.Trace)
		}
	}
	tuned, err := Minibatch{Model: rnmf.Model{Rank: r, Loss: rnmf.Cauchy{}, MaxIter: 11, Tol: -1}}.Fit(context.Background(), FromDense(planted(m, n, r, 3, 0.1, false), 64))
	if err != nil || !(tuned.Trace[10].Scale > 0 && tuned.Trace[10].Scale == tuned.Trace[9].Scale) {
		t.Errorf("the scale does not come to rest: %v, %v", tuned, err)
	}
	if _, err := (Minibatch{Model: rnmf.Model{Rank: r, Loss: rnmf.MMEstimator{}}}).Fit(context.Background(), FromDense(planted(m, n, r, 3, 0.1, false), 64)); !errors.Is(err, rnmf.ErrParameter) {
		t.Errorf("two stages: %v", err)
	}
}

// A Minibatch estimates its scale in the passes in which a Batch does in rounds, and one that has
// converged has a scale that its own rule gives.
func TestMinibatchTunes(t *testing.T) {
	x := FromDense(planted(40, 300, 3, 1, 0.05, false), 50)
	fit := func(m rnmf.Model) *Result {
		m.Rank, m.Loss, m.Seed = 3, rnmf.Cauchy{}, 2
		r, err := Minibatch{Model: m}.Fit(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := fit(rnmf.Model{TuneFor: 2, MaxIter: 6, Tol: -1})
	for k := 1; k < len(r.Trace); k++ {
		if changed := r.Trace[k].Scale != r.Trace[k-1].Scale; changed != (k <= 2) {
			t.Errorf("TuneFor 2: the scale of pass %d is %g after %g", k, r.Trace[k].Scale, r.Trace[k-1].Scale)
		}
	}
	r = fit(rnmf.Model{MaxIter: 60, Tol: 3e-3})
	next, _ := rnmf.Cauchy{}.Tuning()(residualsOf(t, x, r))
	scale := next.(rnmf.Cauchy).Scale
	if now := r.Loss.(rnmf.Cauchy).Scale; r.Reason != rnmf.Converged || !(math.Abs(now-scale) <= 0.02*scale) {
		t.Errorf("%v with the scale %g, its rule gives %g", r.Reason, now, scale)
	}
}

// residualsOf are those of a result, counted as a fit counts them.
func residualsOf(t *testing.T, x Source, r *Result) *rnmf.Residuals {
	t.Helper()
	b := Batch{Model: rnmf.Model{Rank: 3, Loss: rnmf.Cauchy{}, Init: rnmf.WarmStart{W: r.W, H: r.H}}}
	d := new(Driver)
	_, s, _, err := b.begin(t.Context(), x, d)
	if err != nil {
		t.Fatal(err)
	}
	st := newStepper(t.Context())
	sums, err := st.round(t.Context(), x, d, s)
	if err != nil {
		t.Fatal(err)
	}
	return d.residuals(sums.residuals)
}

// A Minibatch that ctx ends returns what it has.
func TestMinibatchCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	watch := func(p rnmf.Point) {
		if p.Round == 2 {
			cancel()
		}
	}
	r, err := Minibatch{Model: rnmf.Model{Rank: 3, MaxIter: 50, Tol: -1, Watch: watch}}.Fit(ctx, FromDense(planted(40, 300, 3, 1, 0, false), 50))
	if !errors.Is(err, context.Canceled) || r == nil || r.Reason != rnmf.Cancelled || len(r.Trace) != 3 {
		t.Errorf("%v, %+v", err, r)
	}
	// The loss is that of the objective, not that of the pass which did not end.
	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	r, err = Minibatch{Model: rnmf.Model{Rank: 3, Loss: rnmf.Cauchy{}, Watch: watch}}.Fit(ctx, FromDense(planted(40, 300, 3, 1, 0.05, false), 50))
	if !errors.Is(err, context.Canceled) || r == nil || len(r.Trace) != 3 || r.Loss.(rnmf.Cauchy).Scale != r.Trace[2].Scale {
		t.Errorf("a tuned loss: %v, %+v", err, r)
	}
}

// What ends before the first round is ctx.Err() itself.
func TestCancelledAtOnce(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	x := FromDense(planted(20, 60, 3, 1, 0.05, false), 20)
	for _, loss := range []rnmf.Loss{nil, rnmf.Cauchy{}} {
		for _, state := range []string{"", t.TempDir()} {
			b := Batch{Model: rnmf.Model{Rank: 3, Loss: loss}, State: state}
			if r, err := b.Fit(ctx, x); err != context.Canceled || r != nil {
				t.Errorf("Batch, %T, state %q: %v, %v", loss, state, r, err)
			}
			if r, err := Minibatch(b).Fit(ctx, x); err != context.Canceled || r != nil {
				t.Errorf("Minibatch, %T, state %q: %v, %v", loss, state, r, err)
			}
		}
	}
	// In the round that measures the residuals.
	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	if r, err := (Minibatch{Model: rnmf.Model{Rank: 3, Loss: rnmf.Cauchy{}}}).Fit(ctx, &counted{Source: x, left: 4, end: cancel}); err != context.Canceled || r != nil {
		t.Errorf("while it measures: %v, %v", r, err)
	}
}

// A Minibatch with a State that ctx ends, in a pass or between two, or whose passes ran out, goes on
// with the bits of one that was left alone; its folder is not that of a Batch.
func TestMinibatchGoesOn(t *testing.T) {
	x := FromDense(planted(60, 150, 4, 6, 0.1, false), 20)
	losses := []rnmf.Loss{nil, rnmf.ByColumn{Loss: rnmf.L1{Eps: 1e-2}}, rnmf.Cauchy{}, rnmf.Huber{Cut: 0.05}}
	if testing.Short() {
		losses = losses[2:]
	}
	for i, loss := range losses {
		b := Minibatch{Model: rnmf.Model{Rank: 4, Loss: loss, Seed: 2, MaxIter: 12, Tol: -1}}
		want, err := b.Fit(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
		b.State = t.TempDir()
		for _, passes := range []int{1, 2, 5} {
			b.Model.MaxIter = passes
			r, err := b.Fit(context.Background(), x)
			if err != nil {
				t.Fatal(err)
			}
			if r.Reason != rnmf.MaxIter || len(r.Trace) != passes+1 {
				t.Errorf("loss %d: %v after %d passes, want %d", i, r.Reason, len(r.Trace)-1, passes)
			}
			again, err := b.Fit(context.Background(), x)
			if err != nil {
				t.Fatal(err)
			}
			same(t, again, r, x)
		}
		b.Model.MaxIter = 12
		// Eight panels a pass: ctx ends in a pass and, in the last of these calls, in the renewal of H.
		for _, loads := range []int{9, 18, 2, 34} {
			ctx, cancel := context.WithCancel(context.Background())
			r, err := b.Fit(ctx, &counted{Source: x, left: loads, end: cancel})
			if cancel(); !errors.Is(err, context.Canceled) || r == nil || r.Reason != rnmf.Cancelled {
				t.Fatalf("loss %d: cancelled with %v and %+v", i, err, r)
			}
			for k, p := range r.Trace {
				if p.Objective != want.Trace[k].Objective {
					t.Fatalf("loss %d: pass %d has %g, want %g", i, k, p.Objective, want.Trace[k].Objective)
				}
			}
		}
		got, err := b.Fit(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
		same(t, got, want, x)
		if _, err := (Batch{Model: b.Model, State: b.State}).Fit(context.Background(), x); !errors.Is(err, rnmf.ErrFormat) {
			t.Errorf("loss %d: a Batch with the folder of a Minibatch: %v", i, err)
		}
		if _, fixed := loss.(rnmf.Huber); !fixed {
			continue
		}
		// Passes run out before, with and after one that is taken back.
		back := slices.IndexFunc(want.Trace[1:], func(p rnmf.Point) bool { return p.Objective > 1.001*want.Trace[p.Round-1].Objective })
		if back < 0 {
			t.Fatal("no pass was taken back")
		}
		b.State = t.TempDir()
		for _, b.Model.MaxIter = range []int{back + 1, back + 2, back + 3, 12} {
			if got, err = b.Fit(context.Background(), x); err != nil {
				t.Fatal(err)
			}
		}
		same(t, got, want, x)
	}
}

// counted is a source that ends a context after some panels.
type counted struct {
	Source
	left int
	end  func()
}

func (c *counted) Load(p int) (Panel, error) {
	if c.left--; c.left < 0 {
		c.end()
	}
	return c.Source.Load(p)
}

// A Stream learns the parts that its samples are made of, also where samples are gross, and what
// comes later still fits.
func TestStream(t *testing.T) {
	const m, n, r = 40, 3000, 4
	x := planted(m, n, r, 7, 0.1, true)
	for _, loss := range []rnmf.Loss{rnmf.ByColumn{Loss: rnmf.L1{Eps: 1e-2}}, rnmf.Huber{Cut: 0.5}} {
		s := &Stream{Model: rnmf.Model{Rank: r, Loss: loss, Seed: 1}}
		var first, last float64
		for from := 0; from < n; from += 100 {
			h, objective, err := s.PartialFit(context.Background(), Panel{Dense: x.Slice(0, m, from, from+100).(*mat.Dense)})
			if err != nil {
				t.Fatal(err)
			}
			if rows, columns := h.Dims(); rows != r || columns != 100 {
				t.Fatalf("H of %d×%d", rows, columns)
			}
			if from == 0 {
				first = objective
			}
			last = objective
		}
		whole, err := Batch{Model: rnmf.Model{Rank: r, Loss: loss, Seed: 1}}.Fit(context.Background(), FromDense(x, 0))
		if err != nil {
			t.Fatal(err)
		}
		if each := whole.Objective / n * 100; !(last < first) || !(last < 1.15*each) {
			t.Errorf("%T: a panel has %g at first and %g at last; of a fit of all it would have %g", loss, first, last, each)
		}
	}
	bad := mat.DenseCopyOf(x.Slice(0, m, 0, 20))
	bad.Set(1, 2, -1)
	s := &Stream{Model: rnmf.Model{Rank: r}}
	if _, _, err := s.PartialFit(context.Background(), Panel{Dense: bad}); !errors.Is(err, rnmf.ErrNegative) || s.W() != nil {
		t.Errorf("negative: %v", err)
	}
	if _, _, err := (&Stream{Model: rnmf.Model{Rank: r, Loss: rnmf.Cauchy{}}}).PartialFit(context.Background(), Panel{Dense: x}); !errors.Is(err, rnmf.ErrParameter) {
		t.Errorf("no scale: %v", err)
	}
	// Sums of entries and of columns are no sums of one kind, and W has one rank.
	stored, _ := sparsely(m, 30, 4, 0.5)
	for name, of := range map[string][2]Stream{
		"columns after entries": {{Model: rnmf.Model{Rank: r, Loss: rnmf.L1{Eps: 0.1}}}, {Model: rnmf.Model{Rank: r}}},
		"entries after columns": {{Model: rnmf.Model{Rank: r}}, {Model: rnmf.Model{Rank: r, Loss: rnmf.L1{Eps: 0.1}}}},
		"missing after all":     {{Model: rnmf.Model{Rank: r}}, {Model: rnmf.Model{Rank: r}, Missing: true}},
		"another rank":          {{Model: rnmf.Model{Rank: r}}, {Model: rnmf.Model{Rank: r - 1}}},
	} {
		s := &of[0]
		for k := range 2 {
			s.Model, s.Missing = of[k].Model, of[k].Missing
			before := s.W()
			_, _, err := s.PartialFit(t.Context(), Panel{Sparse: stored})
			if k == 0 && err != nil || k == 1 && (!(errors.Is(err, rnmf.ErrParameter) || errors.Is(err, rnmf.ErrShape)) || !mat.Equal(before, s.W())) {
				t.Errorf("%s: panel %d: %v", name, k, err)
			}
		}
	}
}

// Transform is that of rnmf, where the coefficients are determined; sparse panels give the same.
func TestTransform(t *testing.T) {
	s, sx := sparsely(60, 90, 4, 0.5)
	r, err := rnmf.Model{Rank: 4, Loss: rnmf.ByColumn{Loss: rnmf.L1{Eps: 1e-2}}, Seed: 1}.Fit(context.Background(), sx)
	if err != nil {
		t.Fatal(err)
	}
	want, err := r.Transform(context.Background(), sx, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []Panel{{Dense: sx}, {Sparse: s}} {
		h, err := Transform(context.Background(), r.W, r.Family, r.Loss, x, false)
		if err != nil {
			t.Fatal(err)
		}
		var d mat.Dense
		if d.Sub(h, want); mat.Norm(&d, 2) > 1e-2*mat.Norm(want, 2) {
			t.Errorf("H differs by %g of %g", mat.Norm(&d, 2), mat.Norm(want, 2))
		}
	}
	// The unit of W is no matter, as long as H is one that other functions take.
	w, x := mat.DenseCopyOf(r.W), mat.DenseCopyOf(sx)
	for _, c := range []struct {
		w, x float64
		err  error
	}{{1e-110, 1, nil}, {1e-200, 1e-110, nil}, {1e-240, 1e-140, nil}, {1e-150, 1, rnmf.ErrTooLarge}, {1e-80, 1e80, rnmf.ErrTooLarge}, {1e-300, 1e98, rnmf.ErrTooLarge}} {
		w.Scale(c.w, r.W)
		x.Scale(c.x, sx)
		for _, family := range []rnmf.Family{rnmf.Gaussian, rnmf.Poisson} {
			same, err := Transform(t.Context(), r.W, family, nil, Panel{Dense: sx}, false)
			if err != nil {
				t.Fatal(err)
			}
			h, err := Transform(t.Context(), w, family, nil, Panel{Dense: x}, false)
			if !errors.Is(err, c.err) {
				t.Errorf("%v, W of %g and X of %g: %v", family, c.w, c.x, err)
			}
			if err != nil {
				continue
			}
			if h.Scale(c.w/c.x, h); !mat.EqualApprox(h, same, 1e-2*mat.Max(same)) {
				t.Errorf("%v, W of %g and X of %g have other coefficients", family, c.w, c.x)
			}
		}
	}
}

// negative returns −v.
func negative(v *mat.Dense) *mat.Dense {
	v = mat.DenseCopyOf(v)
	v.Scale(-1, v)
	return v
}

// The squared residuals of samples are those of their definition, and gross samples stand out.
func TestSquaredResiduals(t *testing.T) {
	const m, n, r = 40, 70, 3
	s, sx := sparsely(m, n, 4, 0.5)
	f := startOf(m, n, r, 1)
	w, h := f.W.(*mat.Dense), f.H.(*mat.Dense)
	var e mat.Dense
	e.Mul(w, h)
	e.Sub(sx, &e)
	all, known := make([]float64, n), make([]float64, n)
	for j := range n {
		for i := range m {
			all[j] += e.At(i, j) * e.At(i, j)
			if stored(s, i, j) {
				known[j] += e.At(i, j) * e.At(i, j)
			}
		}
	}
	for _, c := range []struct {
		x       Panel
		missing bool
		want    []float64
	}{{Panel{Dense: sx}, false, all}, {Panel{Sparse: s}, false, all}, {Panel{Sparse: s}, true, known}} {
		got, err := SquaredResiduals(context.Background(), w, h, rnmf.Gaussian, c.x, c.missing)
		if err != nil {
			t.Fatal(err)
		}
		closeTo(t, "squares", got, c.want)
		if got, err = SquaredResiduals(t.Context(), negative(w), negative(h), rnmf.Gaussian, c.x, c.missing); err != nil {
			t.Fatal(err)
		}
		closeTo(t, "squares of factors with signs", got, c.want)
	}
	if _, err := SquaredResiduals(context.Background(), w, w, rnmf.Gaussian, Panel{Dense: sx}, false); !errors.Is(err, rnmf.ErrShape) {
		t.Errorf("H of another shape: %v", err)
	}
	with := func(v *mat.Dense, i, j int, x float64) *mat.Dense {
		v = mat.DenseCopyOf(v)
		v.Set(i, j, x)
		return v
	}
	for name, c := range map[string]struct {
		w, h *mat.Dense
		want error
		says string
	}{
		"W":     {with(w, 2, 1, math.NaN()), h, rnmf.ErrNotFinite, "W[2,1]"},
		"H":     {w, with(h, 1, 3, math.Inf(1)), rnmf.ErrNotFinite, "H[1,3]"},
		"-Inf":  {with(w, 2, 1, math.Inf(-1)), h, rnmf.ErrNotFinite, "W[2,1]"},
		"no H":  {w, nil, rnmf.ErrEmpty, "H is nil"},
		"large": {with(w, 2, 1, 1e99), with(h, 1, 3, 1e99), rnmf.ErrTooLarge, "sample 3"},
	} {
		if _, err := SquaredResiduals(t.Context(), c.w, c.h, rnmf.Gaussian, Panel{Dense: sx}, false); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A Tuning is asked once for the same residuals: see TestTunedOnce of rnmf.
func TestTunedOnce(t *testing.T) {
	x := FromDense(planted(40, 300, 3, 1, 0.05, false), 50)
	for _, fit := range []func(rnmf.Model) (*Result, error){
		func(m rnmf.Model) (*Result, error) { return Batch{Model: m}.Fit(t.Context(), x) },
		func(m rnmf.Model) (*Result, error) { return Minibatch{Model: m}.Fit(t.Context(), x) },
	} {
		var means []float64
		m := rnmf.Model{Rank: 3, Loss: drifting{&means}, Tol: 1e-2, MaxIter: 100}
		m.Watch = func(p rnmf.Point) {
			if p.Round == 0 {
				means = nil // those of checks before the fit
			}
		}
		r, err := fit(m)
		if err != nil {
			t.Fatal(err)
		}
		for i := range means[1:] {
			if means[i] == means[i+1] {
				t.Fatalf("calls %d and %d of %d have the same residuals", i, i+1, len(means))
			}
		}
		if r.Reason != rnmf.MaxIter || len(means) < 20 {
			t.Errorf("%v after %d calls: no scale that was checked was renewed", r.Reason, len(means))
		}
	}
}

// drifting is a Cauchy loss whose scale is never a fixed point of its Tuning, which notes what it is given.
type drifting struct{ means *[]float64 }

func (drifting) Rho(s float64) (value, slope float64) { return rnmf.Cauchy{Scale: 1}.Rho(s) }

func (l drifting) Tuning() rnmf.Tuning {
	return func(s *rnmf.Residuals) (rnmf.Loss, bool) {
		*l.means = append(*l.means, s.Mean())
		return rnmf.Cauchy{Scale: s.Median() * (1 + 0.1*float64(len(*l.means)%2))}, false
	}
}

// Under every loss of entries, at any scale and however many passes there are, a Minibatch does not
// diverge, and ends near a Batch. By its first kind of steps alone most of these fits diverge, some to
// 1e100: see majorant.
func TestMinibatchDescends(t *testing.T) {
	type problem struct {
		name    string
		x       Source
		r       int
		missing bool
	}
	var problems []problem
	for i, s := range []struct{ m, n, width, r int }{{40, 300, 50, 3}, {25, 90, 7, 5}, {90, 64, 16, 4}, {12, 200, 200, 2}} {
		x := planted(s.m, s.n, s.r, uint64(i+1), 0.05, false)
		problems = append(problems, problem{fmt.Sprint(s), FromDense(x, s.width), s.r, false})
	}
	stored, _ := sparsely(31, 74, 4, 0.3)
	problems = append(problems, problem{"missing", FromSparse(stored, 20), 3, true})
	if testing.Short() {
		problems = problems[:1]
	}
	for _, p := range problems {
		losses := []rnmf.Loss{rnmf.Cauchy{Scale: 0.23}, rnmf.Cauchy{Scale: 0.05}, rnmf.L1{Eps: 0.01}, rnmf.Huber{Cut: 0.1}, rnmf.Hypersurface{Scale: 0.1},
			rnmf.Correntropy{Scale: 0.3}, rnmf.Truncated{Loss: rnmf.Cauchy{Scale: 0.2}, Cut: 1}}
		if p.missing {
			losses = append(losses, nil, rnmf.ByColumn{Loss: rnmf.L1{Eps: 0.1}})
		}
		for _, loss := range losses {
			m := rnmf.Model{Rank: p.r, Loss: loss, Seed: 3, MaxIter: 400, Tol: -1}
			got, err := Minibatch{Model: m, Missing: p.missing}.Fit(t.Context(), p.x)
			if err != nil {
				t.Fatal(err)
			}
			want, err := Batch{Model: m, Missing: p.missing}.Fit(t.Context(), p.x)
			if err != nil {
				t.Fatal(err)
			}
			least := math.Inf(1)
			for _, p := range got.Trace {
				least = min(least, p.Objective)
			}
			t.Logf("%s, %#v: %.4f of a Batch", p.name, loss, got.Objective/want.Objective)
			if !(got.Objective <= 2*want.Objective) || !(got.Objective <= 1.001*least) {
				t.Errorf("%s, %#v: the objective ends at %g, its least is %g, that of a Batch %g", p.name, loss, got.Objective, least, want.Objective)
			}
		}
	}
}

// What W lowers once it is careful is a bound: a majorant touches the loss of its panel, with H and the
// weights fixed or not, at the W that it was made at, and lies above it at any other. W goes to the minimum of the sum.
func TestMajorant(t *testing.T) {
	const m, n, r = 9, 23, 3
	x := planted(m, n, r, 2, 0.1, false)
	f := startOf(m, n, r, 4)
	w, h := f.W.(*mat.Dense), f.H.(*mat.Dense)
	loss := rnmf.Cauchy{Scale: 0.2}
	at := func(w *mat.Dense) float64 { return naive(x, nil, w, h, loss, make([]float64, r)).objective }
	s := newStepper(t.Context())
	s.pool.Open()
	defer s.pool.Close()
	scales := []float64{1, 0.3, 2}
	s.set(&Round{w: w, loss: loss, redo: true, x: scales})
	_, sums, err := s.do(t.Context(), Panel{Dense: x}, &Coefficients{H: h, Unextrapolated: h})
	if err != nil {
		t.Fatal(err)
	}
	q := majorant(sums, w, scales)
	bound := func(v *mat.Dense) float64 {
		sum := at(w)
		for i := range m {
			for k := range r {
				c, d, from, to := q.cross[i*r+k], q.bound[i*r+k], w.At(i, k), v.At(i, k)
				sum += d*(to*to-from*from) - 2*c*(to-from)
			}
		}
		return sum
	}
	rng := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		v := mat.DenseCopyOf(w)
		size := math.Exp(4 * rng.NormFloat64())
		v.Apply(func(_, _ int, a float64) float64 { return math.Max(0, a+size*rng.NormFloat64()) }, v)
		if f, b := at(v), bound(v); f > b*(1+1e-9) {
			t.Fatalf("the loss is %g, above its bound %g", f, b)
		}
		if lowest := bound(lowerMajorant(w, q)); lowest > bound(v)*(1+1e-9) {
			t.Fatalf("the bound is %g at its minimum, and %g elsewhere", lowest, bound(v))
		}
	}
	if before, after := at(w), at(lowerMajorant(w, q)); !(after < before) {
		t.Errorf("from %g to %g", before, after)
	}
}
