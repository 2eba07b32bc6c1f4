package rnmf

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Transform finds the H of the data that W was learned from, and follows new
// data of the same kind.
func TestTransform(t *testing.T) {
	all, _ := planted(15, 60, 3, 0.05, 0.02, 1)
	x, fresh := mat.DenseCopyOf(all.Slice(0, 15, 0, 40)), mat.DenseCopyOf(all.Slice(0, 15, 40, 60))
	var work []func()
	for _, loss := range slices.Concat(fixedLosses, tunedLosses) {
		for _, solver := range []Solver{nil, Additive{}} {
			work = append(work, func() {
				name := fmt.Sprintf("%s %T", lossName(loss), solver)
				m := Model{Rank: 3, Loss: loss, Solver: solver, MaxIter: 300, Tol: 1e-8, TuneFor: 5, OnH: []Penalty{Ridge{1e-3}}}
				r := mustFit(t, m, x)
				w := mat.DenseCopyOf(r.W)
				h, err := r.Transform(context.Background(), x)
				if err != nil {
					t.Fatal(err)
				}
				m.Loss = r.Loss
				if got := naiveObjective(m, r.Loss, x, r.W, h); got > r.Objective*1.05 {
					t.Errorf("%s: objective %g, of training %g", name, got, r.Objective)
				}
				if _, byColumn := loss.(ByColumn); loss == (Frobenius{}) || loss == (ByColumn{Frobenius{}}) {
					if !mat.EqualApprox(h, r.H, 0.02) {
						t.Errorf("%s: another H (by column: %v)", name, byColumn)
					}
				}
				h, err = r.Transform(context.Background(), fresh)
				if err != nil {
					t.Fatal(err)
				}
				if rows, cols := h.Dims(); rows != 3 || cols != 20 || mat.Min(h) < 0 {
					t.Errorf("%s: H is %d×%d", name, rows, cols)
				}
				var d mat.Dense
				d.Sub(fresh, mul(r.W, h))
				if e := mat.Norm(&d, 2) / mat.Norm(fresh, 2); e > 0.9 {
					t.Errorf("%s: relative error %.3f on new data", name, e)
				}
				if !mat.Equal(r.W, w) {
					t.Errorf("%s: W has changed", name)
				}
				// Fewer samples than components, a zero sample, a signed one.
				few := mat.NewDense(15, 1, nil)
				if h, err = r.Transform(context.Background(), few); err != nil || mat.Norm(h, 2) > 0.1 {
					t.Errorf("%s: %v of a zero sample, %v", name, h, err)
				}
				few.Set(3, 0, -1)
				if _, err = r.Transform(context.Background(), few); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			})
		}
	}
	sideBySide(work)
	r := mustFit(t, NMF(3), x)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if h, err := r.Transform(ctx, fresh); !errors.Is(err, context.Canceled) || h == nil {
		t.Errorf("%v, %v", h, err)
	}
}

// S of RNMF-L1 is the soft threshold of the residual, and X − S is what the
// factors fit.
func TestOutlierMatrix(t *testing.T) {
	const lambda = 0.6
	x, _ := planted(10, 15, 2, 0.05, 0.1, 1)
	r := mustFit(t, RNMFL1(2, lambda), x)
	o, err := r.Outliers(x)
	if err != nil {
		t.Fatal(err)
	}
	e := naiveResidual(x, r.W, r.H)
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
	if !near(explicit, r.Objective, 1e-12) {
		t.Errorf("with S the objective is %g, without %g", explicit, r.Objective)
	}
}

