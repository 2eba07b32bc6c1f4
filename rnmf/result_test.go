package rnmf_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest/parts"
	. "github.com/robustnmf/robustnmf/rnmf/papers"
)

// Transform finds the H of the data that W was learned from, and follows new
// data of the same kind.
func TestTransform(t *testing.T) {
	all, _ := Planted(15, 60, 3, 0.05, 0.02, 1)
	x, fresh := mat.DenseCopyOf(all.Slice(0, 15, 0, 40)), mat.DenseCopyOf(all.Slice(0, 15, 40, 60))
	var work []func()
	take := OneIn(t, 3)
	for _, loss := range slices.Concat(FixedLosses, TunedLosses) {
		for _, solver := range []Solver{nil, Additive{}} {
			if !take() {
				continue
			}
			work = append(work, func() {
				name := fmt.Sprintf("%s %T", LossName(loss), solver)
				m := Model{Rank: 3, Loss: loss, Solver: solver, MaxIter: 300, Tol: 1e-8, TuneFor: 5, OnH: []Penalty{Ridge{1e-3}}}
				r := TryFit(t, m, x)
				if r == nil {
					return
				}
				w := mat.DenseCopyOf(r.W)
				h, err := r.Transform(context.Background(), x, nil)
				if err != nil {
					t.Errorf("%s: %v", name, err)
					return
				}
				m.Loss = r.Loss
				if got := NaiveObjective(m, r.Loss, x, r.W, h); got > r.Objective*1.05 {
					t.Errorf("%s: objective %g, of training %g", name, got, r.Objective)
				}
				if _, byColumn := loss.(ByColumn); loss == (Frobenius{}) || loss == (ByColumn{Frobenius{}}) {
					if !mat.EqualApprox(h, r.H, 0.02) {
						t.Errorf("%s: another H (by column: %v)", name, byColumn)
					}
				}
				h, err = r.Transform(context.Background(), fresh, nil)
				if err != nil {
					t.Errorf("%s: %v", name, err)
					return
				}
				if rows, cols := h.Dims(); rows != 3 || cols != 20 || mat.Min(h) < 0 {
					t.Errorf("%s: H is %d×%d", name, rows, cols)
				}
				var d mat.Dense
				d.Sub(fresh, Mul(r.W, h))
				if e := mat.Norm(&d, 2) / mat.Norm(fresh, 2); e > 0.9 {
					t.Errorf("%s: relative error %.3f on new data", name, e)
				}
				if !mat.Equal(r.W, w) {
					t.Errorf("%s: W has changed", name)
				}
				// Fewer samples than components, a zero sample, a signed one.
				few := mat.NewDense(15, 1, nil)
				if h, err = r.Transform(context.Background(), few, nil); err != nil || mat.Norm(h, 2) > 0.1 {
					t.Errorf("%s: %v of a zero sample, %v", name, h, err)
				}
				few.Set(3, 0, -1)
				if _, err = r.Transform(context.Background(), few, nil); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			})
		}
	}
	SideBySide(work)
	r := MustFit(t, NMF(3), x)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if h, err := r.Transform(ctx, fresh, nil); !errors.Is(err, context.Canceled) || h == nil {
		t.Errorf("%v, %v", h, err)
	}
}

// A basis alone is enough for Transform, with and without a loss.
func TestTransformOfBasis(t *testing.T) {
	w, want := Uniform(12, 3, 1), Uniform(3, 7, 2)
	x := Mul(w, want)
	x.Set(4, 5, 50)
	mask := ConstantOnes(12, 7)
	mask.Set(4, 5, 0)
	for _, c := range []struct {
		loss Loss
		mask mat.Matrix
	}{{nil, mask}, {Huber{}, nil}, {ByColumn{L1{}}, mask}} {
		h, err := (&Result{W: w, Loss: c.loss}).Transform(t.Context(), x, c.mask)
		if err != nil || !mat.EqualApprox(h, want, 0.02) {
			t.Errorf("%v: %v, want %v, %v", c.loss, mat.Formatted(h), mat.Formatted(want), err)
		}
	}
	if _, err := (&Result{H: want}).Transform(t.Context(), x, nil); !errors.Is(err, ErrEmpty) {
		t.Error(err)
	}
}

// S of RNMF-L1 is the soft threshold of the residual, and X − S is what the
// factors fit.
func TestOutlierMatrix(t *testing.T) {
	const lambda = 0.6
	x, _ := Planted(10, 15, 2, 0.05, 0.1, 1)
	r := MustFit(t, RNMFL1(2, lambda), x)
	o, err := r.Outliers(x, nil)
	if err != nil {
		t.Fatal(err)
	}
	e := NaiveResidual(x, r.W, r.H)
	var explicit float64 // ‖X − WH − S‖² + λ‖S‖₁
	for i := range 10 {
		for j := range 15 {
			v := e.At(i, j)
			want := math.Copysign(max(math.Abs(v)-lambda/2, 0), v)
			s := o.S.At(i, j)
			if math.Abs(s-want) > 1e-12 {
				t.Errorf("S[%d,%d] = %g, want %g", i, j, s, want)
			}
			explicit += (v-s)*(v-s) + lambda*math.Abs(s)
		}
	}
	if !Near(explicit, r.Objective, 1e-12) {
		t.Errorf("with S the objective is %g, without %g", explicit, r.Objective)
	}
}

// Weights are the slopes, relative to the median one; missing entries have 1, under
// ByColumn what their sample has.
func TestOutlierWeights(t *testing.T) {
	x, _ := Planted(9, 12, 2, 0.1, 0.1, 2)
	for maskName, in := range Masks(x, 3) {
		for _, loss := range slices.Concat(FixedLosses, TunedLosses) {
			name := LossName(loss) + " mask " + maskName
			m := Model{Rank: 2, Loss: loss, MaxIter: 20}
			if in[1] != nil {
				m.Mask = in[1]
			}
			r := MustFit(t, m, in[0])
			o, err := r.Outliers(in[0], nil)
			if err != nil {
				t.Fatal(err)
			}
			entry, sample, bySample := OfSamples(r.Loss)
			cells, _ := r.Loss.(CellCase)
			byColumn := bySample && (cells.Loss == nil || cells.Loss == Frobenius{})
			weight := func(i, j int) float64 {
				if in[1] == nil {
					return 1
				}
				return in[1].At(i, j)
			}
			// Of an entry, or of its sample with the weights of the mask.
			slopes := mat.NewDense(9, 12, nil)
			var known, ofSample []float64
			for j := range 12 {
				squares := make([]float64, 9)
				var norm float64
				for i := range 9 {
					if weight(i, j) > 0 {
						e := in[0].At(i, j) - mat.Dot(r.W.RowView(i), r.H.ColView(j))
						squares[i] = e * e
						v, _ := entry(e * e)
						norm += weight(i, j) * v
					}
				}
				_, of := sample(norm)
				ofSample = append(ofSample, of)
				for i := range 9 {
					_, slope := entry(squares[i])
					slope *= of
					slopes.Set(i, j, slope)
					if byColumn && i == 0 || !byColumn && weight(i, j) > 0 {
						known = append(known, slope)
					}
				}
			}
			slices.Sort(known)
			median := known[len(known)/2]
			if median == 0 {
				median = known[len(known)-1]
			}
			for j := range 12 {
				var mean float64
				for i := range 9 {
					want := min(1, slopes.At(i, j)/median)
					if weight(i, j) == 0 {
						if !byColumn {
							want = 1
						}
						if o.S.At(i, j) != 0 {
							t.Errorf("%s: S[%d,%d] = %g of a missing entry", name, i, j, o.S.At(i, j))
						}
					}
					if got := o.Weights.At(i, j); !Near(got, want, 1e-8) {
						t.Fatalf("%s: weight [%d,%d] is %g, want %g", name, i, j, got, want)
					}
					mean += want / 9
				}
				if bySample {
					sorted := slices.Sorted(slices.Values(ofSample))
					mean = min(1, ofSample[j]/cmp.Or(sorted[6], sorted[11]))
				}
				if !Near(o.Samples[j], mean, 1e-8) {
					t.Fatalf("%s: weight of sample %d is %g, want %g", name, j, o.Samples[j], mean)
				}
			}
		}
	}
}