// Weights are the slopes, relative to the median one; missing entries have 1.
func TestOutlierWeights(t *testing.T) {
	x, _ := planted(9, 12, 2, 0.1, 0.1, 2)
	for maskName, in := range masks(x, 3) {
		for _, loss := range slices.Concat(fixedLosses, tunedLosses) {
			name := lossName(loss) + " mask " + maskName
			m := Model{Rank: 2, Loss: loss, MaxIter: 20}
			if in[1] != nil {
				m.Mask = in[1]
			}
			r := mustFit(t, m, in[0])
			o, err := r.Outliers(in[0])
			if err != nil {
				t.Fatal(err)
			}
			m.Mask = nil
			holes := mat.DenseCopyOf(in[0])
			if in[1] != nil {
				holes = fillMissing(in[0], in[1], never)
			}
			slopes := naiveWeights(m, r.Loss, holes, r.W, r.H)
			_, byColumn := loss.(ByColumn)
			if byColumn && in[1] != nil {
				continue
			}
			var known []float64
			for i := range 9 {
				for j := range 12 {
					if in[1] == nil || in[1].At(i, j) > 0 {
						known = append(known, slopes.At(i, j))
					}
				}
			}
			slices.Sort(known)
			median := known[len(known)/2]
			if median == 0 {
				median = known[len(known)-1]
			}
			for i := range 9 {
				for j := range 12 {
					want := min(1, slopes.At(i, j)/median)
					if in[1] != nil && in[1].At(i, j) == 0 {
						want = 1
						if o.S.At(i, j) != 0 {
							t.Errorf("%s: S[%d,%d] = %g of a missing entry", name, i, j, o.S.At(i, j))
						}
					}
					if got := o.Weights.At(i, j); !near(got, want, 1e-8) {
						t.Fatalf("%s: weight [%d,%d] is %g, want %g", name, i, j, got, want)
					}
				}
			}
		}
	}
}

func TestNormalized(t *testing.T) {
	x, _ := planted(9, 12, 3, 0.1, 0, 2)
	r := mustFit(t, NMF(3), x)
	y := mul(r.W, r.H)
	for _, norm := range []Norm{L2Norm, SumNorm, MaxNorm} {
		w, h := r.Normalized(norm)
		for k := range 3 {
			col := w.ColView(k)
			length := []float64{mat.Norm(col, 2), mat.Sum(col), mat.Max(col)}[norm]
			if !near(length, 1, 1e-12) {
				t.Errorf("norm %d: component %d has length %g", norm, k, length)
			}
		}
		if !mat.EqualApprox(mul(w, h), y, 1e-12) {
			t.Errorf("norm %d: another product", norm)
		}
	}
	for j, l := range r.Clusters() {
		w, h := r.Normalized(L2Norm)
		_ = w
		for k := range 3 {
			if h.At(k, j) > h.At(l, j) {
				t.Errorf("sample %d: cluster %d has less than %d", j, l, k)
			}
		}
	}
	r.W.SetCol(1, make([]float64, 9))
	if w, h := r.Normalized(L2Norm); mat.Norm(w.ColView(1), 2) != 0 || mat.Norm(h.RowView(1), 2) != 0 {
		t.Error("a zero component does not stay zero")
	}
}

func BenchmarkRound(b *testing.B) {
	x, _ := planted(1024, 400, 40, 0.1, 0.05, 1)
	for _, m := range []Model{NMF(40), L21NMF(40), L1NMF(40), HuberNMF(40), HypersurfaceNMF(40, 1), CIMNMF(40), CauchyNMF(40), TruncatedCauchyNMF(40), RNMFL1(40, 0.5)} {
		for _, solver := range []Solver{HALS{}, MU{}, Additive{}} {
			b.Run(fmt.Sprintf("%s/%T", lossName(m.Loss), solver), func(b *testing.B) {
				m.Solver, m.MaxIter, m.Tol = solver, b.N, -1
				m.Init = Factors{W: uniform(1024, 40, 3), H: uniform(40, 400, 4)}
				b.ResetTimer()
				mustFit(b, m, x)
			})
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
	x.Mul(w, uniform(2, 20, 4))
	r := &Result{W: w, H: uniform(2, 20, 7), Loss: Frobenius{}, Solver: FreeW{Solver: MU{}}}
	plain, err := r.Transform(context.Background(), &x)
	if err != nil {
		t.Fatal(err)
	}
	ones := mat.NewDense(6, 20, nil)
	ones.Apply(func(_, _ int, _ float64) float64 { return 1 }, ones)
	masked, err := r.TransformMasked(context.Background(), &x, ones)
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