func TestNormalized(t *testing.T) {
	x, _ := Planted(9, 12, 3, 0.1, 0, 2)
	r := MustFit(t, NMF(3), x)
	y := Mul(r.W, r.H)
	for norm, p := range []float64{2, 1, math.Inf(1)} {
		w, h := r.Normalized(p)
		for k := range 3 {
			col := w.ColView(k)
			length := []float64{mat.Norm(col, 2), mat.Sum(col), mat.Max(col)}[norm]
			if !Near(length, 1, 1e-12) {
				t.Errorf("norm %d: component %d has length %g", norm, k, length)
			}
		}
		if !mat.EqualApprox(Mul(w, h), y, 1e-12) {
			t.Errorf("norm %d: another product", norm)
		}
	}
	for j, l := range r.Clusters() {
		w, h := r.Normalized(2)
		_ = w
		for k := range 3 {
			if h.At(k, j) > h.At(l, j) {
				t.Errorf("sample %d: cluster %d has less than %d", j, l, k)
			}
		}
	}
	r.W.SetCol(1, make([]float64, 9))
	if w, h := r.Normalized(2); mat.Norm(w.ColView(1), 2) != 0 || mat.Norm(h.RowView(1), 2) != 0 {
		t.Error("a zero component does not stay zero")
	}
	for _, bad := range []float64{0, 0.5, -1, math.NaN()} {
		func() {
			defer func() {
				if err, _ := recover().(error); !errors.Is(err, ErrParameter) {
					t.Errorf("norm %g: %v", bad, err)
				}
			}()
			r.Normalized(bad)
		}()
	}
}

// Powers of entries under- and overflow, lengths do not.
func TestNormalizedHighPowers(t *testing.T) {
	for _, size := range []float64{1e-240, 1e-3, 255, 1e4} {
		r := &Result{W: Uniform(6, 2, 1), H: Uniform(2, 5, 2)}
		r.W.Scale(size, r.W)
		y := Mul(r.W, r.H)
		for _, p := range []float64{3, 108, 1000} {
			w, h := r.Normalized(p)
			if product := Mul(w, h); !floats.EqualApprox(product.RawMatrix().Data, y.RawMatrix().Data, 1e-12*size) {
				t.Errorf("W of size %g, p = %g: WH is %g at first, want %g", size, p, product.At(0, 0), y.At(0, 0))
			}
		}
	}
}

// The lengths are of magnitudes where W has signs, and the product stays.
func TestNormalizedSigned(t *testing.T) {
	r := &Result{W: mat.NewDense(3, 2, []float64{-12, 1, 4, 0, 3, -0.5}), H: Uniform(2, 4, 1)}
	y := Mul(r.W, r.H)
	for norm, lengths := range map[float64][]float64{2: {13, math.Sqrt(1.25)}, 1: {19, 1.5}, math.Inf(1): {12, 1}} {
		w, h := r.Normalized(norm)
		for k, length := range lengths {
			for i := range 3 {
				if want := r.W.At(i, k) / length; !Near(w.At(i, k), want, 1e-14) {
					t.Errorf("norm %g: W[%d,%d] is %g, want %g", norm, i, k, w.At(i, k), want)
				}
			}
		}
		if !mat.EqualApprox(Mul(w, h), y, 1e-12) {
			t.Errorf("norm %g: another product", norm)
		}
	}
}

// A mask that hides nothing changes nothing, also where W has columns whose sums are
// negative.
func TestTransformMaskedSigned(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 3))
	w := mat.NewDense(6, 2, nil)
	w.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() - 1 }, w)
	var x mat.Dense
	x.Mul(w, Uniform(2, 20, 4))
	r := &Result{W: w, H: Uniform(2, 20, 7), Loss: Frobenius{}, Solver: MU{}}
	plain, err := r.Transform(context.Background(), &x, nil)
	if err != nil {
		t.Fatal(err)
	}
	ones := mat.NewDense(6, 20, nil)
	ones.Apply(func(_, _ int, _ float64) float64 { return 1 }, ones)
	masked, err := r.Transform(context.Background(), &x, ones)
	if err != nil {
		t.Fatal(err)
	}
	for name, h := range map[string]*mat.Dense{"without a mask": plain, "with one": masked} {
		var e mat.Dense
		e.Mul(w, h)
		e.Sub(&x, &e)
		if bad := mat.Norm(&e, 2) / mat.Norm(&x, 2); bad > 0.02 {
			t.Errorf("%s: relative error %.3g", name, bad)
		}
	}
}

// onlySample is the objective of the coefficients h of one new sample, entry by entry.
func onlySample(m Model, x, w *mat.Dense, h []float64) float64 {
	return NaiveObjective(m, m.Loss, x, w, mat.NewDense(len(h), 1, h))
}

// exactSample minimises over the coefficients in turn, by halving an interval. The
// objective is to be convex and smooth, and then has no other minimum.
func exactSample(m Model, x, w *mat.Dense) []float64 {
	_, r := w.Dims()
	h := make([]float64, r)
	for range 400 {
		var moved float64
		for k := range h {
			before := h[k]
			slope := func(v float64) float64 {
				const d = 1e-6
				h[k] = v + d
				up := onlySample(m, x, w, h)
				h[k] = v - d
				return up - onlySample(m, x, w, h)
			}
			low, high := 0., 8.
			for range 40 {
				if half := (low + high) / 2; slope(half) > 0 {
					high = half
				} else {
					low = half
				}
			}
			h[k] = low
			moved = max(moved, math.Abs(low-before))
		}
		if moved < 1e-9 {
			break
		}
	}
	return h
}

// Where the objective of new samples is convex Transform finds its one minimum: with
// the penalties of the fit on H, without those on its samples.
func TestTransformIsExact(t *testing.T) {
	x, _ := Planted(8, 6, 3, 0.1, 0.1, 4)
	w := Uniform(8, 3, 5)
	known := Uniform(3, 4, 6)
	ofSamples := []Penalty{Labels{Class: []int{0, 1, 2, 0}, Weight: 50}, Laplacian{Ring(4, 1), 50}, UnitLaplacian{Graph: Ring(4, 1), Lambda: 50}}
	for _, loss := range []Loss{nil, Huber{Cut: 0.2}, Hypersurface{Scale: 0.3}} {
		for name, penalties := range map[string][]Penalty{"none": nil, "sparse": {Lasso{1}}, "ridge": {Ridge{1}}, "both": {Lasso{0.3}, Ridge{0.5}}} {
			m := Model{Loss: loss, OnH: penalties}
			var want float64
			for j := range 6 {
				sample := mat.DenseCopyOf(x.ColView(j))
				want += onlySample(m, sample, w, exactSample(m, sample, w))
			}
			for _, solver := range []Solver{nil, MU{}, OGM{}} {
				r := &Result{W: w, H: known, Loss: loss, Solver: solver, OnH: slices.Concat(ofSamples, penalties)}
				h, err := r.Transform(t.Context(), x, nil)
				if err != nil {
					t.Fatal(err)
				}
				if got := NaiveObjective(m, loss, x, w, h); !(got <= want*(1+1e-5)) || !(got >= want*(1-1e-9)) {
					t.Errorf("%s, penalties %s, %T: objective %.12g, want %.12g (%.1e)", LossName(loss), name, solver, got, want, got/want-1)
				}
			}
		}
	}
}

// Scales of data that are all 0, or nearly, are the least there can be, and Transform
// begins at no smaller one: whenever the fit has ended.
func TestTransformOfNothing(t *testing.T) {
	for _, unit := range []float64{0, 1e-80} {
		x := Scaled(Uniform(6, 9, 1), unit)
		for _, rounds := range []int{1, 3, 60} {
			truncated := Model{Loss: Truncated{Loss: Frobenius{}}}
			for name, m := range map[string]Model{"truncated": truncated, "two stages": RobustNMF(2), "MahNMF": MahNMF(2), "OcclusionNMF": {}} {
				m.Rank, m.MaxIter, m.Tol = 2, rounds, -1
				var r *Result
				if name == "OcclusionNMF" {
					c, err := OcclusionNMF{Model: m, Height: 3, Width: 2}.Fit(t.Context(), x)
					if err != nil {
						t.Fatal(err)
					}
					r = c.Result
				} else {
					r = MustFit(t, m, x)
				}
				h, err := r.Transform(t.Context(), x, nil)
				if err != nil {
					t.Errorf("%s, data of %g, %d rounds: %v", name, unit, rounds, err)
				} else if err := CheckEntries("H", h, nil, false); err != nil {
					t.Errorf("%s, data of %g, %d rounds: %v", name, unit, rounds, err)
				}
			}
		}
	}
}

// A Result keeps its penalties when the caller changes those of the model.
func TestResultKeepsPenalties(t *testing.T) {
	x, _ := Planted(8, 12, 3, 0.1, 0, 1)
	m := Model{Rank: 3, OnH: []Penalty{Ridge{1}}}
	r := MustFit(t, m, x)
	before, err := r.Transform(t.Context(), x, nil)
	if err != nil {
		t.Fatal(err)
	}
	m.OnH[0] = Lasso{3}
	after, err := r.Transform(t.Context(), x, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !sameBits(before, after) || r.OnH[0] != (Ridge{1}) {
		t.Errorf("the penalty of the Result became %+v", r.OnH[0])
	}
}

// A loss that levels off begins where a convex one of the same scale ends.
func TestRelax(t *testing.T) {
	for _, c := range []struct{ loss, want Loss }{
		{nil, Frobenius{}},
		{Frobenius{}, Frobenius{}},
		{Huber{Cut: 2}, Huber{Cut: 2}},
		{L1{Eps: 2}, L1{Eps: 2}},
		{Cauchy{Scale: 2}, Huber{Cut: 2}},
		{Truncated{Loss: Cauchy{Scale: 2}, Cut: 9}, Huber{Cut: 2}},
		{Truncated{Loss: L1{Eps: 2}, Cut: 9}, L1{Eps: 2}},
		{Truncated{Loss: Frobenius{}, Cut: 9}, Huber{Cut: 3}},
		{ByColumn{Cauchy{Scale: 2}}, Frobenius{}},
		{CellCase{Loss: Cauchy{Scale: 2}}, Huber{Cut: 2}},
		{RootLoss{}, Frobenius{}},
	} {
		if got := Relax(c.loss); got != c.want {
			t.Errorf("%s begins at %s, want %s", LossName(c.loss), LossName(got), LossName(c.want))
		}
	}
	// A third of the entries is far off, to one side: least squares would begin where
	// all entries are beyond the cut-off.
	w, truth := Uniform(40, 3, 1), Uniform(3, 20, 2)
	x := Mul(w, truth)
	rng := rand.New(rand.NewPCG(1, 2))
	x.Apply(func(_, _ int, v float64) float64 {
		if rng.Float64() < 0.3 {
			v += 3 + 3*rng.Float64()
		}
		return v
	}, x)
	r := &Result{W: w, H: truth, Loss: Truncated{Loss: Frobenius{}, Cut: 0.3}}
	h, err := r.Transform(t.Context(), x, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(h, truth, 0.01) {
		var e mat.Dense
		e.Sub(h, truth)
		t.Errorf("the coefficients are off by %.2g", mat.Norm(&e, 2)/mat.Norm(truth, 2))
	}
}

// With a mask Transform sees what is there: the entries that are missing may be
// anything, a mask of ones is none, and samples that fit exactly are found.
func TestTransformMasked(t *testing.T) {
	w, truth := Uniform(12, 3, 1), Uniform(3, 9, 2)
	x := Mul(w, truth)
	for _, loss := range []Loss{nil, Huber{Cut: 0.1}, Cauchy{Scale: 0.1}, ByColumn{L1{Eps: 1e-4}}} {
		r := &Result{W: w, H: truth, Loss: loss}
		holes := Masks(x, 3)["missing"]
		h, err := r.Transform(t.Context(), holes[0], holes[1])
		if err != nil {
			t.Fatal(err)
		}
		if !mat.EqualApprox(Mul(w, h), x, 1e-2) {
			t.Errorf("%T: the entries that are there do not tell those that are not", loss)
		}
		plain, err := r.Transform(t.Context(), x, nil)
		if err != nil {
			t.Fatal(err)
		}
		ones, err := r.Transform(t.Context(), x, ConstantOnes(12, 9))
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
	}{{Uniform(9, 12, 1), "Mask is 9×12"}, {mat.NewDense(12, 9, nil), "no entry"}, {(*mat.Dense)(nil), "Mask is nil"}} {
		if _, err := r.Transform(t.Context(), x, c.mask); err == nil || !bytes.Contains([]byte(err.Error()), []byte(c.says)) {
			t.Errorf("%v, want %q", err, c.says)
		}
	}
}

// WH is the product, Filled the data with WH where they are missing, and Rounds the last of the trace.
func TestFilled(t *testing.T) {
	x, _ := Planted(9, 12, 3, 0.1, 0, 1)
	mask := ConstantOnes(9, 12)
	mask.Set(4, 5, 0)
	mask.Set(2, 3, 0.5)
	holes := mat.DenseCopyOf(x)
	holes.Set(4, 5, math.NaN())
	r := MustFit(t, Model{Rank: 3, Mask: mask}, holes)
	wh := Mul(r.W, r.H)
	if !mat.Equal(r.WH(), wh) || r.Rounds() != r.Trace[len(r.Trace)-1].Round || r.Rounds() < 1 || (&Result{}).Rounds() != 0 {
		t.Errorf("WH or Rounds, %d, is wrong", r.Rounds())
	}
	for _, of := range []mat.Matrix{nil, mask} {
		full, err := r.Filled(holes, of)
		if err != nil {
			t.Fatal(err)
		}
		want := mat.DenseCopyOf(x)
		want.Set(4, 5, wh.At(4, 5))
		if !mat.Equal(full, want) || !math.IsNaN(holes.At(4, 5)) {
			t.Error("the data with their hole filled are wrong")
		}
	}
	whole := MustFit(t, NMF(3), x)
	if full, err := whole.Filled(x, nil); err != nil || full == x || !mat.Equal(full, x) {
		t.Errorf("%v, without holes", err)
	}
	if _, err := whole.Filled(holes, nil); !errors.Is(err, ErrNotFinite) {
		t.Error(err)
	}
	if _, err := whole.Filled(mat.NewDense(9, 3, nil), nil); !errors.Is(err, ErrShape) {
		t.Error(err)
	}
}

// Outliers print as one line with what has little weight.
func TestOutliersString(t *testing.T) {
	o := &Outliers{Samples: []float64{1, 0.25, 0.5, 0.1}, Weights: mat.NewDense(1, 4, []float64{1, 0.25, 0.5, 0.1})}
	if got := o.String(); got != "2 of 4 samples and 2 entries have less than half of the median weight; the least, counted from 0: 3 (0.1) 1 (0.25) 2 (0.5) 0 (1)" {
		t.Error(got)
	}
}

// A result prints as one line, and so do those that embed it; one that no fit has made is no panic.
func TestResultString(t *testing.T) {
	x, _ := Planted(9, 12, 3, 0.1, 0, 1)
	r := MustFit(t, HuberNMF(3), x)
	for _, got := range []string{fmt.Sprint(r), fmt.Sprint(&SSNMFResult{Result: r})} {
		if !strings.HasPrefix(got, "9×12, rank 3, rnmf.Huber{Cut:") || !strings.Contains(got, fmt.Sprintf("after %d rounds", r.Rounds())) || !strings.Contains(got, r.Reason.String()) || strings.Contains(got, "\n") {
			t.Error(got)
		}
	}
	if got := (&Result{}).String(); !strings.Contains(got, "no W or H") {
		t.Error(got)
	}
}

// Nothing bounds WH where all is hidden.
func TestTransformHiddenGiants(t *testing.T) {
	x, mask := mat.NewDense(2, 1, []float64{1e60, 0}), mat.NewDense(2, 1, []float64{1, 0})
	h, err := (&Result{W: mat.NewDense(2, 1, []float64{1, 1e62}), Loss: L1{Eps: 1e50}}).Transform(t.Context(), x, mask)
	if err != nil || math.Abs(h.At(0, 0)/1e60-1) > 1e-6 {
		t.Errorf("%v, %v, want 1e60", h, err)
	}
}

// Where a basis is far larger than the data, or its entries cancel, new samples are fitted all the same.
func TestTransformLargeBasis(t *testing.T) {
	x := mat.NewDense(2, 2, []float64{3, 1e60, 1, 3e60})
	for _, a := range []float64{1, 1e112, 1e119} {
		h, err := (&Result{W: mat.NewDense(2, 1, []float64{a, -a})}).Transform(t.Context(), x, nil)
		if err != nil {
			t.Errorf("%g: %v", a, err)
		} else if want := 1 / a; math.Abs(h.At(0, 0)-want) > 1e-6*want || h.At(0, 1) != 0 {
			t.Errorf("%g: H is %g and %g, want %g and 0", a, h.At(0, 0), h.At(0, 1), want)
		}
	}
}
